/* Runs that stay on the device.  Samples are centred there (cl/centre.cl), rows whose edge lists overflow are found
 * there, and the result is written there (cl/store.cl).  The shifts come from the host: the plan keeps them until the
 * device has read them.  Several measures take turns in the same buffers, each stored before the next (measures.h). */
#include "coupling/run/enqueue.h"

#include <math.h>

#include "base/memory.h"
#include "coupling/data/result.h"
#include "coupling/run/execute.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/load.h"
#include "coupling/run/measures.h"
#include "coupling/run/place.h"
#include "coupling/problem/problem.h"
#include "coupling/passes/fetch.h"
#include "coupling/passes/indices.h"
#include "coupling/passes/statistics.h"
#include "coupling/layout/steps.h"
#include "coupling/passes/variants.h"
#include "shared/maps.h"

#define IS_BIT_OF(bit, kind) _Static_assert((bit) == 1u << (kind), #bit " is what " #kind " says")
_Static_assert(CLPAC_MAP_MI == CLPAC_MI && CLPAC_MAP_Z == CLPAC_Z && CLPAC_MAP_P == CLPAC_P &&
		       CLPAC_MAP_MEAN == CLPAC_SURROGATE_MEAN && CLPAC_MAP_STD == CLPAC_SURROGATE_STD &&
		       CLPAC_MAP_PREFERRED_PHASE == CLPAC_PREFERRED_PHASE && CLPAC_MAP_MEAN_VECTOR == CLPAC_MEAN_VECTOR,
	       "kernels and results count the maps alike");
_Static_assert(CLPAC_TROUBLE_NONE == CLPAC__FINE && CLPAC_TROUBLE_NOT_FINITE == CLPAC__NOT_FINITE &&
		       CLPAC_TROUBLE_CONSTANT == CLPAC__CONSTANT && CLPAC_TROUBLE_FLAT == CLPAC__FLAT,
	       "kernels and plans count troubles alike");
IS_BIT_OF(CLPAC_BIT_PURE_LINE, CLPAC_WARN_PURE_LINE);
IS_BIT_OF(CLPAC_BIT_NOT_FINITE, CLPAC_WARN_NOT_FINITE);
IS_BIT_OF(CLPAC_BIT_CONSTANT, CLPAC_WARN_CONSTANT);
IS_BIT_OF(CLPAC_BIT_EMPTY_BINS, CLPAC_WARN_EMPTY_BINS);
IS_BIT_OF(CLPAC_BIT_NO_AMPLITUDE, CLPAC_WARN_NO_AMPLITUDE);
IS_BIT_OF(CLPAC_BIT_NO_DEVIATION, CLPAC_WARN_NO_DEVIATION);
IS_BIT_OF(CLPAC_BIT_FLAT, CLPAC_WARN_FLAT);

bool clpac__enqueued_samples(const clpac_plan *plan, const clpac__enqueued *run, size_t *n)
{
	const clpac_problem *p = plan->problem;
	size_t channels, segments, samples;
	return clpac__size_mul(p->n_channels - 1, run->channel_stride, &channels) &&
	       clpac__size_mul(p->n_segments - 1, run->segment_stride, &segments) &&
	       clpac__size_mul(p->n_samples - 1, run->sample_stride, &samples) &&
	       clpac__size_add(channels, segments, n) && clpac__size_add(*n, samples, n) && clpac__size_add(*n, 1, n);
}

bool clpac__is_made_on_the_host(clpac_array which)
{
	return (which >= CLPAC_Q_BH && which <= CLPAC_CLUSTER_MAXIMA) || which == CLPAC_BIN_COUNTS ||
	       (which >= CLPAC_EXCESS && which <= CLPAC_PHASE_NONUNIFORMITY);
}

bool clpac__is_of_no_measure(clpac_array which)
{
	return clpac__array_is_shared(which);
}

size_t clpac__enqueued_values(const clpac_plan *plan, size_t i, clpac_array which)
{
	clpac_result_shape shape;
	size_t dimensions[5], n = clpac__problem_arrays(plan->problem, &shape) >> which & 1u;
	if (clpac__is_made_on_the_host(which) || (i && clpac__array_is_shared(which)))
		return 0;
	const size_t n_dimensions = clpac_array_dimensions(&shape, which, dimensions);
	for (size_t d = 0; d < n_dimensions; d++)
		n *= dimensions[d];
	return n;
}

