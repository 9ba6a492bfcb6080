#include "base/clean.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

bool clpac__is_clean(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} others[] = {
		{0x0000, 0x001f},   /* C0 */
		{0x007f, 0x009f},   /* DEL, C1 */
		{0x061c, 0x061c},   /* Arabic letter mark */
		{0x200e, 0x200f},   /* marks of direction */
		{0x2028, 0x202e},   /* separators of lines and paragraphs; embeddings and overrides */
		{0x2066, 0x206f},   /* isolates; deprecated shapes */
		{0xfeff, 0xfeff},   /* byte order mark */
		{0xfff9, 0xfffb},   /* annotations */
		{0xe0000, 0xe007f}, /* tags */
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (point >= others[i].first && point <= others[i].last)
			return false;
	return true;
}

char *clpac__clean(char *text)
{
	char *out = text;
	for (const char *next = text; *next;) {
		uint32_t point;
		const size_t n = clpac__utf8_decode(next, 4, &point);
		if (n && clpac__is_clean(point)) {
			memmove(out, next, n);
			out += n;
		} else {
			*out++ = '?';
		}
		next += n ? n : 1;
	}
	*out = 0;
	return text;
}

char *clpac__cleaned(const char *text)
{
	char *copy = clpac__strdup(text);
	return copy ? clpac__clean(copy) : NULL;
}

/* Control characters below 0x20 are escaped in JSON already; its own line ends and blanks stay. */
char *clpac__cleaned_json(const char *json)
{
	enum { MOST_FOR_ONE_BYTE = 6 };
	size_t n_bytes = strlen(json) + 1, n_more = 0, n;
	uint32_t point;
	for (const char *next = json; *next; next += n ? n : 1)
		if ((n = clpac__utf8_decode(next, 4, &point)) > 0 && point >= 0x7f && !clpac__is_clean(point))
			n_more += 2 * MOST_FOR_ONE_BYTE;
	char *made = clpac__alloc(n_bytes + n_more), *out = made;
	if (!made)
		return NULL;
	for (const char *next = json; *next; next += n ? n : 1) {
		n = clpac__utf8_decode(next, 4, &point);
		if (!n || point < 0x7f || clpac__is_clean(point)) {
			memcpy(out, next, n ? n : 1);
			out += n ? n : 1;
		} else if (point < 0x10000) {
			out += sprintf(out, "\\u%04x", (unsigned)point);
		} else {
			out += sprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (point >> 10)),
				       (unsigned)(0xdc00 + (point & 0x3ff)));
		}
	}
	*out = 0;
	return made;
}
