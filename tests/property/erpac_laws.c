/* Coupling across trials is what its definition says of the continuous signal's phases and amplitudes, and neither
 * pieces nor units nor the order of trials change it. */
#include "erpac_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/erpac.h>

#include "assertions.h"
#include "contract/places.h"
#include "erpac_truth.h"
#include "oracle.h"
#include "coupling/passes/erpac_sums.h"
#include "random.h"
#include "results.h"
#include "coupling/signal/draws.h"

enum { N_CHANNELS = 2, N_SAMPLES = 9000, LENGTH = 130, STEP = 7, N_TIMES = 19, CELLS = 6, K = 19, MOST = 20 };

static const double rate_hz = 500;
static const clpac_band phase_bands[] = {{4, 8}, {9, 14}};
/* The second is too narrow to carry the phases. */
static const clpac_band amplitude_bands[] = {{60, 100}, {120, 124}, {90, 140}};
static const clpac_window stretches[] = {{11, 4400}, {4500, 4400}};
static const clpac_window trials[] = {{700, LENGTH},  {5300, LENGTH}, {1250, LENGTH}, {1810, LENGTH},
				      {2333, LENGTH}, {2900, LENGTH}, {3500, LENGTH}, {5900, LENGTH},
				      {6400, LENGTH}, {6999, LENGTH}, {7500, LENGTH}, {8001, LENGTH}};
static const clpac_pair crossed[] = {{1, 0}, {0, 1}, {1, 1}};
static const size_t channel_numbers[N_CHANNELS] = {4, 9};
static const size_t trial_numbers[COUNT(trials)] = {0, 9, 1, 2, 3, 4, 5, 10, 11, 12, 13, 20};

typedef struct made {
	clpac_problem problem;
	double *x;
	oracle_signals *truth[N_CHANNELS][COUNT(stretches)];
} made;

static void make(made *m)
{
	unsigned long long state = 31;
	clpac_problem_copy *copy = NULL;
	clpac_error err;
	memset(m, 0, sizeof *m);
	m->problem = (clpac_problem){.size = sizeof(clpac_problem),
				     .rate_hz = rate_hz,
				     .n_channels = N_CHANNELS,
				     .channel_numbers = channel_numbers,
				     .n_samples = N_SAMPLES,
				     .phase_bands = phase_bands,
				     .n_phase_bands = 2,
				     .amplitude_bands = amplitude_bands,
				     .n_amplitude_bands = 3,
				     .n_surrogates = K,
				     .null = CLPAC_NULL_TRIALS,
				     .seed = 3,
				     .stretches = stretches,
				     .n_stretches = COUNT(stretches),
				     .windows = trials,
				     .n_windows = COUNT(trials),
				     .segment_numbers = trial_numbers,
				     .separate_windows = true};
	assert_works(clpac_problem_complete(&m->problem, &copy, &err), err);
	m->x = malloc(N_CHANNELS * N_SAMPLES * sizeof *m->x);
	for (size_t c = 0; c < N_CHANNELS; c++) {
		double drift = 0, *x = m->x + c * N_SAMPLES;
		for (size_t t = 0; t < N_SAMPLES; t++)
			x[t] = NAN;
		for (size_t s = 0; s < COUNT(stretches); s++) {
			const double offset = 500 * random_unit(&state);
			for (size_t t = 0; t < stretches[s].n_samples; t++)
				x[stretches[s].start + t] = offset + random_drifting(&state, &drift);
			clpac_problem alone = *clpac_problem_get(copy);
			alone.stretches = alone.windows = NULL;
			alone.n_samples = stretches[s].n_samples;
			m->truth[c][s] = oracle_analyse(&alone, x + stretches[s].start);
		}
	}
	clpac_problem_destroy(copy);
}

static void unmake(made *m)
{
	for (size_t i = 0; i < N_CHANNELS * COUNT(stretches); i++)
		oracle_signals_free(m->truth[i / COUNT(stretches)][i % COUNT(stretches)]);
	free(m->x);
}

