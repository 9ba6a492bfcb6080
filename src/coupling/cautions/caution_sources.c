/* Other sources of what looks like coupling: the mains; and, in channels that have significant cells, waves with odd
 * harmonics, events, hearts, muscles and spikes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/data/result.h"
#include "coupling/cautions/caution_shapes.h"
#include "coupling/signal/disturbances.h"

/* --- The mains ---------------------------------------------------------------------------------- */

static const double mains_height = 10;

clpac_status clpac__caution_look_for_mains(clpac__caution_search *s, size_t channel, clpac_error *err)
{
	clpac__line_search_take(&s->in_lines, s->coarse);
	for (size_t i = 0; i < s->n_lines; i++) {
		const clpac__caution_line *line = &s->lines[i];
		double height = 0;
		RETURN_IF_ERROR(clpac__line_height(&s->in_lines, line->hz, &height, err));
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
static void add_lines(clpac__caution_search *s, double mains_hz)
{
	const clpac_problem *p = s->problem;
	for (double hz = mains_hz; hz < s->top_hz; hz += mains_hz) {
		clpac__caution_line line = {.hz = hz};
		for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
			line.n_phase += holds(p->phase_bands[ph], hz);
			for (size_t am = 0; am < p->n_amplitude_bands; am++)
				line.n_cells += holds(clpac_result_cell_band(s->result, ph, am), hz);
		}
		if (line.n_phase || line.n_cells)
			s->lines[s->n_lines++] = line;
	}
}

clpac_status clpac__caution_prepare_lines(clpac__caution_search *s, clpac_error *err)
{
	/* Below 1 Hz it is a mistake, and would take as many looks as there are multiples. */
	const double known_hz = s->samples->mains_hz >= 1 ? s->samples->mains_hz : 0,
		     first_hz = known_hz ? known_hz : 50;
	RETURN_IF_ERROR(NEW_ARRAY(s->lines, 2 + (size_t)(s->top_hz / first_hz) + (size_t)(s->top_hz / 60)));
	add_lines(s, first_hz);
	if (!known_hz)
		add_lines(s, 60);
	return s->n_lines ? clpac__line_search_make(s->n_coarse, s->rate_hz, &s->in_lines, err) : CLPAC_OK;
}

/* --- In channels that have significant cells ------------------------------------------------- */

void clpac__caution_look_for_odd_harmonics(clpac__caution_search *s, size_t channel, const clpac__caution_shapes *of)
{
	for (size_t i = 0; i < of->n_waves; i++) {
		const double hz = of->waves[i];
		const clpac__wave_harmonics found = of->harmonics[i];
		const double third = fabs(found.third);
		if (!clpac__has_odd_harmonics(found))
			continue;
		clpac__caution_warn(
			s, CLPAC_WARN_ODD_HARMONICS,
			"channel %.60s has a wave of %.3g Hz that is %s (third harmonic %.0f %%, second %.0f %%): its "
			"corners look like coupling; %s",
			clpac__caution_name_of(s, channel), hz, found.third < 0 ? "flattened" : "pointed", 100 * third,
			100 * found.second,
			found.third < 0 ? "see whether an amplifier or a range cut it off"
					: "see whether what remains without its shape is much");
		break;
	}
}

void clpac__caution_warn_of_locks(clpac__caution_search *s, size_t channel, const clpac__caution_shapes *of)
{
	char phase[96] = "", amplitude[96] = "";
	if (of->phase.times > 0)
		snprintf(phase, sizeof phase, "the phase of %g-%g Hz (%.1f times as much as chance makes)",
			 of->phase.band.lo_hz, of->phase.band.hi_hz, of->phase.times);
	if (of->amplitude.times > 0)
		snprintf(amplitude, sizeof amplitude, "%sthe amplitude of %g-%g Hz (%.1f times)", *phase ? " and " : "",
			 of->amplitude.band.lo_hz, of->amplitude.band.hi_hz, of->amplitude.times);
	if (*phase || *amplitude)
		clpac__caution_warn(s, CLPAC_WARN_LOCKED,
				    "in channel %.60s %s%s keep step with the events of %zu epochs: %s by shifts; "
				    "permute the epochs "
				    "in place of shifting them (null trials)",
				    clpac__caution_name_of(s, channel), phase, amplitude, s->events.n,
				    *phase && *amplitude ? "what is evoked is taken for coupling"
							 : "what else is evoked would be taken for coupling");
}

/* Names channels whose significant cells other sources may have made. */
clpac_status clpac__caution_look_for_disturbances(clpac__caution_search *s, size_t channel, clpac__caution_shapes *of,
						  clpac_error *err)
{
	clpac_disturbances found;
	RETURN_IF_ERROR(clpac__find_disturbances(s->coarse, s->n_coarse, s->rate_hz,
						 (clpac_band){s->lowest_hz, s->top_hz}, &found, err));
	if (found.n_beats)
		clpac__caution_warn(s, CLPAC_WARN_BEATS,
				    "channel %.60s has a spike of %.0f deviations every %.2f s, as of a heart: it is "
				    "in every band at "
				    "once, and looks like coupling; take it off, or leave the channel out",
				    clpac__caution_name_of(s, channel), found.beat_deviations, found.beat_interval_s);
	if (found.burst_share > 0)
		clpac__caution_warn(
			s, CLPAC_WARN_MUSCLE,
			"channel %.60s has bursts in %.2g %% of its time, %.0f times as strong as usual and in all "
			"amplitude bands at once, as of a muscle: they look like coupling; reject them, or leave the "
			"channel out",
			clpac__caution_name_of(s, channel), 100 * found.burst_share, found.burst_times);
	if (found.n_spikes)
		clpac__caution_warn(s, CLPAC_WARN_SPIKES,
				    "channel %.60s has %zu spikes or edges of up to %.0f deviations: each is in every "
				    "band at once, "
				    "and "
				    "looks like coupling; reject them, or leave the channel out",
				    clpac__caution_name_of(s, channel), found.n_spikes, found.spike_deviations);
	else if (found.skewness > 0)
		clpac__caution_warn(
			s, CLPAC_WARN_SPIKES,
			"channel %.60s is sharp on one side, with a skewness of %.2f within 10 ms, as of small spikes: "
			"each "
			"is in every band at once, and looks like coupling; look at its samples before you believe it",
			clpac__caution_name_of(s, channel), found.skewness);
	of->is_named |= found.n_beats || found.burst_share > 0 || found.n_spikes || found.skewness > 0;
	return CLPAC_OK;
}
