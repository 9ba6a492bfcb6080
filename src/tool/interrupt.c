/* The handler does all the work, with calls that are safe there: no stage of a run has to ask whether to go on, and
 * even a driver that compiles for seconds cannot delay it. */
#include "tool/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <clpac/io.h>
#include "tool/exit_code.h"

enum { MAX_FILES = 16 };

static const char *command_name = "";
static const char *_Atomic files[MAX_FILES];
static atomic_uint n_files;

static void say(const char *text)
{
	/* Nothing is left to do for a standard error that is closed. */
	ssize_t n = write(STDERR_FILENO, text, strlen(text));
	(void)n;
}

static void interrupted(int number)
{
	(void)number;
	clpac_output_abandon();
	unsigned n = atomic_load(&n_files);
	for (unsigned i = 0; i < n && i < MAX_FILES; i++)
		unlink(atomic_load(&files[i]));
	/* A progress bar may stand on the line. */
	say(isatty(STDERR_FILENO) ? "\r\033[Kclpac " : "clpac ");
	say(command_name);
	say(": interrupted; no output file is left\n");
	_exit(TOOL_EXIT_INTERRUPTED);
}

void tool_interrupt_watch(const char *command)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action;
	command_name = command;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		memset(&action, 0, sizeof action);
		/* nohup and background jobs of some shells have switched a signal off: it stays off. */
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			continue;
		memset(&action, 0, sizeof action);
		action.sa_handler = interrupted;
		sigfillset(&action.sa_mask);
		sigaction(signals[i], &action, NULL);
	}
}

void tool_interrupt_remember(const char *path)
{
	unsigned n = atomic_load(&n_files);
	if (n < MAX_FILES) {
		atomic_store(&files[n], path);
		atomic_store(&n_files, n + 1);
	}
}

void tool_interrupt_keep(void)
{
	atomic_store(&n_files, 0);
}
