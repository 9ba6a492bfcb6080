/* Recordings from other sources, in the folder CLPAC_TEST_SHARED: EDF and BDF files with known contents, files with one
 * known fault each, a BrainVision recording and .npy files. */
#include "runner.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"

static const char *shared(const char *path)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *whole = paths[next++ % 4];
	snprintf(whole, PATH_MAX, "%s/data/%s", getenv("CLPAC_TEST_SHARED"), path);
	return whole;
}

/* A signal's limit, from the file itself: EDF's fields lie at 256 + n_signals * start + signal * 8. */
static double limit(const bytes *file, size_t n_signals, size_t start, size_t signal)
{
	char field[9] = "";
	memcpy(field, file->data + 256 + n_signals * start + signal * 8, 8);
	return strtod(field, NULL);
}

/* Digital values follow exactly from physical ones, so their sum is compared as a whole number. Two ways to compute a
 * physical value each differ from the exact one by three roundings of numbers up to M, the larger limit: 4 epsilon M
 * each. The sum of n adds that up, and the reference's own summation (pairwise: log2 n times epsilon times the sum of
 * magnitudes, n < 2^17) adds 17 epsilon n M. */
static void check_signal(const char *name, const bytes *file, size_t n_signals, size_t signal,
			 const clpac_channel *channel, json_t *expected)
{
	double pmin = limit(file, n_signals, 104, signal), pmax = limit(file, n_signals, 112, signal);
	double dmin = limit(file, n_signals, 120, signal), dmax = limit(file, n_signals, 128, signal);
	double gain = (pmax - pmin) / (dmax - dmin), largest = fmax(fabs(pmin), fabs(pmax)), epsilon = 2.3e-16;
	size_t n = channel->n_samples;
	const double *x = channel->samples;
	ck_assert_str_eq(channel->name, json_string_value(json_object_get(expected, "label")));
	ck_assert_str_eq(channel->unit, json_string_value(json_object_get(expected, "dim")));
	ck_assert_ptr_null(channel->unusable);
	ck_assert_int_eq(channel->type, CLPAC_FLOAT64);
	ck_assert_uint_eq(n, (size_t)json_integer_value(json_object_get(expected, "n")));
	ck_assert_double_eq_tol(channel->rate_hz, json_number_value(json_object_get(expected, "fs")),
				epsilon * channel->rate_hz);

	long double sum = 0;
	long long digital_sum = 0, digital_first = 0, digital_last = 0;
	for (size_t i = 0; i < n; i++) {
		double digital = (x[i] - pmin) / gain + dmin;
		digital_last = llround(digital);
		ck_assert_msg(fabs(digital - (double)digital_last) < 1e-3, "%s: sample %zu of %s is %g", name, i,
			      channel->name, x[i]);
		digital_first = i ? digital_first : digital_last;
		digital_sum += digital_last;
		sum += x[i];
	}
	ck_assert_int_eq(digital_sum, json_integer_value(json_object_get(expected, "digsum")));
	ck_assert_int_eq(digital_first, json_integer_value(json_object_get(expected, "dig_first")));
	ck_assert_int_eq(digital_last, json_integer_value(json_object_get(expected, "dig_last")));
	ck_assert_double_eq_tol(x[0], json_number_value(json_object_get(expected, "phys_first")),
				8 * epsilon * largest);
	ck_assert_double_eq_tol(x[n - 1], json_number_value(json_object_get(expected, "phys_last")),
				8 * epsilon * largest);
	ck_assert_double_eq_tol((double)sum, json_number_value(json_object_get(expected, "phys_sum")),
				(8 + 17) * epsilon * largest * (double)n);
}

