/* clpac: main() alone; commands.c has the program. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "base/system.h"
#include "base/thread.h"
#include "tool/commands.h"
#include "tool/console.h"

/* The stack that programs usually have; drivers that compile count on it. */
enum { USUAL_STACK = 8 << 20 };

static bool is_limited(int resource, rlim_t least)
{
	struct rlimit limit;
	return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < least;
}

typedef struct arguments {
	int n;
	char **words;
	sigset_t signals; /* blocked at the start of the program */
	int code;
} arguments;

static void *run(void *context)
{
	arguments *given = context;
	pthread_sigmask(SIG_SETMASK, &given->signals, NULL);
	given->code = tool_main(given->n, given->words);
	return NULL;
}

/* Under a low limit (ulimit -s) the program has its own thread, with the usual stack.  The first thread takes no signal
 * meanwhile. */
static int run_on_usual_stack(int n, char **words)
{
	arguments given = {.n = n, .words = words};
	sigset_t all;
	pthread_t thread;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &given.signals);
	int code = clpac__thread_create(&thread, USUAL_STACK, run, &given);
	if (code) {
		tool_print(
			stderr,
			"clpac: no thread can be started with a stack of %d bytes (%s); raise the limit (ulimit -s)\n",
			USUAL_STACK, strerror(code));
		return tool_exit_code(CLPAC_ERROR_NO_MEMORY, code, TOOL_INPUT);
	}
	pthread_join(thread, NULL);
	return given.code;
}

/* A standard stream that is closed gets the null device, opened the wrong way round: what is printed there fails as
 * before, and no file of the program gets the stream's number, so that no message lands in a result. */
static void fill_standard_streams(void)
{
	static const int ways[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
	for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++)
		if (fcntl(i, F_GETFD) < 0 && open("/dev/null", ways[i]) < 0)
			return;
}

int main(int argc, char **argv)
{
	clpac__program_begins(argc, argv);
	fill_standard_streams();
	/* A file or a pipe that takes no more is an error like any other, with its line and its exit code. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
#ifdef M_ARENA_MAX
	/* Under a limit of address space (ulimit -v) a thread's own arena would take 64 MiB of it at once. */
	if (is_limited(RLIMIT_AS, RLIM_INFINITY))
		mallopt(M_ARENA_MAX, 1);
#endif
	return is_limited(RLIMIT_STACK, CLPAC__LEAST_STACK) ? run_on_usual_stack(argc, argv) : tool_main(argc, argv);
}
