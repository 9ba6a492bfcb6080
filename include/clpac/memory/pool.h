/** @file memory/pool.h
 * Device memory: a pool that keeps released buffers for later requests, stays within a budget, and counts what it does.
 *
 * A request is rounded up to a size class, so that buffers of nearly the same size can replace each other.  Small and
 * medium buffers are parts of larger segments; large ones have memory of their own.  A released buffer stays on the
 * device as a cached block of its class, and the next request of the class takes it without a driver call.  Everything
 * the pool holds on the device, in use and cached, stays within its budget.  Before a request is refused, a ladder of
 * steps makes room (clpac_ladder_step).
 *
 * Queues give work on a device its order.  A buffer is allocated for one queue and released to it.  Work put into an
 * in-order queue later runs after the work that used the buffer before, so the next request for that queue may have the
 * buffer at once; a request for another queue is made to wait for it on the device.
 *
 * Threads: every function may be called from any thread.  Threads may share a pool; each finds the buffers that it
 * released last without waiting for the others.  A request served from the cache never waits for another thread's
 * driver call, and no driver call and no callback is made under a lock that such a request needs.  The content of a
 * buffer is the caller's to guard: two threads' transfers happen in some order.  The plans of a context, and further
 * pools on it, may be used by other threads at the same time.
 *
 * See also: clpac/memory/store.h (buffers by name), clpac/memory/trace.h (who holds what, and a record of requests),
 * clpac/memory/async.h (buffers allocated and prepared by a worker thread), clpac/memory/estimate.h (how much memory a
 * job will take), clpac/memory/offsets.h (the allocator of offsets inside segments), clpac/memory/opencl.h (a pool on
 * an application's own OpenCL objects).
 *
 *  NULL where a pointer is required: clpac/status.h has the rule.
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

/** A device's memory, shared between requests.  Opaque. */
typedef struct clpac_pool clpac_pool;

/** A piece of a device's memory that belongs to whoever allocated it until it is released.  Opaque. */
typedef struct clpac_buffer clpac_buffer;

/** An order of work on a pool's device.  Opaque. */
typedef struct clpac_queue clpac_queue;

/** A moment in a queue's order; it passes when everything put before it is done.  Opaque. */
typedef struct clpac_event clpac_event;

/* --- Size classes ----------------------------------------------------------------------------- */

enum {
	CLPAC_DEFAULT_CLASSES_PER_OCTAVE = 8, /**< At most 12.5 % of a request is wasted. */
	CLPAC_MAX_CLASSES_PER_OCTAVE = 64
};

/** The size class of a request: the smallest m * 2^e >= bytes with n <= m < 2n, or m < n and e = 0, where n is
 * classes_per_octave.  This is a binary floating-point number of log2(n) mantissa bits, rounded up.
 *
 * Monotone (a larger request never gets a smaller class), idempotent (a class is its own class), exact below 2n bytes.
 * At most bytes / n is wasted: 8 gives 12.5 %, 16 gives 6.25 %, 1 gives plain powers of two.
 * @param bytes 1 or more.
 * @param classes_per_octave a power of two up to CLPAC_MAX_CLASSES_PER_OCTAVE; 0 is the default.
 * @return 0 when there is no class: bytes is 0, the class would not fit a size_t, or classes_per_octave is not allowed.
 * Cost: a few nanoseconds.  Threads: any.
 */
size_t clpac_size_class(size_t bytes, unsigned classes_per_octave);

/* --- Pools ------------------------------------------------------------------------------------ */

/** Whether a pool tends to keep released memory or to give it back. */
typedef enum clpac_preset {
	CLPAC_PRESET_BALANCED = 0,
	CLPAC_PRESET_THROUGHPUT, /**< Keeps four times as many blocks, and larger segments. */
	/** For small or shared devices: keeps two blocks of a class, segments of at most 4 MiB, and takes at most 0.6
	 * of the device.
	 */
	CLPAC_PRESET_CONSTRAINED,
	CLPAC_PRESET_COUNT
} clpac_preset;

/** Where a pool's blocks lie. */
typedef enum clpac_blocks {
	CLPAC_BLOCKS_AUTO = 0, /**< Segments, except on devices known to handle parts of buffers badly. */
	CLPAC_BLOCKS_SEGMENTS, /**< Blocks below half a segment are parts of one. */
	CLPAC_BLOCKS_WHOLE,    /**< Every block is memory of its own. */
	CLPAC_BLOCKS_COUNT
} clpac_blocks;

