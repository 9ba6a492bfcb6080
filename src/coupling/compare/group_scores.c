/* The indices of subjects and of their surrogates as normal scores, from which the null of one sample is drawn
 * (Stelzer, Chen & Turner 2013, NeuroImage 65:69, with scores in place of values). */
#include "coupling/compare/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "coupling/signal/statistics.h"

bool clpac__group_has_surrogates(const clpac_group *group)
{
	if (group->design != CLPAC_ONE_SAMPLE)
		return false;
	for (size_t i = 0; i < group->n_first; i++) {
		const size_t n = clpac_result_get_shape(group->first[i])->n_surrogates;
		if (!n || n >= CLPAC__MOST_RANKED || !clpac_result_array(group->first[i], CLPAC_SURROGATES, NULL))
			return false;
	}
	return true;
}

typedef struct placed {
	float value;
	uint32_t at;
} placed;

static int by_value(const void *a, const void *b)
{
	const float x = ((const placed *)a)->value, y = ((const placed *)b)->value;
	return (x > y) - (x < y);
}

/* Ranks the n values of a cell, of which equal ones share theirs. */
static void rank_cell(placed *values, size_t n, size_t stride, uint16_t *ranks)
{
	bool are_numbers = true;
	for (size_t i = 0; i < n; i++)
		are_numbers = are_numbers && isfinite(values[i].value);
	if (are_numbers)
		qsort(values, n, sizeof *values, by_value);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && values[end].value == values[first].value;)
			end++;
		if (!are_numbers)
			end = n;
		for (size_t i = first; i < end; i++)
			ranks[values[i].at * stride] =
				are_numbers ? (uint16_t)(first + end - 1) : (uint16_t)CLPAC__NOT_RANKED;
	}
}

/* Fills score[2 r] with the score of rank r, and the odd places with the means of those beside them. */
static clpac_status make_scores(size_t n, float **out, clpac_error *err)
{
	float *scores;
	RETURN_IF_ERROR(NEW_ARRAY(*out, 2 * n));
	scores = *out;
	clpac__normal_scores(scores, n);
	for (size_t r = n; r-- > 0;)
		scores[2 * r] = scores[r];
	for (size_t r = 1; r < n; r++)
		scores[2 * r - 1] = (scores[2 * r - 2] + scores[2 * r]) / 2;
	return CLPAC_OK;
}

/* Ranks the cells of one subject. */
static clpac_status rank_subject(const clpac_group *group, const size_t *places, size_t i, clpac__group_scores *out,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = (clpac_result *)group->first[i]; /* read only */
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands, n = shape->n_surrogates + 1;
	const size_t n_maps = clpac__group_n_channels(group) * shape->n_segments;
	const float *index = clpac_result_array(result, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	placed *values;
	size_t n_ranks;
	TRY(NEW_ARRAY(values, n));
	if (!clpac__size_mul(n_maps * map, n, &n_ranks) ||
	    !(out->ranks[i] = clpac__alloc_array(n_ranks, sizeof **out->ranks)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "ranking %zu surrogates in %zu cells: the host has no memory left", n - 1,
		     n_maps * map);
	for (size_t m = 0; m < n_maps; m++) {
		const size_t channel = places[i * clpac__group_n_channels(group) + m / shape->n_segments];
		const size_t from = channel * shape->n_segments + m % shape->n_segments;
		for (size_t cell = 0; cell < map; cell++) {
			values[0] = (placed){index[from * map + cell], 0};
			for (size_t k = 1; k < n; k++)
				values[k] = (placed){surrogates[(from * (n - 1) + k - 1) * map + cell], (uint32_t)k};
			rank_cell(values, n, n_maps * map, out->ranks[i] + m * map + cell);
		}
	}
	out->n_of[i] = (uint32_t)n;
	TRY(make_scores(n, &out->score_of[i], err));
done:
	clpac__free(values);
	return st;
}

clpac_status clpac__group_scores_find(const clpac_group *group, const size_t *places, clpac__group_scores *out,
				      clpac_error *err)
{
	out->n = group->n_first;
	RETURN_IF_ERROR(NEW_ARRAY(out->n_of, out->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->ranks, out->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->score_of, out->n));
	for (size_t i = 0; i < out->n; i++)
		RETURN_IF_ERROR(rank_subject(group, places, i, out, err));
	return CLPAC_OK;
}

void clpac__group_scores_clear(clpac__group_scores *scores)
{
	for (size_t i = 0; i < scores->n; i++) {
		if (scores->ranks)
			clpac__free(scores->ranks[i]);
		if (scores->score_of)
			clpac__free(scores->score_of[i]);
	}
	FREE_ALL(scores->n_of, scores->ranks, scores->score_of);
	*scores = (clpac__group_scores){0};
}
