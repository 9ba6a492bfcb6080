/* The duties of every writer: the whole file or none, nothing replaced without permission, nothing left behind. */
#include "config.h"
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "recording/temporary_files.h"
#include "recording/output.h"

#include <clpac/plot.h>
#include <clpac/write.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static clpac_status write_npy(const clpac_result *result, const char *path, bool overwrite, clpac_error *err)
{
	size_t n;
	const float *mi = clpac_result_array(result, CLPAC_MI, &n);
	return clpac_npy_write(path, mi, 1, n, overwrite, err);
}

static clpac_status write_npz(const clpac_result *result, const char *path, bool overwrite, clpac_error *err)
{
	return clpac_result_write_npz(result, path, &(clpac_write_options){.overwrite = overwrite}, err);
}

static clpac_status write_mat(const clpac_result *result, const char *path, bool overwrite, clpac_error *err)
{
	return clpac_result_write_mat(result, path, &(clpac_write_options){.overwrite = overwrite}, err);
}

static clpac_status write_json(const clpac_result *result, const char *path, bool overwrite, clpac_error *err)
{
	return clpac_result_write_json(result, path, &(clpac_write_options){.overwrite = overwrite}, err);
}

static clpac_status write_csv(const clpac_result *result, const char *path, bool overwrite, clpac_error *err)
{
	return clpac_result_write_csv(result, path, &(clpac_write_options){.overwrite = overwrite}, err);
}

#ifdef HAVE_CAIRO
static clpac_status draw(const clpac_result *result, const char *path, bool overwrite, clpac_error *err)
{
	return clpac_result_plot(result, path, &(clpac_plot_options){.overwrite = overwrite}, err);
}
#endif

static const struct {
	const char *name;
	clpac_status (*write)(const clpac_result *result, const char *path, bool overwrite, clpac_error *err);
} writers[] = {
	{"out.npy", write_npy}, {"out.npz", write_npz}, {"out.json", write_json},
	{"out.csv", write_csv}, {"out.mat", write_mat},
#ifdef HAVE_CAIRO
	{"out.png", draw},	{"out.svg", draw},	{"out.pdf", draw},
#endif
};

static clpac_result *result;

static void set_up(void)
{
	make_scratch();
	result = make_result(MADE_ALL);
}

static void tear_down(void)
{
	clpac_result_destroy(result);
	remove_scratch();
}

static void check_holds(const char *name, const char *expected)
{
	size_t bytes;
	char *text = scratch_read(name, &bytes);
	ck_assert_uint_eq(bytes, strlen(expected));
	ck_assert_str_eq(text, expected);
	free(text);
}

FIXTURE(set_up, tear_down);

TEST_EACH(a_new_file_is_alone_in_its_folder_with_the_permissions_of_any_new_file, COUNT(writers))
{
	clpac_error err;
	struct stat facts;
	umask(027);
	assert_works(writers[_i].write(result, scratch_path(writers[_i].name), false, &err), err);
	ck_assert_uint_eq(scratch_count(), 1);
	ck_assert_int_eq(stat(scratch_path(writers[_i].name), &facts), 0);
	ck_assert_int_eq(facts.st_mode & 0777, 0640);
	ck_assert_int_gt(facts.st_size, 100);
}

TEST_EACH(an_existing_file_stays_as_it_is, COUNT(writers))
{
	clpac_error err;
	scratch_write(writers[_i].name, "mine", 4);
	assert_refused(writers[_i].write(result, scratch_path(writers[_i].name), false, &err), err, CLPAC_ERROR_IO,
		       writers[_i].name);
	ck_assert_int_eq(err.native_code, EEXIST);
	check_holds(writers[_i].name, "mine");
	ck_assert_uint_eq(scratch_count(), 1);
}

TEST_EACH(an_existing_file_is_replaced_when_asked_and_keeps_its_permissions, COUNT(writers))
{
	clpac_error err;
	struct stat facts;
	scratch_write(writers[_i].name, "mine", 4);
	ck_assert_int_eq(chmod(scratch_path(writers[_i].name), 0600), 0);
	assert_works(writers[_i].write(result, scratch_path(writers[_i].name), true, &err), err);
	ck_assert_int_eq(stat(scratch_path(writers[_i].name), &facts), 0);
	ck_assert_int_gt(facts.st_size, 100);
	ck_assert_int_eq(facts.st_mode & 0777, 0600);
	ck_assert_uint_eq(scratch_count(), 1);
}