/** Where a buffer may live. */
typedef enum clpac_placement {
	/** In a request: as the pool's options say.  In the options: CLPAC_PLACE_DEVICE. */
	CLPAC_PLACE_DEFAULT = 0,
	CLPAC_PLACE_DEVICE,	   /**< On the device or not at all. */
	CLPAC_PLACE_PREFER_DEVICE, /**< On the host if the ladder found no room: a fallback buffer. */
	CLPAC_PLACE_HOST,	   /**< On the host. */
	CLPAC_PLACE_COUNT
} clpac_placement;

/** One budget shared by several pools, which may be on different devices: for bytes on the devices
 * (clpac_pool_options.budget.limit), for buffers on the host (clpac_pool_options.fallback_limit), or for both.  Opaque.
 */
typedef struct clpac_limit clpac_limit;

/** Makes a shared budget.
 * @param bytes 1 or more.
 * @param[out] out the budget; the caller destroys it; its pools keep it as long as they need it.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_limit_create(uint64_t bytes, clpac_limit **out, clpac_error *err);
/** Makes a shared budget within another one: what its pools take counts in both, and in all above.  So limits form a
 * tree, as for a device, the jobs on it, and the pools of each job; a limit may be larger than what its parent leaves.
 * @param parent kept as long as needed; NULL: none, as clpac_limit_create.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_limit_create_under(clpac_limit *parent, uint64_t bytes, clpac_limit **out, clpac_error *err);
/** Frees a shared budget.  NULL is fine. */
void clpac_limit_destroy(clpac_limit *limit);
/** Bytes that its pools, and those of the limits below it, hold now: on their devices, on the host, or on both, by the
 * options in which they have it. */
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
		clpac_limit *limit;	     /**< A budget shared with other pools, which keep it; NULL: none. */
		double wait_s; /**< Longest time in seconds that a request waits for another thread's release
				    before it is refused, up to 1e9. */
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
				      handed out and when it is released, and handles are not used again: every use of
				      a released buffer is an error, as long as the process lives.  Costs a fill per
				      allocation, a wait and a read per release, and 64 KiB of addresses per 260
				      allocations, which are not given back. */
	} checks;
	clpac_preset preset;	   /**< Defaults of fraction, max_kept_per_class and max_segment_bytes. */
	clpac_placement placement; /**< Placement of requests that name none. */
	/** The ladder may move buffers, by the rules of clpac_pool_defragment, to make room in one piece: at most twice
	 * a request's bytes for a request that fits no segment.  Plans hold their buffers while they run. */
	bool may_move;
	/** What clpac_pool_snapshot writes, written by the pool itself at a refusal. */
	struct {
		char path[208];	 /**< File that a refusal replaces, no sooner than a second after the last one did; the
				      error's text then names it.  "": none.  Pools that live at the same time need
				      different files. */
		unsigned events; /**< Last allocations, releases and refusals kept for it, at most
				      CLPAC_MAX_SNAPSHOT_EVENTS; 0 is 256 with a path and none without one.  They cost
				      96 bytes each, and some 50 ns for each request and release. */
	} snapshot;
	/** Compaction now and then: clpac_pool_defragment at the end of a request that was not served from the cache,
	 * at most once every so many releases and every so many seconds.  Members that are 0 ask for nothing; with both
	 * 0 there is none.  Needs may_move, whose rule holds for the pass too. */
	struct {
		uint64_t releases;
		double seconds;	    /**< Up to 1e9. */
		uint64_t max_bytes; /**< Most bytes moved in a pass; 0 is an eighth of the budget. */
	} compaction;
	/** Most bytes of buffers on the host, size classes, by whatever placement.  0: no limit of the pool's own where
	 * fallback_limit is given; otherwise one that all such pools of the process share, half of what the host had
	 * available when the first of their buffers there was made (no limit where the system does not tell). */
	uint64_t fallback_bytes;
	/** Pinned memory of the host, outside every budget, through which writes and reads from 256 KiB on go in four
	 * pieces where the device has memory of its own, but for clpac_buffer_read_later; 0: 4 MiB, made at the first
	 * such transfer; below 16 KiB: none. */
	uint64_t staging_bytes;
	/** A limit for buffers on the host, shared with other pools, which keep it: their sum stays within it and all
	 * limits above it.  It may be of the same tree as budget.limit, for a device that is the host.  NULL: none. */
	clpac_limit *fallback_limit;
	/** Coalescing: cached parts of segments go back into them before a new segment is made, once they are more than
	 * this part of all segments' bytes, up to 1; 0 is 0.2.  Less keeps a pool smaller and makes more requests be
	 * cut anew. */
	double merge_fraction;
	/** Blocks made with the pool, as by clpac_pool_warm_up: "1M*8,64K*32" is eight of 1 MiB and 32 of 64 KiB.  "":
	 * none. */
	char warm_up[128];
} clpac_pool_options;

