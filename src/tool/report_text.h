/* The part of a report that differs between runs of one job - warnings, times, shares of devices - as JSON,
 * to be kept with the channels that it tells of. */
#ifndef CLPAC_TOOL_REPORT_TEXT_H
#define CLPAC_TOOL_REPORT_TEXT_H

#include <clpac/result.h>

/* @param[out] text to be freed with clpac__free. */
clpac_status tool_report_write(const clpac_report *report, char **text, clpac_error *err);
/* Takes that part of a report from the text, which need not be trusted; the rest of the report stays.
 * Errors: CLPAC_ERROR_FORMAT for another text, CLPAC_ERROR_NO_MEMORY. */
clpac_status tool_report_read(const char *text, clpac_report *report, clpac_error *err);

#endif
