/* Scopes without a pool: allocations and releases are noted, and reports come out. */
#include "runner.h"

#include <pthread.h>
#include "assertions.h"
#include "memory/trace/trace_hooks.h"

static const clpac_pool_statistics before = {.hits = 5};

static clpac_scope *push(clpac__scopes *scopes, clpac_scope_kind kind, const char *name)
{
	clpac_scope *scope = NULL;
	clpac_error err;
	assert_works(clpac__scopes_push(scopes, kind, name, &before, &scope, &err), err);
	return scope;
}

/* The length of the chain of members to release. */
static size_t pop(clpac_scope *scope, clpac_scope_report *report)
{
	clpac_pool_statistics then;
	clpac__scope_link *chain;
	clpac_error err;
	assert_works(clpac__scopes_pop(scope, report, &then, &chain, &err), err);
	ck_assert_uint_eq(then.hits, 5);
	size_t n = 0;
	for (; chain; chain = chain->next) {
		ck_assert_ptr_null(atomic_load(&chain->scope));
		n++;
	}
	return n;
}

TEST(an_outer_scope_counts_what_its_inner_ones_did)
{
	clpac__scopes scopes;
	clpac__scopes_init(&scopes);
	clpac__scope_link a = {.bytes = 0}, b = {.bytes = 0}, c = {.bytes = 0}, outside = {.bytes = 0};
	clpac_scope_report report;
	ck_assert(!clpac__scopes_are_open(&scopes));
	clpac__scopes_allocated(&scopes, &outside, 1000);

	clpac_scope *outer = push(&scopes, CLPAC_SCOPE_MEASURE, "outer");
	ck_assert(clpac__scopes_are_open(&scopes));
	clpac__scopes_allocated(&scopes, &a, 100);
	clpac_scope *inner = push(&scopes, CLPAC_SCOPE_MEASURE, "inner");
	clpac__scopes_allocated(&scopes, &b, 10);
	clpac__scopes_released(&scopes, &a);
	clpac__scopes_released(&scopes, &a); /* unknown the second time */
	clpac__scopes_released(&scopes, &outside);
	clpac__scopes_allocated(&scopes, &c, 50);
	clpac__scopes_released(&scopes, &b);
	clpac__scopes_refused(&scopes);

	ck_assert_uint_eq(pop(inner, &report), 0);
	ck_assert_uint_eq(report.n_allocated, 2);
	ck_assert_uint_eq(report.n_released, 1);
	ck_assert_uint_eq(report.bytes_allocated, 60);
	ck_assert_uint_eq(report.bytes_left, 50);
	ck_assert_uint_eq(report.peak_bytes, 60);
	ck_assert_uint_eq(report.n_refused, 1);
	ck_assert(report.seconds >= 0);

	/* Buffers left by the inner scope belong to the outer one now. */
	clpac__scopes_released(&scopes, &c);
	ck_assert_uint_eq(pop(outer, &report), 0);
	ck_assert_uint_eq(report.n_allocated, 3);
	ck_assert_uint_eq(report.n_released, 3);
	ck_assert_uint_eq(report.bytes_allocated, 160);
	ck_assert_uint_eq(report.bytes_left, 0);
	ck_assert_uint_eq(report.peak_bytes, 110);
	ck_assert_uint_eq(report.n_refused, 1);
	ck_assert(!clpac__scopes_are_open(&scopes));
	clpac__scopes_destroy(&scopes);
}

