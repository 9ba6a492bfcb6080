/* Uses of a buffer's block, which hold it in its place, and moves, which wait for their end.
 *
 * One word counts the uses: those that the application began, and transfers that are being put into a queue.  Whoever
 * wants to change the block, or to look at the events of a buffer in use, claims it, which only works where no use is
 * open; a use that begins, and a release, wait for the end of the claim.  A release while a use is open takes effect at
 * the end of the last one.
 *
 * Events of uses that ended in other queues than the buffer's own are among its pending ones.  Of a buffer in use these
 * belong to who claimed it, or to the holder of a use while he holds the lock of uses too.  That lock is held over
 * calls about events and over a queue's `driver` lock; no request takes it.
 */
#ifndef CLPAC_MEMORY_POOL_USES_H
#define CLPAC_MEMORY_POOL_USES_H

#include "memory/pool/pool_queues.h"

/* Parts of clpac_buffer.uses. */
#define CLPAC__USE_OF_CALLER (UINT64_C(1))	/* up to 2^30 - 1 */
#define CLPAC__USE_OF_POOL (UINT64_C(1) << 30)	/* the same */
#define CLPAC__USE_RELEASED (UINT64_C(1) << 62) /* the buffer was released with uses open */
#define CLPAC__USE_MOVING (UINT64_C(1) << 63)	/* claimed */
#define CLPAC__USES_OF_CALLER (CLPAC__USE_OF_POOL - 1)

/* Locks of uses: buffers share them by address. */
enum { CLPAC__USE_LOCKS = 16 };

/* Begins a use, after a move in progress; false: the buffer was released.  Without the pool's lock. */
bool clpac__use_take(clpac_buffer *buffer, uint64_t kind);
/* Ends it, and carries a release out that waited for this. */
void clpac__use_give(clpac_buffer *buffer, uint64_t kind);

/* Makes a queue wait for uses that ended in other queues.  A use is held. */
clpac_status clpac__use_follow(clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err);
/* Notes that work put into a queue uses the buffer.  A use is held. */
void clpac__use_note(clpac_buffer *buffer, clpac__pool_queue *place);

/* Notes that a use ends with the caller's events, all or none.  A use is held. */
clpac_status clpac__use_end_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err);

/* Waits for the end of a claim, and returns what the word says then.  Without the pool's lock. */
uint64_t clpac__use_wait_for_move(const clpac_buffer *buffer);
/* Claims a buffer; false: a use is open, it was released, or others moved it.  The pool's lock is held. */
bool clpac__use_claim(clpac_buffer *buffer);
/* Ends the claim.  The pool's lock is held. */
void clpac__use_unclaim(clpac_pool *pool, clpac_buffer *buffer);
/* Forgets the events that have passed of all buffers that nobody uses.  The pool's lock is held, and dropped in
 * between.
 */
void clpac__uses_settle(clpac_pool *pool);

/* For a buffer that was just marked as released: true when its uses go on, and the release comes with their end. */
bool clpac__use_defer_release(clpac_buffer *buffer);

#endif
