/* Test data without a pattern that could hide a mistake; the same for the same seed. */
#ifndef CLPAC_TESTS_NOISE_H
#define CLPAC_TESTS_NOISE_H

#include <stddef.h>

/* White noise in [-1, 1]. */
void fill_noise(unsigned long long seed, float *values, size_t n);
/* The same in new memory; the caller frees it. */
float *make_noise(unsigned long long seed, size_t n);
/* Noise of mean 0 and deviation 0.5, of sums of three uniform values, in new memory; the caller frees it. */
double *make_bell_noise(unsigned long long seed, size_t n);

void random_bytes(unsigned long long seed, void *out, size_t bytes);

#endif
