/* The bytes of a plan by use: of an existing plan, and of one that would be made. */
#include <clpac/estimate.h>
#include <clpac/memory/pool.h>

#include <stdio.h>

#include "base/memory.h"

#include <string.h>
#include "base/sized.h"
#include "coupling/run/making.h"
#include "coupling/run/place.h"
#include "coupling/problem/problem.h"
#include "coupling/run/separate_windows.h"

static const char *const use_text[] = {
	[CLPAC_USE_INPUT] = "input",	       [CLPAC_USE_FILTERS] = "filters", [CLPAC_USE_SPECTRUM] = "spectrum",
	[CLPAC_USE_BANDS] = "bands",	       [CLPAC_USE_EDGES] = "edges",	[CLPAC_USE_PREFIX_SUMS] = "prefix sums",
	[CLPAC_USE_SURROGATES] = "surrogates", [CLPAC_USE_INDICES] = "indices", [CLPAC_USE_FFT] = "FFT workspace",
};
_Static_assert(sizeof use_text / sizeof *use_text == CLPAC_USE_COUNT, "one text per use");
_Static_assert((int)CLPAC_USE_COUNT <= (int)CLPAC_USE_ROOM, "clpac_plan_bytes has room for every use");

const char *clpac_plan_use_text(clpac_plan_use use)
{
	return (unsigned)use < CLPAC_USE_COUNT ? use_text[use] : "unknown use";
}

static const clpac_plan_use use_of_tensor[] = {
#define TENSOR(name, text, use, ...) [CLPAC__TENSOR_##name] = CLPAC_USE_##use,
#define OWN_TENSOR TENSOR
#define CONSTANT_TENSOR TENSOR
#include "coupling/needs/needs.def"
};

static void add(clpac_bytes *to, uint64_t requested, uint64_t taken)
{
	to->n_buffers++;
	to->requested_bytes += requested;
	to->taken_bytes += taken;
}

void clpac_plan_measure(const clpac_plan *plan, clpac_plan_bytes *filled, size_t size)
{
	if (!filled)
		return;
	if (!plan) {
		memset(filled, 0, size);
		return;
	}
	clpac_plan_bytes own, *out = &own;
	plan = clpac__plan_now(plan);
	const clpac__layout *layout = &plan->layout;
	*out = (clpac_plan_bytes){
		.budget_bytes = plan->report.budget_bytes,
		.strategy = plan->search.found,
		.batch_series = layout->batch,
		.group_bands = layout->group_bands,
		.chunk_surrogates = layout->n_surrogates ? layout->chunk : 0,
		.n_steps = plan->report.n_steps,
		.has_made_transforms = plan->has_made_transforms,
	};
	snprintf(out->backend, sizeof out->backend, "%s", plan->context->queue->device.backend);
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++) {
		const uint64_t requested = layout->bytes[tensor];
		if (!clpac__has_own_buffer(layout, tensor))
			continue;
		const uint64_t taken = clpac_pool_class(plan->context->pool, (size_t)requested);
		add(&out->uses[use_of_tensor[clpac__tensor_kind((enum clpac__tensor)tensor)]], requested, taken);
		add(&out->total, requested, taken);
	}
	clpac__sized_give(filled, size, out, sizeof *out);
}

static clpac_status estimate(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options,
			     clpac_plan_bytes *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_plan *plan;
	TRY(NEW(plan));
	plan->process = clpac__process;
	plan->is_estimate = true;
	TRY(clpac__plan_ask(plan, problem, options, err));
	TRY(clpac__plan_settle(plan, context, err));
	clpac_plan_measure(plan, out, sizeof *out);
done:
	clpac_plan_destroy(plan);
	return st;
}

/* The largest phase band: their plans exist one after the other. */
static clpac_status estimate_tied(clpac_context *context, const clpac_problem *whole, const clpac_plan_options *options,
				  clpac_plan_bytes *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *part = NULL;
	clpac_plan_bytes largest = {0};
	for (size_t ph = 0; ph < whole->n_phase_bands; ph++) {
		clpac_plan_bytes bytes;
		TRY(clpac__problem_part(whole, ph, &part, err));
		if (!part)
			continue;
		TRY(estimate(context, clpac_problem_get(part), options, &bytes, err));
		if (bytes.total.taken_bytes > largest.total.taken_bytes)
			largest = bytes;
		clpac_problem_destroy(part);
		part = NULL;
	}
	*out = largest;
done:
	clpac_problem_destroy(part);
	return st;
}

/* The largest group of separate windows: their plans exist one after the other, too. */
static clpac_status estimate_separate(clpac_context *context, const clpac_problem *whole,
				      const clpac_plan_options *options, clpac_plan_bytes *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *part = NULL;
	clpac__frames frames = {0};
	clpac_plan_bytes largest = {0};
	TRY(clpac__frames_find(whole, &frames, err));
	for (size_t group = 0; group < frames.n_groups; group++) {
		clpac_plan_bytes bytes;
		TRY(clpac__frames_problem(whole, &frames, group, &part, err));
		TRY((whole->tied_amplitudes ? estimate_tied : estimate)(context, clpac_problem_get(part), options,
									&bytes, err));
		if (bytes.total.taken_bytes > largest.total.taken_bytes)
			largest = bytes;
		clpac_problem_destroy(part);
		part = NULL;
	}
	*out = largest;
done:
	clpac_problem_destroy(part);
	clpac__frames_clear(&frames);
	return st;
}

clpac_status clpac_estimate_plan(clpac_context *context, const clpac_problem *problem,
				 const clpac_plan_options *options, clpac_plan_bytes *out, size_t size,
				 clpac_error *err)
{
	NEED(context, problem, out);
	NEED_CONTEXT(context);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *whole = NULL;
	clpac_plan_bytes own;
	TRY(clpac_problem_complete(problem, &whole, err));
	if (clpac_problem_get(whole)->separate_windows)
		TRY(estimate_separate(context, clpac_problem_get(whole), options, &own, err));
	else if (clpac_problem_get(whole)->tied_amplitudes)
		TRY(estimate_tied(context, clpac_problem_get(whole), options, &own, err));
	else
		TRY(estimate(context, problem, options, &own, err));
	clpac__sized_give(out, size, &own, sizeof own);
done:
	clpac_problem_destroy(whole);
	return st;
}
