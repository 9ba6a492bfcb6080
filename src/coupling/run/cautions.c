/* Reasons not to believe a result, series by series, in double on the host. */
#include <clpac/cautions.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

#include "coupling/data/result.h"
#include "coupling/problem/problem.h"
#include "coupling/signal/artefacts.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/harmonics.h"

static const double largest_jump = 50, mains_height = 10, significant = 0.05;
/* Samples a second for each hertz of the highest amplitude frequency: what lies above is only in the way. */
static const double samples_per_hz = 4;

/* The rows of a result by the channel that their amplitudes come from, since harmonics are looked for in that.  All
 * NULL in a result without pairs, where channel c has row c: samples that come group by group make a call for each
 * group. */
typedef struct rows_by_channel {
	size_t *firsts;	    /* of each channel, its first in `rows`; one more, the end of the last */
	size_t *rows;	    /* channel after channel, ascending in each */
	const char **names; /* of each channel, as the first of the pairs that has it says */
} rows_by_channel;

static void rows_clear(rows_by_channel *by)
{
	clpac__free(by->firsts);
	clpac__free(by->rows);
	clpac__free(by->names);
}

/* One pass over the rows of pairs, whatever the number of channels.
 * @param by zeros, to be cleared also after an error. */
static clpac_status rows_find(const clpac_problem *p, const clpac_result *result, rows_by_channel *by, clpac_error *err)
{
	const size_t n_rows = p->n_pairs;
	if (!p->pairs)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(by->firsts, p->n_channels + 2));
	RETURN_IF_ERROR(NEW_ARRAY(by->rows, n_rows));
	RETURN_IF_ERROR(NEW_ARRAY(by->names, p->n_channels));
	/* firsts[c + 2] counts the rows of channel c, then firsts[c + 1] is where its next row goes. */
	for (size_t row = 0; row < n_rows; row++)
		by->firsts[p->pairs[row].amplitude + 2]++;
	for (size_t c = 2; c < p->n_channels + 2; c++)
		by->firsts[c] += by->firsts[c - 1];
	for (size_t row = 0; row < n_rows; row++) {
		const clpac_pair pair = p->pairs[row];
		by->rows[by->firsts[pair.amplitude + 1]++] = row;
		for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
			const char **name = &by->names[use == CLPAC_PHASE ? pair.phase : pair.amplitude];
			*name = *name ? *name : clpac_result_pair_channel(result, row, use);
		}
	}
	return CLPAC_OK;
}

static size_t first_of(const rows_by_channel *by, size_t channel)
{
	return by->firsts ? by->firsts[channel] : channel;
}

static size_t row_at(const rows_by_channel *by, size_t i)
{
	return by->rows ? by->rows[i] : i;
}

/* A search for what looks like coupling, in one series after the other. */
typedef struct search {
	const clpac_problem *problem; /* complete */
	const clpac_samples *samples;
	clpac_result *result;
	double *x;	/* a series, without its mean */
	double *coarse; /* means of `step` samples of it */
	double *passed; /* the same in a phase band */
	size_t n, n_coarse, step;
	double rate_hz, top_hz; /* of the coarse samples; highest amplitude frequency */
	double *taps;		/* of a phase band */
	double *power;		/* of a series */
	clpac_window longest;	/* stretch of each series, of n samples: all but jumps are looked for there */
	size_t n_power;
	size_t n_maps; /* of a series: that of each separate window, or one */
	rows_by_channel by_channel;
} search;

static void warn(search *s, clpac_warning_kind kind, const char *format, ...) CLPAC__PRINTF(3, 4);
static void warn(search *s, clpac_warning_kind kind, const char *format, ...)
{
	clpac_warning *warning = &clpac_result_report(s->result)->warnings[kind];
	if (!warning->count++) {
		va_list args;
		va_start(args, format);
		vsnprintf(warning->text, sizeof warning->text, format, args);
		va_end(args);
	}
}

/* The name of a channel, which in a result of pairs is part of theirs. */
static const char *name_of(const search *s, size_t channel)
{
	const char *of_pair = s->by_channel.names ? s->by_channel.names[channel] : NULL;
	return of_pair ? of_pair : clpac_result_channel_name(s->result, channel);
}

