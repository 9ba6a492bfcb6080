/* Cuts series into overlapping sections, extended by odd reflection at both ends of the series, as filtfilt's "odd"
 * padding, and by zeros beyond that.
 *
 * Section i gives the filtered values of samples begin + i step and up, `step` of them, which depend on `pad` samples
 * before and behind them.  So its row begins pad samples earlier, and its value number pad + t is the filtered value
 * number t of the section.
 *
 * samples   (series, n_samples)
 * extended  (series, n_sections, length): sections first_section and up
 * items     length, n_sections, series
 *
 * Needs pad <= n_samples - 1.
 */

/* Sample i of a series x, extended by `pad` samples on both sides.  The edge is chosen first: choices of i and value in
 * one expression each end the compiler of PoCL 6.0 (LLVM 18.1). */
static inline float extended_sample(__global const float *x, const int i, const uint n_samples, const uint pad)
{
	const int last = (int)n_samples - 1;
	if (i >= (int)(n_samples + pad))
		return 0.0f;
	const int edge = i < 0 ? 0 : (i > last ? last : i);
	const float mirrored = x[2 * edge - i];
	return edge == i ? mirrored : 2.0f * x[edge] - mirrored;
}

__kernel void extend(ITEM __global const float *samples, __global float *extended, const uint n_samples,
		     const uint begin, const uint step, const uint first_section, const uint n_sections, const uint pad,
		     const uint length)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), section = get_global_id(1), series = get_global_id(2);
	const int start = (int)(begin + (first_section + (uint)section) * step) - (int)pad;
	extended[(series * n_sections + section) * length + t] =
		extended_sample(samples + series * n_samples, start + (int)t, n_samples, pad);
}

/* The same as complex rows, for wide transforms (src/coupling/fft/engine.h). */
__kernel void extend_wide(ITEM __global const float *samples, __global float2 *extended, const uint n_samples,
			  const uint begin, const uint step, const uint first_section, const uint n_sections,
			  const uint pad, const uint length)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), section = get_global_id(1), series = get_global_id(2);
	const int start = (int)(begin + (first_section + (uint)section) * step) - (int)pad;
	float2 z;
	z.x = extended_sample(samples + series * n_samples, start + (int)t, n_samples, pad);
	z.y = 0.0f;
	extended[(series * n_sections + section) * length + t] = z;
}
