/* Fourier transforms of rows in the lanes of vectors: Stockham's, whose results are in order by themselves (Cochran et
 * al. 1967, IEEE Trans Audio Electroacoust 15:45; Van Loan 1992, Computational Frameworks for the Fast Fourier
 * Transform, section 1.7).
 *
 * A transform of h values is a chain of passes whose radices multiply to h.  With s the product of the radices before,
 * r its own, m = h / (s r) and w = exp(2 pi i s / h), a pass is for all p < m, q < s and j < r
 *
 *     y[q + s (r p + j)] = w^(j p) sum over k < r of x[q + s (p + k m)] exp(2 pi i j k / r)
 *
 * Real and imaginary parts lie apart (planes).  The s values of a run lie side by side, so that a vector takes VW of
 * them with one factor; the first two passes, whose runs are shorter, take vectors of several runs and put their
 * results in turn.  Whatever its place in a vector, a value comes from the same operations: its bits do not depend on
 * VW.
 *
 * A pass goes once through the row and once through its result: 32 bytes a value, between caches.  Of 4096 values there
 * are six, and both planes lie in 64 KiB.  Rounding: tests/contract/fft_lengths.c, CLPAC__FFT_ERROR.
 *
 * The last vector of a run that is no multiple of VW takes some values once more.  That of a run shorter than VW goes
 * beyond it: what it writes there is written again by the runs that follow; behind the last there is room
 * (CLPAC_PLANE).
 */

typedef struct complex_lanes {
	fv re, im;
} complex_lanes;

/* Rows of real parts and of imaginary ones. */
typedef struct planes {
	__global float *re, *im;
} planes;

static inline planes planes_at(__global float *first, const uint h)
{
	planes x;
	x.re = first;
	x.im = first + CLPAC_PLANE(h);
	return x;
}

static inline planes planes_from(const planes x, const size_t at)
{
	planes y;
	y.re = x.re + at;
	y.im = x.im + at;
	return y;
}

static inline complex_lanes load_planes(const planes x, const size_t at)
{
	complex_lanes z;
	z.re = LOAD(x.re + at);
	z.im = LOAD(x.im + at);
	return z;
}

static inline void store_planes(const complex_lanes z, const planes x, const size_t at)
{
	STORE(z.re, x.re + at);
	STORE(z.im, x.im + at);
}

/* VW values of an interleaved row. */
static inline complex_lanes load_pairs(__global const float *row, const size_t at)
{
	const fv first = LOAD(row + 2 * at), second = LOAD(row + 2 * at + VW);
	complex_lanes z;
	z.re = EVENS(first, second);
	z.im = ODDS(first, second);
	return z;
}

/* The same of a row times real gains; NULL: as it is. */
static inline complex_lanes load_row(__global const float *row, __global const float *gains, const size_t at)
{
	complex_lanes z = load_pairs(row, at);
	if (gains) {
		const fv gain = LOAD(gains + at);
		z.re *= gain;
		z.im *= gain;
	}
	return z;
}

static inline void store_pairs(const complex_lanes z, __global float *row, const size_t at)
{
	STORE(ZIP_LOW(z.re, z.im), row + 2 * at);
	STORE(ZIP_HIGH(z.re, z.im), row + 2 * at + VW);
}

static inline complex_lanes sum_of(const complex_lanes a, const complex_lanes b)
{
	complex_lanes z;
	z.re = a.re + b.re;
	z.im = a.im + b.im;
	return z;
}

static inline complex_lanes difference_of(const complex_lanes a, const complex_lanes b)
{
	complex_lanes z;
	z.re = a.re - b.re;
	z.im = a.im - b.im;
	return z;
}

/* a + i b and a - i b. */
static inline complex_lanes turned_sum_of(const complex_lanes a, const complex_lanes b)
{
	complex_lanes z;
	z.re = a.re - b.im;
	z.im = a.im + b.re;
	return z;
}

static inline complex_lanes turned_difference_of(const complex_lanes a, const complex_lanes b)
{
	complex_lanes z;
	z.re = a.re + b.im;
	z.im = a.im - b.re;
	return z;
}

