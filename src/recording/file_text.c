#include "recording/file_text.h"

#include <stdint.h>
#include "base/ascii.h"
#include "base/clean.h"
#include "base/memory.h"
#include "base/utf8.h"

static bool is_utf8(const char *bytes, size_t n)
{
	uint32_t point;
	for (size_t i = 0, length; i < n; i += length)
		if (!(length = clpac__utf8_decode(bytes + i, n - i, &point)))
			return false;
	return true;
}

/* Writes n trimmed bytes as UTF-8, at most two for one, and a NUL.  Returns the oddities. */
static unsigned convert(const char *bytes, size_t n, char *text)
{
	bool is_latin1 = !is_utf8(bytes, n);
	unsigned oddities = is_latin1 ? CLPAC__WAS_LATIN1 : 0;
	for (size_t i = 0, length; i < n; i += length) {
		uint32_t point = (unsigned char)bytes[i];
		length = is_latin1 ? 1 : clpac__utf8_decode(bytes + i, n - i, &point);
		if (point >= 0x80)
			oddities |= CLPAC__NOT_ASCII;
		if (!clpac__is_clean(point)) {
			oddities |= CLPAC__HAD_CONTROLS;
			point = '?';
		}
		text += clpac__utf8_encode(point, text);
	}
	*text = 0;
	return oddities;
}

char *clpac__utf8(const char *bytes, size_t n, unsigned *oddities)
{
	bytes = clpac__trim(bytes, &n);
	char *text = n < SIZE_MAX / 2 ? clpac__alloc(2 * n + 1) : NULL;
	if (!text)
		return NULL;
	unsigned odd = convert(bytes, n, text);
	if (oddities)
		*oddities |= odd;
	return text;
}

void clpac__show(const char *bytes, size_t n, char shown[CLPAC__SHOWN_SIZE])
{
	bytes = clpac__trim(bytes, &n);
	if (n > CLPAC__MOST_SHOWN)
		for (n = CLPAC__MOST_SHOWN; n > 0 && ((unsigned char)bytes[n] & 0xc0) == 0x80;)
			n--;
	convert(bytes, n, shown);
}
