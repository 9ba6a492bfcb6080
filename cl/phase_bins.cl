/* Phase bin of each kept sample.
 *
 * bins  (series x phase bands, bin_stride): one byte per sample
 */

/* analytic  (series, group_bands, length): kept samples from `first` on; the group's bands are first_band and up of
 *           n_phase
 * items     n_kept, bands of the group, series
 */
__kernel void phase_bins(ITEM __global const float2 *analytic, __global uchar *bins, const uint length,
			 const uint first, const uint group_bands, const uint first_band, const uint n_phase,
			 const uint bin_stride, const uint n_bins)
{
	const size_t t = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	const float2 z = analytic[(series * group_bands + band) * length + first + t];
	bins[(series * n_phase + first_band + band) * bin_stride + t] =
		(uchar)bin_of_turns(phase_turns(z.x, z.y), (int)N_BINS);
}

/* phase  (rows, n_samples) in radians, any number of turns
 * items  n_samples, rows
 */
__kernel void bins_of_phase(ITEM __global const float *phase, __global uchar *bins, const uint n_samples,
			    const uint bin_stride, const uint n_bins)
{
	const size_t t = get_global_id(0), row = get_global_id(1);
	const float phi = phase[row * n_samples + t];
	/* phi in [-pi, pi] is used unchanged, so that pi stays in the last bin; other values are reduced by whole
	 * turns. */
	float turns = phi * 0.15915494309f;
	const float bounded = FABS1(turns) < 1.0e6f ? turns : 0.0f;
	const float whole = (float)(int)(bounded + (bounded < 0.0f ? -0.5f : 0.5f));
	turns = FABS1(phi) <= 3.14159274f ? turns : bounded - whole;
	bins[row * bin_stride + t] = (uchar)bin_of_turns(turns, (int)N_BINS);
}