/* --- Shifts ----------------------------------------------------------------------------------- */

/* Shared shifts and shifts that the caller gave are the same for all series. */
static bool has_one_list(const clpac_plan *plan)
{
	return plan->problem->shifts || plan->problem->share_shifts || !plan->problem->n_surrogates;
}

/* Makes memory for what n series draw, `each` bytes for each. */
static clpac_status make_list(size_t n, size_t count, size_t each, void **out, clpac_error *err)
{
	size_t bytes;
	if (!clpac__size_mul(count, each, &bytes))
		RETURN_NO_MEMORY(SIZE_MAX);
	*out = clpac__alloc_array(n, bytes);
	if (!*out)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "the host has no memory left for the shifts of %zu series, %zu bytes each", n, bytes);
	return CLPAC_OK;
}

/* Draws the shifts, once, or the blocks.  They are the same in every run, so a later run need not wait until an earlier
 * one has read them. */
static clpac_status make_lists(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const size_t n = has_one_list(plan) ? l->batch : l->n_series, n_draws = clpac__variants_draws(l);
	void *lists = NULL, *draws = NULL;
	if (batch->lists)
		goto done;
	TRY(make_list(n, l->n_surrogates + 1, sizeof *batch->lists, &lists, err));
	TRY(clpac__set_shifts(plan, 0, n, lists, err));
	if (n_draws) {
		TRY(make_list(n, n_draws, sizeof *batch->draws, &draws, err));
		TRY(clpac__variants_draw(plan, batch, 0, n, draws, err));
	}
	batch->lists = lists;
	batch->draws = draws;
	lists = draws = NULL;
done:
	FREE_ALL(lists, draws);
	return st;
}

static clpac_status load_lists(const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n, clpac_error *err)
{
	const size_t each = plan->layout.n_surrogates + 1, n_draws = clpac__variants_draws(&plan->layout);
	const size_t from = has_one_list(plan) ? 0 : first;
	clpac__queue *queue = plan->context->queue;
	RETURN_IF_ERROR(queue->operations->write_later(queue, clpac__buffer_block(batch->tensors[CLPAC__TENSOR_SHIFTS]),
						       0, n * each * sizeof *batch->lists, batch->lists + from * each,
						       err));
	if (n_draws)
		RETURN_IF_ERROR(queue->operations->write_later(
			queue, clpac__buffer_block(batch->tensors[CLPAC__TENSOR_DRAWS]), 0,
			n * n_draws * sizeof *batch->draws, batch->draws + from * n_draws, err));
	return CLPAC_OK;
}

/* Stretches are centred, each by itself, and extended on the host.  Channels of pairs are kept in a store that grows
 * during a run. */
static clpac_status check_stretches(const clpac_plan *plan, clpac_error *err)
{
	if (plan->problem->pairs)
		return clpac__fail(err, CLPAC_ERROR_UNSUPPORTED,
				   "the problem has pairs, whose channels a run keeps in memory of its own: run the "
				   "plan with clpac_plan_run");
	if (!plan->problem->stretches)
		return CLPAC_OK;
	return clpac__fail(
		err, CLPAC_ERROR_UNSUPPORTED,
		"the problem has stretches, which are prepared on the host: run the plan with clpac_plan_run, "
		"or give each stretch a problem");
}

/* The amplitudes of other segments, and of random phases, come from samples that the host must see. */
static clpac_status check_null(const clpac_plan *plan, clpac_error *err)
{
	const clpac_null null = plan->layout.null;
	if (null != CLPAC_NULL_TRIALS && null != CLPAC_NULL_PHASES)
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_UNSUPPORTED,
			   "null is %s, whose surrogates are made from samples on the host: run the plan with "
			   "clpac_plan_run, or take CLPAC_NULL_SHIFTS, CLPAC_NULL_ALL_SHIFTS or CLPAC_NULL_BLOCKS",
			   null == CLPAC_NULL_TRIALS ? "CLPAC_NULL_TRIALS" : "CLPAC_NULL_PHASES");
}

/* --- In --------------------------------------------------------------------------------------- */

/* Centres the samples of a batch.  Partial results lie in the extended-series and spectrum buffers, which are large
 * enough (needs/filter_banks.def). */
