/* A queue of an OpenCL device, with a cache folder of its own. */
#ifndef CLPAC_TESTS_OPENCL_FIXTURE_H
#define CLPAC_TESTS_OPENCL_FIXTURE_H

#include "test_thread.h"

#include "assertions.h"
#include "coupling/opencl/opencl_compute.h"
#include "queue_kernels.h"
#include "targets.h"

extern char folder[256];      /* of the running test, removed after it */
extern clpac_options options; /* for opening queues: a cache in the folder, and a log */
extern clpac__opencl_queue *queue;
extern clpac_error err;
extern unsigned n_logged[3]; /* lines of each level */
extern char logged[1024];    /* the last warning */

/* The kernels of a queue. */
static inline clpac__opencl_compute *kernels_of(clpac__queue *of)
{
	return (clpac__opencl_compute *)compute_of(of);
}

/* Checked fixtures: make the folder; remove it and close the queue that is still open. */
void set_up_folder(void);
void tear_down_folder(void);

/* A queue of target i. */
void open_queue(int i);
void close_queue(void);

/* The build tree's cache, for tests to which the origin of their kernels does not matter. */
void share_cache(int i);

#endif
