/* Trees of Jansson as text and back, whatever the program's locale.
 *
 * Jansson 2.14 writes and reads numbers by the locale and exchanges one byte of its decimal mark for a point, which
 * spoils marks of several bytes.  So it works in the numbers of "C" here, in this thread alone.  Its own json_dumps
 * also drops bytes where its buffer cannot grow. */
#ifndef CLPAC_RECORDING_JSON_TEXT_H
#define CLPAC_RECORDING_JSON_TEXT_H

#include <stddef.h>
#include <jansson.h>

/* Flags as for json_dumps.  To be freed with clpac__free; NULL: no memory left, which includes a tree that is NULL
 * because it could not be built. */
char *clpac__json_text(const json_t *tree, size_t flags);

/* json_loadb, with ENOMEM in errno and NULL where the host has no memory for the tree. */
json_t *clpac__json_read(const char *text, size_t length, size_t flags, json_error_t *error);

#endif
