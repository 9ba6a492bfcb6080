/* Bands as text, and checks of bands against a sampling rate. */
#include "runner.h"
#include "assertions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "random.h"
#include "coupling/signal/bands.h"
#include "vectors.h"

static clpac_band_use use_of(const char *text)
{
	return strcmp(text, "phase") ? CLPAC_AMPLITUDE : CLPAC_PHASE;
}

TEST(bands_equal_those_of_the_reference)
{
	vectors *file = vectors_load("bands.json");
	const vectors *cases = vectors_get(file, "cases");
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i);
		const char *text = vectors_text(one, "text");
		size_t n, n_wanted;
		double *wanted = vectors_numbers(vectors_get(one, "bands_hz"), &n_wanted);
		clpac_band *bands;
		clpac_error err;
		assert_works(clpac_bands_read(text, use_of(vectors_text(one, "use")), NULL, &bands, &n, NULL, &err),
			     err);
		ck_assert_uint_eq(2 * n, n_wanted);
		/* Both sides do the same operations in the same order: equal doubles. */
		for (size_t b = 0; b < n; b++)
			ck_assert_msg(bands[b].lo_hz == wanted[2 * b] && bands[b].hi_hz == wanted[2 * b + 1],
				      "%s: band %zu is %.17g-%.17g", text, b, bands[b].lo_hz, bands[b].hi_hz);
		clpac_bands_free(bands);
		free(wanted);
	}
	vectors_free(file);
}

static clpac_band *read_bands(const char *text, clpac_band_use use, size_t *n)
{
	clpac_band *bands;
	clpac_error err;
	assert_works(clpac_bands_read(text, use, NULL, &bands, n, NULL, &err), err);
	return bands;
}

TEST(logarithmic_centres_have_equal_ratios)
{
	size_t n;
	clpac_band *bands = read_bands("2:32:5:log", CLPAC_PHASE, &n);
	ck_assert_uint_eq(n, 5);
	for (size_t i = 0; i < n; i++) {
		double centre = ldexp(2, (int)i); /* 2, 4, 8, 16, 32; pow and two products round a few times */
		assert_close(bands[i].lo_hz, centre * 3 / 4, 4 * centre * 0x1p-52);
		assert_close(bands[i].hi_hz, centre * 5 / 4, 4 * centre * 0x1p-52);
	}
	clpac_bands_free(bands);
}

TEST(a_constant_width_lies_around_the_centre)
{
	size_t n;
	clpac_band *bands = read_bands("4:20:9/2", CLPAC_AMPLITUDE, &n);
	ck_assert_uint_eq(n, 9);
	for (size_t i = 0; i < n; i++) {
		double centre = 4 + 2 * (double)i;
		ck_assert(bands[i].lo_hz == centre - 1 && bands[i].hi_hz == centre + 1);
	}
	clpac_bands_free(bands);
	bands = read_bands("4:16:3:log/2", CLPAC_PHASE, &n);
	assert_close(bands[1].lo_hz, 7, 1e-14);
	assert_close(bands[1].hi_hz, 9, 1e-14);
	clpac_bands_free(bands);
}

