/* The table of events beside a recording (BIDS): its rows are annotations. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "edf_file.h"
#include "files.h"
#include "read_files.h"
#include "random.h"
#include "recording/read/tables.h"

static bool is_table;

static clpac_recording *apply_column(const char *text, const char *column)
{
	clpac_error err = {0};
	clpac_recording *r = NULL;
	OK(clpac_recording_create("made", &r, &err));
	OK(clpac__events_table_apply("x_events.tsv", text, strlen(text), column, r, &is_table, &err));
	return r;
}

static clpac_recording *apply(const char *text)
{
	return apply_column(text, NULL);
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

TEST(a_table_without_onsets_is_none)
{
	static const char *const texts[] = {"duration\ttrial_type\n1\tgo\n", "", "7", "\xef\xbb\xbf"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		clpac_recording *r = apply(texts[i]);
		ck_assert(!is_table);
		ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
		clpac_recording_destroy(r);
	}
	clpac_recording *r = apply("onset\n");
	ck_assert(is_table);
	clpac_recording_destroy(r);
}

/* Tables of R and of spreadsheets have texts in quotes.  A quote that closes nowhere is a character. */
TEST(cells_may_be_quoted)
{
	clpac_recording *r =
		apply("\"onset\"\t\"trial_type\"\t\"duration\"\r\n\"1.5\"\t\"go\tleft\"\t2\r\n"
		      "2\t\"say \"\"go\"\"\"\t0\r\n3\t\"\"\t\"4\"\n4\t\"5 cm\t1\n5\t5\"\t1\n6\t \"go\" \t1\n");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 6);
	/* A control character is written as "?". */
	assert_event(r, 0, 1.5, 2, "go?left");
	assert_event(r, 1, 2, 0, "say \"go\"");
	assert_event(r, 2, 3, 4, "");
	assert_event(r, 3, 4, 1, "\"5 cm");
	assert_event(r, 4, 5, 1, "5\"");
	assert_event(r, 5, 6, 1, "go");
	clpac_recording_destroy(r);
}

TEST(events_are_named_by_the_column_that_is_asked_for)
{
	static const char text[] = "onset\tstim_type\tvalue\ttrial_type\n1\tface\t7\tgo\n2\tn/a\t8\tgo\n";
	clpac_error err = {0};
	clpac_recording *r = apply_column(text, "Stim_Type");
	assert_event(r, 0, 1, 0, "face");
	assert_event(r, 1, 2, 0, "");
	clpac_recording_destroy(r);
	r = apply_column(text, "value");
	assert_event(r, 0, 1, 0, "7");
	clpac_recording_destroy(r);
	OK(clpac_recording_create("made", &r, &err));
	const clpac_status st =
		clpac__events_table_apply("x_events.tsv", text, strlen(text), "stim", r, &is_table, &err);
	ck_assert_int_eq(st, CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no column \"stim\""));
	ck_assert_ptr_nonnull(strstr(err.text, "there are onset, stim_type, value, trial_type"));
	clpac_recording_destroy(r);
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

/* The word behind the last _ is left out where it is a suffix of BIDS, and nowhere else. */
TEST(a_table_belongs_to_the_recording_of_its_name)
{
	static const struct {
		const char *recording, *table;
		bool belongs;
	} cases[] = {
		{"rat_01.npy", "rat_events.tsv", false},
		{"rat_01.npy", "rat_01_events.tsv", true},
		{"rat.npy", "rat_events.tsv", true},
		{"sub-1_eeg.npy", "sub-1_events.tsv", true},
		{"sub-1_ieeg.npy", "sub-1_events.tsv", true},
		{"sub-1_MEG.npy", "sub-1_events.tsv", true},
		{"sub-1_eeg.npy", "sub-1_eeg_events.tsv", true},
		{"sub-1_eegs.npy", "sub-1_events.tsv", false},
		{"a.b_eeg.npy", "a.b_events.tsv", true},
		{"_eeg.npy", "_events.tsv", true},
		{"eeg.npy", "_events.tsv", false},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t of_channels = 0; of_channels < 2; of_channels++) {
			clpac_error err = {0};
			char *found = NULL, name[80], *path = strdup(files_path(cases[i].recording));
			snprintf(name, sizeof name, "%s", cases[i].table);
			if (of_channels)
				snprintf(strstr(name, "events.tsv"), 20, "channels.tsv");
			const char *table = files_write_text(name, "onset\n");
			OK(of_channels ? clpac_recording_sidecar(path, &found, &err)
				       : clpac_recording_events(path, &found, &err));
			ck_assert_msg((found != NULL) == cases[i].belongs, "%s beside %s", name, cases[i].recording);
			remove(table);
			clpac_text_free(found);
			free(path);
		}
}

