/* The measures from their definitions in doc/maths.md, in long double, sample by sample. */
#ifndef CLPAC_TESTS_MEASURE_TRUTH_H
#define CLPAC_TESTS_MEASURE_TRUTH_H

#include "evidence.h"
#include "oracle.h"

/* The phases of one series and the amplitudes of another, or of the same, in some order: sample t meets the amplitude
 * at source[t]. */
typedef struct measure_cell {
	const clpac_problem *problem; /* complete */
	const oracle_signals *own, *other;
	size_t ph, am;
	const size_t *source;
} measure_cell;

/* The value of a measure.  The phase that plv takes of the amplitude is in the amplitude's order, too. */
double measure_truth(const measure_cell *of, clpac_measure measure);

/* The limit of plv beside that of all measures: where the amplitude's own part in the phase band, or the phase band
 * itself, comes near to 0, its phase is as uncertain as their errors over what is left. */
double measure_truth_limit_of_locking(const measure_cell *of, const struct evidence *own, const struct evidence *other);

/* The limit of gcmi beside that of all measures: ranks of samples that may change places.
 *
 * The phase at t errs by its band's noise over its strength there.  Cosine and sine are monotonous in the angle to
 * their axis, whose error is the same, so that angles are ranked in their place.  A correlation R that errs by e then
 * moves R^2 by 2 R e + e^2, and its information in bits by at most 1 / (2 ln 2 (1 - R^2)) of that. */
double measure_truth_limit_of_ranks(const measure_cell *of, const struct evidence *own, const struct evidence *other,
				    double value);

/* The limit of any measure beside 1e-5 of itself or of what is usual in its cell: what noise of transforms does where
 * an amplitude is weak beside the rest of its series, as under a ramp or a spike.
 *
 * With the noise of an amplitude as in evidence.h, averaged over its independent errors, and that of the phase at t
 * over its strength there, the mean of (A - m) u, m 0 or the mean of A, errs by no more than L = 3 noise / sqrt(n free)
 * + mean of |A - m| times three deviations of the phase
 *       + 6 u sqrt(log2 2n) deviation of A / sqrt(n)      by the transforms that correlate
 * which is the limit of mvl (m = 0) and dpac; that of ndpac is L / rms A.  R errs by e = L / (deviation of A) / (the
 * least deviation of the cosine along a direction), and R^2 by 2 R e + e^2.  For pac-glm, L has beside that
 *       + deviation of A (mean of |a - mean a| times three deviations of the phase + 4 noise of a) / deviation of a
 * with a the slow amplitude, whose noise enters its line's slope three times and the line once.  A height of hr errs by
 * the noise averaged over the samples of the least bin.  mi, gcmi and plv have limits of their own.
 * @param own of the phases.  @param other of the amplitudes. */
double measure_truth_limit(const measure_cell *of, const struct evidence *own, const struct evidence *other,
			   clpac_measure measure, double value);

#endif
