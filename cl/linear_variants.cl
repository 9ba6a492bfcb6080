/* Linear measures of surrogates whose amplitude is another than the shifted one (variants.cl).  Such a surrogate has
 * one sum X = sum over t of q(t) u(t) for each cell and no shifts of it, so that samples are multiplied one by one.
 * Sums over a tile are added to those before it, which keeps roundings small.
 *
 * matrices  prefix sums whose differences are q(t), of series or slots; for measures of ranks, normal scores in the
 *           same order with n_samples rows
 * level     of the matrices
 * vectors, vector_facts  linear_measures.cl, of the observed phases
 * exponents, of_matrices  series and matrices are scaled by 2^-exponent before all else; segments alone
 * draws     time blocks of each series, or the segments that it takes (variants.cl)
 * items     of the series from first_series on; the surrogates of a chunk from place first_place on, which are those
 *           from first_surrogate on
 *
 * null  CLPAC_NULL_OF_BLOCKS: q are the series' own in the order of its blocks
 *       CLPAC_NULL_OF_TRIALS: those of a segment; matrices are the n_matrices segments from first_matrix on, and
 *       surrogates that take another one wait for another launch
 *       CLPAC_NULL_OF_PHASES: those of slot series x n_taken + surrogate
 */

/* 2^e, with e kept to the exponents that floats have. */
static inline float power_of_two(const int e)
{
	return AS_FLOAT1((uint)(127 + (e < -126 ? -126 : e > 127 ? 127 : e)) << 23);
}

enum { NO_MATRIX = -1, OWN_MATRIX = -2 };

/* The matrix of a surrogate; `of` is series x n_surrogates + surrogate, n_taken the surrogates in the slots. */
static inline int matrix_of_surrogate(__global const uint *draws, const size_t series, const size_t of,
				      const size_t variant, const uint n_taken, const uint first_matrix,
				      const uint n_matrices, const uint null)
{
	if (null == CLPAC_NULL_OF_BLOCKS)
		return (int)series;
	if (null == CLPAC_NULL_OF_PHASES)
		return (int)(series * n_taken + variant);
	const uint segment = draws[of];
	if (segment == CLPAC_OWN_SEGMENT)
		return OWN_MATRIX;
	return segment < first_matrix || segment - first_matrix >= n_matrices ? NO_MATRIX
									      : (int)(segment - first_matrix);
}

/* R^2 of X0 in each lane; NaN stays NaN. */
static inline fv explained_lanes(const fv x, const fv y, const fv g11, const fv g12, const fv g22)
{
	const fv r = x * (x * g11 + y * g12) + y * y * g22, above = SELECT(r < SPLAT(0.0f), SPLAT(0.0f), r);
	return SELECT(above > SPLAT(1.0f), SPLAT(1.0f), above);
}

static inline fv twice_artanh_lanes(const fv s)
{
	const fv square = s * s;
	fv p = SPLAT(1.0f / 15.0f);
	p = p * square + SPLAT(1.0f / 13.0f);
	p = p * square + SPLAT(1.0f / 11.0f);
	p = p * square + SPLAT(1.0f / 9.0f);
	p = p * square + SPLAT(1.0f / 7.0f);
	p = p * square + SPLAT(1.0f / 5.0f);
	p = p * square + SPLAT(1.0f / 3.0f);
	return 2.0f * s * (1.0f + square * p);
}

/* information_of (linear_measures.cl) in each lane. */
static inline fv information_lanes(const fv r)
{
	const float half_log2e = 0.72134752f, least = 5.9604645e-8f;
	const fv rest = SPLAT(1.0f) - r, inside = SELECT(rest > SPLAT(least), rest, SPLAT(least));
	const uv bits = AS_UV(inside), above = (bits >> 22) & USPLAT(1);
	const fv e = TO_FLOAT(AS_IV((bits >> 23) + above)) - 127.0f;
	const fv m = AS_FV((bits & USPLAT(0x007fffffu)) | (USPLAT(0x3f800000u) - (above << 23)));
	const fv far = twice_artanh_lanes((m - 1.0f) / (m + 1.0f)) * -half_log2e - e * 0.5f;
	const fv near = twice_artanh_lanes(r / (2.0f - r)) * half_log2e;
	return SELECT(r < SPLAT(0.5f), near, SELECT(r <= SPLAT(1.0f), far, r));
}

/* Facts of an amplitude that measures need, in each lane. */
struct of_amplitude {
	fv sum, squares, scale, unit; /* Q, sum of q^2 */
};

