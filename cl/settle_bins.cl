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

/* A lane's share of the filtered value of sample `here`: the sum over every LANES-th tap. */
CALLED void filtered(__global const float *x, const int here, const int last, __global const i64 *tap, const int order,
		     const uint lane, const uint lanes, wide *re, wide *im)
{
	/* Up to here no sample is reflected. */
	const int from_ends = here < last - here ? here : last - here, inner = order < from_ends ? order : from_ends;
	int k = (int)lane;
	re->low = im->low = 0;
	re->high = im->high = 0;
	if (k == 0) {
		add_product(re, fixed_of_sample(x[here]), tap[0]);
		k = (int)lanes;
	}
	for (; k <= inner; k += (int)lanes) {
		const i64 before = fixed_of_sample(x[here - k]), after = fixed_of_sample(x[here + k]);
		add_product(re, before + after, tap[2 * k]);
		add_product(im, before - after, tap[2 * k + 1]);
	}
	for (; k <= order; k += (int)lanes) {
		const i64 before = reflected_sample(x, here - k, last), after = reflected_sample(x, here + k, last);
		add_product(re, before + after, tap[2 * k]);
		add_product(im, before - after, tap[2 * k + 1]);
	}
}

/* Whether all samples that a lane's share of the filtered value of sample `here` depends on are equal to that sample,
 * as where a lead is off; false if some are reflected. */
CALLED bool is_level(__global const float *x, const int here, const int last, const int order, const uint lane,
		     const uint lanes)
{
	if (here < order || here + order > last)
		return false;
	int k = order - (int)lane;
	while (k > 0 && x[here - k] == x[here] && x[here + k] == x[here])
		k -= (int)lanes;
	return k <= 0;
}

/* Adds up the lanes' shares of two sums of 128 bits and of a count; all lanes get them.
 * shares  5 values of each lane */
