/* The method once more, for the tests alone: long double, every definition written out directly, nothing shared with
 * the library but the types of a problem.  A definition that is slow over thousands of samples has a fast way beside
 * it, which test_oracle.c holds against it.
 *
 * A function that runs out of memory ends the process: a test cannot continue without it. */
#ifndef CLPAC_TESTS_ORACLE_H
#define CLPAC_TESTS_ORACLE_H

#include <complex.h>
#include <stddef.h>
#include <clpac/problem.h>

typedef long double oracle_real;
typedef long double complex oracle_complex;

/* --- Filters
 * ------------------------------------------------------------------------------- */

/* Filter order: cycles * floor(rate / lo), or (n_samples - 1) / 3 where n_samples < 3 * that. */
size_t oracle_order(double rate_hz, double lo_hz, double cycles, size_t n_samples);

/* Windowed sinc, Hamming, unit gain at the band's centre: order + 1 taps. */
void oracle_firwin(double rate_hz, clpac_band band, size_t order, oracle_real *taps);

/* The response |H|^2 at a frequency. */
oracle_real oracle_power(const oracle_real *taps, size_t n_taps, double rate_hz, oracle_real frequency_hz);

/* x with n samples, reflected about its end points over pad < n samples: n + 2 pad values. */
void oracle_odd_extension(const oracle_real *x, size_t n, size_t pad, oracle_real *wide);

/* Forward and backward convolution of the series, extended oddly over n_taps - 1 samples: n values. */
void oracle_filtfilt(const oracle_real *taps, size_t n_taps, const oracle_real *x, size_t n, oracle_real *out);

/* The analytic filter of a band, n_taps complex values for its taps 0 .. n_taps - 1: real part the autocorrelation of
 * the band's taps, imaginary part the discrete Hilbert transform of it (kernel 2/(pi k) at odd k), cut off at the same
 * support.  Tap -k is the conjugate of tap k. */
void oracle_quadrature(const oracle_real *taps, size_t n_taps, oracle_complex *quadrature);

/* --- Analytic signal
 * ----------------------------------------------------------------------- */

/* X[k] = sum over t of x[t] exp(sign 2 pi i k t / n), unscaled, any n. */
void oracle_dft(const oracle_complex *x, size_t n, int sign, oracle_complex *out);

/* The same in place and faster, for n a power of two. */
void oracle_transform(oracle_complex *x, size_t n, int sign);

/* The series that every filter sees: x without its mean, times a power of two that brings the largest magnitude into
 * [0.5, 1), rounded to single precision.  The mean is the exact one rounded to double, and samples without it are
 * rounded to double again.  Returns that power of two; 1 for a constant series, whose samples become 0. */
oracle_real oracle_prepared(const double *x, size_t n, oracle_real *prepared);

/* x + i Hilbert(x) over exactly n samples, transformed at that length. */
void oracle_hilbert(const oracle_real *x, size_t n, oracle_complex *out);

/* The same by circular convolution with the Hilbert kernel of n samples, for n that are large or have large factors. */
void oracle_hilbert_long(const oracle_real *x, size_t n, oracle_complex *out);

/* Sample t of a band's analytic signal: the sum over 2 n_taps - 1 samples of the series extended oddly. */
oracle_complex oracle_local(const oracle_complex *quadrature, size_t n_taps, const oracle_real *x, size_t n, size_t t);

/* All n samples, by one transform of the series and one of the taps. */
void oracle_local_long(const oracle_complex *quadrature, size_t n_taps, const oracle_real *x, size_t n,
		       oracle_complex *out);

/* --- Phase bins, index, statistics
 * --------------------------------------------------------- */

/* Bin of a phase in [-pi, pi]: bin j is [-pi + 2 pi j/N, -pi + 2 pi (j+1)/N), and pi belongs to the last. */
unsigned oracle_bin(oracle_real phase, unsigned n_bins);

/* Mean or sum per bin of amplitude[(t + shift) mod n] over the t in the bin; 0 for an empty bin. */
void oracle_distribution(const unsigned *bins, const oracle_real *amplitude, size_t n, size_t shift, unsigned n_bins,
			 clpac_average average, oracle_real *distribution);

/* 1 + sum q ln q / ln N; NaN where the distribution has no positive sum. */
oracle_real oracle_index_of_distribution(const oracle_real *distribution, unsigned n_bins);

/* Bin heights and their index in one call. */
oracle_real oracle_modulation_index(const unsigned *bins, const oracle_real *amplitude, size_t n, size_t shift,
				    unsigned n_bins, clpac_average average);

oracle_real oracle_z(oracle_real mi, const oracle_real *surrogates, size_t n, unsigned ddof);
oracle_real oracle_p(oracle_real mi, const oracle_real *surrogates, size_t n);

/* --- A whole series
 * ------------------------------------------------------------------------ */

/* Phase and amplitude of every band of one series, with the edges cut off. */
typedef struct oracle_signals {
	size_t n_phase, n_amplitude, kept;
	unsigned n_bins;
	clpac_average average;
	oracle_real *phase;	   /* (phase band, sample) in radians */
	oracle_complex *direction; /* exp(i phase) */
	oracle_real
		*strength; /* (phase band, sample): modulus of the phase band; a small one means an uncertain phase */
	unsigned *bins;	   /* (phase band, sample) */
	oracle_real *amplitude; /* (amplitude band, sample) */
	size_t n_doubtful;	/* phase samples nearer to an edge than double precision tells: see oracle_analyse */
} oracle_signals;

/* Phases and amplitudes are in the units of x.
 *
 * Filters run by transforms, whose errors are 10^-18 of the series.  A phase sample that lies within 10^-13 of it from
 * the edge of a bin is computed again by its own sum and counted as doubtful: the taps' rounding to double, 10^-16 for
 * each of thousands, may put it on either side.
 * @param problem complete: no member left to its default, edge_samples a number.
 * @param x n_samples values. */
oracle_signals *oracle_analyse(const clpac_problem *problem, const double *x);
void oracle_signals_free(oracle_signals *signals);

/* The index of a cell with the amplitude shifted: A(t) -> A(t + shift). */
oracle_real oracle_cell(const oracle_signals *signals, size_t phase, size_t amplitude, size_t shift);

#endif
