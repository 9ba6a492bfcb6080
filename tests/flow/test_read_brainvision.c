/* BrainVision: every encoding and orientation, markers, interruptions, any of the three files as input, and malformed
 * files. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"

/* The parts of a header of 2 channels and 3 samples that tests replace; NULL: the valid one. */
struct parts {
	const char *title, *common, *orientation, *binary, *channels, *markers;
};

static const char good_title[] = "Brain Vision Data Exchange Header File Version 1.0";
static const char good_common[] = "Codepage=UTF-8\nDataFile=made.eeg\nNumberOfChannels=2\nSamplingInterval=2000\n";
static const char good_channels[] = "Ch1=Fz,,0.5,\xc2\xb5V\nCh2=a\\1b,ref,,\n";

static const char *write_header(const struct parts *p)
{
	char text[4096];
	snprintf(text, sizeof text,
		 "%s\n; a comment\n\n[Common Infos]\n%s%sDataFormat=BINARY\n%s\n[Binary Infos]\n%s\n[Channel Infos]\n; "
		 "x\n%s\n[Comment]\n"
		 "Ch1=not,a,channel\n",
		 p->title ? p->title : good_title, p->common ? p->common : good_common,
		 p->markers ? "MarkerFile=made.vmrk\n" : "",
		 p->orientation ? p->orientation : "DataOrientation=MULTIPLEXED\n",
		 p->binary ? p->binary : "BinaryFormat=INT_16\n", p->channels ? p->channels : good_channels);
	if (p->markers) {
		char markers[4096];
		snprintf(markers, sizeof markers,
			 "Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\nCodepage=UTF-8\n"
			 "[Marker Infos]\n%s",
			 p->markers);
		files_write_text("made.vmrk", markers);
	}
	return files_write_text("made.vhdr", text);
}

/* 16-bit samples 10 c + i of channel c. */
static void write_data(int is_vectorized, size_t n_samples)
{
	bytes data = {0};
	for (size_t k = 0; k < 2 * n_samples; k++) {
		size_t c = is_vectorized ? k / n_samples : k % 2, i = is_vectorized ? k % n_samples : k / 2;
		bytes_add_number(&data, 10 * c + i, 2, 0);
	}
	files_write("made.eeg", data.data, data.n);
	bytes_free(&data);
}

static void check_good(const clpac_recording *r)
{
	ck_assert_str_eq(clpac_recording_format(r), "BrainVision");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	const clpac_channel *first = clpac_recording_channel(r, 0), *second = clpac_recording_channel(r, 1);
	ck_assert_str_eq(first->name, "Fz");
	ck_assert_str_eq(first->unit, "\xc2\xb5V");
	ck_assert_double_eq(first->rate_hz, 500);
	ck_assert_int_eq(first->type, CLPAC_FLOAT64);
	ck_assert_str_eq(second->name, "a,b");
	ck_assert_str_eq(second->unit, "\xc2\xb5V");
	ck_assert_int_eq(second->type, CLPAC_FLOAT32);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_double_eq(files_sample(r, 0, i), 0.5 * (double)i);
		ck_assert_double_eq(files_sample(r, 1, i), (double)(10 + i));
	}
}

FIXTURE(files_begin, files_end);

