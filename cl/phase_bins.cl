/* Phase bin of each kept sample.
 *
 * bins  (series x phase bands, bin_stride): one byte per sample
 */

/* analytic   (series, n_sections, section_bands, length): sections first_section and up, each with `step` values from
 *            `first` on; their bands are those numbered first_band and up of n_phase
 * noise      (series, n_sections, section_bands): bound of the error, see noise.cl; 0: nothing is marked
 * rounding   the same of the angle, relative to the magnitude
 * bins       UNSETTLED is added where the error may decide (shared/phase_bin.h); the last section may write beyond the
 *            kept samples, up to bin_stride
 * items      step, bands, series x n_sections
 */
__kernel void phase_bins(ITEM __global const float2 *analytic, __global const float *noise, __global uchar *bins,
			 const uint length, const uint first, const uint step, const uint first_section,
			 const uint n_sections, const uint section_bands, const uint first_band, const uint n_phase,
			 const uint bin_stride, const uint n_bins, const float rounding)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	/* Not a remainder: compilers turn a division and a remainder side by side into an instruction that Oclgrind
	 * does not know (freeze). */
	const uint series = (uint)row / n_sections, section = (uint)row - series * n_sections + first_section;
	const size_t place = (size_t)(series * n_phase + first_band + band) * bin_stride + (size_t)section * step;
	const float2 z = PAIR(analytic + (row * section_bands + band) * length + first + t);
	bins[place + t] = (uchar)marked_bin(z.x, z.y, noise[row * section_bands + band], rounding, (int)N_BINS);
}

/* A phase in turns, from -0.5 to 0.5.  One in [-pi, pi] is used unchanged, so that pi stays in the last bin; others are
 * reduced by whole turns. */
static inline float turns_of_phase(const float phi)
{
	const float turns = phi * 0.15915494309f;
	const float bounded = FABS1(turns) < 1.0e6f ? turns : 0.0f;
	const float whole = (float)(int)(bounded + (bounded < 0.0f ? -0.5f : 0.5f));
	return FABS1(phi) <= 3.14159274f ? turns : bounded - whole;
}

/* phase  (rows, n_samples) in radians, any number of turns
 * items  n_samples, rows
 */
__kernel void bins_of_phase(ITEM __global const float *phase, __global uchar *bins, const uint n_samples,
			    const uint bin_stride, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	bins[row * bin_stride + t] = (uchar)bin_of_turns(turns_of_phase(phase[row * n_samples + t]), (int)N_BINS);
}
