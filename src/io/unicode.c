/* Code points of UTF-8 texts and back; what is no UTF-8 becomes U+FFFD, so that nothing downstream fails on a name. */
#include "io/unicode.h"

#include <stdlib.h>

enum { REPLACEMENT = 0xfffd, LAST = 0x10ffff };

/* One code point and how many bytes it took (RFC 3629: shortest form, no surrogates, nothing above U+10FFFF). */
static uint32_t decode(const unsigned char *text, size_t *n_bytes)
{
	static const struct {
		unsigned char mask, lead;
		size_t n_bytes;
		uint32_t least;
	} forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if ((text[0] & forms[i].mask) != forms[i].lead)
			continue;
		uint32_t point = text[0] & (unsigned char)~forms[i].mask;
		for (size_t k = 1; k < forms[i].n_bytes; k++) {
			if ((text[k] & 0xc0) != 0x80)
				goto bad; /* also the ending NUL, so that nothing is read behind it */
			point = point << 6 | (text[k] & 0x3f);
		}
		if (point < forms[i].least || point > LAST || (point >= 0xd800 && point <= 0xdfff))
			break;
		*n_bytes = forms[i].n_bytes;
		return point;
	}
bad:
	*n_bytes = 1;
	return REPLACEMENT;
}

size_t clpac__utf8_count(const char *text)
{
	size_t count = 0, n_bytes;
	for (; *text; text += n_bytes, count++)
		decode((const unsigned char *)text, &n_bytes);
	return count;
}

void clpac__utf8_to_code_points(const char *text, uint32_t *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t n_bytes = 0;
		points[i] = *text ? decode((const unsigned char *)text, &n_bytes) : 0;
		text += n_bytes;
	}
}

static char *encode(uint32_t point, char *text)
{
	if (point > LAST || (point >= 0xd800 && point <= 0xdfff))
		point = REPLACEMENT;
	if (point < 0x80) {
		*text++ = (char)point;
	} else if (point < 0x800) {
		*text++ = (char)(0xc0 | point >> 6);
		*text++ = (char)(0x80 | (point & 0x3f));
	} else if (point < 0x10000) {
		*text++ = (char)(0xe0 | point >> 12);
		*text++ = (char)(0x80 | (point >> 6 & 0x3f));
		*text++ = (char)(0x80 | (point & 0x3f));
	} else {
		*text++ = (char)(0xf0 | point >> 18);
		*text++ = (char)(0x80 | (point >> 12 & 0x3f));
		*text++ = (char)(0x80 | (point >> 6 & 0x3f));
		*text++ = (char)(0x80 | (point & 0x3f));
	}
	return text;
}

void clpac__utf8_from_code_points(const uint32_t *points, size_t n, char *text)
{
	for (size_t i = 0; i < n && points[i]; i++)
		text = encode(points[i], text);
	*text = 0;
}

char *clpac__utf8_mended(const char *text)
{
	size_t n = clpac__utf8_count(text);
	uint32_t *points = malloc((n + 1) * sizeof *points);
	char *mended = malloc(4 * n + 1);
	if (points && mended) {
		clpac__utf8_to_code_points(text, points, n);
		clpac__utf8_from_code_points(points, n, mended);
	} else {
		free(mended);
		mended = NULL;
	}
	free(points);
	return mended;
}
