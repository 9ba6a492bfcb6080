/* The distance of a phase from turning evenly: root mean square, in cycles, of the differences between the times at
 * which it crosses edge 0 forwards and evenly spaced times.  A pure line gives almost 0; band-limited noise wanders by
 * many cycles.  Circular shifts cannot break the coupling of a pure line, so the host warns if the value is small.
 *
 * edges   (rows, capacity), in samples or a multiple of them
 * starts  (rows, 2 N + 3)
 * wander  (rows): -1 if there were fewer than 24 cycles or the lists overflowed
 * items   rows
 */
__kernel void phase_line(ITEM __global const uint *edges, __global const uint *starts, __global float *wander,
			 const uint capacity, const uint n_bins)
{
	const size_t row = get_global_id(0);
	__global const uint *edge = edges + row * capacity;
	__global const uint *start = starts + row * (2 * N_BINS + 3);
	const uint n = start[2 * N_BINS + 2];
	float result = -1.0f;
	if (n >= 24) {
		const float period = (float)(edge[(n - 1) * N_BINS] - edge[0]) / (float)(n - 1);
		float sum = 0.0f, squares = 0.0f;
		for (uint i = 0; i < n; i++) {
			const float late = (float)(edge[i * N_BINS] - edge[0]) - (float)i * period;
			sum += late;
			squares += late * late;
		}
		const float mean = sum / (float)n, variance = squares / (float)n - mean * mean;
		result = variance > 0.0f ? SQRT1(variance) / period : 0.0f;
	}
	wander[row] = result;
}
