/* Filters against scipy's taps and against the oracle, and their bandwidth. */
#include "runner.h"
#include "assertions.h"
#include <stdlib.h>
#include "oracle.h"
#include "coupling/signal/filter.h"
#include "vectors.h"

static clpac_band band_of(const vectors *object)
{
	const vectors *edges = vectors_get(object, "band_hz");
	return (clpac_band){vectors_value(vectors_at(edges, 0)), vectors_value(vectors_at(edges, 1))};
}

/* Designs a filter of a given order: chooses the cycles for it, in a long enough series. */
static clpac__filter design_of_order(double rate_hz, clpac_band band, size_t order)
{
	clpac__filter filter;
	clpac_error err;
	double cycles = ((double)order + 0.5) / floor(rate_hz / band.lo_hz);
	assert_works(clpac__filter_design(rate_hz, band, cycles, 1000000, &filter, &err), err);
	ck_assert_uint_eq(filter.n_taps, order + 1);
	ck_assert(!filter.is_shortened);
	return filter;
}

TEST(taps_equal_those_of_scipy)
{
	vectors *file = vectors_load("filters.json");
	const vectors *filters = vectors_get(file, "filters");
	ck_assert_uint_eq(vectors_count(filters), 5);
	for (size_t i = 0; i < vectors_count(filters); i++) {
		const vectors *one = vectors_at(filters, i);
		size_t n;
		double *taps = vectors_numbers(vectors_get(one, "taps"), &n);
		clpac__filter filter = design_of_order(vectors_number(one, "rate_hz"), band_of(one), n - 1);
		for (size_t k = 0; k < n; k++)
			assert_close(filter.taps[k], taps[k], 1e-12);
		clpac__filter_clear(&filter);
		free(taps);
	}
	vectors_free(file);
}

TEST(taps_equal_the_definition)
{
	unsigned long long state = 11;
	for (int trial = 0; trial < 60; trial++) {
		size_t order = 2 + random_below(&state, 800);
		double rate = 50 + 2000 * random_unit(&state), half = rate / 2;
		double lo = half * (0.005 + 0.9 * random_unit(&state)),
		       hi = lo + (0.999 * half - lo) * (0.05 + 0.9 * random_unit(&state));
		clpac_band band = {lo, hi};
		oracle_real *wanted = malloc((order + 1) * sizeof *wanted), peak = 0;
		oracle_firwin(rate, band, order, wanted);
		for (size_t k = 0; k <= order; k++)
			peak = fmaxl(peak, fabsl(wanted[k]));
		clpac__filter filter = design_of_order(rate, band, order);
		/* The sine's argument, up to pi * order / 2, is off by its own rounding: order * pi * epsilon, a few
		 * times. */
		for (size_t k = 0; k <= order; k++)
			assert_close(filter.taps[k], wanted[k], 8 * (double)(order + 1) * 0x1p-52 * fmaxl(peak, 1e-2L));
		clpac__filter_clear(&filter);
		free(wanted);
	}
}

TEST(taps_are_symmetric_and_pass_the_centre)
{
	clpac_band band = {52.5, 67.5};
	for (size_t order = 53; order <= 54; order++) {
		clpac__filter filter = design_of_order(512, band, order);
		for (size_t k = 0; k <= order; k++)
			ck_assert(filter.taps[k] == filter.taps[order - k]);
		/* 55 products and sums near 1. */
		assert_close(clpac__filter_power(filter.taps, filter.n_taps, 512, 60), 1, 2 * 55 * 0x1p-52);
		clpac__filter_clear(&filter);
	}
}

