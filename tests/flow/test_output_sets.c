/* The outputs of a run as one transaction.  The program is run with a signal before or after each system call that
 * creates, writes, syncs, renames or removes a file, and with each of these calls failing: afterwards the old results
 * or the new ones are there as a whole, and what a killed process left is gone after the next run. */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "sweeps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zip.h>

#include <clpac/write.h>
#include "recording/output.h"
#include "tool/commands.h"

/* --- System calls that are counted, interrupted, and made to fail --------------------------------- */

enum fault { NO_FAULT, SIGNAL_BEFORE, SIGNAL_AFTER, FAILURE, SHORT_WRITE, PAUSE, REFUSED_NAME };

static struct {
	enum fault what;
	int number;	  /* the signal, or errno */
	long at;	  /* the call that it meets, from 1 */
	bool lasts;	  /* all later calls fail too */
	const char *name; /* no file can get this name */
} fault;
static atomic_long *n_calls; /* shared with the processes of the program */
static void (*pause_function)(void);

/* Whether this call fails.  Standard output and standard error are left alone. */
static bool meet_before(int file)
{
	if (file >= 0 && file <= STDERR_FILENO)
		return false;
	const long call = atomic_fetch_add(n_calls, 1) + 1;
	const bool is_met = fault.what != NO_FAULT && (call == fault.at || (fault.lasts && call > fault.at));
	if (is_met && fault.what == SIGNAL_BEFORE)
		kill(getpid(), fault.number);
	if (is_met && fault.what == PAUSE)
		pause_function();
	errno = fault.number;
	return is_met && fault.what == FAILURE;
}

static void meet_after(int file)
{
	const int number = errno;
	if ((file < 0 || file > STDERR_FILENO) && fault.what == SIGNAL_AFTER && atomic_load(n_calls) == fault.at)
		kill(getpid(), fault.number);
	errno = number;
}

#define WRAPPED(kind, name, parameters, arguments, file)                                                               \
	kind __wrap_##name parameters;                                                                                 \
	kind __wrap_##name parameters                                                                                  \
	{                                                                                                              \
		if (meet_before(file))                                                                                 \
			return -1;                                                                                     \
		kind result = __real_##name arguments;                                                                 \
		meet_after(file);                                                                                      \
		return result;                                                                                         \
	}

/* The steps of files, in order: w written, s synced, l linked, r renamed; f a folder synced; d the list of a set
 * deleted. The same step twice in a row counts once, but for links and renames. */
static struct {
	char steps[64];
	size_t n;
} order;

static void note(char step)
{
	const bool is_again = order.n && order.steps[order.n - 1] == step && step != 'l' && step != 'r';
	if (!is_again && order.n + 1 < sizeof order.steps)
		order.steps[order.n++] = step;
}

/* Inodes that were synced, and files that were renamed without. */
static struct {
	ino_t files[64];
	size_t n, n_unsynced;
} synced;

/* Nothing is lost in a test when no disk is waited for. */
static int __real_fsync(int file)
{
	struct stat facts;
	const bool is_folder = fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode);
	note(is_folder ? 'f' : 's');
	if (!is_folder && synced.n < COUNT(synced.files))
		synced.files[synced.n++] = facts.st_ino;
	return 0;
}

/* Notes a file that gets its name, and whether it was synced. */
static void note_renaming(int folder, const char *from)
{
	struct stat facts;
	bool is_synced = false;
	if (fstatat(folder, from, &facts, AT_SYMLINK_NOFOLLOW) == 0)
		for (size_t i = 0; i < synced.n; i++)
			is_synced |= synced.files[i] == facts.st_ino;
	note('r');
	synced.n_unsynced += !is_synced;
}
WRAPPED(int, fsync, (int f), (f), f)
int __real_ftruncate(int f, off_t n);
int __real_ftruncate64(int f, off_t n);
int __real_renameat(int a, const char *from, int b, const char *to);
int __real_linkat(int a, const char *from, int b, const char *to, int flags);
int __real_unlinkat(int a, const char *name, int flags);
WRAPPED(int, ftruncate, (int f, off_t n), (f, n), f)
WRAPPED(int, ftruncate64, (int f, off_t n), (f, n), f)
int __wrap_renameat(int a, const char *from, int b, const char *to);
int __wrap_renameat(int a, const char *from, int b, const char *to)
{
	if (meet_before(-1))
		return -1;
	if (fault.what == REFUSED_NAME && strcmp(to, fault.name) == 0) {
		errno = EBUSY;
		return -1;
	}
	note_renaming(a, from);
	int result = __real_renameat(a, from, b, to);
	meet_after(-1);
	return result;
}
static int note_linking(int a, const char *from, int b, const char *to, int flags)
{
	note('l');
	return __real_linkat(a, from, b, to, flags);
}
#define __real_linkat note_linking
WRAPPED(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), -1)
#undef __real_linkat
static int note_removal(int a, const char *name, int flags)
{
	static const char list[] = ".clpac-set";
	const size_t n = strlen(name);
	if (n >= strlen(list) && strcmp(name + n - strlen(list), list) == 0)
		note('d');
	return __real_unlinkat(a, name, flags);
}
#define __real_unlinkat note_removal
WRAPPED(int, unlinkat, (int a, const char *name, int flags), (a, name, flags), -1)
#undef __real_unlinkat

