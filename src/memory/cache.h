/* The buffers that wait for their next owner: a stack per size class, so that the one used last is used next, and
 * one list by age through all of them, so that the one unused for longest goes first.  Every operation is O(1).
 *
 * Also what a buffer is, since its links are here.  No lock; the pool holds its own around every call. */
#ifndef CLPAC_MEMORY_CACHE_H
#define CLPAC_MEMORY_CACHE_H

#include <clpac/memory.h>
#include "backend/backend.h"

struct clpac_buffer {
	clpac_pool *pool; /* NULL once the pool was destroyed; block is NULL too then */
	clpac__block *block;
	size_t bytes;	    /* asked for */
	size_t class_bytes; /* size of block */
	unsigned class_index;
	bool is_in_use;
	uint64_t id;
	const char *tag;
	clpac_buffer *older, *newer; /* in the pool's list of active buffers, or in the cache's by age */
	clpac_buffer *below, *above; /* in the stack of its class */
};

/* A list through older and newer; a buffer is in one at most. */
typedef struct clpac__buffer_list {
	clpac_buffer *oldest, *newest;
} clpac__buffer_list;

void clpac__list_add(clpac__buffer_list *list, clpac_buffer *buffer); /* as the newest */
void clpac__list_remove(clpac__buffer_list *list, clpac_buffer *buffer);

typedef struct clpac__cache_class {
	clpac_buffer *top;
	size_t count, limit;
} clpac__cache_class;

typedef struct clpac__cache {
	clpac__cache_class *classes;
	clpac__buffer_list by_age;
} clpac__cache;

clpac_status clpac__cache_create(clpac__cache *cache, unsigned n_classes, size_t limit, clpac_error *err);
void clpac__cache_destroy(clpac__cache *cache); /* the cache is empty; a zeroed one is fine */

clpac_buffer *clpac__cache_take(clpac__cache *cache, unsigned class_index); /* NULL: none of that class */
bool clpac__cache_has_room(const clpac__cache *cache, unsigned class_index);
void clpac__cache_put(clpac__cache *cache, clpac_buffer *buffer);
clpac_buffer *clpac__cache_take_oldest(clpac__cache *cache); /* NULL: empty */

#endif
