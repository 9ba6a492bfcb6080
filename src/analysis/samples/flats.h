/* Flat runs of a recording's channels: where data is missing that was written as numbers (base/flat.h). */
#ifndef CLPAC_ANALYSIS_SAMPLES_FLATS_H
#define CLPAC_ANALYSIS_SAMPLES_FLATS_H

#include <clpac/problem.h>
#include <clpac/recording.h>
#include "base/flat.h"

/* The bounds of a method, whatever its samples and channels; 0 where it has no phase bands at this rate, which is
 * refused elsewhere.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__flat_lengths_find(const clpac_problem *method, clpac__flat_lengths *out, clpac_error *err);

/* Looks at channels of a recording, whether their samples are there or in its file.  Of a file, some channels side by
 * side take one pass; what is resampled is loaded, and unloaded.  The searches are not ended.
 * @param channels n of them.  @param part the samples of each that are looked at.
 * Errors: those of clpac_recording_load and clpac_recording_read_part. */
clpac_status clpac__flats_look(clpac_recording *recording, const size_t *channels, size_t n, const clpac_window *part,
			       clpac__flat_search *searches, clpac_error *err);

#endif
