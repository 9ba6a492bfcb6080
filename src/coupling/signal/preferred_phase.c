/* Mean vectors of amplitudes over phase bins. */
#include "coupling/signal/preferred_phase.h"

#include <math.h>

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
