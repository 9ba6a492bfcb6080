/* Margins of a known pattern beside a buffer, and poison in it, for checked pools: pure functions over the operations
 * of a queue.  The caller makes sure that it alone uses the queue.
 */
#ifndef CLPAC_MEMORY_POOL_CANARY_H
#define CLPAC_MEMORY_POOL_CANARY_H

#include "memory/seam/backend.h"

enum {
	CLPAC__MARGIN_BYTES = 64,   /* on each watched side */
	CLPAC__POISON_FRESH = 0xff, /* handed out and not written yet: NaN as a float of any size */
	CLPAC__POISON_RELEASED = 0xdd
};

/* Damage found in a margin. */
typedef struct clpac__damage {
	size_t n;	    /* changed bytes; 0: intact */
	size_t first, last; /* the first and the last changed byte, counted from the margin's beginning */
	uint8_t found;	    /* present value of the first changed byte */
} clpac__damage;

/* Writes the pattern over CLPAC__MARGIN_BYTES of a block.  The pattern depends on the place and on the seed (a buffer's
 * id), so that bytes that were moved, or left over from another buffer, are detected too. */
clpac_status clpac__canary_arm(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed,
			       clpac_error *err);

/* Reads the margin back and compares.  Fails only if reading fails. */
clpac_status clpac__canary_check(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed,
				 clpac__damage *out, clpac_error *err);

#endif
