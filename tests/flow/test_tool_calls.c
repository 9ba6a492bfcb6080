/* The program when calls of the system fail: every allocation, also of the C library and libzip, every open, read,
 * write, sync, rename, close and new thread of five commands fails in turn, once and for good.  The command ends with
 * the exit code of the manual page and a last line that says what failed, and leaves no part of its outputs, or works
 * without that call and writes the usual output; nothing stays allocated or open.  Each attempt is a process of its
 * own.
 *
 * A command allocates up to thousands of times.  Of the allocations that the same twelve callers make for it, the first
 * and the last fail; with CLPAC_TEST_SWEEPS=all each (sweeps.h), as each of clpac's own does in test_tool_failures.c.
 */
#include "runner.h"
#include "assertions.h"
#include "failing_calls.h"
#include "made_result.h"
#include "open_files.h"
#include "sweeps.h"
#include "ways.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clpac/plot.h>
#include <clpac/write.h>
#include "tool/commands.h"

const char *skip_reason(void)
{
	return failing_calls_missing();
}

/* --- Commands ----------------------------------------------------------------------------------- */

enum { MOST_WORDS = 24, MOST_OUTPUTS = 4 };

struct command {
	const char *words[MOST_WORDS];
	const char *outputs[MOST_OUTPUTS];
	const char *compared; /* the output that is always the same */
};

#define METHOD "--rate", "250", "--phase", "4-8", "--amplitude", "30-45", "--surrogates", "1"

static const struct command commands[] = {
	{{"synth", "out.npy", "--rate", "250", "--seconds", "1"}, {"out.npy"}, "out.npy"},
	{{"info", "in.npy", "--rate", "250"}, {NULL}, NULL},
	{{"run", "in.npy", METHOD, "-o", "out.npz", "--csv", "-q"}, {"out.npz", "out.json", "out.csv"}, "out.csv"},
	{{"plot", "in.npz", "-o", "out.svg", "-q"}, {"out.svg"}, "out.svg"},
	{{"report", "in.npz", "-o", "out.html", "-q"}, {"out.html"}, "out.html"},
	{{"group", "in.npz", "in.2.npz", "-o", "out.npz", "--csv", "-q"},
	 {"out.npz", "out.json", "out.csv"},
	 "out.csv"},
	{{"memory", "in.npy", METHOD, "--trace", "out.csv", "-q"}, {"out.csv"}, NULL},
};
enum { RUN = 2 };

static size_t count_outputs(const struct command *command)
{
	size_t n = 0;
	while (n < MOST_OUTPUTS && command->outputs[n])
		n++;
	return n;
}

static size_t count_present(const struct command *command)
{
	size_t n = 0;
	for (size_t i = 0; i < count_outputs(command); i++)
		n += access(scratch_path(command->outputs[i]), F_OK) == 0;
	return n;
}

static void remove_outputs(const struct command *command)
{
	for (size_t i = 0; i < count_outputs(command); i++)
		ck_assert(unlink(scratch_path(command->outputs[i])) == 0 || errno == ENOENT);
}

/* --- One attempt -------------------------------------------------------------------------------- */

/* The counts that the process of an attempt leaves: calls met, blocks of clpac's that live, files that are open beyond
 * those at its start, whoever opened them. */
static struct told {
	long n_calls, n_live, n_open;
} * told;

typedef struct outcome {
	int code;
	char said[4096]; /* standard error */
} outcome;