/* Copies a stretch of a series without its mean; false where it is constant or not finite. */
static bool load(search *s, size_t channel, size_t segment, clpac_window stretch)
{
	const clpac_samples *samples = s->samples;
	const size_t stride = samples->sample_stride ? samples->sample_stride : 1, n = stretch.n_samples;
	const size_t start = stretch.start + (samples->segment_starts ? samples->segment_starts[segment]
								      : segment * s->problem->n_samples);
	const void *from = samples->channels[channel];
	double mean = 0, largest = 0;
	for (size_t t = 0; t < n; t++) {
		const size_t at = (start + t) * stride;
		s->x[t] =
			samples->type == CLPAC_FLOAT64 ? ((const double *)from)[at] : (double)((const float *)from)[at];
		mean += s->x[t] / (double)n;
	}
	if (!isfinite(mean))
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

static clpac_status look_for_jump(search *s, size_t channel, clpac_window stretch, clpac_error *err)
{
	double deviations;
	size_t sample;
	RETURN_IF_ERROR(clpac__find_jump(s->x, stretch.n_samples, s->problem->rate_hz, &deviations, &sample, err));
	if (deviations > largest_jump)
		warn(s, CLPAC_WARN_JUMP,
		     "channel %.60s jumps by %.0f deviations, %.3f s into its segment: a spike or step is in every "
		     "band at "
		     "once, and looks like coupling",
		     clpac_result_channel_name(s->result, channel), deviations,
		     (double)(stretch.start + sample) / s->problem->rate_hz);
	return CLPAC_OK;
}

static bool holds(clpac_band band, double hz)
{
	return band.lo_hz < hz && hz < band.hi_hz;
}

static clpac_status look_for_mains(search *s, size_t channel, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	for (double mains_hz = 50; mains_hz <= 60; mains_hz += 10)
		for (double hz = mains_hz; hz < s->top_hz; hz += mains_hz) {
			size_t n_phase = 0, n_cells = 0;
			double height = 0;
			for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
				n_phase += holds(p->phase_bands[ph], hz);
				for (size_t am = 0; am < p->n_amplitude_bands; am++)
					n_cells += holds(clpac_result_cell_band(s->result, ph, am), hz);
			}
			if (!n_phase && !n_cells)
				continue;
			RETURN_IF_ERROR(clpac__line_height(s->coarse, s->n_coarse, s->rate_hz, hz, &height, err));
			if (height < mains_height)
				continue;
			char where[80] = "";
			if (n_cells)
				snprintf(where, sizeof where, "the amplitude bands of %zu cells%s", n_cells,
					 n_phase ? " and " : "");
			if (n_phase)
				snprintf(where + strlen(where), sizeof where - strlen(where), "%zu phase band%s",
					 n_phase, n_phase > 1 ? "s" : "");
			warn(s, CLPAC_WARN_MAINS,
			     "channel %.60s has a line at %g Hz, %.0f times what lies beside it, in %s: it may be the "
			     "mains",
			     name_of(s, channel), hz, height, where);
			return CLPAC_OK;
		}
	return CLPAC_OK;
}

/* The coarse series in a phase band, filtered forward. */
static clpac_status measure_asymmetry(search *s, clpac_band band, double wave_hz, float *asymmetry, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__filter filter = {0};
	if (!(band.hi_hz < s->rate_hz / 2))
		goto done;
	TRY(clpac__filter_design(s->rate_hz, band, s->problem->phase_cycles, s->n_coarse, &filter, err));
	const size_t half = (filter.n_taps - 1) / 2;
	memset(s->passed, 0, s->n_coarse * sizeof *s->passed);
	for (size_t t = 0; t < s->n_coarse; t++) {
		TRY(clpac__cancel_check_at(t * filter.n_taps, err));
		for (size_t k = 0; k < filter.n_taps; k++)
			if (t + half >= k && t + half - k < s->n_coarse)
				s->passed[t] += filter.taps[k] * s->coarse[t + half - k];
	}
	*asymmetry = (float)clpac__cycle_asymmetry(s->coarse, s->passed, s->n_coarse, s->rate_hz / wave_hz);
done:
	clpac__filter_clear(&filter);
	return st;
}

/* Cells that harmonics reach in the maps of a channel: of one, or of all whose amplitudes are its own. */
typedef struct reached {
	size_t n_marked, n_significant; /* cells; significant ones are all where there is no p_max */
	size_t n_all;			/* significant, marked or not */
	size_t most;			/* the phase band of the most asymmetric wave among them, */
	float asymmetry;		/* and how asymmetric it is */
} reached;

