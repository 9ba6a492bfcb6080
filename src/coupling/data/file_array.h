/* Arrays that lie in files without a name: the system writes what memory has no room for, and reads it again. */
#ifndef CLPAC_COUPLING_DATA_FILE_ARRAY_H
#define CLPAC_COUPLING_DATA_FILE_ARRAY_H

#include <stddef.h>
#include "base/error.h"

/* @param folder where the file is, whose bytes are all there when this succeeds.
 * @param[out] out zeroed, to be given to clpac__file_array_free with the same number of bytes.
 * Errors: CLPAC_ERROR_IO (native_code is errno). */
clpac_status clpac__file_array_make(const char *folder, size_t bytes, float **out, clpac_error *err);
/* NULL is fine. */
void clpac__file_array_free(float *values, size_t bytes);

#endif
