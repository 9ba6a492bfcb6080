/* EDF, EDF+, BDF, BDF+: valid files are read, unusual ones are read with one warning per kind, and files with
 * unreadable samples are refused by the field's name. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assertions.h"
#include "edf_file.h"
#include "read_files.h"
#include "recording/recording.h"

/* The physical value by the formula, and the difference that rounding allows between two ways to compute it: three
 * roundings of numbers not above the largest limit. */
static double physical(double digital, const edf_signal *s)
{
	double pmin = strtod(s->physical_min, NULL), pmax = strtod(s->physical_max, NULL);
	double dmin = strtod(s->digital_min, NULL), dmax = strtod(s->digital_max, NULL);
	return (digital - dmin) * (pmax - pmin) / (dmax - dmin) + pmin;
}

static void check_samples(const clpac_recording *r, size_t channel, const edf_signal *s, size_t n)
{
	double largest = fmax(fabs(strtod(s->physical_min, NULL)), fabs(strtod(s->physical_max, NULL)));
	ck_assert_uint_eq(clpac_recording_channel(r, channel)->n_samples, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_double_eq_tol(files_sample(r, channel, i), physical(edf_digital(channel, i), s),
					4 * 2.3e-16 * largest);
}

FIXTURE(files_begin, files_end);

TEST_EACH(a_good_file_is_read_without_a_warning, 2)
{
	edf_file file = edf_good(_i);
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_str_eq(clpac_recording_format(r), _i ? "BDF+" : "EDF+");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 0);
	const clpac_channel *second = clpac_recording_channel(r, 1);
	ck_assert_str_eq(second->name, "Cz");
	ck_assert_str_eq(second->unit, "mV");
	ck_assert_double_eq(second->rate_hz, 2);
	ck_assert_int_eq(second->type, CLPAC_FLOAT64);
	check_samples(r, 0, &file.signals[0], 12);
	check_samples(r, 1, &file.signals[1], 6);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	const clpac_annotation *a = clpac_recording_annotation(r, 0);
	ck_assert_str_eq(a->text, "start");
	ck_assert_double_eq(a->onset_seconds, 0.5);
	ck_assert_double_eq(a->seconds, 0.25);
	ck_assert_str_eq(clpac_recording_annotation(r, 1)->text, "end");
	ck_assert_double_eq(clpac_recording_annotation(r, 1)->seconds, 0);
	clpac_recording_destroy(r);
}

TEST(values_beyond_the_limits_are_kept)
{
	edf_file file = edf_good(0);
	file.signals[0].digital_min = "-10";
	file.signals[0].digital_max = "10";
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_double_eq(files_sample(r, 0, 0), -20480);
	clpac_recording_destroy(r);
}

/* A sample far beyond the digital limits, whose value is no number: the limits themselves are. */
TEST(values_that_may_be_infinite_are_looked_at)
{
	for (int is_large = 0; is_large < 2; is_large++) {
		edf_file file = edf_good(0);
		file.signals[0].digital_min = "-1";
		file.signals[0].digital_max = "1";
		file.signals[0].physical_min = is_large ? "-1e305" : "-1e300";
		file.signals[0].physical_max = is_large ? "1e305" : "1e300";
		clpac_recording *r = files_read(edf_write(&file), NULL), *opened = NULL;
		clpac_error err;
		ck_assert_int_eq(isinf(files_sample(r, 0, 0)) != 0, is_large);
		clpac_recording_destroy(r);
		assert_works(
			clpac_recording_read(edf_write(&file), &(clpac_read_options){.on_demand = true}, &opened, &err),
			err);
		ck_assert(clpac_recording_is_finite(opened, 0) == !is_large);
		ck_assert(clpac_recording_is_finite(opened, 1));
		clpac_recording_destroy(opened);
	}
}

