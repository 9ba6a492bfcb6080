/* The pool's interface to plan and context, beyond clpac/memory/pool.h: making one on a queue, and the block of a
 * buffer.
 */
#ifndef CLPAC_POOL_POOL_H
#define CLPAC_POOL_POOL_H

#include <clpac/memory/pool.h>
#include "backend/backend.h"

/* Makes a pool on a queue, which must outlive it. cap_bytes is one more limit beside those of the options (the
 * context's share of the device); 0: none. options NULL for defaults.
 * Errors: as clpac_pool_create. */
clpac_status clpac__pool_create(clpac__queue *queue, const clpac_pool_options *options, uint64_t cap_bytes,
				clpac_pool **out, clpac_error *err);

/* The block of a buffer, for launches; valid until the buffer is released. */
clpac__block *clpac__buffer_block(const clpac_buffer *buffer);

/* Declares that the buffer's memory is known outside the pool: it stays in its place until it is released. */
void clpac__buffer_pin(clpac_buffer *buffer);

#endif
