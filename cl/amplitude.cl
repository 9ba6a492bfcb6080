/* Amplitudes, time-major: (series, n_rows, padded bands), so that one load brings VW neighbouring bands of one sample.
 * The first n_kept rows are written; the lanes beyond the last band are left as they are (zero since the buffer was made). */

/* analytic (series, group_bands, length), kept samples from `first` on; the group's bands are first_band and up.
 * items n_kept, group_bands, series */
__kernel void amplitude(ITEM __global const float2 *analytic, __global float *amplitude, const uint length,
			const uint first, const uint n_rows, const uint group_bands, const uint first_band,
			const uint padded_bands)
{
	const size_t t = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	const float2 z = analytic[(series * group_bands + band) * length + first + t];
	amplitude[(series * n_rows + t) * padded_bands + first_band + band] = SQRT1(z.x * z.x + z.y * z.y);
}

/* array (series, n_bands, n_kept) of amplitudes.  items n_kept, n_bands, series */
__kernel void amplitude_of_array(ITEM __global const float *array, __global float *amplitude, const uint n_kept,
				 const uint n_rows, const uint n_bands, const uint padded_bands)
{
	const size_t t = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	amplitude[(series * n_rows + t) * padded_bands + band] = array[(series * n_bands + band) * n_kept + t];
}
