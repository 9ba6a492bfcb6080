/* Spectra of the channels of a job, for those who look at its result. */
#ifndef CLPAC_ANALYSIS_RUN_SPECTRA_H
#define CLPAC_ANALYSIS_RUN_SPECTRA_H

#include "analysis/json_tree.h"
#include "analysis/run/job.h"

/* Adds the member "spectra", an object for each part of an opened job that has samples enough: its "channels" by name
 * and their "units", "window_s" and "n_windows", the frequencies "hz", and "db", a list for each channel: decibels of
 * one squared unit per hertz, rounded to a tenth, null where there is no power.
 *
 * Windows last four cycles of the lowest phase, at least 2 s, or as long as the longest stretch; 64 at most lie evenly
 * in what is used, overlapping by half where there are fewer.  From half the lowest phase to 1.3 times the highest
 * amplitude frequency, bins of a part of an octave are one value.
 * Errors: those of reading samples that are not there; CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_CANCELLED. */
clpac_status clpac__spectra_add(const clpac__job *job, clpac__json_tree *json, clpac_error *err);

/* Finds the curve of a channel among "spectra", whose names need not have its case.
 * @param group the "group" of the part that has it; 0: a part without one. @param[out] part, place number of the part,
 * and of the channel in it.  False: there is none. */
bool clpac__spectra_find(const json_t *spectra, const char *name, int group, size_t *part, size_t *place);

#endif
