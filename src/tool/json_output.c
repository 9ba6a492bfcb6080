/* JSON on standard output. */
#include "tool/json_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clean.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

void tool_json_set(tool_json *json, json_t *object, const char *key, json_t *value)
{
	json->has_failed |= json_object_set_new(object, key, value) != 0;
}

void tool_json_append(tool_json *json, json_t *array, json_t *value)
{
	json->has_failed |= json_array_append_new(array, value) != 0;
}

void tool_json_number(tool_json *json, json_t *object, const char *key, double value)
{
	json_t *number;
	if (!isfinite(value))
		number = json_null();
	else if (value == floor(value) && fabs(value) < 0x1p53)
		number = json_integer((json_int_t)value);
	else
		number = json_real(value);
	tool_json_set(json, object, key, number);
}

static bool is_utf8(const char *text)
{
	size_t length = strlen(text), n;
	uint32_t point;
	for (; length && (n = clpac__utf8_decode(text, length, &point)) > 0; length -= n)
		text += n;
	return length == 0;
}

static json_t *from_latin1(const char *text)
{
	char *utf8 = clpac__alloc(2 * strlen(text) + 1);
	size_t n = 0;
	if (!utf8)
		return NULL;
	for (; *text; text++)
		n += clpac__utf8_encode((unsigned char)*text, utf8 + n);
	utf8[n] = 0;
	json_t *made = json_string(utf8);
	clpac__free(utf8);
	return made;
}

void tool_json_text(tool_json *json, json_t *object, const char *key, const char *text)
{
	tool_json_set(json, object, key, !text ? json_null() : is_utf8(text) ? json_string(text) : from_latin1(text));
}

static int append(const char *bytes, size_t n, void *user)
{
	clpac__text *text = user;
	clpac__text_add_bytes(text, bytes, n);
	return text->failed ? -1 : 0;
}

clpac_status tool_json_text_of(tool_json *json, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	char *plain = NULL, *clean = NULL;
	if (json->root && !json->has_failed &&
	    json_dump_callback(json->root, append, &text, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0)
		plain = clpac__text_take(&text);
	if (!plain || !(clean = clpac__cleaned_json(plain)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "printing JSON: the host has no memory left for the text");
	*out = clean;
done:
	clpac__text_clear(&text);
	clpac__free(plain);
	return st;
}

clpac_status tool_json_print(tool_json *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	TRY(tool_json_text_of(json, &text, err));
	errno = 0;
	if (fputs(text, stdout) == EOF || putchar('\n') == EOF)
		FAIL_SYSTEM("writing standard output");
done:
	clpac__free(text);
	json_decref(json->root);
	json->root = NULL;
	return st;
}
