#include "coupling/passes/edges.h"

#include "coupling/layout/fused.h"
#include "coupling/layout/launch.h"
#include "shared/each_bin.h"

/* The edge lists of short series in one launch. */
static clpac_status edges_of_short(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH_ROWS(
		plan->context, edge_lists, l->n_bins, n * l->n_phase, clpac__lanes_of_edges(l),
		.bins = BLOCK(tensor[CLPAC__TENSOR_BINS]), .tile_counts = BLOCK(tensor[CLPAC__TENSOR_TILE_COUNTS]),
		.totals = BLOCK(tensor[CLPAC__TENSOR_COUNTS]), .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]),
		.weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]), .largest = BLOCK(tensor[CLPAC__TENSOR_LARGEST]),
		.edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]), .jitter = BLOCK(tensor[CLPAC__TENSOR_JITTER]),
		.n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->edge_tile),
		.n_tiles = NUMBER(l->n_edge_tiles), .n_bins = NUMBER(l->n_bins), .capacity = NUMBER(l->capacity),
		.average = NUMBER(plan->problem->average), .lists_of_item = NUMBER(clpac__layout_lists(l)),
		.row_stride = NUMBER(l->row_stride), .has_bounds = NUMBER(l->walks_lists));
}

clpac_status clpac__edges_find(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	const size_t rows = n * l->n_phase;
	if (clpac__fuses_edges(l))
		return edges_of_short(plan, batch, n, err);
	RETURN_IF_ERROR(LAUNCH(plan->context, count_edges, l->n_bins, ITEMS(l->n_edge_tiles, rows, 1),
			       .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
			       .tile_counts = BLOCK(tensor[CLPAC__TENSOR_TILE_COUNTS]), .n_samples = NUMBER(l->kept),
			       .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->edge_tile),
			       .n_tiles = NUMBER(l->n_edge_tiles), .n_bins = NUMBER(l->n_bins)));
	RETURN_IF_ERROR(LAUNCH(plan->context, scan_edges, l->n_bins, ITEMS(3 * l->n_bins, rows, 1),
			       .tile_counts = BLOCK(tensor[CLPAC__TENSOR_TILE_COUNTS]),
			       .totals = BLOCK(tensor[CLPAC__TENSOR_COUNTS]), .n_tiles = NUMBER(l->n_edge_tiles),
			       .n_bins = NUMBER(l->n_bins)));
	const size_t span_tiles = l->span / l->edge_tile;
	RETURN_IF_ERROR(LAUNCH(
		plan->context, place_edges, l->n_bins, ITEMS(2 * l->n_bins / clpac__layout_lists(l), l->n_spans, rows),
		.totals = BLOCK(tensor[CLPAC__TENSOR_COUNTS]), .tile_counts = BLOCK(tensor[CLPAC__TENSOR_TILE_COUNTS]),
		.bins = BLOCK(tensor[CLPAC__TENSOR_BINS]), .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]),
		.weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]), .largest = BLOCK(tensor[CLPAC__TENSOR_LARGEST]),
		.n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .n_tiles = NUMBER(l->n_edge_tiles),
		.span_tiles = NUMBER(span_tiles), .n_spans = NUMBER(l->n_spans), .n_bins = NUMBER(l->n_bins),
		.capacity = NUMBER(l->capacity), .average = NUMBER(plan->problem->average),
		.lists_of_item = NUMBER(clpac__layout_lists(l))));
	RETURN_IF_ERROR(LAUNCH(
		plan->context, scatter_edges, l->n_bins, ITEMS(l->n_edge_tiles, rows, 1),
		.bins = BLOCK(tensor[CLPAC__TENSOR_BINS]), .tile_counts = BLOCK(tensor[CLPAC__TENSOR_TILE_COUNTS]),
		.starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]), .edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]),
		.n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->edge_tile),
		.n_tiles = NUMBER(l->n_edge_tiles), .span_tiles = NUMBER(span_tiles), .n_spans = NUMBER(l->n_spans),
		.capacity = NUMBER(l->capacity), .row_stride = NUMBER(l->row_stride), .n_bins = NUMBER(l->n_bins)));
	if (l->walks_lists)
		RETURN_IF_ERROR(LAUNCH(plan->context, cycle_bounds, l->n_bins,
				       ITEMS(l->capacity / CLPAC_CYCLE_STRIDE(l->n_bins), rows, 1),
				       .edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]),
				       .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]), .capacity = NUMBER(l->capacity),
				       .n_bins = NUMBER(l->n_bins)));
	/* Rows lie in the second dimension where a work-group should not have many. */
	const size_t rows_of_line = l->vector_width == 1 ? 1 : rows;
	return LAUNCH(plan->context, phase_line, l->n_bins, ITEMS(rows_of_line, rows / rows_of_line, 1),
		      .edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]), .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]),
		      .jitter = BLOCK(tensor[CLPAC__TENSOR_JITTER]), .capacity = NUMBER(l->capacity),
		      .n_spans = NUMBER(l->n_spans), .span_rows = NUMBER(l->span * l->row_stride),
		      .n_bins = NUMBER(l->n_bins));
}
