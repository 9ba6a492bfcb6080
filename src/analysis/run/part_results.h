/* The results of a job's parts, put together to that of the job. */
#ifndef CLPAC_ANALYSIS_RUN_PART_RESULTS_H
#define CLPAC_ANALYSIS_RUN_PART_RESULTS_H

#include <clpac/result.h>
#include "analysis/run/job.h"

/* Puts the results of all parts into one of all channels and segments.  Those of which nothing is used are NaN.
 * @param[in,out] results of the parts, in their order; that of a part which is the whole job is taken, and NULL then.
 * Errors: CLPAC_ERROR_FORMAT for results that differ in shape or arrays; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__part_results_join(const clpac__job *job, clpac_result **results, clpac_result **out,
				      clpac_error *err);

#endif
