/* The buffers that wait for their next owner. */
#include "memory/cache.h"

#include "base/memory.h"

void clpac__list_add(clpac__buffer_list *list, clpac_buffer *buffer)
{
	buffer->newer = NULL;
	buffer->older = list->newest;
	*(list->newest ? &list->newest->newer : &list->oldest) = buffer;
	list->newest = buffer;
}

void clpac__list_remove(clpac__buffer_list *list, clpac_buffer *buffer)
{
	*(buffer->older ? &buffer->older->newer : &list->oldest) = buffer->newer;
	*(buffer->newer ? &buffer->newer->older : &list->newest) = buffer->older;
	buffer->older = buffer->newer = NULL;
}

clpac_status clpac__cache_create(clpac__cache *cache, unsigned n_classes, size_t limit, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	*cache = (clpac__cache){.classes = clpac__alloc_array(n_classes, sizeof *cache->classes)};
	if (!cache->classes)
		FAIL_NO_MEMORY(n_classes * sizeof *cache->classes);
	for (unsigned i = 0; i < n_classes; i++)
		cache->classes[i].limit = limit;
done:
	return st;
}

void clpac__cache_destroy(clpac__cache *cache)
{
	clpac__free(cache->classes);
	*cache = (clpac__cache){0};
}

static void remove_from_both(clpac__cache *cache, clpac_buffer *buffer)
{
	clpac__cache_class *class = &cache->classes[buffer->class_index];
	*(buffer->above ? &buffer->above->below : &class->top) = buffer->below;
	if (buffer->below)
		buffer->below->above = buffer->above;
	buffer->above = buffer->below = NULL;
	class->count--;
	clpac__list_remove(&cache->by_age, buffer);
}

clpac_buffer *clpac__cache_take(clpac__cache *cache, unsigned class_index)
{
	clpac_buffer *buffer = cache->classes[class_index].top;
	if (buffer)
		remove_from_both(cache, buffer);
	return buffer;
}

bool clpac__cache_has_room(const clpac__cache *cache, unsigned class_index)
{
	return cache->classes[class_index].count < cache->classes[class_index].limit;
}

void clpac__cache_put(clpac__cache *cache, clpac_buffer *buffer)
{
	clpac__cache_class *class = &cache->classes[buffer->class_index];
	buffer->below = class->top;
	buffer->above = NULL;
	if (class->top)
		class->top->above = buffer;
	class->top = buffer;
	class->count++;
	clpac__list_add(&cache->by_age, buffer);
}

clpac_buffer *clpac__cache_take_oldest(clpac__cache *cache)
{
	clpac_buffer *buffer = cache->by_age.oldest;
	if (buffer)
		remove_from_both(cache, buffer);
	return buffer;
}
