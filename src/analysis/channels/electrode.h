/* Names of electrodes on the head, which tell that a channel is of the brain where its type does not. */
#ifndef CLPAC_ANALYSIS_CHANNELS_ELECTRODE_H
#define CLPAC_ANALYSIS_CHANNELS_ELECTRODE_H

#include <stdbool.h>

/* Whether a name begins with a position of the 10-05 system, in any case: "Cz", "C3-M2", "FFC1h". */
bool clpac__is_electrode(const char *name);

#endif
