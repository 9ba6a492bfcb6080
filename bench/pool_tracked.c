/* S12: the cost of the tracker. */
#include "bench/pool_bench.h"

#include <clpac/memory/trace.h>

typedef struct player {
	const struct trace *trace;
	allocator *allocator;
} player;

static double play(void *user)
{
	const player *p = user;
	return trace_play(p->trace, p->allocator, L0) / (double)p->trace->n_timed;
}

/* Guards against measuring a pool whose tracker is off. */
static void check_is_tracked(allocator *a)
{
	clpac_error err;
	clpac_live_list list = {0};
	void *held = a->take(a, 1024);
	end_if(clpac_pool_list(ours_pool(a), 0, &list, &err), &err);
	const size_t n = list.n;
	clpac_live_list_free(&list);
	a->give(a, held, 1024);
	if (n != 1)
		end("the pool does not track its buffers");
}

static void measure_tracker(const bench *b, const char *what, const struct trace *t)
{
	line l = line_make("S12", what, L0, "the same without tracker");
	if (!is_wanted(b, l.id, l.what, l.level, l.baseline))
		return;
	player plain = {t, ours_open(b, NULL)};
	player tracked = {t, ours_open(b, &(clpac_pool_options){.checks = {.is_tracked = true}})};
	check_is_tracked(tracked.allocator);
	play(&plain);
	play(&tracked);
	take_turns(b, play, &plain, play, &tracked, &l);
	/* Per call: an allocation and its release are two. */
	l.found = l.ours_ns - l.baseline_ns;
	l.wanted = 15;
	l.is_at_most = true;
	line_print(b, &l);
	tracked.allocator->close(tracked.allocator);
	plain.allocator->close(plain.allocator);
}

void scenario_tracked(const bench *b)
{
	struct trace transformer = trace_transformer(128), uniform = trace_uniform(50000, 1024, 5);
	measure_tracker(b, "tracker, S3, T = 128", &transformer);
	measure_tracker(b, "tracker, S5, uniform", &uniform);
	trace_free(&transformer);
	trace_free(&uniform);
}
