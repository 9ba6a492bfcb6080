/* The lines of a source, one at a time and of any length.  The buffer is at most twice as large as the longest line. */
#ifndef CLPAC_RECORDING_READ_LINES_H
#define CLPAC_RECORDING_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "recording/read/source.h"

/* Initialised with zeros and the source. */
typedef struct clpac__lines {
	clpac__source *source;
	char *buffer;
	size_t capacity, start, end; /* the buffer's capacity, and the part of it not yet handed out */
	size_t number;
	bool is_at_end;
} clpac__lines;

typedef struct clpac__line {
	/* Without its newline and not NUL-terminated; valid until the next call; NULL after the last line. */
	const char *text;
	size_t length, number; /* number counts from 1 */
} clpac__line;

clpac_status clpac__lines_next(clpac__lines *lines, clpac__line *out, clpac_error *err);
/* Returns to the first line. */
clpac_status clpac__lines_rewind(clpac__lines *lines, clpac_error *err);
void clpac__lines_free(clpac__lines *lines);

#endif
