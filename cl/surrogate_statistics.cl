/* Moments, spreads and maxima of a small map whose surrogates are all there: the passes of surrogate_moments.cl,
 * cell_spreads.cl and surrogate_maxima.cl, fused.
 *
 * Arguments are those of the passes, of n_surrogates surrogates in one launch.  A row is a series.
 * lanes  cells, surrogates
 */
__kernel void surrogate_statistics(ITEM __global const fv *indices, __global const fv *observed,
				   __global const uint *shifts, __global const fv *valid, __global fv *moments,
				   __global fv *variances, __global float *spreads, __global fv *widenings,
				   __global float *maxima, const uint groups, const uint n_surrogates,
				   const uint n_phase, const uint n_amplitude, const float reach)
{
	const size_t series = ROW_OF_GROUP;
	const uint n_parts = (groups + MOMENT_GROUPS - 1) / MOMENT_GROUPS;
	EACH_OF_ROW(i, n_phase * n_parts)
	{
		const uint phase = i / n_parts;
		add_surrogates(indices, observed, shifts + 3 * (series * (n_surrogates + 1) + 1),
			       valid + (size_t)phase * groups, moments, variances, series * n_phase + phase,
			       MOMENT_GROUPS * (i - phase * n_parts), groups, n_surrogates, 0, n_surrogates, reach);
	}
	NEXT_PASS;
	EACH_OF_ROW(i, n_phase * n_amplitude)
	{
		const uint phase = i / n_amplitude;
		const size_t row = series * n_phase + phase;
		spread_by_cell((__global const float *)(variances + row * groups), spreads + row,
			       i - phase * n_amplitude, n_amplitude);
	}
	NEXT_PASS;
	EACH_OF_ROW(i, n_phase * n_amplitude)
	{
		const uint phase = i / n_amplitude, am = i - phase * n_amplitude;
		const uint padded = groups * VW;
		widening_by_cell((__global const float *)(variances + series * n_phase * groups) + am,
				 spreads + series * n_phase, (__global float *)(widenings + series * groups) + am,
				 phase, n_phase, padded);
	}
	NEXT_PASS;
	EACH_OF_ROW(i, (n_surrogates + RANKED - 1) / RANKED)
	rank_surrogates(indices, observed, moments, shifts, variances, spreads, widenings, maxima, series,
			(size_t)RANKED * i, groups, n_surrogates, 0, n_surrogates, n_phase, 0, n_phase);
}
