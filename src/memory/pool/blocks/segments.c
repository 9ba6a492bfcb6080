/* Segments: large blocks that are cut into pieces. */
#include "memory/pool/blocks/segments.h"

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "memory/pool/blocks/offsets_parts.h"

/* Segments of the right bin to try before taking one from a larger bin, which certainly has room. */
enum { MAX_TRIES = 8 };

size_t clpac__small_bytes(size_t largest_segment)
{
	enum { MOST = 1 << 20, SHARE = 20 /* a twentieth: decision 0047 */ };
	return largest_segment > 2 * (size_t)MOST && largest_segment / SHARE < MOST ? largest_segment / SHARE : MOST;
}

clpac_status clpac__segment_create(size_t bytes, size_t unit, clpac__segment **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__segment *segment;
	TRY(NEW(segment));
	TRY(clpac_offsets_create(bytes / unit, &segment->offsets, err));
	segment->bytes = bytes;
	*out = segment, segment = NULL;
done:
	clpac__segment_destroy(segment);
	return st;
}

void clpac__segment_destroy(clpac__segment *segment)
{
	if (!segment)
		return;
	clpac_offsets_destroy(segment->offsets);
	clpac__free(segment);
}

/* --- The treap of segments -------------------------------------------------------------------- */

/* The treap of segments. */

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

/* The segment's node has its key, and is in no order. */
static void order_add(clpac__segment_order *order, clpac__segment *segment)
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

static void order_remove(clpac__segment_order *order, clpac__segment *segment)
{
	clpac__segment **link = &order->top;
	while (*link != segment)
		link = is_below(&segment->node.key, &(*link)->node.key) ? &(*link)->node.left : &(*link)->node.right;
	*link = join(segment->node.left, segment->node.right);
	segment->node.left = segment->node.right = NULL;
}

/* The first segment whose key is not below this one; NULL: none. */
static clpac__segment *order_find(clpac__segment_order *order, const clpac__segment_key *key)
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

/* --- Order and list of the empty ------------------------------------------------------------- */

static void put_into_order(clpac__segments *segments, clpac__segment *segment)
{
	segment->node.key.home = segment->home;
	segment->node.key.is_small = segment->is_small;
	segment->node.key.bin = clpac__offsets_top_bin(segment->offsets);
	order_add(&segments->order, segment);
}

static void list_empty(clpac__segments *segments, clpac__segment *segment)
{
	segment->empty_previous = NULL;
	segment->empty_next = segments->empty;
	if (segments->empty)
		segments->empty->empty_previous = segment;
	segments->empty = segment;
	segments->empty_bytes += segment->bytes;
	segment->is_listed_empty = true;
}

static void unlist_empty(clpac__segments *segments, clpac__segment *segment)
{
	*(segment->empty_previous ? &segment->empty_previous->empty_next : &segments->empty) = segment->empty_next;
	if (segment->empty_next)
		segment->empty_next->empty_previous = segment->empty_previous;
	segment->empty_previous = segment->empty_next = NULL;
	segments->empty_bytes -= segment->bytes;
	segment->is_listed_empty = false;
}

static void follow_emptiness(clpac__segments *segments, clpac__segment *segment)
{
	/* A segment on its way to another queue is in no list; the driver may get the last part of it meanwhile. */
	const bool is_empty = segment->is_listed && !segment->n_pieces && !segment->n_leaving;
	if (is_empty && !segment->is_listed_empty)
		list_empty(segments, segment);
	else if (!is_empty && segment->is_listed_empty)
		unlist_empty(segments, segment);
}

void clpac__segments_follow(clpac__segments *segments, clpac__segment *segment)
{
	if (segment->node.key.bin != clpac__offsets_top_bin(segment->offsets)) {
		order_remove(&segments->order, segment);
		put_into_order(segments, segment);
	}
	follow_emptiness(segments, segment);
}

/* --- The list -------------------------------------------------------------------------------- */

void clpac__segments_add(clpac__segments *segments, clpac__segment *segment)
{
	segment->previous = NULL;
	segment->next = segments->first;
	if (segments->first)
		segments->first->previous = segment;
	segments->first = segment;
	segments->n++;
	segments->n_small += segment->is_small;
	segments->bytes += segment->bytes;
	segments->free_bytes += clpac_offsets_free(segment->offsets) * segments->unit;
	if (!segment->node.key.number)
		segment->node.key.number = ++segments->n_made;
	segment->is_listed = true;
	put_into_order(segments, segment);
	follow_emptiness(segments, segment);
}

