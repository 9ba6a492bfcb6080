/* Results stacked along their segments: stacking one result copies it, a result that is cut up and stacked is itself
 * again, and parts that do not fit together are refused. */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"

#include <stdio.h>

/* The number of values in one row (channel, segment) of an array. */
static size_t row_values(const clpac_result *result, clpac_array which)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n;
	clpac_result_array(result, which, &n);
	return n / (shape->n_channels * shape->n_segments);
}

/* Segment `from` of one result equals segment `to` of another, bit by bit. */
static void assert_same_segment(const clpac_result *a, size_t from, const clpac_result *b, size_t to)
{
	const size_t n_a = clpac_result_get_shape(a)->n_segments, n_b = clpac_result_get_shape(b)->n_segments;
	const size_t n_phase = clpac_result_get_shape(a)->n_phase_bands;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		const float *x = clpac_result_array(a, (clpac_array)which, NULL);
		const float *y = clpac_result_array(b, (clpac_array)which, NULL);
		ck_assert_int_eq(!x, !y);
		const size_t row = row_values(a, (clpac_array)which);
		for (size_t c = 0; x && c < MADE_CHANNELS; c++)
			ck_assert_msg(memcmp(x + (c * n_a + from) * row, y + (c * n_b + to) * row, row * sizeof *x) ==
					      0,
				      "%s of channel %zu: segment %zu is not segment %zu",
				      clpac_array_name((clpac_array)which), c, from, to);
	}
	for (size_t c = 0; c < MADE_CHANNELS; c++)
		ck_assert_mem_eq(clpac_result_empty_bins(a) + (c * n_a + from) * n_phase,
				 clpac_result_empty_bins(b) + (c * n_b + to) * n_phase, n_phase * sizeof(uint32_t));
	ck_assert(clpac_result_segment_onsets(a)[from] == clpac_result_segment_onsets(b)[to]);
	for (size_t c = 0; c < MADE_CHANNELS; c++) {
		ck_assert(clpac_result_used_seconds(a)[c * n_a + from] == clpac_result_used_seconds(b)[c * n_b + to]);
		ck_assert_uint_eq(clpac_result_n_stretches(a)[c * n_a + from],
				  clpac_result_n_stretches(b)[c * n_b + to]);
	}
}

/* Compares everything that does not belong to a segment, except the report. */
static void assert_same_frame(const clpac_result *a, const clpac_result *b)
{
	size_t n_a, n_b;
	for (size_t c = 0; c < MADE_CHANNELS; c++)
		ck_assert_str_eq(clpac_result_channel_name(a, c), clpac_result_channel_name(b, c));
	ck_assert_mem_eq(clpac_result_phase_bands(a), clpac_result_phase_bands(b),
			 MADE_PHASE_BANDS * sizeof(clpac_band));
	ck_assert_mem_eq(clpac_result_amplitude_bands(a), clpac_result_amplitude_bands(b),
			 MADE_AMPLITUDE_BANDS * sizeof(clpac_band));
	ck_assert_str_eq(clpac_result_problem(a), clpac_result_problem(b));
	const clpac_band_report *x = clpac_result_band_reports(a, &n_a), *y = clpac_result_band_reports(b, &n_b);
	ck_assert_uint_eq(n_a, n_b);
	for (size_t i = 0; i < n_a; i++) {
		ck_assert_uint_eq(x[i].n_taps, y[i].n_taps);
		ck_assert_ptr_ne(x[i].taps, y[i].taps);
		ck_assert_mem_eq(x[i].taps, y[i].taps, x[i].n_taps * sizeof(double));
		ck_assert_uint_eq(x[i].edge_samples, y[i].edge_samples);
	}
}

static void assert_same(const clpac_result *a, const clpac_result *b)
{
	ck_assert_mem_eq(clpac_result_get_shape(a), clpac_result_get_shape(b), sizeof(clpac_result_shape));
	for (size_t s = 0; s < clpac_result_get_shape(a)->n_segments; s++)
		assert_same_segment(a, s, b, s);
	assert_same_frame(a, b);
}

