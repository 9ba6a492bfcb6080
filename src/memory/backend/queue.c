/* Functions of a queue that all backends share. */
#include "memory/backend/backend.h"

#include <stdio.h>

void clpac__queue_detach(clpac__queue *queue)
{
	clpac__attachment *attachment = atomic_exchange(&queue->attachment, NULL);
	if (attachment)
		attachment->close(attachment);
}

bool clpac__queue_hold(clpac__queue *queue)
{
	/* Whoever holds it meanwhile asks, so that the count does not fall to 0 in between. */
	const bool is_counted = atomic_load(&queue->n_holders) > 0;
	if (is_counted)
		atomic_fetch_add(&queue->n_holders, 1);
	return is_counted;
}

void clpac__queue_let_go(clpac__queue *queue)
{
	if (queue && atomic_fetch_sub(&queue->n_holders, 1) == 1)
		queue->operations->close(queue);
}

void clpac__queue_set_options(clpac__queue *queue, const clpac_options *options)
{
	static const clpac_options defaults;
	options = options ? options : &defaults;
	snprintf(queue->instruction_set, sizeof queue->instruction_set, "%s", options->instruction_set);
	snprintf(queue->cache, sizeof queue->cache, "%s", options->cache);
	queue->vector_width = options->vector_width;
}
