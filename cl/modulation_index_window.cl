/* Modulation index of long series: the prefix sums are walked in windows that fit a cache.
 *
 * A shift's edge crossings are spread over the whole series, so that with prefix sums larger than the cache every load would
 * come from memory, once per shift.  Here all phase bands and shifts of a launch take what lies in one window of rows of the
 * prefix sums, and keep their unfinished sums D_e and their places in the edge lists for the next window.  Integers again, so
 * that the windows change no bit.
 *
 * Arguments as for modulation_index, and
 * cursors       (series, n_phase, n_shifts, 2 N, groups): next entry of each list
 * partial       (series, n_phase, n_shifts, N, groups): D_e so far
 * window_begin, window_end: rows of this launch; the first begins at 0, the last ends at n_samples and writes the indices
 * items         groups x n_shifts, n_phase, series
 *
 * A list is taken in the order of its rows t + shift, modulo n_samples: first the entries from sample n_samples - shift on,
 * which run over the end (rows below shift), then from the list's start on (rows from shift on).
 */
__kernel void modulation_index_window(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
				      __global const uint *edges, __global const uint *starts, __global const float *weights,
				      __global const uint *shifts, __global uint *cursors, __global uv *partial,
				      __global fv *indices, const uint n_samples, const uint n_rows, const uint groups, const uint first_shift,
				      const uint n_shifts, const uint shift_stride, const uint n_phase, const uint capacity,
				      const uint n_bins, const uint window_begin, const uint window_end,
				      const float mean_factor, const float norm)
{
	const size_t group = get_global_id(0) % groups, k = get_global_id(0) / groups;
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint shift = shifts[series * shift_stride + first_shift + k], wrap = n_samples - shift;
	const uv total = totals[series * groups + group];
	__global const uv *rows = prefix + series * n_rows * groups + group;
	__global const uint *edge = edges + row * capacity;
	__global const uint *start = starts + row * (2 * N_BINS + 2);
	__global uint *cursor = cursors + (row * n_shifts + k) * 2 * N_BINS * groups + group;
	__global uv *unfinished = partial + (row * n_shifts + k) * N_BINS * groups + group;
	const bool is_first = window_begin == 0, is_last = window_end == n_samples;
	const bool turns_here = window_begin <= shift && shift < window_end;
	uv first = USPLAT(0), before = USPLAT(0), sums[MAX_BINS];

#pragma unroll
	for (uint e = 0; e < N_BINS; e++) {
		uv d = USPLAT(0);
		if (!is_first)
			d = unfinished[e * groups];
		for (uint way = 0; way < 2; way++) {
			const uint list = 2 * e + way, end = start[list + 1];
			uint i;
			uv sum = USPLAT(0);
			if (is_first) {
				/* The first entry at or after sample `wrap`. */
				uint low = start[list], high = end;
				while (low < high) {
					const uint middle = low + (high - low) / 2;
					const bool is_before = edge[middle] < wrap;
					low = is_before ? middle + 1 : low;
					high = is_before ? high : middle;
				}
				i = low;
				sum = total * (end - i);
			} else {
				i = cursor[list * groups];
			}
			if (window_begin < shift)
				for (; i < end && edge[i] - wrap < window_end; i++)
					sum += rows[(size_t)(edge[i] - wrap) * groups];
			if (turns_here)
				i = start[list];
			if (window_end > shift)
				for (; i < end && edge[i] + shift < window_end; i++)
					sum += rows[(size_t)(edge[i] + shift) * groups];
			if (!is_last)
				cursor[list * groups] = i;
			d = way == 0 ? d + sum : d - sum;
		}
		if (is_last) {
			if (e == 0)
				first = d;
			else
				sums[e - 1] = d - before;
			before = d;
		} else {
			unfinished[e * groups] = d;
		}
	}
	if (is_last) {
		sums[N_BINS - 1] = first - before;
		const uint last_bin = start[2 * N_BINS + 1];
		for (uint j = 0; j < N_BINS; j++)
			if (j == last_bin)
				sums[j] += total;
		indices[(row * n_shifts + k) * groups + group] =
			index_of_sums(sums, weights + row * 2 * N_BINS, level[series * 2 * groups + group],
				      level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
	}
}