/* Fields that may be wrong while samples can still be read: the change, the warning, and how often it comes. */
static void break_limits(edf_file *f)
{
	f->signals[1].digital_max = "-2048";
}
static void break_physical(edf_file *f)
{
	f->signals[1].physical_max = "-1.5";
}
static void break_range(edf_file *f)
{
	f->signals[1].physical_min = "-1.7e308";
	f->signals[1].physical_max = "1.7e308";
}
static void swap_limits(edf_file *f)
{
	f->signals[1].digital_min = "2047";
	f->signals[1].digital_max = "-2048";
}
static void no_samples(edf_file *f)
{
	f->signals[1].samples = "0";
	f->signals[1].n = 0;
}
static void latin1(edf_file *f)
{
	f->signals[0].unit = f->signals[1].unit = "\xb5V";
}
static void utf8(edf_file *f)
{
	f->signals[0].unit = f->signals[1].unit = "\xc2\xb5V";
}
static void control(edf_file *f)
{
	f->signals[0].label = "F\x1b[1mz";
}
static void head_bytes(edf_file *f)
{
	f->head_bytes = "768";
}
static void no_count(edf_file *f)
{
	f->n_records = "-1";
}
static void odd_count(edf_file *f)
{
	f->n_records = "many";
}
static void small_count(edf_file *f)
{
	f->n_records = "2";
}
static void large_count(edf_file *f)
{
	f->n_records = "99999999";
}
static void no_duration(edf_file *f)
{
	f->seconds = "0";
}
static void no_list_end(edf_file *f)
{
	f->lists[1] = "+1XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX";
	f->list_bytes[1] = 32;
}
static void bad_onset(edf_file *f)
{
	EDF_LIST(f, 1, "+1.2.3\x14\x14");
}
static void bad_sign(edf_file *f)
{
	EDF_LIST(f, 1, "1\x14\x14");
}
static void bad_duration(edf_file *f)
{
	EDF_LIST(f, 1, "+1\x14\x14\0+1.5\x15-2\x14word\x14");
}
static void open_text(edf_file *f)
{
	EDF_LIST(f, 1, "+1\x14\x14\0+1.5\x14word");
}
static void latin1_text(edf_file *f)
{
	EDF_LIST(f, 1,
		 "+1\x14\x14\0+1.5\x14"
		 "caf\xe9\x14");
}
static void late_record(edf_file *f)
{
	EDF_LIST(f, 1, "+7\x14\x14");
}
static void colon_time(edf_file *f)
{
	f->start = "01.01.2012:34:56";
}
static void same_labels(edf_file *f)
{
	f->signals[1].label = f->signals[0].label;
}
static void unknown_gaps(edf_file *f)
{
	f->reserved = "EDF+D";
	f->signals[2].label = "Trigger";
	f->records = 0;
}

static const struct {
	void (*change)(edf_file *file);
	const char *warning;
	size_t count, n_warnings;
	const char *unusable; /* in the reason against channel 1; NULL: it is usable */
} odd[] = {
	{break_limits, "digital minimum and maximum of a signal are equal", 1, 1, "both -2048"},
	{break_physical, "physical minimum and maximum of a signal are equal", 1, 1, "both -1.5"},
	{break_range, "too far apart", 1, 1, "too far apart"},
	{swap_limits, "digital minimum of a signal is above", 1, 1, NULL},
	{no_samples, "no samples in a record", 1, 1, "no samples"},
	{latin1, "read as Latin-1", 1, 1, NULL},
	{utf8, "read as UTF-8", 1, 1, NULL},
	{control, "control characters", 1, 1, NULL},
	{head_bytes, "number of bytes in the header is wrong: 3 signals make it 1024", 1, 1, NULL},
	{no_count, "\"-1\": the file has 3", 1, 1, NULL},
	{odd_count, "\"many\": the file has 3", 1, 1, NULL},
	{small_count, "\"2\": the file has 3", 1, 1, NULL},
	{large_count, "\"99999999\": the file has 3", 1, 1, NULL},
	{no_duration, "duration of a record is 0", 2, 1, NULL},
	{no_list_end, "annotation list", 1, 1, NULL},
	{bad_onset, "annotation list", 1, 1, NULL},
	{bad_sign, "annotation list", 1, 1, NULL},
	{bad_duration, "annotation list", 1, 1, NULL},
	{open_text, "annotation list", 1, 1, NULL},
	{latin1_text, "an annotation is not UTF-8", 1, 1, NULL},
	{late_record, "contradicts the header", 1, 1, NULL},
	{colon_time, "start time is \"12:34:56\"", 1, 1, NULL},
	{same_labels, "several signals have one name", 1, 1, NULL},
	{unknown_gaps, "no annotation signal tells where", 1, 2, NULL},
};

