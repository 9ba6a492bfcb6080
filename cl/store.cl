/* Writes results into the application's memory, in the layout that src/coupling/passes/fetch.c gives them on the host:
 * rows without padding, every series of the problem, NaN where a value is undefined.
 *
 * observed  (series of the batch, n_phase, padded), as floats
 * moments   (series, n_phase, 3, padded), surrogate_moments.cl
 * means     (series, n_phase, n_bins, padded), distribution.cl
 * facts     (series, 4), centre.cl
 * out       from place on, for all series; those of the batch are number `first` and up
 *
 * z and deviation are within 1e-6 of the host's, which computes them in double from the same moments: two divisions and
 * a root of at most 3 units in the last place each (OpenCL 1.2, section 7.4), and the root halves one of these errors.
 */

/* The standard deviation of a cell's surrogates; NaN or 0 if it is undefined. */
static inline float deviation_of_cell(__global const float *moments, const size_t am, const uint padded,
				      const uint n_surrogates, const uint ddof)
{
	return n_surrogates > ddof ? SQRT1(moments[padded + am] / (float)(n_surrogates - ddof)) : NAN;
}

static inline float z_of_cell(__global const float *moments, const float mi, const size_t am, const uint padded,
			      const uint n_surrogates, const uint ddof)
{
	const float deviation = deviation_of_cell(moments, am, padded, n_surrogates, ddof);
	return deviation > 0.0f ? (mi - moments[am]) / deviation : NAN;
}

/* A value in the samples' units; scaled in two steps, since 2^e may overflow or underflow a float where the product
 * does not. */
static inline float in_units(const float scaled, __global const int *fact)
{
	const int first = fact[1] / 2, second = fact[1] - first;
	const float value = scaled * AS_FLOAT1((uint)(127 + first) << 23) * AS_FLOAT1((uint)(127 + second) << 23);
	return fact[0] == CLPAC_TROUBLE_NONE ? value : NAN;
}

/* Writes one map, CLPAC_MAP_...; without surrogates moments may be any buffer.
 *
 * has_unit  whether indices are in the samples' units
 * out    (all series, n_phase, n_amplitude)
 * items  n_amplitude, n_phase, series
 */
__kernel void store_map(ITEM __global const float *observed, __global const float *moments, __global const int *facts,
			__global float *out, const uint place, const uint first, const uint which, const uint n_phase,
			const uint n_amplitude, const uint padded, const uint n_surrogates, const uint ddof,
			const uint has_unit)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), ph = get_global_id(1), series = get_global_id(2),
		     row = series * n_phase + ph;
	__global const float *moment = moments + row * 3 * padded;
	const float mi = observed[row * padded + am];
	const bool is_defined = facts[series * 4] == CLPAC_TROUBLE_NONE && mi == mi;
	float value = NAN;
	if (is_defined && which == CLPAC_MAP_MI)
		value = mi;
	if (is_defined && which == CLPAC_MAP_MEAN)
		value = moment[am];
	if (is_defined && which == CLPAC_MAP_STD)
		value = deviation_of_cell(moment, am, padded, n_surrogates, ddof);
	if (is_defined && which == CLPAC_MAP_Z)
		value = z_of_cell(moment, mi, am, padded, n_surrogates, ddof);
	if (is_defined && which == CLPAC_MAP_P)
		value = (1.0f + (float)AS_UINT1(moment[2 * padded + am])) / (1.0f + (float)n_surrogates);
	const bool is_index = which == CLPAC_MAP_MI || which == CLPAC_MAP_MEAN || which == CLPAC_MAP_STD;
	out[place + ((first + series) * n_phase + ph) * n_amplitude + am] =
		has_unit && is_index ? in_units(value, facts + series * 4) : value;
}

/* Writes the surrogates of a chunk, each at its own number.
 *
 * chunk   (series, n_phase, n_shifts, padded): the surrogates after n_done
 * shifts  (series, n_surrogates + 1, 3): has their numbers
 * out     (all series, n_surrogates, n_phase, n_amplitude)
 * items   n_amplitude, n_shifts, series
 */
