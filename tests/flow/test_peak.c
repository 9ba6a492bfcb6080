/* The peak of a run is the cell that its p_max is lowest at, and the one whose distribution it keeps. */
#include "runner.h"
#include "assertions.h"
#include "contract/places.h"
#include "random.h"

#include <clpac/plan.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_CHANNELS = 3, N_SEGMENTS = 2, N_SAMPLES = 900, N_PHASE = 3, N_AMPLITUDE = 4, N_SURROGATES = 19, N_BINS = 18 };
enum { N_SERIES = N_CHANNELS * N_SEGMENTS, N_CELLS = N_PHASE * N_AMPLITUDE };

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {8, 12}, {15, 25}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{25, 45}, {50, 70}, {70, 100}, {90, 120}};

static clpac_problem problem(bool is_tied, clpac_family family)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .tied_amplitudes = is_tied,
			       .n_surrogates = N_SURROGATES,
			       .share_shifts = true,
			       .family = family,
			       .allow_narrow = true,
			       .keep_distributions = true};
}

static clpac_result *run(clpac_context *context, const clpac_problem *p, unsigned long long seed)
{
	clpac_error err;
	clpac_result *result = NULL;
	const size_t n = N_SERIES * N_SAMPLES;
	float *x = malloc(n * sizeof *x);
	double drift = 0;
	for (size_t t = 0; t < n; t++)
		x[t] = (float)random_drifting(&seed, &drift);
	const void *channels[N_CHANNELS];
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = x + ch * N_SEGMENTS * N_SAMPLES;
	const clpac_samples samples = {.type = CLPAC_FLOAT32, .channels = channels};
	assert_works(clpac_problem_run(&context, 1, p, NULL, &samples, &result, &err), err);
	free(x);
	return result;
}

static size_t cell_of(const clpac_peak *peak)
{
	ck_assert(peak->found);
	return ((peak->channel * N_SEGMENTS + peak->segment) * N_PHASE + peak->phase) * N_AMPLITUDE + peak->amplitude;
}

static const float *array_of(const clpac_result *result, clpac_array which)
{
	return clpac_result_array(result, which, NULL);
}

static void assert_lowest(const clpac_result *result, size_t peak, size_t first, size_t n)
{
	const float *p_max = array_of(result, CLPAC_P_MAX), *statistic = array_of(result, CLPAC_STANDARDIZED);
	for (size_t cell = first; cell < first + n; cell++)
		ck_assert_msg(isnan(p_max[cell]) || (p_max[peak] <= p_max[cell] && statistic[peak] >= statistic[cell]),
			      "cell %zu has a p_max of %g, and the peak, cell %zu, of %g", cell, p_max[cell], peak,
			      p_max[peak]);
}

/* In noise the cell of highest z often has not the lowest p_max: a peak found by z would break this law. */
START_TEST(the_peak_has_the_lowest_p_max_of_its_family_and_its_distribution_is_kept)
{
	clpac_context *context = place_open((size_t)_i);
	size_t n_other_z = 0;
	for (unsigned long long seed = 1; seed <= 4; seed++)
		for (int kind = 0; kind < 4; kind++) {
			const bool is_run = kind & 1;
			const clpac_problem p = problem(kind & 2, is_run ? CLPAC_FAMILY_RUN : CLPAC_FAMILY_MAP);
			clpac_result *result = run(context, &p, seed);
			const float *z = array_of(result, CLPAC_Z);
			for (size_t series = 0; series < N_SERIES; series++) {
				const clpac_peak peak =
					clpac_result_series_peak(result, series / N_SEGMENTS, series % N_SEGMENTS);
				const size_t at = cell_of(&peak);
				ck_assert_uint_eq(at / N_CELLS, series);
				assert_lowest(result, at, series * N_CELLS, N_CELLS);
				ck_assert_mem_eq(array_of(result, CLPAC_PEAK_DISTRIBUTION) + series * N_BINS,
						 array_of(result, CLPAC_DISTRIBUTION) + at * N_BINS,
						 N_BINS * sizeof(float));
				for (size_t cell = series * N_CELLS; cell < (series + 1) * N_CELLS; cell++)
					n_other_z += z[cell] > z[at];
			}
			const clpac_peak of_all = clpac_result_peak(result, SIZE_MAX);
			if (is_run)
				assert_lowest(result, cell_of(&of_all), 0, N_SERIES * N_CELLS);
			clpac_result_destroy(result);
		}
	ck_assert_uint_gt(n_other_z, 0);
	clpac_context_close(context);
}

/* The peak is never a cell that stands high by what is usual for its bands while another is ten deviations above its
 * own surrogates: of z 7 and z 43, the second. */
