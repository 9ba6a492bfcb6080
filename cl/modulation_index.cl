/* Modulation index of each phase band, amplitude band and shift.
 *
 * prefix   (series, vectors) as in amplitude.cl; the series is stored twice (n_rows = 2 n_samples) unless all shifts
 *          are 0
 * totals   (series, groups)
 * level    (series, 2, groups)
 * edges    (series, n_phase, capacity)
 * starts   (series, n_phase, 2 N + 3)
 * weights  (series, n_phase, 2 N): with x_j = weight_j S_j + offset_j level, the value of bin j is the common part
 *          (mean_factor * level) plus x_j.
 *          Mean: 1/n_j and 0, or 0 and -1 for an empty bin; mean_factor 1.
 *          Sum: 1 and n_j - T/N; mean_factor T/N.
 * shifts   (series, shift_stride, 3), see surrogate_moments.cl; n_shifts from first_shift on are computed
 * indices  (series, n_phase, n_shifts, groups); NaN if the amplitude vanishes
 * norm     1 / (N ln N)
 * items    groups x n_shifts / TOGETHER (rounded up), n_phase, series; modulation_index_direct: groups x n_shifts, ...
 *          If groups lie apart, shifts vary fastest, else groups.
 *
 * modulation_index_direct takes every row, or only rows without edge lists; for those it runs after modulation_index,
 * whose result is meaningless there.
 *
 * If the prefix sums exceed a cache, every shift would load from slower memory.  A launch then takes only the cycles
 * that start in rows window_begin .. window_end - 1, for all phase bands and shifts, and stores its position and the
 * unfinished sums for the next launch:
 *
 * places      (series, n_phase, n_shifts, groups)
 * unfinished  (series, n_phase, n_shifts, N, groups)
 *
 * The first window begins at row 0; the last ends at n_rows and writes the indices.  A window that is both uses neither
 * buffer.  The sums are integers, so windows change no bit.
 */
static inline fv index_of_sums(const uv *sums, __global const float *weights, const fv level, const fv scale,
			       const float mean_factor, const float norm, const uint n_bins)
{
	const fv unit = level * scale;
	fv x[MAX_BINS], part[4]; /* four chains of sums: in a single one each addition would wait for the one before */
	for (uint i = 0; i < 4; i++)
		part[i] = SPLAT(0.0f);
#pragma unroll
	for (uint j = 0; j < N_BINS; j++) {
		x[j] = TO_FLOAT(AS_IV(sums[j])) * weights[j] + unit * weights[N_BINS + j];
		part[j % 4] += x[j];
	}
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
	fv index = ((part[0] + part[1]) + (part[2] + part[3])) * norm;
	index = SELECT(index > SPLAT(0.0f), index, SPLAT(0.0f));
	index = SELECT(index < SPLAT(1.0f), index, SPLAT(1.0f));
	return SELECT(common > SPLAT(0.0f), index, SPLAT(NAN));
}

/* The group and the shift of an item.  The remainder is computed by a subtraction in 32 bits, which hold the items of a
 * launch: compilers turn a division and a remainder side by side into an instruction that Oclgrind does not know
 * (freeze). */
static inline size_t group_of_item(const size_t item0, const uint groups, const uint n_shifts, const uint row_stride)
{
	return row_stride == 1 ? item0 / n_shifts : (uint)item0 - (uint)(item0 / groups) * groups;
}

static inline size_t shift_of_item(const size_t item0, const uint groups, const uint n_shifts, const uint row_stride)
{
	return row_stride == 1 ? (uint)item0 - (uint)(item0 / n_shifts) * n_shifts : item0 / groups;
}

/* The number of edges by which a shift runs ahead of the smallest shift when both read the same rows.  The shift is
 * `more` rows larger, and the phase takes cycle_rows for a cycle. */
static inline uint lag_of_shift(const uint more, const uint cycle_rows, const uint n_bins)
{
	const size_t lag = cycle_rows ? (size_t)(more % cycle_rows) * N_BINS / cycle_rows : 0;
	return lag < N_BINS ? (uint)lag : 0;
}