enum { CLPAC_MAX_SNAPSHOT_EVENTS = 1 << 20 /**< Most events that a pool keeps for its snapshots. */ };

/** Makes options from a line of text: "budget.bytes=64M cache.blocks=segments checks.is_tracked=yes".  Keys are named
 *  as the members, come in any order, and keep their default where they are left out.  Bytes are whole numbers, with K,
 *  M, G or T for powers of 1024.  Choices are words: preset balanced, throughput, constrained; cache.blocks auto,
 *  segments, whole; placement default, device, prefer_device, host.
 *  @param[out] out the caller's, freed with clpac_pool_options_free; budget.limit and fallback_limit, which no text
 * holds, may be set in it. Errors: CLPAC_ERROR_ARGUMENT with the word, its place in the text and what is allowed;
 * CLPAC_ERROR_NO_MEMORY. clpac_pool_create refuses values that can be read and make no sense. */
clpac_status clpac_pool_options_read(const char *text, clpac_pool_options **out, clpac_error *err);
/** Writes the members that are not 0 as such a text.  budget.limit and fallback_limit are written as "set", which is
 *  refused when read.
 *  @param[out] text freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_ARGUMENT (size, cap), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_pool_options_text(const clpac_pool_options *options, char **text, clpac_error *err);
/** Frees what clpac_pool_options_read made.  NULL is fine. */
void clpac_pool_options_free(clpac_pool_options *options);

/** Makes a pool on a context's device, beside the context's own (clpac_context_pool), with a budget of its own: the
 * budgets of several pools on a device are not added up.
 * @param context may be closed before the pool.
 * @param options NULL for defaults; read, not kept.
 * @param[out] out the pool, the caller's to destroy.
 * Errors: CLPAC_ERROR_ARGUMENT names the member and its value; CLPAC_ERROR_NO_DEVICE_MEMORY when the limits leave
 * nothing, or too little for cache.preallocate_bytes or warm_up; CLPAC_ERROR_NO_MEMORY.
 * Cost: microseconds; nothing is allocated on the device but for these two.
 */
clpac_status clpac_pool_create(clpac_context *context, const clpac_pool_options *options, clpac_pool **out,
			       clpac_error *err);

/** Changes the settings of a pool in use: budget.bytes, cap, fraction, minimum_free_bytes and wait_s,
 * cache.max_kept_per_class and max_segment_bytes, preset, placement, may_move, compaction, fallback_bytes and
 * merge_fraction, which all become what the options say, 0 again meaning the default.  The budget may be lowered, and
 * raised again to what it was when the pool was made; cached memory goes back for it.  Segments that exist stay.  All
 * other members are 0 or as when the pool was made. Errors: CLPAC_ERROR_ARGUMENT names the member;
 * CLPAC_ERROR_NO_DEVICE_MEMORY when the buffers in use take more than the budget.  The settings are then as before.
 * Cost: that of giving memory back to the driver. Threads: any, at any time.
 */
clpac_status clpac_pool_configure(clpac_pool *pool, const clpac_pool_options *options, clpac_error *err);

/** Writes what the pool holds to a file, as JSON: each segment with its pieces and their owners, blocks with memory of
 * their own, buffers on the host, the statistics, and the last events where the pool keeps some
 * (clpac_pool_options.snapshot).  doc/memory.md has the members; `clpac memory --snapshot` draws it.
 * The map is of one moment; statistics and events are read right after it.
 * @param path a file that exists is replaced; it is there as a whole or not at all.
 * Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_NO_MEMORY.
 * Cost: about a microsecond for each block, during a part of which the requests and releases of other threads wait.
 */
clpac_status clpac_pool_snapshot(clpac_pool *pool, const char *path, clpac_error *err);

/** Gives the pool up.  Its buffers, queues, events, scopes, stores and asynchronous workers keep it and go on working;
 * with the last of them, or at once, everything goes back to the driver.  Watchers and functions for
 * CLPAC_LADDER_CALLBACK are called no more, and a trace ends.  From then on the handle serves clpac_queue_close and the
 * functions of events, for queues and events that are still open.  Other threads may release what was made on the pool
 * meanwhile, but not use the pool itself.  A context's own pool goes with the context: nothing happens.  NULL is fine.
 */
