/** @file memory/own.h
 *  A pool over memory of the application's own, as CUDA's, HIP's, Vulkan's or shared memory, without OpenCL.
 *
 *     clpac_own_memory memory = {.name = "mapped", .is_host = true, .allocate = map, .release = unmap};
 *     clpac_pool_create_on(&memory, &(clpac_pool_options){.budget = {.cap = "64M"}}, &pool, &err);
 *     clpac_pool_allocate(pool, 1000, "samples", &buffer, &err);
 *
 *  A few functions of the application take the place of a driver; all else is the pool's: classes, segments and caches,
 *  budgets and limits, the ladder, watchers, buffers on the host, statistics, and the store, the traces and the worker
 *  thread that are made on a pool.  Nothing computes there: plans of libclpac need a device of clpac/memory/device.h.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_OWN_H
#define CLPAC_MEMORY_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/handles.h>
#include <clpac/memory/pool.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an application's memory can do.  All functions get `user`, and `queue`, an order of work of the application's.
 *
 * A piece of memory is what `allocate` gave, and an offset in bytes.  Work put into a queue runs in the order in which
 * it was put; write returns when the source may be reused, read when the bytes are there, fill and copy at once or
 * later.  Ranges are inside of one piece, those of a copy do not overlap, and no range is empty.
 *
 * Functions return CLPAC_OK, or another status and, if they will, a text in err, which is never NULL;
 * CLPAC_ERROR_NO_DEVICE_MEMORY where memory is lacking, after which the pool makes room and asks again.
 *
 * Threads: calls with one queue come one after another, and so do all of allocate and release; but has_passed, wait and
 * forget come from any thread at any time.  No lock that a request from a cache needs is held, and a function calls
 * nothing of the pool.
 */
typedef struct clpac_own_memory {
	size_t size;		/**< sizeof(clpac_own_memory), or 0: the members of clpac 0.1. */
	const char *name;	/**< Copied; for errors and statistics. */
	void *user;		/**< Handed to all functions. */
	void *queue;		/**< The pool's own queue. */
	uint64_t memory_bytes;	/**< Of all memory, for budgets; 0: unknown. */
	uint64_t largest_bytes; /**< Of one piece; 0: no limit. */
	size_t alignment;	/**< Of offsets at which buffers may begin; 0: 64 bytes. */
	bool has_no_offsets;	/**< Every buffer has a piece of its own: no segments. */
	/** A piece is an address that the host reads and writes in place; write, read, fill and copy may then be NULL.
	 */
	bool is_host;

	/** @param[out] memory not NULL.  The content is undefined. */
	clpac_status (*allocate)(void *user, size_t bytes, void **memory, clpac_error *err);
	/** All work on the piece is done or was waited for by the pool, or waits for it itself. */
	void (*release)(void *user, void *memory, size_t bytes);

	clpac_status (*write)(void *user, void *queue, void *memory, size_t offset, size_t bytes, const void *source,
			      clpac_error *err);
	clpac_status (*read)(void *user, void *queue, void *memory, size_t offset, size_t bytes, void *target,
			     clpac_error *err);
	clpac_status (*fill)(void *user, void *queue, void *memory, size_t offset, size_t bytes, uint8_t value,
			     clpac_error *err);
	clpac_status (*copy)(void *user, void *queue, void *from, size_t from_offset, void *to, size_t to_offset,
			     size_t bytes, clpac_error *err);

	/** Waits for all work in a queue.  NULL: work is done when the function that puts it returns. */
	clpac_status (*finish)(void *user, void *queue, clpac_error *err);

	/** Events, all five or none: mark makes one that passes when all earlier work of a queue is done; wait_for
	 * makes later work of a queue begin after it; has_passed never waits; wait does; forget ends it.  Without them
	 * the pool waits for a queue where it would wait for an event.
	 */
	clpac_status (*mark)(void *user, void *queue, void **event, clpac_error *err);
	clpac_status (*wait_for)(void *user, void *queue, void *event, clpac_error *err);
	bool (*has_passed)(void *user, void *event);
	clpac_status (*wait)(void *user, void *event, clpac_error *err);
	void (*forget)(void *user, void *event);

	/** Further in-order queues, for clpac_queue_open; both or none.  NULL: they are the pool's own again. */
	clpac_status (*open_queue)(void *user, void **queue, clpac_error *err);
	void (*close_queue)(void *user, void *queue);

	/** Memory of the host that the application's commands reach (pinned), an address for the host, for buffers on
	 * the host and for staging; both or none.  NULL: plain pages of the host, to and from which clpac copies
	 * itself.
	 */
	clpac_status (*allocate_on_host)(void *user, size_t bytes, void **memory, clpac_error *err);
	void (*release_on_host)(void *user, void *memory, size_t bytes);

	/** Bytes that are free now; NULL: unknown. */
	uint64_t (*free_bytes)(void *user);
	/** Called once, last, when the pool and all that was made on it is gone; NULL: nothing is to be done. */
	void (*closed)(void *user);
} clpac_own_memory;

/** Makes a pool over an application's memory.
 * @param memory copied.  Its functions are called until the pool has ended.
 * @param options as for clpac_pool_create; NULL for defaults.
 * @param[out] out the pool, which the caller gives up with clpac_pool_destroy.  clpac_buffer_use_begin gives the piece
 *   of a buffer plus its offset in bytes; where has_no_offsets is set, the piece itself.
 * Errors: CLPAC_ERROR_ARGUMENT (a function is missing, another size), and those of clpac_pool_create; closed is not
 * called then.
 */
clpac_status clpac_pool_create_on(const clpac_own_memory *memory, const clpac_pool_options *options, clpac_pool **out,
				  clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
