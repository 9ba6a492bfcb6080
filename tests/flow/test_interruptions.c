/* The program under several signals in quick succession, as timeout(1) and terminals send them: the exit code of one of
 * them, one line of text, and no file. */
#include "runner.h"
#include "assertions.h"
#include "files.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *program;

const char *skip_reason(void)
{
	program = getenv("CLPAC_TEST_PROGRAM");
	if (!program)
		return "CLPAC_TEST_PROGRAM is not set: run it by make check";
	return access(program, X_OK) == 0 ? NULL : "the program was not built";
}

/* Starts the program with its messages in the file "said"; arguments end with NULL. */
static pid_t start(char *const *arguments)
{
	const char *said = files_path("said");
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		int file = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
			_exit(126);
		setenv("CLPAC_DEVICE", "native", 1);
		execv(program, arguments);
		_exit(127);
	}
	return child;
}

/* @param other the signal beside `wanted`, another exit code, where two came at once; 0: none. */
static void wait_for_one_end(pid_t child, int wanted, int other)
{
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status), "the program was ended by signal %d",
		      WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	if (other && WEXITSTATUS(status) == 128 + other)
		return;
	ck_assert_int_eq(WEXITSTATUS(status), wanted);
}

static void wait_for_end(pid_t child, int wanted)
{
	wait_for_one_end(child, wanted, 0);
}

static char input[PATH_MAX], trace[PATH_MAX], temporary[PATH_MAX];

/* The recording is long enough that even on a fast machine the signals come during the run. */
static void set_up(void)
{
	files_begin();
	snprintf(input, sizeof input, "%s", files_path("long.npy"));
	snprintf(trace, sizeof trace, "%s", files_path("trace.csv"));
	snprintf(temporary, sizeof temporary, "%s", files_path(".trace.csv.*.tmp"));
	char *const arguments[] = {(char[]){"clpac"},	  (char[]){"synth"},   input,
				   (char[]){"--seconds"}, (char[]){"300"},     (char[]){"--channels"},
				   (char[]){"20"},	  (char[]){"--quiet"}, NULL};
	wait_for_end(start(arguments), EXIT_SUCCESS);
}

static bool has_temporary(void)
{
	glob_t found;
	const bool is_there = glob(temporary, 0, NULL, &found) == 0;
	if (is_there)
		globfree(&found);
	return is_there;
}

/* Starts a run and waits until its trace is being written, under a temporary name. */
static pid_t start_run(void)
{
	char *const arguments[] = {(char[]){"clpac"},
				   (char[]){"memory"},
				   input,
				   (char[]){"--rate"},
				   (char[]){"512"},
				   (char[]){"--surrogates"},
				   (char[]){"4000000"},
				   (char[]){"--trace"},
				   trace,
				   NULL};
	pid_t child = start(arguments);
	while (!has_temporary()) {
		ck_assert_msg(waitpid(child, NULL, WNOHANG) == 0, "the program ended before it wrote a trace");
		sched_yield();
	}
	return child;
}

FIXTURE(set_up, files_end);

/* Drivers install handlers that reset themselves: LLVM, under PoCL, takes SIGINT and SIGHUP. Were the work done in such
 * a handler, a second signal would kill the process before the first had removed the files. */
TEST(signals_in_quick_succession_leave_no_trace)
{
	enum { ROUNDS = 32 };
	static const int second[] = {SIGINT, SIGTERM, SIGHUP, SIGINT};
	for (long round = 0; round < ROUNDS; round++) {
		struct stat facts;
		const struct timespec delay = {0, round * 40000}, gap = {0, round % 4 * 20000};
		pid_t child = start_run();
		nanosleep(&delay, NULL);
		ck_assert_int_eq(kill(child, SIGINT), 0);
		if (gap.tv_nsec)
			nanosleep(&gap, NULL);
		ck_assert_int_eq(kill(child, second[round % (long)COUNT(second)]), 0);
		ck_assert_int_eq(kill(child, SIGINT), 0);
		wait_for_one_end(child, 130, second[round % (long)COUNT(second)]);
		ck_assert_msg(stat(trace, &facts) != 0 && !has_temporary(), "round %ld: a trace is left", round);
		bytes said = files_content(files_path("said"));
		bytes_add(&said, "", 1);
		ck_assert_str_eq((const char *)said.data, "clpac memory: interrupted; no new file is left\n");
		bytes_free(&said);
	}
}

/* The number of a process's threads that a signal may interrupt; -1 where the system does not tell. */
static int count_open_threads(pid_t process, int signal_number)
{
	int n_open = 0;
	char command[PATH_MAX], line[64];
	snprintf(command, sizeof command, "cat /proc/%ld/task/*/status 2>/dev/null | grep '^SigBlk:'", (long)process);
	FILE *masks = popen(command, "r");
	ck_assert_ptr_nonnull(masks);
	int n_threads = 0;
	while (fgets(line, sizeof line, masks)) {
		unsigned long long mask = strtoull(line + strlen("SigBlk:"), NULL, 16);
		n_open += !(mask >> (signal_number - 1) & 1);
		n_threads++;
	}
	pclose(masks);
	return n_threads ? n_open : -1;
}

/* No handler that a driver installed can run: the only thread that does not block the signals is the one that waits for
 * them. */
TEST(all_threads_but_one_block_the_signals)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	pid_t child = start_run();
	for (size_t i = 0; i < COUNT(signals); i++)
		ck_assert_int_le(count_open_threads(child, signals[i]), 1);
	ck_assert_int_eq(kill(child, SIGTERM), 0);
	wait_for_end(child, 143);
}

/* Ignored signals stay ignored, as nohup and background jobs need. */
TEST(a_signal_that_is_switched_off_stays_off)
{
	signal(SIGHUP, SIG_IGN);
	pid_t child = start_run();
	signal(SIGHUP, SIG_DFL);
	const struct timespec while_it_runs = {0, 50000000};
	ck_assert_int_eq(kill(child, SIGHUP), 0);
	nanosleep(&while_it_runs, NULL);
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	ck_assert_int_eq(kill(child, SIGINT), 0);
	wait_for_end(child, 130);
}