void clpac_pool_destroy(clpac_pool *pool);

/** A request for a buffer.  Zero means default in every member but bytes. */
typedef struct clpac_request {
	size_t bytes; /**< 1 or more. */
	/** Its purpose in a word or two, for errors and reports.  Not copied: it must live as long as the buffer.  NULL
	 * is "".
	 */
	const char *tag;
	clpac_queue *queue; /**< The queue that will use the buffer, one of the pool's; NULL: the pool's own. */
	clpac_placement placement;
	const char *file; /**< Position in the source, for the tracker; not copied.  NULL: unknown. */
	int line;
	uint64_t n_elements; /**< Number of elements, for the tracker; 0: not given. */
} clpac_request;

/** Allocates a buffer.  Its content is undefined.
 *
 * Takes a cached block of the class; if there is none, cuts one from a segment or has the driver make memory; if there
 * is no room, goes down the ladder and looks again after each step.
 * @param[out] out the buffer; the caller releases it.
 * Errors: CLPAC_ERROR_ARGUMENT (0 bytes, no such size class, larger than the device's largest block, a queue of another
 * device), CLPAC_ERROR_NO_DEVICE_MEMORY (the text has the request, the budget, and the bytes in use and cached),
 * CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE. After an error the pool remains usable.
 * Cost: tens of nanoseconds from the cache, tens of microseconds and more from the driver.
 */
clpac_status clpac_pool_request(clpac_pool *pool, const clpac_request *request, clpac_buffer **out, clpac_error *err);

/** clpac_pool_request with a content of zeros: a fill is put into the buffer's queue, and work put there later comes
 * after it, on an out-of-order queue too.  Work in other queues waits for an event, as after any transfer.
 * Errors: those of clpac_pool_request and of clpac_buffer_fill; no buffer is left then.
 * Cost: that of clpac_pool_request and of a fill of the bytes requested.
 */
clpac_status clpac_pool_request_zeroed(clpac_pool *pool, const clpac_request *request, clpac_buffer **out,
				       clpac_error *err);

/** clpac_pool_request for the pool's own queue and placement.
 * @param bytes 1 or more; the buffer takes clpac_pool_class of it on the device.
 * @param tag as in clpac_request.
 */
clpac_status clpac_pool_allocate(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out, clpac_error *err);

/** Allocates n buffers, or none.
 * @param bytes n sizes.
 * @param tags n tags, or NULL.
 * @param[out] out n buffers, written only when all succeeded.
 * Errors: as for clpac_pool_allocate; buffers already made are cached as after a release.
 */
clpac_status clpac_pool_allocate_batch(clpac_pool *pool, size_t n, const size_t *bytes, const char *const *tags,
				       clpac_buffer **out, clpac_error *err);

/** Releases a buffer: it becomes a cached block, or its memory is given back if max_kept_per_class blocks are cached
 * already.  NULL is fine.
 *
 * Work already put into its queue, and into queues made known by clpac_buffer_record, may still use it: the next owner
 * of the block is ordered behind that work.  A buffer is released once.  A second release is detected, ignored and
 * counted (clpac_pool_statistics.bad_releases) until the buffer is handed out again or its memory given back; later it
 * would take the buffer from its new owner.  Releasing a buffer that a store owns is ignored and counted too.  In a
 * checked pool it is always ignored, and counted for the last 4096
 * released buffers.
 */
void clpac_buffer_release(clpac_buffer *buffer);

/** Releases a buffer that is in use until the given events have passed, in addition to the work of its queues.
 * @param events n events of queues of the pool's device.  The pool takes references of its own; the caller keeps his.
 * Errors: CLPAC_ERROR_ARGUMENT (the buffer or an event was released before, or a store owns the buffer),
 * CLPAC_ERROR_NO_MEMORY; the buffer is then still the caller's.
 */
clpac_status clpac_buffer_release_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err);

/** Declares that a further queue uses the buffer, by work put into it before the release.  At the release an event is
 * put into that queue.  Up to 8 queues beside the buffer's own.
 * Errors: CLPAC_ERROR_ARGUMENT (another device's queue, too many queues).
 */
clpac_status clpac_buffer_record(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err);

