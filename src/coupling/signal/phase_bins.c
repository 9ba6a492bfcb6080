/* The bin of a phase. */
#include "coupling/signal/phase_bins.h"

#include <math.h>

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
