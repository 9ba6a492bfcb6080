/* A file of JSON that is not trusted, as a tree. */
#ifndef CLPAC_RECORDING_READ_JSON_FILE_H
#define CLPAC_RECORDING_READ_JSON_FILE_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

/* The tree is freed with json_decref.  The size is checked before memory is allocated.
 *  what: "list of devices", for the error of a file that is larger.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with line and column, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__json_file_read(const char *path, uint64_t most_bytes, const char *what, json_t **out,
				   clpac_error *err);

#endif
