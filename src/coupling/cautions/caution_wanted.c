/* Which cells of a channel cautions look at. */
#include <math.h>

#include "base/memory.h"
#include "coupling/data/result.h"
#include "coupling/cautions/caution_shapes.h"

void clpac__caution_shapes_clear(const clpac__caution_search *s, clpac__caution_shapes *of)
{
	for (size_t ph = 0; ph < s->problem->n_phase_bands; ph++) {
		if (of->turns)
			clpac__wave_turns_clear(&of->turns[ph]);
		if (of->bins)
			clpac__free(of->bins[ph].each);
	}
	clpac__wave_shape_destroy(of->shape);
	FREE_ALL(of->parts, of->wanted, of->strengths, of->remaining, of->needs, of->seen, of->of_bands, of->waves,
		 of->harmonics, of->turns, of->bins, of->z, of->power, of->amplitudes, of->whole);
	for (int way = 0; way < CLPAC__SHAPE_WAYS; way++)
		clpac__free(of->left[way]);
}

bool clpac__caution_is_wanted(const clpac__caution_search *s, size_t row, size_t segment, size_t cell)
{
	const clpac_problem *p = s->problem;
	const size_t series = row * p->n_segments + segment, n_cells = p->n_phase_bands * p->n_amplitude_bands;
	const float *p_max = clpac_result_array(s->result, CLPAC_P_MAX, NULL);
	if (p_max)
		return p_max[series * n_cells + cell] <= (float)CLPAC__CAUTION_SIGNIFICANT;
	const clpac_peak peak = clpac_result_series_peak(s->result, row, segment);
	return peak.found && peak.phase * p->n_amplitude_bands + peak.amplitude == cell;
}

static void note_strength(const clpac__caution_search *s, clpac__caution_shapes *of, size_t row, size_t segment,
			  size_t cell)
{
	const clpac_problem *p = s->problem;
	const float *means = clpac_result_array(s->result, CLPAC_SURROGATE_MEAN, NULL);
	const float *indices = clpac_result_array(s->result, CLPAC_MI, NULL);
	const size_t at = (row * p->n_segments + segment) * p->n_phase_bands * p->n_amplitude_bands + cell;
	const float strength = means && means[at] > 0 ? fmaxf(indices[at] / means[at] - 1, 0) : 0;
	if (!of->wanted[cell] || strength < of->strengths[cell])
		of->strengths[cell] = strength;
}

bool clpac__caution_find_wanted(const clpac__caution_search *s, size_t channel, size_t segment,
				clpac__caution_shapes *of)
{
	const clpac__caution_rows *by = &s->by_channel;
	const size_t n_cells = s->problem->n_phase_bands * s->problem->n_amplitude_bands;
	bool is_any = false;
	for (size_t i = clpac__caution_rows_first(by, channel); i < clpac__caution_rows_first(by, channel + 1); i++)
		for (size_t map = 0; map < s->n_maps; map++)
			for (size_t cell = 0; cell < n_cells; cell++)
				if (clpac__caution_is_wanted(s, clpac__caution_row_at(by, i), segment + map, cell)) {
					note_strength(s, of, clpac__caution_row_at(by, i), segment + map, cell);
					of->wanted[cell] = is_any = true;
				}
	return is_any;
}