static clpac_status run_with(clpac_context *const *contexts, size_t n, const made *m, const clpac_erpac *erpac,
			     const clpac_plan_options *options, clpac_result **out, clpac_error *err)
{
	const void *channels[N_CHANNELS] = {m->x, m->x + N_SAMPLES};
	clpac_erpac own = *erpac;
	own.problem = own.problem ? own.problem : &m->problem;
	return clpac_erpac_run(contexts, n, &own, options,
			       &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels}, out, err);
}

static clpac_result *run_on(clpac_context *const *contexts, size_t n, const made *m, const clpac_plan_options *options)
{
	clpac_error err;
	clpac_result *result = NULL;
	OK(run_with(contexts, n, m, &(clpac_erpac){.step = STEP, .from_s = -0.1}, options, &result, &err));
	return result;
}

static const float *array_of(const clpac_result *result, clpac_array which)
{
	return clpac_result_array(result, which, NULL);
}

/* --- The definition --- */

/* A cell at a point in time: the trials' amplitudes and phases. */
static void look(const made *m, clpac_pair pair, size_t cell, size_t at, erpac_point *out)
{
	out->n = COUNT(trials);
	for (size_t i = 0; i < COUNT(trials); i++) {
		const size_t s = trials[i].start >= stretches[1].start;
		const oracle_signals *phase = m->truth[pair.phase][s], *amplitude = m->truth[pair.amplitude][s];
		const size_t t = trials[i].start - stretches[s].start + at * STEP;
		out->direction[i] = phase->direction[cell / 3 * phase->kept + t];
		out->strength[i] = phase->strength[cell / 3 * phase->kept + t];
		out->amplitude[i] = amplitude->amplitude[cell % 3 * amplitude->kept + t];
	}
}

/* Whether p is (1 + those that reach the value) / (1 + K), where those within the limit of it may count or not. */
static void assert_p(float p, oracle_real value, const oracle_real *others, oracle_real limit, const char *what,
		     size_t place, size_t row, size_t at, size_t cell)
{
	size_t least = 1, most = 1;
	for (size_t k = 0; k < K; k++) {
		least += others[k] >= value + limit;
		most += others[k] >= value - limit;
	}
	const float n = roundf(p * (1 + K));
	ck_assert_msg(fabsf(n - p * (1 + K)) < 1e-3f && n >= (float)least && n <= (float)most,
		      "%s: %s of cell %zu at point %zu of row %zu is %g x %d, not %zu to %zu", place_label(place), what,
		      cell, at, row, (double)p, 1 + K, least, most);
}

static void check_row(const made *m, const clpac_result *result, size_t place, size_t row, clpac_pair pair)
{
	static oracle_real rho[N_TIMES * CELLS], others[N_TIMES * CELLS][K], maxima[K];
	oracle_real limits[N_TIMES * CELLS], widest = 0;
	uint32_t orders[K][COUNT(trials)];
	clpac_error err;
	const size_t n = N_TIMES * CELLS;
	for (size_t k = 0; k < K; k++) {
		maxima[k] = 0;
		OK(clpac__draw_order(m->problem.seed, (uint32_t)channel_numbers[pair.amplitude], trial_numbers,
				     COUNT(trials), (uint32_t)k, orders[k], &err));
	}
	for (size_t i = 0; i < n; i++) {
		erpac_point point;
		look(m, pair, i % CELLS, i / CELLS, &point);
		rho[i] = erpac_truth(&point, NULL);
		limits[i] = erpac_truth_limit(&point);
		widest = limits[i] > widest ? limits[i] : widest;
		for (size_t k = 0; k < K; k++) {
			others[i][k] = erpac_truth(&point, orders[k]);
			if (i % 3 != 1 && others[i][k] > maxima[k])
				maxima[k] = others[i][k];
		}
	}
	ck_assert_msg(widest < 0.01L, "the test's phases are too uncertain: %Lg", widest);
	for (size_t i = 0; i < n; i++) {
		const float got = array_of(result, CLPAC_MI)[row * n + i];
		ck_assert_msg(fabsl(got - rho[i]) <= limits[i],
			      "%s: rho of cell %zu at point %zu of row %zu is %.9g, not %.9Lg within %.2Lg",
			      place_label(place), i % CELLS, i / CELLS, row, (double)got, rho[i], limits[i]);
		assert_p(array_of(result, CLPAC_P)[row * n + i], rho[i], others[i], 2 * limits[i], "p", place, row,
			 i / CELLS, i % CELLS);
		const float p_max = array_of(result, CLPAC_P_MAX)[row * n + i];
		if (i % 3 == 1)
			ck_assert(isnan(p_max));
		else
			assert_p(p_max, rho[i], maxima, limits[i] + widest, "p_max", place, row, i / CELLS, i % CELLS);
	}
}

