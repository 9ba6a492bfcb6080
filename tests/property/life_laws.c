/* Plans whose tensors lie over each other say what those say whose tensors lie apart, bit for bit, while everything
 * that is beyond its life is overwritten; and a life that is too short is seen. */
#include "life_laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "coupling/layout/test_settings.h"
#include "coupling/passes/plan.h"
#include "noise.h"
#include "results.h"

static clpac_error err;

static const clpac_band phase_bands[] = {{4.4, 7}, {6, 10}, {9, 13}};
static const clpac_band amplitude_bands[] = {{25, 35}, {30, 40}, {35, 50}, {45, 60}, {55, 70}};
static const clpac_measure all[] = {CLPAC_MEASURE_MI,  CLPAC_MEASURE_HR,      CLPAC_MEASURE_NDPAC, CLPAC_MEASURE_GCMI,
				    CLPAC_MEASURE_GLM, CLPAC_MEASURE_PAC_GLM, CLPAC_MEASURE_PLV};
static const clpac_window stretches[] = {{10, 400}, {440, 300}, {800, 180}};
static const clpac_pair pairs[] = {{0, 1}, {1, 2}, {2, 2}, {0, 2}};

static const struct example {
	const char *what;
	clpac_null null;
	clpac_hilbert hilbert;
	double cluster_alpha;
	size_t n_stretches, n_pairs, span;
	uint64_t streamed_from;
	size_t n_measures; /* 0: one */
	clpac_plan_options options;
} examples[] = {
	{.what = "shifts", .options.max_batch = 4},
	{.what = "seven measures", .n_measures = COUNT(all), .options.max_batch = 2},
	{.what = "chunks",
	 .cluster_alpha = 0.1,
	 .n_measures = COUNT(all),
	 .options.strategy = CLPAC_STRATEGY_SEQUENTIAL},
	{.what = "clusters", .cluster_alpha = 0.1, .options.max_batch = 4},
	{.what = "all shifts", .null = CLPAC_NULL_ALL_SHIFTS, .n_measures = COUNT(all), .options.max_batch = 2},
	{.what = "segments", .null = CLPAC_NULL_TRIALS, .n_measures = COUNT(all), .options.max_batch = 4},
	{.what = "blocks", .null = CLPAC_NULL_BLOCKS, .n_measures = COUNT(all), .options.max_batch = 2},
	{.what = "random phases", .null = CLPAC_NULL_PHASES, .n_measures = COUNT(all), .options.max_batch = 2},
	{.what = "trimmed", .hilbert = CLPAC_HILBERT_TRIMMED, .options.max_batch = 4},
	{.what = "trimmed random phases", .null = CLPAC_NULL_PHASES, .hilbert = CLPAC_HILBERT_TRIMMED},
	{.what = "stretches", .n_stretches = COUNT(stretches), .n_measures = COUNT(all) - 1},
	{.what = "pairs", .n_pairs = COUNT(pairs), .n_measures = COUNT(all) - 1, .options.max_batch = 3},
	{.what = "spans", .span = 256, .options.max_batch = 4},
	{.what = "streamed", .span = 256, .streamed_from = 1, .options.max_batch = 4},
	{.what = "streamed pairs", .n_pairs = COUNT(pairs), .span = 256, .streamed_from = 1, .options.max_batch = 2},
};

static clpac_problem problem_of(const struct example *e)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .rate_hz = 250,
			       .n_channels = 3,
			       .n_segments = 3,
			       .n_samples = 1024,
			       .phase_bands = phase_bands,
			       .n_phase_bands = COUNT(phase_bands),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .hilbert = e->hilbert,
			       .n_surrogates = e->null == CLPAC_NULL_ALL_SHIFTS ? 0 : 9,
			       .shift_step = e->null == CLPAC_NULL_ALL_SHIFTS ? 8 : 0,
			       .null = e->null,
			       .seed = 1,
			       .cluster_alpha = e->cluster_alpha,
			       .measures = all,
			       .n_measures = e->n_measures ? e->n_measures : 1,
			       .stretches = e->n_stretches ? stretches : NULL,
			       .n_stretches = e->n_stretches,
			       .pairs = e->n_pairs ? pairs : NULL,
			       .n_pairs = e->n_pairs,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

