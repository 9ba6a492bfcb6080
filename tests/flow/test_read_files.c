/* clpac_recording_read, independent of formats: files that cannot be opened, files of no known format, and rates that
 * contradict the file. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assertions.h"
#include "edf_file.h"
#include "files.h"
#include "read_files.h"

static void check_native_code(const char *path, int code, const char *text)
{
	clpac_recording *r = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_recording_read(path, NULL, &r, &err), CLPAC_ERROR_IO);
	ck_assert_int_eq(err.native_code, code);
	ck_assert_msg(strstr(err.text, text) && strstr(err.text, path), "%s", err.text);
}

static size_t count_open(void)
{
	size_t n = 0;
	for (int file = 0; file < 256; file++)
		n += fcntl(file, F_GETFD) >= 0;
	return n;
}

FIXTURE(files_begin, files_end);

TEST(nothing_stays_open)
{
	static const clpac_read_options other_rate = {.rate_hz = 17};
	const char *good = files_write_text("good.csv", "time,x\n0,1\n0.01,2\n0.02,3\n"),
		   *bad = files_write_text("bad.csv", "1\n2,3\n"),
		   *rated = files_write_text("rated.vhdr", "Brain Vision Data Exchange Header File\n[Common Infos]\n"
							   "DataFile=rated.eeg\nNumberOfChannels=1\n"
							   "SamplingInterval=1000\n[Binary Infos]\n"
							   "BinaryFormat=INT_16\n");
	files_write_text("rated.eeg", "abcdef");
	const size_t before = count_open();
	clpac_recording *r = NULL;
	clpac_error err;
	char sum[65];
	assert_works(clpac_recording_read(good, NULL, &r, &err), err);
	clpac_recording_destroy(r);
	ck_assert_int_eq(clpac_recording_read(rated, &other_rate, &r, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_ne(clpac_recording_read(bad, NULL, &r, &err), CLPAC_OK);
	assert_works(clpac_recording_checksum(good, NULL, sum, &err), err);
	assert_works(clpac_recording_state(good, NULL, sum, &err), err);
	assert_works(clpac_file_checksum(good, sum, &err), err);
	ck_assert_int_ne(clpac_file_checksum(files_path("."), sum, &err), CLPAC_OK);
	ck_assert_uint_eq(count_open(), before);
}

TEST(a_missing_file_is_named)
{
	check_native_code(files_path("absent.edf"), ENOENT, "check its name");
}

TEST(a_folder_is_no_file)
{
	const char *path = files_path("folder.edf");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	check_native_code(path, EISDIR, "is a folder");
}

TEST(a_pipe_is_no_file_and_does_not_block)
{
	const char *path = files_path("pipe.edf");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	check_native_code(path, ESPIPE, "not a regular file");
}

/* Runs in a child that gives up root: permissions do not bind root. */
TEST(a_file_without_permission_is_named)
{
	const char *path = files_write_text("secret.csv", "1\n");
	ck_assert_int_eq(chmod(path, 0), 0);
	ck_assert_int_eq(chmod(files_path("."), 0711), 0);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		clpac_recording *r = NULL;
		clpac_error err = {0};
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		clpac_status st = clpac_recording_read(path, NULL, &r, &err);
		_exit(st == CLPAC_ERROR_IO && err.native_code == EACCES && strstr(err.text, path) ? 0 : 1);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
}

TEST(an_empty_file_is_refused_whatever_its_name)
{
	static const char *const names[] = {"a.edf", "a.npy", "a.npz", "a.csv", "a.vhdr", "a.eeg", "a"};
	for (size_t i = 0; i < COUNT(names); i++)
		files_refuse(files_write(names[i], "", 0), NULL, CLPAC_ERROR_FORMAT, "empty: 0 bytes");
	files_refuse(files_write("a", "", 0), &(clpac_read_options){.raw = "f4:1"}, CLPAC_ERROR_FORMAT,
		     "empty: 0 bytes");
}

TEST(a_file_of_no_format_is_told_which_there_are)
{
	files_refuse(files_write("noise", "\1\2\3\4\0\xff", 6), NULL, CLPAC_ERROR_FORMAT,
		     ".npy, .npz, CSV, EDF, BDF, BrainVision, .set, .mat and .nwb");
	files_refuse(files_write_text("words", "no digit in here\n"), NULL, CLPAC_ERROR_FORMAT, "unknown format");
}