START_TEST(rho_and_p_are_those_of_the_definition)
{
	const size_t place = (size_t)_i;
	made m;
	make(&m);
	clpac_context *context = place_open(place);
	clpac_result *result = run_on(&context, 1, &m, NULL);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	ck_assert_uint_eq(shape->n_segments, N_TIMES);
	ck_assert_uint_eq(shape->n_channels, N_CHANNELS);
	ck_assert_int_eq(clpac_result_measure(result), CLPAC_MEASURE_RHO);
	for (size_t c = 0; c < N_CHANNELS; c++)
		check_row(&m, result, place, c, (clpac_pair){c, c});
	for (size_t t = 0; t < N_TIMES; t++) {
		assert_close(clpac_result_segment_onsets(result)[t], -0.1 + (double)(t * STEP) / rate_hz, 1e-12);
		ck_assert_uint_eq(clpac_result_n_stretches(result)[t], COUNT(trials));
	}
	ck_assert_msg(strncmp(clpac_result_problem(result), "erpac=12 from_s=-0.1 step=7 rate=500 ", 37) == 0, "%s",
		      clpac_result_problem(result));
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SEGMENTS].count, N_CHANNELS);
	clpac_result_destroy(result);
	m.problem.pairs = crossed;
	m.problem.n_pairs = COUNT(crossed);
	result = run_on(&context, 1, &m, NULL);
	for (size_t row = 0; row < COUNT(crossed); row++)
		check_row(&m, result, place, row, crossed[row]);
	ck_assert_str_eq(clpac_result_pair_channel(result, 0, CLPAC_PHASE), "1");
	ck_assert_msg(strstr(clpac_result_problem(result), " step=7 pairs=1:0,0:1,1:1 rate=500 ") != NULL, "%s",
		      clpac_result_problem(result));
	clpac_result_destroy(result);
	clpac_context_close(context);
	unmake(&m);
}

/* --- Trials made up --- */

typedef struct made_up {
	clpac__trials trials;
	float *values;
	const float *vectors[MOST], *amplitudes[MOST];
	uint32_t *orders;
	uint8_t valid[16];
	clpac__trial_sums sums;
} made_up;

/* Trials of noise: phases turn, amplitudes are lengths of two normal numbers. */
static void make_up(made_up *m, size_t n, size_t n_phase, size_t n_amplitude, size_t n_times, size_t n_orders,
		    unsigned long long seed)
{
	unsigned long long state = seed;
	const size_t each = (2 * n_phase + n_amplitude) * n_times, cells = n_phase * n_amplitude * n_times;
	clpac_error err;
	*m = (made_up){.trials = {.n = n,
				  .n_phase = n_phase,
				  .n_amplitude = n_amplitude,
				  .n_times = n_times,
				  .n_orders = n_orders,
				  .vectors = m->vectors,
				  .amplitudes = m->amplitudes,
				  .valid = m->valid}};
	m->values = malloc(n * each * sizeof(float));
	m->orders = malloc(n_orders * n * sizeof *m->orders);
	m->trials.orders = m->orders;
	memset(m->valid, 1, sizeof m->valid);
	for (size_t i = 0; i < n; i++) {
		float *vector = m->values + i * each, *amplitude = vector + 2 * n_phase * n_times;
		m->vectors[i] = vector;
		m->amplitudes[i] = amplitude;
		for (size_t row = 0; row < n_phase; row++) {
			double angle = 2 * 3.14159265358979 * random_unit(&state);
			for (size_t t = 0; t < n_times; t++, angle += 0.3 + 0.1 * random_unit(&state)) {
				*vector++ = (float)cos(angle);
				*vector++ = (float)sin(angle);
			}
		}
		for (size_t k = 0; k < n_amplitude * n_times; k++)
			amplitude[k] = (float)sqrt(-2 * log(1 - random_unit(&state)));
	}
	for (size_t k = 0; k < n_orders; k++)
		OK(clpac__draw_order(seed, 0, NULL, n, (uint32_t)k, m->orders + k * n, &err));
	m->sums.squares = malloc((2 * cells + n_orders) * sizeof(float));
	m->sums.counts = m->sums.squares + cells;
	m->sums.maxima = m->sums.counts + cells;
}

