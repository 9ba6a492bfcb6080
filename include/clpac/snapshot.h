/** @file snapshot.h
 *  Snapshots of a pool, read, told and drawn.  In the library libclpac-io.
 *
 *  Every function may be called from any thread on different objects.
 *
 *  NULL where a pointer is required: clpac/status.h has the rule.
 */
#ifndef CLPAC_SNAPSHOT_H
#define CLPAC_SNAPSHOT_H

#include <clpac/plot.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A snapshot of a pool (clpac_pool_snapshot, clpac_pool_options.snapshot), read from its file.  Opaque. */
typedef struct clpac_snapshot clpac_snapshot;

/** Reads a snapshot from a file that need not be trusted.
 *  @param[out] out to be destroyed with clpac_snapshot_destroy.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with the place and the fault (no JSON, another format, a newer version,
 *  more than 64 MiB, pieces that overlap or reach beyond their segment), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_snapshot_read(const char *path, clpac_snapshot **out, clpac_error *err);
/** What it says, in lines: the refusal, the sums, the segments, who holds how much, the last events.
 *  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_snapshot_text(const clpac_snapshot *snapshot, char **text, clpac_error *err);
/** Draws it, as .png, .svg or .pdf by the ending of the path: the budget beside the request, each segment with its
 * pieces coloured by their owners' tags, who holds how much, and the last events.
 *  @param options title, overwrite and set are used; NULL: nothing overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (ending), CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_UNSUPPORTED in a build
 *  without cairo. */
clpac_status clpac_snapshot_plot(const clpac_snapshot *snapshot, const char *path, const clpac_plot_options *options,
				 clpac_error *err);
/** Frees a snapshot.  NULL is fine. */
void clpac_snapshot_destroy(clpac_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