TEST_EACH(both_orientations_are_read, 2)
{
	write_data(_i, 3);
	clpac_recording *r = files_read(
		write_header(&(struct parts){.orientation = _i ? "DataOrientation=VECTORIZED\n" : NULL}), NULL);
	check_good(r);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

/* Editors of Windows begin a text in UTF-8 with a mark: before the title of a header, and before the first section of
 * markers. */
TEST(a_byte_order_mark_is_passed_over)
{
	write_data(0, 3);
	write_header(&(struct parts){.markers = ""});
	bytes text = files_content(files_path("made.vhdr")), marked = {0};
	bytes_add(&marked, "\xef\xbb\xbf", 3);
	bytes_add(&marked, text.data, text.n);
	files_write("made.vhdr", marked.data, marked.n);
	files_write_text("made.vmrk", "\xef\xbb\xbf[Marker Infos]\nMk1=Stimulus,S  1,2,1,0\n");
	bytes_free(&text);
	bytes_free(&marked);
	clpac_recording *r = files_read(files_path("made.vhdr"), NULL);
	check_good(r);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	clpac_recording_destroy(r);
	/* Nothing but a mark, and less than one. */
	for (size_t n = 1; n <= 3; n++)
		files_refuse(files_write("made.vhdr", "\xef\xbb\xbf", n), NULL, CLPAC_ERROR_FORMAT, "made.vhdr");
}

TEST_EACH(any_of_the_three_files_may_be_given, 3)
{
	static const char *const names[] = {"made.vhdr", "made.eeg", "made.vmrk"};
	write_data(0, 3);
	write_header(&(struct parts){.markers = "Mk1=Stimulus,S  1,2,1,0\n"});
	clpac_recording *r = files_read(files_path(names[_i]), NULL);
	check_good(r);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	clpac_recording_destroy(r);
}

TEST(a_file_without_its_header_is_refused)
{
	write_data(0, 3);
	files_refuse(files_path("made.eeg"), NULL, CLPAC_ERROR_IO, "only with its BrainVision header");
	files_refuse(files_write_text("alone.vmrk", "Brain Vision Data Exchange Marker File, Version 1.0\n"), NULL,
		     CLPAC_ERROR_IO, "alone.vhdr");
}

static const struct {
	const char *binary;
	size_t n_bytes;
	int is_big;
	uint64_t bits;
	double value;
} encodings[] = {
	{"BinaryFormat=INT_16", 2, 0, 0x8000, -32768},
	{"BinaryFormat=UINT_16", 2, 0, 0x8000, 32768},
	{"BinaryFormat=INT_32", 4, 0, 0x80000001, -2147483647.0},
	{"BinaryFormat=IEEE_FLOAT_32", 4, 0, 0xc2280000, -42},
	{"BinaryFormat=ieee_float_64", 8, 0, 0x3ff0000000000001, 1 + 0x1p-52},
	{"BinaryFormat=INT_16\nUseBigEndianOrder=YES", 2, 1, 0x0102, 258},
	{"BinaryFormat=IEEE_FLOAT_32\nUseBigEndianOrder=YES\nDataOffset=4", 4, 1, 0x40490fdb, 0x1.921fb6p1},
};

TEST_EACH(every_encoding_is_read, COUNT(encodings))
{
	bytes data = {0};
	if (strstr(encodings[_i].binary, "DataOffset"))
		bytes_add(&data, "skip", 4);
	for (int k = 0; k < 4; k++)
		bytes_add_number(&data, encodings[_i].bits, encodings[_i].n_bytes, encodings[_i].is_big);
	files_write("made.eeg", data.data, data.n);
	clpac_recording *r = files_read(write_header(&(struct parts){.binary = encodings[_i].binary}), NULL);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 2);
	ck_assert_double_eq(files_sample(r, 0, 1), 0.5 * encodings[_i].value);
	ck_assert_double_eq(files_sample(r, 1, 1), encodings[_i].value);
	clpac_recording_destroy(r);
	bytes_free(&data);
}

TEST(names_in_latin1_become_utf8)
{
	write_data(0, 3);
	const struct parts p = {.common = "DataFile=made.eeg\nNumberOfChannels=2\nSamplingInterval=2000\n",
				.channels = "Ch1=Fz,,0.5,\xb5V\nCh2=\xe9,,1,V\n"};
	clpac_recording *r = files_read(write_header(&p), NULL);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->unit, "\xc2\xb5V");
	ck_assert_str_eq(clpac_recording_channel(r, 1)->name, "\xc3\xa9");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
	r = files_read(write_header(&(struct parts){.channels = p.channels}), NULL);
	ck_assert_uint_eq(files_warned(r, "not UTF-8, which the header claims"), 1);
	clpac_recording_destroy(r);
}

TEST(markers_become_annotations)
{
	write_data(0, 100);
	clpac_recording *r = files_read(
		write_header(&(struct parts){
			.markers = "Mk1=New Segment,,1,1,0,20200101120000000000\n; x\nMk2=Stimulus,S  1,51,1,0\n"
				   "Mk3=Comment,one\\1 two,61,25,0\nMk4=,,71,1,0\n"}),
		NULL);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 0);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 4);
	ck_assert_str_eq(clpac_recording_annotation(r, 0)->text, "New Segment");
	ck_assert_str_eq(clpac_recording_annotation(r, 1)->text, "Stimulus/S  1");
	ck_assert_double_eq(clpac_recording_annotation(r, 1)->onset_seconds, 0.1);
	ck_assert_double_eq(clpac_recording_annotation(r, 1)->seconds, 0);
	ck_assert_str_eq(clpac_recording_annotation(r, 2)->text, "Comment/one, two");
	ck_assert_double_eq(clpac_recording_annotation(r, 2)->seconds, 0.05);
	ck_assert_str_eq(clpac_recording_annotation(r, 3)->text, "");
	clpac_recording_destroy(r);
}

