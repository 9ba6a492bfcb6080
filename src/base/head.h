/* The head seen from above: where electrodes lie, and what is between them. */
#ifndef CLPAC_BASE_HEAD_H
#define CLPAC_BASE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

/* A place on the disc that the head is drawn as, the nose upwards: as far from the middle as the direction is from the
 * vertex, with 1 at a right angle, where the circumference through Fpz, T7, Oz and T8 is. */
typedef struct clpac__head_place {
	double x, y;
} clpac__head_place;

clpac__head_place clpac__head_place_of(const double direction[3]);
void clpac__head_direction_of(clpac__head_place place, double direction[3]);

/* Makes positions, in any unit, directions from the middle of the sphere that is nearest to them, of length 1 (least
 * squares of the squared distances).  False, and nothing is changed, where no such sphere is around fewer than four,
 * or around positions in a plane. */
bool clpac__head_directions(double (*positions)[3], size_t n);

/* Values between those at electrodes, by spherical splines (Perrin, Pernier, Bertrand and Echallier 1989) of order 4,
 * with 1e-5 added to the matrix's diagonal, so that values at one place become their mean. */
typedef struct clpac__head_values {
	size_t n;
	double *directions; /* owned: 3 of each */
	double *weights;    /* owned: n, and the constant */
} clpac__head_values;

/* @param directions of length 1.  Errors: CLPAC_ERROR_NO_MEMORY.  Cost: the third power of n. */
clpac_status clpac__head_values_create(const double (*directions)[3], const double *values, size_t n,
				       clpac__head_values *out, clpac_error *err);
double clpac__head_value_at(const clpac__head_values *values, const double direction[3]);
/* A zeroed one is fine. */
void clpac__head_values_destroy(clpac__head_values *values);

#endif
