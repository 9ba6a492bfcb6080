/* Phases of a run: said once when they last, unsaid when they are brief. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands.h"
#include "tool/console.h"
#include "tool/progress.h"

static FILE *said;

static void catch_stderr(void)
{
	said = tmpfile();
	ck_assert_ptr_nonnull(said);
	ck_assert_int_ge(dup2(fileno(said), STDERR_FILENO), 0);
}

static const char *text(void)
{
	static char all[4096];
	const ssize_t n = pread(fileno(said), all, sizeof all - 1, 0);
	ck_assert_int_ge((int)n, 0);
	all[n] = 0;
	return all;
}

/* Waits for a text; the test's own limit of time ends it where it never comes. */
static void wait_for(const char *expected)
{
	while (strcmp(text(), expected) != 0) {
		ck_assert_msg(strlen(text()) <= strlen(expected), "\"%s\"", text());
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

TEST(a_phase_that_lasts_is_said_once)
{
	catch_stderr();
	tool_phases_start("run", 0.001);
	tool_phase("reading %s", "a.edf");
	wait_for("clpac run: reading a.edf\n");
	tool_phase("computing %d series", 3);
	wait_for("clpac run: reading a.edf\nclpac run: computing 3 series\n");
	tool_phase("an escape \033[2J");
	wait_for("clpac run: reading a.edf\nclpac run: computing 3 series\nclpac run: an escape ?[2J\n");
	tool_phases_stop();
	tool_phase("too late");
	tool_phases_end();
	wait_for("clpac run: reading a.edf\nclpac run: computing 3 series\nclpac run: an escape ?[2J\n");
}

TEST(a_phase_that_ends_in_time_is_not_said)
{
	catch_stderr();
	tool_phases_start("run", 1e6);
	for (int i = 0; i < 100; i++)
		tool_phase("phase %d", i);
	tool_phases_end();
	ck_assert_str_eq(text(), "");
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The thread of phases speaks between warnings, and not within one. */
TEST(a_line_is_said_whole)
{
	enum { N_WARNINGS = 3000 };
	const tool_command command = {.name = "run"};
	const tool_call call = {.command = &command};
	char line[256];
	size_t n_warnings = 0;
	catch_stderr();
	tool_phases_start("run", 0);
	for (int i = 0; i < N_WARNINGS; i++) {
		tool_phase("phase %d", i);
		tool_warn(&call, 2, "warning %d", i);
	}
	tool_phases_end();
	rewind(said);
	while (fgets(line, sizeof line, said)) {
		const char *times = strchr(line, '(');
		const bool is_warning = strncmp(line, "clpac run: warning: warning ", 28) == 0 && times &&
					strcmp(times, "(2 times)\n") == 0;
		n_warnings += is_warning;
		ck_assert_msg(is_warning || (strncmp(line, "clpac run: phase ", 17) == 0 && strlen(line) < 24), "%s",
			      line);
	}
	ck_assert_uint_eq(n_warnings, N_WARNINGS);
}

TEST(a_phase_is_not_said_before_its_time)
{
	/* Each part of a second, so that the sum passes whole ones. */
	catch_stderr();
	tool_phases_start("run", 0.4);
	for (int i = 0; i < 4; i++) {
		const double begin_s = now_s();
		char expected[64];
		tool_phase("phase %d", i);
		snprintf(expected, sizeof expected, "clpac run: phase %d\n", i);
		while (!strstr(text(), expected))
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		ck_assert_double_ge(now_s() - begin_s, 0.4);
	}
	tool_phases_end();
}

TEST(without_a_start_nothing_is_said)
{
	catch_stderr();
	tool_phase("reading");
	tool_phases_stop();
	tool_phases_end();
	ck_assert_str_eq(text(), "");
}
