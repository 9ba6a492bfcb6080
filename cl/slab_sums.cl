/* Sums of shifted amplitudes over phase bins for long series, slab by slab of the prefix sums.
 *
 * Prefix sums larger than a cache would come from slower memory at each of the shifts.  So the series is cut into spans
 * (phase_edges.cl) and the prefix sums into slabs of the same number of rows, and a launch takes, for all phase bands
 * and shifts, the spans that a shift moves into one slab:  span i, shifted by s, begins in row (i span + s) modulo
 * the kept samples and needs rows of the slab and of the one behind it.  Unfinished sums stay in memory between the
 * launches, or are added to by all slabs of one launch.  They are integers, so slabs change no bit.
 *
 * prefix      (series, vectors) as in amplitude.cl: the first row of slab first_slab is first_row; the slab
 * behind the last one goes on with the series from its beginning, and its sums continue tile_counts (series, n_phase, 3
 * N, n_tiles): phase_edges.cl unfinished  (series, n_phase, groups / row_stride, sums_stride, N, row_stride), of which
 * n_shifts are used: D_e of the spans so far, or S_j for a row without edge lists
 */

/* The place of the first sum of a row, a group and shift k; those of the next bin are row_stride vectors away. */
static inline size_t first_sum_of(const size_t row, const size_t group, const size_t k, const uint sums_stride,
				  const uint row_stride, const uint groups, const uint n_bins)
{
	if (row_stride == 1)
		return ((row * groups + group) * sums_stride + k) * N_BINS;
	const uint panel = (uint)group / row_stride, lane = (uint)group - panel * row_stride;
	return ((row * (groups / row_stride) + panel) * sums_stride + k) * N_BINS * row_stride + lane;
}

/* A span that a shift moves into a slab, and the row of its first sample there. */
typedef struct moved_span {
	uint span, row;
	bool is_there;
} moved_span;

/* The span that begins in the slab before the series ends. */
static inline moved_span span_before_end(const uint slab, const uint shift, const uint n_samples, const uint span)
{
	moved_span moved;
	const uint spans = shift / span;
	moved.span = slab - spans;
	moved.row = shift - spans * span;
	moved.is_there = slab >= spans && (size_t)moved.span * span + shift < n_samples;
	return moved;
}

/* The span that the shift moves across the end, to the beginning, and into the slab. */
static inline moved_span span_behind_end(const uint slab, const uint shift, const uint n_samples, const uint span,
					 const uint n_spans)
{
	moved_span moved;
	const uint spans = shift / span, rest = shift - spans * span, last = n_samples - (n_spans - 1) * span;
	const bool is_near = rest >= last; /* the shift ends behind the samples of the last span */
	moved.span = slab + n_spans - (is_near ? 1 : 0) - spans;
	moved.row = is_near ? rest - last : span + rest - last;
	moved.is_there = slab + (is_near ? 0 : 1) <= spans;
	return moved;
}

#if VW == 1
/* Adds the amplitudes of a span, sample by sample, to the sums of a tile of bins. */
static inline void add_span_samples(__global const uv *shifted, __global const uchar *bins, const uint n,
				    const uint row_stride, const uint first, const uint n_bins, uv *sums)
{
	uv before = shifted[0];
#pragma unroll 1
	for (uint t = 0; t < n; t++) {
		const uv now = shifted[(size_t)(t + 1) * row_stride];
		add_to_bin(bins[t] - first, now - before, N_BINS, sums);
		before = now;
	}
}
#endif

/* Adds the amplitudes of a span, sample by sample, to the sums of its bins. */
static inline void add_samples(__global const uv *shifted, __global const uchar *bins, const uint n,
			       const uint row_stride, uv *sums)
{
	uv before = shifted[0];
	for (uint t = 0; t < n; t++) {
		const uv now = shifted[(size_t)(t + 1) * row_stride];
		sums[bins[t]] += now - before;
		before = now;
	}
}

/* Adds the crossings of a span to the N sums D_e, as add_crossings does, but in the order of time: EDGES edges of a
 * cycle, then those of the next.  Their sums stay in registers, rows come from the second-level cache in the order in
 * which it fetches ahead, and the loop over cycles ends once for all of them: a span has few cycles of a slow phase.
 * Each shift moves another span into the slab, so that its list comes from far memory and is asked for ahead.
 */
#define AHEAD 512 /* entries: 1 KiB */

