/* What the native backend's files know of each other, and what a host FFT engine may use of the queue. */
#ifndef CLPAC_NATIVE_NATIVE_H
#define CLPAC_NATIVE_NATIVE_H

#include "backend/backend.h"
#include "native/isa.h"
#include "native/threads.h"

/* A block of the native device is host memory. */
typedef struct clpac__native_block {
	unsigned char *data; /* page-aligned */
	size_t bytes;
} clpac__native_block;

/* Everything put into a native queue is done when the call returns. */
typedef struct clpac__native_queue {
	clpac__queue base; /* first */
	clpac__threads *threads;
	const clpac__isa *isa;
	size_t n_blocks;   /* not yet released */
} clpac__native_queue;

/* Opens a queue of the device with n_threads (0: all it has) and kernels for an instruction set. */
clpac_status clpac__native_queue_open(const clpac_device *device, unsigned n_threads, const clpac__isa *isa,
				      clpac__queue **out, clpac_error *err);

static inline void *clpac__native_data(clpac__block *block)
{
	return ((clpac__native_block *)block)->data;
}

static inline size_t clpac__native_bytes(const clpac__block *block)
{
	return ((const clpac__native_block *)block)->bytes;
}

static inline clpac__threads *clpac__native_threads(clpac__queue *queue)
{
	return ((clpac__native_queue *)queue)->threads;
}

#endif
