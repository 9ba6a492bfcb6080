/* Checked pools (clpac_pool_options.checks.is_checked): margins beside each buffer, poison in it, and handles that are
 * not used again.
 *
 * A buffer has a margin behind its last byte, and one before its first byte if it is part of a segment; a block with
 * memory of its own begins with its buffer.
 *
 * A handle is lent to one owner and never again: the block's own handle waits in it meanwhile and takes over at the
 * release.  So every later use of the lent handle is detected, even after the block has a new owner and after the
 * pool's end (clpac__handle_pages).  The quarantine keeps id and tag of the last 4096 stale handles for messages.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_CHECKED_H
#define CLPAC_MEMORY_POOL_BLOCKS_CHECKED_H

#include "memory/pool/blocks/handle.h"

/* --- Margins and poison ---------------------------------------------------------------------- */

/* Margins of a known pattern beside a buffer, and poison in it, for checked pools: pure functions over the operations
 * of a queue.  The caller makes sure that it alone uses the queue.
 */

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

/* --- Handles that are not used again --------------------------------------------------------- */

/* Addresses of the handles that a checked pool hands out, each used once.
 *
 * A stale handle can be told from a live one only while its address is not used again.  So these handles lie in pages
 * of their own.  A page whose handles are all stale gives its memory back and keeps its addresses: it reads as 0, that
 * is, as handles that are not in use and have no pool.  The addresses stay taken when the pool ends, as long as the
 * process lives: 64 KiB of them per 260 allocations, out of 128 TiB.
 */

typedef struct clpac__handle_page clpac__handle_page;

/* Zeroed: no page. */
typedef struct clpac__handle_pages {
	clpac__handle_page *first; /* pages with memory; handles are taken from the first */
} clpac__handle_pages;

/* --- Checked pools --------------------------------------------------------------------------- */

/* Quarantine: the last stale handles, oldest first, chained through `next`. */
typedef struct clpac__quarantine {
	clpac__handle_pages pages;
	clpac_buffer *first, *last;
	size_t n;
} clpac__quarantine;

/* front: bytes between the beginning of a piece and that of its part, a multiple of the unit. extra: bytes by which a
 * block is larger than its buffer. */
size_t clpac__checked_front(size_t unit);
size_t clpac__checked_extra(size_t front);

/* The functions below are called without any lock. */

/* Replaces a block's own handle, which no user has seen, by one to lend; the pool's lists know it from then on.
 * CLPAC_ERROR_NO_MEMORY; *buffer is unchanged then. */
clpac_status clpac__checked_lend(clpac_pool *pool, clpac_buffer **buffer, clpac_error *err);

/* Poisons a fresh buffer and writes the margins.  Errors: those of the driver. */
clpac_status clpac__checked_arm(clpac_pool *pool, clpac_buffer *buffer, bool is_fresh, clpac_error *err);

/* Verifies the margins, once per buffer.  CLPAC_ERROR_ARGUMENT when they are damaged; the fault is recorded and
 * counted. */
clpac_status clpac__checked_verify(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* Waits for all users of a buffer that is being released, verifies its margins and poisons it.  Returns the block's own
 * handle, under which it goes back. */
clpac_buffer *clpac__checked_quarantine(clpac_pool *pool, clpac_buffer *buffer);

void clpac__quarantine_destroy(clpac__quarantine *quarantine);

#endif
