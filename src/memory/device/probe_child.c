/* Probing in a child that is a copy of the process: the work of the program clpac-probe, which has one thread.  No
 * library has this file: the copy of an application with threads has one of them, and whatever lock another one held
 * stays locked in it.
 *
 * There are two children.  The first, the guard, starts the second, which calls the function; the guard waits for it
 * and reports through a pipe.  So the result does not depend on how the application handles SIGCHLD or children that
 * are not its own, and a child that even SIGKILL does not end, inside a driver's kernel part, is no zombie of the
 * application.  Between fork() and the function, both children do only what a signal handler may do, except atexit().
 */
#include "config.h"

#include "memory/device/probe_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system.h"

enum {
	/* Exit statuses of the inner child, unlikely to be used by the system or by a driver. */
	RETURNED = 0x50, /* and the answer */
	CALLED_EXIT = 0x6B,
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
	alarm((unsigned)limit_s + 2 * CLPAC__PROBE_GRACE_S + 1);
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
		wait_until(child, end_s + CLPAC__PROBE_GRACE_S, &status); /* otherwise the system reaps it */
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

clpac__probe_result clpac__probe(double limit_s, int (*look)(void *user), void *user)
{
	clpac__probe_result result = {CLPAC__PROBE_NOT_STARTED, 0};
	sigset_t all, mask;
	int ends[2], error;
	if (!clpac__pipe_open(ends))
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
		clpac__probe_collect(child, ends[0], clpac__clock_seconds() + limit_s + 2 * CLPAC__PROBE_GRACE_S,
				     &result);
	}
	close(ends[0]);
	return result;
}
