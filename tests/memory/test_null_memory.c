/* NULL in place of each pointer that a function of libclpac-memory takes. */
#include "config.h"

#include <stdlib.h>

#include <clpac/memory/async.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/cancel.h>
#include <clpac/memory/context.h>
#include <clpac/memory/estimate.h>
#include <clpac/memory/offsets.h>
#include <clpac/memory/own.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#ifdef HAVE_OPENCL
#include <clpac/memory/opencl.h>
#endif

/* Opened are only those that a call without a NULL among them uses; the rest points to nothing. */
static struct {
	char bytes[64], text[64];
	size_t sizes[1];
	clpac_context *context;
	clpac_pool *pool;
	clpac_store *store;
	clpac_event *event;
	clpac_offsets *offsets;
	clpac_buffer *buffer;
	clpac_queue *queue;
	clpac_entry *entry;
	clpac_device_list *list;
	clpac_async *async;
	clpac_ticket *ticket;
	clpac_scope *scope;
	clpac_store_scope *store_scope;
} f;
/* Neither empty, so that emptying shows. */
static clpac_pool_statistics f_statistics = {.hits = 1};
static clpac_store_statistics f_store_statistics = {.hits = 1};
static clpac_advice f_advice = {.budget_bytes = 1};

static void f_pressure_function(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	(void)user, (void)pool, (void)from, (void)to;
}

static uint64_t f_relief_function(void *user, clpac_pool *pool, uint64_t bytes)
{
	(void)user, (void)pool, (void)bytes;
	return 0;
}

static int f_device_rank(const clpac_device *device, void *user)
{
	(void)device, (void)user;
	return 0;
}

static clpac_status f_load_function(void *user, clpac_store *store, const char *key, clpac_metadata *metadata,
				    clpac_buffer **out, clpac_error *err)
{
	(void)user, (void)store, (void)key, (void)metadata, (void)out, (void)err;
	return CLPAC_ERROR_INTERNAL;
}

static clpac_status f_prepare_function(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
				       clpac_error *err)
{
	(void)user, (void)pool, (void)n, (void)buffers, (void)err;
	return CLPAC_ERROR_INTERNAL;
}

#define NULL_ROWS "memory/null_memory.def"
#include "unit/null_rule.h"

static void open_all(void)
{
	clpac_error err;
	const clpac_options options = {.device = "native", .threads = 1};
	/* No driver is needed, and loading one in each process would cost most of the time. */
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	assert_works(clpac_context_open(NULL, &options, &f.context, &err), err);
	f.pool = clpac_context_pool(f.context);
	f.queue = clpac_pool_queue(f.pool);
	assert_works(clpac_queue_mark(f.pool, NULL, &f.event, &err), err);
	assert_works(clpac_store_create(f.pool, NULL, &f.store, &err), err);
	assert_works(clpac_offsets_create(8, &f.offsets, &err), err);
	f.buffer = (clpac_buffer *)(void *)f.bytes;
	f.entry = (clpac_entry *)(void *)f.bytes;
	f.list = (clpac_device_list *)(void *)f.bytes;
	f.async = (clpac_async *)(void *)f.bytes;
	f.ticket = (clpac_ticket *)(void *)f.bytes;
	f.scope = (clpac_scope *)(void *)f.bytes;
	f.store_scope = (clpac_store_scope *)(void *)f.bytes;
}

static void close_all(void)
{
	clpac_offsets_destroy(f.offsets);
	clpac_store_destroy(f.store);
	clpac_event_release(f.pool, f.event);
	clpac_context_close(f.context);
}

FIXTURE(open_all, close_all);

TEST_EACH(null_is_refused_by_name_or_does_nothing, NULL_ROW_COUNT)
{
	assert_null_rule(_i);
}
