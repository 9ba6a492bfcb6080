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
#include "coupling/run/spectral_peaks.h"
#include "coupling/signal/artefacts.h"
#include "coupling/signal/disturbances.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/locking.h"
#include "coupling/signal/slow_waves.h"
#include "coupling/signal/wave_shape.h"

static const double largest_jump = 50, mains_height = 10, significant = 0.05;
/* A cell is marked where less of its index remains without the shape of a slow wave.  Of coupled signals that were made
 * 98 % of the cells keep 0.79 or more, of sharp waves most keep less than 0.5 (decision 0100). */
static const float most_of_it = 0.75f;
/* A cell of which less remains is settled: no other wave is looked at. */
static const float settled = 0.5f;
/* Waves whose frequencies differ by less are one. */
static const double same_wave = 1.15;
/* Samples a second for each hertz of the highest amplitude frequency: what lies above is only in the way. */
static const double samples_per_hz = 4;
/* Samples a second for each hertz of an amplitude band's width. */
static const double samples_per_width = 3;

/* The rows of a result by the channel that their amplitudes come from, since harmonics are looked for in that, or by
 * that of their phases.  All
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

static size_t channel_of(clpac_pair pair, clpac_band_use use)
{
	return use == CLPAC_PHASE ? pair.phase : pair.amplitude;
}

/* One pass over the rows of pairs, whatever the number of channels.
 * @param by zeros, to be cleared also after an error. */
