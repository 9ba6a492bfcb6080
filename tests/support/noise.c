#include "noise.h"

#include <stdlib.h>
#include "random.h"
#include "test_thread.h"

void fill_noise(unsigned long long seed, float *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = random_signed(&seed);
}

float *make_noise(unsigned long long seed, size_t n)
{
	float *values = malloc(n * sizeof *values);
	ck_assert_ptr_nonnull(values);
	fill_noise(seed, values, n);
	return values;
}

double *make_bell_noise(unsigned long long seed, size_t n)
{
	double *values = malloc(n * sizeof *values);
	ck_assert_ptr_nonnull(values);
	for (size_t i = 0; i < n; i++)
		values[i] = random_unit(&seed) + random_unit(&seed) + random_unit(&seed) - 1.5;
	return values;
}

void random_bytes(unsigned long long seed, void *out, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)out)[i] = (unsigned char)(random_bits(&seed) >> 56);
}