static void run_program(const struct command *command, failing_kind kind, long at, bool lasts)
{
	/* cairo and fontconfig are not made for it: they draw with other fonts, or end the process. */
	if (kind == FAILING_ALLOCATION && strcmp(command->words[0], "plot") == 0)
		kind = FAILING_OWN_ALLOCATION;
	char *words[MOST_WORDS + 1] = {(char[]){"clpac"}};
	int n = 1;
	for (; n < MOST_WORDS && command->words[n - 1]; n++)
		words[n] = (char *)command->words[n - 1];
	int said = open(scratch_path("said"), O_WRONLY | O_CREAT | O_TRUNC, 0600), out = open("/dev/null", O_WRONLY);
	if (said < 0 || out < 0 || dup2(said, STDERR_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    chdir(scratch_path(".")) != 0)
		_exit(126);
	const size_t n_open = open_files_count();
	ways_enter();
	failing_begin(kind, at, lasts);
	int code = tool_main(n, words);
	told->n_calls = failing_end();
	told->n_live = failing_live_blocks();
	told->n_open = (long)open_files_count() - (long)n_open;
	_exit(code);
}

static outcome attempt(const struct command *command, failing_kind kind, long at, bool lasts)
{
	outcome found = {0};
	int status;
	*told = (struct told){0};
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		run_program(command, kind, at, lasts);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	size_t bytes;
	char *said = scratch_read("said", &bytes);
	snprintf(found.said, sizeof found.said, "%s", said);
	free(said);
	ck_assert_int_eq(unlink(scratch_path("said")), 0);
	ck_assert_msg(WIFEXITED(status), "%s, kind %d, call %ld: signal %d; %s", command->words[0], (int)kind, at,
		      WTERMSIG(status), found.said);
	found.code = WEXITSTATUS(status);
	return found;
}

/* --- Its outcome ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	failing_kind kind;
	int code;
	const char *words; /* one of them names the call in the last line */
} kinds[] = {
	{"allocation", FAILING_ALLOCATION, 69, "memory thread"},
	{"open", FAILING_OPEN, 74, "open creat syncing"},
	{"read", FAILING_READ, 74, "read"},
	{"write", FAILING_WRITE, 74, "writ"},
	{"sync", FAILING_SYNC, 74, "sync writ"},
	{"rename", FAILING_RENAME, 74, "putting"},
	{"close", FAILING_CLOSE, 74, "writ clos"},
	{"thread", FAILING_THREAD, 69, "thread"},
};

static const char *last_line(const char *text)
{
	const char *line = text;
	for (const char *c = text; *c; c++)
		if (*c == '\n' && c[1])
			line = c + 1;
	return line;
}

static bool has_one_of(const char *line, const char *words)
{
	char word[16];
	for (int n = 0; sscanf(words, "%15s%n", word, &n) == 1; words += n)
		if (strstr(line, word))
			return true;
	return false;
}

/* `which` tells kind, call and command. */
static void check_failure(const struct command *command, size_t kind, const outcome *found, const char *which)
{
	char start[32];
	const char *line = last_line(found->said);
	const int number = failing_number(kinds[kind].kind);
	const bool is_file = kinds[kind].code == 74;
	snprintf(start, sizeof start, "clpac %s: ", command->words[0]);
	ck_assert_msg(found->code == kinds[kind].code, "%s: exit code %d; %s", which, found->code, found->said);
	ck_assert_msg(strncmp(line, start, strlen(start)) == 0 && line[strlen(line) - 1] == '\n',
		      "%s: the last line is: %s", which, line);
	ck_assert_msg(has_one_of(line, kinds[kind].words), "%s: the call is not named: %s", which, line);
	ck_assert_msg(!is_file || (strstr(line, strerror(number)) && has_one_of(line, "in. out. output")),
		      "%s: reason or file is missing: %s", which, line);
}

/* None is allowed: what every run leaves open would be no more than usual. */
static void check_nothing_is_left(const char *which, const outcome *found)
{
	ck_assert_msg(told->n_live == 0, "%s: %ld blocks are not freed; %s", which, told->n_live, found->said);
	ck_assert_msg(told->n_open == 0, "%s: %ld files more are open than before; %s", which, told->n_open,
		      found->said);
}

/* A set that renaming for good left half done can be neither undone nor completed by its own process.  Returns the
 * number of outputs. */
static size_t complete(const struct command *command, const char *which)
{
	clpac_error err;
	clpac_result *result = NULL;
	clpac_status st = clpac_result_read_npz(scratch_path(command->outputs[0]), &result, &err);
	ck_assert_msg(st == CLPAC_OK, "%s: it is not completed: %s", which, st ? err.text : "");
	clpac_result_destroy(result);
	return count_present(command);
}

