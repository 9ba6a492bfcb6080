/* Probing: calling a function in a child process first.
 *
 * The child is made by fork(), of this process or of a program that is started for it (clpac__probe_by_program).  The
 * program is the better place where it is installed; a library that is linked statically or has not been installed does
 * without.  The price is then the effect of fork() on a process with threads: only the calling thread survives in the
 * child, and a lock held by another thread stays locked.  The C library handles malloc and the dynamic loader; a C++
 * library that another thread was using may wait for ever.  Such a child is killed at the limit and leaves out a driver
 * that would have worked, but it never harms the caller.  The function must not take any of clpac's own locks.
 *
 * There are two children.  The first, the guard, starts the second, which calls the function; the guard waits for it
 * and reports through a pipe.  So the result does not depend on how the application handles SIGCHLD or children that
 * are not its own, and a child that even SIGKILL does not end, inside a driver's kernel part, is no zombie of the
 * application.  Between fork() and the function, both children do only what a signal handler may do, except atexit().
 */
#include "config.h"

#include "memory/device/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	/* Exit statuses of the inner child, unlikely to be used by the system or by a driver. */
	RETURNED = 0x50, /* and the answer */
	CALLED_EXIT = 0x6B,
	GRACE_S = 1, /* time for a killed process to end, and then for the guard to report it */
};

#ifndef NSIG
#define NSIG 65
#endif

/* Resets signal handlers as at the start of a program: none of the application's handlers may run in a child.  Ignored
 * signals stay ignored. */
static void drop_handlers(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;
		if (sigaction(number, NULL, &action) != 0 ||
		    (!(action.sa_flags & SA_SIGINFO) && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)))
			continue;
		action.sa_handler = SIG_DFL;
		action.sa_flags = 0;
		sigaction(number, &action, NULL);
	}
}

static void leave(void)
{
	_exit(CALLED_EXIT);
}

/* The inner child.  Does not return. */
static void look_and_leave(double limit_s, int (*look)(void *), void *user)
{
	const struct rlimit none = {0, 0};
	signal(SIGCHLD, SIG_DFL); /* drivers start compilers and wait for them */
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere >= 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
	setrlimit(RLIMIT_CORE, &none); /* a crash is expected here */
	/* Ends this process in case the guard is killed. */
	alarm((unsigned)limit_s + 2 * GRACE_S + 1);
	/* Handlers registered last run first: a driver that calls exit() runs none of the application's. */
	atexit(leave);
	_exit(RETURNED | (look(user) & CLPAC__PROBE_MOST_ANSWER));
}

static void wake(int number)
{
	(void)number;
}

/* Waits for a child until the given time; false when it is still there.  SIGCHLD is blocked except during the wait
 * itself, so that none is lost between checking and waiting. */
static bool wait_until(pid_t child, double end_s, int *status)
{
	sigset_t open;
	sigprocmask(SIG_BLOCK, NULL, &open);
	sigdelset(&open, SIGCHLD);
	for (;;) {
		const pid_t ended = waitpid(child, status, WNOHANG);
		if (ended == child)
			return true;
		const double left_s = end_s - clpac__clock_seconds();
		if (left_s <= 0 || (ended < 0 && errno != EINTR))
			return false;
		const struct timespec left = {(time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9)};
		pselect(0, NULL, NULL, NULL, &left, &open);
	}
}

/* The guard's work.  SIGCHLD is blocked and has an empty handler. */
static clpac__probe_result guard(double limit_s, int (*look)(void *), void *user, const sigset_t *mask, int report)
{
	int status;
	const double end_s = clpac__clock_seconds() + limit_s;
	const pid_t child = fork();
	if (child < 0)
		return (clpac__probe_result){CLPAC__PROBE_NOT_STARTED, errno};
	if (child == 0) {
		close(report);
		sigprocmask(SIG_SETMASK, mask, NULL);
		look_and_leave(limit_s, look, user);
	}
	if (!wait_until(child, end_s, &status)) {
		kill(child, SIGKILL);
		wait_until(child, end_s + GRACE_S, &status); /* otherwise the system reaps it */
		return (clpac__probe_result){CLPAC__PROBE_HUNG, 0};
	}
	if (WIFSIGNALED(status))
		return (clpac__probe_result){CLPAC__PROBE_CRASHED, WTERMSIG(status)};
	const int left = WEXITSTATUS(status);
	if ((left & ~CLPAC__PROBE_MOST_ANSWER) != RETURNED)
		return (clpac__probe_result){CLPAC__PROBE_LEFT, 0};
	return (clpac__probe_result){CLPAC__PROBE_WELL, left & CLPAC__PROBE_MOST_ANSWER};
}

