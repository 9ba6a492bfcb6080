/* Amplitude bands in rows of up to 32, and panels of 32, as GPUs have them, on the caller's phases and amplitudes:
 * the same bits as with bands apart, and what the native device says.  The passes of edge lists, sums and statistics
 * are fused, in work-groups that wait between two passes: the same bits as with a launch for each.
 *
 * Series are short and nothing is filtered, so that simulators of devices can run it. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>

#include <clpac/signal.h>

#include "assertions.h"
#include "places.h"
#include "coupling/layout/test_settings.h"
#include "coupling/opencl/opencl_compute.h"
#include "coupling/passes/plan.h"
#include "queue_kernels.h"
#include "random.h"
#include "results.h"

const int runner_no_fork = 1;

enum { N_SAMPLES = 300, N_PHASE = 2, MOST_BANDS = 33, N_SURROGATES = 17 };

static clpac_error err;

typedef struct example {
	float phase[N_PHASE * N_SAMPLES], amplitude[MOST_BANDS * N_SAMPLES];
} example;

/* Phases that go round every 20 and every 33 samples and now and then step back; amplitudes that depend on them. */
static void make_example(example *out)
{
	static const double cycle[N_PHASE] = {20, 33};
	unsigned long long state = 11;
	for (size_t ph = 0; ph < N_PHASE; ph++)
		for (size_t t = 0; t < N_SAMPLES; t++) {
			const double turns = (double)t / cycle[ph] + 0.1 * random_unit(&state);
			out->phase[ph * N_SAMPLES + t] = (float)(6.283185307 * (turns - floor(turns) - 0.5));
		}
	for (size_t am = 0; am < MOST_BANDS; am++)
		for (size_t t = 0; t < N_SAMPLES; t++) {
			const double angle = (double)out->phase[t] + 0.2 * (double)am;
			out->amplitude[am * N_SAMPLES + t] = (float)(1.5 + cos(angle) + random_unit(&state));
		}
}

static clpac_result *result_of(clpac_context *context, example *e, size_t n_bands, unsigned n_bins)
{
	clpac_result *result = NULL;
	const clpac_coupling coupling = {.n_series = 1,
					 .n_phase = N_PHASE,
					 .n_amplitude = n_bands,
					 .n_samples = N_SAMPLES,
					 .n_bins = n_bins,
					 .n_surrogates = N_SURROGATES,
					 .seed = 5,
					 .keep_surrogates = true,
					 .keep_distributions = true};
	assert_works(clpac_signal_modulation_index(context, &coupling, (clpac_values){.host = e->phase},
						   (clpac_values){.host = e->amplitude}, &result, &err),
		     err);
	return result;
}

/* Bits may differ, since devices divide and take logarithms in ways of their own. */
static void assert_near(const clpac_result *a, const clpac_result *b, clpac_array array, double tolerance)
{
	size_t n = 0, n_of_other = 0;
	const float *x = clpac_result_array(a, array, &n);
	const float *y = clpac_result_array(b, array, &n_of_other);
	ck_assert_uint_eq(n, n_of_other);
	ck_assert_uint_gt(n, 0);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(fabs((double)x[i] - (double)y[i]) <= tolerance, "%s, value %zu: %.9g and %.9g",
			      clpac_array_name(array), i, (double)x[i], (double)y[i]);
}

START_TEST(panels_say_what_bands_apart_say)
{
	static const struct {
		size_t n_bands;
		unsigned n_bins;
	} shapes[] = {{5, 18}, {12, 18}, {33, 18}, {33, 7}, {5, 40}};
	clpac_options options = {.device = "native"};
	clpac_context *card = place_open_card((size_t)_i), *native = NULL;
	example *e = malloc(sizeof *e);
	make_example(e);
	assert_works(clpac_context_open(NULL, &options, &native, &err), err);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		clpac_result *beside = result_of(card, e, shapes[i].n_bands, shapes[i].n_bins);
		clpac__for_tests.row_groups = 1;
		clpac_result *apart = result_of(card, e, shapes[i].n_bands, shapes[i].n_bins);
		clpac__for_tests.row_groups = 0;
		clpac__for_tests.passes_apart = true;
		clpac_result *in_launches = result_of(card, e, shapes[i].n_bands, shapes[i].n_bins);
		clpac__for_tests.passes_apart = false;
		clpac_result *other = result_of(native, e, shapes[i].n_bands, shapes[i].n_bins);
		results_same_in_items(clpac_context_device(card), beside, apart, place_label((size_t)_i),
				      "bands side by side and apart");
		results_same_in_items(clpac_context_device(card), beside, in_launches, place_label((size_t)_i),
				      "passes fused and apart");
		/* A few roundings of values near 1. */
		assert_near(beside, other, CLPAC_MI, 2e-6);
		assert_near(beside, other, CLPAC_SURROGATES, 2e-6);
		assert_near(beside, other, CLPAC_DISTRIBUTION, 2e-5);
		clpac_result_destroy(beside);
		clpac_result_destroy(apart);
		clpac_result_destroy(in_launches);
		clpac_result_destroy(other);
	}
	free(e);
	clpac_context_close(native);
	clpac_context_close(card);
}

/* What a device's best group is, a bench sweeps: none of them may change a bit. */
START_TEST(groups_of_any_size_change_no_bit)
{
	clpac_context *card = place_open_card((size_t)_i);
	example *e = malloc(sizeof *e);
	make_example(e);
	clpac_result *usual = result_of(card, e, 33, 18);
	clpac_context_close(card);
	for (size_t group = 32; group <= 256; group *= 8) {
		clpac__opencl_group_of_tests = group;
		card = place_open_card((size_t)_i);
		clpac_result *other = result_of(card, e, 33, 18);
		clpac__opencl_program *program = NULL;
		clpac__opencl_compute *compute = clpac__opencl_compute_of(card->queue);
		assert_works(clpac__opencl_program_get(compute, CLPAC__OPENCL_USUAL, 18, &program, &err), err);
		/* Devices may take smaller groups than they are asked for, but for those of a few. */
		ck_assert_uint_le(program->groups[CLPAC__STAGE_modulation_index_direct], group);
		ck_assert(group > 32 || program->groups[CLPAC__STAGE_modulation_index_direct] == group);
		results_same_in_items(clpac_context_device(card), usual, other, place_label((size_t)_i),
				      "other groups");
		clpac_result_destroy(other);
		clpac_context_close(card);
		clpac__opencl_group_of_tests = 0;
	}
	clpac_result_destroy(usual);
	free(e);
}

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("opencl_panels");
	TCase *t = tcase_create("panels");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, panels_say_what_bands_apart_say, 0, (int)places_find("opencl"));
	tcase_add_loop_test(t, groups_of_any_size_change_no_bit, 0, (int)places_find("opencl"));
	suite_add_tcase(s, t);
	return s;
}
