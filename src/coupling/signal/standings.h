/* Standings of observed indices: what p corrected over a map compares (cl/standing_spreads.cl, in double). */
#ifndef CLPAC_COUPLING_SIGNAL_STANDINGS_H
#define CLPAC_COUPLING_SIGNAL_STANDINGS_H

#include <stddef.h>
#include <stdint.h>

/* A map and its statistics, (n_phase, n_amplitude). */
typedef struct clpac__map {
	const float *mi, *mean, *std; /* indices; mean and deviation of the surrogates alone */
	const uint8_t *valid;
	size_t n_phase, n_amplitude, n_surrogates;
	unsigned ddof;
} clpac__map;

/* The distance of each index from the mean of itself and its surrogates, over what these spread by.  NaN for a cell
 * that is not valid, or whose surrogates are equal or unknown.  Standings are rounded here, once: p_max is made of what
 * a result holds, and so orders cells as that does.
 * @param room (n_amplitude), for the variances of a phase band.
 * @param[out] standings (n_phase, n_amplitude). */
void clpac__standings(const clpac__map *map, double *room, float *standings);

#endif
