/* Checked pools (clpac_pool_options.checks.is_checked): margins beside each buffer, poison in it, and handles that are
 * not used again.
 *
 * A buffer has a margin behind its last byte, and one before its first byte if it is part of a segment; a block with
 * memory of its own begins with its buffer.
 *
 * A handle is lent to one owner and never again: the block's own handle waits in it meanwhile and takes over at the
 * release.  So every later use of the lent handle is detected, even after the block has a new owner and after the
 * pool's end (handle_pages.h).  The quarantine keeps id and tag of the last 4096 stale handles for messages.
 */
#ifndef CLPAC_MEMORY_POOL_CHECKED_H
#define CLPAC_MEMORY_POOL_CHECKED_H

#include "memory/pool/handle.h"
#include "memory/pool/handle_pages.h"

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
