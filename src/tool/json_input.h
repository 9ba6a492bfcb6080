/* JSON from files that need not be trusted. */
#ifndef CLPAC_TOOL_JSON_INPUT_H
#define CLPAC_TOOL_JSON_INPUT_H

#include <jansson.h>
#include <clpac/status.h>

/* Reads a file, or a pipe with a writer.  @param[out] out to be released with json_decref.
 * Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_FORMAT with line and column, CLPAC_ERROR_NO_MEMORY. */
clpac_status tool_json_load(const char *path, json_t **out, clpac_error *err);

#endif
