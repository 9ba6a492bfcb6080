#include "coupling/run/measures.h"

#include <clpac/memory/queue.h>

#include "coupling/run/ahead.h"
#include "coupling/passes/clusters.h"
#include "coupling/passes/fetch.h"
#include "coupling/passes/indices.h"
#include "coupling/passes/statistics.h"
#include "coupling/passes/variants.h"

/* Measures side by side, of a batch. */
typedef struct turns {
	const clpac_plan *plan;
	clpac__batch *batch;
	clpac__run *run;
	const clpac_measure *measures;
	size_t n_measures, first, n; /* first and number of its series */
	clpac__summing summing;
} turns;

/* A step of one measure in its turn, for surrogates number k .. k + n_shifts - 1 or without any. */
typedef clpac_status step(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err);

static clpac_status each(const turns *b, step *step, size_t k, size_t n_shifts, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	for (size_t i = 0; i < b->n_measures; i++) {
		clpac__measures_turn(b->batch, i);
		st = step(b, b->measures[i], k, n_shifts, err);
		clpac__measures_turn(b->batch, i);
		RETURN_IF_ERROR(st);
	}
	return st;
}

static clpac_status observe(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	const bool is_first = measure == b->plan->problem->measures[0];
	const bool comes_later = clpac__observes_with_surrogates(&b->plan->layout, measure);
	(void)k, (void)n_shifts;
	if (!comes_later && is_first)
		RETURN_IF_ERROR(clpac__indices_observed(b->plan, b->batch, measure, b->n, b->summing, err));
	else if (!comes_later)
		RETURN_IF_ERROR(clpac__indices(b->plan, b->batch, measure, b->n, b->summing, 0, 1,
					       b->batch->tensors[CLPAC__TENSOR_OBSERVED], err));
	RETURN_IF_ERROR(clpac__profile_stage(
		b->plan, b->run, measure == CLPAC_MEASURE_MI ? "modulation index" : clpac_measure_text(measure), err));
	if (!comes_later)
		RETURN_IF_ERROR(b->run->advance(b->run, b->n, err));
	return CLPAC_OK;
}

/* The indices of a chunk's surrogates, of all these measures; of the first chunk with the observed ones before them. */
static clpac_status indices(const turns *b, size_t k, size_t n_shifts, bool with_observed, clpac_error *err)
{
	const size_t n_before = with_observed ? 1 : 0;
	if (b->n_measures > 1)
		return clpac__variants_of_measures(b->plan, b->batch, b->n, b->summing, 1 + k, n_shifts, err);
	return clpac__indices(b->plan, b->batch, b->measures[0], b->n, b->summing, 1 + k - n_before,
			      n_before + n_shifts, b->batch->tensors[CLPAC__TENSOR_CHUNK], err);
}

static clpac_status moments(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	return clpac__statistics_moments(b->plan, b->batch, measure, b->n, k, n_shifts, err);
}

static clpac_status keep(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	return clpac__store_surrogates(b->plan, b->batch, b->run, measure, b->first, b->n, k, n_shifts, err);
}

static clpac_status clusters_of_map(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	(void)measure, (void)k, (void)n_shifts;
	return clpac__clusters_of_maps(b->plan, b->batch, b->n, err);
}

static clpac_status maxima(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	(void)measure;
	return clpac__statistics_maxima(b->plan, b->batch, b->n, k, n_shifts, err);
}

static clpac_status clusters(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	(void)measure;
	return clpac__clusters_of_surrogates(b->plan, b->batch, b->n, k, n_shifts, err);
}

/* Reads the indices of a measure.  Those of the last one are read with the distributions, since nothing behind them is
 * waited for; while they are on their way the next batch is begun. */
static clpac_status fetch(const turns *b, bool is_last, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_plan *plan = b->plan;
	clpac_event *there = NULL;
	const bool is_ahead = is_last && clpac__ahead_may(plan, b->batch, b->run);
	if (is_last)
		TRY(clpac__fetch_distributions(plan, b->batch, b->n, err));
	TRY(clpac__fetch_indices(plan, b->batch, b->n, is_ahead ? &there : NULL, err));
	if (!is_ahead)
		goto done;
	clpac__ahead_begin(plan, b->batch, b->run);
	TRY(clpac_event_wait(plan->context->pool, there, err));
done:
	if (there)
		clpac_event_release(plan->context->pool, there);
	return st;
}

