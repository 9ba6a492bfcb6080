/* Loads a batch.
 *
 * Each series is stored as (x - mean) * 2^-e in float32, with e such that the largest value is near 1.  Subtracting in
 * double, before rounding, keeps the digits of microvolts on a millivolt offset (an amplifier's).  The power of two
 * keeps float32 away from overflow and underflow and costs no digits.  The mean stays off: it is no part of the signal
 * that is filtered.  Amplitudes are scaled back when they are read.
 */
#include "coupling/passes/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "memory/pool/pool.h"
#include "coupling/layout/launch.h"
#include "coupling/problem/problem.h"
#include "coupling/problem/pieces.h"
#include "coupling/signal/draws.h"

typedef struct moments {
	double mean, largest; /* largest |x - mean| */
	enum clpac__trouble trouble;
} moments;

/* fmax of numbers that are 0 or more, where b may be NaN, without a call. */
static double larger_of(double a, double b)
{
	return b > a ? b : a;
}

/* Two passes over one series of either type: the mean, then the largest deviation and what rounding took from the
 * mean.  A mean that is given takes the place of its own. */
#define DEFINE_PASSES(type)                                                                                            \
	static moments look_##type(const type *x, size_t n, size_t stride, const double *given)                        \
	{                                                                                                              \
		moments found = {0};                                                                                   \
		double sum = 0;                                                                                        \
		for (size_t t = 0; t < n; t++)                                                                         \
			sum += (double)x[t * stride] / (double)n;                                                      \
		found.mean = sum;                                                                                      \
		double rest = 0;                                                                                       \
		for (size_t t = 0; t < n; t++) {                                                                       \
			found.largest = larger_of(found.largest, fabs((double)x[t * stride] - sum));                   \
			rest += ((double)x[t * stride] - sum) / (double)n;                                             \
		}                                                                                                      \
		found.mean += rest;                                                                                    \
		if (given) {                                                                                           \
			found = (moments){.mean = *given};                                                             \
			for (size_t t = 0; t < n; t++)                                                                 \
				found.largest = larger_of(found.largest, fabs((double)x[t * stride] - *given));        \
			sum += *given;                                                                                 \
		}                                                                                                      \
		bool is_constant = true;                                                                               \
		for (size_t t = 1; is_constant && t < n; t++)                                                          \
			is_constant = x[t * stride] == x[0];                                                           \
		/* A sample that is NaN or Inf shows in the sum; a range that no double holds, in the largest. */      \
		found.trouble = is_constant ? CLPAC__CONSTANT : CLPAC__FINE;                                           \
		if (!isfinite(sum) || !isfinite(found.largest))                                                        \
			found.trouble = CLPAC__NOT_FINITE;                                                             \
		return found;                                                                                          \
	}                                                                                                              \
	static void store_##type(const type *x, size_t n, size_t stride, double mean, double scale, float *out)        \
	{                                                                                                              \
		for (size_t t = 0; t < n; t++)                                                                         \
			out[t] = (float)(((double)x[t * stride] - mean) * scale);                                      \
	}
DEFINE_PASSES(float)
DEFINE_PASSES(double)

/* The power of two that brings samples near 1.  Bounded: for denormal samples the scale would not be finite. */
static int exponent_of(double largest)
{
	return largest > 0 ? (int)fmax(ilogb(largest), -1000) : 0;
}

static moments look(const void *samples, clpac_sample_type type, size_t n, size_t stride, const double *given)
{
	return type == CLPAC_FLOAT64 ? look_double(samples, n, stride, given) : look_float(samples, n, stride, given);
}

/* @param given the mean to take off; NULL: the series' own. */
static clpac__staged stage_about(const void *samples, clpac_sample_type type, size_t n, size_t stride,
				 const double *given, float *out)
{
	const moments found = look(samples, type, n, stride, given);
	clpac__staged staged = {.mean = found.mean, .trouble = found.trouble};
	if (found.trouble == CLPAC__NOT_FINITE) {
		staged.mean = 0;
		memset(out, 0, n * sizeof *out);
		return staged;
	}
	staged.exponent = exponent_of(found.largest > 0 ? found.largest : fabs(found.mean));
	const double scale = ldexp(1.0, -staged.exponent);
	if (type == CLPAC_FLOAT64)
		store_double(samples, n, stride, found.mean, scale, out);
	else
		store_float(samples, n, stride, found.mean, scale, out);
	return staged;
}

clpac__staged clpac__stage_series(const void *samples, clpac_sample_type type, size_t n, size_t stride, float *out)
{
	return stage_about(samples, type, n, stride, NULL, out);
}

