/* Files of MATLAB 5 and data sets of EEGLAB: both orders of bytes, plain and compressed, whole and as fields, with the
 * samples within and beside; what their numbers, names, events, trials and boundaries become; and a refusal by name of
 * what is wrong.  tests/flow/readers.py compares with MNE, tests/flow/octave.test with GNU Octave. */
#include "runner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "mat_bytes.h"
#include "read_files.h"

enum { CHANNELS = 3, SAMPLES = 200 };

/* Whole numbers, which int16 holds too. */
static double value_of(size_t channel, size_t i)
{
	return (double)((channel * 7919 + i * 31) % 6001) - 3000;
}

static double *values(size_t n_channels, size_t n_samples)
{
	double *made = malloc(n_channels * n_samples * sizeof *made);
	ck_assert_ptr_nonnull(made);
	for (size_t i = 0; i < n_samples; i++)
		for (size_t c = 0; c < n_channels; c++)
			made[i * n_channels + c] = value_of(c, i);
	return made;
}

static void check_samples(const clpac_recording *r, size_t n_channels, size_t n_samples)
{
	ck_assert_uint_eq(clpac_recording_n_channels(r), n_channels);
	for (size_t c = 0; c < n_channels; c++) {
		ck_assert_uint_eq(clpac_recording_channel(r, c)->n_samples, n_samples);
		for (size_t i = 0; i < n_samples; i++)
			ck_assert_double_eq(files_sample(r, c, i), value_of(c, i));
	}
}

/* --- Data sets ---------------------------------------------------------------------------------- */

typedef struct event {
	const char *type; /* NULL: the number 7 */
	double latency, duration;
} event;

typedef struct data_set {
	bool is_big, is_flat, is_packed;
	unsigned kind, stored;
	const char *file; /* of the samples; NULL: within */
	size_t trials;	  /* dimensions of data within: 0, two */
	double n_trials;  /* as told */
	double rate, points, channels;
	const char *labels[CHANNELS + 1], *types[CHANNELS];
	const event *events;
	size_t n_events;
} data_set;

static const event some_events[] = {{"go", 11, 0}, {"boundary", 80.5, 33}, {NULL, 101, 25}};

static data_set good(void)
{
	return (data_set){.kind = MAT_CLASS_SINGLE,
			  .stored = MAT_F4,
			  .n_trials = 1,
			  .rate = 250,
			  .points = SAMPLES,
			  .channels = CHANNELS,
			  .labels = {"Fz", "Cz", "X1"},
			  .types = {"EEG", "", "EOG"},
			  .events = some_events,
			  .n_events = COUNT(some_events)};
}

static void add_chanlocs(bytes *to, const data_set *set, const char *name)
{
	static const char *const names[] = {"labels", "X", "type"};
	size_t n = 0;
	while (set->labels[n])
		n++;
	const size_t place = mat_begin(to, name, MAT_STRUCT, 1, n, 0);
	mat_fields(to, names, COUNT(names));
	for (size_t c = 0; c < n; c++) {
		mat_text(to, "", set->labels[c]);
		mat_number(to, "", 0.5);
		mat_text(to, "", set->types[c]);
	}
	mat_end(to, place);
}

static void add_event(bytes *to, const data_set *set, const char *name)
{
	static const char *const names[] = {"latency", "type", "urevent", "duration"};
	const size_t place = mat_begin(to, name, MAT_STRUCT, 1, set->n_events, 0);
	mat_fields(to, names, COUNT(names));
	for (size_t i = 0; i < set->n_events; i++) {
		mat_number(to, "", set->events[i].latency);
		if (set->events[i].type)
			mat_text(to, "", set->events[i].type);
		else
			mat_number(to, "", 7);
		/* An empty matrix may have nothing but its tag. */
		bytes_add_number(to, MAT_MATRIX, 4, set->is_big);
		bytes_add_number(to, 0, 4, 0);
		mat_number(to, "", set->events[i].duration);
	}
	mat_end(to, place);
}

