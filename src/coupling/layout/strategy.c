/* The search for a layout that fits, from "all at once" to "one at a time". */
#include "coupling/layout/strategy.h"

#include <clpac/memory/pool.h>

#include "coupling/layout/steps.h"
#include "coupling/layout/transform_shapes.h"
#include "base/memory.h"

const char *const clpac__strategy_words[] = {
	[CLPAC_STRATEGY_AUTO] = "auto",
	[CLPAC_STRATEGY_VECTORIZED] = "vectorized",
	[CLPAC_STRATEGY_CHUNKED] = "chunked",
	[CLPAC_STRATEGY_SEQUENTIAL] = "sequential",
	[CLPAC_STRATEGY_CONSERVATIVE] = "conservative",
	[CLPAC_STRATEGY_AGGRESSIVE] = "aggressive",
	[CLPAC_STRATEGY_COUNT] = NULL,
};
_Static_assert(sizeof clpac__strategy_words / sizeof *clpac__strategy_words == CLPAC_STRATEGY_COUNT + 1,
	       "one text per strategy");

const char *clpac_strategy_text(clpac_strategy strategy)
{
	return (unsigned)strategy < CLPAC_STRATEGY_COUNT ? clpac__strategy_words[strategy] : "unknown strategy";
}

static bool is_cpu(const clpac__queue *queue)
{
	return queue->device.kind == CLPAC_DEVICE_NATIVE || queue->device.kind == CLPAC_DEVICE_OPENCL_CPU;
}

/* Bytes worth computing at once: on a CPU little more than its caches hold, which still gives every thread several
 * rows; a GPU needs more to be busy. */
static uint64_t useful_bytes(const clpac__queue *queue)
{
	return is_cpu(queue) ? (uint64_t)32 << 20 : (uint64_t)1 << 30;
}

/* The same for analytic signals, which four kernels pass one after the other: twice the second-level caches of a few
 * cores.  Against 32 MiB the stage takes 0.9 of the time on native, while 1 and 8 MiB are no better; on PoCL the size
 * makes no difference. */
static uint64_t useful_analytic_bytes(const clpac__queue *queue)
{
	return is_cpu(queue) ? (uint64_t)4 << 20 : useful_bytes(queue);
}

/* The same for the indices of surrogates.  Those that transforms give, every shift or a linear measure, cost so little
 * that writing them and reading them twice, for moments and maxima, shows: on native, 30 x 30 bands with all 2047
 * shifts take 0.92 of the time for gcmi, and 0.92 to 1 for glm, one series at a time (8 MiB) instead of four. */
static uint64_t useful_index_bytes(const clpac__queue *queue, const clpac__layout *layout)
{
	const bool are_transformed = layout->is_all || layout->has_linear;
	return is_cpu(queue) && are_transformed ? (uint64_t)8 << 20 : useful_bytes(queue);
}

enum { SURROGATES_IN_A_CHUNK = 32 };

/* Whether a device takes the transforms of a layout in one command each. */
static bool takes_rows(const clpac__queue *queue, const clpac__layout *layout)
{
	return is_cpu(queue) || clpac__transforms_rows(layout) <= CLPAC__MOST_ROWS;
}

/* The surrogates of a launch at most: all, or as many as an item may pass one after the other, and as can be
 * counted. */
static size_t all_surrogates(const clpac__layout *layout)
{
	const size_t wanted = layout->n_surrogates ? layout->n_surrogates : 1;
	return clpac__larger(clpac__smaller(clpac__smaller(wanted, clpac__layout_countable_shifts(layout)),
					    clpac__steps_surrogates(layout)),
			     1);
}

uint64_t clpac__layout_taken(const clpac__layout *layout, const clpac_context *context)
{
	const uint64_t largest = context->queue->device.max_allocation_bytes;
	uint64_t taken = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++) {
		const uint64_t bytes = layout->bytes[tensor];
		if (!clpac__has_own_buffer(layout, tensor))
			continue;
		const size_t class_bytes =
			bytes > SIZE_MAX || (largest && bytes > largest) ? 0 : clpac_pool_class(context->pool, bytes);
		if (!class_bytes || taken > UINT64_MAX - class_bytes)
			return UINT64_MAX;
		taken += class_bytes;
	}
	return taken;
}

static uint64_t measure(clpac__layout *layout, const clpac_context *context, bool with_guess)
{
	bool is_exact;
	clpac__layout_measure(layout, true);
	layout->bytes[CLPAC__TENSOR_FFT] = clpac__transforms_workspace(context, layout, &is_exact);
	if (!is_exact && !with_guess)
		layout->bytes[CLPAC__TENSOR_FFT] = 0;
	return clpac__layout_taken(layout, context);
}

