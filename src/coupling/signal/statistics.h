/* Statistics of surrogates, in double (method, section 4): deviation, z and p. */
#ifndef CLPAC_COUPLING_SIGNAL_STATISTICS_H
#define CLPAC_COUPLING_SIGNAL_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include <clpac/signal.h>

#include "base/error.h"

/* sqrt(m2 / (n - ddof)); NaN where n <= ddof. */
double clpac__moments_std(double m2, size_t n, unsigned ddof);

/* (mi - mean) / std; NaN where std is not above 0, since equal surrogates give no scale. */
double clpac__z_score(double mi, double mean, double std);

/* (1 + rank) / (1 + n), where rank of n surrogates are at or above the observed index; NaN where n is 0. */
double clpac__p_value(size_t rank, size_t n);

/* A maximum of cl/surrogate_maxima.cl; NaN where no cell has a standardized statistic. */
float clpac__maximum_or_nan(float maximum);

/* The p of each of n cells, corrected over all cells that entered the maxima of n_maxima surrogates (Nichols & Holmes
 * 2002): (1 + #{maximum >= standardized statistic}) / (1 + n_maxima).  NaN where a cell has no standardized statistic;
 * a maximum of NaN reaches nothing.  Cost: n x n_maxima comparisons. */
void clpac__p_of_maxima(const float *standardized, size_t n, const float *maxima, size_t n_maxima, float *p_max);

/* Standardized statistics of observed indices: what p corrected over a map compares (cl/cell_spreads.cl, in double). */

/* A map and its statistics, (n_phase, n_amplitude). */
typedef struct clpac__map {
	const float *mi, *mean, *std; /* indices; mean and deviation of the surrogates alone */
	const uint8_t *valid;
	size_t n_phase, n_amplitude, n_surrogates;
	unsigned ddof;
} clpac__map;

/* The distance of each index from the mean of itself and its surrogates, over what these spread by.  NaN for a cell
 * that is not valid, or whose surrogates are equal or unknown.  Standardized statistics are rounded here, once: p_max
 * is made of what a result holds, and so orders cells as that does.
 * @param room of clpac__standardize_room values.
 * @param[out] standardized (n_phase, n_amplitude). */
void clpac__standardize(const clpac__map *map, double *room, float *standardized);
size_t clpac__standardize_room(size_t n_phase, size_t n_amplitude);

/* How far an index is above the mean of its surrogates. */

/* What an index is of the sums that it is made of, which without coupling are nearly normal. */
typedef enum clpac__index_law {
	CLPAC__NO_LAW = 0, /* neither of these */
	CLPAC__OF_SQUARES, /* a sum of their squares: about a multiple of chi-square, with coupling of a noncentral one
			    */
	CLPAC__OF_LENGTH,  /* the length of a vector of two */
} clpac__index_law;

typedef struct clpac__interval {
	double lo, hi;
} clpac__interval;

/* The 95 % interval of an excess over surrogates with this mean and unbiased deviation, from 0 up; NaN without a law,
 * and where mean or deviation is not above 0. */
clpac__interval clpac__excess_interval(clpac__index_law law, double excess, double mean, double deviation);

/* Student's t distribution with a whole number of degrees of freedom. */

/* The probability that t exceeds a value, for 1 or more degrees of freedom (Abramowitz & Stegun 1964, 26.7.3 and
 * 26.7.4: a finite sum for whole numbers of them).  Cost: half as many steps as degrees. */
double clpac__student_tail(double t, size_t degrees);

/* The t that is exceeded with a probability, above 0 and at most 1/2. */
double clpac__student_deviate(double probability, size_t degrees);

/* t of a correlation, and back: t = r sqrt(degrees / (1 - r^2)).  Both rise, so that either ranks alike. */
double clpac__t_of_correlation(double r, size_t degrees);
double clpac__correlation_of_t(double t, size_t degrees);

/* Normal scores: what the ranks of n values become in a Gaussian copula. */

/* Fills scores[r] with the deviate that a standard normal value falls below with probability (r + 1) / (n + 1), for
 * ranks r from 0 to n - 1.  Errs by less than 1e-7 of itself. */
void clpac__normal_scores(float *scores, size_t n);

/* p adjusted for the rate of false discoveries, of values that a result holds. */

/* clpac_signal_false_discovery without its checks: what a device computed is passed on whatever it is. */
clpac_status clpac__false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err);

#endif
