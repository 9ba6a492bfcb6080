#include "coupling/passes/linear_variants.h"

#include "coupling/passes/filter_banks.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/linear.h"
#include "shared/maps.h"

_Static_assert(CLPAC_NULL_OF_TRIALS == CLPAC_NULL_TRIALS && CLPAC_NULL_OF_BLOCKS == CLPAC_NULL_BLOCKS &&
		       CLPAC_NULL_OF_PHASES == CLPAC_NULL_PHASES,
	       "kernels and problems count the nulls alike");

/* Amplitudes that surrogates take: prefix sums of slots, or of the batch, whose blocks stay where they are. */
typedef struct matrices {
	clpac_buffer *prefix, *totals, *level;
} matrices;

static matrices matrices_of(const clpac_plan *plan, clpac__batch *batch)
{
	clpac_buffer *const *tensor = batch->tensors;
	if (plan->layout.null == CLPAC_NULL_BLOCKS)
		return (matrices){tensor[CLPAC__TENSOR_AMPLITUDE], tensor[CLPAC__TENSOR_TOTALS],
				  tensor[CLPAC__TENSOR_LEVEL]};
	return (matrices){tensor[CLPAC__TENSOR_VARIANTS], tensor[CLPAC__TENSOR_VARIANT_TOTALS],
			  tensor[CLPAC__TENSOR_VARIANT_LEVEL]};
}

/* The draws; observed indices stand in for them where there are none, since a kernel's argument must be a buffer even
 * if it is not read. */
static clpac_buffer *draws_of(const clpac_plan *plan, clpac__batch *batch)
{
	return batch->tensors[plan->layout.null == CLPAC_NULL_PHASES ? CLPAC__TENSOR_OBSERVED : CLPAC__TENSOR_DRAWS];
}

/* One band of the amplitudes of n matrices, in rows of their own. */
static clpac_status take_band(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t band, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const matrices from = matrices_of(plan, batch);
	return LAUNCH(plan->context, band_row, 0, ITEMS(l->kept, n, 1), .prefix = BLOCK(from.prefix),
		      .totals = BLOCK(from.totals), .rows = BLOCK(batch->tensors[CLPAC__TENSOR_ENVELOPE]),
		      .n_samples = NUMBER(l->kept), .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride),
		      .groups = NUMBER(l->groups), .band = NUMBER(band));
}

/* Normal scores of n matrices, in the order of prefix sums with as many rows as samples. */
static clpac_status score_matrices(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t width = l->vector_width;
	for (size_t band = 0; band < l->n_amplitude; band++) {
		const size_t group = band / width;
		const clpac__scored rows = {.buffer = batch->tensors[CLPAC__TENSOR_SCORED_MATRICES],
					    .n = n,
					    .first = clpac__place_of_group(l, group, l->kept) * width + band % width,
					    .stride = l->row_stride * width,
					    .row_stride = l->kept * l->padded};
		RETURN_IF_ERROR(take_band(plan, batch, n, band, err));
		RETURN_IF_ERROR(LAUNCH(plan->context, sort_keys, 0, ITEMS(l->kept, n, 1),
				       .values = BLOCK(batch->tensors[CLPAC__TENSOR_ENVELOPE]),
				       .keys = BLOCK(batch->tensors[CLPAC__TENSOR_KEYS]), .n_samples = NUMBER(l->kept),
				       .first = NUMBER(0), .row_stride = NUMBER(l->kept)));
		RETURN_IF_ERROR(clpac__linear_score(plan, batch, &rows, err));
	}
	return CLPAC_OK;
}

