#include "coupling/passes/erpac_sums.h"

#include <math.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/layout/launch.h"
#include "coupling/layout/layout.h"
#include "coupling/signal/circular_linear.h"
#include "coupling/registry/registry.h"

/* As for indices of all shifts: what roundings of another order of summation may make of a square. */
const float clpac__trials_reach = 1 - 1e-5f;

enum {
	BANDS_OF_TRIALS = 4, /* as in cl/erpac.cl */
	MOST_STEPS = 9000,   /* of a loop, which every device takes (steps.h) */
	USEFUL_SQUARES = 16 << 20,
};

enum part { SCORES, AXES, DRAWS, VALID, OBSERVED, SQUARES, COUNTS, MAXIMA, PART_COUNT };
static const char *const part_names[PART_COUNT] = {
	[SCORES] = "trial scores", [AXES] = "trial axes",	  [DRAWS] = "trial orders",
	[VALID] = "trial cells",   [OBSERVED] = "trial observed", [SQUARES] = "trial squares",
	[COUNTS] = "trial counts", [MAXIMA] = "trial maxima",
};

struct job {
	clpac_context *context;
	const clpac__trials *trials;
	clpac__trial_sums *sums;
	size_t width;		 /* points in time of a vector */
	size_t n_vectors, chunk; /* of times, and orders, at once */
	bool is_apart;
	size_t bytes[PART_COUNT];
	clpac_buffer *parts[PART_COUNT];
	/* Host memory. */
	float *staged;
	double *column; /* of the trials, twice */
};

static size_t n_cells(const struct job *job)
{
	return job->trials->n_phase * job->trials->n_amplitude;
}

/* --- Memory ------------------------------------------------------------------------------------- */

/* Sets the bytes of all parts.  False: one is more than memory can address. */
static bool measure(struct job *job)
{
	const clpac__trials *trials = job->trials;
	const size_t row = job->n_vectors * job->width * sizeof(float);
	size_t *bytes = job->bytes, rows;
	if (!clpac__size_mul(trials->n_amplitude, trials->n, &rows) || !clpac__size_mul(rows, row, &bytes[SCORES]) ||
	    !clpac__size_mul(2 * trials->n_phase, trials->n, &rows) || !clpac__size_mul(rows, row, &bytes[AXES]) ||
	    !clpac__size_mul(n_cells(job), row, &bytes[OBSERVED]) ||
	    !clpac__size_mul(bytes[OBSERVED], job->chunk, &bytes[SQUARES]) ||
	    !clpac__size_mul(trials->n * sizeof(uint32_t), job->chunk, &bytes[DRAWS]) ||
	    !clpac__size_mul(trials->n_phase * job->width * sizeof(float), job->chunk, &bytes[MAXIMA]))
		return false;
	bytes[COUNTS] = bytes[OBSERVED];
	bytes[VALID] = n_cells(job) * sizeof(float);
	return true;
}

/* In the pool's size classes; UINT64_MAX where a part is larger than the device's largest block. */
static uint64_t taken(const struct job *job)
{
	const uint64_t largest = job->context->queue->device.max_allocation_bytes;
	uint64_t all = 0;
	for (int i = 0; i < PART_COUNT; i++) {
		const size_t bytes =
			largest && job->bytes[i] > largest ? 0 : clpac_pool_class(job->context->pool, job->bytes[i]);
		if (!bytes || all > UINT64_MAX - bytes)
			return UINT64_MAX;
		all += bytes;
	}
	return all;
}

/* Makes the larger part smaller; false: nothing is left to make smaller. */
static bool shrink(struct job *job)
{
	const bool are_squares = job->bytes[SQUARES] >= job->bytes[SCORES] + job->bytes[AXES];
	if (job->chunk > 1 && (are_squares || job->n_vectors == 1))
		job->chunk = (job->chunk + 1) / 2;
	else if (job->n_vectors > 1)
		job->n_vectors = (job->n_vectors + 1) / 2;
	else
		return false;
	return true;
}

static void release(struct job *job)
{
	for (int i = 0; i < PART_COUNT; i++)
		clpac_buffer_release(job->parts[i]);
	memset(job->parts, 0, sizeof job->parts);
}

