/* Pages of text and JSON on standard output. */
#ifndef CLPAC_TOOL_JSON_OUTPUT_H
#define CLPAC_TOOL_JSON_OUTPUT_H

#include "analysis/json_tree.h"

/* Prints lines of text for people, cleaned, or JSON as it is. */
clpac_status tool_print_page(const char *text, bool is_json, clpac_error *err);
/* Prints the tree as text, or reports the failed addition, and frees the tree either way. */
clpac_status tool_json_print(clpac__json_tree *json, clpac_error *err);

#endif
