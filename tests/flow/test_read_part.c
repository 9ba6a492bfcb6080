/* Samples on demand: channels loaded alone are those of a recording that is read whole, and only their bytes are read
 * where the format keeps them apart. */
#include "runner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "hdf5_bytes.h"
#include "mat_bytes.h"
#include "read_files.h"
#include "random.h"
#include "base/error.h"
#include "base/memory.h"

enum { N_CHANNELS = 64, N_RECORDS = 8, PER_RECORD = 256, N_SAMPLES = N_RECORDS * PER_RECORD };

/* --- A file of each layout ---------------------------------------------------------------------- */

static uint64_t number_of(size_t channel, size_t i)
{
	return (uint64_t)((channel * 7919 + i * 31) % 60000);
}

/* Signals after signal in records of a second; the last one has annotations. */
static const char *make_edf(void)
{
	bytes to = {0};
	char text[32];
	const size_t n = N_CHANNELS + 1;
	bytes_add_field(&to, "0", 8);
	bytes_add_field(&to, "X X X X", 80);
	bytes_add_field(&to, "Startdate X X X X", 80);
	bytes_add_field(&to, "01.01.20", 8);
	bytes_add_field(&to, "00.00.00", 8);
	snprintf(text, sizeof text, "%zu", 256 * (n + 1));
	bytes_add_field(&to, text, 8);
	bytes_add_field(&to, "EDF+D", 44);
	snprintf(text, sizeof text, "%d", N_RECORDS);
	bytes_add_field(&to, text, 8);
	bytes_add_field(&to, "1", 8);
	snprintf(text, sizeof text, "%zu", n);
	bytes_add_field(&to, text, 4);
	static const struct {
		const char *of_samples, *of_annotations;
		size_t width;
	} fields[] = {
		{NULL, "EDF Annotations", 16}, {"", "", 80},	      {"uV", "", 8}, {"-300", "-1", 8}, {"300", "1", 8},
		{"-32768", "-32768", 8},       {"32767", "32767", 8}, {"", "", 80},  {"256", "30", 8},	{"", "", 32}};
	for (size_t f = 0; f < COUNT(fields); f++)
		for (size_t c = 0; c < n; c++) {
			snprintf(text, sizeof text, "EEG %zu", c);
			bytes_add_field(&to,
					c == N_CHANNELS	       ? fields[f].of_annotations
					: fields[f].of_samples ? fields[f].of_samples
							       : text,
					fields[f].width);
		}
	for (size_t r = 0; r < N_RECORDS; r++) {
		char list[60] = "";
		for (size_t c = 0; c < N_CHANNELS; c++)
			for (size_t i = 0; i < PER_RECORD; i++)
				bytes_add_number(&to, number_of(c, r * PER_RECORD + i) - 30000, 2, 0);
		/* A gap of 10 s in the middle. */
		snprintf(list, sizeof list, "+%zu\x14\x14%c+%zu.5\x14note\x14", r < 4 ? r : r + 10, 0, r);
		bytes_add(&to, list, sizeof list);
	}
	const char *path = files_write("made.edf", to.data, to.n);
	bytes_free(&to);
	return path;
}

static const char *make_npy(bool is_fortran, size_t n_epochs)
{
	bytes to = {0};
	char head[128];
	const size_t per_epoch = N_SAMPLES / (n_epochs ? n_epochs : 1);
	int n = n_epochs ? snprintf(head, sizeof head,
				    "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %d, %zu)}", n_epochs,
				    N_CHANNELS, per_epoch)
			 : snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': %s, 'shape': (%d, %d)}",
				    is_fortran ? "True" : "False", N_CHANNELS, N_SAMPLES);
	bytes_add(&to, "\x93NUMPY\1\0", 8);
	bytes_add_number(&to, 118, 2, 0);
	bytes_add(&to, head, (size_t)n);
	for (; n < 118; n++)
		bytes_add(&to, n == 117 ? "\n" : " ", 1);
	for (size_t k = 0; k < (size_t)N_CHANNELS * N_SAMPLES; k++) {
		const size_t epoch = k / (N_CHANNELS * per_epoch), in = k % (N_CHANNELS * per_epoch);
		const size_t c = is_fortran ? k % N_CHANNELS : in / per_epoch;
		const size_t i = is_fortran ? k / N_CHANNELS : epoch * per_epoch + in % per_epoch;
		const float value = i == 5 ? NAN : (float)number_of(c, i);
		bytes_add(&to, &value, sizeof value);
	}
	const char *path = files_write("made.npy", to.data, to.n);
	bytes_free(&to);
	return path;
}

