/* JSON on standard output. */
#include "tool/json_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tool_json_number(json_t *object, const char *key, double value)
{
	json_t *number;
	if (!isfinite(value))
		number = json_null();
	else if (value == floor(value) && fabs(value) < 0x1p53)
		number = json_integer((json_int_t)value);
	else
		number = json_real(value);
	json_object_set_new(object, key, number);
}

static json_t *from_latin1(const char *text)
{
	char *utf8 = malloc(2 * strlen(text) + 1), *out = utf8;
	if (!utf8)
		return NULL;
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c >= 0x80) {
			*out++ = (char)(0xc0 | c >> 6);
			c = 0x80 | (c & 0x3f);
		}
		*out++ = (char)c;
	}
	*out = 0;
	json_t *made = json_string(utf8);
	free(utf8);
	return made;
}

void tool_json_text(json_t *object, const char *key, const char *text)
{
	json_t *made = text ? json_string(text) : json_null();
	json_object_set_new(object, key, made ? made : from_latin1(text));
}

clpac_status tool_json_print(json_t *root, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!root)
		FAIL_NO_MEMORY(sizeof(void *));
	errno = 0;
	if (json_dumpf(root, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 || putchar('\n') == EOF) {
		if (errno)
			FAIL_SYSTEM("writing standard output");
		FAIL_NO_MEMORY(sizeof(void *));
	}
done:
	json_decref(root);
	return st;
}
