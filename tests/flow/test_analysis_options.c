/* The program and the library take the same words: for each option of each kind of analysis the program is run, the
 * library computes with the same line of text, and both results are one file, byte for byte. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clpac/analysis.h>
#include <clpac/read.h>
#include <clpac/write.h>

#include "analysis/synthetic.h"
#include "assertions.h"
#include "files.h"
#include "tool/commands.h"

enum { N_CHANNELS = 3, N_SAMPLES = 6000, RATE_HZ = 200, N_SUBJECTS = 6, MOST_SUBJECTS = 8 };

static clpac_error err;

/* --- What is asked ------------------------------------------------------------------------------ */

/* Where the recording comes from. */
typedef enum source { NPY = 0, NPZ, RAW, FLAT } source; /* FLAT: .npy with samples at one value */

typedef struct row {
	clpac_analysis_kind kind;
	const char *name;  /* of the option */
	const char *value; /* "yes" of a flag */
	const char *with;  /* other options, as a line of text */
	bool changes;	   /* whether the result is another one than without the option */
	source source;
	bool of_epochs; /* compares a result of epochs in the place of a recording */
} row;

static const char method[] = "phase=5-7,9-11 amplitude=40-60,60-80 surrogates=19 device=native";
static const char trials[] = "events=go window=-0.5:1 phase=5-7,9-11 amplitude=40-60,60-80 surrogates=19 step=0.25 "
			     "device=native";
static const char conditions[] = "events=go,stop window=-0.5:1 phase=5-7,9-11 amplitude=40-60,60-80 device=native "
				 "permutations=50";

#define RUN(name, value, with, changes)                                                                                \
	{                                                                                                              \
		CLPAC_ANALYSIS_RUN, name, value, with, changes, NPY, false                                             \
	}
#define ERPAC(name, value, with, changes)                                                                              \
	{                                                                                                              \
		CLPAC_ANALYSIS_ERPAC, name, value, with, changes, NPY, false                                           \
	}
#define COMPARE(name, value, with, changes)                                                                            \
	{                                                                                                              \
		CLPAC_ANALYSIS_COMPARE, name, value, with, changes, NPY, false                                         \
	}
#define EPOCHS(name, value, with, changes)                                                                             \
	{                                                                                                              \
		CLPAC_ANALYSIS_COMPARE, name, value, with, changes, NPY, true                                          \
	}
#define GROUP(name, value, with, changes)                                                                              \
	{                                                                                                              \
		CLPAC_ANALYSIS_GROUP, name, value, with, changes, NPY, false                                           \
	}