static clpac_status multiply(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
			     const clpac__of_slots *of, clpac_buffer *out, clpac_error *err)
{
	enum { PHASES_OF_ITEM = 4 }; /* as in cl/linear_variants.cl */
	const clpac__layout *l = &plan->layout;
	const matrices from = matrices_of(plan, batch);
	const bool is_scored = measure == CLPAC_MEASURE_GCMI;
	clpac_buffer *const *tensor = batch->tensors;
	clpac_buffer *exponents = tensor[CLPAC__TENSOR_EXPONENTS],
		     *of_matrices = tensor[CLPAC__TENSOR_VARIANT_EXPONENTS];
	return LAUNCH(
		plan->context, linear_variants, 0,
		ITEMS(l->groups * of->n_taken, (l->n_phase + PHASES_OF_ITEM - 1) / PHASES_OF_ITEM, of->n),
		.matrices = BLOCK(is_scored ? tensor[CLPAC__TENSOR_SCORED_MATRICES] : from.prefix),
		.totals = BLOCK(from.totals), .level = BLOCK(from.level),
		.vectors = BLOCK(clpac__linear_vectors(batch, measure)),
		.vector_facts = BLOCK(tensor[CLPAC__TENSOR_VECTOR_FACTS]),
		.exponents = BLOCK(exponents ? exponents : tensor[CLPAC__TENSOR_OBSERVED]),
		.of_matrices = BLOCK(of_matrices ? of_matrices : tensor[CLPAC__TENSOR_OBSERVED]),
		.draws = BLOCK(draws_of(plan, batch)), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
		.indices = BLOCK(out), .n_samples = NUMBER(l->kept), .n_rows = NUMBER(is_scored ? l->kept : l->rows),
		.row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups), .first_series = NUMBER(of->series),
		.first_surrogate = NUMBER(of->surrogate), .n_surrogates = NUMBER(l->n_surrogates),
		.first_matrix = NUMBER(of->first_matrix), .n_matrices = NUMBER(of->n_matrices),
		.first_place = NUMBER(of->place), .n_taken = NUMBER(of->n_taken), .n_shifts = NUMBER(of->n_shifts),
		.n_phase = NUMBER(l->n_phase), .n_blocks = NUMBER(l->n_blocks), .tile = NUMBER(l->tile),
		.null = NUMBER(l->null), .measure = NUMBER(clpac__linear_formula(measure)));
}

/* The matrices' amplitudes are filtered in the phase bands, one amplitude band after the other. */
static clpac_status lock(const clpac_plan *plan, clpac__batch *batch, const clpac__of_slots *of, clpac_buffer *out,
			 clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	for (size_t band = 0; band < l->n_amplitude; band++) {
		RETURN_IF_ERROR(take_band(plan, batch, of->n_matrices, band, err));
		RETURN_IF_ERROR(clpac__banks_vectors(plan, batch, of->n_matrices, tensor[CLPAC__TENSOR_ENVELOPE],
						     tensor[CLPAC__TENSOR_ENVELOPE_VECTORS], err));
		RETURN_IF_ERROR(LAUNCH(
			plan->context, locking_variants, 0, ITEMS(of->n_taken, l->n_phase, of->n),
			.envelopes = BLOCK(tensor[CLPAC__TENSOR_ENVELOPE_VECTORS]),
			.level = BLOCK(matrices_of(plan, batch).level), .vectors = BLOCK(tensor[CLPAC__TENSOR_VECTORS]),
			.draws = BLOCK(draws_of(plan, batch)), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
			.indices = BLOCK(out), .n_samples = NUMBER(l->kept), .padded = NUMBER(l->padded),
			.band = NUMBER(band), .first_series = NUMBER(of->series),
			.first_surrogate = NUMBER(of->surrogate), .n_surrogates = NUMBER(l->n_surrogates),
			.first_matrix = NUMBER(of->first_matrix), .n_matrices = NUMBER(of->n_matrices),
			.first_place = NUMBER(of->place), .n_taken = NUMBER(of->n_taken),
			.n_shifts = NUMBER(of->n_shifts), .n_phase = NUMBER(l->n_phase),
			.n_blocks = NUMBER(l->n_blocks), .tile = NUMBER(l->tile), .null = NUMBER(l->null)));
	}
	return CLPAC_OK;
}

clpac_status clpac__linear_of_slots(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
				    const clpac__of_slots *of, bool are_new, clpac_buffer *out, clpac_error *err)
{
	if (measure == CLPAC_MEASURE_PLV) {
		return lock(plan, batch, of, out, err);
	}
	if (measure == CLPAC_MEASURE_GCMI && are_new)
		RETURN_IF_ERROR(score_matrices(plan, batch, of->n_matrices, err));
	return multiply(plan, batch, measure, of, out, err);
}
