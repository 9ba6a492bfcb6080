/* A plan's description of itself: its memory, and how its results were computed. */
#include "runner.h"
#include "assertions.h"
#include "contract/places.h"
#include "coupling/passes/plan.h"
#include "plan_fixture.h"
#include "results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>
#include <clpac/signal.h>

TEST(runs_and_rehearsals_ask_the_pool_for_nothing_and_hold_what_was_estimated)
{
	clpac_error err;
	clpac_context *context = open_native();
	clpac_pool *pool = clpac_context_pool(context);
	for (int hilbert = 0; hilbert < 2; hilbert++)
		for (int strategy = CLPAC_STRATEGY_VECTORIZED; strategy <= CLPAC_STRATEGY_SEQUENTIAL; strategy++) {
			clpac_problem p = base();
			p.hilbert = (clpac_hilbert)hilbert;
			float x[N_CHANNELS * N_SAMPLES];
			double *noise = make_samples(10, N_CHANNELS * N_SAMPLES);
			for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++)
				x[i] = (float)noise[i];
			clpac_pool_statistics empty, planned, after;
			clpac_pool_measure(pool, &empty, sizeof empty);
			ck_assert_uint_eq(empty.active_buffers, 0);
			clpac_plan *plan =
				place_plan(context, &p, &(clpac_plan_options){.strategy = (clpac_strategy)strategy});
			clpac_pool_measure(pool, &planned, sizeof planned);
			const clpac_report *report = clpac_plan_report(plan);
			ck_assert_uint_eq(report->estimate_bytes, planned.requested_bytes);
			for (int times = 0; times < 2; times++) {
				clpac_result *result = NULL;
				assert_works(clpac_plan_run(plan, x, &result, &err), err);
				clpac_pool_measure(pool, &after, sizeof after);
				ck_assert_uint_eq(after.hits + after.misses, planned.hits + planned.misses);
				ck_assert_uint_eq(after.driver_calls, planned.driver_calls);
				ck_assert_uint_eq(after.active_buffers, planned.active_buffers);
				ck_assert_uint_eq(clpac_result_report(result)->peak_bytes, planned.in_use_bytes);
				ck_assert_uint_eq(clpac_result_report(result)->estimate_bytes, report->estimate_bytes);
				clpac_result_destroy(result);
			}
			double seconds = -1;
			assert_works(clpac_plan_rehearse(plan, &seconds, &err), err);
			ck_assert(seconds >= 0);
			clpac_pool_measure(pool, &after, sizeof after);
			ck_assert_uint_eq(after.active_buffers, planned.active_buffers);
			clpac_plan_destroy(plan);
			clpac_pool_measure(pool, &after, sizeof after);
			ck_assert_uint_eq(after.active_buffers, 0);
			free(noise);
		}
	clpac_context_close(context);
}

TEST(strategies_take_the_shares_of_memory_that_they_promise)
{
	static const struct {
		clpac_strategy strategy;
		double share;
	} cases[] = {{CLPAC_STRATEGY_AUTO, 0.8}, {CLPAC_STRATEGY_CONSERVATIVE, 0.6}, {CLPAC_STRATEGY_AGGRESSIVE, 0.95}};
	clpac_context *context = open_native();
	clpac_problem p = base();
	/* A device as large as the pool's budget, which would otherwise be less than the largest of the shares. */
	const uint64_t available = clpac_pool_budget(clpac_context_pool(context));
	clpac_device *device = &context->queue->device;
	device->memory_bytes = device->free_bytes = available;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_plan *plan = place_plan(context, &p, &(clpac_plan_options){.strategy = cases[i].strategy});
		const double budget = (double)clpac_plan_report(plan)->budget_bytes;
		assert_close(budget / (double)available, cases[i].share, 1e-6); /* whole bytes of more than a MiB */
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
}

