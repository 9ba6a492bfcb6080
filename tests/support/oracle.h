/* The method once more, for the tests alone: long double, every definition written out directly, nothing shared with
 * the library but the types of a problem.  Slow on purpose; series of a few thousand samples take milliseconds to
 * seconds.
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

/* --- Analytic signal
 * ----------------------------------------------------------------------- */

/* X[k] = sum over t of x[t] exp(sign 2 pi i k t / n), unscaled, any n. */
void oracle_dft(const oracle_complex *x, size_t n, int sign, oracle_complex *out);

/* x + i Hilbert(x), transformed at exactly the length n. */
void oracle_hilbert(const oracle_real *x, size_t n, oracle_complex *out);

/* Filter and Hilbert transform on one circular spectrum: x extended oddly over pad samples, zeros up to fft_length,
 * times |H|^2 and the one-sided mask, then back; the n kept samples. */
void oracle_fused(const oracle_real *taps, size_t n_taps, const oracle_real *x, size_t n, size_t pad, size_t fft_length,
		  oracle_complex *out);

/* The same with another value than 0 beyond the extension. */
void oracle_fused_beyond(const oracle_real *taps, size_t n_taps, const oracle_real *x, size_t n, size_t pad,
			 size_t fft_length, oracle_real beyond, oracle_complex *out);

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
	oracle_real *phase; /* (phase band, sample) in radians */
	oracle_real
		*strength; /* (phase band, sample): modulus of the phase band; a small one means an uncertain phase */
	unsigned *bins;	   /* (phase band, sample) */
	oracle_real *amplitude; /* (amplitude band, sample) */
} oracle_signals;

/* @param problem complete: no member left to its default, edge_samples a number.
 * @param x n_samples values.
 * @param fft_length of the fused analytic signal; 0: the smallest power of two that holds the extended series and the
 * longest order, as in the Python reference.  The length changes only the far end of the Hilbert kernel. */
oracle_signals *oracle_analyse(const clpac_problem *problem, const double *x, size_t fft_length);

/* The library's variant: the fused analytic signal continues beyond its extension, up to fft_length, with the series'
 * mean, so that an offset makes no step there.  Trimmed signals see nothing beyond, and both variants agree. */
oracle_signals *oracle_analyse_levelled(const clpac_problem *problem, const double *x, size_t fft_length);
void oracle_signals_free(oracle_signals *signals);

/* The index of a cell with the amplitude shifted: A(t) -> A(t + shift). */
oracle_real oracle_cell(const oracle_signals *signals, size_t phase, size_t amplitude, size_t shift);

#endif
