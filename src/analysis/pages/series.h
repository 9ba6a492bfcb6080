/* The series of a channel that a page shows: that of the channel's peak. */
#ifndef CLPAC_ANALYSIS_PAGES_SERIES_H
#define CLPAC_ANALYSIS_PAGES_SERIES_H

#include <clpac/result.h>
#include "base/text.h"

/* Arrays that the result does not hold are NULL.  Of a comparison of subjects or conditions the index is the effect,
 * and z is t. */
typedef struct clpac__page_series {
	const clpac_result *result;
	size_t channel, segment, n_phase, n_amplitude, n_cells, n_bins, n_surrogates;
	clpac_peak peak;
	size_t peak_cell;
	bool is_comparison, is_corrected; /* p is p_max */
	const float *index, *z, *p, *harmonic, *remaining, *null_mean, *null_deviation, *n_subjects, *preferred;
	const float *distribution;	    /* of the peak */
	const float *distributions;	    /* of all cells */
	const float *standardized, *maxima; /* of the peak's p_max */
	const float *phase_peak_db;	    /* n_phase */
	const uint8_t *valid;
} clpac__page_series;

clpac__page_series clpac__series_of(const clpac_result *result, size_t channel);
/* The names of the two maps of a series: "MI" and "z", "difference" and "t". */
const char *clpac__series_index_word(const clpac__page_series *series);
const char *clpac__series_z_word(const clpac__page_series *series);

/* Drawings of a series, each an <svg> with <title> and <desc> (curves.c). */

/* The amplitude over two cycles of the phase, at the peak. */
void clpac__series_add_distribution(clpac__text *page, const clpac__page_series *series, const char *id);
/* The index of the peak beside its surrogates. */
void clpac__series_add_null(clpac__text *page, const clpac__page_series *series, const char *id);
/* The highest standardized statistic of each surrogate, and that of the peak: what p_max counts. */
void clpac__series_add_maxima(clpac__text *page, const clpac__page_series *series, const char *id);

#endif