static size_t n_sums(const made_up *m)
{
	return 2 * m->trials.n_phase * m->trials.n_amplitude * m->trials.n_times + m->trials.n_orders;
}

static void forget(made_up *m)
{
	free(m->values);
	free(m->orders);
	free(m->sums.squares);
}

START_TEST(pieces_within_a_budget_give_the_same_bits)
{
	made_up m;
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	make_up(&m, 13, 3, 5, 83, 40, 5);
	OK(clpac__trials_sum(context, UINT64_MAX, &m.trials, &m.sums, &err));
	ck_assert_uint_ge(m.sums.times_at_once, 83);
	ck_assert_uint_eq(m.sums.orders_at_once, 40);
	float *whole = malloc(n_sums(&m) * sizeof(float));
	memcpy(whole, m.sums.squares, n_sums(&m) * sizeof(float));
	size_t n_ways = 0;
	clpac_status st = CLPAC_OK;
	for (uint64_t budget = m.sums.taken_bytes - 1; budget; budget = budget * 7 / 8) {
		for (size_t i = 0; i < n_sums(&m); i++)
			m.sums.squares[i] = NAN;
		st = clpac__trials_sum(context, budget, &m.trials, &m.sums, &err);
		if (st != CLPAC_OK)
			break;
		n_ways++;
		ck_assert_uint_le(m.sums.taken_bytes, budget);
		ck_assert_msg(memcmp(whole, m.sums.squares, n_sums(&m) * sizeof(float)) == 0,
			      "%s: %zu times and %zu orders at once give other bits", place_label((size_t)_i),
			      m.sums.times_at_once, m.sums.orders_at_once);
	}
	ck_assert_uint_gt(n_ways, 5);
	ck_assert(m.sums.orders_at_once < 40 && m.sums.times_at_once < 83);
	assert_refused(st, err, CLPAC_ERROR_NO_DEVICE_MEMORY, "points in time of 13 trials");
	free(whole);
	forget(&m);
	clpac_context_close(context);
}

START_TEST(neither_units_nor_turned_phases_nor_the_order_of_trials_count)
{
	made_up m;
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	make_up(&m, 11, 2, 3, 10, 1, 8);
	const size_t n = 60, each = (2 * 2 + 3) * 10;
	float before[60];
	OK(clpac__trials_sum(context, UINT64_MAX, &m.trials, &m.sums, &err));
	memcpy(before, m.sums.squares, sizeof before);
	for (size_t i = 0; i < 11; i++)
		for (size_t k = 0; k < each; k += k < 40 ? 2 : 1) {
			float *value = m.values + i * each + k;
			if (k >= 40) {
				*value = 3.7f * *value + 2;
				continue;
			}
			const float x = value[0];
			value[0] = 0.6f * x - 0.8f * value[1];
			value[1] = 0.8f * x + 0.6f * value[1];
		}
	for (size_t i = 0; i < 5; i++) {
		const float *vector = m.vectors[i], *amplitude = m.amplitudes[i];
		m.vectors[i] = m.vectors[10 - i];
		m.amplitudes[i] = m.amplitudes[10 - i];
		m.vectors[10 - i] = vector;
		m.amplitudes[10 - i] = amplitude;
	}
	OK(clpac__trials_sum(context, UINT64_MAX, &m.trials, &m.sums, &err));
	for (size_t i = 0; i < n; i++)
		assert_close(m.sums.squares[i], before[i], 1e-5);
	forget(&m);
	clpac_context_close(context);
}

