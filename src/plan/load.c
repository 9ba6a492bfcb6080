/* Loading a batch.
 *
 * Each series is stored as (x - mean) * 2^-e in float32, e such that the largest value is near 1.  Subtracting in double,
 * before rounding, keeps the digits of microvolts that ride on millivolts (an amplifier's offset); the power of two keeps
 * float32 away from its ends at no cost in digits.  What a filter lets through of the mean is put back in the spectrum
 * (cl/select_bands.cl), and the scale of amplitudes when they are read back.
 */
#include "plan/load.h"

#include <math.h>
#include <string.h>

#include "memory/pool.h"
#include "signal/shifts.h"

typedef struct moments {
	double mean, largest; /* largest |x - mean| */
	enum clpac__trouble trouble;
} moments;

/* Two passes over one series of either type: the mean, then the largest deviation. */
#define DEFINE_PASSES(type)                                                                                    \
	static moments look_##type(const type *x, size_t n, size_t stride)                                     \
	{                                                                                                      \
		moments found = {0};                                                                           \
		double sum = 0;                                                                                \
		for (size_t t = 0; t < n; t++)                                                                 \
			sum += (double)x[t * stride] / (double)n;                                              \
		found.mean = sum;                                                                              \
		for (size_t t = 0; t < n; t++)                                                                 \
			found.largest = fmax(found.largest, fabs((double)x[t * stride] - sum));                \
		bool is_constant = true;                                                                       \
		for (size_t t = 1; is_constant && t < n; t++)                                                  \
			is_constant = x[t * stride] == x[0];                                                   \
		/* One NaN or Inf among the samples shows in the sum. */                                       \
		found.trouble = !isfinite(sum) ? CLPAC__NOT_FINITE : is_constant ? CLPAC__CONSTANT : CLPAC__FINE; \
		return found;                                                                                  \
	}                                                                                                      \
	static void store_##type(const type *x, size_t n, size_t stride, double mean, double scale, float *out) \
	{                                                                                                      \
		for (size_t t = 0; t < n; t++)                                                                 \
			out[t] = (float)(((double)x[t * stride] - mean) * scale);                              \
	}
DEFINE_PASSES(float)
DEFINE_PASSES(double)

static void stage(clpac_plan *plan, const clpac_samples *samples, size_t series, size_t at, float *out)
{
	const clpac_problem *p = plan->problem;
	const size_t channel = series / p->n_segments, segment = series % p->n_segments;
	const size_t stride = samples->sample_stride ? samples->sample_stride : 1;
	const size_t start = (samples->segment_starts ? samples->segment_starts[segment] : segment * p->n_samples) * stride;
	const void *from = samples->channels[channel];
	const bool is_double = samples->type == CLPAC_FLOAT64;
	const moments found = is_double ? look_double((const double *)from + start, p->n_samples, stride)
					: look_float((const float *)from + start, p->n_samples, stride);
	plan->troubles[series] = (uint8_t)found.trouble;
	plan->offsets[at] = 0;
	plan->exponents[at] = 0;
	if (found.trouble != CLPAC__FINE) {
		memset(out, 0, p->n_samples * sizeof *out);
		return;
	}
	const int exponent = ilogb(found.largest);
	const double scale = ldexp(1.0, -exponent);
	plan->exponents[at] = exponent;
	plan->offsets[at] = (float)(found.mean * scale);
	if (is_double)
		store_double((const double *)from + start, p->n_samples, stride, found.mean, scale, out);
	else
		store_float((const float *)from + start, p->n_samples, stride, found.mean, scale, out);
}

/* Row 0 of each list is the unshifted index itself. */
static clpac_status set_shifts(clpac_plan *plan, size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const size_t row = p->n_surrogates + 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t *list = plan->shifts + i * row;
		list[0] = 0;
		if (p->shifts)
			for (size_t k = 0; k < p->n_surrogates; k++)
				list[1 + k] = (uint32_t)(p->shifts[k] % plan->layout.kept);
		else if (p->n_surrogates)
			TRY(clpac__draw_shifts(p->seed, p->share_shifts ? 0 : first + i, 0, p->n_surrogates,
					       plan->layout.kept, p->min_shift, list + 1, err));
	}
done:
	return st;
}

clpac_status clpac__load_batch(clpac_plan *plan, const clpac_samples *samples, size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = plan->context->queue;
	clpac_buffer *const *parts = plan->parts;
	const size_t n_samples = plan->layout.n_samples;
	float *out = plan->samples;
	if (!out) {
		/* The device reads the host's memory: what still uses it from the batch before must be over. */
		TRY(queue->operations->finish(queue, err));
		out = queue->operations->host_pointer(queue, clpac__buffer_block(parts[CLPAC__PART_SAMPLES]));
	}
	for (size_t i = 0; i < n; i++)
		stage(plan, samples, first + i, i, out + i * n_samples);
	if (plan->samples)
		TRY(clpac_buffer_write(parts[CLPAC__PART_SAMPLES], 0, n * n_samples * sizeof *out, out, err));
	TRY(clpac_buffer_write(parts[CLPAC__PART_OFFSETS], 0, n * sizeof *plan->offsets, plan->offsets, err));
	TRY(set_shifts(plan, first, n, err));
	TRY(clpac_buffer_write(parts[CLPAC__PART_SHIFTS], 0, n * (plan->layout.n_surrogates + 1) * sizeof *plan->shifts,
			       plan->shifts, err));
done:
	return st;
}
