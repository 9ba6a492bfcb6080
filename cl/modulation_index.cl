/* Modulation index of each phase band, amplitude band and shift.
 *
 * prefix   (series, vectors) as in amplitude.cl; with vectors of several bands the series is stored twice (n_rows =
 *          2 n_samples) unless all shifts are 0
 * totals   (series, groups)
 * level    (series, 2, groups)
 * edges    (series, n_phase, capacity)
 * starts   (series, n_phase, START_STRIDE)
 * weights  (series, n_phase, 2 N): with x_j = weight_j S_j + offset_j level, the value of bin j is the common part
 *          (mean_factor * level) plus x_j.
 *          Mean: 1/n_j and 0, or 0 and -1 for an empty bin; mean_factor 1.
 *          Sum: 1 and n_j - T/N; mean_factor T/N.
 * shifts   (series, shift_stride, 3), see surrogate_moments.cl; n_shifts from first_shift on are computed, of which the
 *          first of a list is the recording as it is
 * counts   (series, n_phase, 3 N), see bin_means.cl
 * indices  (series, n_phase, shifts of the launch without the recording, groups); NaN if the amplitude vanishes
 * observed (series, n_phase, groups): the index of the recording, where it is one of the launch
 * means    (series, n_phase, N, groups): its means, see bin_means.cl
 * norm     1 / (N ln N)
 * measure  CLPAC_MEASURE_OF_ENTROPY, the modulation index, or CLPAC_MEASURE_OF_HEIGHTS, the height ratio
 * items    groups x n_shifts / TOGETHER (rounded up), n_phase, series; modulation_index_direct: groups x n_shifts, ...
 *          The groups of a panel (amplitude.cl) vary fastest, then shifts, then panels.
 *
 * modulation_index_direct takes every row, or only rows without edge lists; for those it runs after modulation_index,
 * whose result is meaningless there.
 *
 * Series whose prefix sums exceed a cache are computed by slab_sums.cl.
 */
/* (max - min) / max, from the lowest and the highest of the x_j. */
static inline fv ratio_of_heights(const fv low, const fv high, const fv unit, const float mean_factor)
{
	const fv largest = unit * mean_factor + high;
	fv ratio = (high - low) / largest;
	ratio = SELECT(ratio < SPLAT(1.0f), ratio, SPLAT(1.0f));
	return SELECT(largest > SPLAT(0.0f), ratio, SPLAT(NAN));
}

static inline fv height_ratio(const fv *x, const fv unit, const float mean_factor, const uint n_bins)
{
	fv low = x[0], high = x[0];
#pragma unroll
	for (uint j = 1; j < N_BINS; j++) {
		low = SELECT(x[j] < low, x[j], low);
		high = SELECT(x[j] > high, x[j], high);
	}
	return ratio_of_heights(low, high, unit, mean_factor);
}

/* The index from four sums of terms. */
static inline fv index_of_terms(const fv *part, const fv common, const float norm)
{
	fv index = ((part[0] + part[1]) + (part[2] + part[3])) * norm;
	index = SELECT(index > SPLAT(0.0f), index, SPLAT(0.0f));
	index = SELECT(index < SPLAT(1.0f), index, SPLAT(1.0f));
	return SELECT(common > SPLAT(0.0f), index, SPLAT(NAN));
}

/* The index of the x_j of all bins, which it overwrites; unit is the level in the unit of the sums. */
static inline fv index_of_values(fv *x, const fv unit, const float mean_factor, const float norm, const uint measure,
				 const uint n_bins)
{
	if (measure == CLPAC_MEASURE_OF_HEIGHTS)
		return height_ratio(x, unit, mean_factor, N_BINS);
	fv part[4]; /* four chains of sums: in a single one each addition would wait for the one before */
	for (uint i = 0; i < 4; i++)
		part[i] = SPLAT(0.0f);
#pragma unroll
	for (uint j = 0; j < N_BINS; j++)
		part[j % 4] += x[j];
	const fv mean = ((part[0] + part[1]) + (part[2] + part[3])) * (1.0f / (float)N_BINS);
	const fv common = unit * mean_factor + mean;
	const fv inverse = 1.0f / common;
	iv beyond = AS_IV(SPLAT(0.0f)); /* negative where some |d| is above the limit; cheaper than a maximum */
#pragma unroll
	for (uint j = 0; j < N_BINS; j++) {
		x[j] = (x[j] - mean) * inverse;
		beyond |= AS_IV(SPLAT(0.0625f) - x[j] * x[j]);
	}
	for (uint i = 0; i < 4; i++)
		part[i] = SPLAT(0.0f);
	if (!ANY_NEGATIVE(beyond)) {
#pragma unroll
		for (uint j = 0; j < N_BINS; j++)
			part[j % 4] += entropy_close(x[j]);
	} else {
		beyond = AS_IV(SPLAT(0.0f));
#pragma unroll
		for (uint j = 0; j < N_BINS; j++)
			beyond |= AS_IV(SPLAT(0.25f) - x[j] * x[j]);
		if (!ANY_NEGATIVE(beyond)) {
#pragma unroll
			for (uint j = 0; j < N_BINS; j++)
				part[j % 4] += entropy_near(x[j]);
		} else {
#pragma unroll
			for (uint j = 0; j < N_BINS; j++)
				part[j % 4] += entropy_far(x[j]);
		}
	}
	return index_of_terms(part, common, norm);
}

