/** @file memory.h
 *  Device memory: a pool that keeps released buffers for the next one who asks, under a budget, and knows its numbers.
 *
 *  A request is rounded up to a size class, so that buffers of nearly the same size can stand in for each other.  A
 *  released buffer stays on the device as a cached block of its class; the next request of the class takes it without a
 *  driver call.  What the pool holds on the device, in use and cached, never exceeds its budget: cached blocks are
 *  given back to the driver, the one unused for longest first, before a request is refused.
 *
 *  Threads: every function may be called from any thread; several threads may share a pool.  Its calls of the driver
 *  take turns among themselves, and the book-keeping is not locked meanwhile: a request that the cache serves never
 *  waits for another thread's driver call.  What a buffer holds is the caller's to guard: two threads' transfers happen
 *  in some order.  A context is still used by one thread at a time, and its pools and plans do not know of each other:
 *  two pools of one context, or a pool and a running plan, count as one thread's.
 */
#ifndef CLPAC_MEMORY_H
#define CLPAC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpac_context clpac_context; /* context.h */

/** A device's memory, shared out.  Opaque. */
typedef struct clpac_pool clpac_pool;

/** A piece of a device's memory that belongs to whoever allocated it, until released.  Opaque. */
typedef struct clpac_buffer clpac_buffer;

/* --- Size classes ------------------------------------------------------------------------------------------------- */

enum {
	CLPAC_DEFAULT_CLASSES_PER_OCTAVE = 8, /**< At most 12.5 % of a request is wasted. */
	CLPAC_MAX_CLASSES_PER_OCTAVE = 64
};

/** The size class of a request: the smallest m * 2^e >= bytes with n <= m < 2n, or m < n and e = 0, where n is
 *  classes_per_octave; a binary floating-point number of log2(n) mantissa bits, rounded up.
 *
 *  Monotone (a larger request never gets a smaller class), idempotent (a class is its own class), exact below 2n
 *  bytes, and wasteful by at most bytes / n: 8 gives 12.5 %, 16 gives 6.25 %, 1 gives plain powers of two.
 *  @param bytes 1 or more.
 *  @param classes_per_octave a power of two up to CLPAC_MAX_CLASSES_PER_OCTAVE; 0 is the default.
 *  @return 0 where there is no class: bytes is 0, the class would not fit a size_t, or classes_per_octave is none of
 *  these.
 *  Cost: a few nanoseconds.  Any thread. */
size_t clpac_size_class(size_t bytes, unsigned classes_per_octave);

/* --- Pools -------------------------------------------------------------------------------------------------------- */

/** Settings of a pool; zero means default.  Of the limits, the smallest holds. */
typedef struct clpac_pool_options {
	uint64_t budget_bytes;       /**< Most bytes on the device, in use and cached; 0: what the next two leave. */
	double fraction;             /**< Of the device's memory, above 0 up to 1; 0 is 0.9. */
	uint64_t minimum_free_bytes; /**< Left to others, of the memory that was free when the pool was made (of all
	                                  where the driver does not tell); 0 is 512 MiB, or a quarter if less. */
	unsigned classes_per_octave; /**< As for clpac_size_class; 0 is 8. */
	unsigned max_kept_per_class; /**< Most cached blocks of a class; 0 is 8.  clpac_pool_warm_up raises it. */
} clpac_pool_options;

/** Makes a pool on a context's device, beside the context's own (clpac_context_pool), with a budget of its own: the
 *  budgets of several pools on a device are not added up.
 *  @param context must outlive the pool.
 *  @param options NULL for defaults; read, not kept.
 *  @param[out] out the pool, the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT names the member and its value; CLPAC_ERROR_NO_DEVICE_MEMORY when the limits leave
 *  nothing; CLPAC_ERROR_NO_MEMORY.
 *  Cost: microseconds; nothing is allocated on the device. */
clpac_status clpac_pool_create(clpac_context *context, const clpac_pool_options *options, clpac_pool **out,
			       clpac_error *err);

/** Gives everything back to the driver and frees the pool.  Buffers of the pool ought to be released before; the
 *  handle of one that was not stays valid without memory behind it (transfers fail with CLPAC_ERROR_ARGUMENT) until
 *  it is released.  No other thread may be using the pool.  NULL is fine. */
