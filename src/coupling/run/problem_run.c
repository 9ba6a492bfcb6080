/* Computes a problem from its plans to its result.
 *
 * A plan has one list of amplitude bands for all its phase bands.  Where amplitudes are tied to the phases, each phase
 * band is therefore a problem of its own: its plans are made, run and destroyed before those of the next, so that the
 * memory is that of one, and its cells become a row of the result.  Windows that are separate are problems before. */
#include <clpac/plan.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "memory/context/context.h"
#include "coupling/data/result.h"
#include "coupling/passes/clusters.h"
#include "coupling/passes/correct.h"
#include "coupling/run/execute.h"
#include "coupling/problem/problem.h"
#include "coupling/run/separate_windows.h"
#include "coupling/passes/valid.h"

/* The caller's arguments, which are the same for all phase bands. */
struct job {
	clpac_context *const *contexts;
	size_t n_contexts;
	clpac_plan_options options;
	const clpac_samples *samples;
	const double *means; /* of all series, to be taken off; NULL: each has its own */
	const clpac__consumer *consumer;
	/* Progress of the whole: the caller's function hears of n_parts runs as of one. */
	clpac_progress_function *progress;
	void *progress_user;
	size_t part, n_parts;
	size_t done, total; /* as last told */
};

static bool pass_progress_on(void *user, size_t done, size_t total)
{
	struct job *job = user;
	job->done = job->part * total + done;
	job->total = job->n_parts * total;
	return !job->progress || job->progress(job->progress_user, job->done, job->total);
}

/* Runs a problem whose amplitudes are not tied, on the contexts that have room for a plan. */
static clpac_status run_untied(const struct job *job, const clpac_problem *problem, clpac_result **out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_plan *plans[CLPAC_MAX_DEVICES];
	clpac_result *made = NULL;
	clpac_warning left_out = {0};
	clpac_error why = {0};
	size_t n_plans = 0;
	for (size_t i = 0; i < job->n_contexts; i++) {
		st = clpac_plan_create(job->contexts[i], problem, &job->options, &plans[n_plans], &why);
		if (st == CLPAC_OK)
			n_plans++;
		else if (!left_out.count++)
			snprintf(left_out.text, sizeof left_out.text, "%.80s is left out: %.150s",
				 clpac_context_device(job->contexts[i])->name, why.text);
	}
	if (!n_plans) {
		if (err)
			*err = why;
		return st;
	}
	const clpac__input input = {.samples = job->samples, .means = job->means, .consumer = job->consumer};
	TRY(clpac__plans_run(plans, n_plans, &input, &made, err));
	if (left_out.count) {
		clpac_warning *warning = &clpac_result_report(made)->warnings[CLPAC_WARN_DEVICE];
		left_out.count += warning->count;
		*warning = left_out;
	}
	*out = made;
done:
	for (size_t i = 0; i < n_plans; i++)
		clpac_plan_destroy(plans[i]);
	return st;
}

