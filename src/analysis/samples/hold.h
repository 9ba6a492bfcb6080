/* --hold: the samples that a job may have in memory at once. */
#ifndef CLPAC_ANALYSIS_SAMPLES_HOLD_H
#define CLPAC_ANALYSIS_SAMPLES_HOLD_H

#include "analysis/settings.h"

typedef struct clpac__hold {
	uint64_t bytes; /* of samples, two groups of channels together */
	uint64_t most;	/* likewise, where a file is read anew for each group; not below `bytes` */
} clpac__hold;

/* Reads --hold: a number of bytes for both; without one, `bytes` is 256M and `most` a share of the memory that is free
 * now.
 * Errors: CLPAC_ERROR_ARGUMENT.  Cost: less than a millisecond. */
clpac_status clpac__hold_read(const clpac__analysis_settings *settings, clpac__hold *out, clpac_error *err);

#endif
