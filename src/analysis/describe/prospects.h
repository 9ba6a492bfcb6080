/* Prospects of a recording: its length, rate, rhythms, lines of the mains, and samples that were cut off or are missing
 * speak for or against looking for coupling in it. */
#ifndef CLPAC_ANALYSIS_DESCRIBE_PROSPECTS_H
#define CLPAC_ANALYSIS_DESCRIBE_PROSPECTS_H

#include <clpac/cautions.h>
#include <clpac/recording.h>
#include "analysis/describe/flat_runs.h"
#include "analysis/json_tree.h"
#include "base/text.h"

/* A channel whose spectrum was looked at. */
typedef struct clpac__prospect {
	size_t channel;		   /* in the recording */
	double peak_hz, peak_db;   /* of the highest peak in the phase bands; NaN: it cannot be told */
	double line_hz, line_high; /* of the mains, and how many times what lies beside it; 0: no line was looked for */
	clpac_disturbances found;  /* and of the wave at the highest peak */
} clpac__prospect;

typedef struct clpac__prospects {
	clpac__prospect *each; /* owned; the first of the channels that run takes */
	size_t n, n_taken;     /* looked at, of those that run takes */
	double rate_hz;	       /* of these; 0: unknown */
	double longest_s;      /* without a gap */
	double from_s, look_s; /* of the samples that were looked at, on their own clock */
	double phase_lo_hz, phase_hi_hz, amplitude_lo_hz, amplitude_hi_hz; /* of the default bands that the rate has */
	size_t n_amplitude, n_all_amplitude;				   /* these bands, and the default ones */
	double least_db;						   /* of a peak */
	size_t n_peaks, n_lines, n_clipped, n_stretches, highest, strongest; /* the latter places in each */
} clpac__prospects;

/* Looks at a minute in the middle of the longest stretch, for the default bands.
 * Errors: those of reading samples; CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__prospects_find(clpac_recording *recording, const clpac__flat_list *flats, clpac__prospects *out,
				   clpac_error *err);
void clpac__prospects_clear(clpac__prospects *prospects);

/* Add nothing where run takes no channel, or its rate is not known. */
void clpac__prospects_print(const clpac__prospects *prospects, const clpac_recording *recording, clpac__text *to);
void clpac__prospects_json(const clpac__prospects *prospects, clpac__json_tree *json);

#endif