/* Finds how many variants to make at once, as many as are useful and fit.  Those that are read again by every chunk,
 * all segments of a channel, may take more than a cache. */
static void widen_variants(const clpac__search *search, clpac__layout *layout, uint64_t limit)
{
	const clpac_context *context = search->context;
	const bool is_kept = layout->null == CLPAC_NULL_TRIALS;
	const uint64_t useful = is_kept ? useful_bytes(context->queue) : useful_analytic_bytes(context->queue);
	layout->at_once = 1;
	if (!clpac__has_variants(layout))
		return;
	for (size_t at_once = is_kept ? layout->n_segments : layout->chunk; at_once > 1; at_once = (at_once + 1) / 2) {
		layout->at_once = at_once;
		const uint64_t taken = measure(layout, context, true);
		if (layout->bytes[CLPAC__TENSOR_VARIANTS] <= useful &&
		    layout->bytes[CLPAC__TENSOR_ANALYTIC] <= useful &&
		    layout->bytes[CLPAC__TENSOR_ENVELOPE_VECTORS] <= useful && taken <= limit &&
		    takes_rows(context->queue, layout))
			return;
		layout->at_once = 1;
	}
}

/* Joins both banks where the bands of both at once are useful and fit. */
static void join_banks(const clpac__search *search, clpac__layout *layout, uint64_t limit)
{
	const clpac_context *context = search->context;
	const size_t apart = layout->group_bands;
	if (!clpac__layout_may_join(layout))
		return;
	layout->group_bands = layout->n_phase + layout->n_amplitude;
	const uint64_t taken = measure(layout, context, true);
	if (layout->bytes[CLPAC__TENSOR_ANALYTIC] > useful_analytic_bytes(context->queue) || taken > limit ||
	    !takes_rows(context->queue, layout))
		layout->group_bands = apart;
}

/* Finds the largest batch, group and number of sections that are useful and fit, for the chunk already set.  False if
 * none does. */
static bool fill(const clpac__search *search, clpac__layout *layout, uint64_t limit, uint64_t *taken)
{
	const clpac_context *context = search->context;
	const size_t bands = layout->n_phase > layout->n_amplitude ? layout->n_phase : layout->n_amplitude;
	const uint64_t useful = useful_bytes(context->queue);
	const size_t sections =
		clpac__larger(layout->banks[CLPAC_PHASE].n_sections, layout->banks[CLPAC_AMPLITUDE].n_sections);
	layout->batch = search->max_batch ? clpac__smaller(search->max_batch, layout->n_series) : layout->n_series;
	layout->group_bands = layout->at_once = 1;
	clpac__layout_set_sections(layout, 1);
	while (layout->batch > 1) {
		*taken = measure(layout, context, true);
		const bool is_useful =
			search->max_batch ||
			(layout->bytes[CLPAC__TENSOR_AMPLITUDE] + layout->bytes[CLPAC__TENSOR_CHUNK] <= useful &&
			 layout->bytes[CLPAC__TENSOR_CHUNK] <= useful_index_bytes(context->queue, layout));
		if (is_useful && *taken <= limit && takes_rows(context->queue, layout))
			break;
		layout->batch = (layout->batch + 1) / 2;
	}
	layout->group_bands = bands;
	while (layout->group_bands > 1) {
		*taken = measure(layout, context, true);
		const bool is_useful = layout->bytes[CLPAC__TENSOR_ANALYTIC] <= useful_analytic_bytes(context->queue) ||
				       layout->batch * layout->group_bands <= 2 * context->queue->n_threads;
		if (is_useful && *taken <= limit && takes_rows(context->queue, layout))
			break;
		layout->group_bands = (layout->group_bands + 1) / 2;
	}
	for (size_t at_once = sections; at_once > 1; at_once = (at_once + 1) / 2) {
		clpac__layout_set_sections(layout, at_once);
		*taken = measure(layout, context, true);
		const bool is_useful = layout->bytes[CLPAC__TENSOR_ANALYTIC] <= useful_analytic_bytes(context->queue) ||
				       layout->batch * at_once <= context->queue->n_threads;
		if (is_useful && *taken <= limit && takes_rows(context->queue, layout))
			break;
		clpac__layout_set_sections(layout, 1);
	}
	widen_variants(search, layout, limit);
	join_banks(search, layout, limit);
	*taken = measure(layout, context, true);
	return *taken <= limit;
}

