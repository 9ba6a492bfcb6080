/* Pool settings for the next job, from a trace or from statistics. */
#include <clpac/memory/trace.h>
#include <clpac/memory/pool.h>

#include <inttypes.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "memory/pool/blocks/size_class.h"

static const uint64_t mebibyte = 1 << 20;
enum { KEPT_BY_DEFAULT = 8, MOST_KEPT = 256 };

typedef struct demand {
	size_t largest_bytes; /* requested of this class */
	size_t class_bytes;
	size_t live, peak;
} demand;

/* Follows the number of live buffers of each class through the trace; class_of holds the class of each slot. */
static clpac_status follow(const clpac_trace *trace, unsigned classes_per_octave, demand *demands, unsigned *class_of,
			   clpac_advice *advice, clpac_error *err)
{
	uint64_t n_hits = 0;
	for (size_t i = 0; i < trace->n; i++) {
		const clpac_trace_event *event = &trace->events[i];
		if (event->slot >= trace->n_slots) {
			if (event->operation == CLPAC_TRACE_RELEASE && event->slot == SIZE_MAX)
				continue;
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "trace: event %zu has slot %zu of %zu", i, event->slot,
				     trace->n_slots);
		}
		if (event->operation == CLPAC_TRACE_RELEASE) {
			demand *released = &demands[class_of[event->slot]];
			released->live -= released->live > 0;
			continue;
		}
		if (event->outcome == CLPAC_TRACE_REFUSED)
			continue;
		size_t bytes = event->bytes <= SIZE_MAX ? (size_t)event->bytes : 0;
		size_t class_bytes = clpac_size_class(bytes, classes_per_octave);
		if (!class_bytes)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "trace: event %zu asks for %" PRIu64 " bytes, which have no size class", i,
				     event->bytes);
		unsigned index = clpac__size_class_index(class_bytes, classes_per_octave);
		demand *wanted = &demands[index];
		class_of[event->slot] = index;
		wanted->class_bytes = class_bytes;
		if (wanted->largest_bytes < bytes)
			wanted->largest_bytes = bytes;
		if (wanted->peak < ++wanted->live)
			wanted->peak = wanted->live;
		advice->n_allocated++;
		n_hits += event->outcome == CLPAC_TRACE_HIT;
	}
	if (advice->n_allocated)
		advice->hit_rate = (double)n_hits / (double)advice->n_allocated;
	return CLPAC_OK;
}

static uint64_t power_of_two(uint64_t at_least)
{
	uint64_t power = mebibyte;
	while (power < at_least && power < 64 * mebibyte)
		power *= 2;
	return power;
}

