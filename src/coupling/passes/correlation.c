#include "coupling/passes/correlation.h"

#include "coupling/layout/launch.h"

clpac__phases_of_series clpac__phases_from(const clpac_plan *plan, size_t row)
{
	const size_t n_phase = plan->layout.n_phase, phase = row % n_phase, left = n_phase - phase;
	const size_t at_once = plan->layout.shifted.phases;
	return (clpac__phases_of_series){
		.series = row / n_phase, .phase = phase, .n = left < at_once ? left : at_once, .row = row};
}

clpac_status clpac__correlation_rows(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH(plan->context, shifted_amplitudes, 0, ITEMS(l->shifted.length, l->n_amplitude, n),
		      .prefix = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]), .totals = BLOCK(tensor[CLPAC__TENSOR_TOTALS]),
		      .rows = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_ROWS]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .length = NUMBER(l->shifted.length), .n_bands = NUMBER(l->n_amplitude));
}

clpac_status clpac__correlation_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	return clpac__transform_whole(plan->context, &batch->transforms, batch->transforms.shifted_amplitudes,
				      tensor[CLPAC__TENSOR_SHIFTED_ROWS], tensor[CLPAC__TENSOR_SHIFTED_AMPLITUDES],
				      tensor[CLPAC__TENSOR_FFT], n * l->n_amplitude, l->shifted.length, err);
}

clpac_status clpac__correlation_phases(clpac__batch *batch, size_t n_sequences, clpac_error *err)
{
	clpac_buffer *phases = batch->tensors[CLPAC__TENSOR_SHIFTED_PHASES];
	return clpac__transform(&batch->transforms, batch->transforms.shifted_phases, phases, phases,
				batch->tensors[CLPAC__TENSOR_FFT], n_sequences, err);
}

clpac_status clpac__correlate(const clpac_plan *plan, clpac__batch *batch, const clpac__phases_of_series *at,
			      size_t n_sequences, size_t first_band, size_t n_bands, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *amplitudes = batch->tensors[CLPAC__TENSOR_SHIFTED_AMPLITUDES];
	clpac_buffer *phases = batch->tensors[CLPAC__TENSOR_SHIFTED_PHASES];
	clpac_buffer *products = batch->tensors[CLPAC__TENSOR_SHIFTED_PRODUCTS];
	const size_t first_row = at->series * l->n_amplitude + first_band;
	const double scale = 1.0 / (double)shifted->length;
	if (shifted->gap == 1)
		RETURN_IF_ERROR(LAUNCH(plan->context, shift_products, 0, ITEMS(shifted->length, n_sequences, n_bands),
				       .amplitudes = BLOCK(amplitudes), .phases = BLOCK(phases),
				       .products = BLOCK(products), .length = NUMBER(shifted->length),
				       .first_row = NUMBER(first_row), .n_sequences = NUMBER(n_sequences),
				       .scale = REAL(scale)));
	else
		RETURN_IF_ERROR(LAUNCH(
			plan->context, folded_products, 0, ITEMS(shifted->n_values, n_sequences, n_bands),
			.amplitudes = BLOCK(amplitudes), .phases = BLOCK(phases), .products = BLOCK(products),
			.length = NUMBER(shifted->length), .gap = NUMBER(shifted->gap), .first_row = NUMBER(first_row),
			.n_sequences = NUMBER(n_sequences), .scale = REAL(scale)));
	return clpac__transform(&batch->transforms, batch->transforms.shifted_products, products, products,
				batch->tensors[CLPAC__TENSOR_FFT], n_bands * n_sequences, err);
}
