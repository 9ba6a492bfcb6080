/* The treap of segments. */
#include "memory/pool/blocks/segments.h"

#include <stddef.h>

static bool is_below(const clpac__segment_key *a, const clpac__segment_key *b)
{
	if (a->home != b->home)
		return (uintptr_t)a->home < (uintptr_t)b->home;
	if (a->is_small != b->is_small)
		return !a->is_small;
	if (a->bin != b->bin)
		return a->bin < b->bin;
	return a->number < b->number;
}

/* Divides a tree into the segments below a key and the others. */
static void divide(clpac__segment *tree, const clpac__segment_key *key, clpac__segment **below, clpac__segment **others)
{
	while (tree) {
		if (is_below(&tree->node.key, key)) {
			*below = tree;
			below = &tree->node.right;
			tree = tree->node.right;
		} else {
			*others = tree;
			others = &tree->node.left;
			tree = tree->node.left;
		}
	}
	*below = *others = NULL;
}

/* Joins two trees; every key of the first is below every key of the second. */
static clpac__segment *join(clpac__segment *a, clpac__segment *b)
{
	clpac__segment *top = NULL, **link = &top;
	while (a && b) {
		if (a->node.weight >= b->node.weight) {
			*link = a;
			link = &a->node.right;
			a = a->node.right;
		} else {
			*link = b;
			link = &b->node.left;
			b = b->node.left;
		}
	}
	*link = a ? a : b;
	return top;
}

/* SplitMix64 of a segment's number: weights need only look random. */
static uint64_t weight_of(uint64_t number)
{
	uint64_t z = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

void clpac__segment_order_add(clpac__segment_order *order, clpac__segment *segment)
{
	clpac__segment_node *node = &segment->node;
	clpac__segment **link = &order->top;
	node->weight = weight_of(node->key.number);
	while (*link && (*link)->node.weight >= node->weight)
		link = is_below(&node->key, &(*link)->node.key) ? &(*link)->node.left : &(*link)->node.right;
	clpac__segment *below = *link;
	*link = segment;
	divide(below, &node->key, &node->left, &node->right);
}

void clpac__segment_order_remove(clpac__segment_order *order, clpac__segment *segment)
{
	clpac__segment **link = &order->top;
	while (*link != segment)
		link = is_below(&segment->node.key, &(*link)->node.key) ? &(*link)->node.left : &(*link)->node.right;
	*link = join(segment->node.left, segment->node.right);
	segment->node.left = segment->node.right = NULL;
}

clpac__segment *clpac__segment_order_find(clpac__segment_order *order, const clpac__segment_key *key)
{
	clpac__segment *found = NULL, *tree = order->top;
	while (tree) {
		order->n_looked++;
		if (is_below(&tree->node.key, key)) {
			tree = tree->node.right;
		} else {
			found = tree;
			tree = tree->node.left;
		}
	}
	return found;
}
