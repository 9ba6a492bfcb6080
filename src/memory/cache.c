/* Blocks that wait for their next owner. */
#include "memory/cache.h"

#include "base/memory.h"

clpac_status clpac__cache_create(clpac__cache *cache, unsigned n_classes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	*cache = (clpac__cache){.classes = clpac__alloc_array(n_classes, sizeof *cache->classes)};
	if (!cache->classes)
		FAIL_NO_MEMORY(n_classes * sizeof *cache->classes);
done:
	return st;
}

void clpac__cache_destroy(clpac__cache *cache)
{
	clpac__free(cache->classes);
	*cache = (clpac__cache){0};
}

void clpac__cache_remove(clpac__cache *cache, clpac_buffer *buffer)
{
	clpac__cache_class *class = &cache->classes[buffer->class_index];
	*(buffer->above ? &buffer->above->below : &class->top) = buffer->below;
	if (buffer->below)
		buffer->below->above = buffer->above;
	*(buffer->older ? &buffer->older->newer : &cache->oldest) = buffer->newer;
	*(buffer->newer ? &buffer->newer->older : &cache->newest) = buffer->older;
	buffer->above = buffer->below = buffer->older = buffer->newer = NULL;
	class->count--;
	cache->count--;
	cache->bytes -= buffer->class_bytes;
}

clpac_buffer *clpac__cache_take(clpac__cache *cache, unsigned class_index, const clpac__pool_queue *home)
{
	clpac_buffer *buffer = cache->classes[class_index].top;
	while (buffer && buffer->home && buffer->home != home)
		buffer = buffer->below;
	if (buffer)
		clpac__cache_remove(cache, buffer);
	return buffer;
}

clpac_buffer *clpac__cache_take_any(clpac__cache *cache, unsigned class_index)
{
	clpac_buffer *buffer = cache->classes[class_index].top;
	if (buffer)
		clpac__cache_remove(cache, buffer);
	return buffer;
}

clpac_buffer *clpac__cache_take_oldest(clpac__cache *cache)
{
	clpac_buffer *buffer = cache->oldest;
	if (buffer)
		clpac__cache_remove(cache, buffer);
	return buffer;
}

void clpac__cache_put(clpac__cache *cache, clpac_buffer *buffer)
{
	clpac__cache_class *class = &cache->classes[buffer->class_index];
	clpac_buffer *older = cache->newest;
	while (older && (older->released_s > buffer->released_s ||
			 (older->released_s == buffer->released_s && older->released_order > buffer->released_order)))
		older = older->older;
	clpac_buffer *newer = older ? older->newer : cache->oldest;
	buffer->older = older;
	buffer->newer = newer;
	*(older ? &older->newer : &cache->oldest) = buffer;
	*(newer ? &newer->older : &cache->newest) = buffer;

	buffer->below = class->top;
	buffer->above = NULL;
	if (class->top)
		class->top->above = buffer;
	class->top = buffer;
	class->count++;
	cache->count++;
	cache->bytes += buffer->class_bytes;
}