static const char *make_rows(void)
{
	return make_npy(false, 0);
}

static const char *make_columns(void)
{
	return make_npy(true, 0);
}

static const char *make_epochs(void)
{
	return make_npy(false, 4);
}

static const char *make_brainvision(bool is_multiplexed)
{
	bytes to = {0}, head = {0};
	char text[400];
	for (size_t k = 0; k < (size_t)N_CHANNELS * N_SAMPLES; k++)
		bytes_add_number(&to,
				 is_multiplexed ? number_of(k % N_CHANNELS, k / N_CHANNELS) - 30000
						: number_of(k / N_SAMPLES, k % N_SAMPLES) - 30000,
				 2, 0);
	files_write("made.eeg", to.data, to.n);
	int n = snprintf(text, sizeof text,
			 "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=made.eeg\n"
			 "DataFormat=BINARY\nDataOrientation=%s\nNumberOfChannels=%d\nSamplingInterval=2000\n"
			 "[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\n",
			 is_multiplexed ? "MULTIPLEXED" : "VECTORIZED", N_CHANNELS);
	bytes_add(&head, text, (size_t)n);
	for (int c = 0; c < N_CHANNELS; c++) {
		n = snprintf(text, sizeof text, "Ch%d=E%d,,%s,\n", c + 1, c, c % 2 ? "0.5" : "1");
		bytes_add(&head, text, (size_t)n);
	}
	const char *path = files_write("made.vhdr", head.data, head.n);
	bytes_free(&to);
	bytes_free(&head);
	return path;
}

static const char *make_multiplexed(void)
{
	return make_brainvision(true);
}

static const char *make_vectorised(void)
{
	return make_brainvision(false);
}

static const char *make_raw(void)
{
	bytes to = {0};
	for (size_t k = 0; k < (size_t)N_CHANNELS * N_SAMPLES; k++)
		bytes_add_number(&to, number_of(k % N_CHANNELS, k / N_CHANNELS), 2, 0);
	const char *path = files_write("made.dat", to.data, to.n);
	bytes_free(&to);
	return path;
}

static const char *make_mat(void)
{
	bytes to = {0};
	double *samples = calloc((size_t)N_CHANNELS * N_SAMPLES, sizeof *samples);
	ck_assert_ptr_nonnull(samples);
	for (size_t k = 0; k < (size_t)N_CHANNELS * N_SAMPLES; k++)
		samples[k] = k / N_CHANNELS == 5 ? NAN : (double)number_of(k % N_CHANNELS, k / N_CHANNELS);
	mat_head(&to, true);
	mat_array(&to, "x", MAT_CLASS_SINGLE, MAT_F4, N_CHANNELS, N_SAMPLES, 0, samples);
	mat_number(&to, "fs", 500);
	free(samples);
	const char *path = files_write("made.mat", to.data, to.n);
	bytes_free(&to);
	return path;
}

static const char *make_hdf5(bool is_chunked)
{
	hdf5_file file;
	static const char *const names[] = {"x", "fs"};
	static float samples[N_CHANNELS * N_SAMPLES];
	const double rate = 500;
	uint64_t members[2];
	for (size_t k = 0; k < COUNT(samples); k++)
		samples[k] = k / N_CHANNELS == 5 ? NAN : (float)number_of(k % N_CHANNELS, k / N_CHANNELS);
	hdf5_begin(&file, true);
	hdf5_array array = hdf5_variable((hdf5_type){'f', 4, false}, "single", N_CHANNELS, N_SAMPLES, samples);
	/* A chunk is all samples of a channel. */
	array.chunk[0] = is_chunked ? N_SAMPLES : 0;
	array.chunk[1] = is_chunked;
	members[0] = hdf5_write_array(&file, &array);
	const hdf5_array fs = hdf5_variable((hdf5_type){'f', 8, false}, "double", 1, 1, &rate);
	members[1] = hdf5_write_array(&file, &fs);
	hdf5_end(&file, hdf5_write_group(&file, 2, names, members, NULL, 0));
	const char *path = files_write("made.mat", file.all.data, file.all.n);
	bytes_free(&file.all);
	return path;
}

static const char *make_piece(void)
{
	return make_hdf5(false);
}

static const char *make_chunks(void)
{
	return make_hdf5(true);
}

