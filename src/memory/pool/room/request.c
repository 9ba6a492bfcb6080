/* Requests that cannot be served, whatever is free. */
#include "memory/pool/room/room.h"

size_t clpac_pool_class(const clpac_pool *pool, size_t bytes)
{
	if (!pool)
		return 0;
	unsigned index;
	return clpac__need_class(pool, bytes, &index);
}

clpac_status clpac__need_refuse(clpac_pool *pool, const clpac__need *need, clpac_error *err)
{
	const char *tag = need->tag;
	const size_t bytes = need->bytes, most = pool->largest_bytes - pool->extra_bytes;
	const int placement = (int)need->request->placement;
	if (!bytes)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of 0 bytes: ask for at least 1", tag);
	if ((unsigned)placement >= CLPAC_PLACE_COUNT)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "buffer \"%s\": placement is %d: give a value of clpac_placement", tag, placement);
	if (!need->class_bytes)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of %zu bytes: no size class is that large",
				   tag, bytes);
	if (bytes > most)
		return clpac__fail(
			err, CLPAC_ERROR_ARGUMENT,
			"buffer \"%s\" of %zu bytes: the largest block of device %s has %zu; ask for smaller "
			"pieces",
			tag, bytes, pool->queues[0].queue->device.name, most);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "buffer \"%s\" of %zu bytes: its queue is not one of the pool's on %s; open it with "
			   "clpac_queue_open",
			   tag, bytes, pool->queues[0].queue->device.name);
}