/* A result with a value in every place, including the report. */
static clpac_result *make_whole(void)
{
	clpac_error err;
	clpac_result *made = make_result(MADE_ALL);
	const double taps[] = {0.25, 0.5, 0.25, 1};
	const clpac_band_report reports[] = {
		{.use = CLPAC_PHASE, .band = {2.1, 4.3}, .n_taps = 3, .taps = taps, .edge_samples = 1},
		{.use = CLPAC_AMPLITUDE, .band = {60, 80.7}, .n_taps = 1, .taps = taps + 3},
	};
	assert_works(clpac_result_set_band_reports(made, reports, COUNT(reports), &err), err);
	*clpac_result_report(made) = (clpac_report){
		.device = "a device",
		.backend = "native",
		.strategy = "chunked",
		.seconds = 1.5,
		.n_series = 6,
		.n_stages = 1,
		.stages = {{"filter", 0.5}},
		.warnings[CLPAC_WARN_CONSTANT] = {2, "a constant"},
		.n_devices = 1,
		.devices = {{.selection = "native", .n_series = 6, .n_batches = 2, .seconds = 1, .peak_bytes = 70}},
		.peak_bytes = 70,
	};
	return made;
}

/* Some segments of a result as a result of their own: the reverse of stacking, using only the dimensions. */
static clpac_result *take_segments(const clpac_result *whole, const size_t *segments, size_t n)
{
	clpac_error err;
	clpac_result *part = NULL;
	clpac_result_shape shape = *clpac_result_get_shape(whole);
	const size_t n_whole = shape.n_segments;
	shape.n_segments = n;
	assert_works(clpac_result_create(&shape, MADE_ALL, &part, &err), err);
	for (size_t c = 0; c < shape.n_channels; c++)
		for (size_t s = 0; s < n; s++) {
			for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
				const size_t row = row_values(whole, (clpac_array)which);
				const float *from = clpac_result_array(whole, (clpac_array)which, NULL);
				memcpy(clpac_result_array(part, (clpac_array)which, NULL) + (c * n + s) * row,
				       from + (c * n_whole + segments[s]) * row, row * sizeof *from);
			}
			for (size_t p = 0; p < shape.n_phase_bands; p++)
				clpac_result_empty_bins(part)[(c * n + s) * shape.n_phase_bands + p] =
					clpac_result_empty_bins(
						whole)[(c * n_whole + segments[s]) * shape.n_phase_bands + p];
			const size_t from = c * n_whole + segments[s];
			clpac_result_used_seconds(part)[c * n + s] = clpac_result_used_seconds(whole)[from];
			clpac_result_n_stretches(part)[c * n + s] = clpac_result_n_stretches(whole)[from];
			clpac_result_segment_onsets(part)[s] = clpac_result_segment_onsets(whole)[segments[s]];
		}
	memcpy(clpac_result_phase_bands(part), clpac_result_phase_bands(whole), MADE_PHASE_BANDS * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(part), clpac_result_amplitude_bands(whole),
	       MADE_AMPLITUDE_BANDS * sizeof(clpac_band));
	for (size_t c = 0; c < shape.n_channels; c++)
		assert_works(clpac_result_set_channel_name(part, c, clpac_result_channel_name(whole, c), &err), err);
	assert_works(clpac_result_set_problem(part, clpac_result_problem(whole), &err), err);
	size_t n_reports;
	const clpac_band_report *reports = clpac_result_band_reports(whole, &n_reports);
	assert_works(clpac_result_set_band_reports(part, reports, n_reports, &err), err);
	return part;
}

TEST(one_part_alone_gives_a_copy)
{
	clpac_error err;
	clpac_result *part = make_whole(), *copy = NULL;
	const size_t in_order[] = {0, 1, 2};
	for (int k = 0; k < 2; k++) {
		assert_works(clpac_result_stack(&part, 1, k ? in_order : NULL, &copy, &err), err);
		assert_same(part, copy);
		ck_assert_mem_eq(clpac_result_report(part), clpac_result_report(copy), sizeof(clpac_report));
		ck_assert_ptr_ne(clpac_result_array(part, CLPAC_MI, NULL), clpac_result_array(copy, CLPAC_MI, NULL));
		clpac_result_destroy(copy);
	}
	clpac_result_destroy(part);
}