/* The first sample of a series, in the caller's memory. */
static const void *samples_of(const clpac_plan *plan, const clpac_samples *samples, size_t series, size_t *stride)
{
	const clpac_problem *p = plan->problem;
	const size_t channel = series / p->n_segments, segment = series % p->n_segments;
	*stride = samples->sample_stride ? samples->sample_stride : 1;
	const size_t start =
		(samples->segment_starts ? samples->segment_starts[segment] : segment * p->n_samples) * *stride;
	const size_t each = samples->type == CLPAC_FLOAT64 ? sizeof(double) : sizeof(float);
	return (const char *)samples->channels[channel] + start * each;
}

/* The samples of a stretch, and what is found of them. */
static moments look_at_stretch(const void *from, clpac_sample_type type, clpac_window at, size_t stride,
			       const void **first)
{
	const size_t each = type == CLPAC_FLOAT64 ? sizeof(double) : sizeof(float);
	*first = (const char *)from + at.start * stride * each;
	return look(*first, type, at.n_samples, stride, NULL);
}

double clpac__mean_of(const void *channel, clpac_sample_type type, clpac_window at, size_t stride)
{
	const void *first;
	return look_at_stretch(channel, type, at, stride, &first).mean;
}

/* Moments of all stretches of a series, which have one scale: it is constant where each of them is. */
static moments look_at_stretches(const clpac_problem *p, const void *from, clpac_sample_type type, size_t stride)
{
	moments all = {.trouble = CLPAC__CONSTANT};
	for (size_t i = 0; i < p->n_stretches && all.trouble != CLPAC__NOT_FINITE; i++) {
		const void *first;
		const moments found = look_at_stretch(from, type, p->stretches[i], stride, &first);
		all.largest = fmax(all.largest, found.largest);
		if (found.trouble != CLPAC__CONSTANT)
			all.trouble = found.trouble;
	}
	return all;
}

/* Stages a series that is fine stretch by stretch, each without its own mean, and between two of them the odd extension
 * of both. */
static void store_stretches(const clpac_problem *p, const void *from, clpac_sample_type type, size_t stride,
			    double scale, float *out)
{
	const size_t pad = clpac__staged_gap(p) / 2;
	for (size_t i = 0; i < p->n_stretches; i++) {
		const size_t n = p->stretches[i].n_samples;
		const void *first;
		const double mean = look_at_stretch(from, type, p->stretches[i], stride, &first).mean;
		if (type == CLPAC_FLOAT64)
			store_double(first, n, stride, mean, scale, out);
		else
			store_float(first, n, stride, mean, scale, out);
		for (size_t k = 1; i && k <= pad; k++)
			*(out - k) = 2.0f * out[0] - out[k];
		for (size_t k = 1; i + 1 < p->n_stretches && k <= pad; k++)
			out[n - 1 + k] = 2.0f * out[n - 1] - out[n - 1 - k];
		out += n + 2 * pad;
	}
}

/* The stretches of a series, or the whole as one. */
static const clpac_window *parts_of(const clpac_problem *p, clpac_window *whole, size_t *n)
{
	*whole = (clpac_window){0, p->n_samples};
	*n = p->stretches ? p->n_stretches : 1;
	return p->stretches ? p->stretches : whole;
}

/* Finds whether a series stays at one value somewhere, in the samples that are used. */
static clpac_status find_flat(const clpac_plan *plan, const void *from, clpac_sample_type type, size_t stride,
			      enum clpac__trouble *trouble, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const bool are_double = type == CLPAC_FLOAT64;
	const size_t step = stride * (are_double ? sizeof(double) : sizeof(float));
	clpac__flat_search search = {.least = plan->flat.least, .longest_clip = plan->flat.longest_clip};
	clpac_window whole;
	size_t n_parts;
	const clpac_window *parts = parts_of(plan->problem, &whole, &n_parts);
	bool is_possible = false;
	for (size_t i = 0; i < n_parts && search.least && !is_possible; i++)
		is_possible = clpac__flat_is_possible((const char *)from + parts[i].start * step, are_double, stride,
						      parts[i].n_samples, search.least);
	for (size_t i = 0; i < n_parts && is_possible; i++) {
		const float no_run = NAN; /* goes on from a part to the next */
		TRY(clpac__flat_look(&search, (const char *)from + parts[i].start * step, are_double, stride,
				     parts[i].n_samples, err));
		TRY(clpac__flat_look(&search, &no_run, false, 1, i + 1 < n_parts, err));
	}
	if (is_possible)
		TRY(clpac__flat_end(&search, err));
	if (search.n_runs)
		*trouble = CLPAC__FLAT;
done:
	clpac__flat_clear(&search);
	return st;
}