TEST(blanks_between_bands_are_fine)
{
	size_t n;
	clpac_band *bands = read_bands(" 4-8, 8-13 ,13-30 ", CLPAC_PHASE, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert(bands[2].lo_hz == 13 && bands[2].hi_hz == 30);
	clpac_bands_free(bands);
}

TEST(text_that_is_no_bands_is_refused)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"", "no phase bands are given: write a range as 2:20:10 or edges as 4-8,8-13"},
		{"  ", "no phase bands are given"},
		{"8", "band 0, \"8\", is not understood"},
		{"4-8,", "band 1, \"\", is not understood"},
		{"4-8,x-13", "band 1, \"x-13\", is not understood"},
		{"4-8;8-13", "band 0, \"4-8;8-13\", is not understood"},
		{"8-4", "band 0 is 8-4 Hz: a band needs 0 < lower edge < upper edge"},
		{"4-8,8-8", "band 1 is 8-8 Hz"},
		{"0-4", "band 0 is 0-4 Hz"},
		{"-4-8", "band 0 is -4-8 Hz"},
		{"nan-8", "band 0, \"nan-8\", is not understood"},
		{"2:20", "a range is FIRST:LAST:COUNT"},
		{"2:20:", "a range is FIRST:LAST:COUNT"},
		{"2:20:0", "the number of bands is 0, it must be a whole number from 1 to 65536"},
		{"2:20:-3", "the number of bands is -3"},
		{"2:20:2.5", "the number of bands is 2.5"},
		{"2:20:1e9", "the number of bands is 1e+09"},
		{"20:2:10", "the first centre, 20 Hz, must be below the last, 2 Hz"},
		{"5:5:3", "the first centre, 5 Hz, must be below the last, 5 Hz"},
		{"0:20:10", "the first centre is 0 Hz, it must be above 0"},
		{"-2:20:10", "the first centre is -2 Hz"},
		{"2:20:10:lin", "\":lin\" after the range is not understood"},
		{"2:20:10/0", "the width after / must be a number of Hz above 0"},
		{"2:20:10/x", "the width after / must be a number"},
		{"2:3:2/7", "bands \"2:3:2/7\": none lies above 0 Hz, the first is -1.5-5.5 Hz; give higher centres"},
		{"2:20:10 4-8", "after the range is not understood"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_band *bands = NULL;
		size_t n = 77;
		clpac_error err;
		clpac_status st = clpac_bands_read(cases[i].text, CLPAC_PHASE, NULL, &bands, &n, NULL, &err);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, cases[i].part);
		ck_assert(!bands && n == 77);
	}
}

TEST(missing_text_and_unknown_use_are_refused)
{
	clpac_band *bands;
	size_t n;
	clpac_error err;
	clpac_status st = clpac_bands_read("", CLPAC_AMPLITUDE, NULL, &bands, &n, NULL, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "no amplitude bands are given: write a range as 60:160:10");
	st = clpac_bands_read("4-8", (clpac_band_use)2, NULL, &bands, &n, NULL, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "use is 2");
}

TEST(a_band_above_nyquist_is_refused)
{
	clpac_error err;
	clpac_status st = clpac__band_check((clpac_band){200, 300}, CLPAC_AMPLITUDE, 3, 512, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT,
		       "amplitude band 3 is 200-300 Hz: its upper edge must be below 256 Hz, "
		       "half the sampling rate of 512 Hz");
	st = clpac__band_check((clpac_band){200, 256}, CLPAC_AMPLITUDE, 3, 512, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "must be below 256 Hz");
	assert_works(clpac__band_check((clpac_band){200, 255.9}, CLPAC_AMPLITUDE, 3, 512, &err), err);
}

TEST(a_band_upside_down_at_zero_or_nowhere_is_refused)
{
	static const struct {
		clpac_band band;
		const char *part;
	} cases[] = {
		{{8, 4}, "phase band 1 is 8-4 Hz: its lower edge must be below its upper edge"},
		{{8, 8}, "below its upper edge"},
		{{0, 4}, "its lower edge must be above 0 Hz"},
		{{-1, 4}, "its lower edge must be above 0 Hz"},
		{{NAN, 4}, "both edges must be numbers"},
		{{4, NAN}, "both edges must be numbers"},
		{{4, INFINITY}, "both edges must be numbers"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_error err;
		clpac_status st = clpac__band_check(cases[i].band, CLPAC_PHASE, 1, 512, &err);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, cases[i].part);
	}
}

