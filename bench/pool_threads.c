/* S9: several threads; every tenth buffer of a thread is released by the next thread. */
#include "bench/pool_bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum { MAX_THREADS = 4, N_LIVE = 64, ROOM = 256, EVERY = 10 };

/* The buffers that the previous thread hands over: one thread writes, one reads. */
typedef struct mailbox {
	_Alignas(64) atomic_size_t written;
	_Alignas(64) atomic_size_t read;
	struct {
		void *held;
		size_t bytes;
	} letters[ROOM];
} mailbox;

typedef struct team team;

typedef struct worker {
	team *team;
	size_t number;
	struct trace trace;
	mailbox inbox;
	pthread_t thread;
} worker;

struct team {
	allocator *allocator;
	size_t n_threads;
	worker *workers;
	pthread_barrier_t begin, end;
	bool is_over;
};

static bool post(mailbox *to, void *held, size_t bytes)
{
	const size_t written = atomic_load_explicit(&to->written, memory_order_relaxed);
	if (written - atomic_load_explicit(&to->read, memory_order_acquire) == ROOM)
		return false;
	to->letters[written % ROOM].held = held;
	to->letters[written % ROOM].bytes = bytes;
	atomic_store_explicit(&to->written, written + 1, memory_order_release);
	return true;
}

static void empty(mailbox *box, allocator *a)
{
	size_t read = atomic_load_explicit(&box->read, memory_order_relaxed);
	const size_t written = atomic_load_explicit(&box->written, memory_order_acquire);
	for (; read < written; read++)
		a->give(a, box->letters[read % ROOM].held, box->letters[read % ROOM].bytes);
	atomic_store_explicit(&box->read, read, memory_order_release);
}

static void play_own(worker *w)
{
	allocator *a = w->team->allocator;
	mailbox *next = &w->team->workers[(w->number + 1) % w->team->n_threads].inbox;
	size_t n_given = 0;
	for (const operation *o = w->trace.operations, *last = o + w->trace.n; o < last; o++) {
		void **slot = &w->trace.slots[o->slot];
		if (o->step == TAKE) {
			*slot = a->take(a, o->bytes);
			if (!*slot)
				end("a thread found no memory");
		} else if (o->step == GIVE) {
			if (++n_given % EVERY || !post(next, *slot, o->bytes))
				a->give(a, *slot, o->bytes);
			empty(&w->inbox, a);
		}
	}
}

static void *work(void *user)
{
	worker *w = user;
	for (;;) {
		pthread_barrier_wait(&w->team->begin);
		if (w->team->is_over)
			return NULL;
		play_own(w);
		pthread_barrier_wait(&w->team->end);
		empty(&w->inbox, w->team->allocator); /* all threads have posted, and none has begun the next pass */
	}
}

static void team_open(team *t, allocator *a, size_t n_threads, size_t n_operations)
{
	*t = (team){
		.allocator = a, .n_threads = n_threads, .workers = aligned_alloc(64, n_threads * sizeof *t->workers)};
	if (!t->workers)
		end("no memory for threads");
	pthread_barrier_init(&t->begin, NULL, (unsigned)n_threads + 1);
	pthread_barrier_init(&t->end, NULL, (unsigned)n_threads + 1);
	for (size_t i = 0; i < n_threads; i++) {
		worker *w = &t->workers[i];
		w->team = t;
		w->number = i;
		w->trace = trace_small(n_operations, N_LIVE, 10 + i);
		atomic_init(&w->inbox.written, 0);
		atomic_init(&w->inbox.read, 0);
		if (pthread_create(&w->thread, NULL, work, w) != 0)
			end("no thread");
	}
}

static void team_close(team *t)
{
	t->is_over = true;
	pthread_barrier_wait(&t->begin);
	for (size_t i = 0; i < t->n_threads; i++) {
		pthread_join(t->workers[i].thread, NULL);
		trace_free(&t->workers[i].trace);
	}
	pthread_barrier_destroy(&t->begin);
	pthread_barrier_destroy(&t->end);
	free(t->workers);
	t->allocator->close(t->allocator);
}

static double play(void *user)
{
	team *t = user;
	pthread_barrier_wait(&t->begin);
	const double begin = clpac__clock_seconds();
	pthread_barrier_wait(&t->end);
	return (clpac__clock_seconds() - begin) / (double)(t->n_threads * t->workers[0].trace.n_timed);
}

void scenario_threads(const bench *b)
{
	static const size_t n_threads[] = {1, 2, 4};
	static const char *const baselines[] = {"raw", "mutex", "malloc"};
	for (level level = L0; level <= L1; level++)
		for (size_t i = 0; i < sizeof n_threads / sizeof *n_threads; i++)
			for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++) {
				char what[32];
				team theirs, ours;
				usage before, after;
				snprintf(what, sizeof what, "%zu thread%s", n_threads[i], n_threads[i] > 1 ? "s" : "");
				line l = line_make("S9", what, level, baselines[k]);
				if (!is_wanted(b, l.id, l.what, level, l.baseline) || (k == 2 && is_native(b)))
					continue;
				const size_t n = (level == L0 ? 100000 : 4000) / (b->is_quick ? 10 : 1);
				team_open(&theirs, baseline_open(b, baselines[k], level, 0), n_threads[i], n);
				team_open(&ours, ours_open(b, NULL), n_threads[i], n);
				play(&theirs);
				play(&ours);
				ours.allocator->measure(ours.allocator, &before);
				take_turns(b, play, &theirs, play, &ours, &l);
				ours.allocator->measure(ours.allocator, &after);
				l.driver_calls = after.driver_calls - before.driver_calls;
				const uint64_t hits = after.hits - before.hits, misses = after.misses - before.misses;
				l.hit_rate = hits + misses ? (double)hits / (double)(hits + misses) : NAN;
				l.found = l.ratio;
				l.wanted = k == 0 && n_threads[i] == 2 ? 4 : NAN;
				line_print(b, &l);
				team_close(&ours);
				team_close(&theirs);
			}
}