TEST_EACH(what_is_odd_is_read_with_a_warning, COUNT(odd))
{
	edf_file file = edf_good(0);
	odd[_i].change(&file);
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(files_warned(r, odd[_i].warning), odd[_i].count);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), odd[_i].n_warnings);
	const char *unusable = clpac_recording_channel(r, 1)->unusable;
	ck_assert_int_eq(unusable != NULL, odd[_i].unusable != NULL);
	if (unusable) {
		ck_assert_ptr_nonnull(strstr(unusable, odd[_i].unusable));
		for (size_t i = 0; i < clpac_recording_channel(r, 1)->n_samples; i++)
			ck_assert(isnan(files_sample(r, 1, i)));
	}
	/* The first channel is unchanged. */
	if (file.records)
		check_samples(r, 0, &file.signals[0], 12);
	clpac_recording_destroy(r);
}

/* Fields without which samples cannot be read. */
static void version(edf_file *f)
{
	f->version = "1       ";
}
static void no_signals(edf_file *f)
{
	f->n_signals = "0";
}
static void minus_signals(edf_file *f)
{
	f->n_signals = "-3";
}
static void broken_signals(edf_file *f)
{
	f->n_signals = "1.5";
}
static void many_signals(edf_file *f)
{
	f->n_signals = "9999";
}
static void nan_duration(edf_file *f)
{
	f->seconds = "nan";
}
static void minus_duration(edf_file *f)
{
	f->seconds = "-1";
}
static void comma_duration(edf_file *f)
{
	f->seconds = "0,5";
}
static void tiny_duration(edf_file *f)
{
	f->seconds = "1e-320";
}
static void comma_limit(edf_file *f)
{
	f->signals[0].physical_min = "-200,0";
}
static void no_limit(edf_file *f)
{
	f->signals[0].physical_max = "";
}
static void inf_limit(edf_file *f)
{
	f->signals[0].digital_min = "-inf";
}
static void word_limit(edf_file *f)
{
	f->signals[0].digital_max = "max";
}
static void word_samples(edf_file *f)
{
	f->signals[0].samples = "four";
}
static void minus_samples(edf_file *f)
{
	f->signals[0].samples = "-4";
}
static void broken_samples(edf_file *f)
{
	f->signals[0].samples = "4.5";
}
static void huge_samples(edf_file *f)
{
	f->signals[0].samples = f->signals[1].samples = "99999999";
}
static void exponent_signals(edf_file *f)
{
	f->n_signals = "1e30";
}
static void more_signals(edf_file *f)
{
	f->n_signals = "1e4";
}
static void zero_samples(edf_file *f)
{
	f->signals[1].samples = "0";
}
static void zero_samples_of_unknown_records(edf_file *f)
{
	f->signals[0].samples = "0";
	f->n_records = "-1";
}
static void bdf_magic(edf_file *f)
{
	f->version = "\xff"
		     "BIOSEMI";
	f->reserved = "";
}
static void bdf_magic_of_unknown_records(edf_file *f)
{
	f->version = "\xff"
		     "BIOSEMI";
	f->n_records = "-1";
}
static void edf_magic(edf_file *f)
{
	*f = edf_good(1);
	f->is_bdf = 1;
	f->version = "0       ";
	f->reserved = "";
}
static void all_zero(edf_file *f)
{
	f->signals[0].samples = f->signals[1].samples = f->signals[2].samples = "0";
}

static const struct {
	void (*change)(edf_file *file);
	const char *error;
} wrong[] = {
	{version, "version field is \"1\""},
	{no_signals, "number of signals is \"0\""},
	{minus_signals, "number of signals is \"-3\""},
	{broken_signals, "number of signals is \"1.5\""},
	{many_signals, "header of 9999 signals needs 2560000 bytes"},
	{nan_duration, "duration of a record is \"nan\""},
	{minus_duration, "duration of a record is \"-1\""},
	{comma_duration, "duration of a record is \"0,5\""},
	{tiny_duration, "no sampling rate follows"},
	{comma_limit, "signal 1 (\"Fz\"): its physical minimum is \"-200,0\""},
	{no_limit, "physical maximum is \"\""},
	{inf_limit, "digital minimum is \"-inf\""},
	{word_limit, "digital maximum is \"max\""},
	{word_samples, "number of samples per record is \"four\""},
	{minus_samples, "number of samples per record is -4"},
	{broken_samples, "number of samples per record is 4.5"},
	{huge_samples, "a record needs 400000028 bytes, but only 132"},
	{exponent_signals, "number of signals is \"1e30\": it must be from 1 to 9999"},
	{more_signals, "number of signals is \"1e4\""},
	{zero_samples,
	 "signal 2 (\"Cz\"): its number of samples per record is 0, and the size of the file does not agree"},
	{zero_samples_of_unknown_records, "signal 1 (\"Fz\"): its number of samples per record is 0"},
	{bdf_magic, "with samples of 24 bits, but its size is that of 16 bits"},
	{edf_magic, "with samples of 16 bits, but its size is that of 24 bits"},
	{bdf_magic_of_unknown_records, "but its reserved field is that of 16 bits"},
	{all_zero, "number of samples per record of every signal is 0"},
};