__kernel void modulation_index(ITEM __global const uv *prefix, __global const uv *totals, __global const fv *level,
			       __global const uint *edges, __global const uint *starts, __global const float *weights,
			       __global const uint *shifts, __global uint *places, __global uv *unfinished,
			       __global fv *indices, const uint n_rows, const uint row_stride, const uint groups,
			       const uint first_shift, const uint n_shifts, const uint shift_stride, const uint n_phase,
			       const uint capacity, const uint n_bins, const uint window_begin, const uint window_end,
			       const float mean_factor, const float norm)
{
	const uint n_items = (n_shifts + TOGETHER - 1) / TOGETHER;
	const size_t group = group_of_item(get_global_id(0), groups, n_items, row_stride);
	const size_t first = TOGETHER * shift_of_item(get_global_id(0), groups, n_items, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint left = n_shifts - (uint)first, n = left < TOGETHER ? left : TOGETHER;
	__global const uint *shift = shifts + 3 * (series * shift_stride + first_shift + first);
	__global const uv *sheet = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	__global const uint *edge = edges + row * capacity;
	__global const uint *start = starts + row * (2 * N_BINS + 3);
	const uv total = totals[series * groups + group];
	const bool is_first = window_begin == 0, is_last = window_end == n_rows;
	const size_t at = (row * n_shifts + first) * groups + group;
	uv sums[TOGETHER][MAX_BINS];

	if (TOGETHER > 1 && is_first && is_last && n == TOGETHER) {
		__global const uv *shifted[TOGETHER];
		uint lag[TOGETHER];
		const uint n_cycles = start[2 * N_BINS + 2], cycle_rows = n_cycles ? n_rows / 2 / n_cycles : 0;
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			shifted[i] = sheet + shift[3 * i] * row_stride;
			lag[i] = lag_of_shift(shift[3 * i] - shift[0], cycle_rows, N_BINS);
		}
		add_crossings_together(shifted, lag, edge, start, total, N_BINS, sums);
	} else {
		for (uint i = 0; i < TOGETHER && i < n; i++) {
			const size_t place = at + i * groups,
				     sums_at = (row * n_shifts + first + i) * N_BINS * groups + group;
			const uint s = shift[3 * i];
			uint cycle = is_first ? 0 : places[place];
			for (uint e = 0; e < N_BINS && !is_first; e++)
				sums[i][e] = unfinished[sums_at + e * groups];
			add_crossings(sheet + s * row_stride, edge, start, total,
				      window_end > s ? (window_end - s) * row_stride : 0, is_first, is_last, N_BINS,
				      &cycle, sums[i]);
			if (!is_last)
				places[place] = cycle;
			for (uint e = 0; e < N_BINS && !is_last; e++)
				unfinished[sums_at + e * groups] = sums[i][e];
		}
	}
	for (uint i = 0; i < TOGETHER && i < n && is_last; i++) {
		finish_sums(total, N_BINS, sums[i]);
		indices[at + i * groups] =
			index_of_sums(sums[i], weights + row * 2 * N_BINS, level[series * 2 * groups + group],
				      level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
	}
}

__kernel void modulation_index_direct(ITEM __global const uv *prefix, __global const uv *totals,
				      __global const fv *level, __global const uchar *bins, __global const uint *starts,
				      __global const float *weights, __global const uint *shifts, __global fv *indices,
				      const uint n_samples, const uint n_rows, const uint row_stride, const uint groups,
				      const uint first_shift, const uint n_shifts, const uint shift_stride,
				      const uint n_phase, const uint bin_stride, const uint n_bins,
				      const uint is_for_all, const float mean_factor, const float norm)
{
	const size_t group = group_of_item(get_global_id(0), groups, n_shifts, row_stride);
	const size_t k = shift_of_item(get_global_id(0), groups, n_shifts, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	if (!is_for_all && has_lists(starts + row * (2 * N_BINS + 3), N_BINS))
		return;
	const uint shift = shifts[3 * (series * shift_stride + first_shift + k)];
	uv sums[MAX_BINS];
	bin_sums_of_bins(prefix + first_of_group(series, group, n_rows, row_stride, groups),
			 totals[series * groups + group], bins + row * bin_stride, shift, n_samples, row_stride, N_BINS,
			 sums);
	indices[(row * n_shifts + k) * groups + group] =
		index_of_sums(sums, weights + row * 2 * N_BINS, level[series * 2 * groups + group],
			      level[series * 2 * groups + groups + group], mean_factor, norm, N_BINS);
}
