/* Texts of sections and keys, such as BrainVision headers: "[Section]", "key=value", ";" before a comment. */
#ifndef CLPAC_RECORDING_READ_INI_H
#define CLPAC_RECORDING_READ_INI_H

#include <stddef.h>

#include <clpac/status.h>

typedef struct clpac__ini_entry {
	const char *section, *key, *value; /* point into the text; never NULL */
} clpac__ini_entry;

typedef struct clpac__ini {
	char *text;		   /* owned, and cut into strings */
	clpac__ini_entry *entries; /* owned; in the file's order */
	size_t n_entries;
	const char *first_line;
} clpac__ini;

/* Reads a file. */
clpac_status clpac__ini_read(const char *path, clpac__ini *out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__ini_clear(clpac__ini *ini);
/* The first value of a key, ignoring case; NULL: no such key, or an empty value. */
const char *clpac__ini_get(const clpac__ini *ini, const char *section, const char *key);

#endif
