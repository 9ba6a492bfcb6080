/* Free list: blocks that wait for their next owner. */
#include "memory/pool/blocks/magazine.h"

#include "base/memory.h"

clpac_status clpac__free_list_create(clpac__free_list *list, unsigned n_classes, clpac_error *err)
{
	*list = (clpac__free_list){.classes = clpac__alloc_array(n_classes, sizeof *list->classes)};
	if (!list->classes)
		RETURN_NO_MEMORY(n_classes * sizeof *list->classes);
	return CLPAC_OK;
}

void clpac__free_list_destroy(clpac__free_list *list)
{
	clpac__free(list->classes);
	*list = (clpac__free_list){0};
}

void clpac__free_list_remove(clpac__free_list *list, clpac_buffer *buffer)
{
	clpac__free_list_class *class = &list->classes[buffer->class_index];
	*(buffer->above ? &buffer->above->below : &class->top) = buffer->below;
	if (buffer->below)
		buffer->below->above = buffer->above;
	*(buffer->older ? &buffer->older->newer : &list->oldest) = buffer->newer;
	*(buffer->newer ? &buffer->newer->older : &list->newest) = buffer->older;
	buffer->above = buffer->below = buffer->older = buffer->newer = NULL;
	class->count--;
	list->count--;
	list->bytes -= buffer->class_bytes;
	list->part_bytes -= buffer->segment ? buffer->class_bytes : 0;
}

clpac_buffer *clpac__free_list_take(clpac__free_list *list, unsigned class_index, const clpac__pool_queue *home)
{
	clpac_buffer *buffer = list->classes[class_index].top;
	while (buffer && buffer->home && buffer->home != home)
		buffer = buffer->below;
	if (buffer)
		clpac__free_list_remove(list, buffer);
	return buffer;
}

clpac_buffer *clpac__free_list_take_any(clpac__free_list *list, unsigned class_index)
{
	clpac_buffer *buffer = list->classes[class_index].top;
	if (buffer)
		clpac__free_list_remove(list, buffer);
	return buffer;
}

clpac_buffer *clpac__free_list_take_oldest(clpac__free_list *list)
{
	clpac_buffer *buffer = list->oldest;
	if (buffer)
		clpac__free_list_remove(list, buffer);
	return buffer;
}

void clpac__free_list_put(clpac__free_list *list, clpac_buffer *buffer)
{
	clpac__free_list_class *class = &list->classes[buffer->class_index];
	clpac_buffer *older = list->newest;
	while (older && (older->released_ns > buffer->released_ns ||
			 (older->released_ns == buffer->released_ns && older->released_order > buffer->released_order)))
		older = older->older;
	clpac_buffer *newer = older ? older->newer : list->oldest;
	buffer->older = older;
	buffer->newer = newer;
	*(older ? &older->newer : &list->oldest) = buffer;
	*(newer ? &newer->older : &list->newest) = buffer;

	buffer->below = class->top;
	buffer->above = NULL;
	if (class->top)
		class->top->above = buffer;
	class->top = buffer;
	class->count++;
	list->count++;
	list->bytes += buffer->class_bytes;
	list->part_bytes += buffer->segment ? buffer->class_bytes : 0;
}
