/* Members of a result, for src/data alone; all other code goes through clpac/result.h. */
#ifndef CLPAC_DATA_RESULT_H
#define CLPAC_DATA_RESULT_H

#include <clpac/result.h>
#include "base/error.h"

struct clpac_result {
	clpac_result_shape shape;
	float *arrays[CLPAC_ARRAY_COUNT];
	size_t n_values[CLPAC_ARRAY_COUNT];
	uint32_t *empty_bins;
	uint8_t *valid; /* (phase band, amplitude band) */
	clpac_band *phase_bands, *amplitude_bands;
	clpac_band *cell_bands; /* (phase band, amplitude band); NULL: not tied */
	char **channel_names;
	double *segment_onsets;

	clpac_report report;
	clpac_band_report *band_reports;
	size_t n_band_reports;
	double *taps;  /* taps of all band reports, one after the other */
	char *problem; /* NULL: unset */
};

/* Adds an array of NaN, or makes NaN of the one that is there. */
clpac_status clpac__result_add_array(clpac_result *result, clpac_array which, clpac_error *err);

#endif
