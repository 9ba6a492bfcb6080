/* Kinds of channels: from names, from units, and from the table of channels beside a recording (BIDS). */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"
#include "random.h"
#include "recording/channel_kind.h"
#include "recording/read/tables.h"

static const struct {
	const char *name, *unit;
	clpac_channel_kind kind;
} labels[] = {
	{"EEG Fp1", "uV", CLPAC_KIND_EEG},
	{"EEG Fpz-Cz", "", CLPAC_KIND_EEG},
	{"eeg 1", "uV", CLPAC_KIND_EEG},
	{"EOG horizontal", "uV", CLPAC_KIND_EOG},
	{"HEOG", "uV", CLPAC_KIND_EOG},
	{"EMG submental", "uV", CLPAC_KIND_EMG},
	{"ECG", "mV", CLPAC_KIND_ECG},
	{"EKG1", "mV", CLPAC_KIND_ECG},
	{"ECOG_RIGHT_2", "uV", CLPAC_KIND_ECOG},
	{"LFP_LEFT_0", "uV", CLPAC_KIND_LFP},
	{"SEEG A1", "uV", CLPAC_KIND_SEEG},
	{"MEG 0111", "fT", CLPAC_KIND_MEG},
	{"Status", "", CLPAC_KIND_TRIGGER},
	{"STI 014", "V", CLPAC_KIND_TRIGGER},
	{"Event marker", "", CLPAC_KIND_TRIGGER},
	{"Resp oro-nasal", "", CLPAC_KIND_MISC},
	{"SaO2", "%", CLPAC_KIND_MISC},
	{"Temp rectal", "DegC", CLPAC_KIND_MISC},
	{"Fz", "uV", CLPAC_KIND_UNKNOWN},
	{"0", "", CLPAC_KIND_UNKNOWN},
	{"", "", CLPAC_KIND_UNKNOWN},
	{"POz", "uV", CLPAC_KIND_UNKNOWN},
	{"T3", "uV", CLPAC_KIND_UNKNOWN},
	{"C", "V", CLPAC_KIND_UNKNOWN},
	{"A1", "fT", CLPAC_KIND_MEG},
	{"x", "m/s^2", CLPAC_KIND_MISC},
	{"x", "\xc2\xb5S", CLPAC_KIND_MISC},
	{"EEGLAB", "uV", CLPAC_KIND_UNKNOWN},
	{"EEG EKG1-REF", "uV", CLPAC_KIND_ECG},
	{"EEG EMG1-REF", "uV", CLPAC_KIND_EMG},
	{"EEG LOC-REF", "uV", CLPAC_KIND_EOG},
	{"EEG ROC-REF", "uV", CLPAC_KIND_EOG},
	{"EEG-ECG", "uV", CLPAC_KIND_ECG},
	{"ECG EKG-REF", "uV", CLPAC_KIND_ECG},
	{"EEG LUC-REF", "uV", CLPAC_KIND_EOG},
	{"EEG RESP1-REF", "uV", CLPAC_KIND_MISC},
	{"POL EKG1", "uV", CLPAC_KIND_ECG},
	{"POL DC01", "uV", CLPAC_KIND_MISC},
	{"POL SpO2", "uV", CLPAC_KIND_MISC},
	{"POL A1", "uV", CLPAC_KIND_UNKNOWN},
	{"E1-M2", "uV", CLPAC_KIND_EOG},
	{"E2:M1", "uV", CLPAC_KIND_EOG},
	{"E2-A1", "uV", CLPAC_KIND_EOG},
	{"E1-Fpz", "uV", CLPAC_KIND_EOG},
	{"E1", "uV", CLPAC_KIND_UNKNOWN},
	{"E12-M1", "uV", CLPAC_KIND_UNKNOWN},
	{"E1-M21", "uV", CLPAC_KIND_UNKNOWN},
	{"Chin", "uV", CLPAC_KIND_EMG},
	{"Chin1-Chin2", "uV", CLPAC_KIND_EMG},
	{"ChinL", "uV", CLPAC_KIND_EMG},
	{"HEO", "uV", CLPAC_KIND_EOG},
	{"VEO", "uV", CLPAC_KIND_EOG},
	{"VEOU", "uV", CLPAC_KIND_EOG},
	{"EMGleft", "uV", CLPAC_KIND_EMG},
	{"left EMG", "uV", CLPAC_KIND_EMG},
	{"LAT", "uV", CLPAC_KIND_EMG},
	{"Leg/L", "uV", CLPAC_KIND_EMG},
	{"Thor", "uV", CLPAC_KIND_MISC},
	{"Abdo", "uV", CLPAC_KIND_MISC},
	{"ABDO RES", "uV", CLPAC_KIND_MISC},
	{"Airflow", "uV", CLPAC_KIND_MISC},
	{"Flow", "uV", CLPAC_KIND_MISC},
	{"Nasal Pressure", "uV", CLPAC_KIND_MISC},
	{"Snore", "uV", CLPAC_KIND_MISC},
	{"SpO2", "uV", CLPAC_KIND_MISC},
	{"Position", "uV", CLPAC_KIND_MISC},
	{"Acc", "uV", CLPAC_KIND_MISC},
	{"AccX", "uV", CLPAC_KIND_MISC},
	{"Acc_x", "uV", CLPAC_KIND_MISC},
	{"Accelerometer_Z", "uV", CLPAC_KIND_MISC},
	{"Gyro", "uV", CLPAC_KIND_MISC},
	{"GyroX", "uV", CLPAC_KIND_MISC},
	{"aux", "uV", CLPAC_KIND_MISC},
	{"AUX_RIGHT", "uV", CLPAC_KIND_MISC},
	{"x_dir", "uV", CLPAC_KIND_MISC},
	{"Photic", "uV", CLPAC_KIND_TRIGGER},
	{"EEG Photic-REF", "uV", CLPAC_KIND_TRIGGER},
	{"IBI", "uV", CLPAC_KIND_MISC},
	{"Counter", "uV", CLPAC_KIND_MISC},
	{"EEG.Counter", "uV", CLPAC_KIND_MISC},
	{"BDF Status", "uV", CLPAC_KIND_TRIGGER},
	{"1 Status", "uV", CLPAC_KIND_TRIGGER},
	{"A-Status", "uV", CLPAC_KIND_TRIGGER},
	{"Trigger1", "uV", CLPAC_KIND_TRIGGER},
	{"DIN1", "uV", CLPAC_KIND_TRIGGER},
	{"Timestamp (Formatted)", "uV", CLPAC_KIND_MISC},
	{"Accel Channel 0", "uV", CLPAC_KIND_MISC},
	{"EXG Channel 0", "uV", CLPAC_KIND_UNKNOWN},
	{"CQ", "uV", CLPAC_KIND_MISC},
	{"LOC3", "uV", CLPAC_KIND_UNKNOWN},
	{"LAT1", "uV", CLPAC_KIND_UNKNOWN},
	{"HR1-HR2", "uV", CLPAC_KIND_UNKNOWN},
	{"EEG ACC1-REF", "uV", CLPAC_KIND_EEG},
	{"EEG LAT1", "uV", CLPAC_KIND_EEG},
	{"EEG C3-REF", "uV", CLPAC_KIND_EEG},
	{"C3-REF", "uV", CLPAC_KIND_UNKNOWN},
	{"EEG Fp1-LE", "uV", CLPAC_KIND_EEG},
	{"EEG 21", "uV", CLPAC_KIND_EEG},
	{"EEG A1-A2", "uV", CLPAC_KIND_EEG},
	{"EEG T5-Ref", "uV", CLPAC_KIND_EEG},
	{"EEG LFP1", "uV", CLPAC_KIND_EEG},
	{"ECoG_1", "uV", CLPAC_KIND_ECOG},
	{"Hip", "uV", CLPAC_KIND_UNKNOWN},
	{"Amy", "uV", CLPAC_KIND_UNKNOWN},
	{"RAH1", "uV", CLPAC_KIND_UNKNOWN},
	{"POL Hipp2", "uV", CLPAC_KIND_UNKNOWN},
	{"x", "cmH2O", CLPAC_KIND_MISC},
	{"x", "L/min", CLPAC_KIND_MISC},
	{"EMG",
	 "\xc2\xb0"
	 "C",
	 CLPAC_KIND_EMG},
};

