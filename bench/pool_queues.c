/* S8: buffers that move from queue to queue while kernels still use them.
 *
 * A task fills one buffer with a pattern, has a kernel copy it into a second one, copies both ends of the second into a
 * buffer of checks and releases the two at once, without waiting.  A buffer that is reused too early loses the pattern,
 * and the check fails.
 */
#include "bench/pool_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>

#include "memory/backend/backend.h"
#include "base/clock.h"
#include "memory/pool/pool.h"
#include "coupling/stages/compute.h"
#include "coupling/registry/registry.h"

enum { N_TASKS = 400, MAX_QUEUES = 4, SLICE = 4096, LEAST_VALUES = 16 << 10, MOST_VALUES = 128 << 10, DEPTH = 8 };

typedef struct run {
	clpac_pool *pool;
	clpac_queue *queues[MAX_QUEUES];
	size_t n_queues, n_tasks;
	clpac_buffer *checks; /* two slices for each task */
	unsigned char *found;
	uint64_t n_corrupt; /* of all repetitions */
	bool is_finished_first;
	clpac_event *ends[DEPTH]; /* of the last tasks on an out-of-order queue */
} run;

/* Orders later commands after the present ones; an out-of-order queue does not do so by itself. */
static clpac_event *order(const run *r, clpac_queue *queue)
{
	clpac_error err;
	clpac_event *event = NULL;
	if (queue->is_in_order)
		return NULL;
	end_if(clpac_queue_mark(r->pool, queue, &event, &err), &err);
	end_if(clpac_queue_wait_for(r->pool, queue, event, &err), &err);
	return event;
}

/* Limits the tasks in flight on an out-of-order queue, because PoCL's cost grows with the square of the waiting
 * commands. */
static void wait_for_slot(run *r, size_t task)
{
	clpac_error err;
	clpac_event *end = r->ends[task % DEPTH];
	if (end)
		end_if(clpac_event_wait(r->pool, end, &err), &err);
	clpac_event_release(r->pool, end);
	r->ends[task % DEPTH] = NULL;
}

static unsigned char pattern_of(size_t task)
{
	return (unsigned char)(1 + task % 125);
}

static void put_task(run *r, size_t task, size_t n_values)
{
	clpac_error err;
	clpac_buffer *narrow, *wide;
	clpac_queue *queue = r->queues[task % r->n_queues];
	const clpac__queue_operations *on = queue->operations;
	const size_t bytes = n_values * sizeof(float);
	wait_for_slot(r, task);
	end_if(clpac_pool_request(r->pool, &(clpac_request){.bytes = bytes, .tag = "narrow", .queue = queue}, &narrow,
				  &err),
	       &err);
	end_if(clpac_pool_request(r->pool, &(clpac_request){.bytes = 2 * bytes, .tag = "wide", .queue = queue}, &wide,
				  &err),
	       &err);
	clpac__block *from = clpac__buffer_block(narrow), *to = clpac__buffer_block(wide),
		     *checks = clpac__buffer_block(r->checks);
	const clpac__launch launch = {
		.items = {n_values, 1, 1},
		CLPAC__STAGE(widen, .real = from, .wide = to, .length = (uint32_t)n_values,
			     .stride = (uint32_t)n_values),
	};
	end_if(on->fill(queue, from, 0, bytes, pattern_of(task), &err), &err);
	clpac_event_release(r->pool, order(r, queue));
	end_if(clpac__compute_launch(queue, &launch, &err), &err);
	clpac_event_release(r->pool, order(r, queue));
	end_if(on->copy(queue, to, 0, checks, task * 2 * SLICE, SLICE, &err), &err);
	end_if(on->copy(queue, to, 2 * bytes - SLICE, checks, task * 2 * SLICE + SLICE, SLICE, &err), &err);
	r->ends[task % DEPTH] = order(r, queue);
	if (r->is_finished_first)
		end_if(on->finish(queue, &err), &err);
	clpac_buffer_release(wide);
	clpac_buffer_release(narrow);
}

