/* The analysis without the program: a struct of settings in, a result out, and all that it tells through a sink. */
#include "runner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/run/job.h"
#include "analysis/run/run.h"
#include "analysis/sentences/sentences.h"
#include "analysis/synthetic.h"
#include "assertions.h"
#include "base/memory.h"
#include "files.h"

enum { N_SAMPLES = 3000, N_CHANNELS = 3 };

static clpac_error err;

/* What a sink heard. */
typedef struct heard {
	size_t n_phases, n_reports, most_reports;
	double share;
	bool says_what_is_absent;
} heard;

static void warn(void *user, size_t count, const char *text)
{
	heard *to = user;
	ck_assert_uint_gt(count, 0);
	to->says_what_is_absent |= strstr(text, "the recording has no x*") != NULL;
}

static void note(void *user, const char *text)
{
	(void)user;
	ck_assert_ptr_null(strchr(text, '\n'));
}

static void phase(void *user, const char *text)
{
	heard *to = user;
	ck_assert_ptr_null(strchr(text, '\n'));
	to->n_phases++;
}

static bool progress(void *user, const clpac_analysis_progress *at)
{
	heard *to = user;
	ck_assert_uint_le(at->n_series, N_CHANNELS);
	ck_assert_uint_le(at->done, at->total);
	to->n_reports++;
	ck_assert(at->share >= to->share && at->share <= 1);
	to->share = at->share;
	return to->n_reports < to->most_reports;
}

static heard ears;
static const clpac_analysis_sink sink = {
	.user = &ears, .warn = warn, .note = note, .phase = phase, .progress = progress};

/* A table of channels, the last of which has a gap. */
static const char *write_recording(void)
{
	static float samples[N_CHANNELS][N_SAMPLES];
	const clpac__synthetic signal = {
		.rate_hz = 250, .phase_hz = 6, .amplitude_hz = 60, .strength = 0.9, .noise = 0.5, .seed = 5};
	static char path[4096];
	snprintf(path, sizeof path, "%s", files_path("signal.csv"));
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	for (size_t c = 0; c < N_CHANNELS; c++)
		ck_assert_int_eq(clpac__synthetic_write(&signal, c, samples[c], N_SAMPLES, NULL), CLPAC_OK);
	fprintf(file, "a,b,c\n");
	for (size_t i = 0; i < N_SAMPLES; i++) {
		fprintf(file, "%.7g,%.7g,", (double)samples[0][i], (double)samples[1][i]);
		if (i < 1200 || i > 1210)
			fprintf(file, "%.7g\n", (double)samples[2][i]);
		else
			fprintf(file, "nan\n");
	}
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

static clpac__analysis_settings settings_of(const char *path)
{
	return (clpac__analysis_settings){.input = path,
					  .rate_hz = 250,
					  .phase = "5-7",
					  .amplitude = "50-70",
					  .surrogates = "20",
					  .given = {"rate", "phase", "amplitude", "surrogates"},
					  .n_given = 4,
					  .sink = &sink};
}

static clpac_status run(clpac__job *job, const clpac__analysis_settings *settings, clpac_result **out)
{
	clpac_status st = CLPAC_OK;
	*job = (clpac__job){0};
	TRY(clpac__job_prepare(job, settings, &err));
	TRY(clpac_options_set(&job->options, "device", "native", &err));
	TRY(clpac__job_open(job, &err));
	clpac__job_warn_of_losses(job);
	TRY(clpac__job_run(job, out, &err));
	clpac__job_tell_warnings(job, *out);
done:
	return st;
}

FIXTURE(files_begin, files_end);

TEST(a_job_is_computed_and_told_through_its_sink)
{
	const clpac__analysis_settings settings = settings_of(write_recording());
	clpac__job job;
	clpac_result *result = NULL;
	ears.most_reports = SIZE_MAX;
	assert_works(run(&job, &settings, &result), err);
	ck_assert_uint_eq(clpac_result_get_shape(result)->n_channels, N_CHANNELS);
	ck_assert_uint_gt(ears.n_phases, 0);
	ck_assert_uint_gt(ears.n_reports, 0);
	ck_assert(ears.share == 1);
	/* The gap makes stretches of the channel, as it does in the program. */
	ck_assert_uint_eq(job.parts.n, 2);
	char *sentence = clpac__run_sentence(&job, result, 1);
	ck_assert_ptr_nonnull(sentence);
	ck_assert_ptr_nonnull(strstr(sentence, "1 stretch rejected: not a number 1"));
	clpac__free(sentence);
	clpac_result_destroy(result);
	clpac__job_close(&job);
}

TEST(a_sink_that_has_enough_ends_the_run)
{
	const clpac__analysis_settings settings = settings_of(write_recording());
	clpac__job job;
	clpac_result *result = NULL;
	ears.most_reports = 1;
	ck_assert_int_eq(run(&job, &settings, &result), CLPAC_ERROR_CANCELLED);
	ck_assert_ptr_null(result);
	clpac__job_close(&job);
	/* The same settings work afterwards. */
	ears = (heard){.most_reports = SIZE_MAX};
	assert_works(run(&job, &settings, &result), err);
	clpac_result_destroy(result);
	clpac__job_close(&job);
}

/* The streams of the process, which nothing may be written to. */
TEST(without_a_sink_nothing_is_printed)
{
	clpac__analysis_settings settings = settings_of(write_recording());
	clpac__job job;
	clpac_result *result = NULL;
	settings.sink = NULL;
	const char *path = files_path("printed");
	const int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
	FILE *printed = fopen(path, "w");
	ck_assert_ptr_nonnull(printed);
	fflush(NULL);
	dup2(fileno(printed), STDOUT_FILENO);
	dup2(fileno(printed), STDERR_FILENO);
	const clpac_status st = run(&job, &settings, &result);
	fflush(NULL);
	dup2(out, STDOUT_FILENO);
	dup2(error, STDERR_FILENO);
	close(out);
	close(error);
	ck_assert_int_eq(fseek(printed, 0, SEEK_END), 0);
	ck_assert_int_eq(ftell(printed), 0);
	fclose(printed);
	assert_works(st, err);
	clpac_result_destroy(result);
	clpac__job_close(&job);
}

TEST(what_is_left_out_is_warned_of_and_a_wrong_option_refused)
{
	clpac__analysis_settings settings = settings_of(write_recording());
	clpac__job job;
	clpac_result *result = NULL;
	ears.most_reports = SIZE_MAX;
	settings.channels = "a,x*";
	assert_works(run(&job, &settings, &result), err);
	ck_assert(ears.says_what_is_absent);
	clpac_result_destroy(result);
	clpac__job_close(&job);

	settings = settings_of(settings.input);
	settings.phase = "100-90";
	result = NULL;
	ck_assert_int_eq(run(&job, &settings, &result), CLPAC_ERROR_ARGUMENT);
	clpac__job_close(&job);

	/* Members of a problem have the names of options. */
	settings = settings_of(settings.input);
	settings.null = "trials";
	ck_assert_int_eq(run(&job, &settings, &result), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "--null trials"));
	clpac__job_close(&job);
}
