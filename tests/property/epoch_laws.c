/* Each window has the bins, the index and the surrogates that the continuous signal of its stretch has there, and
 * neither the other windows nor the way of computing change them. */
#include "epoch_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/cautions.h>
#include <clpac/estimate.h>
#include <clpac/plan.h>

#include "assertions.h"
#include "contract/places.h"
#include "oracle.h"
#include "random.h"
#include "results.h"
#include "coupling/signal/draws.h"

enum { N_CHANNELS = 2, N_SAMPLES = 9000, N_STRETCHES = 3, CELLS = 4, N_BINS = 18, MOST = 16, K = 6 };

static const double rate_hz = 500;
static const clpac_band phase_bands[] = {{4, 8}, {9, 14}}, amplitude_bands[] = {{60, 100}, {90, 140}};
static const clpac_window stretches[N_STRETCHES] = {{11, 1500}, {1511, 3000}, {5000, 3999}};

/* Windows of several lengths, at and near the ends of stretches and far from them, in no order, one of them twice. */
static const clpac_window mixed[] = {{5600, 400}, {11, 200},   {1381, 130}, {1511, 300}, {4300, 211}, {3000, 400},
				     {8599, 400}, {5900, 400}, {5600, 400}, {100, 400},	 {3100, 300}, {5500, 300}};
/* Far enough from the ends for permutations. */
static const clpac_window alike[] = {{6000, 400}, {5700, 400}, {6600, 400}, {7300, 400}, {2500, 400}};

typedef struct made {
	clpac_problem problem;
	double *x;
	oracle_signals *truth[N_CHANNELS][N_STRETCHES];
} made;

static void make(made *m, const clpac_window *windows, size_t n_windows)
{
	unsigned long long state = 9;
	clpac_problem_copy *copy = NULL;
	clpac_error err;
	memset(m, 0, sizeof *m);
	m->problem = (clpac_problem){.size = sizeof(clpac_problem),
				     .rate_hz = rate_hz,
				     .n_channels = N_CHANNELS,
				     .n_samples = N_SAMPLES,
				     .phase_bands = phase_bands,
				     .n_phase_bands = 2,
				     .amplitude_bands = amplitude_bands,
				     .n_amplitude_bands = 2,
				     .n_surrogates = K,
				     .seed = 3,
				     .keep_surrogates = true,
				     .keep_distributions = true,
				     .stretches = stretches,
				     .n_stretches = N_STRETCHES,
				     .windows = windows,
				     .n_windows = n_windows,
				     .separate_windows = true};
	assert_works(clpac_problem_complete(&m->problem, &copy, &err), err);
	m->x = malloc(N_CHANNELS * N_SAMPLES * sizeof *m->x);
	for (size_t c = 0; c < N_CHANNELS; c++) {
		double drift = 0, *x = m->x + c * N_SAMPLES;
		for (size_t t = 0; t < N_SAMPLES; t++)
			x[t] = NAN;
		for (size_t s = 0; s < N_STRETCHES; s++) {
			/* A mean that a window's own would not be. */
			const double offset = 500 * random_unit(&state);
			for (size_t t = 0; t < stretches[s].n_samples; t++)
				x[stretches[s].start + t] =
					offset + random_drifting(&state, &drift) + 20 * (double)t / N_SAMPLES;
			clpac_problem alone = *clpac_problem_get(copy);
			alone.stretches = alone.windows = NULL;
			alone.n_samples = stretches[s].n_samples;
			m->truth[c][s] = oracle_analyse(&alone, x + stretches[s].start);
			ck_assert_uint_eq(m->truth[c][s]->n_doubtful, 0);
		}
	}
	clpac_problem_destroy(copy);
}

static void unmake(made *m)
{
	for (size_t i = 0; i < N_CHANNELS * N_STRETCHES; i++)
		oracle_signals_free(m->truth[i / N_STRETCHES][i % N_STRETCHES]);
	free(m->x);
}

static clpac_result *run_on(clpac_context *const *contexts, size_t n, const made *m, const clpac_plan_options *options)
{
	clpac_error err;
	clpac_result *result = NULL;
	const void *channels[N_CHANNELS] = {m->x, m->x + N_SAMPLES};
	assert_works(clpac_problem_run(contexts, n, &m->problem, options,
				       &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels}, &result, &err),
		     err);
	return result;
}

/* Bins and amplitudes of a window in a cell. */
typedef struct seen {
	const unsigned *bins;
	const oracle_real *amplitude;
	size_t n;
} seen;