/* The measure of a sum X = (x, y); the formulas are those of linear_measures. */
static inline fv measure_lanes(const fv x, const fv y, const struct of_amplitude of, __global const float *u,
			       const uint n_samples, const uint measure)
{
	const float n = (float)n_samples, part = 1.0f / n;
	const fv mean = of.sum * part, variance = of.squares * part - mean * mean;
	const bool is_regression = measure >= CLPAC_MEASURE_OF_REGRESSION;
	const fv more = is_regression || measure == CLPAC_MEASURE_OF_CENTRED ? SPLAT(0.0f) - mean : of.unit;
	const fv sum_x = x + more * u[0], sum_y = y + more * u[1];
	const iv is_there = of.unit > SPLAT(0.0f);
	if (is_regression) {
		const iv varies = is_there & (variance > SPLAT(0.0f));
		const fv square = SELECT(varies, part * part / SELECT(varies, variance, SPLAT(1.0f)), SPLAT(NAN));
		const fv r = explained_lanes(sum_x, sum_y, square * u[2], square * (2.0f * u[3]), square * u[4]);
		return measure == CLPAC_MEASURE_OF_REGRESSION ? r : information_lanes(r);
	}
	fv divisor = of.scale * n;
	if (measure == CLPAC_MEASURE_OF_UNIT_VECTOR)
		divisor = SQRT((of.unit * of.unit * n + 2.0f * of.unit * of.sum + of.squares) * n);
	return SELECT(is_there, SQRT(sum_x * sum_x + sum_y * sum_y) / SELECT(is_there, divisor, SPLAT(1.0f)),
		      SPLAT(NAN));
}

/* The indices of some surrogates, four phase bands in each item, which share what is read of the amplitudes.  Bands are
 * written out, since a loop over them would take a step for each and every sample.
 *
 * indices  (series, n_phase, n_shifts, groups)
 * items    groups x n_taken, n_phase / PHASES_OF_ITEM (rounded up), series
 */
#define PHASES_OF_ITEM 4
#define OF_EACH_PHASE(step) step(0) step(1) step(2) step(3)

#define BEGIN_PHASE(p)                                                                                                 \
	__global const float2 *u##p = vectors + (row + (p < n_own ? p : 0)) * n_samples;                               \
	fv x##p = SPLAT(0.0f), y##p = SPLAT(0.0f);
#define BEGIN_TILE(p) fv part_x##p = SPLAT(0.0f), part_y##p = SPLAT(0.0f);
#define ADD_SAMPLE(p)                                                                                                  \
	part_x##p += q * u##p[t].x;                                                                                    \
	part_y##p += q * u##p[t].y;
#define ADD_TILE(p)                                                                                                    \
	x##p += part_x##p;                                                                                             \
	y##p += part_y##p;
#define STORE_PHASE(p)                                                                                                 \
	if (p < n_own)                                                                                                 \
		out[(size_t)p * n_shifts * groups] =                                                                   \
			measure_lanes(x##p, y##p, all, vector_facts + (row + p) * 5, n_samples, measure);

__kernel void linear_variants(ITEM __global const uv *matrices, __global const uv *totals, __global const fv *level,
			      __global const float2 *vectors, __global const float *vector_facts,
			      __global const int *exponents, __global const int *of_matrices,
			      __global const uint *draws, __global const fv *observed, __global fv *indices,
			      const uint n_samples, const uint n_rows, const uint row_stride, const uint groups,
			      const uint first_series, const uint first_surrogate, const uint n_surrogates,
			      const uint first_matrix, const uint n_matrices, const uint first_place,
			      const uint n_taken, const uint n_shifts, const uint n_phase, const uint n_blocks,
			      const uint tile, const uint null, const uint measure)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = group_of_item(get_global_id(0), n_taken, row_stride);
	const size_t variant = shift_of_item(get_global_id(0), n_taken, row_stride);
	const size_t series = first_series + get_global_id(2), of = series * n_surrogates + first_surrogate + variant;
	const uint first_phase = PHASES_OF_ITEM * (uint)get_global_id(1), left = n_phase - first_phase;
	const uint n_own = left < PHASES_OF_ITEM ? left : PHASES_OF_ITEM;
	const size_t row = series * n_phase + first_phase;
	__global fv *out = indices + (row * n_shifts + first_place + variant) * groups + group;
	const int at_matrix = matrix_of_surrogate(draws, series, of, variant, n_taken, first_matrix, n_matrices, null);
	if (at_matrix == OWN_MATRIX)
		for (uint p = 0; p < n_own; p++)
			out[(size_t)p * n_shifts * groups] = observed[(row + p) * groups + group];
	if (at_matrix < 0)
		return;
	const size_t number = (size_t)at_matrix;
	const bool is_scored = measure == CLPAC_MEASURE_OF_INFORMATION, is_cut = null == CLPAC_NULL_OF_BLOCKS;
	__global const uv *matrix = matrices + first_of_group(number, group, n_rows, row_stride, groups);
	__global const uint *block = draws + 2 * of * n_blocks;
	const uv total = totals[number * groups + group];
	struct of_amplitude all;
	all.sum = all.squares = SPLAT(0.0f);
	all.unit = level[number * 2 * groups + group];
	all.scale = level[number * 2 * groups + groups + group];
	all.unit *= all.scale;
	if (null == CLPAC_NULL_OF_TRIALS) /* back to the unit of the series */
		all.scale *= power_of_two(exponents[series] - of_matrices[number]);
	OF_EACH_PHASE(BEGIN_PHASE)
	uint at = is_cut ? block[0] : 0, next = is_cut && n_blocks > 1 ? block[3] : n_samples, b = 0;
	uv here = matrix[(size_t)at * row_stride];
	for (uint first = 0; first < n_samples; first += tile) {
		const uint end = n_samples - first < tile ? n_samples : first + tile;
		fv sum = SPLAT(0.0f), squares = SPLAT(0.0f);
		OF_EACH_PHASE(BEGIN_TILE)
		IN_ORDER
		for (uint t = first; t < end; t++) {
			if (t == next) {
				b++;
				at = block[2 * b];
				next = b + 1 < n_blocks ? block[2 * b + 3] : n_samples;
				here = matrix[(size_t)at * row_stride];
			}
			const bool is_last = at + 1 == n_samples;
			const uv there =
				is_last ? (is_scored ? matrix[0] : total) : matrix[(size_t)(at + 1) * row_stride];
			const fv q = is_scored ? AS_FV(here) : TO_FLOAT(AS_IV(there - here));
			sum += q;
			squares += q * q;
			OF_EACH_PHASE(ADD_SAMPLE)
			here = is_last ? matrix[0] : there;
			at = is_last ? 0 : at + 1;
		}
		all.sum += sum;
		all.squares += squares;
		OF_EACH_PHASE(ADD_TILE)
	}
	OF_EACH_PHASE(STORE_PHASE)
}