START_TEST(what_does_not_vary_has_no_value)
{
	made_up m;
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	make_up(&m, 6, 2, 2, 5, 3, 2);
	for (size_t i = 0; i < 6; i++) {
		((float *)m.amplitudes[i])[1 * 5 + 2] = 7; /* the second amplitude band at the third point */
		((float *)m.vectors[i])[2 * (1 * 5 + 4)] = i % 2 ? 1 : -1; /* two phases at the last point */
		((float *)m.vectors[i])[2 * (1 * 5 + 4) + 1] = 0;
	}
	OK(clpac__trials_sum(context, UINT64_MAX, &m.trials, &m.sums, &err));
	for (size_t at = 0; at < 5; at++)
		for (size_t cell = 0; cell < 4; cell++)
			ck_assert_int_eq(isnan(m.sums.squares[at * 4 + cell]) != 0,
					 (at == 2 && cell % 2 == 1) || (at == 4 && cell / 2 == 1));
	for (size_t k = 0; k < 3; k++)
		ck_assert(m.sums.maxima[k] > 0 && m.sums.maxima[k] <= 1.00001f);
	forget(&m);
	clpac_context_close(context);
}

/* Of 300 maps of noise, 15 are expected to have a cell whose square 95 of 99 maxima do not reach, with a deviation of
 * 3.8; four of them are allowed. */
START_TEST(maps_of_noise_are_significant_as_often_as_they_say)
{
	enum { N_MAPS = 300, N_ORDERS = 99 };
	clpac_error err;
	size_t n_significant = 0;
	clpac_context *context = place_open((size_t)_i);
	for (unsigned long long map = 0; map < N_MAPS; map++) {
		made_up m;
		make_up(&m, 15, 2, 3, 8, N_ORDERS, 1000 + map);
		OK(clpac__trials_sum(context, UINT64_MAX, &m.trials, &m.sums, &err));
		float highest = 0;
		size_t n_above = 1;
		for (size_t i = 0; i < 48; i++)
			highest = fmaxf(highest, m.sums.squares[i]);
		for (size_t k = 0; k < N_ORDERS; k++)
			n_above += m.sums.maxima[k] >= highest * clpac__trials_reach;
		n_significant += n_above <= 5;
		forget(&m);
	}
	ck_assert_msg(n_significant >= 1 && n_significant <= 30, "%zu of %d maps have p_max <= 0.05", n_significant,
		      N_MAPS);
	clpac_context_close(context);
}

/* --- Recordings --- */

START_TEST(coupling_is_found_at_its_time)
{
	enum { N = 62000, N_TRIALS = 40, WINDOW = 600, FROM = 300, TO = 400 };
	static const clpac_band phase[] = {{4, 8}}, amplitude[] = {{60, 100}};
	unsigned long long state = 77;
	float *x = malloc(N * sizeof *x);
	clpac_window windows[N_TRIALS];
	clpac_result *result = NULL;
	clpac_error err;
	double drift = 0;
	for (size_t t = 0; t < N; t++)
		x[t] = (float)(0.3 * random_drifting(&state, &drift));
	for (size_t i = 0; i < N_TRIALS; i++) {
		const double first = 6.28 * random_unit(&state);
		windows[i] = (clpac_window){1000 + i * 1450, WINDOW};
		/* Both go on beyond the window, as far as filters reach. */
		for (int t = -400; t < WINDOW + 400; t++) {
			const double slow = cos(2 * 3.14159265 * 6 * t / rate_hz + first);
			const double gain = t >= FROM && t < TO ? 1 + slow : 1;
			x[(size_t)((int)windows[i].start + t)] +=
				(float)(3 * slow + gain * cos(2 * 3.14159265 * 80 * t / rate_hz));
		}
	}
	clpac_problem problem = {.size = sizeof problem,
				 .rate_hz = rate_hz,
				 .n_samples = N,
				 .phase_bands = phase,
				 .n_phase_bands = 1,
				 .amplitude_bands = amplitude,
				 .n_amplitude_bands = 1,
				 .n_surrogates = 199,
				 .windows = windows,
				 .n_windows = N_TRIALS};
	const clpac_erpac erpac = {.problem = &problem, .from_s = -0.5, .step = 10, .condition = "go"};
	const void *channels[] = {x};
	const char *names[] = {"Cz"};
	clpac_context *context = place_open((size_t)_i);
	OK(clpac_erpac_run(&context, 1, &erpac, NULL,
			   &(clpac_samples){.type = CLPAC_FLOAT32, .channels = channels, .names = names}, &result,
			   &err));
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	const double at_s = clpac_result_segment_onsets(result)[peak.segment];
	ck_assert_msg(at_s >= 0.08 && at_s <= 0.32 && peak.mi > 0.7f, "%s: rho %g at %g s", place_label((size_t)_i),
		      (double)peak.mi, at_s);
	assert_close(peak.p_max, 1.0 / 200, 1e-7);
	for (size_t t = 0; t < clpac_result_get_shape(result)->n_segments; t++) {
		const double at = clpac_result_segment_onsets(result)[t];
		if ((at > -0.4 && at < -0.15) || at > 0.5)
			ck_assert_msg(array_of(result, CLPAC_P_MAX)[t] > 0.05f, "p_max %g at %g s",
				      (double)array_of(result, CLPAC_P_MAX)[t], at);
	}
	ck_assert_str_eq(clpac_result_channel_name(result, 0), "Cz");
	ck_assert_str_eq(clpac_result_condition(result, 3), "go");
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SEGMENTS].count, 0);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