/* Runs a plan twice, so that the second run finds what the first one left. */
static clpac_result *run(clpac_context *context, const struct example *e, const float *x, bool are_apart,
			 size_t *n_laid)
{
	const clpac_problem p = problem_of(e);
	clpac_result *first = NULL, *result = NULL;
	clpac__for_tests.are_tensors_apart = are_apart;
	clpac__for_tests.are_lives_marked = !are_apart;
	clpac__for_tests.span = e->span;
	clpac__for_tests.streamed_from = e->streamed_from;
	clpac_plan *plan = place_plan(context, &p, &e->options);
	const clpac__layout *l = &plan->layout;
	assert_works(clpac_plan_run(plan, x, &first, &err), err);
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	*n_laid = 0;
	uint64_t bytes = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++) {
		*n_laid += l->rooms[tensor] != tensor;
		bytes += l->bytes[tensor];
		ck_assert_uint_le(l->bytes[tensor], l->bytes[l->rooms[tensor]]);
	}
	ck_assert(*n_laid ? clpac__layout_total(l) < bytes : clpac__layout_total(l) == bytes);
	clpac_plan_destroy(plan);
	clpac_result_destroy(first);
	clpac__for_tests.are_tensors_apart = clpac__for_tests.are_lives_marked = false;
	clpac__for_tests.span = 0;
	clpac__for_tests.streamed_from = 0;
	return result;
}

START_TEST(tensors_that_lie_over_each_other_hold_what_they_must)
{
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(examples); i++) {
		char label[200];
		size_t n_laid;
		float *x = make_noise(3, 9 * 1024);
		snprintf(label, sizeof label, "%s, %s", examples[i].what, place_label((size_t)_i));
		clpac_result *apart = run(context, &examples[i], x, true, &n_laid);
		ck_assert_uint_eq(n_laid, 0);
		clpac_result *over = run(context, &examples[i], x, false, &n_laid);
		ck_assert_uint_gt(n_laid, 0);
		results_same_bits(apart, over, label, "");
		clpac_result_destroy(apart);
		clpac_result_destroy(over);
		free(x);
	}
	clpac_context_close(context);
}

/* Floats, which are NaN beyond their lives: indices of places would lead kernels astray. */
START_TEST(a_life_that_is_too_short_is_seen)
{
	static const enum clpac__tensor tensors[] = {CLPAC__TENSOR_WEIGHTS, CLPAC__TENSOR_LEVEL, CLPAC__TENSOR_VECTORS};
	const struct example example = {.what = "all measures", .n_measures = COUNT(all)};
	clpac_context *context = place_open((size_t)_i);
	float *x = make_noise(3, 9 * 1024);
	size_t n_laid, n;
	clpac_result *apart = run(context, &example, x, true, &n_laid);
	for (size_t i = 0; i < COUNT(tensors); i++) {
		bool differs = false;
		clpac__for_tests.life_cut = 1 + (int)tensors[i];
		clpac_result *cut = run(context, &example, x, false, &n_laid);
		clpac__for_tests.life_cut = 0;
		for (size_t m = 0; m < COUNT(all); m++) {
			const float *wanted = clpac_result_array(clpac_result_of(apart, all[m]), CLPAC_MI, &n);
			const float *found = clpac_result_array(clpac_result_of(cut, all[m]), CLPAC_MI, &n);
			differs |= memcmp(wanted, found, n * sizeof *found) != 0;
		}
		ck_assert_msg(differs, "%s: %s", place_label((size_t)_i), clpac__tensor_text(tensors[i]));
		clpac_result_destroy(cut);
	}
	clpac_result_destroy(apart);
	clpac_context_close(context);
	free(x);
}

TCase *life_laws(size_t n_places)
{
	TCase *t = tcase_create("lives of buffers");
	tcase_set_timeout(t, 1800);
	tcase_add_loop_test(t, tensors_that_lie_over_each_other_hold_what_they_must, 0, (int)n_places);
	tcase_add_loop_test(t, a_life_that_is_too_short_is_seen, 0, (int)n_places);
	return t;
}