TEST(the_order_follows_the_rule)
{
	static const struct {
		double rate, lo, cycles;
		size_t n, order;
		bool is_shortened;
	} cases[] = {
		{512, 1.5, 3, 100000, 1023, false}, {512, 1.5, 3, 3069, 1023, false},
		{512, 1.5, 3, 3068, 1022, true},    {512, 1.5, 3, 2048, 682, true},
		{1000, 4, 3, 2000, 666, true},	    {512, 52.5, 6, 2048, 54, false},
		{1, 0.1, 1, 1000, 9, false},	    {1000, 13, 3, 90000, 228, false},
		{512, 2.5, 2.5, 90000, 510, false}, {512, 1.5, 3, 1, 0, true},
		{512, 1.5, 3, 0, 0, true},	    {512, 1e-300, 3, 400, 133, true},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool is_shortened;
		size_t order =
			clpac__filter_order(cases[i].rate, cases[i].lo, cases[i].cycles, cases[i].n, &is_shortened);
		ck_assert_msg(order == cases[i].order && is_shortened == cases[i].is_shortened, "case %zu: order %zu",
			      i, order);
		ck_assert_uint_eq(clpac__filter_order(cases[i].rate, cases[i].lo, cases[i].cycles, cases[i].n, NULL),
				  order);
	}
}

TEST(the_order_equals_the_definition)
{
	static const double cycles[] = {1, 3, 6};
	unsigned long long state = 3;
	for (int trial = 0; trial < 5000; trial++) {
		double rate = 1 + (double)random_below(&state, 4000), lo = rate / 2 * random_unit(&state);
		/* Every other frequency nearly divides the rate: a rounded quotient would step over it. */
		if (trial % 2)
			lo = rate / (3 + (double)random_below(&state, 1000));
		size_t n = 1 + random_below(&state, 20000);
		double c = cycles[trial % 3];
		ck_assert_uint_eq(clpac__filter_order(rate, lo, c, n, NULL), oracle_order(rate, lo, c, n));
	}
}

TEST(a_short_series_shortens_the_filter_and_says_so)
{
	clpac__filter filter;
	clpac_error err;
	assert_works(clpac__filter_design(512, (clpac_band){1.5, 2.5}, 3, 2048, &filter, &err), err);
	ck_assert(filter.is_shortened);
	ck_assert_uint_eq(filter.n_taps, 683);
	clpac__filter_clear(&filter);
	ck_assert_ptr_null(filter.taps);
	clpac__filter_clear(&filter);
}

TEST(the_bandwidth_is_where_the_response_is_half_its_peak)
{
	vectors *file = vectors_load("bandwidth.json");
	const vectors *cases = vectors_get(file, "cases");
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i);
		const vectors *edges = vectors_get(one, "bandwidth_hz");
		double rate = vectors_number(one, "rate_hz");
		clpac_band band = band_of(one);
		clpac__filter filter = design_of_order(rate, band, (size_t)vectors_number(one, "order"));
		/* Powers near 1 are off by n epsilon = 2e-13 and fall by more than 0.01 per Hz. */
		assert_close(filter.bandwidth_lo_hz, vectors_value(vectors_at(edges, 0)), 1e-10);
		assert_close(filter.bandwidth_hi_hz, vectors_value(vectors_at(edges, 1)), 1e-10);
		assert_close(clpac__filter_power(filter.taps, filter.n_taps, rate, band.lo_hz),
			     vectors_number(one, "gain_at_lo"), 1e-12);
		assert_close(clpac__filter_power(filter.taps, filter.n_taps, rate, band.hi_hz),
			     vectors_number(one, "gain_at_hi"), 1e-12);
		clpac__filter_clear(&filter);
	}
	vectors_free(file);
}

TEST(the_power_equals_the_definition)
{
	unsigned long long state = 7;
	clpac__filter filter = design_of_order(512, (clpac_band){1.5, 2.5}, 1023);
	oracle_real taps[1024];
	for (size_t k = 0; k < filter.n_taps; k++)
		taps[k] = filter.taps[k];
	for (int i = 0; i < 50; i++) {
		double f = i == 0 ? 0 : i == 1 ? 256 : 256 * random_unit(&state);
		/* Horner's rule: each of n steps rounds a sum near 1, and the error of z = exp(-iw), epsilon, counts n
		 * times. */
		assert_close(clpac__filter_power(filter.taps, filter.n_taps, 512, f),
			     oracle_power(taps, filter.n_taps, 512, f), 8 * 1024 * 0x1p-52);
	}
	clpac__filter_clear(&filter);
}

