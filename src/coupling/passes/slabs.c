/* Amplitudes as prefix sums.
 *
 * A short series has all of its prefix sums, on CPUs twice one after the other.  A long one has them in slabs of a
 * span's rows (cl/slab_sums.cl), and behind the last slab the beginning once more.  They are all there, or
 * streamed: then the buffer holds the slab in use and those behind it, and amplitudes are filtered again whenever
 * they are needed.
 */
#include "coupling/passes/slabs.h"

#include <clpac/memory/buffer.h>

#include "coupling/passes/filter_banks.h"
#include "coupling/layout/fused.h"
#include "coupling/layout/launch.h"

/* Kept samples from .. from + count - 1, whose amplitudes stand in rows `row` and up; `from` is a tile's first. */
typedef struct piece {
	size_t from, count, row;
} piece;

static size_t tiles_of(const clpac__layout *l, size_t count)
{
	return (count + l->tile - 1) / l->tile;
}

/* Items that take TILES of them each. */
static size_t items_of(const clpac__layout *l, size_t n_tiles)
{
	return (n_tiles + l->tiles_abreast - 1) / l->tiles_abreast;
}

/* --- Levels and scales -------------------------------------------------------------------------- */

static clpac_status moments(const clpac_plan *plan, clpac__batch *batch, size_t n, const piece *at, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH(plan->context, amplitude_moments, 0, ITEMS(l->groups, items_of(l, tiles_of(l, at->count)), n),
		      .amplitude = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]),
		      .moments = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE_MOMENTS]), .n_taken = NUMBER(at->count),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .tile = NUMBER(l->tile), .n_tiles = NUMBER(l->n_tiles), .first_row = NUMBER(at->row),
		      .first_tile = NUMBER(at->from / l->tile));
}

size_t clpac__slabs_piece(const clpac__layout *l, size_t from)
{
	const size_t most = !l->is_streamed ? l->kept : from ? l->span : 2 * l->span;
	return l->kept - from < most ? l->kept - from : most;
}

/* Moments of all amplitudes: of those that are there, or of those that a fill of the buffer holds at a time. */
static clpac_status all_moments(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	for (size_t from = 0, count; from < l->kept; from += count) {
		count = clpac__slabs_piece(l, from);
		const piece at = {from, count, 0};
		if (l->is_streamed)
			RETURN_IF_ERROR(clpac__banks_amplitudes(plan, batch, n, at.from, at.count, at.row, err));
		RETURN_IF_ERROR(moments(plan, batch, n, &at, err));
	}
	return CLPAC_OK;
}

static clpac_status decide_scales(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(all_moments(plan, batch, n, err));
	return LAUNCH(plan->context, amplitude_scale, 0, ITEMS(l->groups, n, 1),
		      .moments = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE_MOMENTS]),
		      .largest = BLOCK(tensor[CLPAC__TENSOR_LARGEST]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
		      .n_kept = NUMBER(l->kept), .n_phase = NUMBER(l->n_phase), .groups = NUMBER(l->groups),
		      .tile = NUMBER(l->tile), .n_tiles = NUMBER(l->n_tiles));
}

/* --- Prefix sums -------------------------------------------------------------------------------- */

/* Makes the amplitudes of a piece prefix sums that go on from `carry`, or begin with the piece.  A piece that is the
 * whole series can begin again behind its end, with n_again rows. */
static clpac_status add_up(const clpac_plan *plan, clpac__batch *batch, size_t n, const piece *at, clpac_buffer *carry,
			   bool is_first, size_t n_again, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	const size_t n_tiles = tiles_of(l, at->count);
	const bool is_scanned = !clpac__adds_up_tiles(l) || at->count < l->kept;
	RETURN_IF_ERROR(
		LAUNCH(plan->context, quantise, 0, ITEMS(l->groups, items_of(l, n_tiles), n),
		       .amplitude = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
		       .tile_sums = BLOCK(tensor[CLPAC__TENSOR_TILE_SUMS]), .n_taken = NUMBER(at->count),
		       .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		       .tile = NUMBER(l->tile), .n_tiles = NUMBER(l->n_tiles), .first_row = NUMBER(at->row)));
	if (is_scanned)
		RETURN_IF_ERROR(LAUNCH(plan->context, scan_sums, 0, ITEMS(l->groups, n, 1),
				       .tile_sums = BLOCK(tensor[CLPAC__TENSOR_TILE_SUMS]), .carry = BLOCK(carry),
				       .groups = NUMBER(l->groups), .n_tiles = NUMBER(l->n_tiles),
				       .n_taken = NUMBER(n_tiles), .is_first = NUMBER(is_first)));
	return LAUNCH(plan->context, prefix_sums, 0, ITEMS(l->groups, n_tiles, n),
		      .amplitude = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]),
		      .tile_sums = BLOCK(tensor[CLPAC__TENSOR_TILE_SUMS]), .carry = BLOCK(carry),
		      .n_taken = NUMBER(at->count), .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride),
		      .groups = NUMBER(l->groups), .tile = NUMBER(l->tile), .n_tiles = NUMBER(l->n_tiles),
		      .first_row = NUMBER(at->row), .n_again = NUMBER(n_again), .is_scanned = NUMBER(is_scanned));
}

