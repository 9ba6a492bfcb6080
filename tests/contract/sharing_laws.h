/* Laws of several threads that share one context. */
#ifndef CLPAC_TESTS_SHARING_LAWS_H
#define CLPAC_TESTS_SHARING_LAWS_H

#include "test_thread.h"
#include <stddef.h>
#include <clpac/memory/context.h>

/* The laws, each for every one of n places of places.h. */
TCase *sharing_laws(size_t n_places);

/* The first of them in a context that is open already: plans that several threads make, run and destroy there give the
 * numbers of a single thread. */
void sharing_check_plans(clpac_context *context, const char *label);

/* The same with each FFT engine that serves the device, in a context of its own. */
void sharing_check_engines(const clpac_device *device, clpac_options options, const char *label);

/* Number of kernel builds that the problems of that law need: one for each number of bins, and one of the further
 * kernels, for the trimmed Hilbert transform of one problem. */
enum { SHARING_BUILDS = 3 };

#endif
