/* Lines of the mains. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/data/result.h"
#include "coupling/run/caution_search.h"

static const double mains_height = 10;

clpac_status clpac__caution_look_for_mains(clpac__caution_search *s, size_t channel, clpac_error *err)
{
	for (size_t i = 0; i < s->n_lines; i++) {
		const clpac__caution_line *line = &s->lines[i];
		double height = 0;
		RETURN_IF_ERROR(clpac__line_height(s->coarse, s->n_coarse, &line->waves, &height, err));
		if (height < mains_height)
			continue;
		char where[80] = "";
		if (line->n_cells)
			snprintf(where, sizeof where, "the amplitude bands of %zu cells%s", line->n_cells,
				 line->n_phase ? " and " : "");
		if (line->n_phase)
			snprintf(where + strlen(where), sizeof where - strlen(where), "%zu phase band%s", line->n_phase,
				 line->n_phase > 1 ? "s" : "");
		clpac__caution_warn(
			s, CLPAC_WARN_MAINS,
			"channel %.60s has a line at %g Hz, %.0f times what lies beside it, in %s: it may be the mains",
			clpac__caution_name_of(s, channel), line->hz, height, where);
		return CLPAC_OK;
	}
	return CLPAC_OK;
}

static bool holds(clpac_band band, double hz)
{
	return band.lo_hz < hz && hz < band.hi_hz;
}

/* Makes the lines at multiples of a frequency that lie in a band in use. */
static clpac_status add_lines(clpac__caution_search *s, double mains_hz, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	for (double hz = mains_hz; hz < s->top_hz; hz += mains_hz) {
		clpac__caution_line line = {.hz = hz};
		for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
			line.n_phase += holds(p->phase_bands[ph], hz);
			for (size_t am = 0; am < p->n_amplitude_bands; am++)
				line.n_cells += holds(clpac_result_cell_band(s->result, ph, am), hz);
		}
		if (!line.n_phase && !line.n_cells)
			continue;
		RETURN_IF_ERROR(clpac__line_waves_make(s->n_coarse, s->rate_hz, hz, &line.waves, err));
		s->lines[s->n_lines++] = line;
	}
	return CLPAC_OK;
}

clpac_status clpac__caution_prepare_lines(clpac__caution_search *s, clpac_error *err)
{
	/* Below 1 Hz it is a mistake, and would take as many looks as there are multiples. */
	const double known_hz = s->samples->mains_hz >= 1 ? s->samples->mains_hz : 0,
		     first_hz = known_hz ? known_hz : 50;
	RETURN_IF_ERROR(NEW_ARRAY(s->lines, 2 + (size_t)(s->top_hz / first_hz) + (size_t)(s->top_hz / 60)));
	RETURN_IF_ERROR(add_lines(s, first_hz, err));
	return known_hz ? CLPAC_OK : add_lines(s, 60, err);
}