static bool is_corrupt(const unsigned char *slice, unsigned char pattern)
{
	const unsigned char value[8] = {pattern, pattern, pattern, pattern};
	for (size_t i = 0; i < 2 * SLICE; i += sizeof value)
		if (memcmp(slice + i, value, sizeof value) != 0)
			return true;
	return false;
}

static double play(void *user)
{
	run *r = user;
	clpac_error err;
	uint64_t seed = 9;
	const double begin = clpac__clock_seconds();
	for (size_t task = 0; task < r->n_tasks; task++)
		put_task(r, task, LEAST_VALUES + next_random(&seed) % (MOST_VALUES - LEAST_VALUES + 1));
	for (size_t i = 0; i < DEPTH; i++)
		wait_for_slot(r, i);
	for (size_t i = 0; i < r->n_queues; i++)
		end_if(clpac_queue_finish(r->pool, r->queues[i], &err), &err);
	const double seconds = clpac__clock_seconds() - begin;

	const size_t bytes = r->n_tasks * 2 * SLICE;
	end_if(clpac_buffer_read(r->checks, 0, bytes, r->found, &err), &err);
	for (size_t task = 0; task < r->n_tasks; task++)
		r->n_corrupt += is_corrupt(r->found + task * 2 * SLICE, pattern_of(task));
	end_if(clpac_buffer_fill(r->checks, 0, bytes, 0xee, &err), &err);
	end_if(clpac_queue_finish(r->pool, clpac_pool_queue(r->pool), &err), &err);
	return seconds / (double)r->n_tasks;
}

static void open_queues(run *r, size_t n, bool is_in_order)
{
	clpac_error err;
	for (r->n_queues = 0; r->n_queues < n; r->n_queues++) {
		clpac_queue **queue = &r->queues[r->n_queues];
		end_if(clpac_queue_open(r->pool, is_in_order, queue, &err), &err);
		end_if(clpac__compute_prepare(*queue, 0, &err), &err);
	}
}

void scenario_queues(const bench *b)
{
	static const struct {
		const char *what;
		size_t n;
		bool is_in_order;
	} kinds[] = {
		{"1 queue", 1, true}, {"2 queues", 2, true}, {"4 queues", 4, true}, {"1 out-of-order queue", 1, false}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		clpac_error err;
		clpac_pool_statistics before, after;
		run ours = {.n_tasks = b->is_quick ? 40 : N_TASKS};
		line l = line_make("S8", kinds[i].what, L2, "finish before free");
		if (!is_wanted(b, l.id, l.what, l.level, l.baseline))
			continue;
		const size_t bytes = ours.n_tasks * 2 * SLICE;
		ours.found = get_memory(bytes, 1);
		end_if(clpac_pool_create(b->context, NULL, &ours.pool, &err), &err);
		open_queues(&ours, kinds[i].n, kinds[i].is_in_order);
		end_if(clpac_pool_allocate(ours.pool, bytes, "checks", &ours.checks, &err), &err);
		run theirs = ours;
		theirs.is_finished_first = true;

		play(&theirs);
		play(&ours);
		clpac_pool_measure(ours.pool, &before, sizeof before);
		take_turns(b, play, &theirs, play, &ours, &l);
		clpac_pool_measure(ours.pool, &after, sizeof after);
		l.driver_calls = after.driver_calls - before.driver_calls;
		l.found = l.ratio;
		l.wanted =
			is_native(b)
				? NAN
				: 1.2; /* the native queue finishes every command at once: there is nothing to gain */
		line_print(b, &l);
		line corrupt = line_make("S8", kinds[i].what, L2, "corrupt tasks");
		corrupt.n_repetitions = l.n_repetitions;
		corrupt.found = (double)(ours.n_corrupt + theirs.n_corrupt);
		corrupt.wanted = 0;
		corrupt.is_at_most = true;
		line_print(b, &corrupt);

		clpac_buffer_release(ours.checks);
		for (size_t k = 0; k < ours.n_queues; k++)
			clpac_queue_close(ours.pool, ours.queues[k]);
		clpac_pool_destroy(ours.pool);
		free(ours.found);
	}
}
