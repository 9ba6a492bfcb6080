/* Real rows as complex rows, and back to half a spectrum, which determines the rest: for FFT engines whose real
 * transforms would mix rows. */

/* real   (rows, stride)
 * wide   (rows, length)
 * items  length, rows
 */
__kernel void widen(ITEM __global const float *real, __global float2 *wide, const uint length, const uint stride)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	float2 z;
	z.x = real[row * stride + t];
	z.y = 0.0f;
	wide[row * length + t] = z;
}

/* wide      (rows, length)
 * spectrum  (rows, stride)
 * items     length/2 + 1, rows
 */
__kernel void halve(ITEM __global const float2 *wide, __global float2 *spectrum, const uint length, const uint stride)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), row = get_global_id(1);
	spectrum[row * stride + k] = wide[row * length + k];
}
