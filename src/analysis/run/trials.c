#include "analysis/run/run.h"
#include "analysis/options/words.h"

#include <math.h>
#include <string.h>
#include <clpac/erpac.h>
#include "analysis/channels/pairs.h"
#include "analysis/run/job.h"
#include "analysis/room.h"
#include "analysis/run/results.h"
#include "base/memory.h"

static const double usual_step_s = 0.01;

clpac_status clpac__job_trials_check(const clpac__analysis_settings *settings, clpac_error *err)
{
	if (!settings->events)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "about which events?  give --events and --window, as --events go --window -0.5:1.5");
	if (settings->window && strcmp(settings->window, "all") == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--window all: trials have one length; give A:B, or pieces of spans as --window all:30");
	if (settings->segment)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--segment: trials are cut around --events; leave it out");
	if (clpac__analysis_is_given(settings, "step") && !(settings->step_s > 0 && isfinite(settings->step_s)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--step %g: give seconds above 0", settings->step_s);
	return CLPAC_OK;
}

static clpac_status choose_step(clpac__job *job, clpac_error *err)
{
	const double rate_hz = job->channels.rate_hz, window_s = job->epochs.to_s - job->epochs.from_s;
	const bool is_given = clpac__analysis_is_given(job->settings, "step");
	const double step_s = is_given ? job->settings->step_s : usual_step_s, samples = floor(step_s * rate_hz + 0.5);
	if (is_given && samples < 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--step %g: at %g Hz this is shorter than a sample", step_s,
			     rate_hz);
	if (is_given && step_s >= window_s)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--step %g: a window of %g s has one point in time; give a shorter step", step_s,
			     window_s);
	job->step = samples < 1 ? 1 : (size_t)samples;
	return CLPAC_OK;
}

static clpac_status check_conditions(const clpac__job *job, clpac_error *err)
{
	const clpac__job_epochs *epochs = &job->epochs;
	if (epochs->n_conditions > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--events %.200s: there are %zu conditions (\"%.60s\", \"%.60s\"%s), and coupling is "
			     "across the trials of one: name one, or gather them, as --events all=PATTERN",
			     job->settings->events, epochs->n_conditions, epochs->conditions[0], epochs->conditions[1],
			     epochs->n_conditions > 2 ? ", ..." : "");
	return CLPAC_OK;
}

clpac_status clpac__job_trials_open(clpac__job *job, clpac_error *err)
{
	const size_t n_surrogates = job->method.problem.n_surrogates;
	job->epochs.are_trials = true;
	/* A problem of epochs does not permute those of pairs. */
	job->method.problem.n_surrogates = 0;
	RETURN_IF_ERROR(clpac__job_open(job, err));
	job->method.problem.n_surrogates = n_surrogates;
	RETURN_IF_ERROR(check_conditions(job, err));
	RETURN_IF_ERROR(choose_step(job, err));
	RETURN_IF_ERROR(clpac__room_check_result(&job->method.problem, clpac__job_rows(job),
						 ceil((double)job->epochs.n_samples / (double)job->step), err));
	clpac__job_warn_of_losses(job);
	return CLPAC_OK;
}

/* Some rows of a part, that were computed together. */
typedef struct trial_piece {
	clpac_result *result;
	const size_t *rows; /* their places in the job */
} trial_piece;

typedef struct trials {
	clpac__job *job;
	trial_piece *pieces;
	size_t n, n_done;
} trials;

/* Computes n channels of a part from `first` on, or all its pairs. */
static clpac_status run_piece(trials *t, const clpac__job_part *part, size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job *job = t->job;
	clpac_problem problem = clpac__job_part_problem(part, &job->method.problem);
	const void **channels = clpac__alloc_array(n, sizeof *channels);
	const char **names = clpac__alloc_array(n, sizeof *names);
	if (!channels || !names)
		FAIL_NO_MEMORY(n * (sizeof *channels + sizeof *names));
	TRY(clpac__job_samples_take(&job->samples, part->channels[first] / job->samples.per_group, err));
	for (size_t c = 0; c < n; c++) {
		const size_t at = part->channels[first + c];
		channels[c] = job->samples.values[at];
		names[c] = clpac_recording_channel(job->recording, job->channels.numbers[at])->name;
	}
	if (n < part->n_channels) {
		problem.channel_numbers = part->channel_numbers + first;
		problem.n_channels = n;
	}
	size_t n_rows;
	const size_t *rows = clpac__job_part_rows(part, &n_rows);
	n_rows = part->pairs ? n_rows : n;
	job->progress.before = (double)t->n_done / (double)clpac__job_rows(job);
	job->progress.part = (double)n_rows / (double)clpac__job_rows(job);
	clpac__analysis_phase(
		job->settings, "correlating %zu trials of %zu channels, %zu x %zu bands, %zu permutations",
		part->n_windows, n_rows, problem.n_phase_bands, problem.n_amplitude_bands, problem.n_surrogates);
	TRY(clpac_erpac_run(job->contexts->each, job->contexts->n,
			    &(clpac_erpac){.size = sizeof(clpac_erpac),
					   .problem = &problem,
					   .from_s = job->epochs.from_s,
					   .step = job->step,
					   .condition = job->epochs.conditions[0]},
			    &job->plan_options,
			    &(clpac_samples){.type = job->samples.type,
					     .sample_stride = job->samples.stride,
					     .channels = channels,
					     .names = names},
			    &t->pieces[t->n].result, err));
	t->pieces[t->n++].rows = rows + (part->pairs ? 0 : first);
	t->n_done += n_rows;
done:
	FREE_ALL(channels, names);
	return st;
}

/* --- Together ----------------------------------------------------------------------------------- */

/* A result of all rows, without a value yet.  Its text is that of the first piece. */
static clpac_status create_whole(const trials *t, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	const clpac_result *model = t->pieces[0].result;
	const size_t n_times = clpac_result_get_shape(model)->n_segments, n_rows = clpac__job_rows(t->job);
	TRY(clpac__result_like(model, clpac_result_problem(model), n_rows, n_times, &made, err));
	memcpy(clpac_result_segment_onsets(made), clpac_result_segment_onsets(model), n_times * sizeof(double));
	for (size_t s = 0; s < n_times; s++)
		TRY(clpac_result_set_condition(made, s, clpac_result_condition(model, s), err));
	for (size_t row = 0; row < n_rows; row++)
		TRY(clpac__job_name_row(t->job, made, row, row, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

static clpac_status join(trials *t, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL, **results = NULL;
	if (t->n == 1 && clpac_result_get_shape(t->pieces[0].result)->n_channels == clpac__job_rows(t->job)) {
		*out = t->pieces[0].result;
		t->pieces[0].result = NULL;
		goto done;
	}
	TRY(NEW_ARRAY(results, t->n));
	TRY(create_whole(t, &made, err));
	for (size_t i = 0; i < t->n; i++) {
		results[i] = t->pieces[i].result;
		clpac__result_put(results[i], made, &(clpac__result_place){.channels = t->pieces[i].rows});
	}
	TRY(clpac__reports_join(results, t->n, clpac_result_report(made), err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	clpac__free(results);
	return st;
}

clpac_status clpac__job_trials_run(clpac__job *job, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_parts *parts = &job->parts;
	trials t = {.job = job};
	size_t most, *next = clpac__alloc_array(parts->n, sizeof *next);
	if (!next || !clpac__size_mul(parts->n, job->samples.n_groups, &most) ||
	    !(t.pieces = clpac__alloc_array(most, sizeof *t.pieces)))
		FAIL_NO_MEMORY(parts->n * sizeof *next);
	job->plan_options.progress = clpac__job_tell_progress;
	job->plan_options.progress_user = job;
	job->progress.n_series = clpac__job_rows(job);
	for (size_t group = 0; group < job->samples.n_groups; group++)
		for (size_t i = 0; i < parts->n; i++) {
			const clpac__job_part *part = &parts->each[i];
			const size_t end = clpac__job_end_in_group(job, part, group, next[i]);
			if (end > next[i])
				TRY(run_piece(&t, part, next[i], end - next[i], err));
			next[i] = end;
		}
	TRY(join(&t, out, err));
done:
	if (st == CLPAC_ERROR_ARGUMENT)
		clpac__name_options(err);
	for (size_t i = 0; t.pieces && i < t.n; i++)
		clpac_result_destroy(t.pieces[i].result);
	FREE_ALL(t.pieces, next);
	return st;
}
