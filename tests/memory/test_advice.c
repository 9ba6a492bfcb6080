/* Advice on pool options, compared with the trace that it was drawn from. */
#include "runner.h"

#include <stdlib.h>
#include "assertions.h"
#include "pool_truth.h"
#include <clpac/memory/trace.h>

enum { MEBIBYTE = 1 << 20 };

TEST(advice_has_the_most_that_were_alive_of_each_class)
{
	/* 1000 and 1010 share a class; the refused request is not counted. */
	clpac_trace_event events[] = {
		{.bytes = 1000, .slot = 0, .tag = "", .outcome = CLPAC_TRACE_MISS},
		{.bytes = 1010, .slot = 1, .tag = "", .outcome = CLPAC_TRACE_MISS},
		{.bytes = 1000, .slot = 0, .tag = "", .operation = CLPAC_TRACE_RELEASE},
		{.bytes = 1000, .slot = 0, .tag = "", .outcome = CLPAC_TRACE_HIT},
		{.bytes = 3 * MEBIBYTE, .slot = 2, .tag = "", .outcome = CLPAC_TRACE_HIT},
		{.bytes = 5000, .slot = 3, .tag = "", .outcome = CLPAC_TRACE_REFUSED},
		{.bytes = 1, .slot = SIZE_MAX, .tag = "", .operation = CLPAC_TRACE_RELEASE},
	};
	clpac_trace trace = {.n = COUNT(events), .n_slots = 4, .events = events};
	clpac_advice advice;
	clpac_error err;
	assert_works(clpac_advice_from_trace(&trace, 0, &advice, &err), err);
	ck_assert_uint_eq(advice.n, 2);
	ck_assert_uint_eq(advice.bytes[0], 1010);
	ck_assert_uint_eq(advice.counts[0], 2);
	ck_assert_uint_eq(advice.bytes[1], 3 * MEBIBYTE);
	ck_assert_uint_eq(advice.counts[1], 1);
	ck_assert_uint_eq(advice.warm_up_bytes, 3 * MEBIBYTE + 2048);
	ck_assert_uint_eq(advice.max_kept_per_class, 0);
	ck_assert_uint_eq(advice.max_segment_bytes, MEBIBYTE);
	ck_assert_uint_eq(advice.budget_bytes, (3 * MEBIBYTE + 2048) / 8 * 9 + 2 * MEBIBYTE);
	ck_assert_uint_eq(advice.n_allocated, 4);
	ck_assert(advice.hit_rate == 0.5);
	char *text = NULL;
	assert_works(clpac_advice_text(&advice, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "4 allocations seen, 50 % of them from the cache\n"));
	ck_assert_ptr_nonnull(strstr(text, "  2 x 1010 bytes\n"));
	clpac_text_free(text);
	assert_survives_failing_allocations(clpac_advice_text(&advice, &text, NULL), clpac_text_free(text));
	clpac_advice_free(&advice);
	clpac_advice_free(NULL);
	assert_survives_failing_allocations(clpac_advice_from_trace(&trace, 0, &advice, NULL),
					    clpac_advice_free(&advice));

	assert_refused(clpac_advice_from_trace(&trace, 3, &advice, &err), err, CLPAC_ERROR_ARGUMENT,
		       "classes_per_octave is 3");
	events[0].bytes = UINT64_MAX;
	assert_refused(clpac_advice_from_trace(&trace, 8, &advice, &err), err, CLPAC_ERROR_ARGUMENT,
		       "event 0 asks for");
	events[0].slot = 4;
	assert_refused(clpac_advice_from_trace(&trace, 8, &advice, &err), err, CLPAC_ERROR_ARGUMENT,
		       "event 0 has slot 4");
}

TEST(advice_from_nothing_leaves_the_defaults)
{
	clpac_trace empty = {0};
	clpac_advice advice;
	clpac_error err;
	assert_works(clpac_advice_from_trace(&empty, 0, &advice, &err), err);
	ck_assert_uint_eq(advice.n, 0);
	ck_assert_uint_eq(advice.budget_bytes, 0);
	ck_assert_uint_eq(advice.max_segment_bytes, 0);
	clpac_advice_free(&advice);
	clpac_advice_from_statistics(&(clpac_pool_statistics){0}, &advice);
	ck_assert_uint_eq(advice.max_kept_per_class, 0);
	ck_assert_uint_eq(advice.budget_bytes, 0);
	clpac_advice_free(&advice);
}

