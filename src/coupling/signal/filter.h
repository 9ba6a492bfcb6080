/* Linear-phase FIR filters of one band, designed or the caller's own, in double.
 *
 * A filter runs forward and backward (method, section 1).  Its response is therefore |H|^2, and the bandwidth reported
 * is that of |H|^2. */
#ifndef CLPAC_COUPLING_SIGNAL_FILTER_H
#define CLPAC_COUPLING_SIGNAL_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/bands.h>

#include "base/error.h"

typedef struct clpac__filter {
	double *taps; /* owned: clpac__filter_clear */
	size_t n_taps;
	double *even,
		*odd; /* owned, n_taps each: the analytic filter, see clpac__quadrature; NULL until they are needed */
	bool is_shortened; /* the order was reduced, since the series was shorter than three orders */
	/* Frequencies next to the peak at which |H|^2 falls to half of it; 0 or rate/2 where it never does. */
	double bandwidth_lo_hz, bandwidth_hi_hz;
} clpac__filter;

/* A lower order cannot tell a band from a constant. */
enum { CLPAC__MIN_ORDER = 2 };

/* The order (taps - 1) of the designed filter: cycles * floor(rate / lo), or (n_samples - 1) / 3 where the series is
 * shorter than three such orders.  May be below CLPAC__MIN_ORDER, which clpac__filter_design refuses.
 * @param is_shortened nullable.  rate_hz, lo_hz and cycles are above 0, lo_hz below rate_hz. */
size_t clpac__filter_order(double rate_hz, double lo_hz, double cycles, size_t n_samples, bool *is_shortened);

/* Windowed sinc with a Hamming window, scaled to unit gain at the band's centre: the taps of
 * scipy.signal.firwin(order + 1, [lo, hi], window="hamming", pass_zero=False, scale=True, fs=rate) to 1e-12.
 * band lies in (0, rate/2).  Cost: about 200 multiplications per tap. */
clpac_status clpac__filter_design(double rate_hz, clpac_band band, double cycles, size_t n_samples, clpac__filter *out,
				  clpac_error *err);

/* The same without its bandwidth, which is most of the cost. */
clpac_status clpac__filter_make_taps(double rate_hz, clpac_band band, double cycles, size_t n_samples,
				     clpac__filter *out, clpac_error *err);

/* Writes the taps of a designed filter, n_taps of them, to the caller's array.  band lies in (0, rate/2). */
void clpac__filter_write_taps(double *taps, size_t n_taps, double rate_hz, clpac_band band);

/* The caller's own taps, copied.  Refuses taps that are not finite or all 0; band only names the filter in the error.
 * Cost: 2 n * n multiplications for the bandwidth, since the peak may lie anywhere. */
clpac_status clpac__filter_from_taps(double rate_hz, const double *taps, size_t n, clpac_band band, clpac__filter *out,
				     clpac_error *err);

/* Computes the analytic filter of the taps, unless it is there.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__filter_make_analytic(clpac__filter *filter, clpac_error *err);

/* Frees what the filter owns.  A zeroed filter is fine. */
void clpac__filter_clear(clpac__filter *filter);

/* |H|^2 at a frequency: the gain of filtering forward and backward. */
double clpac__filter_power(const double *taps, size_t n_taps, double rate_hz, double frequency_hz);

/* The same at n frequencies, in whose places it is written; a third of the time. */
void clpac__filter_powers(const double *taps, size_t n_taps, double rate_hz, double *values, size_t n);

/* Samples that CLPAC_EDGE_AUTO drops at each end: half the filter's length. */
size_t clpac__filter_edge(size_t n_taps);

/* The analytic filter of a band: forward and backward filtering, and its Hilbert transform, as one set of complex taps
 * (method, section 1).
 *
 * With h the band's taps and o = n_taps - 1 its order, the real part is the autocorrelation of h, which filters forward
 * and backward, and the imaginary part is the discrete Hilbert transform of the real part (kernel 2/(pi k) at odd k, 0
 * at even k), cut off at the same support, -o .. o.  A filtered value depends on the o samples before and behind it and
 * on nothing else: not on the length of a transform, and not on how a series was cut into sections. */

/* Computes the complex taps of n_taps real ones.  The real part is even and the imaginary part odd, so that only taps
 * 0 .. o are written:
 * @param[out] even, odd n_taps values each; odd[0] is 0.
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: three transforms in double of 4 n_taps to 8 n_taps values. */
clpac_status clpac__quadrature(const double *taps, size_t n_taps, double *even, double *odd, clpac_error *err);

#endif
