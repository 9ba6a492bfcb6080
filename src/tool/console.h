/* Text as the program prints it: columns, numbers of bytes, warnings. */
#ifndef CLPAC_TOOL_CONSOLE_H
#define CLPAC_TOOL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tool/tool.h"

/* Columns that a UTF-8 text takes, wide letters counted as one. */
size_t tool_width(const char *text);
/* Prints a text and blanks up to the width; longer texts are not cut.  Control characters come out as "?". */
void tool_print_column(FILE *file, const char *text, size_t width);
/* "7.8 GiB"; "-" for 0.  Returns text. */
const char *tool_bytes_text(uint64_t bytes, char text[32]);
/* Shortest decimal number that is the same double.  Returns text. */
const char *tool_number_text(double value, char text[32]);
/* Whether a stream takes colours: a terminal, NO_COLOR empty or not set, TERM not dumb. */
bool tool_has_colour(FILE *file);
/* "clpac run: warning: ..." on standard error, unless --quiet.  count > 1 is told. */
void tool_warn(const tool_call *call, size_t count, const char *format, ...) TOOL_PRINTF(3, 4);

#endif
