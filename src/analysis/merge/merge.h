/* Makes the result of a whole job of those of its shards. */
#ifndef CLPAC_ANALYSIS_MERGE_MERGE_H
#define CLPAC_ANALYSIS_MERGE_MERGE_H

#include <clpac/result.h>
#include "analysis/settings.h"

typedef struct clpac__merged {
	clpac_result *result; /* with report, provenance and sentence */
	char *input;	      /* path of the recording, as the first shard was given it */
	char checksum[65];    /* "" where the shards have none */
} clpac__merged;

/* @param settings for records.
 * @param folder of the result's arrays (clpac_result_create_in); NULL: in memory.
 * @param[out] out to be cleared.
 * Errors: CLPAC_ERROR_FORMAT for files that are no shards, differ, or lack channels, in which both are named;
 * CLPAC_ERROR_ARGUMENT for none, and for one that is given twice. */
clpac_status clpac__merge(const clpac__analysis_settings *settings, const char *const *paths, size_t n,
			  const char *folder, clpac__merged *out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__merged_clear(clpac__merged *merged);

#endif
