/* The program when host memory runs out. Every command is run with its first, second, ... allocation failing. It either
 * ends with the exit code and the one line of the manual page and leaves no file, or works without that memory and
 * writes the usual output. Each attempt is a process of its own, like every call of the program.
 *
 * The address sanitizer looks for leaks at the end of each process, which takes forty milliseconds. With it, of the
 * allocations that the same callers make only the first fails (sweeps.h). */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "random.h"
#include "sweeps.h"
#include "ways.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <jansson.h>
#include "tool/commands.h"

enum { NO_MEMORY = 69, MOST_UNSEEN = 2, MOST_ARGUMENTS = 24, MOST_OUTPUTS = 4 };

/* A command line and its expected outcome. */
struct attempt {
	const char *words[MOST_ARGUMENTS]; /* after "clpac"; files lie in the scratch folder */
	const char *outputs[MOST_OUTPUTS]; /* the files that it writes */
	const char *compared;	/* the output without a time in it, always the same to the byte; NULL: none is */
	const char *checkpoint; /* an error leaves it, for the next run to go on from */
	bool leaves_outputs;	/* an error leaves whole outputs that were placed before it */
	const char *printed; /* standard output is always the same up to this text, "": all of it; NULL: not compared */
	const char *usual;   /* printed where the pool lacked nothing; NULL: no failure may go unseen */
	unsigned most_unseen;	 /* allocations of the pool's own records, which it can work without */
	bool injects_in_jansson; /* jansson's allocations fail too */
};

typedef struct outcome {
	int code;
	unsigned long n_allocations;
	char *out, *err;
} outcome;

static char *read_all(FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	rewind(file);
	FILE *copy = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(copy);
	for (int c; (c = getc(file)) != EOF;)
		putc(c, copy);
	fclose(copy);
	return text;
}

/* Jansson reports a failed allocation by errno alone. Its parser (2.14) writes beyond its buffer when a longer text
 * finds no room, so its allocations fail here only while it writes and while it reads short texts. */
static void *allocate_for_jansson(size_t bytes)
{
	void *made = clpac__alloc(bytes);
	if (!made)
		errno = ENOMEM;
	return made;
}

