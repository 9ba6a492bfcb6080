/* Segments: large blocks that are cut into pieces.
 *
 * A segment belongs to one queue, as its pieces do, so that a piece that comes back can be cut anew without asking who
 * used it: whoever gets it is behind them in the same order.  No lock and no driver call; the pool does both. */
#ifndef CLPAC_POOL_SEGMENTS_H
#define CLPAC_POOL_SEGMENTS_H

#include "pool/handle.h"

/* Pieces up to this are cut from segments of their own, so that small ones do not pin large ones. */
enum { CLPAC__SMALL_BYTES = 1 << 20 };

struct clpac__segment {
	clpac__block *whole;
	size_t bytes;
	bool is_small;
	clpac_offsets *offsets;		   /* in units of the pool's alignment */
	_Atomic(clpac__pool_queue *) home; /* changes with the lock held, and is read without */
	size_t n_pieces;		   /* cut and not given back */
	size_t n_leaving;		   /* of pieces given back, blocks that the driver still has */
	clpac__segment *previous, *next;
};

typedef struct clpac__segments {
	clpac__segment *first;
	size_t n, n_small;
	uint64_t bytes;	     /* of all */
	uint64_t free_bytes; /* of no piece */
	size_t unit;	     /* bytes */
} clpac__segments;

/* A segment around a block, not yet in the list; offsets of its own.  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__segment_create(size_t bytes, size_t unit, clpac__segment **out, clpac_error *err);
void clpac__segment_destroy(clpac__segment *segment); /* the whole has gone back to the driver; NULL is fine */

void clpac__segments_add(clpac__segments *segments, clpac__segment *segment);
void clpac__segments_remove(clpac__segments *segments, clpac__segment *segment);

/* Cuts a piece from the fullest segment of that queue that has it; an empty segment of another queue is not touched.
 * False: there is none. */
bool clpac__segments_cut(clpac__segments *segments, size_t bytes, const clpac__pool_queue *home, clpac__segment **out,
			 clpac_piece *piece);
/* Gives a piece back. */
void clpac__segments_give(clpac__segments *segments, clpac__segment *segment, clpac_piece piece);

/* A segment without pieces that is nobody's any more, taken out of the list; NULL: none.  Only those of at most so many
 * bytes. */
clpac__segment *clpac__segments_take_empty(clpac__segments *segments);

uint64_t clpac__segments_largest_free(const clpac__segments *segments);

#endif