TEST_EACH(what_makes_samples_unreadable_is_refused, COUNT(wrong))
{
	edf_file file = edf_good(0);
	wrong[_i].change(&file);
	files_refuse(edf_write(&file), NULL, CLPAC_ERROR_FORMAT, wrong[_i].error);
}

TEST(gaps_part_the_recording_into_stretches)
{
	edf_file file = edf_good(0);
	file.reserved = "EDF+D";
	file.n_records = "5";
	file.records = 5;
	EDF_LIST(&file, 0, "+0.25\x14\x14");
	EDF_LIST(&file, 1, "+1.25\x14\x14");
	EDF_LIST(&file, 2, "+12\x14\x14");
	EDF_LIST(&file, 3, "+13\x14\x14");
	EDF_LIST(&file, 4, "+10\x14\x14"); /* even backwards */
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(files_warned(r, "interrupted"), 2);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 3);
	static const double onsets[] = {0.25, 12, 10}, firsts[] = {0, 2, 4}, lengths[] = {2, 2, 1};
	for (size_t i = 0; i < 3; i++) {
		const clpac_stretch *s = clpac_recording_stretch(r, i);
		/* Start and length are rounded down by 4 epsilon at most, see read_edf.c. */
		ck_assert_double_eq(s->onset_seconds, onsets[i]);
		ck_assert_double_eq_tol(s->first_seconds, firsts[i], 5 * 4 * 2.3e-16);
		ck_assert_double_eq_tol(s->seconds, lengths[i], 5 * 8 * 2.3e-16);
	}
	clpac_recording_destroy(r);
}

/* A sample lies in the stretch in which i / rate_hz lies, however record duration and rate are rounded. */
TEST(each_sample_lies_in_the_stretch_of_its_record)
{
	static const char *const durations[] = {"0.1", "0.3", "0.7", "1.1", "0.333333", "60"};
	for (size_t d = 0; d < COUNT(durations); d++) {
		edf_file file = edf_good(0);
		file.reserved = "EDF+D";
		file.seconds = durations[d];
		file.n_records = "8";
		file.records = 8;
		char lists[8][16];
		for (int k = 0; k < 8; k++) {
			int n = snprintf(lists[k], sizeof lists[k], "+%d\x14\x14", 100 * k);
			file.lists[k] = lists[k];
			file.list_bytes[k] = (size_t)n + 1;
		}
		clpac_recording *r = files_read(edf_write(&file), NULL);
		ck_assert_uint_eq(clpac_recording_n_stretches(r), 8);
		for (size_t c = 0; c < 2; c++) {
			const clpac_channel *channel = clpac_recording_channel(r, c);
			for (size_t i = 0; i < channel->n_samples; i++) {
				const clpac_stretch *s = clpac_recording_stretch(r, i / (channel->n_samples / 8));
				double at = (double)i / channel->rate_hz;
				ck_assert_msg(s->first_seconds <= at && at < s->first_seconds + s->seconds,
					      "%s: sample %zu of %zu", durations[d], i, c);
			}
		}
		clpac_recording_destroy(r);
	}
}

TEST(an_interrupted_file_without_gaps_is_one_stretch)
{
	edf_file file = edf_good(0);
	file.reserved = "EDF+D";
	EDF_LIST(&file, 1, "+1.0004\x14\x14"); /* rounding, not a gap */
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 0);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

TEST(a_start_between_seconds_moves_the_clock)
{
	edf_file file = edf_good(0);
	EDF_LIST(&file, 0, "+0.394531\x14\x14");
	EDF_LIST(&file, 1, "+1.394531\x14\x14");
	EDF_LIST(&file, 2, "+2.394531\x14\x14");
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 1);
	ck_assert_double_eq(clpac_recording_stretch(r, 0)->onset_seconds, 0.394531);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

