/* When the passes of a batch begin, as far as buffers tell them apart: parts that live at different times may lie in
 * one buffer (layout.h). */
#ifndef CLPAC_COUPLING_PASSES_LIVES_H
#define CLPAC_COUPLING_PASSES_LIVES_H

#include "coupling/passes/plan.h"

/* Tells that the batch's next commands are those of a pass. */
clpac_status clpac__pass_begins(const clpac_plan *plan, clpac__batch *batch, enum clpac__time time, clpac_error *err);

#endif