static uint64_t sum_or_most(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void advise_budget(clpac_advice *advice, uint64_t bytes)
{
	advice->budget_bytes = sum_or_most(sum_or_most(bytes, bytes / 8), 2 * advice->max_segment_bytes);
}

static void advise_sizes(const demand *demands, unsigned n_classes, clpac_advice *advice)
{
	uint64_t largest_of_several = 0, largest_peak = 0;
	for (unsigned i = 0; i < n_classes; i++) {
		const demand *seen = &demands[i];
		if (!seen->peak)
			continue;
		advice->bytes[advice->n] = seen->largest_bytes;
		advice->counts[advice->n++] = seen->peak;
		uint64_t all = seen->peak > UINT64_MAX / seen->class_bytes ? UINT64_MAX
									   : (uint64_t)seen->class_bytes * seen->peak;
		advice->warm_up_bytes = sum_or_most(advice->warm_up_bytes, all);
		if (seen->peak > 1 && seen->class_bytes > largest_of_several)
			largest_of_several = seen->class_bytes;
		if (seen->peak > largest_peak)
			largest_peak = seen->peak;
	}
	if (largest_peak > KEPT_BY_DEFAULT)
		advice->max_kept_per_class = largest_peak < UINT32_MAX ? (unsigned)largest_peak : UINT32_MAX;
	if (!advice->n)
		return;
	uint64_t by_size = power_of_two(largest_of_several > UINT64_MAX / 2 ? UINT64_MAX : 2 * largest_of_several);
	uint64_t by_sum = power_of_two(advice->warm_up_bytes / 4);
	advice->max_segment_bytes = by_size < by_sum ? by_size : by_sum;
	advise_budget(advice, advice->warm_up_bytes);
}

clpac_status clpac_advice_from_trace(const clpac_trace *trace, unsigned classes_per_octave, clpac_advice *out,
				     clpac_error *err)
{
	NEED(trace, out);
	clpac_status st = CLPAC_OK;
	clpac_advice advice = {0};
	demand *demands = NULL;
	unsigned *class_of = NULL, n_classes = 0;
	if (!classes_per_octave)
		classes_per_octave = CLPAC_DEFAULT_CLASSES_PER_OCTAVE;
	if (!clpac__classes_per_octave_is_good(classes_per_octave))
		FAIL(CLPAC_ERROR_ARGUMENT, "classes_per_octave is %u: it must be a power of two from 1 to %d",
		     classes_per_octave, CLPAC_MAX_CLASSES_PER_OCTAVE);
	n_classes = clpac__size_class_count(classes_per_octave);
	TRY(NEW_ARRAY(demands, n_classes));
	TRY(NEW_ARRAY(class_of, trace->n_slots));
	TRY(NEW_ARRAY(advice.bytes, n_classes));
	TRY(NEW_ARRAY(advice.counts, n_classes));
	TRY(follow(trace, classes_per_octave, demands, class_of, &advice, err));
	advise_sizes(demands, n_classes, &advice);
	*out = advice;
	advice = (clpac_advice){0};
done:
	clpac_advice_free(&advice);
	FREE_ALL(class_of, demands);
	return st;
}

void clpac_advice_from_statistics(const clpac_pool_statistics *given, clpac_advice *out)
{
	if (!out)
		return;
	if (!given) {
		*out = (clpac_advice){0};
		return;
	}
	clpac_pool_statistics own, *statistics = &own;
	if (clpac__take_sized(&own, given, clpac_pool_statistics, NULL) != CLPAC_OK) {
		*out = (clpac_advice){0};
		return;
	}
	clpac_advice advice = {.n_allocated = statistics->hits + statistics->misses, .hit_rate = statistics->hit_rate};
	/* Each miss made a block.  Blocks that are gone were given back, and most of them were then made again. */
	uint64_t n_there = statistics->active_buffers + statistics->pooled_buffers;
	uint64_t n_made = statistics->misses, times = 1;
	while (n_there && times < MOST_KEPT / KEPT_BY_DEFAULT && n_made / times > n_there)
		times *= 2;
	if (times > 1)
		advice.max_kept_per_class = KEPT_BY_DEFAULT * (unsigned)times;
	if (statistics->peak_allocated_bytes) {
		advice.max_segment_bytes = power_of_two(statistics->peak_allocated_bytes / 4);
		advise_budget(&advice, statistics->peak_allocated_bytes);
	}
	*out = advice;
}

void clpac_advice_free(clpac_advice *advice)
{
	if (!advice)
		return;
	FREE_ALL(advice->bytes, advice->counts);
	*advice = (clpac_advice){0};
}

clpac_status clpac_advice_text(const clpac_advice *advice, char **out, clpac_error *err)
{
	NEED(advice);
	NEED_AS(out, "text");
	clpac__text text = {0};
	clpac__text_add(&text, "%" PRIu64 " allocations seen, %d %% of them from the cache\n", advice->n_allocated,
			(int)(100 * advice->hit_rate + 0.5));
	clpac__text_add(&text, "budget: %" PRIu64 " bytes\n", advice->budget_bytes);
	clpac__text_add(&text, "largest segment: %" PRIu64 " bytes\n", advice->max_segment_bytes);
	if (advice->max_kept_per_class)
		clpac__text_add(&text, "cached blocks of a class: %u, without a warm-up\n", advice->max_kept_per_class);
	else
		clpac__text_add(&text, "cached blocks of a class: the default does\n");
	if (advice->n)
		clpac__text_add(&text, "warm-up: %" PRIu64 " bytes in %zu sizes\n", advice->warm_up_bytes, advice->n);
	else
		clpac__text_add(&text, "warm-up: sizes are not known; a trace tells them\n");
	for (size_t i = 0; i < advice->n; i++)
		clpac__text_add(&text, "  %zu x %zu bytes\n", advice->counts[i], advice->bytes[i]);
	return clpac__text_give(&text, "advice as text", out, err);
}