TEST_EACH(annotations_alone_are_a_recording_without_channels, 2)
{
	edf_file file = edf_good(_i);
	file.n_signals = "1";
	file.head_bytes = "512";
	file.seconds = "0";
	file.signals[0] = file.signals[2];
	file.signals[1].label = NULL;
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

TEST(one_time_may_have_several_texts_and_lists_several_signals)
{
	edf_file file = edf_good(0);
	EDF_LIST(&file, 0,
		 "+0\x14\x14"
		 "first\x14second\x14\0-3\x14"
		 "early\x14");
	file.n_signals = "4";
	file.head_bytes = "1280";
	file.signals[3] = file.signals[2];
	clpac_recording *r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2 * 4);
	ck_assert_str_eq(clpac_recording_annotation(r, 1)->text, "second");
	ck_assert_double_eq(clpac_recording_annotation(r, 2)->onset_seconds, -3);
	clpac_recording_destroy(r);
}

TEST(a_partial_last_record_is_left_out)
{
	edf_file file = edf_good(0);
	bytes made = edf_bytes(&file);
	clpac_recording *r = files_read(files_write("cut.edf", made.data, made.n - 1), NULL);
	ck_assert_uint_eq(files_warned(r, "the last record is incomplete, 43 of 44 bytes"), 1);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 8);
	clpac_recording_destroy(r);
	bytes_free(&made);
}

TEST(a_rate_may_be_given_where_the_duration_is_zero)
{
	edf_file file = edf_good(0);
	file.seconds = "0";
	files_refuse(edf_write(&file), &(clpac_read_options){.rate_hz = 4}, CLPAC_ERROR_ARGUMENT,
		     "one rate cannot hold for both");
	file.signals[1].samples = "4";
	file.signals[1].n = 4;
	clpac_recording *r = files_read(edf_write(&file), &(clpac_read_options){.rate_hz = 4});
	ck_assert_double_eq(clpac_recording_channel(r, 1)->rate_hz, 4);
	clpac_recording_destroy(r);
}

/* 24-bit samples at both ends of their range. */
TEST(bdf_samples_keep_their_sign)
{
	edf_file file = edf_good(1);
	file.signals[0].physical_min = "-8388608";
	file.signals[0].physical_max = "8388607";
	bytes made = edf_bytes(&file);
	static const unsigned char extremes[] = {0x00, 0x00, 0x80, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff};
	memcpy(made.data + 1024, extremes, sizeof extremes);
	clpac_recording *r = files_read(files_write("made.bdf", made.data, made.n), NULL);
	ck_assert_double_eq(files_sample(r, 0, 0), -8388608);
	ck_assert_double_eq(files_sample(r, 0, 1), 8388607);
	ck_assert_double_eq(files_sample(r, 0, 2), -1);
	clpac_recording_destroy(r);
	bytes_free(&made);
}

/* A BDF file with 4 samples of a signal in each record of a second, in place of the second signal. */
static clpac_recording *read_status(edf_file *file, const char *label, const long codes[12])
{
	file->signals[1] = file->signals[0];
	file->signals[1].label = label;
	bytes made = edf_bytes(file);
	const size_t record_bytes = (made.n - 1024) / file->records;
	for (size_t i = 0; i < 12; i++)
		for (size_t b = 0; b < 3; b++)
			made.data[1024 + i / 4 * record_bytes + 12 + i % 4 * 3 + b] =
				(unsigned char)(codes[i] >> 8 * b);
	clpac_recording *r = files_read(files_write("made.bdf", made.data, made.n), NULL);
	bytes_free(&made);
	return r;
}

static void check_annotation(const clpac_recording *r, size_t number, double onset_s, const char *text)
{
	const clpac_annotation *a = clpac_recording_annotation(r, number);
	ck_assert_double_eq(a->onset_seconds, onset_s);
	ck_assert_double_eq(a->seconds, 0);
	ck_assert_str_eq(a->text, text);
}

/* Bits 16 and 20 are set throughout, as an amplifier in range sets them: they are no part of a code. */
enum { IN_RANGE = 1 << 20, NEW_EPOCH = 1 << 16 };
static const long triggers[12] = {IN_RANGE | NEW_EPOCH, IN_RANGE, IN_RANGE | 7, 7, 0, 300, 300, 65535, 65535, 0, 0, 7};

TEST_EACH(triggers_of_bdf_are_annotations_named_by_their_code, 3)
{
	static const char *const names[] = {"Status", "STATUS", "trigger"};
	edf_file file = edf_good(1);
	clpac_recording *r = read_status(&file, names[_i], triggers);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2 + 4);
	ck_assert_str_eq(clpac_recording_annotation(r, 0)->text, "start");
	check_annotation(r, 2, 0.5, "7");
	check_annotation(r, 3, 1.25, "300");
	check_annotation(r, 4, 1.75, "65535");
	check_annotation(r, 5, 2.75, "7");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	clpac_recording_destroy(r);
}