clpac_status clpac__stage(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t series,
			  float *out, clpac__staged *staged, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	size_t stride;
	const void *from = samples_of(plan, samples, series, &stride);
	*staged = (clpac__staged){.trouble = CLPAC__FINE};
	if (p->stretches) {
		const moments found = look_at_stretches(p, from, samples->type, stride);
		staged->trouble = found.trouble;
		staged->exponent = found.trouble == CLPAC__FINE ? exponent_of(found.largest) : 0;
		if (found.trouble == CLPAC__FINE)
			store_stretches(p, from, samples->type, stride, ldexp(1.0, -staged->exponent), out);
	} else {
		*staged = stage_about(from, samples->type, p->n_samples, stride,
				      batch->means ? batch->means + series : NULL, out);
	}
	if (staged->trouble == CLPAC__FINE)
		RETURN_IF_ERROR(find_flat(plan, from, samples->type, stride, &staged->trouble, err));
	if (staged->trouble != CLPAC__FINE)
		memset(out, 0, plan->layout.n_samples * sizeof *out);
	return CLPAC_OK;
}

clpac_status clpac__find_trouble(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples,
				 size_t series, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	size_t stride;
	const void *from = samples_of(plan, samples, series, &stride);
	moments found = p->stretches ? look_at_stretches(p, from, samples->type, stride)
				     : look(from, samples->type, p->n_samples, stride,
					    batch->means ? batch->means + series : NULL);
	if (found.trouble == CLPAC__FINE)
		RETURN_IF_ERROR(find_flat(plan, from, samples->type, stride, &found.trouble, err));
	batch->troubles[series] = (uint8_t)found.trouble;
	return CLPAC_OK;
}

void clpac__failure_take(clpac__failure *failure, clpac_status st, const clpac_error *why)
{
	if (st == CLPAC_OK || atomic_flag_test_and_set(&failure->has_failed))
		return;
	failure->st = st;
	failure->why = *why;
}

clpac_status clpac__failure_tell(const clpac__failure *failure, clpac_error *err)
{
	return failure->st ? clpac__fail_as(err, &failure->why) : CLPAC_OK;
}

static int by_row(const void *a, const void *b)
{
	const clpac__shift *x = a, *y = b;
	return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
				    : (x->number > y->number) - (x->number < y->number);
}

/* Orders the n shifts behind the first by the row of a slab in which they begin: neighbours then read the same rows
 * of the prefix sums at about the same time.  A series of one span is one slab, and its shifts are in ascending
 * order, as those are that a transform gives all at once.
 */
static void put_in_order(clpac__shift *list, clpac__shift *shifts, size_t n, size_t span)
{
	bool is_in_order = true;
	for (size_t k = 0; k < n; k++)
		shifts[k].place = (uint32_t)(shifts[k].samples % span);
	for (size_t k = 1; k < n && is_in_order; k++)
		is_in_order = shifts[k - 1].place <= shifts[k].place;
	if (!is_in_order)
		qsort(shifts, n, sizeof *shifts, by_row);
	for (size_t place = 0; place < n; place++)
		list[shifts[place].number].place = (uint32_t)place;
}

void clpac__draw_numbers(const clpac_problem *p, size_t series, uint32_t *channel, uint32_t *segment)
{
	const size_t of_channel = clpac__problem_pair(p, series / p->n_segments).amplitude;
	const size_t of_segment = series % p->n_segments;
	*channel = *segment = 0;
	if (p->share_shifts)
		return;
	*channel = (uint32_t)(p->channel_numbers ? p->channel_numbers[of_channel] : of_channel);
	*segment = (uint32_t)(p->segment_numbers ? p->segment_numbers[of_segment] : of_segment);
}

static clpac_status set_list(const clpac_plan *plan, size_t series, clpac__shift *list, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	const size_t chunk = plan->layout.chunk;
	const size_t span = plan->layout.is_all ? plan->layout.kept : plan->layout.span;
	list[0] = (clpac__shift){0, 0, 0};
	for (size_t k = 0; k < p->n_surrogates; k++) {
		list[1 + k].number = (uint32_t)(1 + k);
		if (p->shifts)
			list[1 + k].samples = (uint32_t)p->shifts[k]; /* below the kept samples: checked */
		if (p->null == CLPAC_NULL_ALL_SHIFTS)
			list[1 + k].samples = (uint32_t)(clpac__problem_first_shift(p) + k * p->shift_step);
	}
	if (p->n_surrogates && !p->shifts && plan->layout.null == CLPAC_NULL_SHIFTS) {
		uint32_t channel, segment;
		clpac__draw_numbers(p, series, &channel, &segment);
		for (size_t k = 0; k < p->n_surrogates; k++)
			RETURN_IF_ERROR(clpac__draw_shifts(p->seed, channel, segment, k, 1, plan->layout.kept,
							   p->min_shift, &list[1 + k].samples, err));
	}
	for (size_t k = 0; k < p->n_surrogates; k += chunk) {
		const size_t size = p->n_surrogates - k < chunk ? p->n_surrogates - k : chunk;
		put_in_order(list, list + 1 + k, size, span);
	}
	return CLPAC_OK;
}

