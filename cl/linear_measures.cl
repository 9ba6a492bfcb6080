/* Measures that are one cross-correlation of the amplitude with the phase:
 *
 *     X(s) = sum over t of A(t + s) u(t),   u(t) = exp(i phi(t)).
 *
 * all_shifts.cl has the transforms that give X at every shift, with the integers q(t) = (A(t) - level) scale in place
 * of A, and u in place of bins.  With Q = sum q, U = sum u and unit = level scale,
 *
 *     scale sum A(t + s) u(t)            = X + unit U        mvl = |X + unit U| / (T scale)
 *     scale sum A(t + s) (u(t) - U / T)  = X - Q/T U = X0    dpac = |X0| / (T scale)
 *     ndpac = |X + unit U| / sqrt(T sum (q + unit)^2)
 *     glm   = c' G^-1 c / var q,  c = X0 / T, G the covariance of Re u and Im u, which no circular shift changes
 *     plv   = |sum over t of conj(v(t + s)) u(t)| / T,  v = exp(i psi), psi the phase of q itself in the phase band
 *     gcmi  = -log2(1 - R^2) / 2, with the R^2 of glm from normal scores of q, Re u and Im u
 *     pac-glm  the R^2 of glm with what is left of u beside the slow amplitude (slow_amplitude.cl)
 *
 * Canolty et al. 2006, van Driel et al. 2015, Ozkurt & Schnitzler 2011, Penny et al. 2008, Ince et al. 2017;
 * doc/maths.md has them in full.
 *
 * vectors  (rows, n_samples) c8: u(t), what is left of it, or normal scores of its parts; rows are series x phase bands
 */

static inline float2 unit_vector(const float2 z)
{
	const float re = FABS1(z.x), im = FABS1(z.y), largest = re > im ? re : im;
	const float inverse = largest > 0.0f ? 1.0f / largest : 0.0f, x = z.x * inverse, y = z.y * inverse;
	const float magnitude = SQRT1(x * x + y * y);
	float2 u;
	u.x = largest > 0.0f ? x / magnitude : 1.0f;
	u.y = largest > 0.0f ? y / magnitude : 0.0f;
	return u;
}

/* is_whole  whether vectors are the values of the band as they are, with their amplitude
 * analytic, items: phase_bins.cl */
__kernel void phase_vectors(ITEM __global const float2 *analytic, __global float2 *vectors, const uint length,
			    const uint first, const uint step, const uint first_section, const uint n_sections,
			    const uint section_bands, const uint first_band, const uint n_phase, const uint n_samples,
			    const uint is_whole)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), band = get_global_id(1), row = get_global_id(2);
	const uint series = (uint)row / n_sections, section = (uint)row - series * n_sections + first_section;
	const size_t place = (size_t)section * step + t;
	const float2 z = PAIR(analytic + (row * section_bands + band) * length + first + t), u = unit_vector(z);
	if (place < n_samples)
		SET_PAIR(vectors + (size_t)(series * n_phase + first_band + band) * n_samples + place,
			 is_whole ? z : u);
}

/* u(t) of phases that the caller supplies.  A turn is taken in eighths, in which the series of sine and cosine err by
 * less than 3e-8.
 *
 * phase   (rows, n_samples) in radians, any number of turns
 * items   n_samples, rows
 */
__kernel void vectors_of_phase(ITEM __global const float *phase, __global float2 *vectors, const uint n_samples)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	const float turns = turns_of_phase(phase[row * n_samples + t]);
	const int quarter = (int)(turns * 4.0f + (turns < 0.0f ? -0.5f : 0.5f));
	const float x = 6.28318531f * (turns - 0.25f * (float)quarter), square = x * x;
	const float sine =
		x * (1.0f + square * (-1.6666667e-1f +
				      square * (8.3333333e-3f + square * (-1.9841270e-4f + square * 2.7557319e-6f))));
	const float cosine =
		1.0f + square * (-0.5f + square * (4.1666667e-2f + square * (-1.3888889e-3f + square * 2.4801587e-5f)));
	const bool is_crossed = quarter == 1 || quarter == -1, is_turned = quarter == 2 || quarter == -2;
	float2 u;
	u.x = is_crossed ? (quarter < 0 ? sine : -sine) : is_turned ? -cosine : cosine;
	u.y = is_crossed ? (quarter < 0 ? -cosine : cosine) : is_turned ? -sine : sine;
	SET_PAIR(vectors + row * n_samples + t, u);
}

/* --- Normal scores ------------------------------------------------------------------------------ */

