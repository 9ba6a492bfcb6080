/* A thread pool that runs the chunks of jobs.
 *
 * The caller takes part, so a pool of one has no other thread and costs a function call.  Chunks are handed out in
 * order through one counter.  Any thread may run any chunk, so a task may only write data of its own chunk or of its
 * own worker.
 *
 * Jobs started by several threads run side by side: none waits for another, and the pool's threads spread over them.  A
 * task must not start a job on the same pool.
 */
#ifndef CLPAC_MEMORY_NATIVE_THREADS_H
#define CLPAC_MEMORY_NATIVE_THREADS_H

#include <stddef.h>
#include "base/error.h"

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

#endif
