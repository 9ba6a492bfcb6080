/* Numbers to compare with, from the JSON files of tests/data.
 *
 * A test program whose tests need them defines const char *skip_reason(void) { return vectors_missing(); }.  A member
 * that a file lacks fails the test by name. */
#ifndef CLPAC_TESTS_VECTORS_H
#define CLPAC_TESTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

/* A JSON value; belongs to the file it was loaded from. */
typedef struct json_t vectors;

/* NULL, or the reason why no vectors can be read here. */
const char *vectors_missing(void);

/* Loads tests/data/NAME; the caller frees it. */
vectors *vectors_load(const char *name);
void vectors_free(vectors *file);

/* A member of an object, which must exist; an element and the length of an array. */
const vectors *vectors_get(const vectors *object, const char *key);
bool vectors_has(const vectors *object, const char *key);
const vectors *vectors_at(const vectors *array, size_t i);
size_t vectors_count(const vectors *array);

/* A number or a text, by key. */
double vectors_number(const vectors *object, const char *key);
const char *vectors_text(const vectors *object, const char *key);

/* A value that is itself a number. */
double vectors_value(const vectors *number);

/* All numbers of an array of any depth, row-major; the caller frees them.  @param[out] n nullable. */
double *vectors_numbers(const vectors *array, size_t *n);

#endif