static clpac_status rows_find(const clpac_problem *p, const clpac_result *result, clpac_band_use of,
			      rows_by_channel *by, clpac_error *err)
{
	const size_t n_rows = p->n_pairs;
	if (!p->pairs)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(by->firsts, p->n_channels + 2));
	RETURN_IF_ERROR(NEW_ARRAY(by->rows, n_rows));
	RETURN_IF_ERROR(NEW_ARRAY(by->names, p->n_channels));
	/* firsts[c + 2] counts the rows of channel c, then firsts[c + 1] is where its next row goes. */
	for (size_t row = 0; row < n_rows; row++)
		by->firsts[channel_of(p->pairs[row], of) + 2]++;
	for (size_t c = 2; c < p->n_channels + 2; c++)
		by->firsts[c] += by->firsts[c - 1];
	for (size_t row = 0; row < n_rows; row++) {
		const clpac_pair pair = p->pairs[row];
		by->rows[by->firsts[channel_of(pair, of) + 1]++] = row;
		for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
			const char **name = &by->names[channel_of(pair, use)];
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

/* The filter of an amplitude band, which series share unless bands are tied. */
typedef struct band_filter {
	clpac_band band;
	clpac__filter filter;
} band_filter;

/* A line of the mains. */
typedef struct line {
	double hz;
	clpac__window_waves waves;
	size_t n_phase, n_cells; /* phase bands, and cells with amplitude bands, that hold it */
} line;

/* A search for what looks like coupling, in one series after the other. */
typedef struct search {
	const clpac_problem *problem; /* complete */
	const clpac_samples *samples;
	clpac_result *result;
	double *x;	/* a series, without its mean */
	double *coarse; /* means of `step` samples of it */
	double *passed; /* the signs of the same in a phase band */
	size_t n, n_coarse, step;
	double rate_hz, lowest_hz, top_hz; /* of the coarse samples; lowest and highest amplitude frequency */
	clpac__wave_search waves;
	band_filter *filters; /* of each amplitude band */
	line *lines;	      /* of the mains, in the bands in use */
	size_t n_lines;
	clpac__lock_windows events; /* none where no caution is due */
	clpac_window longest;	    /* stretch of each series, of n samples: all but jumps are looked for there */
	size_t n_maps;		    /* of a series: that of each separate window, or one */
	rows_by_channel by_channel, by_phase;
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

static clpac_status look_for_mains(search *s, size_t channel, clpac_error *err)
{
	for (size_t i = 0; i < s->n_lines; i++) {
		const line *line = &s->lines[i];
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
		warn(s, CLPAC_WARN_MAINS,
		     "channel %.60s has a line at %g Hz, %.0f times what lies beside it, in %s: it may be the mains",
		     name_of(s, channel), line->hz, height, where);
		return CLPAC_OK;
	}
	return CLPAC_OK;
}

/* Phase bins of every step-th coarse sample. */
typedef struct bins {
	size_t step; /* 0: there are none */
	unsigned char *each;
	double counts[CLPAC_MAX_BINS];
} bins;

/* A band that is locked to the events. */
typedef struct lock {
	clpac_band band;
	double times; /* 0: none is */
} lock;

/* What of the indices of a channel remains without the shapes of its slow waves. */
typedef struct shapes {
	unsigned char *wanted; /* cells that are significant in a map whose amplitudes are the channel's: (p, a) */
	float *remaining;      /* (p, a); NaN where it is not wanted */
	double *of_bands;      /* frequency of the wave in each phase band; 0 where none is wanted */
	double *waves;	       /* each frequency once, ascending */
	size_t n_waves;
	clpac__wave_turns *turns; /* of each phase band; none where none is wanted */
	bins *bins;		  /* of each phase band */
	double *z, *power;	  /* (2, n_coarse), n_coarse: analytic signal of a band */
	double *amplitudes;	  /* n_coarse */
	double *whole;		  /* index of each phase band with all of the amplitude */
	clpac__wave_shape *shape;
	lock phase, amplitude; /* of what is locked to events, the clearest */
} shapes;

static void shapes_clear(const search *s, shapes *of)
{
	for (size_t ph = 0; ph < s->problem->n_phase_bands; ph++) {
		if (of->turns)
			clpac__wave_turns_clear(&of->turns[ph]);
		if (of->bins)
			clpac__free(of->bins[ph].each);
	}
	clpac__wave_shape_destroy(of->shape);
	FREE_ALL(of->wanted, of->remaining, of->of_bands, of->waves, of->turns, of->bins, of->z, of->power,
		 of->amplitudes, of->whole);
}

/* Whether a cell is significant, or without surrogates the highest of its map. */
static bool is_wanted(const search *s, size_t row, size_t segment, size_t cell)
{
	const clpac_problem *p = s->problem;
	const size_t series = row * p->n_segments + segment, n_cells = p->n_phase_bands * p->n_amplitude_bands;
	const float *p_max = clpac_result_array(s->result, CLPAC_P_MAX, NULL);
	if (p_max)
		return p_max[series * n_cells + cell] <= (float)significant;
	const clpac_peak peak = clpac_result_series_peak(s->result, row, segment);
	return peak.found && peak.phase * p->n_amplitude_bands + peak.amplitude == cell;
}

/* Whether any cell is wanted. */
static bool find_wanted(const search *s, size_t channel, size_t segment, shapes *of)
{
	const rows_by_channel *by = &s->by_channel;
	const size_t n_cells = s->problem->n_phase_bands * s->problem->n_amplitude_bands;
	bool is_any = false;
	for (size_t i = first_of(by, channel); i < first_of(by, channel + 1); i++)
		for (size_t map = 0; map < s->n_maps; map++)
			for (size_t cell = 0; cell < n_cells; cell++)
				if (is_wanted(s, row_at(by, i), segment + map, cell))
					of->wanted[cell] = is_any = true;
	return is_any;
}

static bool wants_phase(const search *s, const shapes *of, size_t ph)
{
	const size_t n = s->problem->n_amplitude_bands;
	return memchr(of->wanted + ph * n, 1, n);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Joins waves that differ by less than a seventh to their median: one wave is seen by several phase bands. */
static void join_waves(shapes *of)
{
	size_t n = 0;
	qsort(of->waves, of->n_waves, sizeof *of->waves, ascending);
	for (size_t first = 0, end; first < of->n_waves; first = end) {
		for (end = first + 1; end < of->n_waves && of->waves[end] < same_wave * of->waves[end - 1]; end++)
			;
		of->waves[n++] = of->waves[(first + end) / 2];
	}
	of->n_waves = n;
}

static clpac_status find_waves(search *s, shapes *of, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__wave_search_take(&s->waves, s->coarse, err));
	for (size_t ph = 0; ph < s->problem->n_phase_bands; ph++) {
		if (!wants_phase(s, of, ph))
			continue;
		RETURN_IF_ERROR(clpac__wave_search_find(&s->waves, ph, &of->of_bands[ph], err));
		if (of->of_bands[ph] > 0)
			of->waves[of->n_waves++] = of->of_bands[ph];
	}
	join_waves(of);
	return CLPAC_OK;
}

/* The phases of the bands that have wanted cells. */
static clpac_status find_turns(search *s, shapes *of, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	RETURN_IF_ERROR(NEW_ARRAY(of->turns, p->n_phase_bands));
	RETURN_IF_ERROR(NEW_ARRAY(of->bins, p->n_phase_bands));
	for (size_t ph = 0; ph < p->n_phase_bands; ph++)
		if (wants_phase(s, of, ph))
			RETURN_IF_ERROR(clpac__wave_turns_make(s->coarse, s->n_coarse, s->rate_hz, p->phase_bands[ph],
							       p->phase_cycles, &of->turns[ph], err));
	return CLPAC_OK;
}

static void note_lock(lock *clearest, clpac_band band, clpac__lock found)
{
	if (found.is_clear && found.times > clearest->times)
		*clearest = (lock){band, found.times};
}

static clpac_status find_phase_locks(const search *s, shapes *of, clpac_error *err)
{
	for (size_t ph = 0; ph < s->problem->n_phase_bands && s->events.n; ph++) {
		const clpac_band band = s->problem->phase_bands[ph];
		clpac__lock found;
		if (!wants_phase(s, of, ph))
			continue;
		RETURN_IF_ERROR(clpac__lock_of_phase(&of->turns[ph], &s->events, band, &found, err));
		note_lock(&of->phase, band, found);
	}
	return CLPAC_OK;
}

/* Makes the bins of a phase band at every step-th sample, unless they are there. */
static clpac_status prepare_bins(const search *s, shapes *of, size_t ph, size_t step, clpac_error *err)
{
	bins *bins = &of->bins[ph];
	const size_t n_bins = s->problem->n_bins;
	if (bins->step == step)
		return CLPAC_OK;
	if (!bins->each)
		RETURN_IF_ERROR(NEW_ARRAY(bins->each, s->n_coarse));
	memset(bins->counts, 0, sizeof bins->counts);
	for (size_t t = 0, i = 0; t < s->n_coarse; t += step, i++) {
		const double turn = clpac__wave_turn_at(&of->turns[ph], (double)t);
		const size_t bin = (size_t)((turn - floor(turn)) * (double)n_bins);
		bins->each[i] = (unsigned char)(bin < n_bins ? bin : n_bins - 1);
		bins->counts[bins->each[i]]++;
	}
	bins->step = step;
	return CLPAC_OK;
}

/* The modulation index of n amplitudes. */
static double index_of(const search *s, const bins *bins, const double *amplitudes, size_t n)
{
	double sums[2][CLPAC_MAX_BINS] = {{0}}, all = 0, index = 1;
	const size_t n_bins = s->problem->n_bins;
	/* Neighbours often lie in one bin, and are added to two sums in turn. */
	for (size_t i = 0; i < n; i++)
		sums[i % 2][bins->each[i]] += amplitudes[i];
	for (size_t k = 0; k < n_bins; k++)
		all += sums[0][k] = (sums[0][k] + sums[1][k]) / fmax(1, bins->counts[k]);
	for (size_t k = 0; k < n_bins; k++)
		index += sums[0][k] > 0 ? sums[0][k] / all * log(sums[0][k] / all) / log((double)n_bins) : 0;
	return index;
}

/* Whether any cell of the phase bands is not settled. */
static bool is_open(const search *s, const shapes *of, size_t am, size_t first, size_t end)
{
	for (size_t ph = first; ph < end; ph++)
		if (of->remaining[ph * s->problem->n_amplitude_bands + am] >= settled && of->whole[ph] > 0)
			return true;
	return false;
}

/* Measures what remains in the wanted cells of one amplitude band, or of one that is tied to a phase band: first to
 * before end are those phase bands. */
static clpac_status measure_band(search *s, shapes *of, size_t am, size_t first, size_t end, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const clpac_band band = clpac_result_cell_band(s->result, first, am);
	clpac__filter *filter = &s->filters[am].filter;
	bool is_any = false;
	double highest_hz = 0;
	for (size_t ph = first; ph < end; ph++)
		if (of->wanted[ph * p->n_amplitude_bands + am]) {
			is_any = true;
			highest_hz = fmax(highest_hz, p->phase_bands[ph].hi_hz);
		}
	if (!is_any || !(band.lo_hz > 0) || !(band.hi_hz < s->rate_hz / 2) ||
	    clpac__filter_order(s->rate_hz, band.lo_hz, p->amplitude_cycles, s->n_coarse, NULL) < CLPAC__MIN_ORDER)
		return CLPAC_OK;
	/* Enough samples for the amplitude, whose own spectrum is no wider than its band, and for the phase. */
	const double samples_hz = fmax(samples_per_width * (band.hi_hz - band.lo_hz), 8 * highest_hz);
	const size_t step = (size_t)fmax(1, s->rate_hz / samples_hz), n = (s->n_coarse + step - 1) / step;
	const clpac__band_signal signal = {
		.band = band, .step = step, .n = n, .re = of->z, .im = of->z + n, .power = of->power};
	if (s->filters[am].band.lo_hz != band.lo_hz || s->filters[am].band.hi_hz != band.hi_hz) {
		clpac__filter_clear(filter);
		s->filters[am].band = (clpac_band){0, 0};
		RETURN_IF_ERROR(clpac__filter_design(s->rate_hz, band, p->amplitude_cycles, s->n_coarse, filter, err));
		RETURN_IF_ERROR(clpac__filter_make_analytic(filter, err));
		s->filters[am].band = band;
	}
	RETURN_IF_ERROR(clpac__filter_series(s->coarse, s->n_coarse, filter->even, filter->odd, filter->n_taps - 1,
					     step, of->z, err));
	for (size_t i = 0; i < n; i++) {
		of->power[i] = signal.re[i] * signal.re[i] + signal.im[i] * signal.im[i];
		of->amplitudes[i] = sqrt(of->power[i]);
	}
	for (size_t ph = first; ph < end; ph++)
		if (of->wanted[ph * p->n_amplitude_bands + am]) {
			RETURN_IF_ERROR(prepare_bins(s, of, ph, step, err));
			of->whole[ph] = index_of(s, &of->bins[ph], of->amplitudes, n);
			of->remaining[ph * p->n_amplitude_bands + am] = 1;
		}
	if (s->events.n) {
		clpac__lock found;
		RETURN_IF_ERROR(clpac__lock_of_amplitude(of->amplitudes, step, &s->events, band, &found, err));
		note_lock(&of->amplitude, band, found);
	}
	for (size_t wave = 0; wave < of->n_waves; wave++)
		for (int way = 0; way < CLPAC__SHAPE_WAYS && is_open(s, of, am, first, end); way++) {
			bool is_locked;
			RETURN_IF_ERROR(clpac__wave_shape_take_off(of->shape, wave, way, &signal, of->amplitudes,
								   &is_locked, err));
			for (size_t ph = first; ph < end && is_locked; ph++) {
				float *remaining = &of->remaining[ph * p->n_amplitude_bands + am];
				if (!(*remaining >= settled) || !(of->whole[ph] > 0))
					continue;
				const double left = index_of(s, &of->bins[ph], of->amplitudes, n);
				*remaining = fminf(*remaining, (float)fmax(left / of->whole[ph], 0));
			}
		}
	return CLPAC_OK;
}

static clpac_status measure_shapes(search *s, shapes *of, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const bool is_tied = clpac_result_cell_bands(s->result);
	RETURN_IF_ERROR(find_waves(s, of, err));
	RETURN_IF_ERROR(NEW_ARRAY(of->z, 2 * s->n_coarse));
	RETURN_IF_ERROR(NEW_ARRAY(of->power, s->n_coarse));
	RETURN_IF_ERROR(NEW_ARRAY(of->amplitudes, s->n_coarse));
	RETURN_IF_ERROR(NEW_ARRAY(of->whole, p->n_phase_bands));
	RETURN_IF_ERROR(find_turns(s, of, err));
	RETURN_IF_ERROR(find_phase_locks(s, of, err));
	RETURN_IF_ERROR(clpac__wave_shape_create(s->coarse, s->n_coarse, s->rate_hz, s->lowest_hz, of->waves,
						 of->n_waves, &of->shape, err));
	for (size_t am = 0; am < p->n_amplitude_bands; am++) {
		if (!is_tied)
			RETURN_IF_ERROR(measure_band(s, of, am, 0, p->n_phase_bands, err));
		for (size_t ph = 0; is_tied && ph < p->n_phase_bands; ph++)
			RETURN_IF_ERROR(measure_band(s, of, am, ph, ph + 1, err));
	}
	return CLPAC_OK;
}

/* Marked cells in the maps of a channel, or in all whose amplitudes are its own. */
typedef struct marked {
	size_t n, n_all;   /* marked cells, and wanted ones */
	float least, most; /* that remains in a marked one */
	size_t phase;	   /* the phase band of the cell of which the least remains, */
	float asymmetry;   /* and the asymmetry of the wave there */
} marked;

/* Writes what remains in the cells of one map, and marks. */
static void write_map(search *s, size_t row, size_t segment, const shapes *of, marked *marked)
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
		if (!is_wanted(s, row, segment, cell))
			continue;
		remaining[cell] = of->remaining[cell];
		marked->n_all++;
		if (!(remaining[cell] < most_of_it))
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
	return fabs(turn - floor(turn) - 0.5) > 0.25;
}

static float measure_asymmetry(search *s, const shapes *of, size_t ph)
{
	/* Of the filtered series only the signs count. */
	for (size_t t = 0; t < s->n_coarse; t++)
		s->passed[t] = is_upper(clpac__wave_turn_at(&of->turns[ph], (double)t)) ? 1 : -1;
	return (float)clpac__cycle_asymmetry(s->coarse, s->passed, s->n_coarse, s->rate_hz / of->of_bands[ph]);
}

/* Writes the asymmetry of the cycles in phase bands that have a marked cell. */
static void write_asymmetry(search *s, size_t channel, size_t segment, const shapes *of, marked *marked)
{
	const clpac_problem *p = s->problem;
	const rows_by_channel *by = &s->by_channel;
	const float *marks = clpac_result_array(s->result, CLPAC_HARMONIC, NULL);
	float *asymmetries = clpac_result_array(s->result, CLPAC_ASYMMETRY, NULL);
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		bool is_measured = false;
		float asymmetry = NAN;
		for (size_t i = first_of(by, channel); i < first_of(by, channel + 1); i++)
			for (size_t map = 0; map < s->n_maps; map++) {
				const size_t at =
					(row_at(by, i) * p->n_segments + segment + map) * p->n_phase_bands + ph;
				bool is_marked = false;
				for (size_t am = 0; am < p->n_amplitude_bands; am++)
					is_marked |= marks[at * p->n_amplitude_bands + am] > 0;
				if (!is_marked)
					continue;
				if (!is_measured)
					asymmetry = measure_asymmetry(s, of, ph);
				is_measured = true;
				asymmetries[at] = asymmetry;
			}
		if (ph == marked->phase)
			marked->asymmetry = asymmetry;
	}
}

