/* In every array of a result channel and segment are the first axes: a piece has a row for each of them. */
#include "analysis/run/results.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <clpac/plan.h>
#include "analysis/channels/pairs.h"
#include "base/error.h"
#include "base/memory.h"

/* Warnings that do not depend on the samples: every group has the same. */
static bool is_known_beforehand(int kind)
{
	return kind == CLPAC_WARN_MIN_SHIFT || kind == CLPAC_WARN_NARROW_AMPLITUDE || kind == CLPAC_WARN_OVERLAP ||
	       kind == CLPAC_WARN_SHORT_SERIES || kind == CLPAC_WARN_SHORT_NULL;
}

clpac_status clpac__reports_join(clpac_result *const *groups, size_t n_groups, clpac_report *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape one = {1, 1, 1, 1, 0, 0};
	bool is_said[CLPAC_WARN_KIND_COUNT] = {false};
	clpac_result *joined = NULL, **cells = clpac__alloc_array(n_groups, sizeof(clpac_result *));
	if (!cells)
		FAIL_NO_MEMORY(n_groups * sizeof *cells);
	for (size_t g = 0; g < n_groups; g++) {
		TRY(clpac_result_create(&one, 1u << CLPAC_MI, &cells[g], err));
		clpac_report *report = clpac_result_report(cells[g]);
		*report = *clpac_result_report(groups[g]);
		for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++) {
			if (is_known_beforehand(kind) && is_said[kind])
				report->warnings[kind] = (clpac_warning){0};
			is_said[kind] |= report->warnings[kind].count > 0;
		}
	}
	TRY(clpac_result_stack(cells, n_groups, NULL, &joined, err));
	*out = *clpac_result_report(joined);
done:
	clpac_result_destroy(joined);
	for (size_t g = 0; cells && g < n_groups; g++)
		clpac_result_destroy(cells[g]);
	clpac__free(cells);
	return st;
}

/* The arrays of a measure of a result, without those that a further measure shares with the first. */
static unsigned arrays_of(const clpac_result *result, clpac_measure measure)
{
	const clpac_result *of_measure = clpac_result_of(result, measure);
	unsigned arrays = 0;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		const float *values = clpac_result_array(of_measure, (clpac_array)which, NULL);
		if (values && (of_measure == result || values != clpac_result_array(result, (clpac_array)which, NULL)))
			arrays |= 1u << which;
	}
	return arrays;
}

static bool have_the_same_arrays(const clpac_result *a, const clpac_result *b)
{
	clpac_measure of_a[CLPAC_MEASURE_COUNT], of_b[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(a, of_a);
	bool is_same = n == clpac_result_measures(b, of_b);
	for (size_t i = 0; i < n && is_same; i++)
		is_same = of_a[i] == of_b[i] && arrays_of(a, of_a[i]) == arrays_of(b, of_b[i]);
	return is_same;
}

static bool fit_together(const clpac_result *a, const clpac_result *b)
{
	const clpac_result_shape *x = clpac_result_get_shape(a), *y = clpac_result_get_shape(b);
	return x->n_phase_bands == y->n_phase_bands && x->n_amplitude_bands == y->n_amplitude_bands &&
	       x->n_bins == y->n_bins && x->n_surrogates == y->n_surrogates && have_the_same_arrays(a, b);
}

/* Copies rows of `bytes`, one for each channel and segment. */
static void copy_rows(const clpac__result_place *at, const clpac_result_shape *shape, size_t n_segments,
		      const void *from, void *to, size_t bytes)
{
	for (size_t c = 0; c < shape->n_channels; c++)
		for (size_t s = 0; s < shape->n_segments; s++) {
			const size_t channel = at->channels ? at->channels[c] - at->channel : at->channel + c;
			const size_t segment = at->segments ? at->segments[s] : at->segment + s;
			memcpy((char *)to + (channel * n_segments + segment) * bytes,
			       (const char *)from + (c * shape->n_segments + s) * bytes, bytes);
		}
}

void clpac__result_put(const clpac_result *from, clpac_result *to, const clpac__result_place *at)
{
	const clpac_result_shape *shape = clpac_result_get_shape(from);
	const size_t n_series = shape->n_channels * shape->n_segments, n_all = clpac_result_get_shape(to)->n_segments;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(from, measures);
	for (size_t i = 0; i < n_measures; i++)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n = 0;
			const float *values =
				clpac_result_array(clpac_result_of(from, measures[i]), (clpac_array)which, &n);
			float *all = clpac_result_array(clpac_result_of(to, measures[i]), (clpac_array)which, NULL);
			if (values)
				copy_rows(at, shape, n_all, values, all, n / n_series * sizeof *values);
		}
	copy_rows(at, shape, n_all, clpac_result_empty_bins(from), clpac_result_empty_bins(to),
		  shape->n_phase_bands * sizeof(uint32_t));
	copy_rows(at, shape, n_all, clpac_result_used_seconds(from), clpac_result_used_seconds(to), sizeof(double));
	copy_rows(at, shape, n_all, clpac_result_n_stretches(from), clpac_result_n_stretches(to), sizeof(uint32_t));
}

