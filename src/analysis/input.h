/* The recording that an analysis is of. */
#ifndef CLPAC_ANALYSIS_INPUT_H
#define CLPAC_ANALYSIS_INPUT_H

#include <clpac/recording.h>
#include "analysis/settings.h"

/* Opens the input, by `rate_hz`, `raw` and `array`; its samples are read when they are asked for. */
clpac_status clpac__input_read(const clpac__analysis_settings *settings, clpac_recording **out, clpac_error *err);
/* Tells the reader's warnings. */
void clpac__input_warn(const clpac__analysis_settings *settings, const clpac_recording *recording);

#endif
