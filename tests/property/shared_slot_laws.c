/* Laws of measures side by side: none changes a bit of another, and all cost the filterings of one. */
#include "shared_slot_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "coupling/passes/plan.h"
#include "random.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, N_CHANNELS = 2, N_SEGMENTS = 5, N_SAMPLES = 600, K = 11 };

/* Linear measures before and behind binned ones, and not in the order of their numbers. */
static const clpac_measure all_measures[] = {CLPAC_MEASURE_GLM,	 CLPAC_MEASURE_MI,    CLPAC_MEASURE_GCMI,
					     CLPAC_MEASURE_MVL,	 CLPAC_MEASURE_PLV,   CLPAC_MEASURE_HR,
					     CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC, CLPAC_MEASURE_PAC_GLM};
static const clpac_null nulls[] = {CLPAC_NULL_TRIALS, CLPAC_NULL_PHASES, CLPAC_NULL_BLOCKS};
static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {9, 14}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{50, 90}, {60, 100}, {70, 110}, {80, 120}, {90, 140}};

/* How a plan's work is divided; 0: as it was planned. */
struct division {
	size_t chunk, at_once, batch;
	const char *label;
};
static const struct division divisions[] = {
	{0, 0, 0, "as planned"},
	{4, 0, 0, "chunks of 4"},
	{4, 2, 0, "chunks of 4, two slots"},
	{0, 2, 3, "two slots, batches of 3"},
};

static double *make_noise(void)
{
	unsigned long long state = 3;
	double drift = 0, *x = malloc(sizeof *x * N_CHANNELS * N_SEGMENTS * N_SAMPLES);
	for (size_t t = 0; t < (size_t)N_CHANNELS * N_SEGMENTS * N_SAMPLES; t++)
		x[t] = random_drifting(&state, &drift);
	return x;
}

static clpac_problem problem_of(clpac_null null, size_t n_measures, const clpac_measure *measures)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .rate_hz = 500,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = K,
			       .seed = 11,
			       .null = null,
			       .cluster_alpha = 0.1,
			       .gamma_tail = true,
			       .keep_surrogates = true,
			       .keep_distributions = true,
			       .measures = measures,
			       .n_measures = n_measures};
}

/* Slots and series that were filtered: each has its scale found once. */
static size_t n_filtered;
static const clpac__compute_operations *counted;

static clpac_status launch_counted(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	if (launch->stage == CLPAC__STAGE_amplitude_scale)
		n_filtered += launch->items[1];
	if (launch->stage == CLPAC__STAGE_amplitude_sums) { /* with a row for each panel of bands */
		const struct clpac__amplitude_sums_arguments *with = &launch->arguments.amplitude_sums;
		n_filtered += launch->items[1] / (with->groups / with->row_stride);
	}
	return counted->launch(compute, launch, err);
}

static clpac_result *run_divided(clpac_context *context, const clpac_problem *problem, const struct division *division,
				 const double *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	const void *channels[N_CHANNELS];
	const clpac_plan_options options = {.size = sizeof options, .max_batch = division->batch};
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	clpac_plan *plan = place_plan(context, problem, &options);
	clpac__compute *compute = clpac__compute_of(plan->context->queue);
	for (size_t c = 0; c < N_CHANNELS; c++)
		channels[c] = x + c * N_SEGMENTS * N_SAMPLES;
	/* Smaller than planned: the buffers stay. */
	if (division->chunk && division->chunk < plan->layout.chunk)
		plan->layout.chunk = division->chunk;
	if (division->at_once && division->at_once < plan->layout.at_once)
		plan->layout.at_once = division->at_once;
	counted = compute->operations;
	clpac__compute_operations wrapped = *counted;
	wrapped.launch = launch_counted;
	compute->operations = &wrapped;
	n_filtered = 0;
	const clpac_status st = clpac_plan_run_samples(plan, &samples, &result, &err);
	compute->operations = counted;
	assert_works(st, err);
	clpac_plan_destroy(plan);
	return result;
}

static void check_same(const clpac_result *alone, const clpac_result *beside, const char *label)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n, n_other;
		if (which == CLPAC_PEAK_DISTRIBUTION) /* that of the first measure's peak */
			continue;
		const float *a = clpac_result_array(alone, (clpac_array)which, &n);
		const float *b = clpac_result_array(beside, (clpac_array)which, &n_other);
		ck_assert_uint_eq(n, n_other);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])),
				      "%s: value %zu of %s is %.9g alone and %.9g beside others", label, i,
				      clpac_array_name((clpac_array)which), (double)a[i], (double)b[i]);
	}
}

START_TEST(each_measure_is_as_it_is_alone)
{
	clpac_context *context = place_open((size_t)_i);
	double *x = make_noise();
	for (size_t i = 0; i < COUNT(nulls) * COUNT(divisions); i++) {
		const clpac_null null = nulls[i / COUNT(divisions)];
		const struct division *division = &divisions[i % COUNT(divisions)];
		const clpac_problem all = problem_of(null, COUNT(all_measures), all_measures);
		clpac_result *beside = run_divided(context, &all, division, x);
		for (size_t m = 0; m < COUNT(all_measures); m++) {
			char label[200];
			const clpac_problem one = problem_of(null, 1, &all_measures[m]);
			clpac_result *alone = run_divided(context, &one, division, x);
			snprintf(label, sizeof label, "%s, null %d, %s, %s", place_label((size_t)_i), (int)null,
				 division->label, clpac_measure_text(all_measures[m]));
			check_same(alone, clpac_result_of(beside, all_measures[m]), label);
			clpac_result_destroy(alone);
		}
		clpac_result_destroy(beside);
	}
	clpac_context_close(context);
	free(x);
}

START_TEST(all_measures_cost_the_filterings_of_one)
{
	clpac_context *context = place_open((size_t)_i);
	double *x = make_noise();
	for (size_t i = 0; i < COUNT(nulls) * COUNT(divisions); i++) {
		const clpac_null null = nulls[i / COUNT(divisions)];
		const struct division *division = &divisions[i % COUNT(divisions)];
		const clpac_problem one = problem_of(null, 1, all_measures);
		const clpac_problem all = problem_of(null, COUNT(all_measures), all_measures);
		clpac_result_destroy(run_divided(context, &one, division, x));
		const size_t n_series = (size_t)N_CHANNELS * N_SEGMENTS, alone = n_filtered;
		ck_assert_msg(null == CLPAC_NULL_BLOCKS	  ? alone == n_series
			      : null == CLPAC_NULL_PHASES ? alone == n_series * (1 + K * (division->chunk ? 2 : 1))
							  : alone >= 2 * n_series,
			      "null %d, %s: %zu filterings", (int)null, division->label, alone);
		clpac_result_destroy(run_divided(context, &all, division, x));
		ck_assert_msg(n_filtered == alone, "%s, null %d, %s: %zu filterings for one measure, %zu for %zu",
			      place_label((size_t)_i), (int)null, division->label, alone, n_filtered,
			      COUNT(all_measures));
	}
	clpac_context_close(context);
	free(x);
}

TCase *shared_slot_laws(size_t n_places)
{
	TCase *t = tcase_create("shared slots");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, each_measure_is_as_it_is_alone, 0, (int)n_places);
	tcase_add_loop_test(t, all_measures_cost_the_filterings_of_one, 0, (int)n_places);
	return t;
}
