/* Segments: large blocks that are cut into pieces.
 *
 * A segment and its pieces belong to one queue.  A returned piece can be cut again at once without asking for its
 * users: the next owner comes after them in the same order.  No lock and no driver call here; the pool does both.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_SEGMENTS_H
#define CLPAC_MEMORY_POOL_BLOCKS_SEGMENTS_H

#include "memory/pool/blocks/handle.h"

/* --- Their order ----------------------------------------------------------------------------- */

/* Segments in the order of queue, kind and largest free piece: a tree that answers "the smallest sufficient free piece
 * of this queue and kind" in a time that grows with the logarithm of the number of segments.
 *
 * A treap (Aragon and Seidel, "Randomized search trees", 1989), linked through the segments so that nothing is
 * allocated.  It compares the copies that a segment had of its queue, kind and bin when it was added: whoever changes
 * one of them takes the segment out before and adds it again. */

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

/* --- Segments -------------------------------------------------------------------------------- */

struct clpac__segment {
	clpac__block *whole;
	size_t bytes;
	bool is_small;
	clpac_offsets *offsets;		   /* in units of the pool's alignment */
	_Atomic(clpac__pool_queue *) home; /* changes with the pool's lock held; read without it */
	size_t n_pieces;		   /* cut and not returned */
	size_t n_leaving;		   /* blocks of returned pieces that the driver still has */
	size_t n_movable;		   /* scratch of whoever moves pieces */
	clpac__segment *previous, *next;
	clpac__segment *empty_previous, *empty_next;
	bool is_listed, is_listed_empty;
	clpac__segment_node node;
};

typedef struct clpac__segments {
	clpac__segment *first;
	clpac__segment *empty; /* segments without pieces, of which the driver has no part left either */
	clpac__segment_order order;
	uint64_t n_made; /* segments ever added: their numbers */
	size_t n, n_small;
	uint64_t bytes;	     /* of all segments */
	uint64_t free_bytes; /* bytes in no piece */
	uint64_t empty_bytes;
	size_t unit;	    /* bytes */
	size_t small_bytes; /* pieces up to this size are small */
} clpac__segments;

/* Small pieces have segments of their own, so that they do not pin large ones.  Pieces of the other kind are cut where
 * the budget is full. */
static inline bool clpac__is_small(const clpac__segments *segments, size_t bytes)
{
	return bytes <= segments->small_bytes;
}
/* Up to which size pieces are small, where the largest segment has so many bytes: a twentieth of it, and never more
 * than 1 MiB.  Segments of up to 2 MiB are too few bytes to be divided, and hold small pieces alone. */
size_t clpac__small_bytes(size_t largest_segment);

/* Makes a segment around a block, not in the list yet, with offsets of its own.  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__segment_create(size_t bytes, size_t unit, clpac__segment **out, clpac_error *err);
void clpac__segment_destroy(
	clpac__segment *segment); /* after the segment's block went back to the driver; NULL is fine */

void clpac__segments_add(clpac__segments *segments, clpac__segment *segment);
void clpac__segments_remove(clpac__segments *segments, clpac__segment *segment);
/* Hands a segment to another queue. */
void clpac__segments_rehome(clpac__segments *segments, clpac__segment *segment, clpac__pool_queue *home);
/* From now on pieces of that kind are cut from it first. */
void clpac__segments_set_kind(clpac__segments *segments, clpac__segment *segment, bool is_small);

/* Cuts a piece from the segment of that queue and kind whose largest free piece is the smallest that suffices.  The
 * time grows with the logarithm of the number of segments.  False: there is none. */
bool clpac__segments_cut(clpac__segments *segments, size_t bytes, bool is_small, const clpac__pool_queue *home,
			 clpac__segment **out, clpac_piece *piece);
/* Units of the largest free piece of the segment that such a piece would be cut from, rounded down to its bin; 0: there
 * is none.  It may be a little less than the piece, which a cut finds out.  The time is that of a cut. */
uint64_t clpac__segments_find(clpac__segments *segments, size_t bytes, bool is_small, const clpac__pool_queue *home);
/* Gives a piece back. */
void clpac__segments_give(clpac__segments *segments, clpac__segment *segment, clpac_piece piece);
/* The driver gets the block of a piece that goes back, and has got it. */
void clpac__segments_part_leaves(clpac__segments *segments, clpac__segment *segment);
void clpac__segments_part_left(clpac__segments *segments, clpac__segment *segment);
/* Follows a change that was made to a segment's offsets directly. */
void clpac__segments_follow(clpac__segments *segments, clpac__segment *segment);

/* Takes a segment without pieces, of which the driver has no block left either, out of the list; NULL: none. */
clpac__segment *clpac__segments_take_empty(clpac__segments *segments);

uint64_t clpac__segments_largest_free(const clpac__segments *segments);

#endif
