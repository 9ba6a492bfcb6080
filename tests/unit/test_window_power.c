/* Powers of windows, and the lines in them. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>
#include <clpac/cautions.h>

#include "assertions.h"
#include "noise.h"
#include "coupling/signal/lines.h"

static const double pi = 3.14159265358979323846;

TEST(powers_are_those_of_the_tapered_sums)
{
	enum { LENGTH = 24, FIRST = 2, FREQUENCIES = 3, LONG = 1000 };
	/* 7 windows, each half a length behind the one before; 32 of 82, as far apart as they can be.  A length of 22
	 * is transformed with two zeros. */
	static const struct {
		size_t length, n, n_windows, hop;
	} cases[] = {{24, 100, 7, 12}, {24, 24, 1, 12}, {24, LONG, 32, 31}, {22, 100, 8, 11}};
	clpac_error err;
	double *x = make_bell_noise(4, LONG), power[FREQUENCIES];
	ck_assert_uint_eq(clpac__window_count(100, LENGTH), 7);
	ck_assert_uint_eq(clpac__window_count(LENGTH, LENGTH), 1);
	ck_assert_uint_eq(clpac__window_count(LENGTH - 1, LENGTH), 0);
	for (size_t c = 0; c < COUNT(cases); c++) {
		clpac__windows windows;
		const size_t length = cases[c].length;
		assert_works(clpac__windows_make(length, &windows, &err), err);
		ck_assert_uint_eq(windows.transform.n, LENGTH);
		assert_works(clpac__windows_power_of(&windows, x, cases[c].n, 32, FIRST, FREQUENCIES, power, &err),
			     err);
		for (size_t i = 0; i < FREQUENCIES; i++) {
			double sum = 0;
			for (size_t w = 0; w < cases[c].n_windows; w++) {
				double re = 0, im = 0;
				for (size_t t = 0; t < length; t++) {
					const double taper = pow(sin(pi * ((double)t + 0.5) / (double)length), 2);
					const double angle = 2 * pi * (double)((FIRST + i) * t) / LENGTH;
					re += taper * x[w * cases[c].hop + t] * cos(angle);
					im -= taper * x[w * cases[c].hop + t] * sin(angle);
				}
				sum += (re * re + im * im) / (double)cases[c].n_windows;
			}
			assert_close(power[i], sum, 1e-12);
		}
		clpac__windows_clear(&windows);
	}
	free(x);
}

/* The height of a line in a series of n samples. */
static double height_of(const double *x, size_t n, double rate_hz, double hz)
{
	clpac_error err;
	double height;
	assert_works(clpac_signal_line(x, n, rate_hz, hz, &height, &err), err);
	return height;
}

TEST(a_line_stands_out_and_noise_does_not)
{
	enum { N = 5120 };
	double *x = make_bell_noise(6, N);
	const double of_noise = height_of(x, N, 512, 50);
	ck_assert(of_noise > 0.2 && of_noise < 5);
	for (size_t t = 0; t < N; t++)
		x[t] += 0.3 * cos(2 * pi * 50 * (double)t / 512);
	ck_assert(height_of(x, N, 512, 50) > 30);
	ck_assert(height_of(x, N, 512, 60) < 5);
	ck_assert(height_of(x, 1024, 512, 50) == 0); /* one window */
	ck_assert(height_of(x, N, 102, 50) == 0);    /* too near to half the rate */
	free(x);
}

TEST(the_rounding_of_a_loud_rhythm_is_no_line)
{
	enum { N = 5120 };
	double *x = malloc(N * sizeof *x);
	for (size_t t = 0; t < N; t++)
		x[t] = cos(2 * pi * 8 * (double)t / 512);
	for (double hz = 20; hz < 240; hz += 0.5)
		ck_assert(height_of(x, N, 512, hz) == 0);
	/* A line of a millionth of it is one. */
	for (size_t t = 0; t < N; t++)
		x[t] += 1e-6 * cos(2 * pi * 50 * (double)t / 512);
	ck_assert(height_of(x, N, 512, 50) > 30);
	free(x);
}

TEST(a_search_forgets_the_series_before)
{
	enum { N = 5120 };
	clpac_error err;
	clpac__line_search search;
	double *x = make_bell_noise(6, N), *noise = make_bell_noise(7, N), height, again;
	for (size_t t = 0; t < N; t++)
		x[t] += 0.3 * cos(2 * pi * 50 * (double)t / 512);
	assert_works(clpac__line_search_make(N, 512, &search, &err), err);
	clpac__line_search_take(&search, x);
	assert_works(clpac__line_height(&search, 50, &height, &err), err);
	ck_assert_double_eq(height, height_of(x, N, 512, 50));
	/* Powers that one line asked for serve the next. */
	assert_works(clpac__line_height(&search, 60, &again, &err), err);
	ck_assert_double_eq(again, height_of(x, N, 512, 60));
	clpac__line_search_take(&search, noise);
	assert_works(clpac__line_height(&search, 50, &again, &err), err);
	ck_assert_double_eq(again, height_of(noise, N, 512, 50));
	ck_assert(again < height);
	clpac__line_search_clear(&search);
	free(x);
	free(noise);
}
