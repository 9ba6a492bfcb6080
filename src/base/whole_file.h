/* A file that is there as a whole or not at all: written beside its place under another name, then renamed. */
#ifndef CLPAC_BASE_WHOLE_FILE_H
#define CLPAC_BASE_WHOLE_FILE_H

#include <stddef.h>
#include "base/error.h"

/* Replaces a file that exists; a link is replaced, not followed.  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY; the
 * old file is then as it was. */
clpac_status clpac__whole_file_write(const char *path, const char *bytes, size_t n, clpac_error *err);

#endif
