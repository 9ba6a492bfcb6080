/* The null distribution of a result in a word. */
#ifndef CLPAC_RECORDING_NULL_TEXT_H
#define CLPAC_RECORDING_NULL_TEXT_H

#include <clpac/result.h>

enum { CLPAC__NULL_TEXT_SIZE = 48 };

/* Writes what the problem of a result says of its null, as `clpac run --null` takes it: "shift", "shift=all",
 * "shift=all/8", "trials", "blocks=5", "phases".  "" for a result without surrogates or without a problem. */
void clpac__null_text(const clpac_result *result, char text[CLPAC__NULL_TEXT_SIZE]);

#endif