static const char *const field_names[] = {"setname", "nbchan", "trials", "pnts",     "srate",
					  "times",   "data",   "icaact", "chanlocs", "event"};

static void add_field(bytes *to, const data_set *set, const char *field, const char *name)
{
	const size_t trials = set->trials ? set->trials : 1;
	double *samples = values(CHANNELS, SAMPLES);
	if (strcmp(field, "nbchan") == 0)
		mat_number(to, name, set->channels);
	else if (strcmp(field, "trials") == 0)
		mat_number(to, name, set->n_trials);
	else if (strcmp(field, "pnts") == 0)
		mat_number(to, name, set->points);
	else if (strcmp(field, "srate") == 0)
		mat_number(to, name, set->rate);
	else if (strcmp(field, "chanlocs") == 0)
		add_chanlocs(to, set, name);
	else if (strcmp(field, "event") == 0)
		add_event(to, set, name);
	else if (strcmp(field, "data") == 0 && set->file)
		mat_text(to, name, set->file);
	else if (strcmp(field, "data") == 0)
		mat_array(to, name, set->kind, set->stored, CHANNELS, SAMPLES / trials, set->trials, samples);
	else
		mat_text(to, name, "made");
	free(samples);
}

static bytes set_bytes(const data_set *set)
{
	bytes to = {0}, whole = {0};
	mat_head(&to, set->is_big);
	const size_t place = set->is_flat ? 0 : mat_begin(&whole, "EEG", MAT_STRUCT, 1, 1, 0);
	if (!set->is_flat)
		mat_fields(&whole, field_names, COUNT(field_names));
	for (size_t i = 0; i < COUNT(field_names); i++) {
		bytes variable = {0};
		if (!set->is_flat) {
			add_field(&whole, set, field_names[i], "");
			continue;
		}
		add_field(&variable, set, field_names[i], field_names[i]);
		if (set->is_packed)
			mat_packed(&to, &variable);
		else
			bytes_add(&to, variable.data, variable.n);
		bytes_free(&variable);
	}
	if (!set->is_flat)
		mat_end(&whole, place);
	if (!set->is_flat && set->is_packed)
		mat_packed(&to, &whole);
	else if (!set->is_flat)
		bytes_add(&to, whole.data, whole.n);
	bytes_free(&whole);
	return to;
}

static const char *write_set(const data_set *set)
{
	bytes made = set_bytes(set);
	const char *path = files_write("made.set", made.data, made.n);
	bytes_free(&made);
	return path;
}

static const char *write_fdt(const char *name, size_t n_samples)
{
	bytes to = {0};
	for (size_t i = 0; i < n_samples; i++)
		for (size_t c = 0; c < CHANNELS; c++) {
			const float value = (float)value_of(c, i);
			uint32_t bits;
			memcpy(&bits, &value, sizeof bits);
			bytes_add_number(&to, bits, 4, 0);
		}
	const char *path = files_write(name, to.data, to.n);
	bytes_free(&to);
	return path;
}

static void check_annotation(const clpac_recording *r, size_t i, double onset, double seconds, const char *text)
{
	const clpac_annotation *annotation = clpac_recording_annotation(r, i);
	ck_assert_ptr_nonnull(annotation);
	ck_assert_double_eq_tol(annotation->onset_seconds, onset, 1e-12);
	ck_assert_double_eq_tol(annotation->seconds, seconds, 1e-12);
	ck_assert_str_eq(annotation->text, text);
}

static void check_stretch(const clpac_recording *r, size_t i, double first, double seconds)
{
	const clpac_stretch *stretch = clpac_recording_stretch(r, i);
	ck_assert_ptr_nonnull(stretch);
	ck_assert_double_eq_tol(stretch->onset_seconds, first, 1e-12);
	ck_assert_double_eq_tol(stretch->first_seconds, first, 1e-12);
	ck_assert_double_eq_tol(stretch->seconds, seconds, 1e-12);
}

FIXTURE(files_begin, files_end);