/* Makes the prefix sums of a piece of a streamed series.  The piece that ends the series gives the total. */
static clpac_status add_up_piece(const clpac_plan *plan, clpac__batch *batch, size_t n, const piece *at,
				 bool is_behind_end, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *carry = batch->tensors[CLPAC__TENSOR_CARRY], *totals = batch->tensors[CLPAC__TENSOR_TOTALS];
	RETURN_IF_ERROR(clpac__banks_amplitudes(plan, batch, n, at->from, at->count, at->row, err));
	RETURN_IF_ERROR(add_up(plan, batch, n, at, carry, at->from == 0 && !is_behind_end, 0, err));
	if (at->from + at->count == l->kept && !is_behind_end)
		RETURN_IF_ERROR(clpac_buffer_copy(carry, 0, totals, 0, n * l->padded * sizeof(uint32_t), err));
	return CLPAC_OK;
}

/* Makes the prefix sums of spans first .. end - 1, from row `row` on.  Span n_spans is the beginning of the series once
 * more, which follows its last sample; it comes in the same call as the span before. */
static clpac_status stream(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first, size_t end, size_t row,
			   clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t from = first * l->span, to = end * l->span;
	const piece at = {from, (to < l->kept ? to : l->kept) - from, row};
	RETURN_IF_ERROR(add_up_piece(plan, batch, n, &at, false, err));
	if (to > l->kept) {
		const piece again = {0, to - l->kept, row + at.count};
		RETURN_IF_ERROR(add_up_piece(plan, batch, n, &again, true, err));
	}
	return CLPAC_OK;
}

/* Levels, scales and prefix sums of short series in one launch. */
static clpac_status add_up_short(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t n_again,
				 clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH_ROWS(plan->context, amplitude_sums, 0, n * l->groups / l->row_stride, clpac__lanes_of_sums(l),
			   .amplitude = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]),
			   .moments = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE_MOMENTS]),
			   .largest = BLOCK(tensor[CLPAC__TENSOR_LARGEST]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
			   .tile_sums = BLOCK(tensor[CLPAC__TENSOR_TILE_SUMS]),
			   .carry = BLOCK(tensor[CLPAC__TENSOR_TOTALS]), .n_kept = NUMBER(l->kept),
			   .n_phase = NUMBER(l->n_phase), .n_rows = NUMBER(l->rows),
			   .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups), .tile = NUMBER(l->tile),
			   .n_tiles = NUMBER(l->n_tiles), .n_again = NUMBER(n_again));
}

clpac_status clpac__slabs_prefix(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const piece all = {0, l->kept, 0};
	/* So that no shifted sum wraps around: all rows once more, or those that the last slab needs. */
	const size_t n_again = l->n_spans > 1			    ? (l->n_spans + 1) * l->span - l->kept
			       : l->passes_lists && !l->walks_lists ? l->kept
								    : 0;
	batch->n_summed = 0;
	if (clpac__fuses_sums(l)) {
		return add_up_short(plan, batch, n, n_again, err);
	}
	RETURN_IF_ERROR(decide_scales(plan, batch, n, err));
	if (!l->is_streamed)
		RETURN_IF_ERROR(add_up(plan, batch, n, &all, batch->tensors[CLPAC__TENSOR_TOTALS], true, n_again, err));
	return CLPAC_OK;
}

/* --- Slabs ------------------------------------------------------------------------------------ */

static clpac_status move_rows(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first_row, size_t to_row,
			      clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	return LAUNCH(plan->context, move_rows, 0, ITEMS(l->groups * l->span, n, 1),
		      .amplitude = BLOCK(batch->tensors[CLPAC__TENSOR_AMPLITUDE]), .n_rows = NUMBER(l->rows),
		      .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups), .n = NUMBER(l->span),
		      .first_row = NUMBER(first_row), .to_row = NUMBER(to_row));
}

