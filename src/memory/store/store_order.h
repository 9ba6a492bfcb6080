/* The order of use: a heap by the time of last use that is corrected only when it is queried.
 *
 * Using an entry only stamps it.  Its node keeps the stamp that it was sorted by, which is never newer than the
 * entry's.  If both agree for the top entry, it is the oldest; otherwise it is sorted in again.  So the order is exact,
 * and using an entry updates no list.
 *
 * A pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986), linked through the entries so that nothing is allocated.
 */
#ifndef CLPAC_MEMORY_STORE_STORE_ORDER_H
#define CLPAC_MEMORY_STORE_STORE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clpac__order_node clpac__order_node;

struct clpac__order_node {
	clpac__order_node *child;    /* the first child */
	clpac__order_node *next;     /* the next sibling */
	clpac__order_node *previous; /* the previous sibling, or the parent of a first child */
	uint64_t stamp;
	bool is_in;
};

typedef struct clpac__order {
	clpac__order_node *top; /* the node with the smallest stamp; NULL: empty */
} clpac__order;

/* The stamp of an entry that is used now, by how often and how recently it was used: LRFU (Lee, Choi, Kim, Noh, Min,
 * Cho, Kim 2001).  A use counts 2^(-age / half_life).  The sum over all uses, at any later time, is in the order of
 *     time of last use + half_life * log2(sum at that time),
 * which changes only when the entry is used, never falls, and is all there is to remember.  In 64ths of a use.
 * old: the stamp after the use before; 0: there was none. */
uint64_t clpac__order_stamp(uint64_t old, uint64_t now, uint64_t half_life);

void clpac__order_add(clpac__order *order, clpac__order_node *node, uint64_t stamp); /* the node is in no order */
void clpac__order_remove(clpac__order *order, clpac__order_node *node);		     /* the node is in this order */

#endif
