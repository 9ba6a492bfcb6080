#include "analysis/pages/series.h"

#include <string.h>
#include <clpac/measure.h>

/* The values of one series of an array. */
static const float *part_of(const clpac_result *result, clpac_array which, size_t series)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n;
	const float *values = clpac_result_array(result, which, &n);
	return values ? values + series * (n / (shape->n_channels * shape->n_segments)) : NULL;
}

clpac__page_series clpac__series_of(const clpac_result *result, size_t channel)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, channel);
	const size_t segment = peak.found ? peak.segment : 0, at = channel * shape->n_segments + segment;
	clpac__page_series s = {.result = result,
				.channel = channel,
				.segment = segment,
				.n_phase = shape->n_phase_bands,
				.n_amplitude = shape->n_amplitude_bands,
				.n_cells = shape->n_phase_bands * shape->n_amplitude_bands,
				.n_bins = shape->n_bins,
				.n_surrogates = shape->n_surrogates,
				.peak = peak,
				.peak_cell = peak.found ? peak.phase * shape->n_amplitude_bands + peak.amplitude : 0};
	s.z = part_of(result, CLPAC_T, at);
	s.is_comparison = s.z != NULL;
	s.index = part_of(result, s.is_comparison ? CLPAC_EFFECT : CLPAC_MI, at);
	if (!s.is_comparison)
		s.z = part_of(result, CLPAC_Z, at);
	s.p = part_of(result, CLPAC_P_MAX, at);
	s.is_corrected = s.p != NULL;
	if (!s.p)
		s.p = part_of(result, CLPAC_P, at);
	s.harmonic = part_of(result, CLPAC_HARMONIC, at);
	s.remaining = part_of(result, CLPAC_REMAINING, at);
	s.null_mean = part_of(result, CLPAC_SURROGATE_MEAN, at);
	s.null_deviation = part_of(result, CLPAC_SURROGATE_STD, at);
	s.n_subjects = part_of(result, CLPAC_N_SUBJECTS, at);
	s.preferred = part_of(result, CLPAC_PREFERRED_PHASE, at);
	s.distribution = part_of(result, CLPAC_PEAK_DISTRIBUTION, at);
	s.distributions = part_of(result, CLPAC_DISTRIBUTION, at);
	s.standardized = s.is_comparison ? s.z : part_of(result, CLPAC_STANDARDIZED, at);
	s.maxima = part_of(result, CLPAC_MAXIMA, at);
	s.phase_peak_db = part_of(result, CLPAC_PHASE_PEAK_DB, at);
	s.valid = clpac_result_valid(result);
	return s;
}

const char *clpac__series_index_word(const clpac__page_series *series)
{
	return series->is_comparison ? "effect" : clpac_measure_abbreviation(clpac_result_measure(series->result));
}

const char *clpac__series_z_word(const clpac__page_series *series)
{
	if (!series->is_comparison)
		return "z";
	return strstr(clpac_result_problem(series->result), "compare=pooled") ? "deviations" : "t";
}
