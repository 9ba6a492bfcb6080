/* How a result came about: what nobody can tell from its numbers. */
#ifndef CLPAC_TOOL_PROVENANCE_H
#define CLPAC_TOOL_PROVENANCE_H

#include "tool/job.h"
#include "tool/json_output.h"

/* A JSON object: the command line, the request (tool/request.h), the part of the recording, the computer, and the parts
 * of this build.
 * @param[out] text to be freed with clpac__free. */
clpac_status tool_provenance_write(const tool_job *job, char **text, clpac_error *err);

/* Adds what every command records: the command line, the computer, and the parts of this build. */
clpac_status tool_provenance_add(tool_json *json, const tool_call *call, clpac_error *err);

/* Prints the version, the parts and the licence of this build. */
clpac_status tool_version_print(clpac_error *err);

#endif
