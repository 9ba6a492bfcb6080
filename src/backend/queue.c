/* Functions of a queue that all backends share. */
#include "backend/backend.h"

#include <stdio.h>

void clpac__queue_detach(clpac__queue *queue)
{
	clpac__attachment *attachment = atomic_exchange(&queue->attachment, NULL);
	if (attachment)
		attachment->close(attachment);
}

void clpac__queue_set_options(clpac__queue *queue, const clpac_options *options)
{
	static const clpac_options defaults;
	options = options ? options : &defaults;
	snprintf(queue->instruction_set, sizeof queue->instruction_set, "%s", options->instruction_set);
	snprintf(queue->cache, sizeof queue->cache, "%s", options->cache);
	queue->vector_width = options->vector_width;
}
