/* Surrogates whose amplitude is another than the shifted one: with its time blocks in another order, of another
 * segment, or of a series with random phases.  Such an amplitude is a variant.  Its prefix sums stand in a slot, as
 * those of a series of amplitude.cl do, and the index is that of the observed edge lists against them, unshifted.
 *
 * variants  (slots, vectors): prefix sums, as in amplitude.cl
 * blocks    (series, n_surrogates, n_blocks, 2): the first sample of a time block in the series, and where it stands in
 *           the variant, in the order of the latter; a block ends where the next begins, and goes on at the series'
 *           first sample behind the last
 * offsets   (slots, n_blocks, groups): what is added to a block's prefix sums
 * order     (series, n_surrogates): the segment whose amplitude a surrogate takes, or CLPAC_OWN_SEGMENT
 * totals, level  as of series
 */

/* The sum over the samples of a variant's blocks before each block, less the series' own sum before it.  Rearranged
 * samples keep level and total.
 *
 * prefix  (series, vectors): prefix sums of the amplitudes as they are
 * own_totals, own_level  of the slots
 * items   groups, n_taken variants of each series from first_surrogate on, series
 */
__kernel void block_offsets(ITEM __global const uv *prefix, __global const uv *totals, __global const uint *blocks,
			    __global const fv *level, __global uv *offsets, __global uv *own_totals,
			    __global fv *own_level, const uint n_samples, const uint n_rows, const uint row_stride,
			    const uint groups, const uint first_surrogate, const uint n_surrogates, const uint n_taken,
			    const uint n_blocks)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), variant = get_global_id(1), series = get_global_id(2);
	__global const uv *panel = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	__global const uint *block = blocks + 2 * (series * n_surrogates + first_surrogate + variant) * n_blocks;
	const size_t slot = series * n_taken + variant;
	__global uv *out = offsets + slot * n_blocks * groups + group;
	const uv total = totals[series * groups + group];
	uv sum = USPLAT(0);
	own_totals[slot * groups + group] = total;
	own_level[slot * 2 * groups + group] = level[series * 2 * groups + group];
	own_level[slot * 2 * groups + groups + group] = level[series * 2 * groups + groups + group];
	for (uint b = 0; b < n_blocks; b++) {
		const uint from = block[2 * b], to = block[2 * b + 1];
		const uint past = from + (b + 1 < n_blocks ? block[2 * b + 3] : n_samples) - to;
		const uv before = panel[(size_t)from * row_stride];
		const uv behind = past < n_samples ? panel[(size_t)past * row_stride]
						   : panel[(size_t)(past - n_samples) * row_stride] + total;
		out[(size_t)b * groups] = sum - before;
		sum += behind - before;
	}
}

/* The prefix sums of variants, a tile of them in each item.
 *
 * items  groups, tiles, series x n_taken
 */
__kernel void rearranged_sums(ITEM __global const uv *prefix, __global const uv *totals, __global const uint *blocks,
			      __global const uv *offsets, __global uv *variants, const uint n_samples,
			      const uint n_rows, const uint row_stride, const uint groups, const uint first_surrogate,
			      const uint n_surrogates, const uint n_taken, const uint n_blocks, const uint tile)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), slot = get_global_id(2), series = slot / n_taken;
	const uint variant = (uint)slot - (uint)series * n_taken;
	const uint first = (uint)get_global_id(1) * tile, end = first + tile < n_samples ? first + tile : n_samples;
	__global const uv *panel = prefix + first_of_group(series, group, n_rows, row_stride, groups);
	__global const uint *block = blocks + 2 * (series * n_surrogates + first_surrogate + variant) * n_blocks;
	__global const uv *offset = offsets + slot * n_blocks * groups + group;
	__global uv *out = variants + first_of_group(slot, group, n_rows, row_stride, groups);
	const uv total = totals[series * groups + group];
	uint b = 0, next = n_samples;
	for (uint i = 1; i < n_blocks && block[2 * i + 1] <= first; i++)
		b = i;
	next = b + 1 < n_blocks ? block[2 * b + 3] : n_samples;
	uint at = block[2 * b] + first - block[2 * b + 1]; /* below twice n_samples */
	uv more = offset[(size_t)b * groups];
	for (uint t = first; t < end; t++, at++) {
		if (t == next) {
			b++;
			at = block[2 * b];
			more = offset[(size_t)b * groups];
			next = b + 1 < n_blocks ? block[2 * b + 3] : n_samples;
		}
		const uint is_around = at >= n_samples ? 1 : 0;
		out[(size_t)t * row_stride] = panel[(size_t)(is_around ? at - n_samples : at) * row_stride] + more +
					      (total & USPLAT(0u - is_around));
	}
}

