/* Soak: two threads and three queues on a pool whose budget is a little more than what they hold, for a long time.
 *
 *     soak [SECONDS [SELECTION]]       each combination takes SECONDS (10); SELECTION of clpac_devices_select (all
 * devices that are a CPU: the native one and those of OpenCL)
 *
 * Buffers of random sizes are requested for random queues, filled there, handed to the other thread, copied on another
 * queue now and then, looked at, and released.  What the threads together hold goes up to the working set and down to
 * half of it, again and again, so that each request would fit if nothing were cached, pending or in pieces.
 *
 * Prints for each device, budget and way the share of requests that were refused all the same, and the bytes that were
 * wrong.  The exit status is 0 if no byte was wrong anywhere and at most 0.1 % of the requests were refused with 1.15
 * times the working set, and 0.01 % with 1.3 times, whether the pool may move buffers or not.  Runs of less than 5 s
 * may refuse four times as many. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/context.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/trace.h>

#include "base/clock.h"
#include "random.h"

enum {
	THREADS = 2,
	QUEUES = 3,
	SLOTS = 1024,
	SHOWN = 4096,
	PIECES = 3,
	SMALLEST_LOG2 = 8,
	OCTAVES = 12,
	FEW = 10,
	PERIOD = 20000,
	LEAST_PERCENT = 50
};
static const uint64_t WORKING_SET = 48 << 20;

/* A buffer whose every byte is `value`, with the queue that filled it. */
struct item {
	clpac_buffer *buffer;
	size_t bytes, class_bytes;
	unsigned char value;
	bool is_good; /* filled */
};

struct soak {
	clpac_pool *pool;
	clpac_queue *queues[QUEUES]; /* NULL: the pool's own */
	_Atomic(struct item *) slots[SLOTS];
	_Atomic uint64_t held_bytes, n_requests, n_refused, n_wrong_bytes, n_other_errors;
	_Atomic uint64_t sum_held_mib; /* over all requests */
	atomic_bool is_over;
};

struct worker {
	struct soak *soak;
	unsigned long long state;
	unsigned char bytes[SHOWN];
	pthread_t thread;
};

static void complain(struct soak *soak, const char *what, const clpac_error *err)
{
	if (!atomic_fetch_add(&soak->n_other_errors, 1))
		fprintf(stderr, "soak: %s: %s\n", what, err->text);
}

/* Looks at the first bytes, the last ones and some in between. */
static void check(struct worker *worker, const struct item *item)
{
	clpac_error err;
	for (int i = 0; i < PIECES; i++) {
		const size_t n = item->bytes < SHOWN ? item->bytes : SHOWN;
		const size_t last = item->bytes - n;
		const size_t at = i == 0 ? 0 : i == 1 ? last : (size_t)random_below(&worker->state, last + 1);
		if (clpac_buffer_read(item->buffer, at, n, worker->bytes, &err) != CLPAC_OK) {
			complain(worker->soak, "read", &err);
			return;
		}
		for (size_t k = 0; k < n; k++)
			if (worker->bytes[k] != item->value)
				atomic_fetch_add(&worker->soak->n_wrong_bytes, 1);
	}
}

static void give_back(struct worker *worker, struct item *item)
{
	if (!item)
		return;
	if (random_below(&worker->state, 4) == 0)
		check(worker, item);
	const size_t class_bytes = item->class_bytes;
	clpac_buffer_release(item->buffer);
	atomic_fetch_sub(&worker->soak->held_bytes, class_bytes);
	free(item);
}

/* Copies one buffer to the other, on queues that may differ; both then hold the same. */
static void copy_between(struct worker *worker, struct item *from, struct item *to)
{
	clpac_error err;
	if (to->bytes > from->bytes)
		return;
	if (clpac_buffer_copy(from->buffer, 0, to->buffer, 0, to->bytes, &err) != CLPAC_OK)
		complain(worker->soak, "copy", &err);
	to->value = from->value;
}

/* The bytes that the threads may hold together now, which go up to the whole working set and down again as a job's
 * phases do. */