static clpac_status load_samples(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run, size_t first,
				 size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	clpac_buffer *tiles = tensor[CLPAC__TENSOR_EXTENDED], *means = tensor[CLPAC__TENSOR_SPECTRUM];
	const size_t n_tiles = (l->n_samples + l->tile - 1) / l->tile, n_segments = plan->problem->n_segments;
	RETURN_IF_ERROR(LAUNCH(
		plan->context, sample_ranges, 0, ITEMS(n_tiles, n, 1), .samples = run->samples.block,
		.ranges = BLOCK(tiles), .place = NUMBER(run->samples.at), .sample_stride = NUMBER(run->sample_stride),
		.segment_stride = NUMBER(run->segment_stride), .channel_stride = NUMBER(run->channel_stride),
		.n_segments = NUMBER(n_segments), .first = NUMBER(first), .n_samples = NUMBER(l->n_samples),
		.tile = NUMBER(l->tile), .n_tiles = NUMBER(n_tiles)));
	RETURN_IF_ERROR(LAUNCH(plan->context, sample_facts, 0, ITEMS(n, 1, 1), .ranges = BLOCK(tiles),
			       .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .n_samples = NUMBER(l->n_samples),
			       .tile = NUMBER(l->tile), .n_tiles = NUMBER(n_tiles),
			       .least = NUMBER(clpac__smaller(plan->flat.least, UINT32_MAX)),
			       .chance = REAL(clpac__flat_chance)));
	RETURN_IF_ERROR(LAUNCH(
		plan->context, sample_sums, 0, ITEMS(n_tiles, n, 1), .samples = run->samples.block,
		.facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .sums = BLOCK(tiles), .place = NUMBER(run->samples.at),
		.sample_stride = NUMBER(run->sample_stride), .segment_stride = NUMBER(run->segment_stride),
		.channel_stride = NUMBER(run->channel_stride), .n_segments = NUMBER(n_segments), .first = NUMBER(first),
		.n_samples = NUMBER(l->n_samples), .tile = NUMBER(l->tile), .n_tiles = NUMBER(n_tiles)));
	RETURN_IF_ERROR(LAUNCH(plan->context, sample_means, 0, ITEMS(n, 1, 1), .sums = BLOCK(tiles),
			       .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .means = BLOCK(means),
			       .n_samples = NUMBER(l->n_samples), .n_tiles = NUMBER(n_tiles)));
	return LAUNCH(plan->context, centre, 0, ITEMS(l->n_samples, n, 1), .samples = run->samples.block,
		      .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .means = BLOCK(means),
		      .centred = BLOCK(tensor[CLPAC__TENSOR_SAMPLES]), .place = NUMBER(run->samples.at),
		      .sample_stride = NUMBER(run->sample_stride), .segment_stride = NUMBER(run->segment_stride),
		      .channel_stride = NUMBER(run->channel_stride), .n_segments = NUMBER(n_segments),
		      .first = NUMBER(first), .n_samples = NUMBER(l->n_samples));
}

/* --- Out -------------------------------------------------------------------------------------- */

/* Whether indices of measure number i are in the unit of the samples. */
static bool has_unit(const clpac_plan *plan, size_t i)
{
	return clpac__measure_has_unit(plan->problem->measures[i]);
}

/* A tensor of plans with surrogates, or without them another buffer: a kernel does not read it then, but its argument
 * must be a buffer. */
static clpac_buffer *of_surrogates(const clpac_plan *plan, clpac__batch *batch, enum clpac__tensor tensor)
{
	return batch->tensors[plan->layout.n_surrogates ? tensor : CLPAC__TENSOR_OBSERVED];
}

static clpac_status store_maps(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run, size_t measure,
			       size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	static const clpac_array maps[] = {CLPAC_MI, CLPAC_Z, CLPAC_P, CLPAC_SURROGATE_MEAN, CLPAC_SURROGATE_STD};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		const clpac__place out = run->arrays[measure][maps[i]];
		if (out.block)
			RETURN_IF_ERROR(LAUNCH(
				plan->context, store_map, 0, ITEMS(l->n_amplitude, l->n_phase, n),
				.observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
				.moments = BLOCK(of_surrogates(plan, batch, CLPAC__TENSOR_MOMENTS)),
				.facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = out.block, .place = NUMBER(out.at),
				.first = NUMBER(first), .which = NUMBER(maps[i]), .n_phase = NUMBER(l->n_phase),
				.n_amplitude = NUMBER(l->n_amplitude), .padded = NUMBER(l->padded),
				.n_surrogates = NUMBER(l->n_surrogates), .ddof = NUMBER(plan->problem->ddof),
				.has_unit = NUMBER(has_unit(plan, measure))));
	}
	return CLPAC_OK;
}

