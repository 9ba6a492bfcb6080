/* The pool of threads: every chunk runs once, on any number of threads, and its results are visible afterwards. Built
 * with the thread sanitizer, this is also its check for races. */
#include "runner.h"
#include "sweeps.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "assertions.h"
#include "base/memory.h"
#include "memory/native/native.h"

static const unsigned counts[] = {1, 2, 3, 8, 33};
enum { N_COUNTS = COUNT(counts) };

static clpac__threads *start(unsigned count)
{
	clpac__threads *threads = NULL;
	clpac_error err = {0};
	ck_assert_msg(clpac__threads_create(count, &threads, &err) == CLPAC_OK, "%s", err.text);
	ck_assert_uint_eq(clpac__threads_count(threads), count);
	return threads;
}

typedef struct marks {
	unsigned *visits;  /* per chunk, written by the thread that runs it */
	atomic_uint *busy; /* per worker */
	unsigned n_workers;
	atomic_uint n_wrong;
} marks;

static void mark(void *context, size_t chunk, unsigned worker)
{
	marks *m = context;
	if (worker >= m->n_workers || atomic_fetch_add(&m->busy[worker], 1) != 0)
		atomic_fetch_add(&m->n_wrong, 1);
	m->visits[chunk]++;
	atomic_fetch_sub(&m->busy[worker % m->n_workers], 1);
}

TEST_EACH(every_chunk_is_run_once_and_a_worker_has_one_at_a_time, N_COUNTS)
{
	clpac__threads *threads = start(counts[_i]);
	static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, 20000};
	for (size_t s = 0; s < COUNT(sizes); s++) {
		size_t n = sizes[s];
		marks m = {.n_workers = counts[_i]};
		m.visits = calloc(n + 1, sizeof *m.visits);
		m.busy = calloc(counts[_i], sizeof *m.busy);
		clpac__threads_run(threads, n, mark, &m);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_eq(m.visits[i], 1);
		ck_assert_uint_eq(m.visits[n], 0);
		ck_assert_uint_eq(atomic_load(&m.n_wrong), 0);
		free(m.visits);
		free(m.busy);
	}
	clpac__threads_destroy(threads);
}

static void add_one(void *context, size_t chunk, unsigned worker)
{
	(void)worker;
	((unsigned *)context)[chunk]++;
}

TEST_EACH(jobs_that_follow_closely_never_mix, N_COUNTS)
{
	/* A thread that wakes late must not take chunks of the next job for those of the last. Each job has another
	 * number of chunks and another array, so that a mix-up leaves a count wrong or writes beyond the array. */
	clpac__threads *threads = start(counts[_i]);
	unsigned total = 0, *visits = NULL;
	for (unsigned job = 0; job < 3000; job++) {
		size_t n = 2 + job % 5;
		visits = calloc(n, sizeof *visits);
		clpac__threads_run(threads, n, add_one, visits);
		for (size_t i = 0; i < n; i++)
			total += visits[i] == 1;
		free(visits);
	}
	ck_assert_uint_eq(total, 600 * (2 + 3 + 4 + 5 + 6));
	clpac__threads_destroy(threads);
}

TEST_EACH(threads_that_fell_asleep_wake_up, N_COUNTS)
{
	clpac__threads *threads = start(counts[_i]);
	for (int job = 0; job < 5; job++) {
		unsigned visits[100] = {0};
		usleep(3000);
		clpac__threads_run(threads, 100, add_one, visits);
		for (size_t i = 0; i < 100; i++)
			ck_assert_uint_eq(visits[i], 1);
	}
	clpac__threads_destroy(threads);
}

TEST_EACH(a_pool_that_never_ran_ends, N_COUNTS)
{
	for (int i = 0; i < 100; i++)
		clpac__threads_destroy(start(counts[_i]));
	clpac__threads_destroy(NULL);
}

typedef struct gathering {
	atomic_uint n_there;
	unsigned wanted;
} gathering;

static void meet(void *context, size_t chunk, unsigned worker)
{
	(void)chunk, (void)worker;
	gathering *g = context;
	atomic_fetch_add(&g->n_there, 1);
	for (int i = 0; i < 20000 && atomic_load(&g->n_there) < g->wanted; i++)
		usleep(100);
}

TEST_EACH(all_threads_take_part, N_COUNTS)
{
	/* Each chunk waits (for 2 s at most) until as many chunks run as there are threads. */
	clpac__threads *threads = start(counts[_i]);
	gathering g = {.wanted = counts[_i]};
	clpac__threads_run(threads, counts[_i], meet, &g);
	ck_assert_uint_eq(atomic_load(&g.n_there), counts[_i]);
	clpac__threads_destroy(threads);
}

/* ---- Several callers ---- */

enum { N_CALLERS = 5, N_JOBS = 400 };

typedef struct caller {
	clpac__threads *threads;
	unsigned n_wrong;
} caller;

static void *run_jobs(void *argument)
{
	caller *self = argument;
	unsigned visits[40];
	for (unsigned job = 0; job < N_JOBS; job++) {
		const size_t n = 1 + job % 40;
		memset(visits, 0, sizeof visits);
		clpac__threads_run(self->threads, n, add_one, visits);
		for (size_t i = 0; i < 40; i++)
			self->n_wrong += visits[i] != (i < n);
	}
	return NULL;
}

