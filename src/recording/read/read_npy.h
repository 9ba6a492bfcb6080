/* The samples of an .npy array, of a file or of a member of an archive. */
#ifndef CLPAC_RECORDING_READ_READ_NPY_H
#define CLPAC_RECORDING_READ_READ_NPY_H

#include "recording/read/formats.h"

/* Facts that other arrays of an archive tell. */
typedef struct clpac__npy_facts {
	double rate_hz;		  /* 0 unknown */
	const char *const *names; /* NULL: none */
	size_t n_names;
} clpac__npy_facts;

/* Reads header and samples into channels of the recording.  Names are taken where their number is that of the
 * channels, else they become a warning.
 * @param rate_hz given by the caller, for the times of epochs; 0 where it is not. */
clpac_status clpac__npy_samples_read(clpac__source *source, const clpac__npy_facts *facts, double rate_hz,
				     clpac_recording *recording, clpac_error *err);

#endif
