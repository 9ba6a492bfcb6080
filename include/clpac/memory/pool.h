/** @file memory/pool.h
 *  Device memory: a pool that keeps released buffers for the next one who asks, under a budget, and knows its numbers.
 *
 *  A request is rounded up to a size class, so that buffers of nearly the same size can stand in for each other.  Small
 * and middling buffers are parts of larger segments, large ones have memory of their own.  A released buffer stays on
 * the device as a cached block of its class; the next request of the class takes it without a driver call.  What the
 * pool holds on the device, in use and cached, never exceeds its budget; before a request is refused, a ladder of steps
 * makes room (clpac_ladder_step).
 *
 *  Work on a device is ordered by queues.  A buffer is allocated for one queue and released to it: what is put into
 * that queue later comes after what used the buffer before, so an in-order queue's next request may have it at once,
 * and a request for another queue is made to wait for it on the device.
 *
 *  Threads: every function may be called from any thread; several threads may share a pool, and each finds the buffers
 * that it released last without waiting for the others.  A request that the cache serves never waits for another
 * thread's driver call, and no driver call and no callback is made under a lock that such a request needs.  What a
 * buffer holds is the caller's to guard: two threads' transfers happen in some order.  The plans of a context, and
 * further pools on it, may be used by other threads at the same time.
 *
 *  Beside it: clpac/memory/store.h (buffers by name), clpac/memory/trace.h (who holds what, and what was asked for
 * when), clpac/memory/async.h (buffers allocated and prepared by a thread of their own), clpac/estimate.h (how much a
 * job will take), clpac/memory/offsets.h (the book-keeping of segments alone), clpac/opencl.h (a pool on an
 * application's own OpenCL objects).
 */
#ifndef CLPAC_MEMORY_POOL_H
#define CLPAC_MEMORY_POOL_H

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

/** An order of work on a pool's device.  Opaque. */
typedef struct clpac_queue clpac_queue;

/** A moment in a queue's order, passed when everything put before it is done.  Opaque. */
typedef struct clpac_event clpac_event;

/* --- Size classes ----------------------------------------------------------------------------- */

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

/* --- Pools ------------------------------------------------------------------------------------ */

/** Whether released memory is rather kept or rather given back. */
typedef enum clpac_preset {
	CLPAC_PRESET_BALANCED = 0,
	CLPAC_PRESET_THROUGHPUT,  /**< Keeps four times as many blocks, and larger segments. */
	CLPAC_PRESET_CONSTRAINED, /**< For small or shared devices: keeps two blocks of a class, segments of 4 MiB at
				     most, and takes at most 0.6 of the device. */
	CLPAC_PRESET_COUNT
} clpac_preset;

/** Where a pool's blocks lie. */
typedef enum clpac_blocks {
	CLPAC_BLOCKS_AUTO = 0, /**< Segments, but for devices that are known to handle parts of buffers badly. */
	CLPAC_BLOCKS_SEGMENTS, /**< Blocks below half a segment are parts of one. */
	CLPAC_BLOCKS_WHOLE,    /**< Every block is memory of its own. */
	CLPAC_BLOCKS_COUNT
} clpac_blocks;

/** Where a buffer may live. */
typedef enum clpac_placement {
	CLPAC_PLACE_DEFAULT = 0,   /**< In a request: what the pool's options say; there: CLPAC_PLACE_DEVICE. */
	CLPAC_PLACE_DEVICE,	   /**< On the device or not at all. */
	CLPAC_PLACE_PREFER_DEVICE, /**< On the host when the ladder found no room: a fallback buffer. */
	CLPAC_PLACE_HOST,	   /**< On the host. */
	CLPAC_PLACE_COUNT
} clpac_placement;

/** One budget that several pools share, also of different devices.  Opaque. */
typedef struct clpac_limit clpac_limit;

/** Makes a shared budget.  @param bytes 1 or more.  @param[out] out the caller's to destroy, after its pools.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_limit_create(uint64_t bytes, clpac_limit **out, clpac_error *err);
/** NULL is fine. */
void clpac_limit_destroy(clpac_limit *limit);
/** Bytes that its pools hold on their devices now. */
uint64_t clpac_limit_taken(const clpac_limit *limit);

/** Settings of a pool; zero means default:
 *
 *      clpac_pool_create(context, &(clpac_pool_options){.budget = {.bytes = 64 << 20}, .checks = {.is_tracked = true}},
 *                        &pool, &err);
 *
 *  For languages without C's structs, clpac_pool_options_read makes one from a line of text. */
