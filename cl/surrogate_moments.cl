/* Streaming statistics of the surrogates: mean and sum of squared deviations (Welford 1962, Technometrics 4:419), and
 * the number of surrogates that reach the observed index.  Surrogates are added in the order of their numbers, so the
 * chunk size changes no bit.
 *
 * indices   (rows, n_shifts, groups), in ascending order of the shifts
 * observed  (rows, groups)
 * shifts    (series, shift_stride, 3): the shift; the number of its surrogate; the place, among the n_shifts of a
 *           launch, of the surrogate that has this element's number
 * moments   (rows, 3, groups): mean, sum of squares, count (as integer); already hold n_done surrogates
 * valid     (n_phase, groups): above 0 for the cells that count
 * variances (rows, groups): written with the last of n_surrogates, cell_variance in cell_spreads.cl
 * reach     the part of the observed index that a surrogate must have to count as reaching it: 1, or less where indices
 *           that are equal may differ by rounding
 */

/* Adds the surrogates of a launch to the moments of up to MOMENT_GROUPS groups from `first` on; where there are fewer,
 * the first is passed again.
 *
 * shift  that of the first surrogate
 * valid  of the row's phase band */
CALLED void add_surrogates(__global const fv *indices, __global const fv *observed, __global const uint *shift,
			   __global const fv *valid, __global fv *moments, __global fv *variances, const size_t row,
			   const uint first, const uint groups, const uint n_shifts, const uint n_done,
			   const uint n_surrogates, const float reach)
{
	const uint left = groups - first, n = left < MOMENT_GROUPS ? left : MOMENT_GROUPS;
	__global fv *out = moments + row * 3 * groups + first;
	__global const fv *of_row = indices + row * n_shifts * groups + first;
	fv index[MOMENT_GROUPS], mean[MOMENT_GROUPS], squares[MOMENT_GROUPS];
	iv count[MOMENT_GROUPS];
	size_t group[MOMENT_GROUPS];
#pragma unroll
	for (uint i = 0; i < MOMENT_GROUPS; i++) {
		group[i] = i < n ? i : 0;
		index[i] = observed[row * groups + first + group[i]] * reach;
		mean[i] = n_done ? out[group[i]] : SPLAT(0.0f);
		squares[i] = n_done ? out[groups + group[i]] : SPLAT(0.0f);
		count[i] = AS_IV(n_done ? out[2 * groups + group[i]] : SPLAT(0.0f));
	}
	for (uint k = 0; k < n_shifts; k++) {
		__global const fv *of_shift = of_row + (size_t)shift[3 * k + 2] * groups;
		const float share = 1.0f / (float)(n_done + k + 1);
#pragma unroll
		for (uint i = 0; i < MOMENT_GROUPS; i++) {
			const fv x = of_shift[group[i]];
			const fv d = x - mean[i];
			mean[i] += d * share;
			squares[i] += d * (x - mean[i]);
			count[i] += (x >= index[i]) & 1;
		}
	}
	for (uint i = 0; i < n; i++) {
		out[i] = mean[i];
		out[groups + i] = squares[i];
		out[2 * groups + i] = AS_FV(count[i]);
		if (n_done + n_shifts == n_surrogates)
			variances[row * groups + first + i] = cell_variance(observed[row * groups + first + i], mean[i],
									    squares[i], valid[first + i], n_surrogates);
	}
}

/* items  groups / MOMENT_GROUPS (rounded up), rows */
__kernel void surrogate_moments(ITEM __global const fv *indices, __global const fv *observed,
				__global const uint *shifts, __global const fv *valid, __global fv *moments,
				__global fv *variances, const uint groups, const uint n_shifts, const uint n_done,
				const uint n_surrogates, const uint shift_stride, const uint n_phase, const float reach)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(1), series = row / n_phase;
	/* Not a remainder: see phase_bins. */
	const size_t phase = row - series * n_phase;
	add_surrogates(indices, observed, shifts + 3 * (series * shift_stride + 1 + n_done), valid + phase * groups,
		       moments, variances, row, MOMENT_GROUPS * (uint)get_global_id(0), groups, n_shifts, n_done,
		       n_surrogates, reach);
}
