/* Sums of the shifted amplitude over the samples of each phase bin: S_j(s) = sum over {t : bin(t) = j} of u(t + s), circularly,
 * as integers modulo 2^32 that are to be read as signed.
 *
 * prefix points to the series' prefix sums at the wanted group of VW bands; a row of it is `groups` vectors.
 */

/* One load and one add per edge crossing and group of bands, in registers: see phase_edges.cl.  The prefix sums stand twice,
 * or shift is 0. */
static inline void bin_sums_of_edges(__global const uv *prefix, const uv total, __global const uint *edges,
				     __global const uint *starts, const uint shift, const uint groups, const uint n_bins,
				     uv *sums)
{
	__global const uv *shifted = prefix + (size_t)shift * groups;
	uv first = USPLAT(0), before = USPLAT(0);
#pragma unroll
	for (uint e = 0; e < N_BINS; e++) {
		uint i = starts[2 * e];
		const uint turn = starts[2 * e + 1], end = starts[2 * e + 2];
		uv d = USPLAT(0), other = USPLAT(0);
		for (; i + 2 <= turn; i += 2) {
			d += shifted[(size_t)edges[i] * groups];
			other += shifted[(size_t)edges[i + 1] * groups];
		}
		if (i < turn)
			d += shifted[(size_t)edges[i] * groups];
		d += other;
		for (i = turn; i < end; i++)
			d -= shifted[(size_t)edges[i] * groups];
		if (e == 0)
			first = d;
		else
			sums[e - 1] = d - before;
		before = d;
	}
	sums[N_BINS - 1] = first - before;
	const uint last_bin = starts[2 * N_BINS + 1];
	for (uint j = 0; j < N_BINS; j++)
		if (j == last_bin)
			sums[j] += total;
}

/* The definition, sample by sample; for rows whose edge lists did not fit. */
static inline void bin_sums_of_bins(__global const uv *prefix, const uv total, __global const uchar *bins, const uint shift,
			     const uint n_samples, const uint groups, const uint n_bins, uv *sums)
{
	for (uint j = 0; j < N_BINS; j++)
		sums[j] = USPLAT(0);
	uv before = prefix[(size_t)shift * groups];
	for (uint t = 0; t < n_samples; t++) {
		uint next = t + shift + 1;
		uv now = next == n_samples ? total : prefix[(size_t)(next > n_samples ? next - n_samples : next) * groups];
		sums[bins[t]] += now - before;
		before = next == n_samples ? prefix[0] : now;
	}
}
