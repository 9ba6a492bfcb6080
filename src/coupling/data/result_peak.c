/* The peak of a result: the cell that its sentence names, its pictures ring, and whose distribution it keeps. */
#include "coupling/data/result.h"

#include <math.h>

#include "shared/maps.h"

static const clpac_peak no_peak = {.mi = NAN,
				   .z = NAN,
				   .p = NAN,
				   .p_max = NAN,
				   .preferred_phase = NAN,
				   .mean_vector = NAN,
				   .harmonic = NAN,
				   .asymmetry = NAN,
				   .remaining = NAN};

/* The values that rank cells; NULL where the result has none of them. */
static const float *ranked_of(const clpac_result *result)
{
	static const clpac_array by_rank[] = {CLPAC_T, CLPAC_STANDARDIZED, CLPAC_Z, CLPAC_MI};
	for (size_t i = 0; i < sizeof by_rank / sizeof *by_rank; i++)
		if (result->arrays[by_rank[i]])
			return result->arrays[by_rank[i]];
	return NULL;
}

bool clpac__surrogates_make_clear(size_t n_surrogates)
{
	enum { LEAST = 99 };
	return n_surrogates >= LEAST;
}

/* Whether a cell is so far above its own surrogates that no other is the peak beside it.  Standardized statistics
 * measure a cell by what is usual for its bands, which is less than its own deviation where coupling has widened that;
 * where something else has, the cell stands high without being clear by itself. */
static bool is_clear(const clpac_result *result, size_t cell)
{
	const float *z = result->arrays[CLPAC_Z];
	return z && clpac__surrogates_make_clear(result->shape.n_surrogates) && z[cell] >= CLPAC_CLEAR_Z;
}

/* Whether a cell ranks above another: clear ones before all others, then by its value; in a comparison by p_max, then
 * t. */
static bool ranks_above(const clpac_result *result, const float *ranked, size_t cell, size_t other)
{
	const float *t = result->arrays[CLPAC_T], *p_max = result->arrays[CLPAC_P_MAX];
	if (ranked == result->arrays[CLPAC_STANDARDIZED] && is_clear(result, cell) != is_clear(result, other))
		return is_clear(result, cell);
	if (ranked != t)
		return ranked[cell] > ranked[other];
	if (p_max && p_max[cell] != p_max[other])
		return p_max[cell] < p_max[other];
	return fabsf(t[cell]) > fabsf(t[other]);
}

/* The first of the highest cells from `first` to before `end`, counted through the whole result. */
static clpac_peak highest_of(const clpac_result *result, size_t first, size_t end)
{
	const clpac_result_shape *shape = &result->shape;
	const clpac_result *whole = clpac__result_whole(result);
	const float *mi = result->arrays[CLPAC_MI], *z = result->arrays[CLPAC_Z], *p = result->arrays[CLPAC_P];
	const float *p_max = result->arrays[CLPAC_P_MAX], *preferred = whole->arrays[CLPAC_PREFERRED_PHASE];
	const float *vector = whole->arrays[CLPAC_MEAN_VECTOR];
	const float *harmonic = whole->arrays[CLPAC_HARMONIC], *asymmetry = whole->arrays[CLPAC_ASYMMETRY];
	const float *remaining = whole->arrays[CLPAC_REMAINING];
	const float *ranked = ranked_of(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands, of_channel = shape->n_segments * cells;
	size_t best = end;
	for (size_t i = first; ranked && i < end; i++)
		if (whole->valid[i % cells] && !isnan(ranked[i]) &&
		    (best == end || ranks_above(result, ranked, i, best)))
			best = i;
	if (best == end)
		return no_peak;
	return (clpac_peak){
		.found = true,
		.channel = best / of_channel,
		.segment = best % of_channel / cells,
		.phase = best % cells / shape->n_amplitude_bands,
		.amplitude = best % shape->n_amplitude_bands,
		.mi = mi ? mi[best] : NAN,
		.z = z ? z[best] : NAN,
		.p = p ? p[best] : NAN,
		.p_max = p_max ? p_max[best] : NAN,
		.preferred_phase = preferred ? preferred[best] : NAN,
		.mean_vector = vector ? vector[best] : NAN,
		.harmonic = harmonic ? harmonic[best] : NAN,
		.asymmetry = asymmetry ? asymmetry[best / shape->n_amplitude_bands] : NAN,
		.remaining = remaining ? remaining[best] : NAN,
	};
}

clpac_peak clpac_result_peak(const clpac_result *result, size_t channel)
{
	if (!result || (channel != SIZE_MAX && channel >= result->shape.n_channels))
		return no_peak;
	const clpac_result_shape *shape = &result->shape;
	const size_t of_channel = shape->n_segments * shape->n_phase_bands * shape->n_amplitude_bands;
	if (channel == SIZE_MAX)
		return highest_of(result, 0, shape->n_channels * of_channel);
	return highest_of(result, channel * of_channel, (channel + 1) * of_channel);
}

clpac_peak clpac_result_series_peak(const clpac_result *result, size_t channel, size_t segment)
{
	if (!result || channel >= result->shape.n_channels || segment >= result->shape.n_segments)
		return no_peak;
	const clpac_result_shape *shape = &result->shape;
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands;
	const size_t first = (channel * shape->n_segments + segment) * cells;
	return highest_of(result, first, first + cells);
}