typedef struct clpac_pool_options {
	size_t size; /**< sizeof(clpac_pool_options), or 0: the members of clpac 0.1. */
	/** How much of the device the pool may hold.  The smallest of these limits holds. */
	struct {
		uint64_t bytes;	 /**< Most bytes on the device, in use and cached; 0: no limit of this kind. */
		char cap[32];	 /**< The same as text: bytes ("300M") or a part of the device ("25%"); "": none. */
		double fraction; /**< Largest part of the device's memory, above 0 up to 1; 0 is 0.9. */
		uint64_t minimum_free_bytes; /**< Bytes left to others, of the memory that was free when the pool was
						  made (of all memory where the driver does not tell); 0 is 512 MiB, or
						  a quarter if that is less. */
		clpac_limit *limit; /**< A budget shared with other pools, which must outlive them; NULL: none. */
		double wait_s;	    /**< Longest time in seconds that a request waits for another thread's release
					 before it is refused. */
	} budget;
	/** Which released blocks are kept, and how memory is cut into blocks. */
	struct {
		unsigned classes_per_octave; /**< As for clpac_size_class; 0 is 8. */
		unsigned max_kept_per_class; /**< Most cached blocks of a class: half of them with each thread, half in
						  common.  0 is 8, and eight times as many while less than 0.3 of the
						  budget is taken.  From pressure High on half as many are kept;
						  clpac_pool_warm_up raises the number. */
		clpac_blocks blocks;
		uint64_t max_segment_bytes; /**< 0: an eighth of the budget, at most 64 MiB. */
		uint64_t preallocate_bytes; /**< Bytes of segments made at once with the pool; 0: none. */
	} cache;
	/** Debugging. */
	struct {
		bool is_tracked; /**< clpac/memory/trace.h can list the buffers with their ages and places in the
				    source. */
		bool is_checked; /**< Margins around each buffer are watched, contents are poisoned when a buffer is
				      handed out and when it is released, and handles are not used again, so that every
				      use after release is an error.  Costs a fill per allocation and a read per
				      release. */
	} checks;
	clpac_preset preset;	   /**< Defaults of fraction, max_kept_per_class and max_segment_bytes. */
	clpac_placement placement; /**< Placement of requests that name none. */
} clpac_pool_options;

/** Makes options from a line of text: "budget.bytes=64M cache.blocks=segments checks.is_tracked=yes".  Keys are named
 *  as the members, come in any order, and keep their default where they are left out.  Bytes are whole numbers, with K,
 *  M, G or T for powers of 1024.  Choices are words: preset balanced, throughput, constrained; cache.blocks auto,
 *  segments, whole; placement default, device, prefer_device, host.
 *  @param[out] out the caller's, freed with clpac_pool_options_free; budget.limit, which no text holds, may be set in
 *  it.
 *  Errors: CLPAC_ERROR_ARGUMENT with the word, its place in the text and what is allowed; CLPAC_ERROR_NO_MEMORY.
 *  clpac_pool_create refuses values that can be read and make no sense. */
clpac_status clpac_pool_options_read(const char *text, clpac_pool_options **out, clpac_error *err);
/** Writes the members that are not 0 as such a text.  budget.limit is written as "set", which is refused when read.
 *  @param[out] text freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_ARGUMENT (size, cap), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_pool_options_text(const clpac_pool_options *options, char **text, clpac_error *err);
/** Frees what clpac_pool_options_read made.  NULL is fine. */
void clpac_pool_options_free(clpac_pool_options *options);

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

/** What is asked for.  Zero means default but for bytes. */
typedef struct clpac_request {
	size_t bytes;	    /**< 1 or more. */
	const char *tag;    /**< What it is for, in a word or two, for errors and reports; not copied: it must live as
				 long as the buffer.  NULL is "". */
	clpac_queue *queue; /**< The queue that will use it, one of the pool's; NULL: the pool's own. */
	clpac_placement placement;
	const char *file; /**< Where in the source, for the tracker; not copied.  NULL: unknown. */
	int line;
	uint64_t n_elements; /**< How many elements it holds, for the tracker; 0: not said. */
} clpac_request;