static inline fv index_of_sums(const uv *sums, __global const float *weights, const fv level, const fv scale,
			       const float mean_factor, const float norm, const uint measure, const uint n_bins)
{
	const fv unit = level * scale;
	fv x[MAX_BINS];
#pragma unroll
	for (uint j = 0; j < N_BINS; j++)
		x[j] = TO_FLOAT(AS_IV(sums[j])) * weights[j] + unit * weights[N_BINS + j];
	return index_of_values(x, unit, mean_factor, norm, measure, N_BINS);
}

#if VW == 1
/* The x_j of the bins from `first` on. */
static inline void values_of_tile(const summed *of, const uint first, __global const float *weights, const fv level,
				  const fv scale, const uint n_bins, fv *x)
{
	const fv unit = level * scale;
	uv sums[CLPAC_MOST_BINS];
	if (of->way != BY_PRODUCTS)
		sums_of_tile(of, first, N_BINS, sums);
	if (of->means)
		write_means_of_tile(of, first, sums, level, scale, N_BINS);
#define WEIGH(i)                                                                                                       \
	if ((i) < TILE_BINS) {                                                                                         \
		const uint j = edge_of_tile(first, i, N_BINS);                                                         \
		const fv value = of->way == BY_PRODUCTS ? of->values[2 * (size_t)(j / 2) * of->n_values + j % 2]       \
							: TO_FLOAT(AS_IV(sums[i]));                                    \
		x[i] = value * weights[j] + unit * weights[N_BINS + j];                                                \
	}
	CLPAC_EACH_36(WEIGH)
}

/* Adds the terms of a tile's bins to the four sums of terms; x becomes the deviations. */
static inline void add_terms_of_tile(const uint first, const fv mean, const fv inverse, const uint n_bins, fv *x,
				     fv *part)
{
	iv beyond = 0; /* as in index_of_values */
#define DEVIATE(i)                                                                                                     \
	if (is_bin_of_tile(first, i, N_BINS)) {                                                                        \
		x[i] = (x[i] - mean) * inverse;                                                                        \
		beyond |= AS_IV(SPLAT(0.0625f) - x[i] * x[i]);                                                         \
	}
	CLPAC_EACH_36(DEVIATE)
#define ADD_CLOSE_TERM(i)                                                                                              \
	if (is_bin_of_tile(first, i, N_BINS))                                                                          \
		part[(i) % 4] += entropy_close(x[i]);
#define ADD_FAR_TERM(i)                                                                                                \
	if (is_bin_of_tile(first, i, N_BINS))                                                                          \
		part[(i) % 4] += entropy_far(x[i]);
	if (!ANY_NEGATIVE(beyond)) {
		CLPAC_EACH_36(ADD_CLOSE_TERM)
	} else {
		CLPAC_EACH_36(ADD_FAR_TERM)
	}
}

/* Adds the values of a tile's bins to four sums, and finds the lowest and the highest of all. */
static inline void add_values_of_tile(const uint first, const fv *x, const uint n_bins, fv *part, fv *low, fv *high)
{
#define ADD_VALUE(i)                                                                                                   \
	if (is_bin_of_tile(first, i, N_BINS)) {                                                                        \
		part[(i) % 4] += x[i];                                                                                 \
		*low = first + (i) == 0 || x[i] < *low ? x[i] : *low;                                                  \
		*high = first + (i) == 0 || x[i] > *high ? x[i] : *high;                                               \
	}
	CLPAC_EACH_36(ADD_VALUE)
}

/* The index of what is summed, and the means if it is the recording.  The values of a single tile stay where they are;
 * those of several are made twice.
 *
 * n_bins is the kernel's argument.  With a bound that it knows, Intel's compiler spills tens of registers, whatever
 * the pragma says. */