TEST(new_segments_part_the_recording_and_their_dates_the_clock)
{
	write_data(0, 100);
	clpac_recording *r =
		files_read(write_header(&(struct parts){
				   .markers = "Mk1=New Segment,,1,1,0,20191231235959500000\nMk2=New "
					      "Segment,,51,1,0,20200101000010250000\n"
					      "Mk3=Stimulus,S1,61,1,0\nMk4=New "
					      "Segment,,81,1,0,0\nMk5=Stimulus,S2,91,1,0\nMk6=Stimulus,S0,11,1,0\n"}),
			   NULL);
	ck_assert_uint_eq(files_warned(r, "interrupted"), 2);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 3);
	static const double onsets[] = {0, 10.75, 10.75 + 30 / 500.0}, firsts[] = {0, 50 / 500.0, 80 / 500.0};
	static const double lengths[] = {50 / 500.0, 30 / 500.0, 20 / 500.0};
	for (size_t i = 0; i < 3; i++) {
		const clpac_stretch *s = clpac_recording_stretch(r, i);
		/* Dates are differences of seconds since year 0, 6e10 s: their rounding is 8e-6 s at most, once per
		 * end. */
		ck_assert_double_eq_tol(s->onset_seconds, onsets[i], 2 * 8e-6);
		ck_assert_double_eq(s->first_seconds, firsts[i]);
		ck_assert_double_eq_tol(s->seconds, lengths[i], 2.3e-16);
	}
	/* Onsets count from the stretch in which each marker lies. */
	ck_assert_double_eq_tol(clpac_recording_annotation(r, 2)->onset_seconds, 10.75 + 10 / 500.0, 2 * 8e-6);
	ck_assert_double_eq_tol(clpac_recording_annotation(r, 4)->onset_seconds, 10.75 + 40 / 500.0, 2 * 8e-6);
	ck_assert_double_eq_tol(clpac_recording_annotation(r, 5)->onset_seconds, 10 / 500.0, 2.3e-16);
	clpac_recording_destroy(r);
}

static const struct {
	struct parts parts;
	const char *warning;
	size_t count;
} odd[] = {
	{{.markers = "Mk1=Stimulus,S1,zero,1,0\nMk2=Stimulus,S1,0,1,0\nMk3=Stimulus,S1,5,1,0\n"},
	 "lies outside the data",
	 3},
	{{.markers = "Mk1=New Segment,,3,1,0,0\nMk2=New Segment,,2,1,0,0\n"},
	 "a new segment starts before an earlier one",
	 1},
	/* Twice at one place. */
	{{.markers = "Mk1=New Segment,,2,1,0,0\nMk2=New Segment,,2,1,0,0\n"},
	 "a new segment starts before an earlier one",
	 1},
	{{.markers = "Mk1=Comment,\xe9,1,1,0\n"}, "markers are not UTF-8", 1},
	{{.common = "DataFile=made.eeg\nMarkerFile=absent.vmrk\nNumberOfChannels=2\nSamplingInterval=2000\n"},
	 "markers are not read",
	 1},
	{{.common = "DataFile=made.eeg\nMarkerFile=made.vmrk\nNumberOfChannels=2\n"}, "SamplingInterval is missing", 1},
	{{.common = "DataFile=made.eeg\nNumberOfChannels=2\nSamplingInterval=-4\n"}, "SamplingInterval is missing", 1},
	{{.common = "DataFile=made.eeg\nNumberOfChannels=2\nSamplingInterval=2000\nDataPoints=7\n"},
	 "says 7 samples, the file has 3",
	 1},
	{{.channels = "Ch1=Fz,,0,uV\nCh2=Cz,,1,uV\n"}, "0 or not a number", 1},
	{{.channels = "Ch1=Fz,,x,uV\nCh2=Cz,,1,uV\n"}, "0 or not a number", 1},
	{{.channels = "Ch1=Fz,,0.5,uV\nCh7=Cz,,1,uV\n"}, "no channel from Ch1 to Ch2", 1},
	{{.channels = "Ch1=Fz,,0.5,uV\nCh1=Cz,,1,uV\n"}, "has no line in [Channel Infos]", 1},
	{{.channels = "Ch1=F\x1b,,0.5,uV\nCh2=Cz,,1,uV\n"}, "control characters", 1},
};

