/* S11: the cost of the first use, and the part that warm-up and cached discovery leave of it. */
#include "bench/pool_bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

typedef struct fresh {
	const bench *bench;
	allocator *pool, *raw; /* pool: the one made last */
	const struct trace *trace;
	level level;
} fresh;

static void make_pool(fresh *f)
{
	if (f->pool)
		f->pool->close(f->pool);
	f->pool = ours_open(f->bench, NULL);
}

static double take_one(allocator *a)
{
	const size_t bytes = 1 << 20;
	const double begin = clpac__clock_seconds();
	void *held = a->take(a, bytes);
	const double seconds = clpac__clock_seconds() - begin;
	a->give(a, held, bytes);
	return seconds;
}

static double first_of_raw(void *user)
{
	return take_one(((fresh *)user)->raw);
}

static double first_of_pool(void *user)
{
	make_pool(user);
	return take_one(((fresh *)user)->pool);
}

static double play(const fresh *f)
{
	return trace_play(f->trace, f->pool, f->level) / (double)f->trace->n_timed;
}

static double round_1(void *user)
{
	make_pool(user);
	return play(user);
}

static double round_2(void *user)
{
	return play(user);
}

static void print_found(const bench *b, const char *what, level level, const char *of, double found, double wanted)
{
	line l = line_make("S11", what, level, of);
	if (!is_wanted(b, l.id, l.what, l.level, l.baseline))
		return;
	l.found = found;
	l.wanted = wanted;
	l.is_at_most = true;
	line_print(b, &l);
}

static void measure_calls(const bench *b, const struct trace *t, bool is_warmed_up)
{
	clpac_error err;
	usage before, after;
	allocator *a = ours_open(b, NULL);
	if (is_warmed_up) {
		size_t *bytes = get_memory(t->n_slots, sizeof *bytes), *counts = get_memory(t->n_slots, sizeof *counts);
		for (size_t i = 0; i < t->n; i++)
			if (t->operations[i].step == TAKE) {
				bytes[t->operations[i].slot] = t->operations[i].bytes;
				counts[t->operations[i].slot] = 1;
			}
		end_if(clpac_pool_warm_up(ours_pool(a), t->n_slots, bytes, counts, &err), &err);
		free(bytes);
		free(counts);
	} else {
		trace_play(t, a, L0);
	}
	a->measure(a, &before);
	trace_play(t, a, L0);
	a->measure(a, &after);
	a->close(a);
	print_found(b, is_warmed_up ? "round 1 after clpac_pool_warm_up" : "round 2", L0, "driver calls",
		    (double)(after.driver_calls - before.driver_calls), 0);
}

static double find_devices(void)
{
	clpac_error err;
	clpac_device_list *devices;
	const double begin = clpac__clock_seconds();
	end_if(clpac_devices_find(&devices, &err), &err);
	const double seconds = clpac__clock_seconds() - begin;
	clpac_devices_destroy(devices);
	return seconds;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void measure_discovery(const bench *b)
{
	enum { N = 101 };
	double seconds[N];
	line l = line_make("S11", "cached discovery, microseconds", L0, "cold discovery");
	if (!is_wanted(b, l.id, l.what, l.level, l.baseline))
		return;
	for (size_t i = 0; i < N; i++)
		seconds[i] = find_devices();
	qsort(seconds, N, sizeof *seconds, by_value);
	const double cached_s = seconds[N / 2];
	l.ratio = b->cold_discovery_s / cached_s;
	l.baseline_ns = 1e9 * b->cold_discovery_s;
	l.ours_ns = 1e9 * cached_s;
	l.found = 1e6 * cached_s;
	l.wanted = 10;
	l.is_at_most = true;
	l.n_repetitions = N;
	line_print(b, &l);
}

void scenario_warm_up(const bench *b)
{
	struct trace t = trace_transformer(128);
	fresh f = {.bench = b, .trace = &t};

	line l = line_make("S11", "first allocation, 1 MiB", L1, "raw");
	if (is_wanted(b, l.id, l.what, l.level, l.baseline)) {
		f.raw = baseline_open(b, "raw", L1, 0);
		take_turns(b, first_of_raw, &f, first_of_pool, &f, &l);
		l.found = l.ratio;
		line_print(b, &l);
		f.raw->close(f.raw);
	}
	for (level level = L0; level <= L2; level = level == L0 ? L2 : N_LEVELS) {
		f.level = level;
		l = line_make("S11", "round 2", level, "round 1");
		if (is_wanted(b, l.id, l.what, l.level, l.baseline)) {
			take_turns(b, round_1, &f, round_2, &f, &l);
			l.found = l.ratio;
			line_print(b, &l);
		}
	}
	if (f.pool)
		f.pool->close(f.pool);
	measure_calls(b, &t, false);
	measure_calls(b, &t, true);
	measure_discovery(b);
	trace_free(&t);
}