static seen look(const made *m, size_t channel, size_t window, size_t cell)
{
	const clpac_window at = m->problem.windows[window];
	size_t s = 0;
	while (at.start >= stretches[s].start + stretches[s].n_samples)
		s++;
	const oracle_signals *truth = m->truth[channel][s];
	const size_t from = at.start - stretches[s].start;
	return (seen){truth->bins + cell / 2 * truth->kept + from, truth->amplitude + cell % 2 * truth->kept + from,
		      at.n_samples};
}

static void assert_is(float value, oracle_real wanted, size_t place, const char *what, size_t window, size_t k)
{
	ck_assert_msg(fabsl(value - wanted) <= 1e-5L * wanted + 2e-7L,
		      "%s: %s %zu of window %zu is %.9g instead of %.9Lg", place_label(place), what, k, window,
		      (double)value, wanted);
}

START_TEST(a_window_has_what_the_continuous_signal_has_there)
{
	const size_t place = (size_t)_i, n = COUNT(mixed);
	clpac_error err;
	made m;
	make(&m, mixed, n);
	clpac_context *context = place_open(place);
	clpac_result *result = run_on(&context, 1, &m, NULL);
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	const float *counts = clpac_result_array(result, CLPAC_BIN_COUNTS, NULL);
	const float *uneven = clpac_result_array(result, CLPAC_PHASE_NONUNIFORMITY, NULL);
	ck_assert_uint_eq(clpac_result_get_shape(result)->n_segments, n);
	for (size_t series = 0; series < N_CHANNELS * n; series++) {
		const size_t window = series % n;
		ck_assert(clpac_result_used_seconds(result)[series] == (double)mixed[window].n_samples / rate_hz);
		for (size_t cell = 0; cell < CELLS; cell++) {
			const seen own = look(&m, series / n, window, cell);
			size_t wanted[N_BINS] = {0};
			for (size_t t = 0; t < own.n; t++)
				wanted[own.bins[t]]++;
			for (size_t j = 0; j < N_BINS; j++)
				ck_assert_msg(counts[(series * 2 + cell / 2) * N_BINS + j] == (float)wanted[j],
					      "%s: bin %zu of window %zu has %g samples instead of %zu",
					      place_label(place), j, window,
					      (double)counts[(series * 2 + cell / 2) * N_BINS + j], wanted[j]);
			oracle_real to_move = 0; /* samples above their bin's share */
			for (size_t j = 0; j < N_BINS; j++)
				to_move += fmaxl(0, wanted[j] - (oracle_real)own.n / N_BINS);
			assert_close(uneven[series * 2 + cell / 2], (double)(to_move / own.n), 1e-6);
			assert_is(
				mi[series * CELLS + cell],
				oracle_modulation_index(own.bins, own.amplitude, own.n, 0, N_BINS, CLPAC_AVERAGE_MEAN),
				place, "index", window, 0);
			for (size_t k = 0; k < K; k++) {
				uint32_t shift;
				assert_works(clpac__draw_shifts(m.problem.seed, (uint32_t)(series / n),
								(uint32_t)window, k, 1, own.n, 1, &shift, &err),
					     err);
				assert_is(surrogates[(series * K + k) * CELLS + cell],
					  oracle_modulation_index(own.bins, own.amplitude, own.n, shift, N_BINS,
								  CLPAC_AVERAGE_MEAN),
					  place, "surrogate", window, k);
			}
		}
	}
	clpac_result_destroy(result);
	clpac_context_close(context);
	unmake(&m);
}

/* Every surrogate of a window is its phases with the amplitudes of some window, and no two windows have those of one.
 */
