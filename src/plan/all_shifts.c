/* The indices of all circular shifts: transforms of the amplitudes of all series, then, for one phase band of one
 * series after the other, of its bins and of their products with some amplitude bands at a time. */
#include "plan/all_shifts.h"

#include "plan/launch.h"

/* Each of two indices is off by up to 3e-6 of itself for its sums of N terms and polynomials (doc/maths.md).  Beside
 * that, transforms with noise of e = CLPAC__FFT_ERROR move the relative heights d of the bins: by the inequality of
 * Cauchy and Schwarz an index by 2 e sqrt(index x mean index) in one deviation of the noise, 2.4e-6 of an index near
 * the mean in four.  The worst of two million indices of noise was off by 1.3e-6 with FFTW and by 4.2e-6 on PoCL. */
const double clpac__all_shifts_error = 1e-5;

static clpac_status transform_amplitudes(clpac_plan *plan, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *part = plan->parts;
	TRY(LAUNCH(plan->context, shifted_amplitudes, 0, ITEMS(shifted->length, l->n_amplitude, n),
		   .prefix = BLOCK(part[CLPAC__PART_AMPLITUDE]), .totals = BLOCK(part[CLPAC__PART_TOTALS]),
		   .rows = BLOCK(part[CLPAC__PART_SHIFTED_ROWS]), .n_samples = NUMBER(l->kept),
		   .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		   .length = NUMBER(shifted->length), .n_bands = NUMBER(l->n_amplitude)));
	TRY(clpac__transform(&plan->transforms, plan->transforms.shifted_amplitudes, part[CLPAC__PART_SHIFTED_ROWS],
			     part[CLPAC__PART_SHIFTED_AMPLITUDES], part[CLPAC__PART_FFT], n * l->n_amplitude, err));
	TRY(LAUNCH(plan->context, mirror, 0, ITEMS(shifted->length / 2 - 1, n * l->n_amplitude, 1),
		   .spectrum = BLOCK(part[CLPAC__PART_SHIFTED_AMPLITUDES]), .length = NUMBER(shifted->length)));
done:
	return st;
}

/* A phase band of a series. */
typedef struct phase_of_series {
	size_t series, phase, row;
} phase_of_series;

static clpac_status transform_phase(clpac_plan *plan, const phase_of_series *at, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *phases = plan->parts[CLPAC__PART_SHIFTED_PHASES];
	TRY(LAUNCH(plan->context, bin_pairs, 0, ITEMS(shifted->length, shifted->n_pairs, 1),
		   .bins = BLOCK(plan->parts[CLPAC__PART_BINS]), .phases = BLOCK(phases), .n_samples = NUMBER(l->kept),
		   .bin_stride = NUMBER(l->bin_stride), .row = NUMBER(at->row), .length = NUMBER(shifted->length)));
	TRY(clpac__transform(&plan->transforms, plan->transforms.shifted_phases, phases, phases,
			     plan->parts[CLPAC__PART_FFT], shifted->n_pairs, err));
done:
	return st;
}

/* The sums of all shifts for n_bands amplitude bands, first_band and up. */
static clpac_status sum_bands(clpac_plan *plan, const phase_of_series *at, size_t first_band, size_t n_bands,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *amplitudes = plan->parts[CLPAC__PART_SHIFTED_AMPLITUDES];
	clpac_buffer *phases = plan->parts[CLPAC__PART_SHIFTED_PHASES];
	clpac_buffer *products = plan->parts[CLPAC__PART_SHIFTED_PRODUCTS];
	const size_t first_row = at->series * l->n_amplitude + first_band;
	const double scale = 1.0 / (double)shifted->length;
	if (shifted->gap == 1)
		TRY(LAUNCH(plan->context, shift_products, 0, ITEMS(shifted->length, shifted->n_pairs, n_bands),
			   .amplitudes = BLOCK(amplitudes), .phases = BLOCK(phases), .products = BLOCK(products),
			   .length = NUMBER(shifted->length), .first_row = NUMBER(first_row),
			   .n_pairs = NUMBER(shifted->n_pairs), .scale = REAL(scale)));
	else
		TRY(LAUNCH(plan->context, folded_products, 0, ITEMS(shifted->n_values, shifted->n_pairs, n_bands),
			   .amplitudes = BLOCK(amplitudes), .phases = BLOCK(phases), .products = BLOCK(products),
			   .length = NUMBER(shifted->length), .gap = NUMBER(shifted->gap),
			   .first_row = NUMBER(first_row), .n_pairs = NUMBER(shifted->n_pairs), .scale = REAL(scale)));
	TRY(clpac__transform(&plan->transforms, plan->transforms.shifted_products, products, products,
			     plan->parts[CLPAC__PART_FFT], n_bands * shifted->n_pairs, err));
done:
	return st;
}

static clpac_status indices_of_phase(clpac_plan *plan, const phase_of_series *at, size_t first_shift, size_t n_shifts,
				     clpac_buffer *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *part = plan->parts;
	TRY(transform_phase(plan, at, err));
	for (size_t band = 0; band < l->n_amplitude; band += shifted->bands) {
		const size_t left = l->n_amplitude - band, n_bands = left < shifted->bands ? left : shifted->bands;
		TRY(sum_bands(plan, at, band, n_bands, err));
		TRY(LAUNCH(plan->context, indices_of_shifts, l->n_bins,
			   ITEMS((n_shifts + l->vector_width - 1) / l->vector_width, n_bands, 1),
			   .products = BLOCK(part[CLPAC__PART_SHIFTED_PRODUCTS]),
			   .weights = BLOCK(part[CLPAC__PART_WEIGHTS]), .level = BLOCK(part[CLPAC__PART_LEVEL]),
			   .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .indices = BLOCK(out),
			   .n_values = NUMBER(shifted->n_values), .gap = NUMBER(shifted->gap),
			   .series = NUMBER(at->series), .phase = NUMBER(at->phase), .first_band = NUMBER(band),
			   .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
			   .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
			   .padded = NUMBER(l->padded), .n_bins = NUMBER(l->n_bins),
			   .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm)));
	}
done:
	return st;
}

clpac_status clpac__all_shifts_indices(clpac_plan *plan, size_t n, size_t first_shift, size_t n_shifts,
				       clpac_buffer *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_phase = plan->layout.n_phase;
	TRY(transform_amplitudes(plan, n, err));
	for (size_t row = 0; row < n * n_phase; row++) {
		const phase_of_series at = {row / n_phase, row % n_phase, row};
		TRY(indices_of_phase(plan, &at, first_shift, n_shifts, out, err));
	}
done:
	return st;
}
