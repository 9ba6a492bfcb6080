/* The response that is applied: |H|^2, which is forward and backward filtering in one, times 1/length of the inverse
 * transform.
 *
 * spectrum  (bands, spectrum_stride): transform of each band's zero-padded taps
 * response  (all bands, spectrum_stride): rows from first_band on
 * items     length/2 + 1, bands
 */
__kernel void response(ITEM __global const float2 *spectrum, __global float *response, const uint n_half,
		       const uint spectrum_stride, const uint first_band, const float scale)
{
	const size_t k = get_global_id(0), band = get_global_id(1);
	const float2 h = spectrum[band * spectrum_stride + k];
	if (k < n_half)
		response[(first_band + band) * spectrum_stride + k] = (h.x * h.x + h.y * h.y) * scale;
}