START_TEST(neither_other_channels_nor_devices_nor_batches_change_a_bit)
{
	static const clpac_plan_options options[] = {{.max_batch = 1}, {.strategy = CLPAC_STRATEGY_SEQUENTIAL}};
	const size_t n = N_TIMES * CELLS;
	made m;
	make(&m);
	clpac_context *contexts[2] = {place_open((size_t)_i), place_open((size_t)_i)};
	clpac_result *all = run_on(contexts, 1, &m, NULL);
	for (size_t i = 0; i < COUNT(options); i++) {
		clpac_result *other = run_on(contexts, 1, &m, &options[i]);
		results_same_bits(all, other, place_label((size_t)_i), "other options");
		clpac_result_destroy(other);
	}
	clpac_result *both = run_on(contexts, 2, &m, NULL);
	results_same_bits(all, both, place_label((size_t)_i), "two devices");
	clpac_result_destroy(both);
	m.problem.n_channels = 1;
	clpac_result *alone = run_on(contexts, 1, &m, NULL);
	ck_assert(memcmp(array_of(all, CLPAC_P_MAX), array_of(alone, CLPAC_P_MAX), n * sizeof(float)) == 0);
	clpac_result_destroy(alone);
	m.problem.n_channels = 2;
	/* The trials of a stretch that is not finite are left out of its channel, as if they had not been given. */
	m.x[trials[3].start + 5] = INFINITY;
	clpac_result *without = run_on(contexts, 1, &m, NULL);
	ck_assert(memcmp(array_of(all, CLPAC_P_MAX) + n, array_of(without, CLPAC_P_MAX) + n, n * sizeof(float)) == 0);
	ck_assert_uint_eq(clpac_result_n_stretches(without)[0], 6);
	ck_assert_uint_eq(clpac_result_n_stretches(without)[N_TIMES], COUNT(trials));
	ck_assert_uint_gt(clpac_result_report(without)->warnings[CLPAC_WARN_NOT_FINITE].count, 0);
	clpac_window windows[6];
	size_t numbers[6], n_left = 0;
	for (size_t i = 0; i < COUNT(trials); i++)
		if (trials[i].start >= stretches[1].start) {
			numbers[n_left] = trial_numbers[i];
			windows[n_left++] = trials[i];
		}
	ck_assert_uint_eq(n_left, 6);
	m.problem.windows = windows;
	m.problem.segment_numbers = numbers;
	m.problem.n_windows = 6;
	clpac_result *others = run_on(contexts, 1, &m, NULL);
	ck_assert(memcmp(array_of(others, CLPAC_P_MAX), array_of(without, CLPAC_P_MAX), n * sizeof(float)) == 0);
	clpac_result_destroy(others);
	clpac_result_destroy(without);
	clpac_result_destroy(all);
	for (size_t i = 0; i < 2; i++)
		clpac_context_close(contexts[i]);
	unmake(&m);
}

