/* Reasons not to believe a result, series by series, in double on the host. */
#include <clpac/cautions.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

#include "coupling/data/result.h"
#include "coupling/problem/problem.h"
#include "coupling/cautions/caution_shapes.h"
#include "coupling/cautions/spectral_peaks.h"
#include "coupling/signal/artefacts.h"

static const double largest_jump = 50;
/* Samples a second for each hertz of the highest amplitude frequency: what lies above is only in the way. */
static const double samples_per_hz = 4;

/* Copies a stretch of a series without its mean; false where it is constant or not finite. */
static bool load(clpac__caution_search *s, size_t channel, size_t segment, clpac_window stretch)
{
	const clpac_samples *samples = s->samples;
	const size_t stride = samples->sample_stride ? samples->sample_stride : 1, n = stretch.n_samples;
	const size_t start = stretch.start + (samples->segment_starts ? samples->segment_starts[segment]
								      : segment * s->problem->n_samples);
	const void *from = samples->channels[channel];
	double mean = 0, largest = 0;
	bool is_constant = true;
	for (size_t t = 0; t < n; t++) {
		const size_t at = (start + t) * stride;
		s->x[t] =
			samples->type == CLPAC_FLOAT64 ? ((const double *)from)[at] : (double)((const float *)from)[at];
		mean += s->x[t] / (double)n;
		is_constant &= s->x[t] == s->x[0];
	}
	/* A constant less its mean is rounding. */
	if (!isfinite(mean) || is_constant)
		return false;
	for (size_t t = 0; t < n; t++) {
		s->x[t] -= mean;
		largest = fmax(largest, fabs(s->x[t]));
	}
	/* Brought near 1, where no square overflows. */
	for (size_t t = 0; largest > 0 && t < n; t++)
		s->x[t] /= largest;
	for (size_t i = 0; i < n / s->step; i++) {
		double sum = 0;
		for (size_t k = 0; k < s->step; k++)
			sum += s->x[i * s->step + k];
		s->coarse[i] = sum / (double)s->step;
	}
	return largest > 0 && isfinite(largest);
}

static clpac_status look_for_jump(clpac__caution_search *s, size_t channel, clpac_window stretch, clpac_error *err)
{
	double deviations;
	size_t sample;
	RETURN_IF_ERROR(clpac__find_jump(s->x, stretch.n_samples, s->problem->rate_hz, &deviations, &sample, err));
	if (deviations > largest_jump)
		clpac__caution_warn(
			s, CLPAC_WARN_JUMP,
			"channel %.60s jumps by %.0f deviations, %.3f s into its segment: a spike or step is in every "
			"band at "
			"once, and looks like coupling",
			clpac_result_channel_name(s->result, channel), deviations,
			(double)(stretch.start + sample) / s->problem->rate_hz);
	return CLPAC_OK;
}

/* Measures what remains of the channel's indices without the shapes of its slow waves, and marks cells by it. */
static clpac_status look_for_shapes(clpac__caution_search *s, size_t channel, size_t segment, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_cells = s->problem->n_phase_bands * s->problem->n_amplitude_bands;
	clpac__caution_shapes of = {.n_waves = 0};
	TRY(NEW_ARRAY(of.wanted, n_cells));
	TRY(NEW_ARRAY(of.strengths, n_cells));
	TRY(NEW_ARRAY(of.remaining, n_cells));
	TRY(NEW_ARRAY(of.of_bands, s->problem->n_phase_bands));
	TRY(NEW_ARRAY(of.waves, s->problem->n_phase_bands));
	for (size_t cell = 0; cell < n_cells; cell++)
		of.remaining[cell] = NAN;
	if (clpac__caution_find_wanted(s, channel, segment, &of)) {
		TRY(clpac__caution_look_for_disturbances(s, channel, &of, err));
		TRY(clpac__caution_measure(s, &of, err));
		clpac__caution_look_for_odd_harmonics(s, channel, &of);
		clpac__caution_warn_of_locks(s, channel, &of);
		if (!of.is_named)
			TRY(clpac__caution_measure_divided(s, &of, err));
	}
	TRY(clpac__caution_mark(s, channel, segment, &of, err));
done:
	clpac__caution_shapes_clear(s, &of);
	return st;
}