/* Marks the cells of one phase band in the map of a row. */
static size_t mark(search *s, size_t row, size_t segment, size_t ph, const clpac__harmonics *found, reached *reached)
{
	const clpac_problem *p = s->problem;
	const size_t at = ((row * p->n_segments + segment) * p->n_phase_bands + ph) * p->n_amplitude_bands;
	float *marks = clpac_result_array(s->result, CLPAC_HARMONIC, NULL) + at;
	const float *mi = clpac_result_array(s->result, CLPAC_MI, NULL) + at;
	const float *p_max = clpac_result_array(s->result, CLPAC_P_MAX, NULL);
	size_t n = 0, n_significant = 0;
	for (size_t am = 0; am < p->n_amplitude_bands; am++) {
		if (isnan(mi[am]))
			continue;
		marks[am] = clpac__harmonics_reach(found, clpac_result_cell_band(s->result, ph, am)) ? 1.0f : 0.0f;
		n += marks[am] > 0;
		n_significant += marks[am] > 0 && (!p_max || p_max[at + am] <= (float)significant);
	}
	reached->n_marked += n;
	return n_significant;
}

/* Marks the cells of one phase band. */
static clpac_status look_for_harmonics(search *s, size_t channel, size_t segment, size_t ph, reached *reached,
				       clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const clpac_band phase = p->phase_bands[ph];
	const rows_by_channel *by = &s->by_channel;
	const clpac__series_key key = {
		.seed = p->seed,
		.channel = (uint32_t)(p->channel_numbers ? p->channel_numbers[channel] : channel),
		.segment = (uint32_t)(p->segment_numbers ? p->segment_numbers[segment] : segment),
	};
	const double *taps = s->taps;
	size_t n_taps = p->phase_taps.n_taps, n_significant = 0;
	clpac__harmonics found;
	float asymmetry = NAN;
	if (p->phase_taps.taps) {
		taps = p->phase_taps.taps + ph * n_taps;
	} else {
		n_taps = 1 + clpac__filter_order(p->rate_hz, phase.lo_hz, p->phase_cycles, clpac__problem_shortest(p),
						 NULL);
		clpac__filter_write_taps(s->taps, n_taps, p->rate_hz, phase);
	}
	RETURN_IF_ERROR(clpac__harmonics_find(s->coarse, s->n_coarse, s->rate_hz,
					      &(clpac__search_power){s->power, s->n_power}, phase, taps, n_taps,
					      p->rate_hz, s->top_hz, key, &found, err));
	bool is_measured = false;
	for (size_t i = first_of(by, channel); i < first_of(by, channel + 1); i++) {
		const size_t row = row_at(by, i), before = reached->n_marked;
		for (size_t map = 0; map < s->n_maps; map++)
			n_significant += mark(s, row, segment + map, ph, &found, reached);
		if (reached->n_marked == before)
			continue;
		if (!is_measured)
			RETURN_IF_ERROR(measure_asymmetry(s, phase, found.frequency_hz, &asymmetry, err));
		is_measured = true;
		float *of_row = clpac_result_array(s->result, CLPAC_ASYMMETRY, NULL) +
				(row * p->n_segments + segment) * p->n_phase_bands + ph;
		for (size_t map = 0; map < s->n_maps; map++)
			of_row[map * p->n_phase_bands] = asymmetry;
	}
	if (n_significant && (!reached->n_significant || !(fabsf(asymmetry) <= fabsf(reached->asymmetry)))) {
		reached->most = ph;
		reached->asymmetry = asymmetry;
	}
	reached->n_significant += n_significant;
	return CLPAC_OK;
}

static size_t count_significant(const search *s, size_t series)
{
	const size_t n_cells = s->problem->n_phase_bands * s->problem->n_amplitude_bands;
	const float *p_max = clpac_result_array(s->result, CLPAC_P_MAX, NULL);
	size_t n = 0;
	for (size_t cell = 0; p_max && cell < s->n_maps * n_cells; cell++)
		n += p_max[series * n_cells + cell] <= (float)significant;
	return p_max ? n : s->n_maps * n_cells;
}

