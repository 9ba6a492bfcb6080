/* Series of which stretches and windows are used, by their definition: each stretch alone through the oracle, and its
 * used samples one after the other. */
#ifndef CLPAC_TESTS_ORACLE_PIECES_H
#define CLPAC_TESTS_ORACLE_PIECES_H

#include <stdbool.h>
#include "oracle.h"

/* As oracle_analyse, for problems with stretches and windows too: `kept` is the number of used samples.  Designed
 * filters are those of each stretch's own length: they are those of the problem where that is three orders or more. */
oracle_signals *oracle_pieces(const clpac_problem *problem, const double *x);

/* Whether a series has an index: no sample of its stretches is NaN, and not all of these are constant. */
bool oracle_is_usable(const clpac_problem *problem, const double *x);

#endif
