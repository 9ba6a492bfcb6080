/* Letters and blanks of ASCII.  The functions of <ctype.h> and <strings.h> ask the locale: Turkish has two letters i.
 */
#ifndef CLPAC_BASE_ASCII_H
#define CLPAC_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

/* Equal but for the case of ASCII letters. */
bool clpac__same_letters(const char *a, const char *b, size_t n); /* the first n bytes of both */
bool clpac__same_word(const char *a, const char *b);		  /* whole texts */

/* Whether a file's name ends in, say, ".edf", in either case. */
bool clpac__ends_with(const char *name, const char *ending);

/* Leaves out blanks, line ends and NULs around a text of n bytes: returns its new start, *n is its new length. */
const char *clpac__trim(const char *text, size_t *n);

#endif
