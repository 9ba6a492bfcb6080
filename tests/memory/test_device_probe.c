/* A function tried out in a child process: however the child ends, the caller carries on, learns how it ended, and
 * keeps nothing of it. */
#include "runner.h"
#include "sweeps.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clpac/memory/context.h>
#include <clpac/memory/device.h>
#include "assertions.h"
#include "memory/device/probe_child.h"
#include "files.h"
#include "open_files.h"

enum { LONG_S = 60 };
static const double short_s = 0.2;

static clpac_error err;

/* --- Ways a driver may misbehave ------------------------------------------------------------- */

static int return_at_once(void *user)
{
	(void)user;
	return 3;
}

static int crash(void *user)
{
	(void)user;
	volatile int *volatile nowhere = (volatile int *)64; /* not NULL: a sanitizer would exit before the crash */
	*nowhere = 1;
	return 0;
}

static int raise_signal(void *user)
{
	raise(*(int *)user);
	return 0;
}

static int call_abort(void *user)
{
	(void)user;
	abort();
	return 0;
}

static int hang(void *user)
{
	(void)user;
	for (;;)
		pause();
	return 0;
}

static int spin(void *user)
{
	(void)user;
	for (volatile unsigned i = 0;; i++)
		;
	return 0;
}

static int hang_deaf(void *user)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	hang(user);
	return 0;
}

static int call_exit(void *user)
{
	exit(*(int *)user);
	return 0;
}

static int call_exit_below(void *user)
{
	_exit(*(int *)user);
	return 0;
}

static int write_loudly(void *user)
{
	(void)user;
	printf("printed\n");
	fflush(stdout);
	fprintf(stderr, "said\n");
	return 0;
}

static void check_end(clpac__probe_result result, clpac__probe_end end, int detail)
{
	ck_assert_int_eq(result.end, end);
	ck_assert_int_eq(result.detail, detail);
}

/* --- How the child ends ----------------------------------------------------------------------- */

TEST(what_returns_has_ended_well)
{
	check_end(clpac__probe(LONG_S, return_at_once, NULL), CLPAC__PROBE_WELL, 3);
}

TEST(a_crash_is_told_with_its_signal)
{
	check_end(clpac__probe(LONG_S, crash, NULL), CLPAC__PROBE_CRASHED, SIGSEGV);
	check_end(clpac__probe(LONG_S, call_abort, NULL), CLPAC__PROBE_CRASHED, SIGABRT);
	int numbers[] = {SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGTERM};
	for (size_t i = 0; i < COUNT(numbers); i++)
		check_end(clpac__probe(LONG_S, raise_signal, &numbers[i]), CLPAC__PROBE_CRASHED, numbers[i]);
}

TEST(what_does_not_come_back_is_killed_at_the_limit)
{
	check_end(clpac__probe(short_s, hang, NULL), CLPAC__PROBE_HUNG, 0);
	check_end(clpac__probe(short_s, spin, NULL), CLPAC__PROBE_HUNG, 0);
	check_end(clpac__probe(short_s, hang_deaf, NULL), CLPAC__PROBE_HUNG, 0);
	check_end(clpac__probe(1e-6, hang, NULL), CLPAC__PROBE_HUNG, 0);
}

TEST(an_exit_is_no_good_end_whatever_its_status)
{
	int statuses[] = {0, 1, 42, 255};
	for (size_t i = 0; i < COUNT(statuses); i++) {
		check_end(clpac__probe(LONG_S, call_exit, &statuses[i]), CLPAC__PROBE_LEFT, 0);
		check_end(clpac__probe(LONG_S, call_exit_below, &statuses[i]), CLPAC__PROBE_LEFT, 0);
	}
	int like_ours = 0x5A;
	check_end(clpac__probe(LONG_S, call_exit, &like_ours), CLPAC__PROBE_LEFT, 0);
}

TEST(without_processes_to_be_had_that_is_told)
{
	struct rlimit few;
	const bool is_super = geteuid() == 0; /* no limit holds root */
	ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &few), 0);
	few.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &few), 0);
	if (is_super)
		ck_assert_int_eq(setresuid(65534, 65534, 0), 0);
	const clpac__probe_result result = clpac__probe(LONG_S, return_at_once, NULL);
	if (is_super)
		ck_assert_int_eq(setresuid(0, 0, 0), 0);
	few.rlim_cur = few.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &few), 0);
	check_end(result, CLPAC__PROBE_NOT_STARTED, EAGAIN);
}