static inline complex_lanes scaled(const complex_lanes a, const float by)
{
	complex_lanes z;
	z.re = a.re * by;
	z.im = a.im * by;
	return z;
}

static inline complex_lanes product_of(const complex_lanes a, const fv re, const fv im)
{
	complex_lanes z;
	z.re = a.re * re - a.im * im;
	z.im = a.re * im + a.im * re;
	return z;
}

/* Sums over r values with the factors exp(2 pi i j k / r), in place. */

static inline void sums_of_2(complex_lanes *z)
{
	const complex_lanes first = z[0];
	z[0] = sum_of(first, z[1]);
	z[1] = difference_of(first, z[1]);
}

static inline void sums_of_4(complex_lanes *z)
{
	const complex_lanes a = sum_of(z[0], z[2]), b = difference_of(z[0], z[2]);
	const complex_lanes c = sum_of(z[1], z[3]), d = difference_of(z[1], z[3]);
	z[0] = sum_of(a, c);
	z[1] = turned_sum_of(b, d);
	z[2] = difference_of(a, c);
	z[3] = turned_difference_of(b, d);
}

static inline void sums_of_3(complex_lanes *z)
{
	const complex_lanes sum = sum_of(z[1], z[2]), a = sum_of(z[0], scaled(sum, -0.5f));
	const complex_lanes b = scaled(difference_of(z[1], z[2]), 0.86602540378f); /* sin 2 pi / 3 */
	z[0] = sum_of(z[0], sum);
	z[1] = turned_sum_of(a, b);
	z[2] = turned_difference_of(a, b);
}

static inline void sums_of_5(complex_lanes *z)
{
	const float c1 = 0.30901699437f, c2 = -0.80901699437f; /* cos 2 pi / 5, cos 4 pi / 5 */
	const float s1 = 0.95105651630f, s2 = 0.58778525229f;  /* sin 2 pi / 5, sin 4 pi / 5 */
	const complex_lanes a = sum_of(z[1], z[4]), b = sum_of(z[2], z[3]);
	const complex_lanes c = difference_of(z[1], z[4]), d = difference_of(z[2], z[3]);
	const complex_lanes e = sum_of(z[0], sum_of(scaled(a, c1), scaled(b, c2)));
	const complex_lanes f = sum_of(z[0], sum_of(scaled(a, c2), scaled(b, c1)));
	const complex_lanes g = sum_of(scaled(c, s1), scaled(d, s2));
	const complex_lanes h = difference_of(scaled(c, s2), scaled(d, s1));
	z[0] = sum_of(z[0], sum_of(a, b));
	z[1] = turned_sum_of(e, g);
	z[2] = turned_sum_of(f, h);
	z[3] = turned_difference_of(f, h);
	z[4] = turned_difference_of(e, g);
}

INLINED void sums_of(const uint radix, complex_lanes *z)
{
	if (radix == 4)
		sums_of_4(z);
	if (radix == 2)
		sums_of_2(z);
	if (radix == 3)
		sums_of_3(z);
	if (radix == 5)
		sums_of_5(z);
}

/* Stores four vectors as one sequence of 4 VW values, each giving `part` of them (1 or 4) in turn. */
static inline void store_in_turn(const fv a, const fv b, const fv c, const fv d, const uint part, __global float *plane)
{
	const fv even_low = part == 1 ? ZIP_LOW(a, c) : ZIP_FOURS_LOW(a, c);
	const fv even_high = part == 1 ? ZIP_HIGH(a, c) : ZIP_FOURS_HIGH(a, c);
	const fv odd_low = part == 1 ? ZIP_LOW(b, d) : ZIP_FOURS_LOW(b, d);
	const fv odd_high = part == 1 ? ZIP_HIGH(b, d) : ZIP_FOURS_HIGH(b, d);
	STORE(part == 1 ? ZIP_LOW(even_low, odd_low) : ZIP_FOURS_LOW(even_low, odd_low), plane);
	STORE(part == 1 ? ZIP_HIGH(even_low, odd_low) : ZIP_FOURS_HIGH(even_low, odd_low), plane + VW);
	STORE(part == 1 ? ZIP_LOW(even_high, odd_high) : ZIP_FOURS_LOW(even_high, odd_high), plane + 2 * VW);
	STORE(part == 1 ? ZIP_HIGH(even_high, odd_high) : ZIP_FOURS_HIGH(even_high, odd_high), plane + 3 * VW);
}

