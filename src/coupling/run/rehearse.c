/* Predicts how long a run takes, by computing one batch of noise and a few of its surrogates as a run would. */
#include "base/clock.h"
#include "base/memory.h"
#include "coupling/run/execute.h"
#include "coupling/run/measures.h"
#include "coupling/run/place.h"
#include "coupling/passes/statistics.h"
#include "coupling/problem/problem.h"
#include "memory/pool/pool.h"

enum { SURROGATES = 8, COMPILING_S = 20 };

/* Makes white noise, the same values for every series of a batch. */
static clpac_status make_noise(const clpac_plan *plan, float **values, const void ***channels, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	float *noise = clpac__alloc_array(p->n_samples, sizeof *noise);
	const size_t n_channels = clpac__problem_rows(p); /* as many as a batch may ask for */
	const void **pointers = clpac__alloc_array(n_channels, sizeof *pointers);
	if (!noise || !pointers)
		FAIL_NO_MEMORY(p->n_samples * sizeof *noise + n_channels * sizeof *pointers);
	uint32_t state = 1;
	for (size_t t = 0; t < p->n_samples; t++) {
		state = state * 1664525u + 1013904223u;
		noise[t] = (float)state * 0x1p-31f - 1.0f;
	}
	for (size_t channel = 0; channel < n_channels; channel++)
		pointers[channel] = noise;
	*values = noise;
	*channels = pointers;
	noise = NULL;
	pointers = NULL;
done:
	FREE_ALL(noise, pointers);
	return st;
}

/* The time that n series take to be loaded and filtered. */
static clpac_status time_filtering(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				   double *seconds, clpac_error *err)
{
	const double started = clpac__clock_seconds();
	RETURN_IF_ERROR(clpac__execute_filters(plan, batch, samples, n, err));
	RETURN_IF_ERROR(plan->context->queue->operations->finish(plan->context->queue, err));
	*seconds = clpac__clock_seconds() - started;
	return CLPAC_OK;
}

static clpac_status rehearse(const clpac_plan *plan, clpac__batch *batch, double *seconds, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *layout = &plan->layout;
	const size_t n = layout->batch < layout->n_series ? layout->batch : layout->n_series;
	float *noise = NULL;
	const void **channels = NULL;
	bool is_held = false;
	size_t *starts = clpac__alloc_array(plan->problem->n_segments, sizeof *starts); /* all 0 */
	if (!starts)
		FAIL_NO_MEMORY(plan->problem->n_segments * sizeof *starts);
	TRY(make_noise(plan, &noise, &channels, err));
	const clpac_samples samples = {.type = CLPAC_FLOAT32, .channels = channels, .segment_starts = starts};
	clpac__buffers_hold(batch->tensors, CLPAC__TENSOR_COUNT);
	is_held = true;
	double filtering = 0;
	if (plan->problem->pairs)
		TRY(time_filtering(plan, batch, &samples, n, &filtering, err));
	const double started = clpac__clock_seconds();
	TRY(clpac__execute_signals(plan, batch, &samples, n, err));
	const double middle = clpac__clock_seconds();
	double per_surrogate = 0;
	/* Windows of a long series have given the first chunk its sums, together with the unshifted index. */
	const size_t did = layout->n_spans > 1 && layout->passes_lists ? layout->chunk : 0;
	if (layout->n_surrogates > did) {
		const size_t left = layout->n_surrogates - did;
		size_t few = did || left < SURROGATES ? left : SURROGATES;
		few = few < layout->chunk ? few : layout->chunk;
		/* The shifts are ordered for a whole chunk, so the moments also read indices, within the chunk's
		 * buffer, that these few surrogates did not compute.  Nobody uses these moments. */
		for (size_t i = 0; i < layout->n_measures; i += layout->sharing)
			TRY(clpac__measures_surrogates(plan, batch, i, n, CLPAC__BY_EDGES, did, few, false, err));
		TRY(plan->context->queue->operations->finish(plan->context->queue, err));
		per_surrogate = (clpac__clock_seconds() - middle) / (double)few;
	}
	const size_t again = clpac__surrogates_are_kept(layout) ? 0 : layout->n_surrogates;
	/* Channels of pairs are filtered once, whatever the number of their pairs. */
	const size_t n_filtered = plan->problem->n_channels * plan->problem->n_segments;
	const double coupling = middle - started > filtering ? middle - started - filtering : 0;
	*seconds = (coupling + per_surrogate * ((double)layout->n_surrogates - (double)did + (double)again)) *
			   (double)layout->n_series / (double)n +
		   filtering * (double)n_filtered / (double)n;
done:
	if (st != CLPAC_OK) /* the plan's samples may still be read */
		plan->context->queue->operations->finish(plan->context->queue, NULL);
	if (is_held)
		clpac__buffers_let_go(batch->tensors, CLPAC__TENSOR_COUNT);
	FREE_ALL(noise, channels, starts);
	return st;
}

clpac_status clpac_plan_rehearse(clpac_plan *plan, double *seconds, clpac_error *err)
{
	NEED(plan, seconds);
	NEED_HERE(plan);
	clpac__batch *batch;
	RETURN_IF_ERROR(clpac__plan_enter(plan, &plan, &batch, err));
	const double started = clpac__clock_seconds();
	clpac_status st = rehearse(plan, batch, seconds, err);
	/* Drivers compile a kernel when it is first launched, as PoCL does, in up to some seconds for all of them: once
	 * more without that, unless a batch takes so long anyway that it does not count. */
	if (st == CLPAC_OK && plan->context->queue->device.kind != CLPAC_DEVICE_NATIVE &&
	    clpac__clock_seconds() - started < COMPILING_S)
		st = rehearse(plan, batch, seconds, err);
	clpac__plan_leave(plan, batch);
	return st;
}
