/* JSON, as trees of Jansson: built, written as text, and read from files. */
#ifndef CLPAC_ANALYSIS_JSON_TREE_H
#define CLPAC_ANALYSIS_JSON_TREE_H

#include <jansson.h>
#include <stdbool.h>
#include "base/error.h"

/* A JSON text under construction.  Callers need not check each addition: a failure is remembered, and
 * clpac__json_tree_text_of reports it. */
typedef struct clpac__json_tree {
	json_t *root; /* NULL: no memory was left for it */
	bool has_failed;
} clpac__json_tree;

/* Hand a value over to an object or an array.  NULL in place of either means that memory ran out. */
void clpac__json_tree_set(clpac__json_tree *json, json_t *object, const char *key, json_t *value);
void clpac__json_tree_append(clpac__json_tree *json, json_t *array, json_t *value);

/* Set a member.  A whole number is written without a fraction; NaN, infinity and a NULL text as null.  A text that is
 * not UTF-8 is taken as Latin-1. */
void clpac__json_tree_number(clpac__json_tree *json, json_t *object, const char *key, double value);
void clpac__json_tree_text(clpac__json_tree *json, json_t *object, const char *key, const char *text);

/* A number of a list; NaN where there is none. */
double clpac__json_number_at(const json_t *list, size_t i);

/* The tree as text, to be freed with clpac__free; or the failed addition. */
clpac_status clpac__json_tree_text_of(clpac__json_tree *json, char **out, clpac_error *err);

/* Reads a file that need not be trusted, or a pipe with a writer.  @param[out] out to be released with json_decref.
 * Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_FORMAT with line and column, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__json_tree_load(const char *path, json_t **out, clpac_error *err);

#endif