/* Bytes of a channel in the file, and what else of it is read: header and annotations, and, where channels lie side by
 * side, all others. */
static const struct {
	const char *name;
	const char *(*make)(void);
	const char *raw;
	size_t channel_bytes;
	bool is_by_sample, is_finite;
} layouts[] = {
	{"EDF", make_edf, NULL, 2 * N_SAMPLES, false, true},
	{"npy by rows", make_rows, NULL, 4 * N_SAMPLES, false, false},
	{"npy by columns", make_columns, NULL, 4 * N_SAMPLES, true, false},
	{"npy of epochs", make_epochs, NULL, 4 * N_SAMPLES, false, false},
	{"BrainVision, multiplexed", make_multiplexed, NULL, 2 * N_SAMPLES, true, true},
	{"BrainVision, vectorised", make_vectorised, NULL, 2 * N_SAMPLES, false, true},
	{"raw", make_raw, "u2:64", 2 * N_SAMPLES, true, true},
	{"MAT", make_mat, NULL, 4 * N_SAMPLES, true, false},
	{"MAT 7.3", make_piece, NULL, 4 * N_SAMPLES, true, false},
	{"MAT 7.3 in chunks", make_chunks, NULL, 4 * N_SAMPLES, false, false},
};
enum { N_LAYOUTS = COUNT(layouts) };
_Static_assert(N_CHANNELS == 64, "the text of the raw layout has it");

static clpac_read_options options_of(int layout, bool on_demand)
{
	return (clpac_read_options){.size = sizeof(clpac_read_options),
				    .raw = layouts[layout].raw,
				    .rate_hz = layouts[layout].is_finite && !layouts[layout].raw ? 0 : 500,
				    .on_demand = on_demand};
}

static clpac_recording *open_layout(int layout, const char *path, bool on_demand)
{
	const clpac_read_options options = options_of(layout, on_demand);
	return files_read(path, &options);
}

static void compare_channel(const clpac_recording *part, const clpac_recording *whole, size_t c)
{
	const clpac_channel *a = clpac_recording_channel(part, c), *b = clpac_recording_channel(whole, c);
	ck_assert_uint_eq(a->n_samples, b->n_samples);
	ck_assert_int_eq(a->type, b->type);
	ck_assert_ptr_nonnull(a->samples);
	ck_assert_int_eq(memcmp(a->samples, b->samples,
				a->n_samples * (a->type == CLPAC_FLOAT64 ? sizeof(double) : sizeof(float))),
			 0);
}

/* --- Laws --------------------------------------------------------------------------------------- */

FIXTURE(files_begin, files_end);

TEST_EACH(one_channel_reads_its_own_bytes, N_LAYOUTS)
{
	const char *path = layouts[_i].make();
	clpac_error err = {0};
	clpac_recording *whole = open_layout(_i, path, false), *part = open_layout(_i, path, true);
	const size_t all = N_CHANNELS * layouts[_i].channel_bytes;
	const uint64_t opened = clpac_recording_bytes_read(part);
	/* Header, the first bytes that tell the format, and EDF's annotations: 60 bytes in each record.  Of MATLAB's
	 * files the variables are passed over twice, and found once, each time in pieces of 4 KiB. */
	ck_assert_uint_le(opened, _i == 0 ? 256 * (N_CHANNELS + 2) + 512 + 256 + 60 * N_RECORDS
				  : strncmp(layouts[_i].name, "MAT", 3) == 0 ? 32768
									     : 1024);
	ck_assert_uint_ge(clpac_recording_bytes_read(whole), all);
	for (size_t k = 0; k < 3; k++) {
		const size_t c = (const size_t[]){0, 17, N_CHANNELS - 1}[k];
		const uint64_t before = clpac_recording_bytes_read(part);
		uint64_t n_bytes = 0;
		ck_assert_ptr_null(clpac_recording_channel(part, c)->samples);
		OK(clpac_recording_load_bytes(part, &c, 1, &n_bytes, &err));
		OK(clpac_recording_load(part, &c, 1, &err));
		compare_channel(part, whole, c);
		ck_assert_uint_eq(clpac_recording_bytes_read(part) - before, n_bytes);
		ck_assert_uint_eq(n_bytes, layouts[_i].is_by_sample
						   ? all - (N_CHANNELS - 1) * (layouts[_i].channel_bytes / N_SAMPLES)
						   : layouts[_i].channel_bytes);
		/* Loaded again it is not read again. */
		const uint64_t now = clpac_recording_bytes_read(part);
		OK(clpac_recording_load_bytes(part, &c, 1, &n_bytes, &err));
		ck_assert_uint_eq(n_bytes, 0);
		OK(clpac_recording_load(part, &c, 1, &err));
		ck_assert_uint_eq(clpac_recording_bytes_read(part), now);
		clpac_recording_unload(part, &c, 1);
		ck_assert_ptr_null(clpac_recording_channel(part, c)->samples);
	}
	clpac_recording_destroy(whole);
	clpac_recording_destroy(part);
}