/* --- Beside the events of a file ---------------------------------------------------------------- */

/* An EDF+ file of three seconds that begins at 0.25 s of its clock, with four events on that clock. */
static char *write_edf(void)
{
	edf_file file = edf_good(0);
	EDF_LIST(&file, 0, "+0.25\x14\x14\0+0.5\x14go\x14");
	EDF_LIST(&file, 1, "+1.25\x14\x14\0+1\x14go\x14");
	EDF_LIST(&file, 2,
		 "+2.25\x14\x14\0+2\x15"
		 "1\x14"
		 "BAD x\x14");
	char *path = strdup(edf_write(&file));
	return path;
}

static clpac_recording *read_made(const char *path, const char *from, const char *column)
{
	return files_read(
		path,
		&(clpac_read_options){.size = sizeof(clpac_read_options), .events_from = from, .event_column = column});
}

TEST(a_table_supersedes_the_events_of_the_file)
{
	char *path = write_edf();
	files_write_text("made_events.tsv", "onset\ttrial_type\n0.25\tgo\n1\tstop\n");
	clpac_recording *r = read_made(path, NULL, NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	/* Onsets of the table count from the first sample, those of the recording from its clock's 0. */
	assert_event(r, 0, 0.5, 0, "go");
	assert_event(r, 1, 1.25, 0, "stop");
	ck_assert_double_eq(clpac_recording_first_seconds(r), 0.25);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
	ck_assert_uint_eq(files_warned(r, "2 of the table are taken, and 3 of the file are not, 1 of which begin with "
					  "BAD"),
			  1);
	ck_assert_uint_eq(clpac_recording_n_tables(r), 1);
	ck_assert_str_eq(clpac_recording_table(r, 0)->use, "events");
	ck_assert_str_eq(strrchr(clpac_recording_table(r, 0)->path, '/'), "/made_events.tsv");
	ck_assert_ptr_null(clpac_recording_table(r, 1));
	clpac_recording_destroy(r);
	free(path);
}

TEST(events_come_from_where_they_are_asked_for)
{
	char *path = write_edf(), *other = strdup(files_write_text("other.tsv", "onset\tname\n1\tx\n"));
	files_refuse(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .events_from = "table"},
		     CLPAC_ERROR_ARGUMENT, "no table of events lies beside");
	files_write_text("made_events.tsv", "onset\ttrial_type\n0.25\tgo\n");
	clpac_recording *r = read_made(path, "file", NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 3);
	ck_assert_uint_eq(clpac_recording_n_tables(r), 0);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
	r = read_made(path, "table", NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
	r = read_made(path, other, "name");
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	assert_event(r, 0, 1.25, 0, "x");
	clpac_recording_destroy(r);
	files_refuse(
		path,
		&(clpac_read_options){.size = sizeof(clpac_read_options), .events_from = files_path("missing.tsv")},
		CLPAC_ERROR_IO, "missing.tsv");
	files_write_text("other.tsv", "begin\n1\n");
	files_refuse(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .events_from = other},
		     CLPAC_ERROR_FORMAT, "no column \"onset\"");
	/* Zeros alone, which take no room on a disk. */
	ck_assert_int_eq(truncate(other, 0), 0);
	ck_assert_int_eq(truncate(other, (off_t)1 << 33), 0);
	files_refuse(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .events_from = other},
		     CLPAC_ERROR_FORMAT, "has a zero byte at byte 0: it is no text");
	free(other);
	free(path);
}

