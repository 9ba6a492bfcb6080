/* The common part of the scenarios of bench/pool: memory without a pool, allocators over it, traces, and the timing of
 * two variants against each other. */
#ifndef CLPAC_BENCH_POOL_BENCH_H
#define CLPAC_BENCH_POOL_BENCH_H

#include <clpac/memory/context.h>
#include <clpac/memory/pool.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much of a buffer is used: nothing; as much as makes a lazy driver allocate (OpenCL: the device writes its first
 * bytes; native: a byte of every page); every byte. */
typedef enum level { L0, L1, L2, N_LEVELS } level;

typedef struct bench {
	clpac_context *context;
	const clpac_device *device;
	const char *setting; /* malloc's setting: "default" or "mmap" */
	bool is_quick;	     /* small and few: shows that it works, not how fast */
	double cold_discovery_s;
	/* Selections; NULL selects all. */
	const char *only, *only_level, *only_baseline, *only_what;
} bench;

void end_if(clpac_status st, const clpac_error *err);
void end(const char *why) __attribute__((noreturn));
void *get_memory(size_t n, size_t each); /* zeroed; ends the program where there is none */
bool is_native(const bench *b);

/* --- Memory without a pool (pool_source.c) --- */

typedef enum place {
	PLACE_DRIVER, /* OpenCL: the device's; native: malloc */
	PLACE_MALLOC,
	PLACE_MMAP
} place;

/* create, release and part may be called by several threads at once. */
struct source;
struct source *source_open(const bench *b, place where);
void source_close(struct source *s);
void *source_create(struct source *s, size_t bytes, bool is_resident); /* NULL: there is none */
void source_release(struct source *s, void *memory, size_t bytes);
void *source_part(struct source *s, void *whole, size_t offset, size_t bytes);
void source_release_part(struct source *s, void *part);
void source_fill(struct source *s, void *memory, size_t bytes); /* enqueued, not waited for */
void source_finish(struct source *s);

/* --- Allocators (pool_baselines.c, pool_ours.c) --- */

typedef struct usage {
	uint64_t driver_calls, hits, misses;
	uint64_t peak_reserved_bytes, peak_requested_bytes; /* ours only */
} usage;

typedef struct allocator {
	void *(*take)(struct allocator *a, size_t bytes); /* NULL: there is no room */
	void (*give)(struct allocator *a, void *held, size_t bytes);
	void (*fill)(struct allocator *a, void *held, size_t bytes);
	void (*finish)(struct allocator *a);
	size_t (*charge)(struct allocator *a, size_t bytes); /* bytes that a request takes from the budget */
	void (*measure)(struct allocator *a, usage *out);
	void (*close)(struct allocator *a);
} allocator;

/* Makes a baseline by name:
 *   "raw"       the driver's create and release, on L1 with the first use
 *   "bins16"    last in, first out; 16 bins to an octave (4 mantissa bits); if there is no room, cached blocks are
 *               released one by one, the largest bins first, as PyOpenCL's pool describes itself
 *   "mutex"     the same behind a mutex, for any thread
 *   "pow2"      bins16 with one bin to an octave
 *   "best-fit"  an address-ordered list of free parts of one large buffer
 *   "malloc", "mmap"  the host's
 *   "nothing"   no allocator; for L0
 *
 * @param bytes the budget of the bins, and the size of best-fit's one buffer; 0: no budget.
 */
allocator *baseline_open(const bench *b, const char *name, level level, uint64_t bytes);
allocator *ours_open(const bench *b, const clpac_pool_options *options);
clpac_pool *ours_pool(allocator *a);

/* --- Traces (pool_traces.c) --- */

typedef enum step {
	TAKE,
	GIVE,
	FINISH, /* waits for the fills */
	MARK	/* the clock runs from the first MARK to the second; without MARKs always */
} step;

typedef struct operation {
	uint32_t step, slot;
	size_t bytes; /* also of GIVE */
} operation;

struct trace {
	size_t n, room, n_slots, n_marks, n_timed; /* n_timed: TAKEs and GIVEs while the clock runs */
	operation *operations;
	void **slots; /* buffers held during playing */
};

/* Outcome of a trace's requests. */
typedef struct audit {
	uint64_t n_taken, n_refused;
	uint64_t n_wrong; /* refused although the request and all held buffers together fitted the budget */
} audit;

