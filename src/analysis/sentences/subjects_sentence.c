#include <stdint.h>
#include "analysis/sentences/peak.h"
#include "analysis/sentences/sentences.h"

/* "12 subjects, z paired", "9 and 11 subjects, z of two samples" */
static void add_design(const clpac_group *group, clpac__text *to)
{
	const char *const value =
		group->of_index ? clpac_measure_abbreviation(clpac_result_measure(group->first[0])) : "z";
	if (group->design == CLPAC_TWO_SAMPLE)
		clpac__text_add(to, "%zu and %zu subjects: %s", group->n_first, group->n_second, value);
	else
		clpac__text_add(to, "%zu subjects: %s", group->n_first, value);
}

static void add_permutations(const clpac_group *group, clpac__text *to)
{
	static const char *const kinds[] = {"flips of signs", "flips of signs", "exchanges of labels"};
	bool is_exact;
	const uint64_t n = clpac_group_permutations(group->design, group->n_first, group->n_second,
						    group->n_permutations, &is_exact);
	clpac__text_add(to, " (%s%llu %s)", is_exact ? "all " : "", (unsigned long long)n, kinds[group->design]);
}

char *clpac__subjects_sentence(const clpac_group *group, const clpac_result *result)
{
	clpac__text text = {0}, *to = &text;
	static const char *const verbs[] = {" differs most from 0", " differs most between pairs",
					    " differs most between groups"};
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	add_design(group, to);
	if (peak.found) {
		const size_t series = peak.channel * shape->n_segments + peak.segment;
		const size_t cell =
			(series * shape->n_phase_bands + peak.phase) * shape->n_amplitude_bands + peak.amplitude;
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		clpac__text_add(to, "%s in channel ", verbs[group->design]);
		clpac__text_add(to, "%s", clpac_result_channel_name(result, peak.channel));
		if (shape->n_segments > 1)
			clpac__text_add(to, ", segment %zu at %g s,", peak.segment,
					clpac_result_segment_onsets(result)[peak.segment]);
		clpac__text_add(to, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: by %.3g, t(%zu) %.3g, p_max %.2g",
				phase.lo_hz, phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz,
				(double)clpac_result_array(result, CLPAC_EFFECT, NULL)[cell],
				group->n_first + (group->design == CLPAC_TWO_SAMPLE ? group->n_second - 1 : 0) - 1,
				(double)clpac_result_array(result, CLPAC_T, NULL)[cell], (double)peak.p_max);
		clpac__peak_add_cells(result, cell, to);
	} else {
		clpac__text_add(to, ": no valid cell has a value");
	}
	add_permutations(group, to);
	return clpac__text_take(to);
}
