/* JSON on standard output. */
#ifndef CLPAC_TOOL_JSON_OUTPUT_H
#define CLPAC_TOOL_JSON_OUTPUT_H

#include <jansson.h>
#include "tool/tool.h"

/* Sets a member; a whole number is written as one, NaN and infinity and a NULL text as null.  A text that is no UTF-8
 * is written byte by byte as Latin-1. */
void tool_json_number(json_t *object, const char *key, double value);
void tool_json_text(json_t *object, const char *key, const char *text);
/* Prints and frees.  A NULL root, and a member that could not be set, mean that memory ran out. */
clpac_status tool_json_print(json_t *root, clpac_error *err);

#endif
