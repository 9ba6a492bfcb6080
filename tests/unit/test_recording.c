/* clpac/recording.h: members are returned as set, invalid ones are refused, and a failing allocation changes
 * nothing. */
#include "runner.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <clpac/recording.h>

#include "assertions.h"
#include "base/memory.h"

static clpac_recording *new_recording(void)
{
	clpac_recording *recording = NULL;
	ck_assert_int_eq(clpac_recording_create("made", &recording, NULL), CLPAC_OK);
	return recording;
}

TEST(a_new_recording_is_empty)
{
	clpac_recording *r = new_recording();
	ck_assert_str_eq(clpac_recording_format(r), "made");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 0);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_double_eq(clpac_recording_seconds(r), 0);
	ck_assert_ptr_null(clpac_recording_channel(r, 0));
	ck_assert_ptr_null(clpac_recording_stretch(r, 0));
	ck_assert_ptr_null(clpac_recording_annotation(r, 0));
	ck_assert_ptr_null(clpac_recording_warning(r, 0, NULL));
	clpac_recording_destroy(r);
	clpac_recording_destroy(NULL);
}

TEST(many_channels_keep_their_names_and_samples)
{
	enum { N = 37 };
	clpac_recording *r = new_recording();
	char name[16];
	for (size_t i = 0; i < N; i++) {
		void *samples = NULL;
		snprintf(name, sizeof name, "ch %zu", i);
		clpac_sample_type type = i % 2 ? CLPAC_FLOAT64 : CLPAC_FLOAT32;
		ck_assert_int_eq(
			clpac_recording_add_channel(r, name, i % 3 ? "uV" : NULL, 100, i, type, &samples, NULL),
			CLPAC_OK);
		ck_assert_ptr_nonnull(samples);
		for (size_t t = 0; t < i; t++) {
			ck_assert_double_eq(i % 2 ? ((double *)samples)[t] : (double)((float *)samples)[t], 0);
			if (i % 2)
				((double *)samples)[t] = (double)(i * t);
		}
	}
	ck_assert_uint_eq(clpac_recording_n_channels(r), N);
	for (size_t i = 0; i < N; i++) {
		const clpac_channel *c = clpac_recording_channel(r, i);
		snprintf(name, sizeof name, "ch %zu", i);
		ck_assert_str_eq(c->name, name);
		ck_assert_str_eq(c->unit, i % 3 ? "uV" : "");
		ck_assert_ptr_null(c->unusable);
		ck_assert_uint_eq(c->n_samples, i);
		if (i % 2)
			ck_assert_double_eq(((const double *)c->samples)[i - 1], (double)(i * (i - 1)));
	}
	ck_assert_double_eq(clpac_recording_seconds(r), (N - 1) / 100.0);
	clpac_recording_destroy(r);
}

TEST(a_wrong_channel_is_refused_and_named)
{
	static const double rates[] = {-1, NAN, INFINITY};
	clpac_recording *r = new_recording();
	clpac_error err;
	for (size_t i = 0; i < COUNT(rates); i++) {
		ck_assert_int_eq(clpac_recording_add_channel(r, "Fz", "", rates[i], 1, CLPAC_FLOAT32, NULL, &err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "\"Fz\": rate_hz"));
	}
	ck_assert_int_eq(clpac_recording_add_channel(r, NULL, NULL, 0, 1, (clpac_sample_type)2, NULL, &err),
			 CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "sample type 2"));
	ck_assert_int_eq(clpac_recording_add_channel(r, "big", "", 1, SIZE_MAX / 4, CLPAC_FLOAT64, NULL, &err),
			 CLPAC_ERROR_NO_MEMORY);
	ck_assert_ptr_nonnull(strstr(err.text, "\"big\""));
	ck_assert_uint_eq(clpac_recording_n_channels(r), 0);
	clpac_recording_destroy(r);
}

TEST(a_channel_is_disabled_for_a_reason)
{
	clpac_recording *r = new_recording();
	clpac_error err;
	ck_assert_int_eq(clpac_recording_add_channel(r, "Fz", "", 1, 1, CLPAC_FLOAT32, NULL, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_recording_disable_channel(r, 0, "first", NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_recording_disable_channel(r, 0, "second", NULL), CLPAC_OK);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->unusable, "second");
	ck_assert_int_eq(clpac_recording_disable_channel(r, 1, "none", &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "channel 1"));
	ck_assert_int_eq(clpac_recording_disable_channel(r, 0, NULL, &err), CLPAC_ERROR_ARGUMENT);
	clpac_recording_destroy(r);
}

TEST(a_rate_is_set_for_all_channels)
{
	static const double wrong[] = {0, -5, NAN, INFINITY};
	clpac_recording *r = new_recording();
	clpac_error err;
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(clpac_recording_add_channel(r, "x", "", 0, 512 * (i + 1), CLPAC_FLOAT32, NULL, NULL),
				 CLPAC_OK);
	ck_assert_double_eq(clpac_recording_seconds(r), 0);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		ck_assert_int_eq(clpac_recording_set_rate(r, wrong[i], &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "above 0"));
	}
	ck_assert_int_eq(clpac_recording_set_rate(r, 512, NULL), CLPAC_OK);
	ck_assert_double_eq(clpac_recording_channel(r, 2)->rate_hz, 512);
	ck_assert_double_eq(clpac_recording_seconds(r), 3);
	clpac_recording_destroy(r);
}

