/* Mean amplitude per phase bin of a series as it was recorded, in the units of the amplitude; NaN for an empty bin.
 *
 * The kernels of indices write these means with the index of the recording, from the same sums of bins.
 *
 * counts  (series, n_phase, 3 N): the last N are the samples of each bin (phase_edges.cl)
 * means   (series, n_phase, N, groups)
 */

/* The mean of bin 0 of a row and a group of bands. */
static inline __global fv *first_mean_of(__global fv *means, const size_t row, const uint groups, const size_t group,
					 const uint n_bins)
{
	return means + row * N_BINS * groups + group;
}

static inline fv unit_of_scale(const fv scale)
{
	return SELECT(scale > SPLAT(0.0f), 1.0f / SELECT(scale > SPLAT(0.0f), scale, SPLAT(1.0f)), SPLAT(0.0f));
}

static inline fv mean_of_sum(const uv sum, const uint count, const fv level, const fv per_unit)
{
	const fv nan = SPLAT(NAN);
	const float n = (float)count;
	return n > 0.0f ? level + TO_FLOAT(AS_IV(sum)) * per_unit * (1.0f / n) : nan;
}

#if VW == 1
/* The means of the bins from `first` on, of sums that are those of the recording. */
static inline void write_means_of_tile(const summed *of, const uint first, const uv *sums, const fv level,
				       const fv scale, const uint n_bins)
{
	const fv per_unit = unit_of_scale(scale);
#define WRITE_MEAN(i)                                                                                                  \
	if (is_bin_of_tile(first, i, N_BINS))                                                                          \
		of->means[(size_t)(first + (i)) * of->groups] =                                                        \
			mean_of_sum(sums[i], of->counts[2 * N_BINS + first + (i)], level, per_unit);
	CLPAC_EACH_36(WRITE_MEAN)
}
#else
static inline void write_means(const uv *sums, __global const uint *counts, const fv level, const fv scale,
			       const uint groups, const uint n_bins, __global fv *means)
{
	const fv per_unit = unit_of_scale(scale);
	for (uint j = 0; j < N_BINS; j++)
		means[j * groups] = mean_of_sum(sums[j], counts[2 * N_BINS + j], level, per_unit);
}
#endif