static inline void add_shares(__shared u64 *shares, const uint lane, const uint lanes, wide *re, wide *im,
			      uint *n_level)
{
	NEXT_SHARE; /* all have read the sums before */
	shares[lane] = re->low;
	shares[lanes + lane] = (u64)re->high;
	shares[2 * lanes + lane] = im->low;
	shares[3 * lanes + lane] = (u64)im->high;
	shares[4 * lanes + lane] = *n_level;
	for (uint apart = lanes / 2; apart; apart /= 2) {
		NEXT_SHARE;
		if (lane < apart) {
			for (uint i = 0; i < 4; i += 2) {
				const u64 low = shares[i * lanes + lane] + shares[i * lanes + lane + apart];
				shares[(i + 1) * lanes + lane] += shares[(i + 1) * lanes + lane + apart] +
								  (low < shares[i * lanes + lane] ? 1 : 0);
				shares[i * lanes + lane] = low;
			}
			shares[4 * lanes + lane] += shares[4 * lanes + lane + apart];
		}
	}
	NEXT_SHARE;
	re->low = shares[0];
	re->high = (i64)shares[lanes];
	im->low = shares[2 * lanes];
	im->high = (i64)shares[3 * lanes];
	*n_level = (uint)shares[4 * lanes];
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
CALLED int exact_bin(__global const i64 *directions, const wide *re, const wide *im, const int n_bins)
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

/* The marks of the samples from `first` up to `end` (exclusive), SHARE of them at most: bit i is that of first + i. */
#define SHARE 32
CALLED uint marks_from(__global const uchar *bin, const uint first, const uint end)
{
	__global const uint *four = (__global const uint *)bin;
	uint marks = 0, any = first % 4 ? UNSETTLED : 0;
	if (!any)
		for (uint i = 0; i < SHARE; i += 4)
			any |= first + i < end ? four[(first + i) / 4] : 0;
	if (any & 0x80808080u)
		for (uint i = 0; i < SHARE && first + i < end; i++)
			marks |= (uint)(bin[first + i] >= UNSETTLED) << i;
	return marks;
}

/* samples     (series, n_samples); sample 0 of the bins is number `begin`
 * stretches   (n_stretches, 2): the first sample and the last of each stretch of a series, in their order, which is
 *             filtered as if it were alone; samples between two of them are in no bin
 * taps        (n_phase, tap_stride, 2): real and imaginary part of tap 0, 1, ...; tap -k is the conjugate of tap k
 * orders      (n_phase): the last tap of each band
 * directions  see exact_bin
 * bins        (series, n_phase, bin_stride); bin_stride is a multiple of 4
 * tile        samples of a row; a multiple of 4, or 1 or 2
 * spent       (n_commands): the steps of all groups in each command, from 0 on; a step is a tap for each lane
 * budget      steps after which a command leaves marks to the next one; the last of n_commands leaves none
 * rows        tiles of the kept samples of a band of a series: (series, n_phase, tiles)
 * lanes       those of a tile, SHARE samples each; they share each sum's taps out among them
 */
/* Whether a command may take so many steps more.  It is asked first, so that what is beyond the budget is no more than
 * the groups that are there at once ask for, which 32 bits hold. */
static inline uint take_from(__global uint *spent, const uint steps, const uint budget)
{
	return ADD_TO(spent, 0) <= budget && ADD_TO(spent, steps) <= budget;
}

enum { STEPS_AT_ONCE = 1024 };

__kernel void settle_bins(ITEM __global const float *samples, __global const i64 *taps, __global const uint *orders,
			  __global const i64 *directions, __global const uint *stretches, __global uint *spent,
			  __global uchar *bins, const uint n_samples, const uint begin, const uint n_kept,
			  const uint n_phase, const uint n_stretches, const uint tap_stride, const uint bin_stride,
			  const uint tile, const uint command, const uint n_commands, const uint budget,
			  const uint n_bins)
{
	const size_t row = ROW_OF_GROUP;
	SHARED(u64, shares, 5);
	SHARED(uint, marked, 1);
	SHARED(uint, may, 1);
	const uint n_tiles = (n_kept + tile - 1) / tile, lane = LANE, lanes = LANES;
	const size_t of_bins = row / n_tiles, series = of_bins / n_phase;
	const uint band = (uint)(of_bins - series * n_phase), begins = (uint)(row - of_bins * n_tiles) * tile;
	const uint end = begins + tile < n_kept ? begins + tile : n_kept;
	const uint share = tile < SHARE * lanes ? (tile + 4 * lanes - 1) / (4 * lanes) * 4 : SHARE;
	__global uchar *bin = bins + of_bins * bin_stride;
	__global const float *row_of_samples = samples + series * n_samples;
	__global const i64 *tap = taps + (size_t)band * tap_stride * 2;
	const int order = (int)orders[band];
	/* Up to here (exclusive) the sum is that of the sample before, if one more sample is equal to all of that
	 * sum's: a level stretch costs one sum. */
	uint same_until = 0, stretch = 0, n_sums = 0;
	const uint steps = (uint)order / lanes + 1, n_at_once = steps < STEPS_AT_ONCE ? STEPS_AT_ONCE / steps : 1;
	int found = 0;
	if (command && spent[command - 1] <= budget)
		ALL_RETURN; /* nothing was left */
	for (uint first = begins; first < end; first += share * lanes) {
		const uint own = first + share * lane, own_end = own + share < end ? own + share : end;
		NEXT_SHARE; /* all have read the marks before */
		marked[lane] = marks_from(bin, own, own_end);
		NEXT_SHARE;
		for (uint i = 0; i < lanes; i++)
			for (uint marks = marked[i]; marks; marks &= marks - 1) {
				const uint t = first + share * i + LOWEST_BIT((u64)marks);
				while (stretch + 1 < n_stretches && begin + t > stretches[2 * stretch + 1]) {
					stretch++;
					same_until = 0;
				}
				const uint start = stretches[2 * stretch], stop = stretches[2 * stretch + 1];
				if (begin + t < start || begin + t > stop) {
					if (lane == 0)
						bin[t] = 0;
					continue;
				}
				__global const float *x = row_of_samples + start;
				const int here = (int)(begin + t - start), last = (int)(stop - start);
				if (t < same_until && here + order <= last && x[here + order] == x[here]) {
					same_until = t + 2;
				} else {
					if (command + 1 < n_commands && n_sums++ % n_at_once == 0) {
						NEXT_SHARE; /* all have read the marks, and the answer before */
						if (lane == 0)
							may[0] = take_from(spent + command, n_at_once * steps, budget);
						NEXT_SHARE;
						if (!may[0])
							ALL_RETURN;
					}
					uint n_level = is_level(x, here, last, order, lane, lanes);
					wide re, im;
					found = FIRST_LOOK(x, here, last, tap, order, directions, (int)n_bins);
					if (found < 0) {
						filtered(x, here, last, tap, order, lane, lanes, &re, &im);
						add_shares(shares, lane, lanes, &re, &im, &n_level);
						found = exact_bin(directions, &re, &im, (int)n_bins);
					}
					same_until = n_level == lanes ? t + 2 : 0;
				}
				if (lane == 0)
					bin[t] = (uchar)found;
			}
	}
}
