/* Kernels for queues that a test opened by itself. */
#ifndef CLPAC_TESTS_QUEUE_KERNELS_H
#define CLPAC_TESTS_QUEUE_KERNELS_H

#include "test_thread.h"
#include "coupling/stages/compute.h"
#include "coupling/registry/registry.h"

static inline clpac__compute *compute_of(clpac__queue *queue)
{
	clpac__compute *compute = NULL;
	clpac_error err;
	ck_assert_msg(clpac__compute_get(queue, &compute, &err) == CLPAC_OK, "%s", err.text);
	return compute;
}

static inline unsigned width_of(clpac__queue *queue)
{
	return compute_of(queue)->vector_width;
}

#endif
