/* The indices of all circular shifts: transforms of the amplitudes, then phase band by phase band those of its bins and,
 * for some amplitude bands at a time, of their products. */
#include "plan/all_shifts.h"

#include "plan/launch.h"

/* The largest of 1.2 million indices of noise was off by 6e-7 (tests/property/all_shifts_laws.c). */
const double clpac__all_shifts_error = 2e-6;

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
	TRY(clpac__transform(&plan->transforms, plan->transforms.shifted_amplitudes,
			     part[CLPAC__PART_SHIFTED_ROWS], part[CLPAC__PART_SHIFTED_AMPLITUDES],
			     part[CLPAC__PART_FFT], n * l->n_amplitude, err));
	TRY(LAUNCH(plan->context, mirror, 0, ITEMS(shifted->length / 2 - 1, n * l->n_amplitude, 1),
		   .spectrum = BLOCK(part[CLPAC__PART_SHIFTED_AMPLITUDES]), .length = NUMBER(shifted->length)));
done:
	return st;
}

static clpac_status transform_phase(clpac_plan *plan, size_t n, size_t phase, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *part = plan->parts;
	TRY(LAUNCH(plan->context, bin_pairs, 0, ITEMS(shifted->length, shifted->n_pairs, n),
		   .bins = BLOCK(part[CLPAC__PART_BINS]), .phases = BLOCK(part[CLPAC__PART_SHIFTED_PHASES]),
		   .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .n_phase = NUMBER(l->n_phase),
		   .phase = NUMBER(phase), .length = NUMBER(shifted->length), .n_pairs = NUMBER(shifted->n_pairs)));
	TRY(clpac__transform(&plan->transforms, plan->transforms.shifted_phases, part[CLPAC__PART_SHIFTED_PHASES],
			     part[CLPAC__PART_SHIFTED_PHASES], part[CLPAC__PART_FFT], n * shifted->n_pairs, err));
done:
	return st;
}

/* Whether n_shifts shifts from first_shift on follow each other in every series, one gap apart. */
static bool are_dense(const clpac_plan *plan)
{
	return plan->problem->null == CLPAC_NULL_ALL_SHIFTS;
}

static clpac_status indices_of_bands(clpac_plan *plan, size_t n, size_t phase, size_t first_band, size_t n_bands,
				     size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__shifted *shifted = &l->shifted;
	clpac_buffer *const *part = plan->parts;
	TRY(LAUNCH(plan->context, shift_products, 0, ITEMS(shifted->n_values, n_bands * shifted->n_pairs, n),
		   .amplitudes = BLOCK(part[CLPAC__PART_SHIFTED_AMPLITUDES]),
		   .phases = BLOCK(part[CLPAC__PART_SHIFTED_PHASES]),
		   .products = BLOCK(part[CLPAC__PART_SHIFTED_PRODUCTS]), .length = NUMBER(shifted->length),
		   .gap = NUMBER(shifted->gap), .n_bands = NUMBER(l->n_amplitude), .first_band = NUMBER(first_band),
		   .n_pairs = NUMBER(shifted->n_pairs), .at_once = NUMBER(n_bands),
		   .scale = REAL(1.0 / (double)shifted->length)));
	TRY(clpac__transform(&plan->transforms, plan->transforms.shifted_products, part[CLPAC__PART_SHIFTED_PRODUCTS],
			     part[CLPAC__PART_SHIFTED_PRODUCTS], part[CLPAC__PART_FFT],
			     n * n_bands * shifted->n_pairs, err));
	TRY(LAUNCH(plan->context, indices_of_shifts, l->n_bins,
		   ITEMS((n_shifts + l->vector_width - 1) / l->vector_width, n_bands, n),
		   .products = BLOCK(part[CLPAC__PART_SHIFTED_PRODUCTS]), .weights = BLOCK(part[CLPAC__PART_WEIGHTS]),
		   .level = BLOCK(part[CLPAC__PART_LEVEL]), .shifts = BLOCK(part[CLPAC__PART_SHIFTS]),
		   .indices = BLOCK(out), .n_values = NUMBER(shifted->n_values), .gap = NUMBER(shifted->gap),
		   .first_band = NUMBER(first_band), .n_pairs = NUMBER(shifted->n_pairs), .at_once = NUMBER(n_bands),
		   .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		   .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase), .phase = NUMBER(phase),
		   .padded = NUMBER(l->padded), .n_bins = NUMBER(l->n_bins), .is_dense = NUMBER(are_dense(plan)),
		   .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm)));
done:
	return st;
}

clpac_status clpac__all_shifts_indices(clpac_plan *plan, size_t n, size_t first_shift, size_t n_shifts,
				       clpac_buffer *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	TRY(transform_amplitudes(plan, n, err));
	for (size_t phase = 0; phase < l->n_phase; phase++) {
		TRY(transform_phase(plan, n, phase, err));
		for (size_t band = 0; band < l->n_amplitude; band += l->shifted.bands) {
			const size_t left = l->n_amplitude - band;
			TRY(indices_of_bands(plan, n, phase, band, left < l->shifted.bands ? left : l->shifted.bands,
					     first_shift, n_shifts, out, err));
		}
	}
done:
	return st;
}
