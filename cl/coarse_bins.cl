/* Bins of phase bands that are sampled far above their frequencies, from every `gap`-th value of their analytic
 * signals.
 *
 * A short inverse transform of the frequencies around 0 gives those values, and a polynomial the ones in between.  Of
 * most gaps nothing is computed in between, because both ends lie in one bin, farther from its edges than the signal
 * can stray from the line between them.
 *
 * Such values differ from those of the full transform in two ways.  Each has a bound that is added to the band's noise
 * (noise.cl), so that a sample still is left to settle_bins.cl wherever an error could decide:
 *
 * 1. Frequencies above the Nyquist frequency of coarse values are left out.  Their share of a value is at most the sum
 *    of |X G| / L over them.
 * 2. The polynomial through eight neighbours at -3 .. 4 differs from exp(i w u), w the turn of a frequency from one
 *    coarse value to the next, by at most w^8 / 8! times the largest product of the distances,
 *    (1/2 3/2 5/2 7/2)^2 = 43.07, and never by more than 1 and the sum of its weights, 1.49.  So a frequency that is
 *    kept adds |X G| / L times the smaller of w^8 / 936 and 2.5.
 *
 * The noise itself does not grow: between its two middle points, the polynomial passes no frequency with a gain above
 * 1, so that the root of mean squares of an error is not larger between coarse values than at them.
 *
 * The sums of 1 and 2 are taken strip by strip: by Cauchy and Schwarz, the sum of |X G| over a strip is at most the
 * root of its energy times the root of the sum of |G|^2.  (Derivation, and what was measured: doc/maths.md.)
 */
#define GAPS_OF_ITEM 64

/* The frequencies that coarse values can show, times the response: the others, and the Nyquist frequency itself, are
 * left out.
 *
 * spectrum  (rows, length), of which 0 .. length/2 are read
 * response  (all bands, length)
 * analytic  (rows, n_bands, n_coarse), ready for the inverse transform
 * items     n_coarse, n_bands, rows
 */
__kernel void select_coarse(ITEM __global const float2 *spectrum, __global const float *response,
			    __global float2 *analytic, const uint length, const uint n_coarse, const uint first_band,
			    const uint n_bands)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	const bool is_negative = k > n_coarse / 2;
	const size_t from = is_negative ? n_coarse - k : k;
	const float gain = response[(first_band + band) * length + (is_negative ? length - from : from)];
	const float kept = k == n_coarse / 2 ? 0.0f : gain;
	float2 z = spectrum[row * length + from];
	z.x *= kept;
	z.y *= is_negative ? -kept : kept;
	analytic[(row * n_bands + band) * n_coarse + k] = z;
}

/* The weight of each strip's energy in the sum of 1 and 2.
 *
 * The response at the frequencies that are left out is 10^-8 of that in the band and less than the rounding of its
 * transform.  So it is taken from the transform of the taps' second differences, in which the band is small: that is
 * -4 sin^2(y) times the response, y = pi k / L.  The sine is at least y - y^3 / 6.
 *
 * curvature  (bands, length): response of the taps' second differences over L
 * weights    (bands, n_strips): factor times the root of the sum of (|G| + |G at the negative frequency|)^2 / L^2, each
 *            times the bound of 1 or 2; 1.02 for the roundings of all that
 * items      n_strips, bands
 */
__kernel void coarse_weights(ITEM __global const float *curvature, __global float *weights, const uint length,
			     const uint n_coarse, const uint strip, const uint n_strips, const float factor)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), band = get_global_id(1);
	__global const float *curve = curvature + band * length;
	float sum = 0.0f;
	IN_ORDER
	for (uint k = (uint)at * strip; k < ((uint)at + 1) * strip && k <= length / 2; k++) {
		/* The polynomial makes no error at frequency 0. */
		if (k == 0)
			continue;
		const float y = 3.14159265f * (float)k / (float)length, sine = y - y * y * y * (1.0f / 6.0f);
		const float gain = (FABS1(curve[k]) + FABS1(curve[length - k])) / (4.0f * sine * sine);
		const float turn = 6.2831853f * (float)k / (float)n_coarse, second = turn * turn;
		const float fourth = second * second, strays = fourth * fourth * (1.0f / 936.0f);
		const float error = 2 * k >= n_coarse ? 1.0f : strays < 2.5f ? strays : 2.5f;
		sum += gain * error * (gain * error);
	}
	weights[band * n_strips + at] = 1.02f * factor * SQRT1(sum);
}

