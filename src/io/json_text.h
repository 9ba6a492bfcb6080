/* A tree of Jansson as text.  Its own json_dumps drops bytes where its buffer cannot grow (Jansson 2.14). */
#ifndef CLPAC_IO_JSON_TEXT_H
#define CLPAC_IO_JSON_TEXT_H

#include <stddef.h>
#include <jansson.h>

/* Flags as for json_dumps.  To be freed with clpac__free; NULL: no memory left, which includes a tree that is NULL
 * because it could not be built. */
char *clpac__json_text(const json_t *tree, size_t flags);

#endif