static clpac_status look_for_peaks(clpac__caution_search *s, size_t channel, size_t segment, clpac_error *err)
{
	const clpac__caution_rows *by = &s->by_phase;
	const size_t first = clpac__caution_rows_first(by, channel), end = clpac__caution_rows_first(by, channel + 1);
	return clpac__look_for_peaks(&(clpac__peaks_of){.problem = s->problem,
							.result = s->result,
							.channel = clpac__caution_name_of(s, channel),
							.x = s->x,
							.n_samples = s->n,
							.rate_hz = s->problem->rate_hz,
							.rows = by->rows ? by->rows + first : &channel,
							.n_rows = end - first,
							.segment = segment,
							.n_maps = s->n_maps,
							.significant = CLPAC__CAUTION_SIGNIFICANT},
				     err);
}

static clpac_status look_at_series(clpac__caution_search *s, size_t channel, size_t segment, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const clpac__caution_rows *by = &s->by_channel;
	for (size_t i = 0; p->stretches && i < p->n_stretches; i++)
		if (p->stretches[i].start != s->longest.start && load(s, channel, segment, p->stretches[i]))
			RETURN_IF_ERROR(look_for_jump(s, channel, p->stretches[i], err));
	if (!load(s, channel, segment, s->longest))
		return CLPAC_OK;
	RETURN_IF_ERROR(look_for_jump(s, channel, s->longest, err));
	RETURN_IF_ERROR(clpac__caution_look_for_mains(s, channel, err));
	RETURN_IF_ERROR(look_for_peaks(s, channel, segment, err));
	if (clpac__caution_rows_first(by, channel) == clpac__caution_rows_first(by, channel + 1))
		return CLPAC_OK;
	return look_for_shapes(s, channel, segment, err);
}

/* Makes the search for the waves of each phase band. */
static clpac_status prepare_waves(clpac__caution_search *s, double highest_hz, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = s->problem;
	double *own = NULL;
	TRY(clpac__wave_search_make(s->n_coarse, s->rate_hz, highest_hz, p->n_phase_bands, &s->waves, err));
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		const clpac_band phase = p->phase_bands[ph];
		const double *taps = p->phase_taps.taps ? p->phase_taps.taps + ph * p->phase_taps.n_taps : NULL;
		size_t n_taps = p->phase_taps.n_taps;
		if (!taps) {
			n_taps = 1 + clpac__filter_order(p->rate_hz, phase.lo_hz, p->phase_cycles,
							 clpac__problem_shortest(p), NULL);
			clpac__free(own);
			TRY(NEW_ARRAY(own, n_taps));
			clpac__filter_write_taps(own, n_taps, p->rate_hz, phase);
			taps = own;
		}
		TRY(clpac__wave_search_add(&s->waves, phase, taps, n_taps, p->rate_hz, err));
	}
done:
	clpac__free(own);
	return st;
}

/* Takes the windows of a problem that shifts them under one index, which are cut around events.  Windows of other
 * lengths than the first, and such as lie in other stretches, are passed over. */
static clpac_status prepare_events(clpac__caution_search *s, clpac_error *err)
{
	enum { FEWEST = 4 };
	const clpac_problem *p = s->problem;
	if (p->null != CLPAC_NULL_SHIFTS || !p->n_surrogates || p->separate_windows || p->n_windows < FEWEST)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(s->events.firsts, p->n_windows));
	s->events.length = p->windows[0].n_samples / s->step;
	s->events.seconds = (double)p->windows[0].n_samples / p->rate_hz;
	for (size_t w = 0; w < p->n_windows; w++) {
		const clpac_window window = p->windows[w];
		if (window.n_samples != p->windows[0].n_samples || window.start < s->longest.start ||
		    window.start + window.n_samples > s->longest.start + s->longest.n_samples)
			continue;
		s->events.firsts[s->events.n++] = (window.start - s->longest.start) / s->step;
	}
	s->events.n = s->events.n < FEWEST ? 0 : s->events.n;
	return CLPAC_OK;
}