/* The first bytes of files of other programs, as these write them, and the start of the line that converts them. */
static const struct {
	const char *name, *bytes;
	size_t n;
	const char *kind, *remedy;
} foreign[] = {
#define HEAD(text) text, sizeof(text) - 1
	{"a.mat", HEAD("\0\0\0\0\2\0\0\0"), "MATLAB's data (4 or unknown)", "writematrix(NAME'"},
	{"a.set", HEAD("\x89HDF\r\n\x1a\n"), "EEGLAB's data set", "mne.io.read_raw('"},
	{"a.fdt", HEAD("\1\2\3\4\5\6\7\1"), "the samples of an EEGLAB data set", "name the .set beside it"},
	{"a.fif", HEAD("\0\0\0\x64\0\0\0\x1f\0\0\0\x14"), "MNE's and MEGIN's data (FIF)", "mne.io.read_raw('"},
	{"a.gdf", HEAD("GDF 2.20 X X X X"), "GDF", "mne.io.read_raw('"},
	{"CSC1.ncs", HEAD("######## Neuralynx Data File Header\r\n"), "Neuralynx's data",
	 "mne.io.read_raw_neuralynx('"},
	{"a.rhd", HEAD("\x02\x27\x91\xc6\3\0\0\0"), "Intan's data (RHD)", "neo.io.IntanIO('"},
	{"a.rhs", HEAD("\xac\x27\x91\xd6\3\0\0\0"), "Intan's data (RHS)", "neo.io.IntanIO('"},
	{"a.ns5", HEAD("NEURALCD\2\2"), "Blackrock's data", "neo.io.BlackrockIO('"},
	{"a.xdf", HEAD("XDF:\1\2"), "Lab Streaming Layer's data (XDF)", "pyxdf.load_xdf('"},
	{"a.eeg", HEAD("EEG-1100A V01.00"), "Nihon Kohden's data", "mne.io.read_raw('"},
	{"a.cnt", HEAD("Version 3.0\0"), "Neuroscan's data (CNT)", "mne.io.read_raw('"},
	{"a.edf.gz", HEAD("\x1f\x8b\x08\0"), "compressed (gzip)", "gunzip -k '"},
	{"a.edf", HEAD("\x1f\x8b\x08\0"), "compressed (gzip)", "gunzip -k '"},
	{"a.csv.bz2", HEAD("BZh91AY"), "compressed (bzip2)", "bunzip2 -k '"},
	{"a.npy.xz", HEAD("\xfd\x37zXZ\0"), "compressed (xz)", "unxz -k '"},
	{"a.xlsx", HEAD("PK\3\4\x14\0"), "a workbook (Excel)", "pandas.read_excel('"},
	{"a.parquet", HEAD("PAR1\x15"), "Parquet", "pandas.read_parquet('"},
	{"a.csv", HEAD("\xff\xfet\0i\0m\0e\0"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8 '"},
	{"a.txt", HEAD("\xfe\xff\0t\0i\0m\0e"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8 '"},
	{"a.egi", HEAD("\0\0\0\2\7\xe4\0\1"), "EGI's data (simple binary)", "mne.io.read_raw_egi('"},
	{"a_events.tsv", HEAD("onset\tduration\n1\t0\n2\t0\n"), "a table of events (BIDS)", "name the recording"},
	{"a_channels.tsv", HEAD("name\ttype\n1\tEEG\n"), "a table of channels (BIDS)", "name the recording"},
	{"a_eeg.json", HEAD("{\"SamplingFrequency\": 500}"), "a description (JSON)", "name the file with the samples"},
#undef HEAD
};

TEST_EACH(a_file_of_another_format_is_refused_with_what_converts_it, COUNT(foreign))
{
	char kind[200];
	const char *path = files_write(foreign[_i].name, foreign[_i].bytes, foreign[_i].n);
	snprintf(kind, sizeof kind, "%s is %s, which is not read as a recording: ", path, foreign[_i].kind);
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, kind);
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, foreign[_i].remedy);
}

/* Folders that are recordings, with a slash at the end, too; others are folders. */
TEST(a_folder_of_another_format_is_refused_with_what_converts_it)
{
	static const struct {
		const char *name, *kind;
	} folders[] = {{"a.mff", "EGI's recording (MFF)"}, {"a.ds", "CTF's recording"}};
	char text[300], with_slash[300];
	for (size_t i = 0; i < COUNT(folders); i++) {
		const char *path = files_path(folders[i].name);
		ck_assert_int_eq(mkdir(path, 0777), 0);
		snprintf(with_slash, sizeof with_slash, "%s/", path);
		snprintf(text, sizeof text,
			 "%s, which is not read as a recording: python3 -c \"import mne; "
			 "mne.io.read_raw('%s').export('x.edf')\"",
			 folders[i].kind, path);
		files_refuse(path, NULL, CLPAC_ERROR_FORMAT, text);
		files_refuse(with_slash, NULL, CLPAC_ERROR_FORMAT, text);
	}
	const char *path = files_path("a.fif");
	ck_assert_int_eq(mkdir(path, 0777), 0);
	files_refuse(files_path(""), NULL, CLPAC_ERROR_IO, "is a folder, name a file in it");
}

/* The name stands in the line that converts, unless a shell would take it apart. */
TEST(the_line_that_converts_can_be_copied)
{
	char line[300];
	const char *path = files_write("a b.gdf", "GDF 2.20", 8);
	snprintf(line, sizeof line, "python3 -c \"import mne; mne.io.read_raw('%s').export('x.edf')\"", path);
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, line);
	files_refuse(files_write("a'b$c.gdf", "GDF 2.20", 8), NULL, CLPAC_ERROR_FORMAT, "mne.io.read_raw('FILE')");
}

/* Samples may be any bytes: those of BrainVision that begin as UTF-16 and compressed files do. */
TEST(samples_that_look_like_another_format_are_read)
{
	static const char *const heads[] = {"\xfe\xff\1\2", "\xff\xfe\1\2", "\x1f\x8b\x08\1", "BZh9"};
	files_write_text("a.vhdr", "Brain Vision Data Exchange Header File\n[Common Infos]\nDataFile=a.eeg\n"
				   "NumberOfChannels=1\nSamplingInterval=1000\n[Binary Infos]\nBinaryFormat=INT_16\n");
	for (size_t i = 0; i < COUNT(heads); i++) {
		clpac_recording *r = files_read(files_write("a.eeg", heads[i], 4), NULL);
		ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 2);
		clpac_recording_destroy(r);
		clpac_recording_destroy(files_read(files_path("a.eeg"), &(clpac_read_options){.raw = "i2:1"}));
	}
	clpac_recording_destroy(files_read(files_write_text("a.mat", " 1.0e+00 2.0e+00\n 3.0e+00 1.0e+00\n"), NULL));
}