TEST(written_bands_read_back_as_they_were)
{
	unsigned long long state = 5;
	for (int trial = 0; trial < 200; trial++) {
		clpac_band bands[40];
		size_t n = 1 + random_below(&state, COUNT(bands)), n_back;
		for (size_t i = 0; i < n; i++) {
			bands[i].lo_hz = ldexp(1 + random_unit(&state), (int)random_below(&state, 30) - 20);
			bands[i].hi_hz = bands[i].lo_hz * (1.001 + random_unit(&state));
		}
		clpac__text text = {0};
		clpac__bands_add_text(&text, bands, n);
		char *words = clpac__text_take(&text);
		clpac_band *back = read_bands(words, CLPAC_PHASE, &n_back);
		ck_assert_uint_eq(n_back, n);
		ck_assert_mem_eq(back, bands, n * sizeof *bands);
		clpac_bands_free(back);
		clpac__free(words);
	}
}

TEST(amplitude_bands_are_as_wide_as_the_phase_bands_need)
{
	/* Centres 6, 21.5 and 10.5 Hz. */
	const clpac_band phase[] = {{4, 8}, {13, 30}, {8, 13}};
	const clpac_bands_rule rule = {.size = sizeof rule, .phase_bands = phase, .n_phase_bands = COUNT(phase)};
	static const char *const ranges[] = {"60:160:5", "60:160:5:log"};
	clpac_band *bands;
	size_t n;
	clpac_error err;
	for (size_t i = 0; i < COUNT(ranges); i++) {
		assert_works(clpac_bands_read(ranges[i], CLPAC_AMPLITUDE, &rule, &bands, &n, NULL, &err), err);
		ck_assert_uint_eq(n, 5);
		ck_assert(bands[0].lo_hz == 60 - 21.5 && bands[0].hi_hz == 60 + 21.5);
		ck_assert(bands[4].lo_hz == 160 - 21.5 && bands[4].hi_hz == 160 + 21.5);
		clpac_bands_free(bands);
	}
	/* A width of its own and edges stay as they are; phase bands follow their centre. */
	assert_works(clpac_bands_read("60:160:5/10", CLPAC_AMPLITUDE, &rule, &bands, &n, NULL, &err), err);
	ck_assert(n == 5 && bands[0].lo_hz == 55 && bands[0].hi_hz == 65);
	clpac_bands_free(bands);
	assert_works(clpac_bands_read("60-70", CLPAC_AMPLITUDE, &rule, &bands, &n, NULL, &err), err);
	ck_assert(n == 1 && bands[0].lo_hz == 60 && bands[0].hi_hz == 70);
	clpac_bands_free(bands);
	assert_works(clpac_bands_read("8:8:1", CLPAC_PHASE, &rule, &bands, &n, NULL, &err), err);
	ck_assert(n == 1 && bands[0].lo_hz == 6 && bands[0].hi_hz == 10);
	clpac_bands_free(bands);
}