/* Nobody knows since when the first code holds. */
TEST(the_code_that_a_file_begins_with_is_no_trigger)
{
	static const long codes[12] = {5, 5, 5, 9, 5, 0, 0, 0, 0, 0, 0, 0};
	edf_file file = edf_good(1);
	clpac_recording *r = read_status(&file, "Status", codes);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2 + 2);
	check_annotation(r, 2, 0.75, "9");
	check_annotation(r, 3, 1, "5");
	clpac_recording_destroy(r);
}

TEST(triggers_lie_on_the_clock_of_an_interrupted_file)
{
	edf_file file = edf_good(1);
	file.reserved = "BDF+D";
	EDF_LIST(&file, 0, "+0.25\x14\x14");
	EDF_LIST(&file, 1, "+1.25\x14\x14");
	EDF_LIST(&file, 2, "+12\x14\x14");
	clpac_recording *r = read_status(&file, "Status", triggers);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 2);
	static const double onsets_s[] = {0.75, 1.5, 2, 12.75};
	ck_assert_uint_eq(clpac_recording_n_annotations(r), COUNT(onsets_s));
	/* Starts of stretches are rounded down by 4 epsilon, see read_edf.c. */
	for (size_t i = 0; i < COUNT(onsets_s); i++)
		ck_assert_double_eq_tol(clpac_recording_annotation(r, i)->onset_seconds, onsets_s[i], 13 * 4 * 2.3e-16);
	clpac_recording_destroy(r);
}

/* Codes of 16 bits that were scaled are no codes, other signals none at all, and without a duration nothing has a time.
 */
TEST(other_signals_have_no_triggers)
{
	edf_file file = edf_good(1);
	clpac_recording *r = read_status(&file, "Status 2", triggers);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	clpac_recording_destroy(r);
	file = edf_good(1);
	file.seconds = "0";
	r = read_status(&file, "Status", triggers);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	clpac_recording_destroy(r);
	file = edf_good(0);
	file.signals[1].label = "Status";
	r = files_read(edf_write(&file), NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	clpac_recording_destroy(r);
}

/* Starts are as far apart as the calendar of the C library says, in each month and on both sides of the days of leap
 * years. */
TEST_EACH(starts_are_as_far_apart_as_their_dates, 12)
{
	static const int years[] = {1985, 1996, 1999, 2000, 2023, 2024, 2084};
	edf_file file = edf_good(0);
	clpac_recording *first = files_read(edf_write(&file), NULL); /* 01.01.2020 */
	ck_assert(first->has_start);
	for (size_t i = 0; i < COUNT(years); i++)
		for (int day = 1; day <= 28; day += 27) {
			char start[32];
			snprintf(start, sizeof start, "%02d.%02d.%02d23.59.01", day, _i + 1, years[i] % 100);
			file.start = start;
			clpac_recording *r = files_read(edf_write(&file), NULL);
			struct tm one = {.tm_year = 120, .tm_mday = 1}, other = {.tm_year = years[i] - 1900,
										 .tm_mon = _i,
										 .tm_mday = day,
										 .tm_hour = 23,
										 .tm_min = 59,
										 .tm_sec = 1};
			ck_assert(r->has_start);
			ck_assert_double_eq(r->start_s - first->start_s, difftime(timegm(&other), timegm(&one)));
			clpac_recording_destroy(r);
		}
	clpac_recording_destroy(first);
}

/* More than one chunk of a mebibyte, in records that do not divide it. */
TEST(a_file_of_several_chunks_is_read_whole)
{
	edf_file file = edf_good(0);
	enum { PER_RECORD = 150000 };
	file.signals[0].samples = "150000";
	file.signals[0].n = PER_RECORD;
	file.n_records = "5";
	file.records = 5;
	clpac_recording *r = files_read(edf_write(&file), NULL);
	const clpac_channel *c = clpac_recording_channel(r, 0);
	ck_assert_uint_eq(c->n_samples, 5 * PER_RECORD);
	for (size_t i = 0; i < c->n_samples; i++)
		if (fabs(((const double *)c->samples)[i] - physical(edf_digital(0, i), &file.signals[0])) >
		    4 * 2.3e-16 * 100)
			ck_abort_msg("sample %zu", i);
	clpac_recording_destroy(r);
}