/* Copies the cells of a part, the row of one phase band, into the whole. */
static void place_cells(const clpac_problem *whole, size_t ph, const clpac_result *part, clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n_phase = shape->n_phase_bands, n_amplitude = shape->n_amplitude_bands;
	const size_t n_series = shape->n_channels * shape->n_segments;
	const size_t n_columns = clpac_result_get_shape(part)->n_amplitude_bands;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n_from;
		const float *from = clpac_result_array(part, (clpac_array)which, &n_from);
		float *to = clpac_result_array(result, (clpac_array)which, NULL);
		if (!from || !to || which == CLPAC_PEAK_DISTRIBUTION || which == CLPAC_MAXIMA || which == CLPAC_P_MAX ||
		    which == CLPAC_BIN_COUNTS || which == CLPAC_PHASE_NONUNIFORMITY || which == CLPAC_PHASE_PEAK_DB)
			continue;
		/* Axes before the phase band, and behind the amplitude band. */
		const size_t n_inner = which == CLPAC_DISTRIBUTION ? shape->n_bins : 1;
		const size_t n_outer = n_from / (n_columns * n_inner);
		for (size_t outer = 0; outer < n_outer; outer++)
			for (size_t am = 0; am < n_amplitude; am++) {
				clpac_band band;
				if (!clpac__problem_cell_band(whole, ph, am, &band))
					continue;
				memcpy(to + ((outer * n_phase + ph) * n_amplitude + am) * n_inner, from,
				       n_inner * sizeof *to);
				from += n_inner;
			}
	}
	const float *counts = clpac_result_array(part, CLPAC_BIN_COUNTS, NULL);
	for (size_t series = 0; counts && series < n_series; series++)
		memcpy(clpac_result_array(result, CLPAC_BIN_COUNTS, NULL) + (series * n_phase + ph) * shape->n_bins,
		       counts + series * shape->n_bins, shape->n_bins * sizeof *counts);
	const float *uneven = clpac_result_array(part, CLPAC_PHASE_NONUNIFORMITY, NULL);
	for (size_t series = 0; uneven && series < n_series; series++)
		clpac_result_array(result, CLPAC_PHASE_NONUNIFORMITY, NULL)[series * n_phase + ph] = uneven[series];
	for (size_t series = 0; series < n_series; series++)
		clpac_result_empty_bins(result)[series * n_phase + ph] = clpac_result_empty_bins(part)[series];
}

/* Takes the maxima of a part where they are higher than those of the parts before: all parts make up one map. */
static void take_maxima(const clpac_result *part, clpac_result *result)
{
	size_t n;
	const float *from = clpac_result_array(part, CLPAC_MAXIMA, &n);
	float *to = clpac_result_array(result, CLPAC_MAXIMA, NULL);
	for (size_t i = 0; from && i < n; i++)
		if (!(from[i] <= to[i]) && !isnan(from[i]))
			to[i] = from[i];
}

/* Takes the peak distribution of a part, the row of phase band ph, for each series whose peak among the rows so far is
 * in that row. */
static void take_peaks(const clpac_result *part, size_t ph, clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(part);
	const size_t n_series = shape->n_channels * shape->n_segments;
	const float *from = clpac_result_array(part, CLPAC_PEAK_DISTRIBUTION, NULL);
	float *to = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	for (size_t series = 0; series < n_series; series++) {
		const clpac_peak peak =
			clpac_result_series_peak(result, series / shape->n_segments, series % shape->n_segments);
		if (peak.found && peak.phase == ph)
			memcpy(to + series * shape->n_bins, from + series * shape->n_bins, shape->n_bins * sizeof *to);
	}
}

/* Adds the filters of a part: its phase band to those before, and its amplitude bands to the end. */
static clpac_status add_filters(const clpac_result *part, size_t n_parts_before, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n_before, n_more;
	const clpac_band_report *before = clpac_result_band_reports(result, &n_before);
	const clpac_band_report *more = clpac_result_band_reports(part, &n_more);
	clpac_band_report *all = clpac__alloc_array(n_before + n_more, sizeof *all), *next = all;
	if (!all)
		FAIL_NO_MEMORY((n_before + n_more) * sizeof *all);
	for (size_t i = 0; i < n_parts_before; i++)
		*next++ = before[i];
	*next++ = more[0];
	for (size_t i = n_parts_before; i < n_before; i++)
		*next++ = before[i];
	for (size_t i = 1; i < n_more; i++)
		*next++ = more[i];
	TRY(clpac_result_set_band_reports(result, all, n_before + n_more, err));
done:
	clpac__free(all);
	return st;
}

/* Adds the report of a part.  Every part goes through the same series on the same devices: what is wrong with those
 * counts once. */
