/* Opening a file to be read as a whole: it has an end, and nobody waits for a writer. */
#ifndef CLPAC_BASE_REGULAR_FILE_H
#define CLPAC_BASE_REGULAR_FILE_H

#include <stdio.h>
#include "base/error.h"

/* Opens a regular file for reading.
 * @param[out] out to be closed with fclose.
 * Errors: CLPAC_ERROR_IO: errno, ESPIPE for a pipe or a device, whose text begins with `what`. */
clpac_status clpac__regular_file_open(const char *path, const char *what, FILE **out, clpac_error *err);

#endif