__kernel void store_surrogates(ITEM __global const float *chunk, __global const uint *shifts, __global const int *facts,
			       __global float *out, const uint place, const uint first, const uint n_phase,
			       const uint n_amplitude, const uint padded, const uint n_surrogates, const uint n_done,
			       const uint n_shifts, const uint has_unit)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), k = get_global_id(1), series = get_global_id(2);
	const size_t number = shifts[(series * (n_surrogates + 1) + 1 + n_done + k) * 3 + 1] - 1;
	for (size_t ph = 0; ph < n_phase; ph++) {
		const float value = chunk[((series * n_phase + ph) * n_shifts + k) * padded + am];
		out[place + (((first + series) * n_surrogates + number) * n_phase + ph) * n_amplitude + am] =
			has_unit				  ? in_units(value, facts + series * 4)
			: facts[series * 4] == CLPAC_TROUBLE_NONE ? value
								  : NAN;
	}
}

/* Writes the highest standardized statistic of each surrogate; NaN where no cell has one.
 *
 * maxima  (series, n_surrogates), surrogate_maxima.cl
 * out     (all series, n_surrogates)
 * items   n_surrogates, series
 */
__kernel void store_maxima(ITEM __global const float *maxima, __global const int *facts, __global float *out,
			   const uint place, const uint first, const uint n_surrogates)
{
	RETURN_BEHIND_ITEMS;
	const size_t k = get_global_id(0), series = get_global_id(1);
	const float highest = maxima[series * n_surrogates + k];
	const bool is_defined = facts[series * 4] == CLPAC_TROUBLE_NONE && highest > CLPAC_NO_MAXIMUM;
	out[place + (first + series) * n_surrogates + k] = is_defined ? highest : NAN;
}

/* The standardized statistic of a cell; NaN where it has none.
 *
 * moments   of the cell: its mean; surrogate_maxima.cl says what a standardized statistic is
 * variance  of the cell, and most, what is usual for its bands: cell_spreads.cl
 */
static inline float statistic_of_cell(__global const float *moments, const float mi, const float variance,
				      const float most, const uint n_surrogates)
{
	const float from_mean = mi - moments[0], share = 1.0f / ((float)n_surrogates + 1.0f);
	return variance > 0.0f ? from_mean * (1.0f - share) / SQRT1(variance < most ? variance : most) : NAN;
}

/* Writes standardized statistics.
 *
 * variances, spreads, widenings  cell_spreads.cl
 * out     (all series, n_phase, n_amplitude)
 * items   n_amplitude, n_phase, series
 */
__kernel void store_standardized(ITEM __global const float *observed, __global const float *moments,
				 __global const float *variances, __global const float *spreads,
				 __global const float *widenings, __global const int *facts, __global float *out,
				 const uint place, const uint first, const uint n_phase, const uint n_amplitude,
				 const uint padded, const uint n_surrogates)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), ph = get_global_id(1), series = get_global_id(2),
		     row = series * n_phase + ph;
	const float statistic = statistic_of_cell(moments + row * 3 * padded + am, observed[row * padded + am],
						  variances[row * padded + am],
						  spreads[row] * widenings[series * padded + am], n_surrogates);
	out[place + ((first + series) * n_phase + ph) * n_amplitude + am] =
		facts[series * 4] == CLPAC_TROUBLE_NONE ? statistic : NAN;
}

/* Writes p corrected over the cells of a map: (1 + #{maximum >= standardized statistic}) / (1 + n_surrogates); NaN in
 * cells that are not valid.
 *
 * variances, spreads, widenings  cell_spreads.cl
 * maxima  (series, n_surrogates), surrogate_maxima.cl
 * out     (all series, n_phase, n_amplitude)
 * items   n_amplitude, n_phase, series
 */