/* The child: runs the program and returns the number of its allocations. */
static void run_program(const struct attempt *attempt, unsigned long failing, int out, int err, int report)
{
	char *words[MOST_ARGUMENTS + 1] = {"clpac"}, folder[1024];
	int n = 1;
	for (; n < MOST_ARGUMENTS && attempt->words[n - 1]; n++)
		words[n] = (char *)attempt->words[n - 1];
	snprintf(folder, sizeof folder, "%s", scratch_path("."));
	if (chdir(folder) != 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(1);
	if (attempt->injects_in_jansson)
		json_set_alloc_funcs(allocate_for_jansson, clpac__free);
	clpac__fail_allocation(failing, false);
	ways_enter();
	int code = tool_main(n, words);
	unsigned long n_allocations = clpac__count_allocations();
	clpac__fail_allocation(0, false);
	if (write(report, &n_allocations, sizeof n_allocations) != (ssize_t)sizeof n_allocations)
		_exit(1);
	exit(code);
}

static outcome run(const struct attempt *attempt, unsigned long failing)
{
	outcome found = {0};
	int report[2], status;
	FILE *out = tmpfile(), *err = tmpfile();
	ck_assert(out && err && pipe(report) == 0);
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		run_program(attempt, failing, fileno(out), fileno(err), report[1]);
	close(report[1]);
	ssize_t n = read(report[0], &found.n_allocations, sizeof found.n_allocations);
	close(report[0]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	found.out = read_all(out);
	found.err = read_all(err);
	fclose(out);
	fclose(err);
	ck_assert_msg(WIFEXITED(status), "allocation %lu failed: signal %d; %s", failing, WTERMSIG(status), found.err);
	ck_assert_msg(n == (ssize_t)sizeof found.n_allocations, "allocation %lu failed: no report; %s", failing,
		      found.err);
	found.code = WEXITSTATUS(status);
	return found;
}

static void forget(outcome *found)
{
	free(found->out);
	free(found->err);
}

static size_t count_outputs(const struct attempt *attempt)
{
	size_t n = 0;
	while (n < MOST_OUTPUTS && attempt->outputs[n])
		n++;
	return n;
}

static void remove_outputs(const struct attempt *attempt)
{
	for (size_t i = 0; i < count_outputs(attempt); i++)
		ck_assert_msg(unlink(scratch_path(attempt->outputs[i])) == 0, "%s is missing", attempt->outputs[i]);
}

static char *read_compared(const struct attempt *attempt, size_t *bytes)
{
	*bytes = 0;
	return attempt->compared ? scratch_read(attempt->compared, bytes) : NULL;
}

static const char *last_line(const char *text)
{
	const char *line = text;
	for (const char *c = text; *c; c++)
		if (*c == '\n' && c[1])
			line = c + 1;
	return line;
}

static void assert_failed_well(const struct attempt *attempt, const outcome *found, unsigned long failing,
			       size_t n_files)
{
	char start[64];
	snprintf(start, sizeof start, "clpac %s: ", attempt->words[0]);
	ck_assert_msg(found->code == NO_MEMORY, "allocation %lu failed: exit code %d; %s", failing, found->code,
		      found->err);
	const char *line = last_line(found->err);
	ck_assert_msg(strncmp(line, start, strlen(start)) == 0 && strstr(line, "memory") &&
			      line[strlen(line) - 1] == '\n',
		      "allocation %lu failed, and the last line is: %s", failing, line);
	/* The status alone is printed where an error has no text. */
	ck_assert_msg(!strstr(line, clpac_status_text(CLPAC_ERROR_NO_MEMORY)),
		      "allocation %lu failed, and nothing says where: %s", failing, line);
	for (size_t i = 0; i < count_outputs(attempt) && attempt->leaves_outputs; i++)
		unlink(scratch_path(attempt->outputs[i]));
	if (attempt->checkpoint)
		unlink(scratch_path(attempt->checkpoint));
	ck_assert_msg(scratch_count() == n_files, "allocation %lu failed: %zu files where there were %zu; %s", failing,
		      scratch_count(), n_files, found->err);
}

static void assert_prints_the_same(const struct attempt *attempt, const outcome *usual, const outcome *found,
				   unsigned long failing)
{
	if (!attempt->printed)
		return;
	const char *end = strstr(usual->out, attempt->printed);
	ck_assert_ptr_nonnull(end);
	size_t n = *attempt->printed ? (size_t)(end - usual->out) : strlen(usual->out) + 1;
	ck_assert_msg(strncmp(usual->out, found->out, n) == 0, "allocation %lu failed, and this was printed: %.1000s",
		      failing, found->out);
}

/* Makes allocation 1, 2, ... fail until the program needs no more of them. */
static void survive(const struct attempt *attempt)
{
	size_t n_files = scratch_count(), bytes, other_bytes;
	ways_begin();
	clpac__watch_allocations(sweeps_are_sampled() ? ways_note : NULL);
	outcome usual = run(attempt, 0);
	clpac__watch_allocations(NULL);
	ck_assert_msg(usual.code == 0, "exit code %d: %s", usual.code, usual.err);
	ck_assert_uint_eq(scratch_count(), n_files + count_outputs(attempt));
	char *expected = read_compared(attempt, &bytes);
	remove_outputs(attempt);
	unsigned n_unseen = 0;
	unsigned long failing = 1;
	unsigned long n_attempts = 0;
	for (bool is_over = false; !is_over; failing++) {
		if (ways_failed_before(failing))
			continue;
		n_attempts++;
		outcome found = run(attempt, failing);
		is_over = found.n_allocations < failing;
		if (found.code != 0) {
			assert_failed_well(attempt, &found, failing, n_files);
		} else {
			n_unseen += !is_over && attempt->usual && strstr(found.out, attempt->usual);
			ck_assert_msg(n_unseen <= attempt->most_unseen,
				      "allocation %lu failed and nobody saw it: %.1000s%.1000s", failing, found.out,
				      found.err);
			ck_assert_msg(is_over || attempt->usual || attempt->compared || attempt->printed,
				      "allocation %lu failed and nobody saw it", failing);
			char *made = read_compared(attempt, &other_bytes);
			ck_assert_msg(bytes == other_bytes && (!bytes || memcmp(expected, made, bytes) == 0),
				      "allocation %lu failed, and %s is another", failing, attempt->compared);
			assert_prints_the_same(attempt, &usual, &found, failing);
			free(made);
			remove_outputs(attempt);
			ck_assert_uint_eq(scratch_count(), n_files);
		}
		forget(&found);
	}
	ck_assert_uint_gt(failing, 2);
	if (getenv("CLPAC_TEST_VERBOSE"))
		fprintf(stderr, "%s: %lu allocations, %lu of them failed, %u unseen\n", attempt->words[0], failing - 2,
			n_attempts - 1, n_unseen);
	free(expected);
	forget(&usual);
}

static void start(void)
{
	make_scratch_in_memory();
	/* No driver is needed, and loading one in each process would cost most of the time. */
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	setenv("CLPAC_DEVICE", "native", 1);
	setenv("CLPAC_THREADS", "1", 1);
	outcome made = run(&(struct attempt){.words = {"synth", "in.npy", "--rate", "250", "--seconds", "2", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
}

#define METHOD "--rate", "250", "--phase", "4-8", "--amplitude", "30-45", "--surrogates", "3"

START_TEST(synth_reports_every_failed_allocation)
{
	survive(&(struct attempt){
		.words = {"synth", "out.npy", "--rate", "250", "--seconds", "1"},
		.outputs = {"out.npy"},
		.compared = "out.npy",
	});
}

START_TEST(info_reports_every_failed_allocation)
{
	survive(&(struct attempt){.words = {"info", "in.npy", "--rate", "250"}, .printed = ""});
}

START_TEST(info_as_json_leaves_out_nothing)
{
	survive(&(struct attempt){
		.words = {"info", "in.npy", "--rate", "250", "--json"}, .printed = "", .injects_in_jansson = true});
}

START_TEST(config_reports_every_failed_allocation)
{
	static const char text[] = "{\"rate\": 250, \"phase\": [\"4-8\", \"8-13\"], \"quiet\": true, \"seed\": 7}";
	scratch_write("c.json", text, sizeof text - 1);
	survive(&(struct attempt){
		.words = {"config", "--config", "c.json"}, .printed = "", .injects_in_jansson = true});
}

START_TEST(run_reports_every_failed_allocation_or_computes_the_same)
{
	survive(&(struct attempt){
		.words = {"run", "in.npy", METHOD, "--segment", "1", "-o", "o.npz", "--csv"},
		.outputs = {"o.npz", "o.json", "o.csv"},
		.compared = "o.csv",
		.leaves_outputs = true,
	});
}

/* A BrainVision recording of two channels with an annotation that is rejected; a sample of the second is NaN. */
static void write_bad(void)
{
	enum { N = 1000 };
	static const char header[] = "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\n"
				     "DataFile=bad.eeg\nMarkerFile=bad.vmrk\nDataFormat=BINARY\n"
				     "DataOrientation=VECTORIZED\nNumberOfChannels=2\nSamplingInterval=4000\n"
				     "[Binary Infos]\nBinaryFormat=IEEE_FLOAT_32\n[Channel Infos]\nCh1=a,,1,uV\n"
				     "Ch2=b,,1,uV\n";
	static const char markers[] = "Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n"
				      "Mk1=Comment,BAD_x,401,20,0\n";
	float samples[2 * N];
	unsigned long long state = 3;
	for (size_t i = 0; i < 2 * N; i++)
		samples[i] = (float)random_unit(&state);
	samples[N + 700] = NAN;
	scratch_write("bad.vhdr", header, sizeof header - 1);
	scratch_write("bad.vmrk", markers, sizeof markers - 1);
	scratch_write("bad.eeg", samples, sizeof samples);
}

START_TEST(bad_stretches_report_every_failed_allocation_or_give_the_same)
{
	write_bad();
	survive(&(struct attempt){
		.words = {"run", "bad.vhdr", "--phase", "10-20", "--amplitude", "30-45", "--surrogates", "3",
			  "--share-shifts", "-o", "o.npz", "--csv"},
		.outputs = {"o.npz", "o.json", "o.csv"},
		.compared = "o.csv",
		.leaves_outputs = true,
	});
	survive(&(struct attempt){
		.words = {"run", "bad.vhdr", "--phase", "10-20", "--amplitude", "30-45", "--surrogates", "3", "-o",
			  "o.npz", "--csv", "-q"},
		.outputs = {"o.npz", "o.json", "o.csv"},
		.compared = "o.csv",
		.leaves_outputs = true,
	});
	survive(&(struct attempt){.words = {"info", "bad.vhdr"}, .printed = ""});
	survive(&(struct attempt){.words = {"info", "bad.vhdr", "--json"}, .printed = "", .injects_in_jansson = true});
}

/* A channel of 2 s with two events of each of two texts, the first in rejected time. */
static void write_events(void)
{
	enum { N = 500 };
	static const char header[] = "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\n"
				     "DataFile=ev.eeg\nMarkerFile=ev.vmrk\nDataFormat=BINARY\n"
				     "DataOrientation=VECTORIZED\nNumberOfChannels=1\nSamplingInterval=4000\n"
				     "[Binary Infos]\nBinaryFormat=IEEE_FLOAT_32\n[Channel Infos]\nCh1=a,,1,uV\n";
	static const char markers[] = "Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n"
				      "Mk1=Comment,BAD_x,4,2,0\nMk2=Stimulus,go,2,1,0\nMk3=Stimulus,go,101,1,0\n"
				      "Mk4=Stimulus,no,151,1,0\nMk5=Stimulus,no,201,1,0\nMk6=Stimulus,go,251,1,0\n";
	float samples[N];
	unsigned long long state = 4;
	for (size_t i = 0; i < N; i++)
		samples[i] = (float)random_unit(&state);
	scratch_write("ev.vhdr", header, sizeof header - 1);
	scratch_write("ev.vmrk", markers, sizeof markers - 1);
	scratch_write("ev.eeg", samples, sizeof samples);
}

#define EPOCHS                                                                                                         \
	"ev.vhdr", "--events", "go,no", "--window", "0:0.2", "--phase", "10-20", "--amplitude", "40-70", "--surrogates"

START_TEST(epochs_report_every_failed_allocation_or_give_the_same)
{
	write_events();
	survive(&(struct attempt){
		.words = {"run", EPOCHS, "3", "-o", "o.npz", "--csv", "-q"},
		.outputs = {"o.npz", "o.json", "o.csv"},
		.compared = "o.csv",
		.leaves_outputs = true,
	});
	survive(&(struct attempt){
		.words = {"run", EPOCHS, "0", "--pool", "-o", "o.npz", "--csv", "-q"},
		.outputs = {"o.npz", "o.json", "o.csv"},
		.compared = "o.csv",
		.leaves_outputs = true,
	});
}

START_TEST(compare_reports_every_failed_allocation)
{
	write_events();
	survive(&(struct attempt){
		.words = {"compare", EPOCHS, "0", "--pool", "-o", "c.npz", "--csv", "-q"},
		.outputs = {"c.npz", "c.json", "c.csv"},
		.compared = "c.csv",
		.leaves_outputs = true,
	});
	outcome made = run(&(struct attempt){.words = {"run", EPOCHS, "0", "-o", "e.npz", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){
		.words = {"compare", "e.npz", "--conditions", "Stimulus/no,Stimulus/go", "--channel", "a", "-o",
			  "c.npz", "--csv", "-q"},
		.outputs = {"c.npz", "c.json", "c.csv"},
		.compared = "c.csv",
	});
}

/* A checkpoint that finds no memory is given up, and the run goes on. */
START_TEST(run_with_checkpoints_reports_every_failed_allocation_or_computes_the_same)
{
	outcome made = run(&(struct attempt){.words = {"synth", "two.npy", "--rate", "250", "--seconds", "1",
						       "--channels", "2", "-q"}},
			   0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){
		.words = {"run", "two.npy", METHOD, "-o", "two.npz", "--csv", "--checkpoint", "0", "--hold", "1"},
		.outputs = {"two.npz", "two.json", "two.csv"},
		.compared = "two.csv",
		.leaves_outputs = true,
		.checkpoint = ".two.part-0-0-1",
	});
}

/* Nothing is written: what is done is found to be done, or the lack of memory is told. */
START_TEST(a_skipped_recording_reports_every_failed_allocation)
{
	outcome made = run(&(struct attempt){.words = {"run", "in.npy", METHOD, "-o", "./", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){.words = {"run", "in.npy", METHOD, "-o", "./", "--skip-existing"}, .printed = ""});
}

/* One that finds no memory does not stop the next, and the last line says why it failed. */
START_TEST(several_recordings_report_every_failed_allocation)
{
	outcome made = run(&(struct attempt){.words = {"run", "in.npy", METHOD, "-o", "./", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	made = run(&(struct attempt){.words = {"synth", "b.npy", "--rate", "250", "--seconds", "1", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	made = run(&(struct attempt){.words = {"run", "b.npy", METHOD, "-o", "./", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){.words = {"run", "in.npy", "b.npy", METHOD, "-o", "./", "--skip-existing"},
				  .printed = ""});
}

/* Where the pool finds other memory the plan is the same, except for its time. */
START_TEST(plan_reports_every_failed_allocation_or_plans_the_same)
{
	survive(&(struct attempt){.words = {"plan", "in.npy", METHOD, "--memory", "1G"}, .printed = "time  "});
}

START_TEST(memory_reports_every_failed_allocation)
{
	survive(&(struct attempt){
		.words = {"memory", "in.npy", METHOD, "--trace", "t.csv", "--json", "-q"},
		.outputs = {"t.csv"},
		.leaves_outputs = true,
		.usual = "\"out_of_memory_events\": 0,",
		.most_unseen = MOST_UNSEEN,
	});
}

START_TEST(a_replay_reports_every_failed_allocation)
{
	outcome made = run(&(struct attempt){.words = {"memory", "in.npy", METHOD, "--trace", "t.csv", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){
		.words = {"memory", "--replay", "t.csv"},
		.usual = "out of memory at first  0\n",
		.most_unseen = MOST_UNSEEN,
	});
}

START_TEST(plot_reports_every_failed_allocation)
{
	outcome made = run(&(struct attempt){.words = {"run", "in.npy", METHOD, "-o", "o.npz", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){
		.words = {"plot", "o.npz", "-o", "o.svg", "-q"},
		.outputs = {"o.svg"},
		.compared = "o.svg",
	});
}

START_TEST(report_reports_every_failed_allocation)
{
	outcome made = run(&(struct attempt){.words = {"run", "in.npy", METHOD, "-o", "o.npz", "-q"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){
		.words = {"report", "o.npz", "-o", "o.html", "-q"},
		.outputs = {"o.html"},
		.compared = "o.html",
	});
}

START_TEST(group_reports_every_failed_allocation)
{
	static const char *const outputs[] = {"a.npz", "b.npz", "c.npz", "d.npz"};
	static const char *const starts[] = {"0", "0.3", "0.6", "0.9"};
	for (size_t i = 0; i < COUNT(outputs); i++) {
		outcome made = run(&(struct attempt){.words = {"run", "in.npy", METHOD, "--start", starts[i], "--stop",
							       "1.9", "-o", outputs[i], "-q"}},
				   0);
		ck_assert_msg(made.code == 0, "%s", made.err);
		forget(&made);
	}
	survive(&(struct attempt){
		.words = {"group", "a.npz", "b.npz", "--with", "c.npz", "d.npz", "--channel", "0", "-o", "g.npz",
			  "--csv", "--plot", "svg", "-q"},
		.outputs = {"g.npz", "g.json", "g.csv", "g.svg"},
		.compared = "g.csv",
	});
}

START_TEST(devices_reports_every_failed_allocation)
{
	outcome made = run(&(struct attempt){.words = {"devices", "--device", "native", "--write", "d.json"}}, 0);
	ck_assert_msg(made.code == 0, "%s", made.err);
	forget(&made);
	survive(&(struct attempt){.words = {"devices", "--from", "d.json"}, .printed = ""});
	survive(&(struct attempt){.words = {"devices", "--from", "d.json", "--json"}, .printed = ""});
}

Suite *suite(void)
{
	if (sweeps_are_sampled())
		ways_share();
	Suite *suite = suite_create("tool_failures");
	TCase *tests = tcase_create("tool_failures");
	tcase_add_checked_fixture(tests, start, remove_scratch);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, synth_reports_every_failed_allocation);
	tcase_add_test(tests, info_reports_every_failed_allocation);
	tcase_add_test(tests, info_as_json_leaves_out_nothing);
	tcase_add_test(tests, config_reports_every_failed_allocation);
	tcase_add_test(tests, run_reports_every_failed_allocation_or_computes_the_same);
	tcase_add_test(tests, bad_stretches_report_every_failed_allocation_or_give_the_same);
	tcase_add_test(tests, run_with_checkpoints_reports_every_failed_allocation_or_computes_the_same);
	tcase_add_test(tests, a_skipped_recording_reports_every_failed_allocation);
	tcase_add_test(tests, several_recordings_report_every_failed_allocation);
	tcase_add_test(tests, plan_reports_every_failed_allocation_or_plans_the_same);
	tcase_add_test(tests, memory_reports_every_failed_allocation);
	tcase_add_test(tests, a_replay_reports_every_failed_allocation);
	tcase_add_test(tests, plot_reports_every_failed_allocation);
	tcase_add_test(tests, report_reports_every_failed_allocation);
	tcase_add_test(tests, group_reports_every_failed_allocation);
	tcase_add_test(tests, epochs_report_every_failed_allocation_or_give_the_same);
	tcase_add_test(tests, compare_reports_every_failed_allocation);
	tcase_add_test(tests, devices_reports_every_failed_allocation);
	suite_add_tcase(suite, tests);
	return suite;
}
