/* Completion of command lines for shells. */
#ifndef CLPAC_TOOL_COMPLETION_H
#define CLPAC_TOOL_COMPLETION_H

#include "tool/tool.h"

/* Prints what may stand in the place of the last word, a candidate a line: the word and, behind a blank where there
 * is one, its meaning.  Prints nothing where a file, or a value of any other form, is expected.
 * @param commands ends with NULL.
 * @param words those behind the program's name up to the cursor; the last one is unfinished, and may be empty. */
void tool_complete(const tool_command *const *commands, int n_words, char *const *words);

#endif
