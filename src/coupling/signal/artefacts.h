/* Jumps, and the shape of cycles. */
#ifndef CLPAC_COUPLING_SIGNAL_ARTEFACTS_H
#define CLPAC_COUPLING_SIGNAL_ARTEFACTS_H

#include <stddef.h>

#include "base/error.h"

/* The largest spike or step, in deviations.  The series is cut into stretches of 1/8 s, at least 32 samples; the
 * deviation is the median of theirs, so that neither slow drift nor the jump itself is part of it.  A jump is the range
 * of two neighbouring stretches.
 * @param[out] sample where the step from one sample to the next is largest in that range.
 * @return 0 for a series of fewer than four stretches, and where half of them are constant.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__find_jump(const double *x, size_t n_samples, double rate_hz, double *deviations, size_t *sample,
			      clpac_error *err);

/* The asymmetry of a wave's cycles: the mean of (rise - fall) / (rise + fall), where rise is the time from a trough to
 * the next peak and fall that from this peak to the next trough.  Cycles are those of the band-passed series, between
 * whose zero crossings the peaks and troughs of the series itself are found (Cole & Voytek 2019, J Neurophysiol
 * 122:849), smoothed over 1/16 cycle.
 * @param band_passed n_samples as x.
 * @return NaN where there are fewer than three cycles. */
double clpac__cycle_asymmetry(const double *x, const double *band_passed, size_t n_samples, double cycle_samples);

/* The median of n values, whose order changes; n is above 0.  Cost: some 4 n comparisons. */
double clpac__median(double *values, size_t n);

#endif