static void warn_of_shape(search *s, size_t channel, const marked *marked)
{
	const clpac_band band = s->problem->phase_bands[marked->phase];
	char shape[64] = "";
	if (!isnan(marked->asymmetry))
		snprintf(shape, sizeof shape, ", whose cycles rise in %.2f of their time",
			 (1 + (double)marked->asymmetry) / 2);
	warn(s, CLPAC_WARN_HARMONIC,
	     "harmonics of a wave in %g-%g Hz%s: without its shape %.0f to %.0f %% of the index remain in %zu of %zu "
	     "%s cells of channel %.60s, so that it looks like coupling",
	     band.lo_hz, band.hi_hz, shape, 100 * (double)marked->least, 100 * (double)marked->most, marked->n,
	     marked->n_all, clpac_result_array(s->result, CLPAC_P_MAX, NULL) ? "significant" : "highest",
	     name_of(s, channel));
}

/* Odd harmonics without even ones: nothing but corners, cut tops or points make them.  Of the mean of many cycles they
 * are by chance what a standard error says. */
static void look_for_odd_harmonics(search *s, size_t channel, const shapes *of)
{
	static const double least_third = 0.08, most_second = 0.3, errors = 5;
	for (size_t i = 0; i < of->n_waves; i++) {
		const double hz = of->waves[i];
		const clpac__wave_harmonics found = clpac__wave_shape_harmonics(of->shape, i);
		const double third = fabs(found.third);
		if (!(third > least_third) || !(third > errors * found.third_chance) ||
		    found.second > most_second * third)
			continue;
		warn(s, CLPAC_WARN_ODD_HARMONICS,
		     "channel %.60s has a wave of %.3g Hz that is %s (third harmonic %.0f %%, second %.0f %%): its "
		     "corners look like coupling; %s",
		     name_of(s, channel), hz, found.third < 0 ? "flattened" : "pointed", 100 * third,
		     100 * found.second,
		     found.third < 0 ? "see whether an amplifier or a range cut it off"
				     : "see whether what remains without its shape is much");
		break;
	}
}

