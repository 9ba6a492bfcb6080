/* The simulated device's order: the commands in its queues, the sequence in which they run, and which comes after
 * which.
 *
 * Each queue numbers its commands.  A clock holds, for each queue, the number up to which something comes after it;
 * events carry the clock of the place where they were put, and waiting for one takes it over.  Two uses of the same
 * bytes that no clock orders, one of them a write, are a hazard. */
#include "simulated_order.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *n_done_of(const simulated_queue *queue)
{
	return &queue->device->n_done[queue->slot];
}

static uint64_t *n_put_of(const simulated_queue *queue)
{
	return &queue->device->n_put[queue->slot];
}

simulated_use simulated_use_of(clpac__block *block, size_t offset, size_t bytes, bool is_written)
{
	return (simulated_use){block->whole, block->offset + offset, bytes, is_written};
}

static unsigned char *bytes_of(const simulated_use *use)
{
	return use->block->data + use->offset;
}

static bool conflict(const simulated_use *a, const simulated_use *b)
{
	return a->block == b->block && (a->is_written || b->is_written) && a->offset < b->offset + b->bytes &&
	       b->offset < a->offset + a->bytes;
}

static bool conflicts(const simulated_command *command, const simulated_use *use)
{
	for (unsigned i = 0; i < command->n_uses; i++)
		if (conflict(&command->uses[i], use))
			return true;
	return false;
}

void simulated_watch(simulated_queue *queue, const simulated_use *use)
{
	for (unsigned i = 0; i < SIMULATED_QUEUES; i++) {
		const simulated_queue *other = queue->device->queues[i];
		for (const simulated_command *c = other ? other->first : NULL; c; c = c->next)
			if (c->number > queue->after.at[i] && conflicts(c, use))
				queue->device->hazards++;
	}
}

void simulated_block_free(clpac__block *whole)
{
	if (whole->device || whole->n_uses)
		return;
	clpac__aligned_free(whole->data);
	free(whole);
}

static void perform(simulated_queue *queue, const simulated_command *command)
{
	const simulated_use *first = &command->uses[0], *second = &command->uses[1];
	switch (command->kind) {
	case DO_FILL:
		memset(bytes_of(first), command->value, first->bytes);
		break;
	case DO_WRITE:
		memcpy(bytes_of(first), command->bytes, first->bytes);
		break;
	case DO_READ:
		memcpy(command->target, bytes_of(first), first->bytes);
		break;
	case DO_COPY:
		memcpy(bytes_of(second), bytes_of(first), second->bytes);
		break;
	case DO_LAUNCH:
		if (queue->device->stage)
			queue->device->stage(queue->device->stage_user, &command->launch, command->memory);
		break;
	case DO_WAIT:
	case DO_NOTHING:
		break;
	}
}

static void destroy(simulated_command *command)
{
	for (unsigned i = 0; i < command->n_uses; i++) {
		command->uses[i].block->n_uses--;
		/* The same block may be used twice. */
		bool is_last = true;
		for (unsigned k = i + 1; k < command->n_uses; k++)
			is_last &= command->uses[k].block != command->uses[i].block;
		if (is_last)
			simulated_block_free(command->uses[i].block);
	}
	if (command->event)
		simulated_event_forget(command->event);
	free(command->bytes);
	free(command);
}

static simulated_command *keep(const simulated_command *command)
{
	simulated_command *kept = malloc(sizeof *kept);
	if (!kept)
		return NULL;
	*kept = *command;
	kept->next = NULL;
	if (command->kind == DO_WRITE) {
		kept->bytes = malloc(command->uses[0].bytes);
		if (!kept->bytes) {
			free(kept);
			return NULL;
		}
		memcpy(kept->bytes, command->bytes, command->uses[0].bytes);
	}
	for (unsigned i = 0; i < kept->n_uses; i++)
		kept->uses[i].block->n_uses++;
	if (kept->event)
		kept->event->n_references++;
	return kept;
}

static void merge(simulated_clock *clock, const simulated_clock *other)
{
	for (unsigned i = 0; i < SIMULATED_QUEUES; i++)
		if (clock->at[i] < other->at[i])
			clock->at[i] = other->at[i];
}

bool simulated_put(simulated_queue *queue, simulated_command *command)
{
	uint64_t *n_put = n_put_of(queue);
	if (command->is_fence)
		queue->after.at[queue->slot] = *n_put;
	for (unsigned i = 0; i < command->n_uses; i++)
		simulated_watch(queue, &command->uses[i]);
	if (queue->device->is_lagging) {
		simulated_command *kept = keep(command);
		if (!kept)
			return false;
		kept->number = ++*n_put;
		*(queue->last ? &queue->last->next : &queue->first) = kept;
		queue->last = kept;
	} else {
		simulated_run_all(queue);
		if (command->event)
			simulated_run(command->event->queue, command->event->number);
		perform(queue, command);
		*n_done_of(queue) = ++*n_put;
	}
	if (queue->base.is_in_order || command->is_fence)
		queue->after.at[queue->slot] = *n_put;
	if (command->event)
		merge(&queue->after, &command->event->after);
	return true;
}

static simulated_command *take_first(simulated_queue *queue)
{
	simulated_command *first = queue->first;
	queue->first = first->next;
	if (!queue->first)
		queue->last = NULL;
	return first;
}

/* Drives the other queues up to the events that this one waits for; they may drive this one in turn, up to an earlier
 * place. */
static void meet_waits(simulated_queue *queue, uint64_t number)
{
	simulated_command *c = queue->first;
	while (c && c->number <= number) {
		clpac_event *event = c->event;
		if (!event) {
			c = c->next;
			continue;
		}
		c->event = NULL;
		simulated_run(event->queue, event->number);
		simulated_event_forget(event);
		c = queue->first; /* may be another command by now */
	}
}

/* Runs the commands that may be reordered, the last of them first. */
static void run_reversed(simulated_queue *queue, uint64_t number)
{
	simulated_command *reversed = NULL;
	while (queue->first && queue->first->number <= number && !queue->first->is_fence) {
		simulated_command *c = take_first(queue);
		c->next = reversed;
		reversed = c;
	}
	while (reversed) {
		simulated_command *c = reversed;
		reversed = c->next;
		perform(queue, c);
		destroy(c);
	}
}

void simulated_run(simulated_queue *queue, uint64_t number)
{
	if (queue->base.is_in_order) {
		while (queue->first && queue->first->number <= number) {
			meet_waits(queue, queue->first->number);
			if (!queue->first || queue->first->number > number)
				break;
			simulated_command *c = take_first(queue);
			perform(queue, c);
			destroy(c);
		}
	} else {
		meet_waits(queue, number);
		while (queue->first && queue->first->number <= number) {
			run_reversed(queue, number);
			if (!queue->first || queue->first->number > number)
				break;
			simulated_command *fence = take_first(queue);
			perform(queue, fence);
			destroy(fence);
		}
	}
	if (*n_done_of(queue) < number)
		*n_done_of(queue) = number;
}

void simulated_run_all(simulated_queue *queue)
{
	simulated_run(queue, *n_put_of(queue));
}

bool simulated_event_has_passed(const clpac_event *event)
{
	return *n_done_of(event->queue) >= event->number;
}

void simulated_event_forget(clpac_event *event)
{
	if (--event->n_references)
		return;
	event->queue->device->live_events--;
	simulated_queue_forget(event->queue);
	free(event);
}

void simulated_queue_forget(simulated_queue *queue)
{
	if (--queue->n_references == 0 && queue != &queue->device->own)
		free(queue);
}
