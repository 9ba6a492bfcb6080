/* Filter and Hilbert transform in one step: the spectrum of a section times the response of each analytic filter. */

/* Completes half spectra: the values at negative frequencies are the conjugates of those at positive ones.
 *
 * spectrum  (rows, length), of which 0 .. length/2 are there
 * items     length / 2 - 1, rows; length is even
 */
__kernel void mirror(ITEM __global float2 *spectrum, const uint length)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), row = get_global_id(1);
	__global float2 *x = spectrum + row * length;
	float2 z = PAIR(x + k + 1);
	z.y = -z.y;
	SET_PAIR(x + length - 1 - k, z);
}

/* spectrum  (rows, length); a row is a section of a series
 * response  (all bands, length)
 * analytic  (rows, n_bands, length), ready for the inverse transform
 * items     length, n_bands, rows
 */
__kernel void select_bands(ITEM __global const float2 *spectrum, __global const float *response,
			   __global float2 *analytic, const uint length, const uint first_band, const uint n_bands)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	const float gain = response[(first_band + band) * length + k];
	float2 z = PAIR(spectrum + row * length + k);
	z.x *= gain;
	z.y *= gain;
	SET_PAIR(analytic + (row * n_bands + band) * length + k, z);
}

/* The same of half spectra, whose values at negative frequencies are taken from those at positive ones. */
__kernel void select_halves(ITEM __global const float2 *spectrum, __global const float *response,
			    __global float2 *analytic, const uint length, const uint first_band, const uint n_bands)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	const bool is_negative = k > length / 2;
	const float gain = response[(first_band + band) * length + k];
	float2 z = PAIR(spectrum + row * length + (is_negative ? length - k : k));
	z.x *= gain;
	z.y *= is_negative ? -gain : gain;
	SET_PAIR(analytic + (row * n_bands + band) * length + k, z);
}
