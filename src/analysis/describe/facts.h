/* The facts of a result, as the members of its OUT.json. */
#ifndef CLPAC_ANALYSIS_DESCRIBE_FACTS_H
#define CLPAC_ANALYSIS_DESCRIBE_FACTS_H

#include <jansson.h>
#include <clpac/result.h>
#include <clpac/write.h>
#include "base/error.h"

/* The members of the JSON that would be written of a result with such options.
 * @param[out] out to be released with json_decref.  Errors: those of clpac_result_write_json. */
clpac_status clpac__facts_of_result(const clpac_result *result, const clpac_write_options *options, json_t **out,
				    clpac_error *err);

/* The members of OUT.json beside OUT.npz, from which the result was read; where there is none, those of the result.
 * The reader of the .npz has made sure that the .json is of this result.
 * @param[out] out to be released with json_decref.  Errors: those of clpac__json_tree_load, and of the former. */
clpac_status clpac__facts_beside(const char *npz_path, const clpac_result *result, json_t **out, clpac_error *err);

#endif