/* A float as a whole number of the same order. */
static inline uint ordered(const float value)
{
	const uint bits = AS_UINT1(value == 0.0f ? 0.0f : value);
	return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* values     row r begins at first + r row_stride
 * keys       (rows, n_samples): the order of a value, and its sample
 * items      n_samples, rows */
__kernel void sort_keys(ITEM __global const float *values, __global uint2 *keys, const uint n_samples, const uint first,
			const uint row_stride)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	uint2 key;
	key.x = ordered(values[first + row * row_stride + t]);
	key.y = (uint)t;
	keys[row * n_samples + t] = key;
}

/* The same for Re u or Im u of vectors.  Near +-1 the parts of many vectors differ by less than a rounding, and their
 * scores most of all.  So they are ordered by the angle to the axis, as |other part| / (sum of both), which keeps its
 * digits there.
 *
 * part   0: Re, 1: Im
 * items  n_samples, rows */
__kernel void direction_keys(ITEM __global const float2 *vectors, __global uint2 *keys, const uint n_samples,
			     const uint first_row, const uint part)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	const float2 u = vectors[(first_row + row) * n_samples + t];
	const float along = part ? u.y : u.x, across = FABS1(part ? u.x : u.y);
	const uint bits = AS_UINT1(across / (FABS1(along) + across));
	uint2 key;
	key.x = along >= 0.0f ? 0x80000000u - bits : bits;
	key.y = (uint)t;
	keys[row * n_samples + t] = key;
}

/* Merges runs of sorted keys, two by two: each key finds its place behind those of the other run that come before it.
 * Equal values stay in the order of their samples.
 *
 * items n_samples, rows */
__kernel void merge_keys(ITEM __global const uint2 *keys, __global uint2 *merged, const uint n_samples, const uint run)
{
	RETURN_BEHIND_ITEMS;
	const uint at = (uint)get_global_id(0);
	const size_t row = get_global_id(1) * n_samples;
	const uint runs = at / run, own = runs * run, begin = (runs & ~1u) * run;
	const uint other = runs & 1u ? begin : (n_samples - own > run ? own + run : n_samples);
	const uint left = n_samples - other, n_other = left < run ? left : run;
	const uint2 key = keys[row + at];
	uint low = 0, high = n_other;
	while (low < high) {
		const uint middle = (low + high) / 2;
		const uint2 there = keys[row + other + middle];
		const bool is_before = there.x < key.x || (there.x == key.x && there.y < key.y);
		low = is_before ? middle + 1 : low;
		high = is_before ? high : middle;
	}
	merged[row + begin + (at - own) + low] = key;
}

/* scores   of all ranks
 * values   as in sort_keys; the first n_again of a row again behind its end
 * items    n_samples, rows */
__kernel void normal_scores(ITEM __global const uint2 *keys, __global const float *scores, __global float *values,
			    const uint n_samples, const uint first, const uint stride, const uint row_stride,
			    const uint n_again)
{
	RETURN_BEHIND_ITEMS;
	const size_t rank = get_global_id(0), row = get_global_id(1);
	const size_t t = keys[row * n_samples + rank].y, at = first + row * row_stride;
	values[at + t * stride] = scores[rank];
	if (t < n_again)
		values[at + (t + n_samples) * stride] = scores[rank];
}

/* --- Phase locking ------------------------------------------------------------------------------ */

/* rows       all_shifts.cl
 * envelope   (series, n_samples): those of one amplitude band
 * items      n_samples, series */
__kernel void envelope_row(ITEM __global const float *rows, __global float *envelope, const uint n_samples,
			   const uint length, const uint n_bands, const uint band)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), series = get_global_id(1);
	envelope[series * n_samples + t] = rows[(series * n_bands + band) * length + t];
}

/* phases    (2, length) c8: inverse transforms of u, padded with zeros, and of v, which begins again behind its end
 * products  (n_values) c8: their product, folded as in folded_products; its inverse transform is the sum above
 * items     n_values */
__kernel void locking_products(ITEM __global const float2 *phases, __global float2 *products, const uint length,
			       const uint n_values, const float scale)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0);
	__global const float2 *v = phases + length;
	float2 sum;
	sum.x = sum.y = 0.0f;
	IN_ORDER
	for (size_t at = k; at < length; at += n_values) {
		sum.x += phases[at].x * v[at].x + phases[at].y * v[at].y;
		sum.y += phases[at].y * v[at].x - phases[at].x * v[at].y;
	}
	sum.x *= scale;
	sum.y *= scale;
	products[k] = sum;
}

