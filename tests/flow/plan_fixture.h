/* A small problem with noise to run it on, on the native device, for tests of what a plan's user sees. */
#ifndef CLPAC_TESTS_PLAN_FIXTURE_H
#define CLPAC_TESTS_PLAN_FIXTURE_H

#include <stddef.h>

#include <clpac/plan.h>

enum { N_CHANNELS = 4, N_SAMPLES = 700, N_PHASE = 2, N_AMPLITUDE = 3, N_SURROGATES = 20 };

/* Shifts that all cells share, and everything kept. */
clpac_problem base(void);
/* Drifting noise, rounded as single precision does; the caller frees it. */
double *make_samples(unsigned long long seed, size_t n);
clpac_context *open_native(void);
/* Plans and runs on float64 channels stored one after the other. */
clpac_result *run(clpac_context *context, const clpac_problem *p, const double *x);
const float *array_of(const clpac_result *result, clpac_array which);
/* How often the run warned of this kind; its text must have the part. */
size_t warned(const clpac_result *result, clpac_warning_kind kind, const char *part);

#endif
