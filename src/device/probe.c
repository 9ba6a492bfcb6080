/* A function tried out in a child process.
 *
 * By fork() and not by a helper program: that would have to be installed, found again by a library that may be linked
 * statically or have been moved, and be told in words what to look at.  The price is what fork() does to a process with
 * threads: only the calling one lives on in the child, and a lock that another one held stays held there.  The C
 * library puts malloc and the dynamic loader right; a C++ library that another thread was just inside of may wait for
 * ever.  That costs the child its life at the limit and leaves a driver out that would have served, but it never harms
 * the caller.  None of our own locks is taken in the child: what is looked at must not take any.
 *
 * There are two children.  The first, the guard, starts the second, in which the function runs, waits for it and
 * reports through a pipe.  So the verdict does not depend on what the application does with SIGCHLD or with children
 * that are not its own, and a child that even SIGKILL does not end, inside a driver's kernel part, is no zombie of the
 * application. Between fork() and the function both do only what a signal handler may, atexit() apart. */
#include "config.h"

#include "device/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	/* Exit statuses of the inner child; what the system or a driver ends it with is rarely one of these. */
	RETURNED = 0x5A,
	CALLED_EXIT = 0x5B,
	GRACE_S = 1, /* that a killed process is given to be gone, and then the guard to report it */
};

#ifndef NSIG
#define NSIG 65
#endif

/* As a program finds them at its start: no handler of the application's may run in a child, ignored signals stay so. */
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

/* The inner child.  Does not come back. */
static void look_and_leave(double limit_s, void (*look)(void *), void *user)
{
	const struct rlimit none = {0, 0};
	signal(SIGCHLD, SIG_DFL); /* drivers start compilers and wait for them */
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere >= 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
	setrlimit(RLIMIT_CORE, &none); /* a crash is expected here */
	/* Should the guard be killed, nobody else would end this process. */
	alarm((unsigned)limit_s + 2 * GRACE_S + 1);
	/* The last one registered is the first one called: an exit() in the driver runs none of the application's. */
	atexit(leave);
	look(user);
	_exit(RETURNED);
}

static void wake(int number)
{
	(void)number;
}

/* Waits for a child until a time; false where it is still there then.  SIGCHLD is blocked but for the wait itself, so
 * that none comes between looking and waiting. */
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

/* The guard's work.  SIGCHLD is blocked and has a handler that does nothing. */
static clpac__probe_result guard(double limit_s, void (*look)(void *), void *user, const sigset_t *mask, int report)
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
		wait_until(child, end_s + GRACE_S, &status); /* else it is the system's to reap */
		return (clpac__probe_result){CLPAC__PROBE_HUNG, 0};
	}
	if (WIFSIGNALED(status))
		return (clpac__probe_result){CLPAC__PROBE_CRASHED, WTERMSIG(status)};
	return (clpac__probe_result){WEXITSTATUS(status) == RETURNED ? CLPAC__PROBE_WELL : CLPAC__PROBE_LEFT, 0};
}

/* Does not come back. */
static void be_guard(double limit_s, void (*look)(void *), void *user, const sigset_t *mask, int report)
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
	ssize_t n = write(report, &result, sizeof result); /* less than a pipe takes at once */
	_exit(n == (ssize_t)sizeof result ? 0 : 1);
}

/* False when the guard ended without a report, or sends none in time. */
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

clpac__probe_result clpac__probe(double limit_s, void (*look)(void *user), void *user)
{
	clpac__probe_result result = {CLPAC__PROBE_NOT_STARTED, 0};
	sigset_t all, mask;
	int ends[2], error;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return (clpac__probe_result){CLPAC__PROBE_NOT_STARTED, errno};

	/* None may arrive in the guard before it has dropped the handlers. */
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
		if (!read_report(ends[0], clpac__clock_seconds() + limit_s + 2 * GRACE_S, &result) &&
		    waitpid(child, NULL, WNOHANG) == 0) /* neither ended nor reaped by the application */
			kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return result;
}
