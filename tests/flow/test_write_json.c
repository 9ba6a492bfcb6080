/* The JSON report holds exactly what program.md promises, whatever the names and the locale. */
#include "runner.h"
#include "assertions.h"
#include "locales.h"
#include "made_result.h"

#include <clpac/write.h>
#include <clpac/version.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const double some_taps[] = {0.1, -1e-17, 1.0 / 3, 0.1};

static clpac_result *make_reported_result(unsigned arrays)
{
	clpac_error err;
	clpac_result *result = make_result(arrays);
	clpac_report *report = clpac_result_report(result);
	strcpy(report->device, "Ryzen 9");
	strcpy(report->platform, "native");
	strcpy(report->driver, "1.2");
	strcpy(report->backend, "native");
	strcpy(report->instruction_set, "avx2");
	strcpy(report->fft_engine, "lanes");
	strcpy(report->strategy_wanted, "vectorized");
	strcpy(report->strategy, "chunked");
	report->taken_bytes = 1000;
	report->n_steps = 1;
	report->steps[0] = (clpac_step){"vectorized", "opencl", 2000, "it needs more"};
	report->n_threads = 2;
	report->batch_series = 4;
	report->peak_bytes = 1ull << 40;
	report->seconds = 1.5;
	report->n_stages = 2;
	strcpy(report->stages[0].name, "fft");
	report->stages[0].seconds = 0.25;
	strcpy(report->stages[1].name, "surrogates");
	report->stages[1].seconds = NAN;
	report->warnings[CLPAC_WARN_PURE_LINE].count = 3;
	strcpy(report->warnings[CLPAC_WARN_PURE_LINE].text, "channel \"0\" is a line");
	report->warnings[CLPAC_WARN_STRATEGY].count = 1;
	const clpac_band_report reports[] = {
		{.use = CLPAC_PHASE,
		 .band = {4, 8},
		 .n_taps = 3,
		 .taps = some_taps,
		 .bandwidth_lo_hz = 3.9,
		 .bandwidth_hi_hz = 8.1,
		 .edge_samples = 1},
		{.use = CLPAC_AMPLITUDE, .band = {60, 80}, .n_taps = 1, .taps = some_taps + 3, .is_shortened = true},
	};
	assert_works(clpac_result_set_band_reports(result, reports, 2, &err), err);
	return result;
}

static json_t *write_and_parse(const clpac_result *result, const clpac_write_options *options)
{
	clpac_error err;
	json_error_t where;
	assert_works(clpac_result_write_json(result, scratch_path("a.json"), options, &err), err);
	json_t *root = json_load_file(scratch_path("a.json"), JSON_REJECT_DUPLICATES, &where);
	ck_assert_msg(root != NULL, "line %d: %s", where.line, where.text);
	return root;
}

static json_t *at(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	ck_assert_msg(value != NULL, "%s is missing", key);
	return value;
}

static double real_at(json_t *object, const char *key)
{
	ck_assert_msg(json_is_number(at(object, key)), "%s is no number", key);
	return json_number_value(at(object, key));
}

static const char *text_at(json_t *object, const char *key)
{
	ck_assert_msg(json_is_string(at(object, key)), "%s is no text", key);
	return json_string_value(at(object, key));
}

FIXTURE(make_scratch, remove_scratch);