TEST(a_releasing_scope_gives_out_its_members_but_those_kept)
{
	clpac__scopes scopes;
	clpac__scopes_init(&scopes);
	clpac__scope_link early = {.bytes = 0}, a = {.bytes = 0}, b = {.bytes = 0}, kept = {.bytes = 0},
			  kept_twice = {.bytes = 0};
	clpac_scope_report report;
	clpac_scope *outer = push(&scopes, CLPAC_SCOPE_RELEASE, "outer");
	clpac__scopes_allocated(&scopes, &early, 1);
	clpac_scope *inner = push(&scopes, CLPAC_SCOPE_RELEASE, NULL);
	clpac__scopes_allocated(&scopes, &a, 2);
	clpac__scopes_allocated(&scopes, &kept, 4);
	clpac__scopes_allocated(&scopes, &b, 8);
	clpac__scopes_allocated(&scopes, &kept_twice, 16);
	clpac__scopes_keep(&scopes, &kept);
	clpac__scopes_keep(&scopes, &kept_twice);
	clpac__scopes_keep(&scopes, &kept_twice);
	clpac__scopes_keep(&scopes, &kept_twice);
	ck_assert_uint_eq(pop(inner, &report), 2);
	ck_assert_uint_eq(report.bytes_left, 10);
	ck_assert_uint_eq(report.peak_bytes, 30);
	ck_assert_uint_eq(pop(outer, &report), 2);
	ck_assert_uint_eq(report.bytes_left, 5);
	ck_assert_uint_eq(report.n_allocated, 5);
	ck_assert_uint_eq(report.n_released, 2);
	ck_assert_ptr_null(atomic_load(&kept_twice.scope));
	clpac__scopes_destroy(&scopes);
}

TEST(scopes_end_in_the_order_of_their_nest_and_pools_do_not_mix)
{
	clpac__scopes here, there;
	clpac__scopes_init(&here);
	clpac__scopes_init(&there);
	clpac__scope_link a = {.bytes = 0}, b = {.bytes = 0};
	clpac_scope_report report;
	clpac_pool_statistics then;
	clpac__scope_link *chain;
	clpac_error err;
	clpac_scope *outer = push(&here, CLPAC_SCOPE_MEASURE, "outer");
	clpac_scope *elsewhere = push(&there, CLPAC_SCOPE_MEASURE, "elsewhere");
	clpac_scope *inner = push(&here, CLPAC_SCOPE_MEASURE, "a name of more than thirty-one bytes");
	clpac__scopes_allocated(&here, &a, 1);
	clpac__scopes_allocated(&there, &b, 2);
	assert_refused(clpac__scopes_pop(outer, &report, &then, &chain, &err), err, CLPAC_ERROR_ARGUMENT,
		       "\"outer\" cannot be ended before \"a name of more than thirty-one \"");
	pop(elsewhere, &report);
	ck_assert_uint_eq(report.bytes_allocated, 2);
	pop(inner, &report);
	ck_assert_uint_eq(report.bytes_allocated, 1);
	pop(outer, &report);
	ck_assert_uint_eq(report.bytes_allocated, 1);
	assert_refused(clpac__scopes_push(&here, CLPAC_SCOPE_KINDS, "odd", &before, &outer, &err), err,
		       CLPAC_ERROR_ARGUMENT, "\"odd\"");
	assert_survives_failing_allocations(
		clpac__scopes_push(&here, CLPAC_SCOPE_MEASURE, "failing", &before, &outer, NULL), pop(outer, &report));
	clpac__scopes_destroy(&here);
	clpac__scopes_destroy(&there);
}

TEST(a_scope_that_outlives_its_pool_ends_with_nothing_to_release)
{
	clpac__scopes scopes;
	clpac__scopes_init(&scopes);
	clpac__scope_link a = {.bytes = 0};
	clpac_scope_report report;
	clpac_scope *outer = push(&scopes, CLPAC_SCOPE_MEASURE, "outer"),
		    *inner = push(&scopes, CLPAC_SCOPE_RELEASE, "inner");
	clpac__scopes_allocated(&scopes, &a, 1);
	clpac__scopes_destroy(&scopes);
	ck_assert_ptr_null(clpac__scope_home(inner));
	ck_assert_ptr_null(atomic_load(&a.scope));
	clpac__scopes_init(&scopes); /* as a new pool at the same address */
	clpac__scopes_allocated(&scopes, &a, 1);
	ck_assert_ptr_null(atomic_load(&a.scope));
	ck_assert_uint_eq(pop(inner, &report), 0);
	ck_assert_uint_eq(report.bytes_allocated, 1);
	pop(outer, &report);
	clpac__scopes_destroy(&scopes);
}

