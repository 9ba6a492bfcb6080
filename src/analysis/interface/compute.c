/* Computations on a recording: runs, trials, and conditions that are compared. */
#include <string.h>
#include <clpac/analysis.h>
#include "analysis/describe/contents.h"
#include "analysis/describe/forecast.h"
#include "analysis/group/comparison.h"
#include "analysis/inputs.h"
#include "analysis/interface/call.h"
#include "analysis/options/tables.h"
#include "analysis/run/job.h"
#include "analysis/run/results.h"
#include "analysis/run/run.h"
#include "analysis/sentences/sentences.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/error.h"
#include "base/sized.h"

clpac_status clpac_analysis_open(const clpac_analysis *analysis, const char *path, clpac_recording **out,
				 clpac_error *err)
{
	NEED(analysis, path, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	TRY(clpac__call_take(&own, analysis, &clpac__options_read, err));
	own.settings.input = path;
	TRY(clpac__input_read(&own.settings, out, err));
done:
	return clpac__call_close(&own, st, err);
}

/* The log of contexts that outlive the call, where the caller has none. */
static void be_silent(void *user, clpac_log_level level, const char *text)
{
	(void)user, (void)level, (void)text;
}

clpac_status clpac_analysis_contexts(const clpac_analysis *analysis, const clpac_analysis_call *call,
				     const clpac_options *options, clpac_context **contexts, size_t *n,
				     clpac_error *err)
{
	NEED(analysis, contexts, n);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac_options all;
	clpac__job_contexts opened;
	TRY(clpac__take_sized(&all, options, clpac_options, err));
	all.log = all.log ? all.log : be_silent;
	TRY(clpac__call_listen(&own, call, err));
	if (own.given.n_contexts)
		FAIL(CLPAC_ERROR_ARGUMENT, "%zu contexts are open already; give none", own.given.n_contexts);
	TRY(clpac__call_take(&own, analysis, &clpac__options_compute, err));
	TRY(clpac__contexts_options(&own.settings, &all, err));
	TRY(clpac__job_contexts_open(&all, &own.settings, &opened, err));
	memcpy(contexts, opened.each, opened.n * sizeof *contexts);
	*n = opened.n;
done:
	return clpac__call_close(&own, st, err);
}

/* Gives a result its sentence, which is freed, and its provenance. */
static clpac_status describe(clpac_result *result, char *sentence, const clpac__job *job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *provenance = NULL;
	if (!sentence)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the sentence of a result");
	TRY(clpac_result_set_sentence(result, sentence, err));
	TRY(clpac__provenance_write(job, &provenance, err));
	TRY(clpac_result_set_provenance(result, provenance, err));
done:
	FREE_ALL(sentence, provenance);
	return st;
}

/* Options that were for reading ask for what the recording has. */
static clpac_status check_rate(const clpac__analysis_settings *settings, const clpac_recording *recording,
			       clpac_error *err)
{
	const bool is_resampled = clpac__analysis_is_given(settings, "resample");
	const double wanted_hz = is_resampled ? settings->resample_hz : settings->rate_hz;
	if (!is_resampled && !clpac__analysis_is_given(settings, "rate"))
		return CLPAC_OK;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (!channel->unusable && channel->rate_hz != wanted_hz)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"--%s=%g: channel %.100s has %g Hz; read the recording with clpac_analysis_open, or "
				"leave it out",
				is_resampled ? "resample" : "rate", wanted_hz, channel->name, channel->rate_hz);
	}
	return CLPAC_OK;
}

/* The recording is that of the caller, and so are the contexts, where there are any. */
static clpac_status lend(clpac__job *job, clpac__call *call, clpac_recording *recording, clpac_error *err)
{
	RETURN_IF_ERROR(check_rate(&call->settings, recording, err));
	job->recording = recording;
	job->is_lent = true;
	if (call->contexts.n)
		job->contexts = &call->contexts;
	return clpac__contexts_options(&call->settings, &job->options, err);
}