typedef struct drawing {
	const clpac_plan *plan;
	size_t first;
	clpac__shift *lists;
	clpac__failure failure;
} drawing;

static void set_list_of(void *context, size_t at)
{
	drawing *job = context;
	clpac_error why = {0};
	const size_t row = job->plan->problem->n_surrogates + 1;
	clpac__failure_take(&job->failure, set_list(job->plan, job->first + at, job->lists + at * row, &why), &why);
}

clpac_status clpac__set_shifts(const clpac_plan *plan, size_t first, size_t n, clpac__shift *lists, clpac_error *err)
{
	drawing job = {.plan = plan, .first = first, .lists = lists, .failure.has_failed = ATOMIC_FLAG_INIT};
	clpac__compute_share(plan->context->queue, n, set_list_of, &job);
	return clpac__failure_tell(&job.failure, err);
}

/* Memory to stage a batch in: the buffer's own if the host reaches it, else the plan's. */
static clpac_status staging_room(const clpac_plan *plan, clpac__batch *batch, enum clpac__tensor tensor, float **out,
				 clpac_error *err)
{
	clpac__queue *queue = plan->context->queue;
	clpac_status st = CLPAC_OK;
	*out = batch->samples;
	if (!batch->samples) {
		/* The device reads this memory directly, so earlier commands must have finished. */
		st = queue->operations->finish(queue, err);
		*out = queue->operations->host_pointer(queue, clpac__buffer_block(batch->tensors[tensor]));
	}
	return st;
}

/* Writes a tensor without waiting: the end of the batch comes behind it. */
static clpac_status write_soon(const clpac__batch *batch, enum clpac__tensor tensor, size_t bytes, const void *source,
			       clpac_error *err)
{
	return clpac_buffer_write_later(batch->tensors[tensor], 0, bytes, source, NULL, err);
}

clpac_status clpac__load_shifts(const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__set_shifts(plan, first, n, batch->shifts, err));
	return write_soon(batch, CLPAC__TENSOR_SHIFTS, n * (plan->layout.n_surrogates + 1) * sizeof *batch->shifts,
			  batch->shifts, err);
}

clpac_status clpac__samples_room(const clpac_plan *plan, clpac__batch *batch, float **out, clpac_error *err)
{
	return staging_room(plan, batch, CLPAC__TENSOR_SAMPLES, out, err);
}

clpac_status clpac__samples_write(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const size_t bytes = n * plan->layout.n_samples * sizeof *batch->samples;
	/* Samples of other series, or of channels, follow these in the same batch. */
	const bool is_again = clpac__has_variants(&plan->layout) || plan->problem->pairs;
	if (batch->samples && is_again)
		RETURN_IF_ERROR(
			clpac_buffer_write(batch->tensors[CLPAC__TENSOR_SAMPLES], 0, bytes, batch->samples, err));
	else if (batch->samples)
		RETURN_IF_ERROR(write_soon(batch, CLPAC__TENSOR_SAMPLES, bytes, batch->samples, err));
	return CLPAC_OK;
}

/* Series that are staged, and where what is found of them goes. */
typedef struct loading {
	const clpac_plan *plan;
	clpac__batch *batch;
	const clpac_samples *samples;
	size_t first; /* series of the batch */
	int *exponents;
	float *out;
	clpac__failure failure;
} loading;

static void stage(void *context, size_t at)
{
	loading *job = context;
	clpac__staged staged;
	clpac_error why = {0};
	clpac__failure_take(&job->failure,
			    clpac__stage(job->plan, job->batch, job->samples, job->first + at,
					 job->out + at * job->plan->layout.n_samples, &staged, &why),
			    &why);
	job->batch->troubles[job->first + at] = (uint8_t)staged.trouble;
	if (job->exponents)
		job->exponents[at] = staged.exponent;
}