/* Bits of the case: order of bytes, fields as variables, compressed, samples beside. */
TEST_EACH(a_data_set_is_read_however_it_is_written, 16)
{
	data_set set = good();
	set.is_big = _i & 1;
	set.is_flat = _i & 2;
	set.is_packed = _i & 4;
	if (_i & 8) {
		set.file = "made.fdt";
		write_fdt("made.fdt", SAMPLES);
	}
	clpac_recording *r = files_read(write_set(&set), NULL);
	ck_assert_str_eq(clpac_recording_format(r), "EEGLAB");
	check_samples(r, CHANNELS, SAMPLES);
	static const char *const kinds[] = {"eeg", "", "eog"};
	for (size_t c = 0; c < CHANNELS; c++) {
		const clpac_channel *channel = clpac_recording_channel(r, c);
		ck_assert_str_eq(channel->name, set.labels[c]);
		ck_assert_str_eq(channel->unit, "uV");
		ck_assert_str_eq(clpac_channel_kind_name(channel->kind), kinds[c]);
		ck_assert_double_eq(channel->rate_hz, 250);
		ck_assert_int_eq(channel->type, CLPAC_FLOAT32);
	}
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 3);
	check_annotation(r, 0, 10 / 250.0, 0, "go");
	check_annotation(r, 1, 79.5 / 250.0, 0, "boundary");
	check_annotation(r, 2, 100 / 250.0, 25 / 250.0, "7");
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 2);
	check_stretch(r, 0, 0, 80 / 250.0);
	check_stretch(r, 1, 80 / 250.0, 120 / 250.0);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

/* MATLAB stores whole numbers of any class in few bytes. */
TEST_EACH(numbers_are_read_as_they_are_stored, 3)
{
	data_set set = good();
	set.kind = _i == 2 ? MAT_CLASS_INT16 : MAT_CLASS_DOUBLE;
	set.stored = _i == 0 ? MAT_F8 : MAT_I2;
	clpac_recording *r = files_read(write_set(&set), NULL);
	check_samples(r, CHANNELS, SAMPLES);
	ck_assert_int_eq(clpac_recording_channel(r, 0)->type, _i == 0 ? CLPAC_FLOAT64 : CLPAC_FLOAT32);
	clpac_recording_destroy(r);
}

/* Three dimensions, or two with the number of trials, within and beside. */
TEST_EACH(trials_are_stretches_of_their_own, 3)
{
	data_set set = good();
	set.trials = _i == 0 ? 4 : 0;
	set.n_trials = 4;
	set.points = SAMPLES / 4;
	if (_i == 2) {
		set.file = "made.fdt";
		write_fdt("made.fdt", SAMPLES);
	}
	clpac_recording *r = files_read(write_set(&set), NULL);
	check_samples(r, CHANNELS, SAMPLES);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	/* The boundary lies in the second trial, and cuts it. */
	static const double firsts[] = {0, 50, 80, 100, 150, 200};
	ck_assert_uint_eq(clpac_recording_n_stretches(r), COUNT(firsts) - 1);
	for (size_t i = 0; i + 1 < COUNT(firsts); i++)
		check_stretch(r, i, firsts[i] / 250, (firsts[i + 1] - firsts[i]) / 250);
	check_annotation(r, 2, 100 / 250.0, 25 / 250.0, "7");
	clpac_recording_destroy(r);
}

TEST(boundaries_at_the_ends_and_twice_cut_nothing_more)
{
	static const event events[] = {
		{"Boundary", 101, 5}, {"boundary", 0.5, 9}, {"boundary", SAMPLES + 0.5, 0}, {"boundary", 100.5, 1}};
	data_set set = good();
	set.events = events;
	set.n_events = COUNT(events);
	clpac_recording *r = files_read(write_set(&set), NULL);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 2);
	check_stretch(r, 0, 0, 100 / 250.0);
	check_stretch(r, 1, 100 / 250.0, 100 / 250.0);
	check_annotation(r, 1, 0, 0, "boundary");
	clpac_recording_destroy(r);
}

