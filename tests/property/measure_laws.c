/* Laws of the measures: each is what its definition gives, sample by sample, for every shift, and no measure changes
 * another. */
#include "measure_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "assertions.h"
#include "contract/places.h"
#include "corrections_truth.h"
#include "evidence.h"
#include "measure_truth.h"
#include "oddities.h"
#include "coupling/passes/plan.h"
#include "random.h"
#include "results.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, N_CHANNELS = 2, N_LISTED = 6, CELLS = N_PHASE * N_AMPLITUDE };

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {9, 14}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{50, 90}, {60, 100}, {70, 110}, {80, 120}, {90, 140}};
/* The last one needs local filters. */
static const clpac_measure all_measures[CLPAC_MEASURE_COUNT] = {
	CLPAC_MEASURE_MI,  CLPAC_MEASURE_HR,   CLPAC_MEASURE_MVL,     CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC,
	CLPAC_MEASURE_GLM, CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PAC_GLM, CLPAC_MEASURE_PLV,
};

/* --- Problems ------------------------------------------------------------------------------------- */

static float *make_noise(size_t n, unsigned long long seed, float unit)
{
	unsigned long long state = seed;
	double drift = 0;
	float *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = unit * (float)random_drifting(&state, &drift);
	return x;
}

/* The same with an oddity in each channel, as the plan and as the oracle take it. */
static float *make_odd(size_t n, unsigned long long seed, float unit, oddity odd, double *series)
{
	float *x = make_noise(N_CHANNELS * n, seed, unit);
	for (size_t t = 0; t < N_CHANNELS * n; t++)
		series[t] = x[t];
	for (size_t channel = 0; channel < N_CHANNELS; channel++)
		add_oddity(odd, series + channel * n, n, unit);
	for (size_t t = 0; t < N_CHANNELS * n; t++)
		series[t] = x[t] = (float)series[t];
	return x;
}

static clpac_problem usual_problem(size_t n_samples)
{
	return (clpac_problem){.rate_hz = 500,
			       .n_channels = N_CHANNELS,
			       .n_samples = n_samples,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = N_LISTED,
			       .min_shift = 1,
			       .seed = 3,
			       .share_shifts = true,
			       .keep_surrogates = true,
			       .measures = all_measures,
			       .n_measures = CLPAC_MEASURE_COUNT};
}

/* Runs a problem, in chunks of so many surrogates; 0: as planned. */
static clpac_result *run_problem(clpac_context *context, const clpac_problem *problem, size_t chunk, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	clpac_plan *plan = place_plan(context, problem, NULL);
	if (chunk)
		plan->layout.chunk = chunk;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	clpac_plan_destroy(plan);
	return result;
}

/* Lengths that engines transform as they are, and others. */
static void draw_problem(clpac_problem *p, unsigned long long *state, size_t number, size_t *shifts)
{
	static const size_t lengths[] = {2048, 1500, 1009, 4999, 1536};
	static const unsigned bins[] = {18, 3, 128, 2, 17};
	*p = usual_problem(lengths[number % COUNT(lengths)]);
	p->n_bins = bins[number % COUNT(bins)];
	p->average = random_below(state, 2) ? CLPAC_AVERAGE_SUM : CLPAC_AVERAGE_MEAN;
	p->edge_samples = number % 2 ? (ptrdiff_t)random_below(state, 100) : 0;
	shifts[0] = 0;
	for (size_t k = 1; k < N_LISTED; k++)
		shifts[k] = random_below(state, p->n_samples - 2 * (size_t)p->edge_samples);
	p->shifts = shifts;
}

/* --- Laws ----------------------------------------------------------------------------------------- */

static place_rounds drawn_rounds;

/* A problem, what came of it in a place, and how it is named. */
typedef struct computed {
	const clpac_problem *problem; /* complete */
	const clpac_result *result;
	bool is_noise; /* with local filters: 1e-5 is enough but for ranks */
	const char *label;
} computed;

/* The error that a value may have: 1e-5 of itself or of what is usual in its cell, and what follows from the noise of
 * its transforms. */
