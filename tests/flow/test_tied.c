/* Amplitudes tied to the phases: each cell has the numbers of its phase band and its amplitude band alone, whatever
 * the memory and the devices, and the cells that cannot be computed have none. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/estimate.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "maxima_truth.h"
#include "coupling/passes/plan.h"
#include "results.h"

enum { N_CHANNELS = 2, N_SEGMENTS = 2, N_SAMPLES = 900, N_PHASE = 3, N_AMPLITUDE = 4, N_SURROGATES = 12 };
enum { N_SERIES = N_CHANNELS * N_SEGMENTS, N_CELLS = N_PHASE * N_AMPLITUDE };

/* Centres 6, 10 and 20 Hz; 30, 60, 90 and 109 Hz, of which the last fits below 125 Hz for two phases only. */
static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {8, 12}, {15, 25}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{25, 35}, {50, 70}, {89, 91}, {108, 110}};

static const clpac_measure measures[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_GLM};

static clpac_problem base(void)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .tied_amplitudes = true,
			       .edge_samples = CLPAC_EDGE_AUTO,
			       .n_surrogates = N_SURROGATES,
			       .seed = 5,
			       .keep_surrogates = true,
			       .keep_distributions = true,
			       .measures = measures,
			       .n_measures = COUNT(measures)};
}

/* The amplitude band of a cell, written down a second time. */
static clpac_band band_of(size_t ph, size_t am)
{
	const double centre = (amplitude_bands[am].lo_hz + amplitude_bands[am].hi_hz) / 2;
	const double half = (phase_bands[ph].lo_hz + phase_bands[ph].hi_hz) / 2;
	return (clpac_band){centre - half, centre + half};
}

static bool has_value(size_t ph, size_t am)
{
	return band_of(ph, am).hi_hz < 125;
}

static double *make_samples(void)
{
	const size_t n = N_SERIES * N_SAMPLES;
	unsigned long long seed = 3;
	double *x = malloc(n * sizeof *x), drift = 0;
	for (size_t t = 0; t < n; t++)
		x[t] = (float)(random_drifting(&seed, &drift) - 0.5); /* rounded as single precision does */
	return x;
}

static clpac_status run_on(clpac_context *const *contexts, size_t n, const clpac_problem *p, const double *x,
			   const clpac_plan_options *options, clpac_result **result, clpac_error *err)
{
	static const char *const names[] = {"Cz", "Pz"};
	const void *channels[N_CHANNELS] = {x, x + N_SEGMENTS * N_SAMPLES};
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels, .names = names};
	return clpac_problem_run(contexts, n, p, options, &samples, result, err);
}

static clpac_result *run(clpac_context *context, const clpac_problem *p, const double *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(run_on(&context, 1, p, x, NULL, &result, &err), err);
	return result;
}

/* The edge that CLPAC_EDGE_AUTO drops everywhere: half the longest filter, that of the lowest band edge. */
static ptrdiff_t longest_edge(void)
{
	/* 3 cycles at 4 Hz, 3 * 62 samples; 6 cycles at 10 Hz (30 - 20), 6 * 25 samples; at 24, 20 Hz and more fewer.
	 */
	return 3 * 62 / 2;
}

/* --- The law ---------------------------------------------------------------------------------- */

/* Whether all cells of a map decide on the values. */
static bool is_of_maps(clpac_array which)
{
	return which == CLPAC_P_MAX || which == CLPAC_MAXIMA || which == CLPAC_Q_BH || which == CLPAC_Q_BY;
}