/** Allocates a buffer.  Its content is undefined.
 *  Looks for a cached block of the class; else cuts one from a segment or has the driver make memory; else goes down
 * the ladder, looking again after each step.
 *  @param[out] out the buffer, the caller's to release.
 *  Errors: CLPAC_ERROR_ARGUMENT (0 bytes, no such size class, larger than the device's largest block, a queue of
 * another device), CLPAC_ERROR_NO_DEVICE_MEMORY (the text has the request, the budget, and what is in use and cached),
 *  CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE.  After an error the pool is as good as before.
 *  Cost: tens of nanoseconds from the cache, tens of microseconds and more from the driver. */
clpac_status clpac_pool_request(clpac_pool *pool, const clpac_request *request, clpac_buffer **out, clpac_error *err);

/** The same for the pool's own queue and placement.
 *  @param bytes 1 or more; the buffer takes clpac_pool_class of it on the device.  @param tag as in clpac_request. */
clpac_status clpac_pool_allocate(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out, clpac_error *err);

/** Allocates n buffers, or none.
 *  @param bytes n sizes.  @param tags n tags, or NULL.
 *  @param[out] out n buffers, written only when all succeeded.
 *  Errors: as for clpac_pool_allocate; what was already made stays cached as after a release. */
clpac_status clpac_pool_allocate_batch(clpac_pool *pool, size_t n, const size_t *bytes, const char *const *tags,
				       clpac_buffer **out, clpac_error *err);

/** Releases a buffer: it becomes a cached block, or goes back where max_kept_per_class are cached already.
 *  Work already put into its queue, and into those told by clpac_buffer_record, may still use it: whoever gets the
 * block next is ordered behind it.  NULL is fine. A buffer is released once; releasing it again before it was handed
 * out again is noticed, ignored and counted (clpac_pool_statistics.bad_releases), later it would take the buffer from
 * its new owner (is_checked notices that too). */
void clpac_buffer_release(clpac_buffer *buffer);

/** The same for a buffer that is in use until these events have passed, beside what its queues still do.
 *  @param events n of them, of queues of the pool's device; references are taken, the caller keeps his own.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY; the buffer is then still the caller's. */
clpac_status clpac_buffer_release_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err);

/** Notes that a further queue uses the buffer, by work put into it before the release.  At the release an event is put
 * into that queue.  Up to 8 queues beside the buffer's own. Errors: CLPAC_ERROR_ARGUMENT (another device's queue, too
 * many). */
clpac_status clpac_buffer_record(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err);

/** Releases n buffers, NULLs among them allowed, and sets them to NULL. */
void clpac_buffer_release_batch(clpac_buffer **buffers, size_t n);

/** Sees to it that counts[i] blocks for requests of bytes[i] are cached at once, for each i, so that a job that
 *  needs no more than these makes no driver call.  Raises the limit of cached blocks for classes that need it; sizes
 *  of one class add up.  Hits and misses are not counted.
 *  Errors: as for clpac_pool_allocate; no limit is raised then. */
clpac_status clpac_pool_warm_up(clpac_pool *pool, size_t n, const size_t *bytes, const size_t *counts,
				clpac_error *err);

/** Gives cached memory back to the driver, what was unused for longest first, until at most target_bytes stay cached.
 *  @return the bytes given back.  Segments with a block in use stay. */
uint64_t clpac_pool_trim(clpac_pool *pool, uint64_t target_bytes);
/** Gives back what has been unused for at least so long.  @return the bytes given back. */
uint64_t clpac_pool_trim_older(clpac_pool *pool, double age_s);
/** Gives all of it back. */
uint64_t clpac_pool_clear(clpac_pool *pool);

/** Moves buffers out of sparsely used segments into others and gives the emptied segments back.
 *  Buffers keep their handles and contents; whoever took a buffer's memory out of the pool (clpac_buffer_opencl, a
 * mapping) keeps it where it is.  No other thread may be using the pool's buffers meanwhile.
 *  @param max_bytes most bytes to move.  @param[out] released bytes given back; NULL is fine.
 *  Errors: CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY; what was not moved stays where it was.
 *  Cost: one copy on the device for each buffer moved, and a wait. */
clpac_status clpac_pool_defragment(clpac_pool *pool, uint64_t max_bytes, uint64_t *released, clpac_error *err);

/** Most bytes on the device, from the options and the device's facts; UINT64_MAX where neither says. */
uint64_t clpac_pool_budget(const clpac_pool *pool);
/** Bytes that a request of that size takes from this pool's budget; 0 where there is no class for it. */
size_t clpac_pool_class(const clpac_pool *pool, size_t bytes);

