/* Amplitudes that take the place of the recorded one, some at a time, and their indices.
 *
 * Rearranged time blocks come from the prefix sums that are there.  Other segments, and series with random phases, are
 * filtered like the batch itself, by the same stages: meanwhile the slots' buffers stand in the place of the batch's.
 */
#include "coupling/passes/variants.h"

#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/passes/filter_banks.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/linear_variants.h"
#include "coupling/passes/load.h"
#include "coupling/problem/problem.h"
#include "coupling/passes/slabs.h"
#include "shared/maps.h"
#include "coupling/signal/draws.h"

/* --- Memory ------------------------------------------------------------------------------------- */

size_t clpac__variants_draws(const clpac__layout *layout)
{
	return layout->null == CLPAC_NULL_BLOCKS   ? 2 * layout->n_surrogates * layout->n_blocks
	       : layout->null == CLPAC_NULL_TRIALS ? layout->n_surrogates
						   : 0;
}

/* The scale of a slot holds for sums over any samples, so that it is the same for each series whose phases meet it. */
static clpac_status write_largest(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = clpac__layout_slots(&plan->layout) * plan->layout.n_phase;
	uint32_t *largest;
	TRY(NEW_ARRAY(largest, n));
	for (size_t i = 0; i < n; i++)
		largest[i] = (uint32_t)plan->layout.kept;
	TRY(clpac_buffer_write(batch->tensors[CLPAC__TENSOR_VARIANT_LARGEST], 0, n * sizeof *largest, largest, err));
done:
	clpac__free(largest);
	return st;
}

clpac_status clpac__variants_prepare(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac__variants *variants = &batch->variants;
	const size_t n_draws = clpac__variants_draws(l), n_values = 2 * (l->n_samples / 2 + 1);
	if (!clpac__has_variants(l))
		return CLPAC_OK;
	/* No kernel writes the lanes beyond the last band; they must read as zero. */
	RETURN_IF_ERROR(
		clpac_buffer_fill(batch->tensors[CLPAC__TENSOR_VARIANTS], 0, l->bytes[CLPAC__TENSOR_VARIANTS], 0, err));
	if (l->bytes[CLPAC__TENSOR_SCORED_MATRICES])
		RETURN_IF_ERROR(clpac_buffer_fill(batch->tensors[CLPAC__TENSOR_SCORED_MATRICES], 0,
						  l->bytes[CLPAC__TENSOR_SCORED_MATRICES], 0, err));
	if (l->null != CLPAC_NULL_BLOCKS)
		RETURN_IF_ERROR(write_largest(plan, batch, err));
	if (n_draws && !(variants->draws = clpac__alloc_array(l->batch * n_draws, sizeof *variants->draws)))
		RETURN_NO_MEMORY(l->batch * n_draws * sizeof *variants->draws);
	if (l->bytes[CLPAC__TENSOR_VARIANT_EXPONENTS] &&
	    !(variants->exponents = clpac__alloc_array(l->at_once, sizeof *variants->exponents)))
		RETURN_NO_MEMORY(l->at_once * sizeof *variants->exponents);
	if (l->null != CLPAC_NULL_PHASES)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(variants->spectra, l->batch * n_values));
	RETURN_IF_ERROR(NEW_ARRAY(variants->series, l->n_samples));
	return clpac__random_phases_create(l->n_samples, &variants->phases, err);
}

void clpac__variants_dismiss(clpac__batch *batch)
{
	clpac__variants *variants = &batch->variants;
	FREE_ALL(variants->draws, variants->spectra, variants->series, variants->exponents);
	clpac__random_phases_destroy(variants->phases);
	*variants = (clpac__variants){0};
}

/* --- Draws -------------------------------------------------------------------------------------- */

static void draw_blocks(const clpac_plan *plan, size_t series, uint32_t *draws)
{
	const clpac__layout *l = &plan->layout;
	const clpac_problem *p = plan->problem;
	const bool are_shifted = clpac__problem_shifts_windows(p), are_permuted = clpac__problem_permutes_windows(p);
	const uint32_t n_windows = (uint32_t)p->n_windows, n_blocks = (uint32_t)l->n_blocks;
	uint32_t channel, segment;
	clpac__draw_numbers(p, series, &channel, &segment);
	for (size_t k = 0; k < l->n_surrogates; k++) {
		clpac__time_block *blocks = (clpac__time_block *)draws + k * n_blocks;
		if (are_shifted)
			clpac__draw_window_shifts(p->seed, channel, segment, (uint32_t)k, p->windows, n_windows,
						  (uint32_t)p->min_shift, blocks);
		else if (are_permuted)
			clpac__draw_window_order(p->seed, channel, segment, (uint32_t)k,
						 (uint32_t)p->windows[0].n_samples, n_windows, blocks);
		else
			clpac__draw_blocks(p->seed, channel, segment, (uint32_t)k, (uint32_t)l->kept, n_blocks, blocks);
	}
}
_Static_assert(sizeof(clpac__time_block) == 2 * sizeof(uint32_t), "a block is two numbers of a device");