/* Rows of one option stand for all kinds that read it in one place; each kind has a row of each of its options. */
static const row rows[] = {
	RUN("rate", "200", "", false),
	{CLPAC_ANALYSIS_RUN, "raw", "f4:3", "rate=200", false, RAW, false},
	{CLPAC_ANALYSIS_RUN, "array", "other", "rate=200", true, NPZ, false},
	RUN("resample", "250", "rate=200", true),
	RUN("events-from", "table", "events=go,stop window=-1:2", false),
	RUN("event-column", "duration", "events=* window=-1:2", true),
	RUN("annotations", "none", "", false),
	RUN("channels", "2,0", "", true),
	RUN("pairs", "all", "channels=0,1", true),
	RUN("phase-channels", "0", "", true),
	RUN("amplitude-channels", "1,2", "", true),
	RUN("start", "5", "", true),
	RUN("stop", "20", "", true),
	RUN("segment", "8:6", "", true),
	RUN("reject", "go left", "", true),
	RUN("keep-bad", "yes", "", true),
	{CLPAC_ANALYSIS_RUN, "keep-flat", "yes", "", true, FLAT, false},
	RUN("sliding", "10:5", "", true),
	RUN("events", "go,stop", "window=-1:2", false),
	RUN("window", "-1:3", "events=go", false),
	RUN("window", "all", "events=*left", false),
	RUN("window", "all:0.25", "events=*left pool", false),
	RUN("pool", "yes", "events=go,stop window=-1:2", true),
	RUN("phase", "4:12:3", "", true),
	RUN("amplitude", "30:90:3/tied", "", true),
	RUN("bins", "12", "", true),
	RUN("average", "sum", "", true),
	RUN("hilbert", "trimmed", "keep-bad", true),
	RUN("edge", "auto", "", true),
	RUN("surrogates", "7", "", true),
	RUN("measure", "mvl,glm", "", true),
	RUN("null", "blocks=5", "", true),
	RUN("shifts", "100,700,1500", "surrogates=", true),
	RUN("min-shift", "2.5", "", true),
	RUN("keep-surrogates", "yes", "", true),
	RUN("drop-surrogates", "yes", "", false),
	RUN("keep-distributions", "yes", "", true),
	RUN("allow-narrow", "yes", "amplitude=20-30,40-60 phase=5-7,18-22", true),
	RUN("share-shifts", "yes", "", true),
	RUN("family", "run", "share-shifts", true),
	RUN("clusters", "0.05", "", true),
	RUN("gamma", "yes", "", true),
	RUN("seed", "7", "", true),
	RUN("ddof", "1", "", true),
	RUN("problem", "bins=9 seed=3", "", true),
	RUN("device", "native", "", false),
	RUN("memory", "0.5", "", false),
	RUN("hold", "40K", "", false),
	RUN("fft", "auto", "", false),
	RUN("probe", "5", "", false),
	RUN("threads", "3", "", false),
	RUN("strategy", "sequential", "", false),

	ERPAC("rate", "200", "", false),
	{CLPAC_ANALYSIS_ERPAC, "raw", "f4:3", "rate=200", false, RAW, false},
	{CLPAC_ANALYSIS_ERPAC, "array", "other", "rate=200", true, NPZ, false},
	ERPAC("resample", "250", "rate=200", true),
	ERPAC("events-from", "table", "", false),
	ERPAC("event-column", "duration", "events=all=*", true),
	ERPAC("annotations", "none", "", false),
	ERPAC("channels", "1", "", true),
	ERPAC("pairs", "all", "channels=0,1", true),
	ERPAC("phase-channels", "0", "", true),
	ERPAC("amplitude-channels", "1,2", "", true),
	ERPAC("start", "3", "", true),
	ERPAC("stop", "26", "", true),
	ERPAC("segment", "5", "", false),
	ERPAC("reject", "go left", "", true),
	ERPAC("keep-bad", "yes", "", true),
	{CLPAC_ANALYSIS_ERPAC, "keep-flat", "yes", "", true, FLAT, false},
	ERPAC("events", "all=*o*", "", true),
	ERPAC("window", "-0.25:0.75", "", true),
	ERPAC("step", "0.1", "", true),
	ERPAC("phase", "4-8", "", true),
	ERPAC("amplitude", "50-70", "", true),
	ERPAC("surrogates", "5", "", true),
	ERPAC("seed", "7", "", true),
	ERPAC("share-shifts", "yes", "", true),
	ERPAC("allow-narrow", "yes", "amplitude=20-30,40-60 phase=5-7,18-22", true),
	ERPAC("device", "native", "", false),
	ERPAC("memory", "0.5", "", false),
	ERPAC("hold", "40K", "", false),
	ERPAC("fft", "auto", "", false),
	ERPAC("probe", "5", "", false),
	ERPAC("threads", "3", "", false),
	ERPAC("strategy", "sequential", "", false),

	COMPARE("rate", "200", "", false),
	{CLPAC_ANALYSIS_COMPARE, "raw", "f4:3", "rate=200", false, RAW, false},
	{CLPAC_ANALYSIS_COMPARE, "array", "other", "rate=200", true, NPZ, false},
	COMPARE("resample", "250", "rate=200", true),
	COMPARE("events-from", "table", "", false),
	COMPARE("event-column", "trial_type", "", false),
	COMPARE("annotations", "none", "", false),
	COMPARE("conditions", "stop,go", "", true),
	COMPARE("value", "z", "surrogates=5", true),
	EPOCHS("channel", "1", "", true),
	COMPARE("side", "less", "", true),
	COMPARE("permutations", "20", "", true),
	COMPARE("channels", "1", "", true),
	COMPARE("pairs", "all", "channels=0,1", true),
	COMPARE("phase-channels", "0", "", true),
	COMPARE("amplitude-channels", "1,2", "", true),
	COMPARE("start", "5", "", true),
	COMPARE("stop", "25", "", true),
	COMPARE("segment", "5", "", false),
	COMPARE("reject", "go left", "", true),
	COMPARE("keep-bad", "yes", "", true),
	{CLPAC_ANALYSIS_COMPARE, "keep-flat", "yes", "", true, FLAT, false},
	COMPARE("sliding", "5", "", false),
	COMPARE("events", "g=go*,s=stop", "", true),
	COMPARE("window", "-0.25:1.5", "", true),
	COMPARE("pool", "yes", "", true),
	COMPARE("phase", "4-8", "", true),
	COMPARE("amplitude", "50-70", "", true),
	COMPARE("bins", "12", "", true),
	COMPARE("average", "sum", "", true),
	COMPARE("hilbert", "trimmed", "", false),
	COMPARE("edge", "auto", "", false),
	COMPARE("surrogates", "5", "value=z", true),
	COMPARE("measure", "mvl", "", true),
	COMPARE("null", "blocks=3", "value=z surrogates=5", true),
	COMPARE("shifts", "60,110", "value=z", true),
	COMPARE("min-shift", "0.3", "value=z surrogates=5", true),
	COMPARE("keep-surrogates", "yes", "value=z surrogates=5", false),
	COMPARE("drop-surrogates", "yes", "value=z surrogates=5", false),
	COMPARE("keep-distributions", "yes", "", false),
	COMPARE("allow-narrow", "yes", "amplitude=20-30,40-60 phase=5-7,18-22", true),
	COMPARE("share-shifts", "yes", "value=z surrogates=5", true),
	COMPARE("family", "run", "", true),
	COMPARE("clusters", "0.02", "", true),
	COMPARE("gamma", "yes", "", false),
	COMPARE("seed", "7", "", true),
	COMPARE("ddof", "1", "value=z surrogates=5", true),
	COMPARE("problem", "bins=9", "", true),
	COMPARE("device", "native", "", false),
	COMPARE("memory", "0.5", "", false),
	COMPARE("hold", "40K", "", false),
	COMPARE("fft", "auto", "", false),
	COMPARE("probe", "5", "", false),
	COMPARE("threads", "3", "", false),
	COMPARE("strategy", "sequential", "", false),
	EPOCHS("measure", "mvl", "", true),
	EPOCHS("conditions", "stop,go", "", true),
	EPOCHS("side", "greater", "", true),
	EPOCHS("seed", "9", "", true),
	EPOCHS("family", "run", "", true),
	EPOCHS("clusters", "0.02", "", true),
	EPOCHS("permutations", "20", "", true),

	GROUP("paired", "yes", "", true),
	GROUP("value", "index", "", true),
	GROUP("measure", "mvl", "", true),
	GROUP("channel", "2,0", "", true),
	GROUP("side", "less", "", true),
	GROUP("permutations", "20", "", true),
	GROUP("seed", "7", "permutations=20", true),
	GROUP("clusters", "0.02", "", true),
	GROUP("family", "run", "", true),
};