/** Begins a use of a buffer by commands of the application, a kernel's for example, and tells where its memory is.
 * Until the end of the use the buffer stays in its place; between uses it may be moved by the ladder, by
 * clpac_pool_defragment and to the device, with its content.
 *
 *      void *memory;                                            a cl_mem on OpenCL
 *      clpac_buffer_use_begin(buffer, queue, &memory, &err);
 *      clSetKernelArg(kernel, 0, sizeof memory, &memory);
 *      clEnqueueNDRangeKernel(commands, kernel, ...);           commands are those of the queue
 *      clpac_buffer_use_end(buffer, queue, &err);
 *
 * Work put into the queue from now on comes after the transfers of the buffer and after the uses that ended before, in
 * whatever queues; a wait is put into the queue where it needs one.  Uses that are open at the same time are not
 * ordered.  Uses nest, and several threads may have some open.  A fallback buffer is moved to the device first if there
 * is room, as at a transfer.
 * @param queue the queue that the commands are put into, one of the pool's; NULL: the pool's own.
 * @param[out] memory the buffer's memory, valid until the end of the use: its cl_mem on OpenCL, on the native device
 * the address of its first byte. Errors: CLPAC_ERROR_ARGUMENT (released, mapped, another pool's queue),
 * CLPAC_ERROR_DEVICE; no use is open then. Cost: nanoseconds for the buffer's own in-order queue, otherwise an event
 * and a wait for it.  A move in progress in another thread is waited for.
 */
clpac_status clpac_buffer_use_begin(clpac_buffer *buffer, clpac_queue *queue, void **memory, clpac_error *err);
/** Ends a use, once its commands were put into a queue.  They may still be running: the buffer moves when they are
 * done, later transfers and uses come after them, and so does the next owner after a release, without
 * clpac_buffer_record.
 *
 * A release while uses are open takes effect with the end of the last one, which the handle then still serves for.  A
 * buffer of a store is held by its entry as long as uses are open.
 * @param queue as for clpac_buffer_use_begin.
 * Errors: CLPAC_ERROR_ARGUMENT (no use is open, another pool's queue or a closed one); nothing ends then.
 * Cost: nanoseconds for the buffer's own queue, otherwise an event.
 */
clpac_status clpac_buffer_use_end(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err);
/** Ends a use whose commands are done when the given events have passed.
 * @param events n events of queues of the pool's device.  The pool takes references of its own; the caller keeps his.
 * Errors: CLPAC_ERROR_ARGUMENT (no use is open, an event is NULL or was released), CLPAC_ERROR_NO_MEMORY; the use is
 * then still open.
 */
clpac_status clpac_buffer_use_end_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err);

/** Releases n buffers and sets them to NULL; NULLs among them are fine. */
void clpac_buffer_release_batch(clpac_buffer **buffers, size_t n);

/** Makes blocks in advance: afterwards counts[i] blocks for requests of bytes[i] are cached at once, for each i, so
 * that a job that needs no more than these makes no driver call.  Raises the limit of cached blocks for classes that
 * need it; the counts of sizes in one class add up.  Not counted as hits or misses.
 * Errors: as for clpac_pool_allocate; no limit is raised then.
 */
clpac_status clpac_pool_warm_up(clpac_pool *pool, size_t n, const size_t *bytes, const size_t *counts,
				clpac_error *err);

/** Gives cached memory back to the driver, the longest unused first, until at most target_bytes stay cached.  Segments
 * with a block in use stay.
 * @return the bytes given back.
 */
uint64_t clpac_pool_trim(clpac_pool *pool, uint64_t target_bytes);
/** Gives back memory that has been unused for at least age_s seconds.  A thread that releases thousands of buffers in a
 * millisecond reads the clock at every 16th only: after a pause its first 15 blocks count as released before the pause.
 * @return the bytes given back.
 */
uint64_t clpac_pool_trim_older(clpac_pool *pool, double age_s);
/** Gives all cached memory back.
 * @return the bytes given back.
 */
uint64_t clpac_pool_clear(clpac_pool *pool);

/** Moves buffers out of sparsely used segments into others and gives the emptied segments back.  Buffers keep their
 * handles and contents; those in use (clpac_buffer_use_begin), with commands of their uses still running in another
 * queue, mapped, or known outside the pool for good (clpac_buffer_opencl, clpac_buffer_record) are not moved.  Other
 * threads may transfer and use the pool's buffers and run plans on it meanwhile.
 * @param max_bytes most bytes to move.
 * @param[out] released bytes given back; NULL is fine.
 * Errors: CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY; buffers not yet moved stay where they were.
 * Cost: one copy on the device for each buffer moved, and a wait.
 */
clpac_status clpac_pool_defragment(clpac_pool *pool, uint64_t max_bytes, uint64_t *released, clpac_error *err);

