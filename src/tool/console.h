/* Text for people: columns, numbers of bytes, colours, warnings, notes. */
#ifndef CLPAC_TOOL_CONSOLE_H
#define CLPAC_TOOL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tool/tool.h"

/* Prints like fprintf, cleans the text (base/clean.h) of everything but the ends of lines, and cuts it at 8191 bytes.
 * All that the program prints for people goes through here, or through the next two. */
void tool_print(FILE *file, const char *format, ...) CLPAC__PRINTF(2, 3);
/* The same for a text of any length. */
void tool_print_lines(FILE *file, const char *text);
/* Prints a text from outside without its ends of lines, and blanks up to the width, in code points.  A longer text is
 * not cut. */
void tool_print_column(FILE *file, const char *text, size_t width);
/* Prints "clpac run: " and a sentence on standard error, unless --quiet, and frees it.  NULL is passed over. */
void tool_say(const tool_call *call, char *sentence);
/* The escapes that the program itself sends to a terminal. */
typedef enum tool_style_kind { TOOL_PLAIN = 0, TOOL_BOLD, TOOL_YELLOW, TOOL_WIPED } tool_style_kind;
void tool_style(FILE *file, tool_style_kind style);
/* Whether a stream takes colours: a terminal, NO_COLOR empty or not set, TERM not dumb. */
bool tool_has_colour(FILE *file);
/* Prints "clpac run: warning: ..." on standard error, unless --quiet; a count above 1 follows the text. */
void tool_warn(const tool_call *call, size_t count, const char *format, ...) CLPAC__PRINTF(3, 4);

/* The same for what needs no attention: "clpac run: note: ...". */
void tool_note(const tool_call *call, const char *text);

#endif
