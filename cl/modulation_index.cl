/* Modulation index of each phase band, amplitude band and shift.
 *
 * prefix   (series, n_rows, groups), the series standing there twice (n_rows = 2 n_samples) unless all shifts are 0
 * totals   (series, groups)      level (series, 2, groups)
 * edges    (series, n_phase, capacity)      starts (series, n_phase, 2 N + 2)
 * weights  (series, n_phase, 2 N): with x_j = weight_j S_j + offset_j level, the value of bin j is its common part
 *          (mean_factor * level) plus x_j.  Mean: 1/n_j and 0, or 0 and -1 for an empty bin, mean_factor 1.
 *          Sum: 1 and n_j - T/N, mean_factor T/N.
 * shifts   (series, shift_stride), of which n_shifts from first_shift on are computed
 * indices  (series, n_phase, n_shifts, groups)
 * norm     1 / (N ln N)
 * items    groups x n_shifts, n_phase, series
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
		const fv size = SELECT(d < SPLAT(0.0f), -d, d);
		largest = SELECT(size > largest, size, largest);
		x[j] = d;
	}
	fv entropy = SPLAT(0.0f);
	if (ANY(largest > SPLAT(0.5f))) {
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

__kernel void modulation_index(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
			       __global const uint *edges, __global const uint *starts, __global const float *weights,
			       __global const uint *shifts, __global fv *indices, const uint n_rows, const uint groups,
			       const uint first_shift, const uint n_shifts, const uint shift_stride, const uint n_phase,
			       const uint capacity, const uint n_bins, const float mean_factor, const float norm)
{
	const size_t group = get_global_id(0) % groups, k = get_global_id(0) / groups;
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint shift = shifts[series * shift_stride + first_shift + k];
	uv sums[MAX_BINS];
	bin_sums_of_edges(prefix + series * n_rows * groups + group, totals[series * groups + group],
			  edges + row * capacity, starts + row * (2 * N_BINS + 2), shift, groups, N_BINS, sums);
	indices[(row * n_shifts + k) * groups + group] =
		index_of_sums(sums, weights + row * 2 * N_BINS, level[series * 2 * groups + group],
			      level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
}

__kernel void modulation_index_direct(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
				      __global const uchar *bins, __global const float *weights, __global const uint *shifts,
				      __global fv *indices, const uint n_samples, const uint n_rows, const uint groups,
				      const uint first_shift,
				      const uint n_shifts, const uint shift_stride, const uint n_phase, const uint bin_stride,
				      const uint n_bins, const float mean_factor, const float norm)
{
	const size_t group = get_global_id(0) % groups, k = get_global_id(0) / groups;
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint shift = shifts[series * shift_stride + first_shift + k];
	uv sums[MAX_BINS];
	bin_sums_of_bins(prefix + series * n_rows * groups + group, totals[series * groups + group],
			 bins + row * bin_stride, shift, n_samples, groups, N_BINS, sums);
	indices[(row * n_shifts + k) * groups + group] =
		index_of_sums(sums, weights + row * 2 * N_BINS, level[series * 2 * groups + group],
			      level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
}
