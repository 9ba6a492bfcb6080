/* The method, applied to one batch of series:
 *
 *     load -> blocks -> forward FFT -> select bands -> inverse FFT -+-> phase bins -> edge lists ----+
 *                                                                   +-> amplitudes -> prefix sums ---+-> index
 *     index -> surrogates -> store
 */
#include "coupling/run/execute.h"

#include "coupling/run/ahead.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/load.h"
#include "coupling/passes/fetch.h"
#include "coupling/passes/filter_banks.h"
#include "coupling/layout/fused.h"
#include "coupling/passes/all_shifts.h"
#include "coupling/passes/linear.h"
#include "coupling/run/measures.h"
#include "coupling/passes/pairs.h"
#include "coupling/passes/profile.h"
#include "coupling/layout/steps.h"
#include "coupling/passes/variants.h"
#include "coupling/passes/windows.h"
#include "shared/each_bin.h"

/* The edge lists of short series in one launch. */
static clpac_status edges_of_short(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	return LAUNCH_ROWS(plan->context, edge_lists, l->n_bins, n * l->n_phase, clpac__lanes_of_edges(l),
			   .bins = BLOCK(part[CLPAC__PART_BINS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
			   .totals = BLOCK(part[CLPAC__PART_COUNTS]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
			   .weights = BLOCK(part[CLPAC__PART_WEIGHTS]), .largest = BLOCK(part[CLPAC__PART_LARGEST]),
			   .edges = BLOCK(part[CLPAC__PART_EDGES]), .wander = BLOCK(part[CLPAC__PART_WANDER]),
			   .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->tile),
			   .n_tiles = NUMBER(l->n_tiles), .n_bins = NUMBER(l->n_bins), .capacity = NUMBER(l->capacity),
			   .average = NUMBER(plan->problem->average), .lists_of_item = NUMBER(clpac__layout_lists(l)),
			   .row_stride = NUMBER(l->row_stride), .has_bounds = NUMBER(l->walks_lists));
}

static clpac_status phase_edges(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	const size_t rows = n * l->n_phase;
	if (clpac__fuses_edges(l)) {
		return edges_of_short(plan, batch, n, err);
	}
	RETURN_IF_ERROR(LAUNCH(plan->context, count_edges, l->n_bins, ITEMS(l->n_tiles, rows, 1),
			       .bins = BLOCK(part[CLPAC__PART_BINS]),
			       .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]), .n_samples = NUMBER(l->kept),
			       .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->tile),
			       .n_tiles = NUMBER(l->n_tiles), .n_bins = NUMBER(l->n_bins)));
	RETURN_IF_ERROR(LAUNCH(plan->context, scan_edges, l->n_bins, ITEMS(3 * l->n_bins, rows, 1),
			       .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
			       .totals = BLOCK(part[CLPAC__PART_COUNTS]), .n_tiles = NUMBER(l->n_tiles),
			       .n_bins = NUMBER(l->n_bins)));
	const size_t span_tiles = l->span / l->tile;
	RETURN_IF_ERROR(LAUNCH(
		plan->context, place_edges, l->n_bins, ITEMS(2 * l->n_bins / clpac__layout_lists(l), l->n_spans, rows),
		.totals = BLOCK(part[CLPAC__PART_COUNTS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
		.bins = BLOCK(part[CLPAC__PART_BINS]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
		.weights = BLOCK(part[CLPAC__PART_WEIGHTS]), .largest = BLOCK(part[CLPAC__PART_LARGEST]),
		.n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .n_tiles = NUMBER(l->n_tiles),
		.span_tiles = NUMBER(span_tiles), .n_spans = NUMBER(l->n_spans), .n_bins = NUMBER(l->n_bins),
		.capacity = NUMBER(l->capacity), .average = NUMBER(plan->problem->average),
		.lists_of_item = NUMBER(clpac__layout_lists(l))));
	RETURN_IF_ERROR(LAUNCH(
		plan->context, scatter_edges, l->n_bins, ITEMS(l->n_tiles, rows, 1),
		.bins = BLOCK(part[CLPAC__PART_BINS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
		.starts = BLOCK(part[CLPAC__PART_STARTS]), .edges = BLOCK(part[CLPAC__PART_EDGES]),
		.n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->tile),
		.n_tiles = NUMBER(l->n_tiles), .span_tiles = NUMBER(span_tiles), .n_spans = NUMBER(l->n_spans),
		.capacity = NUMBER(l->capacity), .row_stride = NUMBER(l->row_stride), .n_bins = NUMBER(l->n_bins)));
	if (l->walks_lists)
		RETURN_IF_ERROR(LAUNCH(plan->context, cycle_bounds, l->n_bins,
				       ITEMS(l->capacity / CLPAC_CYCLE_STRIDE(l->n_bins), rows, 1),
				       .edges = BLOCK(part[CLPAC__PART_EDGES]),
				       .starts = BLOCK(part[CLPAC__PART_STARTS]), .capacity = NUMBER(l->capacity),
				       .n_bins = NUMBER(l->n_bins)));
	/* Rows lie in the second dimension where a work-group should not have many. */
	const size_t rows_of_line = l->vector_width == 1 ? 1 : rows;
	return LAUNCH(plan->context, phase_line, l->n_bins, ITEMS(rows_of_line, rows / rows_of_line, 1),
		      .edges = BLOCK(part[CLPAC__PART_EDGES]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
		      .wander = BLOCK(part[CLPAC__PART_WANDER]), .capacity = NUMBER(l->capacity),
		      .n_spans = NUMBER(l->n_spans), .span_rows = NUMBER(l->span * l->row_stride),
		      .n_bins = NUMBER(l->n_bins));
}

static clpac_status modulation_index(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	return LAUNCH(plan->context, modulation_index, l->n_bins,
		      ITEMS(l->groups * ((n_shifts + l->together - 1) / l->together), l->n_phase, n),
		      .prefix = BLOCK(part[CLPAC__PART_AMPLITUDE]), .totals = BLOCK(part[CLPAC__PART_TOTALS]),
		      .level = BLOCK(part[CLPAC__PART_LEVEL]), .edges = BLOCK(part[CLPAC__PART_EDGES]),
		      .starts = BLOCK(part[CLPAC__PART_STARTS]), .weights = BLOCK(part[CLPAC__PART_WEIGHTS]),
		      .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .counts = BLOCK(part[CLPAC__PART_COUNTS]),
		      .indices = BLOCK(out), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
		      .means = BLOCK(part[CLPAC__PART_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		      .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
		      .capacity = NUMBER(l->capacity), .n_bins = NUMBER(l->n_bins), .measure = NUMBER(measure),
		      .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm));
}

/* Sums sample by sample: all rows, or only rows without edge lists. */
static clpac_status modulation_index_direct(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
					    size_t n, bool is_for_all, size_t first_shift, size_t n_shifts,
					    clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	return LAUNCH(plan->context, modulation_index_direct, l->n_bins, ITEMS(l->groups * n_shifts, l->n_phase, n),
		      .prefix = BLOCK(part[CLPAC__PART_AMPLITUDE]), .totals = BLOCK(part[CLPAC__PART_TOTALS]),
		      .level = BLOCK(part[CLPAC__PART_LEVEL]), .bins = BLOCK(part[CLPAC__PART_BINS]),
		      .starts = BLOCK(part[CLPAC__PART_STARTS]), .weights = BLOCK(part[CLPAC__PART_WEIGHTS]),
		      .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .counts = BLOCK(part[CLPAC__PART_COUNTS]),
		      .indices = BLOCK(out), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
		      .means = BLOCK(part[CLPAC__PART_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		      .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
		      .bin_stride = NUMBER(l->bin_stride), .n_bins = NUMBER(l->n_bins),
		      .is_for_all = NUMBER(is_for_all), .measure = NUMBER(measure),
		      .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm));
}

clpac_status clpac__execute_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				    clpac__summing summing, size_t first_shift, size_t n_shifts, clpac_buffer *out,
				    clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	if (clpac__has_variants(l) && first_shift > 0) {
		return clpac__variants_indices(plan, batch, measure, n, summing, first_shift, n_shifts, out, err);
	}
	if (clpac_measure_is_linear(measure)) {
		return clpac__linear_indices(plan, batch, measure, n, first_shift, n_shifts, out, err);
	}
	if (l->is_all && first_shift > 0) {
		return clpac__all_shifts_indices(plan, batch, measure, n, first_shift, n_shifts, out, err);
	}
	if (l->n_spans > 1) {
		return clpac__windows_indices(plan, batch, measure, n, first_shift, n_shifts, out, err);
	}
	if (summing != CLPAC__DIRECTLY)
		RETURN_IF_ERROR(modulation_index(plan, batch, measure, n, first_shift, n_shifts, out, err));
	if (summing != CLPAC__BY_EDGES)
		RETURN_IF_ERROR(modulation_index_direct(plan, batch, measure, n, summing == CLPAC__DIRECTLY,
							first_shift, n_shifts, out, err));
	return CLPAC_OK;
}

/* The part of an observed index that a surrogate must have to count as reaching it. */
static double reach_of(const clpac__layout *l, clpac_measure measure)
{
	const bool is_transformed = l->is_all || clpac_measure_is_linear(measure);
	return is_transformed ? 1 - clpac__all_shifts_error : 1;
}

/* Moments, spreads and maxima of small maps in one launch. */
static clpac_status statistics_of_small(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
					clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	return LAUNCH_ROWS(plan->context, surrogate_statistics, 0, n, clpac__lanes_of_statistics(l),
			   .indices = BLOCK(part[CLPAC__PART_CHUNK]), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
			   .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .valid = BLOCK(part[CLPAC__PART_VALID]),
			   .moments = BLOCK(part[CLPAC__PART_MOMENTS]), .variances = BLOCK(part[CLPAC__PART_VARIANCES]),
			   .spreads = BLOCK(part[CLPAC__PART_SPREADS]), .maxima = BLOCK(part[CLPAC__PART_MAXIMA]),
			   .groups = NUMBER(l->groups), .n_surrogates = NUMBER(l->n_surrogates),
			   .n_phase = NUMBER(l->n_phase), .n_amplitude = NUMBER(l->n_amplitude),
			   .reach = REAL(reach_of(l, measure)));
}

clpac_status clpac__execute_moments(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				    size_t k, size_t n_shifts, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	if (clpac__fuses_statistics(l))
		return statistics_of_small(plan, batch, measure, n, err);
	return LAUNCH(plan->context, surrogate_moments, 0,
		      ITEMS((l->groups + l->moment_groups - 1) / l->moment_groups, n * l->n_phase, 1),
		      .indices = BLOCK(part[CLPAC__PART_CHUNK]), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
		      .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .valid = BLOCK(part[CLPAC__PART_VALID]),
		      .moments = BLOCK(part[CLPAC__PART_MOMENTS]), .variances = BLOCK(part[CLPAC__PART_VARIANCES]),
		      .groups = NUMBER(l->groups), .n_shifts = NUMBER(n_shifts), .n_done = NUMBER(k),
		      .n_surrogates = NUMBER(l->n_surrogates), .shift_stride = NUMBER(l->n_surrogates + 1),
		      .n_phase = NUMBER(l->n_phase), .reach = REAL(reach_of(l, measure)));
}

bool clpac__surrogates_are_kept(const clpac__layout *layout)
{
	return layout->chunk >= layout->n_surrogates;
}

clpac_status clpac__execute_maxima(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k, size_t n_shifts,
				   clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = batch->parts;
	if (clpac__fuses_statistics(l))
		return CLPAC_OK;
	if (k == 0)
		RETURN_IF_ERROR(LAUNCH(plan->context, phase_spreads, 0, ITEMS(l->n_amplitude, n * l->n_phase, 1),
				       .variances = BLOCK(part[CLPAC__PART_VARIANCES]),
				       .spreads = BLOCK(part[CLPAC__PART_SPREADS]), .padded = NUMBER(l->padded),
				       .n_amplitude = NUMBER(l->n_amplitude)));
	const size_t at_once = clpac__steps_phases(l);
	for (size_t first = 0; first < l->n_phase; first += at_once)
		RETURN_IF_ERROR(LAUNCH(
			plan->context, surrogate_maxima, 0, ITEMS((n_shifts + l->ranked - 1) / l->ranked, n, 1),
			.indices = BLOCK(part[CLPAC__PART_CHUNK]), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
			.moments = BLOCK(part[CLPAC__PART_MOMENTS]), .shifts = BLOCK(part[CLPAC__PART_SHIFTS]),
			.variances = BLOCK(part[CLPAC__PART_VARIANCES]), .spreads = BLOCK(part[CLPAC__PART_SPREADS]),
			.maxima = BLOCK(part[CLPAC__PART_MAXIMA]), .groups = NUMBER(l->groups),
			.n_shifts = NUMBER(n_shifts), .n_done = NUMBER(k), .n_surrogates = NUMBER(l->n_surrogates),
			.n_phase = NUMBER(l->n_phase), .first_phase = NUMBER(first),
			.n_taken = NUMBER(l->n_phase - first < at_once ? l->n_phase - first : at_once)));
	return CLPAC_OK;
}

/* The distributions come with an index of bins; a linear measure, which has none, takes its place. */
clpac_status clpac__execute_observed(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     clpac__summing summing, clpac_error *err)
{
	const bool is_linear = clpac_measure_is_linear(measure);
	clpac_buffer *observed = batch->parts[CLPAC__PART_OBSERVED];
	RETURN_IF_ERROR(clpac__execute_indices(plan, batch, is_linear ? CLPAC_MEASURE_MI : measure, n, summing, 0, 1,
					       observed, err));
	if (is_linear)
		RETURN_IF_ERROR(clpac__execute_indices(plan, batch, measure, n, summing, 0, 1, observed, err));
	return CLPAC_OK;
}

bool clpac__observes_with_surrogates(const clpac__layout *layout, clpac_measure measure)
{
	return layout->together == 1 && layout->n_surrogates && layout->null == CLPAC_NULL_SHIFTS &&
	       !clpac_measure_is_linear(measure);
}

clpac_status clpac__execute_sums(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__banks_bins(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__banks_all_amplitudes(plan, batch, n, err));
	RETURN_IF_ERROR(phase_edges(plan, batch, n, err));
	return clpac__windows_prefix(plan, batch, n, err);
}

clpac_status clpac__execute_filters(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err)
{
	RETURN_IF_ERROR(clpac__load_batch(plan, batch, samples, 0, n, err));
	RETURN_IF_ERROR(clpac__banks_bins(plan, batch, n, err));
	return clpac__banks_all_amplitudes(plan, batch, n, err);
}

clpac_status clpac__execute_signals(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err)
{
	RETURN_IF_ERROR(clpac__load_batch(plan, batch, samples, 0, n, err));
	RETURN_IF_ERROR(clpac__variants_begin(plan, batch, samples, 0, n, err));
	RETURN_IF_ERROR(clpac__execute_sums(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__execute_observed(plan, batch, plan->problem->measures[0], n, CLPAC__BY_EDGES, err));
	return plan->context->queue->operations->finish(plan->context->queue, err);
}

/* Makes bins and amplitudes: by filtering samples, or from those of channels in pairs, or from the caller's phases and
 * amplitudes. */
static clpac_status bins_and_amplitudes(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first,
					size_t n, clpac_error *err)
{
	if (run->arrays) {
		RETURN_IF_ERROR(clpac__load_arrays(plan, batch, run->arrays, first, n, err));
		RETURN_IF_ERROR(clpac__variants_begin(plan, batch, NULL, first, n, err));
		RETURN_IF_ERROR(clpac__banks_all_amplitudes(plan, batch, n, err));
		return clpac__profile_stage(plan, run, "load", err);
	}
	if (plan->problem->pairs) {
		RETURN_IF_ERROR(clpac__pairs_load(plan, batch, run, first, n, err));
		RETURN_IF_ERROR(clpac__load_shifts(plan, batch, first, n, err));
		RETURN_IF_ERROR(clpac__variants_begin(plan, batch, run->samples, first, n, err));
		return clpac__profile_stage(plan, run, "channels of pairs", err);
	}
	RETURN_IF_ERROR(clpac__load_batch(plan, batch, run->samples, first, n, err));
	RETURN_IF_ERROR(clpac__variants_begin(plan, batch, run->samples, first, n, err));
	RETURN_IF_ERROR(clpac__profile_stage(plan, run, "load", err));
	RETURN_IF_ERROR(clpac__banks_bins(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__banks_all_amplitudes(plan, batch, n, err));
	run->report->n_phase_filterings += n;
	run->report->n_amplitude_filterings += n;
	return clpac__profile_stage(plan, run, "filter and Hilbert", err);
}

/* From bins and amplitudes to edge lists and prefix sums. */
static clpac_status edges_and_sums(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t n,
				   clpac_error *err)
{
	RETURN_IF_ERROR(phase_edges(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__profile_stage(plan, run, "phase edges", err));
	RETURN_IF_ERROR(clpac__windows_prefix(plan, batch, n, err));
	return clpac__profile_stage(plan, run, "amplitude sums", err);
}

clpac_status clpac__execute_beginning(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first,
				      size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(bins_and_amplitudes(plan, batch, run, first, n, err));
	return edges_and_sums(plan, batch, run, n, err);
}

clpac_status clpac__execute_batch(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool overflows, is_begun;
	st = clpac__ahead_take(plan, batch, run, first, n, &is_begun, err);
	if (!is_begun)
		clpac__buffers_hold(batch->parts, CLPAC__PART_COUNT);
	TRY(st);
	if (!is_begun)
		TRY(clpac__profile_begin(plan, run, err));
	if (batch->taker) {
		TRY(bins_and_amplitudes(plan, batch, run, first, n, err));
		TRY(batch->taker->take(batch->taker->user, plan, batch, first, n, err));
		clpac__profile_end(plan, run, "store");
		TRY(run->advance(run, n, err));
		goto done;
	}
	if (!is_begun)
		TRY(clpac__execute_beginning(plan, batch, run, first, n, err));
	TRY(clpac__store_counts(plan, batch, run, first, n, &overflows, err));
	if (clpac__ahead_may(plan, batch, run)) /* later, it would wait for the next batch */
		clpac__profile_settle(plan, run);
	const clpac__summing summing = overflows ? CLPAC__AS_FITS : CLPAC__BY_EDGES;
	TRY(clpac__measures_batch(plan, batch, run, first, n, summing, err));
	clpac__store_distributions(plan, batch, run, first, n);
	/* The next batch goes on with this one's profile, and with its hold of the parts. */
	if (clpac__ahead_is_begun(batch))
		return CLPAC_OK;
	clpac__profile_end(plan, run, "store");
done:
	/* The plan's memory of the host is still read and written by what was put into the queue. */
	if (st != CLPAC_OK)
		plan->context->queue->operations->finish(plan->context->queue, NULL);
	batch->ahead.n = 0;
	clpac__profile_drop(plan, run);
	clpac__buffers_let_go(batch->parts, CLPAC__PART_COUNT);
	return st;
}