/* Adds the bound of 1 and 2 to the noise of band_noise, which is squared.
 *
 * noise  (rows, n_bands): bands first_band and up of the weights
 * items  n_bands, rows
 */
__kernel void coarse_noise(ITEM __global const float *energy, __global const float *weights, __global float *noise,
			   const uint n_strips, const uint first_band, const uint n_bands)
{
	RETURN_BEHIND_ITEMS;
	const size_t band = get_global_id(0), row = get_global_id(1);
	__global const float *weight = weights + (first_band + band) * n_strips;
	float sum = SQRT1(noise[row * n_bands + band]);
	IN_ORDER
	for (uint at = 0; at < n_strips; at++)
		sum += SQRT1(energy[row * n_strips + at]) * weight[at];
	noise[row * n_bands + band] = sum * sum;
}

/* Everett's polynomial between values 3 and 4 of eight: the line between them, and their differences of second, fourth
 * and sixth order (a, b, c: at value 3 and at value 4), u from value 3. */
static inline float everett(const float *z, const float *a, const float *b, const float *c, const float u)
{
	const float v = 1.0f - u, p = u * u, q = v * v;
	const float at_u = u * (p - 1.0f) * (1.0f / 6.0f), at_v = v * (q - 1.0f) * (1.0f / 6.0f);
	const float far_u = at_u * (p - 4.0f) * 0.05f, far_v = at_v * (q - 4.0f) * 0.05f;
	const float end_u = far_u * (p - 9.0f) * (1.0f / 42.0f), end_v = far_v * (q - 9.0f) * (1.0f / 42.0f);
	const float bend = at_v * a[0] + at_u * a[1] + (far_v * b[0] + far_u * b[1]) + (end_v * c[0] + end_u * c[1]);
	return v * z[3] + u * z[4] + bend;
}

/* The differences of eight values. */
static inline void differences(const float *z, float *a, float *b, float *c)
{
	float second[6], fourth[4];
#pragma unroll
	for (uint i = 0; i < 6; i++)
		second[i] = z[i] + z[i + 2] - 2.0f * z[i + 1];
#pragma unroll
	for (uint i = 0; i < 4; i++)
		fourth[i] = second[i] + second[i + 2] - 2.0f * second[i + 1];
#pragma unroll
	for (uint i = 0; i < 2; i++) {
		a[i] = second[i + 2];
		b[i] = fourth[i + 1];
		c[i] = fourth[i] + fourth[i + 2] - 2.0f * fourth[i + 1];
	}
}

/* Bins of the samples of a gap, by the polynomial. */
static inline void bins_of_gap(const float *re, const float *im, const float noise, const float rounding,
			       const uint gap, const int n_bins, __global uchar *bins)
{
	float re2[2], re4[2], re6[2], im2[2], im4[2], im6[2];
	const float part = 1.0f / (float)gap;
	differences(re, re2, re4, re6);
	differences(im, im2, im4, im6);
	for (uint from = 0; from < gap; from += 8) {
		int found[8];
		for (uint j = 0; j < 8; j++) {
			const float u = (float)(int)(from + j) * part;
			found[j] = marked_bin(everett(re, re2, re4, re6, u), everett(im, im2, im4, im6, u), noise,
					      rounding, n_bins);
		}
		for (uint j = 0; j < 8; j++)
			bins[from + j] = (uchar)found[j];
	}
}

static inline float larger_of(const float a, const float b)
{
	return a > b ? a : b;
}

/* Bins of the samples of 64 gaps.
 *
 * The polynomial leaves the line between the ends of a gap by no more than 1/8 of the larger second difference, 3/128
 * of the larger fourth and 5/1024 of the larger sixth one.  Each is at most four times the largest one of two orders
 * lower around it, so that 0.3 of the largest of six second differences is a bound, d.  The set of points of a bin that
 * are d or more from its edges is convex: with both ends in it, so is the line, and the bin holds the whole gap.  The
 * distance of a point of angle x to an edge is |z| sin(x), and sin(x) >= x (1 - x^2 / 6).
 *
 * The polynomial itself is rounded by 4.5e-7 of the largest of the eight values, and by 5e-7 of their largest second
 * difference: some three roundings of either end, one of each difference, and those of their coefficients.
 *
 * analytic    (rows, group_bands, n_coarse): a row is a section of a series; value `first` is that of its first sample
 * noise etc.  as in phase_bins.cl; the step of sections is a multiple of the gap, and the gap one of 8
 * items       n_gaps / 64, bands of the group, series x n_sections
 */
