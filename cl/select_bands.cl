/* Filter and Hilbert transform in one step: spectrum x |H|^2, doubled for positive frequencies, zero for negative ones.
 *
 * spectrum  (series, spectrum_stride) half spectrum of the extended series
 * response  (all bands, spectrum_stride)
 * offset    (series): the constant that was subtracted before the transform, so that small signals on a large offset keep
 *           their digits; what the filter lets through of it is put back here
 * analytic  (series, n_bands, length), ready for the inverse transform
 * items     length, n_bands, series
 */
__kernel void select_bands(ITEM __global const float2 *spectrum, __global const float *response,
			   __global const float *offset, __global float2 *analytic, const uint length,
			   const uint spectrum_stride, const uint first_band, const uint n_bands)
{
	const size_t k = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	const uint middle = length / 2;
	const size_t kept = k <= middle ? k : 0;
	float2 x = spectrum[series * spectrum_stride + kept];
	const float gain = response[(first_band + band) * spectrum_stride + kept];
	const float sides = k > middle ? 0.0f : (k == 0 || k == middle ? 1.0f : 2.0f);
	x.x += k == 0 ? offset[series] * (float)length : 0.0f;
	x.x *= gain * sides;
	x.y *= gain * sides;
	analytic[(series * n_bands + band) * length + k] = x;
}
