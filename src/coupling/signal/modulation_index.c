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
