#include "coupling/passes/linear.h"

#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/passes/correlation.h"
#include "coupling/passes/filter_banks.h"
#include "coupling/layout/launch.h"
#include "shared/measures.h"
#include "coupling/signal/statistics.h"

_Static_assert(CLPAC_MEASURE_OF_ENTROPY == CLPAC_MEASURE_MI && CLPAC_MEASURE_OF_HEIGHTS == CLPAC_MEASURE_HR &&
		       CLPAC_MEASURE_OF_VECTOR == CLPAC_MEASURE_MVL && CLPAC_MEASURE_OF_CENTRED == CLPAC_MEASURE_DPAC &&
		       CLPAC_MEASURE_OF_UNIT_VECTOR == CLPAC_MEASURE_NDPAC &&
		       CLPAC_MEASURE_OF_REGRESSION == CLPAC_MEASURE_GLM &&
		       CLPAC_MEASURE_OF_INFORMATION == CLPAC_MEASURE_GCMI &&
		       CLPAC_MEASURE_OF_LOCKING == CLPAC_MEASURE_PLV,
	       "kernels and problems count the measures alike");

clpac_status clpac__linear_write(const clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = plan->layout.kept;
	float *scores = NULL;
	if (!plan->layout.has_ranks)
		goto done;
	TRY(NEW_ARRAY(scores, n));
	clpac__normal_scores(scores, n);
	TRY(clpac_buffer_write(plan->tensors[CLPAC__TENSOR_SCORES], 0, n * sizeof *scores, scores, err));
done:
	clpac__free(scores);
	return st;
}

clpac_status clpac__linear_score(const clpac_plan *plan, clpac__batch *batch, const clpac__scored *rows,
				 clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *keys = batch->tensors[CLPAC__TENSOR_KEYS], *merged = batch->tensors[CLPAC__TENSOR_MERGED];
	for (size_t run = 1; run < l->kept; run *= 2) {
		RETURN_IF_ERROR(LAUNCH(plan->context, merge_keys, 0, ITEMS(l->kept, rows->n, 1), .keys = BLOCK(keys),
				       .merged = BLOCK(merged), .n_samples = NUMBER(l->kept), .run = NUMBER(run)));
		clpac_buffer *other = keys;
		keys = merged;
		merged = other;
	}
	return LAUNCH(plan->context, normal_scores, 0, ITEMS(l->kept, rows->n, 1), .keys = BLOCK(keys),
		      .scores = BLOCK(batch->tensors[CLPAC__TENSOR_SCORES]), .values = BLOCK(rows->buffer),
		      .n_samples = NUMBER(l->kept), .first = NUMBER(rows->first), .stride = NUMBER(rows->stride),
		      .row_stride = NUMBER(rows->row_stride), .n_again = NUMBER(rows->n_again));
}

static clpac_status score_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t series, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t length = l->shifted.length, behind = length - l->kept;
	const clpac__scored rows = {.buffer = batch->tensors[CLPAC__TENSOR_SHIFTED_ROWS],
				    .n = l->n_amplitude,
				    .first = series * l->n_amplitude * length,
				    .stride = 1,
				    .row_stride = length,
				    .n_again = behind < l->kept - 1 ? behind : l->kept - 1};
	RETURN_IF_ERROR(LAUNCH(plan->context, sort_keys, 0, ITEMS(l->kept, rows.n, 1), .values = BLOCK(rows.buffer),
			       .keys = BLOCK(batch->tensors[CLPAC__TENSOR_KEYS]), .n_samples = NUMBER(l->kept),
			       .first = NUMBER(rows.first), .row_stride = NUMBER(rows.row_stride)));
	return clpac__linear_score(plan, batch, &rows, err);
}

/* Scores of the real parts of a series' vectors, or of the imaginary ones. */
static clpac_status score_vectors(const clpac_plan *plan, clpac__batch *batch, size_t series, size_t part,
				  clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__scored rows = {.buffer = batch->tensors[CLPAC__TENSOR_SCORED],
				    .n = l->n_phase,
				    .first = 2 * series * l->n_phase * l->kept + part,
				    .stride = 2,
				    .row_stride = 2 * l->kept};
	RETURN_IF_ERROR(LAUNCH(plan->context, direction_keys, 0, ITEMS(l->kept, rows.n, 1),
			       .vectors = BLOCK(batch->tensors[CLPAC__TENSOR_VECTORS]),
			       .keys = BLOCK(batch->tensors[CLPAC__TENSOR_KEYS]), .n_samples = NUMBER(l->kept),
			       .first_row = NUMBER(series * l->n_phase), .part = NUMBER(part)));
	return clpac__linear_score(plan, batch, &rows, err);
}

