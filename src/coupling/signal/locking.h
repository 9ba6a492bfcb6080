/* Whether windows that are cut around events show the same in all of them: a phase or an amplitude that is locked to
 * the events.  Where both are, they meet at one phase in every window without any coupling, and surrogates that are
 * shifted by another time in each window do not (decision 0098). */
#ifndef CLPAC_COUPLING_SIGNAL_LOCKING_H
#define CLPAC_COUPLING_SIGNAL_LOCKING_H

#include <stdbool.h>

#include "base/error.h"
#include "coupling/signal/slow_waves.h"

/* Windows of one length in a series. */
typedef struct clpac__lock_windows {
	size_t *firsts; /* of each, its first sample; owned by whoever made it */
	size_t n, length;
	double seconds; /* of a window */
} clpac__lock_windows;

/* How much stronger the windows' mean is than chance makes it. */
typedef struct clpac__lock {
	double times;
	bool is_clear; /* five deviations above 1, for as many independent values as a window holds of such a band */
} clpac__lock;

/* Of phases: n |mean exp(i phase)|^2, the mean over the window (inter-trial coherence), which is 1 by chance.
 * Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__lock_of_phase(const clpac__wave_turns *turns, const clpac__lock_windows *windows, clpac_band band,
				  clpac__lock *out, clpac_error *err);

/* Of amplitudes: n times the variance of the windows' mean in the course of the window, by the mean variance within the
 * windows, which is 1 by chance.
 * @param amplitudes one for each `step` samples, at samples 0, step, ...
 * Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__lock_of_amplitude(const double *amplitudes, size_t step, const clpac__lock_windows *windows,
				      clpac_band band, clpac__lock *out, clpac_error *err);

#endif