static clpac_status store_maxima(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run,
				 size_t measure, size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	const clpac__place *arrays = run->arrays[measure];
	const clpac__place maxima = arrays[CLPAC_MAXIMA], p_max = arrays[CLPAC_P_MAX],
			   standardized = arrays[CLPAC_STANDARDIZED];
	if (maxima.block)
		RETURN_IF_ERROR(LAUNCH(plan->context, store_maxima, 0, ITEMS(l->n_surrogates, n, 1),
				       .maxima = BLOCK(tensor[CLPAC__TENSOR_MAXIMA]),
				       .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = maxima.block,
				       .place = NUMBER(maxima.at), .first = NUMBER(first),
				       .n_surrogates = NUMBER(l->n_surrogates)));
	if (standardized.block)
		RETURN_IF_ERROR(LAUNCH(plan->context, store_standardized, 0, ITEMS(l->n_amplitude, l->n_phase, n),
				       .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
				       .moments = BLOCK(tensor[CLPAC__TENSOR_MOMENTS]),
				       .variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]),
				       .spreads = BLOCK(tensor[CLPAC__TENSOR_SPREADS]),
				       .widenings = BLOCK(tensor[CLPAC__TENSOR_WIDENINGS]),
				       .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = standardized.block,
				       .place = NUMBER(standardized.at), .first = NUMBER(first),
				       .n_phase = NUMBER(l->n_phase), .n_amplitude = NUMBER(l->n_amplitude),
				       .padded = NUMBER(l->padded), .n_surrogates = NUMBER(l->n_surrogates)));
	if (p_max.block)
		RETURN_IF_ERROR(LAUNCH(plan->context, store_p_max, 0, ITEMS(l->n_amplitude, l->n_phase, n),
				       .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
				       .moments = BLOCK(tensor[CLPAC__TENSOR_MOMENTS]),
				       .variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]),
				       .spreads = BLOCK(tensor[CLPAC__TENSOR_SPREADS]),
				       .widenings = BLOCK(tensor[CLPAC__TENSOR_WIDENINGS]),
				       .maxima = BLOCK(tensor[CLPAC__TENSOR_MAXIMA]),
				       .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = p_max.block,
				       .place = NUMBER(p_max.at), .first = NUMBER(first), .n_phase = NUMBER(l->n_phase),
				       .n_amplitude = NUMBER(l->n_amplitude), .padded = NUMBER(l->padded),
				       .n_surrogates = NUMBER(l->n_surrogates)));
	return CLPAC_OK;
}

/* The degrees of freedom that z takes off where cells may be clear by it; elsewhere all of them, so that none is. */
static size_t ddof_of_clear(const clpac_plan *plan)
{
	const size_t n = plan->layout.n_surrogates;
	return clpac__surrogates_make_clear(n) ? plan->problem->ddof : n;
}