static inline void add_span(__global const uv *shifted, __global const ushort *edges, __global const uint *starts,
			    const uint n_bins, uv *d)
{
	const uint n_cycles = starts[2 * N_BINS + 2];
	__global const ushort *cycles = edges + first_cycle(starts, N_BINS);
	uint e = 0;
	for (; e + EDGES <= N_BINS; e += EDGES) {
		__global const ushort *crossed = cycles + e;
		uv sum[EDGES];
#pragma unroll
		for (uint i = 0; i < EDGES; i++)
			sum[i] = d[e + i];
		for (uint left = n_cycles; left; left--, crossed += N_BINS) {
			PREFETCH(crossed + AHEAD);
#pragma unroll
			for (uint i = 0; i < EDGES; i++)
				sum[i] += shifted[crossed[i]];
		}
#pragma unroll
		for (uint i = 0; i < EDGES; i++)
			d[e + i] = sum[i];
	}
	for (; e < N_BINS; e++) {
		__global const ushort *crossed = cycles + e;
		uv sum = d[e];
		for (uint left = n_cycles; left; left--, crossed += N_BINS)
			sum += shifted[crossed[0]];
		d[e] = sum;
	}
	for (e = 0; e < N_BINS; e++) {
		uint i = starts[2 * e];
		const uint turn = starts[2 * e + 1], past = starts[2 * e + 2];
		uv sum = d[e];
		for (; i < turn; i++)
			sum += shifted[edges[i]];
		for (; i < past; i++)
			sum -= shifted[edges[i]];
		d[e] = sum;
	}
}

/* items groups x n_shifts (in the order of modulation_index), n_phase, series x n_slabs, of which those from slab
 * first_slab on are taken.  Slabs of vectors of one band are taken side by side, and add to sums that begin as 0;
 * others are taken one after the other. */
__kernel void slab_sums(ITEM __global const uv *prefix, __global const uint *edges, __global const uint *starts,
			__global const uchar *bins, __global const uint *shifts, __global uv *unfinished,
			const uint n_samples, const uint n_rows, const uint row_stride, const uint groups,
			const uint first_shift, const uint n_shifts, const uint shift_stride, const uint sums_stride,
			const uint n_phase, const uint capacity, const uint bin_stride, const uint n_bins,
			const uint span, const uint n_spans, const uint first_slab, const uint n_slabs,
			const uint first_row)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = group_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t k = shift_of_item(get_global_id(0), n_shifts, row_stride);
	const uint of_series = (uint)get_global_id(2), number_of_series = of_series / n_slabs;
	const uint n_before = of_series - number_of_series * n_slabs, slab = first_slab + n_before;
	const size_t series = number_of_series, row = series * n_phase + get_global_id(1);
	const uint shift = shifts[3 * (series * shift_stride + first_shift + k)];
	__global const uv *panel = prefix + first_of_group(series, group, n_rows, row_stride, groups) +
				   ((size_t)first_row + (size_t)n_before * span) * row_stride;
	__global uv *kept = unfinished + first_sum_of(row, group, k, sums_stride, row_stride, groups, N_BINS);
	__global const uint *start = starts + row * n_spans * START_STRIDE;
	moved_span moved[2];
	moved[0] = span_before_end(slab, shift, n_samples, span);
	moved[1] = span_behind_end(slab, shift, n_samples, span, n_spans);
#if VW == 1
	/* One after the other, without an index: see bin_tiles.cl. */
	const bool are_lists = has_lists(start, N_BINS);
#pragma unroll 1
	for (uint first = 0; first < N_BINS; first += TILE_BINS) {
		uv sums[CLPAC_MOST_BINS + 1]; /* cross_tile's last edge is none of these */
#define BEGIN_WITH_NOTHING(i)                                                                                          \
	if ((i) < TILE_BINS)                                                                                           \
		sums[i] = 0u;
		CLPAC_EACH_36(BEGIN_WITH_NOTHING)
#pragma unroll 1
		for (uint i = 0; i < 2; i++) {
			const uint number = i ? moved[1].span : moved[0].span, at = i ? moved[1].row : moved[0].row;
			const uint from = number * span, n = n_samples - from < span ? n_samples - from : span;
			__global const uv *shifted = panel + (size_t)at * row_stride;
			if (!(i ? moved[1].is_there : moved[0].is_there))
				continue;
			if (are_lists)
				cross_tile(shifted, edges + row * capacity, start + number * START_STRIDE, first,
					   TILE_BINS, N_BINS, sums);
			else
				add_span_samples(shifted, bins + row * bin_stride + from, n, row_stride, first, N_BINS,
						 sums);
		}
#define KEEP_SUM(i)                                                                                                    \
	if (is_bin_of_tile(first, i, N_BINS))                                                                          \
		ADD_TO(kept + (size_t)(first + (i)) * row_stride, sums[i]);
		CLPAC_EACH_36(KEEP_SUM)
	}