/* The segment whose amplitude a segment takes.  Segments that cannot be used drop out of the cycles of a permutation;
 * what is left is as random a permutation of the others. */
static uint32_t taken_by(const uint32_t *order, const uint8_t *troubles, uint32_t segment)
{
	uint32_t taken = order[segment];
	while (taken != segment && troubles[taken] != CLPAC__FINE)
		taken = order[taken];
	return taken == segment ? CLPAC_OWN_SEGMENT : taken;
}

/* Permutations of a channel, for n of its segments from `first` on. */
static clpac_status draw_orders(const clpac_plan *plan, clpac__batch *batch, size_t channel, size_t first, size_t n,
				uint32_t *draws, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const size_t n_surrogates = plan->layout.n_surrogates;
	const uint8_t *troubles = batch->troubles + channel * p->n_segments;
	uint32_t number, unused, *order = clpac__alloc_array(p->n_segments, sizeof *order);
	if (!order)
		FAIL_NO_MEMORY(p->n_segments * sizeof *order);
	clpac__draw_numbers(p, channel * p->n_segments, &number, &unused);
	for (size_t k = 0; k < n_surrogates; k++) {
		TRY(clpac__draw_order(p->seed, number, p->segment_numbers, p->n_segments, (uint32_t)k, order, err));
		for (size_t i = 0; i < n; i++)
			draws[i * n_surrogates + k] = taken_by(order, troubles, (uint32_t)(first + i));
	}
done:
	clpac__free(order);
	return st;
}

/* The series of a batch that belong to one channel. */
typedef struct channel_part {
	size_t channel, segment, at, n; /* its first series: segment, number in the batch */
} channel_part;

static channel_part part_at(const clpac_plan *plan, size_t first, size_t at, size_t n)
{
	const size_t n_segments = plan->problem->n_segments, series = first + at;
	const size_t channel = series / n_segments, segment = series % n_segments;
	return (channel_part){channel, segment, at, clpac__smaller(n - at, n_segments - segment)};
}

clpac_status clpac__variants_draw(const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n, uint32_t *draws,
				  clpac_error *err)
{
	const size_t each = clpac__variants_draws(&plan->layout);
	if (plan->layout.null == CLPAC_NULL_BLOCKS)
		for (size_t i = 0; i < n; i++)
			draw_blocks(plan, first + i, draws + i * each);
	for (size_t at = 0; plan->layout.null == CLPAC_NULL_TRIALS && at < n;) {
		const channel_part part = part_at(plan, first, at, n);
		RETURN_IF_ERROR(draw_orders(plan, batch, part.channel, part.segment, part.n, draws + at * each, err));
		at += part.n;
	}
	return CLPAC_OK;
}

clpac_status clpac__variants_begin(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples,
				   size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac__variants *variants = &batch->variants;
	const size_t each = clpac__variants_draws(l), n_segments = plan->problem->n_segments;
	variants->samples = samples;
	variants->first = first;
	variants->n_held = 0;
	variants->has_spectra = false;
	if (l->null == CLPAC_NULL_TRIALS)
		for (size_t series = first / n_segments * n_segments; series < first + n || series % n_segments;
		     series++)
			RETURN_IF_ERROR(clpac__find_trouble(plan, batch, samples, series, err));
	if (variants->exponents)
		RETURN_IF_ERROR(clpac_buffer_write(batch->tensors[CLPAC__TENSOR_EXPONENTS], 0,
						   n * sizeof *batch->exponents, batch->exponents, err));
	if (!each)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__variants_draw(plan, batch, first, n, variants->draws, err));
	return clpac_buffer_write(batch->tensors[CLPAC__TENSOR_DRAWS], 0, n * each * sizeof *variants->draws,
				  variants->draws, err);
}

/* --- Amplitudes --------------------------------------------------------------------------------- */

