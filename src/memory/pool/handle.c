/* The list of all handles of a pool. */
#include "memory/pool/pool_parts.h"

void clpac__handle_add(clpac_pool *pool, clpac_buffer *buffer)
{
	buffer->previous = NULL;
	buffer->next = pool->handles;
	if (pool->handles)
		pool->handles->previous = buffer;
	pool->handles = buffer;
}

void clpac__handle_remove(clpac_pool *pool, clpac_buffer *buffer)
{
	*(buffer->previous ? &buffer->previous->next : &pool->handles) = buffer->next;
	if (buffer->next)
		buffer->next->previous = buffer->previous;
	buffer->previous = buffer->next = NULL;
}
