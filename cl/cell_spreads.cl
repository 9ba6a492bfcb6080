/* How widely the indices of each cell spread: what standardized statistics are measured by (surrogate_maxima.cl).
 *
 * The variance of a cell's observed index and surrogates is its own affair, but for one thing: where its phase drives
 * its amplitude, a circular shift by nearly whole cycles of the rhythm keeps part of the coupling.  Then the deviation
 * of the surrogates is about three times what it would be, and the coupled cell has a low standardized statistic
 * because it is coupled.  A cell without coupling spreads as the cycles of its phase band are long, and as the
 * amplitude of its amplitude band comes and goes.  So a cell counts for as wide as is usual for both of its bands at
 * most: as the narrowest cell of its phase band, times what the cells of its amplitude band are wider than that in
 * most phase bands.  Where there are nine amplitude bands or more, the second takes the place of the narrowest, or the
 * one that an eighth lie below, so that no band without any modulation decides for all.  Of an amplitude band three
 * eighths lie below: a slow rhythm that drives it is seen in fewer phase bands than the others are.
 *
 *     r(p)     number (n - 1) / 8, rounded down and counted from 0, of the n ordered v(p, a) of a phase band
 *     c(a)     number 3 (n - 1) / 8 of the n ordered v(p, a) / r(p) of an amplitude band, and 1 at least; 1 where n is
 *              1, since a single row cannot tell a wide amplitude band from a coupled one
 *     spread   the smaller of v(p, a) and r(p) c(a)
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
CALLED void spread_by_cell(__global const float *variances, __global float *spread, const uint am,
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

/* c, likewise, if it is that of cell `ph` of an amplitude band.
 *
 * variances  of the band's first cell; those of the phase bands behind it lie `padded` apart
 * spreads    r of each phase band
 */
CALLED void widening_by_cell(__global const float *variances, __global const float *spreads, __global float *widening,
			     const uint ph, const uint n_phase, const uint padded)
{
	const float variance = variances[ph * padded];
	const float own = variance > 0.0f ? variance / spreads[ph] : 0.0f;
	uint n = 0, below = 0;
	for (uint other = 0; other < n_phase; other++) {
		const float of_other = variances[other * padded];
		const float value = of_other > 0.0f ? of_other / spreads[other] : 0.0f;
		n += value > 0.0f ? 1u : 0u;
		below += value > 0.0f && (value < own || (value == own && other < ph)) ? 1u : 0u;
	}
	if (own > 0.0f && below == 3 * (n - 1) / 8)
		*widening = n > 1 && own > 1.0f ? own : 1.0f;
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

/* variances  (series, n_phase, padded): v
 * spreads    (series, n_phase): r
 * widenings  (series, padded): c; those of amplitude bands without cells that count are not written
 * items      n_amplitude, n_phase, series
 */
__kernel void amplitude_spreads(ITEM __global const float *variances, __global const float *spreads,
				__global float *widenings, const uint padded, const uint n_phase)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), ph = get_global_id(1), series = get_global_id(2);
	widening_by_cell(variances + series * n_phase * padded + am, spreads + series * n_phase,
			 widenings + series * padded + am, (uint)ph, n_phase, padded);
}