/* --- What no shift changes ---------------------------------------------------------------------- */

/* row      of the vectors: the first
 * first    place of its sequence in phases
 * n_again  samples that come again behind the end
 * items    length, rows */
__kernel void vector_row(ITEM __global const float2 *vectors, __global float2 *phases, const uint n_samples,
			 const uint length, const uint row, const uint first, const uint n_again)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), at = get_global_id(1);
	const size_t wrapped = t < n_samples ? t : t - n_samples;
	const bool is_there = t < n_samples || wrapped < n_again;
	const float2 u = PAIR(vectors + (row + at) * n_samples + (is_there ? wrapped : 0));
	float2 padded;
	padded.x = is_there ? u.x : 0.0f;
	padded.y = is_there ? u.y : 0.0f;
	SET_PAIR(phases + first + at * length + t, padded);
}

/* sums   (rows, n_tiles, 5): of x, y, x^2, xy, y^2
 * items  n_tiles, rows */
__kernel void vector_sums(ITEM __global const float2 *vectors, __global float *sums, const uint n_samples,
			  const uint tile, const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), row = get_global_id(1);
	__global const float2 *u = vectors + row * n_samples;
	__global float *out = sums + (row * n_tiles + at) * 5;
	const uint first = (uint)at * tile, end = n_samples - first < tile ? n_samples : first + tile;
	float x = 0.0f, y = 0.0f, xx = 0.0f, xy = 0.0f, yy = 0.0f;
	IN_ORDER
	for (uint t = first; t < end; t++) {
		x += u[t].x;
		y += u[t].y;
		xx += u[t].x * u[t].x;
		xy += u[t].x * u[t].y;
		yy += u[t].y * u[t].y;
	}
	out[0] = x;
	out[1] = y;
	out[2] = xx;
	out[3] = xy;
	out[4] = yy;
}

/* facts  (rows, 5): U; the entries 11, 12, 22 of G^-1, zeros where there is none
 * items  rows */
__kernel void vector_facts(ITEM __global const float *sums, __global float *facts, const uint n_samples,
			   const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(0);
	__global const float *tile = sums + row * n_tiles * 5;
	float x = 0.0f, y = 0.0f, xx = 0.0f, xy = 0.0f, yy = 0.0f;
	IN_ORDER
	for (uint at = 0; at < n_tiles; at++, tile += 5) {
		x += tile[0];
		y += tile[1];
		xx += tile[2];
		xy += tile[3];
		yy += tile[4];
	}
	const float part = 1.0f / (float)n_samples, mean_x = x * part, mean_y = y * part;
	const float g11 = xx * part - mean_x * mean_x, g12 = xy * part - mean_x * mean_y;
	const float g22 = yy * part - mean_y * mean_y, determinant = g11 * g22 - g12 * g12;
	const float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f;
	__global float *out = facts + row * 5;
	out[0] = x;
	out[1] = y;
	out[2] = g22 * inverse;
	out[3] = -g12 * inverse;
	out[4] = g11 * inverse;
}

/* rows   all_shifts.cl, of which the first n_samples count
 * sums   (series x bands, n_tiles, 2): of q, q^2
 * items  n_tiles, series x bands */
__kernel void row_sums(ITEM __global const float *rows, __global float *sums, const uint n_samples, const uint length,
		       const uint tile, const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), row = get_global_id(1);
	__global const float *q = rows + row * length;
	const uint first = (uint)at * tile, end = n_samples - first < tile ? n_samples : first + tile;
	float sum = 0.0f, squares = 0.0f;
	IN_ORDER
	for (uint t = first; t < end; t++) {
		sum += q[t];
		squares += q[t] * q[t];
	}
	sums[(row * n_tiles + at) * 2] = sum;
	sums[(row * n_tiles + at) * 2 + 1] = squares;
}

/* facts  (series x bands, 2)
 * items  series x bands */
__kernel void row_facts(ITEM __global const float *sums, __global float *facts, const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(0);
	float sum = 0.0f, squares = 0.0f;
	IN_ORDER
	for (uint at = 0; at < n_tiles; at++) {
		sum += sums[(row * n_tiles + at) * 2];
		squares += sums[(row * n_tiles + at) * 2 + 1];
	}
	facts[row * 2] = sum;
	facts[row * 2 + 1] = squares;
}

/* --- The measures ------------------------------------------------------------------------------- */

