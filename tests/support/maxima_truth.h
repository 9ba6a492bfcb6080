/* The maxima of a map and the p corrected by them, by their definition and in double, from kept surrogates. */
#ifndef CLPAC_TESTS_MAXIMA_TRUTH_H
#define CLPAC_TESTS_MAXIMA_TRUTH_H

#include <clpac/result.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A map whose cells are looked at: (n_phase, n_amplitude). */
typedef struct judged_map {
	const uint8_t *valid;
	size_t n_phase, n_amplitude, n_surrogates;
	bool is_tied; /* rows have no amplitude band in common */
} judged_map;

/* Squares of the deviations that standardized statistics of the cells are divided by, from the variances of all indices
 * of each; 0 stands for a cell without standardized statistics.  Rows of a map with tied amplitudes are maps of their
 * own. */
void true_spreads(const judged_map *map, const double *variances, double *spreads);

/* The variance of an index and its n surrogates together, from the mean and deviation of these alone. */
double true_variance(double mi, double mean, double std, size_t n, unsigned ddof);

/* The distance of an index from the mean of itself and its n surrogates, in their deviations. */
double own_statistic(double mi, double mean, double std, size_t n, unsigned ddof);

/* A map's values in a result. */
typedef struct judged_values {
	const float *mi, *surrogates; /* (n_phase, n_amplitude), (n_surrogates, n_phase, n_amplitude) */
	const float *maxima;	      /* (n_surrogates) */
	const float *standardized, *p_max;
} judged_values;

/* The values of a series of a result that keeps its surrogates. */
judged_values judged_values_of(const clpac_result *result, size_t series);

/* Fails unless the maxima of the valid ones of a map's cells and the standardized statistics and p_max of these are
 * those of its indices and of its surrogates, as far as moments of single precision let it be known; and, exactly,
 * unless a higher standardized statistic has the lower p_max, or the same. */
void check_maxima(const judged_map *map, const judged_values *values, const char *label);

#endif