clpac_status clpac__load_series(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t first,
				size_t n, int *exponents, clpac_error *err)
{
	float *out;
	RETURN_IF_ERROR(clpac__samples_room(plan, batch, &out, err));
	loading job = {plan, batch, samples, first, exponents, out, {.has_failed = ATOMIC_FLAG_INIT}};
	clpac__compute_share(plan->context->queue, n, stage, &job);
	RETURN_IF_ERROR(clpac__failure_tell(&job.failure, err));
	return clpac__samples_write(plan, batch, n, err);
}

clpac_status clpac__load_batch(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t first,
			       size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__load_series(plan, batch, samples, first, n, batch->exponents, err));
	return clpac__load_shifts(plan, batch, first, n, err);
}

/* Copies n_values of the caller's values, from number `from` on, to the array buffer; values on the host pass through
 * prepare. */
static clpac_status load_array(const clpac_plan *plan, clpac__batch *batch, clpac_values values, size_t from,
			       size_t n_values,
			       void (*prepare)(const clpac_plan *plan, clpac__batch *batch, const float *values,
					       size_t n_values, size_t first, float *out),
			       size_t first, clpac_error *err)
{
	clpac_buffer *array = batch->tensors[CLPAC__TENSOR_ARRAY];
	float *out;
	if (values.buffer) {
		return clpac_buffer_copy(values.buffer, from * sizeof *out, array, 0, n_values * sizeof *out, err);
	}
	RETURN_IF_ERROR(staging_room(plan, batch, CLPAC__TENSOR_ARRAY, &out, err));
	prepare(plan, batch, values.host + from, n_values, first, out);
	if (batch->samples)
		RETURN_IF_ERROR(clpac_buffer_write(array, 0, n_values * sizeof *out, out, err));
	return CLPAC_OK;
}

static void prepare_phases(const clpac_plan *plan, clpac__batch *batch, const float *values, size_t n_values,
			   size_t first, float *out)
{
	const size_t each = plan->layout.n_phase * plan->layout.kept;
	for (size_t i = 0; i < n_values; i++) {
		const bool is_good = fabsf(values[i]) < 1e6f;
		out[i] = is_good ? values[i] : 0;
		if (!is_good)
			batch->troubles[first + i / each] = CLPAC__NOT_FINITE;
	}
}

static void prepare_amplitudes(const clpac_plan *plan, clpac__batch *batch, const float *values, size_t n_values,
			       size_t first, float *out)
{
	const size_t each = plan->layout.n_amplitude * plan->layout.kept;
	for (size_t i = 0; i < n_values / each; i++) {
		const float *row = values + i * each;
		float largest = 0;
		for (size_t t = 0; t < each; t++) {
			if (!(row[t] >= 0 && isfinite(row[t])))
				batch->troubles[first + i] = CLPAC__NOT_FINITE;
			largest = fmaxf(largest, row[t]);
		}
		const bool is_good = batch->troubles[first + i] == CLPAC__FINE;
		batch->exponents[i] = is_good && largest > 0 ? ilogbf(largest) : 0;
		for (size_t t = 0; t < each; t++)
			out[i * each + t] = is_good ? ldexpf(row[t], -batch->exponents[i]) : 0;
	}
}

clpac_status clpac__load_arrays(const clpac_plan *plan, clpac__batch *batch, const clpac__loaded_arrays *arrays,
				size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	for (size_t i = 0; i < n; i++) {
		batch->troubles[first + i] = CLPAC__FINE;
		batch->exponents[i] = 0;
	}
	const size_t phases = l->n_phase * l->kept, amplitudes = l->n_amplitude * l->kept;
	RETURN_IF_ERROR(load_array(plan, batch, arrays->phase, first * phases, n * phases, prepare_phases, first, err));
	RETURN_IF_ERROR(LAUNCH(plan->context, bins_of_phase, l->n_bins, ITEMS(l->kept, n * l->n_phase, 1),
			       .phase = BLOCK(tensor[CLPAC__TENSOR_ARRAY]), .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
			       .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride),
			       .n_bins = NUMBER(l->n_bins)));
	if (l->has_linear)
		RETURN_IF_ERROR(LAUNCH(plan->context, vectors_of_phase, 0, ITEMS(l->kept, n * l->n_phase, 1),
				       .phase = BLOCK(tensor[CLPAC__TENSOR_ARRAY]),
				       .vectors = BLOCK(tensor[CLPAC__TENSOR_VECTORS]), .n_samples = NUMBER(l->kept)));
	RETURN_IF_ERROR(load_array(plan, batch, arrays->amplitude, first * amplitudes, n * amplitudes,
				   prepare_amplitudes, first, err));
	return clpac__load_shifts(plan, batch, first, n, err);
}
