/* The circular-linear correlation of amplitudes with phases, across trials, in two halves: what does not change when
 * trials exchange their amplitudes, and sums of products (cl/erpac.cl).
 *
 * rho^2 = (r_ac^2 + r_as^2 - 2 r_ac r_as r_cs) / (1 - r_cs^2), with r_ac, r_as and r_cs the correlations of amplitude
 * and cosine, amplitude and sine, cosine and sine (Berens 2009, J Stat Softw 31:10; across trials Voytek et al. 2013,
 * NeuroImage 64:416), is the explained variance of the amplitudes by cosine and sine together: r_ac^2 +
 * (r_as - r_cs r_ac)^2 / (1 - r_cs^2).  So it is the squared length of the projection of the amplitudes, centred and of
 * length 1, onto the plane of the centred cosines and sines. */
#ifndef CLPAC_COUPLING_SIGNAL_CIRCULAR_LINEAR_H
#define CLPAC_COUPLING_SIGNAL_CIRCULAR_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

/* Makes scores of the amplitudes of n trials, in place: without their mean and of length 1.  False, and NaN, where they
 * do not vary by more than the rounding of float32. */
bool clpac__trial_scores(double *amplitudes, size_t n);

/* Makes two axes of the cosines and sines of n trials' phases, in place: orthogonal, of length 1, without a mean, and
 * spanning what they span.  False, and NaN, where they span no plane, as if all phases were one or two. */
bool clpac__trial_axes(double *cosines, double *sines, size_t n);

#endif