/* The first pass (s = 1, from an interleaved row) or the second (s = 4), of radix 4, by vectors of all i = q + s p.
 * h / 4 is VW at least; the last vector takes some values once more. */
static inline void early_pass(const uint s, __global const float *row, __global const float *gains, const planes x,
			      const planes y, __global const float *factors, const uint h)
{
	const size_t quarter = h / 4;
	for (size_t from = 0; from < quarter; from += VW) {
		const size_t i = from + VW <= quarter ? from : quarter - VW;
		complex_lanes z[4];
#pragma unroll
		for (uint k = 0; k < 4; k++)
			z[k] = s == 1 ? load_row(row, gains, i + k * quarter) : load_planes(x, i + k * quarter);
		sums_of_4(z);
#pragma unroll
		for (uint j = 1; j < 4; j++)
			z[j] = product_of(z[j], LOAD(factors + (2 * j - 2) * quarter + i),
					  LOAD(factors + (2 * j - 1) * quarter + i));
		store_in_turn(z[0].re, z[1].re, z[2].re, z[3].re, s, y.re + 4 * i);
		store_in_turn(z[0].im, z[1].im, z[2].im, z[3].im, s, y.im + 4 * i);
	}
}

/* Any pass, between planes, by vectors of a run. */
INLINED void pass_of_runs(const uint radix, const planes x, const planes y, __global const float *factors, const uint h,
			  const uint s)
{
	const uint apart = repeated(radix, s);
	const size_t m = h / s / radix, n = s, between = n * m;
	for (size_t p = 0; p < m; p++) {
		const planes from = planes_from(x, n * p), to = planes_from(y, n * radix * p);
		fv re[5], im[5];
#pragma unroll
		for (uint j = 1; j < radix; j++) {
			re[j] = SPLAT(factors[((2 * j - 2) * m + p) * apart]);
			im[j] = SPLAT(factors[((2 * j - 1) * m + p) * apart]);
		}
		for (size_t i = 0; i < n; i += VW) {
			const size_t q = i + VW <= n || n < VW ? i : n - VW;
			complex_lanes z[5];
#pragma unroll
			for (uint k = 0; k < radix; k++)
				z[k] = load_planes(from, q + k * between);
			sums_of(radix, z);
#pragma unroll
			for (uint j = 1; j < radix; j++)
				z[j] = product_of(z[j], re[j], im[j]);
#pragma unroll
			for (uint j = 0; j < radix; j++)
				store_planes(z[j], to, q + j * n);
		}
	}
}

/* A pass of any radix: each sum by itself, in as many steps as terms.  Planes are read once for each. */
static inline void pass_of_sums(const uint radix, const planes x, const planes y, __global const float *factors,
				const uint h, const uint s)
{
	const uint m = h / s / radix;
	__global const float *roots = factors + 2 * (radix - 1) * m;
	for (uint p = 0; p < m; p++)
		for (uint j = 0; j < radix; j++)
			for (uint from = 0; from < s; from += VW) {
				const uint q = from + VW <= s || s < VW ? from : s - VW;
				complex_lanes sum = load_planes(x, q + s * p);
				for (uint k = 1, root = j; k < radix; k++, root = (root + j) % radix)
					sum = sum_of(sum, product_of(load_planes(x, q + s * (p + k * m)),
								     SPLAT(roots[root]), SPLAT(roots[radix + root])));
				if (j > 0)
					sum = product_of(sum, SPLAT(factors[(2 * j - 2) * m + p]),
							 SPLAT(factors[(2 * j - 1) * m + p]));
				store_planes(sum, y, q + s * (radix * p + j));
			}
}

