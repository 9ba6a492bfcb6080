#include "base/ascii.h"

#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool clpac__same_letters(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

bool clpac__same_word(const char *a, const char *b)
{
	size_t n = strlen(a);
	return n == strlen(b) && clpac__same_letters(a, b, n);
}

bool clpac__ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);
	return n >= m && clpac__same_letters(name + n - m, ending, m);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0;
}

const char *clpac__trim(const char *text, size_t *n)
{
	while (*n && is_blank(text[*n - 1]))
		--*n;
	while (*n && is_blank(*text)) {
		text++;
		--*n;
	}
	return text;
}
