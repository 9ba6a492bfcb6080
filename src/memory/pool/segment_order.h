/* Segments in the order of queue, kind and largest free piece: a tree that answers "the smallest sufficient free piece
 * of this queue and kind" in a time that grows with the logarithm of the number of segments.
 *
 * A treap (Aragon and Seidel, "Randomized search trees", 1989), linked through the segments so that nothing is
 * allocated.  It compares the copies that a segment had of its queue, kind and bin when it was added: whoever changes
 * one of them takes the segment out before and adds it again. */
#ifndef CLPAC_MEMORY_POOL_SEGMENT_ORDER_H
#define CLPAC_MEMORY_POOL_SEGMENT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clpac__segment clpac__segment;	    /* segments.h */
typedef struct clpac__pool_queue clpac__pool_queue; /* pool_queues.h */

typedef struct clpac__segment_key {
	const clpac__pool_queue *home;
	bool is_small;
	unsigned bin;	 /* of the largest free piece: clpac__bin_of; 0: nothing is free */
	uint64_t number; /* of the segment, in the order of creation */
} clpac__segment_key;

typedef struct clpac__segment_node {
	clpac__segment_key key;
	uint64_t weight; /* random; a parent's is never smaller */
	clpac__segment *left, *right;
} clpac__segment_node;

typedef struct clpac__segment_order {
	clpac__segment *top;
	uint64_t n_looked; /* segments compared by all searches */
} clpac__segment_order;

/* The segment's node has its key, and is in no order. */
void clpac__segment_order_add(clpac__segment_order *order, clpac__segment *segment);
void clpac__segment_order_remove(clpac__segment_order *order, clpac__segment *segment);
/* The first segment whose key is not below this one; NULL: none. */
clpac__segment *clpac__segment_order_find(clpac__segment_order *order, const clpac__segment_key *key);

#endif
