/* The laws of runs that stay on the device: they give the numbers of a run through the host. */
#ifndef CLPAC_TESTS_ENQUEUE_LAWS_H
#define CLPAC_TESTS_ENQUEUE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* Loop tests over the n places of contract/places.h. */
TCase *enqueue_laws(size_t n);

/* Those of what the host arranges in the same way for every device. */
TCase *enqueue_arrangement_laws(size_t n);

#endif