clpac_status clpac__result_like(const clpac_result *model, const char *text, size_t n_channels, size_t n_segments,
				clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	clpac_result_shape shape = *clpac_result_get_shape(model);
	size_t n_reports;
	shape.n_channels = n_channels;
	shape.n_segments = n_segments;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(model, measures);
	TRY(clpac_result_create(&shape, arrays_of(model, measures[0]), &made, err));
	TRY(clpac_result_set_measure(made, measures[0], err));
	for (size_t i = 1; i < n_measures; i++)
		TRY(clpac_result_add_measure(made, measures[i], arrays_of(model, measures[i]), NULL, err));
	memcpy(clpac_result_phase_bands(made), clpac_result_phase_bands(model),
	       shape.n_phase_bands * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(made), clpac_result_amplitude_bands(model),
	       shape.n_amplitude_bands * sizeof(clpac_band));
	memcpy(clpac_result_valid(made), clpac_result_valid(model), shape.n_phase_bands * shape.n_amplitude_bands);
	TRY(clpac_result_set_cell_bands(made, clpac_result_cell_bands(model), err));
	const clpac_band_report *reports = clpac_result_band_reports(model, &n_reports);
	TRY(clpac_result_set_band_reports(made, reports, n_reports, err));
	TRY(clpac_result_set_problem(made, text, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

/* The same, with the text of a problem. */
static clpac_status like_problem(const clpac_result *model, const clpac_problem *whole, size_t n_channels,
				 size_t n_segments, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *complete = NULL;
	char *text = NULL;
	TRY(clpac_problem_complete(whole, &complete, err));
	TRY(clpac_problem_write(clpac_problem_get(complete), &text, err));
	TRY(clpac__result_like(model, text, n_channels, n_segments, out, err));
done:
	clpac_text_free(text);
	clpac_problem_destroy(complete);
	return st;
}

/* --- Pieces ------------------------------------------------------------------------------------- */

clpac_status clpac__job_pieces_join(const clpac__job_piece *pieces, size_t n_pieces, const clpac_problem *whole,
				    clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL, **results = clpac__alloc_array(n_pieces, sizeof(clpac_result *));
	if (!results)
		FAIL_NO_MEMORY(n_pieces * sizeof(clpac_result *));
	for (size_t i = 0; i < n_pieces; i++) {
		results[i] = pieces[i].result;
		if (!fit_together(results[0], results[i]))
			FAIL(CLPAC_ERROR_FORMAT,
			     "the checkpoint of channel %zu is of another shape than the channels before: remove the "
			     "hidden .part files beside the result",
			     pieces[i].channel);
	}
	TRY(like_problem(results[0], whole, whole->pairs ? whole->n_pairs : whole->n_channels, whole->n_segments, &made,
			 err));
	for (size_t i = 0; i < n_pieces; i++) {
		const clpac__result_place at = {.channel = pieces[i].channel, .segment = pieces[i].segment};
		const size_t n_rows = clpac_result_get_shape(results[i])->n_channels;
		clpac__result_put(results[i], made, &at);
		for (size_t row = 0; row < n_rows; row++)
			TRY(clpac__pairs_copy_name(made, pieces[i].channel + row, results[i], row, err));
	}
	TRY(clpac__reports_join(results, n_pieces, clpac_result_report(made), err));
	if (whole->family == CLPAC_FAMILY_RUN)
		TRY(clpac_result_correct(made, whole, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	clpac__free(results);
	return st;
}

/* --- Parts -------------------------------------------------------------------------------------- */

/* Whether a part has so many rows, and all segments of the job. */
static bool is_all(const clpac__job *job, const clpac__job_part *part, size_t n_rows)
{
	size_t n;
	clpac__job_part_rows(part, &n);
	return n == n_rows && part->n_segments == job->segments.n;
}

clpac_problem clpac__job_whole_problem(const clpac__job *job)
{
	const clpac__job_parts *parts = &job->parts;
	return parts->n == 1 && is_all(job, &parts->each[0], clpac__job_rows(job))
		       ? clpac__job_part_problem(&parts->each[0], &job->method.problem)
		       : clpac__job_problem(job, job->segments.lengths[0]);
}

static void fill_with_nan(clpac_result *result)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(result, measures);
	for (size_t i = 0; i < n_measures; i++)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n;
			float *values =
				clpac_result_array(clpac_result_of(result, measures[i]), (clpac_array)which, &n);
			for (size_t k = 0; values && k < n; k++)
				values[k] = NAN;
		}
}

clpac_status clpac__part_results_join(const clpac__job *job, clpac_result **results, clpac_result **out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_parts *parts = &job->parts;
	const clpac__job_shard *shard = &job->shard;
	const size_t n_rows_all = shard->n ? shard->n_rows : clpac__job_rows(job);
	clpac_result *made = NULL;
	if (parts->n == 1 && !shard->is_dead && is_all(job, &parts->each[0], n_rows_all)) {
		if (shard->n)
			TRY(clpac_result_set_problem(results[0], shard->problem, err));
		*out = results[0];
		results[0] = NULL;
		goto done;
	}
	const clpac_problem whole = clpac__job_problem(job, job->segments.lengths[0]);
	TRY(shard->n ? clpac__result_like(results[0], shard->problem, n_rows_all, job->segments.n, &made, err)
		     : like_problem(results[0], &whole, n_rows_all, job->segments.n, &made, err));
	fill_with_nan(made);
	for (size_t i = 0; i < parts->n && !shard->is_dead; i++) {
		size_t n_rows;
		const clpac__job_part *part = &parts->each[i];
		if (!fit_together(results[i], made))
			FAIL(CLPAC_ERROR_FORMAT, "the parts of a run have other shapes or arrays than each other");
		clpac__result_put(results[i], made,
				  &(clpac__result_place){.channels = clpac__job_part_rows(part, &n_rows),
							 .channel = shard->first,
							 .segments = part->places});
	}
	for (size_t i = 0; i < n_rows_all; i++)
		TRY(clpac__job_name_row(job, made, shard->first + i, i, err));
	TRY(clpac__reports_join(results, parts->n, clpac_result_report(made), err));
	if (shard->is_dead)
		memset(clpac_result_report(made)->warnings, 0, sizeof clpac_result_report(made)->warnings);
	if (whole.family == CLPAC_FAMILY_RUN)
		TRY(clpac_result_correct(made, &whole, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}
