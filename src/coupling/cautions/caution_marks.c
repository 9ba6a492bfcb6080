/* Marks of cells of which little remains. */
#include <math.h>
#include <stdio.h>

#include "coupling/data/result.h"
#include "coupling/cautions/caution_shapes.h"
#include "coupling/signal/artefacts.h"

/* Marked cells in the maps of a channel, or in all whose amplitudes are its own. */
struct marked {
	size_t n, n_all;   /* marked cells, and wanted ones */
	float least, most; /* that remains in a marked one */
	size_t phase;	   /* the phase band of the cell of which the least remains, */
	float asymmetry;   /* and the asymmetry of the wave there */
};

/* Writes what remains in the cells of one map, and marks. */
static void write_map(clpac__caution_search *s, size_t row, size_t segment, const clpac__caution_shapes *of,
		      struct marked *marked)
{
	const clpac_problem *p = s->problem;
	const size_t n_cells = p->n_phase_bands * p->n_amplitude_bands, at = (row * p->n_segments + segment) * n_cells;
	float *marks = clpac_result_array(s->result, CLPAC_HARMONIC, NULL) + at;
	float *remaining = clpac_result_array(s->result, CLPAC_REMAINING, NULL) + at;
	const float *mi = clpac_result_array(s->result, CLPAC_MI, NULL) + at;
	for (size_t cell = 0; cell < n_cells; cell++) {
		if (isnan(mi[cell]))
			continue;
		marks[cell] = 0;
		if (!clpac__caution_is_wanted(s, row, segment, cell))
			continue;
		remaining[cell] = of->remaining[cell];
		marked->n_all++;
		if (!(remaining[cell] < CLPAC__CAUTION_MARKED))
			continue;
		marks[cell] = 1;
		if (!marked->n || remaining[cell] < marked->least) {
			marked->least = remaining[cell];
			marked->phase = cell / p->n_amplitude_bands;
		}
		marked->most = marked->n && marked->most > remaining[cell] ? marked->most : remaining[cell];
		marked->n++;
	}
}

/* Whether a wave is above 0 there. */
static bool is_upper(double turn)
{
	return fabs(clpac__part_of_turn(turn) - 0.5) > 0.25;
}

static clpac_status measure_asymmetry(clpac__caution_search *s, clpac__caution_shapes *of, size_t ph, float *asymmetry,
				      clpac_error *err)
{
	RETURN_IF_ERROR(clpac__caution_find_turns(s, of, ph, err));
	/* The signs of the filtered series alone count. */
	for (size_t t = 0; t < of->n; t++)
		s->passed[t] = is_upper(clpac__wave_turn_at(&of->turns[ph], (double)t)) ? 1 : -1;
	*asymmetry = (float)clpac__cycle_asymmetry(of->x, s->passed, of->n, s->rate_hz / of->of_bands[ph]);
	return CLPAC_OK;
}

/* Writes the asymmetry of the cycles in phase bands that have a marked cell. */
static clpac_status write_asymmetry(clpac__caution_search *s, size_t channel, size_t segment, clpac__caution_shapes *of,
				    struct marked *marked, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const clpac__caution_rows *by = &s->by_channel;
	const float *marks = clpac_result_array(s->result, CLPAC_HARMONIC, NULL);
	float *asymmetries = clpac_result_array(s->result, CLPAC_ASYMMETRY, NULL);
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		bool is_measured = false;
		float asymmetry = NAN;
		for (size_t i = clpac__caution_rows_first(by, channel); i < clpac__caution_rows_first(by, channel + 1);
		     i++)
			for (size_t map = 0; map < s->n_maps; map++) {
				const size_t at = (clpac__caution_row_at(by, i) * p->n_segments + segment + map) *
							  p->n_phase_bands +
						  ph;
				bool is_marked = false;
				for (size_t am = 0; am < p->n_amplitude_bands; am++)
					is_marked |= marks[at * p->n_amplitude_bands + am] > 0;
				if (!is_marked)
					continue;
				if (!is_measured)
					RETURN_IF_ERROR(measure_asymmetry(s, of, ph, &asymmetry, err));
				is_measured = true;
				asymmetries[at] = asymmetry;
			}
		if (ph == marked->phase)
			marked->asymmetry = asymmetry;
	}
	return CLPAC_OK;
}

static void warn_of_shape(clpac__caution_search *s, size_t channel, const struct marked *marked)
{
	const clpac_band band = s->problem->phase_bands[marked->phase];
	char shape[64] = "";
	if (!isnan(marked->asymmetry))
		snprintf(shape, sizeof shape, ", whose cycles rise in %.2f of their time",
			 (1 + (double)marked->asymmetry) / 2);
	clpac__caution_warn(
		s, CLPAC_WARN_HARMONIC,
		"harmonics of a wave in %g-%g Hz%s: without its shape %.0f to %.0f %% of the coupling remains "
		"in %zu of %zu "
		"%s cells of channel %.60s, so that it looks like coupling",
		band.lo_hz, band.hi_hz, shape, 100 * (double)marked->least, 100 * (double)marked->most, marked->n,
		marked->n_all, clpac_result_array(s->result, CLPAC_P_MAX, NULL) ? "significant" : "highest",
		clpac__caution_name_of(s, channel));
}

clpac_status clpac__caution_mark(clpac__caution_search *s, size_t channel, size_t segment, clpac__caution_shapes *of,
				 clpac_error *err)
{
	const clpac__caution_rows *by = &s->by_channel;
	struct marked marked = {.asymmetry = NAN};
	for (size_t i = clpac__caution_rows_first(by, channel); i < clpac__caution_rows_first(by, channel + 1); i++)
		for (size_t map = 0; map < s->n_maps; map++)
			write_map(s, clpac__caution_row_at(by, i), segment + map, of, &marked);
	if (!marked.n)
		return CLPAC_OK;
	RETURN_IF_ERROR(write_asymmetry(s, channel, segment, of, &marked, err));
	warn_of_shape(s, channel, &marked);
	return CLPAC_OK;
}