/* --- Buffers ---------------------------------------------------------------------------------- */

/* Transfers refuse a range outside the bytes asked for (CLPAC_ERROR_ARGUMENT with the numbers); of 0 bytes they do
 * nothing.  They keep the order of everything put into the buffer's queue: they come after what was put before, on an
 * out-of-order queue too, where what is put afterwards is ordered behind them by an event of clpac_queue_mark. */

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

/** Where a mapping is read and written. */
typedef enum clpac_access { CLPAC_READ = 1, CLPAC_WRITE = 2, CLPAC_READ_WRITE = 3 } clpac_access;

/** Gives the host a pointer to bytes of the buffer until clpac_buffer_unmap, after all work put before.  Where the
 * device shares the host's memory it is the memory itself.  Meanwhile no stage may use the buffer, and it stays where
 * it is.
 *  @param access without CLPAC_READ the bytes are undefined at first and all must be written.
 *  Errors: CLPAC_ERROR_ARGUMENT (a range outside, already mapped), CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE. */
clpac_status clpac_buffer_map(clpac_buffer *buffer, size_t offset, size_t bytes, clpac_access access, void **out,
			      clpac_error *err);
/** Ends the mapping; what was written is seen by work put from now on. */
clpac_status clpac_buffer_unmap(clpac_buffer *buffer, clpac_error *err);

/** Moves a buffer that lives on the host to the device, when the pressure is below High and there is room without the
 * ladder.
 *  @param[out] is_on_device where it lives now; NULL is fine.
 *  A buffer with CLPAC_PLACE_HOST stays.  Errors: CLPAC_ERROR_ARGUMENT (mapped), CLPAC_ERROR_DEVICE: it stays on the
 * host, whole. */
clpac_status clpac_buffer_promote(clpac_buffer *buffer, bool *is_on_device, clpac_error *err);
/** Tries that with every fallback buffer of the pool, the oldest first, until one finds no room.  A pool does so by
 * itself at the first transfer after its pressure fell.  No other thread may be using the pool's fallback buffers
 * meanwhile.
 *  @param[out] n how many moved; NULL is fine. */
clpac_status clpac_pool_promote(clpac_pool *pool, size_t *n, clpac_error *err);

/** True where the buffer lives on the device, false on the host. */
bool clpac_buffer_is_on_device(const clpac_buffer *buffer);
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

/* --- Queues and events ------------------------------------------------------------------------ */

/** Opens a further queue on a pool's device.
 *  @param is_in_order false: work is only ordered by events (devices without such queues give an in-order one).
 *  @param[out] out the caller's to close, before the pool is destroyed.
 *  Errors: CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_queue_open(clpac_pool *pool, bool is_in_order, clpac_queue **out, clpac_error *err);
/** Waits for what was put and closes the queue.  Its buffers stay valid and belong to the pool's own queue from then
 * on.  NULL is fine; the pool's own queue is not the caller's to close. */
void clpac_queue_close(clpac_pool *pool, clpac_queue *queue);
/** The pool's own queue. */
clpac_queue *clpac_pool_queue(const clpac_pool *pool);
/** Waits for all that was put. */
clpac_status clpac_queue_finish(clpac_pool *pool, clpac_queue *queue, clpac_error *err);

/** An event that passes when all that was put into the queue so far is done.  @param[out] out the caller's to release.
 */
clpac_status clpac_queue_mark(clpac_pool *pool, clpac_queue *queue, clpac_event **out, clpac_error *err);
/** Lets what is put into the queue from now on begin after the event, without making the host wait. */
clpac_status clpac_queue_wait_for(clpac_pool *pool, clpac_queue *queue, clpac_event *event, clpac_error *err);
/** True when it has passed.  Never waits. */
bool clpac_event_has_passed(clpac_pool *pool, clpac_event *event);
/** Makes the host wait for it.  CLPAC_ERROR_DEVICE when its work failed. */
clpac_status clpac_event_wait(clpac_pool *pool, clpac_event *event, clpac_error *err);
/** NULL is fine. */
void clpac_event_release(clpac_pool *pool, clpac_event *event);

/* --- Pressure --------------------------------------------------------------------------------- */

