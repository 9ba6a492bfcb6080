/* Which entry was used least recently: a heap by the time of last use that is put right only when it is asked.
 *
 * Using an entry just stamps it.  Its node keeps the stamp that it was sorted by, which is never newer; the entry on
 * top is the oldest when both agree, and is sorted in anew otherwise.  So the order is exact, and a use costs no list
 * to mend.
 *
 * A pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986): linked through the entries, so that nothing is allocated.
 */
#ifndef CLPAC_STORE_STORE_ORDER_H
#define CLPAC_STORE_STORE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clpac__order_node clpac__order_node;

struct clpac__order_node {
	clpac__order_node *child;    /* the first of those below */
	clpac__order_node *next;     /* beside it */
	clpac__order_node *previous; /* beside it, or the one above for a first child */
	uint64_t stamp;
	bool is_in;
};

typedef struct clpac__order {
	clpac__order_node *top; /* the one with the least stamp; NULL: empty */
} clpac__order;

void clpac__order_add(clpac__order *order, clpac__order_node *node, uint64_t stamp); /* a node that is in none */
void clpac__order_remove(clpac__order *order, clpac__order_node *node);		     /* one that is in this */

#endif
