#include "plan_thread_laws.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/plan.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "contract/places.h"
#include "coupling/stages/stages.h"
#include "coupling/run/place.h"
#include "random.h"
#include "results.h"

enum { RATE = 250, N_CHANNELS = 3, N_SEGMENTS = 3, N_SAMPLES = 682, N_VALUES = N_CHANNELS * N_SEGMENTS * N_SAMPLES };
enum { N_THREADS = 3, N_RUNS = 3 };

static const clpac_band phase_bands[] = {{4, 8}, {8, 13}}, amplitude_bands[] = {{30, 45}, {50, 75}, {60, 90}};
static const clpac_measure measures[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_GCMI};
static const clpac_pair pairs[] = {{0, 1}, {1, 2}, {0, 2}, {2, 2}};

/* What runs keep besides samples differs between these: draws, spectra, slots, channels, chunks. */
static const struct kind {
	const char *label;
	clpac_null null;
	bool has_pairs;
	clpac_plan_options options;
} kinds[] = {
	{"shifts", CLPAC_NULL_SHIFTS, false, {.max_batch = 4}},
	{"chunks", CLPAC_NULL_SHIFTS, false, {.strategy = CLPAC_STRATEGY_SEQUENTIAL}},
	{"segments", CLPAC_NULL_TRIALS, false, {0}},
	{"blocks", CLPAC_NULL_BLOCKS, false, {.max_batch = 2}},
	{"random phases", CLPAC_NULL_PHASES, false, {0}},
	{"pairs", CLPAC_NULL_SHIFTS, true, {.max_batch = 2}},
};
enum { N_KINDS = COUNT(kinds) };