TEST_EACH(what_is_odd_is_read_with_a_warning, COUNT(odd))
{
	write_data(0, 3);
	clpac_recording *r = files_read(write_header(&odd[_i].parts), NULL);
	ck_assert_uint_eq(files_warned(r, odd[_i].warning), odd[_i].count);
	ck_assert_double_eq(files_sample(r, 1, 2), 12);
	clpac_recording_destroy(r);
}

TEST(a_channel_with_a_bad_resolution_is_unusable_alone)
{
	write_data(0, 3);
	clpac_recording *r =
		files_read(write_header(&(struct parts){.channels = "Ch1=Fz,,0,uV\nCh2=Cz,,1,uV\n"}), NULL);
	ck_assert_ptr_nonnull(strstr(clpac_recording_channel(r, 0)->unusable, "resolution"));
	ck_assert(isnan(files_sample(r, 0, 0)));
	ck_assert_ptr_null(clpac_recording_channel(r, 1)->unusable);
	clpac_recording_destroy(r);
}

TEST(an_incomplete_last_sample_is_left_out)
{
	bytes data = {0};
	for (unsigned k = 0; k < 7; k++)
		bytes_add_number(&data, k, 2, 0);
	files_write("made.eeg", data.data, data.n);
	clpac_recording *r = files_read(write_header(&(struct parts){0}), NULL);
	ck_assert_uint_eq(files_warned(r, "incomplete, 2 of 4 bytes"), 1);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 3);
	clpac_recording_destroy(r);
	/* Without DataPoints the start of the second channel is unknown; with them everything is. */
	files_refuse(write_header(&(struct parts){.orientation = "DataOrientation=VECTORIZED\n"}), NULL,
		     CLPAC_ERROR_FORMAT, "where its channels start is unknown");
	r = files_read(write_header(&(struct parts){.orientation = "DataOrientation=VECTORIZED\nDataPoints=2\n"}),
		       NULL);
	ck_assert_double_eq(files_sample(r, 1, 0), 2);
	clpac_recording_destroy(r);
	bytes_free(&data);
}

TEST(the_base_name_stands_for_itself)
{
	write_data(0, 3);
	clpac_recording *r = files_read(
		write_header(&(struct parts){.common = "DataFile=$b.eeg\nNumberOfChannels=2\nSamplingInterval=2000\n"}),
		NULL);
	check_good(r);
	clpac_recording_destroy(r);
}

TEST(an_unknown_rate_may_be_given)
{
	write_data(0, 3);
	const char *path = write_header(&(struct parts){.common = "DataFile=made.eeg\nNumberOfChannels=2\n",
							.markers = "Mk1=Comment,x,2,1,0\n"});
	clpac_recording *r = files_read(path, NULL);
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 0);
	ck_assert_uint_eq(files_warned(r, "markers are left out"), 1);
	clpac_recording_destroy(r);
	r = files_read(path, &(clpac_read_options){.rate_hz = 100});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 100);
	ck_assert_double_eq(clpac_recording_annotation(r, 0)->onset_seconds, 0.01);
	clpac_recording_destroy(r);
}

