/* Texts in files: any bytes become valid UTF-8. */
#ifndef CLPAC_RECORDING_FILE_TEXT_H
#define CLPAC_RECORDING_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Oddities of a text that became UTF-8, as bits. */
enum {
	CLPAC__NOT_ASCII = 1,	/* characters beyond ASCII */
	CLPAC__WAS_LATIN1 = 2,	/* not UTF-8, hence read as ISO 8859-1 */
	CLPAC__HAD_CONTROLS = 4 /* what base/clean.h takes out; written as '?', since names end up on terminals */
};

/* n bytes without the blanks around them, as UTF-8: unchanged where they are UTF-8, otherwise converted from ISO
 * 8859-1, at most two bytes for one.  oddities is nullable; its bits are added to.  To be freed with clpac__free;
 * NULL: no memory left. */
char *clpac__utf8(const char *bytes, size_t n, unsigned *oddities);

/* The start of a text for an error message: valid UTF-8 without control characters, cut at 40 bytes. */
enum { CLPAC__MOST_SHOWN = 40, CLPAC__SHOWN_SIZE = 2 * CLPAC__MOST_SHOWN + 1 };
void clpac__show(const char *bytes, size_t n, char shown[CLPAC__SHOWN_SIZE]);

#endif