START_TEST(a_cell_ten_deviations_above_its_surrogates_comes_first)
{
	clpac_error err;
	clpac_result *result = NULL;
	clpac_result_shape shape = {.n_channels = 1,
				    .n_segments = 1,
				    .n_phase_bands = 2,
				    .n_amplitude_bands = 3,
				    .n_surrogates = 99,
				    .n_bins = N_BINS};
	static const float standardized[] = {20, 12, 14, 13, 40, 9}, zs[] = {7, 43, 9.9f, 10, 9, 43};
	assert_works(clpac_result_create(&shape, 1u << CLPAC_Z | 1u << CLPAC_STANDARDIZED, &result, &err), err);
	memset(clpac_result_valid(result), 1, 6);
	memcpy(clpac_result_array(result, CLPAC_STANDARDIZED, NULL), standardized, sizeof standardized);
	memcpy(clpac_result_array(result, CLPAC_Z, NULL), zs, sizeof zs);
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	ck_assert_uint_eq(peak.phase * 3 + peak.amplitude, 3);
	clpac_result_array(result, CLPAC_Z, NULL)[3] = 9.99f;
	peak = clpac_result_series_peak(result, 0, 0);
	ck_assert_uint_eq(peak.phase * 3 + peak.amplitude, 1);
	clpac_result_valid(result)[1] = clpac_result_valid(result)[5] = 0;
	peak = clpac_result_peak(result, 0);
	ck_assert_uint_eq(peak.phase * 3 + peak.amplitude, 4);
	clpac_result_destroy(result);
	/* Few surrogates tell no deviation: the highest standardized statistic decides. */
	shape.n_surrogates = 98;
	assert_works(clpac_result_create(&shape, 1u << CLPAC_Z | 1u << CLPAC_STANDARDIZED, &result, &err), err);
	memset(clpac_result_valid(result), 1, 6);
	memcpy(clpac_result_array(result, CLPAC_STANDARDIZED, NULL), standardized, sizeof standardized);
	memcpy(clpac_result_array(result, CLPAC_Z, NULL), zs, sizeof zs);
	peak = clpac_result_peak(result, SIZE_MAX);
	ck_assert_uint_eq(peak.phase * 3 + peak.amplitude, 4);
	clpac_result_destroy(result);
}

/* Results that were written before they had standardized statistics get the same p_max over a run, and their peak is
 * that of z. */
START_TEST(a_result_without_standardized_statistics_is_corrected_alike)
{
	clpac_error err;
	clpac_context *context = place_open(0);
	const clpac_problem p = problem(false, CLPAC_FAMILY_RUN);
	clpac_result *result = run(context, &p, 3), *old = NULL;
	static const clpac_array kept[] = {CLPAC_MI,	CLPAC_Z,     CLPAC_SURROGATE_MEAN, CLPAC_SURROGATE_STD,
					   CLPAC_P_MAX, CLPAC_MAXIMA};
	unsigned arrays = 0;
	for (size_t i = 0; i < COUNT(kept); i++)
		arrays |= 1u << kept[i];
	assert_works(clpac_result_create(clpac_result_get_shape(result), arrays, &old, &err), err);
	for (size_t i = 0; i < COUNT(kept); i++) {
		size_t n;
		const float *from = clpac_result_array(result, kept[i], &n);
		if (kept[i] != CLPAC_P_MAX)
			memcpy(clpac_result_array(old, kept[i], NULL), from, n * sizeof *from);
	}
	assert_works(clpac_result_correct(old, &p, &err), err);
	ck_assert_mem_eq(array_of(old, CLPAC_P_MAX), array_of(result, CLPAC_P_MAX), N_SERIES * N_CELLS * sizeof(float));
	ck_assert_ptr_null(array_of(old, CLPAC_STANDARDIZED));
	const clpac_peak peak = clpac_result_peak(old, SIZE_MAX);
	for (size_t cell = 0; cell < N_SERIES * N_CELLS; cell++)
		ck_assert(!(array_of(old, CLPAC_Z)[cell] > peak.z));
	/* Standardized statistics that are there are what p_max is made of. */
	clpac_result_array(result, CLPAC_STANDARDIZED, NULL)[1] = 1e6f;
	assert_works(clpac_result_correct(result, &p, &err), err);
	ck_assert_float_eq(array_of(result, CLPAC_P_MAX)[1], 1.0f / (1 + N_SURROGATES));
	ck_assert_float_eq(array_of(result, CLPAC_STANDARDIZED)[1], 1e6f);
	ck_assert(memcmp(array_of(old, CLPAC_P_MAX) + 2, array_of(result, CLPAC_P_MAX) + 2,
			 (N_SERIES * N_CELLS - 2) * sizeof(float)) == 0);
	clpac_result_destroy(old);
	clpac_result_destroy(result);
	clpac_context_close(context);
}

Suite *suite(void)
{
	Suite *s = suite_create("peak");
	TCase *t = tcase_create("peak");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, the_peak_has_the_lowest_p_max_of_its_family_and_its_distribution_is_kept, 0,
			    (int)places_find("native"));
	tcase_add_test(t, a_cell_ten_deviations_above_its_surrogates_comes_first);
	tcase_add_test(t, a_result_without_standardized_statistics_is_corrected_alike);
	suite_add_tcase(s, t);
	return s;
}
