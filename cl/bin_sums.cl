/* Sums of the shifted amplitude over the samples of each phase bin: S_j(s) = sum over {t : bin(t) = j} of u(t + s), circularly,
 * as integers modulo 2^32 that are to be read as signed.
 *
 * prefix points to the series' prefix sums at the wanted group of VW bands; a row of it is `groups` vectors.
 */

/* One load and one add per edge crossing and group of bands, in registers: see phase_edges.cl. */
static inline void bin_sums_of_edges(__global const uv *prefix, const uv total, __global const uint *edges,
			      __global const uint *starts, const uint shift, const uint n_samples, const uint groups,
			      const uint n_bins, uv *sums)
{
	const uint wrap = n_samples - shift; /* from this sample on, t + shift runs over the end */
	__global const uv *ahead = prefix + (size_t)shift * groups;
	const uint last_bin = starts[2 * N_BINS + 1];
	const uv zero = USPLAT(0);
	uv first = zero, before = zero;
#pragma unroll
	for (uint e = 0; e <= N_BINS; e++) {
		uv d = first;
		if (e < N_BINS) {
			uint i = starts[2 * e], end = starts[2 * e + 1];
			d = zero;
			for (; i < end && edges[i] < wrap; i++)
				d += ahead[(size_t)edges[i] * groups];
			uint n_wrapped = end - i;
			for (; i < end; i++)
				d += prefix[(size_t)(edges[i] - wrap) * groups];
			end = starts[2 * e + 2];
			for (; i < end && edges[i] < wrap; i++)
				d -= ahead[(size_t)edges[i] * groups];
			n_wrapped -= end - i;
			for (; i < end; i++)
				d -= prefix[(size_t)(edges[i] - wrap) * groups];
			d += total * n_wrapped;
		}
		if (e == 0)
			first = d;
		else
			sums[e - 1] = e - 1 == last_bin ? d - before + total : d - before;
		before = d;
	}
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
