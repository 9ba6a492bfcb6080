/* The speed of each FFT engine by itself, on the transforms that plans make.
 *
 *     bench/fft [DEVICE [LENGTH [ROWS]]]        default: native, lengths 2048 to 2^18, as many rows as make 2^21 values
 *
 * Prints one JSON line per engine, direction and length: seconds to make the transform (first use included), median and
 * best seconds of a run over all rows, nanoseconds per value.  Engines take turns, so that a busy moment affects all of
 * them.  An engine that refuses a length is left out.  CLPAC_CACHE and the driver's own cache decide whether making
 * compiles kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/backend/backend.h"
#include "base/clock.h"
#include "base/memory.h"
#include "coupling/fft/engine.h"
#include "coupling/registry/registry.h"
#include "memory/registry/backends.h"

enum { REPETITIONS = 15, MAX_ENGINES = 8, VALUES = 1 << 21 };

static const char *const direction_text[] = {"forward", "inverse"};

static void end_if(clpac_status st, const clpac_error *err)
{
	if (st == CLPAC_OK)
		return;
	fprintf(stderr, "bench/fft: %s\n", err->text);
	exit(1);
}

static clpac__queue *open_device(const char *selection)
{
	clpac_error err;
	clpac_device_list *all;
	clpac_options options = {0};
	const clpac_device *device;
	clpac__queue *queue = NULL;
	end_if(clpac_options_from_environment(&options, &err), &err);
	end_if(clpac_devices_find(&all, &err), &err);
	end_if(clpac_devices_select(all, selection, 0, &device, &err), &err);
	for (const clpac__backend *const *backend = clpac__backends; *backend; backend++)
		if (strcmp((*backend)->name, device->backend) == 0)
			end_if((*backend)->open(device, &options, &queue, &err), &err);
	clpac_devices_destroy(all);
	return queue;
}

typedef struct contest {
	clpac__queue *queue;
	clpac__block *input, *output;
	size_t rows;
} contest;

typedef struct entry {
	const clpac__fft_engine *engine;
	clpac__fft *fft;
	clpac__block *workspace;
	double made, seconds[REPETITIONS];
} entry;

static void make_workspace(const contest *c, entry *e)
{
	clpac_error err;
	const size_t align = c->queue->part_alignment > 64 ? c->queue->part_alignment : 64;
	const size_t bytes = e->engine->workspace_bytes(e->fft), tables_at = clpac__round_up(bytes, align);
	const size_t tables = e->engine->table_bytes ? e->engine->table_bytes(e->fft) : 0;
	if (bytes || tables)
		end_if(c->queue->operations->create(c->queue, tables ? tables_at + tables : bytes, &e->workspace, &err),
		       &err);
	if (tables)
		end_if(e->engine->write_tables(e->fft, e->workspace, tables_at, &err), &err);
}

static double run(const contest *c, entry *e)
{
	clpac_error err;
	double start = clpac__clock_seconds();
	end_if(e->engine->run(e->fft, c->input, c->output, e->workspace, c->rows, &err), &err);
	end_if(c->queue->operations->finish(c->queue, &err), &err);
	return clpac__clock_seconds() - start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void compare(clpac__queue *queue, clpac__fft_direction direction, size_t length, size_t rows)
{
	clpac_error err;
	const clpac__queue_operations *on = queue->operations;
	size_t stride = (length / 2 + 16) / 16 * 16, n = 0;
	bool is_forward = direction == CLPAC__FFT_FORWARD;
	size_t bytes = rows * length * (is_forward ? sizeof(float) : 2 * sizeof(float));
	clpac__fft_shape shape = {direction, length, rows, length, stride};
	contest c = {.queue = queue, .rows = rows};
	entry entries[MAX_ENGINES];

	/* Zeros take as long as other values and stay finite however often they are transformed in place. */
	end_if(on->create(queue, bytes, &c.input, &err), &err);
	end_if(on->fill(queue, c.input, 0, bytes, 0, &err), &err);
	c.output = c.input;
	if (is_forward)
		end_if(on->create(queue, rows * stride * 2 * sizeof(float), &c.output, &err), &err);
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine && n < MAX_ENGINES; engine++) {
		if (strcmp((*engine)->backend, queue->device.backend) != 0)
			continue;
		if ((*engine)->accepts && (*engine)->accepts(queue, &shape, NULL) != CLPAC_OK)
			continue;
		entry *e = &entries[n++];
		*e = (entry){.engine = *engine};
		double start = clpac__clock_seconds();
		end_if(e->engine->create(queue, &shape, &e->fft, &err), &err);
		make_workspace(&c, e);
		run(&c, e);
		e->made = clpac__clock_seconds() - start;
	}
	for (int i = 0; i < REPETITIONS; i++)
		for (size_t k = 0; k < n; k++)
			entries[k].seconds[i] = run(&c, &entries[k]);
	for (size_t k = 0; k < n; k++) {
		entry *e = &entries[k];
		qsort(e->seconds, REPETITIONS, sizeof *e->seconds, by_value);
		double median = e->seconds[REPETITIONS / 2];
		printf("{\"bench\": \"fft\", \"device\": \"%s\", \"threads\": %u, \"engine\": \"%s\", \"direction\": "
		       "\"%s\", "
		       "\"length\": %zu, \"rows\": %zu, \"make_s\": %.6f, \"median_s\": %.6f, \"best_s\": %.6f, "
		       "\"ns_per_value\": %.3f}\n",
		       queue->device.name, queue->n_threads, e->engine->name, direction_text[direction], length, rows,
		       e->made, median, e->seconds[0], 1e9 * median / (double)(rows * length));
		e->engine->destroy(e->fft);
		on->release(queue, e->workspace);
	}
	if (is_forward)
		on->release(queue, c.output);
	on->release(queue, c.input);
}

int main(int n_arguments, char **arguments)
{
	static const size_t lengths[] = {2048, 2688, 4096, 8192, 16384, 30720, 65536, 1 << 18};
	size_t length = n_arguments > 2 ? strtoul(arguments[2], NULL, 10) : 0;
	size_t rows = n_arguments > 3 ? strtoul(arguments[3], NULL, 10) : 0;
	clpac__queue *queue = open_device(n_arguments > 1 ? arguments[1] : "native");
	for (size_t i = 0; i < (length ? 1 : sizeof lengths / sizeof *lengths); i++) {
		size_t n = length ? length : lengths[i];
		for (int direction = CLPAC__FFT_FORWARD; direction <= CLPAC__FFT_INVERSE; direction++)
			compare(queue, (clpac__fft_direction)direction, n, rows ? rows : (VALUES + n - 1) / n);
	}
	queue->operations->close(queue);
	return 0;
}