/* The last pass, whose factors are 1, into an interleaved row; s is VW at least. */
INLINED void last_pass(const uint radix, const planes x, __global float *row, const uint h)
{
	const size_t s = h / radix;
	for (size_t from = 0; from < s; from += VW) {
		const size_t q = from + VW <= s ? from : s - VW;
		complex_lanes z[5];
#pragma unroll
		for (uint k = 0; k < radix; k++)
			z[k] = load_planes(x, q + s * k);
		sums_of(radix, z);
#pragma unroll
		for (uint j = 0; j < radix; j++)
			store_pairs(z[j], row, q + s * j);
	}
}

/* Whether a row has too few values for vectors in its first passes and its last. */
#define IS_SHORT(h) ((h) < 4 * VW)

/* One pass of an interleaved row (s = 1) or of planes. */
static inline void pass(const uint radix, __global const float *row, __global const float *gains, const planes x,
			const planes y, __global const float *factors, const uint h, const uint s)
{
	if (s == 1 && !IS_SHORT(h))
		early_pass(1, row, gains, x, y, factors, h);
	else if (s == 4 && radix == 4 && !IS_SHORT(h))
		early_pass(4, 0, 0, x, y, factors, h);
	else if (radix == 4)
		pass_of_runs(4, x, y, factors, h, s);
	else if (radix == 2)
		pass_of_runs(2, x, y, factors, h, s);
	else if (radix == 3)
		pass_of_runs(3, x, y, factors, h, s);
	else if (radix == 5)
		pass_of_runs(5, x, y, factors, h, s);
	else
		pass_of_sums(radix, x, y, factors, h, s);
}

/* Whether vectors take the last pass into an interleaved row: not in short rows, and where the sums are written out. */
static inline bool ends_in_vectors(const uint left, const uint h)
{
	return !IS_SHORT(h) && has_own_sums(left) && next_radix(left) == left;
}

/* The passes of an interleaved row, times gains unless they are NULL, in four planes that begin at `room`: all of them,
 * or those before a last one that ends in vectors.  Returns the planes that have the result; *s is the product of the
 * radices, *factors the table behind those that were used. */
static inline planes passes(__global const float *row, __global const float *gains, __global float *room,
			    __global const float **factors, const uint h, const bool with_last, uint *s)
{
	planes x = planes_at(room, h), y = planes_at(room + 2 * CLPAC_PLANE(h), h);
	if (IS_SHORT(h))
		for (uint t = 0; t < h; t++) {
			x.re[t] = gains ? row[2 * t] * gains[t] : row[2 * t];
			x.im[t] = gains ? row[2 * t + 1] * gains[t] : row[2 * t + 1];
		}
	*s = 1;
	while (*s < h && (with_last || !ends_in_vectors(h / *s, h))) {
		const uint radix = next_radix(h / *s);
		const planes from = x;
		pass(radix, row, gains, x, y, *factors, h, *s);
		*factors += floats_of_pass(h, radix, *s);
		*s *= radix;
		x = y;
		y = from;
	}
	return x;
}

/* The half spectrum of a real row x of 2 h values from Y[k] = sum of (x[2 t] + i x[2 t + 1]) exp(2 pi i k t / h), whose
 * conjugate frequencies Z[k] = Y[h - k] are those of the forward transform (Van Loan, section 4.3):
 *
 *     X[k] = (Z[k] + conj Z[h - k]) / 2 - i exp(-2 pi i k / 2h) (Z[k] - conj Z[h - k]) / 2
 */
