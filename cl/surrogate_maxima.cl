static inline float highest_of_lanes(const fv *lanes)
{
	const float *lane = (const float *)lanes;
	float highest = lane[0];
	for (uint i = 1; i < VW; i++)
		highest = lane[i] > highest ? lane[i] : highest;
	return highest;
}

/* The highest standardized statistic of each surrogate among the cells of its map.  Compared with these maxima, a cell
 * is significant for the map as a whole (Nichols & Holmes 2002, Human Brain Mapping 15:1-25).
 *
 * The standardized statistic of an index is its distance from the mean of its cell in deviations, where mean and
 * deviation are those of the observed index and all surrogates together.  So every index is judged by the same measure,
 * and no cell counts for more than another.  z measures the observed index by the surrogates alone, and each surrogate
 * also by itself, which keeps high surrogates low: with 200 surrogates of 300 independent cells, 7.4 % of maps without
 * coupling had a cell whose z passed the 95 % quantile of such maxima, and 4.3 % one whose standardized statistic did.
 *
 * The deviation is the cell's own, or the one that is usual for its bands if that is less (cell_spreads.cl).
 *
 * indices   (series, n_phase, n_shifts, groups): the surrogates after n_done, in ascending order of the shifts
 * observed  (series, n_phase, groups)
 * moments   (series, n_phase, 3, groups), surrogate_moments.cl; of all surrogates
 * shifts    (series, n_surrogates + 1, 3), surrogate_moments.cl
 * variances (series, n_phase, groups), cell_spreads.cl
 * spreads   (series, n_phase), and widenings (series, groups), likewise
 * maxima    (series, n_surrogates), each surrogate at its own number; CLPAC_NO_MAXIMUM where no valid cell has a
 *           standardized statistic
 *
 * A launch takes the n_taken phase bands from first_phase on, and goes on from the maxima of those before them.
 */

/* The maxima of up to RANKED surrogates of a series, from number `first` of a launch on. */
CALLED void rank_surrogates(__global const fv *indices, __global const fv *observed, __global const fv *moments,
			    __global const uint *shifts, __global const fv *variances, __global const float *spreads,
			    __global const fv *widenings, __global float *maxima, const size_t series,
			    const size_t first, const uint groups, const uint n_shifts, const uint n_done,
			    const uint n_surrogates, const uint n_phase, const uint first_phase, const uint n_taken)
{
	const uint left = n_shifts - (uint)first, n = left < RANKED ? left : RANKED;
	__global const uint *shift = shifts + 3 * (series * (n_surrogates + 1) + 1 + n_done + first);
	const float all = (float)n_surrogates + 1.0f, share = 1.0f / all;
	fv best[RANKED];
	for (uint i = 0; i < RANKED; i++)
		best[i] = SPLAT(first_phase && i < n ? maxima[series * n_surrogates + shift[3 * i + 1] - 1]
						     : CLPAC_NO_MAXIMUM);
	for (size_t ph = first_phase; ph < first_phase + n_taken; ph++)
		for (size_t group = 0; group < groups; group++) {
			const size_t row = series * n_phase + ph;
			const fv variance = variances[row * groups + group];
			const fv most = spreads[row] * widenings[series * groups + group];
			__global const fv *moment = moments + row * 3 * groups + group;
			__global const fv *index = indices + (row * n_shifts + first) * groups + group;
			const fv from_mean = observed[row * groups + group] - moment[0];
			/* Subtracted one after the other, so that a surrogate near the index rounds as it does. */
			const fv mean = moment[0], rest = from_mean * share;
			const fv scale = 1.0f / SQRT(SELECT(variance < most, variance, most));
			for (uint i = 0; i < n; i++) {
				const fv statistic = (index[i * groups] - mean - rest) * scale;
				const fv higher = SELECT(statistic > best[i], statistic, best[i]);
				best[i] = SELECT(variance > SPLAT(0.0f), higher, best[i]);
			}
		}
	for (uint i = 0; i < n; i++)
		maxima[series * n_surrogates + shift[3 * i + 1] - 1] = highest_of_lanes(&best[i]);
}

/* items  n_shifts / RANKED (rounded up), series */
__kernel void surrogate_maxima(ITEM __global const fv *indices, __global const fv *observed, __global const fv *moments,
			       __global const uint *shifts, __global const fv *variances, __global const float *spreads,
			       __global const fv *widenings, __global float *maxima, const uint groups,
			       const uint n_shifts, const uint n_done, const uint n_surrogates, const uint n_phase,
			       const uint first_phase, const uint n_taken)
{
	RETURN_BEHIND_ITEMS;
	rank_surrogates(indices, observed, moments, shifts, variances, spreads, widenings, maxima, get_global_id(1),
			RANKED * get_global_id(0), groups, n_shifts, n_done, n_surrogates, n_phase, first_phase,
			n_taken);
}
