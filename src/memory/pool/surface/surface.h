/* The surface that applications call: buffers, requests, queues, events, statistics, and what watches a pool.
 *
 *     allocate.c   magazine -> depot -> segment or driver -> ladder
 *     release.c    hazards -> magazine -> depot -> segment or driver
 *     batch.c      many buffers at once, and blocks made in advance
 *     uses.c       who uses a block now, and may therefore not find it moved; releases that say what used it
 *     buffer.c, copy.c    transfers, mappings and facts of a buffer
 *     pool.c, pool_options.c    making a pool, its settings, its end; free memory
 *     pool_queues.c    queues and events
 *     pool_statistics.c, snapshot.c    numbers, and what the pool holds
 *     notes.c, watched.c    what tracker, scopes and trace are told, and asked
 *     replay.c, advice.c, estimate.c    pools of other days and of the next
 */
#ifndef CLPAC_MEMORY_POOL_SURFACE_SURFACE_H
#define CLPAC_MEMORY_POOL_SURFACE_SURFACE_H

#include "memory/pool/room/room.h"

/* --- allocate.c ------------------------------------------------------------------------------ */

/* Obtains a block for the need; no other thread can reach it yet.  Drops the lock in between. */
clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__room_need *need, bool *is_hit, clpac_buffer **out,
				clpac_error *err);

/* --- batch.c, without the lock --------------------------------------------------------------- */

clpac_status clpac__pool_warm_up_by_text(clpac_pool *pool, const char *text, clpac_error *err);

/* --- release.c ------------------------------------------------------------------------------- */

/* Brings back the memory of a buffer whose release was marked and noted.  Its tag may be gone unless it is the pool's
 * own text.  Without the lock. */
void clpac__buffer_bring_back(clpac_buffer *buffer);

/* --- uses.c, without the lock ---------------------------------------------------------------- */

/* Begins a use, after a move in progress; false: the buffer was released.  Without the pool's lock. */
bool clpac__use_take(clpac_buffer *buffer, uint64_t kind);
/* Ends it, and carries a release out that waited for this. */
void clpac__use_give(clpac_buffer *buffer, uint64_t kind);

/* Makes a queue wait for uses that ended in other queues.  A use is held. */
clpac_status clpac__use_follow(clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err);
/* Notes that work put into a queue uses the buffer.  A use is held. */
void clpac__use_note(clpac_buffer *buffer, clpac__pool_queue *place);

/* --- buffer.c, without the lock -------------------------------------------------------------- */

/* Begins a transfer as a use of the buffer, behind the uses that ended in other queues, and returns the queue that
 * makes it, with its driver lock held.  A fallback buffer is first moved to the device if there is room again; failing
 * to move it does not fail the transfer. */
clpac_status clpac__transfer_begin(clpac_buffer *buffer, const char *what, clpac__pool_queue **out, clpac_error *err);
void clpac__transfer_end(clpac_buffer *buffer, clpac__pool_queue *home);
/* Counts bytes between host and device; for a buffer on the host there are none. */
static inline void clpac__transfer_count(_Atomic uint64_t *counter, const clpac_buffer *buffer, size_t bytes)
{
	if (!buffer->is_on_host)
		atomic_fetch_add_explicit(counter, bytes, memory_order_relaxed);
}

/* Makes later work of an out-of-order queue begin after all work put into it so far, as it does on in-order queues. The
 * driver lock is held. */
clpac_status clpac__keep_order(clpac__pool_queue *home, clpac_error *err);

/* --- notes.c, without any lock --------------------------------------------------------------- */

/* Counts a release that is refused, and keeps the text for clpac_pool_take_faults.  Without the lock. */
void clpac__pool_bad_release(clpac_pool *pool, const char *text);
/* True, and a bad release is counted, when a store owns the buffer (apart from the way of most releases,
 * which thereby needs no room on the stack). */
bool clpac__buffer_refuse_release(clpac_buffer *buffer);

/* For a pool with clpac__watch_is_on. */
void clpac__pool_note_allocation(clpac_pool *pool, clpac_buffer *buffer, const clpac_request *request, bool is_hit);
void clpac__pool_note_refusal(clpac_pool *pool, const clpac__room_need *need);
void clpac__pool_note_release(clpac_pool *pool, clpac_buffer *buffer);

/* --- pool_queues.c --------------------------------------------------------------------------- */

/* The events that pools handed out and that were not released yet: so a released one is refused instead of handed to
 * the driver, and each keeps its pool.
 *
 * One table for all pools, since an event of one pool may be waited for in queues of another on the same device.  Each
 * of its buckets has a lock of its own, under which nothing else is locked.
 */

/* clpac__pool_event_need for each of n, which may not be NULL either; tag is that of the buffer concerned. */
clpac_status clpac__pool_events_need(size_t n, clpac_event *const *events, const char *what, const char *tag,
				     clpac_error *err);

/* --- snapshot.c, without any lock ------------------------------------------------------------ */

/* Number of last events that a pool of these options keeps. */
size_t clpac__snapshot_events(const clpac_pool_options *options);
/* Writes the snapshot of a refusal, whose text is in err, and adds to the text where it is, or why it is not. */
void clpac__snapshot_refusal(clpac_pool *pool, const clpac__room_need *need, clpac_error *err);

#endif