ssize_t __real_write(int file, const void *data, size_t bytes);
ssize_t __wrap_write(int file, const void *data, size_t bytes);
ssize_t __wrap_write(int file, const void *data, size_t bytes)
{
	if (meet_before(file))
		return -1;
	if (fault.what == SHORT_WRITE && atomic_load(n_calls) == fault.at && bytes > 1)
		bytes /= 2;
	if (file > STDERR_FILENO)
		note('w');
	ssize_t result = __real_write(file, data, bytes);
	meet_after(file);
	return result;
}

int __real_openat(int folder, const char *name, int flags, ...);
int __wrap_openat(int folder, const char *name, int flags, mode_t mode);
int __wrap_openat64(int folder, const char *name, int flags, mode_t mode);
int __wrap_openat(int folder, const char *name, int flags, mode_t mode)
{
	if (!(flags & O_CREAT))
		return __real_openat(folder, name, flags);
	if (meet_before(-1))
		return -1;
	int file = __real_openat(folder, name, flags, mode);
	meet_after(-1);
	return file;
}
int __wrap_openat64(int folder, const char *name, int flags, mode_t mode)
{
	return __wrap_openat(folder, name, flags, mode);
}

/* --- The program ------------------------------------------------------------------------------- */

enum { OLD_SEED = 1, NEW_SEED = 2, MOST_WORDS = 32, INPUT_FILES = 1, SET_FILES = 3 };
static const char *const set_names[SET_FILES] = {"out.npz", "out.json", "out.csv"};

const char *skip_reason(void)
{
	/* No driver is needed, and loading one would cost most of the time. */
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	setenv("CLPAC_DEVICE", "native", 1);
	setenv("CLPAC_THREADS", "1", 1);
	return NULL;
}

