#include "coupling/run/erpac_signals.h"

#include <math.h>
#include <clpac/memory/buffer.h>
#include "base/memory.h"

bool clpac__signals_bytes(const clpac__signals *signals, size_t *bytes)
{
	size_t n;
	return clpac__size_mul(2 * signals->n_phase + signals->n_amplitude, signals->n_times, &n) &&
	       clpac__size_mul(n, signals->n_windows, &n) && clpac__size_mul(n, sizeof(float), bytes);
}

clpac_status clpac__signals_create(clpac__signals *signals, size_t n_channels, clpac_error *err)
{
	size_t bytes = 0;
	const size_t n_rows = signals->n_windows * signals->n_times;
	signals->n_channels = n_channels;
	if (!clpac__signals_bytes(signals, &bytes) ||
	    !(signals->vectors = clpac__alloc_array(n_channels, 2 * signals->n_phase * n_rows * sizeof(float))) ||
	    !(signals->amplitudes = clpac__alloc_array(n_channels, signals->n_amplitude * n_rows * sizeof(float))) ||
	    !(signals->are_fine = clpac__alloc_array(n_channels, signals->n_windows)))
		RETURN_ERROR(
			CLPAC_ERROR_NO_MEMORY,
			"phases and amplitudes of %zu channels, %zu bytes each, are more than the host has memory for: "
			"give "
			"fewer points in time, or fewer pairs",
			n_channels, bytes);
	return CLPAC_OK;
}

void clpac__signals_clear(clpac__signals *signals)
{
	FREE_ALL(signals->vectors, signals->amplitudes, signals->are_fine);
	signals->vectors = signals->amplitudes = NULL;
	signals->are_fine = NULL;
}

/* Reads series number i of a batch.
 * @param room for the amplitudes of a series, and for its vectors. */
static clpac_status read_series(const clpac_plan *plan, clpac__batch *batch, size_t i, float *room, float *vectors,
				float *amplitudes, const clpac__signals *to, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t width = l->vector_width, n_vectors = 2 * l->n_phase * l->kept, n_amplitudes = l->rows * l->padded;
	const float scale = ldexpf(1, batch->exponents[i]);
	RETURN_IF_ERROR(clpac_buffer_read(batch->tensors[CLPAC__TENSOR_VECTORS], i * n_vectors * sizeof *room,
					  n_vectors * sizeof *room, room, err));
	for (size_t ph = 0; ph < l->n_phase; ph++)
		for (size_t t = 0; t < to->n_times; t++) {
			const float *vector = room + 2 * (ph * l->kept + t * to->step);
			*vectors++ = vector[0];
			*vectors++ = vector[1];
		}
	RETURN_IF_ERROR(clpac_buffer_read(batch->tensors[CLPAC__TENSOR_AMPLITUDE], i * n_amplitudes * sizeof *room,
					  n_amplitudes * sizeof *room, room, err));
	for (size_t am = 0; am < l->n_amplitude; am++)
		for (size_t t = 0; t < to->n_times; t++) {
			const size_t vector =
				clpac__place_of_group(l, am / width, l->rows) + t * to->step * l->row_stride;
			*amplitudes++ = room[vector * width + am % width] * scale;
		}
	return CLPAC_OK;
}

static clpac_status take(void *user, const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n,
			 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__signals *to = user;
	const clpac_problem *p = plan->problem;
	const clpac__layout *l = &plan->layout;
	const size_t n_vectors = 2 * l->n_phase * l->kept, n_amplitudes = l->rows * l->padded;
	const size_t n_room = n_vectors > n_amplitudes ? n_vectors : n_amplitudes;
	float *room;
	TRY(NEW_ARRAY(room, n_room));
	for (size_t i = 0; i < n; i++) {
		const size_t channel = (first + i) / p->n_segments, segment = (first + i) % p->n_segments;
		const size_t window = p->segment_numbers ? p->segment_numbers[segment] : segment;
		const size_t at = channel * to->n_windows + window;
		to->are_fine[at] = batch->troubles[first + i] == CLPAC__FINE;
		TRY(read_series(plan, batch, i, room, to->vectors + at * 2 * to->n_phase * to->n_times,
				to->amplitudes + at * to->n_amplitude * to->n_times, to, err));
	}
done:
	clpac__free(room);
	return st;
}

clpac_status clpac__signals_filter(clpac_context *const *contexts, size_t n_contexts, const clpac_problem *whole,
				   const clpac_plan_options *options, const clpac_samples *samples,
				   clpac__signals *signals, clpac_result **out, clpac_error *err)
{
	const clpac__consumer consumer = {take, signals};
	return clpac__problem_take(contexts, n_contexts, whole, options, samples, &consumer, out, err);
}