TEST(events_outside_the_data_are_left_out)
{
	static const event events[] = {
		{"a", 0, 1}, {"b", 1, 1}, {"c", SAMPLES + 2, 1}, {"d", NAN, 1}, {"e", SAMPLES, NAN}};
	data_set set = good();
	set.events = events;
	set.n_events = COUNT(events);
	clpac_recording *r = files_read(write_set(&set), NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	check_annotation(r, 0, 0, 0, "b");
	check_annotation(r, 1, (SAMPLES - 1) / 250.0, 0, "e");
	files_warned(r, "outside the data");
	clpac_recording_destroy(r);
}

TEST(names_that_do_not_fit_are_left_out)
{
	data_set set = good();
	set.labels[2] = NULL;
	clpac_recording *r = files_read(write_set(&set), NULL);
	ck_assert_str_eq(clpac_recording_channel(r, 1)->name, "1");
	files_warned(r, "chanlocs has 2 channels, data 3");
	clpac_recording_destroy(r);
	set = good();
	set.labels[1] = "";
	r = files_read(write_set(&set), NULL);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "0");
	files_warned(r, "a channel without a name");
	clpac_recording_destroy(r);
	set.labels[0] = NULL;
	r = files_read(write_set(&set), NULL);
	ck_assert_str_eq(clpac_recording_channel(r, 2)->name, "2");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

TEST(a_rate_that_is_missing_can_be_given)
{
	data_set set = good();
	set.rate = 0;
	const char *path = write_set(&set);
	clpac_recording *r = files_read(path, NULL);
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
	files_warned(r, "srate is no number above 0");
	clpac_recording_destroy(r);
	r = files_read(path, &(clpac_read_options){.rate_hz = 100});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 100);
	check_annotation(r, 0, 0.1, 0, "go");
	clpac_recording_destroy(r);
}

TEST(numbers_that_contradict_the_samples_are_told)
{
	data_set set = good();
	set.points = SAMPLES + 1;
	clpac_recording *r = files_read(write_set(&set), NULL);
	check_samples(r, CHANNELS, SAMPLES);
	files_warned(r, "say 3 x 201 x 1 numbers, data has 3 channels of 200 samples");
	clpac_recording_destroy(r);
}

/* --- The file of samples ------------------------------------------------------------------------ */

TEST(the_file_of_samples_is_found_beside_the_set)
{
	data_set set = good();
	/* Folders of the machine that wrote it are not entered. */
	static const char *const named[] = {"C:\\data\\made.fdt", "/no/such/folder/made.fdt", "made.FDT"};
	for (size_t i = 0; i < COUNT(named); i++) {
		set.file = named[i];
		const char *path = write_set(&set);
		write_fdt(i == 2 ? "made.FDT" : "made.fdt", SAMPLES);
		clpac_recording *r = files_read(path, NULL);
		check_samples(r, CHANNELS, SAMPLES);
		ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
		clpac_recording_destroy(r);
	}
	/* Both were renamed. */
	set.file = "before.fdt";
	clpac_recording *r = files_read(write_set(&set), NULL);
	check_samples(r, CHANNELS, SAMPLES);
	files_warned(r, "the one of its own name is read");
	clpac_recording_destroy(r);
}

TEST(a_file_of_samples_that_is_missing_or_wrong_is_refused)
{
	data_set set = good();
	set.file = "gone.fdt";
	files_refuse(write_set(&set), NULL, CLPAC_ERROR_IO, "has its samples in another file: cannot open");
	set.file = "old.dat";
	files_refuse(write_set(&set), NULL, CLPAC_ERROR_FORMAT, "pop_saveset");
	set.file = "made.fdt";
	write_fdt("made.fdt", SAMPLES - 1);
	clpac_recording *r = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_recording_read(write_set(&set), NULL, &r, &err), CLPAC_ERROR_FORMAT);
	ck_assert_msg(strstr(err.text, "made.fdt claims 3 channels of 200 samples"), "%s", err.text);
	set.points = 1.5;
	files_refuse(write_set(&set), NULL, CLPAC_ERROR_FORMAT, "nbchan, pnts and trials are 3, 1.5 and 1");
	set.points = 1e300;
	files_refuse(write_set(&set), NULL, CLPAC_ERROR_FORMAT, "does not say how its samples lie");
	set.points = SAMPLES - 2;
	r = files_read(write_set(&set), NULL);
	files_warned(r, "12 bytes follow the samples");
	clpac_recording_destroy(r);
}

