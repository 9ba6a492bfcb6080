/* How a result came about: what nobody can tell from its numbers. */
#ifndef CLPAC_ANALYSIS_RUN_PROVENANCE_H
#define CLPAC_ANALYSIS_RUN_PROVENANCE_H

#include "analysis/json_tree.h"
#include "analysis/run/job.h"

/* A JSON object: the words that asked for it, the request (checkpoints/request.h), the part of the recording, the
 * computer, and the parts of this build.
 * @param[out] text to be freed with clpac__free. */
clpac_status clpac__provenance_write(const clpac__job *job, char **text, clpac_error *err);

/* Adds what every result records: the words that asked for it, the computer, and the parts of this build. */
clpac_status clpac__provenance_add(clpac__json_tree *json, const clpac__analysis_settings *settings, clpac_error *err);

#endif
