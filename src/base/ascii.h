/* Letters and blanks of ASCII, independent of the locale: the functions of <ctype.h> and <strings.h> are not, since
 * Turkish has two letters i. */
#ifndef CLPAC_BASE_ASCII_H
#define CLPAC_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool clpac__is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Equal but for the case of ASCII letters. */
bool clpac__same_letters(const char *a, const char *b, size_t n); /* the first n bytes of both */
bool clpac__same_word(const char *a, const char *b);		  /* whole texts */

/* Whether a file's name ends in, say, ".edf", in either case. */
bool clpac__ends_with(const char *name, const char *ending);

/* Skips blanks, line ends and NULs on both sides of a text of n bytes: returns the new start and sets *n to the new
 * length. */
const char *clpac__trim(const char *text, size_t *n);

#endif
