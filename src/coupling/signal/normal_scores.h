/* Normal scores: what the ranks of n values become in a Gaussian copula. */
#ifndef CLPAC_COUPLING_SIGNAL_NORMAL_SCORES_H
#define CLPAC_COUPLING_SIGNAL_NORMAL_SCORES_H

#include <stddef.h>

/* Fills scores[r] with the deviate that a standard normal value falls below with probability (r + 1) / (n + 1), for
 * ranks r from 0 to n - 1.  Errs by less than 1e-7 of itself. */
void clpac__normal_scores(float *scores, size_t n);

#endif
