/* What does a buffer cost from the pool, against the driver itself?
 *
 *     bench/pool [SELECTION]        a device as in `clpac run --device`; the best one by default
 *
 * One JSON line per size.  A round allocates a set of buffers and releases them in reverse.  Variants take turns,
 * raw, pool and raw again, and a figure is the median over the repetitions: `ratio` is raw / pool with the smallest
 * and largest of the repetitions, `control` is raw / raw and should lie in 0.95 to 1.05.  Level L1: the seam's
 * create makes memory resident. "setting" is GLIBC_TUNABLES, which decides what a raw creation costs on the host. */
#include <clpac/context.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "memory/pool.h"

enum { N_REPETITIONS = 15, MAX_HELD = 32 };

static const struct size {
	size_t bytes;
	unsigned n_rounds, n_held;
} sizes[] = {{4 << 10, 200, 32}, {64 << 10, 200, 32}, {1 << 20, 50, 32}, {16 << 20, 10, 4}, {64 << 20, 5, 4}};

static void fail(const clpac_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(EXIT_FAILURE);
}

/* Both return seconds per pair of allocation and release. */
static double time_raw(clpac__queue *queue, const struct size *size)
{
	clpac_error err;
	clpac__block *held[MAX_HELD];
	double begin = clpac__clock_seconds();
	for (unsigned round = 0; round < size->n_rounds; round++) {
		for (unsigned i = 0; i < size->n_held; i++)
			if (queue->operations->create(queue, size->bytes, &held[i], &err) != CLPAC_OK)
				fail(&err);
		for (unsigned i = size->n_held; i-- > 0;)
			queue->operations->release(queue, held[i]);
	}
	return (clpac__clock_seconds() - begin) / size->n_rounds / size->n_held;
}

static double time_pool(clpac_pool *pool, const struct size *size)
{
	clpac_error err;
	clpac_buffer *held[MAX_HELD];
	double begin = clpac__clock_seconds();
	for (unsigned round = 0; round < size->n_rounds; round++) {
		for (unsigned i = 0; i < size->n_held; i++)
			if (clpac_pool_allocate(pool, size->bytes, "bench", &held[i], &err) != CLPAC_OK)
				fail(&err);
		for (unsigned i = size->n_held; i-- > 0;)
			clpac_buffer_release(held[i]);
	}
	return (clpac__clock_seconds() - begin) / size->n_rounds / size->n_held;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double sort_and_take_median(double values[N_REPETITIONS])
{
	qsort(values, N_REPETITIONS, sizeof *values, compare);
	return values[N_REPETITIONS / 2];
}

static void measure(clpac_context *context, const struct size *size)
{
	clpac_error err;
	clpac_pool *pool = NULL;
	clpac_pool_statistics before, after;
	double raw[N_REPETITIONS], pooled[N_REPETITIONS], ratio[N_REPETITIONS], control[N_REPETITIONS];
	clpac__queue *queue = clpac__pool_queue(clpac_context_pool(context));
	const char *setting = getenv("GLIBC_TUNABLES");

	if (clpac_pool_create(context, &(clpac_pool_options){.max_kept_per_class = MAX_HELD}, &pool, &err) != CLPAC_OK)
		fail(&err);
	time_raw(queue, size);
	time_pool(pool, size);
	clpac_pool_measure(pool, &before);
	for (unsigned i = 0; i < N_REPETITIONS; i++) {
		raw[i] = time_raw(queue, size);
		pooled[i] = time_pool(pool, size);
		ratio[i] = raw[i] / pooled[i];
		control[i] = raw[i] / time_raw(queue, size);
	}
	clpac_pool_measure(pool, &after);
	clpac_pool_destroy(pool);

	double middle = sort_and_take_median(ratio);
	printf("{\"id\": \"S1\", \"level\": \"L1\", \"setting\": \"%s\", \"baseline\": \"raw\", \"device\": \"%s\", "
	       "\"bytes\": %zu, \"ratio\": %.4g, \"low\": %.4g, \"high\": %.4g, \"control\": %.3f, \"raw_ns\": %.4g, "
	       "\"pool_ns\": %.4g, \"driver_calls\": %" PRIu64 ", \"hit_rate\": %.4g}\n",
	       setting ? setting : "default", clpac_context_device(context)->name, size->bytes, middle, ratio[0],
	       ratio[N_REPETITIONS - 1], sort_and_take_median(control), 1e9 * sort_and_take_median(raw),
	       1e9 * sort_and_take_median(pooled), after.driver_calls - before.driver_calls, after.hit_rate);
	fflush(stdout);
}

int main(int n_arguments, char **arguments)
{
	clpac_error err;
	clpac_options options = {0};
	clpac_context *context = NULL;
	if (n_arguments > 1)
		snprintf(options.device, sizeof options.device, "%s", arguments[1]);
	if (clpac_context_open(NULL, &options, &context, &err) != CLPAC_OK)
		fail(&err);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		measure(context, &sizes[i]);
	clpac_context_close(context);
	return EXIT_SUCCESS;
}