/* The index of the observed edge lists of a row against the prefix sums of a slot. */
INLINED fv index_of_variant(__global const uv *variants, __global const uv *totals, __global const fv *level,
			    const size_t slot, const size_t group, __global const uint *edges,
			    __global const uint *start, __global const float *weights, __global const uchar *bins,
			    const uint n_samples, const uint n_rows, const uint row_stride, const uint groups,
			    const uint n_bins, const uint way, const uint measure, const float mean_factor,
			    const float norm)
{
	__global const uv *panel = variants + first_of_group(slot, group, n_rows, row_stride, groups);
	const uv total = totals[slot * groups + group];
	const fv here = level[slot * 2 * groups + group], scale = level[slot * 2 * groups + groups + group];
#if VW == 1
	summed of;
	of.way = way ? BY_SAMPLES : BY_LISTS;
	of.total = total;
	of.n_samples = n_samples;
	of.row_stride = row_stride;
	of.prefix = panel;
	of.edges = edges;
	of.start = start;
	of.bins = bins;
	of.shift = 0;
	of.means = 0;
	return index_of_summed(&of, weights, here, scale, mean_factor, norm, measure, n_bins);
#else
	uv sums[MAX_BINS];
	if (way) {
		bin_sums_of_bins(panel, total, bins, 0, n_samples, row_stride, N_BINS, sums);
	} else {
		begin_sums(total, start, N_BINS, sums);
		add_crossings(panel, edges, start, N_BINS, sums);
		finish_sums(total, N_BINS, sums);
	}
	return index_of_sums(sums, weights, here, scale, mean_factor, norm, measure, N_BINS);
#endif
}

/* Whether a launch takes a row: those whose edge lists fitted (way 0), the other ones sample by sample (1), or all
 * sample by sample, where lists are those of spans (2). */
static inline bool takes_row(__global const uint *start, const uint way, const uint n_bins)
{
	return way == 2 || has_lists(start, N_BINS) == (way == 0);
}

/* The indices of the n_taken variants of each series, whose places among the n_shifts of a chunk are first_place and
 * up.
 *
 * totals, level  of the slots; slot number series x n_taken + variant
 * indices        (series, n_phase, n_shifts, groups)
 * others         as in modulation_index.cl
 * items          groups x n_taken, n_phase, series
 */
__kernel void variant_indices(ITEM __global const uv *variants, __global const uv *totals, __global const fv *level,
			      __global const uint *edges, __global const uint *starts, __global const float *weights,
			      __global const uchar *bins, __global fv *indices, const uint n_samples, const uint n_rows,
			      const uint row_stride, const uint groups, const uint first_place, const uint n_taken,
			      const uint n_shifts, const uint n_phase, const uint capacity, const uint bin_stride,
			      const uint n_bins, const uint way, const uint measure, const float mean_factor,
			      const float norm)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = group_of_item(get_global_id(0), n_taken, row_stride);
	const size_t variant = shift_of_item(get_global_id(0), n_taken, row_stride);
	const size_t series = get_global_id(2), row = series * n_phase + get_global_id(1);
	__global const uint *start = starts + row * START_STRIDE;
	if (!takes_row(start, way, N_BINS))
		return;
	indices[(row * n_shifts + first_place + variant) * groups + group] =
		index_of_variant(variants, totals, level, series * n_taken + variant, group, edges + row * capacity,
				 start, weights + row * 2 * N_BINS, bins + row * bin_stride, n_samples, n_rows,
				 row_stride, groups, n_bins, way, measure, mean_factor, norm);
}

/* The indices of the n_shifts surrogates of a chunk, of the series of one channel from first_series on.  The slots hold
 * the amplitudes of n_slots segments from first_segment on; surrogates that take another one wait for another launch.
 * A segment that takes its own amplitude (CLPAC_OWN_SEGMENT) has the observed index to the bit.
 *
 * observed  (series, n_phase, groups)
 * items     groups x n_shifts, n_phase, series of the channel
 */
__kernel void segment_indices(ITEM __global const uv *variants, __global const uv *totals, __global const fv *level,
			      __global const uint *order, __global const fv *observed, __global const uint *edges,
			      __global const uint *starts, __global const float *weights, __global const uchar *bins,
			      __global fv *indices, const uint n_samples, const uint n_rows, const uint row_stride,
			      const uint groups, const uint first_surrogate, const uint n_surrogates,
			      const uint n_shifts, const uint first_series, const uint first_segment,
			      const uint n_slots, const uint n_phase, const uint capacity, const uint bin_stride,
			      const uint n_bins, const uint way, const uint measure, const float mean_factor,
			      const float norm)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = group_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t place = shift_of_item(get_global_id(0), n_shifts, row_stride);
	const size_t series = first_series + get_global_id(2), row = series * n_phase + get_global_id(1);
	const uint segment = order[series * n_surrogates + first_surrogate + place];
	__global const uint *start = starts + row * START_STRIDE;
	__global fv *out = indices + (row * n_shifts + place) * groups + group;
	if (segment == CLPAC_OWN_SEGMENT)
		out[0] = observed[row * groups + group];
	if (segment < first_segment || segment - first_segment >= n_slots || !takes_row(start, way, N_BINS))
		return;
	out[0] = index_of_variant(variants, totals, level, segment - first_segment, group, edges + row * capacity,
				  start, weights + row * 2 * N_BINS, bins + row * bin_stride, n_samples, n_rows,
				  row_stride, groups, n_bins, way, measure, mean_factor, norm);
}
