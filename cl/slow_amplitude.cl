/* The vectors of phases beside the slow amplitude, for the measure pac-glm: what a straight line through the slow
 * amplitude a(t) = |z(t)| does not explain of u(t) = z(t) / a(t), z the analytic phase band,
 *
 *     v(t) = u(t) - b (a(t) - mean a),   b = cov(a, u) / (var a + (1e-4 mean a)^2).
 *
 * R^2 of A on v is what cos and sin of the phase explain beside 1 and a (Nadalin et al. 2019, eLife 8:e44287).  The
 * square in b keeps a slow amplitude that is constant but for rounding from taking anything off.
 *
 * slow  (rows, n_samples) c8: z(t); rows are series x phase bands
 */

/* From which slow amplitudes are counted, so that sums of squares keep their digits where they hardly vary. */
static inline float reference_of(__global const float2 *slow, const uint n_samples)
{
	return magnitude_of(slow + n_samples / 2);
}

/* sums   (rows, n_tiles, 6): of d, d^2, Re u, Im u, d Re u, d Im u, d the distance from the reference
 * items  n_tiles, rows */
__kernel void slow_sums(ITEM __global const float2 *slow, __global float *sums, const uint n_samples, const uint tile,
			const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), row = get_global_id(1);
	__global const float2 *z = slow + row * n_samples;
	__global float *out = sums + (row * n_tiles + at) * 6;
	const uint first = (uint)at * tile, end = n_samples - first < tile ? n_samples : first + tile;
	const float reference = reference_of(z, n_samples);
	float distance = 0.0f, square = 0.0f, x = 0.0f, y = 0.0f, of_x = 0.0f, of_y = 0.0f;
	IN_ORDER
	for (uint t = first; t < end; t++) {
		const float2 u = unit_vector(z[t]);
		const float d = magnitude_of(z + t) - reference;
		distance += d;
		square += d * d;
		x += u.x;
		y += u.y;
		of_x += d * u.x;
		of_y += d * u.y;
	}
	out[0] = distance;
	out[1] = square;
	out[2] = x;
	out[3] = y;
	out[4] = of_x;
	out[5] = of_y;
}

/* facts  (rows, 3): the mean of a, and the parts of b
 * items  rows */
__kernel void slow_facts(ITEM __global const float2 *slow, __global const float *sums, __global float *facts,
			 const uint n_samples, const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(0);
	__global const float *tile = sums + row * n_tiles * 6;
	float distance = 0.0f, square = 0.0f, x = 0.0f, y = 0.0f, of_x = 0.0f, of_y = 0.0f;
	IN_ORDER
	for (uint at = 0; at < n_tiles; at++, tile += 6) {
		distance += tile[0];
		square += tile[1];
		x += tile[2];
		y += tile[3];
		of_x += tile[4];
		of_y += tile[5];
	}
	const float part = 1.0f / (float)n_samples, mean = distance * part;
	const float level = reference_of(slow + row * n_samples, n_samples) + mean, least = 1e-4f * level;
	const float variance = square * part - mean * mean;
	const float divisor = (variance > 0.0f ? variance : 0.0f) + least * least;
	const float inverse = divisor > 0.0f ? 1.0f / divisor : 0.0f;
	__global float *out = facts + row * 3;
	out[0] = level;
	out[1] = (of_x * part - mean * (x * part)) * inverse;
	out[2] = (of_y * part - mean * (y * part)) * inverse;
}

/* beside  (rows, n_samples) c8: v(t)
 * items   n_samples, rows */
__kernel void vectors_beside(ITEM __global const float2 *slow, __global const float *facts, __global float2 *beside,
			     const uint n_samples)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(1), place = row * n_samples + get_global_id(0);
	const float2 u = unit_vector(PAIR(slow + place));
	const float distance = magnitude_of(slow + place) - facts[row * 3];
	float2 v;
	v.x = u.x - facts[row * 3 + 1] * distance;
	v.y = u.y - facts[row * 3 + 2] * distance;
	SET_PAIR(beside + place, v);
}