/* --- Recordings --------------------------------------------------------------------------------- */

static void make_samples(uint64_t seed, float *samples)
{
	const clpac__synthetic signal = {
		.rate_hz = RATE_HZ, .phase_hz = 6, .amplitude_hz = 55, .strength = 0.8, .noise = 0.5, .seed = seed};
	for (size_t c = 0; c < N_CHANNELS; c++)
		ck_assert_int_eq(clpac__synthetic_write(&signal, c, samples + c * N_SAMPLES, N_SAMPLES, NULL),
				 CLPAC_OK);
}

static const char events[] =
	"onset\tduration\ttrial_type\n2\t0\tgo\n4\t0\tstop\n6\t0\tgo\n8.5\t0\tstop\n9.7\t0\tgo\n11\t0\tgo\n"
	"12.5\t1\tBAD jump\n15\t0\tstop\n17\t0.5\tgo left\n19\t0\tgo\n21\t0\tstop\n23\t0\tgo\n"
	"25\t0\tstop\n27\t0\tgo\n";

static const char *write_recording(source from)
{
	static float samples[N_CHANNELS * N_SAMPLES], turned[N_SAMPLES * N_CHANNELS];
	static char path[4096];
	make_samples(5, samples);
	snprintf(path, sizeof path, "%s",
		 files_path(from == NPZ	  ? "x_eeg.npz"
			    : from == RAW ? "x_eeg.raw"
					  : "x_eeg.npy"));
	files_write_text("x_events.tsv", events);
	if (from == RAW) {
		for (size_t i = 0; i < N_SAMPLES; i++)
			for (size_t c = 0; c < N_CHANNELS; c++)
				turned[i * N_CHANNELS + c] = samples[c * N_SAMPLES + i];
		files_write("x_eeg.raw", turned, sizeof turned);
	} else if (from == NPY || from == FLAT) {
		/* In an epoch, behind 9.8 s of the second channel. */
		for (size_t i = 0; i < 30 && from == FLAT; i++)
			samples[N_SAMPLES + 98 * RATE_HZ / 10 + i] = 0.25f;
		assert_works(clpac_npy_write(path, samples, N_CHANNELS, N_SAMPLES, true, &err), err);
	} else {
		/* Two arrays, the second of them of another seed. */
		char command[3 * 4096];
		assert_works(clpac_npy_write(files_path("data.npy"), samples, N_CHANNELS, N_SAMPLES, true, &err), err);
		make_samples(6, samples);
		assert_works(clpac_npy_write(files_path("other.npy"), samples, N_CHANNELS, N_SAMPLES, true, &err), err);
		snprintf(command, sizeof command,
			 "cd '%s' && python3 -c \"import zipfile; z = zipfile.ZipFile('x_eeg.npz', 'w'); "
			 "z.write('data.npy'); z.write('other.npy'); z.close()\"",
			 files_path("."));
		ck_assert_int_eq(system(command), 0);
	}
	return path;
}