static clpac_status allocate(struct job *job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	for (int i = 0; i < PART_COUNT; i++)
		TRY(clpac__allocate_block(job->context->pool, job->bytes[i], part_names[i], &job->parts[i], err));
done:
	if (st != CLPAC_OK)
		release(job);
	return st;
}

/* Takes as much at once as is useful, fits the budget, and is not refused. */
static clpac_status make_room(struct job *job, uint64_t budget, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__trials *trials = job->trials;
	clpac_error why = {0};
	/* The loops of trial_maxima and trial_counts. */
	job->n_vectors = clpac__smaller((trials->n_times + job->width - 1) / job->width,
					clpac__larger(MOST_STEPS / trials->n_amplitude, 2) - 1);
	job->chunk = clpac__larger(clpac__smaller(trials->n_orders, MOST_STEPS), 1);
	const size_t each = n_cells(job) * job->n_vectors * job->width * sizeof(float);
	job->chunk = clpac__smaller(job->chunk, clpac__larger(USEFUL_SQUARES / each, 1));
	for (;;) {
		const uint64_t bytes = measure(job) ? taken(job) : UINT64_MAX;
		st = CLPAC_ERROR_NO_DEVICE_MEMORY;
		if (bytes <= budget) {
			st = allocate(job, &why);
			job->sums->taken_bytes = st == CLPAC_OK ? bytes : 0;
		}
		if (st != CLPAC_ERROR_NO_DEVICE_MEMORY || !shrink(job))
			break;
	}
	if (st == CLPAC_ERROR_NO_DEVICE_MEMORY)
		RETURN_ERROR(st,
			     "%zu points in time of %zu trials with %zu + %zu bands need %.3f MiB on %.100s, and %.3f "
			     "MiB may "
			     "be "
			     "used%s%.300s; give more memory, or fewer trials or bands",
			     job->width, trials->n, trials->n_phase, trials->n_amplitude, (double)taken(job) / 1048576,
			     job->context->queue->device.name, (double)budget / 1048576, *why.text ? ": " : "",
			     why.text);
	if (st != CLPAC_OK && err)
		*err = why;
	job->sums->times_at_once = job->n_vectors * job->width;
	job->sums->orders_at_once = job->chunk;
	return st;
}

/* --- Scores and axes ---------------------------------------------------------------------------- */

/* The first time's number of a row, and the numbers from there to the same time of the next row. */
static float *place_of(const struct job *job, size_t row, size_t n_rows, size_t vector)
{
	return job->staged + (job->is_apart ? vector * n_rows + row : row * job->n_vectors + vector) * job->width;
}

static void put(const struct job *job, const double *values, size_t first_row, size_t row_step, size_t n_rows,
		size_t at)
{
	for (size_t i = 0; i < job->trials->n; i++)
		place_of(job, first_row + i * row_step, n_rows, at / job->width)[at % job->width] = (float)values[i];
}

/* Scores of n times from `first` on. */
static clpac_status write_scores(struct job *job, size_t first, size_t n, clpac_error *err)
{
	const clpac__trials *t = job->trials;
	memset(job->staged, 0, job->bytes[SCORES]);
	for (size_t band = 0; band < t->n_amplitude; band++)
		for (size_t at = 0; at < n; at++) {
			for (size_t i = 0; i < t->n; i++)
				job->column[i] = (double)t->amplitudes[i][band * t->n_times + first + at];
			clpac__trial_scores(job->column, t->n);
			put(job, job->column, band * t->n, 1, t->n_amplitude * t->n, at);
		}
	return clpac_buffer_write(job->parts[SCORES], 0, job->bytes[SCORES], job->staged, err);
}

