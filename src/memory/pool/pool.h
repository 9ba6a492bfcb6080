/* The pool's interface to the folders above it, beyond clpac/memory/pool.h: making one on a queue, the block of a
 * buffer, queues and events from elsewhere. */
#ifndef CLPAC_MEMORY_POOL_POOL_H
#define CLPAC_MEMORY_POOL_POOL_H

#include <clpac/memory/pool.h>
#include "memory/backend/backend.h"

/* CLPAC_ERROR_FORKED for a pool that another process made (base/process.h). */
clpac_status clpac__pool_need_here(const clpac_pool *pool, const char *function, clpac_error *err);
#define NEED_POOL_HERE(pool) RETURN_IF_ERROR(clpac__pool_need_here(pool, __func__, err))

/* Makes a pool on a queue, which it holds where holders are counted, and which must outlive it elsewhere. cap_bytes is
 * one more limit beside those of the options (the context's share of the device); 0: none. options NULL for defaults.
 * Errors: as clpac_pool_create. */
clpac_status clpac__pool_create(clpac__queue *queue, const clpac_pool_options *options, uint64_t cap_bytes,
				clpac_pool **out, clpac_error *err);

/* A pool is held by its owner and by everything made on it except buffers, whose number the magazines know; it ends
 * with the last of them all.  hold and let_go are for what is made on it. */
void clpac__pool_hold(clpac_pool *pool);
void clpac__pool_let_go(clpac_pool *pool);
/* Holds a pool of which only the memory is certain to be there, as its limit's list is; false: it is ending. */
bool clpac__pool_try_hold(clpac_pool *pool);
/* Gives the owner's reference back, as clpac_pool_destroy, also of a context's own pool.  NULL is fine. */
void clpac__pool_give_up(clpac_pool *pool);
/* Makes the pool a context's own, which clpac_pool_destroy leaves alone. */
void clpac__pool_set_own(clpac_pool *pool);

/* Whether the handle is that of a buffer in use.  Where handles are not checked, a stale one is only told from it as
 * long as its block is cached. */
bool clpac__buffer_is_live(const clpac_buffer *buffer);
/* The pool of a buffer, also after its owner gave it up. */
clpac_pool *clpac__buffer_pool(const clpac_buffer *buffer);
/* Makes a buffer in use a store's, under a key that stays valid until clpac__buffer_disown: only the store may release
 * it from then on, after it has disowned it.  CLPAC_ERROR_ARGUMENT, with both keys, for a buffer that a store owns. */
clpac_status clpac__buffer_own(clpac_buffer *buffer, const char *key, clpac_error *err);
void clpac__buffer_disown(clpac_buffer *buffer); /* NULL is fine */
/* Whether a store owns it: CLPAC_ERROR_ARGUMENT with the key. */
clpac_status clpac__buffer_check_release(clpac_buffer *buffer, clpac_error *err);
/* Gives a part a block, as its first use does, where it has none: parts have none of the driver's before, since small
 * ones would cost the host more than their bytes.  The buffer is held, or nobody can move it.  Without the pool's lock,
 * and without a driver's.  Errors: those of create_part. */
clpac_status clpac__buffer_make_block(clpac_buffer *buffer, clpac_error *err);
/* The block of a buffer, for launches; valid until the buffer is released or moved: it is held meanwhile, or nobody can
 * move it.  NULL: it had none, and could not be given one. */
clpac__block *clpac__buffer_block(clpac_buffer *buffer);
/* Holds buffers in their places as a use does (clpac_buffer_use_begin), after a move in progress, until they are let
 * go; NULL among them is nothing.  Holds nest.  The buffers are the caller's own: no other thread releases them. */
void clpac__buffers_hold(clpac_buffer *const *buffers, size_t n);
void clpac__buffers_let_go(clpac_buffer *const *buffers, size_t n);

/* Declares that the buffer's memory is known outside the pool: after a move in progress it stays in its place until it
 * is released.  False: it is being released. */
bool clpac__buffer_pin(clpac_buffer *buffer);

/* Adds a queue, which is later closed by clpac_queue_close and keeps the pool until then. */
clpac_status clpac__pool_queue_add(clpac_pool *pool, clpac__queue *queue, clpac_error *err);

/* Notes an event that is about to be handed out; the pool has one holder more.  On failure the event is forgotten.
 * Without the pool's lock. */
clpac_status clpac__pool_event_add(clpac_pool *pool, clpac_event *event, clpac_error *err);

/* CLPAC_ERROR_ARGUMENT where no pool has the event out; `what` is the failed operation. */
clpac_status clpac__pool_event_need(const clpac_event *event, const char *what, clpac_error *err);

#endif