static double limit_of(const computed *c, const measure_cell *of, const struct evidence *evidence,
		       clpac_measure measure, double value, double usual)
{
	const double error = 1e-5 * fmax(value, usual);
	if (!c->is_noise)
		return error + measure_truth_limit(of, evidence, evidence, measure, value);
	return measure == CLPAC_MEASURE_GCMI ? error + measure_truth_limit_of_ranks(of, evidence, evidence, value)
					     : error;
}

/* One cell of a channel: its index is that of shift 0, the first of the list. */
static void check_cell(const computed *c, const oracle_signals *truth, const struct evidence *evidence,
		       const clpac_result *result, size_t channel, size_t cell, size_t *source)
{
	const clpac_measure measure = clpac_result_measure(result);
	const size_t at = channel * CELLS + cell;
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL) + channel * CELLS * N_LISTED;
	const double mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[at];
	const measure_cell of = {c->problem, truth, truth, cell / N_AMPLITUDE, cell % N_AMPLITUDE, source};
	double observed = 0;
	size_t least = 1, most = 1;
	for (size_t k = 0; k < N_LISTED; k++) {
		for (size_t t = 0; t < truth->kept; t++)
			source[t] = (t + c->problem->shifts[k]) % truth->kept;
		const double wanted = measure_truth(&of, measure);
		const double error = limit_of(c, &of, evidence, measure, wanted, mean);
		const double found = surrogates[k * CELLS + cell];
		ck_assert_msg(fabs(found - wanted) <= error,
			      "%s: %s of cell %zu at shift %zu is %.9g instead of %.9g, %.2g allowed", c->label,
			      clpac_measure_text(measure), cell, c->problem->shifts[k], found, wanted, error);
		if (k == 0) {
			assert_close(clpac_result_array(result, CLPAC_MI, NULL)[at], wanted, error);
			observed = wanted;
			continue;
		}
		least += wanted >= observed + 2 * error;
		most += wanted >= observed - 3 * error;
	}
	const double reached = (double)clpac_result_array(result, CLPAC_P, NULL)[at] * (N_LISTED + 1) - 1;
	ck_assert_msg(reached > (double)least - 0.5 && reached < (double)most + 0.5,
		      "%s: %g shifts reach %s of cell %zu, it should be %zu to %zu", c->label, reached,
		      clpac_measure_text(measure), cell, least, most);
}

/* Where the Hilbert transform is that of the kept samples, the bins are the plan's own: those that are not the oracle's
 * lie on the other side of an edge, and as near to it as derived. */
static void check_measures(size_t place, size_t number, oddity odd, clpac_hilbert hilbert)
{
	unsigned long long state = 60 + number;
	size_t shifts[N_LISTED], stride;
	clpac_error err;
	clpac_problem problem;
	clpac_problem_copy *copy;
	clpac_result *result = NULL;
	char label[300];
	draw_problem(&problem, &state, number, shifts);
	problem.hilbert = hilbert;
	problem.n_measures -= hilbert == CLPAC_HILBERT_TRIMMED;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	snprintf(label, sizeof label, "%s, problem %zu, %s%s", place_label(place), number, oddity_text(odd),
		 hilbert == CLPAC_HILBERT_TRIMMED ? ", trimmed" : "");
	double *series = malloc(N_CHANNELS * problem.n_samples * sizeof *series);
	float *x = make_odd(problem.n_samples, 7 + number, number % 2 ? 1e-6f : 300, odd, series);
	size_t *source = malloc(problem.n_samples * sizeof *source);
	clpac_context *context = place_open(place);
	clpac_plan *plan = place_plan(context, &problem, &(clpac_plan_options){.max_batch = N_CHANNELS});
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	ck_assert_uint_eq(clpac_result_report(result)->batch_series, N_CHANNELS);
	unsigned char *bins = place_bins(plan, &stride);
	const computed c = {clpac_problem_get(copy), result, odd == ODDITY_NONE && hilbert == CLPAC_HILBERT_LOCAL,
			    label};
	for (size_t channel = 0; channel < N_CHANNELS; channel++) {
		const double *of_channel = series + channel * problem.n_samples;
		oracle_signals *truth = oracle_analyse(c.problem, of_channel);
		struct evidence evidence = evidence_gather(c.problem, of_channel, truth);
		evidence_take_bins(&evidence, truth, bins + channel * N_PHASE * stride, stride, label);
		for (size_t i = 0; i < problem.n_measures * CELLS; i++)
			check_cell(&c, truth, &evidence, clpac_result_of(result, all_measures[i / CELLS]), channel,
				   i % CELLS, source);
		evidence_free(&evidence);
		oracle_signals_free(truth);
	}
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	clpac_problem_destroy(copy);
	free(bins);
	free(series);
	free(source);
	free(x);
}