static clpac_status write_axes(struct job *job, size_t first, size_t n, clpac_error *err)
{
	const clpac__trials *t = job->trials;
	double *sines = job->column + t->n;
	memset(job->staged, 0, job->bytes[AXES]);
	for (size_t band = 0; band < t->n_phase; band++)
		for (size_t at = 0; at < n; at++) {
			for (size_t i = 0; i < t->n; i++) {
				const float *vector = t->vectors[i] + 2 * (band * t->n_times + first + at);
				job->column[i] = (double)vector[0];
				sines[i] = (double)vector[1];
			}
			clpac__trial_axes(job->column, sines, t->n);
			put(job, job->column, band * t->n * 2, 2, t->n_phase * t->n * 2, at);
			put(job, sines, band * t->n * 2 + 1, 2, t->n_phase * t->n * 2, at);
		}
	return clpac_buffer_write(job->parts[AXES], 0, job->bytes[AXES], job->staged, err);
}

static clpac_status write_valid(struct job *job, clpac_error *err)
{
	for (size_t i = 0; i < n_cells(job); i++)
		job->staged[i] = job->trials->valid[i] ? 1 : 0;
	return clpac_buffer_write(job->parts[VALID], 0, job->bytes[VALID], job->staged, err);
}

/* --- Sums --------------------------------------------------------------------------------------- */

static clpac_status launch_squares(const struct job *job, size_t n_orders, clpac_buffer *out, clpac_error *err)
{
	const clpac__trials *t = job->trials;
	const size_t rows = t->n_phase * ((t->n_amplitude + BANDS_OF_TRIALS - 1) / BANDS_OF_TRIALS);
	const size_t fastest = job->is_apart ? n_orders : job->n_vectors;
	const size_t slowest = job->is_apart ? job->n_vectors : n_orders;
	return LAUNCH(job->context, trial_squares, 0, ITEMS(fastest, rows, slowest),
		      .scores = BLOCK(job->parts[SCORES]), .axes = BLOCK(job->parts[AXES]),
		      .draws = BLOCK(job->parts[DRAWS]), .squares = BLOCK(out), .n_trials = NUMBER(t->n),
		      .n_vectors = NUMBER(job->n_vectors), .n_phase = NUMBER(t->n_phase),
		      .n_amplitude = NUMBER(t->n_amplitude), .is_apart = NUMBER(job->is_apart));
}

static clpac_status sum_recorded(struct job *job, clpac_error *err)
{
	uint32_t *order = (uint32_t *)job->staged;
	for (size_t i = 0; i < job->trials->n; i++)
		order[i] = (uint32_t)i;
	RETURN_IF_ERROR(clpac_buffer_write(job->parts[DRAWS], 0, job->trials->n * sizeof *order, order, err));
	return launch_squares(job, 1, job->parts[OBSERVED], err);
}

/* Orders number first .. first + n - 1. */
static clpac_status sum_orders(struct job *job, size_t first, size_t n, clpac_error *err)
{
	const clpac__trials *t = job->trials;
	const size_t lanes = t->n_phase * job->width, cells = n_cells(job) * job->n_vectors;
	RETURN_IF_ERROR(
		clpac_buffer_write(job->parts[DRAWS], 0, n * t->n * sizeof *t->orders, t->orders + first * t->n, err));
	RETURN_IF_ERROR(launch_squares(job, n, job->parts[SQUARES], err));
	RETURN_IF_ERROR(LAUNCH(job->context, trial_counts, 0, ITEMS(cells, 1, 1), .squares = BLOCK(job->parts[SQUARES]),
			       .observed = BLOCK(job->parts[OBSERVED]), .counts = BLOCK(job->parts[COUNTS]),
			       .n_cells = NUMBER(cells), .n_orders = NUMBER(n), .reach = REAL(clpac__trials_reach)));
	RETURN_IF_ERROR(LAUNCH(job->context, trial_maxima, 0, ITEMS(n, t->n_phase, 1),
			       .squares = BLOCK(job->parts[SQUARES]), .valid = BLOCK(job->parts[VALID]),
			       .maxima = BLOCK(job->parts[MAXIMA]), .n_vectors = NUMBER(job->n_vectors),
			       .n_phase = NUMBER(t->n_phase), .n_amplitude = NUMBER(t->n_amplitude)));
	RETURN_IF_ERROR(clpac_buffer_read(job->parts[MAXIMA], 0, n * lanes * sizeof(float), job->staged, err));
	for (size_t i = 0; i < n * lanes; i++)
		job->sums->maxima[first + i / lanes] = fmaxf(job->sums->maxima[first + i / lanes], job->staged[i]);
	return CLPAC_OK;
}