void clpac_pool_destroy(clpac_pool *pool);

/** Allocates a buffer.  Its content is undefined.
 *  Looks for a cached block of the class; else makes one, giving cached blocks of other classes back to the driver as
 *  far as the budget or the driver demands it and looking again after each time.
 *  @param bytes 1 or more; the buffer takes clpac_size_class of it on the device.
 *  @param tag what the buffer is for, in a word or two, for errors and reports; not copied: it must live as long as
 *  the buffer.  NULL is "".
 *  @param[out] out the buffer, the caller's to release.
 *  Errors: CLPAC_ERROR_ARGUMENT (0 bytes, no such size class, larger than the device's largest block),
 *  CLPAC_ERROR_NO_DEVICE_MEMORY (the text has the request, the budget, and what is in use and cached),
 *  CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE.  After an error the pool is as good as before.
 *  Cost: tens of nanoseconds from the cache, tens of microseconds and more from the driver. */
clpac_status clpac_pool_allocate(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out, clpac_error *err);

/** Allocates n buffers, or none.
 *  @param bytes n sizes.  @param tags n tags, or NULL.
 *  @param[out] out n buffers, written only when all succeeded.
 *  Errors: as for clpac_pool_allocate; what was already made stays cached as after a release. */
clpac_status clpac_pool_allocate_batch(clpac_pool *pool, size_t n, const size_t *bytes, const char *const *tags,
				       clpac_buffer **out, clpac_error *err);

/** Releases a buffer: it becomes a cached block, or goes back to the driver when max_kept_per_class are cached already.
 *  Work already put into the device's queue may still use it: what comes after is ordered behind it.  NULL is fine.
 *  A buffer is released once; releasing it again before it was handed out again is noticed, ignored and counted
 *  (clpac_pool_statistics.bad_releases), later it would take the buffer from its new owner. */
void clpac_buffer_release(clpac_buffer *buffer);

/** Releases n buffers, NULLs among them allowed, and sets them to NULL. */
void clpac_buffer_release_batch(clpac_buffer **buffers, size_t n);

/** Sees to it that counts[i] blocks for requests of bytes[i] are cached at once, for each i, so that a job that
 *  needs no more than these makes no driver call.  Raises the limit of cached blocks for classes that need it; sizes
 *  of one class add up.  Hits and misses are not counted.
 *  Errors: as for clpac_pool_allocate; no limit is raised then. */
clpac_status clpac_pool_warm_up(clpac_pool *pool, size_t n, const size_t *bytes, const size_t *counts,
				clpac_error *err);

/** Gives cached blocks back to the driver, the one unused for longest first, until at most target_bytes stay cached.
 *  @return the bytes given back. */
uint64_t clpac_pool_trim(clpac_pool *pool, uint64_t target_bytes);
/** Gives all of them back. */
uint64_t clpac_pool_clear(clpac_pool *pool);

/** Most bytes on the device, from the options and the device's facts; UINT64_MAX where neither says. */
uint64_t clpac_pool_budget(const clpac_pool *pool);
/** Bytes that a request of that size takes from this pool's budget; 0 where there is no class for it. */
size_t clpac_pool_class(const clpac_pool *pool, size_t bytes);

/* --- Buffers ------------------------------------------------------------------------------------------------------ */

/* Transfers refuse a range outside the bytes asked for (CLPAC_ERROR_ARGUMENT with the numbers); of 0 bytes they do
 * nothing.  They keep the order of everything put into the device's queue. */

/** Copies bytes from the host; source may be reused on return.
 *  @param offset first byte in the buffer.  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_DEVICE,
 *  CLPAC_ERROR_NO_DEVICE_MEMORY. */
clpac_status clpac_buffer_write(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source,
				clpac_error *err);
/** Copies bytes to the host, after all work put before. */
clpac_status clpac_buffer_read(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_error *err);
/** Sets bytes to a value. */
clpac_status clpac_buffer_fill(clpac_buffer *buffer, size_t offset, size_t bytes, uint8_t value, clpac_error *err);
/** Copies on the device.  Source and target are of one device; ranges of the same buffer must not overlap. */
clpac_status clpac_buffer_copy(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
			       size_t bytes, clpac_error *err);

