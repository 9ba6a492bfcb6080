/* Texts on their way out.  Names in files and folders may hold anything: escapes that a terminal obeys, marks that turn
 * the direction of writing round, ends of lines that a reader does not see.  Everything that clpac prints or writes for
 * people passes through here. */
#ifndef CLPAC_BASE_CLEAN_H
#define CLPAC_BASE_CLEAN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a code point only stands for itself: no control character (C0, DEL, C1), no separator of lines or paragraphs,
 * no mark of direction, no annotation, no tag. */
bool clpac__is_clean(uint32_t point);

/* Replaces every other code point, and every byte that is not UTF-8, by "?", in place: a text never grows.  Returns the
 * text. */
char *clpac__clean(char *text);

/* A clean copy, to be freed with clpac__free; NULL: no memory left. */
char *clpac__cleaned(const char *text);

/* A copy of JSON in which these code points are written as \uXXXX, so that nothing is lost; to be freed with
 * clpac__free. NULL: no memory left. */
char *clpac__cleaned_json(const char *json);

#endif