static void warn_of_locks(search *s, size_t channel, const shapes *of)
{
	char phase[96] = "", amplitude[96] = "";
	if (of->phase.times > 0)
		snprintf(phase, sizeof phase, "the phase of %g-%g Hz (%.1f times as much as chance makes)",
			 of->phase.band.lo_hz, of->phase.band.hi_hz, of->phase.times);
	if (of->amplitude.times > 0)
		snprintf(amplitude, sizeof amplitude, "%sthe amplitude of %g-%g Hz (%.1f times)", *phase ? " and " : "",
			 of->amplitude.band.lo_hz, of->amplitude.band.hi_hz, of->amplitude.times);
	if (*phase || *amplitude)
		warn(s, CLPAC_WARN_LOCKED,
		     "in channel %.60s %s%s keep step with the events of %zu epochs: %s by shifts; permute the epochs "
		     "in place of shifting them (null trials)",
		     name_of(s, channel), phase, amplitude, s->events.n,
		     *phase && *amplitude ? "what is evoked is taken for coupling"
					  : "what else is evoked would be taken for coupling");
}

/* Names channels whose significant cells other sources may have made. */
static clpac_status look_for_disturbances(search *s, size_t channel, clpac_error *err)
{
	clpac__beats beats;
	clpac__bursts bursts;
	clpac__spikes spikes = {0};
	RETURN_IF_ERROR(clpac__find_beats(s->coarse, s->n_coarse, s->rate_hz, &beats, err));
	if (beats.n)
		warn(s, CLPAC_WARN_BEATS,
		     "channel %.60s has a spike of %.0f deviations every %.2f s, as of a heart: it is in every band at "
		     "once, and looks like coupling; take it off, or leave the channel out",
		     name_of(s, channel), beats.deviations, beats.interval_s);
	RETURN_IF_ERROR(clpac__find_bursts(s->coarse, s->n_coarse, s->rate_hz, (clpac_band){s->lowest_hz, s->top_hz},
					   &bursts, err));
	if (bursts.share > 0)
		warn(s, CLPAC_WARN_MUSCLE,
		     "channel %.60s has bursts in %.2g %% of its time, %.0f times as strong as usual and in all "
		     "amplitude bands at once, as of a muscle: they look like coupling; reject them, or leave the "
		     "channel out",
		     name_of(s, channel), 100 * bursts.share, bursts.times);
	/* Their own edges are spikes, too. */
	if (!beats.n && !(bursts.share > 0))
		RETURN_IF_ERROR(clpac__find_spikes(s->coarse, s->n_coarse, s->rate_hz, &spikes, err));
	if (spikes.n)
		warn(s, CLPAC_WARN_SPIKES,
		     "channel %.60s has %zu spikes or edges of up to %.0f deviations: each is in every band at once, "
		     "and "
		     "looks like coupling; reject them, or leave the channel out",
		     name_of(s, channel), spikes.n, spikes.deviations);
	else if (spikes.skewness > 0)
		warn(s, CLPAC_WARN_SPIKES,
		     "channel %.60s is sharp on one side, with a skewness of %.2f within 10 ms, as of small spikes: "
		     "each "
		     "is in every band at once, and looks like coupling; look at its samples before you believe it",
		     name_of(s, channel), spikes.skewness);
	return CLPAC_OK;
}