INLINED fv index_of_summed(const summed *of, __global const float *weights, const fv level, const fv scale,
			   const float mean_factor, const float norm, const uint measure, const uint n_bins)
{
	const fv unit = level * scale;
	fv only[CLPAC_MOST_BINS], part[4], low = 0.0f, high = 0.0f;
	part[0] = part[1] = part[2] = part[3] = 0.0f;
	if (N_BINS <= CLPAC_MOST_BINS) {
		values_of_tile(of, 0, weights, level, scale, N_BINS, only);
		add_values_of_tile(0, only, N_BINS, part, &low, &high);
	} else {
#pragma unroll 1
		for (uint first = 0; first < n_bins; first += TILE_BINS) {
			fv x[CLPAC_MOST_BINS];
			values_of_tile(of, first, weights, level, scale, N_BINS, x);
			add_values_of_tile(first, x, N_BINS, part, &low, &high);
		}
	}
	if (measure == CLPAC_MEASURE_OF_HEIGHTS)
		return ratio_of_heights(low, high, unit, mean_factor);
	const fv mean = ((part[0] + part[1]) + (part[2] + part[3])) * (1.0f / (float)N_BINS);
	const fv common = unit * mean_factor + mean, inverse = 1.0f / common;
	part[0] = part[1] = part[2] = part[3] = 0.0f;
	if (N_BINS <= CLPAC_MOST_BINS) {
		add_terms_of_tile(0, mean, inverse, N_BINS, only, part);
	} else {
#pragma unroll 1
		for (uint first = 0; first < n_bins; first += TILE_BINS) {
			fv x[CLPAC_MOST_BINS];
			values_of_tile(of, first, weights, level, scale, N_BINS, x);
			add_terms_of_tile(first, mean, inverse, N_BINS, x, part);
		}
	}
	return index_of_terms(part, common, norm);
}
#endif

/* The group and the shift of an item.  The remainder is computed by a subtraction in 32 bits, which hold the items of a
 * launch: compilers turn a division and a remainder side by side into an instruction that Oclgrind does not know
 * (freeze). */
static inline size_t group_of_item(const size_t item0, const uint n_shifts, const uint row_stride)
{
	const uint item = (uint)item0;
	if (row_stride == 1)
		return item / n_shifts;
	const uint of_row = item / row_stride;
	return of_row / n_shifts * row_stride + (item - of_row * row_stride);
}

static inline size_t shift_of_item(const size_t item0, const uint n_shifts, const uint row_stride)
{
	const uint of_row = (uint)item0 / row_stride;
	return of_row - of_row / n_shifts * n_shifts;
}

/* The number of edges by which a shift runs ahead of the smallest shift when both read the same rows.  The shift is
 * `more` rows larger, and the phase takes cycle_rows for a cycle. */
static inline uint lag_of_shift(const uint more, const uint cycle_rows, const uint n_bins)
{
	const size_t lag = cycle_rows ? (size_t)(more % cycle_rows) * N_BINS / cycle_rows : 0;
	return lag < N_BINS ? (uint)lag : 0;
}

/* Whether shift k of a launch is the recording. */
static inline bool is_recording(const size_t k, const uint first_shift)
{
	return first_shift + k == 0;
}

/* Where the index of a row, a group and shift k of a launch goes. */
static inline __global fv *place_of_index(__global fv *indices, __global fv *observed, const size_t row, const size_t k,
					  const uint first_shift, const uint n_shifts, const uint groups,
					  const size_t group)
{
	const uint n_before = first_shift ? 0 : 1;
	if (is_recording(k, first_shift))
		return observed + row * groups + group;
	return indices + (row * (n_shifts - n_before) + (k - n_before)) * groups + group;
}

