/* Fixed point and prefix sums: amplitudes become integers, so that every sum over bins is exact in any order.
 *
 * u(t) = round((A(t) - level) * scale), where level is the mean: only deviations from the level enter the index.  The
 * prefix sums wrap around modulo 2^32.  Their differences are still right as long as no bin sum leaves the signed
 * range, for any shift.  A bin holds at most n samples (the fullest bin of the series, phase_edges.cl's `largest`),
 * and with r = A/level - 1
 *
 *     |sum of any n of the r| <= sqrt(n sum r^2),  n^(3/4) (sum r^4)^(1/4),  1/2 sqrt(T sum r^2)
 *
 * (Cauchy-Schwarz; Hoelder; and half the sum of |r|, since the n samples and the rest sum to zero).  The smallest of
 * the three bounds sets the scale.  It is about seven times finer than if the amplitudes themselves had to fit; an
 * index of 3e-6 over 10^5 samples needs this to keep five digits.
 *
 * Each rounding error is carried to the next sample.  So within a tile C(t) differs from the true prefix sum by at most
 * half a unit, and the error of a bin sum grows with the crossings, not with the samples.
 *
 * A launch takes the n_taken samples from a tile's first sample on that stand in rows first_row and up.  A whole series
 * at once is stored twice, so that no sum over shifted samples wraps around at the end; of a long series the slabs of
 * slab_sums.cl are made one after the other.
 *
 * amplitude  (series, vectors), see amplitude.cl; becomes u(t), then C(t) = u(0) + ... + u(t-1), in place
 * moments    (series, n_tiles, 4, groups), see amplitude_moments
 * level      (series, 2, groups): level, scale
 * tile_sums  (series, n_tiles, groups): sum of u of a tile taken, then of all before it
 * carry      (series, groups): sum of u of all samples so far
 */

/* Index of a group's first sample, in vectors. */
static inline size_t first_of_group(const size_t series, const size_t group, const uint n_rows, const uint row_stride,
				    const uint groups)
{
	return series * n_rows * groups + place_of_group(group, n_rows, row_stride);
}

static inline fv inverse_or_zero(const fv value)
{
	const iv is_positive = value > SPLAT(0.0f);
	return SELECT(is_positive, SPLAT(1.0f) / SELECT(is_positive, value, SPLAT(1.0f)), SPLAT(0.0f));
}

static inline uint samples_of_tile(const uint at, const uint tile, const uint n_samples)
{
	return n_samples - at * tile < tile ? n_samples - at * tile : tile;
}

/* Mean of the samples first .. end - 1, and sums of the squares, cubes and fourth powers of their d = A / mean - 1; all
 * 0 in a tile of zeros.
 *
 * a    the group's first sample that is taken
 * out  the tile's mean of the group */
static inline void moments_of_tile(__global const uv *a, __global fv *out, const uint first, const uint end,
				   const uint row_stride, const uint groups)
{
	fv sum = SPLAT(0.0f), squares = SPLAT(0.0f), cubes = SPLAT(0.0f), fourths = SPLAT(0.0f);
	for (uint t = first; t < end; t++)
		sum += AS_FV(a[(size_t)t * row_stride]);
	const fv mean = sum * (1.0f / (float)(end - first)), inverse = inverse_or_zero(mean);
	for (uint t = first; t < end; t++) {
		const fv d = (AS_FV(a[(size_t)t * row_stride]) - mean) * inverse, square = d * d;
		squares += square;
		cubes += square * d;
		fourths += square * square;
	}
	out[0] = mean;
	out[groups] = squares;
	out[2 * groups] = cubes;
	out[3 * groups] = fourths;
}