/* R^2 of sums over A without its mean; NaN stays NaN. */
static inline fv explained(const fv x, const fv y, const float g11, const float g12, const float g22)
{
	const fv r = x * (x * g11 + y * g12) + y * y * g22, above = SELECT(r < SPLAT(0.0f), SPLAT(0.0f), r);
	return SELECT(above > SPLAT(1.0f), SPLAT(1.0f), above);
}

/* ln((1 + s) / (1 - s)) for |s| <= 1/3, by its series: the next term is below 2e-9 of it. */
static inline fv twice_artanh(const fv s)
{
	const fv square = s * s;
	fv p = SPLAT(1.0f / 15.0f);
	p = p * square + SPLAT(1.0f / 13.0f);
	p = p * square + SPLAT(1.0f / 11.0f);
	p = p * square + SPLAT(1.0f / 9.0f);
	p = p * square + SPLAT(1.0f / 7.0f);
	p = p * square + SPLAT(1.0f / 5.0f);
	p = p * square + SPLAT(1.0f / 3.0f);
	return 2.0f * s * (SPLAT(1.0f) + square * p);
}

/* -log2(1 - r) / 2 for r from 0 to 1, exact to rounding where r is small, too. */
static inline fv information_of(const fv r)
{
	const float half_log2e = 0.72134752f;
	const fv one = SPLAT(1.0f), least = SPLAT(5.9604645e-8f);
	const fv rest = one - r; /* exact from a half up */
	const uv bits = AS_UV(SELECT(rest > least, rest, least));
	/* rest = m 2^e with m in [0.75, 1.5) */
	const uv above = (bits >> USPLAT(22)) & USPLAT(1);
	const iv e = AS_IV((bits >> USPLAT(23)) + above - USPLAT(127));
	const fv m = AS_FV((bits & USPLAT(0x007fffffu)) | (USPLAT(0x3f800000u) - (above << USPLAT(23))));
	const fv far = -half_log2e * twice_artanh((m - one) / (m + one)) - 0.5f * TO_FLOAT(e);
	return SELECT(r < SPLAT(0.5f), half_log2e * twice_artanh(r / (SPLAT(2.0f) - r)), far);
}

/* Numbers of a pair of bands that no shift changes. */
typedef struct pair {
	float more_x, more_y; /* with X: the sum over A, or over A without its mean */
	float g11, g12, g22;  /* of R^2 */
	float length;	      /* by which a sum is multiplied */
} pair;

/* u, q    facts of the row of vectors and of amplitudes
 * level   of the amplitude band, and its scale */
static inline pair pair_of(__global const float *u, __global const float *q, const float level, const float scale,
			   const uint n_samples, const uint measure)
{
	const float unit = level * scale, n = (float)n_samples, part = 1.0f / n, mean = q[0] * part;
	const float variance = q[1] * part - mean * mean;
	const bool is_locking = measure == CLPAC_MEASURE_OF_LOCKING;
	const bool is_without_mean = measure >= CLPAC_MEASURE_OF_REGRESSION || measure == CLPAC_MEASURE_OF_CENTRED;
	const float more = is_locking ? 0.0f : is_without_mean ? -mean : unit;
	const float square = unit > 0.0f && variance > 0.0f ? part * part / variance : NAN;
	pair pair;
	pair.more_x = more * u[0];
	pair.more_y = more * u[1];
	pair.g11 = u[2] * square;
	pair.g12 = 2.0f * u[3] * square;
	pair.g22 = u[4] * square;
	pair.length = NAN;
	if (unit > 0.0f) {
		pair.length = is_locking ? part : part / scale;
		if (measure == CLPAC_MEASURE_OF_UNIT_VECTOR)
			pair.length = 1.0f / SQRT1(n * (n * unit * unit + 2.0f * unit * q[0] + q[1]));
	}
	return pair;
}

/* X at VW shifts. */
typedef struct correlation {
	fv x, y;
} correlation;

/* X at VW shifts that follow each other. */
static inline correlation correlation_in_turn(__global const float2 *products, const uint place)
{
	__global const float *first = (__global const float *)(products + place);
	const fv low = LOAD(first), high = LOAD(first + VW);
	correlation found;
	found.x = EVENS(low, high);
	found.y = ODDS(low, high);
	return found;
}

/* X at n shifts of a list; the lanes behind them repeat the last. */
static inline correlation correlation_of_list(__global const float2 *products, __global const uint *shift,
					      const uint gap, const uint n)
{
	lanes x, y;
	for (uint i = 0; i < VW; i++) {
		const float2 sum = products[shift[3 * (i < n ? i : n - 1)] / gap];
		x.one[i] = sum.x;
		y.one[i] = sum.y;
	}
	correlation found;
	found.x = x.all;
	found.y = y.all;
	return found;
}