FIXTURE(files_begin, files_end);

TEST(labels_and_units_tell_the_kind)
{
	for (size_t i = 0; i < COUNT(labels); i++)
		ck_assert_msg(clpac__kind_of_label(labels[i].name, labels[i].unit) == labels[i].kind,
			      "\"%s\" in \"%s\" is taken as %s", labels[i].name, labels[i].unit,
			      clpac_channel_kind_name(clpac__kind_of_label(labels[i].name, labels[i].unit)));
}

TEST(kinds_have_names_and_five_of_them_and_the_unknown_are_of_the_brain)
{
	size_t n_brain = 0;
	for (int kind = 0; kind < CLPAC_KIND_COUNT; kind++) {
		n_brain += clpac_channel_kind_is_brain((clpac_channel_kind)kind);
		ck_assert((*clpac_channel_kind_name((clpac_channel_kind)kind) != 0) == (kind != CLPAC_KIND_UNKNOWN));
	}
	ck_assert_uint_eq(n_brain, 6);
	ck_assert_str_eq(clpac_channel_kind_name((clpac_channel_kind)-1), "");
	ck_assert_str_eq(clpac_channel_kind_name(CLPAC_KIND_COUNT), "");
	ck_assert(!clpac_channel_kind_is_brain(CLPAC_KIND_COUNT));
}