__kernel void store_p_max(ITEM __global const float *observed, __global const float *moments,
			  __global const float *variances, __global const float *spreads,
			  __global const float *widenings, __global const float *maxima, __global const int *facts,
			  __global float *out, const uint place, const uint first, const uint n_phase,
			  const uint n_amplitude, const uint padded, const uint n_surrogates)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), ph = get_global_id(1), series = get_global_id(2),
		     row = series * n_phase + ph;
	const float statistic = statistic_of_cell(moments + row * 3 * padded + am, observed[row * padded + am],
						  variances[row * padded + am],
						  spreads[row] * widenings[series * padded + am], n_surrogates);
	const float least = statistic - CLPAC_REACH * (FABS1(statistic) > 1.0f ? FABS1(statistic) : 1.0f);
	uint reached = 0;
	for (size_t k = 0; k < n_surrogates; k++)
		reached += maxima[series * n_surrogates + k] >= least ? 1u : 0u;
	const bool is_defined = facts[series * 4] == CLPAC_TROUBLE_NONE && statistic == statistic;
	out[place + ((first + series) * n_phase + ph) * n_amplitude + am] =
		is_defined ? (1.0f + (float)reached) / (1.0f + (float)n_surrogates) : NAN;
}

/* out    (all series, n_phase, n_amplitude, n_bins)
 * items  n_amplitude, n_phase, series
 */
__kernel void store_distribution(ITEM __global const float *means, __global const int *facts, __global float *out,
				 const uint place, const uint first, const uint n_phase, const uint n_amplitude,
				 const uint padded, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), ph = get_global_id(1), series = get_global_id(2);
	__global float *row = out + place + (((first + series) * n_phase + ph) * n_amplitude + am) * n_bins;
	for (size_t bin = 0; bin < n_bins; bin++)
		row[bin] = in_units(means[((series * n_phase + ph) * n_bins + bin) * padded + am], facts + series * 4);
}

/* Writes the direction in radians, or the length, of the mean vector of each cell's amplitudes
 * (src/coupling/signal/modulation_index.h, in double).  The directions of the bins' centres come from that of the first
 * one by turns of a bin, in single precision, which errs by 1e-7 for each of them.
 *
 * cosine, sine  of the turn of half a bin
 * out           (all series, n_phase, n_amplitude)
 * items         n_amplitude, n_phase, series
 */
__kernel void store_preferred_phase(ITEM __global const float *means, __global const int *facts, __global float *out,
				    const uint place, const uint first, const uint which, const uint n_phase,
				    const uint n_amplitude, const uint padded, const uint n_bins, const float cosine,
				    const float sine)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), ph = get_global_id(1), series = get_global_id(2);
	__global const float *mean = means + (series * n_phase + ph) * n_bins * padded + am;
	const float turn_re = cosine * cosine - sine * sine, turn_im = 2.0f * cosine * sine;
	float x = -cosine, y = -sine, re = 0.0f, im = 0.0f, sum = 0.0f;
	IN_ORDER
	for (size_t bin = 0; bin < n_bins; bin++) {
		const float m = mean[bin * padded] == mean[bin * padded] ? mean[bin * padded] : 0.0f;
		const float next = x * turn_re - y * turn_im;
		re += m * x;
		im += m * y;
		sum += m;
		y = x * turn_im + y * turn_re;
		x = next;
	}
	const float phase = 6.28318531f * phase_turns(re, im), length = SQRT1(re * re + im * im) / sum;
	const float value = which == CLPAC_MAP_PREFERRED_PHASE ? phase : length;
	out[place + ((first + series) * n_phase + ph) * n_amplitude + am] =
		facts[series * 4] == CLPAC_TROUBLE_NONE && sum > 0.0f ? value : NAN;
}

/* Whether an index is so far above its surrogates that it needs no other cell to tell. */
static inline bool is_clear_of(__global const float *moments, const float mi, const uint padded,
			       const uint n_surrogates, const uint ddof)
{
	const float squares = moments[padded], n_free = (float)n_surrogates - (float)ddof;
	return n_surrogates > ddof && squares > 0.0f && mi - moments[0] >= CLPAC_CLEAR_Z * SQRT1(squares / n_free);
}

/* Writes the distribution at the peak: the valid cell of highest standardized statistic, among the clear ones where
 * there are some; without surrogates, of highest index; the first of equal cells (src/coupling/data/result_peak.c).
 *
 * variances, spreads, widenings  cell_spreads.cl; without surrogates any buffers, as moments
 * valid  (n_phase, padded): above 0 for the cells that count
 * out    (all series, n_bins)
 * items  series
 */
