/* The index of every circular shift at once.
 *
 * The sums over bins of all shifts are cross-correlations of the amplitude with the bins,
 *
 *     S_j(s) = sum over t of u(t + s) [bin(t) = j] = 1/L sum over k of U(k) conj(B_j(k)) exp(2 pi i k s / L),
 *
 * so that one transform gives a sum at every shift, however many there are.  Two bins make one complex sequence,
 * g = [bin(t) = 2q] + i [bin(t) = 2q + 1].  U is the transform of a real sequence, and the unscaled inverse transform
 * of g has at k what its transform has at -k, so the inverse transform of U(k) G(k) is S_2q(s) + i S_(2q+1)(s).
 *
 * The length L is that of the series if the engine transforms it fast.  A longer one holds the amplitudes of a whole
 * series and of its beginning once more, against which the bins of one series are moved.
 *
 * Shifts that are multiples of `gap` need only every gap-th value of the inverse transform.  The products that lie
 * L/gap apart are added, and a transform of L/gap values gives exactly those.
 *
 * The u(t) are the integers of amplitude_prefix.cl, whose mean is off.  In single precision the sums of the transform
 * deviate from the exact ones by 3e-7 of their root of mean squares.
 *
 * rows        (series, n_bands, length) f4: u(t)
 * amplitudes  (series, n_bands, length) c8: the transforms of the rows
 * phases      (n_rows, n_pairs, length) c8: g of some phase bands of a series, then its inverse transform; n_pairs is
 *             N/2, rounded up
 * products    (at_once, n_rows, n_pairs, length/gap) c8: of amplitude bands first_band and up, then the sums
 */

/* items length, n_bands, series */
__kernel void shifted_amplitudes(ITEM __global const uint *prefix, __global const uint *totals, __global float *rows,
				 const uint n_samples, const uint n_rows, const uint row_stride, const uint groups,
				 const uint length, const uint n_bands)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	const bool is_there = t < 2 * (size_t)n_samples - 1;
	const size_t at = t < n_samples ? t : is_there ? t - n_samples : 0, group = band / VW, lane = band % VW;
	const size_t first = first_of_group(series, group, n_rows, row_stride, groups);
	const uint before = prefix[(first + at * row_stride) * VW + lane];
	const uint after = at + 1 < n_samples ? prefix[(first + (at + 1) * row_stride) * VW + lane]
					      : totals[(series * groups + group) * VW + lane];
	rows[(series * n_bands + band) * length + t] = is_there ? (float)(int)(after - before) : 0.0f;
}

/* row    of the bins: the first
 * items  length, n_pairs, n_rows */
__kernel void bin_pairs(ITEM __global const uchar *bins, __global float2 *phases, const uint n_samples,
			const uint bin_stride, const uint row, const uint length, const uint n_pairs)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), pair = get_global_id(1), at = get_global_id(2);
	const uint bin = t < n_samples ? bins[(row + at) * bin_stride + t] : 255;
	float2 g;
	g.x = bin == 2 * (uint)pair ? 1.0f : 0.0f;
	g.y = bin == 2 * (uint)pair + 1 ? 1.0f : 0.0f;
	SET_PAIR(phases + (at * n_pairs + pair) * length + t, g);
}

/* first_row  of the amplitudes: of band first_band of the series
 * items      length, n_sequences = n_rows n_pairs, at_once; gap 1 */
__kernel void shift_products(ITEM __global const float2 *amplitudes, __global const float2 *phases,
			     __global float2 *products, const uint length, const uint first_row, const uint n_sequences,
			     const float scale)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), sequence = get_global_id(1), band = get_global_id(2);
	const float2 a = PAIR(amplitudes + (first_row + band) * length + k), g = PAIR(phases + sequence * length + k);
	/* A difference beside a sum is what GCC 12 fuses with the products, contracted or not (vfmaddsub). */
	const float re = a.x * scale, im = a.y * scale, minus_im = -im;
	float2 product;
	product.x = re * g.x + minus_im * g.y;
	product.y = re * g.y + im * g.x;
	SET_PAIR(products + (band * n_sequences + sequence) * length + k, product);
}

/* items length / gap, n_sequences, at_once */
__kernel void folded_products(ITEM __global const float2 *amplitudes, __global const float2 *phases,
			      __global float2 *products, const uint length, const uint gap, const uint first_row,
			      const uint n_sequences, const float scale)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), sequence = get_global_id(1), band = get_global_id(2);
	const size_t n_values = length / gap;
	__global const float2 *a = amplitudes + (first_row + band) * length, *g = phases + sequence * length;
	float2 sum;
	sum.x = sum.y = 0.0f;
	IN_ORDER
	for (size_t at = k; at < length; at += n_values) {
		sum.x += a[at].x * g[at].x - a[at].y * g[at].y;
		sum.y += a[at].x * g[at].y + a[at].y * g[at].x;
	}
	sum.x *= scale;
	sum.y *= scale;
	products[(band * n_sequences + sequence) * n_values + k] = sum;
}

/* The lanes of a vector, one by one. */
typedef union lanes {
	fv all;
	float one[VW];
} lanes;

