/* The taps of analytic filters, compared with the sums of the definition in long double. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>

#include "assertions.h"
#include "oracle.h"
#include "random.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/transform.h"

enum { MOST = 600 };

static oracle_real of_taps[MOST];
static oracle_complex expected[MOST];
static double taps[MOST], even[MOST], odd[MOST];

/* Compares with the oracle, whose taps are the same doubles. */
static void check(size_t n, const char *what)
{
	clpac_error err;
	double size = 0;
	for (size_t k = 0; k < n; k++) {
		of_taps[k] = taps[k];
		size += taps[k] * taps[k];
	}
	oracle_quadrature(of_taps, n, expected);
	assert_works(clpac__quadrature(taps, n, even, odd, &err), err);
	/* A transform in double errs by some 2^-53 log2 of its length, 11 at most, of the energy; three follow each
	 * other. */
	const double allowed = 33 * 0x1p-53 * size;
	ck_assert_double_eq(odd[0], 0);
	for (size_t k = 0; k < n; k++)
		ck_assert_msg(fabs(even[k] - (double)creall(expected[k])) <= allowed &&
				      fabs(odd[k] - (double)cimagl(expected[k])) <= allowed,
			      "%s, tap %zu of %zu: %.17g, %.17g instead of %.17g, %.17g", what, k, n, even[k], odd[k],
			      (double)creall(expected[k]), (double)cimagl(expected[k]));
}

TEST(taps_are_those_of_the_definition)
{
	static const size_t lengths[] = {1, 2, 3, 4, 5, 16, 17, 33, 64, 65, 129, 255, 256, 257, 513, 600};
	unsigned long long state = 11;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		const size_t n = lengths[i];
		for (size_t k = 0; k < n; k++)
			taps[k] = random_signed(&state);
		check(n, "taps without symmetry");
		for (size_t k = 0; k < n / 2; k++)
			taps[n - 1 - k] = taps[k];
		check(n, "symmetric taps");
		for (size_t k = 0; k < n; k++)
			taps[k] = ldexp(taps[k], -600);
		check(n, "tiny taps");
	}
}

TEST(a_band_filter_passes_positive_frequencies_twice_and_negative_ones_hardly)
{
	/* 8 to 12 Hz at 250 Hz, three cycles. */
	enum { N = 94 };
	const double centre = 6.283185307179586 * 10 / 250;
	clpac_error err;
	double positive = even[0], negative;
	oracle_firwin(250, (clpac_band){8, 12}, N - 1, of_taps);
	for (size_t k = 0; k < N; k++)
		taps[k] = (double)of_taps[k];
	assert_works(clpac__quadrature(taps, N, even, odd, &err), err);
	positive = negative = even[0];
	for (size_t k = 1; k < N; k++) {
		positive += 2 * (even[k] * cos(centre * (double)k) + odd[k] * sin(centre * (double)k));
		negative += 2 * (even[k] * cos(centre * (double)k) - odd[k] * sin(centre * (double)k));
	}
	ck_assert_double_eq_tol(positive, 2, 1e-4);
	ck_assert_double_eq_tol(negative, 0, 1e-4);
}

TEST(transforms_are_the_sums_of_the_definition)
{
	/* Each factor alone, and beside the others in any place. */
	static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 8, 9, 10, 25, 30, 32, 60, 90, 128, 250};
	clpac_error err;
	unsigned long long state = 11;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		const size_t n = lengths[i];
		clpac__transform transform;
		clpac__value x[250], y[250];
		for (size_t t = 0; t < n; t++)
			x[t] = y[t] = (clpac__value){random_unit(&state) - 0.5, random_unit(&state) - 0.5};
		assert_works(clpac__transform_make(n, &transform, &err), err);
		clpac__transform_run(&transform, y);
		for (size_t k = 0; k < n; k++) {
			double re = 0, im = 0;
			for (size_t t = 0; t < n; t++) {
				const double turn = 2 * 3.14159265358979323846 * (double)(k * t % n) / (double)n;
				re += x[t].re * cos(turn) + x[t].im * sin(turn);
				im += x[t].im * cos(turn) - x[t].re * sin(turn);
			}
			ck_assert_double_eq_tol(y[k].re, re, 1e-12);
			ck_assert_double_eq_tol(y[k].im, im, 1e-12);
		}
		clpac__transform_clear(&transform);
	}
}

TEST(lengths_have_small_factors_and_are_even)
{
	ck_assert_uint_eq(clpac__transform_length(2), 2);
	ck_assert_uint_eq(clpac__transform_length(7), 8);
	ck_assert_uint_eq(clpac__transform_length(1000), 1000);
	ck_assert_uint_eq(clpac__transform_length(1333), 1350);
	ck_assert_uint_eq(clpac__transform_length(2049), 2160);
}

TEST(without_memory_it_fails_and_leaves_nothing)
{
	clpac_error err;
	for (size_t k = 0; k < 20; k++)
		taps[k] = 1 + (double)k;
	assert_survives_failing_allocations(clpac__quadrature(taps, 20, even, odd, &err), (void)0);
}
