/* Cells that count, from their bands.  The lanes beyond the last band count for nothing. */
#include "coupling/passes/valid.h"

#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/problem/problem.h"

void clpac__valid_cells(const clpac_problem *problem, uint8_t *valid)
{
	const bool has_bands = problem->phase_bands && problem->amplitude_bands;
	for (size_t ph = 0; ph < problem->n_phase_bands; ph++)
		for (size_t am = 0; am < problem->n_amplitude_bands; am++) {
			clpac_band band = {0};
			if (has_bands)
				clpac__problem_cell_band(problem, ph, am, &band);
			*valid++ = !has_bands || problem->allow_narrow ||
				   clpac_cell_is_valid(problem->phase_bands[ph], band);
		}
}

clpac_status clpac__valid_write(const clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	uint8_t *valid = clpac__alloc_array(l->n_phase, l->n_amplitude);
	float *lanes = clpac__alloc_array(l->n_phase, l->padded * sizeof *lanes);
	if (!valid || !lanes)
		FAIL_NO_MEMORY(l->n_phase * (l->n_amplitude + l->padded * sizeof *lanes));
	clpac__valid_cells(plan->problem, valid);
	for (size_t ph = 0; ph < l->n_phase; ph++)
		for (size_t am = 0; am < l->padded; am++)
			lanes[ph * l->padded + am] =
				am < l->n_amplitude && valid[ph * l->n_amplitude + am] ? 1.0f : 0.0f;
	TRY(clpac_buffer_write(plan->tensors[CLPAC__TENSOR_VALID], 0, l->n_phase * l->padded * sizeof *lanes, lanes,
			       err));
done:
	FREE_ALL(valid, lanes);
	return st;
}