static clpac_status prepare(clpac__caution_search *s, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	double highest_hz = 0;
	s->lowest_hz = p->rate_hz / 2;
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		highest_hz = fmax(highest_hz, p->phase_bands[ph].hi_hz);
		for (size_t am = 0; am < p->n_amplitude_bands; am++) {
			const clpac_band band = clpac_result_cell_band(s->result, ph, am);
			s->top_hz = fmax(s->top_hz, band.hi_hz);
			s->lowest_hz = fmin(s->lowest_hz, band.lo_hz);
		}
	}
	if (!(s->top_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "clpac_result_caution: no cell of the result has a band of amplitudes: give one of a run");
	s->top_hz = fmin(s->top_hz, p->rate_hz / 2);
	s->longest = p->stretches ? p->stretches[0] : (clpac_window){0, p->n_samples};
	for (size_t i = 1; p->stretches && i < p->n_stretches; i++)
		if (p->stretches[i].n_samples > s->longest.n_samples)
			s->longest = p->stretches[i];
	s->n = s->longest.n_samples;
	s->step = (size_t)fmax(1, p->rate_hz / (samples_per_hz * s->top_hz));
	s->n_coarse = s->n / s->step;
	s->rate_hz = p->rate_hz / (double)s->step;
	s->may_part = !p->n_windows;
	RETURN_IF_ERROR(NEW_BYTES(s->x, s->n * sizeof *s->x));
	RETURN_IF_ERROR(NEW_BYTES(s->coarse, s->n_coarse * sizeof *s->coarse));
	RETURN_IF_ERROR(NEW_BYTES(s->passed, s->n_coarse * sizeof *s->passed));
	RETURN_IF_ERROR(NEW_ARRAY(s->filters, p->n_amplitude_bands));
	RETURN_IF_ERROR(prepare_waves(s, highest_hz, err));
	RETURN_IF_ERROR(clpac__caution_prepare_lines(s, err));
	RETURN_IF_ERROR(prepare_events(s, err));
	bool are_all = true;
	for (size_t c = 0; c < p->n_channels && are_all; c++)
		are_all = s->samples->channels[c];
	if (are_all || !clpac_result_array(s->result, CLPAC_HARMONIC, NULL))
		RETURN_IF_ERROR(clpac__result_add_array(s->result, CLPAC_HARMONIC, err));
	if (are_all || !clpac_result_array(s->result, CLPAC_ASYMMETRY, NULL))
		RETURN_IF_ERROR(clpac__result_add_array(s->result, CLPAC_ASYMMETRY, err));
	if (are_all || !clpac_result_array(s->result, CLPAC_REMAINING, NULL))
		RETURN_IF_ERROR(clpac__result_add_array(s->result, CLPAC_REMAINING, err));
	if (are_all || !clpac_result_array(s->result, CLPAC_PHASE_PEAK_DB, NULL))
		RETURN_IF_ERROR(clpac__result_add_array(s->result, CLPAC_PHASE_PEAK_DB, err));
	return CLPAC_OK;
}

clpac_status clpac_result_caution(clpac_result *result, const clpac_problem *problem, const clpac_samples *samples,
				  clpac_error *err)
{
	NEED(result, problem, samples);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *copy = NULL;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	clpac__caution_search s = {.samples = samples, .result = result};
	TRY(clpac_problem_complete(problem, &copy, err));
	const clpac_problem *p = s.problem = clpac_problem_get(copy);
	if (!samples->channels)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_result_caution: no samples were given");
	if (shape->n_channels != clpac__problem_rows(p) || shape->n_segments != p->n_segments ||
	    shape->n_phase_bands != p->n_phase_bands || shape->n_amplitude_bands != p->n_amplitude_bands ||
	    !clpac_result_array(result, CLPAC_MI, NULL))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "clpac_result_caution: the result has %zu channels x %zu segments x %zu x %zu bands, the problem "
		     "%zu "
		     "x %zu x %zu x %zu; give the problem that it was computed from",
		     shape->n_channels, shape->n_segments, shape->n_phase_bands, shape->n_amplitude_bands,
		     clpac__problem_rows(p), p->n_segments, p->n_phase_bands, p->n_amplitude_bands);
	s.n_maps = p->separate_windows ? p->n_windows : 1;
	TRY(prepare(&s, err));
	TRY(clpac__caution_rows_find(p, result, CLPAC_AMPLITUDE, &s.by_channel, err));
	TRY(clpac__caution_rows_find(p, result, CLPAC_PHASE, &s.by_phase, err));
	for (size_t channel = 0; channel < p->n_channels; channel++)
		for (size_t segment = 0; samples->channels[channel] && segment < p->n_segments; segment += s.n_maps) {
			TRY(clpac_cancel_check(err));
			TRY(look_at_series(&s, channel, segment, err));
		}
done:
	clpac__caution_rows_clear(&s.by_channel);
	clpac__caution_rows_clear(&s.by_phase);
	clpac__line_search_clear(&s.in_lines);
	for (size_t am = 0; s.filters && am < s.problem->n_amplitude_bands; am++)
		clpac__filter_clear(&s.filters[am].filter);
	clpac__wave_search_clear(&s.waves);
	FREE_ALL(s.x, s.coarse, s.passed, s.filters, s.lines, s.events.firsts);
	clpac_problem_destroy(copy);
	return st;
}
