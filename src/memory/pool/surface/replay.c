/* Replaying a trace on any allocator. */
#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

/* One player for both kinds of target; allocation may fail with a status. */
struct player {
	const clpac_trace *trace;
	clpac_status (*allocate)(struct player *player, const clpac_trace_event *event, void **out, clpac_error *err);
	void (*release)(struct player *player, void *memory);
	const clpac_replay_target *target;
	clpac_pool *pool;
	void **memory; /* by slot; NULL: none */
	uint64_t *bytes;
	uint64_t live_bytes;
	clpac_replay_report report;
};

static clpac_status allocate_from_target(struct player *player, const clpac_trace_event *event, void **out,
					 clpac_error *err)
{
	(void)err;
	*out = player->target->allocate(player->target->user, (size_t)event->bytes);
	return CLPAC_OK;
}

static void release_to_target(struct player *player, void *memory)
{
	player->target->release(player->target->user, memory);
}

static clpac_status allocate_from_pool(struct player *player, const clpac_trace_event *event, void **out,
				       clpac_error *err)
{
	clpac_buffer *buffer = NULL;
	clpac_status st = clpac_pool_allocate(player->pool, (size_t)event->bytes, event->tag, &buffer, err);
	*out = buffer;
	return st == CLPAC_ERROR_NO_DEVICE_MEMORY ? CLPAC_OK : st;
}

static void release_to_pool(struct player *player, void *memory)
{
	(void)player;
	clpac_buffer_release(memory);
}

static void release(struct player *player, size_t slot)
{
	void *memory = player->memory[slot];
	if (!memory)
		return;
	player->memory[slot] = NULL;
	player->live_bytes -= player->bytes[slot];
	player->release(player, memory);
	player->report.n_released++;
}

static clpac_status allocate(struct player *player, const clpac_trace_event *event, clpac_error *err)
{
	clpac_replay_report *report = &player->report;
	void *memory = NULL;
	if (player->memory[event->slot])
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "trace: event %zu allocates into slot %zu, which is taken",
			     (size_t)(event - player->trace->events), event->slot);
	RETURN_IF_ERROR(player->allocate(player, event, &memory, err));
	if (!memory) {
		report->n_refused++;
		return CLPAC_OK;
	}
	player->memory[event->slot] = memory;
	player->bytes[event->slot] = event->bytes;
	player->live_bytes += event->bytes;
	report->n_allocated++;
	report->bytes_allocated += event->bytes;
	if (report->peak_bytes < player->live_bytes)
		report->peak_bytes = player->live_bytes;
	if (event->outcome == CLPAC_TRACE_REFUSED)
		release(player, event->slot);
	return CLPAC_OK;
}

/* A trace made by hand may be inconsistent; one that was read is not. */
static clpac_status check(const clpac_trace *trace, clpac_error *err)
{
	for (size_t i = 0; i < trace->n; i++) {
		const clpac_trace_event *event = &trace->events[i];
		bool is_unknown = event->operation == CLPAC_TRACE_RELEASE && event->slot == SIZE_MAX;
		if ((unsigned)event->operation >= CLPAC_TRACE_OPERATIONS)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "trace: event %zu has operation %d", i,
				     (int)event->operation);
		if (event->slot >= trace->n_slots && !is_unknown)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "trace: event %zu has slot %zu of %zu", i, event->slot,
				     trace->n_slots);
		if (event->bytes > SIZE_MAX || !event->tag)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "trace: event %zu has %s", i,
				     event->tag ? "more bytes than there are" : "no tag");
	}
	return CLPAC_OK;
}

static clpac_status play(struct player *player, clpac_replay_report *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_trace *trace = player->trace;
	TRY(check(trace, err));
	TRY(NEW_ARRAY(player->memory, trace->n_slots));
	TRY(NEW_ARRAY(player->bytes, trace->n_slots));
	double begun = clpac__clock_seconds();
	for (size_t i = 0; i < trace->n && st == CLPAC_OK; i++) {
		const clpac_trace_event *event = &trace->events[i];
		if (event->operation == CLPAC_TRACE_ALLOCATE)
			st = allocate(player, event, err);
		else if (event->slot == SIZE_MAX)
			player->report.n_unknown++;
		else
			release(player, event->slot);
	}
	player->report.seconds = clpac__clock_seconds() - begun;
	for (size_t slot = 0; slot < trace->n_slots; slot++) {
		player->report.n_left += player->memory[slot] != NULL;
		release(player, slot);
	}
	if (st == CLPAC_OK && out)
		*out = player->report;
done:
	FREE_ALL(player->memory, player->bytes);
	return st;
}

clpac_status clpac_trace_replay(const clpac_trace *trace, const clpac_replay_target *target,
				clpac_replay_report *report, clpac_error *err)
{
	NEED(trace, target);
	struct player player = {
		.trace = trace, .allocate = allocate_from_target, .release = release_to_target, .target = target};
	return play(&player, report, err);
}

clpac_status clpac_trace_replay_on_pool(const clpac_trace *trace, clpac_pool *pool, clpac_replay_report *report,
					clpac_error *err)
{
	NEED(trace, pool);
	struct player player = {
		.trace = trace, .allocate = allocate_from_pool, .release = release_to_pool, .pool = pool};
	return play(&player, report, err);
}