void trace_add(struct trace *t, step what, size_t slot, size_t bytes);
/* Releases the buffers that a trace still holds and resets it for playing. */
void trace_end(struct trace *t);
uint64_t trace_peak(const struct trace *t); /* most bytes asked for at once */
void trace_free(struct trace *t);
/* Plays a trace and returns the seconds during which the clock ran. */
double trace_play(const struct trace *t, allocator *a, level level);
/* The same, with the seconds of each timed TAKE; returns their number. */
size_t trace_play_timed(const struct trace *t, allocator *a, level level, double *latencies);
/* The same, with the outcome of each request. */
void trace_audit(const struct trace *t, allocator *a, level level, uint64_t budget, audit *out);

uint64_t next_random(uint64_t *state);
double next_uniform(uint64_t *state); /* [0, 1) */

struct trace trace_same_size(size_t bytes, size_t n_rounds, size_t n_held);	  /* S1 */
struct trace trace_one_by_one(size_t bytes, size_t total_bytes);		  /* S2 */
struct trace trace_transformer(size_t n_tokens);				  /* S3 */
struct trace trace_pressure(uint64_t budget, size_t n_operations, uint64_t seed); /* S4 */
struct trace trace_uniform(size_t n_operations, size_t n_live, uint64_t seed);	  /* S5 */
struct trace trace_batches(size_t n_operations, size_t n_live, uint64_t seed);	  /* S5 */
struct trace trace_random(size_t n_live, size_t n_operations, uint64_t seed);	  /* S6 */
struct trace trace_small(size_t n_operations, size_t n_live, uint64_t seed);	  /* S9: log-uniform 1 KiB-1 MiB */

/* --- Timing and printing (pool_harness.c) --- */

typedef double variant(void *user); /* runs once and returns seconds per operation */

typedef struct line {
	const char *id, *what, *baseline;
	level level;
	double ratio, low, high, control; /* baseline / pool; NAN: not measured */
	double baseline_ns, ours_ns;	  /* per operation, medians */
	double baseline_least_ns, ours_least_ns;
	double p50, p99, p999, most; /* latency of the pool's single requests, nanoseconds */
	uint64_t driver_calls;	     /* the pool's, while the clock ran */
	double hit_rate;
	double found, wanted; /* the measured quantity and its target; NAN: none */
	bool is_at_most;      /* the target is an upper limit */
	size_t n_repetitions, n_tries;
	char more[256]; /* further JSON members, each preceded by a comma */
} line;

line line_make(const char *id, const char *what, level level, const char *baseline);
void line_print(const bench *b, const line *l);
/* Whether the user's options select a line; NULL and N_LEVELS match any. */
bool is_wanted(const bench *b, const char *id, const char *what, level level, const char *baseline);

/* Times two variants in turns, A B A B, at least 11 times; fills ratio, low, high, control and the times.  If the
 * control shows a disturbed machine the measurement is repeated, up to three times, and the quietest one kept. */
void take_turns(const bench *b, variant *baseline, void *baseline_user, variant *ours, void *our_user, line *l);
/* Fills p50, p99, p999 and most from n latencies in seconds, minus the time of reading the clock; sorts the
 * latencies. */
void line_latencies(line *l, double *seconds, size_t n);

typedef struct contest {
	const char *id, *what, *baseline;
	level level;
	const struct trace *trace;
	clpac_pool_options options; /* of the pool; budget.bytes also limits the baseline */
	uint64_t baseline_bytes;    /* the baseline's budget instead, for best-fit */
	double wanted;		    /* least ratio; NAN: none */
} contest;

/* Plays the trace on both allocators; *l is filled, not printed.  False: not selected. */
bool contest_run(const bench *b, const contest *c, line *l);
void contest_print(const bench *b, const contest *c); /* runs a contest and prints its line */

/* --- Scenarios --- */

void scenario_same_size(const bench *b);     /* S1 */
void scenario_large(const bench *b);	     /* S2 */
void scenario_transformer(const bench *b);   /* S3 */
void scenario_pressure(const bench *b);	     /* S4 */
void scenario_variable(const bench *b);	     /* S5 */
void scenario_scaling(const bench *b);	     /* S6 */
void scenario_fragmentation(const bench *b); /* S7 */
void scenario_queues(const bench *b);	     /* S8 */
void scenario_threads(const bench *b);	     /* S9 */
void scenario_offsets(const bench *b);	     /* S10 */
void scenario_warm_up(const bench *b);	     /* S11 */
void scenario_tracked(const bench *b);	     /* S12 */
void scenario_store(const bench *b);	     /* S12 */
void scenario_segments(const bench *b);	     /* S13 */
void scenario_few(const bench *b);	     /* S14 */
void scenario_live(const bench *b);	     /* S15 */
void scenario_replay(const bench *b, const char *path);

#endif
