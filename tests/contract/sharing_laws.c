/* Threads that share a context get the numbers that each would get alone, and a failure in one thread does not disturb
 * the others. */
#include "sharing_laws.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clpac/signal.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "places.h"
#include "coupling/layout/context_engine.h"
#include "coupling/registry/registry.h"
#include "memory/pool/pool.h"
#include "random.h"
#include "results.h"
#include "sharing_work.h"

/* ---- Side by side ---- */

void sharing_check_plans(clpac_context *context, const char *label)
{
	references alone;
	worker *workers = make_workers(context);
	run_workers(workers);
	check_nothing_is_held(context);
	make_references(context, &alone); /* nothing else runs in it any more */
	for (size_t i = 0; i < N_THREADS; i++)
		judge(&workers[i], &alone, 0, label);
	drop_references(&alone);
	free(workers);
}

START_TEST(plans_of_several_threads_compute_what_they_compute_alone)
{
	sharing_begin();
	clpac_context *context = place_open((size_t)_i);
	sharing_check_plans(context, place_label((size_t)_i));
	clpac_context_close(context);
}

void sharing_check_engines(const clpac_device *device, clpac_options options, const char *label)
{
	clpac_error err;
	sharing_begin();
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++) {
		clpac_context *context = NULL;
		if (strcmp((*engine)->backend, device->backend) != 0)
			continue;
		snprintf(options.fft, sizeof options.fft, "%s", (*engine)->name);
		const clpac_status st = clpac_context_open(device, &options, &context, &err);
		if (st == CLPAC_ERROR_UNSUPPORTED) /* some drivers' compilers refuse clFFT's kernels */
			continue;
		assert_works(st, err);
		sharing_check_plans(context, label);
		clpac_context_close(context);
	}
}

/* ---- While buffers move ---- */

/* A thread that leaves segments sparse and has them defragmented, which moves its own buffers and those of plans. */
struct mover {
	clpac_pool *pool;
	atomic_bool is_over;
	unsigned long long state;
	size_t n_moved, n_failed;
};

static void *move(void *user)
{
	enum { N_BUFFERS = 24, KEPT = 4 };
	struct mover *self = user;
	while (!atomic_load(&self->is_over)) {
		clpac_buffer *buffers[N_BUFFERS] = {0};
		const clpac__block *blocks[N_BUFFERS];
		for (size_t i = 0; i < N_BUFFERS; i++)
			clpac_pool_allocate(self->pool, 4000 + random_below(&self->state, 150000), "mover", &buffers[i],
					    NULL);
		for (size_t i = 0; i < N_BUFFERS; i++)
			if (i % KEPT) {
				clpac_buffer_release(buffers[i]);
				buffers[i] = NULL;
			}
		for (size_t i = 0; i < N_BUFFERS; i += KEPT)
			blocks[i] = buffers[i] ? clpac__buffer_block(buffers[i]) : NULL;
		self->n_failed += clpac_pool_defragment(self->pool, UINT64_MAX, NULL, NULL) != CLPAC_OK;
		for (size_t i = 0; i < N_BUFFERS; i += KEPT)
			self->n_moved += buffers[i] && clpac__buffer_block(buffers[i]) != blocks[i];
		clpac_buffer_release_batch(buffers, N_BUFFERS);
	}
	return NULL;
}

START_TEST(plans_compute_the_same_while_another_thread_defragments)
{
	references alone;
	pthread_t thread;
	sharing_begin();
	clpac_context *context = place_open_with((size_t)_i, "48M", NULL, NULL);
	struct mover mover = {.pool = clpac_context_pool(context), .state = 5};
	make_references(context, &alone);
	ck_assert_int_eq(pthread_create(&thread, NULL, move, &mover), 0);
	for (int round = 0; round < 4; round++) {
		worker *workers = make_workers(context);
		run_workers(workers);
		for (size_t i = 0; i < N_THREADS; i++)
			judge(&workers[i], &alone, ALLOW(CLPAC_ERROR_NO_DEVICE_MEMORY), place_label((size_t)_i));
		free(workers);
	}
	atomic_store(&mover.is_over, true);
	pthread_join(thread, NULL);
	check_nothing_is_held(context);
	ck_assert_uint_eq(mover.n_failed, 0);
	ck_assert_uint_gt(mover.n_moved, 0);
	drop_references(&alone);
	clpac_context_close(context);
}

/* ---- The stages ---- */

enum { N_TAPS = 55, N_VALUES = N_CHANNELS * N_SAMPLES, N_TURNS = 3 };