#else
	uv sums[MAX_BINS];
	for (uint e = 0; e < N_BINS; e++)
		sums[e] = slab ? kept[e * row_stride] : USPLAT(0);
	for (uint i = 0; i < 2; i++) {
		if (!moved[i].is_there)
			continue;
		const uint from = moved[i].span * span, n = n_samples - from < span ? n_samples - from : span;
		__global const uv *shifted = panel + (size_t)moved[i].row * row_stride;
		if (has_lists(start, N_BINS))
			add_span(shifted, (__global const ushort *)edges + row * capacity,
				 start + moved[i].span * START_STRIDE, N_BINS, sums);
		else
			add_samples(shifted, bins + row * bin_stride + from, n, row_stride, sums);
	}
	for (uint e = 0; e < N_BINS; e++)
		kept[e * row_stride] = sums[e];
#endif
}

/* The indices of n_shifts of the sums, from the first_sum-th on, after the last slab, and the means of the recording
 * if it is the first of them.
 *
 * Spans that were moved across the end read the prefix sums from their beginning on, where those of the others go on:
 * each of their crossings lacks the series' total.
 *
 * indices, observed, means: as for modulation_index
 * items    as for slab_sums
 */
__kernel void slab_indices(ITEM __global const uv *totals, __global const fv *level, __global const uint *counts,
			   __global const uint *tile_counts, __global const uint *starts, __global const float *weights,
			   __global const uint *shifts, __global const uv *unfinished, __global fv *indices,
			   __global fv *observed, __global fv *means, const uint n_samples, const uint row_stride,
			   const uint groups, const uint first_shift, const uint n_shifts, const uint shift_stride,
			   const uint sums_stride, const uint first_sum, const uint n_phase, const uint n_bins,
			   const uint span, const uint n_spans, const uint span_tiles, const uint n_tiles,
			   const uint measure, const float mean_factor, const float norm)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = group_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t k = shift_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint shift = shifts[3 * (series * shift_stride + first_shift + k)];
	__global const uv *kept =
		unfinished + first_sum_of(row, group, first_sum + k, sums_stride, row_stride, groups, N_BINS);
	__global const uint *start = starts + row * n_spans * START_STRIDE;
	const uv total = totals[series * groups + group];
	/* The first span that begins behind the end. */
	const uint across = (n_samples - shift + span - 1) / span;
	const fv here = level[series * 2 * groups + group], scale = level[series * 2 * groups + groups + group];
	__global fv *out = place_of_index(indices, observed, row, k, first_shift, n_shifts, groups, group);
#if VW == 1
	summed of;
	of.way = BY_SLABS;
	of.total = total;
	of.row_stride = row_stride;
	of.start = start;
	of.kept = kept;
	of.counts = counts + row * 3 * N_BINS;
	of.behind = tile_counts + row * 3 * N_BINS * n_tiles;
	of.past_end = across * span_tiles;
	of.n_tiles = n_tiles;
	of.means = is_recording(k, first_shift) ? first_mean_of(means, row, groups, group, N_BINS) : 0;
	of.groups = groups;
	out[0] = index_of_summed(&of, weights + row * 2 * N_BINS, here, scale, mean_factor, norm, measure, n_bins);
#else
	uv sums[MAX_BINS];
	for (uint e = 0; e < N_BINS; e++)
		sums[e] = kept[e * row_stride];
	if (has_lists(start, N_BINS)) {
		for (uint e = 0; e < N_BINS; e++) {
			const size_t list = row * 3 * N_BINS + 2 * e;
			const uint forward = counts[list], backward = counts[list + 1];
			const uint ahead = entries_before(tile_counts, forward, list, across * span_tiles, n_tiles);
			const uint behind =
				entries_before(tile_counts, backward, list + 1, across * span_tiles, n_tiles);
			sums[e] += total * USPLAT((forward - ahead) - (backward - behind)) +
				   begun_sum(total, start, N_BINS, e);
		}
		finish_sums(total, N_BINS, sums);
	}
	if (is_recording(k, first_shift))
		write_means(sums, counts + row * 3 * N_BINS, here, scale, groups, N_BINS,
			    first_mean_of(means, row, groups, group, N_BINS));
	out[0] = index_of_sums(sums, weights + row * 2 * N_BINS, here, scale, mean_factor, norm, measure, N_BINS);
#endif
}
