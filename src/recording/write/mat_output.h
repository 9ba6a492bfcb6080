/* Variables of MATLAB's files of version 5 (read/mat.h), written one after the other. */
#ifndef CLPAC_RECORDING_WRITE_MAT_OUTPUT_H
#define CLPAC_RECORDING_WRITE_MAT_OUTPUT_H

#include "recording/output.h"
#include "recording/write/npz_output.h"

/* The header of the file, which has no date, so that equal results give equal files. */
clpac_status clpac__mat_output_begin(clpac__output *output, clpac_error *err);

/* Writes an array under its name, in which letters, digits and _ stay: numbers with their dimensions in the same order,
 * so that mi(channel, segment, phase, amplitude) is what NumPy has as mi[channel, segment, phase, amplitude]; bytes of
 * truth as logical; texts as a cell, of no dimension as characters.
 * Errors: CLPAC_ERROR_UNSUPPORTED for an array of 2 GiB or more, which the version does not have; those of writing. */
clpac_status clpac__mat_output_add(clpac__output *output, const char *path, const clpac__npz_array *array,
				   clpac_error *err);
clpac_status clpac__mat_output_add_text(clpac__output *output, const char *path, const char *name, const char *text,
					clpac_error *err);

#endif