/** Most bytes on the device, from the options and the device's facts; UINT64_MAX if neither sets a limit. */
uint64_t clpac_pool_budget(const clpac_pool *pool);
/** Bytes that a request of this size takes from this pool's budget; 0 when there is no class for it. */
size_t clpac_pool_class(const clpac_pool *pool, size_t bytes);

/* --- Buffers ---------------------------------------------------------------------------------- */

/* A released buffer is refused with CLPAC_ERROR_ARGUMENT, and gives false, 0, "" or NULL where there is no error:
 * always in a checked pool, otherwise as long as its memory is cached.
 *
 * Transfers keep the order of everything put into the buffer's queue: they come after all earlier work, on an
 * out-of-order queue too.  There, later work is ordered behind a transfer by an event of clpac_queue_mark.  A range
 * outside the bytes requested gives CLPAC_ERROR_ARGUMENT with the numbers; a transfer of 0 bytes does nothing. */

/** Copies bytes from the host; source may be reused on return.
 * @param offset first byte in the buffer.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_DEVICE_MEMORY.
 */
clpac_status clpac_buffer_write(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source,
				clpac_error *err);
/** Copies bytes to the host, after all earlier work of the queue. */
clpac_status clpac_buffer_read(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_error *err);
/** clpac_buffer_write that is not waited for.
 * @param source unchanged until the event has passed.
 * @param[out] out an event that passes when the bytes are in the buffer, for clpac_event_wait, clpac_queue_wait_for and
 *   the like; the caller releases it.  Needed for 0 bytes too.
 * Errors: those of clpac_buffer_write, and CLPAC_ERROR_NO_MEMORY; source is then not needed any more, and the bytes are
 * undefined.  A failure of the transfer itself is reported by clpac_event_wait.
 * Cost: that of two driver calls.  On a device with memory of its own, from 256 KiB on, also a copy of the bytes on the
 * host, of at most clpac_pool_options.staging_bytes, and two calls for each of four pieces.
 */
clpac_status clpac_buffer_write_later(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source,
				      clpac_event **out, clpac_error *err);
/** clpac_buffer_read that is not waited for: target has the bytes when the event has passed, and must be there until
 * then.  The device writes there itself, not through pinned memory.  Otherwise as clpac_buffer_write_later.
 */
clpac_status clpac_buffer_read_later(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_event **out,
				     clpac_error *err);
/** Sets bytes to a value. */
clpac_status clpac_buffer_fill(clpac_buffer *buffer, size_t offset, size_t bytes, uint8_t value, clpac_error *err);
/** Copies bytes.  Ranges of the same buffer must not overlap.  Within a pool, or between the own queues of two pools of
 * a context, the device makes the copy, in the order of the target's queue, and nothing is waited for.  Otherwise, as
 * between two devices, the bytes go through the host in chunks of 4 MiB, one device sending while the other one takes
 * what came before; the call returns when all are there, and counts them in both pools' statistics.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_DEVICE; through the host also CLPAC_ERROR_NO_MEMORY for 8 MiB, and after a
 * failure the target's bytes are undefined.
 */
clpac_status clpac_buffer_copy(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
			       size_t bytes, clpac_error *err);

/** How the host uses a mapping. */
typedef enum clpac_access { CLPAC_READ = 1, CLPAC_WRITE = 2, CLPAC_READ_WRITE = 3 } clpac_access;

/** Gives the host a pointer to bytes of the buffer until clpac_buffer_unmap, after all earlier work of the queue.  If
 * the device shares the host's memory, this is the memory itself.  While it is mapped, no kernel may use the buffer,
 * and the buffer stays in its place.
 * @param access without CLPAC_READ the bytes are undefined at first and all of them must be written.
 * Errors: CLPAC_ERROR_ARGUMENT (a range outside the buffer, already mapped), CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE.
 */
clpac_status clpac_buffer_map(clpac_buffer *buffer, size_t offset, size_t bytes, clpac_access access, void **out,
			      clpac_error *err);
/** Ends the mapping; work put into the queue from now on sees what the host wrote. */
clpac_status clpac_buffer_unmap(clpac_buffer *buffer, clpac_error *err);

/** Moves a buffer from the host to the device if the pressure is below High and there is room without the ladder.  A
 * buffer with CLPAC_PLACE_HOST stays on the host.  A buffer in use, or with commands of its uses running in another
 * queue, stays until they are done, and another call may move it then.
 * @param[out] is_on_device where it lives now; NULL is fine.
 * Errors: CLPAC_ERROR_ARGUMENT (mapped), CLPAC_ERROR_DEVICE; the buffer then stays on the host, intact.
 */
