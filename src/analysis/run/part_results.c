/* In every array of a result channel and segment are the first axes: a part's rows, one of each of its channels and
 * segments, go to their places. */
#include "analysis/run/part_results.h"

#include <math.h>
#include <string.h>
#include "analysis/run/piece_results.h"

static bool is_all(const clpac__job *job, const clpac__job_part *part)
{
	size_t n_rows;
	clpac__job_part_rows(part, &n_rows);
	return n_rows == clpac__job_rows(job) && part->n_segments == job->segments.n;
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

/* A part, with its result and that of the job. */
typedef struct placing {
	const clpac__job_part *part;
	const clpac_result *from;
	clpac_result *to;
} placing;

/* Copies rows of `bytes`, one for each channel and segment. */
static void copy_rows(const placing *at, const void *from, void *to, size_t bytes)
{
	const size_t n_segments = clpac_result_get_shape(at->to)->n_segments;
	size_t n_rows;
	const size_t *rows = clpac__job_part_rows(at->part, &n_rows);
	for (size_t c = 0; c < n_rows; c++)
		for (size_t s = 0; s < at->part->n_segments; s++) {
			const size_t row = rows[c] * n_segments + at->part->places[s];
			memcpy((char *)to + row * bytes, (const char *)from + (c * at->part->n_segments + s) * bytes,
			       bytes);
		}
}

static clpac_status place(const placing *at, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(at->from);
	const size_t n_series = shape->n_channels * shape->n_segments;
	const clpac_result_shape *whole_shape = clpac_result_get_shape(at->to);
	if (shape->n_surrogates != whole_shape->n_surrogates || shape->n_bins != whole_shape->n_bins ||
	    shape->n_phase_bands != whole_shape->n_phase_bands ||
	    shape->n_amplitude_bands != whole_shape->n_amplitude_bands)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "the parts of a run have other shapes than each other");
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(at->from, measures);
	for (size_t i = 0; i < n_measures; i++)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n_from, n_to;
			const clpac_result *own = clpac_result_of(at->from, measures[i]);
			const clpac_result *whole = clpac_result_of(at->to, measures[i]);
			const float *from = clpac_result_array(own, (clpac_array)which, &n_from);
			float *to = clpac_result_array(whole, (clpac_array)which, &n_to);
			if (!from != !to)
				RETURN_ERROR(CLPAC_ERROR_FORMAT,
					     "the parts of a run have other arrays than each other");
			if (from)
				copy_rows(at, from, to, n_from / n_series * sizeof *from);
		}
	copy_rows(at, clpac_result_empty_bins(at->from), clpac_result_empty_bins(at->to),
		  shape->n_phase_bands * sizeof(uint32_t));
	copy_rows(at, clpac_result_used_seconds(at->from), clpac_result_used_seconds(at->to), sizeof(double));
	copy_rows(at, clpac_result_n_stretches(at->from), clpac_result_n_stretches(at->to), sizeof(uint32_t));
	return CLPAC_OK;
}

clpac_status clpac__part_results_join(const clpac__job *job, clpac_result **results, clpac_result **out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_parts *parts = &job->parts;
	clpac_result *made = NULL;
	if (parts->n == 1 && is_all(job, &parts->each[0])) {
		*out = results[0];
		results[0] = NULL;
		goto done;
	}
	const clpac_problem whole = clpac__job_problem(job, job->segments.lengths[0]);
	TRY(clpac__result_like(results[0], &whole, clpac__job_rows(job), job->segments.n, &made, err));
	fill_with_nan(made);
	for (size_t i = 0; i < parts->n; i++)
		TRY(place(&(placing){&parts->each[i], results[i], made}, err));
	for (size_t i = 0; i < clpac__job_rows(job); i++) {
		const clpac_pair pair = job->pairs.each ? job->pairs.each[i] : (clpac_pair){i, i};
		const char *phase = clpac_recording_channel(job->recording, job->channels.numbers[pair.phase])->name;
		const char *amplitude =
			clpac_recording_channel(job->recording, job->channels.numbers[pair.amplitude])->name;
		TRY(job->pairs.each ? clpac_result_set_pair(made, i, phase, amplitude, err)
				    : clpac_result_set_channel_name(made, i, amplitude, err));
	}
	TRY(clpac__reports_join(results, parts->n, clpac_result_report(made), err));
	if (whole.family == CLPAC_FAMILY_RUN)
		TRY(clpac_result_correct(made, &whole, err));
	*out = made;
	made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}