TEST(own_taps_are_copied_and_measured)
{
	/* A moving average of 8: |H|^2 peaks at 0 Hz and is half of that where sin(4w) = 8 sin(w/2) / sqrt 2. */
	double taps[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	clpac__filter filter;
	clpac_error err;
	assert_works(clpac__filter_from_taps(100, taps, 8, (clpac_band){1, 5}, &filter, &err), err);
	ck_assert_mem_eq(filter.taps, taps, sizeof taps);
	ck_assert(filter.taps != taps && filter.n_taps == 8 && !filter.is_shortened);
	ck_assert(filter.bandwidth_lo_hz == 0);
	assert_close(clpac__filter_power(taps, 8, 100, filter.bandwidth_hi_hz), 32, 1e-9);
	ck_assert(filter.bandwidth_hi_hz > 4 && filter.bandwidth_hi_hz < 12.5);
	clpac__filter_clear(&filter);

	double one[1] = {-2}; /* passes all frequencies alike */
	assert_works(clpac__filter_from_taps(100, one, 1, (clpac_band){1, 5}, &filter, &err), err);
	ck_assert(filter.bandwidth_lo_hz == 0 && filter.bandwidth_hi_hz == 50);
	clpac__filter_clear(&filter);

	double high[2] = {1, -1}; /* peaks at half the rate and has half its power at a quarter */
	assert_works(clpac__filter_from_taps(100, high, 2, (clpac_band){1, 5}, &filter, &err), err);
	assert_close(filter.bandwidth_lo_hz, 25, 1e-9);
	ck_assert(filter.bandwidth_hi_hz == 50);
	clpac__filter_clear(&filter);
}

TEST(useless_taps_are_refused)
{
	double taps[3] = {0, 0, 0};
	clpac__filter filter;
	clpac_error err;
	clpac_status st = clpac__filter_from_taps(100, taps, 3, (clpac_band){1, 5}, &filter, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "the 3 taps given for band 1-5 Hz are all 0");
	st = clpac__filter_from_taps(100, taps, 0, (clpac_band){1, 5}, &filter, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "the 0 taps");
	taps[1] = NAN;
	st = clpac__filter_from_taps(100, taps, 3, (clpac_band){1, 5}, &filter, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "tap 1 of the filter given for band 1-5 Hz is nan");
}

TEST(a_filter_without_taps_is_refused)
{
	clpac__filter filter;
	clpac_error err;
	clpac_status st = clpac__filter_design(100, (clpac_band){40, 45}, 0.1, 1000, &filter, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT,
		       "band 40-45 Hz would have order 0 (0.1 cycles, 100 Hz, 1000 samples)");
	st = clpac__filter_design(100, (clpac_band){40, 45}, 3, 6, &filter, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "would have order 1");
	assert_works(clpac__filter_design(100, (clpac_band){40, 45}, 3, 7, &filter, &err), err);
	ck_assert_uint_eq(filter.n_taps, 3);
	clpac__filter_clear(&filter);
}

TEST(half_a_filter_is_its_edge)
{
	ck_assert_uint_eq(clpac__filter_edge(1024), 512);
	ck_assert_uint_eq(clpac__filter_edge(231), 115);
	ck_assert_uint_eq(clpac__filter_edge(1), 0);
}

TEST(failing_allocations_are_reported)
{
	clpac__filter filter;
	clpac_error err;
	double taps[3] = {1, 2, 1};
	assert_survives_failing_allocations(clpac__filter_design(512, (clpac_band){4, 8}, 3, 2048, &filter, &err),
					    clpac__filter_clear(&filter));
	assert_survives_failing_allocations(clpac__filter_from_taps(512, taps, 3, (clpac_band){4, 8}, &filter, &err),
					    clpac__filter_clear(&filter));
}

const char *skip_reason(void)
{
	return vectors_missing();
}
