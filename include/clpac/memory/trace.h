/** @file memory/trace.h
 *  Who holds a pool's memory and what was asked of it: a list of live buffers with their ages and places in the source,
 * faults of their users, scopes, and traces that can be written, read, replayed and turned into advice.
 *
 *  All of it is off until asked for, and then costs a pool nothing but one predictable branch per allocation and
 * release.
 *
 *  Threads: every function may be called from any thread at any time during the pool's life, except that a scope is
 * ended by the thread that began it.
 */
#ifndef CLPAC_MEMORY_TRACE_H
#define CLPAC_MEMORY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/pool.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Live buffers ----------------------------------------------------------------------------- */

enum { CLPAC_LISTED_TAG_SIZE = 32 /**< Bytes of a listed tag, the ending NUL included; longer ones are cut. */ };

/** The place in the source, for the members file and line of clpac_request: `{.bytes = 1024, CLPAC_HERE}`. */
#define CLPAC_HERE .file = __FILE__, .line = __LINE__

/** A buffer that was alive while the list was made. */
typedef struct clpac_live_buffer {
	uint64_t id;		     /**< As clpac_buffer_id tells it; no other buffer of the pool has it. */
	uint64_t bytes, class_bytes; /**< Asked for, and taken. */
	uint64_t n_elements;	     /**< 0: the request did not say. */
	bool is_on_device;	     /**< False: on the host. */
	uint32_t thread; /**< That allocated it: threads are numbered in the order in which they first did. */
	double age_s;	 /**< Since it was allocated, to within 10 ms. */
	char tag[CLPAC_LISTED_TAG_SIZE]; /**< A copy; "" where there was none. */
	const char *file;		 /**< As the request said it; NULL: unknown. */
	int line;
} clpac_live_buffer;

/** Live buffers, the oldest first. */
typedef struct clpac_live_list {
	size_t n;
	clpac_live_buffer *buffers;  /**< Freed with clpac_live_list_free; the names of files are the application's. */
	uint64_t bytes, class_bytes; /**< Their sums. */
	uint64_t n_missed;	     /**< Allocations that left no record, for lack of host memory. */
} clpac_live_list;

/** Lists the buffers that have been alive for at least so long: with an age beyond any honest use, the leaks.
 *  A buffer that is alive during the whole call is listed once.  No allocation waits for the call; a release that falls
 * into it does.
 *  @param pool made with clpac_pool_options.checks.is_tracked.
 *  @param older_than_s 0: all.
 *  @param[out] out the caller's to free.
 *  Errors: CLPAC_ERROR_ARGUMENT (not tracked, an age that is no number), CLPAC_ERROR_NO_MEMORY.
 *  Cost: tens of nanoseconds per buffer. */
clpac_status clpac_pool_list(clpac_pool *pool, double older_than_s, clpac_live_list *out, clpac_error *err);
/** Frees the list's buffers and empties it.  NULL is fine. */
void clpac_live_list_free(clpac_live_list *list);

/** The list as text for people: a line with the sums, then one per buffer.  @param[out] text freed with
 * clpac_text_free. Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_live_list_text(const clpac_live_list *list, char **text, clpac_error *err);
/** The same as one JSON object on one line: {"n", "bytes", "class_bytes", "n_missed", "buffers": [{"id", "bytes",
 *  "class_bytes", "n_elements" (null: not said), "location" ("device" or "host"), "thread", "age_s", "tag", "file"
 * (null: unknown), "line"}]}. */
clpac_status clpac_live_list_json(const clpac_live_list *list, char **text, clpac_error *err);

/* --- Faults of the users ---------------------------------------------------------------------- */

/** What was done wrong with a pool's buffers since the last call of this function: damaged margins
 * (clpac_pool_options.checks.is_checked) and releases of what was not in use.  They are also counted in the statistics.
 *  @param[out] n how many; NULL is fine.
 *  @return CLPAC_OK when there were none, else CLPAC_ERROR_ARGUMENT with the text of the first: which buffer, its tag,
 * what, where. */
clpac_status clpac_pool_take_faults(clpac_pool *pool, uint64_t *n, clpac_error *err);

/** clpac_buffer_release for a debugging application: says what is wrong with it.
 *  @param buffer any pointer; it is not looked into before it is found among the pool's.  NULL is fine.
 *  Errors: CLPAC_ERROR_ARGUMENT when it is no buffer of the pool, when it was released before (which the pool can tell
 * for certain with is_checked), and when bytes beside it were overwritten (is_checked; it is released all the same).
 *  Cost: proportional to the number of the pool's buffers. */
