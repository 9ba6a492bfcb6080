/* A device opened for work, from inside. */
#ifndef CLPAC_CONTEXT_CONTEXT_H
#define CLPAC_CONTEXT_CONTEXT_H

#include <clpac/memory/context.h>
#include "backend/backend.h"

struct clpac_context {
	clpac_options options;
	clpac__queue *queue;
	clpac_pool *pool;
	_Atomic(const struct clpac__fft_engine *) engine; /* libclpac's (plan/engine.h); NULL: none yet */
};

/* What a library above does to each context when it is opened: libclpac finds kernels and an FFT engine, so that
 * options that it cannot serve are refused there and then, and another device is tried.  One at most; NULL: none.  Set
 * while the libraries are loaded. */
typedef clpac_status clpac__context_extension(clpac_context *context, clpac_error *err);
void clpac__context_extend(clpac__context_extension *extension);

/* A context on an opened queue, which is the context's on success. */
clpac_status clpac__context_of_queue(clpac__queue *queue, const clpac_options *options, clpac_context **out,
				     clpac_error *err);

/* clpac_context_open of a device and options that are given. */
clpac_status clpac__context_of_device(const clpac_device *device, const clpac_options *options, clpac_context **out,
				      clpac_error *err);

/* One line to the application's log function, where there is one. */
void clpac__context_log(const clpac_context *context, clpac_log_level level, const char *format, ...)
	CLPAC__PRINTF(3, 4);

/* Bytes that a plan may use at most: `memory`, a text as in clpac_options, applied to what was available when the
 * device was opened, within the pool's budget. */
clpac_status clpac__context_budget(const clpac_context *context, const char *memory, uint64_t *bytes, clpac_error *err);

#endif
