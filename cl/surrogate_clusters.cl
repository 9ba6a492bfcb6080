/* The heaviest cluster of each surrogate's map.  A cluster is made of neighbouring cells whose standardized statistics
 * in the cell's own deviations are high, and its mass is their sum; compared with the heaviest clusters of the
 * surrogates, a cluster is significant for the map as a whole (Maris & Oostenveld 2007, J Neurosci Methods 164:177).
 *
 * How high is high enough is a choice that p does not depend on, as long as it treats the observed map and the
 * surrogates alike: here the quantile of a gamma distribution with the mean and the deviation of a cell's index and
 * surrogates together, after Wilson & Hilferty 1931, PNAS 17:684, whose cube root is normal.
 */

/* The bounds of a cell, by which its indices are judged: mean and reciprocal deviation of the observed index and all
 * surrogates together, and the standardized statistic above which it enters a cluster, 0 or more.  A cell without
 * standardized statistics gets a limit above all of them.
 *
 * observed  (rows, padded)
 * moments   (rows, 3, padded), surrogate_moments.cl; of all surrogates
 * valid     (n_phase, padded): above 0 for the cells that count; the others get such a limit too
 * bounds    (rows, 3, padded)
 * deviate   what a normal deviate exceeds with the probability wanted
 * items     padded, rows
 */
__kernel void cluster_bounds(ITEM __global const float *observed, __global const float *moments,
			     __global const float *valid, __global float *bounds, const uint padded,
			     const uint n_surrogates, const uint n_phase, const float deviate)
{
	RETURN_BEHIND_ITEMS;
	const size_t am = get_global_id(0), row = get_global_id(1);
	const bool counts = valid[row % n_phase * padded + am] > 0.0f;
	__global const float *moment = moments + row * 3 * padded + am;
	__global float *bound = bounds + row * 3 * padded + am;
	const float share = 1.0f / ((float)n_surrogates + 1.0f);
	const float squares = moment[padded], from_mean = observed[row * padded + am] - moment[0];
	const float mean = moment[0] + from_mean * share;
	const float variance = (squares + from_mean * from_mean * (1.0f - share)) * share;
	const float scale = 1.0f / SQRT1(variance);
	/* The root of the distribution's shape. */
	const float root = mean * scale, third = 1.0f / (3.0f * root);
	const float cube_root = 1.0f - third * third + deviate * third;
	const float limit = (cube_root * cube_root * cube_root - 1.0f) * root;
	bound[0] = mean;
	bound[padded] = scale;
	bound[2 * padded] = !(squares > 0.0f) || !counts ? CLPAC_NO_CLUSTER : limit > 0.0f ? limit : 0.0f;
}

/* The cell of a cluster that holds its mass.  Cells on the way are tied to one farther on, which keeps ways short. */
static inline uint cluster_root(__global uint *words, uint at)
{
	uint word = words[at];
	while (word & CLPAC_TIED) {
		const uint above = words[~word];
		if (!(above & CLPAC_TIED))
			return ~word;
		words[at] = above;
		at = ~above;
		word = words[at];
	}
	return at;
}

/* Labels the cells of each map, in one pass through them: a cell outside of clusters becomes 0; one cell of a cluster
 * becomes its mass, a positive float; each other one becomes the complement of the place of another of its cells.
 *
 * indices  (series, n_phase, n_shifts, padded) floats: the observed map, or surrogates in ascending order of the shifts
 * bounds   (series * n_phase, 3, padded), see above
 * links    (n_phase, n_amplitude): CLPAC_LINK_LEFT where a cell touches the one of the amplitude band before,
 *          CLPAC_LINK_UP of the phase band before
 * shifts   (series, n_surrogates + 1, 3), surrogate_moments.cl, the unshifted one first; the first one here is
 *          first_shift
 * words    shaped as the indices; may be in their place
 * maxima   (series, n_surrogates + 1): the mass of the heaviest cluster, 0 without one, at the number of the surrogate
 * items    n_shifts, series
 */
__kernel void surrogate_clusters(ITEM __global const uint *indices, __global const float *bounds,
				 __global const uint *links, __global const uint *shifts, __global uint *words,
				 __global float *maxima, const uint padded, const uint n_shifts, const uint first_shift,
				 const uint n_surrogates, const uint n_phase, const uint n_amplitude)
{
	RETURN_BEHIND_ITEMS;
	const size_t shift = get_global_id(0), series = get_global_id(1);
	const size_t map = (series * n_phase * n_shifts + shift) * padded;
	const uint stride = n_shifts * padded;
	__global const uint *index = indices + map;
	__global uint *word = words + map;
	float heaviest = 0.0f;
	for (uint ph = 0; ph < n_phase; ph++) {
		__global const float *bound = bounds + (series * n_phase + ph) * 3 * padded;
		for (uint am = 0; am < n_amplitude; am++) {
			const uint at = ph * stride + am, link = links[ph * n_amplitude + am];
			const float statistic = (AS_FLOAT1(index[at]) - bound[am]) * bound[padded + am];
			if (!(statistic > bound[2 * padded + am])) {
				word[at] = 0;
				continue;
			}
			uint root = at;
			float mass = statistic;
			if (link & CLPAC_LINK_LEFT && word[at - 1]) {
				root = cluster_root(word, at - 1);
				mass += AS_FLOAT1(word[root]);
			}
			if (link & CLPAC_LINK_UP && word[at - stride]) {
				const uint other = cluster_root(word, at - stride);
				if (other != root)
					mass += AS_FLOAT1(word[other]);
				if (root == at)
					root = other;
				else if (other != root)
					word[other] = ~root;
			}
			word[at] = ~root;
			word[root] = AS_UINT1(mass);
			heaviest = mass > heaviest ? mass : heaviest;
		}
	}
	const size_t all = n_surrogates + 1;
	maxima[series * all + shifts[3 * (series * all + first_shift + shift) + 1]] = heaviest;
}
