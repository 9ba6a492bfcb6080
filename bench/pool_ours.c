/* The pool as one of the allocators. */
#include "bench/pool_bench.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>

#include "memory/backend/backend.h"
#include "memory/pool/pool.h"

typedef struct ours {
	allocator base;
	clpac_pool *pool;
	clpac_queue *queue;
} ours;

static void *ours_take(allocator *a, size_t bytes)
{
	clpac_error err;
	clpac_buffer *buffer;
	const clpac_status st = clpac_pool_allocate(((ours *)a)->pool, bytes, "bench", &buffer, &err);
	if (st == CLPAC_OK)
		return buffer;
	if (st != CLPAC_ERROR_NO_DEVICE_MEMORY)
		end_if(st, &err);
	return NULL;
}

static void ours_give(allocator *a, void *held, size_t bytes)
{
	(void)a, (void)bytes;
	clpac_buffer_release(held);
}

/* Memory that the host reaches is filled as for the baselines; the pool's own fill would use more threads. */
static void ours_fill(allocator *a, void *held, size_t bytes)
{
	clpac_error err;
	clpac_queue *queue = ((ours *)a)->queue;
	void *memory = queue->operations->host_pointer(queue, clpac__buffer_block(held));
	if (memory)
		memset(memory, 0x5a, bytes);
	else
		end_if(clpac_buffer_fill(held, 0, bytes, 0x5a, &err), &err);
}

static void ours_finish(allocator *a)
{
	clpac_error err;
	clpac_queue *queue = ((ours *)a)->queue;
	end_if(queue->operations->finish(queue, &err), &err);
}

static size_t ours_charge(allocator *a, size_t bytes)
{
	return clpac_pool_class(((ours *)a)->pool, bytes);
}

static void ours_measure(allocator *a, usage *out)
{
	clpac_pool_statistics now;
	clpac_pool_measure(((ours *)a)->pool, &now, sizeof now);
	*out = (usage){now.driver_calls, now.hits, now.misses, now.peak_allocated_bytes, now.peak_requested_bytes};
}

static void ours_close(allocator *a)
{
	clpac_pool_destroy(((ours *)a)->pool);
	free(a);
}

allocator *ours_open(const bench *b, const clpac_pool_options *options)
{
	clpac_error err;
	ours *own = get_memory(1, sizeof *own);
	own->base = (allocator){ours_take, ours_give, ours_fill, ours_finish, ours_charge, ours_measure, ours_close};
	end_if(clpac_pool_create(b->context, options, &own->pool, &err), &err);
	own->queue = clpac_pool_queue(own->pool);
	return &own->base;
}

clpac_pool *ours_pool(allocator *a)
{
	return ((ours *)a)->pool;
}
