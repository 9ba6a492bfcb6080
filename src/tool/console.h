/* Text for people: columns, numbers of bytes, colours, warnings, notes. */
#ifndef CLPAC_TOOL_CONSOLE_H
#define CLPAC_TOOL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tool/tool.h"

/* Prints a UTF-8 text and blanks up to the width, in code points.  A longer text is not cut.  Control characters are
 * printed as "?". */
void tool_print_column(FILE *file, const char *text, size_t width);
/* Writes bytes as "7.8 GiB", and 0 as "-".  Returns text. */
const char *tool_bytes_text(uint64_t bytes, char text[32]);
/* Whether a stream takes colours: a terminal, NO_COLOR empty or not set, TERM not dumb. */
bool tool_has_colour(FILE *file);
/* Prints "clpac run: warning: ..." on standard error, unless --quiet; a count above 1 follows the text. */
void tool_warn(const tool_call *call, size_t count, const char *format, ...) CLPAC__PRINTF(3, 4);

/* The same for what needs no attention: "clpac run: note: ...". */
void tool_note(const tool_call *call, const char *text);

#endif
