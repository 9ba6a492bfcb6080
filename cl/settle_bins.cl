/* Decides the phase bins that single precision could not, by the filter's own sum in integers: the same bits on every
 * device.
 *
 * Samples are below 2 in magnitude and held with SAMPLE_BITS behind the point, which loses nothing of a float above
 * 2^-22.  Taps are scaled so that a sum of products stays below 2^126 (src/coupling/passes/transform.c), and sums have
 * 128 bits. So the sum is that of the rounded taps, exactly; the rounding moves an angle by some 1e-14 of (|x| |c| /
 * |z|).  The angle is compared with the nearest bin edge by the sign of a product with the edge's direction: the sine
 * of their difference.
 */
#define SAMPLE_BITS 46
#define NARROW_BITS 62

/* A 128-bit integer.  It is handed on by its address alone: Oclgrind's check for unset values crashes at copies of
 * structures. */
typedef struct wide {
	u64 low;
	i64 high;
} wide;

static inline void add_product(wide *sum, const i64 a, const i64 b)
{
	const u64 low = (u64)a * (u64)b;
	sum->low += low;
	sum->high += MUL_HIGH(a, b) + (sum->low < low ? 1 : 0);
}

/* The number of bits of a, without its sign. */
static inline uint width_of(const wide *a)
{
	const u64 high = (u64)(a->high < 0 ? ~a->high : a->high), low = a->high < 0 ? ~a->low : a->low;
	uint width = high ? 64 : 0;
	for (u64 rest = high ? high : low; rest; rest >>= 1)
		width++;
	return width;
}

/* a >> shift, which must fit. */
static inline i64 narrow(const wide *a, const uint shift)
{
	return shift >= 64  ? a->high >> (shift - 64)
	       : shift == 0 ? (i64)a->low
			    : (i64)((a->low >> shift) | ((u64)a->high << (64 - shift)));
}

static inline i64 fixed_of_sample(const float x)
{
	return (i64)(x * 7.0368744177664e13f); /* 2^SAMPLE_BITS */
}

/* Sample i of a series, or of its odd reflection on either side. */
static inline i64 reflected_sample(__global const float *x, const int i, const int last)
{
	const int inside = i < 0 ? -i : (i > last ? 2 * last - i : i);
	const i64 here = fixed_of_sample(x[inside]);
	return i < 0 ? 2 * fixed_of_sample(x[0]) - here : (i > last ? 2 * fixed_of_sample(x[last]) - here : here);
}

/* The filtered value of sample `here`: the sum over all taps. */
static inline void filtered(__global const float *x, const int here, const int last, __global const i64 *tap,
			    const int order, wide *re, wide *im)
{
	/* Up to here no sample is reflected. */
	const int from_ends = here < last - here ? here : last - here, inner = order < from_ends ? order : from_ends;
	re->low = im->low = 0;
	re->high = im->high = 0;
	add_product(re, fixed_of_sample(x[here]), tap[0]);
	for (int k = 1; k <= inner; k++) {
		const i64 before = fixed_of_sample(x[here - k]), after = fixed_of_sample(x[here + k]);
		add_product(re, before + after, tap[2 * k]);
		add_product(im, before - after, tap[2 * k + 1]);
	}
	for (int k = inner + 1; k <= order; k++) {
		const i64 before = reflected_sample(x, here - k, last), after = reflected_sample(x, here + k, last);
		add_product(re, before + after, tap[2 * k]);
		add_product(im, before - after, tap[2 * k + 1]);
	}
}

/* Whether all samples that the filtered value of sample `here` depends on are equal, as where a lead is off. */
static inline bool is_level(__global const float *x, const int here, const int last, const int order)
{
	if (here < order || here + order > last)
		return false;
	int k = order;
	while (k > 0 && x[here - k] == x[here] && x[here + k] == x[here])
		k--;
	return k == 0;
}

/* Whether re + im i lies on the direction's left side, or on it. */
static inline bool is_left_of(__global const i64 *direction, const i64 re, const i64 im)
{
	wide turned;
	turned.low = 0;
	turned.high = 0;
	add_product(&turned, im, direction[0]);
	add_product(&turned, -re, direction[1]);
	return turned.high >= 0;
}

