/* The table of events beside a recording (BIDS): its rows are annotations. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"
#include "random.h"
#include "recording/read/tables.h"

static clpac_recording *apply(const char *text)
{
	clpac_error err = {0};
	clpac_recording *r = NULL;
	OK(clpac_recording_create("made", &r, &err));
	OK(clpac__events_table_apply("x_events.tsv", text, strlen(text), r, &err));
	return r;
}

static void assert_event(const clpac_recording *r, size_t i, double onset_s, double seconds, const char *text)
{
	const clpac_annotation *event = clpac_recording_annotation(r, i);
	ck_assert_ptr_nonnull(event);
	ck_assert(event->onset_seconds == onset_s);
	ck_assert(event->seconds == seconds);
	ck_assert_str_eq(event->text, text);
}

FIXTURE(files_begin, files_end);

TEST(rows_are_annotations)
{
	clpac_recording *r = apply("\xef\xbb\xbfonset\tduration\ttrial_type\tvalue\r\n0.5\t0.25\tgo left\t1\r\n"
				   "1.25\tn/a\tn/a\t32\r\n-0.1\t2\tBAD_muscle\tn/a\r\n7\t\t\t\r\n");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 4);
	assert_event(r, 0, 0.5, 0.25, "go left");
	assert_event(r, 1, 1.25, 0, "32");
	assert_event(r, 2, -0.1, 2, "BAD_muscle");
	assert_event(r, 3, 7, 0, "");
	clpac_recording_destroy(r);
}

TEST(columns_come_in_any_order_and_lines_may_be_short)
{
	clpac_recording *r = apply("value\tresponse_time\tOnset\n3\t0.1\t2\n\n4\t0.1\t3e0\n5\n6\tn/a\t4");
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 3);
	assert_event(r, 0, 2, 0, "3");
	assert_event(r, 1, 3, 0, "4");
	assert_event(r, 2, 4, 0, "6");
	/* The line without an onset. */
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
	ck_assert_ptr_nonnull(strstr(clpac_recording_warning(r, 0, NULL), "x_events.tsv: 1 events are left out"));
	clpac_recording_destroy(r);
}

TEST(rows_without_a_time_are_left_out_and_counted)
{
	static const char *const cells[] = {"soon", "", "n/a", "nan", "inf", "-inf", "1e999", "1 2", "0x", "1,5"};
	for (size_t i = 0; i < COUNT(cells); i++) {
		char text[200];
		snprintf(text, sizeof text, "onset\tduration\n%s\t1\n5\t1\n", cells[i]);
		clpac_recording *r = apply(text);
		ck_assert_msg(clpac_recording_n_annotations(r) == 1, "an onset of \"%s\"", cells[i]);
		assert_event(r, 0, 5, 1, "");
		ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
		clpac_recording_destroy(r);
	}
	clpac_recording *r = apply("onset\tduration\n1\t-1\n2\tlong\n3\tnan\n4\t0\n");
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	ck_assert_ptr_nonnull(strstr(clpac_recording_warning(r, 0, NULL), "3 events are left out"));
	clpac_recording_destroy(r);
}

TEST(a_table_without_onsets_is_a_warning)
{
	static const char *const texts[] = {"duration\ttrial_type\n1\tgo\n", "", "7", "\xef\xbb\xbf"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		clpac_recording *r = apply(texts[i]);
		ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
		ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
		ck_assert_ptr_nonnull(strstr(clpac_recording_warning(r, 0, NULL), "has no column \"onset\""));
		clpac_recording_destroy(r);
	}
}

/* Bytes that are no UTF-8 are taken as Latin-1, as in annotations of EDF. */
TEST(names_are_utf8)
{
	clpac_recording *r = apply("onset\ttrial_type\n1\tgr\xfcn\n2\tgr\xc3\xbcn\n");
	assert_event(r, 0, 1, 0, "gr\xc3\xbcn");
	assert_event(r, 1, 2, 0, "gr\xc3\xbcn");
	clpac_recording_destroy(r);
}

TEST(the_table_beside_a_file_is_found_and_read)
{
	clpac_error err = {0};
	char *table = NULL;
	char *path = strdup(files_write_text("sub-1_task-rest_eeg.csv", "Fz,Cz\n1,2\n3,4\n"));
	OK(clpac_recording_events(path, &table, &err));
	ck_assert_ptr_null(table);
	files_write_text("sub-1_task-rest_events.tsv", "onset\tduration\ttrial_type\n0.01\t0\tgo\n");
	OK(clpac_recording_events(path, &table, &err));
	ck_assert_str_eq(strrchr(table, '/'), "/sub-1_task-rest_events.tsv");
	clpac_text_free(table);
	clpac_recording *r = files_read(path, NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	assert_event(r, 0, 0.01, 0, "go");
	clpac_recording_destroy(r);
	table = (char *)"unset";
	OK(clpac_recording_events("plain.edf", &table, &err));
	ck_assert_ptr_null(table);
	free(path);
}

TEST(every_allocation_may_fail)
{
	static const char text[] = "onset\ttrial_type\n1\tgo\n2\tstop\nx\ty\n";
	clpac_error err = {0};
	clpac_recording *r = NULL;
	unsigned long failing = 1;
	clpac_status st = CLPAC_ERROR_NO_MEMORY;
	for (; st == CLPAC_ERROR_NO_MEMORY; failing++) {
		OK(clpac_recording_create("made", &r, &err));
		clpac__fail_allocation(failing, false);
		st = clpac__events_table_apply("x_events.tsv", text, sizeof text - 1, r, &err);
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK)
			ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
		clpac_recording_destroy(r);
	}
	ck_assert_int_eq(st, CLPAC_OK);
	ck_assert_uint_gt(failing, 4);
}
