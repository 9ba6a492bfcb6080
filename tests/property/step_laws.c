/* Series whose crossings, tiles or filters are more than llvmpipe takes in a loop (src/coupling/layout/steps.h): in
 * every place the bins of the native device, and its indices, by edge lists and by direct sums. */
#include "step_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "noise.h"
#include "coupling/passes/plan.h"

static clpac_context *open_native(void)
{
	clpac_error err;
	clpac_device_list *list = NULL;
	const clpac_device *device;
	clpac_context *context = NULL;
	assert_works(clpac_devices_find_for(&(clpac_options){.device = "native"}, &list, &err), err);
	assert_works(clpac_devices_select(list, "native", 0, &device, &err), err);
	assert_works(clpac_context_open(device, NULL, &context, &err), err);
	clpac_devices_destroy(list);
	return context;
}

static clpac_result *run_with(clpac_plan *plan, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	return result;
}

/* Two devices' transforms differ by 3e-7 of an amplitude.  The index of many samples of noise is near 1e-4 and less,
 * so that they show in the fifth digit.  A trimmed Hilbert transform may move a sample over an edge, one of the hundred
 * of its bin. */
static void check_indices(const clpac_result *a, const clpac_result *b, const clpac_problem *p, const char *label)
{
	static const clpac_array which[] = {CLPAC_MI, CLPAC_SURROGATES};
	const size_t cells = p->n_phase_bands * p->n_amplitude_bands;
	const double share = p->hilbert == CLPAC_HILBERT_TRIMMED ? 1e-2 : 3e-4;
	for (size_t w = 0; w < COUNT(which); w++) {
		const float *of_a = clpac_result_array(a, which[w], NULL),
			    *of_b = clpac_result_array(b, which[w], NULL);
		for (size_t i = 0; i < cells * (w ? p->n_surrogates : 1); i++)
			ck_assert_msg(fabs((double)of_a[i] - of_b[i]) <= share * of_b[i] + 1e-9,
				      "%s: index %zu is %.9g, and %.9g on native", label, i, of_a[i], of_b[i]);
	}
}

static void check_place(size_t place, const clpac_problem *p)
{
	char label[300];
	size_t stride[2];
	float *x = make_noise(9, p->n_samples);
	clpac_context *native = open_native(), *context = place_open(place);
	clpac_plan *plans[2] = {place_plan(native, p, NULL), place_plan(context, p, NULL)};
	clpac_result *expected = run_with(plans[0], x), *result = run_with(plans[1], x);
	snprintf(label, sizeof label, "%s, %u bins", place_label(place), p->n_bins);
	check_indices(result, expected, p, label);
	unsigned char *bins[2] = {place_bins(plans[0], &stride[0]), place_bins(plans[1], &stride[1])};
	for (size_t ph = 0; p->hilbert == CLPAC_HILBERT_LOCAL && ph < p->n_phase_bands; ph++)
		ck_assert_msg(memcmp(bins[0] + ph * stride[0], bins[1] + ph * stride[1], plans[0]->layout.kept) == 0,
			      "%s: other bins than on native", label);
	clpac_result_destroy(result);
	plans[1]->layout.capacity = 16;
	result = run_with(plans[1], x);
	snprintf(label, sizeof label, "%s, %u bins, direct sums", place_label(place), p->n_bins);
	check_indices(result, expected, p, label);
	for (int i = 0; i < 2; i++) {
		free(bins[i]);
		clpac_plan_destroy(plans[i]);
	}
	clpac_result_destroy(expected);
	clpac_result_destroy(result);
	clpac_context_close(context);
	clpac_context_close(native);
	free(x);
}

/* 128 edges, each crossed 1500 times, are more than 65 535 passes: indices were off by orders of magnitude. */
START_TEST(many_bins_of_a_fast_phase)
{
	static const clpac_band phase[] = {{0.5, 0.8}, {45.4, 85.3}, {38, 46}};
	static const clpac_band amplitude[] = {{64, 86.5}, {98, 139}};
	clpac_problem p = {.rate_hz = 512,
			   .n_samples = 12000,
			   .phase_bands = phase,
			   .n_phase_bands = COUNT(phase),
			   .amplitude_bands = amplitude,
			   .n_amplitude_bands = COUNT(amplitude),
			   .n_bins = 128,
			   .n_surrogates = 10,
			   .keep_surrogates = true};
	check_place((size_t)_i, &p);
	p.hilbert = CLPAC_HILBERT_TRIMMED;
	check_place((size_t)_i, &p);
}

/* Ten minutes at 500 Hz: crossings, samples, tiles and taps by the ten thousands. */
START_TEST(long_series_of_low_and_high_phases)
{
	static const clpac_band phase[] = {{0.4, 0.7}, {70, 100}};
	static const clpac_band amplitude[] = {{110, 150}};
	const clpac_problem p = {.rate_hz = 500,
				 .n_samples = 300000,
				 .phase_bands = phase,
				 .n_phase_bands = COUNT(phase),
				 .amplitude_bands = amplitude,
				 .n_amplitude_bands = COUNT(amplitude),
				 .n_bins = 128,
				 .n_surrogates = 3,
				 .keep_surrogates = true};
	check_place((size_t)_i, &p);
}

TCase *step_laws(size_t n_places)
{
	TCase *t = tcase_create("steps");
	tcase_set_timeout(t, 600);
	tcase_set_tags(t, "long");
	tcase_add_loop_test(t, many_bins_of_a_fast_phase, 0, (int)n_places);
	tcase_add_loop_test(t, long_series_of_low_and_high_phases, 0, (int)n_places);
	return t;
}
