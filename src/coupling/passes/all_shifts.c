/* The binned indices of all circular shifts, from correlations of the amplitudes with pairs of bins. */
#include "coupling/passes/all_shifts.h"

#include "coupling/passes/correlation.h"
#include "coupling/layout/launch.h"

/* Each of two indices is off by up to 3e-6 of itself for its sums of N terms and polynomials (doc/maths.md).  Beside
 * that, transforms with noise of e = CLPAC__FFT_ERROR move the relative heights d of the bins: by the inequality of
 * Cauchy and Schwarz an index by 2 e sqrt(index x mean index) in one deviation of the noise, 2.4e-6 of an index near
 * the mean in four.  The worst of two million indices of noise was off by 1.3e-6 natively (FFTW, then) and by 4.2e-6
 * on PoCL. */
const double clpac__all_shifts_error = 1e-5;

static clpac_status indices_of_phases(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
				      const clpac__phases_of_series *at, size_t first_shift, size_t n_shifts,
				      clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *tensor = batch->tensors;
	const size_t n_pairs = (l->n_bins + 1) / 2;
	RETURN_IF_ERROR(LAUNCH(plan->context, bin_pairs, 0, ITEMS(shifted->length, n_pairs, at->n),
			       .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
			       .phases = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_PHASES]), .n_samples = NUMBER(l->kept),
			       .bin_stride = NUMBER(l->bin_stride), .row = NUMBER(at->row),
			       .length = NUMBER(shifted->length), .n_pairs = NUMBER(n_pairs)));
	RETURN_IF_ERROR(clpac__correlation_phases(batch, at->n * n_pairs, err));
	for (size_t band = 0; band < l->n_amplitude; band += shifted->bands) {
		const size_t left = l->n_amplitude - band, n_bands = left < shifted->bands ? left : shifted->bands;
		RETURN_IF_ERROR(clpac__correlate(plan, batch, at, at->n * n_pairs, band, n_bands, err));
		RETURN_IF_ERROR(LAUNCH(
			plan->context, indices_of_shifts, l->n_bins,
			ITEMS(clpac__vectors(l, n_shifts), clpac__vectors(l, n_bands), at->n),
			.products = BLOCK(tensor[CLPAC__TENSOR_SHIFTED_PRODUCTS]),
			.weights = BLOCK(tensor[CLPAC__TENSOR_WEIGHTS]), .level = BLOCK(tensor[CLPAC__TENSOR_LEVEL]),
			.shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .indices = BLOCK(out),
			.n_values = NUMBER(shifted->n_values), .gap = NUMBER(shifted->gap), .n_rows = NUMBER(at->n),
			.series = NUMBER(at->series), .phase = NUMBER(at->phase), .first_band = NUMBER(band),
			.n_bands = NUMBER(n_bands), .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
			.shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
			.padded = NUMBER(l->padded), .n_bins = NUMBER(l->n_bins), .measure = NUMBER(measure),
			.mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm)));
	}
	return CLPAC_OK;
}

clpac_status clpac__all_shifts_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				       size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__correlation_rows(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__correlation_amplitudes(plan, batch, n, err));
	for (size_t row = 0; row < n * plan->layout.n_phase;) {
		const clpac__phases_of_series at = clpac__phases_from(plan, row);
		RETURN_IF_ERROR(indices_of_phases(plan, batch, measure, &at, first_shift, n_shifts, out, err));
		row += at.n;
	}
	return CLPAC_OK;
}