/** How full the budget is: bytes on the device, in use and cached, as part of the budget.  A level is left 0.05
 *  below where it is entered, so that it does not flicker.  From the pool's own ledger: drivers allocate lazily and
 *  do not know. */
typedef enum clpac_pressure {
	CLPAC_PRESSURE_LOW = 0,	 /**< Below 0.60. */
	CLPAC_PRESSURE_MEDIUM,	 /**< From 0.60. */
	CLPAC_PRESSURE_HIGH,	 /**< From 0.80. */
	CLPAC_PRESSURE_CRITICAL, /**< From 0.95. */
	CLPAC_PRESSURE_COUNT
} clpac_pressure;

/** "low", "medium", "high", "critical".  Never NULL. */
const char *clpac_pressure_text(clpac_pressure pressure);

/** The level now. */
clpac_pressure clpac_pool_pressure(clpac_pool *pool);

/** Called once for every change by one level, in the order of the changes, outside every lock: it may use the pool. */
typedef void clpac_pressure_function(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to);
/** Registers a watcher, up to 8; one and the same function and user only once.
 *  Errors: CLPAC_ERROR_ARGUMENT (too many, NULL). */
clpac_status clpac_pool_watch(clpac_pool *pool, clpac_pressure_function *function, void *user, clpac_error *err);
/** Removes it; a call that has begun in another thread may still be running. */
void clpac_pool_unwatch(clpac_pool *pool, clpac_pressure_function *function, void *user);

/* --- Out of memory ---------------------------------------------------------------------------- */

/** What is tried, in this order, when a request finds no room, whether by the budget, a shared limit or the driver.
 * After every step the pool is searched again, and every search sees what other threads released to the same queue. */
typedef enum clpac_ladder_step {
	CLPAC_LADDER_FINISHED = 0, /**< Blocks whose events have passed meanwhile. */
	CLPAC_LADDER_OTHER_QUEUES, /**< Blocks of other queues, with a wait put into this one. */
	CLPAC_LADDER_MERGE,	   /**< Cached blocks go back into their segments and become larger pieces. */
	CLPAC_LADDER_EVICT,	   /**< Stores let go of what nobody uses. */
	CLPAC_LADDER_TRIM,	   /**< Cached memory goes back to the driver, the oldest first. */
	CLPAC_LADDER_CALLBACK,	   /**< The application's own function lets go of something. */
	CLPAC_LADDER_PENDING,	   /**< The host waits for events of released blocks. */
	CLPAC_LADDER_SEGMENTS,	   /**< Empty segments go back to the driver. */
	CLPAC_LADDER_SMALLER,	   /**< A new segment of a half, a quarter, an eighth of the usual size. */
	CLPAC_LADDER_DEDICATED,	   /**< Memory of exactly the class's size. */
	CLPAC_LADDER_WAIT,	   /**< For other threads' releases, up to wait_s. */
	CLPAC_LADDER_HOST,	   /**< A buffer on the host, where the placement allows it. */
	CLPAC_LADDER_COUNT
} clpac_ladder_step;

enum { CLPAC_LADDER_ROOM = 16 /**< Steps that clpac_pool_statistics has room for. */ };

/** "finished", "other_queues", "merge", ...  Never NULL. */
const char *clpac_ladder_text(clpac_ladder_step step);

/** Asked to let go of memory: releases buffers of the pool, and tells how many bytes it let go of.  Outside every lock.
 */
typedef uint64_t clpac_relief_function(void *user, clpac_pool *pool, uint64_t bytes);
/** Registers a function for CLPAC_LADDER_CALLBACK or CLPAC_LADDER_EVICT (which the stores of clpac/memory/store.h use),
 * up to 8 of each. Errors: CLPAC_ERROR_ARGUMENT. */
clpac_status clpac_pool_add_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function,
				   void *user, clpac_error *err);
void clpac_pool_remove_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function, void *user);

/** How the number of free bytes is known. */
typedef enum clpac_knowledge { CLPAC_UNKNOWN = 0, CLPAC_ESTIMATED, CLPAC_EXACT } clpac_knowledge;
/** Memory of the device that nobody holds. */
typedef struct clpac_free_memory {
	uint64_t bytes; /**< 0 where unknown. */
	clpac_knowledge
		knowledge; /**< Exact: the driver was asked.  Estimated: its size less what this process holds. */
} clpac_free_memory;
/** Asks at most every 30th call or every 100 ms, and gives the last answer in between. */
clpac_free_memory clpac_pool_free_memory(clpac_pool *pool);
/** Finds out by allocating and touching, then releasing: an answer where the driver gives none.  Never on devices that
 * are the host's CPU, where it would take memory from every program (CLPAC_ERROR_UNSUPPORTED).  Up to max_bytes. Cost:
 * seconds. */
