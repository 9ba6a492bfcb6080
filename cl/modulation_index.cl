/* Modulation index of each phase band, amplitude band and shift.
 *
 * prefix   (series, vectors) as amplitude.cl lays them out, the series standing there twice (n_rows = 2 n_samples) unless all
 *          shifts are 0
 * totals   (series, groups)      level (series, 2, groups)
 * edges    (series, n_phase, capacity)      starts (series, n_phase, 2 N + 3)
 * weights  (series, n_phase, 2 N): with x_j = weight_j S_j + offset_j level, the value of bin j is its common part
 *          (mean_factor * level) plus x_j.  Mean: 1/n_j and 0, or 0 and -1 for an empty bin, mean_factor 1.
 *          Sum: 1 and n_j - T/N, mean_factor T/N.
 * shifts   (series, shift_stride), of which n_shifts from first_shift on are computed
 * indices  (series, n_phase, n_shifts, groups)
 * norm     1 / (N ln N)
 * items    groups x n_shifts, n_phase, series; shifts next to each other where groups stand apart, else groups
 *
 * Where the prefix sums are larger than a cache, every load of every shift would come from farther away.  Then a launch takes
 * only the cycles that start in the rows window_begin .. window_end - 1, for all phase bands and shifts, and puts away its place
 * and the unfinished sums for the next:
 * places   (series, n_phase, n_shifts, groups)      unfinished (series, n_phase, n_shifts, N, groups)
 * The first window begins at row 0, the last ends at n_rows and writes the indices; one that is both touches neither buffer.
 * Integers, so that the windows change no bit.
 *
 * NaN where the amplitude vanishes.
 */
static inline fv index_of_sums(const uv *sums, __global const float *weights, const fv level, const fv scale,
			const float mean_factor, const float norm, const uint n_bins)
{
	const fv unit = level * scale;
	fv x[MAX_BINS];
	fv mean = SPLAT(0.0f);
#pragma unroll
	for (uint j = 0; j < N_BINS; j++) {
		x[j] = TO_FLOAT(AS_IV(sums[j])) * weights[j] + unit * weights[N_BINS + j];
		mean += x[j];
	}
	mean *= 1.0f / (float)N_BINS;
	const fv common = unit * mean_factor + mean;
	const fv inverse = 1.0f / common;
	fv largest = SPLAT(0.0f);
#pragma unroll
	for (uint j = 0; j < N_BINS; j++) {
		const fv d = (x[j] - mean) * inverse;
		const fv size = AS_FV(AS_IV(d) & 0x7fffffff);
		largest = SELECT(size > largest, size, largest);
		x[j] = d;
	}
	fv entropy = SPLAT(0.0f);
	if (!ANY(largest > SPLAT(0.25f))) {
#pragma unroll
		for (uint j = 0; j < N_BINS; j++)
			entropy += entropy_close(x[j]);
	} else if (ANY(largest > SPLAT(0.5f))) {
#pragma unroll
		for (uint j = 0; j < N_BINS; j++)
			entropy += entropy_far(x[j]);
	} else {
#pragma unroll
		for (uint j = 0; j < N_BINS; j++)
			entropy += entropy_near(x[j]);
	}
	fv index = entropy * norm;
	index = SELECT(index > SPLAT(0.0f), index, SPLAT(0.0f));
	index = SELECT(index < SPLAT(1.0f), index, SPLAT(1.0f));
	return SELECT(common > SPLAT(0.0f), index, SPLAT(NAN));
}

/* Which group and which shift an item takes. */
static inline size_t group_of_item(const size_t item0, const uint groups, const uint n_shifts, const uint row_stride)
{
	return row_stride == 1 ? item0 / n_shifts : item0 % groups;
}

static inline size_t shift_of_item(const size_t item0, const uint groups, const uint n_shifts, const uint row_stride)
{
	return row_stride == 1 ? item0 % n_shifts : item0 / groups;
}

__kernel void modulation_index(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
			       __global const uint *edges, __global const uint *starts, __global const float *weights,
			       __global const uint *shifts, __global uint *places, __global uv *unfinished,
			       __global fv *indices, const uint n_rows, const uint row_stride, const uint groups,
			       const uint first_shift, const uint n_shifts, const uint shift_stride, const uint n_phase,
			       const uint capacity, const uint n_bins, const uint window_begin, const uint window_end,
			       const float mean_factor, const float norm)
{
	const size_t group = group_of_item(get_global_id(0), groups, n_shifts, row_stride);
	const size_t k = shift_of_item(get_global_id(0), groups, n_shifts, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const size_t at = (row * n_shifts + k) * groups + group, sums_at = (row * n_shifts + k) * N_BINS * groups + group;
	const uint shift = shifts[series * shift_stride + first_shift + k];
	__global const uv *shifted = prefix + first_of_group(series, group, n_rows, row_stride, groups) + shift * row_stride;
	__global const uint *edge = edges + row * capacity;
	__global const uint *start = starts + row * (2 * N_BINS + 3);
	const bool is_first = window_begin == 0, is_last = window_end == n_rows;
	uint cycle = is_first ? 0 : places[at];
	uv sums[MAX_BINS];

	for (uint e = 0; e < N_BINS && !is_first; e++)
		sums[e] = unfinished[sums_at + e * groups];
	add_crossings(shifted, edge, start, window_end > shift ? (window_end - shift) * row_stride : 0, is_first, is_last, N_BINS,
		      &cycle, sums);
	if (is_last) {
		finish_sums(totals[series * groups + group], start, N_BINS, sums);
		indices[at] = index_of_sums(sums, weights + row * 2 * N_BINS, level[series * 2 * groups + group],
					    level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
	} else {
		places[at] = cycle;
		for (uint e = 0; e < N_BINS; e++)
			unfinished[sums_at + e * groups] = sums[e];
	}
}

__kernel void modulation_index_direct(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
				      __global const uchar *bins, __global const float *weights, __global const uint *shifts,
				      __global fv *indices, const uint n_samples, const uint n_rows, const uint row_stride,
				      const uint groups, const uint first_shift,
				      const uint n_shifts, const uint shift_stride, const uint n_phase, const uint bin_stride,
				      const uint n_bins, const float mean_factor, const float norm)
{
	const size_t group = group_of_item(get_global_id(0), groups, n_shifts, row_stride);
	const size_t k = shift_of_item(get_global_id(0), groups, n_shifts, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint shift = shifts[series * shift_stride + first_shift + k];
	uv sums[MAX_BINS];
	bin_sums_of_bins(prefix + first_of_group(series, group, n_rows, row_stride, groups), totals[series * groups + group],
			 bins + row * bin_stride, shift, n_samples, row_stride, N_BINS, sums);
	indices[(row * n_shifts + k) * groups + group] =
		index_of_sums(sums, weights + row * 2 * N_BINS, level[series * 2 * groups + group],
			      level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
}
