/* Checked pools (clpac_pool_options.checks.is_checked): margins beside each buffer, poison in it, and handles that are
 * not used again.
 *
 * A buffer has a margin behind its last byte, and one before its first byte if it is part of a segment; a block with
 * memory of its own begins with its buffer.  The block of a released buffer continues under a new handle, so that every
 * later use of the old handle is detected even after the block has a new owner.  The quarantine keeps the last 65536
 * stale handles.
 */
#ifndef CLPAC_POOL_CHECKED_H
#define CLPAC_POOL_CHECKED_H

#include "pool/handle.h"

/* Quarantine: the stale handles of released buffers, oldest first, chained through `next`. */
typedef struct clpac__quarantine {
	clpac_buffer *first, *last;
	size_t n;
} clpac__quarantine;

/* front: bytes between the beginning of a piece and that of its part, a multiple of the unit. extra: bytes by which a
 * block is larger than its buffer. */
size_t clpac__checked_front(size_t unit);
size_t clpac__checked_extra(size_t front);

/* The functions below are called without any lock. */

/* Writes the margins and poisons a fresh buffer.  Errors: those of the driver. */
clpac_status clpac__checked_arm(clpac_pool *pool, clpac_buffer *buffer, bool is_fresh, clpac_error *err);

/* Verifies the margins, once per buffer.  CLPAC_ERROR_ARGUMENT when they are damaged; the fault is recorded and
 * counted. */
clpac_status clpac__checked_verify(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* Waits for all users of a buffer that is being released, verifies its margins and poisons it.  Returns the handle
 * under which its block goes back: a new one, or the old one when the host has no memory. */
clpac_buffer *clpac__checked_quarantine(clpac_pool *pool, clpac_buffer *buffer);

void clpac__quarantine_destroy(clpac__quarantine *quarantine);

#endif