static inline void split_row(__global const float *re, __global const float *im, __global const float *cosines,
			     __global float *spectrum, const uint h, const bool is_whole)
{
	__global const float *sines = cosines + h;
	const size_t n = h;
	for (size_t k = 1; k < n; k++) {
		const float even_re = 0.5f * (re[n - k] + re[k]), even_im = 0.5f * (im[n - k] - im[k]);
		const float odd_re = 0.5f * (im[n - k] + im[k]), odd_im = 0.5f * (re[k] - re[n - k]);
		spectrum[2 * k] = even_re + (cosines[k] * odd_re + sines[k] * odd_im);
		spectrum[2 * k + 1] = even_im + (cosines[k] * odd_im - sines[k] * odd_re);
	}
	if (is_whole)
		for (size_t k = 1; k < n; k++) {
			spectrum[2 * (2 * n - k)] = spectrum[2 * k];
			spectrum[2 * (2 * n - k) + 1] = -spectrum[2 * k + 1];
		}
	spectrum[0] = re[0] + im[0];
	spectrum[1] = 0.0f;
	spectrum[2 * n] = re[0] - im[0];
	spectrum[2 * n + 1] = 0.0f;
}

/* `from`, times gains unless they are NULL, into a row, which may be the same. */
static inline void inverse_row(__global const float *from, __global const float *gains, __global float *row,
			       __global float *room, __global const float *factors, const uint h)
{
	uint s;
	const planes z = passes(from, gains, room, &factors, h, false, &s);
	if (h / s == 5)
		last_pass(5, z, row, h);
	else if (h / s == 4)
		last_pass(4, z, row, h);
	else if (h / s == 3)
		last_pass(3, z, row, h);
	else if (h / s == 2)
		last_pass(2, z, row, h);
	else
		for (uint t = 0; t < h; t++) {
			row[2 * t] = z.re[t];
			row[2 * t + 1] = z.im[t];
		}
}

static inline void forward_row(__global const float *from, __global float *spectrum, __global float *room,
			       __global const float *factors, const uint h, const bool is_whole)
{
	uint s;
	const planes z = passes(from, 0, room, &factors, h, true, &s);
	split_row(z.re, z.im, factors, spectrum, h, is_whole);
}

/* Transforms of rows: the one that `kind` says.
 *
 *     CLPAC_INVERSE   complex rows, in place: z[t] = sum of Z[k] exp(2 pi i k t / length), not scaled
 *     CLPAC_PRODUCTS  the same of spectra times the responses of bands, which the first pass makes (select_bands.cl)
 *     CLPAC_FORWARD   half spectra of real rows: X[k] = sum of x[t] exp(-2 pi i k t / length), k up to length / 2; and
 *                     their conjugates at negative frequencies, where there is room for them
 *
 * One kernel has them all: drivers compile the passes for each kernel anew.
 *
 * from       (n_rows / n_bands, stride_from) floats: rows, spectra or real rows
 * gains      (all bands, length) of products
 * to         (n_rows, stride_to) floats; a row of from is one of n_bands rows here, which is 1 but for products
 * workspace  four planes for each item; the factors of all passes from place `factors` on, and behind those of forward
 *            transforms, which have passes of length / 2, cos and sin 2 pi k / length
 * items      1, as many as take rows_of_item rows each
 */
__kernel void transform_rows(ITEM __global const float *from, __global const float *gains, __global float *to,
			     __global float *workspace, const uint kind, const uint length, const uint stride_from,
			     const uint stride_to, const uint first_band, const uint n_bands, const uint n_rows,
			     const uint rows_of_item, const uint factors)
{
	RETURN_BEHIND_ITEMS;
	const size_t place = get_global_id(1), first = place * rows_of_item;
	const size_t end = first + rows_of_item < n_rows ? first + rows_of_item : n_rows;
	const uint h = kind == CLPAC_FORWARD ? length / 2 : length;
	__global float *const room = workspace + place * CLPAC_PLANES(h);
	__global const float *const table = workspace + (size_t)factors * CLPAC_TABLE_UNIT;
	for (size_t row = first; row < end; row++) {
		const size_t number = row / n_bands, band = first_band + (row - number * n_bands);
		__global const float *const x = from + number * stride_from;
		__global float *const out = to + row * stride_to;
		if (kind == CLPAC_PRODUCTS)
			inverse_row(x, gains + band * length, out, room, table, h);
		else if (kind == CLPAC_INVERSE)
			inverse_row(x, 0, out, room, table, h);
		else
			forward_row(x, out, room, table, h, stride_to >= 2 * length);
	}
}