START_TEST(windows_exchange_their_amplitudes)
{
	const size_t place = (size_t)_i, n = COUNT(alike);
	made m;
	make(&m, alike, n);
	m.problem.null = CLPAC_NULL_TRIALS;
	clpac_context *context = place_open(place);
	clpac_result *result = run_on(&context, 1, &m, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	size_t n_moved = 0;
	for (size_t c = 0; c < N_CHANNELS; c++)
		for (size_t k = 0; k < K; k++) {
			bool is_taken[MOST] = {false};
			for (size_t w = 0; w < n; w++) {
				const float value = surrogates[((c * n + w) * K + k) * CELLS];
				size_t of = n;
				for (size_t v = 0; v < n; v++) {
					const oracle_real pair = oracle_modulation_index(
						look(&m, c, w, 0).bins, look(&m, c, v, 0).amplitude, 400, 0, N_BINS,
						CLPAC_AVERAGE_MEAN);
					if (fabsl(value - pair) <= 1e-5L * pair + 2e-7L)
						of = v;
				}
				ck_assert_msg(of < n && !is_taken[of],
					      "%s: surrogate %zu of window %zu is %.9g, which is that of no window, or "
					      "of one that "
					      "another has",
					      place_label(place), k, w, (double)value);
				is_taken[of] = true;
				n_moved += of != w;
			}
		}
	ck_assert_uint_gt(n_moved, 0);
	clpac_result_destroy(result);
	clpac_context_close(context);
	unmake(&m);
}

START_TEST(neither_other_windows_nor_batches_nor_devices_change_a_bit)
{
	static const clpac_plan_options options[] = {{.max_batch = 1}, {.strategy = CLPAC_STRATEGY_SEQUENTIAL}};
	static const size_t numbers[] = {5};
	made m;
	make(&m, mixed, COUNT(mixed));
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
	/* Window 5 alone, under its number. */
	m.problem.windows = &mixed[5];
	m.problem.n_windows = 1;
	m.problem.segment_numbers = numbers;
	clpac_result *alone = run_on(contexts, 1, &m, NULL);
	for (size_t c = 0; c < N_CHANNELS; c++)
		for (size_t i = 0; i < CELLS * K; i++)
			ck_assert(clpac_result_array(alone, CLPAC_SURROGATES, NULL)[c * CELLS * K + i] ==
				  clpac_result_array(all, CLPAC_SURROGATES,
						     NULL)[(c * COUNT(mixed) + 5) * CELLS * K + i]);
	clpac_result_destroy(alone);
	clpac_result_destroy(all);
	for (size_t i = 0; i < 2; i++)
		clpac_context_close(contexts[i]);
	unmake(&m);
}

/* Shares of the whole, as the caller hears of them. */
struct heard {
	double last;
	size_t n;
	double most; /* stops there */
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

START_TEST(progress_is_that_of_all_windows)
{
	made m;
	clpac_error err;
	make(&m, mixed, COUNT(mixed));
	clpac_context *context = place_open((size_t)_i);
	struct heard heard = {.most = 2};
	clpac_plan_options options = {.max_batch = 2, .progress = hear, .progress_user = &heard};
	clpac_result *result = run_on(&context, 1, &m, &options);
	ck_assert(heard.last == 1 && heard.n > COUNT(mixed) / 2);
	clpac_result_destroy(result);
	result = NULL;
	heard = (struct heard){.most = 0.4};
	const void *channels[N_CHANNELS] = {m.x, m.x + N_SAMPLES};
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	assert_refused(clpac_problem_run(&context, 1, &m.problem, &options, &samples, &result, &err), err,
		       CLPAC_ERROR_CANCELLED, "stopped");
	clpac_context_close(context);
	unmake(&m);
}

START_TEST(an_estimate_holds_the_largest_group)
{
	made m;
	clpac_error err;
	clpac_plan_bytes all, one;
	clpac_problem_copy *part = NULL;
	size_t n_windows = 0;
	make(&m, mixed, COUNT(mixed));
	clpac_context *context = place_open((size_t)_i);
	assert_works(clpac_estimate_plan(context, &m.problem, NULL, &all, sizeof all, &err), err);
	uint64_t largest = 0;
	for (size_t i = 0;; i++) {
		assert_works(clpac_problem_of_windows(&m.problem, i, &part, &err), err);
		if (!part)
			break;
		n_windows += clpac_problem_get(part)->n_segments;
		assert_works(clpac_estimate_plan(context, clpac_problem_get(part), NULL, &one, sizeof one, &err), err);
		largest = one.total.taken_bytes > largest ? one.total.taken_bytes : largest;
		clpac_problem_destroy(part);
	}
	ck_assert_uint_eq(n_windows, COUNT(mixed));
	ck_assert_uint_eq(all.total.taken_bytes, largest);
	clpac_context_close(context);
	unmake(&m);
}

/* Marks and asymmetries are those of a channel, in each of its windows. */
START_TEST(cautions_are_those_of_the_channel)
{
	made m;
	clpac_error err;
	make(&m, alike, COUNT(alike));
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = run_on(&context, 1, &m, NULL);
	const void *channels[N_CHANNELS] = {m.x, m.x + N_SAMPLES};
	assert_works(clpac_result_caution(result, &m.problem,
					  &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels}, &err),
		     err);
	const float *marks = clpac_result_array(result, CLPAC_HARMONIC, NULL);
	for (size_t i = 0; i < N_CHANNELS * COUNT(alike) * CELLS; i++)
		ck_assert(!isnan(marks[i]) &&
			  marks[i] == marks[i / CELLS / COUNT(alike) * COUNT(alike) * CELLS + i % CELLS]);
	clpac_result_destroy(result);
	clpac_context_close(context);
	unmake(&m);
}

START_TEST(what_cannot_be_computed_is_refused)
{
	clpac_problem_copy *copy = NULL;
	clpac_error err;
	made m;
	make(&m, mixed, COUNT(mixed));
	clpac_context *context = place_open((size_t)_i);
	clpac_plan *plan = NULL;
	static const clpac_window outside[] = {{4400, 300}}, behind[] = {{8900, 200}}, empty[] = {{6000, 0}};
	static const clpac_window shorter[] = {{0, 500}, {5000, 3999}};
	static const clpac_measure locking[] = {CLPAC_MEASURE_PLV};
	const clpac_problem good = m.problem;
	struct {
		clpac_problem problem;
		const char *why;
	} wrong[14];
	size_t n = 0;
	for (size_t i = 0; i < COUNT(wrong); i++)
		wrong[i].problem = good;
#define WRONG(member, text)                                                                                            \
	do {                                                                                                           \
		clpac_problem *p = &wrong[n].problem;                                                                  \
		wrong[n++].why = text;                                                                                 \
		member;                                                                                                \
	} while (0)
	WRONG((p->windows = NULL, p->n_windows = 0), "there are no windows");
	WRONG(p->joined_windows = true, "joined_windows and separate_windows");
	WRONG(p->n_segments = 3, "n_segments is 3 and there are 12 separate windows");
	WRONG((p->windows = outside, p->n_windows = 1), "windows[0] has 300 samples from number 4400 on");
	WRONG((p->windows = behind, p->n_windows = 1), "lies in one stretch");
	WRONG((p->windows = empty, p->n_windows = 1), "windows[0] has 0 samples");
	WRONG(p->edge_samples = 50, "edge_samples drops 50");
	WRONG(p->null = CLPAC_NULL_PHASES, "CLPAC_NULL_PHASES");
	WRONG(p->null = CLPAC_NULL_TRIALS, "windows of one length");
	WRONG((p->null = CLPAC_NULL_TRIALS, p->windows = mixed + 6, p->n_windows = 2), "from an end of its stretch");
	WRONG((p->null = CLPAC_NULL_ALL_SHIFTS, p->n_surrogates = 0), "windows of one length");
	WRONG((p->stretches = shorter, p->n_stretches = 2, p->windows = alike, p->n_windows = 3),
	      "fewer than three orders");
	WRONG(p->hilbert = CLPAC_HILBERT_TRIMMED, "CLPAC_HILBERT_TRIMMED");
	WRONG((p->measures = locking, p->n_measures = 1), "plv");
	for (size_t i = 0; i < n; i++)
		assert_refused(clpac_problem_complete(&wrong[i].problem, &copy, &err), err, CLPAC_ERROR_ARGUMENT,
			       wrong[i].why);
	assert_refused(clpac_plan_create(context, &good, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT,
		       "clpac_problem_run");
	clpac_problem joined = good;
	joined.separate_windows = false;
	joined.windows = alike + 1;
	joined.n_windows = 1;
	assert_refused(clpac_problem_of_windows(&joined, 0, &copy, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no separate_windows");
	clpac_context_close(context);
	unmake(&m);
}

TCase *epoch_laws(size_t n_places)
{
	TCase *t = tcase_create("epochs");
	const int n = (int)n_places;
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, a_window_has_what_the_continuous_signal_has_there, 0, n);
	tcase_add_loop_test(t, windows_exchange_their_amplitudes, 0, n);
	return t;
}

TCase *epoch_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("epochs, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, neither_other_windows_nor_batches_nor_devices_change_a_bit, 0, n);
	tcase_add_loop_test(t, progress_is_that_of_all_windows, 0, n);
	tcase_add_loop_test(t, an_estimate_holds_the_largest_group, 0, n);
	tcase_add_loop_test(t, cautions_are_those_of_the_channel, 0, n);
	tcase_add_loop_test(t, what_cannot_be_computed_is_refused, 0, n);
	return t;
}