/* --- Both ways ---------------------------------------------------------------------------------- */

/* The program with the words of an analysis, an operand after the other.  Returns its exit code. */
static int run_program(const char *command, const clpac_analysis *analysis, const char *const *operands, size_t n,
		       size_t n_first, const char *output)
{
	char *words[64 + MOST_SUBJECTS], *line;
	int n_words = 0, status;
	assert_works(clpac_analysis_text(analysis, &line, &err), err);
	words[n_words++] = "clpac";
	words[n_words++] = (char *)command;
	for (size_t i = 0; i < n; i++) {
		if (i && i == n_first)
			words[n_words++] = "--with";
		words[n_words++] = (char *)operands[i];
	}
	words[n_words++] = "-o";
	words[n_words++] = (char *)output;
	words[n_words++] = "-f";
	words[n_words++] = "-q";
	const int n_given = n_words;
	/* Each word of the line is "key" or "key=value", and a quoted value is one. */
	for (char *at = line; *at;) {
		char *made = malloc(strlen(at) + 3), *to = made;
		bool is_quoted = false;
		ck_assert_ptr_nonnull(made);
		*to++ = '-';
		*to++ = '-';
		for (; *at && (is_quoted || *at != ' '); at++)
			if (*at == '"')
				is_quoted = !is_quoted;
			else
				*to++ = *at;
		*to = 0;
		at += *at == ' ';
		words[n_words++] = made;
	}
	ck_assert_int_lt(n_words, (int)COUNT(words));
	words[n_words] = NULL;
	fflush(NULL);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(tool_main(n_words, words));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	while (n_words > n_given)
		free(words[--n_words]);
	clpac_text_free(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static clpac_status compute(const row *of, const clpac_analysis *analysis, const char *path, clpac_result **out)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *recording = NULL;
	clpac_result *epochs = NULL;
	if (of->of_epochs) {
		assert_works(clpac_result_read_npz(path, &epochs, &err), err);
		st = clpac_analysis_compare_epochs(analysis, epochs, NULL, out, &err);
		clpac_result_destroy(epochs);
		return st;
	}
	assert_works(clpac_analysis_open(analysis, path, &recording, &err), err);
	if (of->kind == CLPAC_ANALYSIS_RUN)
		st = clpac_analysis_run(analysis, recording, NULL, out, &err);
	else if (of->kind == CLPAC_ANALYSIS_ERPAC)
		st = clpac_analysis_erpac(analysis, recording, NULL, out, &err);
	else
		st = clpac_analysis_compare(analysis, recording, NULL, out, &err);
	clpac_recording_destroy(recording);
	return st;
}

static clpac_status compute_group(const clpac_analysis *analysis, const char *const *paths, bool is_paired,
				  clpac_result **out)
{
	clpac_result *results[N_SUBJECTS];
	for (size_t i = 0; i < N_SUBJECTS; i++)
		assert_works(clpac_result_read_npz(paths[i], &results[i], &err), err);
	const size_t n_first = is_paired ? N_SUBJECTS / 2 : N_SUBJECTS;
	const clpac_subjects first = {.results = (const clpac_result *const *)results, .names = paths, .n = n_first},
			     second = {.results = (const clpac_result *const *)results + n_first,
				       .names = paths + n_first,
				       .n = N_SUBJECTS - n_first};
	const clpac_status st = clpac_analysis_group(analysis, &first, is_paired ? &second : NULL, NULL, out, &err);
	for (size_t i = 0; i < N_SUBJECTS; i++)
		clpac_result_destroy(results[i]);
	return st;
}

static void write_result(clpac_result *result, const char *path)
{
	assert_works(clpac_result_write_npz(result, path, &(clpac_write_options){.overwrite = true}, &err), err);
}

static bool is_same(const char *a, const char *b)
{
	bytes left = files_content(a), right = files_content(b);
	const bool is = left.n == right.n && memcmp(left.data, right.data, left.n) == 0;
	bytes_free(&left);
	bytes_free(&right);
	return is;
}

static clpac_analysis *analysis_of(const row *of, bool with_option)
{
	static const char *const base[] = {method, trials, conditions, ""};
	clpac_analysis *made;
	assert_works(clpac_analysis_read(of->of_epochs ? "permutations=50" : base[of->kind], &made, &err), err);
	if (!of->of_epochs && of->kind != CLPAC_ANALYSIS_GROUP)
		assert_works(clpac_analysis_set(made, "rate", "200", &err), err);
	/* Other options take the place of those of the base. */
	char *line = strdup(of->with);
	ck_assert_ptr_nonnull(line);
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		char *value = strchr(word, '=');
		if (value)
			*value++ = 0;
		/* "key=" takes the option out. */
		assert_works(clpac_analysis_set(made, word, !value ? "yes" : *value ? value : NULL, &err), err);
	}
	free(line);
	if (with_option)
		assert_works(clpac_analysis_set(made, of->name, of->value, &err), err);
	return made;
}

