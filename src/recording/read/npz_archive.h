/* An .npz archive of which libzip reads through a clpac__source, so that a call of the system that fails is told from a
 * damaged archive. */
#ifndef CLPAC_RECORDING_READ_NPZ_ARCHIVE_H
#define CLPAC_RECORDING_READ_NPZ_ARCHIVE_H

#include <zip.h>

#include "recording/read/source.h"

typedef struct clpac__npz_archive {
	zip_t *zip;
	clpac__source *file;
	clpac_status st; /* of the file; libzip only reports that its source failed */
	clpac_error failure;
	zip_error_t error; /* the error that libzip asks a failed source for */
} clpac__npz_archive;

/* Opens the archive in a file, which it uses until it is closed; it may not be moved in memory.
 * CLPAC_ERROR_FORMAT for a file that is no archive. */
clpac_status clpac__npz_open(clpac__source *file, clpac__npz_archive *archive, clpac_error *err);
/* A zeroed one is fine. */
void clpac__npz_close(clpac__npz_archive *archive);

/* To be called before a call of libzip whose failure clpac__npz_explain is to explain. */
void clpac__npz_begin(clpac__npz_archive *archive);
/* Says why a call of libzip failed with `error`: the file could not be read, the host has no memory, or the archive is
 * damaged.  `path` and `what` begin the text. */
clpac_status clpac__npz_explain(clpac__npz_archive *archive, zip_error_t *error, const char *path, const char *what,
				clpac_error *err);

#endif