static void exchange(clpac__batch *batch)
{
	static const enum clpac__tensor pairs[][2] = {
		{CLPAC__TENSOR_AMPLITUDE, CLPAC__TENSOR_VARIANTS},
		{CLPAC__TENSOR_LEVEL, CLPAC__TENSOR_VARIANT_LEVEL},
		{CLPAC__TENSOR_TOTALS, CLPAC__TENSOR_VARIANT_TOTALS},
		{CLPAC__TENSOR_LARGEST, CLPAC__TENSOR_VARIANT_LARGEST},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		clpac_buffer *moved = batch->tensors[pairs[i][0]];
		batch->tensors[pairs[i][0]] = batch->tensors[pairs[i][1]];
		batch->tensors[pairs[i][1]] = moved;
	}
}

/* Makes the slots of n series whose samples are in the samples' buffer. */
static clpac_status filter_slots(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	exchange(batch);
	TRY(clpac__banks_amplitudes(plan, batch, n, 0, l->is_trimmed ? l->n_samples : l->kept, 0, err));
	TRY(clpac__slabs_prefix(plan, batch, n, err));
done:
	exchange(batch);
	return st;
}

static clpac_status rearrange(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k, size_t n_taken,
			      clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(
		LAUNCH(plan->context, block_offsets, 0, ITEMS(l->groups, n_taken, n),
		       .prefix = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .totals = BLOCK(tensor[CLPAC__TENSOR_TOTALS]),
		       .blocks = BLOCK(tensor[CLPAC__TENSOR_DRAWS]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
		       .offsets = BLOCK(tensor[CLPAC__TENSOR_VARIANT_OFFSETS]),
		       .own_totals = BLOCK(tensor[CLPAC__TENSOR_VARIANT_TOTALS]),
		       .own_level = BLOCK(tensor[CLPAC__TENSOR_VARIANT_LEVEL]), .n_samples = NUMBER(l->kept),
		       .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		       .first_surrogate = NUMBER(k), .n_surrogates = NUMBER(l->n_surrogates),
		       .n_taken = NUMBER(n_taken), .n_blocks = NUMBER(l->n_blocks)));
	return LAUNCH(plan->context, rearranged_sums, 0, ITEMS(l->groups, l->n_tiles, n * n_taken),
		      .prefix = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .totals = BLOCK(tensor[CLPAC__TENSOR_TOTALS]),
		      .blocks = BLOCK(tensor[CLPAC__TENSOR_DRAWS]),
		      .offsets = BLOCK(tensor[CLPAC__TENSOR_VARIANT_OFFSETS]),
		      .variants = BLOCK(tensor[CLPAC__TENSOR_VARIANTS]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_surrogate = NUMBER(k), .n_surrogates = NUMBER(l->n_surrogates), .n_taken = NUMBER(n_taken),
		      .n_blocks = NUMBER(l->n_blocks), .tile = NUMBER(l->tile));
}

/* The spectra of the batch, once. */
static clpac_status find_spectra(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	clpac__variants *variants = &batch->variants;
	const size_t n_values = 2 * (plan->layout.n_samples / 2 + 1);
	for (size_t i = 0; i < n && !variants->has_spectra; i++) {
		clpac__staged staged;
		RETURN_IF_ERROR(clpac__stage(plan, batch, variants->samples, variants->first + i, variants->series,
					     &staged, err));
		clpac__spectrum(variants->phases, variants->series, variants->spectra + i * n_values);
	}
	variants->has_spectra = true;
	return CLPAC_OK;
}

static clpac_status randomise(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k, size_t n_taken,
			      clpac_error *err)
{
	clpac__variants *variants = &batch->variants;
	const size_t n_samples = plan->layout.n_samples, n_values = 2 * (n_samples / 2 + 1);
	float *out;
	RETURN_IF_ERROR(find_spectra(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__samples_room(plan, batch, &out, err));
	for (size_t i = 0; i < n; i++) {
		uint32_t channel, segment;
		clpac__draw_numbers(plan->problem, variants->first + i, &channel, &segment);
		for (size_t taken = 0; taken < n_taken; taken++)
			clpac__draw_phases(variants->phases, variants->spectra + i * n_values, plan->problem->seed,
					   channel, segment, (uint32_t)(k + taken),
					   out + (i * n_taken + taken) * n_samples);
	}
	RETURN_IF_ERROR(clpac__samples_write(plan, batch, n * n_taken, err));
	return filter_slots(plan, batch, n * n_taken, err);
}

/* --- Indices ------------------------------------------------------------------------------------ */

/* The ways of cl/variants.cl: 0 by lists that fitted, 1 the other rows sample by sample, 2 all rows. */
struct ways {
	unsigned first, last;
};

static struct ways ways_of(const clpac__layout *l, clpac__summing summing)
{
	if (l->n_spans > 1 || summing == CLPAC__DIRECTLY)
		return (struct ways){2, 2};
	return (struct ways){0, summing == CLPAC__AS_FITS};
}

/* What is wanted of the surrogates in the slots: one measure's indices in out; or without out those of several
 * measures, each in its own chunk. */
struct wanted {
	const clpac_measure *measures;
	size_t n_measures;
	struct ways ways;
	size_t n_shifts; /* of the chunk */
	clpac_buffer *out;
};

/* Surrogates in the slots that are to be compared with n series from number `series` of the batch on. */
typedef clpac_status of_slots(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
			      const clpac__of_slots *of, const struct wanted *wanted, clpac_buffer *out,
			      clpac_error *err);

/* Each measure takes what is in the slots. */
static clpac_status take_slots(const clpac_plan *plan, clpac__batch *batch, const struct wanted *wanted,
			       const clpac__of_slots *of, bool are_new, of_slots *binned, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	for (size_t i = 0; i < wanted->n_measures; i++) {
		const clpac_measure measure = wanted->measures[i];
		clpac__measures_turn(batch, i);
		clpac_buffer *out = wanted->out ? wanted->out : batch->tensors[CLPAC__TENSOR_CHUNK];
		st = clpac_measure_is_linear(measure)
			     ? clpac__linear_of_slots(plan, batch, measure, of, are_new, out, err)
			     : binned(plan, batch, measure, of, wanted, out, err);
		clpac__measures_turn(batch, i);
		RETURN_IF_ERROR(st);
	}
	return st;
}

/* Surrogates that belong to the series one by one. */
static clpac_status indices_of_slots(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
				     const clpac__of_slots *of, const struct wanted *wanted, clpac_buffer *out,
				     clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	for (unsigned way = wanted->ways.first; way <= wanted->ways.last; way++)
		RETURN_IF_ERROR(LAUNCH(
			plan->context, variant_indices, l->n_bins, ITEMS(l->groups * of->n_taken, l->n_phase, of->n),
			.variants = BLOCK(tensor[CLPAC__TENSOR_VARIANTS]),
			.totals = BLOCK(tensor[CLPAC__TENSOR_VARIANT_TOTALS]),
			.level = BLOCK(tensor[CLPAC__TENSOR_VARIANT_LEVEL]),
			.edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]), .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]),
			.weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]), .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
			.indices = BLOCK(out), .n_samples = NUMBER(l->kept), .n_rows = NUMBER(l->rows),
			.row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
			.first_place = NUMBER(of->place), .n_taken = NUMBER(of->n_taken),
			.n_shifts = NUMBER(of->n_shifts), .n_phase = NUMBER(l->n_phase),
			.capacity = NUMBER(l->capacity), .bin_stride = NUMBER(l->bin_stride),
			.n_bins = NUMBER(l->n_bins), .way = NUMBER(way), .measure = NUMBER(measure),
			.mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm)));
	return CLPAC_OK;
}