/* Results of the stages of clpac/signal.h from the samples. */
typedef struct stages {
	float filtered[2 * N_VALUES], analytic[4 * N_VALUES], hilbert[2 * N_VALUES];
	float phase[N_VALUES], amplitude[N_VALUES];
	clpac_result *coupling;
} stages;

static clpac_status run_stages(clpac_context *context, stages *out, clpac_error *err)
{
	static const clpac_band bands[2] = {{8, 14}, {30, 45}};
	clpac_status st = CLPAC_OK;
	double taps[2][N_TAPS];
	const double *rows[2] = {taps[0], taps[1]};
	const size_t n_taps[2] = {N_TAPS, N_TAPS};
	const clpac_bank bank = {.n_bands = 2, .taps = rows, .n_taps = n_taps, .extension = (1024 - N_SAMPLES) / 2};
	const clpac_coupling coupling = {.n_series = N_CHANNELS,
					 .n_phase = 1,
					 .n_amplitude = 1,
					 .n_samples = N_SAMPLES,
					 .n_surrogates = 10,
					 .min_shift = 20,
					 .seed = 5,
					 .keep_surrogates = true};
	clpac_buffer *buffer = NULL;
	TRY(clpac_signal_design(RATE, bands[0], N_TAPS - 1, taps[0], err));
	TRY(clpac_signal_design(RATE, bands[1], N_TAPS - 1, taps[1], err));
	TRY(clpac_signal_filter(context, &bank, (clpac_values){.host = sharing_samples}, N_CHANNELS, N_SAMPLES,
				(clpac_values){.host = out->filtered}, err));
	/* Through a buffer of the shared pool. */
	TRY(clpac_pool_allocate(clpac_context_pool(context), sizeof out->analytic, "analytic", &buffer, err));
	TRY(clpac_signal_analytic(context, &bank, (clpac_values){.host = sharing_samples}, N_CHANNELS, N_SAMPLES,
				  (clpac_values){.buffer = buffer}, err));
	TRY(clpac_buffer_read(buffer, 0, sizeof out->analytic, out->analytic, err));
	TRY(clpac_signal_hilbert(context, (clpac_values){.host = sharing_samples}, N_CHANNELS, N_SAMPLES,
				 (clpac_values){.host = out->hilbert}, err));
	clpac_signal_phase_amplitude(out->hilbert, N_VALUES, out->phase, out->amplitude);
	TRY(clpac_signal_modulation_index(context, &coupling, (clpac_values){.host = out->phase},
					  (clpac_values){.host = out->amplitude}, &out->coupling, err));
done:
	clpac_buffer_release(buffer);
	return st;
}

typedef struct stage_worker {
	clpac_context *context;
	stages made[N_TURNS];
	clpac_status st;
	clpac_error err;
} stage_worker;

static void *work_on_stages(void *argument)
{
	stage_worker *self = argument;
	for (int i = 0; i < N_TURNS && self->st == CLPAC_OK; i++)
		self->st = run_stages(self->context, &self->made[i], &self->err);
	return NULL;
}

START_TEST(the_stages_by_themselves_are_shared_as_well)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	pthread_t threads[N_THREADS];
	stages *alone = calloc(1, sizeof *alone);
	stage_worker *workers = calloc(N_THREADS, sizeof *workers);
	worker planner = {.context = context, .state = 7};
	references alone_plans;
	sharing_begin();
	/* The first thread plans meanwhile. */
	for (size_t i = 0; i < N_THREADS; i++) {
		workers[i].context = context;
		ck_assert_int_eq(pthread_create(&threads[i], NULL, i ? work_on_stages : work,
						i ? (void *)&workers[i] : &planner),
				 0);
	}
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	check_nothing_is_held(context);
	assert_works(run_stages(context, alone, &err), err);
	for (size_t i = 1; i < N_THREADS; i++) {
		assert_works(workers[i].st, workers[i].err);
		for (int turn = 0; turn < N_TURNS; turn++) {
			const stages *made = &workers[i].made[turn];
			ck_assert_mem_eq(made->filtered, alone->filtered, sizeof alone->filtered);
			ck_assert_mem_eq(made->analytic, alone->analytic, sizeof alone->analytic);
			ck_assert_mem_eq(made->hilbert, alone->hilbert, sizeof alone->hilbert);
			results_same_bits(alone->coupling, made->coupling, place_label((size_t)_i), "stages");
			clpac_result_destroy(made->coupling);
		}
	}
	make_references(context, &alone_plans);
	judge(&planner, &alone_plans, 0, place_label((size_t)_i));
	drop_references(&alone_plans);
	clpac_result_destroy(alone->coupling);
	free(alone);
	free(workers);
	clpac_context_close(context);
}

