#include "async_bench.h"

#include <stdatomic.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"

clpac_status stand_at_gate(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers, clpac_error *err)
{
	(void)pool, (void)n, (void)buffers, (void)err;
	struct async_gate *gate = user;
	pthread_mutex_lock(&gate->lock);
	gate->n_inside++;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->is_open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return CLPAC_OK;
}

void await_one_inside(struct async_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	while (!gate->n_inside)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

void open_async_gate(struct async_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->is_open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

clpac_status count_preparation(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers, clpac_error *err)
{
	(void)pool, (void)n, (void)buffers, (void)err;
	atomic_fetch_add((atomic_uint *)user, 1);
	return CLPAC_OK;
}

struct async_bench *open_async_bench(size_t max_pending)
{
	static struct async_bench bench;
	bench = (struct async_bench){.async = NULL};
	bench.pool = open_pool(&bench.device, ASYNC_BENCH_MEMORY, NULL);
	assert_works(clpac_async_create(bench.pool, max_pending, &bench.async, &bench.err), bench.err);
	return &bench;
}

void check_nothing_in_use(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.in_use_bytes, 0);
}

/* The worker may have been destroyed already. */
void close_async_bench(struct async_bench *bench)
{
	clpac_async_destroy(bench->async);
	check_nothing_in_use(bench->pool);
	check_truth(bench->pool, &bench->device);
	clpac_pool_destroy(bench->pool);
	check_nothing_left(&bench->device);
}

clpac_ticket *request_async(struct async_bench *bench, size_t bytes, clpac_prepare_function *prepare, void *user)
{
	clpac_ticket *ticket = NULL;
	clpac_request one = {.bytes = bytes, .tag = "async"};
	assert_works(clpac_async_request(bench->async, 1, &one, prepare, user, &ticket, &bench->err), bench->err);
	return ticket;
}

void take_and_release_async(struct async_bench *bench, clpac_ticket *ticket)
{
	clpac_buffer *buffer = NULL;
	assert_works(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err);
	ck_assert_ptr_nonnull(buffer);
	clpac_buffer_release(buffer);
	clpac_ticket_release(ticket);
}