/* Segments first .. first + n - 1 of a channel, in the slots. */
static clpac_status hold_segments(const clpac_plan *plan, clpac__batch *batch, size_t channel, size_t first, size_t n,
				  clpac_error *err)
{
	clpac__variants *variants = &batch->variants;
	if (variants->n_held == n && variants->channel == channel && variants->segment == first)
		return CLPAC_OK;
	variants->n_held = 0;
	variants->are_scored = false;
	RETURN_IF_ERROR(clpac__load_series(plan, batch, variants->samples, channel * plan->problem->n_segments + first,
					   n, variants->exponents, err));
	if (variants->exponents)
		RETURN_IF_ERROR(clpac_buffer_write(batch->tensors[CLPAC__TENSOR_VARIANT_EXPONENTS], 0,
						   n * sizeof *variants->exponents, variants->exponents, err));
	RETURN_IF_ERROR(filter_slots(plan, batch, n, err));
	variants->channel = channel;
	variants->segment = first;
	variants->n_held = n;
	return CLPAC_OK;
}

/* Surrogates that are permuted segments: of the channel's series those whose segment is in the slots. */
static clpac_status indices_of_segments(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
					const clpac__of_slots *of, const struct wanted *wanted, clpac_buffer *out,
					clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	for (unsigned way = wanted->ways.first; way <= wanted->ways.last; way++)
		RETURN_IF_ERROR(LAUNCH(
			plan->context, segment_indices, l->n_bins, ITEMS(l->groups * of->n_shifts, l->n_phase, of->n),
			.variants = BLOCK(tensor[CLPAC__TENSOR_VARIANTS]),
			.totals = BLOCK(tensor[CLPAC__TENSOR_VARIANT_TOTALS]),
			.level = BLOCK(tensor[CLPAC__TENSOR_VARIANT_LEVEL]),
			.order = BLOCK(tensor[CLPAC__TENSOR_DRAWS]), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
			.edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]), .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]),
			.weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]), .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
			.indices = BLOCK(out), .n_samples = NUMBER(l->kept), .n_rows = NUMBER(l->rows),
			.row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
			.first_surrogate = NUMBER(of->surrogate), .n_surrogates = NUMBER(l->n_surrogates),
			.n_shifts = NUMBER(of->n_shifts), .first_series = NUMBER(of->series),
			.first_segment = NUMBER(of->first_matrix), .n_slots = NUMBER(of->n_matrices),
			.n_phase = NUMBER(l->n_phase), .capacity = NUMBER(l->capacity),
			.bin_stride = NUMBER(l->bin_stride), .n_bins = NUMBER(l->n_bins), .way = NUMBER(way),
			.measure = NUMBER(measure), .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm)));
	return CLPAC_OK;
}