/* Measures what remains of the channel's indices without the shapes of its slow waves, and marks cells by it. */
static clpac_status look_for_shapes(search *s, size_t channel, size_t segment, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const rows_by_channel *by = &s->by_channel;
	const size_t n_cells = s->problem->n_phase_bands * s->problem->n_amplitude_bands;
	shapes of = {.n_waves = 0};
	marked marked = {.asymmetry = NAN};
	TRY(NEW_ARRAY(of.wanted, n_cells));
	TRY(NEW_ARRAY(of.remaining, n_cells));
	TRY(NEW_ARRAY(of.of_bands, s->problem->n_phase_bands));
	TRY(NEW_ARRAY(of.waves, s->problem->n_phase_bands));
	for (size_t cell = 0; cell < n_cells; cell++)
		of.remaining[cell] = NAN;
	if (find_wanted(s, channel, segment, &of)) {
		TRY(measure_shapes(s, &of, err));
		look_for_odd_harmonics(s, channel, &of);
		warn_of_locks(s, channel, &of);
		TRY(look_for_disturbances(s, channel, err));
	}
	for (size_t i = first_of(by, channel); i < first_of(by, channel + 1); i++)
		for (size_t map = 0; map < s->n_maps; map++)
			write_map(s, row_at(by, i), segment + map, &of, &marked);
	if (!marked.n)
		goto done;
	write_asymmetry(s, channel, segment, &of, &marked);
	warn_of_shape(s, channel, &marked);
done:
	shapes_clear(s, &of);
	return st;
}