START_TEST(each_measure_is_that_of_its_definition)
{
	check_measures(round_place(&drawn_rounds, _i), round_problem(&drawn_rounds, _i), ODDITY_NONE,
		       CLPAC_HILBERT_LOCAL);
}

START_TEST(each_measure_of_an_odd_recording_is_within_its_limit)
{
	const size_t number = round_problem(&drawn_rounds, _i);
	for (oddity odd = ODDITY_NONE + 1; odd < ODDITY_COUNT; odd++)
		check_measures(round_place(&drawn_rounds, _i), number, odd, CLPAC_HILBERT_LOCAL);
}

/* Every other oddity in a problem, the others in the next: definitions take seconds. */
START_TEST(each_measure_of_kept_samples_is_within_its_limit)
{
	const size_t number = round_problem(&drawn_rounds, _i);
	for (oddity odd = (oddity)(number % 2); odd < ODDITY_COUNT; odd += 2)
		check_measures(round_place(&drawn_rounds, _i), number, odd, CLPAC_HILBERT_TRIMMED);
}

static void check_same(const clpac_result *alone, const clpac_result *together, clpac_measure measure, size_t place)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n, n_other;
		if (which == CLPAC_PEAK_DISTRIBUTION) /* that of the first measure's peak */
			continue;
		const float *a = clpac_result_array(alone, (clpac_array)which, &n);
		const float *b = clpac_result_array(together, (clpac_array)which, &n_other);
		ck_assert_uint_eq(n, n_other);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])),
				      "%s: value %zu of %s of %s is %.9g alone and %.9g beside others",
				      place_label(place), i, clpac_array_name((clpac_array)which),
				      clpac_measure_text(measure), (double)a[i], (double)b[i]);
	}
}

/* What follows from an index and its surrogates is by its definition. */
static void check_corrections(const clpac_result *result, clpac_measure measure, size_t place)
{
	char label[300];
	snprintf(label, sizeof label, "%s, %s", place_label(place), clpac_measure_text(measure));
	check_discoveries(result, CLPAC_FAMILY_MAP, label);
	ck_assert_uint_gt(check_gamma_tails(result, label), 0);
}

/* Measures share buffers, and so do chunks; with every shift the transforms of bins and of vectors share theirs. */
START_TEST(no_measure_and_no_chunk_changes_another)
{
	const size_t place = (size_t)_i;
	clpac_context *context = place_open(place);
	enum { RANDOM, ALL, NONE, N_NULLS };
	for (int null = RANDOM; null < N_NULLS; null++) {
		clpac_problem problem = usual_problem(1024);
		problem.null = null == ALL ? CLPAC_NULL_ALL_SHIFTS : CLPAC_NULL_SHIFTS;
		problem.shift_step = null == ALL ? 16 : 0;
		problem.n_surrogates = null == RANDOM ? 40 : 0;
		problem.keep_surrogates = null != NONE;
		problem.cluster_alpha = 0.05;
		problem.gamma_tail = problem.keep_distributions = true;
		float *x = make_noise(N_CHANNELS * problem.n_samples, 3, 1);
		clpac_result *together = run_problem(context, &problem, 7, x);
		for (size_t i = 0; i < CLPAC_MEASURE_COUNT; i++) {
			problem.measures = &all_measures[i];
			problem.n_measures = 1;
			clpac_result *alone = run_problem(context, &problem, 0, x);
			ck_assert_int_eq(clpac_result_measure(alone), all_measures[i]);
			check_same(alone, clpac_result_of(together, all_measures[i]), all_measures[i], place);
			if (null != NONE)
				check_corrections(alone, all_measures[i], place);
			clpac_result_destroy(alone);
		}
		clpac_result_destroy(together);
		free(x);
	}
	clpac_context_close(context);
}