static void add_report(clpac_report *to, const clpac_report *part)
{
	static const clpac_warning_kind of_series[] = {CLPAC_WARN_NOT_FINITE, CLPAC_WARN_CONSTANT, CLPAC_WARN_FLAT,
						       CLPAC_WARN_DEVICE};
	const clpac_report before = *to;
	clpac__report_add(to, part);
	to->n_series = before.n_series;
	to->estimate_bytes = clpac__larger64(before.estimate_bytes, part->estimate_bytes);
	to->taken_bytes = clpac__larger64(before.taken_bytes, part->taken_bytes);
	for (size_t i = 0; i < sizeof of_series / sizeof *of_series; i++) {
		const clpac_warning *old = &before.warnings[of_series[i]], *new = &part->warnings[of_series[i]];
		to->warnings[of_series[i]] = new->count > old->count ? *new : *old;
	}
}

/* A result of the whole problem without a value yet. */
static clpac_status create_tied(const clpac_problem *p, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	char *text = NULL;
	const size_t n_cells = p->n_phase_bands * p->n_amplitude_bands;
	clpac_band *cells;
	TRY(NEW_ARRAY(cells, n_cells));
	for (size_t cell = 0; cell < n_cells; cell++)
		clpac__problem_cell_band(p, cell / p->n_amplitude_bands, cell % p->n_amplitude_bands, &cells[cell]);
	TRY(clpac__problem_result(p, &made, err));
	TRY(clpac_result_set_cell_bands(made, cells, err));
	clpac__valid_cells(p, clpac_result_valid(made));
	memcpy(clpac_result_phase_bands(made), p->phase_bands, p->n_phase_bands * sizeof *p->phase_bands);
	memcpy(clpac_result_amplitude_bands(made), p->amplitude_bands,
	       p->n_amplitude_bands * sizeof *p->amplitude_bands);
	TRY(clpac_problem_write(p, &text, err));
	TRY(clpac_result_set_problem(made, text, err));
	*out = made, made = NULL;
done:
	clpac_text_free(text);
	clpac__free(cells);
	clpac_result_destroy(made);
	return st;
}

/* Adds the result of a phase band to the whole. */
static clpac_status add_part(const clpac_problem *whole, size_t ph, size_t n_parts_before, const clpac_result *part,
			     clpac_result *result, clpac_error *err)
{
	for (size_t i = 0; i < whole->n_measures; i++) {
		const clpac_result *of_part = clpac_result_of(part, whole->measures[i]);
		clpac_result *of_whole = clpac_result_of(result, whole->measures[i]);
		place_cells(whole, ph, of_part, of_whole);
		take_maxima(of_part, of_whole);
	}
	take_peaks(part, ph, result);
	RETURN_IF_ERROR(add_filters(part, n_parts_before, result, err));
	if (n_parts_before)
		add_report(clpac_result_report(result), clpac_result_report(part));
	else
		*clpac_result_report(result) = *clpac_result_report(part);
	const size_t n_series = clpac__problem_rows(whole) * whole->n_segments;
	memcpy(clpac_result_used_seconds(result), clpac_result_used_seconds(part), n_series * sizeof(double));
	memcpy(clpac_result_n_stretches(result), clpac_result_n_stretches(part), n_series * sizeof(uint32_t));
	for (size_t row = 0; row < clpac__problem_rows(whole); row++)
		RETURN_IF_ERROR(clpac__result_copy_name(result, row, part, row, err));
	return CLPAC_OK;
}

static bool has_cells(const clpac_problem *whole, size_t ph)
{
	clpac_band band;
	for (size_t am = 0; am < whole->n_amplitude_bands; am++)
		if (clpac__problem_cell_band(whole, ph, am, &band))
			return true;
	return false;
}

