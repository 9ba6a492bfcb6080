#include "coupling/passes/statistics.h"

#include "coupling/layout/fused.h"
#include "coupling/layout/launch.h"
#include "coupling/layout/steps.h"
#include "coupling/passes/all_shifts.h"

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
	clpac_buffer *const *tensor = batch->tensors;
	return LAUNCH_ROWS(
		plan->context, surrogate_statistics, 0, n, clpac__lanes_of_statistics(l),
		.indices = BLOCK(tensor[CLPAC__TENSOR_CHUNK]), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
		.shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .valid = BLOCK(tensor[CLPAC__TENSOR_VALID]),
		.moments = BLOCK(tensor[CLPAC__TENSOR_MOMENTS]), .variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]),
		.spreads = BLOCK(tensor[CLPAC__TENSOR_SPREADS]), .widenings = BLOCK(tensor[CLPAC__TENSOR_WIDENINGS]),
		.maxima = BLOCK(tensor[CLPAC__TENSOR_MAXIMA]), .groups = NUMBER(l->groups),
		.n_surrogates = NUMBER(l->n_surrogates), .n_phase = NUMBER(l->n_phase),
		.n_amplitude = NUMBER(l->n_amplitude), .reach = REAL(reach_of(l, measure)));
}

clpac_status clpac__statistics_moments(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				       size_t k, size_t n_shifts, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	if (clpac__fuses_statistics(l))
		return statistics_of_small(plan, batch, measure, n, err);
	return LAUNCH(plan->context, surrogate_moments, 0,
		      ITEMS((l->groups + l->moment_groups - 1) / l->moment_groups, n * l->n_phase, 1),
		      .indices = BLOCK(tensor[CLPAC__TENSOR_CHUNK]), .observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
		      .shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .valid = BLOCK(tensor[CLPAC__TENSOR_VALID]),
		      .moments = BLOCK(tensor[CLPAC__TENSOR_MOMENTS]),
		      .variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]), .groups = NUMBER(l->groups),
		      .n_shifts = NUMBER(n_shifts), .n_done = NUMBER(k), .n_surrogates = NUMBER(l->n_surrogates),
		      .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
		      .reach = REAL(reach_of(l, measure)));
}

bool clpac__surrogates_are_kept(const clpac__layout *layout)
{
	return layout->chunk >= layout->n_surrogates;
}

/* What is usual for phase bands, and then for amplitude bands beside it. */
static clpac_status spreads_of(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(LAUNCH(plan->context, phase_spreads, 0, ITEMS(l->n_amplitude, n * l->n_phase, 1),
			       .variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]),
			       .spreads = BLOCK(tensor[CLPAC__TENSOR_SPREADS]), .padded = NUMBER(l->padded),
			       .n_amplitude = NUMBER(l->n_amplitude)));
	return LAUNCH(plan->context, amplitude_spreads, 0, ITEMS(l->n_amplitude, l->n_phase, n),
		      .variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]),
		      .spreads = BLOCK(tensor[CLPAC__TENSOR_SPREADS]),
		      .widenings = BLOCK(tensor[CLPAC__TENSOR_WIDENINGS]), .padded = NUMBER(l->padded),
		      .n_phase = NUMBER(l->n_phase));
}

clpac_status clpac__statistics_maxima(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k, size_t n_shifts,
				      clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	if (clpac__fuses_statistics(l))
		return CLPAC_OK;
	if (k == 0)
		RETURN_IF_ERROR(spreads_of(plan, batch, n, err));
	const size_t at_once = clpac__steps_phases(l);
	for (size_t first = 0; first < l->n_phase; first += at_once)
		RETURN_IF_ERROR(LAUNCH(
			plan->context, surrogate_maxima, 0, ITEMS((n_shifts + l->ranked - 1) / l->ranked, n, 1),
			.indices = BLOCK(tensor[CLPAC__TENSOR_CHUNK]),
			.observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]),
			.moments = BLOCK(tensor[CLPAC__TENSOR_MOMENTS]), .shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]),
			.variances = BLOCK(tensor[CLPAC__TENSOR_VARIANCES]),
			.spreads = BLOCK(tensor[CLPAC__TENSOR_SPREADS]),
			.widenings = BLOCK(tensor[CLPAC__TENSOR_WIDENINGS]),
			.maxima = BLOCK(tensor[CLPAC__TENSOR_MAXIMA]), .groups = NUMBER(l->groups),
			.n_shifts = NUMBER(n_shifts), .n_done = NUMBER(k), .n_surrogates = NUMBER(l->n_surrogates),
			.n_phase = NUMBER(l->n_phase), .first_phase = NUMBER(first),
			.n_taken = NUMBER(l->n_phase - first < at_once ? l->n_phase - first : at_once)));
	return CLPAC_OK;
}
