/* Names of electrodes on the head: which tell that a channel is of the brain where its type does not, and where it is.
 */
#ifndef CLPAC_BASE_ELECTRODE_H
#define CLPAC_BASE_ELECTRODE_H

#include <stdbool.h>

/* Whether a name begins with a position of the 10-05 system, in any case: "Cz", "C3-M2", "FFC1h". */
bool clpac__is_electrode(const char *name);

/* The place of an electrode by its name, as "Fp1", "EEG Fp1-REF" or "FFC1h", in any case, as a direction of length 1:
 * x to the right ear, y to the nose, z to the vertex.  False where the name tells none, as those of earlobes and of
 * two electrodes ("C3-C4") do.
 *
 * Places are those that the system defines (Oostenveld and Praamstra 2001), on a sphere whose equator is the
 * circumference through Fpz, T7, Oz and T8.  The midline from nasion to inion and that circumference are divided in
 * tenths and twentieths.  Every other row lies on the circle through its outer electrode on the left, its one on the
 * midline and its outer one on the right, each half of which is divided in four and eight.  Electrodes 9 and 10 lie a
 * tenth of the midline below the equator. */
bool clpac__electrode_direction(const char *name, double direction[3]);

#endif