clpac_status clpac_buffer_promote(clpac_buffer *buffer, bool *is_on_device, clpac_error *err);
/** Promotes the pool's fallback buffers, the oldest first, until one finds no room.  A pool does this by itself at the
 * first transfer or use after its pressure fell.  Buffers in use stay.
 * @param[out] n number of buffers moved; NULL is fine.
 */
clpac_status clpac_pool_promote(clpac_pool *pool, size_t *n, clpac_error *err);

/** True when the buffer lives on the device, false when on the host. */
bool clpac_buffer_is_on_device(const clpac_buffer *buffer);
/** Bytes requested. */
size_t clpac_buffer_bytes(const clpac_buffer *buffer);
/** Bytes taken on the device. */
size_t clpac_buffer_class(const clpac_buffer *buffer);
/** A number unique among all allocations of the pool, from 1 on. */
uint64_t clpac_buffer_id(const clpac_buffer *buffer);
/** The tag of the request; never NULL. */
const char *clpac_buffer_tag(const clpac_buffer *buffer);
/** The pool of the buffer; NULL after the pool was destroyed, or its context closed, though the buffer keeps it. */
clpac_pool *clpac_buffer_pool(const clpac_buffer *buffer);

/* --- Queues and events ------------------------------------------------------------------------ */

/* A queue that is closed or another pool's, and an event that was released, are refused with CLPAC_ERROR_ARGUMENT.  An
 * event may be of another pool on the same device. */

/** Opens a further queue on a pool's device.
 * @param is_in_order false: work is ordered by events only (a device without such queues gives an in-order one).
 * @param[out] out the queue; the caller closes it; the pool stays until then.
 * Errors: CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_queue_open(clpac_pool *pool, bool is_in_order, clpac_queue **out, clpac_error *err);
/** Waits for all work in the queue and closes it.  Its buffers stay valid and belong to the pool's own queue from then
 * on.  NULL is fine; the pool's own queue must not be closed.
 */
void clpac_queue_close(clpac_pool *pool, clpac_queue *queue);
/** The pool's own queue. */
clpac_queue *clpac_pool_queue(const clpac_pool *pool);
/** Waits for all work in the queue. */
clpac_status clpac_queue_finish(clpac_pool *pool, clpac_queue *queue, clpac_error *err);

/** Makes an event that passes when all work put into the queue so far is done.
 * @param[out] out the event; the caller releases it.
 */
clpac_status clpac_queue_mark(clpac_pool *pool, clpac_queue *queue, clpac_event **out, clpac_error *err);
/** Makes work put into the queue from now on begin after the event, without making the host wait. */
clpac_status clpac_queue_wait_for(clpac_pool *pool, clpac_queue *queue, clpac_event *event, clpac_error *err);
/** True when the event has passed; false for one that was released.  Never waits for the device. */
bool clpac_event_has_passed(clpac_pool *pool, clpac_event *event);
/** Makes the host wait for the event.  CLPAC_ERROR_DEVICE when its work failed. */
clpac_status clpac_event_wait(clpac_pool *pool, clpac_event *event, clpac_error *err);
/** Releases an event, once for each time that it was handed out.  Once too often, or with another pool than the one
 * that handed it out, is refused and counted as a bad release where the pool has no event with that handle out.  NULL
 * is fine. */
void clpac_event_release(clpac_pool *pool, clpac_event *event);

/* --- Pressure --------------------------------------------------------------------------------- */

/** How full the pool is: bytes on the device, in use and cached, as a part of the budget, or of what the driver last
 * refused to exceed; or how full a limit is that the pool shares with others; whichever is fullest.  A level is left
 * 0.05 below where it is entered, so that it does not flicker.  Computed from the pools' own ledgers, because drivers
 * allocate lazily and cannot tell.
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

/** The pressure now. */
clpac_pressure clpac_pool_pressure(clpac_pool *pool);

/** Called once for every change by one level, in the order of the changes, outside every lock; it may use the pool. */
typedef void clpac_pressure_function(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to);
/** Registers a watcher, up to 8 per pool; the same function and user only once.
 * Errors: CLPAC_ERROR_ARGUMENT (too many, registered already, NULL).
 */
clpac_status clpac_pool_watch(clpac_pool *pool, clpac_pressure_function *function, void *user, clpac_error *err);
/** Removes a watcher; a call that has begun in another thread may still be running. */
void clpac_pool_unwatch(clpac_pool *pool, clpac_pressure_function *function, void *user);