/* Makes VW vectors whose lanes are shifts, one for each band, to VW vectors whose lanes are bands, one for each shift.
 *
 * A value's place is a number of 2 log2(VW) bits, first those of its vector and then those of its lane.  The even lanes
 * of all pairs of vectors, and then the odd ones, have their places' bits rotated by one, so that log2(VW) rounds
 * exchange vectors and lanes. */
static inline void bands_to_lanes(fv values[VW])
{
	fv rotated[VW];
#pragma unroll
	for (uint round = 1; round < VW; round *= 2) {
#pragma unroll
		for (uint i = 0; 2 * i + 1 < VW; i++) {
			rotated[i] = EVENS(values[2 * i], values[2 * i + 1]);
			rotated[VW / 2 + i] = ODDS(values[2 * i], values[2 * i + 1]);
		}
#pragma unroll
		for (uint i = 0; i < VW; i++)
			values[i] = rotated[i];
	}
}

/* Writes the indices of up to VW shifts and n_bands bands, which lie in a group of VW lanes from `lane` on.  Lanes
 * behind them are of bands that are written later, or of none, so that most of a group is written as a whole.
 *
 * values  a vector for each band, whose lanes are shifts
 * out     (n_shifts, groups): the group of the first shift */
static inline void write_shifts(fv values[VW], const uint n_shifts, const uint n_bands, const uint lane,
				__global fv *out, const uint groups)
{
	bands_to_lanes(values);
	if (lane == 0 && 2 * n_bands > VW) {
		for (uint i = 0; i < n_shifts; i++)
			out[(size_t)i * groups] = values[i];
	} else {
		for (uint i = 0; i < n_shifts; i++) {
			lanes index;
			index.all = values[i];
			__global float *first = (__global float *)(out + (size_t)i * groups) + lane;
			for (uint band = 0; band < n_bands; band++)
				first[band] = index.one[band];
		}
	}
}

/* The indices of n_shifts shifts of some phase bands and some amplitude bands of a series.  An item has VW shifts, the
 * lanes, of one phase band and at most VW amplitude bands, which lie in one group of the indices.
 *
 * level, weights, shifts, indices, mean_factor, norm: modulation_index.cl
 * shifts of a series follow each other, gap apart, so that the sums of neighbouring lanes do too
 * first_band  of n_bands; a multiple of VW if these are more than fit into its group
 * items       n_shifts / VW, n_bands / VW (both rounded up), n_rows: phase bands from `phase` on */
__kernel void indices_of_shifts(ITEM __global const float *products, __global const float *weights,
				__global const float *level, __global const uint *shifts, __global fv *indices,
				const uint n_values, const uint gap, const uint n_rows, const uint series,
				const uint phase, const uint first_band, const uint n_bands, const uint first_shift,
				const uint n_shifts, const uint shift_stride, const uint n_phase, const uint padded,
				const uint n_bins, const uint measure, const float mean_factor, const float norm)
{
	RETURN_BEHIND_ITEMS;
	const uint first = VW * (uint)get_global_id(0), base = VW * (uint)get_global_id(1), n_pairs = (N_BINS + 1) / 2;
	const uint left = n_shifts - first, n = left < VW ? left : VW;
	const uint bands_left = n_bands - base, n_here = bands_left < VW ? bands_left : VW;
	const uint band = first_band + base, groups = padded / VW;
	const size_t at = get_global_id(2), row = (size_t)series * n_phase + phase + at;
	const uint place = shifts[3 * ((size_t)series * shift_stride + first_shift + first)] / gap;
	__global const float *weight = weights + row * 2 * N_BINS;
	__global const float *levels = level + (size_t)series * 2 * padded + band;
#if VW == 1
	if (!n || !n_here)
		return;
	summed of;
	of.way = BY_PRODUCTS;
	of.values = products + 2 * ((base * (size_t)n_rows + at) * n_pairs * n_values + place);
	of.n_values = n_values;
	of.means = 0;
	indices[(row * n_shifts + first) * groups + band] =
		index_of_summed(&of, weight, levels[0], levels[padded], mean_factor, norm, measure, n_bins);
#else
	fv values[VW];
	for (uint of = 0; of < n_here; of++) {
		__global const float *of_band =
			products + 2 * (((base + of) * (size_t)n_rows + at) * n_pairs * n_values + place);
		const float unit = levels[of] * levels[of + padded];
		fv x[MAX_BINS + 1];
#pragma unroll
		for (uint pair = 0; pair < n_pairs; pair++) {
			__global const float *sums = of_band + 2 * (size_t)pair * n_values;
			const fv low = LOAD(sums), high = LOAD(sums + VW);
			x[2 * pair] = EVENS(low, high);
			x[2 * pair + 1] = ODDS(low, high);
		}
#pragma unroll
		for (uint j = 0; j < N_BINS; j++)
			x[j] = x[j] * weight[j] + SPLAT(unit * weight[N_BINS + j]);
		values[of] = index_of_values(x, SPLAT(unit), mean_factor, norm, measure, N_BINS);
	}
	for (uint of = n_here; of < VW; of++)
		values[of] = SPLAT(0.0f);
	write_shifts(values, n, n_here, band % VW, indices + (row * n_shifts + first) * groups + band / VW, groups);
#endif
}