/* Channels that are read together equal those that are read alone, in whatever order they were asked for. */
TEST_EACH(any_channels_in_any_order_are_those_of_the_whole, N_LAYOUTS)
{
	const char *path = layouts[_i].make();
	clpac_error err = {0};
	unsigned long long state = (unsigned long long)_i + 1;
	clpac_recording *whole = open_layout(_i, path, false), *part = open_layout(_i, path, true);
	for (int round = 0; round < 20; round++) {
		size_t wanted[N_CHANNELS];
		const size_t n = 1 + random_below(&state, N_CHANNELS);
		for (size_t k = 0; k < n; k++)
			wanted[k] = random_below(&state, N_CHANNELS);
		uint64_t n_bytes = 0;
		const uint64_t before = clpac_recording_bytes_read(part);
		OK(clpac_recording_load_bytes(part, wanted, n, &n_bytes, &err));
		ck_assert_uint_eq(clpac_recording_bytes_read(part), before);
		OK(clpac_recording_load(part, wanted, n, &err));
		ck_assert_uint_eq(clpac_recording_bytes_read(part) - before, n_bytes);
		for (size_t k = 0; k < n; k++)
			compare_channel(part, whole, wanted[k]);
		clpac_recording_unload(part, wanted, n);
		for (size_t c = 0; c < N_CHANNELS; c++)
			ck_assert_ptr_null(clpac_recording_channel(part, c)->samples);
	}
	ck_assert_uint_eq(clpac_recording_n_annotations(part), clpac_recording_n_annotations(whole));
	ck_assert_uint_eq(clpac_recording_n_stretches(part), clpac_recording_n_stretches(whole));
	for (size_t i = 0; i < clpac_recording_n_stretches(part); i++)
		ck_assert_int_eq(memcmp(clpac_recording_stretch(part, i), clpac_recording_stretch(whole, i),
					sizeof(clpac_stretch)),
				 0);
	ck_assert_uint_eq(clpac_recording_n_warnings(part), clpac_recording_n_warnings(whole));
	for (size_t c = 0; c < N_CHANNELS; c++)
		ck_assert(clpac_recording_is_finite(part, c) == layouts[_i].is_finite);
	clpac_recording_destroy(whole);
	clpac_recording_destroy(part);
}

TEST_EACH(a_load_without_memory_leaves_no_channel, N_LAYOUTS)
{
	const char *path = layouts[_i].make();
	static const size_t wanted[] = {3, 1, 60, 3};
	clpac_error err = {0};
	clpac_recording *whole = open_layout(_i, path, false), *part = open_layout(_i, path, true);
	for (unsigned long k = 1;; k++) {
		clpac__fail_allocation(k, false);
		const clpac_status counted =
			clpac_recording_load_bytes(part, wanted, COUNT(wanted), &(uint64_t){0}, &err);
		const unsigned long counting = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		ck_assert_int_eq(counted, counting < k ? CLPAC_OK : CLPAC_ERROR_NO_MEMORY);
		clpac__fail_allocation(k, false);
		const clpac_status st = clpac_recording_load(part, wanted, COUNT(wanted), &err);
		const unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK && made < k)
			break;
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
		for (size_t c = 0; c < N_CHANNELS; c++)
			ck_assert_ptr_null(clpac_recording_channel(part, c)->samples);
	}
	for (size_t k = 0; k < COUNT(wanted); k++)
		compare_channel(part, whole, wanted[k]);
	clpac_recording_destroy(whole);
	clpac_recording_destroy(part);
}

TEST_EACH(a_file_cut_short_after_it_was_opened_is_told, N_LAYOUTS)
{
	const char *path = layouts[_i].make();
	static const size_t last = N_CHANNELS - 1;
	clpac_error err = {0};
	clpac_recording *part = open_layout(_i, path, true);
	ck_assert_int_eq(truncate(strstr(path, ".vhdr") ? files_path("made.eeg") : path, 4000), 0);
	ck_assert_int_eq(clpac_recording_load(part, &last, 1, &err), CLPAC_ERROR_FORMAT);
	ck_assert_msg(strstr(err.text, "it is cut short") && strstr(err.text, "made."), "%s", err.text);
	ck_assert_ptr_null(clpac_recording_channel(part, last)->samples);
	clpac_recording_destroy(part);
}

