/* Unfinished outputs that killed processes left in a folder. */
#ifndef CLPAC_RECORDING_LEFTOVERS_H
#define CLPAC_RECORDING_LEFTOVERS_H

#include <stdbool.h>

#include "base/error.h"

/* Completes the sets of dead writers, and removes temporary files of dead writers of a file of this name.  Files whose
 * writer lives keep their lock and stay.  What cannot be done is left for the next time. */
void clpac__leftovers_collect(int folder, const char *name);

/* Completes the set whose first file is this one, if a dead writer left it.
 * @param waits for a living writer that is putting it in place; otherwise that is CLPAC_ERROR_IO with EBUSY.
 * Errors: CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__leftovers_settle(const char *path, bool waits, clpac_error *err);

#endif