/* Scores of the amplitudes, in place, and of both parts of the vectors. */
static clpac_status score_all(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	for (size_t series = 0; series < n; series++) {
		RETURN_IF_ERROR(score_amplitudes(plan, batch, series, err));
		for (size_t part = 0; part < 2; part++)
			RETURN_IF_ERROR(score_vectors(plan, batch, series, part, err));
	}
	return CLPAC_OK;
}

/* The sums that no shift changes. */
static clpac_status find_facts(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_buffer *vectors,
			       clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(LAUNCH(plan->context, vector_sums, 0, ITEMS(l->n_tiles, n * l->n_phase, 1),
			       .vectors = BLOCK(vectors), .sums = BLOCK(tensor[CLPAC__TENSOR_VECTOR_SUMS]),
			       .n_samples = NUMBER(l->kept), .tile = NUMBER(l->tile), .n_tiles = NUMBER(l->n_tiles)));
	RETURN_IF_ERROR(LAUNCH(plan->context, vector_facts, 0, ITEMS(n * l->n_phase, 1, 1),
			       .sums = BLOCK(tensor[CLPAC__TENSOR_VECTOR_SUMS]),
			       .facts = BLOCK(tensor[CLPAC__TENSOR_VECTOR_FACTS]), .n_samples = NUMBER(l->kept),
			       .n_tiles = NUMBER(l->n_tiles)));
	RETURN_IF_ERROR(LAUNCH(plan->context, row_sums, 0, ITEMS(l->n_tiles, n * l->n_amplitude, 1),
			       .rows = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_ROWS]),
			       .sums = BLOCK(tensor[CLPAC__TENSOR_ROW_SUMS]), .n_samples = NUMBER(l->kept),
			       .length = NUMBER(l->shifted.length), .tile = NUMBER(l->tile),
			       .n_tiles = NUMBER(l->n_tiles)));
	return LAUNCH(plan->context, row_facts, 0, ITEMS(n * l->n_amplitude, 1, 1),
		      .sums = BLOCK(tensor[CLPAC__TENSOR_ROW_SUMS]), .facts = BLOCK(tensor[CLPAC__TENSOR_ROW_FACTS]),
		      .n_tiles = NUMBER(l->n_tiles));
}

/* Makes what the slow amplitude leaves of the vectors. */
static clpac_status leave_out_slow(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(LAUNCH(plan->context, slow_sums, 0, ITEMS(l->n_tiles, n * l->n_phase, 1),
			       .slow = BLOCK(tensor[CLPAC__TENSOR_SLOW]),
			       .sums = BLOCK(tensor[CLPAC__TENSOR_SLOW_SUMS]), .n_samples = NUMBER(l->kept),
			       .tile = NUMBER(l->tile), .n_tiles = NUMBER(l->n_tiles)));
	RETURN_IF_ERROR(LAUNCH(
		plan->context, slow_facts, 0, ITEMS(n * l->n_phase, 1, 1), .slow = BLOCK(tensor[CLPAC__TENSOR_SLOW]),
		.sums = BLOCK(tensor[CLPAC__TENSOR_SLOW_SUMS]), .facts = BLOCK(tensor[CLPAC__TENSOR_SLOW_FACTS]),
		.n_samples = NUMBER(l->kept), .n_tiles = NUMBER(l->n_tiles)));
	return LAUNCH(plan->context, vectors_beside, 0, ITEMS(l->kept, n * l->n_phase, 1),
		      .slow = BLOCK(tensor[CLPAC__TENSOR_SLOW]), .facts = BLOCK(tensor[CLPAC__TENSOR_SLOW_FACTS]),
		      .beside = BLOCK(tensor[CLPAC__TENSOR_BESIDE]), .n_samples = NUMBER(l->kept));
}

clpac_buffer *clpac__linear_vectors(const clpac__batch *batch, clpac_measure measure)
{
	return batch->tensors[measure == CLPAC_MEASURE_GCMI	 ? CLPAC__TENSOR_SCORED
			      : measure == CLPAC_MEASURE_PAC_GLM ? CLPAC__TENSOR_BESIDE
								 : CLPAC__TENSOR_VECTORS];
}