static void check_file(const char *name, json_t *expected)
{
	const char *path = shared(name);
	clpac_recording *r = files_read(path, NULL);
	bytes file = files_content(path);
	json_t *signals = json_object_get(expected, "signals"), *signal;
	size_t i, channel = 0;
	const char *format = json_string_value(json_object_get(expected, "format"));
	ck_assert_int_eq(strncmp(clpac_recording_format(r), format, 3), 0);
	json_array_foreach(signals, i, signal) if (!json_is_true(json_object_get(signal, "annot")))
		check_signal(name, &file, json_array_size(signals), i, clpac_recording_channel(r, channel++), signal);
	ck_assert_uint_eq(clpac_recording_n_channels(r), channel);
	/* One of them has one label twice, as its name says. */
	const bool has_twins = strstr(name, "duplicate_channel_labels") != NULL;
	ck_assert_msg(clpac_recording_n_warnings(r) == has_twins, "%s: %s", name, clpac_recording_warning(r, 0, NULL));
	if (has_twins)
		files_warned(r, "several signals have one name");

	/* The number of annotations that EDFlib found, where it accepts the file; it reads no triggers. */
	const bool has_triggers = strstr(name, "stim_channel") != NULL;
	const char *annotations = strstr(json_string_value(json_object_get(expected, "edflib_1_27")), "annots=");
	if (annotations && !has_triggers)
		ck_assert_uint_eq(clpac_recording_n_annotations(r), strtoul(annotations + 7, NULL, 10));
	bytes_free(&file);
	clpac_recording_destroy(r);
}

TEST(edf_files_of_others_hold_what_others_read)
{
	json_error_t trouble;
	json_t *all = json_load_file(shared("edf/expected.json"), 0, &trouble), *expected;
	ck_assert_msg(all != NULL, "%s", trouble.text);
	const char *name;
	char path[PATH_MAX];
	ck_assert_uint_ge(json_object_size(all), 12);
	json_object_foreach(all, name, expected)
	{
		snprintf(path, sizeof path, "edf/%s", name);
		check_file(path, expected);
	}
	json_decref(all);
}

/* A: accepted without a warning, W: with one, R: refused with an error that names the file and its fault. */
static void check_verdict(const char *name, char verdict)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "edf/made/%s", name);
	clpac_recording *r = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_recording_read(shared(path), NULL, &r, &err);
	if (verdict == 'R') {
		ck_assert_msg(st == CLPAC_ERROR_FORMAT && strstr(err.text, name), "%s: %s, %s", name,
			      clpac_status_text(st), err.text);
		return;
	}
	ck_assert_msg(st == CLPAC_OK, "%s: %s", name, err.text);
	ck_assert_msg((clpac_recording_n_warnings(r) > 0) == (verdict == 'W'), "%s: %zu warnings", name,
		      clpac_recording_n_warnings(r));
	clpac_recording_destroy(r);
}

TEST(faulty_files_are_treated_as_agreed)
{
	FILE *list = fopen(shared("edf/made/EXPECTED.tsv"), "r");
	ck_assert_ptr_nonnull(list);
	char line[1024], name[256], verdict;
	size_t n = 0;
	ck_assert_ptr_nonnull(fgets(line, sizeof line, list));
	while (fgets(line, sizeof line, list))
		if (sscanf(line, "%255[^\t]\t%c", name, &verdict) == 2) {
			check_verdict(name, verdict);
			n++;
		}
	fclose(list);
	ck_assert_uint_ge(n, 18);
}

