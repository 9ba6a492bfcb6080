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
 * variances (rows, groups): written with the last of n_surrogates, cell_variance in standing_spreads.cl
 * reach     the part of the observed index that a surrogate must have to count as reaching it: 1, or less where indices
 *           that are equal may differ by rounding
 * items     groups, rows
 */
__kernel void surrogate_moments(ITEM __global const fv *indices, __global const fv *observed,
				__global const uint *shifts, __global const fv *valid, __global fv *moments,
				__global fv *variances, const uint groups, const uint n_shifts, const uint n_done,
				const uint n_surrogates, const uint shift_stride, const uint n_phase, const float reach)
{
	RETURN_BEHIND_ITEMS;
	const size_t group = get_global_id(0), row = get_global_id(1), series = row / n_phase;
	/* Not a remainder: see phase_bins. */
	const size_t phase = row - series * n_phase;
	__global const uint *shift = shifts + 3 * (series * shift_stride + 1 + n_done);
	__global fv *out = moments + row * 3 * groups + group;
	const fv index = observed[row * groups + group] * reach;
	fv mean = n_done ? out[0] : SPLAT(0.0f), squares = n_done ? out[groups] : SPLAT(0.0f);
	iv count = n_done ? AS_IV(out[2 * groups]) : AS_IV(SPLAT(0.0f));
	for (uint k = 0; k < n_shifts; k++) {
		const fv x = indices[(row * n_shifts + shift[3 * k + 2]) * groups + group];
		const fv d = x - mean;
		mean += d * (1.0f / (float)(n_done + k + 1));
		squares += d * (x - mean);
		count += (x >= index) & 1;
	}
	out[0] = mean;
	out[groups] = squares;
	out[2 * groups] = AS_FV(count);
	if (n_done + n_shifts == n_surrogates)
		variances[row * groups + group] = cell_variance(observed[row * groups + group], mean, squares,
								valid[phase * groups + group], n_surrogates);
}