static const struct {
	struct parts parts;
	clpac_status status;
	const char *error;
} wrong[] = {
	{{.title = "Brain Vision Data Exchange Nothing"}, CLPAC_ERROR_FORMAT, "does not start as a BrainVision header"},
	{{.common = "DataFile=made.eeg\n"}, CLPAC_ERROR_FORMAT, "does not say NumberOfChannels"},
	{{.common = "NumberOfChannels=2\n"}, CLPAC_ERROR_FORMAT, "does not say DataFile"},
	{{.common = "DataFile=made.eeg\nNumberOfChannels=0\n"}, CLPAC_ERROR_FORMAT, "NumberOfChannels is \"0\""},
	{{.common = "DataFile=made.eeg\nNumberOfChannels=2.5\n"}, CLPAC_ERROR_FORMAT, "NumberOfChannels is \"2.5\""},
	{{.common = "DataFile=made.eeg\nNumberOfChannels=nan\n"}, CLPAC_ERROR_FORMAT, "NumberOfChannels is \"nan\""},
	{{.common = "DataFile=made.eeg\nNumberOfChannels=4000000000\n"},
	 CLPAC_ERROR_FORMAT,
	 "less than one sample of 4000000000 channels"},
	{{.common = "DataFile=absent.dat\nNumberOfChannels=2\n"},
	 CLPAC_ERROR_IO,
	 "made.vhdr names its DataFile: cannot open"},
	{{.common = "DataFile=.\nNumberOfChannels=2\n"}, CLPAC_ERROR_IO, "is a folder"},
	{{.orientation = "DataOrientation=DIAGONAL\n"},
	 CLPAC_ERROR_FORMAT,
	 "DIAGONAL\": MULTIPLEXED or VECTORIZED is read"},
	{{.orientation = "DataFormat=ASCII\n", .common = "DataFormat=ASCII\nDataFile=made.eeg\nNumberOfChannels=2\n"},
	 CLPAC_ERROR_FORMAT,
	 "DataFormat is \"ASCII\": BINARY is read; python3 -c \"import mne; mne.io.read_raw_brainvision('"},
	{{.orientation = "DataType=FREQUENCYDOMAIN\n"}, CLPAC_ERROR_FORMAT, "TIMEDOMAIN is read"},
	{{.binary = "BinaryFormat=INT_24\n"}, CLPAC_ERROR_FORMAT, "BinaryFormat is \"INT_24\""},
	{{.binary = "\n"}, CLPAC_ERROR_FORMAT, "BinaryFormat is \"\""},
	{{.binary = "BinaryFormat=INT_16\nDataOffset=99\n"}, CLPAC_ERROR_FORMAT, "samples from byte 99 on"},
	{{.binary = "BinaryFormat=INT_16\nTrailerSize=4\n"}, CLPAC_ERROR_FORMAT, "TrailerSize is 4"},
	{{.orientation = "DataOrientation=VECTORIZED\nDataPoints=9000000000000000\n"},
	 CLPAC_ERROR_FORMAT,
	 "claims 2 channels"},
};

TEST_EACH(what_makes_samples_unreadable_is_refused, COUNT(wrong))
{
	write_data(0, 3);
	files_refuse(write_header(&wrong[_i].parts), NULL, wrong[_i].status, wrong[_i].error);
}

/* --- Files that were renamed, or copied from another system ------------------------------------------------------ */

/* Writes a good recording whose header names its files so, and whose data has this name. */
static const char *write_renamed(const char *data, const char *markers, const char *data_name)
{
	char common[400];
	snprintf(common, sizeof common, "DataFile=%s\nMarkerFile=%s\nNumberOfChannels=2\nSamplingInterval=2000\n", data,
		 markers);
	write_data(0, 3);
	ck_assert_int_eq(rename(files_path("made.eeg"), files_path(data_name)), 0);
	return write_header(&(struct parts){.common = common, .markers = "Mk1=Stimulus,S  1,2,1,0\n"});
}

/* The second MarkerFile, which write_header adds, is not read. */
static const struct {
	const char *data, *markers, *data_name, *warning;
	size_t n_warnings;
} renamed[] = {
	{"C:\\Users\\me\\made.eeg", "C:\\Users\\me\\made.vmrk", "made.eeg",
	 "the header names its DataFile \"C:\\Users\\me\\made.eeg\", which is not there: made.eeg beside it is read",
	 2},
	{"/data/old/made.eeg", "/data/old/made.vmrk", "made.eeg", "made.eeg beside it is read", 2},
	{"made.EEG", "MADE.VMRK", "Made.eeg", "\"made.EEG\", which is not there: Made.eeg beside it is read", 2},
	{"sub-01.eeg", "sub-01.vmrk", "made.eeg",
	 "\"sub-01.eeg\", which is not there: made.eeg beside it is read, whose size fits", 2},
	{"D:\\x\\sub-01.dat", "sub-01.vmrk", "Made.DAT", "Made.DAT beside it is read, whose size fits", 2},
	{"made.eeg", "sub-01.vmrk", "made.eeg",
	 "the header names its MarkerFile \"sub-01.vmrk\", which is not there: made.vmrk beside it is read", 1},
};

