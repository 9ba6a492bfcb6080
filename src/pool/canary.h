/* Margins of a known pattern beside a buffer, and poison in it: pure functions over the operations of a queue, for
 * pools that are checked.  The caller holds the queue. */
#ifndef CLPAC_POOL_CANARY_H
#define CLPAC_POOL_CANARY_H

#include "backend/backend.h"

enum {
	CLPAC__MARGIN_BYTES = 64,   /* on each side that is watched */
	CLPAC__POISON_FRESH = 0xff, /* handed out and not yet written: NaN as a float of any size */
	CLPAC__POISON_RELEASED = 0xdd
};

/* What became of a margin. */
typedef struct clpac__damage {
	size_t n;	    /* bytes that are not as they were; 0: intact */
	size_t first, last; /* the first and the last of them, from the margin's beginning on */
	uint8_t found;	    /* what the first one holds now */
} clpac__damage;

/* Writes the pattern over CLPAC__MARGIN_BYTES of a block.  It depends on the place and on the seed (a buffer's id),
 * so that a byte moved or left over from another buffer shows too. */
clpac_status clpac__canary_arm(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed,
			       clpac_error *err);

/* Reads it back.  Fails only where the reading fails. */
clpac_status clpac__canary_check(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed,
				 clpac__damage *out, clpac_error *err);

#endif
