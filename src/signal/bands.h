/* Frequency bands: their defaults, their text, and their check against the sampling rate. */
#ifndef CLPAC_SIGNAL_BANDS_H
#define CLPAC_SIGNAL_BANDS_H

#include <clpac/problem.h>
#include "base/error.h"
#include "base/text.h"

/* More bands than this are surely a mistake, and are refused before memory is spent on them. */
enum { CLPAC__MAX_BANDS = 65536 };

/* "phase" or "amplitude". */
const char *clpac__band_use_text(clpac_band_use use);

/* Refuses a band unless 0 < lo < hi < rate/2.  The error names its use, its place in the list and its numbers.
 * rate_hz is above 0; INFINITY where no rate is known. */
clpac_status clpac__band_check(clpac_band band, clpac_band_use use, size_t index, double rate_hz, clpac_error *err);

/* Appends "4-8,8-13": explicit edges, which clpac_bands_read turns into exactly the same doubles. */
void clpac__bands_add_text(clpac__text *text, const clpac_band *bands, size_t n);

#endif
