/* What the scenarios of bench/pool share: where memory comes from without us, allocators over it, traces, and the way
 * two variants are timed against each other. */
#ifndef CLPAC_BENCH_POOL_BENCH_H
#define CLPAC_BENCH_POOL_BENCH_H

#include <clpac/memory/context.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a buffer is used: not at all; until a lazy driver has to have its memory (OpenCL: the device writes its first
 * bytes; native: a byte of every page); every byte. */
typedef enum level { L0, L1, L2, N_LEVELS } level;

typedef struct bench {
	clpac_context *context;
	const clpac_device *device;
	const char *setting; /* of malloc: "default" or "mmap" */
	bool is_quick;	     /* small and few: shows that it works, not how fast */
	double cold_discovery_s;
	/* What is to be measured: NULL is all. */
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
typedef struct source source;
source *source_open(const bench *b, place place);
void source_close(source *s);
void *source_create(source *s, size_t bytes, bool is_resident); /* NULL: there is none */
void source_release(source *s, void *memory, size_t bytes);
void *source_part(source *s, void *whole, size_t offset, size_t bytes);
void source_release_part(source *s, void *part);
void source_fill(source *s, void *memory, size_t bytes); /* put, not awaited */
void source_finish(source *s);

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
	size_t (*charge)(struct allocator *a, size_t bytes); /* what a request takes from the budget */
	void (*measure)(struct allocator *a, usage *out);
	void (*close)(struct allocator *a);
} allocator;

/* "raw": the driver's create and release, on L1 with the first use; "bins16": last in, first out, 16 bins to an octave
 * (4 mantissa bits), cached blocks let go one by one, the largest bins first, when there is no room, as PyOpenCL's pool
 * describes itself; "pow2": the same with one bin to an octave; "best-fit": an address-ordered list of free parts of
 * one large buffer; "malloc", "mmap": the host's.
 * @param bytes the budget of the bins, and the size of best-fit's one buffer; 0: no budget. */
allocator *baseline_open(const bench *b, const char *name, level level, uint64_t bytes);
allocator *ours_open(const bench *b, const clpac_pool_options *options);
clpac_pool *ours_pool(allocator *a);

/* --- Traces (pool_traces.c) --- */

typedef enum step {
	TAKE,
	GIVE,
	FINISH, /* what was filled is awaited */
	MARK	/* from the first to the second the clock runs; without any, all the time */
} step;

typedef struct operation {
	uint32_t step, slot;
	size_t bytes; /* of GIVE too */
} operation;

typedef struct trace {
	size_t n, room, n_slots, n_marks, n_timed; /* n_timed: TAKEs and GIVEs while the clock runs */
	operation *operations;
	void **slots; /* what is held while it is played */
} trace;

/* What happened to the requests of a trace. */
typedef struct audit {
	uint64_t n_taken, n_refused;
	uint64_t n_wrong; /* refused though the request's charge and those of all that was held fitted the budget */
} audit;

void trace_add(trace *t, step step, size_t slot, size_t bytes);
/* Gives back what a trace still holds and makes it ready to be played. */
void trace_end(trace *t);
uint64_t trace_peak(const trace *t); /* most bytes asked for at once */
void trace_free(trace *t);
/* Plays it and returns the seconds while the clock runs. */
double trace_play(const trace *t, allocator *a, level level);
/* The same, with the seconds of each TAKE that is timed; returns how many there are. */
size_t trace_play_timed(const trace *t, allocator *a, level level, double *latencies);
/* The same, looking after each request. */
void trace_audit(const trace *t, allocator *a, level level, uint64_t budget, audit *out);

uint64_t next_random(uint64_t *state);
double next_uniform(uint64_t *state); /* [0, 1) */

trace trace_same_size(size_t bytes, size_t n_rounds, size_t n_held);	   /* S1 */
trace trace_one_by_one(size_t bytes, size_t total_bytes);		   /* S2 */
trace trace_transformer(size_t n_tokens);				   /* S3 */
trace trace_pressure(uint64_t budget, size_t n_operations, uint64_t seed); /* S4 */
trace trace_uniform(size_t n_operations, size_t n_live, uint64_t seed);	   /* S5 */
trace trace_batches(size_t n_operations, size_t n_live, uint64_t seed);	   /* S5 */
trace trace_random(size_t n_live, size_t n_operations, uint64_t seed);	   /* S6 */
trace trace_small(size_t n_operations, size_t n_live, uint64_t seed);	   /* S9: log-uniform 1 KiB-1 MiB */

/* --- Timing and printing (pool_harness.c) --- */

typedef double variant(void *user); /* runs once and returns seconds per operation */

typedef struct line {
	const char *id, *what, *baseline;
	level level;
	double ratio, low, high, control; /* baseline / ours; NAN where there is none */
	double baseline_ns, ours_ns;	  /* per operation */
	double p50, p99, p999, most;	  /* of our single requests, nanoseconds */
	uint64_t driver_calls;		  /* of ours, in what was timed */
	double hit_rate;
	double found, wanted; /* what the target is about, and the target; NAN: none */
	bool is_at_most;      /* found must not exceed it, rather than reach it */
	size_t n_repetitions, n_tries;
	char more[256]; /* further members, each with a comma in front */
} line;

line line_make(const char *id, const char *what, level level, const char *baseline);
void line_print(const bench *b, const line *l);
/* False where the user asked for something else; NULL and N_LEVELS: whatever. */
bool is_wanted(const bench *b, const char *id, const char *what, level level, const char *baseline);

/* Times two variants in turns, A B A B, at least 11 times; fills ratio, low, high, control and the times.  Where the
 * control shows a disturbed machine it begins anew, up to three times, and keeps the quietest. */
void take_turns(const bench *b, variant *baseline, void *baseline_user, variant *ours, void *our_user, line *l);
/* Fills p50, p99, p999 and most from n latencies in seconds, less what reading the clock takes; sorts them. */
void line_latencies(line *l, double *seconds, size_t n);

typedef struct contest {
	const char *id, *what, *baseline;
	level level;
	const trace *trace;
	clpac_pool_options options; /* of our pool; its budget.bytes is the baseline's too */
	uint64_t baseline_bytes;    /* in place of that, for best-fit */
	double wanted;		    /* least ratio; NAN: none */
} contest;

/* Plays the trace on both; *l is filled, not printed.  False: not wanted. */
bool contest_run(const bench *b, const contest *c, line *l);
void contest_print(const bench *b, const contest *c); /* runs and prints it */

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
void scenario_replay(const bench *b, const char *path);

#endif
