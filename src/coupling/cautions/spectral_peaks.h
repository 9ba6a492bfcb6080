/* The caution for coupling to phase bands in which the spectrum has no peak. */
#ifndef CLPAC_COUPLING_CAUTIONS_SPECTRAL_PEAKS_H
#define CLPAC_COUPLING_CAUTIONS_SPECTRAL_PEAKS_H

#include <clpac/result.h>
#include <clpac/problem.h>

#include "base/error.h"

/* A series whose phases were taken, and the maps that it has a part in. */
typedef struct clpac__peaks_of {
	const clpac_problem *problem; /* complete */
	clpac_result *result;	      /* with CLPAC_PHASE_PEAK_DB */
	const char *channel;	      /* its name */
	const double *x;	      /* the longest stretch, without its mean */
	size_t n_samples;
	double rate_hz;
	const size_t *rows; /* of the result, whose phases are the channel's: n_rows */
	size_t n_rows;
	size_t segment, n_maps; /* the first of its maps in each row */
	double significant;	/* the highest p_max of a cell that is looked at */
} clpac__peaks_of;

/* Writes the height of the peak of each phase band that has a significant cell, or without surrogates the highest of a
 * map, and warns where surrogates make some significant and none of them has a peak.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__look_for_peaks(const clpac__peaks_of *of, clpac_error *err);

#endif