static int run_tool(int seed, bool replaces)
{
	char number[16], folder[4096];
	snprintf(number, sizeof number, "%d", seed);
	snprintf(folder, sizeof folder, "%s", scratch_path("."));
	char *words[] = {(char[]){"clpac"},
			 (char[]){"run"},
			 (char[]){"in.npy"},
			 (char[]){"-o"},
			 (char[]){"out.npz"},
			 (char[]){"--rate"},
			 (char[]){"256"},
			 (char[]){"--phase"},
			 (char[]){"4:4:1/2"},
			 (char[]){"--csv"},
			 (char[]){"--amplitude"},
			 (char[]){"40:40:1/20"},
			 (char[]){"--seed"},
			 number,
			 (char[]){"--surrogates"},
			 (char[]){"5"},
			 (char[]){"--quiet"},
			 (char[]){"--force"},
			 NULL};
	const int n = (int)COUNT(words) - (replaces ? 1 : 2);
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		int said = chdir(folder) == 0 ? open("/dev/null", O_WRONLY) : -1;
		if (said < 0 || dup2(said, STDERR_FILENO) < 0)
			_exit(126);
		atomic_store(n_calls, 0);
		exit(tool_main(n, words));
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_without_fault(int seed, bool replaces)
{
	fault.what = NO_FAULT;
	return run_tool(seed, replaces);
}

/* --- What it leaves ---------------------------------------------------------------------------- */

static size_t n_there(void)
{
	size_t n = 0;
	for (size_t i = 0; i < SET_FILES; i++)
		n += access(scratch_path(set_names[i]), F_OK) == 0;
	return n;
}

static long seed_of(const char *text)
{
	const char *at = strstr(text, "seed=");
	ck_assert_ptr_nonnull(at);
	return strtol(at + strlen("seed="), NULL, 10);
}

static char *contents(const char *name)
{
	size_t bytes;
	return scratch_read(name, &bytes);
}

static char *tables[NEW_SEED + 1];

/* The seed of the set, all of whose files are of one run.  Reading completes what a killed process left. */
static long check_set(const char *when, long call)
{
	clpac_error err;
	clpac_result *result = NULL;
	clpac_status st = clpac_result_read_npz(scratch_path("out.npz"), &result, &err);
	ck_assert_msg(st == CLPAC_OK, "%s call %ld: %s", when, call, st ? err.text : "");
	long seed = seed_of(clpac_result_problem(result));
	clpac_result_destroy(result);
	char *json = contents("out.json"), *csv = contents("out.csv");
	ck_assert_msg(seed_of(json) == seed, "%s call %ld: the JSON is of another run", when, call);
	ck_assert_msg(strcmp(csv, tables[seed]) == 0, "%s call %ld: the table is of another run", when, call);
	free(json);
	free(csv);
	return seed;
}

static void check_no_leftovers(const char *when, long call, size_t n_files)
{
	size_t n = scratch_count();
	ck_assert_msg(n == n_files, "%s call %ld: %zu files instead of %zu", when, call, n, n_files);
}

static void set_up(void)
{
	clpac_error err;
	enum { N = 1024 };
	float samples[N];
	n_calls = mmap(NULL, sizeof *n_calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(n_calls != MAP_FAILED);
	make_scratch_in_memory();
	for (size_t i = 0; i < N; i++)
		samples[i] = (float)(sin(0.1 * (double)i) + (1 + sin(0.1 * (double)i)) * sin((double)i));
	assert_works(clpac_npy_write(scratch_path("in.npy"), samples, 1, N, false, &err), err);
	for (int seed = NEW_SEED; seed >= OLD_SEED; seed--) {
		ck_assert_int_eq(run_without_fault(seed, true), 0);
		tables[seed] = contents("out.csv");
	}
	ck_assert_str_ne(tables[OLD_SEED], tables[NEW_SEED]);
	ck_assert_int_eq(check_set("without a fault,", 0), OLD_SEED);
	check_no_leftovers("without a fault,", 0, INPUT_FILES + SET_FILES);
}

static void tear_down(void)
{
	for (size_t i = 0; i < COUNT(tables); i++)
		free(tables[i]);
	remove_scratch();
}

static void remove_set(void)
{
	for (size_t i = 0; i < SET_FILES; i++)
		ck_assert(unlink(scratch_path(set_names[i])) == 0 || errno == ENOENT);
}

/* --- Signals ------------------------------------------------------------------------------------- */

static const struct {
	int number;
	enum fault when;
	const char *text;
} interruptions[] = {
	{SIGINT, SIGNAL_BEFORE, "SIGINT before"},
	{SIGINT, SIGNAL_AFTER, "SIGINT after"},
	{SIGTERM, SIGNAL_BEFORE, "SIGTERM before"},
	{SIGTERM, SIGNAL_AFTER, "SIGTERM after"},
};

static const struct {
	int number;
	enum fault when;
	const char *text;
} deaths[] = {
	{SIGKILL, SIGNAL_BEFORE, "SIGKILL before"},
	{SIGKILL, SIGNAL_AFTER, "SIGKILL after"},
};

static void set_fault(enum fault what, int number, long at, bool lasts)
{
	fault.what = what;
	fault.number = number;
	fault.at = at;
	fault.lasts = lasts;
}

enum { FEWEST_CALLS = 20, BY_SIGNAL = 128 };

/* Each call is met, or every second one where sweeps are sampled. */
static long every_call(void)
{
	return sweeps_are_sampled() ? 2 : 1;
}

FIXTURE(set_up, tear_down);

/* The signals are taken by a thread of their own: whether the run gets to its end meanwhile is left to the system, and
 * both ends are right. */
TEST_EACH(an_interrupted_run_leaves_the_old_results_or_the_new_ones, sweep_of(COUNT(interruptions), 1))
{
	const char *text = interruptions[_i].text;
	const int interrupted = BY_SIGNAL + interruptions[_i].number;
	for (long k = 1;; k += every_call()) {
		set_fault(interruptions[_i].when, interruptions[_i].number, k, false);
		int code = run_tool(NEW_SEED, true);
		if (atomic_load(n_calls) < k) {
			ck_assert_int_eq(code, 0);
			ck_assert_int_gt(k, FEWEST_CALLS);
			break;
		}
		ck_assert_msg(code == interrupted || code == 0, "%s call %ld: exit code %d", text, k, code);
		check_no_leftovers(text, k, INPUT_FILES + SET_FILES);
		if (check_set(text, k) == NEW_SEED)
			ck_assert_int_eq(run_without_fault(OLD_SEED, true), 0);
		else
			ck_assert_int_eq(code, interrupted);
	}
}

TEST_EACH(an_interrupted_run_into_an_empty_folder_leaves_all_or_nothing, sweep_of(COUNT(interruptions), 1))
{
	const char *text = interruptions[_i].text;
	const int interrupted = BY_SIGNAL + interruptions[_i].number;
	for (long k = 1;; k += every_call()) {
		remove_set();
		set_fault(interruptions[_i].when, interruptions[_i].number, k, false);
		int code = run_tool(NEW_SEED, false);
		if (atomic_load(n_calls) < k) {
			ck_assert_int_eq(code, 0);
			break;
		}
		ck_assert_msg(code == interrupted || code == 0, "%s call %ld: exit code %d", text, k, code);
		ck_assert_msg(n_there() == 0 || n_there() == SET_FILES, "%s call %ld: %zu files", text, k, n_there());
		check_no_leftovers(text, k, INPUT_FILES + n_there());
		if (n_there())
			ck_assert_int_eq(check_set(text, k), NEW_SEED);
	}
}

/* A killed process can clean nothing.  Reading completes its set, and the next run removes the rest. */
TEST_EACH(a_killed_run_leaves_the_old_results_or_the_new_ones, sweep_of(COUNT(deaths), 1))
{
	const char *text = deaths[_i].text;
	bool was_new = false;
	for (long k = 1;; k += every_call()) {
		set_fault(deaths[_i].when, SIGKILL, k, false);
		int code = run_tool(NEW_SEED, true);
		if (atomic_load(n_calls) < k) {
			ck_assert_int_eq(code, 0);
			ck_assert_int_gt(k, FEWEST_CALLS);
			break;
		}
		ck_assert_int_eq(code, -SIGKILL);
		long seed = check_set(text, k);
		/* Once the set is decided, nothing takes it back. */
		ck_assert_msg(seed == NEW_SEED || !was_new, "%s call %ld: the old results came back", text, k);
		was_new = seed == NEW_SEED;
		ck_assert_int_eq(run_without_fault(OLD_SEED, true), 0);
		ck_assert_int_eq(check_set(text, k), OLD_SEED);
		check_no_leftovers(text, k, INPUT_FILES + SET_FILES);
	}
	ck_assert(was_new);
}

TEST_EACH(a_killed_run_into_an_empty_folder_leaves_all_or_nothing, sweep_of(COUNT(deaths), 1))
{
	const char *text = deaths[_i].text;
	for (long k = 1;; k += every_call()) {
		clpac_error err;
		clpac_result *result = NULL;
		remove_set();
		set_fault(deaths[_i].when, SIGKILL, k, false);
		int code = run_tool(NEW_SEED, false);
		if (atomic_load(n_calls) < k) {
			ck_assert_int_eq(code, 0);
			break;
		}
		ck_assert_int_eq(code, -SIGKILL);
		clpac_status st = clpac_result_read_npz(scratch_path("out.npz"), &result, &err);
		ck_assert_msg(st == CLPAC_OK ? n_there() == SET_FILES : n_there() == 0, "%s call %ld: %zu files", text,
			      k, n_there());
		if (st == CLPAC_OK)
			ck_assert_int_eq(check_set(text, k), NEW_SEED);
		clpac_result_destroy(result);
		ck_assert_int_eq(run_without_fault(OLD_SEED, true), 0);
		check_no_leftovers(text, k, INPUT_FILES + SET_FILES);
	}
}

/* --- Failing calls --------------------------------------------------------------------------------- */

static const struct {
	enum fault what;
	int number;
	bool lasts;
	const char *text;
} failures[] = {
	{FAILURE, ENOSPC, false, "ENOSPC at"},
	{FAILURE, ENOSPC, true, "ENOSPC from"},
	{SHORT_WRITE, 0, false, "a short write at"},
	{FAILURE, EIO, false, "EIO at"},
	{FAILURE, EIO, true, "EIO from"},
};

enum { INPUT_OUTPUT = 74 };

/* A failed call is reported, or was one that the run can do without, as the removal of a file that the next run
 * removes. */
TEST_EACH(a_failing_call_leaves_the_old_results_or_the_new_ones, sweep_of(COUNT(failures), 3))
{
	const char *text = failures[_i].text;
	long n_reported = 0;
	for (long k = 1;; k += every_call()) {
		set_fault(failures[_i].what, failures[_i].number, k, failures[_i].lasts);
		int code = run_tool(NEW_SEED, true);
		bool is_last = atomic_load(n_calls) < k;
		fault.what = NO_FAULT;
		long seed = check_set(text, k);
		if (is_last) {
			ck_assert_int_eq(code, 0);
			ck_assert_int_gt(k, FEWEST_CALLS);
			break;
		}
		ck_assert_msg(code == 0 || code == INPUT_OUTPUT, "%s call %ld: exit code %d", text, k, code);
		ck_assert_msg(code != 0 || seed == NEW_SEED, "%s call %ld: a failure was not reported", text, k);
		n_reported += code != 0;
		ck_assert_int_eq(run_without_fault(OLD_SEED, true), 0);
		check_no_leftovers(text, k, INPUT_FILES + SET_FILES);
	}
	if (failures[_i].what == SHORT_WRITE)
		ck_assert_int_eq(n_reported, 0);
	else
		ck_assert_int_gt(n_reported, FEWEST_CALLS / 2 / every_call());
}

/* As a file that is a mount point, or that nobody may change: no later attempt would do better, and so nothing is left
 * to be completed. */
TEST_EACH(a_name_that_is_refused_for_good_leaves_the_old_results, SET_FILES)
{
	enum { CANNOT_CREATE = 73 };
	fault.name = set_names[_i];
	fault.what = REFUSED_NAME;
	ck_assert_int_eq(run_tool(NEW_SEED, true), CANNOT_CREATE);
	ck_assert_int_eq(check_set("a refused name,", _i), OLD_SEED);
	check_no_leftovers("a refused name,", _i, INPUT_FILES + SET_FILES);
}

/* --- Two writers ----------------------------------------------------------------------------------- */

static int said[2], heard[2];
static pid_t second_writer;

/* The second writer says when it waits for the first. */
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	static bool has_said;
	if (said[1] > 0 && !has_said) {
		has_said = true;
		ck_assert_int_eq(__real_write(said[1], "w", 1), 1);
	}
	return __real_nanosleep(time, left);
}

/* In the first writer, between its renames: lets the second go, until it waits or has ended. */
static void let_the_second_write(void)
{
	char answer;
	ck_assert_int_eq(__real_write(heard[1], "g", 1), 1);
	ck_assert_int_eq(read(said[0], &answer, 1), 1);
}

static void write_three(const char *text)
{
	clpac_error err;
	clpac_output_set *set = NULL;
	assert_works(clpac_output_set_open(&set, &err), err);
	for (size_t i = 0; i < SET_FILES; i++) {
		clpac__output *output = NULL;
		assert_works(clpac__output_open(scratch_path(set_names[i]), true, &output, &err), err);
		assert_works(clpac__output_join(output, set, &err), err);
		assert_works(clpac__output_write(output, text, strlen(text), &err), err);
		assert_works(clpac__output_commit(output, &err), err);
		clpac__output_discard(output);
	}
	assert_works(clpac_output_set_commit(set, &err), err);
	clpac_output_set_close(set);
}

TEST(two_writers_do_not_mix)
{
	fault.what = NO_FAULT;
	atomic_store(n_calls, 0);
	write_three("first");
	const long n = atomic_load(n_calls);
	for (long k = 1; k <= n; k++) {
		ck_assert_int_eq(pipe(said), 0);
		ck_assert_int_eq(pipe(heard), 0);
		fflush(NULL);
		second_writer = fork();
		ck_assert_int_ge(second_writer, 0);
		if (second_writer == 0) {
			char go;
			fault.what = NO_FAULT;
			if (read(heard[0], &go, 1) != 1)
				_exit(1);
			write_three("second");
			_exit(__real_write(said[1], "e", 1) == 1 ? 0 : 1);
		}
		/* The calls of both count, since the counter is shared; the first writer stops at its call k alone. */
		close(said[1]);
		said[1] = -1;
		pause_function = let_the_second_write;
		atomic_store(n_calls, 0);
		set_fault(PAUSE, 0, k, false);
		write_three("first");
		fault.what = NO_FAULT;
		int status;
		ck_assert_int_eq(waitpid(second_writer, &status, 0), second_writer);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "call %ld: the second writer failed", k);
		char *texts[SET_FILES];
		for (size_t i = 0; i < SET_FILES; i++)
			texts[i] = contents(set_names[i]);
		for (size_t i = 1; i < SET_FILES; i++)
			ck_assert_msg(strcmp(texts[i], texts[0]) == 0, "call %ld: %s has \"%s\", %s \"%s\"", k,
				      set_names[0], texts[0], set_names[i], texts[i]);
		for (size_t i = 0; i < SET_FILES; i++)
			free(texts[i]);
		check_no_leftovers("two writers,", k, INPUT_FILES + SET_FILES);
		close(said[0]);
		close(heard[0]);
		close(heard[1]);
	}
	ck_assert_int_gt(n, 3 * SET_FILES);
}