static clpac_status look_at_series(search *s, size_t channel, size_t segment, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const rows_by_channel *by = &s->by_channel;
	reached reached = {.asymmetry = NAN};
	for (size_t i = 0; p->stretches && i < p->n_stretches; i++)
		if (p->stretches[i].start != s->longest.start && load(s, channel, segment, p->stretches[i]))
			RETURN_IF_ERROR(look_for_jump(s, channel, p->stretches[i], err));
	if (!load(s, channel, segment, s->longest))
		return CLPAC_OK;
	RETURN_IF_ERROR(look_for_jump(s, channel, s->longest, err));
	RETURN_IF_ERROR(look_for_mains(s, channel, err));
	if (first_of(by, channel) == first_of(by, channel + 1))
		return CLPAC_OK;
	for (size_t i = first_of(by, channel); i < first_of(by, channel + 1); i++)
		reached.n_all += count_significant(s, row_at(by, i) * p->n_segments + segment);
	RETURN_IF_ERROR(clpac__window_power(s->coarse, s->n_coarse, clpac__search_length(s->n_coarse, s->rate_hz), 1,
					    s->n_power, s->power, err));
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		RETURN_IF_ERROR(look_for_harmonics(s, channel, segment, ph, &reached, err));
	}
	if (reached.n_significant) {
		const clpac_band band = p->phase_bands[reached.most];
		char shape[64] = "";
		if (!isnan(reached.asymmetry))
			snprintf(shape, sizeof shape, ", whose cycles rise in %.2f of their time",
				 (1 + (double)reached.asymmetry) / 2);
		warn(s, CLPAC_WARN_HARMONIC,
		     "harmonics of a wave in %g-%g Hz%s, reach %zu of %zu %s cells of channel %.60s: a sharp or "
		     "asymmetric wave looks like coupling",
		     band.lo_hz, band.hi_hz, shape, reached.n_significant, reached.n_all,
		     clpac_result_array(s->result, CLPAC_P_MAX, NULL) ? "significant" : "", name_of(s, channel));
	}
	return CLPAC_OK;
}

static clpac_status prepare(search *s, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	size_t n_taps = 0;
	double highest_hz = 0;
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		const size_t n = 1 + clpac__filter_order(p->rate_hz, p->phase_bands[ph].lo_hz, p->phase_cycles,
							 clpac__problem_shortest(p), NULL);
		n_taps = n > n_taps ? n : n_taps;
		highest_hz = fmax(highest_hz, p->phase_bands[ph].hi_hz);
		for (size_t am = 0; am < p->n_amplitude_bands; am++)
			s->top_hz = fmax(s->top_hz, clpac_result_cell_band(s->result, ph, am).hi_hz);
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
	s->n_power = clpac__search_bins(s->n_coarse, s->rate_hz, highest_hz);
	s->power = clpac__alloc_array(s->n_power + 1, sizeof *s->power);
	s->x = clpac__alloc_array(s->n, sizeof *s->x);
	s->coarse = clpac__alloc_array(s->n_coarse, sizeof *s->coarse);
	s->passed = clpac__alloc_array(s->n_coarse, sizeof *s->passed);
	s->taps = clpac__alloc_array(n_taps, sizeof *s->taps);
	if (!s->x || !s->coarse || !s->passed || !s->taps || !s->power)
		RETURN_NO_MEMORY((s->n + 2 * s->n_coarse + n_taps) * sizeof *s->x);
	bool are_all = true;
	for (size_t c = 0; c < p->n_channels && are_all; c++)
		are_all = s->samples->channels[c];
	if (are_all || !clpac_result_array(s->result, CLPAC_HARMONIC, NULL))
		RETURN_IF_ERROR(clpac__result_add_array(s->result, CLPAC_HARMONIC, err));
	if (are_all || !clpac_result_array(s->result, CLPAC_ASYMMETRY, NULL))
		RETURN_IF_ERROR(clpac__result_add_array(s->result, CLPAC_ASYMMETRY, err));
	return CLPAC_OK;
}

clpac_status clpac_result_caution(clpac_result *result, const clpac_problem *problem, const clpac_samples *samples,
				  clpac_error *err)
{
	NEED(result, problem, samples);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *copy = NULL;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	search s = {.samples = samples, .result = result};
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
	TRY(rows_find(p, result, &s.by_channel, err));
	for (size_t channel = 0; channel < p->n_channels; channel++)
		for (size_t segment = 0; samples->channels[channel] && segment < p->n_segments; segment += s.n_maps) {
			TRY(clpac_cancel_check(err));
			TRY(look_at_series(&s, channel, segment, err));
		}
done:
	rows_clear(&s.by_channel);
	FREE_ALL(s.x, s.coarse, s.passed, s.taps, s.power);
	clpac_problem_destroy(copy);
	return st;
}