TEST(content_counts_more_than_the_name)
{
	edf_file file = edf_good(0);
	bytes made = edf_bytes(&file);
	clpac_recording *r = files_read(files_write("really-edf.csv", made.data, made.n), NULL);
	ck_assert_str_eq(clpac_recording_format(r), "EDF+");
	clpac_recording_destroy(r);
	bytes_free(&made);
}

TEST(a_path_that_is_none_is_an_argument)
{
	clpac_recording *r = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_recording_read(NULL, NULL, &r, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "clpac_recording_read: path is NULL"));
}

TEST(a_rate_is_applied_where_the_file_has_none)
{
	const char *path = files_write_text("a.csv", "1,2\n3,4\n");
	clpac_recording *r = files_read(path, &(clpac_read_options){.rate_hz = 512});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 512);
	ck_assert_double_eq(clpac_recording_channel(r, 1)->rate_hz, 512);
	ck_assert_double_eq(clpac_recording_seconds(r), 2 / 512.0);
	clpac_recording_destroy(r);
}

TEST(a_rate_that_is_none_is_refused)
{
	static const double rates[] = {-1, NAN, INFINITY, -INFINITY};
	const char *path = files_write_text("a.csv", "1,2\n3,4\n");
	for (size_t i = 0; i < COUNT(rates); i++)
		files_refuse(path, &(clpac_read_options){.rate_hz = rates[i]}, CLPAC_ERROR_ARGUMENT, "must be above 0");
}

/* The second channel of the file has 2 Hz, the first 4 Hz: no given rate can match both. */
TEST(a_rate_that_contradicts_the_file_is_refused)
{
	edf_file file = edf_good(0);
	const char *path = edf_write(&file);
	files_refuse(path, &(clpac_read_options){.rate_hz = 5}, CLPAC_ERROR_ARGUMENT,
		     "says 4 Hz for channel \"Fz\": leave the rate out");
	files_refuse(path, &(clpac_read_options){.rate_hz = 4}, CLPAC_ERROR_ARGUMENT, "says 2 Hz for channel \"Cz\"");
	file.signals[1].samples = "4";
	file.signals[1].n = 4;
	clpac_recording *r = files_read(edf_write(&file), &(clpac_read_options){.rate_hz = 4.00001});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 4);
	clpac_recording_destroy(r);
}