/* The guard.  Does not return. */
static void be_guard(double limit_s, int (*look)(void *), void *user, const sigset_t *mask, int report)
{
	sigset_t blocked;
	drop_handlers();
	struct sigaction action = {.sa_handler = wake};
	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	const clpac__probe_result result = guard(limit_s, look, user, mask, report);
	_exit(clpac__probe_report(report, &result) ? 0 : 1);
}

bool clpac__probe_report(int file, const clpac__probe_result *result)
{
	/* Smaller than a pipe's atomic write. */
	return write(file, result, sizeof *result) == (ssize_t)sizeof *result;
}

/* False when the guard ended without a report or sends none in time. */
static bool read_report(int report, double end_s, clpac__probe_result *out)
{
	struct pollfd wanted = {.fd = report, .events = POLLIN};
	for (;;) {
		const double left_s = end_s - clpac__clock_seconds();
		const int n = poll(&wanted, 1, left_s > 0 ? (int)(left_s * 1e3) + 1 : 0);
		if (n > 0)
			return read(report, out, sizeof *out) == (ssize_t)sizeof *out;
		if (n == 0 || errno != EINTR)
			return false;
	}
}

/* Waits for the report of a child, and for its end; false when it ended without one or sends none in time. */
static bool collect(pid_t child, int report, double end_s, clpac__probe_result *out)
{
	const bool is_told = read_report(report, end_s, out);
	if (!is_told && waitpid(child, NULL, WNOHANG) == 0) /* neither ended nor reaped by the application */
		kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return is_told;
}

bool clpac__probe_by_program(const char *path, char *const *arguments, char *const *environment, double limit_s,
			     clpac__probe_result *out)
{
	int ends[2];
	pid_t child;
	sigset_t signals;
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t actions;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	bool is_told = false;
	if (posix_spawnattr_init(&attributes) == 0) {
		if (posix_spawn_file_actions_init(&actions) == 0) {
			sigfillset(&signals);
			posix_spawnattr_setsigdefault(&attributes, &signals);
			sigemptyset(&signals);
			posix_spawnattr_setsigmask(&attributes, &signals);
			posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
			const bool is_started =
				posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ==
					0 &&
				posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
				posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ==
					0 &&
				posix_spawn(&child, path, &actions, &attributes, arguments, environment) == 0;
			close(ends[1]);
			ends[1] = -1;
			/* The program waits for its own child as long as clpac__probe does here. */
			is_told = is_started &&
				  collect(child, ends[0], clpac__clock_seconds() + limit_s + 3 * GRACE_S, out);
			posix_spawn_file_actions_destroy(&actions);
		}
		posix_spawnattr_destroy(&attributes);
	}
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return is_told;
}

clpac__probe_result clpac__probe(double limit_s, int (*look)(void *user), void *user)
{
	clpac__probe_result result = {CLPAC__PROBE_NOT_STARTED, 0};
	sigset_t all, mask;
	int ends[2], error;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return (clpac__probe_result){CLPAC__PROBE_NOT_STARTED, errno};

	/* No signal may arrive in the guard before it has reset the handlers. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	const pid_t child = fork();
	error = errno;
	if (child == 0) {
		close(ends[0]);
		be_guard(limit_s, look, user, &mask, ends[1]);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	close(ends[1]);
	if (child < 0) {
		result.detail = error;
	} else {
		collect(child, ends[0], clpac__clock_seconds() + limit_s + 2 * GRACE_S, &result);
	}
	close(ends[0]);
	return result;
}
