/* Extends series by odd reflection at both ends, as filtfilt's "odd" padding, and zeros up to the FFT length.
 *
 * samples   (series, n_samples)
 * extended  (series, stride): pad reflected samples, the series, pad reflected samples, zeros
 * items     stride, series
 *
 * Needs pad <= n_samples - 1 and n_samples + 2 pad <= stride.
 */
__kernel void extend(ITEM __global const float *samples, __global float *extended, const uint n_samples, const uint pad,
		     const uint length, const uint stride)
{
	const size_t t = get_global_id(0), series = get_global_id(1);
	__global const float *x = samples + series * n_samples;
	const int i = (int)t - (int)pad, last = (int)n_samples - 1;
	float value = 0.0f;
	if (t < length && i < (int)(n_samples + pad)) {
		const int inside = i < 0 ? -i : (i > last ? 2 * last - i : i);
		const float twice = i < 0 ? 2.0f * x[0] : (i > last ? 2.0f * x[last] : 0.0f);
		value = (i < 0 || i > last) ? twice - x[inside] : x[inside];
	}
	extended[series * stride + t] = value;
}