/* A recording of channels a, B, EOG and a again. */
static clpac_recording *made(void)
{
	static const char *const names[] = {"a", "B", "EOG", "a"};
	clpac_error err = {0};
	clpac_recording *r = NULL;
	OK(clpac_recording_create("made", &r, &err));
	for (size_t i = 0; i < COUNT(names); i++) {
		OK(clpac_recording_add_channel(r, names[i], "uV", 100, 1, CLPAC_FLOAT32, NULL, &err));
		OK(clpac_recording_set_kind(r, i, clpac__kind_of_label(names[i], "uV"), NULL, &err));
	}
	return r;
}

static clpac_recording *apply(const char *text)
{
	clpac_error err = {0};
	clpac_recording *r = made();
	OK(clpac__channels_table_apply("x_channels.tsv", text, strlen(text), r, &err));
	return r;
}

TEST(a_table_sets_types_and_bad_channels)
{
	clpac_recording *r =
		apply("\xef\xbb\xbfname\ttype\tunits\tstatus\tstatus_description\r\n"
		      "a\tsEEG\tuV\tgood\tn/a\r\nB\tPHOTODIODE\tuV\tBad\tno contact\r\nEOG\tn/a\tuV\tbad\tn/a\r\n");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_int_eq(clpac_recording_channel(r, 0)->kind, CLPAC_KIND_SEEG);
	ck_assert_int_eq(clpac_recording_channel(r, 3)->kind, CLPAC_KIND_SEEG);
	ck_assert_int_eq(clpac_recording_channel(r, 1)->kind, CLPAC_KIND_MISC);
	ck_assert_int_eq(clpac_recording_channel(r, 2)->kind, CLPAC_KIND_EOG);
	ck_assert_ptr_null(clpac_recording_channel(r, 0)->bad);
	ck_assert_str_eq(clpac_recording_channel(r, 1)->bad, "no contact");
	ck_assert_str_eq(clpac_recording_channel(r, 2)->bad, "it is bad");
	clpac_recording_destroy(r);
}

TEST(columns_come_in_any_order_and_lines_may_be_short)
{
	clpac_recording *r = apply("status\tx\tname\nbad\t1\ta\ngood\t2\tB\n\nbad\nbad\t1\tEOG");
	ck_assert_ptr_nonnull(clpac_recording_channel(r, 0)->bad);
	ck_assert_ptr_null(clpac_recording_channel(r, 1)->bad);
	ck_assert_ptr_nonnull(clpac_recording_channel(r, 2)->bad);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
	clpac_recording_destroy(r);
}

TEST_EACH(a_table_that_does_not_fit_is_a_warning, 4)
{
	static const char *const texts[] = {"type\tstatus\nEEG\tgood\n", "name\nb\n", "name\ttype\nz\tEEG\nB\tEEG\n",
					    "7"};
	static const char *const words[] = {"has no columns", "has no columns",
					    "names 1 channels that the recording does not have, and not 3 that it has",
					    "has no columns"};
	clpac_recording *r = apply(texts[_i]);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1);
	ck_assert_msg(strstr(clpac_recording_warning(r, 0, NULL), words[_i]), "%s",
		      clpac_recording_warning(r, 0, NULL));
	ck_assert_int_eq(clpac_recording_channel(r, 2)->kind, CLPAC_KIND_EOG);
	clpac_recording_destroy(r);
}

