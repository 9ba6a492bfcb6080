#include "base/text.h"
#include <math.h>

#include <stdio.h>
#include <string.h>
#include "base/clean.h"
#include "base/memory.h"

static bool reserve(clpac__text *text, size_t more)
{
	size_t need;
	if (text->failed)
		return false;
	if (!clpac__size_add(text->length + 1, more, &need) || need > SIZE_MAX / 2) {
		text->failed = true;
		return false;
	}
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

clpac_status clpac__text_give(clpac__text *text, const char *what, char **out, clpac_error *err)
{
	char *taken = clpac__text_take(text);
	if (!taken)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for %s", what);
	*out = taken;
	return CLPAC_OK;
}

void clpac__text_clear(clpac__text *text)
{
	clpac__free(text->data);
	*text = (clpac__text){0};
}

void clpac__text_add_bytes(clpac__text *text, const char *bytes, size_t n)
{
	if (reserve(text, n)) {
		memcpy(text->data + text->length, bytes, n);
		text->length += n;
		text->data[text->length] = 0;
	}
}

int clpac__text_append(const char *bytes, size_t n, void *user)
{
	clpac__text *text = user;
	clpac__text_add_bytes(text, bytes, n);
	return text->failed ? -1 : 0;
}

void clpac__text_add_json(clpac__text *text, const char *string)
{
	if (!string) {
		clpac__text_add(text, "null");
		return;
	}
	clpac__text_add(text, "\"");
	for (; *string; string++) {
		const unsigned char c = (unsigned char)*string;
		if (c == '"' || c == '\\')
			clpac__text_add(text, "\\%c", c);
		else if (c < 0x20)
			clpac__text_add(text, "\\u%04x", c);
		else
			clpac__text_add(text, "%c", c);
	}
	clpac__text_add(text, "\"");
}

void clpac__text_add_cleaned(clpac__text *text, const char *string)
{
	char *cleaned = clpac__cleaned(string);
	text->failed |= !cleaned;
	clpac__text_add(text, "%s", cleaned ? cleaned : "");
	clpac__free(cleaned);
}

void clpac__text_add_csv(clpac__text *text, const char *field)
{
	char *cleaned = clpac__cleaned(field);
	const char *at = cleaned;
	if (!cleaned) {
		text->failed = true;
		return;
	}
	const char *quote = at[strcspn(at, ",\"")] ? "\"" : "";
	clpac__text_add(text, "%s%s", quote, *at && strchr("=+-@", *at) ? "'" : "");
	for (; *at; at++)
		clpac__text_add_bytes(text, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
	clpac__text_add(text, "%s", quote);
	clpac__free(cleaned);
}

void clpac__text_add_number(clpac__text *text, double value)
{
	char digits[CLPAC__NUMBER_SIZE];
	clpac__write_number(value, digits);
	if (isfinite(value))
		clpac__text_add(text, "%s", digits);
	else
		clpac__text_add(text, "%f", value);
}

void clpac__append(char *text, size_t size, const char *format, ...)
{
	const size_t length = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + length, size - length, format, args);
	va_end(args);
}