void clpac__segments_remove(clpac__segments *segments, clpac__segment *segment)
{
	order_remove(&segments->order, segment);
	if (segment->is_listed_empty)
		unlist_empty(segments, segment);
	*(segment->previous ? &segment->previous->next : &segments->first) = segment->next;
	if (segment->next)
		segment->next->previous = segment->previous;
	segment->previous = segment->next = NULL;
	segment->is_listed = false;
	segments->n--;
	segments->n_small -= segment->is_small;
	segments->bytes -= segment->bytes;
	segments->free_bytes -= clpac_offsets_free(segment->offsets) * segments->unit;
}

void clpac__segments_rehome(clpac__segments *segments, clpac__segment *segment, clpac__pool_queue *home)
{
	order_remove(&segments->order, segment);
	segment->home = home;
	put_into_order(segments, segment);
}

void clpac__segments_set_kind(clpac__segments *segments, clpac__segment *segment, bool is_small)
{
	order_remove(&segments->order, segment);
	segments->n_small += (size_t)is_small - (size_t)segment->is_small;
	segment->is_small = is_small;
	put_into_order(segments, segment);
}

/* --- Pieces ---------------------------------------------------------------------------------- */

static bool is_of(const clpac__segment *segment, const clpac__segment_key *wanted)
{
	return segment && segment->node.key.home == wanted->home && segment->node.key.is_small == wanted->is_small;
}

/* Takes a piece from the first segment that has one, beginning at a key, among so many of the key's bin, or of any
 * larger one. */
static clpac__segment *take_from(clpac__segments *segments, clpac__segment_key key, uint64_t units, size_t tries,
				 clpac_piece *piece)
{
	const unsigned first_bin = key.bin;
	for (;;) {
		clpac__segment *segment = order_find(&segments->order, &key);
		if (!is_of(segment, &key) || (segment->node.key.bin == first_bin && !tries--))
			return NULL;
		if (clpac_offsets_take(segment->offsets, units, 1, piece))
			return segment;
		key = segment->node.key;
		key.number++;
	}
}

bool clpac__segments_cut(clpac__segments *segments, size_t bytes, bool is_small, const clpac__pool_queue *home,
			 clpac__segment **out, clpac_piece *piece)
{
	const uint64_t units = bytes / segments->unit;
	clpac__segment_key key = {.home = home, .is_small = is_small, .bin = clpac__bin_of(units)};
	/* A size class is the smallest size of its bin, so that the first segment nearly always has room. */
	clpac__segment *found = take_from(segments, key, units, MAX_TRIES, piece);
	if (!found) {
		clpac__segment_key larger = key;
		larger.bin++;
		found = take_from(segments, larger, units, SIZE_MAX, piece);
	}
	if (!found)
		found = take_from(segments, key, units, SIZE_MAX, piece);
	if (!found)
		return false;
	found->n_pieces++;
	segments->free_bytes -= piece->units * segments->unit;
	clpac__segments_follow(segments, found);
	*out = found;
	return true;
}

uint64_t clpac__segments_find(clpac__segments *segments, size_t bytes, bool is_small, const clpac__pool_queue *home)
{
	const clpac__segment_key key = {
		.home = home, .is_small = is_small, .bin = clpac__bin_of(bytes / segments->unit)};
	const clpac__segment *segment = order_find(&segments->order, &key);
	return is_of(segment, &key) ? clpac__bin_units(segment->node.key.bin) : 0;
}

void clpac__segments_give(clpac__segments *segments, clpac__segment *segment, clpac_piece piece)
{
	segment->n_pieces--;
	segments->free_bytes += piece.units * segments->unit;
	clpac_offsets_give(segment->offsets, piece);
	clpac__segments_follow(segments, segment);
}

void clpac__segments_part_leaves(clpac__segments *segments, clpac__segment *segment)
{
	segment->n_leaving++;
	follow_emptiness(segments, segment);
}

void clpac__segments_part_left(clpac__segments *segments, clpac__segment *segment)
{
	segment->n_leaving--;
	follow_emptiness(segments, segment);
}

clpac__segment *clpac__segments_take_empty(clpac__segments *segments)
{
	clpac__segment *segment = segments->empty;
	if (segment)
		clpac__segments_remove(segments, segment);
	return segment;
}

uint64_t clpac__segments_largest_free(const clpac__segments *segments)
{
	uint64_t largest = 0;
	for (const clpac__segment *segment = segments->first; segment; segment = segment->next) {
		const uint64_t units = clpac_offsets_largest_free(segment->offsets);
		largest = units > largest ? units : largest;
	}
	return largest * segments->unit;
}