TEST(a_channel_that_is_not_there_is_refused)
{
	const char *path = make_rows();
	static const size_t wanted[] = {1, N_CHANNELS};
	clpac_error err = {0};
	uint64_t n_bytes = 1;
	clpac_recording *part = open_layout(1, path, true);
	ck_assert_int_eq(clpac_recording_load(part, wanted, 2, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "channel 64"), "%s", err.text);
	ck_assert_ptr_null(clpac_recording_channel(part, 1)->samples);
	ck_assert_int_eq(clpac_recording_load_bytes(part, wanted, 2, &n_bytes, &err), CLPAC_ERROR_ARGUMENT);
	OK(clpac_recording_load_bytes(part, NULL, 0, &n_bytes, &err));
	ck_assert_uint_eq(n_bytes, 0);
	clpac_recording_unload(part, wanted, 2);
	OK(clpac_recording_load(part, NULL, 0, &err));
	clpac_recording_destroy(part);
}

/* --- A part of each channel ---------------------------------------------------------------------- */

/* Rooms of a part, with a value on either side that must stay. */
enum { BORDER = 1 };
static const double kept = 4711.5;

static size_t value_bytes(const clpac_recording *recording, size_t channel)
{
	return clpac_recording_channel(recording, channel)->type == CLPAC_FLOAT32 ? sizeof(float) : sizeof(double);
}

static void *make_room(const clpac_recording *recording, size_t channel, size_t n)
{
	void *room = calloc(n + 2 * BORDER, value_bytes(recording, channel));
	ck_assert_ptr_nonnull(room);
	if (value_bytes(recording, channel) == sizeof(float))
		((float *)room)[0] = ((float *)room)[n + BORDER] = (float)kept;
	else
		((double *)room)[0] = ((double *)room)[n + BORDER] = kept;
	return room;
}