/* Random columns in random order, random rows: each channel gets what its last row says. */
TEST_EACH(random_tables_are_applied_row_by_row, 200)
{
	static const char *const columns[] = {"name", "type", "status", "status_description", "units", "group"};
	static const struct {
		const char *word;
		clpac_channel_kind kind;
	} types[] = {{"EEG", CLPAC_KIND_EEG}, {"ecog", CLPAC_KIND_ECOG}, {"Trig", CLPAC_KIND_TRIGGER},
		     {"DBS", CLPAC_KIND_LFP}, {"NEW", CLPAC_KIND_MISC},	 {"EMG", CLPAC_KIND_EMG}};
	unsigned long long state = (unsigned long long)_i + 1;
	enum { N = 12 };
	size_t order[COUNT(columns)];
	int kinds[N], bad[N];
	char text[4096], *at = text, name[16];
	clpac_error err = {0};
	clpac_recording *r = NULL;
	for (size_t i = 0; i < COUNT(order); i++)
		order[i] = i;
	for (size_t i = COUNT(order) - 1; i > 0; i--) {
		const size_t j = random_below(&state, i + 1), kept = order[i];
		order[i] = order[j];
		order[j] = kept;
	}
	OK(clpac_recording_create("made", &r, &err));
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "c%d", i);
		OK(clpac_recording_add_channel(r, name, "", 100, 1, CLPAC_FLOAT32, NULL, &err));
		kinds[i] = CLPAC_KIND_UNKNOWN;
		bad[i] = 0;
	}
	for (size_t i = 0; i < COUNT(order); i++)
		at += sprintf(at, "%s%s", i ? "\t" : "", columns[order[i]]);
	for (int row = 0; row < 20; row++) {
		const size_t channel = random_below(&state, N), type = random_below(&state, COUNT(types));
		const bool is_bad = random_below(&state, 3) == 0;
		at += sprintf(at, "\n");
		for (size_t i = 0; i < COUNT(order); i++) {
			at += sprintf(at, "%s", i ? "\t" : "");
			if (order[i] == 0)
				at += sprintf(at, "c%zu", channel);
			else if (order[i] == 1)
				at += sprintf(at, "%s", types[type].word);
			else if (order[i] == 2)
				at += sprintf(at, "%s", is_bad ? "bad" : "good");
			else
				at += sprintf(at, "%s", random_below(&state, 2) ? "" : "n/a");
		}
		kinds[channel] = (int)types[type].kind;
		bad[channel] = is_bad;
	}
	OK(clpac__channels_table_apply("x", text, strlen(text), r, &err));
	for (size_t i = 0; i < N; i++) {
		ck_assert_msg((int)clpac_recording_channel(r, i)->kind == kinds[i], "channel %zu, seed %d:\n%s", i, _i,
			      text);
		ck_assert_msg((clpac_recording_channel(r, i)->bad != NULL) == bad[i], "channel %zu, seed %d:\n%s", i,
			      _i, text);
	}
	clpac_recording_destroy(r);
}

TEST(the_table_beside_a_file_is_found_and_applied)
{
	clpac_error err = {0};
	char *sidecar = NULL;
	const char *path = files_write_text("sub-1_task-rest_eeg.csv", "Fz,Cz\n1,2\n3,4\n");
	char *kept = strdup(path);
	OK(clpac_recording_sidecar(kept, &sidecar, &err));
	ck_assert_ptr_null(sidecar);
	files_write_text("sub-1_task-rest_channels.tsv", "name\ttype\tstatus\nFz\tEEG\tgood\nCz\tMISC\tbad\n");
	OK(clpac_recording_sidecar(kept, &sidecar, &err));
	ck_assert_str_eq(strrchr(sidecar, '/'), "/sub-1_task-rest_channels.tsv");
	clpac_recording *r = files_read(kept, NULL);
	ck_assert_int_eq(clpac_recording_channel(r, 0)->kind, CLPAC_KIND_EEG);
	ck_assert_int_eq(clpac_recording_channel(r, 1)->kind, CLPAC_KIND_MISC);
	ck_assert_ptr_nonnull(clpac_recording_channel(r, 1)->bad);
	clpac_recording_destroy(r);
	clpac_text_free(sidecar);
	sidecar = (char *)"unset";
	OK(clpac_recording_sidecar("plain.edf", &sidecar, &err));
	ck_assert_ptr_null(sidecar);
	free(kept);
}

TEST(a_kind_that_does_not_exist_is_refused)
{
	clpac_error err = {0};
	clpac_recording *r = made();
	ck_assert_int_eq(clpac_recording_set_kind(r, 4, CLPAC_KIND_EEG, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_recording_set_kind(r, 0, CLPAC_KIND_COUNT, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_recording_channel(r, 0)->kind, CLPAC_KIND_UNKNOWN);
	clpac_recording_destroy(r);
}