/* A machine that loses its power between two of these steps leaves the old files or a list that completes the new. */
TEST(files_and_their_list_are_synced_before_they_get_their_names_and_their_folder_after)
{
	clpac_error err;
	fault.what = NO_FAULT;
	memset(&synced, 0, sizeof synced);
	memset(&order, 0, sizeof order);
	write_three("synced");
	ck_assert_str_eq(order.steps, "wswsws" /* each file */
				      "wsf"    /* the list, and its name */
				      "lll"    /* second names of the old files */
				      "wsf"    /* the decision, and the second names */
				      "rrr"
				      "fd");
	ck_assert_uint_eq(synced.n_unsynced, 0);
	memset(&synced, 0, sizeof synced);
	memset(&order, 0, sizeof order);
	assert_works(clpac_npy_write(scratch_path("in.npy"), (float[]){1, 2}, 1, 2, true, &err), err);
	ck_assert_str_eq(order.steps, "wsrf");
	ck_assert_uint_eq(synced.n_unsynced, 0);
}

static void write_journal(const char *const *words, size_t n);

/* The list may go only when a loss of power cannot take the new names back. */
TEST(a_set_that_is_completed_later_has_its_folder_synced_before_its_list_goes)
{
	static const char *const words[] = {"clpac set 1",   "rn",     ".late.1-1.tmp", "late",
					    ".late.1-1.old", "listed", "decided"};
	clpac_error err;
	clpac_result *result = NULL;
	fault.what = NO_FAULT;
	scratch_write(".late.1-1.tmp", "x", 1);
	write_journal(words, COUNT(words));
	memset(&order, 0, sizeof order);
	assert_works(clpac_result_read_npz(scratch_path("out.npz"), &result, &err), err);
	clpac_result_destroy(result);
	ck_assert_str_eq(order.steps, "rfd");
	ck_assert_int_eq(unlink(scratch_path("late")), 0);
}

