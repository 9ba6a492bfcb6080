/* A growing text.  A failed allocation is remembered and reported once, by clpac__text_take, so that callers append
 * without looking. */
#ifndef CLPAC_BASE_TEXT_H
#define CLPAC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"
#include "base/number.h"

/* Empty when zeroed. */
typedef struct clpac__text {
	char *data; /* NUL-terminated once anything was appended */
	size_t length, capacity;
	bool failed;
} clpac__text;

void clpac__text_add(clpac__text *text, const char *format, ...) CLPAC__PRINTF(2, 3);
void clpac__text_add_bytes(clpac__text *text, const char *bytes, size_t n);
/* The same for a writer that calls back, with the text as its user; not 0 once memory ran out. */
int clpac__text_append(const char *bytes, size_t n, void *text);
/* A string of JSON: quotation marks, backslashes and control characters are escaped, other bytes are taken to be UTF-8;
 * NULL: null. */
void clpac__text_add_json(clpac__text *text, const char *string);
void clpac__text_add_cleaned(clpac__text *text, const char *string); /* base/clean.h */
/* A field of CSV, cleaned (base/clean.h): one that holds a comma or a quotation mark stands in quotation marks, those
 * in it doubled.  One that a spreadsheet would take for a formula gets an apostrophe before it, which spreadsheets take
 * for the start of a text. */
void clpac__text_add_csv(clpac__text *text, const char *field);
void clpac__text_add_number(clpac__text *text, double value); /* as clpac__write_number; "nan", "inf" */

/* Hands over the string, to be freed with clpac__free, and empties the text.  NULL: memory ran out. */
char *clpac__text_take(clpac__text *text);
/* The same with its error.
 * @param what what the host had no memory left for; *out is set where it succeeds. */
clpac_status clpac__text_give(clpac__text *text, const char *what, char **out, clpac_error *err);
void clpac__text_clear(clpac__text *text);

/* Adds to a text in memory of a fixed size, and cuts what does not fit. */
void clpac__append(char *text, size_t size, const char *format, ...) CLPAC__PRINTF(3, 4);

#endif
