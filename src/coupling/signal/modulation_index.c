/* The modulation index in double. */
#include "coupling/signal/modulation_index.h"

#include <math.h>

double clpac__entropy_term(double d)
{
	if (d <= -1)
		return 1;
	if (fabs(d) >= 0.1)
		return (1 + d) * log1p(d) - d;
	/* sum over k >= 2 of (-d)^k / (k (k - 1)); at |d| = 0.1 the 17th term is below 1e-18 of the first. */
	double sum = 0;
	for (int k = 18; k >= 2; k--)
		sum = 1.0 / (k * (k - 1)) - d * sum;
	return d * d * sum;
}

double clpac__modulation_index_of_distribution(const double *distribution, unsigned n_bins)
{
	double total = 0;
	for (unsigned j = 0; j < n_bins; j++) {
		if (!(distribution[j] >= 0))
			return NAN;
		total += distribution[j];
	}
	if (!(total > 0) || !isfinite(total))
		return NAN;
	double mean = total / n_bins, sum = 0;
	for (unsigned j = 0; j < n_bins; j++)
		sum += clpac__entropy_term((distribution[j] - mean) / mean);
	/* With everything in one bin the index is 1 up to rounding, which must not leave the range. */
	return fmin(sum / (n_bins * log(n_bins)), 1);
}

void clpac__bin_sums(const double *phase, const double *amplitude, size_t n, unsigned n_bins, double *sums,
		     size_t *counts)
{
	for (unsigned j = 0; j < n_bins; j++) {
		sums[j] = 0;
		counts[j] = 0;
	}
	for (size_t t = 0; t < n; t++) {
		unsigned j = clpac__phase_bin(phase[t], n_bins);
		if (j == n_bins) {
			for (j = 0; j < n_bins; j++)
				sums[j] = NAN;
			continue;
		}
		sums[j] += amplitude[t];
		counts[j]++;
	}
}

unsigned clpac__distribution(const double *sums, const size_t *counts, unsigned n_bins, clpac_average average,
			     double *distribution)
{
	unsigned n_empty = 0;
	for (unsigned j = 0; j < n_bins; j++) {
		n_empty += counts[j] == 0;
		if (average == CLPAC_AVERAGE_MEAN && counts[j])
			distribution[j] = sums[j] / (double)counts[j];
		else
			distribution[j] = sums[j];
	}
	return n_empty;
}

double clpac__modulation_index(const double *phase, const double *amplitude, size_t n, unsigned n_bins,
			       clpac_average average, unsigned *n_empty)
{
	double distribution[CLPAC_MAX_BINS];
	size_t counts[CLPAC_MAX_BINS];
	clpac__bin_sums(phase, amplitude, n, n_bins, distribution, counts);
	unsigned empty = clpac__distribution(distribution, counts, n_bins, average, distribution);
	if (n_empty)
		*n_empty = empty;
	return clpac__modulation_index_of_distribution(distribution, n_bins);
}

/* --- Bins ------------------------------------------------------------------------------------- */

/* The bin of a phase. */

static const double pi = 3.14159265358979323846;

unsigned clpac__phase_bin(double phase, unsigned n_bins)
{
	if (!isfinite(phase))
		return n_bins;
	if (phase < -pi || phase > pi) {
		phase = remainder(phase, 2 * pi);
		/* remainder() may give either end for the same angle.  Both then belong to bin 0; only a phase that was
		 * pi from the start belongs to the last bin. */
		if (phase >= pi)
			phase = -pi;
	}
	unsigned bin = (unsigned)((phase + pi) * n_bins / (2 * pi));
	return bin < n_bins ? bin : n_bins - 1;
}

double clpac__phase_bin_edge(unsigned bin, unsigned n_bins)
{
	return pi * ((2.0 * bin - n_bins) / n_bins);
}

/* --- The preferred phase ---------------------------------------------------------------------- */

/* Mean vectors of amplitudes over phase bins. */

void clpac__directions_of_bins(size_t n_bins, clpac__directions *directions)
{
	const double pi = 3.14159265358979323846;
	directions->n_bins = n_bins;
	for (size_t j = 0; j < n_bins; j++) {
		const double phase = -pi + 2 * pi * ((double)j + 0.5) / (double)n_bins;
		directions->re[j] = cos(phase);
		directions->im[j] = sin(phase);
	}
}

void clpac__preferred_phase(const clpac__directions *directions, const float *means, size_t stride, float *phase,
			    float *length)
{
	double re = 0, im = 0, sum = 0;
	for (size_t j = 0; j < directions->n_bins; j++) {
		const double mean = isnan(means[j * stride]) ? 0 : means[j * stride];
		re += mean * directions->re[j];
		im += mean * directions->im[j];
		sum += mean;
	}
	*phase = sum > 0 ? (float)atan2(im, re) : NAN;
	*length = sum > 0 ? (float)(hypot(re, im) / sum) : NAN;
}
