/* Contexts: an opened device with its queue and its pool. */
#include "memory/context/context.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "memory/device/options.h"
#include "memory/own/own.h"
#include "memory/pool/pool.h"
#include "memory/registry/backends.h"

static _Atomic(clpac__context_extension *) extension;

void clpac__context_extend(clpac__context_extension *function)
{
	atomic_store(&extension, function);
}

static const clpac__backend *find_backend(const char *name)
{
	for (const clpac__backend *const *backend = clpac__backends; *backend; backend++)
		if (strcmp((*backend)->name, name) == 0)
			return *backend;
	return NULL;
}

/* Applies a text like clpac_options.memory to the memory that was available when the device was opened; at least 1. */
static clpac_status share_of_device(const clpac_context *context, const char *memory, uint64_t *bytes, clpac_error *err)
{
	const clpac_device *device = &context->queue->device;
	uint64_t available = device->free_bytes ? device->free_bytes : device->memory_bytes;
	if (!available)
		available = UINT64_MAX / 2;
	clpac_status st = clpac__parse_memory(memory, available, bytes, err);
	if (st == CLPAC_OK && !*bytes)
		*bytes = 1;
	return st;
}

clpac_status clpac__context_of_queue(clpac__queue *queue, const clpac_options *options, clpac_context **out,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t cap = 0;
	clpac_pool_options *of_pool = NULL;
	clpac_context *context;
	TRY(NEW(context));
	if (options)
		context->options = *options;
	context->queue = queue;
	atomic_init(&context->n_holders, 1);
	clpac__renewal_init(&context->renewal);
	atomic_store(&queue->n_holders, 1);
	clpac__context_extension *extend = atomic_load(&extension);
	if (extend)
		TRY(extend(context, err));
	if (context->options.memory[0])
		TRY(share_of_device(context, context->options.memory, &cap, err));
	if (context->options.pool[0]) {
		st = clpac_pool_options_read(context->options.pool, &of_pool, err);
		if (st != CLPAC_OK) {
			st = clpac__fail_context(err, st, "option pool");
			goto done;
		}
	}
	TRY(clpac__pool_create(queue, of_pool, cap, &context->pool, err));
	clpac__pool_set_own(context->pool);
	*out = context, context = NULL;
done:
	if (context) {
		atomic_store(&queue->n_holders, 0); /* still the caller's */
		context->queue = NULL;
	}
	clpac_pool_options_free(of_pool);
	clpac_context_close(context);
	return st;
}

/* Free memory is read anew at the opening, because that of the list may be taken by now, and budgets depend on it.  If
 * the list does not know it, all memory counts as free, as in the choice of a device. */
static void ask_free_memory(clpac__queue *queue)
{
	if (!queue->device.free_bytes)
		return;
	const clpac_free_memory now = queue->operations->free_memory(queue);
	if (now.knowledge == CLPAC_EXACT)
		queue->device.free_bytes = now.bytes ? now.bytes : 1; /* 0 would mean unknown */
}

clpac_status clpac__context_of_device(const clpac_device *device, const clpac_options *options, clpac_context **out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = NULL;
	const clpac__backend *backend = find_backend(device->backend);
	if (!backend)
		FAIL(CLPAC_ERROR_UNSUPPORTED, "this build has no backend \"%s\" for the device %s", device->backend,
		     device->name);
	TRY(backend->open(device, options, &queue, err));
	ask_free_memory(queue);
	TRY(clpac__context_of_queue(queue, options, out, err));
	queue = NULL;
done:
	if (queue)
		queue->operations->close(queue);
	return st;
}

static clpac_status renew(clpac_context *context, const char *function, clpac_error *err)
{
	clpac_context *fresh;
	const clpac_device *device = &context->queue->device;
	const clpac__backend *backend = find_backend(device->backend);
	if (!backend || backend->has_drivers)
		return clpac__forked_fail(err, function, "context");
	RETURN_IF_ERROR(clpac__context_of_device(device, &context->options, &fresh, err));
	context->queue = fresh->queue;
	context->pool = fresh->pool;
	atomic_store(&context->engine, atomic_load(&fresh->engine));
	atomic_store(&context->n_holders, 1);
	clpac__free(fresh);
	return CLPAC_OK;
}

clpac_status clpac__context_enter(clpac_context *context, const char *function, clpac_error *err)
{
	if (!clpac__renewal_begin(&context->renewal))
		return CLPAC_OK;
	const clpac_status st = renew(context, function, err);
	clpac__renewal_end(&context->renewal, st == CLPAC_OK);
	return st;
}

void clpac_context_close(clpac_context *context)
{
	if (!context || clpac__renewal_is_due(&context->renewal))
		return;
	if (atomic_fetch_sub(&context->n_holders, 1) > 1)
		return;
	/* The pool stays as long as something made on it does, and the queue as long as a pool does. */
	clpac__pool_give_up(context->pool);
	clpac__queue_let_go(context->queue);
	clpac__free(context);
}

clpac_context *clpac__context_hold(clpac_context *context)
{
	atomic_fetch_add(&context->n_holders, 1);
	return context;
}

const clpac_device *clpac_context_device(const clpac_context *context)
{
	return context ? &context->queue->device : NULL;
}

clpac_pool *clpac_context_pool(clpac_context *context)
{
	if (!context)
		return NULL;
	clpac__context_enter(context, __func__, NULL); /* a pool that could not be made anew says so when it is used */
	return context->pool;
}

clpac_status clpac_pool_create(clpac_context *context, const clpac_pool_options *options, clpac_pool **out,
			       clpac_error *err)
{
	NEED(context, out);
	NEED_CONTEXT(context);
	return clpac__pool_create(context->queue, options, 0, out, err);
}

clpac_status clpac_pool_create_on(const clpac_own_memory *memory, const clpac_pool_options *options, clpac_pool **out,
				  clpac_error *err)
{
	NEED(memory, out);
	clpac__queue *queue;
	RETURN_IF_ERROR(clpac__own_queue_open(memory, &queue, err));
	atomic_store(&queue->n_holders, 1);
	const clpac_status st = clpac__pool_create(queue, options, 0, out, err);
	if (st == CLPAC_OK)
		clpac__queue_let_go(queue); /* the pool holds it */
	else
		clpac__own_queue_forget(queue);
	return st;
}

void clpac__context_log(const clpac_context *context, clpac_log_level level, const char *format, ...)
{
	if (!context->options.log)
		return;
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	context->options.log(context->options.log_user, level, text);
}

clpac_status clpac__context_budget(const clpac_context *context, const char *memory, uint64_t *bytes, clpac_error *err)
{
	clpac_status st = share_of_device(context, memory, bytes, err);
	const uint64_t pool = clpac_pool_budget(context->pool);
	if (st == CLPAC_OK && *bytes > pool)
		*bytes = pool;
	return st;
}
