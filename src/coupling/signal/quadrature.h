/* The analytic filter of a band: forward and backward filtering, and its Hilbert transform, as one set of complex taps
 * (method, section 1).
 *
 * With h the band's taps and o = n_taps - 1 its order, the real part is the autocorrelation of h, which filters forward
 * and backward, and the imaginary part is the discrete Hilbert transform of the real part (kernel 2/(pi k) at odd k, 0
 * at even k), cut off at the same support, -o .. o.  A filtered value depends on the o samples before and behind it and
 * on nothing else: not on the length of a transform, and not on how a series was cut into blocks. */
#ifndef CLPAC_COUPLING_SIGNAL_QUADRATURE_H
#define CLPAC_COUPLING_SIGNAL_QUADRATURE_H

#include <stddef.h>
#include "base/error.h"

/* Computes the complex taps of n_taps real ones.  The real part is even and the imaginary part odd, so that only taps
 * 0 .. o are written:
 * @param[out] even, odd n_taps values each; odd[0] is 0.
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: three transforms in double of 4 n_taps to 8 n_taps values. */
clpac_status clpac__quadrature(const double *taps, size_t n_taps, double *even, double *odd, clpac_error *err);

#endif