/* --- Identity -------------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to)
{
	size_t bytes;
	char *data = scratch_read(from, &bytes);
	scratch_write(to, data, bytes);
	free(data);
}

static clpac_status read_set(clpac_error *err)
{
	clpac_result *result = NULL;
	clpac_status st = clpac_result_read_npz(scratch_path("out.npz"), &result, err);
	clpac_result_destroy(result);
	return st;
}

static void remove_identity_of_json(void)
{
	char *json = contents("out.json"), *start = strstr(json, "  \"identity\""),
	     *end = start ? strchr(start, '\n') : NULL;
	ck_assert_ptr_nonnull(end);
	memmove(start, end + 1, strlen(end + 1) + 1);
	scratch_write("out.json", json, strlen(json));
	free(json);
}

static void remove_identity_of_npz(void)
{
	int code;
	zip_t *zip = zip_open(scratch_path("out.npz"), 0, &code);
	ck_assert_ptr_nonnull(zip);
	ck_assert_int_eq(zip_delete(zip, (zip_uint64_t)zip_name_locate(zip, "identity.npy", 0)), 0);
	ck_assert_int_eq(zip_close(zip), 0);
}

TEST(files_of_two_runs_are_refused)
{
	clpac_error err;
	copy_file("out.json", "other.json");
	ck_assert_int_eq(run_without_fault(NEW_SEED, true), 0);
	assert_works(read_set(&err), err);
	copy_file("other.json", "out.json");
	assert_refused(read_set(&err), err, CLPAC_ERROR_FORMAT, "of different results");
	ck_assert_ptr_nonnull(strstr(err.text, "out.npz"));
	ck_assert_int_eq(unlink(scratch_path("out.json")), 0);
	assert_works(read_set(&err), err);
}

TEST(what_is_no_json_of_clpac_does_not_matter)
{
	static const char *const others[] = {"", "{}", "{\"identity\": \"0123\"}", "\"program\": \"clpac",
					     "{\"program\": \"other\", \"identity\": \"0123\"}"};
	clpac_error err;
	for (size_t i = 0; i < COUNT(others); i++) {
		scratch_write("out.json", others[i], strlen(others[i]));
		assert_works(read_set(&err), err);
	}
	/* A pipe that nobody writes into keeps nobody waiting. */
	ck_assert_int_eq(unlink(scratch_path("out.json")), 0);
	ck_assert_int_eq(mkfifo(scratch_path("out.json"), 0600), 0);
	assert_works(read_set(&err), err);
}