static uint64_t working_set_now(uint64_t n_requests)
{
	const uint64_t at = n_requests % PERIOD, up = at < PERIOD / 2 ? at : PERIOD - at;
	return WORKING_SET / 100 * (LEAST_PERCENT + (100 - LEAST_PERCENT) * up / (PERIOD / 2));
}

/* A new buffer, filled; NULL: none fits the working set now, or the pool refused. */
static struct item *take(struct worker *worker)
{
	struct soak *soak = worker->soak;
	clpac_error err;
	struct item *made = calloc(1, sizeof *made);
	if (!made)
		abort();
	made->bytes = ((size_t)1 << (SMALLEST_LOG2 + random_below(&worker->state, OCTAVES))) +
		      (size_t)random_below(&worker->state, (size_t)1 << (SMALLEST_LOG2 - 1));
	made->bytes += (size_t)random_below(&worker->state, made->bytes);
	made->class_bytes = clpac_pool_class(soak->pool, made->bytes);
	made->value = (unsigned char)random_bits(&worker->state);
	const uint64_t held = atomic_fetch_add(&soak->held_bytes, made->class_bytes) + made->class_bytes;
	if (held > working_set_now(atomic_load_explicit(&soak->n_requests, memory_order_relaxed))) {
		atomic_fetch_sub(&soak->held_bytes, made->class_bytes);
		free(made);
		return NULL;
	}
	const clpac_request request = {
		.bytes = made->bytes, .tag = "soak", .queue = soak->queues[random_below(&worker->state, QUEUES)]};
	atomic_fetch_add(&soak->n_requests, 1);
	atomic_fetch_add(&soak->sum_held_mib, held >> 20);
	clpac_status st = clpac_pool_request(soak->pool, &request, &made->buffer, &err);
	if (st == CLPAC_OK && (st = clpac_buffer_fill(made->buffer, 0, made->bytes, made->value, &err)) == CLPAC_OK)
		made->is_good = true;
	if (made->is_good)
		return made;
	if (st == CLPAC_ERROR_NO_DEVICE_MEMORY)
		atomic_fetch_add(&soak->n_refused, 1);
	else
		complain(soak, "request", &err);
	clpac_buffer_release(made->buffer);
	atomic_fetch_sub(&soak->held_bytes, made->class_bytes);
	free(made);
	return NULL;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct soak *soak = worker->soak;
	while (!atomic_load_explicit(&soak->is_over, memory_order_relaxed)) {
		struct item *made = take(worker);
		if (made) {
			give_back(worker, atomic_exchange(&soak->slots[random_below(&worker->state, SLOTS)], made));
			continue;
		}
		/* The working set is full: one leaves, of either thread's. */
		struct item *one = atomic_exchange(&soak->slots[random_below(&worker->state, SLOTS)], NULL);
		if (one && random_below(&worker->state, 8) == 0) {
			struct item *other = atomic_exchange(&soak->slots[random_below(&worker->state, SLOTS)], NULL);
			if (other)
				copy_between(worker, one, other);
			give_back(worker, other);
		}
		give_back(worker, one);
	}
	return NULL;
}

typedef struct outcome {
	uint64_t n_requests, n_refused, n_wrong_bytes, n_other_errors;
	double mean_held; /* part of the working set */
} outcome;

static outcome run(clpac_context *context, double factor, bool is_checked, bool may_move, double seconds)
{
	static struct worker workers[THREADS];
	static struct soak soak;
	clpac_error err;
	soak = (struct soak){0};
	const clpac_pool_options options = {
		.budget = {.bytes = (uint64_t)(factor * (double)WORKING_SET), .minimum_free_bytes = 1},
		.checks = {.is_checked = is_checked},
		.may_move = may_move};
	if (clpac_pool_create(context, &options, &soak.pool, &err) != CLPAC_OK ||
	    clpac_queue_open(soak.pool, true, &soak.queues[1], &err) != CLPAC_OK ||
	    clpac_queue_open(soak.pool, false, &soak.queues[2], &err) != CLPAC_OK) {
		fprintf(stderr, "soak: %s\n", err.text);
		exit(2);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].soak = &soak;
		workers[i].state = 1 + i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			abort();
	}
	const double end = clpac__clock_seconds() + seconds;
	while (clpac__clock_seconds() < end)
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	atomic_store(&soak.is_over, true);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (size_t i = 0; i < SLOTS; i++) {
		struct item *left = atomic_exchange(&soak.slots[i], NULL);
		if (left)
			check(&workers[0], left);
		give_back(&workers[0], left);
	}
	uint64_t n_faults = 0;
	if (is_checked && clpac_pool_take_faults(soak.pool, &n_faults, &err) != CLPAC_OK)
		complain(&soak, "checks", &err);
	clpac_queue_close(soak.pool, soak.queues[1]);
	clpac_queue_close(soak.pool, soak.queues[2]);
	const outcome found = {soak.n_requests, soak.n_refused, soak.n_wrong_bytes, soak.n_other_errors,
			       (double)soak.sum_held_mib / (double)(soak.n_requests + !soak.n_requests) /
				       (double)(WORKING_SET >> 20)};
	clpac_pool_destroy(soak.pool);
	return found;
}

