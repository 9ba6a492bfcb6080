/* The program that tries drivers for the library: its verdicts are those of a child of the library's own, beside
 * threads too, and a program that is missing or says nothing is told apart from a driver that fails. */
#include "runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "assertions.h"
#include "memory/device/probe.h"
#include "files.h"
#include "memory/opencl/opencl.h"
#include "open_files.h"

extern char **environ;

static char program[1024];

static void set_up(void)
{
	const char *folder = getenv("CLPAC_TEST_BUILDDIR");
	files_begin();
	setenv("OCL_ICD_VENDORS", files_path("."), 1); /* no driver */
	snprintf(program, sizeof program, "%s/clpac-probe", folder ? folder : ".");
}

static bool ask(const char *path, char *limit, clpac__probe_result *out)
{
	char *const arguments[] = {"clpac-probe", limit, NULL};
	memset(out, 0xEE, sizeof *out);
	return clpac__probe_by_program(path, arguments, environ, 60, out);
}

FIXTURE(set_up, files_end);

TEST(the_program_answers_and_leaves_neither_a_zombie_nor_a_file)
{
	clpac__probe_result result;
	const size_t n_files = open_files_count();
	ck_assert(ask(program, "60", &result));
	ck_assert_int_eq(result.end, CLPAC__PROBE_WELL);
	ck_assert_uint_eq(open_files_count(), n_files);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

TEST(programs_that_do_not_answer_are_told)
{
	clpac__probe_result result;
	ck_assert(!ask("/no such program", "60", &result));
	ck_assert(!ask(files_path("."), "60", &result));
	ck_assert(!ask("/bin/true", "60", &result));
	ck_assert(!ask(program, "soon", &result)); /* refused: a limit that is none */
	ck_assert(!ask(program, "0", &result));
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(an_application_that_ignores_its_children_or_blocks_signals_changes_no_verdict)
{
	clpac__probe_result result;
	sigset_t all;
	signal(SIGCHLD, SIG_IGN);
	ck_assert(ask(program, "60", &result));
	ck_assert_int_eq(result.end, CLPAC__PROBE_WELL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	ck_assert(ask(program, "60", &result));
	ck_assert_int_eq(result.end, CLPAC__PROBE_WELL);
}

static atomic_bool must_stop;

static void *allocate_for_ever(void *unused)
{
	(void)unused;
	while (!atomic_load(&must_stop))
		free(malloc(100));
	return NULL;
}

/* Under every sanitizer: nothing of this process is copied. */
TEST(threads_beside_change_no_verdict)
{
	enum { THREADS = 3, ROUNDS = 10 };
	pthread_t threads[THREADS];
	clpac__probe_result result;
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate_for_ever, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		ck_assert(ask(program, "60", &result));
		ck_assert_int_eq(result.end, CLPAC__PROBE_WELL);
	}
	atomic_store(&must_stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}
