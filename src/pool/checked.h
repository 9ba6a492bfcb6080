/* Pools that watch their users (clpac_pool_options.checks.is_checked): margins beside each buffer, poison in it, and
 * handles that stay dead.
 *
 * A buffer has a margin behind its last byte, and one before its first where it is a part of a segment: what has
 * memory of its own begins with it.  A released buffer's block goes on under a new handle, so that the old one tells
 * every later use apart from the next owner's; the last 65536 of them are kept. */
#ifndef CLPAC_POOL_CHECKED_H
#define CLPAC_POOL_CHECKED_H

#include "pool/handle.h"

/* The handles of released buffers, oldest first, by next. */
typedef struct clpac__quarantine {
	clpac_buffer *first, *last;
	size_t n;
} clpac__quarantine;

/* Bytes that a part begins after its piece does, a multiple of the unit, and bytes that a block is larger by than
 * its buffer. */
size_t clpac__checked_front(size_t unit);
size_t clpac__checked_extra(size_t front);

/* The functions from here on are called without any lock. */

/* Makes the margins, and fills a fresh buffer with poison.  Errors: of the driver. */
clpac_status clpac__checked_arm(clpac_pool *pool, clpac_buffer *buffer, bool is_fresh, clpac_error *err);

/* Looks whether the margins are whole, once.  CLPAC_ERROR_ARGUMENT where they are not, which is noted and counted. */
clpac_status clpac__checked_verify(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* Waits for whoever uses a buffer that is being released, verifies and poisons it.  Returns the handle under which
 * its block goes back: a new one, or the old where the host has no memory. */
clpac_buffer *clpac__checked_quarantine(clpac_pool *pool, clpac_buffer *buffer);

void clpac__quarantine_destroy(clpac__quarantine *quarantine);

#endif