TEST(bands_of_a_range_that_do_not_fit_are_left_out_and_named)
{
	static const struct {
		const char *text;
		clpac_band_use use;
		double rate_hz;
		size_t n;
		double first_hz, last_hz; /* lower edges */
		const char *left_out;
	} cases[] = {
		{NULL, CLPAC_PHASE, 512, 10, 1.5, 15, NULL},
		{NULL, CLPAC_AMPLITUDE, 0, 10, 40, 140, NULL},
		{NULL, CLPAC_AMPLITUDE, 512, 10, 40, 140, NULL},
		{NULL, CLPAC_AMPLITUDE, 360.1, 10, 40, 140, NULL},
		{NULL, CLPAC_AMPLITUDE, 360, 9, 40, 60 + 800. / 9 - 20,
		 "1 of 10 amplitude bands is left out: 140-180 Hz reaches 180 Hz, half the sampling rate"},
		{NULL, CLPAC_AMPLITUDE, 250, 5, 40, 60 + 400. / 9 - 20,
		 "5 of 10 amplitude bands are left out: 95.5556-135.556 to 140-180 Hz reach 125 Hz, "
		 "half the sampling rate"},
		{NULL, CLPAC_PHASE, 30, 5, 1.5, 7.5,
		 "5 of 10 phase bands are left out: 9-15 to 15-25 Hz reach 15 Hz, half the sampling rate"},
		{"2:20:10/4", CLPAC_PHASE, 0, 9, 2, 18, "1 of 10 phase bands is left out: 0-4 Hz reaches 0 Hz"},
		{"10:50:5", CLPAC_AMPLITUDE, 120, 1, 10, 10,
		 "4 of 5 amplitude bands are left out: -10-30 to 0-40 Hz reach 0 Hz, 20-60 to 30-70 Hz reach 60 Hz, "
		 "half the sampling rate"},
		{"10-50,20-60", CLPAC_AMPLITUDE, 60, 2, 10, 20, NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const clpac_bands_rule rule = {.rate_hz = cases[i].rate_hz};
		clpac_band *bands;
		size_t n;
		char *left_out = (char *)cases;
		clpac_error err;
		assert_works(clpac_bands_read(cases[i].text, cases[i].use, &rule, &bands, &n, &left_out, &err), err);
		ck_assert_uint_eq(n, cases[i].n);
		/* The last centre is reached by one product and one sum. */
		assert_close(bands[0].lo_hz, cases[i].first_hz, 0);
		assert_close(bands[n - 1].lo_hz, cases[i].last_hz, 4 * 0x1p-52 * 160);
		if (cases[i].left_out)
			ck_assert_str_eq(left_out, cases[i].left_out);
		else
			ck_assert_ptr_null(left_out);
		clpac_bands_free(bands);
		clpac_text_free(left_out);
	}
}

/* The word after a name: reads "NAME WORD ..." from an error. */
static bool find_suggestion(const char *text, const char *name, char word[64])
{
	const char *at = strstr(text, name);
	return at && sscanf(at + strlen(name), " %63s", word) == 1;
}

TEST(where_no_band_fits_the_error_names_ranges_that_do)
{
	static const double rates[] = {0.5, 3, 10, 20, 41, 64, 99, 100, 120, 128, 160, 180, 200, 512, 30000.5, 1e6};
	static const struct {
		const char *text;
		clpac_band_use use;
	} cases[] = {{NULL, CLPAC_AMPLITUDE},
		     {"1e6:2e6:3", CLPAC_AMPLITUDE},
		     {"1e6:2e6:3/5", CLPAC_AMPLITUDE},
		     {"1e6:2e6:3/tied", CLPAC_AMPLITUDE},
		     {"1e7:2e7:3", CLPAC_PHASE}};
	const clpac_band fast[] = {{30, 50}}, slow[] = {{0.05, 0.15}};
	const clpac_band *const phases[] = {NULL, fast, slow};
	size_t n_refused = 0;
	for (size_t r = 0; r < COUNT(rates); r++)
		for (size_t i = 0; i < COUNT(cases); i++)
			for (size_t k = 0; k < COUNT(phases); k++) {
				bool is_tied;
				clpac_bands_rule rule = {.rate_hz = rates[r],
							 .phase_bands = phases[k],
							 .n_phase_bands = phases[k] != NULL,
							 .prefix = "--",
							 .is_tied = &is_tied};
				clpac_band *phase = NULL, *bands = NULL;
				size_t n;
				char *left_out = NULL, word[64];
				clpac_error err;
				if (phases[k] && phases[k]->hi_hz >= rates[r] / 2)
					continue;
				if (clpac_bands_read(cases[i].text, cases[i].use, &rule, &bands, &n, NULL, &err) ==
				    CLPAC_OK) {
					clpac_bands_free(bands);
					continue;
				}
				n_refused++;
				ck_assert_ptr_nonnull(strstr(err.text, "half the sampling rate of"));
				if (find_suggestion(err.text, "--phase", word)) {
					clpac_error why;
					assert_works(
						clpac_bands_read(word, CLPAC_PHASE, &rule, &phase, &n, &left_out, &why),
						why);
					ck_assert_msg(!left_out, "%g Hz: %s: %s", rates[r], word, left_out);
					rule.phase_bands = phase;
					rule.n_phase_bands = n;
				} else {
					ck_assert_int_eq(cases[i].use, CLPAC_AMPLITUDE);
				}
				ck_assert(find_suggestion(err.text, "--amplitude", word));
				clpac_status st =
					clpac_bands_read(word, CLPAC_AMPLITUDE, &rule, &bands, &n, &left_out, &err);
				assert_works(st, err);
				ck_assert_msg(!left_out, "%g Hz: %s: %s", rates[r], word, left_out);
				ck_assert_uint_gt(n, 1);
				clpac_bands_free(bands);
				clpac_bands_free(phase);
			}
	ck_assert_uint_gt(n_refused, 60);
}

TEST(tied_bands_are_as_wide_as_the_lowest_phase_needs)
{
	/* Centres 6, 21.5 and 10.5 Hz. */
	const clpac_band phase[] = {{4, 8}, {13, 30}, {8, 13}};
	static const struct {
		const char *text;
		bool has_phases;
		double rate_hz;
		size_t n;
		double first_hz, last_hz, half_hz; /* centres, half width */
		const char *left_out;
	} cases[] = {
		{"60:160:5/tied", true, 0, 5, 60, 160, 6, NULL},
		{"60:160:5:log/tied", true, 500, 5, 60, 160, 6, NULL},
		{" 60:160:5/tied ", false, 500, 5, 60, 160, 2, NULL},
		{"60:160:6/tied", true, 250, 3, 60, 100, 6,
		 "3 of 6 amplitude bands are left out: 114-126 to 154-166 Hz reach 125 Hz, half the sampling rate"},
		{"60:110:6/tied", true, 250, 6, 60, 110, 6,
		 "1 of 18 cells has no value: its amplitude band does not lie above 0 Hz and below 125 Hz, half the "
		 "sampling rate (88.5-131.5 Hz for phase 13-30 Hz)"},
		{"5:20:4/tied", true, 0, 3, 10, 20, 6,
		 "1 of 4 amplitude bands is left out: -1-11 Hz reaches 0 Hz; 4 of 9 cells have no value: their "
		 "amplitude "
		 "bands do not lie above 0 Hz (first: -11.5-31.5 Hz for phase 13-30 Hz)"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool is_tied = false;
		const clpac_bands_rule rule = {.rate_hz = cases[i].rate_hz,
					       .phase_bands = cases[i].has_phases ? phase : NULL,
					       .n_phase_bands = cases[i].has_phases ? COUNT(phase) : 0,
					       .is_tied = &is_tied};
		clpac_band *bands;
		size_t n;
		char *left_out = (char *)cases;
		clpac_error err;
		assert_works(clpac_bands_read(cases[i].text, CLPAC_AMPLITUDE, &rule, &bands, &n, &left_out, &err), err);
		ck_assert(is_tied);
		ck_assert_uint_eq(n, cases[i].n);
		ck_assert(bands[0].lo_hz == cases[i].first_hz - cases[i].half_hz);
		ck_assert(bands[0].hi_hz == cases[i].first_hz + cases[i].half_hz);
		assert_close(bands[n - 1].hi_hz, cases[i].last_hz + cases[i].half_hz, 4 * 0x1p-52 * 160);
		if (cases[i].left_out)
			ck_assert_str_eq(left_out, cases[i].left_out);
		else
			ck_assert_ptr_null(left_out);
		clpac_bands_free(bands);
		clpac_text_free(left_out);
	}
	/* Whatever else is read is not tied. */
	static const char *const others[] = {"60:160:5", "60:160:5/10", "60-70", NULL};
	for (size_t i = 0; i < COUNT(others); i++) {
		bool is_tied = true;
		const clpac_bands_rule rule = {.is_tied = &is_tied};
		clpac_band *bands;
		size_t n;
		clpac_error err;
		assert_works(clpac_bands_read(others[i], CLPAC_AMPLITUDE, &rule, &bands, &n, NULL, &err), err);
		ck_assert(!is_tied);
		clpac_bands_free(bands);
	}
}

TEST(ties_that_cannot_be_are_refused)
{
	static const struct {
		const char *text;
		clpac_band_use use;
		const char *part;
	} cases[] = {
		{"2:20:10/tied", CLPAC_PHASE, "only widths of amplitude bands can be tied"},
		{"60:160:10/tie", CLPAC_AMPLITUDE, "a number of Hz above 0, or the word tied"},
		{"60:160:10/tied/4", CLPAC_AMPLITUDE, "\"/4\" after the range is not understood"},
		{"60:160:10/tied:log", CLPAC_AMPLITUDE, "\":log\" after the range is not understood"},
		{"60:160:10/4/tied", CLPAC_AMPLITUDE, "\"/tied\" after the range is not understood"},
		{"60-80/tied", CLPAC_AMPLITUDE, "band 0, \"60-80/tied\", is not understood"},
		{"1:3:2/tied", CLPAC_AMPLITUDE, "none lies above 0 Hz"},
	};
	const clpac_band phase[] = {{4, 8}};
	bool is_tied = true;
	clpac_bands_rule rule = {.phase_bands = phase, .n_phase_bands = 1, .is_tied = &is_tied};
	clpac_band *bands = NULL;
	size_t n;
	clpac_error err;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(clpac_bands_read(cases[i].text, cases[i].use, &rule, &bands, &n, NULL, &err), err,
			       CLPAC_ERROR_ARGUMENT, cases[i].part);
	rule.is_tied = NULL;
	assert_refused(clpac_bands_read("60:160:10/tied", CLPAC_AMPLITUDE, &rule, &bands, &n, NULL, &err), err,
		       CLPAC_ERROR_ARGUMENT, "widths tied to the phase bands are not taken here");
	ck_assert_ptr_null(bands);
}

TEST(a_rule_that_is_none_is_refused)
{
	const clpac_band wrong[] = {{4, 8}, {13, 8}};
	clpac_bands_rule rule = {.rate_hz = NAN};
	clpac_band *bands = NULL;
	size_t n;
	clpac_error err;
	clpac_status st = clpac_bands_read(NULL, CLPAC_PHASE, &rule, &bands, &n, NULL, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "rate_hz is nan");
	rule.rate_hz = -1;
	st = clpac_bands_read(NULL, CLPAC_PHASE, &rule, &bands, &n, NULL, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "rate_hz is -1");
	rule = (clpac_bands_rule){.phase_bands = wrong, .n_phase_bands = 2};
	st = clpac_bands_read(NULL, CLPAC_AMPLITUDE, &rule, &bands, &n, NULL, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "phase band 1 is 13-8 Hz: its lower edge must be below");
	ck_assert_ptr_null(bands);
}

TEST(failing_allocations_are_reported)
{
	const clpac_bands_rule rule = {.rate_hz = 250};
	clpac_band *bands;
	size_t n;
	char *left_out;
	clpac_error err;
	bool is_tied;
	const clpac_bands_rule tied = {.rate_hz = 250, .is_tied = &is_tied};
	assert_survives_failing_allocations(
		clpac_bands_read("60:160:10/tied", CLPAC_AMPLITUDE, &tied, &bands, &n, &left_out, &err),
		(clpac_bands_free(bands), clpac_text_free(left_out)));
	assert_survives_failing_allocations(
		clpac_bands_read("60:110:10/tied", CLPAC_AMPLITUDE, &tied, &bands, &n, &left_out, &err),
		(clpac_bands_free(bands), clpac_text_free(left_out)));
	assert_survives_failing_allocations(clpac_bands_read("2:20:10", CLPAC_PHASE, NULL, &bands, &n, NULL, &err),
					    clpac_bands_free(bands));
	assert_survives_failing_allocations(clpac_bands_read("2-4,5-6", CLPAC_PHASE, NULL, &bands, &n, NULL, &err),
					    clpac_bands_free(bands));
	assert_survives_failing_allocations(clpac_bands_read(NULL, CLPAC_AMPLITUDE, &rule, &bands, &n, &left_out, &err),
					    (clpac_bands_free(bands), clpac_text_free(left_out)));
}

const char *skip_reason(void)
{
	return vectors_missing();
}

/* Ascending lists are counted by halving, others cell by cell: both find the same number. */
TEST(empty_cells_are_counted_alike_in_any_order)
{
	enum { N = 12 };
	unsigned long long state = 3;
	unsigned n_with_empty = 0;
	for (int times = 0; times < 300; times++) {
		clpac_band phase[N], up[N], down[N];
		clpac__text ascending = {0}, descending = {0};
		for (size_t i = 0; i < N; i++) {
			const double half_hz = 60 * random_unit(&state), centre_hz = 4 + (double)i * 20;
			phase[i] = (clpac_band){0.5 * half_hz, 1.5 * half_hz};
			up[i] = down[N - 1 - i] = (clpac_band){centre_hz - 2, centre_hz + 2};
		}
		const double rate_hz = times % 3 ? 300 * random_unit(&state) + 10 : INFINITY;
		const size_t n_phase = 1 + random_below(&state, N), n = 2 + random_below(&state, N - 1);
		clpac__bands_add_empty_cells(&ascending, phase, n_phase, up, n, rate_hz);
		clpac__bands_add_empty_cells(&descending, phase, n_phase, down + N - n, n, rate_hz);
		char *a = clpac__text_take(&ascending), *d = clpac__text_take(&descending);
		size_t n_empty = 0, first = SIZE_MAX;
		for (size_t i = 0; i < n_phase * n; i++)
			if (!clpac__band_fits(clpac__band_tied(phase[i / n], up[i % n]), rate_hz) && !n_empty++)
				first = i;
		char expected[200] = "", band[100] = "";
		if (n_empty) {
			const clpac_band b = clpac__band_tied(phase[first / n], up[first % n]);
			snprintf(expected, sizeof expected, "%zu of %zu cells ", n_empty, n_phase * n);
			snprintf(band, sizeof band, "%g-%g Hz for phase %g-%g Hz)", b.lo_hz, b.hi_hz,
				 phase[first / n].lo_hz, phase[first / n].hi_hz);
		}
		ck_assert_msg(!strncmp(a ? a : "", expected, strlen(expected)), "%s is not %s", a, expected);
		ck_assert_msg(!strncmp(d ? d : "", expected, strlen(expected)), "%s is not %s", d, expected);
		ck_assert_msg(n_empty == 0 || strstr(a, band), "%s does not name %s", a, band);
		n_with_empty += n_empty > 0;
		free(a);
		free(d);
	}
	ck_assert_uint_gt(n_with_empty, 200);
}

TEST(a_cell_is_valid_where_its_band_passes_both_side_bands_and_no_phase)
{
	static const struct {
		clpac_band phase, amplitude;
		bool is_valid;
	} cells[] = {
		{{15, 25}, {40, 80}, true},	      /* the default bands: 20 Hz at either side */
		{{15, 25}, {40, 79.99}, false},	      /* too narrow */
		{{15, 25}, {95.5556, 135.556}, true}, /* as six digits print it */
		{{15, 25}, {24, 64}, false},	      /* shares 24 to 25 Hz */
		{{15, 25}, {25, 65}, true},	      /* begins where the phase band ends */
		{{15, 25}, {10, 60}, false},	      /* holds the phase band */
		{{20, 30}, {2, 19}, false},	      /* below the phase band, too narrow */
		{{1, 3}, {4, 8}, true},
		{{1, 3}, {4, 7}, false},
		{{1, 3}, {8, 4}, false},
		{{NAN, 3}, {4, 8}, false},
		{{1, 3}, {NAN, 8}, false},
	};
	for (size_t i = 0; i < COUNT(cells); i++)
		ck_assert_msg(clpac_cell_is_valid(cells[i].phase, cells[i].amplitude) == cells[i].is_valid, "%zu", i);
}