/* A table that is none keeps the file's own. */
TEST(a_table_that_is_none_supersedes_nothing)
{
	char *path = write_edf();
	files_write_text("made_events.tsv", "begin\n1\n");
	clpac_recording *r = read_made(path, NULL, NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 3);
	ck_assert_uint_eq(files_warned(r, "has no column \"onset\": its events are left out"), 1);
	clpac_recording_destroy(r);
	free(path);
}

/* --- Triggers ----------------------------------------------------------------------------------- */

static void assert_triggers(const char *name, const char *text, const char *column)
{
	char *path = strdup(files_write_text(name, text));
	clpac_recording *r = files_read(
		path, &(clpac_read_options){.size = sizeof(clpac_read_options), .rate_hz = 10, .event_column = column});
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 3);
	assert_event(r, 0, 0.2, 0, "1");
	assert_event(r, 1, 0.5, 0, "2");
	assert_event(r, 2, 0.7, 0, "1");
	clpac_recording_destroy(r);
	free(path);
}

#define TRIGGERS "1,5\n2,5\n3,1\n1,1\n2,5\n1,2\n3,2\n4,1\n2,5\n1,5\n0,5\n0,5\n0,5\n0,5\n"

TEST(a_channel_of_triggers_is_events)
{
	static const char text[] = "Fz,%s\n1,0\n2,0\n3,1\n1,1\n2,0\n1,2\n3,2\n4,1\n2,0\n1,0\n0,0\n0,0\n";
	char made[200];
	snprintf(made, sizeof made, text, "Status");
	assert_triggers("status.csv", made, NULL);
	snprintf(made, sizeof made, text, "TRIGGER");
	assert_triggers("trigger.csv", made, NULL);
	/* Any channel that is named; one that is never 0 rests at its most frequent value. */
	snprintf(made, sizeof made, text, "Cz");
	assert_triggers("named.csv", made, "cz");
	assert_triggers("rests.csv", "Fz,Cz\n" TRIGGERS, "Cz");
	files_refuse(files_write_text("wrong.csv", made),
		     &(clpac_read_options){.size = sizeof(clpac_read_options), .rate_hz = 10, .event_column = "Pz"},
		     CLPAC_ERROR_ARGUMENT, "no channel \"Pz\"");
	files_refuse(files_write_text("wrong.csv", made),
		     &(clpac_read_options){.size = sizeof(clpac_read_options), .rate_hz = 10, .event_column = "Fz"},
		     CLPAC_ERROR_ARGUMENT, "changes more than once in 4 samples");
	files_refuse(files_write_text("wrong.csv", made),
		     &(clpac_read_options){.size = sizeof(clpac_read_options), .event_column = "Cz"},
		     CLPAC_ERROR_ARGUMENT, "the sampling rate is not known");
}

TEST(a_counter_has_no_triggers)
{
	char *path = strdup(files_write_text("counter.csv", "Fz,Status\n3,1\n1,2\n2,3\n1,4\n3,5\n4,6\n2,7\n"));
	clpac_recording *r = files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .rate_hz = 10});
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
	clpac_recording_destroy(r);
	free(path);
}

/* A status channel of EDF: the samples of edf_digital stand for it, 4 of each second. */
TEST(a_trigger_channel_of_edf_is_on_the_clock_of_the_recording)
{
	edf_file file = edf_good(0);
	file.signals[1] = (edf_signal){"Status", "", "-32768", "32767", "-32768", "32767", "4", 4};
	EDF_LIST(&file, 0, "+0.5\x14\x14");
	EDF_LIST(&file, 1, "+1.5\x14\x14");
	EDF_LIST(&file, 2, "+2.5\x14\x14");
	bytes made = edf_bytes(&file);
	unsigned char *data = made.data;
	for (size_t record = 0; record < 3; record++)
		for (size_t i = 0; i < 4; i++) {
			unsigned char *at = data + 1024 + record * 48 + 8 + 2 * i;
			at[0] = record == 1 && i >= 2 ? 7 : 0;
			at[1] = 0;
		}
	char *path = strdup(files_write("made.edf", made.data, made.n));
	bytes_free(&made);
	for (int on_demand = 0; on_demand < 2; on_demand++) {
		clpac_recording *r = files_read(
			path, &(clpac_read_options){.size = sizeof(clpac_read_options), .on_demand = on_demand});
		ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
		assert_event(r, 0, 2, 0, "7");
		ck_assert((clpac_recording_channel(r, 1)->samples == NULL) == on_demand);
		clpac_recording_destroy(r);
	}
	free(path);
}

