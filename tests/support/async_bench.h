/* A worker of clpac/memory/async.h over a simulated device, with a gate that holds it inside a prepare function for as
 * long as a test likes: no test depends on time. */
#ifndef CLPAC_TESTS_ASYNC_BENCH_H
#define CLPAC_TESTS_ASYNC_BENCH_H

#include <clpac/memory/async.h>
#include <pthread.h>
#include "pool_truth.h"

enum { ASYNC_BENCH_MEMORY = 1 << 20 };

struct async_gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open;
	unsigned n_inside; /* calls that have reached the gate */
};

#define CLOSED_GATE                                                                                                    \
	{                                                                                                              \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0                                          \
	}

/* A prepare function: user is the gate. */
clpac_prepare_function stand_at_gate;
void await_one_inside(struct async_gate *gate);
void open_async_gate(struct async_gate *gate);

/* A prepare function: user is an atomic_uint that counts the calls. */
clpac_prepare_function count_preparation;

struct async_bench {
	simulated_device device;
	clpac_pool *pool;
	clpac_async *async; /* NULL once the test has destroyed it */
	clpac_error err;
};

/* One bench exists at a time. */
struct async_bench *open_async_bench(size_t max_pending);
/* Fails the test unless all memory and every ticket is gone. */
void close_async_bench(struct async_bench *bench);
void check_nothing_in_use(clpac_pool *pool);

/* Submits a ticket of one buffer; takes its buffer and releases both.  Both calls must succeed. */
clpac_ticket *request_async(struct async_bench *bench, size_t bytes, clpac_prepare_function *prepare, void *user);
void take_and_release_async(struct async_bench *bench, clpac_ticket *ticket);

#endif