unsigned clpac__linear_formula(clpac_measure measure)
{
	return measure == CLPAC_MEASURE_PAC_GLM ? CLPAC_MEASURE_OF_REGRESSION : (unsigned)measure;
}

/* Shifts of each list, and where their indices go. */
struct wanted {
	size_t first, n; /* n 0: nothing */
	clpac_buffer *out;
};

static clpac_status take(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
			 const clpac__phases_of_series *at, size_t band, size_t n_bands, const struct wanted *wanted,
			 clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *tensor = batch->tensors;
	const bool are_in_turn = l->null == CLPAC_NULL_ALL_SHIFTS && wanted->first > 0;
	const size_t n_vectors = clpac__vectors(l, wanted->n);
	return LAUNCH(
		plan->context, linear_measures, 0,
		ITEMS((n_vectors + CLPAC_SHIFT_VECTORS - 1) / CLPAC_SHIFT_VECTORS, clpac__vectors(l, n_bands), at->n),
		.products = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_PRODUCTS]),
		.vector_facts = BLOCK(tensor[CLPAC__TENSOR_VECTOR_FACTS]),
		.row_facts = BLOCK(tensor[CLPAC__TENSOR_ROW_FACTS]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
		.shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .indices = BLOCK(wanted->out),
		.n_values = NUMBER(shifted->n_values), .gap = NUMBER(shifted->gap), .n_rows = NUMBER(at->n),
		.series = NUMBER(at->series), .phase = NUMBER(at->phase), .first_band = NUMBER(band),
		.n_bands = NUMBER(n_bands), .first_shift = NUMBER(wanted->first), .n_shifts = NUMBER(wanted->n),
		.shift_stride = NUMBER(l->n_surrogates + 1), .are_in_turn = NUMBER(are_in_turn),
		.n_phase = NUMBER(l->n_phase), .n_amplitude = NUMBER(l->n_amplitude), .padded = NUMBER(l->padded),
		.n_samples = NUMBER(l->kept), .measure = NUMBER(clpac__linear_formula(measure)));
}

/* Puts the vectors of rows into sequences to be transformed, `sequence` and up, of which n_again samples follow once
 * more. */
static clpac_status lay_out(const clpac_plan *plan, clpac__batch *batch, clpac_buffer *vectors,
			    const clpac__phases_of_series *at, size_t sequence, size_t n_again, clpac_error *err)
{
	const size_t length = plan->layout.shifted.length;
	return LAUNCH(plan->context, vector_row, 0, ITEMS(length, at->n, 1), .vectors = BLOCK(vectors),
		      .phases = BLOCK(batch->tensors[CLPAC__TENSOR_SHIFTED_PHASES]),
		      .n_samples = NUMBER(plan->layout.kept), .length = NUMBER(length), .row = NUMBER(at->row),
		      .first = NUMBER(sequence * length), .n_again = NUMBER(n_again));
}

static clpac_status measures_of_phases(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
				       const clpac__phases_of_series *at, clpac_buffer *vectors,
				       const struct wanted wanted[2], clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	RETURN_IF_ERROR(lay_out(plan, batch, vectors, at, 0, 0, err));
	RETURN_IF_ERROR(clpac__correlation_phases(batch, at->n, err));
	for (size_t band = 0; band < l->n_amplitude; band += shifted->bands) {
		const size_t left = l->n_amplitude - band, n_bands = left < shifted->bands ? left : shifted->bands;
		RETURN_IF_ERROR(clpac__correlate(plan, batch, at, at->n, band, n_bands, err));
		for (size_t i = 0; i < 2; i++)
			if (wanted[i].n)
				RETURN_IF_ERROR(take(plan, batch, measure, at, band, n_bands, &wanted[i], err));
	}
	return CLPAC_OK;
}