/* Cell (ph, am) of a tied result against cell (0, column) of another, in one measure. */
static void assert_same_index(const clpac_result *tied, size_t ph, size_t am, const clpac_result *other, size_t column)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		/* Counts of bins are those of a phase band, whatever the amplitude. */
		const bool has_amplitudes = which != CLPAC_BIN_COUNTS && which != CLPAC_PHASE_NONUNIFORMITY;
		const size_t n_columns = has_amplitudes ? clpac_result_get_shape(other)->n_amplitude_bands : 1;
		const size_t n_tied = has_amplitudes ? N_AMPLITUDE : 1, at = has_amplitudes ? am : 0;
		const size_t from = has_amplitudes ? column : 0;
		size_t n_values;
		const float *a = clpac_result_array(tied, (clpac_array)which, NULL);
		const float *b = clpac_result_array(other, (clpac_array)which, &n_values);
		if (which == CLPAC_HARMONIC || which == CLPAC_ASYMMETRY || which == CLPAC_REMAINING ||
		    which == CLPAC_PHASE_PEAK_DB) {
			ck_assert(!a && !b); /* a run makes none */
			continue;
		}
		ck_assert_int_eq(!a, !b);
		if (!a || which == CLPAC_PEAK_DISTRIBUTION || is_of_maps((clpac_array)which))
			continue;
		/* The other cells of a phase band have a part in what is usual there. */
		if (which == CLPAC_STANDARDIZED && clpac_result_get_shape(other)->n_amplitude_bands == 1)
			continue;
		const size_t inner = which == CLPAC_DISTRIBUTION || which == CLPAC_BIN_COUNTS ? 18 : 1,
			     outer = n_values / (n_columns * inner);
		ck_assert_uint_eq(outer, which == CLPAC_SURROGATES ? N_SERIES * N_SURROGATES : N_SERIES);
		for (size_t o = 0; o < outer; o++)
			for (size_t i = 0; i < inner; i++) {
				const float x = a[((o * N_PHASE + ph) * n_tied + at) * inner + i];
				const float y = b[(o * n_columns + from) * inner + i];
				ck_assert_msg(memcmp(&x, &y, sizeof x) == 0,
					      "cell (%zu, %zu): %s[%zu, %zu] is %.9g, and %.9g alone", ph, am,
					      clpac_array_name((clpac_array)which), o, i, x, y);
			}
	}
	for (size_t series = 0; series < N_SERIES; series++)
		ck_assert_uint_eq(clpac_result_empty_bins(tied)[series * N_PHASE + ph],
				  clpac_result_empty_bins(other)[series]);
}

/* The same in all measures. */
static void assert_same_cell(const clpac_result *tied, size_t ph, size_t am, const clpac_result *other, size_t column)
{
	for (size_t i = 0; i < COUNT(measures); i++)
		assert_same_index(clpac_result_of(tied, measures[i]), ph, am, clpac_result_of(other, measures[i]),
				  column);
}

static void check_whole_maps(const clpac_result *result)
{
	for (size_t series = 0; series < N_SERIES; series++) {
		const judged_values values = judged_values_of(result, series);
		check_maxima(&(judged_map){clpac_result_valid(result), N_PHASE, N_AMPLITUDE, N_SURROGATES, true},
			     &values, "tied");
	}
}

/* Filters of one length let a single band have the FFT length of several, and so their very bits: a series shorter than
 * three of the longest orders shortens the filters to one length. */
TEST_EACH(each_cell_is_that_of_its_two_bands_alone, 2)
{
	const bool is_short = _i == 1;
	double *x = make_samples();
	clpac_context *context = place_open(0);
	clpac_problem p = base();
	if (is_short)
		p.phase_cycles = p.amplitude_cycles = 200;
	p.edge_samples = is_short ? 100 : CLPAC_EDGE_AUTO;
	clpac_result *tied = run(context, &p, x);
	check_whole_maps(tied);
	p.tied_amplitudes = false;
	p.edge_samples = is_short ? 100 : longest_edge();
	p.n_phase_bands = 1;
	for (size_t ph = 0; ph < N_PHASE; ph++) {
		clpac_band bands[N_AMPLITUDE];
		size_t n = 0;
		for (size_t am = 0; am < N_AMPLITUDE; am++)
			if (has_value(ph, am))
				bands[n++] = band_of(ph, am);
		p.phase_bands = &phase_bands[ph];
		p.amplitude_bands = bands;
		p.n_amplitude_bands = n;
		clpac_result *row = run(context, &p, x);
		for (size_t am = 0; am < n; am++)
			assert_same_cell(tied, ph, am, row, am);
		clpac_result_destroy(row);
		for (size_t am = 0; is_short && am < n; am++) {
			p.amplitude_bands = &bands[am];
			p.n_amplitude_bands = 1;
			clpac_result *cell = run(context, &p, x);
			assert_same_cell(tied, ph, am, cell, 0);
			clpac_result_destroy(cell);
		}
	}
	clpac_result_destroy(tied);
	clpac_context_close(context);
	free(x);
}

