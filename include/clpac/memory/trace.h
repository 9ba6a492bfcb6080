/** @file memory/trace.h
 * Holders of a pool's memory, and a record of its requests: lists of live buffers with age and place in the source,
 * faults of the pool's users, scopes, and traces that can be written, read, replayed and turned into advice.
 *
 * All of it is off by default and then costs a pool one predictable branch per allocation and release.
 *
 * Threads: every function may be called from any thread at any time during the pool's life, except that the thread that
 * began a scope must end it.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_TRACE_H
#define CLPAC_MEMORY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/statistics.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Live buffers ----------------------------------------------------------------------------- */

enum { CLPAC_LISTED_TAG_SIZE = 32 /**< Bytes of a listed tag, including the terminating NUL; longer tags are cut. */ };

/** The place in the source, for the members file and line of clpac_request: `{.bytes = 1024, CLPAC_HERE}`. */
#define CLPAC_HERE .file = __FILE__, .line = __LINE__

/** A buffer that was alive while the list was made. */
typedef struct clpac_live_buffer {
	uint64_t id;		     /**< As clpac_buffer_id; unique in the pool. */
	uint64_t bytes, class_bytes; /**< Requested, and taken. */
	uint64_t n_elements;	     /**< 0: not given in the request. */
	bool is_on_device;	     /**< False: on the host. */
	/** The thread that allocated it: threads are numbered in the order of their first allocation. */
	uint32_t thread;
	double age_s;			 /**< Seconds since the allocation, to within 10 ms. */
	char tag[CLPAC_LISTED_TAG_SIZE]; /**< A copy; "" if there was none. */
	const char *file;		 /**< As given in the request; NULL: unknown. */
	int line;
} clpac_live_buffer;

/** Live buffers, the oldest first. */
typedef struct clpac_live_list {
	size_t n;
	/** Freed with clpac_live_list_free; the file names belong to the application. */
	clpac_live_buffer *buffers;
	uint64_t bytes, class_bytes; /**< Sums over the list. */
	uint64_t n_missed;	     /**< Allocations without a record, for lack of host memory. */
} clpac_live_list;

/** Lists the buffers that have been alive for at least older_than_s seconds; with an age beyond any legitimate use,
 * these are the leaks.  A buffer that is alive during the whole call is listed once.  Allocations do not wait for the
 * call; a release during the call does.
 * @param pool made with clpac_pool_options.checks.is_tracked.
 * @param older_than_s 0: all.
 * @param[out] out the list; the caller frees it.
 * Errors: CLPAC_ERROR_ARGUMENT (not tracked, an age below 0 or NaN), CLPAC_ERROR_NO_MEMORY.
 * Cost: tens of nanoseconds per buffer.
 */
clpac_status clpac_pool_list(clpac_pool *pool, double older_than_s, clpac_live_list *out, clpac_error *err);
/** Frees the list's buffers and empties it.  NULL is fine. */
void clpac_live_list_free(clpac_live_list *list);

/** The list as text for people: a line with the sums, then one per buffer.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_live_list_text(const clpac_live_list *list, char **text, clpac_error *err);
/** The list as one JSON object on one line: {"n", "bytes", "class_bytes", "n_missed", "buffers": [{"id", "bytes",
 * "class_bytes", "n_elements" (null: not given), "location" ("device" or "host"), "thread", "age_s", "tag", "file"
 * (null: unknown), "line"}]}.
 */
clpac_status clpac_live_list_json(const clpac_live_list *list, char **text, clpac_error *err);

/* --- Faults of the users ---------------------------------------------------------------------- */

/** Returns the misuse of a pool's buffers since the last call of this function: damaged margins
 * (clpac_pool_options.checks.is_checked) and releases of buffers that were not in use.  The statistics count both.
 * @param[out] n number of faults; NULL is fine.
 * @return CLPAC_OK when there were none, otherwise CLPAC_ERROR_ARGUMENT with the text of the first: which buffer, its
 *   tag, what happened, where.
 */
clpac_status clpac_pool_take_faults(clpac_pool *pool, uint64_t *n, clpac_error *err);

/** clpac_buffer_release for debugging: reports errors.
 * @param buffer any pointer; it is not dereferenced before it is found among the pool's buffers.  NULL is fine.
 * Errors: CLPAC_ERROR_ARGUMENT when it is no buffer of the pool, when it was released before (detected with certainty
 * only in a checked pool), and when bytes beside it were overwritten (checked pool; the buffer is released all the
 * same).
 * Cost: proportional to the number of the pool's buffers.
 */
