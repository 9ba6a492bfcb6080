/* The distance of a phase from turning evenly: root mean square, in cycles, of the differences between the times at
 * which it crosses edge 0 forwards and evenly spaced times.  A pure line gives almost 0; band-limited noise wanders by
 * many cycles.  Circular shifts cannot break the coupling of a pure line, so the host warns if the value is small.
 *
 * edges   (rows, capacity), in samples or a multiple of them
 * starts  (rows, n_spans, START_STRIDE)
 * wander  (rows): -1 if there were fewer than 24 cycles or the lists overflowed
 * items   rows
 */
__kernel void phase_line(ITEM __global const uint *edges, __global const uint *starts, __global float *wander,
			 const uint capacity, const uint n_spans, const uint span_rows, const uint n_bins)
{
	const size_t row = get_global_id(0);
	__global const uint *edge = edges + row * capacity;
	uint n = 0, first = 0, end = 0;
	for (uint span = 0; span < n_spans; span++) {
		__global const uint *start = starts + (row * n_spans + span) * START_STRIDE;
		const uint n_cycles = start[2 * N_BINS + 2], cycles = first_cycle(start, N_BINS);
		if (n_cycles) {
			first = n ? first : edge[cycles] + span * span_rows;
			end = edge[cycles + (n_cycles - 1) * N_BINS] + span * span_rows;
		}
		n += n_cycles;
	}
	float result = -1.0f;
	if (n >= 24) {
		const float period = (float)(end - first) / (float)(n - 1);
		float sum = 0.0f, squares = 0.0f;
		uint i = 0;
		for (uint span = 0; span < n_spans; span++) {
			__global const uint *start = starts + (row * n_spans + span) * START_STRIDE;
			__global const uint *cycle = edge + first_cycle(start, N_BINS);
			for (uint left = start[2 * N_BINS + 2]; left; left--, i++, cycle += N_BINS) {
				const float late = (float)(cycle[0] + span * span_rows - first) - (float)i * period;
				sum += late;
				squares += late * late;
			}
		}
		const float mean = sum / (float)n, variance = squares / (float)n - mean * mean;
		result = variance > 0.0f ? SQRT1(variance) / period : 0.0f;
	}
	wander[row] = result;
}