static inline fv measure_of_correlation(const correlation found, const pair pair, const uint measure)
{
	const fv x = found.x + SPLAT(pair.more_x), y = found.y + SPLAT(pair.more_y);
	if (measure < CLPAC_MEASURE_OF_REGRESSION || measure == CLPAC_MEASURE_OF_LOCKING)
		return SQRT(x * x + y * y) * pair.length;
	const fv r = explained(x, y, pair.g11, pair.g12, pair.g22);
	return measure == CLPAC_MEASURE_OF_REGRESSION ? r : information_of(r);
}

/* products     (at_once, n_rows, n_values) c8: X at multiples of gap, and VW behind the last
 * are_in_turn  whether the shifts follow each other, gap apart
 * measure      shared/measures.h
 * others       all_shifts.cl
 * items        n_shifts / (VW CLPAC_SHIFT_VECTORS), n_bands / VW (both rounded up), n_rows
 *
 * Facts of a pair of bands that hold for all shifts are found once for some vectors of them. */
__kernel void linear_measures(ITEM __global const float2 *products, __global const float *vector_facts,
			      __global const float *row_facts, __global const float *level, __global const uint *shifts,
			      __global fv *indices, const uint n_values, const uint gap, const uint n_rows,
			      const uint series, const uint phase, const uint first_band, const uint n_bands,
			      const uint first_shift, const uint n_shifts, const uint shift_stride,
			      const uint are_in_turn, const uint n_phase, const uint n_amplitude, const uint padded,
			      const uint n_samples, const uint measure)
{
	RETURN_BEHIND_ITEMS;
	const uint first = VW * CLPAC_SHIFT_VECTORS * (uint)get_global_id(0), left = n_shifts - first;
	const uint n = left < VW * CLPAC_SHIFT_VECTORS ? left : VW * CLPAC_SHIFT_VECTORS, n_vectors = (n + VW - 1) / VW;
	const uint base = VW * (uint)get_global_id(1), band = first_band + base, groups = padded / VW;
	const size_t at = get_global_id(2), row = (size_t)series * n_phase + phase + at;
	__global const float *u = vector_facts + row * 5;
	__global const float *q = row_facts + ((size_t)series * n_amplitude + band) * 2;
	__global const float *levels = level + (size_t)series * 2 * padded + band;
	__global const uint *shift = shifts + 3 * ((size_t)series * shift_stride + first_shift + first);
	const uint place = shift[0] / gap;
#if VW == 1 /* a shift at a time: there are no lanes to exchange, and an index of a register is a constant */
	if (base >= n_bands)
		return;
	const pair pair = pair_of(u, q, levels[0], levels[padded], n_samples, measure);
	__global const float2 *of_band = products + (base * (size_t)n_rows + at) * n_values;
	__global fv *out = indices + (row * n_shifts + first) * groups + band;
	for (uint i = 0; i < n_vectors; i++) {
		const correlation found = are_in_turn ? correlation_in_turn(of_band, place + i)
						      : correlation_of_list(of_band, shift + 3 * i, gap, 1);
		out[(size_t)i * groups] = measure_of_correlation(found, pair, measure);
	}
#else
	const uint bands_left = n_bands - base, n_here = bands_left < VW ? bands_left : VW;
	fv values[CLPAC_SHIFT_VECTORS][VW];
	for (uint of = 0; of < n_here; of++) {
		const pair pair = pair_of(u, q + 2 * of, levels[of], levels[of + padded], n_samples, measure);
		__global const float2 *of_band = products + ((base + of) * (size_t)n_rows + at) * n_values;
		for (uint i = 0; i < n_vectors; i++) {
			const correlation found =
				are_in_turn ? correlation_in_turn(of_band, place + VW * i)
					    : correlation_of_list(of_band, shift + 3 * VW * i, gap, n - VW * i);
			values[i][of] = measure_of_correlation(found, pair, measure);
		}
	}
	for (uint i = 0; i < n_vectors; i++) {
		for (uint of = n_here; of < VW; of++)
			values[i][of] = SPLAT(0.0f);
		write_shifts(values[i], n - VW * i < VW ? n - VW * i : VW, n_here, band % VW,
			     indices + (row * n_shifts + first + VW * i) * groups + band / VW, groups);
	}
#endif
}