TEST_EACH(files_that_were_renamed_are_found_beside_the_header, COUNT(renamed))
{
	const char *path = write_renamed(renamed[_i].data, renamed[_i].markers, renamed[_i].data_name);
	clpac_recording *r = files_read(path, NULL);
	check_good(r);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	files_warned(r, renamed[_i].warning);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), renamed[_i].n_warnings);
	clpac_recording_destroy(r);
}

/* The checksum is that of the files that are read. */
TEST(the_checksum_finds_the_same_files)
{
	char before[65], after[65];
	clpac_error err;
	const char *path = write_renamed("sub-01.eeg", "sub-01.vmrk", "made.eeg");
	OK(clpac_recording_checksum(path, NULL, before, &err));
	files_write("made.eeg", "\1\2\3\4", 4);
	OK(clpac_recording_checksum(path, NULL, after, &err));
	ck_assert_str_ne(before, after);
}

/* Its state is known when all of its files have been left alone for a moment. */
TEST(the_state_tells_of_every_file)
{
	char before[65] = "", after[65];
	clpac_error err;
	const char *path = write_renamed("sub-01.eeg", "sub-01.vmrk", "made.eeg");
	OK(clpac_recording_state(path, NULL, after, &err));
	ck_assert_str_eq(after, "");
	while (!*before) {
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		OK(clpac_recording_state(path, NULL, before, &err));
	}
	OK(clpac_recording_state(path, NULL, after, &err));
	ck_assert_str_eq(before, after);
	files_write("made.eeg", "\1\2\3\4", 4);
	for (*after = 0; !*after;) {
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		OK(clpac_recording_state(path, NULL, after, &err));
	}
	ck_assert_str_ne(before, after);
}

TEST(data_that_does_not_fit_is_proposed_and_not_taken)
{
	const char *path = write_renamed("sub-01.eeg", "made.vmrk", "made.eeg");
	files_write("made.eeg", "\1\2\3\4\5\6", 6);
	files_refuse(path, NULL, CLPAC_ERROR_IO,
		     "names its DataFile \"sub-01.eeg\", which is not there; made.eeg lies beside it, with 6 bytes "
		     "that are not "
		     "those of 2 channels of 2 bytes: if it is the data, write its name into the header");
	/* Another recording's data is never taken, even where it fits. */
	path = write_renamed("sub-01.eeg", "made.vmrk", "sub-02.eeg");
	remove(files_path("made.eeg"));
	files_refuse(path, NULL, CLPAC_ERROR_IO,
		     "sub-02.eeg lies beside it, with 12 bytes that suit 2 channels of 2 bytes");
	remove(files_path("sub-02.eeg"));
	files_refuse(path, NULL, CLPAC_ERROR_IO, "names its DataFile: cannot open");
	/* The size that the header says counts. */
	path = write_renamed("sub-01.eeg\nDataPoints=4", "made.vmrk", "made.eeg");
	files_refuse(path, NULL, CLPAC_ERROR_IO, "with 12 bytes that are not those of");
}

/* The files of an .ahdr have a channel more than the header names. */
TEST_EACH(an_ahdr_has_a_channel_that_is_not_named, 2)
{
	bytes data = {0};
	for (size_t i = 0; i < 3; i++)
		for (size_t c = 0; c < 3; c++)
			bytes_add_number(&data, c < 2 ? 10 * c + i : 999, 2, 0);
	files_write("made.eeg", data.data, data.n);
	bytes_free(&data);
	write_header(&(struct parts){.markers = "Mk1=Stimulus,S  1,2,1,0\n"});
	ck_assert_int_eq(rename(files_path("made.vhdr"), files_path("made.ahdr")), 0);
	clpac_recording *r = files_read(files_path(_i ? "made.eeg" : "made.ahdr"), NULL);
	check_good(r);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 3);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
}

TEST(a_header_in_another_case_is_found)
{
	write_data(0, 3);
	write_header(&(struct parts){0});
	ck_assert_int_eq(rename(files_path("made.vhdr"), files_path("MADE.VHDR")), 0);
	clpac_recording *r = files_read(files_path("made.eeg"), NULL);
	check_good(r);
	clpac_recording_destroy(r);
}