TEST(the_report_tells_how_it_was_computed)
{
	clpac_error err;
	clpac_context *context = open_native();
	context->options.profile = true;
	clpac_problem p = base();
	p.edge_samples = 50;
	double *x = make_samples(11, N_CHANNELS * N_SAMPLES);
	clpac_result *result = run(context, &p, x);
	const clpac_report *report = clpac_result_report(result);
	ck_assert_str_eq(report->backend, "native");
	ck_assert(report->device[0] && report->fft_engine[0] && report->instruction_set[0] && report->strategy[0]);
	ck_assert_uint_eq(report->n_threads, 1);
	ck_assert_uint_eq(report->n_series, N_CHANNELS);
	ck_assert_uint_eq(report->edge_samples, 50);
	ck_assert_uint_eq(report->kept_samples, N_SAMPLES - 100);
	ck_assert_uint_eq(report->extension_samples, 3 * 62);
	ck_assert_uint_gt(report->fft_length, 2 * 3 * 62); /* of a block, which overlaps its neighbours so far */
	ck_assert_uint_ge(report->n_stages, 5);
	double stages = 0;
	for (size_t s = 0; s < report->n_stages; s++)
		stages += report->stages[s].seconds;
	ck_assert(stages > 0 && stages <= report->seconds);
	/* The line of text is the whole problem: it gives the same bits. */
	clpac_problem_copy *copy;
	assert_works(clpac_problem_read(clpac_result_problem(result), &copy, &err), err);
	clpac_result *replayed = run(context, clpac_problem_get(copy), x);
	results_same_bits(result, replayed, "replayed", clpac_result_problem(result));
	clpac_problem_destroy(copy);
	clpac_result_destroy(replayed);
	clpac_result_destroy(result);

	clpac_plan *plan = place_plan(context, &p, NULL);
	char *text;
	assert_works(clpac_plan_explain(plan, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "native"));
	/* Each tensor of the memory is told with its size, and nothing else is. */
	size_t n_tensors = 0, n_told = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_FURTHER; tensor++) {
		char line[200];
		const bool is_over = plan->layout.rooms[tensor] != tensor;
		snprintf(line, sizeof line, "\n           %10.3f MiB  %s%s%s\n",
			 (double)clpac__layout_kind(&plan->layout, tensor) / (1 << 20), clpac__tensor_text(tensor),
			 is_over ? ", in the place of: " : "",
			 is_over ? clpac__tensor_text(plan->layout.rooms[tensor]) : "");
		ck_assert_msg(!strstr(text, line) == !plan->layout.bytes[tensor], "%s%s", text, line);
		n_tensors += plan->layout.bytes[tensor] != 0;
	}
	for (const char *at = text; (at = strstr(at, " MiB  ")); at++)
		n_told++;
	ck_assert_uint_eq(n_told, n_tensors);
	ck_assert_uint_gt(n_tensors, 5);
	size_t n_warnings = 0;
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		n_warnings += plan->report.warnings[kind].count != 0;
	for (const char *at = text; (at = strstr(at, "\nwarning")); at++)
		n_warnings--;
	ck_assert_uint_eq(n_warnings, 0);
	clpac_text_free(text);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(x);
}

/* Entries of edge lists for each sample of a series. */
static double entries_of(clpac_context *context, size_t n_samples)
{
	static const clpac_band phases[] = {{1.5, 2.5}, {15, 25}};
	clpac_problem p = base();
	p.rate_hz = 1000;
	p.n_channels = 1;
	p.n_samples = n_samples;
	p.phase_bands = phases;
	p.n_phase_bands = COUNT(phases);
	p.n_surrogates = 0;
	p.keep_surrogates = false;
	clpac_plan *plan = place_plan(context, &p, NULL);
	const double entries = (double)plan->layout.capacity / (double)n_samples;
	clpac_plan_destroy(plan);
	return entries;
}

/* 18 bins, and 64.25 entries for each; the filter of the fastest band passes nothing above 25 Hz + 2 rate / order. */
TEST(a_long_series_has_room_for_the_edges_that_its_filters_pass)
{
	clpac_context *context = open_native();
	const size_t n = (size_t)1 << 20;
	const double bins_of_sample = 18 / 1000.0, beside = 64.25 * 18 / (double)n;
	const double passed_hz = 25 + 2 * 1000 / (double)clpac_signal_order(1000, 15, 3, n);
	assert_close(entries_of(context, n - 16), 2 * 25 * bins_of_sample + beside, 1e-4);
	assert_close(entries_of(context, n), 1.05 * passed_hz * bins_of_sample + beside, 1e-4);
	clpac_context_close(context);
}

const char *skip_reason(void)
{
	return places_missing("native");
}
