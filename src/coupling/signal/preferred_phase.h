/* The preferred phase of a cell: the direction of the mean vector of its amplitudes,
 *
 *     v = sum over bins j of m_j exp(i phi_j) / sum of m_j,     phi_j the centre of bin j, m_j its mean amplitude
 *
 * An empty bin counts as 0, as it does in the modulation index. */
#ifndef CLPAC_COUPLING_SIGNAL_PREFERRED_PHASE_H
#define CLPAC_COUPLING_SIGNAL_PREFERRED_PHASE_H

#include <stddef.h>

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