static clpac_status store_distributions(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run,
					size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	const clpac__place *arrays = run->arrays[0];
	const clpac__place all = arrays[CLPAC_DISTRIBUTION], peak = arrays[CLPAC_PEAK_DISTRIBUTION];
	if (all.block)
		RETURN_IF_ERROR(LAUNCH(plan->context, store_distribution, 0, ITEMS(l->n_amplitude, l->n_phase, n),
				       .means = BLOCK(tensor[CLPAC__TENSOR_DISTRIBUTION]),
				       .facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = all.block,
				       .place = NUMBER(all.at), .first = NUMBER(first), .n_phase = NUMBER(l->n_phase),
				       .n_amplitude = NUMBER(l->n_amplitude), .padded = NUMBER(l->padded),
				       .n_bins = NUMBER(l->n_bins)));
	for (int which = CLPAC_PREFERRED_PHASE; which <= CLPAC_MEAN_VECTOR; which++) {
		const clpac__place out = arrays[which];
		const double half = 3.14159265358979323846 / (double)l->n_bins;
		if (out.block)
			RETURN_IF_ERROR(LAUNCH(
				plan->context, store_preferred_phase, 0, ITEMS(l->n_amplitude, l->n_phase, n),
				.means = BLOCK(tensor[CLPAC__TENSOR_DISTRIBUTION]),
				.facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = out.block, .place = NUMBER(out.at),
				.first = NUMBER(first), .which = NUMBER(which), .n_phase = NUMBER(l->n_phase),
				.n_amplitude = NUMBER(l->n_amplitude), .padded = NUMBER(l->padded),
				.n_bins = NUMBER(l->n_bins), .cosine = REAL(cos(half)), .sine = REAL(sin(half))));
	}
	if (peak.block)
		RETURN_IF_ERROR(LAUNCH(
			plan->context, store_peak, 0, ITEMS(n, 1, 1), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
			.moments = BLOCK(of_surrogates(plan, batch, CLPAC__TENSOR_MOMENTS)),
			.variances = BLOCK(of_surrogates(plan, batch, CLPAC__TENSOR_VARIANCES)),
			.spreads = BLOCK(of_surrogates(plan, batch, CLPAC__TENSOR_SPREADS)),
			.widenings = BLOCK(of_surrogates(plan, batch, CLPAC__TENSOR_WIDENINGS)),
			.means = BLOCK(tensor[CLPAC__TENSOR_DISTRIBUTION]), .valid = BLOCK(tensor[CLPAC__TENSOR_VALID]),
			.facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = peak.block, .place = NUMBER(peak.at),
			.first = NUMBER(first), .n_phase = NUMBER(l->n_phase), .n_amplitude = NUMBER(l->n_amplitude),
			.padded = NUMBER(l->padded), .n_bins = NUMBER(l->n_bins),
			.n_surrogates = NUMBER(l->n_surrogates), .ddof = NUMBER(ddof_of_clear(plan))));
	return CLPAC_OK;
}

/* Every measure adds its warnings to those of the measures before. */
static clpac_status store_warnings(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run,
				   size_t measure, size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	if (run->warnings.block)
		RETURN_IF_ERROR(LAUNCH(
			plan->context, store_warnings, 0, ITEMS(n, 1, 1),
			.observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
			.moments = BLOCK(of_surrogates(plan, batch, CLPAC__TENSOR_MOMENTS)),
			.counts = BLOCK(tensor[CLPAC__TENSOR_COUNTS]), .jitter = BLOCK(tensor[CLPAC__TENSOR_JITTER]),
			.facts = BLOCK(tensor[CLPAC__TENSOR_FACTS]), .out = run->warnings.block,
			.place = NUMBER(run->warnings.at), .first = NUMBER(first), .n_phase = NUMBER(l->n_phase),
			.n_amplitude = NUMBER(l->n_amplitude), .padded = NUMBER(l->padded), .n_bins = NUMBER(l->n_bins),
			.n_surrogates = NUMBER(l->n_surrogates), .ddof = NUMBER(plan->problem->ddof),
			.is_further = NUMBER(measure > 0),
			.line_jitter = REAL(clpac__lines_matter(l) ? clpac__line_jitter : 0)));
	return CLPAC_OK;
}