static bool may_vectorize(const clpac__search *search, const clpac__layout *layout)
{
	const clpac_strategy asked = search->asked;
	if (asked == CLPAC_STRATEGY_VECTORIZED || asked == CLPAC_STRATEGY_CHUNKED || asked == CLPAC_STRATEGY_SEQUENTIAL)
		return asked == CLPAC_STRATEGY_VECTORIZED;
	/* Every chunk would transform all shifts again. */
	if (layout->is_all)
		return true;
	/* Unless the caller asked for it, one launch computes no more surrogates than are useful at once. */
	const uint64_t launch = (uint64_t)layout->n_phase * all_surrogates(layout) * layout->padded * 4;
	return launch <= useful_bytes(search->context->queue);
}

/* Finds the largest layout of a strategy within a limit. */
static bool step_on(const clpac__search *search, clpac_strategy strategy, clpac__layout *layout, uint64_t limit,
		    uint64_t *taken)
{
	const size_t all = all_surrogates(layout);
	if (strategy == CLPAC_STRATEGY_VECTORIZED) {
		layout->chunk = all;
		return fill(search, layout, limit, taken);
	}
	const size_t most = layout->is_all ? (all + 1) / 2 : SURROGATES_IN_A_CHUNK;
	for (layout->chunk = clpac__smaller(all, most); strategy == CLPAC_STRATEGY_CHUNKED && layout->chunk > 1;
	     layout->chunk /= 2)
		if (fill(search, layout, limit, taken))
			return true;
	if (strategy != CLPAC_STRATEGY_SEQUENTIAL)
		return false;
	/* Nothing is smaller, so a workspace that is still unknown does not count against it. */
	*taken = clpac__search_least(search, strategy, layout);
	return *taken <= limit;
}

uint64_t clpac__search_least(const clpac__search *search, clpac_strategy strategy, clpac__layout *layout)
{
	layout->batch = 1;
	layout->group_bands = layout->at_once = 1;
	clpac__layout_set_sections(layout, 1);
	layout->chunk = strategy == CLPAC_STRATEGY_VECTORIZED ? all_surrogates(layout)
			: strategy == CLPAC_STRATEGY_CHUNKED  ? clpac__smaller(all_surrogates(layout), 2)
							      : 1;
	return measure(layout, search->context, strategy != CLPAC_STRATEGY_SEQUENTIAL);
}

void clpac__search_begin(clpac__search *search, const clpac_context *context, clpac_strategy asked, size_t max_batch,
			 uint64_t budget, const clpac__layout *layout)
{
	*search = (clpac__search){.context = context, .asked = asked, .max_batch = max_batch, .budget = budget};
	const bool may_chunk = asked != CLPAC_STRATEGY_SEQUENTIAL && all_surrogates(layout) > 1;
	search->wanted = may_vectorize(search, layout) ? CLPAC_STRATEGY_VECTORIZED
			 : may_chunk		       ? CLPAC_STRATEGY_CHUNKED
						       : CLPAC_STRATEGY_SEQUENTIAL;
}

void clpac__search_took(clpac__search *search, uint64_t taken)
{
	search->more = taken > search->bytes && taken < UINT64_MAX ? taken - search->bytes : 0;
}

/* The most that the layout after the latest one may take, in the same strategy. */
static uint64_t next_limit(clpac__search *search)
{
	const uint64_t quarter_less = search->bytes - (search->bytes + 3) / 4;
	const uint64_t allowed = search->budget > search->more ? search->budget - search->more : 0;
	const bool allows = search->more && !search->has_allowed;
	const uint64_t limit = !allows ? quarter_less : allowed < search->bytes ? allowed : search->bytes - 1;
	search->has_allowed = allows;
	return limit < search->budget ? limit : search->budget;
}

bool clpac__search_next(clpac__search *search, clpac__layout *layout)
{
	const bool is_first = search->found == CLPAC_STRATEGY_AUTO;
	uint64_t limit = search->budget, taken = 0;
	clpac_strategy strategy = is_first ? search->wanted : search->found;
	if (!is_first) {
		/* The last strategy has only one layout. */
		if (strategy != CLPAC_STRATEGY_SEQUENTIAL &&
		    step_on(search, strategy, layout, next_limit(search), &taken))
			goto found;
		search->has_allowed = false;
		strategy++;
		limit = search->bytes - 1 < limit ? search->bytes - 1 : limit;
	}
	for (; strategy <= CLPAC_STRATEGY_SEQUENTIAL; strategy++)
		if (step_on(search, strategy, layout, limit, &taken))
			goto found;
	return false;
found:
	search->found = strategy;
	search->bytes = taken;
	search->more = 0;
	return true;
}
