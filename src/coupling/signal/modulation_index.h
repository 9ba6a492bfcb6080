/* The modulation index of Tort et al. (2010, J Neurophysiol 104:1195), in double on the host (method, section 3).
 *
 *     MI = 1 + sum q_j ln q_j / ln N,   q_j = m_j / sum m
 *
 * computed in its stable form: with q_j = (1 + d_j)/N and sum d_j = 0,
 *
 *     MI = 1/(N ln N) * sum [ (1 + d_j) ln(1 + d_j) - d_j ]
 *
 * where no term is negative and none cancels another, so that a small index keeps its digits. */
#ifndef CLPAC_COUPLING_SIGNAL_MODULATION_INDEX_H
#define CLPAC_COUPLING_SIGNAL_MODULATION_INDEX_H

#include <stddef.h>

#include <clpac/problem.h>

/* (1 + d) ln(1 + d) - d for d >= -1, to a few roundings however small d is.  An empty bin has d = -1 and gives 1. */
double clpac__entropy_term(double d);

/* The index, in [0, 1], of a distribution m_j over n_bins bins, 2 or more; m_j of an empty bin is 0.
 * NaN when a value is negative, NaN or infinite, or when all are 0. */
double clpac__modulation_index_of_distribution(const double *distribution, unsigned n_bins);

/* The preferred phase of a cell: the direction of the mean vector of its amplitudes,
 *
 *     v = sum over bins j of m_j exp(i phi_j) / sum of m_j,     phi_j the centre of bin j, m_j its mean amplitude
 *
 * An empty bin counts as 0, as it does in the modulation index. */

#define CLPAC__MAX_DIRECTIONS 128

/* The directions of the centres of n_bins bins, at most CLPAC__MAX_DIRECTIONS. */
typedef struct clpac__directions {
	size_t n_bins;
	double re[CLPAC__MAX_DIRECTIONS], im[CLPAC__MAX_DIRECTIONS];
} clpac__directions;

void clpac__directions_of_bins(size_t n_bins, clpac__directions *directions);

/* Phase in radians, in [-pi, pi], and length, in [0, 1], of the mean vector; NaN where no bin has amplitude.
 * @param means mean amplitude of bin j at means[j * stride]; NaN: empty. */
void clpac__preferred_phase(const clpac__directions *directions, const float *means, size_t stride, float *phase,
			    float *length);

#endif
