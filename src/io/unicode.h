/* Texts as NumPy stores them: arrays of 4-byte code points ('<U7'), shorter texts filled up with zeros. */
#ifndef CLPAC_IO_UNICODE_H
#define CLPAC_IO_UNICODE_H

#include <stddef.h>
#include <stdint.h>

/* Code points in a UTF-8 text; a byte that is no UTF-8 counts as one. */
size_t clpac__utf8_count(const char *text);
/* Writes at most n code points, filled up with zeros; a byte that is no UTF-8 becomes U+FFFD. */
void clpac__utf8_to_code_points(const char *text, uint32_t *points, size_t n);
/* At most 4 n + 1 bytes, NUL included; ends at the first zero.  What is no code point becomes U+FFFD. */
void clpac__utf8_from_code_points(const uint32_t *points, size_t n, char *text);

/* A copy that is UTF-8 whatever the text was; to be freed with free().  NULL: no memory left. */
char *clpac__utf8_mended(const char *text);

#endif
