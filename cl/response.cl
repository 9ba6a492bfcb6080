/* The response of each analytic filter: the transform of its complex taps c, which is real because the real part of c
 * is even and the imaginary part odd, times 1/length of the inverse transform.
 *
 * The real sequence Re c + Im c has the transform R - i S; the response is R + S at a frequency and R - S at its
 * negative, which is small and not zero: leaving it out would make values depend on the length of the transform.
 *
 * spectrum  (bands, stride): half spectrum of each band's Re c + Im c, laid out around sample 0
 * response  (all bands, length): rows from first_band on
 * items     length / 2, bands; length is even
 *
 * An item writes frequency k and the negative of frequency length/2 - k, so that each value is written once.  (Two
 * neighbours would be one vector, whose parts Oclgrind's check for unset values cannot follow.)
 */
__kernel void response(ITEM __global const float *spectrum, __global float *response, const uint length,
		       const uint stride, const uint first_band, const float scale)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), band = get_global_id(1);
	__global const float *here = spectrum + 2 * (band * stride + k);
	__global const float *other = spectrum + 2 * (band * stride + length / 2 - k);
	__global float *gains = response + (first_band + band) * length;
	gains[k] = here[0] * scale - here[1] * scale;
	gains[length / 2 + k] = other[0] * scale + other[1] * scale;
}
