/* Sums of the shifted amplitude over the samples of each phase bin: S_j(s) = sum over {t : bin(t) = j} of u(t + s), circularly,
 * as integers modulo 2^32 that are to be read as signed.
 *
 * prefix points to the prefix sums of a group of VW bands of a series, whose rows are row_stride vectors apart.  The series stands
 * there twice, unless every shift is 0.
 */

/* Adds whole cycles to the N unfinished D_e (phase_edges.cl), from *cycle on, as long as they start below row `end`: one load
 * and one add per edge crossing and group of bands.  The sums are taken into registers meanwhile.  shifted points `shift` rows
 * into the prefix sums; `end` counts vectors from there. */
static inline void add_cycles(__global const uv *shifted, __global const uint *edges, const uint n_cycles, const uint end,
			      const uint n_bins, uint *cycle, uv *unfinished)
{
	uint i = *cycle;
	__global const uint *crossed = edges + (size_t)i * N_BINS;
	uv d[MAX_BINS];
#pragma unroll
	for (uint e = 0; e < N_BINS; e++)
		d[e] = unfinished[e];
	for (; i + 4 <= n_cycles && crossed[3 * N_BINS] < end; i += 4, crossed += 4 * N_BINS) {
#pragma unroll
		for (uint e = 0; e < N_BINS; e++)
#pragma unroll
			for (uint q = 0; q < 4; q++)
				d[e] += shifted[crossed[q * N_BINS + e]];
	}
	for (; i < n_cycles && crossed[0] < end; i++, crossed += N_BINS) {
#pragma unroll
		for (uint e = 0; e < N_BINS; e++)
			d[e] += shifted[crossed[e]];
	}
#pragma unroll
	for (uint e = 0; e < N_BINS; e++)
		unfinished[e] = d[e];
	*cycle = i;
}

/* Adds what the lists hold beside whole cycles, and turns D_e into S_j = D_(j+1) - D_j, the series' total added for the bin of
 * the last sample. */
static inline void finish_sums(__global const uv *shifted, const uv total, __global const uint *edges,
			       __global const uint *starts, const uint n_bins, uv *d)
{
	for (uint e = 0; e < N_BINS; e++) {
		uint i = starts[2 * e];
		const uint turn = starts[2 * e + 1], end = starts[2 * e + 2];
		uv rest = USPLAT(0);
		for (; i < turn; i++)
			rest += shifted[edges[i]];
		for (; i < end; i++)
			rest -= shifted[edges[i]];
		d[e] += rest;
	}
	const uint last_bin = starts[2 * N_BINS + 1];
	const uv first = d[0];
	for (uint j = 0; j + 1 < N_BINS; j++)
		d[j] = d[j + 1] - d[j];
	d[N_BINS - 1] = first - d[N_BINS - 1];
	d[last_bin] += total;
}

/* The definition, sample by sample; for rows whose edge lists did not fit. */
static inline void bin_sums_of_bins(__global const uv *prefix, const uv total, __global const uchar *bins, const uint shift,
			     const uint n_samples, const uint row_stride, const uint n_bins, uv *sums)
{
	for (uint j = 0; j < N_BINS; j++)
		sums[j] = USPLAT(0);
	uv before = prefix[(size_t)shift * row_stride];
	for (uint t = 0; t < n_samples; t++) {
		uint next = t + shift + 1;
		uv now = next == n_samples ? total : prefix[(size_t)(next > n_samples ? next - n_samples : next) * row_stride];
		sums[bins[t]] += now - before;
		before = next == n_samples ? prefix[0] : now;
	}
}
