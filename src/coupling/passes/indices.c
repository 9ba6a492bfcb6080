#include "coupling/passes/indices.h"

#include "coupling/layout/launch.h"
#include "coupling/passes/all_shifts.h"
#include "coupling/passes/linear.h"
#include "coupling/passes/variants.h"
#include "coupling/passes/slabs.h"

static clpac_status modulation_index(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH(plan->context, modulation_index, l->n_bins,
		      ITEMS(l->groups * ((n_shifts + l->together - 1) / l->together), l->n_phase, n),
		      .prefix = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .totals = BLOCK(tensor[CLPAC__TENSOR_TOTALS]),
		      .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]), .edges = BLOCK(tensor[CLPAC__TENSOR_EDGES]),
		      .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]), .weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]),
		      .shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .counts = BLOCK(tensor[CLPAC__TENSOR_COUNTS]),
		      .indices = BLOCK(out), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
		      .means = BLOCK(tensor[CLPAC__TENSOR_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
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
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH(plan->context, modulation_index_direct, l->n_bins, ITEMS(l->groups * n_shifts, l->n_phase, n),
		      .prefix = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .totals = BLOCK(tensor[CLPAC__TENSOR_TOTALS]),
		      .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]), .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
		      .starts = BLOCK(tensor[CLPAC__TENSOR_STARTS]), .weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]),
		      .shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .counts = BLOCK(tensor[CLPAC__TENSOR_COUNTS]),
		      .indices = BLOCK(out), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
		      .means = BLOCK(tensor[CLPAC__TENSOR_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		      .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
		      .bin_stride = NUMBER(l->bin_stride), .n_bins = NUMBER(l->n_bins),
		      .is_for_all = NUMBER(is_for_all), .measure = NUMBER(measure),
		      .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm));
}

clpac_status clpac__indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
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
		return clpac__slabs_indices(plan, batch, measure, n, first_shift, n_shifts, out, err);
	}
	if (summing != CLPAC__DIRECTLY)
		RETURN_IF_ERROR(modulation_index(plan, batch, measure, n, first_shift, n_shifts, out, err));
	if (summing != CLPAC__BY_EDGES)
		RETURN_IF_ERROR(modulation_index_direct(plan, batch, measure, n, summing == CLPAC__DIRECTLY,
							first_shift, n_shifts, out, err));
	return CLPAC_OK;
}

/* The distributions come with an index of bins; a linear measure, which has none, takes its place. */
clpac_status clpac__indices_observed(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     clpac__summing summing, clpac_error *err)
{
	const bool is_linear = clpac_measure_is_linear(measure);
	clpac_buffer *observed = batch->tensors[CLPAC__TENSOR_OBSERVED];
	RETURN_IF_ERROR(
		clpac__indices(plan, batch, is_linear ? CLPAC_MEASURE_MI : measure, n, summing, 0, 1, observed, err));
	if (is_linear)
		RETURN_IF_ERROR(clpac__indices(plan, batch, measure, n, summing, 0, 1, observed, err));
	return CLPAC_OK;
}

bool clpac__observes_with_surrogates(const clpac__layout *layout, clpac_measure measure)
{
	return layout->together == 1 && layout->n_surrogates && layout->null == CLPAC_NULL_SHIFTS &&
	       !clpac_measure_is_linear(measure);
}