TEST(statistics_tell_how_often_blocks_were_made_again)
{
	clpac_pool_statistics statistics = {.hits = 10,
					    .misses = 30,
					    .hit_rate = 0.25,
					    .active_buffers = 2,
					    .pooled_buffers = 8,
					    .peak_allocated_bytes = 40 * (uint64_t)MEBIBYTE};
	clpac_advice advice;
	clpac_advice_from_statistics(&statistics, &advice);
	ck_assert_uint_eq(advice.max_kept_per_class, 32); /* remade three times each: keep four times as many */
	ck_assert_uint_eq(advice.max_segment_bytes, 16 * MEBIBYTE);
	ck_assert_uint_eq(advice.budget_bytes, (45 + 32) * (uint64_t)MEBIBYTE);
	ck_assert_uint_eq(advice.n, 0);
	char *text = NULL;
	ck_assert_int_eq(clpac_advice_text(&advice, &text, NULL), CLPAC_OK);
	ck_assert_ptr_nonnull(strstr(text, "a trace tells them"));
	clpac_text_free(text);
	statistics.misses = 10;
	clpac_advice_from_statistics(&statistics, &advice);
	ck_assert_uint_eq(advice.max_kept_per_class, 0);
	statistics.misses = UINT64_MAX;
	clpac_advice_from_statistics(&statistics, &advice);
	ck_assert_uint_eq(advice.max_kept_per_class, 256);
}

/* Random requests of log-uniform sizes; each slot is taken and given back in turn. */
static clpac_trace random_trace(unsigned long long seed, size_t n, size_t n_slots)
{
	clpac_trace trace = {.n = n, .n_slots = n_slots, .events = calloc(n, sizeof *trace.events)};
	bool *is_taken = calloc(n_slots, sizeof *is_taken);
	for (size_t i = 0; i < n; i++) {
		clpac_trace_event *event = &trace.events[i];
		event->slot = random_below(&seed, n_slots);
		event->tag = "random";
		event->operation = is_taken[event->slot] ? CLPAC_TRACE_RELEASE : CLPAC_TRACE_ALLOCATE;
		event->outcome = is_taken[event->slot] ? CLPAC_TRACE_NONE : CLPAC_TRACE_MISS;
		event->bytes = (uint64_t)exp2(21 * random_unit(&seed));
		is_taken[event->slot] = !is_taken[event->slot];
	}
	free(is_taken);
	return trace;
}

TEST(a_pool_that_follows_the_advice_makes_no_driver_call_after_the_warm_up)
{
	for (unsigned long long seed = 1; seed <= 20; seed++) {
		clpac_trace trace = random_trace(seed, 2000, 100);
		clpac_advice advice;
		clpac_error err;
		assert_works(clpac_advice_from_trace(&trace, 0, &advice, &err), err);
		simulated_device device;
		clpac_pool *pool =
			open_pool(&device, advice.budget_bytes,
				  &(clpac_pool_options){.cache = {.max_kept_per_class = advice.max_kept_per_class,
								  .max_segment_bytes = advice.max_segment_bytes}});
		assert_works(clpac_pool_warm_up(pool, advice.n, advice.bytes, advice.counts, &err), err);
		clpac_pool_statistics before, after;
		clpac_pool_measure(pool, &before, sizeof before);
		clpac_replay_report report;
		assert_works(clpac_trace_replay_on_pool(&trace, pool, &report, &err), err);
		clpac_pool_measure(pool, &after, sizeof after);
		ck_assert_msg(after.driver_calls == before.driver_calls, "seed %llu: %llu calls", seed,
			      (unsigned long long)(after.driver_calls - before.driver_calls));
		ck_assert_uint_eq(after.misses, before.misses);
		ck_assert_uint_eq(after.hits - before.hits, report.n_allocated);
		ck_assert_uint_eq(report.n_refused, 0);
		ck_assert_uint_eq(report.n_allocated, advice.n_allocated);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
		clpac_advice_free(&advice);
		free(trace.events);
	}
}
