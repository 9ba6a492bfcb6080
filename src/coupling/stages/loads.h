/* How much memory an item of a launch reads, so that launches can be kept short: a driver's watchdog ends those that
 * take seconds. */
#ifndef CLPAC_COUPLING_STAGES_LOADS_H
#define CLPAC_COUPLING_STAGES_LOADS_H

#include "coupling/stages/stages.h"

/* About the most loads of an item, or of a row of a fused stage, within a factor of a few; 0: few, and as many as its
 * share of the buffers, which no launch takes long over. */
uint64_t clpac__loads_of_item(const clpac__launch *launch);

#endif