/* Reads cells of n times into a result's order. */
static clpac_status read_cells(struct job *job, enum part part, size_t first, size_t n, float most, float *out,
			       clpac_error *err)
{
	const size_t cells = n_cells(job), row = job->n_vectors * job->width;
	RETURN_IF_ERROR(clpac_buffer_read(job->parts[part], 0, job->bytes[part], job->staged, err));
	for (size_t at = 0; at < n; at++)
		for (size_t cell = 0; cell < cells; cell++) {
			const float value = job->staged[cell * row + at];
			out[(first + at) * cells + cell] = value > most ? most : value;
		}
	return CLPAC_OK;
}

static clpac_status sum_times(struct job *job, size_t first, size_t n, clpac_error *err)
{
	const clpac__trials *t = job->trials;
	RETURN_IF_ERROR(write_scores(job, first, n, err));
	RETURN_IF_ERROR(write_axes(job, first, n, err));
	RETURN_IF_ERROR(sum_recorded(job, err));
	if (t->n_orders)
		RETURN_IF_ERROR(clpac_buffer_fill(job->parts[COUNTS], 0, job->bytes[COUNTS], 0, err));
	for (size_t k = 0; k < t->n_orders; k += job->chunk) {
		const size_t n_here = clpac__smaller(job->chunk, t->n_orders - k);
		RETURN_IF_ERROR(sum_orders(job, k, n_here, err));
		if (t->advance)
			RETURN_IF_ERROR(
				t->advance(t->user,
					   ((double)first + (double)n * (double)(k + n_here) / (double)t->n_orders) /
						   (double)t->n_times,
					   err));
	}
	RETURN_IF_ERROR(read_cells(job, OBSERVED, first, n, 1, job->sums->squares, err));
	if (t->n_orders)
		RETURN_IF_ERROR(read_cells(job, COUNTS, first, n, INFINITY, job->sums->counts, err));
	if (t->advance)
		RETURN_IF_ERROR(t->advance(t->user, (double)(first + n) / (double)t->n_times, err));
	return CLPAC_OK;
}

clpac_status clpac__trials_sum(clpac_context *context, uint64_t budget, const clpac__trials *trials,
			       clpac__trial_sums *sums, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_device_kind kind = context->queue->device.kind;
	struct job job = {.context = context, .trials = trials, .sums = sums};
	TRY(clpac__context_equip(context, err));
	if (kind != CLPAC_DEVICE_NATIVE && trials->n > CLPAC__MOST_TRIALS)
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "%zu trials: a loop over more than %d may be given up by %.100s; take the native device",
		     trials->n, CLPAC__MOST_TRIALS, context->queue->device.name);
	TRY(clpac__compute_prepare(context->queue, 0, err));
	job.width = clpac__compute_of(context->queue)->vector_width;
	job.is_apart = kind == CLPAC_DEVICE_NATIVE || kind == CLPAC_DEVICE_OPENCL_CPU;
	TRY(make_room(&job, budget, err));
	clpac__buffers_hold(job.parts, PART_COUNT);
	size_t most = 0;
	for (int i = 0; i < PART_COUNT; i++)
		most = i == SQUARES ? most : clpac__larger(most, job.bytes[i]);
	job.staged = clpac__alloc(most);
	job.column = clpac__alloc_array(trials->n, 2 * sizeof *job.column);
	if (!job.staged || !job.column)
		FAIL_NO_MEMORY(most + trials->n * 2 * sizeof *job.column);
	for (size_t k = 0; k < trials->n_orders; k++)
		sums->maxima[k] = 0;
	TRY(write_valid(&job, err));
	const size_t at_once = job.n_vectors * job.width;
	for (size_t first = 0; first < trials->n_times; first += at_once)
		TRY(sum_times(&job, first, clpac__smaller(at_once, trials->n_times - first), err));
done:
	clpac__buffers_let_go(job.parts, PART_COUNT);
	release(&job);
	FREE_ALL(job.staged, job.column);
	return st;
}
