/* An output file that appears whole or not at all.
 *
 * It is written under a temporary name in the same folder; clpac__output_commit flushes, syncs and renames it, and
 * syncs the folder.  After any earlier failure, clpac__output_discard removes the temporary file.  Temporary files that
 * dead processes left of a file of this name are removed when it is opened again.  A path that is not a regular file (a
 * terminal, a pipe, /dev/null) is written directly, since a rename would replace the device itself. */
#ifndef CLPAC_RECORDING_OUTPUT_H
#define CLPAC_RECORDING_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/write.h>

#include "base/error.h"

typedef struct clpac__output clpac__output;

/* An existing file is CLPAC_ERROR_IO with EEXIST unless overwrite.  Checked here, before anything is computed, and
 * again by commit, so that a file created meanwhile is kept.  Errors: CLPAC_ERROR_IO with errno. */
clpac_status clpac__output_open(const char *path, bool overwrite, clpac__output **out, clpac_error *err);

/* How an output is written: to a file, alone or with others, or to a function. */
typedef struct clpac__output_way {
	bool overwrite;
	clpac_output_set *set;
	clpac_write_function *write; /* NULL: to a file */
	void *user;
} clpac__output_way;

/* Opens an output that way.  What goes to a function is kept until the commit, since archives are not written in
 * order.  Errors: as clpac__output_open; CLPAC_ERROR_ARGUMENT for a function and a set. */
clpac_status clpac__output_open_way(const char *path, const clpac__output_way *way, clpac__output **out,
				    clpac_error *err);

/* Before the first byte: the file will appear with a set, and commit hands it over.  NULL: by itself.
 * Errors: CLPAC_ERROR_ARGUMENT for a device or a pipe. */
clpac_status clpac__output_join(clpac__output *output, clpac_output_set *set, clpac_error *err);

clpac_status clpac__output_write(clpac__output *output, const void *data, size_t bytes, clpac_error *err);
clpac_status clpac__output_seek(clpac__output *output, uint64_t offset, clpac_error *err);
uint64_t clpac__output_tell(const clpac__output *output);

/* Makes the file appear under its name.  Afterwards the output can only be discarded, whether this worked or not. */
clpac_status clpac__output_commit(clpac__output *output, clpac_error *err);

/* Frees the output and removes an uncommitted file.  NULL is fine. */
void clpac__output_discard(clpac__output *output);

#endif