/* The stage of the last measure ends with the batch. */
static clpac_status store(const turns *b, clpac_measure measure, size_t k, size_t n_shifts, clpac_error *err)
{
	const clpac_problem *p = b->plan->problem;
	const bool is_last = measure == p->measures[p->n_measures - 1];
	(void)k, (void)n_shifts;
	RETURN_IF_ERROR(fetch(b, is_last, err));
	RETURN_IF_ERROR(clpac__store_indices(b->plan, b->batch, b->run, measure, b->first, b->n, err));
	RETURN_IF_ERROR(clpac__store_clusters(b->plan, b->batch, b->run, measure, b->first, b->n, err));
	if (!is_last)
		RETURN_IF_ERROR(clpac__profile_stage(b->plan, b->run, "store", err));
	return CLPAC_OK;
}

/* The surrogates of a chunk count as done in the pass that computes them; where there are two passes, half in each. */
static size_t done_in_first_pass(const clpac__layout *l, size_t n_shifts)
{
	return clpac__surrogates_are_kept(l) ? n_shifts : n_shifts - n_shifts / 2;
}

static size_t of_chunk(const clpac__layout *l, size_t k)
{
	return l->n_surrogates - k < l->chunk ? l->n_surrogates - k : l->chunk;
}

/* Surrogates that came in several chunks are computed once more for their maxima, since only one chunk is kept. */
static clpac_status surrogates(const turns *b, clpac_error *err)
{
	const clpac__layout *l = &b->plan->layout;
	for (size_t k = 0; k < l->n_surrogates; k += l->chunk) {
		const size_t n_shifts = of_chunk(l, k);
		const bool with_observed = k == 0 && clpac__observes_with_surrogates(l, b->measures[0]);
		const size_t n_done = done_in_first_pass(l, n_shifts) + (with_observed ? 1 : 0);
		b->run->expected = b->n_measures * b->n * n_done;
		RETURN_IF_ERROR(indices(b, k, n_shifts, with_observed, err));
		RETURN_IF_ERROR(each(b, moments, k, n_shifts, err));
		if (b->plan->problem->keep_surrogates)
			RETURN_IF_ERROR(each(b, keep, k, n_shifts, err));
		RETURN_IF_ERROR(clpac__profile_stage(b->plan, b->run, "surrogates", err));
		RETURN_IF_ERROR(b->run->advance(b->run, b->n_measures * b->n * n_done, err));
	}
	if (l->has_clusters)
		RETURN_IF_ERROR(each(b, clusters_of_map, 0, 0, err));
	for (size_t k = 0; k < l->n_surrogates; k += l->chunk) {
		const size_t n_shifts = of_chunk(l, k), n_left = n_shifts - done_in_first_pass(l, n_shifts);
		b->run->expected = b->n_measures * b->n * n_left;
		if (!clpac__surrogates_are_kept(l))
			RETURN_IF_ERROR(indices(b, k, n_shifts, false, err));
		RETURN_IF_ERROR(each(b, maxima, k, n_shifts, err));
		RETURN_IF_ERROR(clpac__profile_stage(b->plan, b->run, "maxima", err));
		if (l->has_clusters) {
			RETURN_IF_ERROR(each(b, clusters, k, n_shifts, err));
			RETURN_IF_ERROR(clpac__profile_stage(b->plan, b->run, "clusters", err));
		}
		if (n_left)
			RETURN_IF_ERROR(b->run->advance(b->run, b->n_measures * b->n * n_left, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__measures_surrogates(const clpac_plan *plan, clpac__batch *batch, size_t i, size_t n,
					clpac__summing summing, size_t k, size_t n_shifts, bool with_observed,
					clpac_error *err)
{
	const turns b = {.plan = plan,
			 .batch = batch,
			 .measures = plan->problem->measures + i,
			 .n_measures = plan->layout.sharing,
			 .n = n,
			 .summing = summing};
	RETURN_IF_ERROR(indices(&b, k, n_shifts, with_observed, err));
	return each(&b, moments, k, n_shifts, err);
}

clpac_status clpac__measures_batch(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				   clpac__summing summing, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	for (size_t i = 0; i < p->n_measures; i += plan->layout.sharing) {
		const turns b = {plan, batch, run, p->measures + i, plan->layout.sharing, first, n, summing};
		RETURN_IF_ERROR(each(&b, observe, 0, 0, err));
		RETURN_IF_ERROR(surrogates(&b, err));
		RETURN_IF_ERROR(each(&b, store, 0, 0, err));
	}
	return CLPAC_OK;
}