TEST_EACH(each_cell_is_that_of_the_oracle, places_find("native"))
{
	double *x = make_samples();
	clpac_context *context = place_open((size_t)_i);
	size_t shifts[] = {0, 17, 401, 713};
	clpac_problem p = base();
	p.shifts = shifts;
	p.n_surrogates = COUNT(shifts);
	clpac_result *tied = run(context, &p, x);
	const float *mi = clpac_result_array(tied, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(tied, CLPAC_SURROGATES, NULL);
	clpac_problem part = p;
	part.tied_amplitudes = false;
	part.edge_samples = longest_edge();
	part.n_phase_bands = part.n_amplitude_bands = 1;
	for (size_t cell = 0; cell < N_CELLS; cell++) {
		const size_t ph = cell / N_AMPLITUDE, am = cell % N_AMPLITUDE;
		const clpac_band band = band_of(ph, am);
		clpac_problem_copy *copy = NULL;
		clpac_error err;
		if (!has_value(ph, am))
			continue;
		part.phase_bands = &phase_bands[ph];
		part.amplitude_bands = &band;
		assert_works(clpac_problem_complete(&part, &copy, &err), err);
		for (size_t series = 0; series < N_SERIES; series++) {
			const double *samples = x + series * N_SAMPLES;
			oracle_signals *truth = oracle_analyse(clpac_problem_get(copy), samples);
			struct evidence evidence = evidence_gather(clpac_problem_get(copy), samples, truth);
			unsigned char *bins = malloc(truth->kept);
			for (size_t t = 0; t < truth->kept; t++)
				bins[t] = (unsigned char)truth->bins[t];
			for (size_t k = 0; k <= COUNT(shifts); k++) {
				double tolerance;
				const double wanted =
					evidence_index(&evidence, bins, 0, k ? shifts[k - 1] : 0, &tolerance);
				const double got = k ? surrogates[(series * COUNT(shifts) + k - 1) * N_CELLS + cell]
						     : mi[series * N_CELLS + cell];
				ck_assert_msg(fabs(got - wanted) <= tolerance,
					      "series %zu, cell (%zu, %zu), shift number %zu: %.9g, not %.9g", series,
					      ph, am, k, got, wanted);
			}
			free(bins);
			evidence_free(&evidence);
			oracle_signals_free(truth);
		}
		clpac_problem_destroy(copy);
	}
	clpac_result_destroy(tied);
	clpac_context_close(context);
	free(x);
}

/* --- What a result says ----------------------------------------------------------------------- */

TEST(a_result_says_the_band_of_every_cell)
{
	double *x = make_samples();
	clpac_context *context = place_open(0);
	const clpac_problem p = base();
	clpac_result *tied = run(context, &p, x);
	const clpac_result_shape *shape = clpac_result_get_shape(tied);
	ck_assert_uint_eq(shape->n_phase_bands, N_PHASE);
	ck_assert_uint_eq(shape->n_amplitude_bands, N_AMPLITUDE);
	ck_assert_mem_eq(clpac_result_phase_bands(tied), phase_bands, sizeof phase_bands);
	ck_assert_mem_eq(clpac_result_amplitude_bands(tied), amplitude_bands, sizeof amplitude_bands);
	ck_assert_str_eq(clpac_result_channel_name(tied, 1), "Pz");
	for (size_t ph = 0; ph < N_PHASE; ph++)
		for (size_t am = 0; am < N_AMPLITUDE; am++) {
			const clpac_band said = clpac_result_cell_band(tied, ph, am), wanted = band_of(ph, am);
			ck_assert_mem_eq(&said, &wanted, sizeof said);
			ck_assert_mem_eq(&clpac_result_cell_bands(tied)[ph * N_AMPLITUDE + am], &wanted, sizeof wanted);
			for (size_t series = 0; series < N_SERIES; series++)
				ck_assert_int_eq(
					isnan(clpac_result_array(tied, CLPAC_MI,
								 NULL)[series * N_CELLS + ph * N_AMPLITUDE + am]),
					!has_value(ph, am));
		}
	/* Filters: those of the phases, then those of the cells with a value. */
	size_t n;
	const clpac_band_report *reports = clpac_result_band_reports(tied, &n);
	ck_assert_uint_eq(n, N_PHASE + N_CELLS - 1);
	for (size_t i = 0; i < n; i++) {
		const clpac_band wanted = i < N_PHASE
						  ? phase_bands[i]
						  : band_of((i - N_PHASE) / N_AMPLITUDE, (i - N_PHASE) % N_AMPLITUDE);
		ck_assert_mem_eq(&reports[i].band, &wanted, sizeof wanted);
		ck_assert_int_eq(reports[i].use, i < N_PHASE ? CLPAC_PHASE : CLPAC_AMPLITUDE);
		ck_assert(reports[i].n_taps > 0 && reports[i].taps);
	}
	/* Every tied band passes both side bands; that of 10 to 50 Hz overlaps its phase. */
	const clpac_report *report = clpac_result_report(tied);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		ck_assert_msg(kind == CLPAC_WARN_OVERLAP || !report->warnings[kind].count, "%s",
			      report->warnings[kind].text);
	ck_assert_uint_eq(report->warnings[CLPAC_WARN_OVERLAP].count, 1);
	for (size_t cell = 0; cell < N_CELLS; cell++) {
		const clpac_band band = band_of(cell / N_AMPLITUDE, cell % N_AMPLITUDE);
		ck_assert_uint_eq(clpac_result_valid(tied)[cell], band.lo_hz >= phase_bands[cell / N_AMPLITUDE].hi_hz);
	}
	ck_assert_uint_eq(report->n_series, N_SERIES);
	ck_assert_uint_eq(report->edge_samples, (size_t)longest_edge());
	ck_assert_uint_eq(report->devices[0].n_series, N_SERIES * N_PHASE);

	/* The problem in the result replays it. */
	clpac_problem_copy *copy = NULL;
	clpac_error err;
	assert_works(clpac_problem_read(clpac_result_problem(tied), &copy, &err), err);
	clpac_result *again = run(context, clpac_problem_get(copy), x);
	results_same_bits(tied, again, "replayed", clpac_result_problem(tied));
	ck_assert_mem_eq(clpac_result_cell_bands(again), clpac_result_cell_bands(tied), N_CELLS * sizeof(clpac_band));
	clpac_problem_destroy(copy);
	clpac_result_destroy(again);

	/* A result that is not tied says so. */
	clpac_problem untied = p;
	untied.tied_amplitudes = false;
	again = run(context, &untied, x);
	ck_assert_ptr_null(clpac_result_cell_bands(again));
	const clpac_band said = clpac_result_cell_band(again, 1, 3);
	ck_assert_mem_eq(&said, &amplitude_bands[3], sizeof said);
	ck_assert(clpac_result_cell_band(again, 1, N_AMPLITUDE).hi_hz == 0);
	ck_assert(clpac_result_cell_band(again, N_PHASE, 0).hi_hz == 0);
	clpac_result_destroy(again);
	clpac_result_destroy(tied);
	clpac_context_close(context);
	free(x);
}

/* The lowest phase, whose cells have the highest indices here, stands last. */
TEST(the_peaks_distribution_is_that_of_the_highest_cell)
{
	const clpac_band downwards[] = {phase_bands[2], phase_bands[1], phase_bands[0]};
	double *x = make_samples();
	clpac_context *context = place_open(0);
	for (int has_surrogates = 0; has_surrogates < 2; has_surrogates++) {
		clpac_problem p = base();
		p.phase_bands = downwards;
		if (!has_surrogates) {
			p.n_surrogates = 0;
			p.keep_surrogates = false;
		}
		clpac_result *tied = run(context, &p, x);
		const float *all = clpac_result_array(tied, CLPAC_DISTRIBUTION, NULL);
		const float *peaks = clpac_result_array(tied, CLPAC_PEAK_DISTRIBUTION, NULL);
		const float *map = clpac_result_array(tied, has_surrogates ? CLPAC_STANDARDIZED : CLPAC_MI, NULL);
		bool is_beyond_the_first_row = false;
		for (size_t series = 0; series < N_SERIES; series++) {
			size_t best = N_CELLS;
			for (size_t cell = 0; cell < N_CELLS; cell++)
				if (clpac_result_valid(tied)[cell] && !isnan(map[series * N_CELLS + cell]) &&
				    (best == N_CELLS || map[series * N_CELLS + cell] > map[series * N_CELLS + best]))
					best = cell;
			is_beyond_the_first_row |= best >= N_AMPLITUDE;
			ck_assert_mem_eq(peaks + series * 18, all + (series * N_CELLS + best) * 18, 18 * sizeof *all);
		}
		ck_assert(is_beyond_the_first_row);
		clpac_result_destroy(tied);
	}
	clpac_context_close(context);
	free(x);
}

TEST(bad_series_are_counted_once)
{
	double *x = make_samples();
	clpac_context *context = place_open(0);
	const clpac_problem p = base();
	x[10] = NAN;
	for (size_t t = 0; t < N_SAMPLES; t++)
		x[3 * N_SAMPLES + t] = 7;
	clpac_result *tied = run(context, &p, x);
	const clpac_warning *warnings = clpac_result_report(tied)->warnings;
	ck_assert_uint_eq(warnings[CLPAC_WARN_NOT_FINITE].count, 1);
	ck_assert_ptr_nonnull(strstr(warnings[CLPAC_WARN_NOT_FINITE].text, "Cz"));
	ck_assert_uint_eq(warnings[CLPAC_WARN_CONSTANT].count, 1);
	for (size_t cell = 0; cell < N_CELLS; cell++)
		ck_assert(isnan(clpac_result_array(tied, CLPAC_MI, NULL)[cell]));
	for (size_t j = 0; j < 18; j++)
		ck_assert(isnan(clpac_result_array(tied, CLPAC_PEAK_DISTRIBUTION, NULL)[j]));
	clpac_result_destroy(tied);
	clpac_context_close(context);
	free(x);
}

/* A phase band at 100 Hz has no cell: 109 + 100 is above 125 Hz, 90 - 100 below 0. */
TEST(a_phase_band_without_a_cell_has_a_row_without_a_value)
{
	const clpac_band phases[] = {phase_bands[0], {90, 110}, phase_bands[1]};
	double *x = make_samples();
	clpac_context *context = place_open(0);
	clpac_error err;
	clpac_problem p = base();
	p.phase_bands = phases;
	clpac_result *tied = run(context, &p, x);
	p.phase_bands = phase_bands;
	p.n_phase_bands = 2;
	clpac_result *two = run(context, &p, x);
	const float *with = clpac_result_array(tied, CLPAC_MI, NULL),
		    *without = clpac_result_array(two, CLPAC_MI, NULL);
	for (size_t series = 0; series < N_SERIES; series++)
		for (size_t am = 0; am < N_AMPLITUDE; am++) {
			const float *row = with + series * N_CELLS + am;
			ck_assert(row[0] == without[series * 2 * N_AMPLITUDE + am]);
			ck_assert(isnan(row[N_AMPLITUDE]));
			ck_assert(row[2 * N_AMPLITUDE] == without[series * 2 * N_AMPLITUDE + N_AMPLITUDE + am]);
		}
	clpac_problem_copy *part = (clpac_problem_copy *)&err;
	p.phase_bands = phases;
	p.n_phase_bands = 3;
	assert_works(clpac_problem_part(&p, 1, &part, &err), err);
	ck_assert_ptr_null(part);
	clpac_result_destroy(two);
	clpac_result_destroy(tied);
	clpac_context_close(context);
	free(x);
}

/* --- Memory, devices, progress ---------------------------------------------------------------- */

TEST(neither_memory_nor_devices_change_a_bit)
{
	double *x = make_samples();
	clpac_context *contexts[] = {place_open(0), place_open(0)};
	const clpac_problem p = base();
	clpac_error err;
	clpac_result *alone = run(contexts[0], &p, x), *result = NULL;
	clpac_plan_bytes ample, tight;
	assert_works(clpac_estimate_plan(contexts[0], &p, NULL, &ample, sizeof ample, &err), err);
	ck_assert_uint_eq(clpac_result_report(alone)->peak_bytes, ample.total.taken_bytes);
	ck_assert_uint_eq(clpac_result_report(alone)->taken_bytes, ample.total.taken_bytes);

	const clpac_plan_options cap = {.memory_bytes = ample.total.taken_bytes * 2 / 3};
	assert_works(clpac_estimate_plan(contexts[0], &p, &cap, &tight, sizeof tight, &err), err);
	ck_assert_uint_le(tight.total.taken_bytes, cap.memory_bytes);
	assert_works(run_on(contexts, 1, &p, x, &cap, &result, &err), err);
	ck_assert_uint_eq(clpac_result_report(result)->peak_bytes, tight.total.taken_bytes);
	results_same_bits(alone, result, "under a cap", clpac_result_problem(alone));
	clpac_result_destroy(result);

	assert_works(run_on(contexts, 2, &p, x, &(clpac_plan_options){.max_batch = 1}, &result, &err), err);
	results_same_bits(alone, result, "on two devices", clpac_result_problem(alone));
	ck_assert_uint_eq(clpac_result_report(result)->n_devices, 2);
	clpac_result_destroy(result);
	clpac_result_destroy(alone);
	clpac_context_close(contexts[0]);
	clpac_context_close(contexts[1]);
	free(x);
}

struct progress {
	size_t done, total, stop_at; /* 0: never */
	bool went_back, changed_total;
};

static bool note_progress(void *user, size_t done, size_t total)
{
	struct progress *progress = user;
	progress->went_back |= done < progress->done;
	progress->changed_total |= progress->total && total != progress->total;
	progress->done = done;
	progress->total = total;
	return !progress->stop_at || done < progress->stop_at;
}

TEST(progress_is_that_of_the_whole_and_can_stop_it_anywhere)
{
	double *x = make_samples();
	clpac_context *context = place_open(0);
	const clpac_problem p = base();
	clpac_error err;
	clpac_result *result = NULL;
	struct progress progress = {0};
	const clpac_plan_options options = {.progress = note_progress, .progress_user = &progress, .max_batch = 1};
	assert_works(run_on(&context, 1, &p, x, &options, &result, &err), err);
	ck_assert(!progress.went_back && !progress.changed_total);
	ck_assert_uint_eq(progress.total, N_PHASE * N_SERIES * (1 + N_SURROGATES) * COUNT(measures));
	ck_assert_uint_eq(progress.done, progress.total);
	clpac_result_destroy(result);
	result = NULL;
	for (size_t part = 0; part < N_PHASE; part++) {
		char said[80];
		progress = (struct progress){.stop_at = part * N_SERIES * (1 + N_SURROGATES) + 1};
		assert_refused(run_on(&context, 1, &p, x, &options, &result, &err), err, CLPAC_ERROR_CANCELLED,
			       "as asked");
		snprintf(said, sizeof said, "stopped after %zu of %zu ", progress.done, progress.total);
		ck_assert_ptr_nonnull(strstr(err.text, said));
		ck_assert_ptr_null(result);
		clpac_pool_statistics now;
		clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
		ck_assert_uint_eq(now.active_buffers, 0);
	}
	clpac_context_close(context);
	free(x);
}

/* --- Refusals and failures -------------------------------------------------------------------- */

TEST(what_cannot_be_tied_is_refused)
{
	double *x = make_samples();
	clpac_context *context = place_open(0), *none = NULL, *many[CLPAC_MAX_DEVICES + 1];
	clpac_error err;
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	clpac_problem_copy *copy = NULL;
	clpac_problem p = base();
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT,
		       "give the problem to clpac_problem_run");
	ck_assert_ptr_null(plan);
	assert_refused(clpac_problem_part(&p, N_PHASE, &copy, &err), err, CLPAC_ERROR_ARGUMENT,
		       "phase is 3: the problem has 3 phase bands");
	const double taps[N_AMPLITUDE * 3] = {1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1};
	p.amplitude_taps = (clpac_taps){taps, 3};
	assert_refused(run_on(&context, 1, &p, x, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "amplitude_taps and tied_amplitudes");
	p = base();
	const clpac_band fast = {90, 110};
	p.phase_bands = &fast;
	p.n_phase_bands = 1;
	assert_refused(run_on(&context, 1, &p, x, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no cell has a value");
	p = base();
	p.amplitude_cycles = 0.5;
	assert_refused(run_on(&context, 1, &p, x, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "its filter would have order");
	p = base();
	assert_refused(run_on(&context, 0, &p, x, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT, "n_contexts is 0");
	assert_refused(run_on(&none, 1, &p, x, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT, "context 0 is NULL");
	assert_refused(run_on(many, COUNT(many), &p, x, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "n_contexts is 17: give 1 to 16");
	ck_assert_ptr_null(result);
	ck_assert_ptr_null(copy);
	clpac_context_close(context);
	free(x);
}

/* The caller's phase filters go with their bands. */
TEST(own_phase_taps_stay_with_their_band)
{
	double taps[N_PHASE * 63], *x = make_samples();
	clpac_context *context = place_open(0);
	for (size_t i = 0; i < COUNT(taps); i++)
		taps[i] = cos(0.1 * (double)(i / 63 + 1) * ((double)(i % 63) - 31));
	clpac_problem p = base();
	p.phase_taps = (clpac_taps){taps, 63};
	p.edge_samples = 80;
	clpac_result *tied = run(context, &p, x);
	p.tied_amplitudes = false;
	p.phase_taps.taps = taps + 63;
	p.phase_bands = &phase_bands[1];
	p.n_phase_bands = 1;
	const clpac_band bands[] = {band_of(1, 0), band_of(1, 1), band_of(1, 2), band_of(1, 3)};
	p.amplitude_bands = bands;
	clpac_result *row = run(context, &p, x);
	for (size_t am = 0; am < N_AMPLITUDE; am++)
		assert_same_cell(tied, 1, am, row, am);
	clpac_result_destroy(row);
	clpac_result_destroy(tied);
	clpac_context_close(context);
	free(x);
}

/* The native device's memory is host memory: a refusal may also make a plan go down, which changes no number. */
TEST(each_failing_allocation_is_reported_or_changes_nothing)
{
	double *x = make_samples();
	clpac_context *context = place_open(0);
	const clpac_problem p = base();
	clpac_error err;
	clpac_result *whole = run(context, &p, x);
	unsigned long number = 0, n_failures = 0, made;
	do {
		clpac_result *result = NULL;
		clpac_pool_clear(clpac_context_pool(context));
		clpac__fail_allocation(++number, false);
		const clpac_status st = run_on(&context, 1, &p, x, NULL, &result, &err);
		made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			results_same_bits(whole, result, "after a failure", clpac_result_problem(whole));
			ck_assert_ptr_nonnull(clpac_result_cell_bands(result));
		} else {
			ck_assert_msg(st == CLPAC_ERROR_NO_MEMORY || st == CLPAC_ERROR_NO_DEVICE_MEMORY,
				      "allocation %lu: %s", number, err.text);
			ck_assert_ptr_null(result);
			n_failures++;
		}
		clpac_result_destroy(result);
	} while (made >= number);
	ck_assert_uint_gt(n_failures, 60);
	clpac_result_destroy(whole);
	clpac_context_close(context);
	free(x);
}

/* The first allocations are those of the problem, which fail the run, and the next those of the first device's plan,
 * for which the second one takes over. */
TEST(a_device_without_a_plan_is_left_out_and_named)
{
	double *x = make_samples();
	clpac_context *contexts[] = {place_open(0), place_open(0)};
	clpac_error err;
	for (int is_tied = 0; is_tied < 2; is_tied++) {
		clpac_problem p = base();
		p.tied_amplitudes = is_tied;
		clpac_result *whole = run(contexts[0], &p, x);
		bool is_left_out = false;
		for (unsigned long number = 1; number < 300 && !is_left_out; number++) {
			clpac_result *result = NULL;
			clpac__fail_allocation(number, false);
			const clpac_status st = run_on(contexts, 2, &p, x, NULL, &result, &err);
			clpac__fail_allocation(0, false);
			if (st != CLPAC_OK)
				continue;
			const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_DEVICE];
			is_left_out = strstr(warning->text, " is left out: ") != NULL;
			ck_assert_uint_eq(warning->count, is_left_out);
			results_same_bits(whole, result, "one device left out", clpac_result_problem(whole));
			clpac_result_destroy(result);
		}
		ck_assert(is_left_out);
		clpac_result_destroy(whole);
	}
	clpac_context_close(contexts[0]);
	clpac_context_close(contexts[1]);
	free(x);
}