/* Of a pair the checksum is that of both, as sha256sum would tell. */
TEST(the_checksum_holds_both_files)
{
	char before[65], after[65], alone[65];
	clpac_error err = {0};
	data_set set = good();
	const char *path = write_set(&set);
	OK(clpac_recording_checksum(path, NULL, before, &err));
	OK(clpac_file_checksum(path, alone, &err));
	ck_assert_str_eq(before, alone);
	set.file = "made.fdt";
	write_fdt("made.fdt", SAMPLES);
	path = write_set(&set);
	OK(clpac_recording_checksum(path, NULL, before, &err));
	write_fdt("made.fdt", SAMPLES + 1);
	OK(clpac_recording_checksum(path, NULL, after, &err));
	ck_assert_str_ne(before, after);
	ck_assert_int_eq(unlink(files_path("made.fdt")), 0);
	ck_assert_int_eq(clpac_recording_checksum(path, NULL, after, &err), CLPAC_ERROR_IO);
}

/* --- Arrays by name ----------------------------------------------------------------------------- */

static void add_labels(bytes *to, const char *name, const char *const *labels, size_t n)
{
	const size_t place = mat_begin(to, name, MAT_CELL, n, 1, 0);
	for (size_t i = 0; i < n; i++)
		mat_text(to, "", labels[i]);
	mat_end(to, place);
}

static const char *write_mat(bytes *content)
{
	const char *path = files_write("made.mat", content->data, content->n);
	bytes_free(content);
	return path;
}

static const char *write_arrays(const char *first, const char *second)
{
	bytes to = {0};
	double *samples = values(CHANNELS, SAMPLES);
	mat_head(&to, false);
	mat_text(&to, "note", "hello");
	mat_array(&to, first, MAT_CLASS_DOUBLE, MAT_F8, CHANNELS, SAMPLES, 0, samples);
	if (second)
		mat_array(&to, second, MAT_CLASS_SINGLE, MAT_F4, 1, SAMPLES, 0, samples);
	free(samples);
	return write_mat(&to);
}

TEST(the_array_that_is_named_is_read)
{
	clpac_recording *r = files_read(write_arrays("x", NULL), &(clpac_read_options){.rate_hz = 100});
	ck_assert_str_eq(clpac_recording_format(r), "MAT");
	check_samples(r, CHANNELS, SAMPLES);
	clpac_recording_destroy(r);
	const char *path = write_arrays("x", "y");
	files_refuse(path, NULL, CLPAC_ERROR_ARGUMENT,
		     "holds 2 arrays and none is called data: give one as the array, x, y");
	files_refuse(path, &(clpac_read_options){.array = "z"}, CLPAC_ERROR_ARGUMENT, "no array \"z\": it has x, y");
	files_refuse(path, &(clpac_read_options){.array = "note"}, CLPAC_ERROR_FORMAT,
		     "\"note\" holds no real numbers");
	r = files_read(path, &(clpac_read_options){.array = "y"});
	ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
	clpac_recording_destroy(r);
	r = files_read(write_arrays("y", "data"), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
	clpac_recording_destroy(r);
	r = files_read(write_arrays("data", "y"), NULL);
	check_samples(r, CHANNELS, SAMPLES);
	clpac_recording_destroy(r);
}

TEST(a_rate_and_names_beside_the_array_are_taken)
{
	static const char *const labels[] = {"Fz", "Cz", "Pz"};
	bytes to = {0};
	double *samples = values(CHANNELS, SAMPLES);
	mat_head(&to, true);
	add_labels(&to, "labels", labels, CHANNELS);
	mat_number(&to, "Fs", 512);
	mat_array(&to, "x", MAT_CLASS_DOUBLE, MAT_I2, CHANNELS, SAMPLES / 4, 4, samples);
	const char *path = write_mat(&to);
	clpac_recording *r = files_read(path, NULL);
	check_samples(r, CHANNELS, SAMPLES);
	ck_assert_str_eq(clpac_recording_channel(r, 2)->name, "Pz");
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 512);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 4);
	check_stretch(r, 3, 150 / 512.0, 50 / 512.0);
	clpac_recording_destroy(r);
	files_refuse(path, &(clpac_read_options){.rate_hz = 500}, CLPAC_ERROR_ARGUMENT, "says 512 Hz");
	mat_head(&to, false);
	add_labels(&to, "ch_names", labels, CHANNELS - 1);
	mat_number(&to, "srate", -1);
	mat_array(&to, "x", MAT_CLASS_DOUBLE, MAT_F8, CHANNELS, SAMPLES, 0, samples);
	r = files_read(write_mat(&to), NULL);
	ck_assert_str_eq(clpac_recording_channel(r, 2)->name, "2");
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 0);
	files_warned(r, "2 names of channels are no texts for 3 channels");
	files_warned(r, "is not above 0");
	clpac_recording_destroy(r);
	free(samples);
}

