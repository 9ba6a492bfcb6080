/* Surrogates from their definition in doc/maths.md: the random numbers of the
 * generator by their place, and the rest in long double.  Nothing is shared with the library but the generator's block
 * function, whose answers are known (test_shifts.c). */
#ifndef CLPAC_TESTS_NULL_TRUTH_H
#define CLPAC_TESTS_NULL_TRUTH_H

#include "oracle.h"

typedef struct null_truth null_truth;

/* Analyses all series of a problem that is complete.  x: (channel, segment, sample); it and the problem must stay. */
null_truth *null_truth_make(const clpac_problem *problem, const double *x);
void null_truth_free(null_truth *truth);

/* The phases and amplitudes of a series; NULL for one with NaN or equal samples. */
oracle_signals *null_truth_signals(const null_truth *truth, size_t series);

/* The amplitudes that a surrogate takes: those of the series x, which `other` holds, in an order of their own. */
typedef struct null_draw {
	const oracle_signals *other;
	const double *x;
	size_t *source;	      /* of each sample's amplitude */
	oracle_signals *made; /* owned, as made_x; NULL where other and x are those of a recorded series */
	double *made_x;
} null_draw;

/* Surrogate k, counted from 0, of a series that can be used. */
null_draw null_truth_draw(const null_truth *truth, size_t series, size_t k);
void null_draw_free(null_draw *draw);

/* Its modulation indices: (phase, amplitude). */
void null_truth_surrogate(const null_truth *truth, size_t series, size_t k, oracle_real *cells);

#endif