static clpac_status make_room(const clpac_problem *whole, float **out, clpac_error *err)
{
	const size_t n_series = clpac__problem_rows(whole) * whole->n_segments;
	size_t n;
	if (!clpac__size_mul(whole->n_phase_bands * whole->n_amplitude_bands, whole->n_surrogates, &n) ||
	    !clpac__size_mul(n, n_series, &n) || !clpac__size_mul(n, whole->n_measures, &n) ||
	    !(*out = clpac__alloc_array(n, sizeof **out)))
		RETURN_ERROR(
			CLPAC_ERROR_NO_MEMORY,
			"cluster_alpha with tied_amplitudes keeps all surrogates on the host, %zu of each of %zu x %zu "
			"cells in %zu "
			"series: there is no memory for them; give fewer series at once, or no cluster_alpha",
			whole->n_surrogates, whole->n_phase_bands, whole->n_amplitude_bands, n_series);
	for (size_t i = 0; i < n; i++)
		(*out)[i] = NAN;
	return CLPAC_OK;
}

/* Keeps the surrogates of a part's cells, where clusters need those of the whole map. */
static void keep_surrogates(const clpac_problem *whole, size_t ph, const clpac_result *part, float *kept)
{
	const size_t n_phase = whole->n_phase_bands, n_amplitude = whole->n_amplitude_bands;
	const float *from = clpac_result_array(part, CLPAC_SURROGATES, NULL);
	for (size_t map = 0; map < clpac__problem_rows(whole) * whole->n_segments * whole->n_surrogates; map++)
		for (size_t am = 0; am < n_amplitude; am++) {
			clpac_band band;
			float *cell = kept + (map * n_phase + ph) * n_amplitude + am;
			*cell = clpac__problem_cell_band(whole, ph, am, &band) ? *from++ : NAN;
		}
}

