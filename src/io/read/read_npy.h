/* The array of an .npy file, which may also be a member of an .npz archive. */
#ifndef CLPAC_IO_READ_READ_NPY_H
#define CLPAC_IO_READ_READ_NPY_H

#include "io/read/formats.h"

/* Reads header and samples into channels of the recording. */
clpac_status clpac__npy_samples_read(clpac__source *source, clpac_recording *recording, clpac_error *err);

#endif