clpac_status clpac_pool_probe_free_memory(clpac_pool *pool, uint64_t max_bytes, uint64_t *bytes, clpac_error *err);

/* --- Statistics ------------------------------------------------------------------------------- */

/** A pool's numbers at one moment.  Bytes are those of size classes, but for requested_bytes.
 *  allocated_bytes = in_use_bytes + pooled_bytes + what other threads are handing to or from the driver just now.
 *  Where several threads allocate, the peaks of in-use, pooled and requested bytes are exact to within a 4096th of the
 * budget (or 64 KiB, if more) per thread. */
typedef struct clpac_pool_statistics {
	size_t size; /**< Bytes of this struct that were filled.  In one made by hand 0: the members of clpac 0.1. */
	uint64_t budget_bytes;	  /**< UINT64_MAX: no limit is known. */
	uint64_t allocated_bytes; /**< On the device. */
	uint64_t in_use_bytes;	  /**< Of active buffers on the device. */
	uint64_t pooled_bytes; /**< On the device and of no active buffer: cached blocks and free parts of segments. */
	uint64_t requested_bytes; /**< What was asked for, of active buffers on the device. */
	uint64_t waste_bytes;	  /**< in_use_bytes - requested_bytes: the price of size classes. */
	uint64_t peak_allocated_bytes, peak_in_use_bytes, peak_pooled_bytes, peak_requested_bytes;
	uint64_t active_buffers, pooled_buffers; /**< pooled_buffers: cached blocks. */
	uint64_t pending_buffers;		 /**< Of those, blocks whose events have not been seen to pass. */
	uint64_t hits;				 /**< Requests served from the cache. */
	uint64_t misses; /**< Requests that needed a segment or the driver, also those that failed. */
	double hit_rate; /**< hits / (hits + misses); 0 before the first. */
	uint64_t driver_creates, driver_releases;	 /**< Calls of the driver for memory, failed ones included. */
	uint64_t driver_calls;				 /**< Their sum. */
	uint64_t parts_created;				 /**< Blocks cut from segments. */
	uint64_t segments, segment_bytes;		 /**< That exist now. */
	uint64_t free_segment_bytes, largest_free_bytes; /**< In segments, of no block; and the largest such piece. */
	double fragmentation;		    /**< 1 - largest free / free, within segments; 0 where nothing is free. */
	uint64_t out_of_memory_events;	    /**< Times that a request found no room at first. */
	uint64_t retries;		    /**< Times that a request looked again after room was made for it. */
	uint64_t refusals;		    /**< Requests that ended for lack of memory. */
	uint64_t queue_waits;		    /**< Blocks handed from one queue to another with a wait. */
	uint64_t fallbacks;		    /**< Buffers that were placed on the host for lack of room. */
	uint64_t promotions;		    /**< Of those, moved to the device later. */
	uint64_t host_buffers, host_bytes;  /**< Active buffers on the host now. */
	uint64_t host_copies;		    /**< Mappings that were copies rather than the memory itself. */
	uint64_t bad_releases;		    /**< Releases of what was not in use; ignored. */
	uint64_t canary_failures;	    /**< Buffers whose margins were found damaged (is_checked). */
	uint64_t ladder[CLPAC_LADDER_ROOM]; /**< How often each step made a request succeed; 0 from CLPAC_LADDER_COUNT
					       on. */
	clpac_pressure pressure;
} clpac_pool_statistics;

/** Reads all numbers at one moment.
 *  @param[out] out filled up to size bytes.  @param size sizeof(clpac_pool_statistics), as the caller's header has it.
 */
void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *out, size_t size);
/** Lets the peaks begin anew from the present values. */
void clpac_pool_reset_peaks(clpac_pool *pool);

/** The numbers as text for people, several lines.  @param[out] text the caller's, freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_pool_statistics_text(const clpac_pool_statistics *statistics, char **text, clpac_error *err);
/** The same as one JSON object on one line: the members under their names in their order, pressure as its text,
 *  budget_bytes null where there is no limit. */
clpac_status clpac_pool_statistics_json(const clpac_pool_statistics *statistics, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
