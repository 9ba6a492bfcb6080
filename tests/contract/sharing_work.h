/* Threads at work on one context: each makes plans for a few problems at random, runs them, holds some, destroys them,
 * and uses the pool besides.  They record what happened; it is judged when all have ended. */
#ifndef CLPAC_TESTS_SHARING_WORK_H
#define CLPAC_TESTS_SHARING_WORK_H

#include <clpac/plan.h>

/* As in property/plan_laws.c: every engine takes 1024, and needs no greater length. */
enum { RATE = 250, N_CHANNELS = 3, N_SAMPLES = 682 };
enum { N_PROBLEMS = 4, N_THREADS = 4, N_OUTCOMES = 64 };

/* Samples of all plans: (N_CHANNELS, N_SAMPLES), and some more.  Filled by sharing_begin. */
extern float sharing_samples[N_CHANNELS * N_SAMPLES];
void sharing_begin(void);

/* Problem number i, each of another kind. */
clpac_problem sharing_problem(size_t i);

/* Results of one thread alone, in a context that nothing else uses. */
typedef struct references {
	clpac_result *of[N_PROBLEMS];
} references;
void make_references(clpac_context *context, references *out);
void drop_references(references *made);

/* Outcome of one call. */
typedef struct outcome {
	size_t problem;
	clpac_status st;
	clpac_error err;
	clpac_result *result;
} outcome;

typedef struct worker {
	clpac_context *context;
	unsigned long long state;		    /* of its random numbers */
	void (*before)(struct worker *, int round); /* nullable */
	clpac_plan_options options;		    /* for its plans, except for random members */
	outcome outcomes[N_OUTCOMES];
	size_t n_outcomes;
	unsigned n_mixed_up; /* own buffers that lost their content */
} worker;

/* N_THREADS workers; the caller frees them. */
worker *make_workers(clpac_context *context);
/* A thread's function: works as the given worker. */
void *work(void *one);
/* Starts all workers at once, and waits for them. */
void run_workers(worker *workers);

/* Compares every result of a worker with the reference and destroys it; `allowed` are the statuses, as bits, that its
 * calls may have ended with instead.  Returns the number of those. */
#define ALLOW(status) (1u << (status))
size_t judge(worker *one, const references *alone, unsigned allowed, const char *label);

/* Asserts that nobody holds a buffer of the context's pool any more. */
void check_nothing_is_held(clpac_context *context);

#endif
