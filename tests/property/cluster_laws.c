/* Laws of clusters: those of the definition on random problems, and the same bits in every strategy; tied amplitudes,
 * whose maps are put together on the host, likewise. */
#include "cluster_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>

#include "assertions.h"
#include "clusters_truth.h"
#include "contract/places.h"
#include "random.h"
#include "results.h"

enum { N_SERIES = 3, N_SAMPLES = 600, MOST_PHASE = 7, MOST_AMPLITUDE = 19, MOST_SURROGATES = 70 };

typedef struct drawn {
	clpac_problem problem;
	clpac_band phase[MOST_PHASE], amplitude[MOST_AMPLITUDE];
	float x[N_SERIES * N_SAMPLES];
} drawn;

/* Mostly in order and overlapping, as ranges are; a gap or a step back now and then. */
static void draw_bands(unsigned long long *state, clpac_band *bands, size_t n, double lo, double hi)
{
	const double step = (hi - lo) / (double)(n + 1);
	for (size_t b = 0; b < n; b++) {
		const double width = step * (random_below(state, 6) ? 1.4 : 0.3);
		bands[b].lo_hz = lo + step * (double)b;
		bands[b].hi_hz = bands[b].lo_hz + width;
		if (b && !random_below(state, 8)) {
			const clpac_band before = bands[b - 1];
			bands[b - 1] = bands[b];
			bands[b] = before;
		}
	}
}

static void draw(drawn *d, unsigned long long *state)
{
	d->problem = (clpac_problem){.size = sizeof d->problem,
				     .rate_hz = 250,
				     .n_channels = N_SERIES,
				     .n_samples = N_SAMPLES,
				     .phase_bands = d->phase,
				     .n_phase_bands = 1 + random_below(state, MOST_PHASE),
				     .amplitude_bands = d->amplitude,
				     .n_amplitude_bands = 1 + random_below(state, MOST_AMPLITUDE),
				     .n_surrogates = 1 + random_below(state, MOST_SURROGATES),
				     .seed = random_bits(state),
				     .keep_surrogates = true,
				     .ddof = 0,
				     .cluster_alpha = 0.01 + 0.24 * random_unit(state)};
	d->problem.ddof = d->problem.n_surrogates > 1 && random_below(state, 2);
	draw_bands(state, d->phase, d->problem.n_phase_bands, 3, 20);
	draw_bands(state, d->amplitude, d->problem.n_amplitude_bands, 30, 110);
	for (size_t series = 0; series < N_SERIES; series++) {
		double drift = 0;
		for (size_t t = 0; t < N_SAMPLES; t++)
			d->x[series * N_SAMPLES + t] = (float)random_drifting(state, &drift);
	}
	if (!random_below(state, 3))
		d->x[N_SAMPLES + 5] = NAN;
}

/* Maps compared with the definition. */
static size_t check(const clpac_problem *problem, const clpac_result *result, const char *label)
{
	const size_t cells = problem->n_phase_bands * problem->n_amplitude_bands, K = problem->n_surrogates;
	size_t n = 0;
	const float *arrays[CLPAC_ARRAY_COUNT];
	for (int a = 0; a < CLPAC_ARRAY_COUNT; a++)
		arrays[a] = clpac_result_array(result, (clpac_array)a, NULL);
	for (size_t series = 0; series < N_SERIES; series++)
		n += check_clusters(
			problem, arrays[CLPAC_MI] + series * cells, arrays[CLPAC_SURROGATES] + series * K * cells,
			arrays[CLPAC_CLUSTER_MASS] + series * cells, arrays[CLPAC_CLUSTER_MAXIMA] + series * K,
			arrays[CLPAC_P_CLUSTER] + series * cells, label);
	return n;
}

START_TEST(clusters_are_those_of_the_definition_in_every_strategy)
{
	static const clpac_strategy strategies[] = {CLPAC_STRATEGY_VECTORIZED, CLPAC_STRATEGY_CHUNKED,
						    CLPAC_STRATEGY_SEQUENTIAL};
	clpac_context *context = place_open((size_t)_i);
	static drawn d;
	size_t n_compared = 0, n_maps = 0;
	for (unsigned long long seed = 0; seed < 12; seed++) {
		unsigned long long state = 100 + seed;
		clpac_result *first = NULL;
		draw(&d, &state);
		for (size_t s = 0; s < COUNT(strategies); s++) {
			char label[300];
			clpac_error err;
			clpac_result *result = NULL;
			snprintf(label, sizeof label, "%s, problem %llu, %s", place_label((size_t)_i), seed,
				 clpac_strategy_text(strategies[s]));
			clpac_plan *plan =
				place_plan(context, &d.problem, &(clpac_plan_options){.strategy = strategies[s]});
			assert_works(clpac_plan_run(plan, d.x, &result, &err), err);
			n_compared += check(clpac_plan_problem(plan), result, label);
			n_maps += N_SERIES * (d.problem.n_surrogates + 1);
			clpac_plan_destroy(plan);
			if (first) {
				results_same_bits(first, result, label, clpac_result_problem(result));
				clpac_result_destroy(result);
			} else {
				first = result;
			}
		}
		clpac_result_destroy(first);
	}
	ck_assert_msg(n_compared > n_maps / 2, "%zu of %zu maps were certain", n_compared, n_maps);
	clpac_context_close(context);
}

START_TEST(tied_cells_have_clusters_across_their_rows)
{
	clpac_context *context = place_open((size_t)_i);
	static drawn d;
	size_t n_compared = 0, n_maps = 0;
	for (unsigned long long seed = 0; seed < 3; seed++) {
		unsigned long long state = 200 + seed;
		char label[300];
		clpac_error err;
		clpac_result *result = NULL, *without = NULL;
		clpac_problem_copy *whole = NULL;
		draw(&d, &state);
		d.problem.tied_amplitudes = true;
		snprintf(label, sizeof label, "%s, tied problem %llu", place_label((size_t)_i), seed);
		const void *channels[N_SERIES] = {d.x, d.x + N_SAMPLES, d.x + 2 * N_SAMPLES};
		const clpac_samples samples = {.type = CLPAC_FLOAT32, .channels = channels};
		assert_works(clpac_problem_complete(&d.problem, &whole, &err), err);
		assert_works(clpac_problem_run(&context, 1, &d.problem, NULL, &samples, &result, &err), err);
		n_compared += check(clpac_problem_get(whole), result, label);
		n_maps += N_SERIES * (d.problem.n_surrogates + 1);
		/* Surrogates are not in the result unless asked for, and clusters are the same. */
		d.problem.keep_surrogates = false;
		assert_works(clpac_problem_run(&context, 1, &d.problem, NULL, &samples, &without, &err), err);
		ck_assert_ptr_null(clpac_result_array(without, CLPAC_SURROGATES, NULL));
		for (int which = CLPAC_P_CLUSTER; which <= CLPAC_CLUSTER_MAXIMA; which++) {
			size_t n;
			const float *a = clpac_result_array(result, (clpac_array)which, &n);
			ck_assert_int_eq(
				memcmp(a, clpac_result_array(without, (clpac_array)which, NULL), n * sizeof *a), 0);
		}
		clpac_result_destroy(result);
		clpac_result_destroy(without);
		clpac_problem_destroy(whole);
	}
	ck_assert_msg(n_compared > n_maps / 2, "%zu of %zu maps were certain", n_compared, n_maps);
	clpac_context_close(context);
}

TCase *cluster_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("clusters");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, clusters_are_those_of_the_definition_in_every_strategy, 0, n);
	tcase_add_loop_test(t, tied_cells_have_clusters_across_their_rows, 0, n);
	return t;
}