TEST(a_row_and_a_column_are_a_channel)
{
	for (size_t is_column = 0; is_column < 2; is_column++) {
		bytes to = {0};
		double *samples = values(1, SAMPLES);
		mat_head(&to, false);
		mat_array(&to, "x", MAT_CLASS_DOUBLE, MAT_F8, is_column ? SAMPLES : 1, is_column ? 1 : SAMPLES, 0,
			  samples);
		clpac_recording *r = files_read(write_mat(&to), NULL);
		check_samples(r, 1, SAMPLES);
		clpac_recording_destroy(r);
		free(samples);
	}
}

TEST(an_array_that_seems_transposed_is_told)
{
	bytes to = {0};
	double *samples = values(SAMPLES, CHANNELS);
	mat_head(&to, false);
	mat_array(&to, "x", MAT_CLASS_DOUBLE, MAT_F8, SAMPLES, CHANNELS, 0, samples);
	clpac_recording *r = files_read(write_mat(&to), NULL);
	files_warned(r, "200 channels of 3 samples: if its rows are samples, transpose it");
	clpac_recording_destroy(r);
	free(samples);
}

/* --- What is wrong ------------------------------------------------------------------------------ */

TEST(files_without_samples_are_refused)
{
	bytes to = {0};
	mat_head(&to, false);
	mat_text(&to, "note", "hello");
	const char *path = files_write("made.set", to.data, to.n);
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, "no data set of EEGLAB");
	files_refuse(write_mat(&to), NULL, CLPAC_ERROR_FORMAT, "holds no array of numbers");
	mat_head(&to, false);
	const size_t place = mat_begin(&to, "EEG", MAT_STRUCT, 1, 2, 0);
	mat_fields(&to, field_names, 0);
	mat_end(&to, place);
	files_refuse(write_mat(&to), NULL, CLPAC_ERROR_FORMAT, "holds 2 data sets");
}

/* The position of a word of four bytes. */
static size_t find_word(const bytes *in, uint32_t word, size_t from)
{
	for (size_t i = from; i + 4 <= in->n; i += 4) {
		uint32_t here = (uint32_t)in->data[i] | (uint32_t)in->data[i + 1] << 8 |
				(uint32_t)in->data[i + 2] << 16 | (uint32_t)in->data[i + 3] << 24;
		if (here == word)
			return i;
	}
	ck_abort_msg("no such word");
	return 0;
}

static void set_word(bytes *in, size_t at, uint32_t word)
{
	for (size_t i = 0; i < 4; i++)
		in->data[at + i] = (unsigned char)(word >> 8 * i);
}

