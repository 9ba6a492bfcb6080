/* EEGLAB's data sets. */
#ifndef CLPAC_RECORDING_READ_EEGLAB_H
#define CLPAC_RECORDING_READ_EEGLAB_H

#include "recording/read/mat.h"

/* Whether the variables are a data set: by the name of the file (.set), or since there is a struct EEG. */
clpac_status clpac__eeglab_is_set(clpac__mat *mat, bool *out, clpac_error *err);
/* Reads a data set.  @param given_hz the rate where the set has none; 0: unknown. */
clpac_status clpac__eeglab_read(clpac__mat *mat, double given_hz, clpac_recording **out, clpac_error *err);

#endif