/* Every way to deal the segments out to two parts, in every order: 8 subsets less the two with an empty part. */
TEST(a_result_that_is_cut_up_and_stacked_is_itself_again)
{
	clpac_error err;
	clpac_result *whole = make_whole();
	for (unsigned in_first = 1; in_first < 7; in_first++)
		for (int backwards = 0; backwards < 2; backwards++) {
			size_t places[MADE_SEGMENTS], n = 0, n_first;
			for (size_t s = 0; s < MADE_SEGMENTS; s++)
				if (in_first >> s & 1)
					places[n++] = s;
			n_first = n;
			for (size_t s = 0; s < MADE_SEGMENTS; s++)
				if (!(in_first >> s & 1))
					places[n++] = s;
			if (backwards && n_first == 2) {
				size_t other = places[0];
				places[0] = places[1];
				places[1] = other;
			}
			clpac_result *parts[] = {take_segments(whole, places, n_first),
						 take_segments(whole, places + n_first, n - n_first)};
			clpac_result *stacked = NULL;
			assert_works(clpac_result_stack(parts, 2, places, &stacked, &err), err);
			assert_same(whole, stacked);
			clpac_result_destroy(stacked);
			clpac_result_destroy(parts[0]);
			clpac_result_destroy(parts[1]);
		}
	clpac_result_destroy(whole);
}

TEST(without_places_the_parts_follow_one_another)
{
	clpac_error err;
	clpac_result *whole = make_whole(), *stacked = NULL;
	clpac_result *two = take_segments(whole, (size_t[]){2, 0}, 2), *one = take_segments(whole, (size_t[]){1}, 1);
	clpac_result *parts[] = {two, one, two};
	assert_works(clpac_result_stack(parts, 3, NULL, &stacked, &err), err);
	ck_assert_uint_eq(clpac_result_get_shape(stacked)->n_segments, 5);
	static const size_t expected[] = {2, 0, 1, 2, 0};
	for (size_t s = 0; s < 5; s++)
		assert_same_segment(whole, expected[s], stacked, s);
	clpac_result_destroy(stacked);
	clpac_result_destroy(one);
	clpac_result_destroy(two);
	clpac_result_destroy(whole);
}

TEST(stacking_in_two_steps_gives_the_same)
{
	clpac_error err;
	clpac_result *a = make_whole(), *pair = NULL, *stepwise = NULL, *at_once = NULL;
	assert_works(clpac_result_stack((clpac_result *[]){a, a}, 2, NULL, &pair, &err), err);
	assert_works(clpac_result_stack((clpac_result *[]){pair, a}, 2, NULL, &stepwise, &err), err);
	assert_works(clpac_result_stack((clpac_result *[]){a, a, a}, 3, NULL, &at_once, &err), err);
	assert_same(stepwise, at_once);
	ck_assert_mem_eq(clpac_result_report(stepwise), clpac_result_report(at_once), sizeof(clpac_report));
	clpac_result_destroy(at_once);
	clpac_result_destroy(stepwise);
	clpac_result_destroy(pair);
	clpac_result_destroy(a);
}

