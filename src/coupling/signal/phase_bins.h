/* The bin of a phase, in double (method, section 2).
 *
 * Phase 0 is the peak of a cosine.  Bin j of N covers [-pi + 2 pi j/N, -pi + 2 pi (j+1)/N); pi is in the last bin. */
#ifndef CLPAC_COUPLING_SIGNAL_PHASE_BINS_H
#define CLPAC_COUPLING_SIGNAL_PHASE_BINS_H

#include <stddef.h>

/* Bin of a phase in radians, 0..n_bins-1, or n_bins if the phase is not finite.  A phase outside [-pi, pi] is taken
 * modulo 2 pi. */
unsigned clpac__phase_bin(double phase, unsigned n_bins);

/* Lower edge of a bin in radians; edge n_bins is pi. */
double clpac__phase_bin_edge(unsigned bin, unsigned n_bins);

#endif