/* Six subjects' results, or one of epochs, of two measures. */
static void write_results(const char *line, size_t n, const char **paths)
{
	static float samples[N_CHANNELS * N_SAMPLES];
	clpac_analysis *analysis;
	assert_works(clpac_analysis_read(line, &analysis, &err), err);
	for (size_t i = 0; i < n; i++) {
		char name[32];
		clpac_recording *recording;
		clpac_result *result = NULL;
		make_samples(20 + i, samples);
		snprintf(name, sizeof name, "s%zu_eeg.npy", i);
		assert_works(clpac_npy_write(files_path(name), samples, N_CHANNELS, N_SAMPLES, true, &err), err);
		assert_works(clpac_analysis_open(analysis, files_path(name), &recording, &err), err);
		assert_works(clpac_analysis_run(analysis, recording, NULL, &result, &err), err);
		snprintf(name, sizeof name, "s%zu.npz", i);
		paths[i] = strdup(files_path(name));
		ck_assert_ptr_nonnull(paths[i]);
		write_result(result, paths[i]);
		clpac_result_destroy(result);
		clpac_recording_destroy(recording);
	}
	clpac_analysis_destroy(analysis);
}

FIXTURE(files_begin, files_end);

TEST_EACH(an_option_means_the_same_to_the_program_and_to_the_library, COUNT(rows))
{
	const row *of = &rows[_i];
	const char *paths[MOST_SUBJECTS] = {NULL};
	char by_program[4096], by_library[4096], without[4096];
	clpac_result *result = NULL;
	clpac_error why = {0};
	size_t n = 1, n_first = 0;
	clpac_analysis *analysis = analysis_of(of, true), *less = analysis_of(of, false);
	const bool is_paired = strcmp(of->name, "paired") == 0;
	snprintf(by_program, sizeof by_program, "%s", files_path("program.npz"));
	snprintf(by_library, sizeof by_library, "%s", files_path("library.npz"));
	snprintf(without, sizeof without, "%s", files_path("without.npz"));
	if (of->kind == CLPAC_ANALYSIS_GROUP) {
		n = N_SUBJECTS;
		n_first = is_paired ? n / 2 : 0;
		write_results(
			"rate=200 phase=5-7,9-11 amplitude=40-60,60-80 surrogates=19 measure=mi,mvl device=native", n,
			paths);
	} else if (of->of_epochs) {
		files_write_text("s0_events.tsv", events);
		write_results(
			"rate=200 phase=5-7,9-11 amplitude=40-60,60-80 surrogates=0 measure=mi,mvl events=go,stop "
			"window=-0.5:1 device=native",
			1, paths);
	} else {
		paths[0] = write_recording(of->source);
	}
	const int code = run_program(clpac_analysis_kind_name(of->kind), analysis, paths, n, n_first, by_program);
	const clpac_status st = of->kind == CLPAC_ANALYSIS_GROUP ? compute_group(analysis, paths, is_paired, &result)
								 : compute(of, analysis, paths[0], &result);
	why = err;
	ck_assert_msg((code == 0) == (st == CLPAC_OK), "%s=%s: the program ends with %d, the library with %s (%s)",
		      of->name, of->value, code, clpac_status_text(st), st ? why.text : "");
	if (st == CLPAC_OK) {
		write_result(result, by_library);
		ck_assert_msg(is_same(by_program, by_library), "%s=%s: the results differ", of->name, of->value);
		clpac_result_destroy(result);
	} else {
		ck_assert_msg(!of->changes, "%s=%s: %s", of->name, of->value, why.text);
		ck_assert_ptr_null(strstr(why.text, "--"));
	}
	result = NULL;
	if (of->changes && of->kind != CLPAC_ANALYSIS_GROUP && (of->source == NPY || of->source == FLAT)) {
		assert_works(compute(of, less, paths[0], &result), err);
		write_result(result, without);
		clpac_result_destroy(result);
		ck_assert_msg(!is_same(by_library, without), "%s=%s changes nothing", of->name, of->value);
	}
	clpac_analysis_destroy(analysis);
	clpac_analysis_destroy(less);
	for (size_t i = 0; (of->kind == CLPAC_ANALYSIS_GROUP || of->of_epochs) && i < n; i++)
		free((void *)paths[i]);
}

TEST(every_option_has_a_row)
{
	for (int kind = 0; kind < CLPAC_ANALYSIS_KIND_COUNT; kind++) {
		clpac_analysis_option option = {0};
		size_t i = 0;
		for (; clpac_analysis_option_get((clpac_analysis_kind)kind, i, &option); i++) {
			bool is_there = false;
			for (size_t r = 0; r < COUNT(rows) && !is_there; r++)
				is_there = (int)rows[r].kind == kind && strcmp(rows[r].name, option.name) == 0;
			ck_assert_msg(is_there, "%s has no row for %s",
				      clpac_analysis_kind_name((clpac_analysis_kind)kind), option.name);
		}
		ck_assert_uint_gt(i, 5);
	}
}