static clpac_status run_tied(struct job *job, const clpac_problem *whole, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_series = clpac__problem_rows(whole) * whole->n_segments;
	clpac_result *made = NULL, *result = NULL;
	clpac_problem_copy *part = NULL;
	float *kept = NULL;
	const size_t n_kept = n_series * whole->n_surrogates * whole->n_phase_bands * whole->n_amplitude_bands;
	/* A part has one row of each map, and cannot tell its clusters. */
	clpac_problem of_parts = *whole;
	const bool has_clusters = whole->n_surrogates && whole->cluster_alpha > 0;
	of_parts.cluster_alpha = 0;
	of_parts.keep_surrogates |= has_clusters;
	if (has_clusters)
		TRY(make_room(whole, &kept, err));
	TRY(create_tied(whole, &made, err));
	job->n_parts = 0;
	for (size_t ph = 0; ph < whole->n_phase_bands; ph++)
		job->n_parts += has_cells(whole, ph);
	for (size_t ph = 0; ph < whole->n_phase_bands; ph++) {
		TRY(clpac__problem_part(&of_parts, ph, &part, err));
		if (!part)
			continue;
		TRY(run_untied(job, clpac_problem_get(part), &result, err));
		TRY(add_part(whole, ph, job->part, result, made, err));
		for (size_t i = 0; has_clusters && i < whole->n_measures; i++)
			keep_surrogates(whole, ph, clpac_result_of(result, whole->measures[i]), kept + i * n_kept);
		job->part++;
		clpac_result_destroy(result);
		clpac_problem_destroy(part);
		result = NULL;
		part = NULL;
	}
	for (size_t i = 0; i < whole->n_measures; i++) {
		clpac_result *of_measure = clpac_result_of(made, whole->measures[i]);
		TRY(clpac__correct_maps(whole, of_measure, NULL, err));
		if (has_clusters)
			TRY(clpac__clusters_of_result(whole, of_measure, kept + i * n_kept, err));
	}
	TRY(clpac_result_correct(made, whole, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(result);
	clpac_result_destroy(made);
	clpac_problem_destroy(part);
	clpac__free(kept);
	return st;
}

/* Runs a complete problem, tied or not, whose windows are not separate. */
static clpac_status run_whole(const struct job *given, const clpac_problem *whole, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct job job = *given;
	if (!whole->tied_amplitudes)
		return run_untied(&job, whole, out, err);
	job.progress = job.options.progress;
	job.progress_user = job.options.progress_user;
	job.options.progress = pass_progress_on;
	job.options.progress_user = &job;
	st = run_tied(&job, whole, out, err);
	if (st == CLPAC_ERROR_CANCELLED)
		RETURN_ERROR(st, "stopped after %zu of %zu series and surrogates, as asked", job.done, job.total);
	return st;
}

/* A run of separate windows: the caller's function hears of all groups as of one run. */
typedef struct separate {
	struct job job;
	clpac__frames_run frames;
	clpac_progress_function *progress;
	void *progress_user;
} separate;

static bool pass_separate_progress_on(void *user, size_t done, size_t total)
{
	const separate *run = user;
	const clpac__frames_run *at = &run->frames;
	return !run->progress || run->progress(run->progress_user, at->before * total + at->n * done, at->all * total);
}

static clpac_status run_frames(void *user, const clpac_problem *problem, const clpac_samples *samples,
			       const double *means, clpac_result **out, clpac_error *err)
{
	struct job job = ((const separate *)user)->job;
	job.samples = samples;
	job.means = means;
	return run_whole(&job, problem, out, err);
}

static clpac_status run_separate(const struct job *given, const clpac_problem *whole, clpac_result **out,
				 clpac_error *err)
{
	separate run = {
		.job = *given, .progress = given->options.progress, .progress_user = given->options.progress_user};
	run.frames = (clpac__frames_run){.run = run_frames, .user = &run};
	run.job.options.progress = pass_separate_progress_on;
	run.job.options.progress_user = &run;
	if (!given->samples->channels)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "clpac_problem_run: no samples were given");
	return clpac__run_separate(&run.frames, whole, given->samples, out, err);
}

clpac_status clpac_problem_run(clpac_context *const *contexts, size_t n_contexts, const clpac_problem *problem,
			       const clpac_plan_options *options, const clpac_samples *samples, clpac_result **out,
			       clpac_error *err)
{
	NEED(contexts, problem, samples, out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *whole = NULL;
	struct job job = {.contexts = contexts, .n_contexts = n_contexts, .samples = samples, .n_parts = 1};
	TRY(clpac__take_sized(&job.options, options, clpac_plan_options, err));
	if (!n_contexts || n_contexts > CLPAC_MAX_DEVICES)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_problem_run: n_contexts is %zu: give 1 to %d contexts", n_contexts,
		     CLPAC_MAX_DEVICES);
	for (size_t i = 0; i < n_contexts; i++)
		if (!contexts[i])
			FAIL(CLPAC_ERROR_ARGUMENT, "clpac_problem_run: context %zu is NULL", i);
	for (size_t i = 0; i < n_contexts; i++)
		TRY(clpac__context_enter(contexts[i], __func__, err));
	TRY(clpac_problem_complete(problem, &whole, err));
	if (clpac_problem_get(whole)->tied_amplitudes && clpac_problem_left_out(whole))
		clpac__context_log(contexts[0], CLPAC_LOG_INFO, "%s", clpac_problem_left_out(whole));
	if (clpac_problem_get(whole)->separate_windows)
		st = run_separate(&job, clpac_problem_get(whole), out, err);
	else if (clpac_problem_get(whole)->tied_amplitudes)
		st = run_whole(&job, clpac_problem_get(whole), out, err);
	else
		st = run_untied(&job, problem, out, err);
done:
	clpac_problem_destroy(whole);
	return st;
}

clpac_status clpac__problem_take(clpac_context *const *contexts, size_t n_contexts, const clpac_problem *whole,
				 const clpac_plan_options *options, const clpac_samples *samples,
				 const clpac__consumer *consumer, clpac_result **out, clpac_error *err)
{
	const struct job job = {.contexts = contexts,
				.n_contexts = n_contexts,
				.samples = samples,
				.n_parts = 1,
				.options = *options,
				.consumer = consumer};
	return run_separate(&job, whole, out, err);
}
