/* Jumps, lines and the shape of cycles, in signals whose answer is known. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>

#include "assertions.h"
#include "base/memory.h"
#include "random.h"
#include "coupling/signal/artefacts.h"

static const double pi = 3.14159265358979323846;

static double *make_noise(size_t n, unsigned long long seed)
{
	double *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = random_unit(&seed) + random_unit(&seed) + random_unit(&seed) - 1.5;
	return x;
}

TEST(spectra_are_the_tapered_sums_of_their_definition)
{
	enum { N = 100, LENGTH = 24, FIRST = 3, FREQUENCIES = 7 };
	clpac_error err;
	double *x = make_noise(N, 4), spectra[7][FREQUENCIES][2], power[3];
	ck_assert_uint_eq(clpac__window_count(N, LENGTH), 7);
	ck_assert_uint_eq(clpac__window_count(LENGTH, LENGTH), 1);
	ck_assert_uint_eq(clpac__window_count(LENGTH - 1, LENGTH), 0);
	assert_works(clpac__window_spectra(x, N, LENGTH, FIRST, FREQUENCIES, &spectra[0][0][0], &err), err);
	assert_works(clpac__window_power(x, N, LENGTH, 2, 3, power, &err), err);
	for (size_t i = 0; i < FREQUENCIES; i++) {
		double sum = 0;
		for (size_t w = 0; w < 7; w++) {
			double re = 0, im = 0;
			for (size_t t = 0; t < LENGTH; t++) {
				const double taper = pow(sin(pi * ((double)t + 0.5) / LENGTH), 2);
				const double angle = pi * (double)((FIRST + i) * t) / LENGTH;
				re += taper * x[w * LENGTH / 2 + t] * cos(angle);
				im -= taper * x[w * LENGTH / 2 + t] * sin(angle);
			}
			assert_close(spectra[w][i][0], re, 1e-12);
			assert_close(spectra[w][i][1], im, 1e-12);
			sum += (re * re + im * im) / 7;
		}
		/* Whole bins 2, 3, 4 are half bins 4, 6, 8. */
		if ((FIRST + i) % 2 == 0)
			assert_close(power[(FIRST + i) / 2 - 2], sum, 1e-12);
	}
	free(x);
}

TEST(a_jump_is_found_in_its_place_and_drift_is_none)
{
	enum { N = 4096 };
	clpac_error err;
	double deviations, *x = make_noise(N, 5);
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

TEST(a_line_stands_out_and_noise_does_not)
{
	enum { N = 5120 };
	clpac_error err;
	double height, *x = make_noise(N, 6);
	assert_works(clpac__line_height(x, N, 512, 50, &height, &err), err);
	ck_assert(height > 0.2 && height < 5);
	for (size_t t = 0; t < N; t++)
		x[t] += 0.3 * cos(2 * pi * 50 * (double)t / 512);
	assert_works(clpac__line_height(x, N, 512, 50, &height, &err), err);
	ck_assert(height > 30);
	assert_works(clpac__line_height(x, N, 512, 60, &height, &err), err);
	ck_assert(height < 5);
	assert_works(clpac__line_height(x, 1024, 512, 50, &height, &err), err);
	ck_assert(height == 0); /* one window */
	assert_works(clpac__line_height(x, N, 102, 50, &height, &err), err);
	ck_assert(height == 0); /* too near to half the rate */
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