START_TEST(without_permutations_there_is_rho_alone)
{
	made m;
	make(&m);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *all = run_on(&context, 1, &m, NULL);
	m.problem.n_surrogates = 0;
	m.problem.null = CLPAC_NULL_SHIFTS;
	clpac_result *alone = run_on(&context, 1, &m, NULL);
	ck_assert(memcmp(array_of(all, CLPAC_MI), array_of(alone, CLPAC_MI), N_CHANNELS * N_TIMES * CELLS * 4) == 0);
	ck_assert(!array_of(alone, CLPAC_P) && !array_of(alone, CLPAC_P_MAX));
	clpac_result_destroy(alone);
	clpac_result_destroy(all);
	clpac_context_close(context);
	unmake(&m);
}

/* Shares of the whole, as the caller hears of them. */
struct heard {
	double last, most; /* stops there */
	size_t n;
};

static bool hear(void *user, size_t done, size_t total)
{
	struct heard *so_far = user;
	const double share = (double)done / (double)total;
	ck_assert_msg(share >= so_far->last && share <= 1, "%g follows %g", share, so_far->last);
	so_far->last = share;
	so_far->n++;
	return share <= so_far->most;
}

START_TEST(progress_is_that_of_the_whole)
{
	made m;
	clpac_error err;
	make(&m);
	clpac_context *context = place_open((size_t)_i);
	struct heard heard = {.most = 2};
	const clpac_plan_options options = {.max_batch = 2, .progress = hear, .progress_user = &heard};
	clpac_result *result = run_on(&context, 1, &m, &options);
	ck_assert(heard.last == 1 && heard.n > COUNT(trials));
	clpac_result_destroy(result);
	result = NULL;
	for (double most = 0.3; most < 1; most += 0.5) { /* in the filters, and in the correlations */
		heard = (struct heard){.most = most};
		assert_refused(run_with(&context, 1, &m, &(clpac_erpac){.step = STEP}, &options, &result, &err), err,
			       CLPAC_ERROR_CANCELLED, "stopped");
	}
	clpac_context_close(context);
	unmake(&m);
}

START_TEST(what_cannot_be_correlated_is_refused)
{
	static const clpac_window twice[] = {{700, LENGTH},  {1250, LENGTH}, {1810, LENGTH},
					     {1810, LENGTH}, {2333, LENGTH}, {2900, LENGTH}};
	static const size_t shifts[] = {3};
	clpac_error err;
	clpac_result *result = NULL;
	made m;
	make(&m);
	clpac_context *context = place_open((size_t)_i), *none[] = {NULL};
	const clpac_problem good = m.problem;
	struct {
		clpac_problem problem;
		const char *why;
	} wrong[15];
	size_t n = 0;
	for (size_t i = 0; i < COUNT(wrong); i++)
		wrong[i].problem = good;
#define WRONG(member, text)                                                                                            \
	do {                                                                                                           \
		clpac_problem *p = &wrong[n].problem;                                                                  \
		wrong[n++].why = text;                                                                                 \
		member;                                                                                                \
	} while (0)
	WRONG(p->tied_amplitudes = true, "tied_amplitudes");
	WRONG(p->hilbert = CLPAC_HILBERT_TRIMMED, "CLPAC_HILBERT_TRIMMED");
	WRONG(p->shifts = shifts, "shifts");
	WRONG(p->min_shift = 4, "min_shift");
	WRONG(p->cluster_alpha = 0.05, "cluster_alpha");
	WRONG(p->gamma_tail = true, "gamma_tail");
	WRONG(p->keep_surrogates = true, "keep_surrogates");
	WRONG(p->keep_distributions = true, "keep_distributions");
	WRONG(p->joined_windows = true, "joined_windows");
	WRONG(p->family = CLPAC_FAMILY_RUN, "CLPAC_FAMILY_RUN");
	WRONG(p->null = CLPAC_NULL_PHASES, "null is 4");
	WRONG(p->n_windows = 4, "4 trials");
	WRONG((p->windows = twice, p->n_windows = COUNT(twice), p->segment_numbers = NULL), "begin with sample 1810");
	WRONG(p->rate_hz = 0, "rate_hz is 0");
	for (size_t i = 0; i < n; i++)
		assert_refused(
			run_with(&context, 1, &m, &(clpac_erpac){.problem = &wrong[i].problem}, NULL, &result, &err),
			err, CLPAC_ERROR_ARGUMENT, wrong[i].why);
	assert_refused(run_with(&context, 0, &m, &(clpac_erpac){.step = 1}, NULL, &result, &err), err,
		       CLPAC_ERROR_ARGUMENT, "n_contexts is 0");
	assert_refused(run_with(none, 1, &m, &(clpac_erpac){.step = 1}, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "context 0 is NULL");
	assert_refused(run_with(&context, 1, &m, &(clpac_erpac){.from_s = NAN}, NULL, &result, &err), err,
		       CLPAC_ERROR_ARGUMENT, "from_s is nan");
	assert_refused(clpac_erpac_run(&context, 1, &(clpac_erpac){.step = 1}, NULL,
				       &(clpac_samples){.type = CLPAC_FLOAT64}, &result, &err),
		       err, CLPAC_ERROR_ARGUMENT, "problem is NULL");
	assert_refused(clpac_erpac_run(&context, 1, &(clpac_erpac){.problem = &good}, NULL,
				       &(clpac_samples){.type = CLPAC_FLOAT64}, &result, &err),
		       err, CLPAC_ERROR_ARGUMENT, "no samples");
	ck_assert_ptr_null(result);
	clpac_context_close(context);
	unmake(&m);
}

START_TEST(overlapping_trials_are_warned_of)
{
	static const clpac_window close[] = {{700, LENGTH},  {750, LENGTH},  {1250, LENGTH},
					     {1810, LENGTH}, {2333, LENGTH}, {2400, LENGTH}};
	made m;
	make(&m);
	m.problem.windows = close;
	m.problem.n_windows = COUNT(close);
	m.problem.segment_numbers = NULL;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = run_on(&context, 1, &m, NULL);
	const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SEGMENTS];
	ck_assert_msg(strstr(warning->text, "2 of 6 trials overlap") != NULL, "%s", warning->text);
	clpac_result_destroy(result);
	clpac_context_close(context);
	unmake(&m);
}