clpac_status clpac_pool_release(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* --- Scopes ----------------------------------------------------------------------------------- */

/** What happens at the end of a scope to the buffers that were allocated in it and are still alive. */
typedef enum clpac_scope_kind {
	CLPAC_SCOPE_MEASURE = 0, /**< They stay, and belong to the next outer scope. */
	CLPAC_SCOPE_RELEASE,	 /**< They are released. */
	CLPAC_SCOPE_KINDS
} clpac_scope_kind;

/** A stretch of a thread's work on a pool.  Opaque. */
typedef struct clpac_scope clpac_scope;

/** What happened in a scope.  Bytes are those of size classes.  The members up to n_released_at_end count the buffers
 * of the scope: those that its thread allocated from its pool while it was open, in inner scopes too, whoever released
 * them. The rest are changes of the whole pool's numbers, also by other threads. */
typedef struct clpac_scope_report {
	uint64_t n_allocated, n_released; /**< Buffers; those that the end released are not among the second. */
	uint64_t bytes_allocated;
	uint64_t bytes_left;	    /**< Of those, still alive at the end (before it released them). */
	uint64_t peak_bytes;	    /**< Most that were alive at once. */
	uint64_t n_refused;	    /**< Requests of the thread that failed for lack of memory. */
	uint64_t n_released_at_end; /**< CLPAC_SCOPE_RELEASE only. */
	uint64_t hits, misses, driver_calls;
	double fragmentation_before, fragmentation_after;
	uint64_t pool_bytes_before, pool_bytes_after; /**< allocated_bytes of the pool's statistics. */
	double seconds;
} clpac_scope_report;

/** Begins a scope of the calling thread on a pool, inside those that it began before.
 *  @param name for errors, copied up to 31 bytes; NULL is "".
 *  @param[out] out ended by clpac_scope_end, in the same thread, before the pool is destroyed.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_scope_begin(clpac_pool *pool, clpac_scope_kind kind, const char *name, clpac_scope **out,
			       clpac_error *err);

/** Ends the thread's innermost scope on the pool.
 *  @param[out] report NULL is fine.
 *  Errors: CLPAC_ERROR_ARGUMENT when it is not the innermost one or not of this thread; it stays open then. */
clpac_status clpac_scope_end(clpac_scope *scope, clpac_scope_report *report, clpac_error *err);

/** Moves a buffer out of the scope that it belongs to into the next outer one on the same pool; out of the outermost,
 * it is nobody's but the caller's.  For a buffer that outlives the scope it was made in.  What belongs to no scope
 * stays so; NULL is fine. */
void clpac_scope_keep(clpac_buffer *buffer);

/* --- Traces ----------------------------------------------------------------------------------- */

/** Writes every allocation and release of a pool into a file, until clpac_trace_end.
 *
 *  The file is CSV (RFC 4180) with a head line that names the columns; further columns may be added behind them in
 * later versions:
 *
 *  | column      | unit, values                                                                                     |
 *  |-------------|--------------------------------------------------------------------------------------------------|
 *  | time_ns     | nanoseconds since the beginning of the trace, never falling                                      |
 *  | thread      | number of the thread, as in clpac_live_buffer                                                    |
 *  | operation   | "allocate", "release"                                                                            |
 *  | id          | the buffer's id; 0 for a refused request                                                         |
 *  | bytes       | asked for                                                                                        |
 *  | class_bytes | taken, or what would have been taken; 0 where there is no such class                             |
 *  | queue       | 0: the pool's own; else the number of the queue                                                  |
 *  | tag         | as given, up to 47 bytes                                                                         |
 *  | outcome     | "hit" (from the cache), "miss" (new memory), "host" (placed there), "refused"; "" of a release   |
 *
 *  The order of lines is one in which everything can have happened: a buffer's release stands behind its allocation,
 * and before the allocation that got the same memory next.
 *
 *  A thread of its own writes the file.  A call that is traced hands over 96 bytes under a short lock, tens of
 * nanoseconds, and does not wait for the disk before 64 MiB are waiting to be written; then 0.1 s at most, after which
 * events are lost until the disk goes on.  The end says how many were.
 *  @param path an existing file is overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (a trace is on already), CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_trace_begin(clpac_pool *pool, const char *path, clpac_error *err);

/** Ends the trace, waits until all is written and closes the file.  A pool that is destroyed does the same without a
 * word. Errors: CLPAC_ERROR_ARGUMENT (no trace is on), CLPAC_ERROR_IO (with the system's code: a full disk shows here;
 * or events were lost).  The trace is over all the same. */
clpac_status clpac_trace_end(clpac_pool *pool, clpac_error *err);

typedef enum clpac_trace_operation {
	CLPAC_TRACE_ALLOCATE = 0,
	CLPAC_TRACE_RELEASE,
	CLPAC_TRACE_OPERATIONS
} clpac_trace_operation;
typedef enum clpac_trace_outcome {
	CLPAC_TRACE_NONE = 0, /**< Of a release. */
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
	const char *tag; /**< The trace's; never NULL. */
	size_t slot;	 /**< Made when read, for quick replays: an allocation and its release have the same slot, and
			    buffers that are alive at once have different ones, all below clpac_trace.n_slots.  Refused
			    requests have one of their own.  SIZE_MAX: the release of a buffer older than the trace. */
} clpac_trace_event;

/** A trace that was read, or made by hand. */
typedef struct clpac_trace {
	size_t n, n_slots;
	clpac_trace_event *events;
	char *tags; /**< Where the tags lie. */
} clpac_trace;

/** Reads a trace file, also one written by other programs: columns are found by their names, and time_ns, thread,
 * class_bytes, queue, tag and outcome may be missing (0, ""; "miss").
 *  @param[out] out freed with clpac_trace_free.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT (the text has the line), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_trace_read(const char *path, clpac_trace *out, clpac_error *err);
/** Frees what clpac_trace_read made and empties it.  NULL is fine. */
void clpac_trace_free(clpac_trace *trace);

/** An allocator that a trace is replayed on. */
typedef struct clpac_replay_target {
	void *user;
	/** @return the memory, or NULL when there is none. */
	void *(*allocate)(void *user, size_t bytes);
	/** Takes back what allocate gave. */
	void (*release)(void *user, void *memory);
} clpac_replay_target;

/** What a replay did.  Bytes are those asked for. */
typedef struct clpac_replay_report {
	uint64_t n_allocated,
		n_released; /**< Calls that succeeded; those that ended the replay are among the second. */
	uint64_t n_refused; /**< Requests without memory. */
	uint64_t n_left;    /**< Buffers that the trace does not release; released at the end. */
	uint64_t n_unknown; /**< Releases of buffers older than the trace; left out. */
	uint64_t bytes_allocated, peak_bytes;
	double seconds; /**< Spent between the first and the last event. */
} clpac_replay_report;

/** Replays a trace: the same requests and releases in the same order, one after another in the calling thread.  A
 * request that was refused when the trace was made is asked for again, and released at once where it succeeds now.
 *  @param[out] report NULL is fine.  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_trace_replay(const clpac_trace *trace, const clpac_replay_target *target,
				clpac_replay_report *report, clpac_error *err);
/** The same on a pool's own queue.  Lack of device memory is counted; any other failure ends the replay with its error.
 */
clpac_status clpac_trace_replay_on_pool(const clpac_trace *trace, clpac_pool *pool, clpac_replay_report *report,
					clpac_error *err);

/* --- Advice ----------------------------------------------------------------------------------- */

/** Settings under which a job like the one seen makes no driver call after the warm-up.  Of those that are 0 the
 * default does. */
typedef struct clpac_advice {
	size_t n;		/**< Sizes to warm up; 0 when only statistics were at hand, which do not tell sizes. */
	size_t *bytes, *counts; /**< For clpac_pool_warm_up: of each size class its largest request, and how many of the
				   class were alive at once.  The advice's. */
	uint64_t warm_up_bytes; /**< Of their size classes. */
	unsigned max_kept_per_class; /**< For clpac_pool_options, where nothing is warmed up. */
	uint64_t max_segment_bytes; /**< The same: twice the largest class of which there were several, but so that four
				       of them hold everything; 1 MiB to 64 MiB. */
	uint64_t budget_bytes;	    /**< Enough for all of it: an eighth more, and two segments that are not full. */
	uint64_t n_allocated;	    /**< Allocations that were seen. */
	double hit_rate;	    /**< Part of them that came from the cache; 0 where nothing was seen. */
} clpac_advice;

/** Advice from a trace.
 *  @param classes_per_octave of the pool that the advice is for; 0 is the default.
 *  @param[out] out freed with clpac_advice_free.
 *  Errors: CLPAC_ERROR_ARGUMENT (classes_per_octave, a size without a class), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_advice_from_trace(const clpac_trace *trace, unsigned classes_per_octave, clpac_advice *out,
				     clpac_error *err);
/** Advice from a pool's numbers at the end of a job: a class keeps as many times more blocks as blocks were made again.
 */
void clpac_advice_from_statistics(const clpac_pool_statistics *statistics, clpac_advice *out);
/** Frees what the advice holds and empties it.  NULL is fine. */
void clpac_advice_free(clpac_advice *advice);
/** The advice as text for people.  @param[out] text freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_advice_text(const clpac_advice *advice, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
