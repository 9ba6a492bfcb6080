/* Segments: large blocks that are cut into pieces.
 *
 * A segment and its pieces belong to one queue.  A returned piece can be cut again at once without asking for its
 * users: the next owner comes after them in the same order.  No lock and no driver call here; the pool does both.
 */
#ifndef CLPAC_POOL_SEGMENTS_H
#define CLPAC_POOL_SEGMENTS_H

#include "pool/handle.h"

/* Pieces up to this size have segments of their own, so that small pieces do not pin large segments. */
enum { CLPAC__SMALL_BYTES = 1 << 20 };

struct clpac__segment {
	clpac__block *whole;
	size_t bytes;
	bool is_small;
	clpac_offsets *offsets;		   /* in units of the pool's alignment */
	_Atomic(clpac__pool_queue *) home; /* changes with the pool's lock held; read without it */
	size_t n_pieces;		   /* cut and not returned */
	size_t n_leaving;		   /* blocks of returned pieces that the driver still has */
	clpac__segment *previous, *next;
};

typedef struct clpac__segments {
	clpac__segment *first;
	size_t n, n_small;
	uint64_t bytes;	     /* of all segments */
	uint64_t free_bytes; /* bytes in no piece */
	size_t unit;	     /* bytes */
} clpac__segments;

/* Makes a segment around a block, not in the list yet, with offsets of its own.  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__segment_create(size_t bytes, size_t unit, clpac__segment **out, clpac_error *err);
void clpac__segment_destroy(
	clpac__segment *segment); /* after the segment's block went back to the driver; NULL is fine */

void clpac__segments_add(clpac__segments *segments, clpac__segment *segment);
void clpac__segments_remove(clpac__segments *segments, clpac__segment *segment);

/* Cuts a piece from the fullest segment of that queue with room for it.  Empty segments of other queues are not
 * touched.  False: there is none. */
bool clpac__segments_cut(clpac__segments *segments, size_t bytes, const clpac__pool_queue *home, clpac__segment **out,
			 clpac_piece *piece);
/* Gives a piece back. */
void clpac__segments_give(clpac__segments *segments, clpac__segment *segment, clpac_piece piece);

/* Takes a segment without pieces, of which the driver has no block left either, out of the list; NULL: none. */
clpac__segment *clpac__segments_take_empty(clpac__segments *segments);

uint64_t clpac__segments_largest_free(const clpac__segments *segments);

#endif