/* --- Out of memory ---------------------------------------------------------------------------- */

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

/* --- Statistics ------------------------------------------------------------------------------- */

/** A pool's numbers at one moment.  Bytes are those of size classes, except requested_bytes.
 *
 * allocated_bytes = in_use_bytes + pooled_bytes + bytes that other threads are getting from the driver or giving back.
 *
 * When several threads allocate, the peaks of in-use, pooled and requested bytes are exact to within a 4096th of the
 * budget (or 64 KiB, if more) per thread.
 */
typedef struct clpac_pool_statistics {
	size_t size; /**< Bytes of this struct that were filled.  In one made by hand 0: the members of clpac 0.1. */
	uint64_t budget_bytes;	  /**< UINT64_MAX: no limit is known. */
	uint64_t allocated_bytes; /**< On the device. */
	uint64_t in_use_bytes;	  /**< Bytes of active buffers on the device. */
	/** On the device and in no active buffer: cached blocks and free parts of segments. */
	uint64_t pooled_bytes;
	uint64_t requested_bytes; /**< Bytes requested for active buffers on the device. */
	uint64_t waste_bytes;	  /**< in_use_bytes - requested_bytes: the price of size classes. */
	uint64_t peak_allocated_bytes, peak_in_use_bytes, peak_pooled_bytes, peak_requested_bytes;
	uint64_t active_buffers, pooled_buffers; /**< pooled_buffers: cached blocks. */
	uint64_t pending_buffers;		 /**< Cached blocks whose events have not been seen to pass. */
	uint64_t hits;				 /**< Requests served from the cache. */
	uint64_t misses; /**< Requests that needed a segment or the driver, including those that failed. */
	double hit_rate; /**< hits / (hits + misses); 0 before the first. */
	uint64_t driver_creates, driver_releases; /**< Driver calls for memory, including failed ones. */
	uint64_t driver_calls;			  /**< Their sum. */
	uint64_t parts_created;			  /**< Blocks cut from segments. */
	uint64_t segments, segment_bytes;	  /**< Segments that exist now, and their bytes. */
	/** Bytes of segments in no block, and the largest such piece. */
	uint64_t free_segment_bytes, largest_free_bytes;
	double fragmentation;		    /**< 1 - largest free / free, within segments; 0 when nothing is free. */
	uint64_t out_of_memory_events;	    /**< Requests that found no room at first. */
	uint64_t retries;		    /**< New searches by a request after room was made for it. */
	uint64_t refusals;		    /**< Requests that failed for lack of memory. */
	uint64_t queue_waits;		    /**< Blocks handed from one queue to another with a wait. */
	uint64_t fallbacks;		    /**< Buffers placed on the host for lack of room. */
	uint64_t promotions;		    /**< Fallback buffers moved to the device later. */
	uint64_t host_buffers, host_bytes;  /**< Active buffers on the host now. */
	uint64_t host_copies;		    /**< Mappings that were copies rather than the memory itself. */
	uint64_t bad_releases;		    /**< Releases of a buffer that was not in use, or a store's; ignored. */
	uint64_t canary_failures;	    /**< Buffers whose margins were found damaged (is_checked). */
	uint64_t ladder[CLPAC_LADDER_ROOM]; /**< Requests that succeeded after each step; 0 from CLPAC_LADDER_COUNT on.
					     */
	clpac_pressure pressure;
	/** Bytes that transfers brought from the host to the device and back: writes, reads, mappings that were copies,
	 * promotions.  A failed transfer counts too.  Transfers of buffers on the host are none. */
	uint64_t bytes_to_device, bytes_from_device;
} clpac_pool_statistics;

/** Reads all numbers at one moment.
 * @param[out] out filled up to size bytes.
 * @param size sizeof(clpac_pool_statistics), as the caller's header has it.
 */
void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *out, size_t size);
/** Restarts the peaks from the present values. */
void clpac_pool_reset_peaks(clpac_pool *pool);

/** What a pool is doing, in one call: a few lines of text for people, of memory, requests, and what helped when there
 * was none.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_pool_summary(clpac_pool *pool, char **text, clpac_error *err);

/** The numbers as text for people, several lines.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_pool_statistics_text(const clpac_pool_statistics *statistics, char **text, clpac_error *err);
/** The numbers as one JSON object on one line: the members under their names in their order, pressure as its text,
 * budget_bytes null when there is no limit.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_pool_statistics_json(const clpac_pool_statistics *statistics, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
