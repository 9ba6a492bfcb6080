/* The native queue, and its threads. */
#ifndef CLPAC_MEMORY_NATIVE_NATIVE_QUEUE_H
#define CLPAC_MEMORY_NATIVE_NATIVE_QUEUE_H

#include "memory/seam/backend.h"
#include "memory/native/threads.h"

/* A native queue: work is done when the call that puts it returns. */
typedef struct clpac__native_queue {
	clpac__queue base; /* first */
	clpac__threads *threads;
	bool is_sibling; /* the threads belong to the queue that this one was opened from */
} clpac__native_queue;

/* Opens a queue on the device; options->threads 0: as many threads as the device has. */
clpac_status clpac__native_queue_open(const clpac_device *device, const clpac_options *options, clpac__queue **out,
				      clpac_error *err);

static inline clpac__threads *clpac__native_threads(clpac__queue *queue)
{
	return ((clpac__native_queue *)queue)->threads;
}

#endif