static clpac_problem problem_of(const struct kind *kind)
{
	return (clpac_problem){.rate_hz = RATE,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = 2,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = 3,
			       .pairs = kind->has_pairs ? pairs : NULL,
			       .n_pairs = kind->has_pairs ? 4 : 0,
			       .measures = measures,
			       .n_measures = 2,
			       .null = kind->null,
			       .n_surrogates = 12,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

/* A thread that runs a plan on samples of its own. */
typedef struct runner {
	clpac_plan *plan;
	float *x;
	clpac_result *wanted, *results[N_RUNS];
	clpac_status st;
	clpac_error err;
} runner;

static float *noise(unsigned long long seed)
{
	float *x = malloc(N_VALUES * sizeof *x);
	double drift = 0;
	for (size_t t = 0; t < N_VALUES; t++)
		x[t] = (float)(random_drifting(&seed, &drift) - 0.5);
	return x;
}

/* Makes the samples, and what a run of them gives in a plan that nobody else runs. */
static void prepare(runner *runners, size_t n, clpac_context *context, const clpac_problem *p,
		    const clpac_plan_options *options)
{
	clpac_error err;
	clpac_plan *alone = place_plan(context, p, options);
	for (size_t i = 0; i < n; i++) {
		runners[i] = (runner){.x = noise(100 + i)};
		assert_works(clpac_plan_run(alone, runners[i].x, &runners[i].wanted, &err), err);
	}
	clpac_plan_destroy(alone);
}

/* Every run gave what it gives alone. */
static void judge(runner *runners, size_t n, const char *label)
{
	for (size_t i = 0; i < n; i++) {
		char text[120];
		snprintf(text, sizeof text, "%s, thread %zu", label, i);
		ck_assert_msg(runners[i].st == CLPAC_OK, "%s: %s", text, runners[i].st ? runners[i].err.text : "");
		for (size_t k = 0; k < N_RUNS; k++) {
			if (runners[i].results[k])
				results_same_bits(runners[i].wanted, runners[i].results[k], text, "");
			clpac_result_destroy(runners[i].results[k]);
		}
		clpac_result_destroy(runners[i].wanted);
		free(runners[i].x);
	}
}

static void *run_again_and_again(void *user)
{
	runner *self = user;
	for (size_t k = 0; k < N_RUNS && self->st == CLPAC_OK; k++)
		self->st = clpac_plan_run(self->plan, self->x, &self->results[k], &self->err);
	return NULL;
}

static void run_at_once(runner *runners, size_t n, clpac_plan *plan)
{
	pthread_t threads[N_THREADS];
	for (size_t i = 0; i < n; i++) {
		runners[i].plan = plan;
		ck_assert_int_eq(pthread_create(&threads[i], NULL, run_again_and_again, &runners[i]), 0);
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static size_t count_batches(const clpac_plan *plan)
{
	size_t n = 0;
	for (const clpac__batch *batch = plan->runs->batches; batch; batch = batch->next)
		n++;
	return n;
}

static place_rounds rounds;

START_TEST(threads_that_run_one_plan_get_what_each_gets_alone)
{
	const struct kind *kind = &kinds[round_problem(&rounds, _i)];
	const size_t place = round_place(&rounds, _i);
	runner runners[N_THREADS];
	char label[120];
	snprintf(label, sizeof label, "%s, %s", place_label(place), kind->label);
	clpac_context *context = place_open(place);
	const clpac_problem p = problem_of(kind);
	prepare(runners, N_THREADS, context, &p, &kind->options);
	clpac_plan *plan = place_plan(context, &p, &kind->options);
	run_at_once(runners, N_THREADS, plan);
	ck_assert_uint_le(count_batches(plan), N_THREADS);
	judge(runners, N_THREADS, label);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* --- A run within another: the first waits, when it tells of its progress, until the second has ended ------- */

typedef struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_within, may_go_on;
} meeting;

static bool wait_for_the_other(void *user, size_t done, size_t total)
{
	meeting *m = user;
	(void)done, (void)total;
	pthread_mutex_lock(&m->lock);
	const bool is_first = !m->is_within;
	m->is_within = true;
	pthread_cond_broadcast(&m->changed);
	while (is_first && !m->may_go_on)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
	return true;
}

static void *run_once(void *user)
{
	runner *self = user;
	self->st = clpac_plan_run(self->plan, self->x, &self->results[0], &self->err);
	return NULL;
}

/* Runs the second within the first. */
static void run_within(runner *first, runner *second, clpac_plan *plan, meeting *m)
{
	pthread_t thread;
	m->is_within = m->may_go_on = false;
	first->plan = second->plan = plan;
	ck_assert_int_eq(pthread_create(&thread, NULL, run_once, first), 0);
	pthread_mutex_lock(&m->lock);
	while (!m->is_within)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
	run_once(second);
	pthread_mutex_lock(&m->lock);
	m->may_go_on = true;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	pthread_join(thread, NULL);
}

START_TEST(a_second_thread_gets_a_batch_of_its_own_which_is_kept)
{
	const size_t place = (size_t)_i;
	meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	const clpac_plan_options options = {.max_batch = 4, .progress = wait_for_the_other, .progress_user = &m};
	runner runners[2];
	clpac_pool_statistics one, two, again;
	clpac_context *context = place_open(place);
	const clpac_problem p = problem_of(&kinds[0]);
	prepare(runners, 2, context, &p, NULL);
	clpac_plan *plan = place_plan(context, &p, &options);
	ck_assert_uint_eq(count_batches(plan), 1);
	clpac_pool_measure(clpac_context_pool(context), &one, sizeof one);
	run_within(&runners[0], &runners[1], plan, &m);
	ck_assert_uint_eq(count_batches(plan), 2);
	clpac_pool_measure(clpac_context_pool(context), &two, sizeof two);
	/* The second batch takes as much as the first, but for what no run changes. */
	ck_assert_uint_eq(one.in_use_bytes, clpac_plan_report(plan)->taken_bytes);
	ck_assert_uint_lt(two.in_use_bytes, 2 * one.in_use_bytes);
	ck_assert_uint_gt(two.in_use_bytes, one.in_use_bytes);
	clpac_result_destroy(runners[0].results[0]);
	clpac_result_destroy(runners[1].results[0]);
	run_within(&runners[1], &runners[0], plan, &m);
	clpac_pool_measure(clpac_context_pool(context), &again, sizeof again);
	ck_assert_uint_eq(again.in_use_bytes, two.in_use_bytes);
	ck_assert_uint_eq(count_batches(plan), 2);
	judge(runners, 2, place_label(place));
	clpac_plan_destroy(plan);
	clpac_pool_measure(clpac_context_pool(context), &again, sizeof again);
	ck_assert_uint_eq(again.in_use_bytes, 0);
	clpac_context_close(context);
}

START_TEST(a_second_thread_without_room_is_refused_and_the_first_goes_on)
{
	const size_t place = (size_t)_i;
	meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	clpac_plan_options options = {.max_batch = 4};
	runner runners[2];
	char room[32];
	clpac_context *context = place_open(place);
	const clpac_problem p = problem_of(&kinds[0]);
	prepare(runners, 2, context, &p, NULL);
	clpac_plan *plan = place_plan(context, &p, &options);
	snprintf(room, sizeof room, "%zuK", (size_t)clpac_plan_report(plan)->taken_bytes / 1024 + 64);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	context = place_open_with(place, room, NULL, NULL);
	options.progress = wait_for_the_other;
	options.progress_user = &m;
	plan = place_plan(context, &p, &options);
	run_within(&runners[0], &runners[1], plan, &m);
	assert_refused(runners[1].st, runners[1].err, CLPAC_ERROR_NO_DEVICE_MEMORY, "buffers of its own");
	ck_assert_ptr_null(runners[1].results[0]);
	run_once(&runners[1]);
	judge(runners, 2, place_label(place));
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* --- A device that refuses memory in the middle of runs ------------------------------------------- */

static const clpac__compute_operations *kind_operations;
static atomic_long launches_left; /* until one is refused; 0 or less: none is */

static clpac_status launch_or_refuse(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	if (atomic_fetch_sub(&launches_left, 1) == 1)
		return clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY, "no room for a launch of %s",
				   clpac__stage_get(launch->stage)->name);
	return kind_operations->launch(compute, launch, err);
}

START_TEST(a_run_that_is_refused_memory_goes_down_beside_others)
{
	const size_t place = (size_t)_i;
	runner runners[2];
	size_t n_down = 0;
	clpac_context *context = place_open(place);
	const clpac_problem p = problem_of(&kinds[0]);
	const clpac_plan_options options = {.max_batch = 3};
	clpac__compute *compute = clpac__compute_of(context->queue);
	clpac__compute_operations unkind = *compute->operations;
	kind_operations = compute->operations;
	unkind.launch = launch_or_refuse;
	for (long launch = 1; launch < 400; launch += 120) {
		clpac_error err;
		clpac_pool_statistics left;
		prepare(runners, 2, context, &p, &options);
		clpac_plan *plan = place_plan(context, &p, &options);
		compute->operations = &unkind;
		atomic_store(&launches_left, launch);
		run_at_once(runners, 2, plan);
		const bool was_refused = atomic_load(&launches_left) <= 0;
		atomic_store(&launches_left, 0);
		compute->operations = kind_operations;
		judge(runners, 2, place_label(place));
		/* Later runs begin with the smaller layout, and what was left is given back. */
		ck_assert_uint_eq(clpac_plan_report(plan)->n_steps, was_refused);
		ck_assert_int_eq(clpac__plan_now(plan) != plan, was_refused);
		if (was_refused)
			for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
				ck_assert_ptr_null(plan->tensors[tensor]);
		n_down += was_refused;
		float *x = noise(100);
		clpac_result *alone = NULL, *result = NULL;
		assert_works(clpac_plan_run(plan, x, &result, &err), err);
		clpac_plan_destroy(plan);
		clpac_pool_measure(clpac_context_pool(context), &left, sizeof left);
		ck_assert_uint_eq(left.in_use_bytes, 0);
		plan = place_plan(context, &p, &options);
		assert_works(clpac_plan_run(plan, x, &alone, &err), err);
		results_same_bits(alone, result, place_label(place), "after going down");
		clpac_result_destroy(alone);
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
		free(x);
	}
	ck_assert_uint_gt(n_down, 0);
	clpac_context_close(context);
}

TCase *plan_thread_laws(size_t n_places)
{
	TCase *t = tcase_create("one plan");
	rounds = (place_rounds){n_places, N_KINDS};
	tcase_add_loop_test(t, threads_that_run_one_plan_get_what_each_gets_alone, 0, rounds_count(&rounds));
	tcase_add_loop_test(t, a_second_thread_gets_a_batch_of_its_own_which_is_kept, 0, (int)n_places);
	tcase_add_loop_test(t, a_second_thread_without_room_is_refused_and_the_first_goes_on, 0, (int)n_places);
	tcase_add_loop_test(t, a_run_that_is_refused_memory_goes_down_beside_others, 0, (int)n_places);
	return t;
}