/* ---- Failures ---- */

/* The backend's calls, made to fail in the thread that asked for it. */
static const clpac__compute_operations *real_compute;
static const clpac__queue_operations *real;
static _Thread_local unsigned calls_until_failure; /* 0: none fails */
static _Thread_local clpac_status failure;

static bool must_fail(clpac_error *err)
{
	if (!calls_until_failure || --calls_until_failure)
		return false;
	clpac__fail(err, failure, "the call fails as asked");
	return true;
}

static clpac_status failing_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	return must_fail(err) ? failure : real->create(queue, bytes, out, err);
}

static clpac_status failing_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				  const void *source, clpac_error *err)
{
	return must_fail(err) ? failure : real->write(queue, block, offset, bytes, source, err);
}

static clpac_status failing_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				 clpac_error *err)
{
	return must_fail(err) ? failure : real->read(queue, block, offset, bytes, target, err);
}

static clpac_status failing_prepare(clpac__compute *compute, unsigned n_bins, clpac_error *err)
{
	return must_fail(err) ? failure : real_compute->prepare(compute, n_bins, err);
}

static clpac_status failing_launch(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	return must_fail(err) ? failure : real_compute->launch(compute, launch, err);
}

static clpac_status failing_finish(clpac__queue *queue, clpac_error *err)
{
	return must_fail(err) ? failure : real->finish(queue, err);
}

static void fail_later(worker *self, int round)
{
	calls_until_failure = (unsigned)(1 + random_below(&self->state, 120));
	failure = round % 2 ? CLPAC_ERROR_NO_DEVICE_MEMORY : CLPAC_ERROR_DEVICE;
}

START_TEST(a_thread_whose_device_calls_fail_disturbs_no_other)
{
	sharing_begin();
	clpac_context *context = place_open((size_t)_i);
	clpac__queue *queue = context->queue;
	references alone;
	worker *workers = make_workers(context);
	size_t n_failed = 0;
	real = queue->operations;
	clpac__queue_operations failing = *real;
	failing.create = failing_create;
	failing.write = failing_write;
	failing.read = failing_read;
	failing.finish = failing_finish;
	queue->operations = &failing;
	clpac__compute *compute = clpac__compute_of(queue);
	real_compute = compute->operations;
	clpac__compute_operations failing_compute = *real_compute;
	failing_compute.prepare = failing_prepare;
	failing_compute.launch = failing_launch;
	compute->operations = &failing_compute;
	workers[0].before = workers[1].before = fail_later;
	run_workers(workers);
	queue->operations = real;
	compute->operations = real_compute;
	check_nothing_is_held(context);
	make_references(context, &alone);
	for (size_t i = 0; i < N_THREADS; i++) {
		const unsigned allowed = ALLOW(CLPAC_ERROR_DEVICE) | ALLOW(CLPAC_ERROR_NO_DEVICE_MEMORY);
		n_failed += judge(&workers[i], &alone, i < 2 ? allowed : 0, place_label((size_t)_i));
	}
	ck_assert_uint_gt(n_failed, 0);
	drop_references(&alone);
	free(workers);
	clpac_context_close(context);
}

START_TEST(memory_that_the_host_refuses_one_thread_is_no_matter_of_the_others)
{
	sharing_begin();
	clpac_context *context = place_open((size_t)_i);
	references alone;
	size_t n_failed = 0;
	make_references(context, &alone);
	/* The pool tolerates some failed allocations, and which thread makes the k-th is chance. */
	for (unsigned long failing = 1; n_failed < 3 && failing < 10000; failing += failing / 2 + 1) {
		worker *workers = make_workers(context);
		clpac__fail_allocation(failing, false);
		run_workers(workers);
		clpac__fail_allocation(0, false);
		size_t n = 0;
		for (size_t i = 0; i < N_THREADS; i++)
			n += judge(&workers[i], &alone, ALLOW(CLPAC_ERROR_NO_MEMORY), place_label((size_t)_i));
		ck_assert_uint_le(n, 1);
		n_failed += n;
		check_nothing_is_held(context);
		free(workers);
	}
	ck_assert_uint_gt(n_failed, 0);
	drop_references(&alone);
	clpac_context_close(context);
}

/* ---- Functions of the application ---- */