clpac_status clpac_pool_release(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* --- Scopes ----------------------------------------------------------------------------------- */

/** Effect of a scope's end on buffers that were allocated in it and are still alive. */
typedef enum clpac_scope_kind {
	CLPAC_SCOPE_MEASURE = 0, /**< They stay and belong to the next outer scope. */
	CLPAC_SCOPE_RELEASE,	 /**< They are released, but for those that a store owns. */
	CLPAC_SCOPE_KINDS
} clpac_scope_kind;

/** A stretch of one thread's work on a pool.  Opaque. */
typedef struct clpac_scope clpac_scope;

/** Numbers of a scope.  Bytes are those of size classes.  The members up to n_released_at_end count the buffers of the
 * scope: those that its thread allocated from its pool while it was open, including those in inner scopes, whichever
 * thread released them.  The other members are changes of the whole pool's numbers, to which other threads contribute.
 */
typedef struct clpac_scope_report {
	/** Buffers allocated, and buffers released before the end of the scope. */
	uint64_t n_allocated, n_released;
	uint64_t bytes_allocated;
	uint64_t bytes_left;	    /**< Bytes still alive at the end (before the scope released them). */
	uint64_t peak_bytes;	    /**< Most bytes alive at once. */
	uint64_t n_refused;	    /**< Requests of the thread that failed for lack of memory. */
	uint64_t n_released_at_end; /**< CLPAC_SCOPE_RELEASE only. */
	uint64_t hits, misses, driver_calls;
	double fragmentation_before, fragmentation_after;
	uint64_t pool_bytes_before, pool_bytes_after; /**< allocated_bytes of the pool's statistics. */
	double seconds;
} clpac_scope_report;

/** Begins a scope of the calling thread on a pool, inside the scopes that the thread began before.
 * @param name for errors, copied up to 31 bytes; NULL is "".
 * @param[out] out the scope; ended by clpac_scope_end, in the same thread; the pool stays until then.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_scope_begin(clpac_pool *pool, clpac_scope_kind kind, const char *name, clpac_scope **out,
			       clpac_error *err);

/** Ends the thread's innermost scope on the pool.
 * @param[out] report NULL is fine.
 * Errors: CLPAC_ERROR_ARGUMENT when the scope is not the innermost one or belongs to another thread; it stays open
 * then.
 */
clpac_status clpac_scope_end(clpac_scope *scope, clpac_scope_report *report, clpac_error *err);

/** Moves a buffer that outlives its scope into the next outer scope on the same pool.  From the outermost scope it
 * moves into none.  A buffer in no scope stays in none; NULL is fine.
 */
void clpac_scope_keep(clpac_buffer *buffer);

/* --- Traces ----------------------------------------------------------------------------------- */

/** Writes every allocation and release of a pool into a file, until clpac_trace_end.
 *
 * The file is CSV (RFC 4180) with a header line that names the columns.  Later versions may add columns at the end.
 *
 * | column      | unit, values                                                                                     |
 * |-------------|--------------------------------------------------------------------------------------------------|
 * | time_ns     | nanoseconds since the beginning of the trace, never decreasing                                   |
 * | thread      | number of the thread, as in clpac_live_buffer                                                    |
 * | operation   | "allocate", "release"                                                                            |
 * | id          | the buffer's id; 0 for a refused request                                                         |
 * | bytes       | requested                                                                                        |
 * | class_bytes | taken, or what would have been taken; 0 when there is no such class                              |
 * | queue       | 0: the pool's own; otherwise the number of the queue                                             |
 * | tag         | as given, up to 47 bytes                                                                         |
 * | outcome     | "hit" (from the cache), "miss" (new memory), "host" (placed there), "refused"; "" for a release  |
 *
 * The order of lines is a possible order of events: a buffer's release comes after its allocation, and before the
 * allocation that got the same memory next.
 *
 * A writer thread writes the file.  A traced call copies 96 bytes under a short lock, tens of nanoseconds, and does not
 * wait for the disk until 64 MiB are waiting to be written.  Then it waits 0.1 s at most; after that, events are lost
 * until the disk catches up. clpac_trace_end reports how many were lost.
 * @param path an existing file is overwritten.
 * Errors: CLPAC_ERROR_ARGUMENT (a trace is on already), CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_trace_begin(clpac_pool *pool, const char *path, clpac_error *err);

/** Ends the trace, waits until everything is written and closes the file.  Destroying the pool also ends a trace,
 * without reporting errors.
 * Errors: CLPAC_ERROR_ARGUMENT (no trace is on), CLPAC_ERROR_IO (with the system's code, for example a full disk; or
 * events were lost).  The trace is over in any case.
 */
clpac_status clpac_trace_end(clpac_pool *pool, clpac_error *err);

typedef enum clpac_trace_operation {
	CLPAC_TRACE_ALLOCATE = 0,
	CLPAC_TRACE_RELEASE,
	CLPAC_TRACE_OPERATIONS
} clpac_trace_operation;
typedef enum clpac_trace_outcome {
	CLPAC_TRACE_NONE = 0, /**< For a release. */
	CLPAC_TRACE_HIT,
	CLPAC_TRACE_MISS,
	CLPAC_TRACE_HOST,
	CLPAC_TRACE_REFUSED,
	CLPAC_TRACE_OUTCOMES
} clpac_trace_outcome;

/** A line of a trace. */
typedef struct clpac_trace_event {
	uint64_t time_ns;
	uint32_t thread, queue;
	clpac_trace_operation operation;
	clpac_trace_outcome outcome;
	uint64_t id, bytes, class_bytes;
	const char *tag; /**< Points into the trace's tags; never NULL. */
	/** Assigned when the trace is read, for quick replays: an allocation and its release have the same slot, and
	 * buffers alive at once have different ones, all below clpac_trace.n_slots.  A refused request has a slot of
	 * its own.  SIZE_MAX: the release of a buffer older than the trace.
	 */
	size_t slot;
} clpac_trace_event;

/** A trace that was read from a file or made by hand. */
typedef struct clpac_trace {
	size_t n, n_slots;
	clpac_trace_event *events;
	char *tags; /**< Storage of the tags. */
} clpac_trace;

/** Reads a trace file, also one written by another program.  Columns are found by their names; time_ns, thread,
 * class_bytes, queue, tag and outcome may be missing (0, "", "miss").
 * @param[out] out the trace; the caller frees it with clpac_trace_free.
 * Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT (the text has the line), CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_trace_read(const char *path, clpac_trace *out, clpac_error *err);
/** Frees what clpac_trace_read allocated and empties the trace.  NULL is fine. */
void clpac_trace_free(clpac_trace *trace);

/** An allocator for replaying a trace. */
typedef struct clpac_replay_target {
	void *user;
	/** Returns memory, or NULL when there is none. */
	void *(*allocate)(void *user, size_t bytes);
	/** Takes back memory that allocate returned. */
	void (*release)(void *user, void *memory);
} clpac_replay_target;

/** Numbers of a replay.  Bytes are as requested. */
typedef struct clpac_replay_report {
	uint64_t n_allocated,
		/** Calls that succeeded; n_released includes the releases at the end of the replay. */
		n_released;
	uint64_t n_refused; /**< Requests that got no memory. */
	uint64_t n_left;    /**< Buffers that the trace does not release; released at the end. */
	uint64_t n_unknown; /**< Releases of buffers older than the trace; skipped. */
	uint64_t bytes_allocated, peak_bytes;
	double seconds; /**< Time between the first and the last event. */
} clpac_replay_report;

/** Replays a trace: the same requests and releases in the same order, one after another in the calling thread.  A
 * request that was refused when the trace was made is made again, and released at once if it succeeds now.
 * @param[out] report NULL is fine.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_trace_replay(const clpac_trace *trace, const clpac_replay_target *target,
				clpac_replay_report *report, clpac_error *err);
/** clpac_trace_replay on a pool's own queue.  Lack of device memory is counted; any other failure ends the replay with
 * its error.
 */
clpac_status clpac_trace_replay_on_pool(const clpac_trace *trace, clpac_pool *pool, clpac_replay_report *report,
					clpac_error *err);

/* --- Advice ----------------------------------------------------------------------------------- */

/** Settings under which a job like the recorded one makes no driver call after the warm-up. 0 stands for the default.
 */
typedef struct clpac_advice {
	/** Number of sizes to warm up; 0 when the advice comes from statistics, which do not contain sizes. */
	size_t n;
	/** Arguments of clpac_pool_warm_up, owned by the advice: for each size class its largest request, and how many
	 * blocks of the class were in use at once.
	 */
	size_t *bytes, *counts;
	uint64_t warm_up_bytes;	     /**< Sum of their size classes. */
	unsigned max_kept_per_class; /**< For clpac_pool_options, when nothing is warmed up. */
	/** For clpac_pool_options, 1 MiB to 64 MiB: twice the largest class with several buffers, limited so that four
	 * segments hold everything.
	 */
	uint64_t max_segment_bytes;
	uint64_t budget_bytes; /**< Enough for everything: an eighth more, and two partly filled segments. */
	uint64_t n_allocated;  /**< Allocations in the record. */
	double hit_rate;       /**< Part of them served from the cache; 0 when the record is empty. */
} clpac_advice;

/** Advice from a trace.
 * @param classes_per_octave of the pool that the advice is for; 0 is the default.
 * @param[out] out the advice; the caller frees it with clpac_advice_free.
 * Errors: CLPAC_ERROR_ARGUMENT (classes_per_octave, a size without a class), CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_advice_from_trace(const clpac_trace *trace, unsigned classes_per_octave, clpac_advice *out,
				     clpac_error *err);
/** Advice from a pool's numbers at the end of a job: the number of blocks kept per class grows in proportion to the
 * blocks that had to be made again.
 */
void clpac_advice_from_statistics(const clpac_pool_statistics *statistics, clpac_advice *out);
/** Frees the members of the advice and empties it.  NULL is fine. */
void clpac_advice_free(clpac_advice *advice);
/** The advice as text for people.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_advice_text(const clpac_advice *advice, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
