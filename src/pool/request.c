/* Requests: checked and rounded. */
#include "pool/pool_parts.h"

#include "pool/size_class.h"

/* Rounds to a class.  Every block is a multiple of the unit at which parts may begin.  A class larger than the device's
 * largest block or than the budget is cut down to that if the request itself fits. */
static size_t class_of(const clpac_pool *pool, size_t bytes, unsigned *index)
{
	const size_t rest = pool->unit - 1; /* the unit is a power of two */
	if (!bytes || bytes > SIZE_MAX - rest - pool->extra_bytes)
		return 0;
	bytes += pool->extra_bytes;
	const size_t class_bytes = clpac__size_class_find((bytes + rest) & ~rest, pool->classes_log2, index);
	if (!class_bytes || class_bytes > SIZE_MAX - rest)
		return 0;
	const size_t rounded = (class_bytes + rest) & ~rest;
	const size_t most = pool->largest_class_bytes;
	return bytes <= most && rounded > most ? most : rounded;
}

size_t clpac_pool_class(const clpac_pool *pool, size_t bytes)
{
	if (!pool)
		return 0;
	unsigned index;
	return class_of(pool, bytes, &index);
}

clpac_status clpac__need_make(clpac_pool *pool, const clpac_request *request, clpac__need *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *tag = request->tag ? request->tag : "";
	const size_t bytes = request->bytes;
	if (!bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of 0 bytes: ask for at least 1", tag);
	if ((unsigned)request->placement >= CLPAC_PLACE_COUNT)
		FAIL(CLPAC_ERROR_ARGUMENT, "buffer \"%s\": placement is %d: give a value of clpac_placement", tag,
		     (int)request->placement);
	out->class_bytes = class_of(pool, bytes, &out->class_index);
	if (!out->class_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of %zu bytes: no size class is that large", tag, bytes);
	if (bytes > pool->largest_bytes - pool->extra_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "buffer \"%s\" of %zu bytes: the largest block of device %s has %zu; ask for smaller pieces", tag,
		     bytes, pool->queues[0].queue->device.name, pool->largest_bytes - pool->extra_bytes);
	out->queue = clpac__pool_queue_find(pool, request->queue);
	if (!out->queue)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "buffer \"%s\" of %zu bytes: its queue is not one of the pool's on %s; open it with "
		     "clpac_queue_open",
		     tag, bytes, pool->queues[0].queue->device.name);
	out->request = request;
	out->tag = tag;
	out->bytes = bytes;
	out->placement = request->placement
				 ? request->placement
				 : (clpac_placement)atomic_load_explicit(&pool->placement, memory_order_relaxed);
done:
	return st;
}
