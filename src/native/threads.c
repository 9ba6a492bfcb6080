/* The pool of threads.
 *
 * A job is announced under the lock and closed under it when the caller finds no chunk left.  A thread counts itself in
 * under the lock, and only while the job is open, so that one which wakes too late finds nothing to do instead of the next
 * job's chunks, and the caller never waits for a thread that has not started.  Between jobs a thread looks at the job
 * number for some ten microseconds before it sleeps: the stages of a batch follow each other closer than that. */
#include "native/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct worker {
	clpac__threads *threads;
	pthread_t id;
	unsigned number;
} worker;

struct clpac__threads {
	unsigned count, n_started; /* with the caller; without it */
	unsigned n_spins;          /* looks before sleeping */
	worker *workers;

	pthread_mutex_t turn;      /* of the callers */
	pthread_mutex_t lock;      /* of everything down to next */
	pthread_cond_t wake, idle;
	unsigned n_asleep;
	bool is_open, is_closing;
	clpac__task *task;
	void *context;
	size_t n_chunks;

	atomic_size_t next;        /* chunk */
	atomic_uint n_inside;      /* threads working on the job; changed under the lock, looked at without */
	atomic_ulong job;          /* number of the job announced last; the same */
};

/* About 10 us where a pause takes 40 ns. */
enum { SPINS = 250 };

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

static void run_chunks(clpac__threads *threads, clpac__task *task, void *context, size_t n_chunks, unsigned number)
{
	for (;;) {
		size_t chunk = atomic_fetch_add_explicit(&threads->next, 1, memory_order_relaxed);
		if (chunk >= n_chunks)
			return;
		task(context, chunk, number);
	}
}

static void *work(void *argument)
{
	const worker *self = argument;
	clpac__threads *threads = self->threads;
	unsigned long seen = 0;

	pthread_mutex_lock(&threads->lock);
	while (!threads->is_closing) {
		if (threads->is_open && atomic_load(&threads->job) != seen) {
			seen = atomic_load(&threads->job);
			clpac__task *task = threads->task;
			void *context = threads->context;
			size_t n_chunks = threads->n_chunks;
			atomic_fetch_add(&threads->n_inside, 1);
			pthread_mutex_unlock(&threads->lock);

			run_chunks(threads, task, context, n_chunks, self->number);

			pthread_mutex_lock(&threads->lock);
			if (atomic_fetch_sub(&threads->n_inside, 1) == 1)
				pthread_cond_signal(&threads->idle);
			continue;
		}
		/* Whatever is announced now, before the lock is let go, has been seen and is closed or finished. */
		unsigned long last = atomic_load(&threads->job);
		pthread_mutex_unlock(&threads->lock);
		for (unsigned i = 0; i < threads->n_spins && atomic_load(&threads->job) == last; i++)
			pause_briefly();
		pthread_mutex_lock(&threads->lock);
		if (!threads->is_closing && atomic_load(&threads->job) == last) {
			threads->n_asleep++;
			pthread_cond_wait(&threads->wake, &threads->lock);
			threads->n_asleep--;
		}
	}
	pthread_mutex_unlock(&threads->lock);
	return NULL;
}

/* Signals are for the application's own threads. */
static int start(worker *self)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int code = pthread_create(&self->id, NULL, work, self);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

clpac_status clpac__threads_create(unsigned count, clpac__threads **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__threads *threads = NULL;

	if (count < 1 || count > CLPAC__MAX_THREADS)
		FAIL(CLPAC_ERROR_ARGUMENT, "threads is %u: it must be 1 to %d", count, CLPAC__MAX_THREADS);
	threads = clpac__alloc_zero(sizeof *threads);
	if (!threads)
		FAIL_NO_MEMORY(sizeof *threads);
	threads->count = count;
	/* Looking around is only worth it on a core of one's own. */
	threads->n_spins = count <= (unsigned long)sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
	pthread_mutex_init(&threads->turn, NULL);
	pthread_mutex_init(&threads->lock, NULL);
	pthread_cond_init(&threads->wake, NULL);
	pthread_cond_init(&threads->idle, NULL);
	threads->workers = clpac__alloc_array(count, sizeof *threads->workers);
	if (!threads->workers)
		FAIL_NO_MEMORY(count * sizeof *threads->workers);
	while (threads->n_started < count - 1) {
		worker *self = &threads->workers[threads->n_started];
		*self = (worker){.threads = threads, .number = threads->n_started + 1};
		int code = start(self);
		if (code) {
			st = clpac__fail_native(err, CLPAC_ERROR_DEVICE, code,
						"the system refused thread %u of %u (%s): ask for fewer threads",
						threads->n_started + 2, count, strerror(code));
			goto done;
		}
		threads->n_started++;
	}
	*out = threads;
	threads = NULL;
done:
	clpac__threads_destroy(threads);
	return st;
}

void clpac__threads_destroy(clpac__threads *threads)
{
	if (!threads)
		return;
	pthread_mutex_lock(&threads->lock);
	threads->is_closing = true;
	pthread_cond_broadcast(&threads->wake);
	pthread_mutex_unlock(&threads->lock);
	/* Ends the looking of those that are awake. */
	atomic_fetch_add(&threads->job, 1);
	for (unsigned i = 0; i < threads->n_started; i++)
		pthread_join(threads->workers[i].id, NULL);
	pthread_cond_destroy(&threads->idle);
	pthread_cond_destroy(&threads->wake);
	pthread_mutex_destroy(&threads->lock);
	pthread_mutex_destroy(&threads->turn);
	clpac__free(threads->workers);
	clpac__free(threads);
}

unsigned clpac__threads_count(const clpac__threads *threads)
{
	return threads->count;
}

void clpac__threads_run(clpac__threads *threads, size_t n_chunks, clpac__task *task, void *context)
{
	if (n_chunks <= 1 || threads->count == 1) {
		for (size_t chunk = 0; chunk < n_chunks; chunk++)
			task(context, chunk, 0);
		return;
	}
	pthread_mutex_lock(&threads->turn);
	pthread_mutex_lock(&threads->lock);
	threads->task = task;
	threads->context = context;
	threads->n_chunks = n_chunks;
	threads->is_open = true;
	atomic_store_explicit(&threads->next, 0, memory_order_relaxed);
	atomic_fetch_add(&threads->job, 1);
	unsigned n_wakes = threads->n_asleep;
	if (n_wakes > n_chunks - 1)
		n_wakes = (unsigned)(n_chunks - 1);
	while (n_wakes--)
		pthread_cond_signal(&threads->wake);
	pthread_mutex_unlock(&threads->lock);

	run_chunks(threads, task, context, n_chunks, 0);

	for (unsigned i = 0; i < threads->n_spins && atomic_load(&threads->n_inside); i++)
		pause_briefly();
	pthread_mutex_lock(&threads->lock);
	threads->is_open = false;
	while (atomic_load(&threads->n_inside))
		pthread_cond_wait(&threads->idle, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
	pthread_mutex_unlock(&threads->turn);
}
