#include "base/utf8.h"

#include "base/memory.h"

enum { REPLACEMENT = 0xfffd, LAST = 0x10ffff };

size_t clpac__utf8_decode(const char *text, size_t n, uint32_t *point)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *bytes = (const unsigned char *)text;
	for (size_t i = 0; i < sizeof forms / sizeof *forms && i < n; i++) {
		if ((bytes[0] & forms[i].mask) != forms[i].lead)
			continue;
		uint32_t made = bytes[0] & (unsigned char)~forms[i].mask;
		for (size_t k = 1; k <= i; k++) {
			if ((bytes[k] & 0xc0) != 0x80)
				return 0;
			made = made << 6 | (bytes[k] & 0x3f);
		}
		if (made < forms[i].least || made > LAST || (made >= 0xd800 && made <= 0xdfff))
			return 0;
		*point = made;
		return i + 1;
	}
	return 0;
}

size_t clpac__utf8_encode(uint32_t point, char *text)
{
	if (point > LAST || (point >= 0xd800 && point <= 0xdfff))
		point = REPLACEMENT;
	if (point < 0x80) {
		text[0] = (char)point;
		return 1;
	}
	size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, point >>= 6)
		text[i] = (char)(0x80 | (point & 0x3f));
	/* The lead byte starts with as many ones as the sequence has bytes. */
	text[0] = (char)((0xf00u >> n & 0xff) | point);
	return n;
}

/* Decodes the start of a text that ends with NUL; returns at least 1. */
static size_t next(const char *text, uint32_t *point)
{
	size_t n = clpac__utf8_decode(text, 4, point);
	if (n == 0) {
		*point = REPLACEMENT;
		n = 1;
	}
	return n;
}

size_t clpac__utf8_count(const char *text)
{
	size_t count = 0;
	for (uint32_t point; *text; count++)
		text += next(text, &point);
	return count;
}

void clpac__utf8_to_code_points(const char *text, uint32_t *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		points[i] = 0;
		if (*text)
			text += next(text, &points[i]);
	}
}

void clpac__utf8_from_code_points(const uint32_t *points, size_t n, char *text)
{
	for (size_t i = 0; i < n && points[i]; i++)
		text += clpac__utf8_encode(points[i], text);
	*text = 0;
}

char *clpac__utf8_mended(const char *text)
{
	enum { REPLACEMENT_BYTES = 3 };
	char *mended = clpac__alloc_array(clpac__utf8_count(text) + 1, REPLACEMENT_BYTES + 1), *out = mended;
	for (uint32_t point; mended && *text;) {
		text += next(text, &point);
		out += clpac__utf8_encode(point, out);
	}
	return mended;
}
