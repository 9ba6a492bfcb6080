/* UTF-8 (RFC 3629): shortest forms only, no surrogates, nothing above U+10FFFF. */
#ifndef CLPAC_BASE_UTF8_H
#define CLPAC_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the sequence at the start of a text of n bytes: returns its length in bytes, or 0 where the bytes are not
 * UTF-8.  Reads nothing after the first byte that does not belong, so that any n will do for a text that ends with
 * NUL. */
size_t clpac__utf8_decode(const char *text, size_t n, uint32_t *point);
/* Writes one code point, at most four bytes and no NUL; U+FFFD in place of an invalid one.  Returns the number of
 * bytes. */
size_t clpac__utf8_encode(uint32_t point, char *text);

/* The number of code points in a text; a byte that is not UTF-8 counts as one. */
size_t clpac__utf8_count(const char *text);
/* Writes n code points, padded with zeros; a byte that is not UTF-8 becomes U+FFFD. */
void clpac__utf8_to_code_points(const char *text, uint32_t *points, size_t n);
/* Writes at most 4 n + 1 bytes, NUL included; stops at the first zero. */
void clpac__utf8_from_code_points(const uint32_t *points, size_t n, char *text);

/* A copy in which each byte that is not UTF-8 is U+FFFD.  To be freed with clpac__free; NULL: no memory left. */
char *clpac__utf8_mended(const char *text);

#endif
