/* Filter and Hilbert transform in one step: spectrum x |H|^2, doubled for positive frequencies, zero for negative ones.
 *
 * spectrum  (series, spectrum_stride): half spectrum of the extended series
 * response  (all bands, spectrum_stride)
 * offset    (series): the constant that was subtracted before the transform, so that small signals on a large offset
 *           keep their digits; its filtered value is added here
 * analytic  (series, n_bands, length), ready for the inverse transform
 * items     length / 2, n_bands, series; length is even
 *
 * An item writes two values of a row, k and k + length/2, so that neighbouring items access neighbouring memory.  All
 * upper values are zero but the middle one, which belongs to the first item.
 */
__kernel void select_bands(ITEM __global const float2 *spectrum, __global const float *response,
			   __global const float *offset, __global float2 *analytic, const uint length,
			   const uint spectrum_stride, const uint first_band, const uint n_bands)
{
	const size_t k = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	const uint middle = length / 2;
	__global const float2 *x = spectrum + series * spectrum_stride;
	__global const float *gains = response + (first_band + band) * spectrum_stride;
	__global float2 *row = analytic + (series * n_bands + band) * length;
	const float gain = k == 0 ? gains[k] : 2.0f * gains[k];
	float2 lower = x[k], upper = x[middle];
	lower.x += k == 0 ? offset[series] * (float)length : 0.0f;
	lower.x *= gain;
	lower.y *= gain;
	upper.x = k == 0 ? upper.x * gains[middle] : 0.0f;
	upper.y = k == 0 ? upper.y * gains[middle] : 0.0f;
	row[k] = lower;
	row[middle + k] = upper;
}
