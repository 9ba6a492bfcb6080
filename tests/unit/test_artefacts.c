/* Jumps, medians and the shape of cycles, in signals whose answer is known. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "noise.h"
#include "random.h"
#include "coupling/signal/artefacts.h"

static const double pi = 3.14159265358979323846;

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

TEST(the_median_is_that_of_the_sorted_values)
{
	enum { MOST = 70 };
	unsigned long long seed = 8;
	double values[MOST], sorted[MOST];
	for (size_t n = 1; n <= MOST; n++)
		/* Random values; few that come often; ascending and descending ones; one value. */
		for (int kind = 0; kind < 5; kind++) {
			for (size_t i = 0; i < n; i++)
				values[i] = kind == 0	? random_unit(&seed)
					    : kind == 1 ? floor(3 * random_unit(&seed))
					    : kind == 2 ? (double)i
					    : kind == 3 ? -(double)i
							: 7;
			memcpy(sorted, values, sizeof sorted);
			qsort(sorted, n, sizeof *sorted, ascending);
			const double wanted = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
			ck_assert_double_eq(clpac__median(values, n), wanted);
		}
}

TEST(a_jump_is_found_in_its_place_and_drift_is_none)
{
	enum { N = 4096 };
	clpac_error err;
	double deviations, *x = make_bell_noise(5, N);
	size_t sample;
	assert_works(clpac__find_jump(x, N, 512, &deviations, &sample, &err), err);
	ck_assert(deviations > 2 && deviations < 10);
	x[1000] += 100 * 0.5; /* a spike of 100 deviations of such noise, which is 0.5 */
	assert_works(clpac__find_jump(x, N, 512, &deviations, &sample, &err), err);
	ck_assert(deviations > 90 && deviations < 120);
	ck_assert(sample == 1000 || sample == 1001);
	x[1000] -= 100 * 0.5;
	for (size_t t = N - 5; t < N; t++) /* a step, shortly before the end */
		x[t] += 60 * 0.5;
	assert_works(clpac__find_jump(x, N, 512, &deviations, &sample, &err), err);
	ck_assert(deviations > 55 && deviations < 75);
	ck_assert_uint_eq(sample, N - 5);
	/* A walk goes far, and never quickly. */
	for (size_t t = 1; t < N; t++)
		x[t] = x[t - 1] + random_unit(&(unsigned long long){t}) - 0.5;
	assert_works(clpac__find_jump(x, N, 512, &deviations, &sample, &err), err);
	ck_assert(deviations < 25);
	/* Nothing can be said of a few samples, or where most are constant. */
	assert_works(clpac__find_jump(x, 4 * 64 - 1, 512, &deviations, &sample, &err), err);
	ck_assert(deviations == 0);
	for (size_t t = 0; t < N; t++)
		x[t] = t > N - 100;
	assert_works(clpac__find_jump(x, N, 512, &deviations, &sample, &err), err);
	ck_assert(deviations == 0);
	free(x);
}

TEST(the_asymmetry_of_cycles_is_that_of_their_shape)
{
	enum { N = 4096, CYCLE = 64 };
	double *x = malloc(N * sizeof *x), *sine = malloc(N * sizeof *sine);
	const struct {
		double rise; /* part of the cycle in which the wave rises */
	} shapes[] = {{0.5}, {0.875}, {0.125}, {0.75}};
	for (size_t i = 0; i < COUNT(shapes); i++) {
		for (size_t t = 0; t < N; t++) {
			const double place = (double)(t % CYCLE) / CYCLE, rise = shapes[i].rise;
			x[t] = place < rise ? place / rise : (1 - place) / (1 - rise);
			/* The fundamental has its peak between the middle and the peak of the wave. */
			sine[t] = cos(2 * pi * (place - (0.5 + rise) / 2));
		}
		assert_close(clpac__cycle_asymmetry(x, sine, N, CYCLE), 2 * shapes[i].rise - 1, 0.15);
	}
	ck_assert(isnan(clpac__cycle_asymmetry(x, sine, 3 * CYCLE, CYCLE)));
	free(x);
	free(sine);
}
