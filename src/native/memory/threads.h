/* A pool of threads that runs the chunks of jobs.
 *
 * The caller takes part, so that a pool of one thread has no other and costs a function call.  Chunks are handed out in
 * order through one counter; which thread runs which chunk is open, so a task may only write what belongs to its chunk
 * or to its worker.
 *
 * Jobs that several threads start at once run side by side: none waits for another, and the threads of the pool spread
 * over them.  A task starts no job of the same pool. */
#ifndef CLPAC_NATIVE_MEMORY_THREADS_H
#define CLPAC_NATIVE_MEMORY_THREADS_H

#include <stddef.h>
#include "base/error.h"

typedef struct clpac__threads clpac__threads;

/* One chunk of a job.  worker: 0 (the caller) to count - 1, each of which runs one chunk of the job at a time; of two
 * jobs at once each has a worker 0. */
typedef void clpac__task(void *context, size_t chunk, unsigned worker);

enum { CLPAC__MAX_THREADS = 1024 };

/* Starts count - 1 threads, all signals blocked in them.  count: 1 to CLPAC__MAX_THREADS, else CLPAC_ERROR_ARGUMENT;
 * CLPAC_ERROR_DEVICE with the system's code where it refuses a thread.  Cost: about 20 us a thread. */
clpac_status clpac__threads_create(unsigned count, clpac__threads **out, clpac_error *err);

/* Ends and joins the threads.  NULL is fine. */
void clpac__threads_destroy(clpac__threads *threads);

unsigned clpac__threads_count(const clpac__threads *threads);

/* Runs task(context, chunk, worker) for each chunk below n_chunks and returns when all are done; what they wrote is
 * then visible to the caller.  Cost of the hand-over: below a microsecond while the others are still awake from the job
 * before, some microseconds otherwise; one chunk alone runs without any. */
void clpac__threads_run(clpac__threads *threads, size_t n_chunks, clpac__task *task, void *context);

#endif
