/** @file memory/pool.h
 * Device memory: a pool that keeps released buffers for later requests, stays within a budget, and counts what it does.
 *
 * A request is rounded up to a size class, so that buffers of nearly the same size can replace each other.  Small and
 * medium buffers are parts of larger segments; large ones have memory of their own.  A released buffer stays on the
 * device as a cached block of its class, and the next request of the class takes it without a driver call.  Everything
 * the pool holds on the device, in use and cached, stays within its budget.  Before a request is refused, a ladder of
 * steps makes room (clpac_ladder_step of clpac/memory/pressure.h).
 *
 * Threads: every function may be called from any thread.  Threads may share a pool; each finds the buffers that it
 * released last without waiting for the others.  A request served from the cache never waits for another thread's
 * driver call, and no driver call and no callback is made under a lock that such a request needs.  The content of a
 * buffer is the caller's to guard: two threads' transfers happen in some order.  The plans of a context, and further
 * pools on it, may be used by other threads at the same time.
 *
 * See also: clpac/memory/buffer.h, clpac/memory/queue.h, clpac/memory/limit.h (a budget of several pools),
 * clpac/memory/pressure.h (a pool that gets full), clpac/memory/statistics.h, clpac/memory/store.h (buffers by name),
 * clpac/memory/trace.h (who holds what, and a record of requests), clpac/memory/async.h (buffers allocated and prepared
 * by a worker thread), clpac/memory/estimate.h (how much memory a job will take), clpac/memory/offsets.h (the allocator
 * of offsets inside segments), clpac/memory/opencl.h (a pool on an application's own OpenCL objects).
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_POOL_H
#define CLPAC_MEMORY_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/handles.h>
#include <clpac/memory/limit.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

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
						  budget is taken.  From 0.8 on half as many are kept; parts of
						  segments 128 times as many always.
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
	/** Coalescing: cached parts of segments go back into them, the oldest first, before a new segment is made,
	 * while they are more than this part of all segments' bytes, up to 1, and the pool would hold more than an
	 * eighth of its budget; 0 is 0.2.  Less keeps a pool smaller and makes more requests be cut anew. */
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
 * merge_fraction, which all become what the options say, 0 again meaning the default.  The budget may be lowered, for
 * which cached memory goes back, and raised: by budget.bytes as far as the device and the other limits have room, by 0
 * to what it was when the pool was made.  Segments that exist stay.  All other members are 0 or as when the pool was
 * made. Errors: CLPAC_ERROR_ARGUMENT names the member; CLPAC_ERROR_NO_DEVICE_MEMORY when the buffers in use take more
 * than the budget, or it cannot be raised so far.  The settings are then as before.
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

#ifdef __cplusplus
}
#endif
#endif
