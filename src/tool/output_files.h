/* Names of output files, checked before the work starts: nobody should lose an hour to a folder that cannot be made. */
#ifndef CLPAC_TOOL_OUTPUT_FILES_H
#define CLPAC_TOOL_OUTPUT_FILES_H

#include <stdbool.h>

#include <clpac/result.h>
#include <clpac/write.h>

#include "tool/tool.h"
#include "analysis/run/job.h"

/* Makes the folders on the way to an output file.  Fails when the path does not end in `ending` (NULL: any), when it is
 * the input (NULL: there is none), when it exists and force is false, or when its folder cannot be made or take a file.
 * A device or a pipe is always fine.  Leaves call->direction at TOOL_OUTPUT when it fails. */
clpac_status tool_output_check(const char *path, const char *ending, const char *input, bool force, tool_call *call,
			       clpac_error *err);

/* Makes the folders on the way to a file where they are missing. */
clpac_status tool_folders_make(const char *path, tool_call *call, clpac_error *err);

/* Whether it is a device or a pipe, which is written directly. */
bool tool_output_is_device(const char *path);

/* The path with another ending ("a/b.npz" -> "a/b.json"), to be freed with clpac__free; NULL when memory ran out. */
char *tool_output_beside(const char *path, const char *ending);

/* OUT.npz, or OUT.shard-I-of-N.npz of a shard; likewise. */
char *tool_output_of_shard(const char *npz, const clpac__analysis_settings *settings);

/* Kinds of picture, in the order of tool_picture_endings. */
enum { TOOL_N_PICTURES = 3 };
extern const char *const tool_picture_endings[TOOL_N_PICTURES];
/* Reads "png,svg" into flags; a NULL list sets none. */
clpac_status tool_pictures_read(const char *list, bool wanted[TOOL_N_PICTURES], clpac_error *err);

/* Writes a file of text whole or not at all, or to a device or a pipe directly.  Fails when it exists and force is
 * false. */
clpac_status tool_text_write(const char *path, const char *text, bool force, clpac_error *err);

/* The files that a run writes for one recording. */

/* A NULL path is not written. */
typedef struct tool_run_outputs {
	const char *npz; /* the caller's */
	char *json, *csv, *html, *mat, *pictures[TOOL_N_PICTURES];
} tool_run_outputs;

/* Names the files by the options.  Zero `files` before; clear them in any case. */
clpac_status tool_run_outputs_name(const char *npz, tool_call *call, tool_run_outputs *files, clpac_error *err);
/* Whether all of them are there; of those that are not, *missing is the first. */
bool tool_run_outputs_are_there(const tool_run_outputs *files, const char **missing);
/* Fails where they cannot be written, or would replace the input, before the work starts. */
clpac_status tool_run_outputs_check(const tool_run_outputs *files, const char *input, tool_call *call,
				    clpac_error *err);
/* Writes all of them, or none. */
clpac_status tool_run_outputs_write(const tool_run_outputs *files, clpac_result *result, const clpac__job *job,
				    tool_call *call, clpac_error *err);
/* The same for any result, whose input and provenance the options name. */
clpac_status tool_run_outputs_put(const tool_run_outputs *files, const clpac_result *result,
				  const clpac_write_options *options, tool_call *call, clpac_error *err);
void tool_run_outputs_clear(tool_run_outputs *files);

#endif
