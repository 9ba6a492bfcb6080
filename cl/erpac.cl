/* Circular-linear correlations across trials (src/coupling/signal/circular_linear.h), of one channel at some points in
 * time and with the trials' amplitudes in some orders.
 *
 * Vectors hold VW neighbouring points in time, n_vectors of them.  A row is a number of each point in time, as the
 * score of one amplitude band in one trial.
 *
 * scores   n_amplitude x n_trials rows, trials fastest: amplitudes without their mean over the trials, of length 1
 * axes     n_phase x n_trials x 2 rows, twos fastest: two orthogonal directions of length 1 without a mean, which span
 *          the cosines and the sines of the phases over the trials
 * is_apart 1: the rows of a vector follow each other, which suits a CPU's caches; 0: the vectors of a row do, which
 *          suits the lanes of a GPU
 * draws    (n_orders, n_trials): the trial whose amplitude each trial takes
 * squares  (n_orders, n_phase, n_amplitude, n_vectors): squared correlations, NaN where scores or axes are
 */

/* The bands of an item share what is read of the axes.  They are written out, since a loop over them would take a step
 * for each trial. */
#define BANDS_OF_TRIALS 4
#define OF_EACH_BAND(step) step(0) step(1) step(2) step(3)

#define BEGIN_BAND(b)                                                                                                  \
	__global const fv *score##b = score + (size_t)(first + (b < n_own ? b : 0)) * n_trials * stride;               \
	fv x##b = SPLAT(0.0f), y##b = SPLAT(0.0f);
#define ADD_TRIAL(b)                                                                                                   \
	x##b += score##b[taken * stride] * along;                                                                      \
	y##b += score##b[taken * stride] * across;
#define STORE_BAND(b)                                                                                                  \
	if (b < n_own)                                                                                                 \
		out[(size_t)b * n_vectors] = x##b * x##b + y##b * y##b;

/* items  is_apart: n_orders; n_phase x n_amplitude / BANDS_OF_TRIALS (rounded up); n_vectors; else the first and the
 *        last change places */
__kernel void trial_squares(ITEM __global const fv *scores, __global const fv *axes, __global const uint *draws,
			    __global fv *squares, const uint n_trials, const uint n_vectors, const uint n_phase,
			    const uint n_amplitude, const uint is_apart)
{
	RETURN_BEHIND_ITEMS;
	const uint n_groups = (n_amplitude + BANDS_OF_TRIALS - 1) / BANDS_OF_TRIALS;
	const size_t order = get_global_id(is_apart ? 0 : 2), vector = get_global_id(is_apart ? 2 : 0);
	const uint phase = (uint)get_global_id(1) / n_groups, group = (uint)get_global_id(1) - phase * n_groups;
	const uint first = group * BANDS_OF_TRIALS, left = n_amplitude - first;
	const uint n_own = left < BANDS_OF_TRIALS ? left : BANDS_OF_TRIALS;
	const size_t stride = is_apart ? 1 : n_vectors;
	__global const fv *score = scores + vector * (is_apart ? (size_t)n_amplitude * n_trials : 1);
	__global const fv *axis =
		axes + vector * (is_apart ? (size_t)n_phase * n_trials * 2 : 1) + (size_t)phase * n_trials * 2 * stride;
	__global const uint *draw = draws + order * n_trials;
	__global fv *out = squares + ((order * n_phase + phase) * n_amplitude + first) * n_vectors + vector;
	OF_EACH_BAND(BEGIN_BAND)
	for (uint trial = 0; trial < n_trials; trial++) {
		const size_t taken = draw[trial];
		const fv along = axis[(size_t)trial * 2 * stride], across = axis[((size_t)trial * 2 + 1) * stride];
		OF_EACH_BAND(ADD_TRIAL)
	}
	OF_EACH_BAND(STORE_BAND)
}

/* How many orders reach the square of the recorded one, beside those counted before.
 *
 * observed  (n_phase, n_amplitude, n_vectors)
 * counts    the same
 * reach     times which the recorded one is reached
 * items     n_cells: n_phase x n_amplitude x n_vectors
 */
__kernel void trial_counts(ITEM __global const fv *squares, __global const fv *observed, __global fv *counts,
			   const uint n_cells, const uint n_orders, const float reach)
{
	RETURN_BEHIND_ITEMS;
	const size_t cell = get_global_id(0);
	const fv least = observed[cell] * reach;
	fv n = counts[cell];
	for (uint order = 0; order < n_orders; order++)
		n += SELECT(squares[(size_t)order * n_cells + cell] >= least, SPLAT(1.0f), SPLAT(0.0f));
	counts[cell] = n;
}

/* The largest square of each order and phase band among the amplitude bands that count.
 *
 * valid   (n_phase, n_amplitude): 1 for cells that count, 0 for others
 * maxima  (n_orders, n_phase): those of the points in time that share a lane; 0 where no cell has a value
 * items   n_orders, n_phase
 */
__kernel void trial_maxima(ITEM __global const fv *squares, __global const float *valid, __global fv *maxima,
			   const uint n_vectors, const uint n_phase, const uint n_amplitude)
{
	RETURN_BEHIND_ITEMS;
	const size_t order = get_global_id(0), phase = get_global_id(1);
	fv best = SPLAT(0.0f);
	for (uint band = 0; band < n_amplitude; band++) {
		__global const fv *square =
			squares + ((order * n_phase + phase) * n_amplitude + band) * (size_t)n_vectors;
		const uint n = valid[phase * n_amplitude + band] > 0.0f ? n_vectors : 0;
		for (uint vector = 0; vector < n; vector++)
			best = SELECT(square[vector] > best, square[vector], best);
	}
	maxima[order * n_phase + phase] = best;
}