/* Claims beyond what the file, the matrix around it, or the packed bytes can hold. */
TEST(claims_that_do_not_fit_are_refused)
{
	static const struct {
		uint32_t found, put;
		size_t behind; /* words behind the found one */
		const char *text;
	} claims[] = {
		{MAT_MATRIX, 0x7ffffff8, 1, "claims 2147483640 bytes, where"},
		{MAT_MATRIX, 99, 0, "type 99 stands where a matrix is needed"},
		{MAT_U4, 4, 1, "the class of a matrix cannot be read"},
		{MAT_I4, 7, 1, "the dimensions of a matrix cannot be read"},
		{MAT_I4, 0x80000000, 2, "a matrix claims a size of 2147483648"},
		{MAT_F8, 98, 0, "of type 98, which there is not"},
		{MAT_F8, 16, 1, "claims 600 numbers of 8 bytes, and has 16 bytes"},
	};
	double *samples = values(CHANNELS, SAMPLES);
	for (size_t i = 0; i < COUNT(claims); i++) {
		bytes to = {0};
		mat_head(&to, false);
		mat_array(&to, "x", MAT_CLASS_DOUBLE, MAT_F8, CHANNELS, SAMPLES, 0, samples);
		set_word(&to, find_word(&to, claims[i].found, 128) + 4 * claims[i].behind, claims[i].put);
		files_refuse(write_mat(&to), NULL, CLPAC_ERROR_FORMAT, claims[i].text);
	}
	bytes to = {0}, variable = {0};
	mat_head(&to, false);
	mat_array(&variable, "x", MAT_CLASS_DOUBLE, MAT_F8, CHANNELS, SAMPLES, 0, samples);
	set_word(&variable, 4, 0x7ffffff8);
	mat_packed(&to, &variable);
	files_refuse(write_mat(&to), NULL, CLPAC_ERROR_FORMAT, "claims 2147483640 bytes, where");
	free(samples);
}

/* A checksum or a byte of the compressed samples that is wrong. */
TEST(compressed_samples_that_are_damaged_are_refused)
{
	double *samples = values(CHANNELS, SAMPLES);
	for (size_t k = 0; k < 2; k++) {
		bytes to = {0}, variable = {0};
		mat_head(&to, false);
		mat_array(&variable, "x", MAT_CLASS_DOUBLE, MAT_F8, CHANNELS, SAMPLES, 0, samples);
		mat_packed(&to, &variable);
		to.data[to.n - 1] ^= k == 0;
		if (k == 1) {
			to.n -= 6;
			set_word(&to, 132, (uint32_t)(to.n - 136));
		}
		files_refuse(write_mat(&to), NULL, CLPAC_ERROR_FORMAT,
			     k ? "cannot be unpacked (its end is missing)"
			       : "cannot be unpacked (incorrect data check)");
	}
	free(samples);
}

/* Only the parts that are asked for are read of a set with its samples beside or within. */
TEST_EACH(samples_on_demand_are_not_read_before, 2)
{
	enum { LONG = 100000 };
	clpac_error err = {0};
	data_set set = good();
	double room[10];
	void *rooms[] = {room};
	static const size_t second = 1;
	bytes to = {0};
	const char *path;
	if (_i) {
		double *samples = values(CHANNELS, LONG);
		mat_head(&to, false);
		mat_array(&to, "x", MAT_CLASS_DOUBLE, MAT_F8, CHANNELS, LONG, 0, samples);
		free(samples);
		path = write_mat(&to);
	} else {
		set.file = "made.fdt";
		set.points = LONG;
		write_fdt("made.fdt", LONG);
		path = write_set(&set);
	}
	clpac_recording *r = files_read(path, &(clpac_read_options){.on_demand = true});
	const uint64_t opened = clpac_recording_bytes_read(r);
	ck_assert_uint_lt(opened, 20000);
	OK(clpac_recording_read_part(r, &second, 1, 77777, 10, rooms, &err));
	ck_assert_uint_lt(clpac_recording_bytes_read(r) - opened, 1000);
	for (size_t i = 0; i < 10; i++)
		ck_assert_double_eq(_i ? room[i] : (double)((const float *)room)[i], value_of(1, 77777 + i));
	clpac_recording_destroy(r);
}
