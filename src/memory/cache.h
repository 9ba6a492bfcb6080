/* Blocks that wait for their next owner: a stack per size class, so that the one used last is used next, and one list
 * by age through all of them, so that the one unused for longest goes first.  No lock; whoever has a cache holds its
 * own. */
#ifndef CLPAC_MEMORY_CACHE_H
#define CLPAC_MEMORY_CACHE_H

#include "memory/handle.h"

typedef struct clpac__cache_class {
	clpac_buffer *top;
	size_t count;
} clpac__cache_class;

typedef struct clpac__cache {
	clpac__cache_class *classes;
	clpac_buffer *oldest, *newest;
	size_t count;
	uint64_t bytes;
} clpac__cache;

clpac_status clpac__cache_create(clpac__cache *cache, unsigned n_classes, clpac_error *err);
void clpac__cache_destroy(clpac__cache *cache); /* the cache is empty; a zeroed one is fine */

/* The block of a class that was released last among those that belong to this queue or to none; NULL: there is none.
 * O(1) but for blocks of other queues on the way. */
clpac_buffer *clpac__cache_take(clpac__cache *cache, unsigned class_index, const clpac__pool_queue *home);
/* The same whatever its queue. */
clpac_buffer *clpac__cache_take_any(clpac__cache *cache, unsigned class_index);
clpac_buffer *clpac__cache_take_oldest(clpac__cache *cache); /* NULL: empty */

void clpac__cache_remove(clpac__cache *cache, clpac_buffer *buffer);

/* Adds a block where its release belongs among the others, nearly always as the youngest. */
void clpac__cache_put(clpac__cache *cache, clpac_buffer *buffer);

#endif
