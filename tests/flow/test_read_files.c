/* clpac_recording_read, independent of formats: files that cannot be opened, files of no known format, and rates that
 * contradict the file. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
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
		     ".npy, .npz, CSV, EDF, BDF and BrainVision");
	files_refuse(files_write_text("words", "no digit in here\n"), NULL, CLPAC_ERROR_FORMAT, "unknown format");
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