__kernel void store_peak(ITEM __global const float *observed, __global const float *moments,
			 __global const float *variances, __global const float *spreads,
			 __global const float *widenings, __global const float *means, __global const float *valid,
			 __global const int *facts, __global float *out, const uint place, const uint first,
			 const uint n_phase, const uint n_amplitude, const uint padded, const uint n_bins,
			 const uint n_surrogates, const uint ddof)
{
	RETURN_BEHIND_ITEMS;
	const size_t series = get_global_id(0);
	size_t best_ph = 0, best_am = 0;
	float best = NAN;
	bool is_clear = false;
	for (size_t ph = 0; ph < n_phase; ph++)
		for (size_t am = 0; am < n_amplitude; am++) {
			const size_t row = series * n_phase + ph, cell = row * padded + am;
			__global const float *moment = moments + row * 3 * padded + am;
			const float mi = observed[cell];
			const float value = n_surrogates
						    ? statistic_of_cell(moment, mi, variances[cell],
									spreads[row] * widenings[series * padded + am],
									n_surrogates)
						    : mi;
			if (!(valid[ph * padded + am] > 0.0f) || value != value)
				continue;
			const bool own_clear = n_surrogates && is_clear_of(moment, mi, padded, n_surrogates, ddof);
			if (own_clear == is_clear ? !(value <= best) : own_clear) {
				best = value;
				best_ph = ph;
				best_am = am;
				is_clear = own_clear;
			}
		}
	for (uint bin = 0; bin < n_bins; bin++) {
		const float mean = means[((series * n_phase + best_ph) * n_bins + bin) * padded + best_am];
		out[place + (first + series) * n_bins + bin] = best == best ? in_units(mean, facts + series * 4) : NAN;
	}
}

/* Writes the warnings of each series as bits (CLPAC_BIT_...).  The third of the facts, which nobody needs any more,
 * keeps them for the next measure: memory of the application may be for writing alone.
 *
 * is_further  whether this is a further measure, which adds surrogates without deviation to what the others found
 * counts  (series, n_phase, 3 n_bins), phase_edges.cl
 * jitter  (series, n_phase), phase_line.cl
 * out     (all series) of uint
 * items   series
 */
__kernel void store_warnings(ITEM __global const float *observed, __global const float *moments,
			     __global const uint *counts, __global const float *jitter, __global int *facts,
			     __global uint *out, const uint place, const uint first, const uint n_phase,
			     const uint n_amplitude, const uint padded, const uint n_bins, const uint n_surrogates,
			     const uint ddof, const uint is_further, const float line_jitter)
{
	RETURN_BEHIND_ITEMS;
	const size_t series = get_global_id(0);
	uint found = 0;
	for (size_t ph = 0; ph < n_phase; ph++) {
		const size_t row = series * n_phase + ph;
		if (n_surrogates && jitter[row] >= 0.0f && jitter[row] < line_jitter)
			found |= CLPAC_BIT_PURE_LINE;
		for (size_t bin = 0; bin < n_bins; bin++)
			found |= counts[(row * 3 + 2) * n_bins + bin] ? 0u : CLPAC_BIT_EMPTY_BINS;
		for (size_t am = 0; am < n_amplitude; am++) {
			const float mi = observed[row * padded + am];
			const float z =
				n_surrogates ? z_of_cell(moments + row * 3 * padded, mi, am, padded, n_surrogates, ddof)
					     : 0.0f;
			found |= mi == mi ? 0u : CLPAC_BIT_NO_AMPLITUDE;
			found |= mi == mi && !(z == z) ? CLPAC_BIT_NO_DEVIATION : 0u;
		}
	}
	const int trouble = facts[series * 4];
	found = trouble == CLPAC_TROUBLE_NOT_FINITE ? CLPAC_BIT_NOT_FINITE
		: trouble == CLPAC_TROUBLE_CONSTANT ? CLPAC_BIT_CONSTANT
		: trouble == CLPAC_TROUBLE_FLAT	    ? CLPAC_BIT_FLAT
						    : found;
	if (is_further)
		found = (uint)facts[series * 4 + 2] | (found & CLPAC_BIT_NO_DEVIATION);
	facts[series * 4 + 2] = (int)found;
	out[place + first + series] = found;
}