/* The bin of re + im i.  directions (n_bins + 1, 2): cosine and sine of each bin's lower edge, and of pi. */
static inline int exact_bin(__global const i64 *directions, const wide *re, const wide *im, const int n_bins)
{
	const uint of_re = width_of(re), of_im = width_of(im), widest = of_re > of_im ? of_re : of_im;
	/* Signed: of unsigned numbers compilers make a saturating subtraction, which Oclgrind does not know. */
	const int beyond = (int)widest - NARROW_BITS;
	const uint shift = beyond > 0 ? (uint)beyond : 0;
	const i64 x = narrow(re, shift), y = narrow(im, shift);
	const float turns = phase_turns((float)x, (float)y), position = (turns + 0.5f) * (float)n_bins;
	const int edge = (int)(position + 0.5f);
	if (FABS1(position - (float)edge) > 1.0e-6f * (float)n_bins || (x == 0 && y == 0))
		return bin_of_turns(turns, n_bins);
	if (edge == 0 || edge == n_bins) /* the half line at -pi and pi, which belongs to the last bin */
		return y < 0 ? 0 : n_bins - 1;
	return is_left_of(directions + 2 * edge, x, y) ? edge : edge - 1;
}

/* samples     (series, n_samples); sample 0 of the bins is number `begin`
 * stretches   (n_stretches, 2): the first sample and the last of each stretch of a series, in their order, which is
 *             filtered as if it were alone; samples between two of them are in no bin
 * taps        (n_phase, tap_stride, 2): real and imaginary part of tap 0, 1, ...; tap -k is the conjugate of tap k
 * orders      (n_phase): the last tap of each band
 * directions  see exact_bin
 * bins        (series, n_phase, bin_stride); bin_stride is a multiple of 4
 * items       tiles of the kept samples, n_phase, series; tile is a multiple of 4, or 1 or 2
 */
__kernel void settle_bins(ITEM __global const float *samples, __global const i64 *taps, __global const uint *orders,
			  __global const i64 *directions, __global const uint *stretches, __global uchar *bins,
			  const uint n_samples, const uint begin, const uint n_kept, const uint n_phase,
			  const uint n_stretches, const uint tap_stride, const uint bin_stride, const uint tile,
			  const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	__global uchar *bin = bins + (series * n_phase + band) * bin_stride;
	__global const uint *four = (__global const uint *)bin;
	__global const float *row = samples + series * n_samples;
	__global const i64 *tap = taps + band * tap_stride * 2;
	const uint first = (uint)at * tile, end = first + tile < n_kept ? first + tile : n_kept;
	const int order = (int)orders[band];
	/* Up to here (exclusive) the sum is that of the sample before, if one more sample is equal to all of that
	 * sum's: a level stretch costs one sum. */
	uint same_until = 0, stretch = 0;
	for (uint t = first; t < end; t++) {
		if (t % 4 == 0)
			while (t + 4 < end && (four[t / 4] & 0x80808080u) == 0)
				t += 4;
		if (bin[t] < UNSETTLED)
			continue;
		while (stretch + 1 < n_stretches && begin + t > stretches[2 * stretch + 1]) {
			stretch++;
			same_until = 0;
		}
		const uint start = stretches[2 * stretch], stop = stretches[2 * stretch + 1];
		if (begin + t < start || begin + t > stop) {
			bin[t] = 0;
			continue;
		}
		__global const float *x = row + start;
		const int here = (int)(begin + t - start), last = (int)(stop - start);
		if (t < same_until && here + order <= last && x[here + order] == x[here]) {
			same_until = t + 2;
			bin[t] = bin[t - 1];
			continue;
		}
		int found = FIRST_LOOK(x, here, last, tap, order, directions, (int)n_bins);
		if (found < 0) {
			wide re, im;
			filtered(x, here, last, tap, order, &re, &im);
			found = exact_bin(directions, &re, &im, (int)n_bins);
		}
		bin[t] = (uchar)found;
		same_until = is_level(x, here, last, order) ? t + 2 : 0;
	}
}
