/* Internals of a context: an opened device. */
#ifndef CLPAC_MEMORY_CONTEXT_CONTEXT_H
#define CLPAC_MEMORY_CONTEXT_CONTEXT_H

#include <clpac/memory/context.h>
#include "base/process.h"
#include "memory/backend/backend.h"

struct clpac_context {
	atomic_size_t n_holders; /* the caller, until it is closed, and each plan */
	clpac_options options;
	/* A child makes both anew where it may (clpac__context_enter). */
	clpac__queue *queue;
	clpac_pool *pool;
	clpac__renewal renewal;
	_Atomic(const struct clpac__fft_engine *)
		engine; /* set by libclpac (coupling/layout/context_engine.h); NULL: none yet */
};

/* A function of a library above that is called for each context when it is opened. libclpac finds kernels and an FFT
 * engine in it, so that options it cannot serve are refused at the opening and another device is tried.  At most one;
 * NULL: none.  Set while the libraries are loaded. */
typedef clpac_status clpac__context_extension(clpac_context *context, clpac_error *err);
void clpac__context_extend(clpac__context_extension *extension);

/* Makes a context on an opened queue, which the context owns on success. */
clpac_status clpac__context_of_queue(clpac__queue *queue, const clpac_options *options, clpac_context **out,
				     clpac_error *err);

/* clpac_context_open with a device and options that are not NULL. */
clpac_status clpac__context_of_device(const clpac_device *device, const clpac_options *options, clpac_context **out,
				      clpac_error *err);

/* The first step of every function with a context.  In a child of the process that opened it, a context whose device
 * needs no driver gets a queue, threads and a pool of the child's own; the parent's are forgotten, and so are those who
 * held it there.  CLPAC_ERROR_FORKED where a driver is needed, which cannot be used in a child. */
clpac_status clpac__context_enter(clpac_context *context, const char *function, clpac_error *err);
#define NEED_CONTEXT(context) RETURN_IF_ERROR(clpac__context_enter(context, __func__, err))

/* Adds a holder, who lets go with clpac_context_close.  Returns the context. */
clpac_context *clpac__context_hold(clpac_context *context);

/* Sends one line to the application's log function if there is one. */
void clpac__context_log(const clpac_context *context, clpac_log_level level, const char *format, ...)
	CLPAC__PRINTF(3, 4);

/* Most bytes that a plan may use: `memory`, a text as in clpac_options, applied to the memory available when the device
 * was opened, and limited by the pool's budget. */
clpac_status clpac__context_budget(const clpac_context *context, const char *memory, uint64_t *bytes, clpac_error *err);

#endif