/* The surrogates from number k on of the series of one channel. */
static clpac_status indices_of_channel(const clpac_plan *plan, clpac__batch *batch, const channel_part *at,
				       const struct wanted *wanted, size_t k, clpac_error *err)
{
	const size_t n_segments = plan->problem->n_segments, at_once = plan->layout.at_once;
	for (size_t first = 0; first < n_segments; first += at_once) {
		const size_t n_slots = clpac__smaller(n_segments - first, at_once), n = wanted->n_shifts;
		const clpac__of_slots of = {at->at, at->n, k, 0, n, n, first, n_slots};
		RETURN_IF_ERROR(hold_segments(plan, batch, at->channel, first, n_slots, err));
		RETURN_IF_ERROR(
			take_slots(plan, batch, wanted, &of, !batch->variants.are_scored, indices_of_segments, err));
		for (size_t i = 0; i < wanted->n_measures; i++)
			batch->variants.are_scored |= wanted->measures[i] == CLPAC_MEASURE_GCMI;
	}
	return CLPAC_OK;
}

static clpac_status find_indices(const clpac_plan *plan, clpac__batch *batch, const struct wanted *wanted, size_t n,
				 size_t first_shift, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t first = first_shift - 1, n_shifts = wanted->n_shifts;
	const bool are_blocks = l->null == CLPAC_NULL_BLOCKS;
	if (l->null == CLPAC_NULL_TRIALS) {
		for (size_t at = 0; at < n;) {
			const channel_part part = part_at(plan, batch->variants.first, at, n);
			RETURN_IF_ERROR(indices_of_channel(plan, batch, &part, wanted, first, err));
			at += part.n;
		}
		return CLPAC_OK;
	}
	/* Blocks of linear measures are read where they are. */
	if (are_blocks && clpac_measure_is_linear(wanted->measures[0])) {
		const clpac__of_slots of = {0, n, first, 0, n_shifts, n_shifts, 0, n};
		return take_slots(plan, batch, wanted, &of, true, indices_of_slots, err);
	}
	for (size_t place = 0; place < n_shifts; place += l->at_once) {
		const size_t n_taken = clpac__smaller(n_shifts - place, l->at_once);
		const clpac__of_slots of = {0, n, first + place, place, n_taken, n_shifts, 0, n * n_taken};
		RETURN_IF_ERROR((are_blocks ? rearrange : randomise)(plan, batch, n, first + place, n_taken, err));
		RETURN_IF_ERROR(take_slots(plan, batch, wanted, &of, true, indices_of_slots, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__variants_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     clpac__summing summing, size_t first_shift, size_t n_shifts, clpac_buffer *out,
				     clpac_error *err)
{
	const struct wanted wanted = {&measure, 1, ways_of(&plan->layout, summing), n_shifts, out};
	return find_indices(plan, batch, &wanted, n, first_shift, err);
}

clpac_status clpac__variants_of_measures(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac__summing summing,
					 size_t first_shift, size_t n_shifts, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	const struct wanted wanted = {p->measures, p->n_measures, ways_of(&plan->layout, summing), n_shifts, NULL};
	return find_indices(plan, batch, &wanted, n, first_shift, err);
}
