/* Probing by a program, which is started by posix_spawn: nothing of this process is copied. */
#include "config.h"

#include "memory/device/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system.h"

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

bool clpac__probe_collect(pid_t child, int report, double end_s, clpac__probe_result *out)
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
	if (!clpac__pipe_open(ends))
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
			is_told =
				is_started &&
				clpac__probe_collect(child, ends[0],
						     clpac__clock_seconds() + limit_s + 3 * CLPAC__PROBE_GRACE_S, out);
			posix_spawn_file_actions_destroy(&actions);
		}
		posix_spawnattr_destroy(&attributes);
	}
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return is_told;
}