TEST(stretches_and_annotations_come_out_as_they_went_in)
{
	clpac_recording *r = new_recording();
	for (int i = 0; i < 9; i++) {
		ck_assert_int_eq(clpac_recording_add_stretch(r, &(clpac_stretch){2.0 * i, i, 1}, NULL), CLPAC_OK);
		ck_assert_int_eq(clpac_recording_add_annotation(r, -1.5 * i, 0.5 * i,
								i ? "\xc3\xa9v\xc3\xa9nement" : NULL, NULL),
				 CLPAC_OK);
	}
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 9);
	ck_assert_double_eq(clpac_recording_stretch(r, 8)->onset_seconds, 16);
	ck_assert_double_eq(clpac_recording_stretch(r, 8)->first_seconds, 8);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 9);
	ck_assert_str_eq(clpac_recording_annotation(r, 0)->text, "");
	ck_assert_str_eq(clpac_recording_annotation(r, 8)->text, "\xc3\xa9v\xc3\xa9nement");
	ck_assert_double_eq(clpac_recording_annotation(r, 8)->onset_seconds, -12);
	clpac_recording_destroy(r);
}

TEST(times_that_are_none_are_refused)
{
	static const clpac_stretch stretches[] = {{NAN, 0, 1}, {0, NAN, 1}, {0, 0, NAN},
						  {0, -1, 1},  {0, 0, -1},  {INFINITY, 0, 1}};
	static const double annotations[][2] = {{NAN, 0}, {0, NAN}, {0, -1}, {INFINITY, 0}};
	clpac_recording *r = new_recording();
	clpac_error err;
	for (size_t i = 0; i < COUNT(stretches); i++)
		ck_assert_int_eq(clpac_recording_add_stretch(r, &stretches[i], &err), CLPAC_ERROR_ARGUMENT);
	for (size_t i = 0; i < COUNT(annotations); i++) {
		ck_assert_int_eq(clpac_recording_add_annotation(r, annotations[i][0], annotations[i][1], "late", &err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "\"late\""));
	}
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
	clpac_recording_destroy(r);
}

TEST(the_same_warning_again_only_counts)
{
	clpac_recording *r = new_recording();
	size_t count = 0;
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(clpac_recording_warn(r, NULL, "odd: %d", i % 2), CLPAC_OK);
		ck_assert_int_eq(clpac_recording_warn(r, NULL, "always"), CLPAC_OK);
	}
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 3);
	ck_assert_str_eq(clpac_recording_warning(r, 0, &count), "odd: 0");
	ck_assert_str_eq(clpac_recording_warning(r, 0, NULL), "odd: 0"); /* nobody need count */
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(clpac_recording_warning(r, 1, &count), "always");
	ck_assert_uint_eq(count, 5);
	clpac_recording_destroy(r);
}

/* Calls every function once; after a failure the recording so far stays usable. */
static clpac_status use_everything(clpac_recording **out, clpac_error *err)
{
	clpac_status st = clpac_recording_create("made", out, err);
	for (int i = 0; st == CLPAC_OK && i < 3; i++) {
		void *samples;
		st = clpac_recording_add_channel(*out, "Fz", "uV", 1, 10, CLPAC_FLOAT32, &samples, err);
		if (st == CLPAC_OK)
			st = clpac_recording_disable_channel(*out, (size_t)i, "why", err);
		if (st == CLPAC_OK)
			st = clpac_recording_add_stretch(*out, &(clpac_stretch){0, 0, 1}, err);
		if (st == CLPAC_OK)
			st = clpac_recording_add_annotation(*out, 0, 0, "text", err);
		if (st == CLPAC_OK)
			st = clpac_recording_warn(*out, err, "number %d", i);
	}
	return st;
}

TEST(each_failing_allocation_is_an_error_and_leaks_nothing)
{
	unsigned long needed = 0;
	for (int sticky = 0; sticky < 2; sticky++)
		for (unsigned long k = 1;; k++) {
			clpac_recording *r = NULL;
			clpac_error err = {0};
			clpac__fail_allocation(k, sticky);
			clpac_status st = use_everything(&r, &err);
			unsigned long made = clpac__count_allocations();
			clpac__fail_allocation(0, false);
			if (st == CLPAC_OK) {
				needed = made;
				ck_assert_uint_eq(k, needed + 1);
				clpac_recording_destroy(r);
				break;
			}
			ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
			ck_assert_ptr_nonnull(strstr(err.text, "no memory left"));
			for (size_t i = 0; r && i < clpac_recording_n_channels(r); i++)
				ck_assert_str_eq(clpac_recording_channel(r, i)->name, "Fz");
			clpac_recording_destroy(r);
		}
	ck_assert_uint_gt(needed, 20);
}