/* --- Threads ---------------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_ROUNDS = 2000, N_MAILBOXES = 3 };

struct shared {
	clpac__scopes scopes;
	_Atomic(clpac__scope_link *) mailboxes[N_MAILBOXES]; /* buffers that another thread releases */
	clpac_scope *of_main;
	clpac__scope_link links[N_THREADS][N_ROUNDS];
	clpac_status stranger;
	clpac_scope_report reports[N_THREADS];
};

struct worker {
	struct shared *shared;
	int number;
	unsigned n_wrong;
};

/* Like pop, for a scope that releases nothing; true when every check passes. */
static bool pop_in_thread(clpac_scope *scope, clpac_scope_report *report)
{
	clpac_pool_statistics then;
	clpac__scope_link *chain;
	return clpac__scopes_pop(scope, report, &then, &chain, NULL) == CLPAC_OK && then.hits == before.hits && !chain;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct shared *shared = worker->shared;
	clpac_scope *all = NULL;
	worker->n_wrong +=
		clpac__scopes_push(&shared->scopes, CLPAC_SCOPE_MEASURE, "all", &before, &all, NULL) != CLPAC_OK;
	for (int round = 0; round < N_ROUNDS && !worker->n_wrong; round++) {
		clpac_scope_report report = {0};
		clpac_scope *one = NULL;
		worker->n_wrong += clpac__scopes_push(&shared->scopes, CLPAC_SCOPE_MEASURE, "one", &before, &one,
						      NULL) != CLPAC_OK;
		clpac__scope_link *link = &shared->links[worker->number][round];
		clpac__scopes_allocated(&shared->scopes, link, 8);
		link = atomic_exchange(&shared->mailboxes[round % N_MAILBOXES], link);
		if (link)
			clpac__scopes_released(&shared->scopes, link);
		worker->n_wrong += !pop_in_thread(one, &report) || report.bytes_allocated != 8;
	}
	worker->n_wrong += !pop_in_thread(all, &shared->reports[worker->number]);
	return NULL;
}

TEST(threads_release_each_others_buffers_while_scopes_end)
{
	static struct shared shared;
	clpac__scopes_init(&shared.scopes);
	clpac_scope *mine = push(&shared.scopes, CLPAC_SCOPE_MEASURE, "main");
	pthread_t threads[N_THREADS];
	struct worker workers[N_THREADS];
	for (int i = 0; i < N_THREADS; i++) {
		workers[i] = (struct worker){.shared = &shared, .number = i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_uint_eq(workers[i].n_wrong, 0);
	}
	clpac_scope_report report;
	ck_assert_uint_eq(pop(mine, &report), 0);
	ck_assert_uint_eq(report.n_allocated, 0);
	uint64_t n_released = 0, n_left = 0;
	for (int i = 0; i < N_THREADS; i++) {
		const clpac_scope_report *one = &shared.reports[i];
		ck_assert_uint_eq(one->n_allocated, N_ROUNDS);
		ck_assert_uint_eq(one->bytes_left, 8 * (one->n_allocated - one->n_released));
		n_released += one->n_released;
		n_left += one->bytes_left / 8;
	}
	ck_assert_uint_eq(n_released + n_left, (uint64_t)N_THREADS * N_ROUNDS);
	ck_assert_uint_gt(n_released, N_ROUNDS);
	ck_assert(!clpac__scopes_are_open(&shared.scopes));
	clpac__scopes_destroy(&shared.scopes);
}

static void *end_anothers(void *argument)
{
	struct shared *shared = argument;
	clpac_scope_report report;
	clpac_pool_statistics then;
	clpac__scope_link *chain;
	shared->stranger = clpac__scopes_pop(shared->of_main, &report, &then, &chain, NULL);
	return NULL;
}

TEST(a_scope_is_ended_by_its_own_thread_only)
{
	static struct shared shared;
	clpac__scopes_init(&shared.scopes);
	shared.of_main = push(&shared.scopes, CLPAC_SCOPE_MEASURE, "main");
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, end_anothers, &shared), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(shared.stranger, CLPAC_ERROR_ARGUMENT);
	clpac_scope_report report;
	pop(shared.of_main, &report);
	clpac__scopes_destroy(&shared.scopes);
}
