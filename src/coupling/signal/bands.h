/* Frequency bands: their defaults, their text, and their check against the sampling rate. */
#ifndef CLPAC_COUPLING_SIGNAL_BANDS_H
#define CLPAC_COUPLING_SIGNAL_BANDS_H

#include <clpac/bands.h>
#include "base/error.h"
#include "base/text.h"

/* More bands than this are surely a mistake, and are refused before memory is spent on them. */
enum { CLPAC__MAX_BANDS = 65536 };

/* Refuses a band unless 0 < lo < hi < rate/2.  The error names its use, its place in the list and its numbers.
 * rate_hz is above 0; INFINITY where no rate is known. */
clpac_status clpac__band_check(clpac_band band, clpac_band_use use, size_t index, double rate_hz, clpac_error *err);

/* The amplitude band of a tied cell: the amplitude band's centre, plus and minus the phase band's. */
clpac_band clpac__band_tied(clpac_band phase, clpac_band amplitude);
/* Whether an amplitude band is wide enough for both side bands of a modulation at the phase band's centre, and whether
 * two bands share frequencies; each with the slack of clpac_cell_is_valid. */
bool clpac__band_carries(clpac_band phase, clpac_band amplitude);
bool clpac__bands_overlap(clpac_band a, clpac_band b);

/* Whether 0 < lo < hi < rate/2; rate_hz as in clpac__band_check. */
bool clpac__band_fits(clpac_band band, double rate_hz);

/* Appends "7 of 80 cells have no value: ..." where bands of tied cells do not fit, after "; " in a text that is not
 * empty. */
void clpac__bands_add_empty_cells(clpac__text *text, const clpac_band *phase, size_t n_phase,
				  const clpac_band *amplitude, size_t n_amplitude, double rate_hz);

/* The default amplitude bands with tied widths, as text. */
extern const char *const clpac__bands_default_tied;

/* Appends "4-8,8-13": explicit edges, which clpac_bands_read turns into exactly the same doubles. */
void clpac__bands_add_text(clpac__text *text, const clpac_band *bands, size_t n);

#endif
