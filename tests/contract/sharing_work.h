/* Threads at work on one context: each makes plans for a few problems at random, runs them, holds some and destroys
 * them, and uses the pool besides.  What they do is noted, and judged when all have ended. */
#ifndef CLPAC_TESTS_SHARING_WORK_H
#define CLPAC_TESTS_SHARING_WORK_H

#include <clpac/plan.h>

/* As in property/plan_laws.c: every engine likes 1024, and needs no length more. */
enum { RATE = 250, N_CHANNELS = 3, N_SAMPLES = 682 };
enum { N_PROBLEMS = 4, N_THREADS = 4, N_OUTCOMES = 64 };

/* What all plans are run on, and more: (N_CHANNELS, N_SAMPLES).  sharing_begin fills it. */
extern float sharing_samples[N_CHANNELS * N_SAMPLES];
void sharing_begin(void);

/* Number i of the problems, each of another kind. */
clpac_problem sharing_problem(size_t i);

/* What one thread alone gets for each, in a context where nothing else happens. */
typedef struct references {
	clpac_result *of[N_PROBLEMS];
} references;
void make_references(clpac_context *context, references *out);
void drop_references(references *made);

/* How one call ended. */
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
	clpac_plan_options options;		    /* of its plans, but for what is random */
	outcome outcomes[N_OUTCOMES];
	size_t n_outcomes;
	unsigned n_mixed_up; /* buffers of its own that did not hold what was written into them */
} worker;

/* N_THREADS of them, the caller's to free. */
worker *make_workers(clpac_context *context);
/* A thread's function: works as the worker given. */
void *work(void *one);
/* Lets all work at once, and waits for them. */
void run_workers(worker *workers);

/* Every result of a worker, which are destroyed, is the reference's; `allowed` are the statuses, as bits, that its
 * calls may have ended with instead.  Returns how many did. */
#define ALLOW(status) (1u << (status))
size_t judge(worker *one, const references *alone, unsigned allowed, const char *label);

/* Nobody holds a buffer of the context's pool any more. */
void check_nothing_is_held(clpac_context *context);

#endif