TEST(results_of_versions_without_an_identity_are_read)
{
	clpac_error err;
	remove_identity_of_npz();
	assert_refused(read_set(&err), err, CLPAC_ERROR_FORMAT, "of different results");
	remove_identity_of_json();
	assert_works(read_set(&err), err);
	ck_assert_int_eq(run_without_fault(OLD_SEED, true), 0);
	remove_identity_of_json();
	assert_refused(read_set(&err), err, CLPAC_ERROR_FORMAT, "of different results");
}

/* --- Files of others ------------------------------------------------------------------------------- */

static void write_journal(const char *const *words, size_t n)
{
	char text[1024];
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(text + bytes, words[i], strlen(words[i]) + 1);
		bytes += strlen(words[i]) + 1;
	}
	scratch_write(".out.npz.clpac-set", text, bytes);
}

TEST(a_list_may_name_only_files_that_outputs_have)
{
	static const char *const names[][3] = {
		{"in.npy", "stolen", ".stolen.1-1.old"},       {".out.csv.1-1.tmp", "stolen", ".stolen.1-1.old"},
		{".stolen.1-1.tmp", "stolen", "in.npy"},       {"../.stolen.1-1.tmp", "stolen", ".stolen.1-1.old"},
		{".sub/x.1-1.tmp", "sub/x", ".sub/x.1-1.old"},
	};
	clpac_error err;
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *const words[] = {"clpac set 1", "rn",     names[i][0], names[i][1],
					     names[i][2],   "listed", "decided"};
		if (names[i][0][0] == '.' && !strchr(names[i][0], '/'))
			scratch_write(names[i][0], "x", 1);
		write_journal(words, COUNT(words));
		assert_works(read_set(&err), err);
		ck_assert_int_ne(access(scratch_path("stolen"), F_OK), 0);
		ck_assert_int_eq(access(scratch_path("in.npy"), F_OK), 0);
	}
	/* The same with names that outputs have is believed. */
	const char *const words[] = {"clpac set 1",	"rn",	  ".stolen.1-1.tmp", "stolen",
				     ".stolen.1-1.old", "listed", "decided"};
	scratch_write(".stolen.1-1.tmp", "x", 1);
	write_journal(words, COUNT(words));
	assert_works(read_set(&err), err);
	ck_assert_int_eq(access(scratch_path("stolen"), F_OK), 0);
	ck_assert_int_ne(access(scratch_path(".out.npz.clpac-set"), F_OK), 0);
}