TEST_EACH(jobs_of_several_callers_never_mix, N_COUNTS)
{
	clpac__threads *threads = start(counts[_i]);
	caller callers[N_CALLERS];
	pthread_t ids[N_CALLERS];
	for (int i = 0; i < N_CALLERS; i++) {
		callers[i] = (caller){.threads = threads};
		ck_assert_int_eq(pthread_create(&ids[i], NULL, run_jobs, &callers[i]), 0);
	}
	for (int i = 0; i < N_CALLERS; i++) {
		pthread_join(ids[i], NULL);
		ck_assert_uint_eq(callers[i].n_wrong, 0);
	}
	clpac__threads_destroy(threads);
}

typedef struct gate {
	clpac__threads *threads;
	atomic_uint n_inside, n_failed;
	atomic_bool is_open;
} gate;

/* Waits for 5 s at most. */
static void wait_at_gate(void *context, size_t chunk, unsigned worker)
{
	(void)chunk, (void)worker;
	gate *g = context;
	atomic_fetch_add(&g->n_inside, 1);
	for (int i = 0; i < 50000 && !atomic_load(&g->is_open); i++)
		usleep(100);
	if (!atomic_load(&g->is_open))
		atomic_fetch_add(&g->n_failed, 1);
}

static void *run_at_gate(void *argument)
{
	gate *g = argument;
	clpac__threads_run(g->threads, 100, wait_at_gate, g);
	return NULL;
}

TEST_EACH(no_job_waits_for_another_callers, N_COUNTS)
{
	/* All threads are in a job that ends only after a later one. */
	clpac__threads *threads = start(counts[_i]);
	gate g = {.threads = threads};
	unsigned visits[100] = {0};
	pthread_t id;
	ck_assert_int_eq(pthread_create(&id, NULL, run_at_gate, &g), 0);
	while (atomic_load(&g.n_inside) < counts[_i])
		usleep(100);
	clpac__threads_run(threads, 100, add_one, visits);
	atomic_store(&g.is_open, true);
	pthread_join(id, NULL);
	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_eq(visits[i], 1);
	ck_assert_uint_eq(atomic_load(&g.n_failed), 0);
	clpac__threads_destroy(threads);
}

static void *run_two_at_gate(void *argument)
{
	gate *g = argument;
	clpac__threads_run(g->threads, 2, wait_at_gate, g);
	return NULL;
}

TEST(a_free_thread_joins_the_job_that_is_alone)
{
	/* One of the pool's two threads stays in a job that waits; the other joins the second caller's, whose chunks
	 * need each other. */
	clpac__threads *threads = start(3);
	gate first = {.threads = threads};
	gathering both = {.wanted = 2};
	pthread_t id;
	ck_assert_int_eq(pthread_create(&id, NULL, run_two_at_gate, &first), 0);
	while (atomic_load(&first.n_inside) < 2)
		usleep(100);
	clpac__threads_run(threads, 2, meet, &both);
	ck_assert_uint_eq(atomic_load(&both.n_there), 2);
	atomic_store(&first.is_open, true);
	pthread_join(id, NULL);
	ck_assert_uint_eq(atomic_load(&first.n_failed), 0);
	clpac__threads_destroy(threads);
}

static atomic_uint n_signals_elsewhere;
static pthread_t main_thread;

static void on_signal(int number)
{
	(void)number;
	if (!pthread_equal(pthread_self(), main_thread))
		atomic_fetch_add(&n_signals_elsewhere, 1);
}

static void send_signal(void *context, size_t chunk, unsigned worker)
{
	(void)context, (void)chunk, (void)worker;
	kill(getpid(), SIGUSR1);
}

TEST(signals_go_to_the_applications_threads)
{
	main_thread = pthread_self();
	signal(SIGUSR1, on_signal);
	clpac__threads *threads = start(8);
	clpac__threads_run(threads, 200, send_signal, NULL);
	clpac__threads_destroy(threads);
	ck_assert_uint_eq(atomic_load(&n_signals_elsewhere), 0);
}

TEST_EACH(a_senseless_number_of_threads_is_refused, 3)
{
	static const unsigned wrong[] = {0, CLPAC__MAX_THREADS + 1, UINT32_MAX};
	clpac__threads *threads = NULL;
	clpac_error err;
	ck_assert_int_eq(clpac__threads_create(wrong[_i], &threads, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(threads);
	ck_assert_ptr_nonnull(strstr(err.text, "threads is"));
	ck_assert_int_eq(clpac__threads_create(wrong[_i], &threads, NULL), CLPAC_ERROR_ARGUMENT);
}

TEST(each_failing_allocation_is_an_error_that_leaves_nothing)
{
	clpac__threads *threads = NULL;
	clpac_error err;
	for (unsigned long number = 1; number <= 2; number++) {
		clpac__fail_allocation(number, false);
		ck_assert_int_eq(clpac__threads_create(4, &threads, &err), CLPAC_ERROR_NO_MEMORY);
		ck_assert_ptr_null(threads);
	}
	clpac__fail_allocation(0, false);
	clpac__threads_destroy(start(4));
}

TEST_UNLESS(IS_SANITIZED ? "a sanitizer needs the address space itself" : NULL,
	    a_thread_that_the_system_refuses_is_an_error)
{
	/* The limit leaves no address space for another stack; threads that did start are ended. RLIMIT_NPROC would not
	 * do: root ignores it. */
	struct rlimit limit = {(rlim_t)64 << 20, (rlim_t)64 << 20};
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	clpac__threads *threads = NULL;
	clpac_error err = {0};
	clpac_status st = clpac__threads_create(256, &threads, &err);
	ck_assert_int_eq(st, CLPAC_ERROR_DEVICE);
	ck_assert_int_ne(err.native_code, 0);
	ck_assert_ptr_nonnull(strstr(err.text, "of 256"));
	ck_assert_ptr_null(threads);
}