static clpac_status surrogates(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run, size_t measure,
			       size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__place out = run->arrays[measure][CLPAC_SURROGATES];
	for (size_t k = 0; k < l->n_surrogates; k += l->chunk) {
		const size_t n_shifts = l->n_surrogates - k < l->chunk ? l->n_surrogates - k : l->chunk;
		const bool with_observed =
			k == 0 && clpac__observes_with_surrogates(l, plan->problem->measures[measure]);
		RETURN_IF_ERROR(clpac__measures_surrogates(plan, batch, measure, n, CLPAC__AS_FITS, k, n_shifts,
							   with_observed, err));
		if (out.block)
			RETURN_IF_ERROR(LAUNCH(plan->context, store_surrogates, 0, ITEMS(l->n_amplitude, n_shifts, n),
					       .chunk = BLOCK(batch->tensors[CLPAC__TENSOR_CHUNK]),
					       .shifts = BLOCK(batch->tensors[CLPAC__TENSOR_SHIFTS]),
					       .facts = BLOCK(batch->tensors[CLPAC__TENSOR_FACTS]), .out = out.block,
					       .place = NUMBER(out.at), .first = NUMBER(first),
					       .n_phase = NUMBER(l->n_phase), .n_amplitude = NUMBER(l->n_amplitude),
					       .padded = NUMBER(l->padded), .n_surrogates = NUMBER(l->n_surrogates),
					       .n_done = NUMBER(k), .n_shifts = NUMBER(n_shifts),
					       .has_unit = NUMBER(has_unit(plan, measure))));
	}
	for (size_t k = 0; k < l->n_surrogates; k += l->chunk) {
		const size_t n_shifts = l->n_surrogates - k < l->chunk ? l->n_surrogates - k : l->chunk;
		if (!clpac__surrogates_are_kept(l))
			RETURN_IF_ERROR(clpac__indices(plan, batch, plan->problem->measures[measure], n, CLPAC__AS_FITS,
						       1 + k, n_shifts, batch->tensors[CLPAC__TENSOR_CHUNK], err));
		RETURN_IF_ERROR(clpac__statistics_maxima(plan, batch, n, k, n_shifts, err));
	}
	return CLPAC_OK;
}

/* The measure number i of a batch whose bins and amplitudes are there, with the first measure the distributions. */
static clpac_status one_measure(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run, size_t i,
				size_t first, size_t n, clpac_error *err)
{
	const clpac_measure measure = plan->problem->measures[i];
	const bool comes_later = clpac__observes_with_surrogates(&plan->layout, measure);
	if (!comes_later && i)
		RETURN_IF_ERROR(clpac__indices(plan, batch, measure, n, CLPAC__AS_FITS, 0, 1,
					       batch->tensors[CLPAC__TENSOR_OBSERVED], err));
	else if (!comes_later)
		RETURN_IF_ERROR(clpac__indices_observed(plan, batch, measure, n, CLPAC__AS_FITS, err));
	RETURN_IF_ERROR(surrogates(plan, batch, run, i, first, n, err));
	RETURN_IF_ERROR(store_maps(plan, batch, run, i, first, n, err));
	RETURN_IF_ERROR(store_maxima(plan, batch, run, i, first, n, err));
	if (!i)
		RETURN_IF_ERROR(store_distributions(plan, batch, run, first, n, err));
	return store_warnings(plan, batch, run, i, first, n, err);
}

static clpac_status enqueue(const clpac_plan *plan, clpac__batch *batch, const clpac__enqueued *run, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool is_held = false;
	const clpac__layout *l = &plan->layout;
	TRY(check_stretches(plan, err));
	TRY(check_null(plan, err));
	TRY(clpac__steps_check(l, true, plan->context->queue->device.name, err));
	TRY(make_lists(plan, batch, err));
	/* A move later on comes after these commands: it copies in the same queue. */
	clpac__buffers_hold(batch->tensors, CLPAC__TENSOR_COUNT);
	is_held = true;
	for (size_t first = 0; first < l->n_series; first += l->batch) {
		const size_t n = l->n_series - first < l->batch ? l->n_series - first : l->batch;
		TRY(clpac__pass_begins(plan, batch, CLPAC__TIME_LOAD, err));
		TRY(load_lists(plan, batch, first, n, err));
		TRY(load_samples(plan, batch, run, first, n, err));
		TRY(clpac__execute_sums(plan, batch, n, err));
		TRY(clpac__pass_begins(plan, batch, CLPAC__TIME_INDICES, err));
		for (size_t i = 0; i < plan->problem->n_measures; i++)
			TRY(one_measure(plan, batch, run, i, first, n, err));
	}
done:
	if (is_held)
		clpac__buffers_let_go(batch->tensors, CLPAC__TENSOR_COUNT);
	return st;
}

clpac_status clpac__plan_enqueue(clpac_plan *plan, const clpac__enqueued *run, clpac_error *err)
{
	clpac__batch *batch;
	RETURN_IF_ERROR(clpac__plan_enter(plan, &plan, &batch, err));
	const clpac_status st = enqueue(plan, batch, run, err);
	clpac__plan_leave(plan, batch);
	return st;
}
