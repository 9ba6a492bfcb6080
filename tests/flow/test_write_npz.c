/* A result through .npz and back; the bytes that NumPy reads; archives that hold no result. */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "recording/write/npz_output.h"

#include <clpac/write.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_result(unsigned arrays, const char *name)
{
	clpac_error err;
	clpac_result *result = make_result(arrays);
	assert_works(clpac_result_write_npz(result, scratch_path(name), NULL, &err), err);
	clpac_result_destroy(result);
}

FIXTURE(make_scratch, remove_scratch);

TEST(every_array_comes_back_bit_for_bit)
{
	clpac_error err;
	clpac_result *written = make_result(MADE_ALL), *read = NULL;
	assert_works(clpac_result_write_npz(written, scratch_path("a.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	ck_assert_mem_eq(clpac_result_get_shape(written), clpac_result_get_shape(read), sizeof(clpac_result_shape));
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n_written, n_read;
		const float *before = clpac_result_array(written, (clpac_array)which, &n_written);
		const float *after = clpac_result_array(read, (clpac_array)which, &n_read);
		ck_assert_uint_eq(n_read, n_written);
		ck_assert_mem_eq(after, before, n_read * sizeof(float));
	}
	ck_assert_mem_eq(clpac_result_valid(read), clpac_result_valid(written),
			 MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS);
	ck_assert_mem_eq(clpac_result_empty_bins(read), clpac_result_empty_bins(written),
			 sizeof(uint32_t) * MADE_CHANNELS * MADE_SEGMENTS * MADE_PHASE_BANDS);
	ck_assert_mem_eq(clpac_result_phase_bands(read), clpac_result_phase_bands(written),
			 sizeof(clpac_band) * MADE_PHASE_BANDS);
	ck_assert_mem_eq(clpac_result_amplitude_bands(read), clpac_result_amplitude_bands(written),
			 sizeof(clpac_band) * MADE_AMPLITUDE_BANDS);
	ck_assert_mem_eq(clpac_result_segment_onsets(read), clpac_result_segment_onsets(written),
			 sizeof(double) * MADE_SEGMENTS);
	ck_assert_mem_eq(clpac_result_used_seconds(read), clpac_result_used_seconds(written),
			 sizeof(double) * MADE_CHANNELS * MADE_SEGMENTS);
	ck_assert_mem_eq(clpac_result_n_stretches(read), clpac_result_n_stretches(written),
			 sizeof(uint32_t) * MADE_CHANNELS * MADE_SEGMENTS);
	for (size_t ch = 0; ch < MADE_CHANNELS; ch++)
		ck_assert_str_eq(clpac_result_channel_name(read, ch), clpac_result_channel_name(written, ch));
	ck_assert_str_eq(clpac_result_problem(read), clpac_result_problem(written));
	ck_assert_str_eq(clpac_result_report(read)->device, "");
	clpac_result_destroy(written);
	clpac_result_destroy(read);
}

TEST(further_measures_come_back_under_their_names)
{
	enum { ARRAYS = 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_SURROGATES };
	clpac_error err;
	clpac_result *written = make_result(MADE_ALL), *read = NULL, *further;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	assert_works(clpac_result_set_measure(written, CLPAC_MEASURE_HR, &err), err);
	for (int i = CLPAC_MEASURE_MVL; i < CLPAC_MEASURE_COUNT; i++) {
		assert_works(clpac_result_add_measure(written, (clpac_measure)i, ARRAYS, &further, &err), err);
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
			if (ARRAYS >> which & 1)
				clpac_result_array(further, (clpac_array)which, NULL)[1] = (float)(100 * i + which);
	}
	assert_works(clpac_result_write_npz(written, scratch_path("a.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	ck_assert_uint_eq(clpac_result_measures(read, measures), CLPAC_MEASURE_COUNT - 1);
	for (int i = 0; i < CLPAC_MEASURE_COUNT - 1; i++) {
		const clpac_result *before = clpac_result_of(written, measures[i]);
		const clpac_result *after = clpac_result_of(read, measures[i]);
		ck_assert_int_eq(measures[i], CLPAC_MEASURE_HR + i);
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n_before, n_after;
			const float *a = clpac_result_array(before, (clpac_array)which, &n_before);
			const float *b = clpac_result_array(after, (clpac_array)which, &n_after);
			ck_assert_uint_eq(n_after, n_before);
			if (n_before)
				ck_assert_mem_eq(a, b, n_before * sizeof *a);
		}
	}
	clpac_result_destroy(written);
	clpac_result_destroy(read);
}

/* Writes a result of each channel alone, with the name and the problem of the whole. */
static void write_channels(const clpac_result *whole)
{
	clpac_error err;
	const clpac_result_shape one = {1,	   MADE_SEGMENTS,  MADE_PHASE_BANDS, MADE_AMPLITUDE_BANDS,
					MADE_BINS, MADE_SURROGATES};
	for (size_t ch = 0; ch < MADE_CHANNELS; ch++) {
		char name[] = "0.npz";
		clpac_result *part;
		assert_works(clpac_result_create(&one, MADE_ALL, &part, &err), err);
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n;
			float *values = clpac_result_array(part, (clpac_array)which, &n);
			memcpy(values, clpac_result_array(whole, (clpac_array)which, NULL) + ch * n,
			       n * sizeof *values);
		}
		memcpy(clpac_result_empty_bins(part),
		       clpac_result_empty_bins(whole) + ch * MADE_SEGMENTS * MADE_PHASE_BANDS,
		       MADE_SEGMENTS * MADE_PHASE_BANDS * sizeof(uint32_t));
		memcpy(clpac_result_used_seconds(part), clpac_result_used_seconds(whole) + ch * MADE_SEGMENTS,
		       MADE_SEGMENTS * sizeof(double));
		memcpy(clpac_result_n_stretches(part), clpac_result_n_stretches(whole) + ch * MADE_SEGMENTS,
		       MADE_SEGMENTS * sizeof(uint32_t));
		memcpy(clpac_result_valid(part), clpac_result_valid(whole), MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS);
		memcpy(clpac_result_phase_bands(part), clpac_result_phase_bands(whole),
		       MADE_PHASE_BANDS * sizeof(clpac_band));
		memcpy(clpac_result_amplitude_bands(part), clpac_result_amplitude_bands(whole),
		       MADE_AMPLITUDE_BANDS * sizeof(clpac_band));
		memcpy(clpac_result_segment_onsets(part), clpac_result_segment_onsets(whole),
		       MADE_SEGMENTS * sizeof(double));
		assert_works(clpac_result_set_channel_name(part, 0, clpac_result_channel_name(whole, ch), &err), err);
		assert_works(clpac_result_set_problem(part, clpac_result_problem(whole), &err), err);
		name[0] = (char)('0' + ch);
		assert_works(clpac_result_write_npz(part, scratch_path(name), NULL, &err), err);
		clpac_result_destroy(part);
	}
}

static char *read_bytes(const char *name, size_t *n)
{
	char *bytes = malloc(1 << 20);
	FILE *file = fopen(scratch_path(name), "rb");
	ck_assert(bytes && file);
	*n = fread(bytes, 1, 1 << 20, file);
	ck_assert(*n > 0 && *n < 1 << 20);
	fclose(file);
	return bytes;
}

TEST(channels_from_files_of_their_own_are_the_whole_in_memory_and_in_files)
{
	clpac_error err;
	clpac_result *written = make_result(MADE_ALL);
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", scratch_path("."));
	const char *const folders[] = {NULL, folder};
	write_channels(written);
	assert_works(clpac_result_write_npz(written, scratch_path("whole.npz"), NULL, &err), err);
	for (size_t i = 0; i < COUNT(folders); i++) {
		clpac_result *joined = NULL;
		size_t channel = 1;
		assert_works(clpac_result_join_npz(scratch_path("1.npz"), &channel, MADE_CHANNELS, folders[i], &joined,
						   &err),
			     err);
		ck_assert_uint_eq(channel, 2);
		ck_assert_float_nan(clpac_result_array(joined, CLPAC_MI, NULL)[0]);
		channel = 0;
		assert_works(clpac_result_join_npz(scratch_path("0.npz"), &channel, MADE_CHANNELS, folders[i], &joined,
						   &err),
			     err);
		ck_assert_uint_eq(channel, 1);
		assert_works(clpac_result_write_npz(joined, scratch_path("joined.npz"),
						    &(clpac_write_options){.overwrite = true}, &err),
			     err);
		size_t n_before, n_after;
		char *before = read_bytes("whole.npz", &n_before), *after = read_bytes("joined.npz", &n_after);
		ck_assert_uint_eq(n_before, n_after);
		ck_assert_mem_eq(before, after, n_before);
		free(before);
		free(after);
		clpac_result_destroy(joined);
	}
	clpac_result_destroy(written);
}

TEST(a_file_that_does_not_fit_a_result_is_not_joined)
{
	clpac_error err;
	clpac_result *written = make_result(MADE_ALL), *joined = NULL;
	size_t channel = 0;
	write_channels(written);
	write_result(MADE_MAPS, "maps.npz");
	assert_refused(clpac_result_join_npz(scratch_path("0.npz"), &channel, 0, NULL, &joined, &err), err,
		       CLPAC_ERROR_ARGUMENT, "n_channels is 0");
	channel = 1;
	assert_refused(clpac_result_join_npz(scratch_path("0.npz"), &channel, 1, NULL, &joined, &err), err,
		       CLPAC_ERROR_FORMAT, "has 1 channels, of which number 1 would be the first of 1");
	channel = 0;
	assert_works(clpac_result_join_npz(scratch_path("0.npz"), &channel, 3, NULL, &joined, &err), err);
	assert_refused(clpac_result_join_npz(scratch_path("1.npz"), &channel, 2, NULL, &joined, &err), err,
		       CLPAC_ERROR_ARGUMENT, "n_channels is 2: the result has 3");
	assert_refused(clpac_result_join_npz(scratch_path("maps.npz"), &channel, 3, NULL, &joined, &err), err,
		       CLPAC_ERROR_FORMAT, "has other measures, arrays, bands, segments or surrogates");
	ck_assert_uint_eq(channel, 1);
	clpac_result_destroy(joined);
	clpac_result_destroy(written);
}

TEST(arrays_in_a_folder_that_is_not_there_are_an_error)
{
	clpac_error err;
	clpac_result *made = NULL;
	assert_refused(clpac_result_create_in(&(clpac_result_shape){1, 1, 1, 1, 0, 0}, 1u << CLPAC_MI,
					      scratch_path("nowhere"), &made, &err),
		       err, CLPAC_ERROR_IO, "making a file in ");
	ck_assert_ptr_null(made);
}

TEST(bands_of_tied_cells_come_back_and_others_stay_away)
{
	clpac_error err;
	clpac_result *written = make_result(MADE_MAPS), *read = NULL;
	assert_works(clpac_result_write_npz(written, scratch_path("a.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	ck_assert_ptr_null(clpac_result_cell_bands(read));
	clpac_result_destroy(read);
	tie_result(written);
	assert_works(clpac_result_write_npz(written, scratch_path("b.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("b.npz"), &read, &err), err);
	ck_assert_ptr_nonnull(clpac_result_cell_bands(read));
	ck_assert_mem_eq(clpac_result_cell_bands(read), clpac_result_cell_bands(written),
			 MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS * sizeof(clpac_band));
	clpac_result_destroy(read);
	clpac_result_destroy(written);
}

/* Taps and widths that no filter would have by chance, one filter without taps, and one without a width. */
static const double some_taps[] = {0.1, -1e-17, 1.0 / 3, 0.1, 7, -8};
static const clpac_band_report some_filters[] = {
	{CLPAC_PHASE, {4, 8}, 3, some_taps, 3.9, 8.1, 1, false},
	{CLPAC_PHASE, {8, 12}, 0, NULL, NAN, NAN, 0, false},
	{CLPAC_AMPLITUDE, {60, 80}, 2, some_taps + 3, 59.5, 80.25, 70000, true},
	{CLPAC_AMPLITUDE, {80, 100}, 1, some_taps + 5, 79, 101, 2, false},
};

TEST(filters_come_back_with_all_their_taps)
{
	clpac_error err;
	size_t n;
	clpac_result *written = make_result(MADE_MAPS), *read = NULL;
	assert_works(clpac_result_set_band_reports(written, some_filters, COUNT(some_filters), &err), err);
	assert_works(clpac_result_write_npz(written, scratch_path("a.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	const clpac_band_report *filters = clpac_result_band_reports(read, &n);
	ck_assert_uint_eq(n, COUNT(some_filters));
	for (size_t i = 0; i < n; i++) {
		const clpac_band_report *got = &filters[i], *wanted = &some_filters[i];
		ck_assert_int_eq(got->use, wanted->use);
		ck_assert_mem_eq(&got->band, &wanted->band, sizeof got->band);
		ck_assert(got->bandwidth_lo_hz == wanted->bandwidth_lo_hz ||
			  (isnan(got->bandwidth_lo_hz) && isnan(wanted->bandwidth_lo_hz)));
		ck_assert(got->bandwidth_hi_hz == wanted->bandwidth_hi_hz ||
			  (isnan(got->bandwidth_hi_hz) && isnan(wanted->bandwidth_hi_hz)));
		ck_assert_uint_eq(got->edge_samples, wanted->edge_samples);
		ck_assert_int_eq(got->is_shortened, wanted->is_shortened);
		ck_assert_uint_eq(got->n_taps, wanted->n_taps);
		ck_assert(!got->n_taps || memcmp(got->taps, wanted->taps, got->n_taps * sizeof(double)) == 0);
	}
	clpac_result_destroy(read);
	/* None at all, and none with taps. */
	assert_works(clpac_result_set_band_reports(written, NULL, 0, &err), err);
	assert_works(clpac_result_write_npz(written, scratch_path("b.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("b.npz"), &read, &err), err);
	ck_assert_ptr_null(clpac_result_band_reports(read, &n));
	ck_assert_uint_eq(n, 0);
	clpac_result_destroy(read);
	assert_works(clpac_result_set_band_reports(written, some_filters + 1, 1, &err), err);
	assert_works(clpac_result_write_npz(written, scratch_path("c.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("c.npz"), &read, &err), err);
	clpac_result_band_reports(read, &n);
	ck_assert_uint_eq(n, 1);
	clpac_result_destroy(read);
	clpac_result_destroy(written);
}

TEST(arrays_that_a_result_does_not_hold_stay_away)
{
	clpac_error err;
	clpac_result *read = NULL;
	write_result(1u << CLPAC_MI, "a.npz");
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	ck_assert_ptr_nonnull(clpac_result_array(read, CLPAC_MI, NULL));
	for (int which = CLPAC_Z; which < CLPAC_ARRAY_COUNT; which++)
		ck_assert_ptr_null(clpac_result_array(read, (clpac_array)which, NULL));
	/* Numbers that no array shows come from the problem text. */
	ck_assert_uint_eq(clpac_result_get_shape(read)->n_bins, MADE_BINS);
	ck_assert_uint_eq(clpac_result_get_shape(read)->n_surrogates, MADE_SURROGATES);
	clpac_result_destroy(read);
}

/* A member's header as numpy.lib.format writes it, magic to newline, found in the archive, where members are stored
 * uncompressed. */
static const char *find_member(const char *archive, size_t bytes, const char *file_name)
{
	size_t length = strlen(file_name);
	for (size_t i = 0; i + length + 6 < bytes; i++)
		if (memcmp(archive + i, file_name, length) == 0 && memcmp(archive + i + length, "\x93NUMPY", 6) == 0)
			return archive + i + length;
	ck_abort_msg("%s is not in the archive", file_name);
	return NULL;
}

TEST(the_head_of_an_array_is_as_the_format_demands)
{
	/* https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0: magic, version, length
	 * as two bytes, little-endian, dictionary, blanks up to a multiple of 64, newline. */
	static const struct {
		const char *member, *dictionary;
	} heads[] = {
		{"mi.npy", "{'descr': '" CLPAC__NPY_ORDER "f4', 'fortran_order': False, 'shape': (2, 3, 4, 5), }"},
		{"surrogates.npy",
		 "{'descr': '" CLPAC__NPY_ORDER "f4', 'fortran_order': False, 'shape': (2, 3, 7, 4, 5), }"},
		{"n_empty_bins.npy",
		 "{'descr': '" CLPAC__NPY_ORDER "u4', 'fortran_order': False, 'shape': (2, 3, 4), }"},
		{"phase_bands_hz.npy",
		 "{'descr': '" CLPAC__NPY_ORDER "f8', 'fortran_order': False, 'shape': (4, 2), }"},
		{"segment_onsets_s.npy",
		 "{'descr': '" CLPAC__NPY_ORDER "f8', 'fortran_order': False, 'shape': (3,), }"},
		{"channels.npy", "{'descr': '" CLPAC__NPY_ORDER "U9', 'fortran_order': False, 'shape': (2,), }"},
		{"problem.npy", "{'descr': '" CLPAC__NPY_ORDER "U98', 'fortran_order': False, 'shape': (), }"},
		{"format_version.npy", "{'descr': '" CLPAC__NPY_ORDER "u4', 'fortran_order': False, 'shape': (), }"},
	};
	size_t bytes;
	write_result(MADE_ALL, "a.npz");
	char *archive = scratch_read("a.npz", &bytes);
	for (size_t i = 0; i < COUNT(heads); i++) {
		char expected[129];
		memcpy(expected, "\x93NUMPY\x01\x00\x76\x00", 10);
		snprintf(expected + 10, sizeof expected - 10, "%-117s\n", heads[i].dictionary);
		ck_assert_mem_eq(find_member(archive, bytes, heads[i].member), expected, 128);
	}
	const float *mi = (const float *)(const void *)(find_member(archive, bytes, "mi.npy") + 128);
	float first;
	memcpy(&first, mi, sizeof first);
	ck_assert(first == made_value(CLPAC_MI, 0));
	free(archive);
}

TEST(names_are_code_points_filled_up_with_zeros)
{
	size_t bytes;
	const uint32_t expected[2][9] = {{'C', '3'}, {'a', ' ', '"', 0xb5, 'V', '"', ',', ' ', 0x1d6fc}};
	write_result(MADE_MAPS, "a.npz");
	char *archive = scratch_read("a.npz", &bytes);
	ck_assert_mem_eq(find_member(archive, bytes, "channels.npy") + 128, expected, sizeof expected);
	free(archive);
}

TEST(a_name_that_is_no_utf8_is_mended)
{
	clpac_error err;
	clpac_result *result = make_result(1), *read = NULL;
	/* A lone byte, a cut sequence, an overlong slash, a surrogate, a code point above the last. */
	const char *name = "x\xff \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80";
	assert_works(clpac_result_set_channel_name(result, 0, name, &err), err);
	assert_works(clpac_result_write_npz(result, scratch_path("a.npz"), NULL, &err), err);
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	ck_assert_str_eq(clpac_result_channel_name(read, 0),
			 "x\ufffd \ufffd\ufffd \ufffd\ufffd \ufffd\ufffd\ufffd \ufffd\ufffd\ufffd\ufffd");
	clpac_result_destroy(result);
	clpac_result_destroy(read);
}

TEST(equal_results_are_equal_files)
{
	size_t n_first, n_second;
	write_result(MADE_ALL, "a.npz");
	write_result(MADE_ALL, "b.npz");
	char *first = scratch_read("a.npz", &n_first), *second = scratch_read("b.npz", &n_second);
	ck_assert_uint_eq(n_first, n_second);
	ck_assert_mem_eq(first, second, n_first);
	free(first);
	free(second);
}

TEST(a_missing_file_is_an_error_of_the_system)
{
	clpac_error err;
	clpac_result *read = NULL;
	assert_refused(clpac_result_read_npz(scratch_path("none.npz"), &read, &err), err, CLPAC_ERROR_IO, "none.npz");
	ck_assert_int_eq(err.native_code, ENOENT);
	ck_assert_ptr_null(read);
}

TEST(a_file_cut_anywhere_is_refused)
{
	clpac_error err;
	clpac_result *read = NULL;
	size_t bytes;
	write_result(MADE_MAPS, "a.npz");
	char *archive = scratch_read("a.npz", &bytes);
	for (size_t kept = 0; kept < bytes; kept += kept < 200 ? 7 : 97) {
		scratch_write("cut.npz", archive, kept);
		ck_assert_int_eq(clpac_result_read_npz(scratch_path("cut.npz"), &read, &err), CLPAC_ERROR_FORMAT);
		ck_assert_ptr_null(read);
	}
	free(archive);
}

TEST(a_changed_byte_of_data_is_seen)
{
	clpac_error err;
	clpac_result *read = NULL;
	size_t bytes;
	write_result(MADE_MAPS, "a.npz");
	char *archive = scratch_read("a.npz", &bytes);
	size_t place = (size_t)(find_member(archive, bytes, "z.npy") - archive) + 128 + 33;
	archive[place] ^= 1;
	scratch_write("changed.npz", archive, bytes);
	assert_refused(clpac_result_read_npz(scratch_path("changed.npz"), &read, &err), err, CLPAC_ERROR_FORMAT,
		       "z.npy");
	free(archive);
}

TEST(a_head_that_claims_more_than_there_is_is_refused_before_anything_is_allocated)
{
	clpac_error err;
	clpac_result *read = NULL;
	size_t bytes;
	write_result(1, "a.npz");
	char *archive = scratch_read("a.npz", &bytes);
	char *shape = strstr(archive + (find_member(archive, bytes, "mi.npy") - archive) + 10, "(2, 3, 4, 5), } ");
	memcpy(shape, "(9999999, 3, 4, 5), }", 21);
	scratch_write("huge.npz", archive, bytes);
	assert_refused(clpac_result_read_npz(scratch_path("huge.npz"), &read, &err), err, CLPAC_ERROR_FORMAT,
		       "claims more items");
	free(archive);
}

/* An archive of only these arrays, filled with zeros where they have no data. */
static void write_arrays(const char *name, const clpac__npz_array *arrays, size_t n)
{
	static const double zeros[64];
	clpac_error err;
	clpac__npz_output *npz = NULL;
	assert_works(clpac__npz_output_open(scratch_path(name), &(clpac__output_way){.overwrite = true},
					    CLPAC__ARRAYS_NPZ, &npz, &err),
		     err);
	for (size_t i = 0; i < n; i++) {
		clpac__npz_array array = arrays[i];
		array.data = array.data ? array.data : zeros;
		if (array.name)
			assert_works(clpac__npz_output_add(npz, &array, &err), err);
	}
	assert_works(clpac__npz_output_commit(npz, &err), err);
	clpac__npz_output_discard(npz);
}

TEST(an_archive_that_is_no_result_is_refused_with_the_array_named)
{
	static const uint64_t of_another_use[8] = {9}, of_more_taps[8] = {0, 0, 0, 4},
			      of_many_taps[8] = {0, 0, 0, UINT64_MAX}, of_three_taps[8] = {0, 0, 0, 2, 1, 0, 0, 1};
	const clpac__npz_array good[] = {
		{"mi", "<f4", 4, {1, 1, 2, 2}, 4, NULL},	 {"n_empty_bins", "<u4", 4, {1, 1, 2}, 3, NULL},
		{"phase_bands_hz", "<f8", 8, {2, 2}, 2, NULL},	 {"amplitude_bands_hz", "<f8", 8, {2, 2}, 2, NULL},
		{"segment_onsets_s", "<f8", 8, {1}, 1, NULL},	 {"channels", "<U3", 12, {1}, 1, NULL},
		{"cell_bands_hz", "<f8", 8, {2, 2, 2}, 3, NULL}, {"filters_hz", "<f8", 8, {2, 4}, 2, NULL},
		{"filters", "<u8", 8, {2, 4}, 2, of_three_taps}, {"taps", "<f8", 8, {3}, 1, NULL},
	};
	static const struct {
		size_t changed;
		clpac__npz_array with;
		const char *complaint;
	} cases[] = {
		{0, {"mi", "<f8", 8, {1, 1, 2, 2}, 4, NULL}, "mi.npy is of type \"<f8\": a result has \"f4\""},
		{0, {"mi", "<f4", 4, {1, 2, 2}, 3, NULL}, "mi.npy has 3 dimensions"},
		{0, {"mi", "<f4", 4, {1, 1, 2, 3}, 4, NULL}, "dimension 3 of mi is 3, where the other arrays say 2"},
		{1, {"n_empty_bins", "<u4", 4, {1, 1, 3}, 3, NULL}, "dimension 2 of n_empty_bins is 3"},
		{2, {"phase_bands_hz", "<f8", 8, {2, 3}, 2, NULL}, "dimension 1 of phase_bands_hz is 3"},
		{3, {"amplitude_bands_hz", "<f8", 8, {0, 2}, 2, NULL}, "dimension 0 is 0"},
		{4, {"segment_onsets_s", "<f8", 8, {2}, 1, NULL}, "dimension 0 of segment_onsets_s is 2"},
		{5, {"channels", "|S3", 3, {1}, 1, NULL}, "channels.npy is of type \"|S3\": a result has \"U\""},
		{5, {"channels", "<U0", 0, {1}, 1, NULL}, "channels.npy is of type \"<U0\""},
		{5, {"channels", "<U3", 12, {2}, 1, NULL}, "dimension 0 of channels is 2"},
		{6, {"cell_bands_hz", "<f8", 8, {2, 2}, 2, NULL}, "cell_bands_hz.npy has 2 dimensions"},
		{6, {"cell_bands_hz", "<f8", 8, {2, 3, 2}, 3, NULL}, "dimension 1 of cell_bands_hz is 3"},
		{6, {"cell_bands_hz", "<f4", 4, {2, 2, 2}, 3, NULL}, "cell_bands_hz.npy is of type \"<f4\""},
		{7, {"filters_hz", "<f8", 8, {3, 4}, 2, NULL}, "dimension 0 of filters_hz is 3"},
		{7, {"filters_hz", "<f8", 8, {2, 2}, 2, NULL}, "dimension 1 of filters_hz is 2"},
		{8, {"filters", "<u8", 8, {2, 3}, 2, NULL}, "dimension 1 of filters is 3"},
		{8, {"filters", "<u4", 4, {2, 4}, 2, NULL}, "filters.npy is of type \"<u4\""},
		{8, {"filters", "<u8", 8, {2, 4}, 2, NULL}, "3 taps are of no filter"},
		{8, {"filters", "<u8", 8, {2, 4}, 2, of_another_use}, "a filter has use 9"},
		{8, {"filters", "<u8", 8, {2, 4}, 2, of_more_taps}, "4 of 3 taps"},
		{8, {"filters", "<u8", 8, {2, 4}, 2, of_many_taps}, "18446744073709551615 of 3 taps"},
		{8, {NULL, NULL, 0, {0}, 0, NULL}, "dimension 0 of filters_hz is 2, where the other arrays say 0"},
		{9, {NULL, NULL, 0, {0}, 0, NULL}, "2 of 0 taps"},
		{9, {"taps", "<f4", 4, {3}, 1, NULL}, "taps.npy is of type \"<f4\""},
		{1, {NULL, NULL, 0, {0}, 0, NULL}, "holds no array n_empty_bins: it is not a result"},
		{2, {NULL, NULL, 0, {0}, 0, NULL}, "holds no array phase_bands_hz"},
		{5, {NULL, NULL, 0, {0}, 0, NULL}, "holds no array channels"},
	};
	clpac_error err;
	clpac_result *read = NULL;
	write_arrays("good.npz", good, COUNT(good));
	assert_works(clpac_result_read_npz(scratch_path("good.npz"), &read, &err), err);
	ck_assert_str_eq(clpac_result_channel_name(read, 0), "");
	ck_assert_str_eq(clpac_result_problem(read), "");
	clpac_result_destroy(read);
	read = NULL;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac__npz_array arrays[COUNT(good)];
		memcpy(arrays, good, sizeof good);
		arrays[cases[i].changed] = cases[i].with;
		write_arrays("bad.npz", arrays, COUNT(arrays));
		assert_refused(clpac_result_read_npz(scratch_path("bad.npz"), &read, &err), err, CLPAC_ERROR_FORMAT,
			       cases[i].complaint);
		ck_assert_ptr_null(read);
	}
	scratch_write("text.npz", "no archive\n", 11);
	assert_refused(clpac_result_read_npz(scratch_path("text.npz"), &read, &err), err, CLPAC_ERROR_FORMAT,
		       "text.npz");
}

/* The number is read before anything else, so that a file of which nothing else is understood is told apart from a
 * damaged one; files without it were written before there was one. */
TEST(a_newer_format_is_refused_by_its_number_and_older_ones_are_read)
{
	static const uint32_t numbers[] = {0, 1, 2, UINT32_MAX};
	clpac_error err;
	clpac_result *read = NULL;
	size_t bytes, channel = 0;
	uint32_t written;
	write_result(MADE_MAPS, "a.npz");
	char *archive = scratch_read("a.npz", &bytes);
	memcpy(&written, find_member(archive, bytes, "format_version.npy") + 128, sizeof written);
	ck_assert_uint_eq(written, 1);
	free(archive);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const clpac__npz_array arrays[] = {
			{"mi", CLPAC__NPY_ORDER "f4", 4, {1, 1, 1, 1}, 4, NULL},
			{"n_empty_bins", CLPAC__NPY_ORDER "u4", 4, {1, 1, 1}, 3, NULL},
			{"phase_bands_hz", CLPAC__NPY_ORDER "f8", 8, {1, 2}, 2, NULL},
			{"amplitude_bands_hz", CLPAC__NPY_ORDER "f8", 8, {1, 2}, 2, NULL},
			{"segment_onsets_s", CLPAC__NPY_ORDER "f8", 8, {1}, 1, NULL},
			{"channels", CLPAC__NPY_ORDER "U3", 12, {1}, 1, NULL},
			{"format_version", CLPAC__NPY_ORDER "u4", 4, {0}, 0, &numbers[i]},
		};
		char complaint[200];
		write_arrays("of_a_number.npz", arrays, COUNT(arrays));
		write_arrays("alone.npz", arrays + COUNT(arrays) - 1, 1);
		if (numbers[i] <= written) {
			assert_works(clpac_result_read_npz(scratch_path("of_a_number.npz"), &read, &err), err);
			clpac_result_destroy(read);
			read = NULL;
			assert_refused(clpac_result_read_npz(scratch_path("alone.npz"), &read, &err), err,
				       CLPAC_ERROR_FORMAT, "holds no array n_empty_bins: it is not a result");
			continue;
		}
		snprintf(complaint, sizeof complaint,
			 ".npz is a result of format %lu, and this version of clpac reads formats 0 to 1: read it with "
			 "a newer clpac",
			 (unsigned long)numbers[i]);
		assert_refused(clpac_result_read_npz(scratch_path("of_a_number.npz"), &read, &err), err,
			       CLPAC_ERROR_FORMAT, complaint);
		assert_refused(clpac_result_read_npz(scratch_path("alone.npz"), &read, &err), err, CLPAC_ERROR_FORMAT,
			       complaint);
		assert_refused(clpac_result_join_npz(scratch_path("of_a_number.npz"), &channel, 1, NULL, &read, &err),
			       err, CLPAC_ERROR_FORMAT, complaint);
		ck_assert_ptr_null(read);
	}
	write_arrays("of_a_type.npz", &(clpac__npz_array){"format_version", "<f8", 8, {0}, 0, NULL}, 1);
	assert_refused(clpac_result_read_npz(scratch_path("of_a_type.npz"), &read, &err), err, CLPAC_ERROR_FORMAT,
		       "format_version.npy is of type \"<f8\": a result has \"u4\"");
}

TEST(numbers_of_the_other_byte_order_are_read)
{
	const uint16_t one = 1;
	bool is_little = *(const unsigned char *)&one == 1;
	const float value = 0.3f;
	unsigned char turned[4];
	for (int i = 0; i < 4; i++)
		turned[i] = ((const unsigned char *)&value)[3 - i];
	static const double zeros[4];
	const clpac__npz_array arrays[] = {
		{"mi", is_little ? ">f4" : "<f4", 4, {1, 1, 1, 1}, 4, turned},
		{"n_empty_bins", is_little ? ">u4" : "<u4", 4, {1, 1, 1}, 3, zeros},
		{"phase_bands_hz", CLPAC__NPY_ORDER "f8", 8, {1, 2}, 2, zeros},
		{"amplitude_bands_hz", CLPAC__NPY_ORDER "f8", 8, {1, 2}, 2, zeros},
		{"segment_onsets_s", CLPAC__NPY_ORDER "f8", 8, {1}, 1, zeros},
		{"channels", CLPAC__NPY_ORDER "U3", 12, {1}, 1, zeros},
	};
	clpac_error err;
	clpac_result *read = NULL;
	clpac__npz_output *npz = NULL;
	assert_works(
		clpac__npz_output_open(scratch_path("a.npz"), &(clpac__output_way){0}, CLPAC__ARRAYS_NPZ, &npz, &err),
		err);
	for (size_t i = 0; i < COUNT(arrays); i++)
		assert_works(clpac__npz_output_add(npz, &arrays[i], &err), err);
	assert_works(clpac__npz_output_commit(npz, &err), err);
	clpac__npz_output_discard(npz);
	assert_works(clpac_result_read_npz(scratch_path("a.npz"), &read, &err), err);
	ck_assert(clpac_result_array(read, CLPAC_MI, NULL)[0] == value);
	clpac_result_destroy(read);
}
