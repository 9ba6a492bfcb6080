/* The filters of a result as JSON, to be kept with it: result files do not hold them. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_FILTERS_TEXT_H
#define CLPAC_ANALYSIS_CHECKPOINTS_FILTERS_TEXT_H

#include <clpac/result.h>

/* @param[out] text one line, to be freed with clpac__free. */
clpac_status clpac__filters_write(const clpac_result *result, char **text, clpac_error *err);
/* Gives a result the filters of a text, which need not be trusted.
 * Errors: CLPAC_ERROR_FORMAT for another text, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__filters_read(const char *text, clpac_result *result, clpac_error *err);

#endif