/* A room holds the samples of the whole channel from `first` on, NaN among them, and what was beside it. */
static void compare_part(const clpac_recording *whole, size_t channel, size_t first, size_t n, const void *room)
{
	const clpac_channel *of = clpac_recording_channel(whole, channel);
	for (size_t i = 0; i < n + 2 * BORDER; i++) {
		const bool is_single = of->type == CLPAC_FLOAT32, is_beside = i < BORDER || i >= n + BORDER;
		const double got = is_single ? (double)((const float *)room)[i] : ((const double *)room)[i];
		const double wanted = is_beside	  ? kept
				      : is_single ? (double)((const float *)of->samples)[first + i - BORDER]
						  : ((const double *)of->samples)[first + i - BORDER];
		ck_assert_msg(got == wanted || (isnan(got) && isnan(wanted)),
			      "channel %zu, sample %zu of %zu from %zu on: %g and not %g", channel, i, n, first, got,
			      wanted);
	}
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* At the ends of records, of epochs and of the file, and anywhere. */
TEST_EACH(a_part_of_some_channels_is_that_of_the_whole, N_LAYOUTS)
{
	static const size_t borders[] = {0,	   1, PER_RECORD - 1, PER_RECORD, 2 * PER_RECORD + 1, N_SAMPLES - 1,
					 N_SAMPLES};
	const char *path = layouts[_i].make();
	clpac_error err = {0};
	unsigned long long state = (unsigned long long)_i + 77;
	clpac_recording *whole = open_layout(_i, path, false), *part = open_layout(_i, path, true);
	for (size_t round = 0; round < COUNT(borders) * COUNT(borders) + 20; round++) {
		const bool is_border = round < COUNT(borders) * COUNT(borders);
		const size_t a = is_border ? borders[round % COUNT(borders)] : random_below(&state, N_SAMPLES);
		const size_t b = is_border ? borders[round / COUNT(borders)] : random_below(&state, N_SAMPLES);
		const size_t first = least_of(a, b), n = a + b - 2 * first;
		const size_t start = random_below(&state, N_CHANNELS), n_channels = 1 + random_below(&state, 5);
		size_t wanted[5];
		void *rooms[5], *inner[5];
		uint64_t n_bytes = 0;
		for (size_t k = 0; k < n_channels; k++) {
			wanted[k] = (start + 13 * k) % N_CHANNELS;
			rooms[k] = make_room(whole, wanted[k], n);
			inner[k] = (char *)rooms[k] + BORDER * value_bytes(whole, wanted[k]);
		}
		const uint64_t before = clpac_recording_bytes_read(part);
		OK(clpac_recording_part_bytes(part, wanted, n_channels, first, n, &n_bytes, &err));
		ck_assert_uint_eq(clpac_recording_bytes_read(part), before);
		OK(clpac_recording_read_part(part, wanted, n_channels, first, n, inner, &err));
		ck_assert_uint_eq(clpac_recording_bytes_read(part) - before, n_bytes);
		/* No more than the records that hold it, of all channels. */
		const uint64_t all = clpac_recording_n_channels(whole) * sizeof(float);
		ck_assert_uint_le(n_bytes, n ? (n + 2 * PER_RECORD) * all : 0);
		for (size_t k = 0; k < n_channels; k++) {
			compare_part(whole, wanted[k], first, n, rooms[k]);
			ck_assert_ptr_null(clpac_recording_channel(part, wanted[k])->samples);
			free(rooms[k]);
		}
	}
	clpac_recording_destroy(whole);
	clpac_recording_destroy(part);
}

TEST_EACH(a_part_that_is_not_there_is_refused, N_LAYOUTS)
{
	const char *path = layouts[_i].make();
	clpac_error err = {0};
	double room[4];
	void *rooms[] = {room, room + 2};
	uint64_t n_bytes;
	clpac_recording *part = open_layout(_i, path, true);
	static const struct {
		size_t channels[2], first, n;
		clpac_status st;
	} wrong[] = {
		{{0, 1}, N_SAMPLES - 1, 2, CLPAC_ERROR_ARGUMENT},
		{{0, 1}, N_SAMPLES + 1, 0, CLPAC_ERROR_ARGUMENT},
		{{0, 1}, 1, SIZE_MAX, CLPAC_ERROR_ARGUMENT},
		{{0, N_CHANNELS}, 0, 1, CLPAC_ERROR_ARGUMENT},
		{{3, 3}, 0, 1, CLPAC_ERROR_ARGUMENT},
		{{5, 6}, 0, 1, CLPAC_ERROR_UNSUPPORTED},
	};
	static const size_t loaded = 6;
	OK(clpac_recording_load(part, &loaded, 1, &err));
	for (size_t i = 0; i < COUNT(wrong); i++) {
		ck_assert_int_eq(
			clpac_recording_read_part(part, wrong[i].channels, 2, wrong[i].first, wrong[i].n, rooms, &err),
			wrong[i].st);
		ck_assert_int_eq(clpac_recording_part_bytes(part, wrong[i].channels, 2, wrong[i].first, wrong[i].n,
							    &n_bytes, &err),
				 wrong[i].st);
	}
	OK(clpac_recording_read_part(part, NULL, 0, 0, 1, NULL, &err));
	for (unsigned long k = 1;; k++) {
		clpac__fail_allocation(k, false);
		const clpac_status st = clpac_recording_read_part(part, (size_t[]){4, 2}, 2, 7, 2, rooms, &err);
		const unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK && made < k)
			break;
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
	}
	ck_assert_int_eq(truncate(strstr(path, ".vhdr") ? files_path("made.eeg") : path, 4000), 0);
	ck_assert_int_eq(clpac_recording_read_part(part, (size_t[]){1, 2}, 2, N_SAMPLES - 2, 2, rooms, &err),
			 CLPAC_ERROR_FORMAT);
	clpac_recording_destroy(part);
}

/* --- Gaps --------------------------------------------------------------------------------------- */

enum { MOST_GAPS = 64 };

typedef struct gap {
	size_t channel, first, n;
} gap;

typedef struct gaps {
	gap each[MOST_GAPS];
	size_t n, most; /* the search ends with an error when there are `most`; 0: it does not */
} gaps;

static clpac_status hear_gap(void *user, size_t channel, size_t first, size_t n, clpac_error *err)
{
	gaps *to = user;
	ck_assert_uint_lt(to->n, MOST_GAPS);
	to->each[to->n++] = (gap){channel, first, n};
	return to->most && to->n == to->most ? clpac__fail(err, CLPAC_ERROR_CANCELLED, "enough") : CLPAC_OK;
}

/* NaN and infinite numbers in five channels: at both ends of the file, of epochs, and of chunks of a mebibyte, alone
 * and in runs, and a whole channel of them. */