TEST(without_files_to_be_had_that_is_told)
{
	struct rlimit few;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
	const rlim_t before = few.rlim_cur;
	few.rlim_cur = 3;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	const clpac__probe_result result = clpac__probe(LONG_S, return_at_once, NULL);
	few.rlim_cur = before;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	check_end(result, CLPAC__PROBE_NOT_STARTED, EMFILE);
}

/* --- Traces of the child ---------------------------------------------------------------------- */

TEST(neither_zombies_nor_files_are_left)
{
	int status = 0;
	const size_t before = open_files_count();
	for (int i = 0; i < 3; i++) {
		clpac__probe(LONG_S, return_at_once, NULL);
		clpac__probe(LONG_S, crash, NULL);
		clpac__probe(LONG_S, call_exit, &status);
		clpac__probe(0.02, hang, NULL);
	}
	ck_assert_uint_eq(open_files_count(), before);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static char mark[512];

static void leave_mark(void)
{
	FILE *file = fopen(mark, "w");
	if (file)
		fclose(file);
}

TEST(an_exit_in_the_child_runs_nothing_of_the_applications)
{
	int status = 0;
	files_begin();
	snprintf(mark, sizeof mark, "%s", files_path("mark"));
	atexit(leave_mark);
	check_end(clpac__probe(LONG_S, call_exit, &status), CLPAC__PROBE_LEFT, 0);
	check_end(clpac__probe(LONG_S, return_at_once, NULL), CLPAC__PROBE_WELL, 3);
	ck_assert_int_ne(access(mark, F_OK), 0);
	leave_mark(); /* shows that the mark can be detected */
	ck_assert_int_eq(access(mark, F_OK), 0);
	files_end();
	*mark = 0;
}

TEST(what_the_child_prints_goes_nowhere_and_nothing_comes_twice)
{
	files_begin();
	const char *path = files_path("printed");
	fflush(stdout);
	fflush(stderr);
	const int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
	ck_assert_ptr_nonnull(freopen(path, "w", stdout));
	dup2(STDOUT_FILENO, STDERR_FILENO);
	printf("mine\n"); /* unflushed: the child inherits a copy of the buffer */
	const clpac__probe_result result = clpac__probe(LONG_S, write_loudly, NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(error, STDERR_FILENO);
	check_end(result, CLPAC__PROBE_WELL, 0);
	char text[64] = "";
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	const size_t n = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	ck_assert_uint_eq(n, 5);
	ck_assert_str_eq(text, "mine\n");
	files_end();
}

static volatile sig_atomic_t n_signals, n_reaped;

static void count_signal(int number)
{
	(void)number;
	n_signals++;
}

static void reap_all(int number)
{
	const int before = errno;
	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		n_reaped++;
	errno = before;
}

static void check_all_ends(void)
{
	check_end(clpac__probe(LONG_S, return_at_once, NULL), CLPAC__PROBE_WELL, 3);
	check_end(clpac__probe(LONG_S, crash, NULL), CLPAC__PROBE_CRASHED, SIGSEGV);
	check_end(clpac__probe(0.05, hang, NULL), CLPAC__PROBE_HUNG, 0);
}

TEST(an_application_that_reaps_or_ignores_its_children_changes_no_verdict)
{
	struct sigaction action = {.sa_handler = reap_all}, after;
	ck_assert_int_eq(sigaction(SIGCHLD, &action, NULL), 0);
	check_all_ends();
	ck_assert_int_eq(sigaction(SIGCHLD, NULL, &after), 0);
	ck_assert(after.sa_handler == reap_all);
	signal(SIGCHLD, SIG_IGN);
	check_all_ends();
	ck_assert(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
}

TEST(the_applications_handlers_and_mask_stay_and_do_not_run_in_the_child)
{
	struct sigaction action = {.sa_handler = count_signal}, after;
	sigset_t blocked, mask;
	ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
	ck_assert_int_eq(sigaction(SIGABRT, &action, NULL), 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	check_all_ends(); /* a handler that returned into the crash would never end */
	check_end(clpac__probe(LONG_S, call_abort, NULL), CLPAC__PROBE_CRASHED, SIGABRT);
	ck_assert_int_eq(n_signals, 0);
	ck_assert_int_eq(sigaction(SIGSEGV, NULL, &after), 0);
	ck_assert(after.sa_handler == count_signal);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < 32; number++)
		ck_assert_int_eq(sigismember(&mask, number), number == SIGUSR1);
}

/* Signals arrive continuously, as under a profiler. */
TEST(signals_meanwhile_change_nothing)
{
	const struct sigaction action = {.sa_handler = count_signal};
	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	struct itimerspec every = {{0, 2000000}, {0, 2000000}};
	timer_t timer;
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
	ck_assert_int_eq(timer_settime(timer, 0, &every, NULL), 0);
	check_all_ends();
	check_end(clpac__probe(short_s, hang, NULL), CLPAC__PROBE_HUNG, 0);
	timer_delete(timer);
	ck_assert_int_gt(n_signals, 0);
}

static atomic_bool must_stop;

static void *allocate_for_ever(void *unused)
{
	(void)unused;
	while (!atomic_load(&must_stop))
		free(malloc(100));
	return NULL;
}

static int allocate_and_start_a_thread(void *user)
{
	pthread_t thread;
	(void)user;
	for (int i = 0; i < 1000; i++)
		free(malloc((size_t)i + 1));
	atomic_store(&must_stop, true);
	if (pthread_create(&thread, NULL, allocate_for_ever, NULL) != 0 || pthread_join(thread, NULL) != 0)
		abort();
	return 0;
}

TEST_UNLESS(IS_SANITIZED ? "sanitizers do not let a child of a threaded process fork or allocate" : NULL,
	    beside_threads_that_allocate_the_child_can_allocate_and_start_threads_too)
{
	/* Under the thread sanitizer a child of a threaded process cannot fork again.  The address sanitizer's malloc,
	 * unlike the C library's, does not release its locks in the child: one that another thread held stays locked.
	 */
	enum { THREADS = 3, ROUNDS = 20 };
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate_for_ever, NULL), 0);
	for (int i = 0; i < ROUNDS; i++)
		check_end(clpac__probe(LONG_S, allocate_and_start_a_thread, NULL), CLPAC__PROBE_WELL, 0);
	atomic_store(&must_stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* --- The probed look at the machine ----------------------------------------------------------- */

TEST(limits_that_are_none_are_refused)
{
	const double wrong[] = {-0.5, -2, NAN, INFINITY, -INFINITY, 3600.5, 1e300};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		clpac_device_list *list = NULL;
		assert_refused(clpac_devices_find_probed(wrong[i], &list, &err), err, CLPAC_ERROR_ARGUMENT,
			       "give more than 0 and at most 3600");
		assert_refused(clpac_devices_refresh_probed(wrong[i], &list, &err), err, CLPAC_ERROR_ARGUMENT,
			       "give more than 0 and at most 3600");
		ck_assert_int_eq(clpac_devices_find_probed(wrong[i], &list, NULL), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(list);
	}
}

TEST(a_probed_look_finds_what_a_look_finds)
{
	clpac_device_list *probed = NULL, *plain = NULL, *again = NULL;
	assert_works(clpac_devices_find_probed(LONG_S, &probed, &err), err);
	assert_works(clpac_devices_find(&plain, &err), err);
	ck_assert_ptr_eq(plain, probed); /* the result is remembered like any other */
	assert_works(clpac_devices_refresh_probed(LONG_S, &again, &err), err);
	ck_assert_ptr_ne(again, probed);
	ck_assert_uint_eq(clpac_devices_count(again), clpac_devices_count(plain));
	for (size_t i = 0; i < clpac_devices_count(again); i++)
		ck_assert_str_eq(clpac_devices_get(again, i)->name, clpac_devices_get(plain, i)->name);
	clpac_devices_destroy(probed);
	clpac_devices_destroy(plain);
	clpac_devices_destroy(again);
}

TEST(a_context_is_opened_by_way_of_a_probe)
{
	const clpac_options options = {.device = "native", .probe = LONG_S}, wrong = {.device = "native", .probe = NAN};
	clpac_context *context = NULL;
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	ck_assert_str_eq(clpac_context_device(context)->backend, "native");
	clpac_context_close(context);
	assert_refused(clpac_context_open(NULL, &wrong, &context, &err), err, CLPAC_ERROR_ARGUMENT,
		       "the limit of a probe");
}