/** Bytes asked for. */
size_t clpac_buffer_bytes(const clpac_buffer *buffer);
/** Bytes taken on the device. */
size_t clpac_buffer_class(const clpac_buffer *buffer);
/** A number that no other allocation of the pool has, from 1 on. */
uint64_t clpac_buffer_id(const clpac_buffer *buffer);
/** As given to clpac_pool_allocate; never NULL. */
const char *clpac_buffer_tag(const clpac_buffer *buffer);
/** NULL after the pool was destroyed. */
clpac_pool *clpac_buffer_pool(const clpac_buffer *buffer);

/* --- Pressure ----------------------------------------------------------------------------------------------------- */

/** How full the budget is: bytes on the device, in use and cached, as part of the budget.  A level is left 0.05
 *  below where it is entered, so that it does not flicker.  From the pool's own ledger: drivers allocate lazily and
 *  do not know. */
typedef enum clpac_pressure {
	CLPAC_PRESSURE_LOW = 0,  /**< Below 0.60. */
	CLPAC_PRESSURE_MEDIUM,   /**< From 0.60. */
	CLPAC_PRESSURE_HIGH,     /**< From 0.80. */
	CLPAC_PRESSURE_CRITICAL, /**< From 0.95. */
	CLPAC_PRESSURE_COUNT
} clpac_pressure;

/** "low", "medium", "high", "critical".  Never NULL. */
const char *clpac_pressure_text(clpac_pressure pressure);

/** The level now. */
clpac_pressure clpac_pool_pressure(clpac_pool *pool);

/* --- Statistics --------------------------------------------------------------------------------------------------- */

/** A pool's numbers at one moment.  Bytes are those of size classes, but for requested_bytes.
 *  allocated_bytes = in_use_bytes + pooled_bytes + what other threads are handing to or from the driver just now. */
typedef struct clpac_pool_statistics {
	uint64_t budget_bytes;        /**< UINT64_MAX: no limit is known. */
	uint64_t allocated_bytes;     /**< On the device. */
	uint64_t in_use_bytes;        /**< Of active buffers. */
	uint64_t pooled_bytes;        /**< Of cached blocks. */
	uint64_t requested_bytes;     /**< What was asked for, of active buffers. */
	uint64_t waste_bytes;         /**< in_use_bytes - requested_bytes: the price of size classes. */
	uint64_t peak_allocated_bytes, peak_in_use_bytes, peak_pooled_bytes, peak_requested_bytes;
	uint64_t active_buffers, pooled_buffers;
	uint64_t hits;                /**< Requests served from the cache. */
	uint64_t misses;              /**< Requests that needed the driver, also those that failed. */
	double hit_rate;              /**< hits / (hits + misses); 0 before the first. */
	uint64_t driver_creates, driver_releases; /**< Calls of the driver for memory, failed ones included. */
	uint64_t driver_calls;        /**< Their sum. */
	uint64_t out_of_memory_events;/**< Times that the budget or the driver had no room at first. */
	uint64_t retries;             /**< Times that a request looked again after room was made for it. */
	uint64_t refusals;            /**< Requests that ended for lack of memory. */
	uint64_t bad_releases;        /**< Releases of what was not in use; ignored. */
	clpac_pressure pressure;
} clpac_pool_statistics;

/** Reads all numbers at one moment. */
void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *out);
/** Lets the peaks begin anew from the present values. */
void clpac_pool_reset_peaks(clpac_pool *pool);

/** The numbers as text for people, several lines.  @param[out] text the caller's, freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_pool_statistics_text(const clpac_pool_statistics *statistics, char **text, clpac_error *err);
/** The same as one JSON object on one line: the members under their names in their order, pressure as its text,
 *  budget_bytes null where there is no limit. */
clpac_status clpac_pool_statistics_json(const clpac_pool_statistics *statistics, char **text, clpac_error *err);

/** Frees a text that the library made (declared with the problem too).  NULL is fine. */
void clpac_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
