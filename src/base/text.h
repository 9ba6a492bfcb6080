/* A growing text.  A failed allocation is remembered and reported once, by clpac__text_take: callers append without
 * looking. */
#ifndef CLPAC_BASE_TEXT_H
#define CLPAC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

typedef struct clpac__text {
	char *data; /* NUL-terminated once anything was appended */
	size_t length, capacity;
	bool failed;
} clpac__text;

void clpac__text_add(clpac__text *text, const char *format, ...) CLPAC__PRINTF(2, 3);
char *clpac__text_take(clpac__text *text); /* the string, now the caller's (clpac__free); NULL when memory ran out */
void clpac__text_clear(clpac__text *text);

/* Numbers without the locale's comma: shortest form that reads back as the same double. */
void clpac__text_add_number(clpac__text *text, double value);
void clpac__write_number(double value, char digits[64]);
bool clpac__parse_number(const char *text, double *out, const char **end); /* decimal point whatever the locale */

#endif