TEST(a_file_that_is_no_list_stays)
{
	clpac_error err;
	scratch_write(".out.npz.clpac-set", "mine", 4);
	assert_works(read_set(&err), err);
	ck_assert_int_ne(run_without_fault(NEW_SEED, true), 0);
	ck_assert_int_eq(check_set("with a file that is no list,", 0), OLD_SEED);
	char *text = contents(".out.npz.clpac-set");
	ck_assert_str_eq(text, "mine");
	free(text);
}

TEST(a_living_writer_keeps_its_temporary_file)
{
	clpac_error err;
	clpac__output *first = NULL, *second = NULL;
	assert_works(clpac__output_open(scratch_path("one"), true, &first, &err), err);
	scratch_write(".one.1-1.tmp", "dead", 4);
	scratch_write(".one.1-1.tmp~", "mine", 4);
	scratch_write(".other.1-1.tmp", "mine", 4);
	const size_t n = scratch_count();
	assert_works(clpac__output_open(scratch_path("one"), true, &second, &err), err);
	/* One more, and the dead one less. */
	ck_assert_uint_eq(scratch_count(), n);
	ck_assert_int_ne(access(scratch_path(".one.1-1.tmp"), F_OK), 0);
	assert_works(clpac__output_commit(first, &err), err);
	assert_works(clpac__output_commit(second, &err), err);
	clpac__output_discard(first);
	clpac__output_discard(second);
	ck_assert_uint_eq(scratch_count(), n - 1);
}

