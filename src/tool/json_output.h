/* JSON on standard output. */
#ifndef CLPAC_TOOL_JSON_OUTPUT_H
#define CLPAC_TOOL_JSON_OUTPUT_H

#include <jansson.h>
#include "tool/tool.h"

/* A JSON text under construction.  Callers need not check each addition: a failure is remembered, and tool_json_print
 * reports it. */
typedef struct tool_json {
	json_t *root; /* NULL: no memory was left for it */
	bool has_failed;
} tool_json;

/* Hand a value over to an object or an array.  NULL in place of either means that memory ran out. */
void tool_json_set(tool_json *json, json_t *object, const char *key, json_t *value);
void tool_json_append(tool_json *json, json_t *array, json_t *value);

/* Set a member.  A whole number is written without a fraction; NaN, infinity and a NULL text as null.  A text that is
 * not UTF-8 is taken as Latin-1. */
void tool_json_number(tool_json *json, json_t *object, const char *key, double value);
void tool_json_text(tool_json *json, json_t *object, const char *key, const char *text);

/* Prints the text, or reports the failed addition, and frees it either way. */
clpac_status tool_json_print(tool_json *json, clpac_error *err);

/* The tree as text, to be freed with clpac__free. */
clpac_status tool_json_text_of(tool_json *json, char **out, clpac_error *err);

#endif