enum { CHECKED = 1, MOVING = 2, N_WAYS = 4 };
static const char *const ways[] = {"plain", "checked", "moving", "checked, moving"};

/* All combinations on a device.  False: one is beyond what is allowed. */
static bool run_on(const clpac_device *device, double seconds)
{
	static const struct {
		double factor, most_refused;
	} caps[] = {{1.15, 1e-3}, {1.3, 1e-4}};
	clpac_context *context = NULL;
	clpac_error err;
	bool is_good = true;
	/* In some moments a few bad layouts of the segments decide. */
	const double slack = seconds < 5 ? 4 : 1;
	if (clpac_context_open(device, NULL, &context, &err) != CLPAC_OK) {
		fprintf(stderr, "soak: %s: %s\n", device->name, err.text);
		return false;
	}
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
		for (int way = 0; way < N_WAYS; way++) {
			const outcome found = run(context, caps[i].factor, way & CHECKED, way & MOVING, seconds);
			const double share = found.n_requests ? (double)found.n_refused / (double)found.n_requests : 1;
			const double most = slack * caps[i].most_refused;
			const bool is_right = found.n_requests && !found.n_wrong_bytes && !found.n_other_errors;
			/* A few refusals of few requests say nothing of the share. */
			const bool is_rare =
				share <= most || (found.n_refused <= FEW && most * (double)found.n_requests < FEW);
			printf("%-7s %-16s %.2f  held %3.0f %%  requests %9" PRIu64 "  refused %6" PRIu64
			       " (%.4f %%, at most %.2f %%)  wrong bytes %" PRIu64 "  errors %" PRIu64 "  %s\n",
			       device->backend, ways[way], caps[i].factor, 100 * found.mean_held, found.n_requests,
			       found.n_refused, 100 * share, 100 * most, found.n_wrong_bytes, found.n_other_errors,
			       is_right && is_rare ? "ok" : "NOT OK");
			fflush(stdout);
			is_good = is_good && is_right && is_rare;
		}
	clpac_context_close(context);
	return is_good;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
	clpac_device_list *list = NULL;
	clpac_error err;
	bool is_good = true;
	size_t n_run = 0;
	if (!(seconds > 0) || argc > 3) {
		fprintf(stderr, "usage: soak [SECONDS [SELECTION]]\n");
		return 2;
	}
	if (clpac_devices_find(&list, &err) != CLPAC_OK) {
		fprintf(stderr, "soak: %s\n", err.text);
		return 2;
	}
	if (argc > 2) {
		const clpac_device *chosen;
		if (clpac_devices_select(list, argv[2], 4 * WORKING_SET, &chosen, &err) != CLPAC_OK) {
			fprintf(stderr, "soak: %s\n", err.text);
			return 2;
		}
		is_good = run_on(chosen, seconds);
		n_run = 1;
	}
	for (size_t i = 0; argc <= 2 && i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		if (!device->is_available ||
		    (device->kind != CLPAC_DEVICE_NATIVE && device->kind != CLPAC_DEVICE_OPENCL_CPU))
			continue;
		is_good = run_on(device, seconds) && is_good;
		n_run++;
	}
	clpac_devices_destroy(list);
	return is_good && n_run ? 0 : 1;
}
