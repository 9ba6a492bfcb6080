/* Results whose channels are pairs of channels. */
#ifndef CLPAC_RECORDING_PAIR_NAMES_H
#define CLPAC_RECORDING_PAIR_NAMES_H

#include <clpac/result.h>

/* Whether all channels of a result are pairs. */
bool clpac__result_has_pairs(const clpac_result *result);

/* The pairs at the beginning of a result that have the phase of its first: as many as a row of a table of phases by
 * amplitudes has, where the pairs are one, else 0. */
size_t clpac__pairs_of_a_phase(const clpac_result *result);

#endif
