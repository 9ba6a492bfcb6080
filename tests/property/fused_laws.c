/* One launch for several passes, or for both banks, says what a launch for each says: the same bits, whatever is
 * measured of short series and small maps. */
#include "fused_laws.h"

#include <stdio.h>
#include <stdlib.h>

#include "assertions.h"
#include "contract/places.h"
#include "noise.h"
#include "coupling/layout/fused.h"
#include "coupling/layout/test_settings.h"
#include "coupling/passes/plan.h"
#include "results.h"

static clpac_error err;

static const clpac_band phase_bands[] = {{4.4, 7}, {6, 10}, {9, 13}, {11, 16}};
static const clpac_band amplitude_bands[] = {{25, 35}, {30, 40}, {35, 50}, {45, 60}, {55, 70}};
static const clpac_measure of_bins[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_HR};
static const clpac_measure linear[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_MI, CLPAC_MEASURE_NDPAC};
static const clpac_window stretches[] = {{10, 500}, {540, 400}, {1000, 190}};

/* A problem of 3 channels, and which of its passes are fused: edges, statistics; and whether banks are joined. */
static const struct example {
	const char *what;
	size_t n_samples, n_surrogates;
	unsigned n_bins;
	double cluster_alpha;
	const clpac_measure *measures;
	size_t n_measures;
	size_t n_stretches;
	clpac_null null;
	clpac_hilbert hilbert;
	bool fuses_edges, fuses_statistics, joins;
} examples[] = {
	{.what = "usual",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "one tile",
	 .n_samples = 250,
	 .n_surrogates = 7,
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "most tiles",
	 .n_samples = 64 * 256,
	 .n_surrogates = 3,
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "more tiles", .n_samples = 64 * 256 + 1, .n_surrogates = 3, .fuses_statistics = true, .joins = true},
	{.what = "many bins",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .n_bins = 40,
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "clusters and two measures",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .cluster_alpha = 0.1,
	 .measures = of_bins,
	 .n_measures = COUNT(of_bins),
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "linear measures",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .measures = linear,
	 .n_measures = COUNT(linear),
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "stretches",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .n_stretches = COUNT(stretches),
	 .fuses_edges = true,
	 .fuses_statistics = true,
	 .joins = true},
	{.what = "no surrogates", .n_samples = 1200, .fuses_edges = true, .joins = true},
	{.what = "trimmed",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .hilbert = CLPAC_HILBERT_TRIMMED,
	 .fuses_edges = true,
	 .fuses_statistics = true},
	{.what = "random phases",
	 .n_samples = 1200,
	 .n_surrogates = 30,
	 .null = CLPAC_NULL_PHASES,
	 .fuses_edges = true,
	 .fuses_statistics = true},
};

static clpac_problem problem_of(const struct example *e)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .rate_hz = 250,
			       .n_channels = 3,
			       .n_samples = e->n_samples,
			       .phase_bands = phase_bands,
			       .n_phase_bands = COUNT(phase_bands),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .n_bins = e->n_bins,
			       .hilbert = e->hilbert,
			       .n_surrogates = e->n_surrogates,
			       .null = e->null,
			       .seed = 1,
			       .cluster_alpha = e->cluster_alpha,
			       .measures = e->measures,
			       .n_measures = e->n_measures,
			       .stretches = e->n_stretches ? stretches : NULL,
			       .n_stretches = e->n_stretches,
			       .keep_surrogates = e->n_surrogates > 0,
			       .keep_distributions = true};
}

/* Makes a plan and runs it; `layout` becomes what it is laid out by. */
static clpac_result *run(clpac_context *context, const clpac_problem *p, const float *x, clpac__layout *layout)
{
	clpac_result *result = NULL;
	clpac_plan *plan = place_plan(context, p, NULL);
	*layout = plan->layout;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	clpac_plan_destroy(plan);
	return result;
}

/* Devices that give up long loops may keep passes apart. */
static void check_layout(const clpac__layout *l, const struct example *e)
{
	ck_assert(!clpac__fuses_edges(l) || e->fuses_edges);
	ck_assert_int_eq(clpac__layout_joins_banks(l), l->is_wide && e->joins);
	if (l->most_steps != UINT64_MAX)
		return;
	ck_assert_int_eq(clpac__fuses_edges(l), e->fuses_edges);
	ck_assert_int_eq(clpac__fuses_sums(l), l->n_tiles <= 32);
	ck_assert_int_eq(clpac__fuses_noise(l), e->hilbert == CLPAC_HILBERT_LOCAL);
	ck_assert_int_eq(clpac__fuses_statistics(l), e->fuses_statistics);
}

/* Runs a problem once more and compares it with what is expected. */
static void check_again(clpac_context *context, const clpac_problem *p, const float *x, const clpac_result *expected,
			const char *label, const char *how, clpac__layout *layout)
{
	clpac_result *result = run(context, p, x, layout);
	results_same_in_items(clpac_context_device(context), result, expected, label, how);
	clpac_result_destroy(result);
}

START_TEST(fused_passes_and_joined_banks_change_no_bit)
{
	char label[300];
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(examples); i++) {
		const clpac_problem p = problem_of(&examples[i]);
		float *x = make_noise(3, p.n_channels * p.n_samples);
		clpac__layout layout;
		snprintf(label, sizeof label, "%s, %s", examples[i].what, place_label((size_t)_i));
		clpac_result *expected = run(context, &p, x, &layout);
		check_layout(&layout, &examples[i]);
		clpac__for_tests.passes_apart = true;
		check_again(context, &p, x, expected, label, "passes apart", &layout);
		ck_assert(!clpac__fuses_edges(&layout) && !clpac__fuses_sums(&layout) && !clpac__fuses_noise(&layout) &&
			  !clpac__fuses_statistics(&layout));
		clpac__for_tests.passes_apart = false;
		clpac__for_tests.banks_apart = true;
		check_again(context, &p, x, expected, label, "banks apart", &layout);
		ck_assert(!clpac__layout_joins_banks(&layout));
		clpac__for_tests.banks_apart = false;
		/* Panels of groups that a sample has side by side, as on GPUs. */
		clpac__for_tests.row_groups = 8;
		check_again(context, &p, x, expected, label, "groups side by side", &layout);
		ck_assert_uint_eq(layout.row_stride, 8);
		clpac__for_tests.row_groups = 0;
		clpac_result_destroy(expected);
		free(x);
	}
	clpac_context_close(context);
}

TCase *fused_laws(size_t n_places)
{
	TCase *t = tcase_create("fused passes");
	tcase_set_timeout(t, 1800);
	tcase_add_loop_test(t, fused_passes_and_joined_banks_change_no_bit, 0, (int)n_places);
	return t;
}