TEST(a_set_takes_no_device_and_no_file_twice)
{
	clpac_error err;
	clpac_output_set *set = NULL;
	clpac__output *output = NULL;
	assert_works(clpac_output_set_open(&set, &err), err);
	assert_works(clpac_output_set_commit(set, &err), err);
	assert_works(clpac__output_open("/dev/null", true, &output, &err), err);
	assert_refused(clpac__output_join(output, set, &err), err, CLPAC_ERROR_ARGUMENT, "/dev/null");
	clpac__output_discard(output);
	for (int i = 0; i < 2; i++) {
		assert_works(clpac__output_open(scratch_path("one"), true, &output, &err), err);
		assert_works(clpac__output_join(output, set, &err), err);
		if (i == 0)
			assert_works(clpac__output_commit(output, &err), err);
		else
			assert_refused(clpac__output_commit(output, &err), err, CLPAC_ERROR_ARGUMENT, "already");
		clpac__output_discard(output);
	}
	ck_assert_int_ne(access(scratch_path("one"), F_OK), 0);
	clpac_output_set_close(set);
	check_no_leftovers("a closed set,", 0, INPUT_FILES + SET_FILES);
}

TEST(a_file_that_others_write_appears_with_the_set)
{
	clpac_error err;
	for (int commits = 0; commits < 2; commits++) {
		clpac_output_set *set = NULL;
		const char *temporary = NULL;
		scratch_write("one", "old", 3);
		assert_works(clpac_output_set_open(&set, &err), err);
		assert_refused(clpac_output_set_create(set, "/dev/null", true, &temporary, &err), err,
			       CLPAC_ERROR_ARGUMENT, "/dev/null");
		assert_refused(clpac_output_set_create(set, scratch_path("one"), false, &temporary, &err), err,
			       CLPAC_ERROR_IO, "exists");
		ck_assert_ptr_null(temporary);
		assert_works(clpac_output_set_create(set, scratch_path("one"), true, &temporary, &err), err);
		FILE *file = fopen(temporary, "wb");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(fputs("new", file), 1);
		ck_assert_int_eq(fclose(file), 0);
		const char *again = NULL;
		assert_refused(clpac_output_set_create(set, scratch_path("one"), true, &again, &err), err,
			       CLPAC_ERROR_ARGUMENT, "already");
		synced.n = synced.n_unsynced = 0;
		if (commits)
			assert_works(clpac_output_set_commit(set, &err), err);
		clpac_output_set_close(set);
		ck_assert_uint_eq(synced.n_unsynced, 0);
		char *text = contents("one");
		ck_assert_str_eq(text, commits ? "new" : "old");
		free(text);
		ck_assert_int_eq(unlink(scratch_path("one")), 0);
		check_no_leftovers("a closed set,", 0, INPUT_FILES + SET_FILES);
	}
}

/* A process that is killed tells a sanitizer nothing, what cleans up behind it is met by one death too, and by what
 * name a signal or an error goes changes no memory. */
