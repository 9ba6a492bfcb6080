/* An output file that is there whole or not at all.
 *
 * Written under a temporary name in the same folder, flushed, synced and renamed by clpac__output_commit.  Whatever
 * goes wrong before that leaves by clpac__output_discard, which removes the temporary file.  A path that is no regular
 * file (a terminal, a pipe, /dev/null) is written directly: there is nothing to replace, and renaming over it would
 * destroy it. */
#ifndef CLPAC_IO_OUTPUT_H
#define CLPAC_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct clpac__output clpac__output;

/* An existing file is CLPAC_ERROR_IO with EEXIST unless overwrite; looked at here, so that nothing is computed in vain,
 * and once more by commit, so that a file that came meanwhile stays.  Errors: CLPAC_ERROR_IO with errno. */
clpac_status clpac__output_open(const char *path, bool overwrite, clpac__output **out, clpac_error *err);

clpac_status clpac__output_write(clpac__output *output, const void *data, size_t bytes, clpac_error *err);
clpac_status clpac__output_seek(clpac__output *output, uint64_t offset, clpac_error *err);
uint64_t clpac__output_tell(const clpac__output *output);

/* Makes the file appear under its name.  The output can only be discarded afterwards, whatever came out. */
clpac_status clpac__output_commit(clpac__output *output, clpac_error *err);

/* Frees, and removes what was not committed.  NULL is fine. */
void clpac__output_discard(clpac__output *output);

#endif
