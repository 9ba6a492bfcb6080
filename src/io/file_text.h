/* Texts in files: UTF-8 out of whatever bytes a file holds. */
#ifndef CLPAC_IO_FILE_TEXT_H
#define CLPAC_IO_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* What was odd about a text that became UTF-8; bits. */
enum {
	CLPAC__NOT_ASCII = 1,	/* characters beyond ASCII */
	CLPAC__WAS_LATIN1 = 2,	/* no UTF-8, so taken as ISO 8859-1 */
	CLPAC__HAD_CONTROLS = 4 /* control characters, which became '?': a name ends up on a terminal */
};

/* The bytes without the blanks around them as valid UTF-8: as they are when they are UTF-8, otherwise as ISO 8859-1.
 * At most two bytes for one.  To be freed with clpac__free; NULL: no memory left.  oddities may be NULL; bits are
 * added. */
char *clpac__utf8(const char *bytes, size_t n, unsigned *oddities);

/* The start of a text as it may stand in a message: valid UTF-8 without control characters, cut at 40 bytes. */
enum { CLPAC__MOST_SHOWN = 40, CLPAC__SHOWN_SIZE = 2 * CLPAC__MOST_SHOWN + 1 };
void clpac__show(const char *bytes, size_t n, char shown[CLPAC__SHOWN_SIZE]);

#endif
