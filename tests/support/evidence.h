/* Error limits of single precision, derived: how far an index may be off, and, where the Hilbert transform is that of
 * the kept samples, how near to a bin's edge a sample must lie to fall on its other side.  With local filters no sample
 * may.  A test that compares with the oracle explains every difference by these limits or fails.
 *
 * Transforms in single precision err by e = 3e-7 of the root of mean squares of their result at most, to which every
 * engine is held at all lengths (tests/contract/fft_lengths.c).  The errors of noise are some u sqrt(log2 n), with u =
 * 2^-24, half to two thirds of that, and evenly spread over frequencies; those of a spike or a step, of which many
 * intermediate values are alike, may gather at the frequencies of a band, where e still holds.  A band passes part of
 * an error: white noise of deviation s gives an analytic band of deviation s sqrt(2 sum r^2), where r is the
 * autocorrelation of the band's taps and the response |H|^2 its spectrum.  So the errors are
 *     forward transform   e rms(extended series) sqrt(2 sum r^2)
 *     inverse transform   e rms(band)
 * and, where the extension is trimmed, those of two more transforms of the band.  The samples' own rounding to single
 * precision is part of the definition.  Six times their sum is taken as the limit of a sample; an amplitude has the
 * half of their square that lies along it.
 *
 * A bin's mean over n samples averages n f independent errors, f = sum(r^2) / 2 (a band of width w has w / rate of them
 * per sample), and one at least.  The height of a bin is its mean over the mean of all bins' means.  That is not the
 * mean amplitude where bins have different counts: g = mean amplitude / mean of the bins' means is 1 where sums enter
 * the index, near 1 for noise, and 51 where a spike lies in the fullest of 128 bins.  So the relative height d_j of bin
 * j is off by noise of the deviation
 *     s_j = g deviation of the amplitude / sqrt(max(1, n_j f)), n_j / mean n times as much where sums enter the index
 * and, in the same direction everywhere at worst, by
 *     e_j = 4 u |d_j|                              sum, weight, difference from the mean, quotient
 *         + 2 u                                    counts, where sums enter the index
 *         + g 2^-31 sqrt(kept)                     fixed point: every crossing rounds by one unit
 * To first order the index sums ln(1 + d_j) times these errors, which is a sum of the errors of all samples with some
 * weights w(t).  Its variance is the integral of |W|^2 times the spectrum of the errors, at most sum w^2 times the
 * highest value of that: the variance of an error over f.  That is as if each bin averaged n_j f errors, even where
 * that is below 1: bins of a few samples beside each other share an error, which then counts in all of them.  With
 * S_j^2 = s_j^2 max(1, 1 / (n_j f)) and three deviations of the noise, the index is off by no more than (sum |ln(1 +
 * d_j)| e_j + 3 sqrt(sum ln(1 + d_j)^2 S_j^2) + sum (e_j + 3 s_j)^2 / 2) / (N ln N) and N + 8 roundings of its own.
 * (Three are enough: transforms of noise err by a third to a half of e.)
 *
 * That is the derived limit of an index.  It falls with the square root of the index only, so that it exceeds 1e-5 of
 * indices near 0, in amplitude bands that are nearly empty beside the rest of their series, and in short series. */
#ifndef CLPAC_TESTS_EVIDENCE_H
#define CLPAC_TESTS_EVIDENCE_H

#include <stdbool.h>
#include "oracle.h"

/* The error that an index may have, relative to itself, wherever the derived limit allows for no more. */
#define EVIDENCE_PROMISED 1e-5

struct evidence {
	const oracle_signals *truth;
	bool is_exact;		 /* local filters: every bin is that of the oracle */
	double *phase_noise;	 /* per phase band: six deviations, in the samples' units */
	double *amplitude_noise; /* per amplitude band: one deviation, relative to its mean */
	double *amplitude_free;	 /* per amplitude band: independent errors per sample */
};

/* @param problem complete.  @param truth must outlive the evidence. */
struct evidence evidence_gather(const clpac_problem *problem, const double *x, const oracle_signals *truth);
void evidence_free(struct evidence *evidence);

/* Compares the library's bins (phase bands, stride) with the oracle's, which must all be certain.  They must be the
 * same if the filters are local.  Otherwise a sample in another bin must be in a neighbouring one and as near to the
 * edge between them as derived above, else the test fails.  `label` and `replay` end the failure message.
 * @param[out] moved samples moved in each phase band.  Returns their sum. */
size_t evidence_of_bins(const struct evidence *evidence, const unsigned char *bins, size_t stride, size_t *moved,
			const char *label, const char *replay);

/* Puts the library's bins in place of the oracle's, after they were compared as above; returns how many differed. */
size_t evidence_take_bins(const struct evidence *evidence, oracle_signals *truth, const unsigned char *bins,
			  size_t stride, const char *label);

/* Expected number of moved samples: the sum of each sample's chance, from its distance to the edge in deviations. */
double evidence_expected_moves(const struct evidence *evidence);

/* The index in double precision, from the library's bins of a phase band and the oracle's amplitudes, shifted.
 * @param[out] tolerance the derived limit. */
double evidence_index(const struct evidence *evidence, const unsigned char *bins, size_t amplitude, size_t shift,
		      double *tolerance);

/* The same with the amplitudes in any order: sample t meets that at source[t]. */
double evidence_index_in_order(const struct evidence *evidence, const unsigned char *bins, size_t amplitude,
			       const size_t *source, double *tolerance);

#endif
