/* Fuzzer's target: the whole program, from a command line to its exit code.  The input's first byte chooses the format
 * of a file, the second the command line that takes it; the rest is the file.  The numbers of the command lines are
 * fixed, so that an input of some kilobytes cannot ask for hours.
 *
 * The law is the manual page: an exit code that it lists, one line on standard error where a call fails, and an output
 * where it does not. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"
#include "tool/commands.h"

enum { MOST_WORDS = 32, WORD_SIZE = 400 };

/* The names that a file of the input gets; "raw" samples need options. */
enum { N_NAMES = 8, RAW = 6 };
static const char *const names[N_NAMES] = {"p.edf", "p.bdf", "p.csv", "p.npy", "p.npz", "p.vhdr", "p.dat", "p.json"};

#define BANDS "--device native --phase 16-24 --amplitude 60-100"
#define QUICK BANDS " --bins 6 --seed 1"

enum { N_LINES = 14 };

/* A command line: % is the input's file, & a copy of it, @ the output.  Those without an output print. */
static const struct {
	const char *words;
	const char *output; /* NULL: none */
} lines[N_LINES] = {
	{"info % --rate 256", NULL},
	{"info % --json", NULL},
	{"run % --rate 256 --surrogates 4 -f -o @ " QUICK, "o.npz"},
	{"run % --surrogates 0 --csv --no-checksum -f -o @ " QUICK, "o.npz"},
	{"run % --rate 256 --start 0.1 --stop 2 --segment 0.5 --surrogates 2 -q -f -o @ " QUICK, "o.npz"},
	{"run % --rate 256 --pairs all --surrogates 0 -f -o @ " QUICK, "o.npz"},
	{"plan % --rate 256 --surrogates 3 " QUICK, NULL},
	{"memory % --rate 256 --surrogates 2 --json " QUICK, NULL},
	{"memory --replay % --memory 64M --device native", NULL},
	{"erpac % --events all=* --window 0:0.2 --step 0.1 --surrogates 3 -f -o @ " BANDS, "o.npz"},
	{"compare % --events a=a*,b=b* --window -0.1:0.2 --permutations 3 -f -o @ " QUICK, "o.npz"},
	{"compare % --permutations 3 -f -o @", "o.npz"},
	{"group % & --permutations 3 -f -o @", "o.npz"},
	{"devices --from %", NULL},
};

/* The words of a line, which tool_main may change. */
typedef struct command_line {
	char words[MOST_WORDS][WORD_SIZE], *argv[MOST_WORDS + 1];
	int argc;
} command_line;

static void add_word(command_line *line, const char *word, size_t length)
{
	FUZZ_LAW(line->argc < MOST_WORDS && length < WORD_SIZE);
	memcpy(line->words[line->argc], word, length);
	line->words[line->argc][length] = 0;
	line->argv[line->argc] = line->words[line->argc];
	line->argc++;
}

static void split(const char *text, const char *input, const char *copy, const char *output, command_line *line)
{
	add_word(line, "clpac", 5);
	while (*text) {
		const size_t length = strcspn(text, " ");
		const char *path = length > 1	  ? NULL
				   : *text == '%' ? input
				   : *text == '&' ? copy
				   : *text == '@' ? output
						  : NULL;
		add_word(line, path ? path : text, path ? strlen(path) : length);
		text += length;
		text += strspn(text, " ");
	}
}

/* Standard output that goes nowhere.  The program closes it where it works, and leaves it where it fails. */
static bool is_closed;

static ssize_t write_nothing(void *unused, const char *bytes, size_t n)
{
	(void)unused, (void)bytes;
	return (ssize_t)n;
}

static int note_closed(void *unused)
{
	(void)unused;
	is_closed = true;
	return 0;
}

/* Ignores the signals that the program watches, for which it would start a thread in each call that stays until the
 * process ends; or restores them, and those that are blocked. */
static void ignore_signals(bool is_begin)
{
	static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
	static struct sigaction before[3];
	static sigset_t mask;
	pthread_sigmask(SIG_SETMASK, is_begin ? NULL : &mask, is_begin ? &mask : NULL);
	for (int i = 0; i < 3; i++)
		if (is_begin)
			sigaction(watched[i], &(struct sigaction){.sa_handler = SIG_IGN}, &before[i]);
		else
			sigaction(watched[i], &before[i], NULL);
}

/* Runs the program.
 * @param[out] errors what it printed on standard error, to be freed. */
static int run_program(command_line *line, char **errors)
{
	FILE *const out_before = stdout, *const err_before = stderr;
	size_t n = 0;
	*errors = NULL;
	is_closed = false;
	stdout = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_nothing, .close = note_closed});
	FILE *const heard = open_memstream(errors, &n);
	FUZZ_LAW(stdout && heard);
	stderr = heard;
	ignore_signals(true);
	const int code = tool_main(line->argc, line->argv);
	ignore_signals(false);
	if (!is_closed)
		fclose(stdout);
	stdout = out_before;
	stderr = err_before;
	FUZZ_LAW(fclose(heard) == 0);
	return code;
}

static bool is_listed(int code)
{
	static const char codes[] = {0, 2, 65, 66, 69, 73, 74}; /* of the page, without 70, a bug */
	return code >= 0 && memchr(codes, code, sizeof codes) != NULL;
}

/* The last line says why; others before it are warnings and notes. */
static void check_outcome(int code, const char *errors, const char *output)
{
	const size_t length = strlen(errors);
	FUZZ_LAW(is_listed(code));
	for (const char *at = errors; *at; at = strchr(at, '\n') + 1) {
		FUZZ_LAW(strncmp(at, "clpac", 5) == 0);
		FUZZ_LAW(strchr(at, '\n') != NULL);
	}
	FUZZ_LAW(code == 0 || (length && errors[length - 1] == '\n'));
	if (output)
		FUZZ_LAW((access(output, F_OK) == 0) == (code == 0));
}

int FUZZ_TARGET(program)(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const size_t name = data[0] % N_NAMES, which = data[1] % N_LINES;
	char input[WORD_SIZE], copy[WORD_SIZE], output[WORD_SIZE] = "", *errors;
	command_line line = {.argc = 0};
	snprintf(input, sizeof input, "%s", fuzz_write(names[name], data + 2, size - 2));
	snprintf(copy, sizeof copy, "%s", fuzz_path("q.npz"));
	if (strchr(lines[which].words, '&'))
		fuzz_write("q.npz", data + 2, size - 2);
	if (lines[which].output) {
		snprintf(output, sizeof output, "%s", fuzz_path(lines[which].output));
		unlink(output);
	}
	split(lines[which].words, input, copy, output, &line);
	if (name == RAW) {
		add_word(&line, "--raw", 5);
		add_word(&line, "f4:2", 4);
	}
	const int code = run_program(&line, &errors);
	check_outcome(code, errors, *output ? output : NULL);
	free(errors);
	unlink(input);
	return 0;
}