TEST(reports_add_up_as_of_runs_one_after_the_other)
{
	clpac_error err;
	clpac_result *a = make_whole(), *b = make_whole(), *stacked = NULL;
	clpac_report *more = clpac_result_report(b);
	more->seconds = 0.25;
	more->n_series = 3;
	more->peak_bytes = 90;
	more->stages[0].seconds = 0.125;
	more->n_steps = 1;
	strcpy(more->steps[0].reason, "too small");
	more->warnings[CLPAC_WARN_NOT_FINITE] = (clpac_warning){1, "not finite"};
	more->n_devices = 2;
	more->devices[1] =
		(clpac_device_report){.selection = "0:0", .n_series = 1, .has_failed = true, .failure = "why"};
	assert_works(clpac_result_stack((clpac_result *[]){a, b}, 2, NULL, &stacked, &err), err);
	const clpac_report *sum = clpac_result_report(stacked);
	ck_assert_str_eq(sum->device, "a device");
	ck_assert(sum->seconds == 1.75 && sum->stages[0].seconds == 0.625);
	ck_assert_uint_eq(sum->n_series, 9);
	ck_assert_uint_eq(sum->peak_bytes, 90);
	ck_assert_uint_eq(sum->n_steps, 1);
	ck_assert_str_eq(sum->steps[0].reason, "too small");
	ck_assert_uint_eq(sum->warnings[CLPAC_WARN_CONSTANT].count, 4);
	ck_assert_str_eq(sum->warnings[CLPAC_WARN_CONSTANT].text, "a constant");
	ck_assert_uint_eq(sum->warnings[CLPAC_WARN_NOT_FINITE].count, 1);
	ck_assert_str_eq(sum->warnings[CLPAC_WARN_NOT_FINITE].text, "not finite");
	ck_assert_uint_eq(sum->n_devices, 2);
	ck_assert_uint_eq(sum->devices[0].n_series, 12);
	ck_assert_uint_eq(sum->devices[0].n_batches, 4);
	ck_assert(sum->devices[0].seconds == 2 && sum->devices[0].peak_bytes == 70 && !sum->devices[0].has_failed);
	ck_assert_str_eq(sum->devices[1].selection, "0:0");
	ck_assert(sum->devices[1].has_failed);
	clpac_result_destroy(stacked);
	clpac_result_destroy(b);
	clpac_result_destroy(a);
}

/* A report holds a limited number of devices: further ones are left out, and those present still accumulate. */
TEST(more_devices_than_a_report_holds_are_left_out)
{
	clpac_error err;
	clpac_result *a = make_whole(), *b = make_whole(), *stacked = NULL;
	clpac_report *full = clpac_result_report(a), *more = clpac_result_report(b);
	full->n_devices = CLPAC_MAX_DEVICES;
	for (int i = 0; i < CLPAC_MAX_DEVICES; i++) {
		full->devices[i].n_series = 1;
		snprintf(full->devices[i].selection, sizeof full->devices[i].selection, "0:%d", i);
	}
	more->n_devices = 2;
	strcpy(more->devices[0].selection, "1:0");
	more->devices[1] = full->devices[CLPAC_MAX_DEVICES - 1];
	assert_works(clpac_result_stack((clpac_result *[]){a, b}, 2, NULL, &stacked, &err), err);
	const clpac_report *sum = clpac_result_report(stacked);
	ck_assert_uint_eq(sum->n_devices, CLPAC_MAX_DEVICES);
	ck_assert_str_eq(sum->devices[0].selection, "0:0");
	ck_assert_uint_eq(sum->devices[0].n_series, 1);
	ck_assert_uint_eq(sum->devices[CLPAC_MAX_DEVICES - 1].n_series, 2);
	clpac_result_destroy(stacked);
	clpac_result_destroy(b);
	clpac_result_destroy(a);
}

static void assert_no_stack(clpac_result *other, const char *part)
{
	clpac_error err;
	clpac_result *whole = make_whole(), *out = whole;
	assert_refused(clpac_result_stack((clpac_result *[]){whole, other}, 2, NULL, &out, &err), err,
		       CLPAC_ERROR_ARGUMENT, part);
	ck_assert_ptr_eq(out, whole);
	clpac_result_destroy(whole);
}