#if TILES > 1
/* The same of TILES whole tiles. */
static inline void moments_of_tiles(__global const uv *a, __global fv *out, const uint tile, const uint row_stride,
				    const uint groups)
{
	const size_t apart = (size_t)tile * row_stride;
	fv sum[TILES], mean[TILES], inverse[TILES], squares[TILES], cubes[TILES], fourths[TILES];
	for (uint i = 0; i < TILES; i++)
		sum[i] = squares[i] = cubes[i] = fourths[i] = SPLAT(0.0f);
	for (uint t = 0; t < tile; t++)
		for (uint i = 0; i < TILES; i++)
			sum[i] += AS_FV(a[i * apart + (size_t)t * row_stride]);
	for (uint i = 0; i < TILES; i++) {
		mean[i] = sum[i] * (1.0f / (float)tile);
		inverse[i] = inverse_or_zero(mean[i]);
	}
	for (uint t = 0; t < tile; t++)
		for (uint i = 0; i < TILES; i++) {
			const fv d = (AS_FV(a[i * apart + (size_t)t * row_stride]) - mean[i]) * inverse[i],
				 square = d * d;
			squares[i] += square;
			cubes[i] += square * d;
			fourths[i] += square * square;
		}
	for (uint i = 0; i < TILES; i++, out += 4 * groups) {
		out[0] = mean[i];
		out[groups] = squares[i];
		out[2 * groups] = cubes[i];
		out[3 * groups] = fourths[i];
	}
}
#endif

/* An item's tiles, from number `at` of those taken on: TILES, of which some may lie behind the last sample.
 *
 * out  the first tile's mean of the group */
CALLED void moments_of_item(__global const uv *a, __global fv *out, const uint at, const uint n_taken, const uint tile,
			    const uint row_stride, const uint groups)
{
	const uint first = at * tile;
#if TILES > 1
	if (n_taken - first >= TILES * tile) {
		moments_of_tiles(a + (size_t)first * row_stride, out, tile, row_stride, groups);
		return;
	}
	for (uint i = at; i * tile < n_taken; i++, out += 4 * groups)
		moments_of_tile(a, out, i * tile, i * tile + samples_of_tile(i, tile, n_taken), row_stride, groups);
#else
	moments_of_tile(a, out, first, first + samples_of_tile(at, tile, n_taken), row_stride, groups);
#endif
}

/* items groups, n_tiles / TILES (rounded up), series */
__kernel void amplitude_moments(ITEM __global const uv *amplitude, __global fv *moments, const uint n_taken,
				const uint n_rows, const uint row_stride, const uint groups, const uint tile,
				const uint n_tiles, const uint first_row, const uint first_tile)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), at = TILES * get_global_id(1), series = get_global_id(2);
	moments_of_item(amplitude + first_of_group(series, group, n_rows, row_stride, groups) +
				(size_t)first_row * row_stride,
			moments + (series * n_tiles + first_tile + at) * 4 * groups + group, (uint)at, n_taken, tile,
			row_stride, groups);
}

/* Level and scale from the moments of the tiles.
 *
 * With q = mean of a tile / level, a tile's r = A/level - 1 is q d + (q - 1), and sum d = 0, so its sum of r^2 and its
 * sum of r^4 follow from the sums of powers of d.  No digits are lost: |sum d^3| is at most sqrt(sum d^2 sum d^4)
 * (Cauchy-Schwarz), so the term of the cubes, which alone may be negative, takes at most 4 / (2 sqrt 6) of the terms
 * beside it.
 *
 * moments, level  of a series and group
 * largest         (n_phase): samples in the fullest bin of each phase band
 */
