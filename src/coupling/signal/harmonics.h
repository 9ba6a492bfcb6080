/* How far the harmonics of a slow wave reach, by its bicoherence.
 *
 * A wave that is no sine has harmonics whose phases follow from its own: the fast part of a sharp edge comes at one
 * phase of the wave, and looks like the amplitude of a fast oscillation that follows it (Kramer, Tort, Kopell 2008, J
 * Neurosci Methods 170:352; Aru et al. 2015, Curr Opin Neurobiol 31:51).  The bispectrum X(f) X(g - f) conj(X(g)),
 * summed over windows, sees such phases (Kim & Powers 1979, IEEE Trans. Plasma Sci. 7:120).  It sees nested
 * oscillations too, since their side bands follow the wave; but those leave a gap between the wave and the fast
 * oscillation, and the harmonics of an edge leave none.  So the sums g are taken in steps of half an octave from the
 * second harmonic up, and harmonics reach as far as there is no step without bicoherence. */
#ifndef CLPAC_COUPLING_SIGNAL_HARMONICS_H
#define CLPAC_COUPLING_SIGNAL_HARMONICS_H

#include <stdbool.h>
#include <stdint.h>
#include <clpac/bands.h>
#include "base/error.h"

enum { CLPAC__HARMONIC_STEPS = 40, CLPAC__HARMONIC_DRAWS = 199 };

typedef struct clpac__harmonics {
	double frequency_hz; /* of the wave; 0: the series has too few windows to tell */
	size_t n_steps;	     /* steps that were looked at: none behind the second harmonic if that one is not there */
	struct {
		double lo_hz, hi_hz;
		double p; /* against phases drawn anew: (1 + #{draw >= bicoherence}) / (1 + CLPAC__HARMONIC_DRAWS) */
	} steps[CLPAC__HARMONIC_STEPS];
} clpac__harmonics;

/* The numbers by which phases are drawn; they do not depend on what else is computed. */
typedef struct clpac__series_key {
	uint64_t seed;
	uint32_t channel, segment;
} clpac__series_key;

/* The power of a series at whole bins of windows of clpac__search_length samples, from bin 1 on; it serves all phase
 * bands whose four cycles fit the windows. */
typedef struct clpac__search_power {
	const double *power;
	size_t n;
} clpac__search_power;

/* Windows of 2 s; the whole series, where it is shorter. */
size_t clpac__search_length(size_t n_samples, double rate_hz);
/* The bins that the phase bands up to highest_hz need. */
size_t clpac__search_bins(size_t n_samples, double rate_hz, double highest_hz);

/* Looks for harmonics of the strongest wave that a phase band's filter lets through, up to top_hz.
 *
 * Windows are four cycles of the wave long and overlap by half.  For each step the sum over the windows of
 * X(f) sum over g of X(g - f) conj(X(g)) is compared with sums whose windows have random phases, as those of
 * phase-randomised data: a lone event in one window cannot be significant, however large it is.
 *
 * @param shared its power for phase bands of 2 Hz and more; others look for themselves.
 * @param taps n_taps of the phase band's filter, for series at filter_rate_hz.
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: 300 n_samples multiplications for a series without second harmonic; with one
 * 16 n_samples top_hz / f. */
clpac_status clpac__harmonics_find(const double *x, size_t n_samples, double rate_hz, const clpac__search_power *shared,
				   clpac_band phase, const double *taps, size_t n_taps, double filter_rate_hz,
				   double top_hz, clpac__series_key key, clpac__harmonics *out, clpac_error *err);

/* Whether harmonics reach into an amplitude band: the second harmonic is there (no draw of 199 reaches it), each step
 * up to the band is (p <= 0.05), and one of those within the band, which holds a multiple of the wave's frequency. */
bool clpac__harmonics_reach(const clpac__harmonics *harmonics, clpac_band amplitude);

#endif