static clpac_status look_for_peaks(search *s, size_t channel, size_t segment, clpac_error *err)
{
	const rows_by_channel *by = &s->by_phase;
	const size_t first = first_of(by, channel), end = first_of(by, channel + 1);
	return clpac__look_for_peaks(&(clpac__peaks_of){.problem = s->problem,
							.result = s->result,
							.channel = name_of(s, channel),
							.x = s->x,
							.n_samples = s->n,
							.rate_hz = s->problem->rate_hz,
							.rows = by->rows ? by->rows + first : &channel,
							.n_rows = end - first,
							.segment = segment,
							.n_maps = s->n_maps,
							.significant = significant},
				     err);
}

static clpac_status look_at_series(search *s, size_t channel, size_t segment, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const rows_by_channel *by = &s->by_channel;
	for (size_t i = 0; p->stretches && i < p->n_stretches; i++)
		if (p->stretches[i].start != s->longest.start && load(s, channel, segment, p->stretches[i]))
			RETURN_IF_ERROR(look_for_jump(s, channel, p->stretches[i], err));
	if (!load(s, channel, segment, s->longest))
		return CLPAC_OK;
	RETURN_IF_ERROR(look_for_jump(s, channel, s->longest, err));
	RETURN_IF_ERROR(look_for_mains(s, channel, err));
	RETURN_IF_ERROR(look_for_peaks(s, channel, segment, err));
	if (first_of(by, channel) == first_of(by, channel + 1))
		return CLPAC_OK;
	return look_for_shapes(s, channel, segment, err);
}

