/* The thread pool.
 *
 * A job is opened under the lock; its caller closes it under the lock when no chunk is left.  A thread enters a job
 * under the lock, and only while the job is open.  So a thread that wakes too late finds nothing to do rather than
 * another job's chunks, and a caller never waits for a thread that has not started.  The jobs of several callers are
 * open side by side: each is worked on at least by its caller, and a free thread joins the job with the fewest threads.
 * Between jobs a thread spins for about ten microseconds before it sleeps, because the stages of a batch follow each
 * other faster than that.
 */
#include "memory/native/native.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread.h"

typedef struct worker {
	clpac__threads *threads;
	pthread_t id;
	unsigned number;
} worker;

/* An open job, on its caller's stack. */
typedef struct open_job {
	struct open_job *next;
	clpac__task *task;
	void *context;
	size_t n_chunks;
	/* threads working on it beside its caller; written under the lock, read without */
	atomic_uint n_inside;
	_Alignas(64) atomic_size_t next_chunk; /* on a cache line of its own: all threads write it */
} open_job;

struct clpac__threads {
	unsigned count, n_started; /* count includes the caller; n_started does not */
	unsigned n_spins;	   /* polls before sleeping */
	worker *workers;

	pthread_mutex_t lock; /* guards everything down to open */
	pthread_cond_t wake, idle;
	unsigned n_asleep, n_ready;
	bool is_closing;
	open_job *open;

	atomic_ulong n_opened; /* number of jobs opened so far; written under the lock, read without */
};

/* About 10 us with pauses of 40 ns. */
enum { SPINS = 250 };

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

static void run_chunks(open_job *job, unsigned number)
{
	for (;;) {
		size_t chunk = atomic_fetch_add_explicit(&job->next_chunk, 1, memory_order_relaxed);
		if (chunk >= job->n_chunks)
			return;
		job->task(job->context, chunk, number);
	}
}

/* The open job with chunks left that the fewest threads work on; NULL: none.  The lock is held. */
static open_job *pick(const clpac__threads *threads)
{
	open_job *picked = NULL;
	for (open_job *job = threads->open; job; job = job->next)
		if (atomic_load_explicit(&job->next_chunk, memory_order_relaxed) < job->n_chunks &&
		    (!picked || atomic_load(&job->n_inside) < atomic_load(&picked->n_inside)))
			picked = job;
	return picked;
}

static void *work(void *argument)
{
	const worker *self = argument;
	clpac__threads *threads = self->threads;

	pthread_mutex_lock(&threads->lock);
	threads->n_ready++;
	pthread_cond_signal(&threads->idle);
	while (!threads->is_closing) {
		open_job *job = pick(threads);
		if (job) {
			atomic_fetch_add(&job->n_inside, 1);
			pthread_mutex_unlock(&threads->lock);

			run_chunks(job, self->number);

			pthread_mutex_lock(&threads->lock);
			if (atomic_fetch_sub(&job->n_inside, 1) == 1)
				pthread_cond_broadcast(&threads->idle);
			continue;
		}
		/* All jobs opened before the lock is released have no chunks left. */
		unsigned long last = atomic_load(&threads->n_opened);
		pthread_mutex_unlock(&threads->lock);
		for (unsigned i = 0; i < threads->n_spins && atomic_load(&threads->n_opened) == last; i++)
			pause_briefly();
		pthread_mutex_lock(&threads->lock);
		if (!threads->is_closing && atomic_load(&threads->n_opened) == last) {
			threads->n_asleep++;
			pthread_cond_wait(&threads->wake, &threads->lock);
			threads->n_asleep--;
		}
	}
	pthread_mutex_unlock(&threads->lock);
	return NULL;
}

/* Signals are delivered to the application's own threads only. */
static int start(worker *self)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int code = clpac__thread_create(&self->id, CLPAC__LEAST_STACK, work, self);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

clpac_status clpac__threads_create(unsigned count, clpac__threads **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__threads *threads = NULL;

	if (count < 1 || count > CLPAC__MAX_THREADS)
		FAIL(CLPAC_ERROR_ARGUMENT, "threads is %u: it must be 1 to %d", count, CLPAC__MAX_THREADS);
	TRY(NEW(threads));
	threads->count = count;
	/* Spinning only pays on a core of one's own. */
	threads->n_spins = count <= (unsigned long)sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
	pthread_mutex_init(&threads->lock, NULL);
	pthread_cond_init(&threads->wake, NULL);
	pthread_cond_init(&threads->idle, NULL);
	TRY(NEW_ARRAY(threads->workers, count));
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
	pthread_mutex_lock(&threads->lock);
	while (threads->n_ready < threads->n_started)
		pthread_cond_wait(&threads->idle, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
	*out = threads, threads = NULL;
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
	/* Ends the spinning of threads that are awake. */
	atomic_fetch_add(&threads->n_opened, 1);
	for (unsigned i = 0; i < threads->n_started; i++)
		pthread_join(threads->workers[i].id, NULL);
	pthread_cond_destroy(&threads->idle);
	pthread_cond_destroy(&threads->wake);
	pthread_mutex_destroy(&threads->lock);
	FREE_ALL(threads->workers, threads);
}

unsigned clpac__threads_count(const clpac__threads *threads)
{
	return threads->count;
}

/* Closes a job to further threads.  The lock is held. */
static void close_job(clpac__threads *threads, const open_job *closed)
{
	open_job **at = &threads->open;
	while (*at != closed)
		at = &(*at)->next;
	*at = closed->next;
}

void clpac__threads_run(clpac__threads *threads, size_t n_chunks, clpac__task *task, void *context)
{
	if (n_chunks <= 1 || threads->count == 1) {
		for (size_t chunk = 0; chunk < n_chunks; chunk++)
			task(context, chunk, 0);
		return;
	}
	open_job job = {.task = task, .context = context, .n_chunks = n_chunks};
	pthread_mutex_lock(&threads->lock);
	job.next = threads->open;
	threads->open = &job;
	atomic_fetch_add(&threads->n_opened, 1);
	unsigned n_wakes = threads->n_asleep;
	if (n_wakes > n_chunks - 1)
		n_wakes = (unsigned)(n_chunks - 1);
	while (n_wakes--)
		pthread_cond_signal(&threads->wake);
	pthread_mutex_unlock(&threads->lock);

	run_chunks(&job, 0);

	for (unsigned i = 0; i < threads->n_spins && atomic_load(&job.n_inside); i++)
		pause_briefly();
	pthread_mutex_lock(&threads->lock);
	close_job(threads, &job);
	while (atomic_load(&job.n_inside))
		pthread_cond_wait(&threads->idle, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
}