TEST(further_measures_are_stacked_beside_the_first)
{
	clpac_error err;
	clpac_result *parts[2], *stacked = NULL, *of_part;
	for (size_t i = 0; i < COUNT(parts); i++) {
		parts[i] = make_result(MADE_MAPS);
		assert_works(clpac_result_add_measure(parts[i], CLPAC_MEASURE_GLM, 1u << CLPAC_MI, &of_part, &err),
			     err);
		size_t n;
		float *values = clpac_result_array(of_part, CLPAC_MI, &n);
		for (size_t k = 0; k < n; k++)
			values[k] = (float)(1000 * i + k);
	}
	const size_t places[] = {0, 1, 2, 3, 4, 5}, cells = MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS;
	assert_works(clpac_result_stack(parts, 2, places, &stacked, &err), err);
	const float *values = clpac_result_array(clpac_result_of(stacked, CLPAC_MEASURE_GLM), CLPAC_MI, NULL);
	for (size_t channel = 0; channel < MADE_CHANNELS; channel++)
		for (size_t s = 0; s < 2 * MADE_SEGMENTS; s++)
			for (size_t cell = 0; cell < cells; cell++) {
				const size_t part = s / MADE_SEGMENTS, of_part_s = s % MADE_SEGMENTS;
				const size_t at = (channel * MADE_SEGMENTS + of_part_s) * cells + cell;
				ck_assert_float_eq(values[(channel * 2 * MADE_SEGMENTS + s) * cells + cell],
						   (float)(1000 * part + at));
			}
	clpac_result_destroy(stacked);
	clpac_result_destroy(parts[1]);
	stacked = NULL;
	parts[1] = make_result(MADE_MAPS);
	assert_refused(clpac_result_stack(parts, 2, NULL, &stacked, &err), err, CLPAC_ERROR_ARGUMENT,
		       "the measures of part 1 are not those of part 0");
	ck_assert_ptr_null(stacked);
	clpac_result_destroy(parts[0]);
	clpac_result_destroy(parts[1]);
}

TEST(parts_of_other_shapes_are_refused_with_their_numbers)
{
	static const struct {
		clpac_result_shape shape;
		unsigned arrays;
		const char *part;
	} cases[] = {
		{{3, 3, 4, 5, 6, 7}, MADE_ALL, "part 1 has 3 channels, part 0 has 2"},
		{{2, 3, 9, 5, 6, 7}, MADE_ALL, "part 1 has 9 phase bands, part 0 has 4"},
		{{2, 3, 4, 8, 6, 7}, MADE_ALL, "part 1 has 8 amplitude bands, part 0 has 5"},
		{{2, 3, 4, 5, 18, 7}, MADE_ALL, "part 1 has 18 phase bins, part 0 has 6"},
		{{2, 3, 4, 5, 6, 200}, MADE_ALL, "part 1 has 200 surrogates, part 0 has 7"},
		{{2, 3, 4, 5, 6, 7}, MADE_ALL & ~(1u << CLPAC_Z), "part 0 holds array z, part 1 does not"},
	};
	clpac_error err;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_result *other = NULL;
		assert_works(clpac_result_create(&cases[i].shape, cases[i].arrays, &other, &err), err);
		assert_no_stack(other, cases[i].part);
		clpac_result_destroy(other);
	}
	/* The reverse: the first part is the one that lacks an array. */
	clpac_result *whole = make_whole(), *fewer = make_result(1u << CLPAC_MI), *out = NULL;
	assert_refused(clpac_result_stack((clpac_result *[]){fewer, whole}, 2, NULL, &out, &err), err,
		       CLPAC_ERROR_ARGUMENT, "part 1 holds array z, part 0 does not");
	clpac_result_destroy(fewer);
	clpac_result_destroy(whole);
}

TEST(parts_of_other_bands_or_channels_are_refused)
{
	clpac_error err;
	clpac_result *other = make_whole();
	clpac_result_phase_bands(other)[1].hi_hz = 9.5;
	assert_no_stack(other, "phase band 1 is 4.1-9.5 Hz in part 1 and 4.1-6.3 Hz in part 0");
	clpac_result_destroy(other);
	other = make_whole();
	clpac_result_amplitude_bands(other)[4].lo_hz = 99;
	assert_no_stack(other, "amplitude band 4 is 99-120.7 Hz in part 1 and 100-120.7 Hz in part 0");
	clpac_result_destroy(other);
	other = make_whole();
	assert_works(clpac_result_set_channel_name(other, 0, "C4", &err), err);
	assert_no_stack(other, "channel 0 is \"C4\" in part 1 and \"C3\" in part 0");
	clpac_result_destroy(other);
}