TEST(everything_promised_is_there)
{
	clpac_result *result = make_reported_result(MADE_ALL);
	json_t *root = write_and_parse(result, &(clpac_write_options){.input_name = "a.edf", .input_checksum = "abc"});
	ck_assert_str_eq(text_at(root, "program"), "clpac");
	ck_assert_str_eq(text_at(root, "version"), CLPAC_VERSION_STRING);
	ck_assert(json_is_integer(at(root, "format_version")) && real_at(root, "format_version") == 1);
	ck_assert_str_eq(text_at(at(root, "input"), "name"), "a.edf");
	ck_assert_str_eq(text_at(at(root, "input"), "checksum"), "abc");
	ck_assert_str_eq(text_at(root, "problem"), clpac_result_problem(result));
	ck_assert(real_at(root, "seed") == 42);

	json_t *parameters = at(root, "parameters");
	ck_assert(real_at(parameters, "rate") == 512.5);
	ck_assert(json_is_integer(at(parameters, "samples")) && real_at(parameters, "samples") == 2048);
	ck_assert_str_eq(text_at(parameters, "phase"), "2.1-4.3,4.1-6.3");
	ck_assert_str_eq(text_at(parameters, "hilbert"), "local");
	ck_assert_uint_eq(json_object_size(parameters), 8);

	ck_assert(real_at(at(root, "shape"), "n_surrogates") == MADE_SURROGATES);
	ck_assert_str_eq(json_string_value(json_array_get(at(root, "channels"), 0)), "C3");
	ck_assert(json_number_value(json_array_get(at(root, "segment_onsets_s"), 1)) == 0.1);
	json_t *device = at(root, "device");
	ck_assert_str_eq(text_at(device, "name"), "Ryzen 9");
	ck_assert_str_eq(text_at(device, "platform"), "native");
	ck_assert_str_eq(text_at(device, "driver"), "1.2");
	ck_assert_str_eq(text_at(device, "backend"), "native");
	ck_assert_str_eq(text_at(device, "instruction_set"), "avx2");
	ck_assert(real_at(device, "n_threads") == 2);
	ck_assert_str_eq(text_at(root, "fft_engine"), "lanes");
	ck_assert_str_eq(text_at(root, "strategy"), "chunked");
	ck_assert_str_eq(text_at(root, "strategy_wanted"), "vectorized");
	ck_assert(real_at(root, "n_steps") == 1);
	json_t *steps = at(root, "steps");
	ck_assert_uint_eq(json_array_size(steps), 1);
	ck_assert_str_eq(text_at(json_array_get(steps, 0), "strategy"), "vectorized");
	ck_assert_str_eq(text_at(json_array_get(steps, 0), "backend"), "opencl");
	ck_assert(real_at(json_array_get(steps, 0), "bytes") == 2000);
	ck_assert_str_eq(text_at(json_array_get(steps, 0), "reason"), "it needs more");
	ck_assert(real_at(at(root, "memory"), "taken_bytes") == 1000);
	ck_assert(real_at(at(root, "layout"), "batch_series") == 4);
	ck_assert(real_at(at(root, "memory"), "peak_bytes") == 0x1p40);
	ck_assert(real_at(root, "seconds") == 1.5);
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(times_warnings_and_filters_are_listed)
{
	clpac_result *result = make_reported_result(MADE_ALL);
	json_t *root = write_and_parse(result, &(clpac_write_options){.json_full = true});
	json_t *stages = at(root, "stages");
	ck_assert_uint_eq(json_array_size(stages), 2);
	ck_assert_str_eq(text_at(json_array_get(stages, 0), "name"), "fft");
	ck_assert(real_at(json_array_get(stages, 0), "seconds") == 0.25);
	ck_assert(json_is_null(at(json_array_get(stages, 1), "seconds")));

	/* Only warnings that occurred, each with its count. */
	json_t *warnings = at(root, "warnings");
	ck_assert_uint_eq(json_array_size(warnings), 2);
	ck_assert_str_eq(text_at(json_array_get(warnings, 0), "kind"), "pure_line");
	ck_assert(real_at(json_array_get(warnings, 0), "count") == 3);
	ck_assert_str_eq(text_at(json_array_get(warnings, 0), "text"), "channel \"0\" is a line");
	ck_assert_str_eq(text_at(json_array_get(warnings, 1), "kind"), "strategy");

	json_t *bands = at(root, "bands"), *first = json_array_get(bands, 0), *second = json_array_get(bands, 1);
	ck_assert_uint_eq(json_array_size(bands), 2);
	ck_assert_str_eq(text_at(first, "use"), "phase");
	ck_assert_str_eq(text_at(second, "use"), "amplitude");
	ck_assert(json_number_value(json_array_get(at(first, "bandwidth_hz"), 1)) == 8.1);
	ck_assert(real_at(first, "n_taps") == 3);
	ck_assert_uint_eq(json_array_size(at(first, "taps")), 3);
	for (size_t k = 0; k < 3; k++) /* 15 digits: within half a unit of the last */
		assert_close(json_number_value(json_array_get(at(first, "taps"), k)), some_taps[k],
			     fabs(some_taps[k]) * 5e-15);
	ck_assert(json_is_false(at(first, "is_shortened")));
	ck_assert(json_is_true(at(second, "is_shortened")));
	ck_assert_uint_eq(json_object_size(at(root, "input")), 0);
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(a_peak_is_listed_for_each_channel_that_has_one)
{
	clpac_result *result = make_reported_result(MADE_MAPS);
	json_t *root = write_and_parse(result, NULL), *peaks = at(root, "peaks");
	ck_assert_uint_eq(json_array_size(peaks), 2);
	clpac_peak expected = clpac_result_peak(result, 1);
	json_t *peak = json_array_get(peaks, 1);
	ck_assert_str_eq(text_at(peak, "channel"), clpac_result_channel_name(result, 1));
	ck_assert(real_at(peak, "segment") == (double)expected.segment);
	ck_assert((float)real_at(peak, "z") == expected.z);
	ck_assert((float)real_at(peak, "mi") == expected.mi);
	ck_assert((float)real_at(peak, "p") == expected.p);
	clpac_band band = clpac_result_phase_bands(result)[expected.phase];
	assert_close(json_number_value(json_array_get(at(peak, "phase_band_hz"), 0)), band.lo_hz, 1e-14);
	json_decref(root);
	clpac_result_destroy(result);

	/* Without surrogates z and p are NaN, for which JSON has no word. */
	result = make_result(1u << CLPAC_MI);
	size_t n;
	float *mi = clpac_result_array(result, CLPAC_MI, &n);
	for (size_t i = 0; i < n / 2; i++)
		mi[i] = NAN;
	root = write_and_parse(result, &(clpac_write_options){.overwrite = true});
	ck_assert_uint_eq(json_array_size(at(root, "peaks")), 1);
	ck_assert(json_is_null(at(json_array_get(at(root, "peaks"), 0), "z")));
	ck_assert(json_is_null(at(json_array_get(at(root, "peaks"), 0), "p")));
	json_decref(root);
	clpac_result_destroy(result);
}

/* Floats are written with their shortest digits, and NaN as null. */
static void check_cells(json_t *root, const char *key, const float *values)
{
	json_t *channels = at(root, key);
	ck_assert_uint_eq(json_array_size(channels), MADE_CHANNELS);
	for (size_t i = 0; i < MADE_CHANNELS * MADE_SEGMENTS * MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS; i++) {
		const size_t row = i / MADE_AMPLITUDE_BANDS, series = row / MADE_PHASE_BANDS;
		json_t *segments = json_array_get(channels, series / MADE_SEGMENTS);
		json_t *rows = json_array_get(segments, series % MADE_SEGMENTS);
		const json_t *value =
			json_array_get(json_array_get(rows, row % MADE_PHASE_BANDS), i % MADE_AMPLITUDE_BANDS);
		ck_assert(isnan(values[i]) ? json_is_null(value) : (float)json_number_value(value) == values[i]);
	}
}

TEST(each_cell_has_its_preferred_phase_and_mean_vector)
{
	clpac_result *result = make_reported_result(MADE_MAPS | 1u << CLPAC_PREFERRED_PHASE | 1u << CLPAC_MEAN_VECTOR);
	clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL)[7] = NAN;
	json_t *root = write_and_parse(result, &(clpac_write_options){.json_full = true});
	check_cells(root, "preferred_phase_rad", clpac_result_array(result, CLPAC_PREFERRED_PHASE, NULL));
	check_cells(root, "mean_vector", clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL));
	json_decref(root);
	clpac_result_destroy(result);

	/* More than serve anybody in JSON, and a result without them. */
	clpac_error err;
	assert_works(clpac_result_create(&(clpac_result_shape){1001, 1, 10, 10, 18, 0},
					 1u << CLPAC_MI | 1u << CLPAC_PREFERRED_PHASE, &result, &err),
		     err);
	root = write_and_parse(result, &(clpac_write_options){.overwrite = true, .json_full = true});
	ck_assert(json_is_null(at(root, "preferred_phase_rad")) && json_is_null(at(root, "mean_vector")));
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(taps_and_maps_are_left_to_the_npz_unless_they_are_asked_for)
{
	clpac_result *result = make_reported_result(MADE_MAPS | 1u << CLPAC_PREFERRED_PHASE | 1u << CLPAC_MEAN_VECTOR);
	tie_result(result);
	json_t *root = write_and_parse(result, NULL);
	static const char *const maps[] = {"valid", "cell_bands_hz", "preferred_phase_rad", "mean_vector"};
	for (size_t i = 0; i < COUNT(maps); i++)
		ck_assert_ptr_null(json_object_get(root, maps[i]));
	json_t *first = json_array_get(at(root, "bands"), 0);
	ck_assert_ptr_null(json_object_get(first, "taps"));
	ck_assert(real_at(first, "n_taps") == 3);
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(bands_of_tied_cells_are_listed_by_phase)
{
	clpac_result *result = make_reported_result(MADE_MAPS);
	json_t *root = write_and_parse(result, &(clpac_write_options){.json_full = true});
	ck_assert_ptr_null(json_object_get(root, "cell_bands_hz"));
	json_decref(root);
	tie_result(result);
	root = write_and_parse(result, &(clpac_write_options){.overwrite = true, .json_full = true});
	ck_assert(json_is_false(json_array_get(json_array_get(at(root, "valid"), 0), 1)));
	ck_assert(json_is_true(json_array_get(json_array_get(at(root, "valid"), 3), 2)));
	json_t *rows = at(root, "cell_bands_hz"), *row = json_array_get(rows, 3), *band = json_array_get(row, 2);
	ck_assert_uint_eq(json_array_size(rows), MADE_PHASE_BANDS);
	ck_assert_uint_eq(json_array_size(row), MADE_AMPLITUDE_BANDS);
	assert_close(json_number_value(json_array_get(band, 0)), made_cell_band(3, 2).lo_hz, 1e-13);
	assert_close(json_number_value(json_array_get(band, 1)), made_cell_band(3, 2).hi_hz, 1e-13);
	/* The peak's is its cell's. */
	const clpac_peak peak = clpac_result_peak(result, 1);
	band = at(json_array_get(at(root, "peaks"), 1), "amplitude_band_hz");
	assert_close(json_number_value(json_array_get(band, 1)), made_cell_band(peak.phase, peak.amplitude).hi_hz,
		     1e-13);
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(each_segment_has_its_condition_or_null)
{
	clpac_result *result = make_reported_result(MADE_MAPS);
	clpac_error err;
	json_t *root = write_and_parse(result, NULL);
	ck_assert_ptr_null(json_object_get(root, "segment_conditions"));
	json_decref(root);
	assert_works(clpac_result_set_condition(result, 0, "go", &err), err);
	assert_works(clpac_result_set_condition(result, MADE_SEGMENTS - 1, "stop", &err), err);
	root = write_and_parse(result, &(clpac_write_options){.overwrite = true});
	json_t *conditions = at(root, "segment_conditions");
	ck_assert_uint_eq(json_array_size(conditions), MADE_SEGMENTS);
	ck_assert_str_eq(json_string_value(json_array_get(conditions, 0)), "go");
	ck_assert(json_is_null(json_array_get(conditions, 1)));
	ck_assert_str_eq(json_string_value(json_array_get(conditions, MADE_SEGMENTS - 1)), "stop");
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(decimal_numbers_are_written_as_people_write_them)
{
	clpac_result *result = make_reported_result(MADE_MAPS);
	clpac_result_array(result, CLPAC_Z, NULL)[0] = 1000.1f;
	json_decref(write_and_parse(result, &(clpac_write_options){.json_full = true}));
	char *text = scratch_read("a.json", NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"segment_onsets_s\": [0.0, 0.1, 0.2]"));
	ck_assert_ptr_nonnull(strstr(text, "\"z\": 1000.1"));
	ck_assert_ptr_nonnull(strstr(text, "\"taps\": [0.1, -1e-17, 0.333333333333333]"));
	free(text);
	clpac_result_destroy(result);
}

TEST(a_seed_that_json_cannot_hold_is_text)
{
	clpac_error err;
	clpac_result *result = make_result(1);
	assert_works(clpac_result_set_problem(result, "seed=18446744073709551615 edge=-1 x=1e999 odd", &err), err);
	json_t *root = write_and_parse(result, NULL);
	ck_assert_str_eq(text_at(root, "seed"), "18446744073709551615");
	ck_assert(real_at(at(root, "parameters"), "edge") == -1);
	ck_assert_str_eq(text_at(at(root, "parameters"), "x"), "1e999");
	ck_assert_uint_eq(json_object_size(at(root, "parameters")), 3);
	json_decref(root);

	assert_works(clpac_result_set_problem(result, "", &err), err);
	root = write_and_parse(result, &(clpac_write_options){.overwrite = true});
	ck_assert(json_is_null(at(root, "seed")));
	ck_assert_uint_eq(json_object_size(at(root, "parameters")), 0);
	json_decref(root);
	clpac_result_destroy(result);
}

TEST(names_that_are_no_utf8_are_mended)
{
	clpac_error err;
	clpac_result *result = make_result(1);
	assert_works(clpac_result_set_channel_name(result, 0, "\xb5V\n", &err), err);
	json_t *root = write_and_parse(result, &(clpac_write_options){.input_name = "gr\xfc\xdf"
										    "e.edf"});
	ck_assert_str_eq(json_string_value(json_array_get(at(root, "channels"), 0)), "\ufffdV\n");
	ck_assert_str_eq(text_at(at(root, "input"), "name"), "gr\ufffd\ufffd"
							     "e.edf");
	json_decref(root);
	clpac_result_destroy(result);
}

TEST_EACH_UNLESS(locale_missing(), a_locale_changes_nothing, N_LOCALES)
{
	clpac_error err;
	clpac_result *result = make_reported_result(MADE_MAPS);
	assert_works(clpac_result_write_json(result, scratch_path("c.json"), NULL, &err), err);
	assert_works(clpac_result_write_csv(result, scratch_path("c.csv"), NULL, &err), err);
	locale_begin(locale_languages[_i]);
	assert_works(clpac_result_write_json(result, scratch_path("l.json"), NULL, &err), err);
	assert_works(clpac_result_write_csv(result, scratch_path("l.csv"), NULL, &err), err);
	locale_end();
	static const char *const pairs[][2] = {{"c.json", "l.json"}, {"c.csv", "l.csv"}};
	for (size_t i = 0; i < COUNT(pairs); i++) {
		char *one = scratch_read(pairs[i][0], NULL), *other = scratch_read(pairs[i][1], NULL);
		ck_assert_str_eq(one, other);
		free(one);
		free(other);
	}
	clpac_result_destroy(result);
}