clpac_status clpac_analysis_contents(const clpac_analysis *analysis, clpac_recording *recording,
				     const clpac_analysis_call *call, bool as_json, char **text, clpac_error *err)
{
	NEED(analysis, recording, text);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_RUN, call, err));
	TRY(clpac__recording_contents(recording, &own.settings, as_json, text, err));
done:
	return clpac__call_close(&own, st, err);
}

clpac_status clpac_analysis_forecast(const clpac_analysis *analysis, clpac_recording *recording,
				     const clpac_analysis_call *call, bool as_json, char **text, clpac_error *err)
{
	NEED(analysis, recording, text);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac__job job = {0};
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_RUN, call, err));
	TRY(clpac__job_prepare(&job, &own.settings, err));
	TRY(lend(&job, &own, recording, err));
	TRY(clpac__job_open(&job, err));
	TRY(clpac__job_forecast(&job, as_json, text, err));
done:
	clpac__job_close(&job);
	return clpac__call_close(&own, st, err);
}

typedef char *sentence_function(const clpac__job *job, const clpac_result *result, double seconds);

/* Computes an opened job. */
static clpac_status compute(clpac__job *job, clpac_status run(clpac__job *, clpac_result **, clpac_error *),
			    sentence_function *sentence, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	const double started_s = clpac__clock_seconds();
	TRY(run(job, &made, err));
	clpac__job_tell_warnings(job, made);
	TRY(clpac__job_check_cells(job, made, err));
	TRY(describe(made, sentence(job, made, clpac__clock_seconds() - started_s), job, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

clpac_status clpac_analysis_run(const clpac_analysis *analysis, clpac_recording *recording,
				const clpac_analysis_call *call, clpac_result **out, clpac_error *err)
{
	NEED(analysis, recording, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac__job job = {0};
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_RUN, call, err));
	TRY(clpac__job_prepare(&job, &own.settings, err));
	TRY(lend(&job, &own, recording, err));
	TRY(clpac__job_open(&job, err));
	clpac__job_warn_of_losses(&job);
	TRY(compute(&job, clpac__job_run, clpac__run_sentence, out, err));
done:
	clpac__job_close(&job);
	return clpac__call_close(&own, st, err);
}

clpac_status clpac_analysis_erpac(const clpac_analysis *analysis, clpac_recording *recording,
				  const clpac_analysis_call *call, clpac_result **out, clpac_error *err)
{
	NEED(analysis, recording, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac__job job = {0};
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_ERPAC, call, err));
	TRY(clpac__job_trials_check(&own.settings, err));
	TRY(clpac__job_prepare(&job, &own.settings, err));
	TRY(lend(&job, &own, recording, err));
	TRY(clpac__job_trials_open(&job, err));
	TRY(compute(&job, clpac__job_trials_run, clpac__trials_sentence, out, err));
done:
	clpac__job_close(&job);
	return clpac__call_close(&own, st, err);
}

clpac_status clpac_analysis_compare(const clpac_analysis *analysis, clpac_recording *recording,
				    const clpac_analysis_call *call, clpac_result **out, clpac_error *err)
{
	NEED(analysis, recording, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac__comparison c = {0};
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_COMPARE, call, err));
	if (!clpac__comparison_is_of_recording(&own.settings))
		FAIL(CLPAC_ERROR_ARGUMENT, "about which events?  give --events and --window, as --events=go,stop "
					   "--window=-0.5:1.5");
	TRY(clpac__comparison_check(&own.settings, err));
	TRY(clpac__comparison_prepare(&c, &own.settings, err));
	TRY(lend(&c.job, &own, recording, err));
	TRY(clpac__comparison_open(&c, err));
	TRY(clpac__comparison_compute(&c, err));
	TRY(clpac__comparison_make(&c, err));
	TRY(describe(c.made, clpac__comparison_sentence(&c), &c.job, err));
	*out = c.made, c.made = NULL;
done:
	clpac__comparison_close(&c);
	return clpac__call_close(&own, st, err);
}