TEST_EACH(a_missing_folder_is_named, COUNT(writers))
{
	clpac_error err;
	char name[64];
	snprintf(name, sizeof name, "no-folder/%s", writers[_i].name);
	assert_refused(writers[_i].write(result, scratch_path(name), false, &err), err, CLPAC_ERROR_IO, "no-folder");
	ck_assert_int_eq(err.native_code, ENOENT);
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST_EACH(a_folder_is_not_a_file, COUNT(writers))
{
	clpac_error err;
	ck_assert_int_eq(mkdir(scratch_path(writers[_i].name), 0700), 0);
	assert_refused(writers[_i].write(result, scratch_path(writers[_i].name), true, &err), err, CLPAC_ERROR_IO,
		       "not of a folder");
	ck_assert_int_eq(err.native_code, EISDIR);
	ck_assert_uint_eq(scratch_count(), 1);
}

/* Root may write anywhere, so the test changes to another user first. */
TEST_EACH(a_folder_that_may_not_be_written_is_an_error, COUNT(writers))
{
	clpac_error err;
	ck_assert_int_eq(chmod(scratch_path(""), 0555), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	clpac_status st = writers[_i].write(result, scratch_path(writers[_i].name), false, &err);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(scratch_path(""), 0755), 0);
	assert_refused(st, err, CLPAC_ERROR_IO, writers[_i].name);
	ck_assert_int_eq(err.native_code, EACCES);
	ck_assert_uint_eq(scratch_count(), 0);
}

/* A limit on file size stops a write in its middle, as a full disk does. */
static clpac_status write_limited(size_t i, rlim_t bytes, bool overwrite, clpac_error *err)
{
	struct rlimit before, limit;
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = bytes;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	clpac_status st = writers[i].write(result, scratch_path(writers[i].name), overwrite, err);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	return st;
}

TEST_EACH(a_write_that_breaks_off_leaves_nothing, COUNT(writers))
{
	clpac_error err;
	assert_refused(write_limited((size_t)_i, 100, false, &err), err, CLPAC_ERROR_IO, writers[_i].name);
	ck_assert_int_eq(err.native_code, EFBIG);
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST_EACH(a_write_that_breaks_off_leaves_what_it_was_to_replace, COUNT(writers))
{
	clpac_error err;
	scratch_write(writers[_i].name, "mine", 4);
	assert_refused(write_limited((size_t)_i, 100, true, &err), err, CLPAC_ERROR_IO, writers[_i].name);
	check_holds(writers[_i].name, "mine");
	ck_assert_uint_eq(scratch_count(), 1);
}

TEST_EACH_UNLESS(access("/dev/full", F_OK) ? "there is no /dev/full" : NULL, a_full_device_is_an_error_of_the_system,
		 COUNT(writers))
{
	clpac_error err;
	struct stat facts;
	/* The link gives the device the ending that plots need. */
	ck_assert_int_eq(symlink("/dev/full", scratch_path(writers[_i].name)), 0);
	assert_refused(writers[_i].write(result, scratch_path(writers[_i].name), false, &err), err, CLPAC_ERROR_IO,
		       writers[_i].name);
	ck_assert_int_eq(err.native_code, ENOSPC);
	ck_assert_int_eq(stat("/dev/full", &facts), 0);
	ck_assert(S_ISCHR(facts.st_mode));
	ck_assert_uint_eq(scratch_count(), 1);
}

TEST_EACH(a_device_is_written_to_and_not_replaced, COUNT(writers))
{
	clpac_error err;
	struct stat facts;
	ck_assert_int_eq(symlink("/dev/null", scratch_path(writers[_i].name)), 0);
	assert_works(writers[_i].write(result, scratch_path(writers[_i].name), true, &err), err);
	ck_assert_int_eq(stat("/dev/null", &facts), 0);
	ck_assert(S_ISCHR(facts.st_mode));
}

TEST_EACH(a_link_stays_a_link_to_the_file_that_is_replaced, COUNT(writers))
{
	clpac_error err;
	struct stat facts;
	scratch_write("real", "mine", 4);
	ck_assert_int_eq(symlink("real", scratch_path(writers[_i].name)), 0);
	assert_works(writers[_i].write(result, scratch_path(writers[_i].name), true, &err), err);
	ck_assert_int_eq(lstat(scratch_path(writers[_i].name), &facts), 0);
	ck_assert(S_ISLNK(facts.st_mode));
	ck_assert_int_eq(lstat(scratch_path("real"), &facts), 0);
	ck_assert(S_ISREG(facts.st_mode));
	ck_assert_int_gt(facts.st_size, 100);
	ck_assert_uint_eq(scratch_count(), 2);
}

TEST(a_link_to_nowhere_is_a_name_that_is_taken)
{
	clpac_error err;
	ck_assert_int_eq(symlink("nowhere", scratch_path("out")), 0);
	clpac__output *output = NULL;
	assert_refused(clpac__output_open(scratch_path("out"), false, &output, &err), err, CLPAC_ERROR_IO,
		       "symbolic link");
	ck_assert_int_eq(err.native_code, EEXIST);
	assert_works(clpac__output_open(scratch_path("out"), true, &output, &err), err);
	assert_works(clpac__output_commit(output, &err), err);
	clpac__output_discard(output);
	check_holds("out", "");
}

TEST(an_empty_path_and_a_name_too_long_are_refused)
{
	clpac_error err;
	clpac__output *output = NULL;
	char name[300];
	memset(name, 'x', 299);
	name[299] = 0;
	assert_refused(clpac__output_open("", false, &output, &err), err, CLPAC_ERROR_ARGUMENT, "path is empty");
	assert_refused(clpac__output_open(scratch_path(name), false, &output, &err), err, CLPAC_ERROR_IO, "xxx");
	ck_assert_int_eq(err.native_code, ENAMETOOLONG);
	assert_refused(clpac__output_open(scratch_path("none/"), false, &output, &err), err, CLPAC_ERROR_IO, "none/");
	name[255] = 0;
	assert_works(clpac__output_open(scratch_path(name), false, &output, &err), err);
	assert_works(clpac__output_commit(output, &err), err);
	clpac__output_discard(output);
	ck_assert_uint_eq(scratch_count(), 1);
}

TEST(a_file_that_comes_while_another_is_written_is_not_replaced)
{
	clpac_error err;
	clpac__output *output = NULL;
	assert_works(clpac__output_open(scratch_path("out"), false, &output, &err), err);
	assert_works(clpac__output_write(output, "ours", 4, &err), err);
	scratch_write("out", "theirs", 6);
	assert_refused(clpac__output_commit(output, &err), err, CLPAC_ERROR_IO, "in its place");
	ck_assert_int_eq(err.native_code, EEXIST);
	clpac__output_discard(output);
	check_holds("out", "theirs");
	ck_assert_uint_eq(scratch_count(), 1);
}

TEST(nothing_has_the_name_before_the_commit)
{
	clpac_error err;
	clpac__output *output = NULL;
	assert_works(clpac__output_open(scratch_path("out"), false, &output, &err), err);
	assert_works(clpac__output_write(output, "all of it", 9, &err), err);
	ck_assert_int_ne(access(scratch_path("out"), F_OK), 0);
	ck_assert_uint_eq(scratch_count(), 1);
	assert_works(clpac__output_commit(output, &err), err);
	check_holds("out", "all of it");
	clpac__output_discard(output);
	ck_assert_uint_eq(scratch_count(), 1);
	clpac__output_discard(NULL);
}

TEST(bytes_can_be_written_over)
{
	clpac_error err;
	clpac__output *output = NULL;
	assert_works(clpac__output_open(scratch_path("out"), false, &output, &err), err);
	assert_works(clpac__output_write(output, "0123456789", 10, &err), err);
	assert_works(clpac__output_seek(output, 4, &err), err);
	assert_works(clpac__output_write(output, "ab", 2, &err), err);
	ck_assert_uint_eq(clpac__output_tell(output), 6);
	assert_works(clpac__output_seek(output, 10, &err), err);
	assert_works(clpac__output_write(output, "!", 1, &err), err);
	assert_works(clpac__output_commit(output, &err), err);
	clpac__output_discard(output);
	check_holds("out", "0123ab6789!");
}

TEST(what_cannot_be_written_out_of_order_says_so)
{
	clpac_error err;
	ck_assert_int_eq(mkfifo(scratch_path("pipe.npz"), 0600), 0);
	int reader = open(scratch_path("pipe.npz"), O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(reader, 0);
	assert_refused(clpac_result_write_npz(result, scratch_path("pipe.npz"), NULL, &err), err, CLPAC_ERROR_IO,
		       "out of order");
	ck_assert_int_eq(err.native_code, ESPIPE);
	/* A table has a defined order. */
	assert_works(clpac_result_write_csv(result, scratch_path("pipe.npz"), NULL, &err), err);
	close(reader);
}

TEST(too_many_files_at_once_are_refused)
{
	enum { MORE_THAN_ENOUGH = 100 };
	clpac_error err;
	clpac__output *outputs[MORE_THAN_ENOUGH];
	size_t n = 0;
	clpac_status st = CLPAC_OK;
	while (n < MORE_THAN_ENOUGH) {
		char name[16];
		snprintf(name, sizeof name, "%zu", n);
		st = clpac__output_open(scratch_path(name), false, &outputs[n], &err);
		if (st != CLPAC_OK)
			break;
		n++;
	}
	ck_assert_uint_eq(n, 64);
	assert_refused(st, err, CLPAC_ERROR_IO, "64 files are being written");
	ck_assert_uint_eq(scratch_count(), n);
	clpac__output_discard(outputs[--n]);
	assert_works(clpac__output_open(scratch_path("again"), false, &outputs[n], &err), err);
	for (n++; n > 0; n--)
		clpac__output_discard(outputs[n - 1]);
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST(an_abandoned_write_leaves_nothing_and_says_so)
{
	clpac_error err;
	clpac__output *first = NULL, *second = NULL, *third = NULL;
	assert_works(clpac__output_open(scratch_path("first"), false, &first, &err), err);
	assert_works(clpac__output_open(scratch_path("second"), true, &second, &err), err);
	assert_works(clpac__output_write(first, "half", 4, &err), err);
	errno = 77;
	clpac_output_abandon();
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(scratch_count(), 0);
	assert_refused(clpac__output_commit(first, &err), err, CLPAC_ERROR_CANCELLED, "the program is ending");
	assert_refused(clpac__output_open(scratch_path("third"), false, &third, &err), err, CLPAC_ERROR_CANCELLED,
		       "third");
	clpac_output_abandon();
	clpac__output_discard(first);
	clpac__output_discard(second);
	ck_assert_uint_eq(scratch_count(), 0);
}

/* A system call made to take long, so that another thread surely acts while it lasts: the next call of this kind
 * signals that it has started, waits, and continues after a while. */
enum stalled_call { NO_CALL, CREATION, REMOVAL };
static atomic_int call_to_stall;
static atomic_bool is_stalled;
static const struct timespec long_time = {0, 100000000}, short_time = {0, 1000000};

static void stall(int call)
{
	if (!atomic_compare_exchange_strong(&call_to_stall, &call, NO_CALL))
		return;
	atomic_store(&is_stalled, true);
	nanosleep(&long_time, NULL);
}

static void await_stalled_call(void)
{
	while (!atomic_load(&is_stalled))
		nanosleep(&short_time, NULL);
}

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags)
{
	stall(REMOVAL);
	return __real_unlinkat(folder, name, flags);
}

/* The C library has two names for the function where files may be large. */
int __real_openat(int folder, const char *name, int flags, ...);
int __wrap_openat(int folder, const char *name, int flags, mode_t mode);
int __wrap_openat64(int folder, const char *name, int flags, mode_t mode);
int __wrap_openat(int folder, const char *name, int flags, mode_t mode)
{
	stall(CREATION);
	return __real_openat(folder, name, flags, mode);
}

int __wrap_openat64(int folder, const char *name, int flags, mode_t mode)
{
	return __wrap_openat(folder, name, flags, mode);
}

static void *abandon(void *unused)
{
	clpac_output_abandon();
	return unused;
}

static void *discard(void *output)
{
	clpac__output_discard(output);
	return NULL;
}

/* The status of an attempt to open a file. */
static void *open_file(void *status)
{
	clpac__output *output = NULL;
	*(clpac_status *)status = clpac__output_open(scratch_path("late"), false, &output, NULL);
	clpac__output_discard(output);
	return NULL;
}

/* Starts the thread and returns once it is in the middle of the call. */
static pthread_t start_stalled(enum stalled_call call, void *(*work)(void *), void *argument)
{
	pthread_t thread;
	atomic_store(&is_stalled, false);
	atomic_store(&call_to_stall, call);
	ck_assert_int_eq(pthread_create(&thread, NULL, work, argument), 0);
	await_stalled_call();
	return thread;
}

/* Two signals in two threads: the first to return ends the process while the second still works. */
TEST(an_abandonment_during_another_returns_when_nothing_is_left)
{
	clpac_error err;
	clpac__output *output = NULL;
	assert_works(clpac__output_open(scratch_path("file"), false, &output, &err), err);
	pthread_t other = start_stalled(REMOVAL, abandon, NULL);
	clpac_output_abandon();
	ck_assert_uint_eq(scratch_count(), 0);
	pthread_join(other, NULL);
	clpac__output_discard(output);
}

TEST(an_abandonment_waits_for_a_file_that_is_being_created)
{
	clpac_status st = CLPAC_OK;
	pthread_t creator = start_stalled(CREATION, open_file, &st);
	clpac_output_abandon();
	ck_assert_uint_eq(scratch_count(), 0);
	pthread_join(creator, NULL);
	ck_assert_int_eq(st, CLPAC_ERROR_CANCELLED);
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST(an_abandonment_waits_for_a_file_that_is_being_removed)
{
	clpac_error err;
	clpac__output *output = NULL;
	assert_works(clpac__output_open(scratch_path("file"), false, &output, &err), err);
	pthread_t owner = start_stalled(REMOVAL, discard, output);
	clpac_output_abandon();
	ck_assert_uint_eq(scratch_count(), 0);
	pthread_join(owner, NULL);
}

/* The owner closes the folder in which the abandonment works. */
TEST(a_file_discarded_during_an_abandonment_is_removed)
{
	clpac_error err;
	clpac__output *output = NULL;
	assert_works(clpac__output_open(scratch_path("file"), false, &output, &err), err);
	pthread_t other = start_stalled(REMOVAL, abandon, NULL);
	clpac__output_discard(output);
	pthread_join(other, NULL);
	ck_assert_uint_eq(scratch_count(), 0);
}

static void end_by_signal(int number)
{
	clpac_output_abandon();
	_exit(128 + number);
}

static void *write_for_ever(void *path)
{
	for (;;)
		clpac_result_write_npz(result, path, &(clpac_write_options){.overwrite = true}, NULL);
	return NULL;
}

/* Whole files may remain, and nothing else. */
static void check_whole_files(const char *const *names, size_t n_names, size_t whole)
{
	size_t n_left = scratch_count();
	for (size_t i = 0; i < n_names; i++) {
		size_t bytes;
		if (access(scratch_path(names[i]), F_OK) != 0)
			continue;
		free(scratch_read(names[i], &bytes));
		ck_assert_uint_eq(bytes, whole);
		ck_assert_int_eq(unlink(scratch_path(names[i])), 0);
		n_left--;
	}
	ck_assert_uint_eq(n_left, 0);
}

/* A process is interrupted again and again at random moments, each time by two signals, which two of its threads may
 * take. In each round the second signal comes at another moment of handling the first. */
TEST(an_interrupted_process_leaves_whole_files_only)
{
	enum { ROUNDS = 40 };
	static const char *const names[] = {"out.npz", "other.npz"};
	clpac_error err;
	size_t whole;
	assert_works(clpac_result_write_npz(result, scratch_path("whole.npz"), NULL, &err), err);
	free(scratch_read("whole.npz", &whole));
	ck_assert_int_eq(unlink(scratch_path("whole.npz")), 0);
	/* A signal sent before the child is ready stays pending; unblocked, it would end the whole test. */
	sigset_t interrupt, before;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	for (int round = 0; round < ROUNDS; round++) {
		char paths[COUNT(names)][PATH_MAX];
		for (size_t i = 0; i < COUNT(names); i++)
			snprintf(paths[i], sizeof paths[i], "%s", scratch_path(names[i]));
		ck_assert_int_eq(sigprocmask(SIG_BLOCK, &interrupt, &before), 0);
		pid_t child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0) {
			pthread_t other;
			signal(SIGINT, end_by_signal);
			sigprocmask(SIG_SETMASK, &before, NULL);
			if (pthread_create(&other, NULL, write_for_ever, paths[1]) != 0)
				_exit(1);
			write_for_ever(paths[0]);
		}
		ck_assert_int_eq(sigprocmask(SIG_SETMASK, &before, NULL), 0);
		int status;
		const struct timespec gap = {0, 3000L * round};
		usleep(2000u + 700u * (unsigned)(round % 20));
		ck_assert_int_eq(kill(child, SIGINT), 0);
		nanosleep(&gap, NULL);
		ck_assert_int_eq(kill(child, SIGINT), 0); /* still a child until it is waited for */
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFEXITED(status));
		ck_assert_int_eq(WEXITSTATUS(status), 128 + SIGINT);
		check_whole_files(names, COUNT(names), whole);
	}
}