enum { GAP_CHANNELS = 5, GAP_SAMPLES = 60000, GAP_EPOCH = GAP_SAMPLES / 3 };
static const gap planted[] = {{1, 0, 1},     {1, 2, 3},	    {1, 59990, 10}, {2, 0, GAP_SAMPLES},
			      {4, 19999, 2}, {4, 26213, 3}, {4, 52427, 4},  {4, 59999, 1}};

/* All channels of a sample side by side, or all samples of a channel in each of three epochs. */
static const char *make_gaps(bool is_by_sample)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY};
	double *values = calloc(GAP_CHANNELS * GAP_SAMPLES, sizeof *values);
	bytes to = {0};
	char head[129];
	for (size_t g = 0; g < COUNT(planted); g++)
		for (size_t i = planted[g].first; i < planted[g].first + planted[g].n; i++) {
			const size_t c = planted[g].channel;
			values[is_by_sample ? i * GAP_CHANNELS + c
					    : (i / GAP_EPOCH * GAP_CHANNELS + c) * GAP_EPOCH + i % GAP_EPOCH] =
				odd[i % 3];
		}
	snprintf(head, sizeof head, "\x93NUMPY\1%c\x76%c%-117s\n", 0, 0,
		 "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 5, 20000), }");
	if (!is_by_sample)
		bytes_add(&to, head, 128);
	bytes_add(&to, values, GAP_CHANNELS * GAP_SAMPLES * sizeof *values);
	const char *path = files_write(is_by_sample ? "made.dat" : "made.npy", to.data, to.n);
	bytes_free(&to);
	free(values);
	return path;
}

static clpac_recording *open_gaps(const char *path, bool is_by_sample, double resample_hz)
{
	return files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options),
						      .rate_hz = 100,
						      .resample_hz = resample_hz,
						      .raw = is_by_sample ? "f8:5" : NULL,
						      .on_demand = true});
}

/* Those of each channel come in the order of time, channels in any. */
static void check_gaps(const gaps *found)
{
	ck_assert_uint_eq(found->n, COUNT(planted));
	for (size_t c = 0, g = 0; c < GAP_CHANNELS; c++)
		for (size_t i = 0; i < found->n; i++)
			if (found->each[i].channel == c) {
				ck_assert_uint_eq(found->each[i].first, planted[g].first);
				ck_assert_uint_eq(found->each[i].n, planted[g].n);
				ck_assert_uint_eq(planted[g++].channel, c);
			}
}

static const size_t all_gaps[] = {4, 1, 0, 2, 3};

TEST_EACH(gaps_are_found_in_one_pass_without_keeping_samples, 2)
{
	static const size_t some[] = {4, 0}, loaded[] = {4};
	clpac_error err = {0};
	gaps found = {.n = 0};
	clpac_recording *r = open_gaps(make_gaps(_i), _i, 0);
	const uint64_t before = clpac_recording_bytes_read(r);
	OK(clpac_recording_find_gaps(r, all_gaps, GAP_CHANNELS, hear_gap, &found, &err));
	ck_assert_uint_eq(clpac_recording_bytes_read(r) - before, GAP_CHANNELS * GAP_SAMPLES * sizeof(double));
	check_gaps(&found);
	for (size_t c = 0; c < GAP_CHANNELS; c++)
		ck_assert_ptr_null(clpac_recording_channel(r, c)->samples);
	/* The same of a channel that is there. */
	OK(clpac_recording_load(r, loaded, COUNT(loaded), &err));
	found.n = 0;
	OK(clpac_recording_find_gaps(r, all_gaps, GAP_CHANNELS, hear_gap, &found, &err));
	check_gaps(&found);
	clpac_recording_unload(r, loaded, COUNT(loaded));
	found.n = 0;
	OK(clpac_recording_find_gaps(r, some, COUNT(some), hear_gap, &found, &err));
	ck_assert_uint_eq(found.n, 4);
	clpac_recording_destroy(r);
}

