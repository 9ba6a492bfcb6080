/* Mean amplitude per phase bin, unshifted, in the units of the amplitude; NaN for an empty bin.
 *
 * counts  (series, n_phase, 3 N): the last N are the samples of each bin (phase_edges.cl)
 * means   (series, n_phase, N, groups)
 * items   groups, n_phase, series
 */
static inline fv unit_of_scale(const fv scale)
{
	return SELECT(scale > SPLAT(0.0f), 1.0f / SELECT(scale > SPLAT(0.0f), scale, SPLAT(1.0f)), SPLAT(0.0f));
}

static inline fv mean_of_sum(const uv sum, const uint count, const fv level, const fv per_unit)
{
	const fv nan = SPLAT(NAN);
	const float n = (float)count;
	return n > 0.0f ? level + TO_FLOAT(AS_IV(sum)) * per_unit * (1.0f / n) : nan;
}

static inline void means_of_sums(const uv *sums, __global const uint *counts, const fv level, const fv scale,
				 const uint groups, const uint n_bins, __global fv *means)
{
	const fv per_unit = unit_of_scale(scale);
	for (uint j = 0; j < N_BINS; j++)
		means[j * groups] = mean_of_sum(sums[j], counts[2 * N_BINS + j], level, per_unit);
}

#if VW == 1
static inline void means_of_summed(const summed *of, __global const uint *counts, const fv level, const fv scale,
				   const uint groups, const uint n_bins, __global fv *means)
{
	const fv per_unit = unit_of_scale(scale);
#pragma unroll 1
	for (uint first = 0; first < N_BINS; first += TILE_BINS) {
		uv sums[CLPAC_MOST_BINS];
		sums_of_tile(of, first, N_BINS, sums);
#define STORE_MEAN(i)                                                                                                  \
	if (is_bin_of_tile(first, i, N_BINS))                                                                          \
		means[(size_t)(first + (i)) * groups] =                                                                \
			mean_of_sum(sums[i], counts[2 * N_BINS + first + (i)], level, per_unit);
		CLPAC_EACH_36(STORE_MEAN)
	}
}
#endif

__kernel void distribution(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
			   __global const uint *edges, __global const uint *starts, __global const uint *counts,
			   __global fv *means, const uint n_rows, const uint row_stride, const uint groups,
			   const uint n_phase, const uint capacity, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), series = get_global_id(2), row = series * n_phase + get_global_id(1);
	__global const uv *sheet = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	__global const uint *start = starts + row * START_STRIDE;
	const uv total = totals[series * groups + group];
	const fv here = level[series * 2 * groups + group], scale = level[series * 2 * groups + groups + group];
	__global const uint *count = counts + row * 3 * N_BINS;
	__global fv *out = means + row * N_BINS * groups + group;
#if VW == 1
	summed of;
	of.way = BY_LISTS;
	of.total = total;
	of.prefix = sheet;
	of.edges = edges + row * capacity;
	of.start = start;
	means_of_summed(&of, count, here, scale, groups, N_BINS, out);
#else
	uv sums[MAX_BINS];
	begin_sums(total, start, N_BINS, sums);
	add_crossings(sheet, edges + row * capacity, start, N_BINS, sums);
	finish_sums(total, N_BINS, sums);
	means_of_sums(sums, count, here, scale, groups, N_BINS, out);
#endif
}

__kernel void distribution_direct(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
				  __global const uchar *bins, __global const uint *starts, __global const uint *counts,
				  __global fv *means, const uint n_samples, const uint n_rows, const uint row_stride,
				  const uint groups, const uint n_phase, const uint bin_stride, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), series = get_global_id(2), row = series * n_phase + get_global_id(1);
	if (has_lists(starts + row * START_STRIDE, N_BINS))
		return;
	__global const uv *sheet = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	const uv total = totals[series * groups + group];
	const fv here = level[series * 2 * groups + group], scale = level[series * 2 * groups + groups + group];
	__global const uint *count = counts + row * 3 * N_BINS;
	__global fv *out = means + row * N_BINS * groups + group;
#if VW == 1
	summed of;
	of.way = BY_SAMPLES;
	of.total = total;
	of.n_samples = n_samples;
	of.row_stride = row_stride;
	of.prefix = sheet;
	of.bins = bins + row * bin_stride;
	of.shift = 0;
	means_of_summed(&of, count, here, scale, groups, N_BINS, out);
#else
	uv sums[MAX_BINS];
	bin_sums_of_bins(sheet, total, bins + row * bin_stride, 0, n_samples, row_stride, N_BINS, sums);
	means_of_sums(sums, count, here, scale, groups, N_BINS, out);
#endif
}

/* The same from the sums of all windows (window_sums.cl), whose first shift is 0. */
__kernel void distribution_of_sums(ITEM __global const uv *unfinished, __global const uv *totals,
				   __global const fv *level, __global const uint *starts, __global const uint *counts,
				   __global fv *means, const uint row_stride, const uint sums_stride, const uint groups,
				   const uint n_phase, const uint n_spans, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), series = get_global_id(2), row = series * n_phase + get_global_id(1);
	__global const uint *start = starts + row * n_spans * START_STRIDE;
	__global const uv *kept = unfinished + first_sum_of(row, group, 0, sums_stride, row_stride, groups, N_BINS);
	const uv total = totals[series * groups + group];
	const fv here = level[series * 2 * groups + group], scale = level[series * 2 * groups + groups + group];
	__global const uint *count = counts + row * 3 * N_BINS;
	__global fv *out = means + row * N_BINS * groups + group;
#if VW == 1
	summed of;
	of.way = BY_WINDOWS;
	of.total = total;
	of.row_stride = row_stride;
	of.start = start;
	of.kept = kept;
	of.counts = of.behind = count;
	of.past_end = of.n_tiles = 0; /* nothing is behind the end */
	means_of_summed(&of, count, here, scale, groups, N_BINS, out);
#else
	uv sums[MAX_BINS];
	for (uint e = 0; e < N_BINS; e++)
		sums[e] = kept[e * row_stride];
	if (has_lists(start, N_BINS)) {
		for (uint e = 0; e < N_BINS; e++)
			sums[e] += begun_sum(total, start, N_BINS, e);
		finish_sums(total, N_BINS, sums);
	}
	means_of_sums(sums, count, here, scale, groups, N_BINS, out);
#endif
}