TEST(tied_parts_make_a_tied_whole)
{
	clpac_error err;
	clpac_result *tied = make_whole(), *other = make_whole(), *out = NULL;
	tie_result(tied);
	assert_works(clpac_result_stack((clpac_result *[]){tied, tied}, 2, NULL, &out, &err), err);
	for (size_t ph = 0; ph < MADE_PHASE_BANDS; ph++)
		for (size_t am = 0; am < MADE_AMPLITUDE_BANDS; am++) {
			const clpac_band wanted = made_cell_band(ph, am), said = clpac_result_cell_band(out, ph, am);
			ck_assert_mem_eq(&said, &wanted, sizeof said);
		}
	ck_assert_ptr_nonnull(clpac_result_cell_bands(out));
	clpac_result_destroy(out);
	out = NULL;
	assert_refused(clpac_result_stack((clpac_result *[]){tied, other}, 2, NULL, &out, &err), err,
		       CLPAC_ERROR_ARGUMENT,
		       "the amplitudes of part 0 are tied to the phases, those of part 1 are not");
	assert_refused(clpac_result_stack((clpac_result *[]){other, tied}, 2, NULL, &out, &err), err,
		       CLPAC_ERROR_ARGUMENT,
		       "the amplitudes of part 1 are tied to the phases, those of part 0 are not");
	tie_result(other);
	clpac_result_cell_bands(other)[7].hi_hz = 99;
	assert_refused(clpac_result_stack((clpac_result *[]){tied, other}, 2, NULL, &out, &err), err,
		       CLPAC_ERROR_ARGUMENT, "cell band 7 is 49.1-99 Hz in part 1 and 49.1-71.3 Hz in part 0");
	ck_assert_ptr_null(out);
	clpac_result_destroy(other);
	clpac_result_destroy(tied);
}

TEST(places_that_are_no_order_are_refused_with_their_numbers)
{
	clpac_error err;
	clpac_result *part = make_whole(), *out = NULL;
	assert_refused(clpac_result_stack(&part, 1, (size_t[]){0, 3, 1}, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "places[1] is 3, but the parts have 3 segments");
	assert_refused(clpac_result_stack(&part, 1, (size_t[]){1, 0, 1}, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "places[2] is 1, which another segment has already");
	ck_assert_ptr_null(out);
	clpac_result_destroy(part);
}

TEST(a_required_pointer_that_is_null_is_refused_by_name)
{
	clpac_error err;
	clpac_result *part = make_whole(), *out = NULL;
	assert_refused(clpac_result_stack(NULL, 1, NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT, "parts is NULL");
	assert_refused(clpac_result_stack(&part, 1, NULL, NULL, &err), err, CLPAC_ERROR_ARGUMENT, "out is NULL");
	assert_refused(clpac_result_stack(&part, 0, NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT, "n_parts is 0");
	assert_refused(clpac_result_stack((clpac_result *[]){part, NULL}, 2, NULL, &out, &err), err,
		       CLPAC_ERROR_ARGUMENT, "parts[1] is NULL");
	ck_assert_int_eq(clpac_result_stack(NULL, 1, NULL, &out, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(out);
	clpac_result_destroy(part);
}

TEST(every_failing_allocation_is_reported_and_leaves_nothing)
{
	clpac_error err;
	clpac_result *part = make_whole(), *out = NULL;
	clpac_result *parts[] = {part, part};
	const size_t places[] = {5, 4, 3, 2, 1, 0};
	assert_survives_failing_allocations(clpac_result_stack(parts, 2, places, &out, &err), {
		ck_assert_ptr_nonnull(out);
		clpac_result_destroy(out);
	});
	clpac_result_destroy(part);
}
