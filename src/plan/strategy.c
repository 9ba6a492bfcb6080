/* The ladder from "all at once" to "one at a time". */
#include "plan/strategy.h"

#include <inttypes.h>

#include <clpac/memory.h>

static const char *const strategy_text[] = {
	[CLPAC_STRATEGY_AUTO] = "auto",
	[CLPAC_STRATEGY_VECTORIZED] = "vectorized",
	[CLPAC_STRATEGY_CHUNKED] = "chunked",
	[CLPAC_STRATEGY_SEQUENTIAL] = "sequential",
	[CLPAC_STRATEGY_CONSERVATIVE] = "conservative",
	[CLPAC_STRATEGY_AGGRESSIVE] = "aggressive",
};
_Static_assert(sizeof strategy_text / sizeof *strategy_text == CLPAC_STRATEGY_COUNT, "one text per strategy");

const char *clpac_strategy_text(clpac_strategy strategy)
{
	return (unsigned)strategy < CLPAC_STRATEGY_COUNT ? strategy_text[strategy] : "unknown strategy";
}

/* What is worth keeping in flight at once: on a CPU not much more than its caches hold, which leaves every thread several
 * rows; a GPU wants to be filled. */
static uint64_t useful_bytes(const clpac__queue *queue)
{
	const clpac_device_kind kind = queue->device.kind;
	const bool is_cpu = kind == CLPAC_DEVICE_NATIVE || kind == CLPAC_DEVICE_OPENCL_CPU;
	return is_cpu ? (uint64_t)32 << 20 : (uint64_t)1 << 30;
}

enum { SURROGATES_IN_A_CHUNK = 32 };

static bool fits(clpac__layout *layout, uint64_t budget, const clpac__queue *queue)
{
	clpac__layout_measure(layout, true);
	/* A driver's FFT may ask for working memory as large as its data; how much is known only once it is made. */
	const bool is_native = queue->device.kind == CLPAC_DEVICE_NATIVE;
	const uint64_t fft =
		is_native ? 0 : layout->bytes[CLPAC__PART_ANALYTIC] + layout->bytes[CLPAC__PART_HILBERT_ANALYTIC];
	/* The pool rounds every part up to a size class, and its budget counts those. */
	uint64_t taken = fft;
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		taken += layout->bytes[part] ? clpac_size_class(layout->bytes[part], 0) : 0;
	return taken <= budget;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The largest batch and group that are useful and fit, for the chunk that is set.  False when none does. */
static bool fill(clpac__layout *layout, uint64_t budget, size_t max_batch, const clpac__queue *queue)
{
	const size_t bands = layout->n_phase > layout->n_amplitude ? layout->n_phase : layout->n_amplitude;
	const uint64_t useful = useful_bytes(queue);
	layout->batch = max_batch ? smaller(max_batch, layout->n_series) : layout->n_series;
	layout->group_bands = bands;
	while (layout->batch > 1) {
		clpac__layout_measure(layout, true);
		const bool is_useful =
			max_batch || layout->bytes[CLPAC__PART_AMPLITUDE] + layout->bytes[CLPAC__PART_CHUNK] <= useful;
		layout->group_bands = 1;
		if (is_useful && fits(layout, budget, queue))
			break;
		layout->batch = (layout->batch + 1) / 2;
	}
	layout->group_bands = bands;
	while (layout->group_bands > 1) {
		clpac__layout_measure(layout, true);
		const bool is_useful = layout->bytes[CLPAC__PART_ANALYTIC] <= useful ||
				       layout->batch * layout->group_bands <= 2 * queue->n_threads;
		if (is_useful && fits(layout, budget, queue))
			break;
		layout->group_bands = (layout->group_bands + 1) / 2;
	}
	return fits(layout, budget, queue);
}

clpac_status clpac__strategy_decide(clpac_strategy wanted, uint64_t budget, size_t max_batch, const clpac__queue *queue,
				    clpac__layout *layout, clpac_strategy *used, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t all = layout->n_surrogates ? layout->n_surrogates : 1;
	/* Unless told to, one launch holds no more surrogates than are useful at once. */
	const uint64_t launch = (uint64_t)layout->n_phase * all * layout->padded * 4;
	const bool may_vectorize = wanted == CLPAC_STRATEGY_VECTORIZED ||
				   (wanted != CLPAC_STRATEGY_CHUNKED && wanted != CLPAC_STRATEGY_SEQUENTIAL &&
				    launch <= useful_bytes(queue));
	const bool may_chunk = wanted != CLPAC_STRATEGY_SEQUENTIAL;

	layout->chunk = all;
	*used = CLPAC_STRATEGY_VECTORIZED;
	if (may_vectorize && fill(layout, budget, max_batch, queue))
		goto done;
	*used = CLPAC_STRATEGY_CHUNKED;
	for (layout->chunk = smaller(all, SURROGATES_IN_A_CHUNK); may_chunk && layout->chunk > 1; layout->chunk /= 2)
		if (fill(layout, budget, max_batch, queue))
			goto done;
	*used = CLPAC_STRATEGY_SEQUENTIAL;
	layout->chunk = 1;
	layout->batch = 1;
	layout->group_bands = 1;
	if (!fits(layout, budget, queue))
		FAIL(CLPAC_ERROR_NO_DEVICE_MEMORY,
		     "one series of %zu samples with %zu + %zu bands needs %.1f MiB on %s, and %.1f MiB may be used: "
		     "give more "
		     "memory, shorter segments or fewer bands",
		     layout->n_samples, layout->n_phase, layout->n_amplitude,
		     (double)clpac__layout_total(layout) / 1048576, queue->device.name, (double)budget / 1048576);
done:
	return st;
}
