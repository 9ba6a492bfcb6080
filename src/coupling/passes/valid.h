/* The cells that may be peaks and count for p_max. */
#ifndef CLPAC_COUPLING_PASSES_VALID_H
#define CLPAC_COUPLING_PASSES_VALID_H

#include "coupling/passes/plan.h"

/* Sets n_phase x n_amplitude cells to 1 where they are valid (clpac_cell_is_valid) or the problem allows all, and to 0
 * elsewhere.  Phases and amplitudes of the caller's have no bands, and all their cells are valid. */
void clpac__valid_cells(const clpac_problem *problem, uint8_t *valid);

/* Writes the cells of a plan to its device, for the kernels that look for maxima and peaks. */
clpac_status clpac__valid_write(const clpac_plan *plan, clpac_error *err);

#endif
