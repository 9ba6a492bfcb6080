/* What the plan and the context need of the pool beyond clpac/memory/pool.h: making one on a queue, and the seam's view
 * of a buffer. */
#ifndef CLPAC_POOL_POOL_H
#define CLPAC_POOL_POOL_H

#include <clpac/memory/pool.h>
#include "backend/backend.h"

/* A pool on a queue, which it holds where holders are counted, and which must outlive it elsewhere.  cap_bytes is one
 * more limit beside those of the options (the context's share of the device); 0: none.  options NULL for defaults.
 * Errors as clpac_pool_create. */
clpac_status clpac__pool_create(clpac__queue *queue, const clpac_pool_options *options, uint64_t cap_bytes,
				clpac_pool **out, clpac_error *err);

/* A pool is held by its owner and by everything made on it but buffers, which it counts itself; with the last of all it
 * goes.  hold and let_go for what is made on it. */
void clpac__pool_hold(clpac_pool *pool);
void clpac__pool_let_go(clpac_pool *pool);
/* The owner's reference given back: clpac_pool_destroy, also of a context's own pool.  NULL is fine. */
void clpac__pool_give_up(clpac_pool *pool);
/* From now on the pool is a context's own, which clpac_pool_destroy leaves alone. */
void clpac__pool_set_own(clpac_pool *pool);

/* The pool of a buffer, also of one whose owner gave it up. */
clpac_pool *clpac__buffer_pool(const clpac_buffer *buffer);
/* The seam's handle of the buffer's memory, for launches; valid until the buffer is released. */
clpac__block *clpac__buffer_block(const clpac_buffer *buffer);

/* From now on somebody outside knows the buffer's memory: it stays where it is until it is released. */
void clpac__buffer_pin(clpac_buffer *buffer);

#endif