CALLED void scale_of_group(__global const fv *moments, __global const uint *largest, __global fv *level,
			   const uint n_kept, const uint n_phase, const uint groups, const uint tile,
			   const uint n_tiles)
{
	fv sum = SPLAT(0.0f), squares = SPLAT(0.0f), fourths = SPLAT(0.0f);
	for (uint at = 0; at < n_tiles; at++)
		sum += moments[(size_t)at * 4 * groups] * (float)samples_of_tile(at, tile, n_kept);
	const fv mean = sum * (1.0f / (float)n_kept), inverse = inverse_or_zero(mean);
	for (uint at = 0; at < n_tiles; at++) {
		__global const fv *of_tile = moments + (size_t)at * 4 * groups;
		const fv q = of_tile[0] * inverse, p = q - 1.0f, square = q * q * of_tile[groups];
		const fv cube = q * q * q * of_tile[2 * groups], fourth = q * q * (q * q) * of_tile[3 * groups];
		const float n_samples = (float)samples_of_tile(at, tile, n_kept);
		squares += square + n_samples * (p * p);
		fourths += fourth + p * (4.0f * cube + p * (6.0f * square + n_samples * (p * p)));
	}
	uint most = 0;
	for (uint ph = 0; ph < n_phase; ph++) {
		const uint count = largest[ph];
		most = count > most ? count : most;
	}
	const float n = (float)most, cubed = n * n * n;
	const fv second = SQRT(squares * (n < 0.25f * (float)n_kept ? n : 0.25f * (float)n_kept));
	const fv fourth = SQRT(SQRT(fourths * cubed));
	fv bound = SELECT(fourth < second, fourth, second) * 1.01f;
	/* Amplitudes that hardly vary need no finer steps than single precision has. */
	const fv least = SPLAT(1.0e-4f * n);
	bound = SELECT(bound > least, bound, least) * mean;
	level[0] = mean;
	/* Room for half a unit of rounding per sample, and 2 % below 2^31 for the rounding of the bound itself. */
	const float room = 2.1e9f - 0.5f * n;
	const iv is_positive = bound > SPLAT(0.0f);
	level[groups] = SELECT(is_positive, SPLAT(room) / SELECT(is_positive, bound, SPLAT(1.0f)), SPLAT(0.0f));
}

/* largest  (series, n_phase)
 * items    groups, series
 */
__kernel void amplitude_scale(ITEM __global const fv *moments, __global const uint *largest, __global fv *level,
			      const uint n_kept, const uint n_phase, const uint groups, const uint tile,
			      const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), series = get_global_id(1);
	scale_of_group(moments + series * n_tiles * 4 * groups + group, largest + series * n_phase,
		       level + series * 2 * groups + group, n_kept, n_phase, groups, tile, n_tiles);
}

/* Makes a sample fixed point, and returns it; carry: the rounding error of the one before. */
static inline uv quantise_sample(__global uv *a, const fv mean, const fv scale, fv *carry)
{
	const fv x = (AS_FV(a[0]) - mean) * scale + *carry;
	const iv u = TO_INT(x + SELECT(x < SPLAT(0.0f), SPLAT(-0.5f), SPLAT(0.5f)));
	*carry = x - TO_FLOAT(u);
	a[0] = AS_UV(u);
	return AS_UV(u);
}

/* Makes the samples first .. end - 1 fixed point, and returns their sum.
 *
 * a      the group's first sample that is taken
 * level  of a series and group */
static inline uv quantise_tile(__global uv *a, __global const fv *level, const uint first, const uint end,
			       const uint row_stride, const uint groups)
{
	const fv mean = level[0], scale = level[groups];
	uv sum = USPLAT(0);
	fv carry = SPLAT(0.0f);
	for (uint t = first; t < end; t++)
		sum += quantise_sample(a + (size_t)t * row_stride, mean, scale, &carry);
	return sum;
}

#if TILES > 1
/* The same of TILES whole tiles, each of which waits for its last sample's rounding error. */
static inline void quantise_tiles(__global uv *a, __global const fv *level, __global uv *sums, const uint tile,
				  const uint row_stride, const uint groups)
{
	const size_t apart = (size_t)tile * row_stride;
	const fv mean = level[0], scale = level[groups];
	uv sum[TILES];
	fv carry[TILES];
	for (uint i = 0; i < TILES; i++) {
		sum[i] = USPLAT(0);
		carry[i] = SPLAT(0.0f);
	}
	for (uint t = 0; t < tile; t++)
		for (uint i = 0; i < TILES; i++)
			sum[i] += quantise_sample(a + i * apart + (size_t)t * row_stride, mean, scale, &carry[i]);
	for (uint i = 0; i < TILES; i++)
		sums[(size_t)i * groups] = sum[i];
}
#endif

