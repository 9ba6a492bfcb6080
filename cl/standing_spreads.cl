/* How widely the indices of each cell spread: what standings are measured by (surrogate_maxima.cl).
 *
 * The variance of a cell's observed index and surrogates is its own affair, but for one thing: where its phase drives
 * its amplitude, a circular shift by nearly whole cycles of the rhythm keeps part of the coupling.  Then the deviation
 * of the surrogates is about three times what it would be, and the coupled cell has a low standing because it is
 * coupled.  A cell without coupling spreads mostly as the cycles of its phase band are long.  So a cell counts for as
 * wide as the narrowest of its phase band at most; where there are nine amplitude bands or more, as the second of them,
 * or the one that an eighth lie below, so that no band without any modulation decides for all.
 *
 *     r(p)     number (n - 1) / 8, rounded down and counted from 0, of the n ordered v(p, a) of a phase band
 *     spread   the smaller of v(p, a) and r(p)
 *
 * v treats the observed index and all surrogates alike, and so does all that is made of it.
 */

/* v, or 0 for a cell that does not count or whose surrogates are equal.
 *
 * mean, squares  of all surrogates, surrogate_moments.cl
 * valid          above 0 for the cells that count
 */
static inline fv cell_variance(const fv observed, const fv mean, const fv squares, const fv valid,
			       const uint n_surrogates)
{
	const float share = 1.0f / ((float)n_surrogates + 1.0f);
	const fv zero = SPLAT(0.0f), from_mean = observed - mean;
	const fv variance = (squares + from_mean * from_mean * (1.0f - share)) * share;
	const fv of_cell = SELECT(valid > zero, variance, zero), of_spread = SELECT(squares > zero, of_cell, zero);
	return SELECT(of_spread > zero, of_spread, zero);
}

/* r, if it is the variance of cell `am` of a phase band, whose cells have these variances.  Each cell counts those
 * below it, and the one whose place it is writes; a band without cells that count keeps what it has, and nobody reads
 * it. */
static inline void spread_by_cell(__global const float *variances, __global float *spread, const uint am,
				  const uint n_amplitude)
{
	const float own = variances[am];
	uint n = 0, below = 0;
	for (uint other = 0; other < n_amplitude; other++) {
		const float value = variances[other];
		n += value > 0.0f ? 1u : 0u;
		below += value > 0.0f && (value < own || (value == own && other < am)) ? 1u : 0u;
	}
	if (own > 0.0f && below == (n - 1) / 8)
		*spread = own;
}

/* variances  (rows, padded): v
 * spreads    (rows): r
 * items      n_amplitude, rows
 */
__kernel void phase_spreads(ITEM __global const float *variances, __global float *spreads, const uint padded,
			    const uint n_amplitude)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), row = get_global_id(1);
	spread_by_cell(variances + row * padded, spreads + row, (uint)am, n_amplitude);
}
