/* Where a reader's bytes come from, in order: a file, or a member of an archive.  The number of bytes is known
 * before the first is read, so that whatever a header claims can be checked against it before anything is allocated. */
#ifndef CLPAC_IO_SOURCE_H
#define CLPAC_IO_SOURCE_H

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
	int descriptor; /* of a file */
	void *member;	/* of an archive; not owned */
};

/* Opens a regular file: what is missing, a folder, a pipe or not permitted is CLPAC_ERROR_IO with errno. */
clpac_status clpac__source_open(const char *path, clpac__source *out, clpac_error *err);
/* Once for every source opened; a zeroed one is fine. */
void clpac__source_close(clpac__source *source);

/* Exactly n bytes, or CLPAC_ERROR_FORMAT saying where the file ends. */
clpac_status clpac__source_read(clpac__source *source, void *to, size_t n, clpac_error *err);
/* Up to n bytes: *n_read is less only at the end. */
clpac_status clpac__source_read_upto(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err);
/* Files only: goes to a byte. */
clpac_status clpac__source_seek(clpac__source *source, uint64_t position, clpac_error *err);

/* A whole file as text with a NUL behind it, to be freed with clpac__free. */
clpac_status clpac__source_read_text(const char *path, char **text, size_t *length, clpac_error *err);

#endif