__kernel void modulation_index(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
			       __global const uint *edges, __global const uint *starts, __global const float *weights,
			       __global const uint *shifts, __global const uint *counts, __global fv *indices,
			       __global fv *observed, __global fv *means, const uint n_samples, const uint n_rows,
			       const uint row_stride, const uint groups, const uint first_shift, const uint n_shifts,
			       const uint shift_stride, const uint n_phase, const uint capacity, const uint n_bins,
			       const uint measure, const float mean_factor, const float norm)
{
	RETURN_BEHIND_ITEMS;
	const uint n_items = (n_shifts + TOGETHER - 1) / TOGETHER;
	const size_t group = group_of_item(get_global_id(0), n_items, row_stride);
	const size_t first = TOGETHER * shift_of_item(get_global_id(0), n_items, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint left = n_shifts - (uint)first, n = left < TOGETHER ? left : TOGETHER;
	__global const uint *shift = shifts + 3 * (series * shift_stride + first_shift + first);
	__global const uv *panel = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	__global const uint *edge = edges + row * capacity;
	__global const uint *start = starts + row * START_STRIDE;
	const uv total = totals[series * groups + group];
	const fv here = level[series * 2 * groups + group], scale = level[series * 2 * groups + groups + group];
#if VW == 1
	summed of;
	of.way = BY_WALKS;
	of.total = total;
	of.prefix = panel;
	of.edges = edge;
	of.start = start;
	of.turn = n ? (n_samples - shift[0]) * row_stride : 0;
	of.up = n ? (size_t)shift[0] * row_stride : 0;
	of.past = (size_t)n_samples * row_stride;
	of.means = is_recording(first, first_shift) ? first_mean_of(means, row, groups, group, N_BINS) : 0;
	of.counts = counts + row * 3 * N_BINS;
	of.groups = groups;
	if (n)
		place_of_index(indices, observed, row, first, first_shift, n_shifts, groups, group)[0] =
			index_of_summed(&of, weights + row * 2 * N_BINS, here, scale, mean_factor, norm, measure,
					n_bins);
#else
	uv sums[TOGETHER][MAX_BINS];
	if (TOGETHER > 1 && n == TOGETHER) {
		__global const uv *shifted[TOGETHER];
		uint lag[TOGETHER];
		const uint n_cycles = start[2 * N_BINS + 2], cycle_rows = n_cycles ? n_samples / n_cycles : 0;
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			shifted[i] = panel + shift[3 * i] * row_stride;
			lag[i] = lag_of_shift(shift[3 * i] - shift[0], cycle_rows, N_BINS);
		}
		add_crossings_together(shifted, lag, edge, start, total, N_BINS, sums);
	} else {
		for (uint i = 0; i < TOGETHER && i < n; i++) {
			begin_sums(total, start, N_BINS, sums[i]);
			add_crossings(panel + shift[3 * i] * row_stride, edge, start, N_BINS, sums[i]);
		}
	}
	for (uint i = 0; i < TOGETHER && i < n; i++) {
		finish_sums(total, N_BINS, sums[i]);
		if (is_recording(first + i, first_shift))
			write_means(sums[i], counts + row * 3 * N_BINS, here, scale, groups, N_BINS,
				    first_mean_of(means, row, groups, group, N_BINS));
		place_of_index(indices, observed, row, first + i, first_shift, n_shifts, groups, group)[0] =
			index_of_sums(sums[i], weights + row * 2 * N_BINS, here, scale, mean_factor, norm, measure,
				      N_BINS);
	}
#endif
}

__kernel void modulation_index_direct(ITEM __global const uv *prefix, __global const uv *totals,
				      __global const fv *level, __global const uchar *bins, __global const uint *starts,
				      __global const float *weights, __global const uint *shifts,
				      __global const uint *counts, __global fv *indices, __global fv *observed,
				      __global fv *means, const uint n_samples, const uint n_rows,
				      const uint row_stride, const uint groups, const uint first_shift,
				      const uint n_shifts, const uint shift_stride, const uint n_phase,
				      const uint bin_stride, const uint n_bins, const uint is_for_all,
				      const uint measure, const float mean_factor, const float norm)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = group_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t k = shift_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	if (!is_for_all && has_lists(starts + row * START_STRIDE, N_BINS))
		return;
	const uint shift = shifts[3 * (series * shift_stride + first_shift + k)];
	__global const uv *panel = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	const uv total = totals[series * groups + group];
	const fv here = level[series * 2 * groups + group], scale = level[series * 2 * groups + groups + group];
	__global fv *out = place_of_index(indices, observed, row, k, first_shift, n_shifts, groups, group);
#if VW == 1
	summed of;
	of.way = BY_SAMPLES;
	of.total = total;
	of.n_samples = n_samples;
	of.row_stride = row_stride;
	of.prefix = panel;
	of.bins = bins + row * bin_stride;
	of.shift = shift;
	of.means = is_recording(k, first_shift) ? first_mean_of(means, row, groups, group, N_BINS) : 0;
	of.counts = counts + row * 3 * N_BINS;
	of.groups = groups;
	out[0] = index_of_summed(&of, weights + row * 2 * N_BINS, here, scale, mean_factor, norm, measure, n_bins);
#else
	uv sums[MAX_BINS];
	bin_sums_of_bins(panel, total, bins + row * bin_stride, shift, n_samples, row_stride, N_BINS, sums);
	if (is_recording(k, first_shift))
		write_means(sums, counts + row * 3 * N_BINS, here, scale, groups, N_BINS,
			    first_mean_of(means, row, groups, group, N_BINS));
	out[0] = index_of_sums(sums, weights + row * 2 * N_BINS, here, scale, mean_factor, norm, measure, N_BINS);
#endif
}
