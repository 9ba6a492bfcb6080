/* Lines from a buffer, which grows only for a line longer than itself. */
#include "recording/read/lines.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { FIRST_CAPACITY = 1 << 16 };

static clpac_status fill(clpac__lines *lines, clpac_error *err)
{
	if (lines->start > 0) {
		memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
		lines->end -= lines->start;
		lines->start = 0;
	}
	if (lines->end == lines->capacity) {
		size_t capacity = lines->capacity ? 2 * lines->capacity : FIRST_CAPACITY;
		char *buffer = clpac__realloc_array(lines->buffer, capacity, 1);
		if (!buffer)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for a line of %zu bytes",
				     lines->source->path, capacity);
		lines->buffer = buffer;
		lines->capacity = capacity;
	}
	size_t n = 0;
	RETURN_IF_ERROR(clpac__source_read_upto(lines->source, lines->buffer + lines->end, lines->capacity - lines->end,
						&n, err));
	lines->is_at_end = n == 0;
	lines->end += n;
	return CLPAC_OK;
}

clpac_status clpac__lines_next(clpac__lines *lines, clpac__line *out, clpac_error *err)
{
	size_t looked_at = 0;
	*out = (clpac__line){0};
	for (;;) {
		const char *text = lines->buffer ? lines->buffer + lines->start : NULL;
		size_t length = lines->end - lines->start;
		const char *newline = length > looked_at ? memchr(text + looked_at, '\n', length - looked_at) : NULL;
		if (newline || (lines->is_at_end && length)) {
			size_t n = newline ? (size_t)(newline - text) : length;
			lines->start += newline ? n + 1 : n;
			bool has_mark = ++lines->number == 1 && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
			*out = (clpac__line){text + 3 * has_mark, n - 3 * has_mark, lines->number};
			break;
		}
		if (lines->is_at_end)
			break;
		looked_at = length;
		RETURN_IF_ERROR(fill(lines, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__lines_rewind(clpac__lines *lines, clpac_error *err)
{
	lines->start = lines->end = lines->number = 0;
	lines->is_at_end = false;
	return clpac__source_seek(lines->source, 0, err);
}

void clpac__lines_free(clpac__lines *lines)
{
	clpac__free(lines->buffer);
	lines->buffer = NULL;
}