/* An item's tiles, as of moments_of_item.
 *
 * sums  the first tile's of the group */
CALLED void quantise_item(__global uv *a, __global const fv *level, __global uv *sums, const uint at,
			  const uint n_taken, const uint tile, const uint row_stride, const uint groups)
{
	const uint first = at * tile;
#if TILES > 1
	if (n_taken - first >= TILES * tile) {
		quantise_tiles(a + (size_t)first * row_stride, level, sums, tile, row_stride, groups);
		return;
	}
	for (uint i = at; i * tile < n_taken; i++, sums += groups)
		sums[0] = quantise_tile(a, level, i * tile, i * tile + samples_of_tile(i, tile, n_taken), row_stride,
					groups);
#else
	sums[0] = quantise_tile(a, level, first, first + samples_of_tile(at, tile, n_taken), row_stride, groups);
#endif
}

/* items groups, n_tiles / TILES (rounded up), series */
__kernel void quantise(ITEM __global uv *amplitude, __global const fv *level, __global uv *tile_sums,
		       const uint n_taken, const uint n_rows, const uint row_stride, const uint groups, const uint tile,
		       const uint n_tiles, const uint first_row)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), at = TILES * get_global_id(1), series = get_global_id(2);
	quantise_item(amplitude + first_of_group(series, group, n_rows, row_stride, groups) +
			      (size_t)first_row * row_stride,
		      level + series * 2 * groups + group, tile_sums + (series * n_tiles + at) * groups + group,
		      (uint)at, n_taken, tile, row_stride, groups);
}

/* n_taken tiles; the first of a series begin anew.  items groups, series */
__kernel void scan_sums(ITEM __global uv *tile_sums, __global uv *carry, const uint groups, const uint n_tiles,
			const uint n_taken, const uint is_first)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), series = get_global_id(1);
	__global uv *sums = tile_sums + series * n_tiles * groups + group;
	uv sum = is_first ? USPLAT(0) : carry[series * groups + group];
	for (uint at = 0; at < n_taken; at++) {
		const uv u = sums[(size_t)at * groups];
		sums[(size_t)at * groups] = sum;
		sum += u;
	}
	carry[series * groups + group] = sum;
}

/* The sums of tile `at` of a whole series, and of the tiles before it: those of all tiles are added up.
 *
 * sums  of a series and group: the sum of each tile by itself */
static inline void sum_of_tiles(__global const uv *sums, const uint at, const uint n_tiles, const uint groups,
				uv *before, uv *total)
{
	uv sum = USPLAT(0);
	for (uint other = 0; other < at; other++)
		sum += sums[(size_t)other * groups];
	*before = sum;
	for (uint other = at; other < n_tiles; other++)
		sum += sums[(size_t)other * groups];
	*total = sum;
}

/* Makes the samples first .. end - 1 prefix sums that go on from `before`, and writes those of the first n_again rows a
 * second time behind the n_taken rows, where `total` is before them.
 *
 * a  the group's first sample that is taken */
CALLED void add_up_tile(__global uv *a, const uv before, const uv total, const uint first, const uint end,
			const uint n_taken, const uint n_again, const uint row_stride)
{
	uv sum = before;
	for (uint t = first; t < end; t++) {
		const uv u = a[(size_t)t * row_stride];
		a[(size_t)t * row_stride] = sum;
		if (t < n_again)
			a[(size_t)(n_taken + t) * row_stride] = sum + total;
		sum += u;
	}
}

/* Tiles that scan_sums did not pass are a whole series: each item adds up those before its own, and the first writes
 * the carry.  items groups, tiles, series */
