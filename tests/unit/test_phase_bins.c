/* Phase bins. */
#include "runner.h"
#include "assertions.h"
#include <clpac/problem.h>
#include "oracle.h"
#include "coupling/signal/modulation_index.h"

static const double pi = 3.14159265358979323846;

TEST(phases_fall_where_the_method_says)
{
	ck_assert_uint_eq(clpac__phase_bin(-pi, 18), 0);
	ck_assert_uint_eq(clpac__phase_bin(pi, 18), 17);
	ck_assert_uint_eq(clpac__phase_bin(nextafter(pi, 0), 18), 17);
	ck_assert_uint_eq(clpac__phase_bin(0, 18), 9);
	ck_assert_uint_eq(clpac__phase_bin(-1e-9, 18), 8);
	ck_assert_uint_eq(clpac__phase_bin(-0.0, 2), 1);
	ck_assert_uint_eq(clpac__phase_bin(-pi / 2, 4), 1);
	ck_assert_uint_eq(clpac__phase_bin(pi / 2, 4), 3);
}

TEST(the_middle_of_each_bin_lies_in_it)
{
	for (unsigned n = CLPAC_MIN_BINS; n <= CLPAC_MAX_BINS; n++) {
		for (unsigned j = 0; j < n; j++) {
			double lo = clpac__phase_bin_edge(j, n), hi = clpac__phase_bin_edge(j + 1, n);
			ck_assert_uint_eq(clpac__phase_bin((lo + hi) / 2, n), j);
			/* A margin well above the rounding of an edge near pi, inside either end. */
			ck_assert_uint_eq(clpac__phase_bin(lo + 1e-13, n), j);
			ck_assert_uint_eq(clpac__phase_bin(hi - 1e-13, n), j);
		}
		ck_assert(clpac__phase_bin_edge(0, n) == -pi);
		ck_assert(clpac__phase_bin_edge(n, n) == pi);
	}
}

TEST(bins_equal_the_definition)
{
	unsigned long long state = 2;
	for (int i = 0; i < 100000; i++) {
		double phase = (2 * random_unit(&state) - 1) * pi;
		unsigned n = 2 + (unsigned)random_below(&state, 127);
		/* One phase in 1e13 would lie within a rounding of an edge. */
		ck_assert_uint_eq(clpac__phase_bin(phase, n), oracle_bin(phase, n));
	}
}

TEST(a_phase_of_another_turn_is_brought_back)
{
	unsigned long long state = 4;
	for (int i = 0; i < 20000; i++) {
		unsigned n = 2 + (unsigned)random_below(&state, 127), j = (unsigned)random_below(&state, n);
		double middle = (clpac__phase_bin_edge(j, n) + clpac__phase_bin_edge(j + 1, n)) / 2;
		int turns = (int)random_below(&state, 2001) - 1000;
		ck_assert_uint_eq(clpac__phase_bin(middle + 2 * pi * turns, n), j);
	}
	ck_assert_uint_lt(clpac__phase_bin(1e300, 18), 18);
	ck_assert_uint_eq(clpac__phase_bin(nextafter(pi, 4), 18), 0);
}

TEST(a_phase_that_is_no_number_has_no_bin)
{
	ck_assert_uint_eq(clpac__phase_bin(NAN, 18), 18);
	ck_assert_uint_eq(clpac__phase_bin(INFINITY, 18), 18);
	ck_assert_uint_eq(clpac__phase_bin(-INFINITY, 18), 18);
}
