/* Free list: blocks that wait for their next owner.  A stack per size class hands out the block used last; one list by
 * age through all of them finds the block unused for longest.  A free list has no lock; its owner has one.
 */
#ifndef CLPAC_MEMORY_POOL_FREE_LIST_H
#define CLPAC_MEMORY_POOL_FREE_LIST_H

#include "memory/pool/handle.h"

typedef struct clpac__free_list_class {
	clpac_buffer *top;
	size_t count;
} clpac__free_list_class;

typedef struct clpac__free_list {
	clpac__free_list_class *classes;
	clpac_buffer *oldest, *newest;
	size_t count;
	uint64_t bytes;
} clpac__free_list;

clpac_status clpac__free_list_create(clpac__free_list *list, unsigned n_classes, clpac_error *err);
void clpac__free_list_destroy(clpac__free_list *list); /* the list is empty; a zeroed one is fine */

/* The most recently released block of a class among those that belong to this queue or to none; NULL: there is none.
 * O(1) except for blocks of other queues that are passed over. */
clpac_buffer *clpac__free_list_take(clpac__free_list *list, unsigned class_index, const clpac__pool_queue *home);
/* The most recently released block of a class, of any queue. */
clpac_buffer *clpac__free_list_take_any(clpac__free_list *list, unsigned class_index);
clpac_buffer *clpac__free_list_take_oldest(clpac__free_list *list); /* NULL: empty */

void clpac__free_list_remove(clpac__free_list *list, clpac_buffer *buffer);

/* Inserts a block by the time of its release; it is nearly always the youngest. */
void clpac__free_list_put(clpac__free_list *list, clpac_buffer *buffer);

#endif
