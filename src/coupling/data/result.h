/* Members of a result, for src/coupling/data alone; all other code goes through clpac/result.h. */
#ifndef CLPAC_COUPLING_DATA_RESULT_H
#define CLPAC_COUPLING_DATA_RESULT_H

#include <clpac/result.h>

#include "base/error.h"

struct clpac_result {
	clpac_measure measure;
	/* Of a further measure: the result that it belongs to, whose facts count for it.  NULL: this is the result. */
	clpac_result *whole;
	clpac_result *next; /* the next of its measures */
	clpac_result_shape shape;
	float *arrays[CLPAC_ARRAY_COUNT];
	size_t n_values[CLPAC_ARRAY_COUNT];
	uint32_t *empty_bins;
	uint8_t *valid; /* (phase band, amplitude band) */
	clpac_band *phase_bands, *amplitude_bands;
	clpac_band *cell_bands; /* (phase band, amplitude band); NULL: not tied */
	char **channel_names;
	char **pair_names[2]; /* by clpac_band_use; each NULL: its channels are no pairs */
	char **conditions;    /* of the segments; NULL: none has one */
	double *segment_onsets;
	double *used_seconds; /* of each series, and */
	uint32_t *n_stretches;

	clpac_report report;
	clpac_band_report *band_reports;
	size_t n_band_reports;
	double *taps;			       /* taps of all band reports, one after the other */
	char *problem, *sentence, *provenance; /* each NULL: unset */
	char *folder;			       /* where its arrays lie in files; NULL: in memory */
};

/* The result that holds the facts which all measures of a run share: its first. */
static inline const clpac_result *clpac__result_whole(const clpac_result *result)
{
	return result->whole ? result->whole : result;
}

/* Whether so many surrogates tell a deviation so well that a cell may be clear by it (CLPAC_CLEAR_Z in
 * cl/shared/maps.h), and the peak before cells of higher standardized statistic. */
bool clpac__surrogates_make_clear(size_t n_surrogates);

/* Whether an array is the same for all measures. */
bool clpac__array_is_shared(clpac_array which);

/* Names a channel as one of another result is named, a pair as the pair that it is. */
clpac_status clpac__result_copy_name(clpac_result *to, size_t at, const clpac_result *from, size_t channel,
				     clpac_error *err);

/* Adds an array of NaN, or makes NaN of the one that is there. */
clpac_status clpac__result_add_array(clpac_result *result, clpac_array which, clpac_error *err);

/* Reports of runs that make one result together. */

/* Adds a report: parts run one after the other, so that times and counts add up and the highest peak counts. */
void clpac__report_add(clpac_report *to, const clpac_report *from);

#endif
