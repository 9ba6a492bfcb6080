/* A growing text, and numbers that do not depend on the locale. */
#include "base/text.h"
#include "base/memory.h"

#include <clpac/problem.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(clpac__text *text, size_t more)
{
	size_t need = text->length + more + 1;
	if (need <= text->capacity)
		return true;
	size_t capacity = text->capacity ? text->capacity : 128;
	while (capacity < need)
		capacity *= 2;
	char *data = clpac__realloc_array(text->data, capacity, 1);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->capacity = capacity;
	return true;
}

void clpac__text_add(clpac__text *text, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	if (n >= 0 && reserve(text, (size_t)n)) {
		vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
		text->length += (size_t)n;
	}
	va_end(again);
	va_end(args);
}

char *clpac__text_take(clpac__text *text)
{
	if (!text->data)
		reserve(text, 0);
	if (text->failed || !text->data) {
		clpac__text_clear(text);
		return NULL;
	}
	text->data[text->length] = 0;
	char *data = text->data;
	*text = (clpac__text){0};
	return data;
}

void clpac__text_clear(clpac__text *text)
{
	clpac__free(text->data);
	*text = (clpac__text){0};
}

/* Both directions go through printf and strtod of the current locale and exchange the decimal mark, so that a library
 * used by a program with a comma locale writes and reads the same files as any other. */
static char decimal_mark(void)
{
	const char *mark = localeconv()->decimal_point;
	return mark && *mark ? *mark : '.';
}

void clpac__write_number(double value, char digits[64])
{
	for (int precision = 6; precision <= 17; precision++) {
		snprintf(digits, 64, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	char *mark = strchr(digits, decimal_mark());
	if (mark)
		*mark = '.';
}

void clpac__text_add_number(clpac__text *text, double value)
{
	char digits[64];
	clpac__write_number(value, digits);
	clpac__text_add(text, "%s", digits);
}

bool clpac__parse_number(const char *text, double *out, const char **end)
{
	char digits[64];
	size_t n = strspn(text, "0123456789+-.eE");
	if (n == 0 || n >= sizeof digits)
		return false;
	memcpy(digits, text, n);
	digits[n] = 0;
	char *mark = strchr(digits, '.');
	if (mark)
		*mark = decimal_mark();
	char *stop;
	double value = strtod(digits, &stop);
	if (stop == digits || !isfinite(value))
		return false;
	*out = value;
	if (end)
		*end = text + (stop - digits);
	return true;
}
