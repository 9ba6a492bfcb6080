/* The native device: its queues, blocks of host memory, and the threads that run chunks of jobs. */
#ifndef CLPAC_MEMORY_NATIVE_NATIVE_H
#define CLPAC_MEMORY_NATIVE_NATIVE_H

#include <stddef.h>

#include "base/error.h"
#include "memory/backend/backend.h"

/* A thread pool that runs the chunks of jobs.
 *
 * The caller takes part, so a pool of one has no other thread and costs a function call.  Chunks are handed out in
 * order through one counter.  Any thread may run any chunk, so a task may only write data of its own chunk or of its
 * own worker.
 *
 * Jobs started by several threads run side by side: none waits for another, and the pool's threads spread over them.  A
 * task must not start a job on the same pool.
 */

typedef struct clpac__threads clpac__threads;

/* One chunk of a job. worker: 0 (the caller) to count - 1; each worker runs one chunk of the job at a time.  Two
 * simultaneous jobs each have a worker 0. */
typedef void clpac__task(void *context, size_t chunk, unsigned worker);

enum { CLPAC__MAX_THREADS = 1024 };

/* Starts count - 1 threads with all signals blocked. count: 1 to CLPAC__MAX_THREADS, otherwise CLPAC_ERROR_ARGUMENT;
 * CLPAC_ERROR_DEVICE with the system's code when it refuses a thread.
 * Cost: about 20 us per thread. */
clpac_status clpac__threads_create(unsigned count, clpac__threads **out, clpac_error *err);

/* Ends and joins the threads.  NULL is fine. */
void clpac__threads_destroy(clpac__threads *threads);

unsigned clpac__threads_count(const clpac__threads *threads);

/* Runs task(context, chunk, worker) for each chunk below n_chunks and returns when all are done; their writes are then
 * visible to the caller.  Cost of starting a job: less than a microsecond while the threads are still awake from the
 * previous job, some microseconds otherwise; none for a single chunk. */
void clpac__threads_run(clpac__threads *threads, size_t n_chunks, clpac__task *task, void *context);

/* The native queue, and its threads. */

/* A native queue: work is done when the call that puts it returns. */
typedef struct clpac__native_queue {
	clpac__queue base; /* first */
	clpac__threads *threads;
	bool is_sibling; /* the threads belong to the queue that this one was opened from */
} clpac__native_queue;

static inline clpac__threads *clpac__native_threads(clpac__queue *queue)
{
	return ((clpac__native_queue *)queue)->threads;
}

/* Blocks of the native device: host memory, and the operations on it, as in memory/backend/backend.h. */

typedef struct clpac__native_block {
	unsigned char *data; /* page-aligned, but for parts */
	size_t bytes;
	bool is_part; /* a part of another block, which owns the memory */
} clpac__native_block;

static inline void *clpac__native_data(clpac__block *block)
{
	return ((clpac__native_block *)block)->data;
}

static inline size_t clpac__native_bytes(const clpac__block *block)
{
	return ((const clpac__native_block *)block)->bytes;
}

clpac_status clpac__native_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__native_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__native_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err);
void clpac__native_release(clpac__queue *queue, clpac__block *block);
clpac_status clpac__native_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err);
clpac_status clpac__native_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err);
clpac_status clpac__native_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err);
clpac_status clpac__native_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err);
void *clpac__native_host_pointer(clpac__queue *queue, clpac__block *block);
clpac_status clpac__native_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err);
clpac_status clpac__native_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);
uint64_t clpac__native_host_free_bytes(clpac__queue *queue);
clpac_free_memory clpac__native_free_memory(clpac__queue *queue);

#endif