/* --- Annotation files --------------------------------------------------------------------------- */

static void write_hypnogram(const char *name, const char *start)
{
	edf_file file = edf_good(0);
	file.signals[0] = (edf_signal){"EDF Annotations", "", "-1", "1", "-32768", "32767", "30", 30};
	file.signals[1] = (edf_signal){0};
	file.signals[2] = (edf_signal){0};
	file.head_bytes = "512";
	file.n_signals = "1";
	file.n_records = "1";
	file.seconds = "0";
	file.records = 1;
	file.start = start;
	EDF_LIST(&file, 0,
		 "+0\x14\x14\0+0\x15"
		 "1\x14Sleep stage W\x14\0+1\x15"
		 "2\x14Sleep stage 2\x14");
	bytes made = edf_bytes(&file);
	files_write(name, made.data, made.n);
	bytes_free(&made);
}

TEST(a_hypnogram_of_its_own_file_is_joined)
{
	clpac_error err = {0};
	edf_file file = edf_good(0);
	bytes made = edf_bytes(&file);
	char *path = strdup(files_write("SC4001E0-PSG.edf", made.data, made.n)), *found;
	bytes_free(&made);
	OK(clpac_recording_annotations(path, &found, &err));
	ck_assert_ptr_null(found);
	write_hypnogram("SC4001EC-Hypnogram.edf", NULL);
	OK(clpac_recording_annotations(path, &found, &err));
	ck_assert_str_eq(strrchr(found, '/'), "/SC4001EC-Hypnogram.edf");
	clpac_recording *r = files_read(path, NULL);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 4);
	assert_event(r, 0, 0.5, 0.25, "start");
	assert_event(r, 3, 1, 2, "Sleep stage 2");
	ck_assert_str_eq(clpac_recording_table(r, 0)->use, "annotations");
	clpac_recording_destroy(r);
	r = files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .annotations = "none"});
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
	clpac_recording_destroy(r);
	/* One that began a second before the recording, over the end of a month and of a leap day. */
	write_hypnogram("other.edf", "29.02.2023.59.59");
	r = files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options),
						   .annotations = files_path("other.edf")});
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 4);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
	ck_assert_uint_eq(files_warned(r, "lies in the recording: by its date and time it begins"), 1);
	clpac_recording_destroy(r);
	write_hypnogram("other.edf", "31.12.1923.59.59");
	r = files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options),
						   .annotations = files_path("other.edf")});
	assert_event(r, 3, 0, 2, "Sleep stage 2");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
	clpac_text_free(found);
	free(path);
}

TEST(a_table_of_annotations_is_joined)
{
	char *path = write_edf(),
	     *table = strdup(files_write_text("bad.tsv", "onset\tduration\ttrial_type\n1\t1\tBAD\n"));
	clpac_recording *r =
		files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .annotations = table});
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 4);
	assert_event(r, 3, 1.25, 1, "BAD");
	clpac_recording_destroy(r);
	files_write_text("bad.tsv", "begin\n1\n");
	files_refuse(path, &(clpac_read_options){.size = sizeof(clpac_read_options), .annotations = table},
		     CLPAC_ERROR_FORMAT, "has no annotations to join");
	free(table);
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
		st = clpac__events_table_apply("x_events.tsv", text, sizeof text - 1, NULL, r, &is_table, &err);
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK)
			ck_assert_uint_eq(clpac_recording_n_annotations(r), 2);
		clpac_recording_destroy(r);
	}
	ck_assert_int_eq(st, CLPAC_OK);
	ck_assert_uint_gt(failing, 4);
}