__kernel void coarse_bins(ITEM __global const float2 *analytic, __global const float *noise, __global uchar *bins,
			  const uint n_coarse, const uint first, const uint n_gaps, const uint gap,
			  const uint first_section, const uint n_sections, const uint group_bands,
			  const uint first_band, const uint n_phase, const uint bin_stride, const uint n_bins,
			  const float rounding)
{
	RETURN_BEHIND_ITEMS;
	const size_t item_of_row = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	const uint series = (uint)row / n_sections, section = (uint)row - series * n_sections + first_section;
	const uint begin = (uint)item_of_row * GAPS_OF_ITEM;
	const uint end = n_gaps - begin < GAPS_OF_ITEM ? n_gaps - begin : GAPS_OF_ITEM;
	/* The values of the gaps, three before and four behind them; a row goes on for at least an order. */
	__global const float2 *values = analytic + (row * group_bands + band) * n_coarse + first + begin - 3;
	__global uchar *bin = bins + (size_t)(series * n_phase + first_band + band) * bin_stride +
			      ((size_t)section * n_gaps + begin) * gap;
	const float in_turns = 0.22507908f; /* the root of 2, over 2 pi: the unit of the noise's root */
	const float n = (float)N_BINS, noise_root = SQRT1(noise[row * group_bands + band]);
	const float widest = 3.14159265f / n;
	const float sine = (6.2831853f / n) * (1.0f - widest * widest * (1.0f / 6.0f));
	const float uncertain = 3.0e-7f * n + 1.0e-6f;
	float re[GAPS_OF_ITEM + 8], im[GAPS_OF_ITEM + 8], curve[GAPS_OF_ITEM + 8], depth[GAPS_OF_ITEM + 8];
	float size[GAPS_OF_ITEM + 8];
	int in_bin[GAPS_OF_ITEM + 8], found[GAPS_OF_ITEM];
	for (uint i = 0; i < GAPS_OF_ITEM + 8; i++) {
		re[i] = values[i].x;
		im[i] = values[i].y;
	}
	for (uint i = 0; i < GAPS_OF_ITEM + 6; i++) {
		const float x = re[i] + re[i + 2] - 2.0f * re[i + 1], y = im[i] + im[i + 2] - 2.0f * im[i + 1];
		curve[i] = x * x + y * y;
	}
	for (uint i = 0; i < GAPS_OF_ITEM + 8; i++) {
		const float turns = phase_turns(re[i], im[i]), position = (turns + 0.5f) * n;
		const int here = bin_of_turns(turns, (int)N_BINS);
		const float above = position - (float)here, below = 1.0f - above;
		size[i] = SQRT1(re[i] * re[i] + im[i] * im[i]);
		/* The distance from the nearer edge, as at least so much of the signal. */
		depth[i] = ((above < below ? above : below) - uncertain) * sine * size[i];
		in_bin[i] = here;
	}
	for (uint i = 0; i < GAPS_OF_ITEM; i++) {
		float most = curve[i];
		for (uint j = 1; j < 6; j++)
			most = larger_of(most, curve[i + j]);
		const float bend = SQRT1(most), shallower = depth[i + 3] < depth[i + 4] ? depth[i + 3] : depth[i + 4];
		/* The noise's root is larger than the bound of the error by the root of 2. */
		const float strays = 0.3f * bend + noise_root * 6.2831853f;
		found[i] = shallower > strays && in_bin[i + 3] == in_bin[i + 4] ? in_bin[i + 3] : -1;
		curve[i] = bend;
	}
	for (uint i = 0; i < end; i++) {
		if (found[i] >= 0) {
			__global u64 *eight = (__global u64 *)(bin + (size_t)i * gap);
			const u64 all = (u64)found[i] * 0x0101010101010101;
			for (uint j = 0; j < gap / 8; j++)
				eight[j] = all;
			continue;
		}
		float largest = size[i];
		for (uint j = 1; j < 8; j++)
			largest = larger_of(largest, size[i + j]);
		const float root = noise_root + in_turns * (4.5e-7f * largest + 5.0e-7f * curve[i]);
		bins_of_gap(re + i, im + i, root * root, rounding, gap, (int)N_BINS, bin + (size_t)i * gap);
	}
}
