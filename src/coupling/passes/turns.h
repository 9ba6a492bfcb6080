/* Measures side by side take turns in the same parts. */
#ifndef CLPAC_COUPLING_PASSES_TURNS_H
#define CLPAC_COUPLING_PASSES_TURNS_H

#include "coupling/passes/batch.h"

/* Puts the buffers of the measure that is number i of those side by side in the place of the first one's, or back. */
void clpac__measures_turn(clpac__batch *batch, size_t i);

#endif