/* Phase locking of one amplitude band with one phase band. */
static clpac_status lock(const clpac_plan *plan, clpac__batch *batch, const clpac__phases_of_series *at, size_t band,
			 const struct wanted wanted[2], clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *tensor = batch->tensors;
	clpac_buffer *products = tensor[CLPAC__TENSOR_SHIFTED_PRODUCTS];
	const size_t behind = shifted->length - l->kept, n_again = behind < l->kept - 1 ? behind : l->kept - 1;
	RETURN_IF_ERROR(lay_out(plan, batch, tensor[CLPAC__TENSOR_VECTORS], at, 0, 0, err));
	RETURN_IF_ERROR(lay_out(plan, batch, tensor[CLPAC__TENSOR_ENVELOPE_VECTORS], at, 1, n_again, err));
	RETURN_IF_ERROR(clpac__correlation_phases(batch, 2, err));
	RETURN_IF_ERROR(LAUNCH(plan->context, locking_products, 0, ITEMS(shifted->n_values, 1, 1),
			       .phases = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_PHASES]), .products = BLOCK(products),
			       .length = NUMBER(shifted->length), .n_values = NUMBER(shifted->n_values),
			       .scale = REAL(1.0 / (double)shifted->length)));
	RETURN_IF_ERROR(clpac__transform(&batch->transforms, batch->transforms.shifted_products, products, products,
					 tensor[CLPAC__TENSOR_FFT], 1, err));
	for (size_t i = 0; i < 2; i++)
		if (wanted[i].n)
			RETURN_IF_ERROR(take(plan, batch, CLPAC_MEASURE_PLV, at, band, 1, &wanted[i], err));
	return CLPAC_OK;
}

/* Amplitudes are filtered in the phase bands, one amplitude band of all series after the other. */
static clpac_status lock_all(const clpac_plan *plan, clpac__batch *batch, size_t n, const struct wanted wanted[2],
			     clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	for (size_t band = 0; band < l->n_amplitude; band++) {
		RETURN_IF_ERROR(LAUNCH(plan->context, envelope_row, 0, ITEMS(l->kept, n, 1),
				       .rows = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_ROWS]),
				       .envelope = BLOCK(tensor[CLPAC__TENSOR_ENVELOPE]), .n_samples = NUMBER(l->kept),
				       .length = NUMBER(l->shifted.length), .n_bands = NUMBER(l->n_amplitude),
				       .band = NUMBER(band)));
		RETURN_IF_ERROR(clpac__banks_vectors(plan, batch, n, tensor[CLPAC__TENSOR_ENVELOPE],
						     tensor[CLPAC__TENSOR_ENVELOPE_VECTORS], err));
		for (size_t row = 0; row < n * l->n_phase; row++) {
			clpac__phases_of_series at = clpac__phases_from(plan, row);
			at.n = 1;
			RETURN_IF_ERROR(lock(plan, batch, &at, band, wanted, err));
		}
	}
	return CLPAC_OK;
}

/* The transforms that give the observed indices also give those of the surrogates, whose first chunk comes with them.
 */
clpac_status clpac__linear_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				   size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const bool is_scored = measure == CLPAC_MEASURE_GCMI, is_there = first_shift == 1 && batch->n_ahead == n_shifts;
	clpac_buffer *vectors = clpac__linear_vectors(batch, measure);
	struct wanted wanted[2] = {{first_shift, n_shifts, out}};
	batch->n_ahead = 0;
	if (is_there)
		return CLPAC_OK;
	if (first_shift == 0 && l->n_surrogates && !clpac__has_variants(l)) {
		const size_t n_ahead = l->chunk < l->n_surrogates ? l->chunk : l->n_surrogates;
		wanted[1] = (struct wanted){1, n_ahead, batch->tensors[CLPAC__TENSOR_CHUNK]};
	}
	RETURN_IF_ERROR(clpac__correlation_rows(plan, batch, n, err));
	if (is_scored)
		RETURN_IF_ERROR(score_all(plan, batch, n, err));
	if (measure == CLPAC_MEASURE_PAC_GLM)
		RETURN_IF_ERROR(leave_out_slow(plan, batch, n, err));
	RETURN_IF_ERROR(find_facts(plan, batch, n, vectors, err));
	if (measure == CLPAC_MEASURE_PLV)
		RETURN_IF_ERROR(lock_all(plan, batch, n, wanted, err));
	else
		RETURN_IF_ERROR(clpac__correlation_amplitudes(plan, batch, n, err));
	for (size_t row = 0; row < n * l->n_phase && measure != CLPAC_MEASURE_PLV;) {
		const clpac__phases_of_series at = clpac__phases_from(plan, row);
		RETURN_IF_ERROR(measures_of_phases(plan, batch, measure, &at, vectors, wanted, err));
		row += at.n;
	}
	batch->n_ahead = wanted[1].n;
	return CLPAC_OK;
}