/* Makes the search for the waves of each phase band. */
static clpac_status prepare_waves(search *s, double highest_hz, clpac_error *err)
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

static bool holds(clpac_band band, double hz)
{
	return band.lo_hz < hz && hz < band.hi_hz;
}

/* Makes the lines at multiples of a frequency that lie in a band in use. */
static clpac_status add_lines(search *s, double mains_hz, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	for (double hz = mains_hz; hz < s->top_hz; hz += mains_hz) {
		line line = {.hz = hz};
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

static clpac_status prepare_lines(search *s, clpac_error *err)
{
	/* Below 1 Hz it is a mistake, and would take as many looks as there are multiples. */
	const double known_hz = s->samples->mains_hz >= 1 ? s->samples->mains_hz : 0,
		     first_hz = known_hz ? known_hz : 50;
	RETURN_IF_ERROR(NEW_ARRAY(s->lines, 2 + (size_t)(s->top_hz / first_hz) + (size_t)(s->top_hz / 60)));
	RETURN_IF_ERROR(add_lines(s, first_hz, err));
	return known_hz ? CLPAC_OK : add_lines(s, 60, err);
}

/* Takes the windows of a problem that shifts them under one index, which are cut around events.  Windows of other
 * lengths than the first, and such as lie in other stretches, are passed over. */
static clpac_status prepare_events(search *s, clpac_error *err)
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

static clpac_status prepare(search *s, clpac_error *err)
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
	RETURN_IF_ERROR(NEW_ARRAY(s->x, s->n));
	RETURN_IF_ERROR(NEW_ARRAY(s->coarse, s->n_coarse));
	RETURN_IF_ERROR(NEW_ARRAY(s->passed, s->n_coarse));
	RETURN_IF_ERROR(NEW_ARRAY(s->filters, p->n_amplitude_bands));
	RETURN_IF_ERROR(prepare_waves(s, highest_hz, err));
	RETURN_IF_ERROR(prepare_lines(s, err));
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
	TRY(rows_find(p, result, CLPAC_AMPLITUDE, &s.by_channel, err));
	TRY(rows_find(p, result, CLPAC_PHASE, &s.by_phase, err));
	for (size_t channel = 0; channel < p->n_channels; channel++)
		for (size_t segment = 0; samples->channels[channel] && segment < p->n_segments; segment += s.n_maps) {
			TRY(clpac_cancel_check(err));
			TRY(look_at_series(&s, channel, segment, err));
		}
done:
	rows_clear(&s.by_channel);
	rows_clear(&s.by_phase);
	for (size_t i = 0; i < s.n_lines; i++)
		clpac__window_waves_clear(&s.lines[i].waves);
	for (size_t am = 0; s.filters && am < s.problem->n_amplitude_bands; am++)
		clpac__filter_clear(&s.filters[am].filter);
	clpac__wave_search_clear(&s.waves);
	FREE_ALL(s.x, s.coarse, s.passed, s.filters, s.lines, s.events.firsts);
	clpac_problem_destroy(copy);
	return st;
}
