/* The Hilbert transform of exactly the kept samples (`trimmed`), at any length, through FFTs of good lengths.
 *
 * The discrete Hilbert transform of n samples is a circular convolution with a kernel g of n taps.  Laid out over a
 * longer length (g[j] at j, g[n-j] at length - j) it becomes an ordinary product of spectra, so no transform of length
 * n is needed.  g is odd, so its spectrum is i w with w real, and
 *
 *     band + i Hilbert(band)  <->  Y[k] (1 - w[k]) for k <= length/2,  conj(Y[k]) (1 + w[k]) for length - k.
 */

/* analytic  (rows, length)
 * real      (rows, stride): real part of n_samples from `first` on, then zeros
 * items     stride, rows
 */
__kernel void kept_part(ITEM __global const float2 *analytic, __global float *real, const uint length, const uint first,
			const uint n_samples, const uint stride)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	const size_t from = t < n_samples ? t : 0;
	const float value = PAIR(analytic + row * length + first + from).x;
	real[row * stride + t] = t < n_samples ? value : 0.0f;
}

/* spectrum of the laid-out kernel -> weights w (n_half).  items n_half */
__kernel void hilbert_weights(ITEM __global const float2 *spectrum, __global float *weights, const uint n_half)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0);
	if (k < n_half)
		weights[k] = spectrum[k].y;
}

/* spectrum  (rows, spectrum_stride)
 * analytic  (rows, length), scaled by 1/length for the inverse transform
 * items     length, rows
 */
__kernel void hilbert_pair(ITEM __global const float2 *spectrum, __global const float *weights,
			   __global float2 *analytic, const uint length, const uint spectrum_stride)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), row = get_global_id(1);
	const uint middle = length / 2;
	const size_t mirrored = k <= middle ? k : length - k;
	float2 y = PAIR(spectrum + row * spectrum_stride + mirrored);
	const float w = weights[mirrored];
	const float gain = (k <= middle ? 1.0f - w : 1.0f + w) / (float)length;
	y.x *= gain;
	y.y *= k <= middle ? gain : -gain;
	SET_PAIR(analytic + row * length + k, y);
}