__kernel void prefix_sums(ITEM __global uv *amplitude, __global const uv *tile_sums, __global uv *carry,
			  const uint n_taken, const uint n_rows, const uint row_stride, const uint groups,
			  const uint tile, const uint n_tiles, const uint first_row, const uint n_again,
			  const uint is_scanned)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), at = get_global_id(1), series = get_global_id(2);
	const uint first = (uint)at * tile, end = first + tile < n_taken ? first + tile : n_taken;
	__global const uv *sums = tile_sums + series * n_tiles * groups + group;
	uv before, total;
	if (is_scanned) {
		before = sums[at * groups];
		total = carry[series * groups + group];
	} else {
		sum_of_tiles(sums, (uint)at, n_tiles, groups, &before, &total);
		if (at == 0)
			carry[series * groups + group] = total;
	}
	add_up_tile(amplitude + first_of_group(series, group, n_rows, row_stride, groups) +
			    (size_t)first_row * row_stride,
		    before, total, first, end, n_taken, n_again, row_stride);
}

/* The sums of a short series: the passes above, fused.  A row is a panel of a series, or on CPUs a group of it, where
 * a panel has one.
 *
 * lanes  row_stride x n_tiles; neighbours take neighbouring groups
 */
__kernel void amplitude_sums(ITEM __global uv *amplitude, __global fv *moments, __global const uint *largest,
			     __global fv *level, __global uv *tile_sums, __global uv *carry, const uint n_kept,
			     const uint n_phase, const uint n_rows, const uint row_stride, const uint groups,
			     const uint tile, const uint n_tiles, const uint n_again)
{
	const size_t row = ROW_OF_GROUP;
	const uint n_panels = groups / row_stride, n_items = (n_tiles + TILES - 1) / TILES;
	const size_t series = row / n_panels, first_group = (row - series * n_panels) * row_stride;
	__global uv *a = amplitude + first_of_group(series, first_group, n_rows, row_stride, groups);
	__global fv *moment = moments + series * n_tiles * 4 * groups + first_group;
	__global fv *scale = level + series * 2 * groups + first_group;
	__global uv *sums = tile_sums + series * n_tiles * groups + first_group;
	EACH_OF_ROW(i, row_stride * n_items)
	{
		const uint item = i / row_stride, group = i - item * row_stride, at = TILES * item;
		moments_of_item(a + group, moment + (size_t)at * 4 * groups + group, at, n_kept, tile, row_stride,
				groups);
	}
	NEXT_PASS;
	EACH_OF_ROW(group, row_stride)
	scale_of_group(moment + group, largest + series * n_phase, scale + group, n_kept, n_phase, groups, tile,
		       n_tiles);
	NEXT_PASS;
	EACH_OF_ROW(i, row_stride * n_items)
	{
		const uint item = i / row_stride, group = i - item * row_stride, at = TILES * item;
		quantise_item(a + group, scale + group, sums + (size_t)at * groups + group, at, n_kept, tile,
			      row_stride, groups);
	}
	NEXT_PASS;
	EACH_OF_ROW(i, row_stride * n_tiles)
	{
		const uint at = i / row_stride, group = i - at * row_stride;
		uv before, total;
		sum_of_tiles(sums + group, at, n_tiles, groups, &before, &total);
		if (at == 0)
			carry[series * groups + first_group + group] = total;
		add_up_tile(a + group, before, total, at * tile, at * tile + samples_of_tile(at, tile, n_kept), n_kept,
			    n_again, row_stride);
	}
}

/* Copies n rows from first_row on to to_row and up, which are others.  items groups x n, series */
__kernel void move_rows(ITEM __global uv *amplitude, const uint n_rows, const uint row_stride, const uint groups,
			const uint n, const uint first_row, const uint to_row)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0) / n, series = get_global_id(1);
	const size_t t = (uint)get_global_id(0) - (uint)group * n;
	__global uv *a = amplitude + first_of_group(series, group, n_rows, row_stride, groups);
	a[(to_row + t) * row_stride] = a[(first_row + t) * row_stride];
}