START_TEST(every_allocation_that_fails_is_reported)
{
	clpac_error err;
	clpac_result *result = NULL;
	made m;
	make(&m);
	clpac_context *context = place_open((size_t)_i);
	m.problem.n_windows = 6;
	m.problem.n_surrogates = 2;
	m.problem.n_phase_bands = m.problem.n_amplitude_bands = 1;
	const clpac_erpac erpac = {.step = 40, .condition = "go"};
	/* The kernels and transforms are there before. */
	OK(run_with(&context, 1, &m, &erpac, NULL, &result, &err));
	clpac_result_destroy(result);
	result = NULL;
	assert_survives_failing_allocations(run_with(&context, 1, &m, &erpac, NULL, &result, &err),
					    clpac_result_destroy(result));
	clpac_context_close(context);
	unmake(&m);
}

TCase *erpac_laws(size_t n_places)
{
	TCase *t = tcase_create("coupling across trials");
	const int n = (int)n_places;
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, rho_and_p_are_those_of_the_definition, 0, n);
	tcase_add_loop_test(t, neither_units_nor_turned_phases_nor_the_order_of_trials_count, 0, n);
	tcase_add_loop_test(t, what_does_not_vary_has_no_value, 0, n);
	tcase_add_loop_test(t, coupling_is_found_at_its_time, 0, n);
	tcase_add_loop_test(t, without_permutations_there_is_rho_alone, 0, n);
	/* One way will do: kernels allocate nothing. */
	if (strncmp(place_label(0), "native", 6) == 0)
		tcase_add_loop_test(t, every_allocation_that_fails_is_reported, 0, 1);
	return t;
}

TCase *erpac_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("coupling across trials, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, pieces_within_a_budget_give_the_same_bits, 0, n);
	tcase_add_loop_test(t, maps_of_noise_are_significant_as_often_as_they_say, 0, n);
	tcase_add_loop_test(t, neither_other_channels_nor_devices_nor_batches_change_a_bit, 0, n);
	tcase_add_loop_test(t, progress_is_that_of_the_whole, 0, n);
	tcase_add_loop_test(t, what_cannot_be_correlated_is_refused, 0, n);
	tcase_add_loop_test(t, overlapping_trials_are_warned_of, 0, n);
	return t;
}
