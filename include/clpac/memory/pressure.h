/** @file memory/pressure.h
 *  A pool that gets full: how full it is, what it does when a request finds no room, and what the device has left.
 *  Threads: any.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_PRESSURE_H
#define CLPAC_MEMORY_PRESSURE_H

#include <stdint.h>

#include <clpac/memory/handles.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How full the pool is of what is in use: the bytes of buffers on the device as a part of the budget, or of what the
 * driver last refused to exceed; or of a limit that the pool shares with others, of which all that these hold counts;
 * whichever is fullest.  What the pool only caches counts for nothing, since every request may have it: pressure falls
 * with each release.  A level is left 0.05 below where it is entered, so that it does not flicker.  Where several
 * threads allocate, each may be a 4096th of the budget behind, or 64 KiB if that is more.  Computed from the pools' own
 * ledgers, because drivers allocate lazily and cannot tell.
 *
 * The bytes that a pool holds, in use and cached, count elsewhere: from 0.80 of the budget on it gives cached memory
 * back to the driver, and from 0.95 on, where that is not enough, it asks stores and the application's functions.
 */
typedef enum clpac_pressure {
	CLPAC_PRESSURE_LOW = 0,	 /**< Below 0.60. */
	CLPAC_PRESSURE_MEDIUM,	 /**< From 0.60. */
	CLPAC_PRESSURE_HIGH,	 /**< From 0.80. */
	CLPAC_PRESSURE_CRITICAL, /**< From 0.95. */
	CLPAC_PRESSURE_COUNT
} clpac_pressure;

/** "low", "medium", "high", "critical".  Never NULL. */
const char *clpac_pressure_text(clpac_pressure pressure);

/** The pressure now, exactly. */
clpac_pressure clpac_pool_pressure(clpac_pool *pool);

/** Called once for every change by one level, in the order of the changes, outside every lock; it may use the pool.
 * Whichever thread requests or releases the buffer that makes the difference calls it, from within that function.
 */
typedef void clpac_pressure_function(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to);
/** Registers a watcher, up to 8 per pool; the same function and user only once.
 * Errors: CLPAC_ERROR_ARGUMENT (too many, registered already, NULL).
 */
clpac_status clpac_pool_watch(clpac_pool *pool, clpac_pressure_function *function, void *user, clpac_error *err);
/** Removes a watcher; a call that has begun in another thread may still be running. */
void clpac_pool_unwatch(clpac_pool *pool, clpac_pressure_function *function, void *user);

/** The steps taken, in this order, when a request finds no room, whether the budget, a shared limit or the driver
 * refused.  The pool is searched again after every step, and every search
 * sees blocks that other threads released to the same queue.
 */
typedef enum clpac_ladder_step {
	CLPAC_LADDER_FINISHED = 0, /**< Takes blocks whose events have passed meanwhile. */
	CLPAC_LADDER_OTHER_QUEUES, /**< Takes blocks of other queues, with a wait put into this one. */
	/** Returns cached blocks to their segments, where they coalesce into larger pieces. */
	CLPAC_LADDER_MERGE,
	/** Cuts small buffers from segments for large ones, and the other way round. */
	CLPAC_LADDER_SHARE,
	CLPAC_LADDER_SIBLINGS,	/**< Trims the caches of pools that share a limit which lacks room. */
	CLPAC_LADDER_EVICT,	/**< Stores evict entries that nobody uses, as few as make room. */
	CLPAC_LADDER_TRIM,	/**< Gives cached memory back to the driver, the oldest first. */
	CLPAC_LADDER_COMPACT,	/**< Moves buffers so that free pieces come together (may_move). */
	CLPAC_LADDER_CALLBACK,	/**< The application's own functions release memory. */
	CLPAC_LADDER_PENDING,	/**< The host waits for events of released blocks. */
	CLPAC_LADDER_SEGMENTS,	/**< Gives empty segments back to the driver. */
	CLPAC_LADDER_SMALLER,	/**< Makes a new segment of a half, a quarter, an eighth of the usual size. */
	CLPAC_LADDER_DEDICATED, /**< Makes memory of exactly the class's size. */
	CLPAC_LADDER_WAIT,	/**< Waits for other threads' releases, up to wait_s. */
	CLPAC_LADDER_HOST,	/**< Places the buffer on the host, if the placement allows it. */
	CLPAC_LADDER_COUNT
} clpac_ladder_step;

enum { CLPAC_LADDER_ROOM = 16 /**< Steps that clpac_pool_statistics has room for. */ };

/** Name of a step: "finished", "other_queues", ...  Never NULL. */
const char *clpac_ladder_text(clpac_ladder_step step);

/** Asked to release memory: releases buffers of the pool and returns how many bytes it released.  Called outside every
 * lock.
 */
typedef uint64_t clpac_relief_function(void *user, clpac_pool *pool, uint64_t bytes);
/** Registers a function for CLPAC_LADDER_CALLBACK or CLPAC_LADDER_EVICT (used by the stores of clpac/memory/store.h),
 * up to 8 for each.
 * Errors: CLPAC_ERROR_ARGUMENT (NULL, another step, too many).
 */
clpac_status clpac_pool_add_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function,
				   void *user, clpac_error *err);
void clpac_pool_remove_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function, void *user);

/** How a number of free bytes is known. */
typedef enum clpac_knowledge { CLPAC_UNKNOWN = 0, CLPAC_ESTIMATED, CLPAC_EXACT } clpac_knowledge;
/** Memory of the device that nobody holds. */
typedef struct clpac_free_memory {
	uint64_t bytes; /**< 0 where unknown. */
	clpac_knowledge
		/** Exact: reported by the driver.  Estimated: the device's size less what this process holds. */
		knowledge;
} clpac_free_memory;
/** The device's free memory.  The driver is asked every 30th call or every 100 ms; other calls return the last answer.
 */
clpac_free_memory clpac_pool_free_memory(clpac_pool *pool);
/** Measures the free memory, up to max_bytes, by allocating and touching it, then releasing it: an answer when the
 * driver gives none.  Refused on devices that are the host's CPU, where it would take memory from every program
 * (CLPAC_ERROR_UNSUPPORTED).
 * Cost: seconds.
 */
clpac_status clpac_pool_probe_free_memory(clpac_pool *pool, uint64_t max_bytes, uint64_t *bytes, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