/* Makes call 1, 2, ... of the kind fail until the command needs no more of them. */
static void survive(const struct command *command, size_t kind, bool lasts)
{
	const size_t n_outputs = count_outputs(command), n_files = scratch_count();
	size_t bytes, other_bytes;
	ways_begin();
	failing_watch(kinds[kind].kind == FAILING_ALLOCATION && !sweeps_are_whole() ? ways_note : NULL);
	outcome usual = attempt(command, kinds[kind].kind, 0, false);
	failing_watch(NULL);
	ck_assert_msg(usual.code == 0, "%s", usual.said);
	check_nothing_is_left(command->words[0], &usual);
	ck_assert_uint_eq(count_present(command), n_outputs);
	char *expected = command->compared ? scratch_read(command->compared, &bytes) : NULL;
	remove_outputs(command);
	long n_tried = 0, n_failed = 0;
	for (long at = 1;; at++) {
		if (ways_is_between((unsigned long)at))
			continue;
		n_tried++;
		char which[96];
		snprintf(which, sizeof which, "%s, %s %ld%s", command->words[0], kinds[kind].name, at,
			 lasts ? " and later ones" : "");
		outcome found = attempt(command, kinds[kind].kind, at, lasts);
		const bool is_over = told->n_calls < at;
		size_t n_present = count_present(command);
		if (strstr(found.said, "the next run or reading completes it"))
			n_present = complete(command, which);
		ck_assert_msg(n_present == 0 || n_present == n_outputs, "%s: %zu outputs of %zu; %s", which, n_present,
			      n_outputs, found.said);
		ck_assert_msg(scratch_count() == n_files + n_present, "%s: %zu files; %s", which, scratch_count(),
			      found.said);
		check_nothing_is_left(which, &found);
		if (found.code) {
			n_failed++;
			check_failure(command, kind, &found, which);
		} else {
			ck_assert_msg(n_present == n_outputs, "%s: nothing is written; %s", which, found.said);
			char *made = command->compared ? scratch_read(command->compared, &other_bytes) : NULL;
			ck_assert_msg(!made || (bytes == other_bytes && memcmp(made, expected, bytes) == 0),
				      "%s: another %s", which, command->compared);
			free(made);
		}
		remove_outputs(command);
		if (is_over) {
			if (getenv("CLPAC_TEST_VERBOSE"))
				fprintf(stderr, "%s: %s: %ld calls, %ld tried, %ld failures\n", command->words[0],
					kinds[kind].name, at - 1, n_tried - 1, n_failed);
			break;
		}
	}
	free(expected);
}

/* --- The tests ---------------------------------------------------------------------------------- */

static void start(void)
{
	static const struct command make = {{"synth", "in.npy", "--rate", "250", "--seconds", "2", "-q"}, {NULL}, NULL};
	clpac_error err;
	make_scratch_in_memory();
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	setenv("CLPAC_DEVICE", "native", 1);
	setenv("CLPAC_THREADS", "2", 1);
	told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(told != MAP_FAILED);
	ways_share();
	ck_assert_int_eq(attempt(&make, FAILING_NONE, 0, false).code, 0);
	clpac_result *result = make_result(MADE_ALL);
	assert_works(clpac_result_write_npz(result, scratch_path("in.npz"), NULL, &err), err);
	clpac_result_array(result, CLPAC_Z, NULL)[0] += 1;
	assert_works(clpac_result_write_npz(result, scratch_path("in.2.npz"), NULL, &err), err);
	clpac_result_destroy(result);
}

FIXTURE(start, remove_scratch);
SECONDS(300);

TEST_EACH(every_failing_call_is_told, 2 * (int)COUNT(kinds) * (int)COUNT(commands))
{
	const size_t kind = (size_t)_i / 2 % COUNT(kinds), c = (size_t)_i / 2 / COUNT(kinds);
	if (strcmp(commands[c].words[0], "plot") != 0 || clpac_plots_are_available())
		survive(&commands[c], kind, _i % 2);
}
