/* The edge lists of a short series: the passes of phase_edges.cl and phase_line.cl, fused.
 *
 * A row's tiles are so few that a launch of each pass would leave a GPU waiting for the next one.
 *
 * Arguments are those of the passes, of one span.
 * has_bounds  whether cycles get bounds (cycle_bounds)
 * lanes       n_tiles, 3 N
 */
__kernel void edge_lists(ITEM __global const uchar *bins, __global uint *tile_counts, __global uint *totals,
			 __global uint *starts, __global float *weights, __global uint *largest, __global uint *edges,
			 __global float *jitter, const uint n_samples, const uint bin_stride, const uint tile,
			 const uint n_tiles, const uint n_bins, const uint capacity, const uint average,
			 const uint lists_of_item, const uint row_stride, const uint has_bounds)
{
	const size_t row = ROW_OF_GROUP;
	__global const uchar *bin = bins + row * bin_stride;
	__global uint *counts = tile_counts + row * 3 * N_BINS * n_tiles, *total = totals + row * 3 * N_BINS;
	__global uint *start = starts + row * START_STRIDE, *edge = edges + row * capacity;
	EACH_OF_ROW(at, n_tiles)
	count_tile(bin, counts, at, n_samples, tile, n_tiles, N_BINS);
	NEXT_PASS;
	EACH_OF_ROW(list, 3 * N_BINS)
	total[list] = scan_list(counts + (size_t)list * n_tiles, n_tiles);
	NEXT_PASS;
	EACH_OF_ROW(some, 2 * N_BINS / lists_of_item)
	{
		const uint first = some * lists_of_item;
		place_lists(total, counts, bin[n_samples - 1], start, first, lists_of_item, 0, n_tiles, n_tiles, 1,
			    capacity, N_BINS);
		weigh_bins(total, weights + row * 2 * N_BINS, largest + row, first, lists_of_item, n_samples, average,
			   N_BINS);
	}
	NEXT_PASS;
	EACH_OF_ROW(at, n_tiles)
	scatter_tile(bin, counts, start, edge, false, at, 0, n_samples, tile, n_tiles, capacity, row_stride, N_BINS);
	NEXT_PASS;
	if (has_bounds)
		EACH_OF_ROW(cycle, start[2 * N_BINS + 2])
	bound_cycle(edge, start, cycle, N_BINS);
	if (LANE == 0)
		jitter[row] = jitter_of_row(edge, start, 1, n_tiles * tile * row_stride, N_BINS);
}