TEST(faults_touch_nothing_else)
{
	clpac_recording *r = files_read(shared("edf/made/digmin_eq_digmax.edf"), NULL);
	ck_assert_ptr_null(clpac_recording_channel(r, 0)->unusable);
	ck_assert_ptr_nonnull(clpac_recording_channel(r, 1)->unusable);
	clpac_recording_destroy(r);

	r = files_read(shared("edf/made/edfplus_d_gap.edf"), NULL);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 2);
	ck_assert_double_eq(clpac_recording_stretch(r, 1)->onset_seconds, 12);
	clpac_recording_destroy(r);

	r = files_read(shared("edf/made/latin1_micro.edf"), NULL);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->unit, "\xc2\xb5V");
	clpac_recording_destroy(r);

	r = files_read(shared("edf/made/ok_edfplus.edf"), NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	ck_assert_double_eq(clpac_recording_annotation(r, 0)->onset_seconds, 0.5);
	ck_assert_double_eq(clpac_recording_annotation(r, 0)->seconds, 0.25);
	clpac_recording_destroy(r);

	/* Triggers 4, 2 and seven times 1, at the samples that an independent reader finds. */
	static const size_t at[] = {242, 310, 952, 1606, 2249, 2900, 3537, 4162, 4790};
	static const char *const codes[] = {"4", "2", "1", "1", "1", "1", "1", "1", "1"};
	r = files_read(shared("edf/mne/test_bdf_stim_channel.bdf"), NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), COUNT(at));
	for (size_t i = 0; i < COUNT(at); i++) {
		ck_assert_str_eq(clpac_recording_annotation(r, i)->text, codes[i]);
		ck_assert_double_eq_tol(clpac_recording_annotation(r, i)->onset_seconds, (double)at[i] / 500, 1e-12);
	}
	clpac_recording_destroy(r);

	r = files_read(shared("edf/made/trunc_mid_record.edf"), NULL);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 750);
	clpac_recording_destroy(r);

	/* Limits of 100 and values far beyond them. */
	r = files_read(shared("edf/made/sat_clip.edf"), NULL);
	ck_assert_double_eq_tol(files_sample(r, 1, 0), 6552, 4 * 2.3e-16 * 6552);
	clpac_recording_destroy(r);

	r = files_read(shared("edf/edfio/SC4001EC-Hypnogram.edf"), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 0);
	ck_assert_str_eq(clpac_recording_annotation(r, 1)->text, "Sleep stage 1");
	clpac_recording_destroy(r);
}

TEST_EACH(a_brainvision_recording_is_read_from_any_of_its_files, 3)
{
	static const char *const names[] = {"LFP_RIGHT_0",  "LFP_RIGHT_1",  "LFP_RIGHT_2",  "ECOG_RIGHT_0",
					    "ECOG_RIGHT_1", "ECOG_RIGHT_2", "ECOG_RIGHT_3", "ECOG_RIGHT_4",
					    "ECOG_RIGHT_5", "MOV_RIGHT"};
	static const char *const endings[] = {"vhdr", "eeg", "vmrk"};
	char path[PATH_MAX];
	const char *base = "pyneuromod_ecog_stn/sub-testsub_ses-EphysMedOff_task-gripforce_run-0_ieeg";
	snprintf(path, sizeof path, "%s.eeg", base);
	bytes data = files_content(shared(path));
	ck_assert_uint_eq(data.n, 19001 * 10 * 4);
	snprintf(path, sizeof path, "%s.%s", base, endings[_i]);
	clpac_recording *r = files_read(shared(path), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 10);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	for (size_t c = 0; c < 10; c++) {
		const clpac_channel *channel = clpac_recording_channel(r, c);
		ck_assert_str_eq(channel->name, names[c]);
		ck_assert_str_eq(channel->unit, "\xc2\xb5V");
		ck_assert_double_eq(channel->rate_hz, 1000);
		ck_assert_uint_eq(channel->n_samples, 19001);
		for (size_t i = 0; i < channel->n_samples; i++) {
			float stored;
			memcpy(&stored, data.data + 4 * (10 * i + c), 4);
			if (files_sample(r, c, i) != 0.1 * (double)stored)
				ck_abort_msg("channel %zu, sample %zu", c, i);
		}
	}
	clpac_recording_destroy(r);
	bytes_free(&data);
}

static void check_npy(const char *name, size_t n, size_t head_bytes)
{
	bytes file = files_content(shared(name));
	clpac_recording *r = files_read(shared(name), &(clpac_read_options){.rate_hz = 1000});
	const clpac_channel *channel = clpac_recording_channel(r, 0);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
	ck_assert_uint_eq(channel->n_samples, n);
	ck_assert_int_eq(channel->type, CLPAC_FLOAT64);
	ck_assert_mem_eq(channel->samples, file.data + head_bytes, n * sizeof(double));
	clpac_recording_destroy(r);
	bytes_free(&file);
}

TEST(npy_files_of_others_are_read)
{
	check_npy("pacpy_exampledata/exampledata.npy", 88889, 80);
	check_npy("neurodsp_m1_pd/sample_data_1.npy", 10000, 80);
}

const char *skip_reason(void)
{
	return getenv("CLPAC_TEST_SHARED") ? NULL : "no folder of recordings is there (CLPAC_TEST_SHARED)";
}