TEST_EACH(a_search_for_gaps_that_fails_says_so, 2)
{
	clpac_error err = {0};
	gaps found = {.most = 2};
	const char *path = make_gaps(_i);
	clpac_recording *r = open_gaps(path, _i, 0);
	ck_assert_int_eq(clpac_recording_find_gaps(r, all_gaps, GAP_CHANNELS, hear_gap, &found, &err),
			 CLPAC_ERROR_CANCELLED);
	ck_assert_str_eq(err.text, "enough");
	ck_assert_uint_eq(found.n, 2);
	for (unsigned long k = 1;; k++) {
		found = (gaps){.n = 0};
		clpac__fail_allocation(k, false);
		const clpac_status st = clpac_recording_find_gaps(r, all_gaps, GAP_CHANNELS, hear_gap, &found, &err);
		const unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK && made < k)
			break;
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
	}
	check_gaps(&found);
	ck_assert_int_eq(clpac_recording_find_gaps(r, &(size_t){GAP_CHANNELS}, 1, hear_gap, &found, &err),
			 CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(truncate(path, 4000), 0);
	ck_assert_int_eq(clpac_recording_find_gaps(r, all_gaps, GAP_CHANNELS, hear_gap, &found, &err),
			 CLPAC_ERROR_FORMAT);
	clpac_recording_destroy(r);
}

/* Integers are not looked at, and text is there already. */
TEST(gaps_of_other_files)
{
	static const size_t two[] = {0, 1};
	clpac_error err = {0};
	gaps found = {.n = 0};
	clpac_recording *r =
		files_read(files_write("made.dat", "0123456789abcdef", 16),
			   &(clpac_read_options){.size = sizeof(clpac_read_options), .raw = "i2:2", .on_demand = true});
	const uint64_t before = clpac_recording_bytes_read(r);
	OK(clpac_recording_find_gaps(r, two, 2, hear_gap, &found, &err));
	ck_assert_uint_eq(found.n, 0);
	ck_assert_uint_eq(clpac_recording_bytes_read(r), before);
	clpac_recording_destroy(r);
	r = files_read(files_write_text("made.csv", "a,b\n1,nan\n2,inf\n3,4\n"), NULL);
	OK(clpac_recording_find_gaps(r, two, 2, hear_gap, &found, &err));
	ck_assert_uint_eq(found.n, 1);
	ck_assert(found.each[0].channel == 1 && found.each[0].first == 0 && found.each[0].n == 2);
	clpac_recording_destroy(r);
}

/* What is resampled is made from more than one sample. */
TEST_UNLESS(clpac_resampling_is_available() ? NULL : "built without libsamplerate",
	    gaps_of_a_resampled_recording_are_refused)
{
	static const size_t two[] = {0, 1};
	clpac_error err = {0};
	gaps found = {.n = 0};
	clpac_recording *r = open_gaps(make_gaps(true), true, 50);
	ck_assert_int_eq(clpac_recording_find_gaps(r, two, 2, hear_gap, &found, &err), CLPAC_ERROR_UNSUPPORTED);
	clpac_recording_destroy(r);
}

/* Text cannot be read by channels: all samples are there, and stay. */
TEST(other_formats_are_read_whole)
{
	const char *path = files_write_text("made.csv", "time,a,b\n0,1,2\n0.5,3,4\n1,5,6\n");
	static const size_t first = 0;
	clpac_error err = {0};
	clpac_recording *r =
		files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .on_demand = true});
	ck_assert_double_eq(files_sample(r, 1, 2), 6);
	const uint64_t before = clpac_recording_bytes_read(r);
	OK(clpac_recording_load(r, &first, 1, &err));
	clpac_recording_unload(r, &first, 1);
	ck_assert_double_eq(files_sample(r, 0, 2), 5);
	ck_assert_uint_eq(clpac_recording_bytes_read(r), before);
	ck_assert(!clpac_recording_is_finite(r, 0));
	clpac_recording_destroy(r);
}

/* Samples that are made from others, and text, whose samples are there. */
TEST(other_channels_have_no_part)
{
	clpac_error err = {0};
	float room[2];
	void *rooms[] = {room};
	clpac_recording *r = files_read(files_write_text("made.csv", "a,b\n1,2\n3,4\n"),
					&(clpac_read_options){.size = sizeof(clpac_read_options), .on_demand = true});
	ck_assert_int_eq(clpac_recording_read_part(r, &(size_t){0}, 1, 0, 1, rooms, &err), CLPAC_ERROR_UNSUPPORTED);
	clpac_recording_destroy(r);
	if (!clpac_resampling_is_available())
		return;
	r = open_gaps(make_gaps(true), true, 50);
	ck_assert_int_eq(clpac_recording_read_part(r, &(size_t){0}, 1, 0, 1, rooms, &err), CLPAC_ERROR_UNSUPPORTED);
	clpac_recording_destroy(r);
}
