/* Sums of the shifted amplitude over the samples of each phase bin:
 *
 *     S_j(s) = sum over {t : bin(t) = j} of u(t + s), circularly
 *
 * as integers modulo 2^32, to be read as signed.
 *
 * prefix points to the prefix sums of a group of VW bands of a series, whose rows are row_stride vectors apart.  The
 * series is stored twice, unless every shift is 0.
 */

/* The start value of D_e (phase_edges.cl).  S_j of the last sample's bin is D_(j+1) - D_j plus the series' total: the
 * edges above that bin carry the total, and so does D_N. */
static inline uv begun_sum(const uv total, __global const uint *starts, const uint n_bins, const uint e)
{
	return total & USPLAT(e > starts[2 * N_BINS + 1] ? 0xffffffff : 0);
}

/* Adds the crossings of a span to the N sums D_e.  Cost: one load and one add per edge crossing and group of bands.
 *
 * The edges are passed one after the other.  Steps of a whole cycle through the prefix sums come faster from a
 * second-level cache than steps of a bin, whose neighbouring lines are fetched in vain, and all edges take the same
 * number of steps, which a branch predictor learns.
 *
 * shifted points to the row of the span's first sample, shifted.
 */
static inline void add_crossings(__global const uv *shifted, __global const uint *edges, __global const uint *starts,
				 const uint n_bins, uv *d)
{
	const uint n_cycles = starts[2 * N_BINS + 2], cycles = first_cycle(starts, N_BINS);
	for (uint e = 0; e < N_BINS; e++) {
		__global const uint *crossed = edges + cycles + e;
		uv sum = d[e], other = USPLAT(0);
		uint left = n_cycles;
		for (; left >= 2; left -= 2, crossed += 2 * N_BINS) {
			sum += shifted[crossed[0]];
			other += shifted[crossed[N_BINS]];
		}
		if (left)
			sum += shifted[crossed[0]];
		sum += other;
		uint i = starts[2 * e];
		const uint turn = starts[2 * e + 1], past = starts[2 * e + 2];
		for (; i < turn; i++)
			sum += shifted[edges[i]];
		for (; i < past; i++)
			sum -= shifted[edges[i]];
		d[e] = sum;
	}
}

/* The start values of D_e. */
static inline void begin_sums(const uv total, __global const uint *starts, const uint n_bins, uv *d)
{
	for (uint e = 0; e < N_BINS; e++)
		d[e] = begun_sum(total, starts, N_BINS, e);
}

/* The same, from the start values on, for a series of one span and TOGETHER shifts in ascending order; shift i has
 * d[i].
 *
 * A row that one shift reads for an edge is read by the next larger shift for the edge lag[i] before it, up to the
 * drifting of the phase.  Passed in step, neighbouring shifts find half of their rows in the first-level cache.
 */
CALLED void add_crossings_together(__global const uv **shifted, const uint *lag, __global const uint *edges,
				   __global const uint *starts, const uv total, const uint n_bins, uv (*d)[MAX_BINS])
{
	const uint n_cycles = starts[2 * N_BINS + 2];
	uint edge[TOGETHER];
#pragma unroll
	for (uint i = 0; i < TOGETHER; i++)
		edge[i] = lag[i] ? N_BINS - lag[i] : 0;
	for (uint step = 0; step < N_BINS; step++) {
		__global const uint *crossed = edges;
		uv sum[TOGETHER];
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++)
			sum[i] = begun_sum(total, starts, N_BINS, edge[i]);
		for (uint left = n_cycles; left; left--, crossed += N_BINS)
#pragma unroll
			for (uint i = 0; i < TOGETHER; i++)
				sum[i] += shifted[i][crossed[edge[i]]];
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			d[i][edge[i]] = sum[i];
			edge[i] = edge[i] + 1 == N_BINS ? 0 : edge[i] + 1;
		}
	}
	for (uint e = 0; e < N_BINS; e++) {
		uint at = starts[2 * e];
		const uint turn = starts[2 * e + 1], past = starts[2 * e + 2];
		for (; at < turn; at++)
#pragma unroll
			for (uint i = 0; i < TOGETHER; i++)
				d[i][e] += shifted[i][edges[at]];
		for (; at < past; at++)
#pragma unroll
			for (uint i = 0; i < TOGETHER; i++)
				d[i][e] -= shifted[i][edges[at]];
	}
}

/* Converts D_e to S_j in place. */
static inline void finish_sums(const uv total, const uint n_bins, uv *d)
{
	const uv beyond = d[0] + total;
	for (uint j = 0; j + 1 < N_BINS; j++)
		d[j] = d[j + 1] - d[j];
	d[N_BINS - 1] = beyond - d[N_BINS - 1];
}

/* Whether a row's edge lists fitted (phase_edges.cl). */
static inline bool has_lists(__global const uint *starts, const uint n_bins)
{
	return starts[2 * N_BINS + 3] != 0;
}

/* The sums by their definition, sample by sample; for rows whose edge lists did not fit. */
static inline void bin_sums_of_bins(__global const uv *prefix, const uv total, __global const uchar *bins,
				    const uint shift, const uint n_samples, const uint row_stride, const uint n_bins,
				    uv *sums)
{
	for (uint j = 0; j < N_BINS; j++)
		sums[j] = USPLAT(0);
	uv before = prefix[(size_t)shift * row_stride];
	for (uint t = 0; t < n_samples; t++) {
		uint next = t + shift + 1;
		uv now = next == n_samples ? total
					   : prefix[(size_t)(next > n_samples ? next - n_samples : next) * row_stride];
		sums[bins[t]] += now - before;
		before = next == n_samples ? prefix[0] : now;
	}
}