/* One band of the amplitudes of matrices.
 *
 * rows   (matrices, n_samples)
 * items  n_samples, matrices
 */
__kernel void band_row(ITEM __global const uint *prefix, __global const uint *totals, __global float *rows,
		       const uint n_samples, const uint n_rows, const uint row_stride, const uint groups,
		       const uint band)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), matrix = get_global_id(1), group = band / VW, lane = band % VW;
	const size_t first = first_of_group(matrix, group, n_rows, row_stride, groups);
	const uint before = prefix[(first + t * row_stride) * VW + lane];
	const uint after = t + 1 < n_samples ? prefix[(first + (t + 1) * row_stride) * VW + lane]
					     : totals[(matrix * groups + group) * VW + lane];
	rows[matrix * n_samples + t] = (float)(int)(after - before);
}

/* Phase locking of surrogates with one amplitude band: the phases of the amplitude go with it, in the order of its
 * blocks, too.
 *
 * envelopes          (matrices, n_phase, n_samples) c8: v(t), see linear_measures.cl
 * level              of the matrices, as single numbers, `padded` for each of two
 * observed, indices  as single numbers
 * items              n_taken, n_phase, series
 */
__kernel void locking_variants(ITEM __global const float2 *envelopes, __global const float *level,
			       __global const float2 *vectors, __global const uint *draws,
			       __global const float *observed, __global float *indices, const uint n_samples,
			       const uint padded, const uint band, const uint first_series, const uint first_surrogate,
			       const uint n_surrogates, const uint first_matrix, const uint n_matrices,
			       const uint first_place, const uint n_taken, const uint n_shifts, const uint n_phase,
			       const uint n_blocks, const uint tile, const uint null)
{
	RETURN_BEHIND_ITEMS;
	const size_t variant = get_global_id(0), phase = get_global_id(1), series = first_series + get_global_id(2);
	const size_t row = series * n_phase + phase, of = series * n_surrogates + first_surrogate + variant;
	const int at_matrix = matrix_of_surrogate(draws, series, of, variant, n_taken, first_matrix, n_matrices, null);
	__global float *out = indices + (row * n_shifts + first_place + variant) * padded + band;
	/* One condition behind the other, not inside, ends the compiler of PoCL 6.0 (LLVM 18.1). */
	if (at_matrix < 0) {
		if (at_matrix == OWN_MATRIX)
			out[0] = observed[row * padded + band];
		return;
	}
	const size_t number = (size_t)at_matrix;
	const bool is_cut = null == CLPAC_NULL_OF_BLOCKS;
	__global const float2 *u = vectors + row * n_samples, *v = envelopes + (number * n_phase + phase) * n_samples;
	__global const uint *block = draws + 2 * of * n_blocks;
	uint at = is_cut ? block[0] : 0, next = is_cut && n_blocks > 1 ? block[3] : n_samples, b = 0;
	float x = 0.0f, y = 0.0f;
	IN_ORDER
	for (uint first = 0; first < n_samples; first += tile) {
		const uint end = n_samples - first < tile ? n_samples : first + tile;
		float tile_x = 0.0f, tile_y = 0.0f;
		IN_ORDER
		for (uint t = first; t < end; t++) {
			if (t == next) {
				b++;
				at = block[2 * b];
				next = b + 1 < n_blocks ? block[2 * b + 3] : n_samples;
			}
			const float2 a = u[t], c = v[at];
			tile_x += a.x * c.x + a.y * c.y;
			tile_y += a.y * c.x - a.x * c.y;
			at = at + 1 == n_samples ? 0 : at + 1;
		}
		x += tile_x;
		y += tile_y;
	}
	const bool is_there = level[number * 2 * padded + band] > 0.0f;
	out[0] = is_there ? SQRT1(x * x + y * y) / (float)n_samples : NAN;
}
