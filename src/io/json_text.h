/* A tree of Jansson as text.  Its own json_dumps drops bytes where its buffer cannot grow (Jansson 2.14). */
#ifndef CLPAC_IO_JSON_TEXT_H
#define CLPAC_IO_JSON_TEXT_H

#include <stddef.h>
#include <jansson.h>

/* The flags are those of json_dumps.  To be freed with clpac__free; NULL: no memory left, or the tree is NULL for that
 * reason. */
char *clpac__json_text(const json_t *tree, size_t flags);

#endif
