#include "coupling/cautions/spectral_peaks.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "coupling/problem/problem.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/spectral_peak.h"

/* Whether a phase band has a significant cell in a map. */
static bool is_coupled(const clpac__peaks_of *of, size_t row, size_t segment, size_t ph)
{
	const clpac_problem *p = of->problem;
	const size_t n = p->n_amplitude_bands, at = ((row * p->n_segments + segment) * p->n_phase_bands + ph) * n;
	const float *p_max = clpac_result_array(of->result, CLPAC_P_MAX, NULL);
	for (size_t am = 0; p_max && am < n; am++)
		if (p_max[at + am] <= (float)of->significant)
			return true;
	if (p_max)
		return false;
	const clpac_peak peak = clpac_result_series_peak(of->result, row, segment);
	return peak.found && peak.phase == ph;
}

/* Writes a height into the maps whose phase band is coupled; returns whether there is one. */
static bool write_height(const clpac__peaks_of *of, size_t ph, double height_db)
{
	const clpac_problem *p = of->problem;
	float *heights = clpac_result_array(of->result, CLPAC_PHASE_PEAK_DB, NULL);
	bool is_any = false;
	for (size_t i = 0; i < of->n_rows; i++)
		for (size_t map = of->segment; map < of->segment + of->n_maps; map++) {
			if (!is_coupled(of, of->rows[i], map, ph))
				continue;
			heights[(of->rows[i] * p->n_segments + map) * p->n_phase_bands + ph] = (float)height_db;
			is_any = true;
		}
	return is_any;
}

static void warn(const clpac__peaks_of *of, size_t n, clpac_band band, clpac__spectral_peak peak, double least_db)
{
	clpac_warning *warning = &clpac_result_report(of->result)->warnings[CLPAC_WARN_NO_PEAK];
	if (warning->count++)
		return;
	snprintf(warning->text, sizeof warning->text,
		 "channel %.60s has no spectral peak in its %zu phase band%s with coupling: %g-%g Hz rises most, %.1f "
		 "dB above a background of 1/f^%.1f, where %.1f would be a peak; see whether a rhythm is there",
		 of->channel, n, n > 1 ? "s" : "", band.lo_hz, band.hi_hz, peak.height_db, peak.exponent, least_db);
}

/* The filter of a phase band: the problem's own taps, or those designed in room. */
static clpac__band_taps filter_of(const clpac_problem *p, size_t ph, double *room)
{
	const clpac_band band = p->phase_bands[ph];
	if (p->phase_taps.taps)
		return (clpac__band_taps){p->phase_taps.taps + ph * p->phase_taps.n_taps, p->phase_taps.n_taps,
					  p->rate_hz};
	const size_t n =
		1 + clpac__filter_order(p->rate_hz, band.lo_hz, p->phase_cycles, clpac__problem_shortest(p), NULL);
	clpac__filter_write_taps(room, n, p->rate_hz, band);
	return (clpac__band_taps){room, n, p->rate_hz};
}

clpac_status clpac__look_for_peaks(const clpac__peaks_of *of, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = of->problem;
	clpac__spectrum_of_bands spectrum = {0};
	double *room = NULL;
	clpac__spectral_peak highest = {.height_db = NAN};
	clpac_band where = {0};
	size_t n = 0;
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		if (!write_height(of, ph, NAN))
			continue;
		if (!room) {
			TRY(NEW_ARRAY(room, clpac__problem_longest_filter(p)));
			TRY(clpac__spectrum_make(of->x, of->n_samples, of->rate_hz, p->phase_bands, p->n_phase_bands,
						 &spectrum, err));
		}
		const clpac__band_taps filter = filter_of(p, ph, room);
		const clpac__spectral_peak peak = clpac__spectral_peak_of(&spectrum, p->phase_bands[ph], &filter);
		write_height(of, ph, peak.height_db);
		n++;
		if (highest.height_db >= peak.height_db || isnan(peak.height_db))
			continue;
		highest = peak;
		where = p->phase_bands[ph];
	}
	const double least_db = clpac__least_peak_db(spectrum.n_windows);
	if (clpac_result_array(of->result, CLPAC_P_MAX, NULL) && highest.height_db < least_db)
		warn(of, n, where, highest, least_db);
done:
	clpac__free(room);
	clpac__spectrum_clear(&spectrum);
	return st;
}