static _Atomic(clpac_context *) context_of_log;
static atomic_uint n_lines, n_failed_inside;
static _Thread_local bool is_inside;

/* A plan of another number of bins, so that it compiles kernels too. */
static void use_context(clpac_context *context, size_t which)
{
	const clpac_problem p = sharing_problem(which);
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	if (is_inside)
		return;
	is_inside = true;
	if (clpac_plan_create(context, &p, NULL, &plan, NULL) != CLPAC_OK ||
	    clpac_plan_run(plan, sharing_samples, &result, NULL) != CLPAC_OK)
		atomic_fetch_add(&n_failed_inside, 1);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	is_inside = false;
}

static void use_context_in_log(void *user, clpac_log_level level, const char *text)
{
	(void)user, (void)level, (void)text;
	atomic_fetch_add(&n_lines, 1);
	if (atomic_load(&context_of_log))
		use_context(atomic_load(&context_of_log), 3);
}

static bool use_context_in_progress(void *user, size_t done, size_t total)
{
	usleep(60000); /* longer than from one time that a launch tells progress to the next */
	use_context(user, 1);
	return done < total; /* the last call cancels */
}

START_TEST(functions_of_the_application_may_use_the_context_themselves)
{
	sharing_begin();
	atomic_store(&n_lines, 0);
	clpac_context *context = place_open_with((size_t)_i, NULL, use_context_in_log, NULL);
	references alone;
	worker *workers = make_workers(context);
	atomic_store(&context_of_log, context);
	/* A plan that finds no room writes to the log. */
	workers[0].options.memory_bytes = 1;
	workers[1].options.progress = use_context_in_progress;
	workers[1].options.progress_user = context;
	run_workers(workers);
	atomic_store(&context_of_log, NULL);
	check_nothing_is_held(context);
	make_references(context, &alone);
	for (size_t i = 0; i < N_THREADS; i++) {
		static const unsigned allowed[N_THREADS] = {ALLOW(CLPAC_ERROR_NO_DEVICE_MEMORY),
							    ALLOW(CLPAC_ERROR_CANCELLED)};
		const size_t n = judge(&workers[i], &alone, allowed[i], place_label((size_t)_i));
		if (i == 1)
			ck_assert_uint_eq(n, workers[i].n_outcomes);
	}
	ck_assert_uint_gt(atomic_load(&n_lines), 0);
	ck_assert_uint_eq(atomic_load(&n_failed_inside), 0);
	drop_references(&alone);
	free(workers);
	clpac_context_close(context);
}

START_TEST(a_run_leaves_the_pools_statistics_alone)
{
	enum { LARGE = 8 << 20 };
	clpac_error err;
	sharing_begin();
	clpac_context *context = place_open((size_t)_i);
	clpac_pool *pool = clpac_context_pool(context);
	clpac_buffer *large = NULL;
	clpac_pool_statistics before, after;
	const clpac_problem p = sharing_problem(0);
	clpac_result *result = NULL;
	assert_works(clpac_pool_allocate(pool, LARGE, "large", &large, &err), err);
	clpac_buffer_release(large);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_pool_measure(pool, &before, sizeof before);
	assert_works(clpac_plan_run(plan, sharing_samples, &result, &err), err);
	clpac_pool_measure(pool, &after, sizeof after);
	ck_assert_uint_ge(before.peak_in_use_bytes, LARGE);
	ck_assert_uint_eq(after.peak_in_use_bytes, before.peak_in_use_bytes);
	ck_assert_uint_eq(clpac_result_report(result)->peak_bytes, after.in_use_bytes);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

TCase *sharing_laws(size_t n_places)
{
	TCase *t = tcase_create("sharing");
	const int n = (int)n_places;
	tcase_add_loop_test(t, plans_of_several_threads_compute_what_they_compute_alone, 0, n);
	tcase_add_loop_test(t, plans_compute_the_same_while_another_thread_defragments, 0, n);
	tcase_add_loop_test(t, the_stages_by_themselves_are_shared_as_well, 0, n);
	tcase_add_loop_test(t, a_thread_whose_device_calls_fail_disturbs_no_other, 0, n);
	tcase_add_loop_test(t, memory_that_the_host_refuses_one_thread_is_no_matter_of_the_others, 0, n);
	tcase_add_loop_test(t, functions_of_the_application_may_use_the_context_themselves, 0, n);
	tcase_add_loop_test(t, a_run_leaves_the_pools_statistics_alone, 0, n);
	return t;
}
