/* A run foretold: devices, layout, memory, time, and what is read of the recording. */
#ifndef CLPAC_ANALYSIS_DESCRIBE_FORECAST_H
#define CLPAC_ANALYSIS_DESCRIBE_FORECAST_H

#include "analysis/run/job.h"

/* Explains how an opened job would run.  Makes its plans, and computes a batch of noise with each.
 * @param[out] text lines for people, each with its end, or JSON; to be freed with clpac__free. */
clpac_status clpac__job_forecast(clpac__job *job, bool as_json, char **text, clpac_error *err);

#endif
