/* The pairing heap of the order of use. */
#include "memory/store/store_parts.h"

#include <math.h>
#include <stddef.h>

uint64_t clpac__order_stamp(uint64_t old, uint64_t now, uint64_t half_life)
{
	enum { PARTS = 64 };
	const double life = (double)half_life * PARTS, age = (double)(int64_t)(now * PARTS - old);
	const double sum = 1 + (old ? exp2(-age / life) : 0);
	return now * PARTS + (uint64_t)(life * log2(sum));
}

/* Melds two heaps, neither of which has siblings at its top. */
static clpac__order_node *meld(clpac__order_node *a, clpac__order_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (b->stamp < a->stamp) {
		clpac__order_node *swapped = a;
		a = b;
		b = swapped;
	}
	b->next = a->child;
	if (b->next)
		b->next->previous = b;
	b->previous = a;
	a->child = b;
	return a;
}

/* Melds a row of siblings into one heap: pairs from the left, then the pairs from the right.  This two-pass order makes
 * the amortised cost logarithmic. */
static clpac__order_node *meld_row(clpac__order_node *first)
{
	clpac__order_node *pairs = NULL, *whole = NULL;
	while (first) {
		clpac__order_node *a = first, *b = first->next;
		first = b ? b->next : NULL;
		a->next = a->previous = NULL;
		if (b)
			b->next = b->previous = NULL;
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		clpac__order_node *a = pairs;
		pairs = a->next;
		a->next = NULL;
		whole = meld(whole, a);
	}
	return whole;
}

void clpac__order_add(clpac__order *order, clpac__order_node *node, uint64_t stamp)
{
	*node = (clpac__order_node){.stamp = stamp, .is_in = true};
	order->top = meld(order->top, node);
}

void clpac__order_remove(clpac__order *order, clpac__order_node *node)
{
	clpac__order_node *below = meld_row(node->child);
	if (order->top == node) {
		order->top = below;
	} else {
		if (node->previous->child == node)
			node->previous->child = node->next;
		else
			node->previous->next = node->next;
		if (node->next)
			node->next->previous = node->previous;
		order->top = meld(order->top, below);
	}
	*node = (clpac__order_node){0};
}