/* A wave with sharp peaks, cos phi + cos(2 phi) / 2, of 6 Hz on average.  In a phase band that holds both harmonics its
 * amplitude depends on the phase. */
static void make_peaks(double *wave, double *phase, size_t n)
{
	unsigned long long state = 12;
	double at = 0;
	for (size_t t = 0; t < n; t++) {
		at += 2 * acos(-1) * (6 + 25 * (random_unit(&state) - 0.5)) / 500;
		phase[t] = at;
		wave[t] = cos(at) + cos(2 * at) / 2;
	}
}

/* The wave, a fast rhythm with these sizes, and white noise as large as that. */
static void add_rhythm(float *x, const double *wave, const double *sizes, size_t n)
{
	unsigned long long state = 13;
	double at = 0;
	for (size_t t = 0; t < n; t++) {
		at += 2 * acos(-1) * (80 + 60 * (random_unit(&state) - 0.5)) / 500;
		x[t] = (float)(2 * wave[t] + 0.3 * sizes[t] * cos(at)) + random_signed(&state);
	}
}

/* Every measure of the phase alone takes a fast amplitude that depends on the slow one for coupling, but for pac-glm,
 * which finds the coupling that there is. */
START_TEST(pac_glm_tells_the_phase_from_the_slow_amplitude)
{
	enum { N = 15000 };
	static const clpac_measure measures[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_MVL, CLPAC_MEASURE_GLM,
						 CLPAC_MEASURE_PAC_GLM};
	static float x[2 * N];
	static double wave[N], phase[N], sizes[N];
	clpac_error err;
	clpac_problem_copy *copy;
	clpac_problem problem = usual_problem(N);
	problem.phase_bands = &(clpac_band){4, 16};
	problem.amplitude_bands = &(clpac_band){60, 100};
	problem.n_phase_bands = problem.n_amplitude_bands = 1;
	problem.measures = measures;
	problem.n_measures = COUNT(measures);
	problem.n_surrogates = 200;
	problem.min_shift = 500;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	make_peaks(wave, phase, N);
	oracle_signals *slow = oracle_analyse(clpac_problem_get(copy), wave);
	for (size_t t = 0; t < N; t++)
		sizes[t] = fmax(0, 1.7 - (double)slow->strength[t]);
	add_rhythm(x, wave, sizes, N);
	for (size_t t = 0; t < N; t++)
		sizes[t] = 1 + cos(phase[t] + 2);
	add_rhythm(x + N, wave, sizes, N);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = run_problem(context, &problem, 0, x);
	for (size_t i = 0; i < COUNT(measures); i++) {
		const float *p = clpac_result_array(clpac_result_of(result, measures[i]), CLPAC_P, NULL);
		const bool is_beside = measures[i] == CLPAC_MEASURE_PAC_GLM;
		ck_assert_msg(is_beside ? p[0] > 0.1f : p[0] < 0.01f, "%s: p of %s, of the slow amplitude, is %g",
			      place_label((size_t)_i), clpac_measure_text(measures[i]), (double)p[0]);
		ck_assert_msg(p[1] < 0.01f, "%s: p of %s, of the phase, is %g", place_label((size_t)_i),
			      clpac_measure_text(measures[i]), (double)p[1]);
	}
	clpac_result_destroy(result);
	clpac_context_close(context);
	oracle_signals_free(slow);
	clpac_problem_destroy(copy);
}

TCase *measure_laws(size_t n_places, size_t n_problems)
{
	TCase *t = tcase_create("measures");
	drawn_rounds = (place_rounds){n_places, n_problems};
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, each_measure_is_that_of_its_definition, 0, rounds_count(&drawn_rounds));
	tcase_add_loop_test(t, each_measure_of_an_odd_recording_is_within_its_limit, 0, rounds_count(&drawn_rounds));
	tcase_add_loop_test(t, each_measure_of_kept_samples_is_within_its_limit, 0, rounds_count(&drawn_rounds));
	return t;
}

TCase *measure_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("measures, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, no_measure_and_no_chunk_changes_another, 0, n);
	tcase_add_loop_test(t, pac_glm_tells_the_phase_from_the_slow_amplitude, 0, n);
	return t;
}
