/* The threads' work, and the assertions on it. */
#include "sharing_work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "places.h"
#include "results.h"

enum { N_PHASE = 2, N_AMPLITUDE = 3, N_HELD = 2, N_ROUNDS = 6 };

static const clpac_band phase_bands[N_PHASE] = {{4.4, 7}, {9, 15}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{25, 35}, {40, 60}, {80, 110}};

clpac_problem sharing_problem(size_t i)
{
	static const unsigned n_bins[N_PROBLEMS] = {18, 12, 18, 12};
	static const size_t n_surrogates[N_PROBLEMS] = {30, 0, 20, 12};
	return (clpac_problem){.rate_hz = RATE,
			       .n_channels = 1 + i % N_CHANNELS,
			       .n_segments = 1,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_bins = n_bins[i],
			       .hilbert = i == 2 ? CLPAC_HILBERT_TRIMMED : CLPAC_HILBERT_LOCAL,
			       .n_surrogates = n_surrogates[i],
			       .seed = 3 + i,
			       .keep_surrogates = i == 0,
			       .keep_distributions = i != 1};
}

float sharing_samples[N_CHANNELS * N_SAMPLES];

void sharing_begin(void)
{
	unsigned long long state = 11;
	double drift = 0;
	for (size_t t = 0; t < COUNT(sharing_samples); t++)
		sharing_samples[t] = (float)random_drifting(&state, &drift);
}

void make_references(clpac_context *context, references *out)
{
	clpac_error err;
	for (size_t i = 0; i < N_PROBLEMS; i++) {
		const clpac_problem p = sharing_problem(i);
		clpac_plan *plan = place_plan(context, &p, NULL);
		out->of[i] = NULL;
		assert_works(clpac_plan_run(plan, sharing_samples, &out->of[i], &err), err);
		clpac_plan_destroy(plan);
	}
}

void drop_references(references *made)
{
	for (size_t i = 0; i < N_PROBLEMS; i++)
		clpac_result_destroy(made->of[i]);
}

static outcome *note(worker *self, size_t which)
{
	outcome *noted = &self->outcomes[self->n_outcomes < N_OUTCOMES ? self->n_outcomes++ : N_OUTCOMES - 1];
	*noted = (outcome){.problem = which};
	return noted;
}

static void run_and_note(worker *self, clpac_plan *plan, size_t which)
{
	outcome *noted = note(self, which);
	noted->st = clpac_plan_run(plan, sharing_samples, &noted->result, &noted->err);
}

static clpac_plan *make_and_note(worker *self, size_t which)
{
	const clpac_problem p = sharing_problem(which);
	clpac_plan_options options = self->options;
	options.strategy = (clpac_strategy)random_below(&self->state, CLPAC_STRATEGY_COUNT);
	options.max_batch = random_below(&self->state, 3);
	clpac_plan *plan = NULL;
	clpac_error err = {0};
	const clpac_status st = clpac_plan_create(self->context, &p, &options, &plan, &err);
	if (st != CLPAC_OK) {
		outcome *noted = note(self, which);
		noted->st = st;
		noted->err = err;
	}
	return plan;
}

/* A buffer, from the context's pool or from the thread's own pool on the same queue, keeps the thread's bytes whatever
 * other threads' plans do meanwhile. */
typedef struct aside {
	clpac_pool *own; /* NULL: the context's */
	clpac_buffer *buffer;
	unsigned long long written;
} aside;

static aside put_aside(worker *self)
{
	aside made = {.written = random_bits(&self->state)};
	const size_t bytes = 1000 + random_below(&self->state, 100000);
	if (random_below(&self->state, 4) == 0)
		clpac_pool_create(self->context, NULL, &made.own, NULL);
	clpac_pool *pool = made.own ? made.own : clpac_context_pool(self->context);
	if (clpac_pool_allocate(pool, bytes, "aside", &made.buffer, NULL) == CLPAC_OK &&
	    clpac_buffer_write(made.buffer, 8, sizeof made.written, &made.written, NULL) != CLPAC_OK) {
		clpac_buffer_release(made.buffer);
		made.buffer = NULL;
	}
	return made;
}

static void look_after(worker *self, const aside *made)
{
	unsigned long long found = made->written;
	if (made->buffer && clpac_buffer_read(made->buffer, 8, sizeof found, &found, NULL) == CLPAC_OK)
		self->n_mixed_up += found != made->written;
	clpac_buffer_release(made->buffer);
	clpac_pool_destroy(made->own);
}

void *work(void *argument)
{
	worker *self = argument;
	clpac_plan *held[N_HELD] = {0};
	size_t which[N_HELD] = {0};
	for (int round = 0; round < N_ROUNDS; round++) {
		const size_t i = random_below(&self->state, N_HELD);
		double seconds;
		if (self->before)
			self->before(self, round);
		const aside made = put_aside(self);
		if (!held[i] || random_below(&self->state, 2)) {
			clpac_plan_destroy(held[i]);
			which[i] = random_below(&self->state, N_PROBLEMS);
			held[i] = make_and_note(self, which[i]);
		}
		if (held[i] && random_below(&self->state, 4) == 0)
			clpac_plan_rehearse(held[i], &seconds, NULL);
		if (held[i])
			run_and_note(self, held[i], which[i]);
		look_after(self, &made);
	}
	for (size_t i = 0; i < N_HELD; i++)
		clpac_plan_destroy(held[i]);
	return NULL;
}

worker *make_workers(clpac_context *context)
{
	worker *workers = calloc(N_THREADS, sizeof *workers);
	for (size_t i = 0; i < N_THREADS; i++) {
		workers[i].context = context;
		workers[i].state = 100 + i;
	}
	return workers;
}

void run_workers(worker *workers)
{
	pthread_t threads[N_THREADS];
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

size_t judge(worker *self, const references *alone, unsigned allowed, const char *label)
{
	size_t n_failed = 0;
	ck_assert_uint_gt(self->n_outcomes, 0);
	ck_assert_uint_eq(self->n_mixed_up, 0);
	for (size_t i = 0; i < self->n_outcomes; i++) {
		outcome *noted = &self->outcomes[i];
		if (noted->st != CLPAC_OK) {
			ck_assert_msg(ALLOW(noted->st) & allowed, "%s: %s", label, noted->err.text);
			ck_assert_ptr_null(noted->result);
			n_failed++;
			continue;
		}
		const clpac_result *wanted = alone->of[noted->problem];
		const clpac_report *report = clpac_result_report(noted->result);
		/* Another backend may round differently. */
		if (strcmp(report->backend, clpac_result_report(wanted)->backend) == 0)
			results_same_bits(wanted, noted->result, label, clpac_result_problem(wanted));
		/* The peak counts other threads' memory too, the run's own share does not. */
		ck_assert_uint_ge(report->peak_bytes, report->taken_bytes);
		if (!report->n_steps)
			ck_assert_uint_eq(report->peak_bytes, report->taken_bytes);
		clpac_result_destroy(noted->result);
	}
	return n_failed;
}

void check_nothing_is_held(clpac_context *context)
{
	clpac_pool_statistics now;
	clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.in_use_bytes, 0);
	ck_assert_uint_eq(now.bad_releases, 0);
}
