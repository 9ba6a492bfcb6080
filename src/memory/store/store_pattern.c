/* Patterns of keys: *, ?, [set] and a backslash. */
#include "memory/store/store_parts.h"

#include <string.h>

/* Bytes of the UTF-8 character at the beginning of the text, so that ? matches whole characters. */
static size_t character_bytes(const char *text)
{
	size_t n = 1;
	while (((unsigned char)text[n] & 0xC0) == 0x80)
		n++;
	return n;
}

/* True when a byte is in the set that follows the opening bracket.  *end points behind the set; NULL: the set is not
 * closed, and the bracket stands for itself. */
static bool is_in_set(const char *set, unsigned char byte, const char **end)
{
	bool is_inverted = *set == '!' || *set == '^', is_in = false;
	const char *next = set + is_inverted, *first = next;
	*end = NULL;
	for (; *next && (*next != ']' || next == first); next++) {
		unsigned char low = (unsigned char)*next, high = low;
		if (next[1] == '-' && next[2] && next[2] != ']') {
			next += 2;
			high = (unsigned char)*next;
		}
		is_in |= low <= byte && byte <= high;
	}
	if (*next)
		*end = next + 1;
	return is_in != is_inverted;
}

/* True when one element of the pattern, other than a star, matches the beginning of a text that is not empty; advances
 * both. */
static bool takes(const char **pattern, const char **text)
{
	const char *element = *pattern, *end;
	size_t n = 1;
	bool is_taken;
	if (*element == '?') {
		is_taken = true;
		n = character_bytes(*text);
		end = element + 1;
	} else {
		is_taken = *element == '[' && is_in_set(element + 1, (unsigned char)**text, &end);
		if (*element != '[' || !end) {
			element += *element == '\\' && element[1];
			is_taken = *element == **text;
			end = element + 1;
		}
	}
	*pattern = end;
	*text += n;
	return is_taken;
}

bool clpac__matches(const char *pattern, const char *text)
{
	/* Only the last star needs to be tried at greater lengths: everything before it has matched as early as
	 * possible. */
	const char *star = NULL, *from = NULL;
	while (*text) {
		const char *next_pattern = pattern, *next_text = text;
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern && takes(&next_pattern, &next_text)) {
			pattern = next_pattern;
			text = next_text;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == 0;
}
