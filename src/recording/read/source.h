/* The bytes of a file, or of a member of an archive, in order.  Their number is known before the first is read, so
 * that the claims of a header can be checked before anything is allocated. */
#ifndef CLPAC_RECORDING_READ_SOURCE_H
#define CLPAC_RECORDING_READ_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <clpac/status.h>

typedef struct clpac__source clpac__source;

/* Reads at most n bytes; *n_read is 0 only at the end. */
typedef clpac_status clpac__read_some(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err);

struct clpac__source {
	const char *path; /* as the caller named it; not owned */
	uint64_t bytes, position;
	clpac__read_some *read_some;
	uint64_t n_read; /* bytes in all, those that were read twice too */
	int descriptor;	 /* of a file */
	void *member;	 /* clpac__npz_member of an archive; not owned */
};

/* Opens a regular file.  CLPAC_ERROR_IO with errno for a missing or unreadable one, a folder or a pipe. */
clpac_status clpac__source_open(const char *path, clpac__source *out, clpac_error *err);
/* To be called once per opened source; a zeroed one is fine. */
void clpac__source_close(clpac__source *source);

/* A second source of an open file, which stays when the first is closed.  They share their position: seek before
 * reading.  @param path stays the caller's, and lives as long. */
clpac_status clpac__source_share(const clpac__source *source, const char *path, clpac__source *out, clpac_error *err);

/* Reads exactly n bytes; otherwise CLPAC_ERROR_FORMAT, which says where the file ends. */
clpac_status clpac__source_read(clpac__source *source, void *to, size_t n, clpac_error *err);
/* Reads up to n bytes: *n_read is less only at the end. */
clpac_status clpac__source_read_upto(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err);
/* Moves to a byte; for files only. */
clpac_status clpac__source_seek(clpac__source *source, uint64_t position, clpac_error *err);

/* Reads a whole file as text with a NUL at its end.  To be freed with clpac__free. */
clpac_status clpac__source_read_text(const char *path, char **text, size_t *length, clpac_error *err);

#endif
