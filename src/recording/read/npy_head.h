/* The header of an .npy file (numpy.lib.format, versions 1, 2 and 3): encoding, order and shape. */
#ifndef CLPAC_RECORDING_READ_NPY_HEAD_H
#define CLPAC_RECORDING_READ_NPY_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "recording/read/samples.h"
#include "recording/read/source.h"

enum { CLPAC__NPY_MAX_DIMENSIONS = 32 };

typedef struct clpac__npy_head {
	char type[64];			 /* as written, "<f8" */
	const clpac__encoding *encoding; /* NULL: not real numbers */
	bool is_big_endian, is_fortran;
	size_t n_dimensions;
	size_t dimensions[CLPAC__NPY_MAX_DIMENSIONS];
} clpac__npy_head;

/* Reads up to the first sample.  CLPAC_ERROR_FORMAT names the unreadable part. */
clpac_status clpac__npy_head_read(clpac__source *source, clpac__npy_head *out, clpac_error *err);

#endif
