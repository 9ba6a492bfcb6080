/* Amplitudes, stored as vectors of VW neighbouring bands of one sample; such a vector's bands are a group.
 *
 * amplitude  (series, vectors): sample t of a group lies row_stride vectors after sample t - 1.
 *            row_stride 1: each group has its n_rows samples to itself, which suits a CPU's caches.
 *            row_stride = number of groups: all groups of a sample lie together, which suits the lanes of a GPU.
 *
 * The lanes beyond the last band are not written; they are zero from allocation on.
 */

/* Index of a band's sample t in the amplitudes of a series, in floats. */
static inline size_t place_of(const size_t band, const size_t t, const uint n_rows, const uint row_stride)
{
	const size_t group = band / VW, vector = group * (row_stride == 1 ? n_rows : 1) + t * row_stride;
	return vector * VW + band % VW;
}

/* analytic  (series, n_blocks, group_bands, length): blocks first_block and up, each with `step` values from `first`
 * on; the group's bands are first_band and up amplitude the last block may write beyond the kept samples, by less than
 * n_rows - n_kept rows items     step, group_bands, series x n_blocks
 */
__kernel void amplitude(ITEM __global const float2 *analytic, __global float *amplitude, const uint length,
			const uint first, const uint step, const uint first_block, const uint n_blocks,
			const uint n_rows, const uint group_bands, const uint first_band, const uint row_stride,
			const uint groups, const uint first_row)
{
	const size_t t = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	const uint series = (uint)row / n_blocks, block = (uint)row - series * n_blocks + first_block;
	const float2 z = analytic[(row * group_bands + band) * length + first + t];
	amplitude[(size_t)series * n_rows * groups * VW +
		  place_of(first_band + band, first_row + (size_t)block * step + t, n_rows, row_stride)] =
		SQRT1(z.x * z.x + z.y * z.y);
}

/* array  (series, n_bands, n_samples) of amplitudes, of which those from number `from` on go to rows first_row and up
 * items  samples, n_bands, series
 */
__kernel void amplitude_of_array(ITEM __global const float *array, __global float *amplitude, const uint n_samples,
				 const uint n_rows, const uint n_bands, const uint row_stride, const uint groups,
				 const uint from, const uint first_row)
{
	const size_t t = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	amplitude[series * n_rows * groups * VW + place_of(band, first_row + t, n_rows, row_stride)] =
		array[(series * n_bands + band) * n_samples + from + t];
}