/* n_slabs slabs from slab `first` on, which stands in row `row`. */
static clpac_status add_some_slabs(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first_shift,
				   size_t n_shifts, size_t first, size_t n_slabs, size_t row, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH(
		plan->context, slab_sums, l->n_bins, ITEMS(l->groups * n_shifts, l->n_phase, n * n_slabs),
		.prefix = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]),
		.starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]), .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
		.shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .unfinished = BLOCK(tensor[CLPAC__TENSOR_UNFINISHED]),
		.n_samples = NUMBER(l->kept), .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride),
		.groups = NUMBER(l->groups), .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		.shift_stride = NUMBER(l->n_surrogates + 1), .sums_stride = NUMBER(clpac__sums_at_once(l)),
		.n_phase = NUMBER(l->n_phase), .capacity = NUMBER(l->capacity), .bin_stride = NUMBER(l->bin_stride),
		.n_bins = NUMBER(l->n_bins), .span = NUMBER(l->span), .n_spans = NUMBER(l->n_spans),
		.first_slab = NUMBER(first), .n_slabs = NUMBER(n_slabs), .first_row = NUMBER(row));
}

/* Slabs first .. end - 1, of which the first stands in row 0.  Vectors of one band take all of them in one launch,
 * which leaves no unit of a GPU idle at the end of each. */
static clpac_status add_slabs(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first_shift,
			      size_t n_shifts, size_t first, size_t end, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t at_once = l->vector_width == 1 ? end - first : 1;
	for (size_t slab = first; slab < end; slab += at_once)
		RETURN_IF_ERROR(add_some_slabs(plan, batch, n, first_shift, n_shifts, slab, at_once,
					       (slab - first) * l->span, err));
	return CLPAC_OK;
}

/* Sums of n_shifts shifts, with prefix sums that are made for the purpose: a slab needs those of its own span and of
 * the one behind it, which is then moved to the front. */
static clpac_status add_streamed_slabs(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first_shift,
				       size_t n_shifts, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	size_t made = 0, end;
	for (size_t first = 0; first < l->n_spans; first = end) {
		end = first + 2 < l->n_spans ? first + 1 : l->n_spans;
		RETURN_IF_ERROR(stream(plan, batch, n, made, end + 1, (made - first) * l->span, err));
		made = end + 1;
		RETURN_IF_ERROR(add_slabs(plan, batch, n, first_shift, n_shifts, first, end, err));
		if (end < l->n_spans)
			RETURN_IF_ERROR(move_rows(plan, batch, n, l->span, 0, err));
	}
	return CLPAC_OK;
}

/* The unshifted sums are made together with those of the first surrogates. */
static clpac_status make_sums(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first_shift,
			      size_t n_shifts, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	if (first_shift == 0)
		n_shifts = clpac__sums_at_once(l);
	batch->n_summed = 0;
	if (l->vector_width == 1)
		RETURN_IF_ERROR(clpac_buffer_fill(batch->tensors[CLPAC__TENSOR_UNFINISHED], 0,
						  l->bytes[CLPAC__TENSOR_UNFINISHED], 0, err));
	RETURN_IF_ERROR(l->is_streamed ? add_streamed_slabs(plan, batch, n, first_shift, n_shifts, err)
				       : add_slabs(plan, batch, n, first_shift, n_shifts, 0, l->n_spans, err));
	batch->first_summed = first_shift;
	batch->n_summed = n_shifts;
	return CLPAC_OK;
}

clpac_status clpac__slabs_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				  size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	if (first_shift < batch->first_summed || first_shift + n_shifts > batch->first_summed + batch->n_summed)
		RETURN_IF_ERROR(make_sums(plan, batch, n, first_shift, n_shifts, err));
	return LAUNCH(
		plan->context, slab_indices, l->n_bins, ITEMS(l->groups * n_shifts, l->n_phase, n),
		.totals = BLOCK(tensor[CLPAC__TENSOR_TOTALS]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
		.counts = BLOCK(tensor[CLPAC__TENSOR_COUNTS]), .tile_counts = BLOCK(tensor[CLPAC__TENSOR_TILE_COUNTS]),
		.starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]), .weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]),
		.shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .unfinished = BLOCK(tensor[CLPAC__TENSOR_UNFINISHED]),
		.indices = BLOCK(out), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
		.means = BLOCK(tensor[CLPAC__TENSOR_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
		.row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups), .first_shift = NUMBER(first_shift),
		.n_shifts = NUMBER(n_shifts), .shift_stride = NUMBER(l->n_surrogates + 1),
		.sums_stride = NUMBER(clpac__sums_at_once(l)), .first_sum = NUMBER(first_shift - batch->first_summed),
		.n_phase = NUMBER(l->n_phase), .n_bins = NUMBER(l->n_bins), .span = NUMBER(l->span),
		.n_spans = NUMBER(l->n_spans), .span_tiles = NUMBER(l->span / l->edge_tile),
		.n_tiles = NUMBER(l->n_edge_tiles), .measure = NUMBER(measure), .mean_factor = REAL(plan->mean_factor),
		.norm = REAL(plan->norm));
}
