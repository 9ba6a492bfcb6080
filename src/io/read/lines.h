/* The lines of a source, one at a time, however long: the buffer is as large as the longest line at most twice. */
#ifndef CLPAC_IO_READ_LINES_H
#define CLPAC_IO_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "io/read/source.h"

/* Zeroed but for the source at the start. */
typedef struct clpac__lines {
	clpac__source *source;
	char *buffer;
	size_t capacity, start, end; /* of the buffer, and what of it is filled and not yet handed out */
	size_t number;
	bool is_at_end;
} clpac__lines;

typedef struct clpac__line {
	/* Without its newline, not NUL-terminated, valid until the next one; NULL behind the last. */
	const char *text;
	size_t length, number; /* lines are counted from 1 */
} clpac__line;

clpac_status clpac__lines_next(clpac__lines *lines, clpac__line *out, clpac_error *err);
/* Back to the first line. */
clpac_status clpac__lines_rewind(clpac__lines *lines, clpac_error *err);
void clpac__lines_free(clpac__lines *lines);

#endif
