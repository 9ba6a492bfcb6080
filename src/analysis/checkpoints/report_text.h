/* A report as JSON, to be kept with the channels that it tells of. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_REPORT_TEXT_H
#define CLPAC_ANALYSIS_CHECKPOINTS_REPORT_TEXT_H

#include <clpac/result.h>

/* @param[out] text to be freed with clpac__free. */
clpac_status clpac__report_write(const clpac_report *report, char **text, clpac_error *err);
/* Takes a report from the text, which need not be trusted.
 * Errors: CLPAC_ERROR_FORMAT for another text, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__report_read(const char *text, clpac_report *report, clpac_error *err);

#endif
