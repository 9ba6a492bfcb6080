/* A result keeps the values set in it, finds its peak, and refuses meaningless shapes. */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "random.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const clpac_result_shape small_shape = {2, 1, 2, 3, 0, 0};

static clpac_result *create(const clpac_result_shape *shape, unsigned arrays)
{
	clpac_result *result = NULL;
	clpac_error err = {.text = ""};
	clpac_status st = clpac_result_create(shape, arrays, &result, &err);
	ck_assert_msg(st == CLPAC_OK, "%s", err.text);
	return result;
}

TEST(an_array_that_was_asked_for_is_there_and_nan_until_it_is_written)
{
	clpac_result *result = create(&small_shape, 1u << CLPAC_MI | 1u << CLPAC_Z);
	size_t n;
	float *mi = clpac_result_array(result, CLPAC_MI, &n);
	ck_assert_ptr_nonnull(mi);
	ck_assert_uint_eq(n, 12);
	for (size_t i = 0; i < n; i++)
		ck_assert(isnan(mi[i]));
	ck_assert_ptr_null(clpac_result_array(result, CLPAC_P, &n));
	ck_assert_uint_eq(n, 0);
	ck_assert_ptr_null(clpac_result_array(result, CLPAC_ARRAY_COUNT, &n));
	ck_assert_uint_eq(n, 0);
	clpac_result_destroy(result);
}

TEST(every_array_has_the_dimensions_its_comment_says)
{
	clpac_result_shape shape = {2, 3, 5, 7, 11, 13};
	static const struct {
		const char *name;
		size_t n, dimensions[5];
	} expected[CLPAC_ARRAY_COUNT] = {
		{"mi", 4, {2, 3, 5, 7}},
		{"z", 4, {2, 3, 5, 7}},
		{"p", 4, {2, 3, 5, 7}},
		{"surrogate_mean", 4, {2, 3, 5, 7}},
		{"surrogate_std", 4, {2, 3, 5, 7}},
		{"surrogates", 5, {2, 3, 13, 5, 7}},
		{"distribution", 5, {2, 3, 5, 7, 11}},
		{"peak_distribution", 3, {2, 3, 11}},
		{"p_max", 4, {2, 3, 5, 7}},
		{"maxima", 3, {2, 3, 13}},
		{"preferred_phase_rad", 4, {2, 3, 5, 7}},
		{"mean_vector", 4, {2, 3, 5, 7}},
		{"harmonic", 4, {2, 3, 5, 7}},
		{"asymmetry", 3, {2, 3, 5}},
		{"q_bh", 4, {2, 3, 5, 7}},
		{"q_by", 4, {2, 3, 5, 7}},
		{"p_gamma", 4, {2, 3, 5, 7}},
		{"p_cluster", 4, {2, 3, 5, 7}},
		{"cluster_mass", 4, {2, 3, 5, 7}},
		{"cluster_maxima", 3, {2, 3, 13}},
		{"effect", 4, {2, 3, 5, 7}},
		{"t", 4, {2, 3, 5, 7}},
		{"bin_counts", 4, {2, 3, 5, 11}},
		{"ratio", 4, {2, 3, 5, 7}},
		{"standardized", 4, {2, 3, 5, 7}},
		{"n_subjects", 4, {2, 3, 5, 7}},
		{"remaining", 4, {2, 3, 5, 7}},
		{"excess", 4, {2, 3, 5, 7}},
		{"excess_lo", 4, {2, 3, 5, 7}},
		{"excess_hi", 4, {2, 3, 5, 7}},
		{"phase_nonuniformity", 3, {2, 3, 5}},
		{"phase_peak_db", 3, {2, 3, 5}},
	};
	clpac_result *result = create(&shape, MADE_ALL);
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t dimensions[5], n, product = 1;
		ck_assert_str_eq(clpac_array_name((clpac_array)which), expected[which].name);
		ck_assert_uint_eq(clpac_array_dimensions(&shape, (clpac_array)which, dimensions), expected[which].n);
		for (size_t k = 0; k < expected[which].n; k++) {
			ck_assert_uint_eq(dimensions[k], expected[which].dimensions[k]);
			product *= dimensions[k];
		}
		clpac_result_array(result, (clpac_array)which, &n);
		ck_assert_uint_eq(n, product);
	}
	ck_assert_uint_eq(clpac_array_dimensions(&shape, CLPAC_ARRAY_COUNT, (size_t[5]){0}), 0);
	ck_assert_str_eq(clpac_array_name(CLPAC_ARRAY_COUNT), "unknown array");
	clpac_result_destroy(result);
}

TEST(channels_are_numbered_until_they_are_named)
{
	clpac_error err;
	clpac_result *result = create(&small_shape, 1u << CLPAC_MI);
	ck_assert_str_eq(clpac_result_channel_name(result, 1), "1");
	ck_assert_int_eq(clpac_result_set_channel_name(result, 1, "LFP_0", &err), CLPAC_OK);
	ck_assert_str_eq(clpac_result_channel_name(result, 0), "0");
	ck_assert_str_eq(clpac_result_channel_name(result, 1), "LFP_0");
	ck_assert_ptr_null(clpac_result_channel_name(result, 2));
	ck_assert_int_eq(clpac_result_set_channel_name(result, 2, "no", &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "channel 2"));
	clpac_result_destroy(result);
}

TEST(channels_may_be_pairs)
{
	clpac_error err;
	clpac_result *result = create(&small_shape, 1u << CLPAC_MI), *further, *stacked = NULL;
	ck_assert_ptr_null(clpac_result_pair_channel(result, 0, CLPAC_PHASE));
	assert_works(clpac_result_set_pair(result, 1, "Fz", "Cz", &err), err);
	ck_assert_str_eq(clpac_result_channel_name(result, 1), "Fz>Cz");
	ck_assert_str_eq(clpac_result_pair_channel(result, 1, CLPAC_PHASE), "Fz");
	ck_assert_str_eq(clpac_result_pair_channel(result, 1, CLPAC_AMPLITUDE), "Cz");
	ck_assert_ptr_null(clpac_result_pair_channel(result, 0, CLPAC_PHASE));
	ck_assert_ptr_null(clpac_result_pair_channel(result, 2, CLPAC_PHASE));
	ck_assert_ptr_null(clpac_result_pair_channel(result, 1, (clpac_band_use)2));
	assert_works(clpac_result_set_pair(result, 1, "Pz", "Pz", &err), err);
	ck_assert_str_eq(clpac_result_pair_channel(result, 1, CLPAC_PHASE), "Pz");
	assert_refused(clpac_result_set_pair(result, 2, "a", "b", &err), err, CLPAC_ERROR_ARGUMENT, "channel 2");
	/* A further measure has the pairs of its result, and so has a stack of it. */
	assert_works(clpac_result_add_measure(result, CLPAC_MEASURE_GLM, 1u << CLPAC_MI, &further, &err), err);
	ck_assert_str_eq(clpac_result_pair_channel(further, 1, CLPAC_AMPLITUDE), "Pz");
	assert_works(clpac_result_stack(&result, 1, NULL, &stacked, &err), err);
	ck_assert_str_eq(clpac_result_pair_channel(stacked, 1, CLPAC_AMPLITUDE), "Pz");
	ck_assert_str_eq(clpac_result_channel_name(stacked, 0), "0");
	clpac_result_destroy(stacked);
	assert_survives_failing_allocations(clpac_result_set_pair(result, 0, "a", "b", &err), (void)0);
	clpac_result_destroy(result);
}

TEST(bands_onsets_and_empty_bins_begin_as_zeros)
{
	clpac_result *result = create(&(clpac_result_shape){2, 3, 4, 5, 0, 0}, 1u << CLPAC_MI);
	for (size_t i = 0; i < 24; i++)
		ck_assert_uint_eq(clpac_result_empty_bins(result)[i], 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert(clpac_result_segment_onsets(result)[i] == 0);
	ck_assert(clpac_result_phase_bands(result)[3].hi_hz == 0);
	ck_assert(clpac_result_amplitude_bands(result)[4].hi_hz == 0);
	ck_assert_uint_eq(clpac_result_report(result)->n_stages, 0);
	ck_assert_str_eq(clpac_result_problem(result), "");
	clpac_result_destroy(result);
}

TEST(cells_have_bands_of_their_own_where_they_are_tied)
{
	clpac_error err;
	clpac_result *result = create(&(clpac_result_shape){1, 1, 2, 3, 0, 0}, 1u << CLPAC_MI);
	const clpac_band cells[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
	clpac_result_amplitude_bands(result)[2] = (clpac_band){60, 70};
	ck_assert_ptr_null(clpac_result_cell_bands(result));
	ck_assert(clpac_result_cell_band(result, 1, 2).lo_hz == 60);
	assert_survives_failing_allocations(clpac_result_set_cell_bands(result, cells, &err), (void)0);
	ck_assert_ptr_ne(clpac_result_cell_bands(result), cells);
	ck_assert_mem_eq(clpac_result_cell_bands(result), cells, sizeof cells);
	ck_assert(clpac_result_cell_band(result, 1, 2).lo_hz == 11 && clpac_result_cell_band(result, 0, 1).hi_hz == 4);
	ck_assert(clpac_result_cell_band(result, 2, 0).hi_hz == 0 && clpac_result_cell_band(result, 0, 3).hi_hz == 0);
	assert_works(clpac_result_set_cell_bands(result, NULL, &err), err);
	ck_assert_ptr_null(clpac_result_cell_bands(result));
	clpac_result_destroy(result);
}

TEST(the_peak_is_the_highest_z_and_not_the_highest_index)
{
	clpac_result *result = create(&small_shape, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P);
	for (size_t i = 0; i < 12; i++) {
		clpac_result_array(result, CLPAC_MI, NULL)[i] = 12 - (float)i;
		clpac_result_array(result, CLPAC_Z, NULL)[i] = i == 10 ? 50 : -(float)i;
		clpac_result_array(result, CLPAC_P, NULL)[i] = (float)i;
	}
	clpac_result_array(result, CLPAC_Z, NULL)[11] = NAN;
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	ck_assert(peak.found);
	ck_assert_uint_eq(peak.channel, 1);
	ck_assert_uint_eq(peak.segment, 0);
	ck_assert_uint_eq(peak.phase, 1);
	ck_assert_uint_eq(peak.amplitude, 1);
	ck_assert(peak.mi == 2 && peak.z == 50 && peak.p == 10);
	peak = clpac_result_peak(result, 0);
	ck_assert(peak.found && peak.channel == 0 && peak.phase == 0 && peak.amplitude == 0);
	clpac_result_destroy(result);
}

/* z measures a cell by its own surrogates, a standardized statistic by those usual in its phase band, as p_max does. */
TEST(the_peak_is_the_highest_statistic_and_not_the_highest_z)
{
	clpac_result *result =
		create(&small_shape, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P_MAX | 1u << CLPAC_STANDARDIZED);
	float *statistic = clpac_result_array(result, CLPAC_STANDARDIZED, NULL);
	for (size_t i = 0; i < 12; i++) {
		clpac_result_array(result, CLPAC_MI, NULL)[i] = (float)i;
		clpac_result_array(result, CLPAC_Z, NULL)[i] = 100 + (float)i;
		clpac_result_array(result, CLPAC_P_MAX, NULL)[i] = 0.5f;
		statistic[i] = i == 2 || i == 4 || i == 8 ? 3 : -(float)i;
	}
	statistic[11] = NAN;
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	/* p_max is a step function of standardized statistics, and says nothing of equal ones; of equal standardized
	 * statistics the first counts.
	 */
	ck_assert(peak.found && peak.channel == 0 && peak.phase == 0 && peak.amplitude == 2);
	ck_assert(peak.z == 102 && peak.mi == 2 && peak.p_max == 0.5f);
	clpac_result_valid(result)[2] = 0;
	peak = clpac_result_peak(result, SIZE_MAX);
	ck_assert(peak.found && peak.phase == 1 && peak.amplitude == 1 && peak.z == 104);
	/* A cell without a standardized statistic is no peak, whatever its z. */
	for (size_t i = 0; i < 12; i++)
		statistic[i] = NAN;
	ck_assert(!clpac_result_peak(result, SIZE_MAX).found);
	clpac_result_destroy(result);
}

/* Whatever the values are: no valid cell of a z of 10 or more stands beside a peak of a lower z, and none that is as
 * clear as the peak has a higher statistic. */
TEST(no_peak_is_less_clear_than_another_cell)
{
	static const clpac_result_shape shape = {
		.n_channels = 1, .n_segments = 1, .n_phase_bands = 3, .n_amplitude_bands = 4, .n_surrogates = 99};
	unsigned long long state = 27;
	size_t n_moved = 0;
	for (int trial = 0; trial < 500; trial++) {
		clpac_result *result = create(&shape, 1u << CLPAC_Z | 1u << CLPAC_STANDARDIZED);
		float *z = clpac_result_array(result, CLPAC_Z, NULL);
		float *statistic = clpac_result_array(result, CLPAC_STANDARDIZED, NULL);
		const float widest = 6 + 8 * (float)random_unit(&state);
		for (size_t i = 0; i < 12; i++) {
			z[i] = widest * random_signed(&state);
			statistic[i] = random_below(&state, 9) ? 20 * random_signed(&state) : NAN;
			clpac_result_valid(result)[i] = random_below(&state, 5) > 0;
		}
		const clpac_peak peak = clpac_result_peak(result, 0);
		const size_t at = peak.phase * 4 + peak.amplitude;
		for (size_t i = 0; i < 12; i++) {
			if (!clpac_result_valid(result)[i] || isnan(statistic[i]))
				continue;
			ck_assert(peak.found && clpac_result_valid(result)[at] && !isnan(statistic[at]));
			ck_assert_msg(z[i] < 10 || z[at] >= 10, "cell %zu has a z of %g, the peak of %g", i, z[i],
				      z[at]);
			ck_assert((z[i] >= 10) != (z[at] >= 10) || statistic[i] <= statistic[at]);
			n_moved += statistic[i] > statistic[at];
		}
		clpac_result_destroy(result);
	}
	ck_assert_uint_gt(n_moved, 0);
}

TEST(each_series_has_a_peak_of_its_own)
{
	static const clpac_result_shape shape = {2, 3, 2, 2, 0, 0};
	clpac_result *result = create(&shape, 1u << CLPAC_MI | 1u << CLPAC_STANDARDIZED);
	float *statistic = clpac_result_array(result, CLPAC_STANDARDIZED, NULL);
	for (size_t series = 0; series < 6; series++)
		for (size_t cell = 0; cell < 4; cell++) {
			statistic[4 * series + cell] = (float)series - (cell == series % 4 ? 0 : 10);
			clpac_result_array(result, CLPAC_MI, NULL)[4 * series + cell] = (float)(4 * series + cell);
		}
	statistic[4 * 3 + 3] = NAN;
	for (size_t series = 0; series < 6; series++) {
		const size_t cell = series == 3 ? 0 : series % 4;
		const clpac_peak peak = clpac_result_series_peak(result, series / 3, series % 3);
		ck_assert(peak.found && peak.channel == series / 3 && peak.segment == series % 3);
		ck_assert_uint_eq(peak.phase * 2 + peak.amplitude, cell);
		ck_assert(peak.mi == (float)(4 * series + cell) && isnan(peak.z));
	}
	ck_assert(clpac_result_peak(result, 0).segment == 2 && clpac_result_peak(result, SIZE_MAX).channel == 1);
	ck_assert(!clpac_result_series_peak(result, 2, 0).found && !clpac_result_series_peak(result, 0, 3).found);
	ck_assert(!clpac_result_series_peak(result, SIZE_MAX, 0).found);
	ck_assert(!clpac_result_series_peak(result, 0, SIZE_MAX).found);
	for (size_t cell = 0; cell < 4; cell++)
		statistic[cell] = NAN;
	ck_assert(!clpac_result_series_peak(result, 0, 0).found && clpac_result_series_peak(result, 0, 1).found);
	clpac_result_destroy(result);
}

TEST(without_surrogates_the_peak_is_the_highest_index)
{
	clpac_result *result = create(&(clpac_result_shape){1, 3, 2, 2, 0, 0}, 1u << CLPAC_MI);
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	mi[5] = 0.2f;
	mi[10] = 0.3f;
	clpac_peak peak = clpac_result_peak(result, 0);
	ck_assert(peak.found);
	ck_assert_uint_eq(peak.segment, 2);
	ck_assert_uint_eq(peak.phase, 1);
	ck_assert_uint_eq(peak.amplitude, 0);
	ck_assert(peak.mi == 0.3f);
	ck_assert(isnan(peak.z) && isnan(peak.p));
	clpac_result_destroy(result);
}

TEST(a_result_of_nan_has_no_peak)
{
	clpac_result *result = create(&small_shape, 1u << CLPAC_MI);
	ck_assert(!clpac_result_peak(result, SIZE_MAX).found);
	ck_assert(!clpac_result_peak(result, 1).found);
	clpac_result_array(result, CLPAC_MI, NULL)[0] = 1;
	ck_assert(clpac_result_peak(result, 0).found);
	ck_assert(!clpac_result_peak(result, 1).found);
	ck_assert(!clpac_result_peak(result, 2).found);
	clpac_result_destroy(result);
	result = create(&small_shape, 1u << CLPAC_P);
	ck_assert(!clpac_result_peak(result, SIZE_MAX).found);
	clpac_result_destroy(result);
}

TEST(a_shape_that_means_nothing_is_refused_by_name)
{
	static const struct {
		clpac_result_shape shape;
		unsigned arrays;
		const char *named;
	} cases[] = {
		{{0, 1, 1, 1, 1, 1}, 1, "n_channels is 0"},
		{{1, 0, 1, 1, 1, 1}, 1, "n_segments is 0"},
		{{1, 1, 0, 1, 1, 1}, 1, "n_phase_bands is 0"},
		{{1, 1, 1, 0, 1, 1}, 1, "n_amplitude_bands is 0"},
		{{1, 1, 1, 1, 0, 1}, 1u << CLPAC_DISTRIBUTION, "n_bins is 0"},
		{{1, 1, 1, 1, 1, 0}, 1u << CLPAC_SURROGATES, "n_surrogates is 0"},
		{{1, 1, 1, 1, 1, 0}, 1u << CLPAC_MAXIMA, "n_surrogates is 0"},
		{{SIZE_MAX / 2, 3, 1, 1, 1, 1}, 1, "x 3 segments x 1 phase bands"},
		{{1, 1, 1, SIZE_MAX / 2, 1, 1}, 1, "array mi"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_result *result = NULL;
		clpac_error err = {.text = ""};
		ck_assert_int_eq(clpac_result_create(&cases[i].shape, cases[i].arrays, &result, &err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(result);
		ck_assert_int_eq(err.status, CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, cases[i].named) != NULL, "%s: %s", cases[i].named, err.text);
	}
}

TEST(every_failing_allocation_is_reported_and_leaves_nothing)
{
	clpac_error err;
	clpac_result *result = NULL;
	unsigned long k = 1;
	for (;; k++) {
		clpac__fail_allocation(k, false);
		clpac_status st = clpac_result_create(&small_shape, 7, &result, &err);
		unsigned long n = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			ck_assert_uint_lt(n, k);
			break;
		}
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
		ck_assert_ptr_null(result);
	}
	ck_assert_uint_gt(k, 5);

	const double taps[] = {1, 2, 3};
	const clpac_band_report report = {.n_taps = 3, .taps = taps};
	for (k = 1; k <= 2; k++) {
		clpac__fail_allocation(k, false);
		ck_assert_int_eq(clpac_result_set_band_reports(result, &report, 1, &err), CLPAC_ERROR_NO_MEMORY);
	}
	clpac__fail_allocation(1, true);
	ck_assert_int_eq(clpac_result_set_problem(result, "x", &err), CLPAC_ERROR_NO_MEMORY);
	ck_assert_int_eq(clpac_result_set_channel_name(result, 0, "x", &err), CLPAC_ERROR_NO_MEMORY);
	clpac__fail_allocation(0, false);
	ck_assert_str_eq(clpac_result_channel_name(result, 0), "0");
	ck_assert_ptr_null(clpac_result_band_reports(result, NULL));
	clpac_result_destroy(result);
}

TEST(band_reports_are_copied_with_their_taps)
{
	clpac_error err;
	clpac_result *result = create(&small_shape, 1);
	size_t n = 9;
	ck_assert_ptr_null(clpac_result_band_reports(result, &n));
	ck_assert_uint_eq(n, 0);
	double taps[] = {1, 2, 3, 4, 5};
	clpac_band_report reports[] = {
		{.use = CLPAC_PHASE, .band = {4, 8}, .n_taps = 2, .taps = taps, .edge_samples = 1},
		{.use = CLPAC_AMPLITUDE, .band = {60, 80}, .n_taps = 3, .taps = taps + 2, .is_shortened = true},
		{.use = CLPAC_AMPLITUDE, .band = {80, 90}},
	};
	ck_assert_int_eq(clpac_result_set_band_reports(result, reports, 3, &err), CLPAC_OK);
	memset(taps, 0, sizeof taps);
	const clpac_band_report *kept = clpac_result_band_reports(result, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert(kept[0].taps[1] == 2 && kept[1].taps[2] == 5);
	ck_assert(kept[1].band.hi_hz == 80 && kept[1].is_shortened);
	ck_assert_uint_eq(kept[2].n_taps, 0);

	/* A result's own entries may be passed back to it. */
	ck_assert_int_eq(clpac_result_set_band_reports(result, kept + 1, 1, &err), CLPAC_OK);
	kept = clpac_result_band_reports(result, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert(kept[0].taps[0] == 3);
	ck_assert_int_eq(clpac_result_set_band_reports(result, NULL, 0, &err), CLPAC_OK);
	ck_assert_ptr_null(clpac_result_band_reports(result, &n));
	ck_assert_uint_eq(n, 0);

	clpac_band_report huge[] = {{.n_taps = SIZE_MAX}, {.n_taps = 1}};
	ck_assert_int_eq(clpac_result_set_band_reports(result, huge, 2, &err), CLPAC_ERROR_ARGUMENT);
	clpac_result_destroy(result);
}

TEST(a_further_measure_has_the_facts_of_the_whole)
{
	clpac_error err;
	clpac_result *result = make_result(1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_PREFERRED_PHASE), *glm = NULL;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	ck_assert_int_eq(clpac_result_measure(result), CLPAC_MEASURE_MI);
	assert_works(clpac_result_add_measure(result, CLPAC_MEASURE_GLM, 1u << CLPAC_MI | 1u << CLPAC_Z, &glm, &err),
		     err);
	ck_assert_ptr_eq(clpac_result_of(result, CLPAC_MEASURE_GLM), glm);
	ck_assert_ptr_eq(clpac_result_of(glm, CLPAC_MEASURE_MI), result);
	ck_assert_ptr_null(clpac_result_of(result, CLPAC_MEASURE_HR));
	ck_assert_uint_eq(clpac_result_measures(glm, measures), 2);
	ck_assert_int_eq(measures[0], CLPAC_MEASURE_MI);
	ck_assert_int_eq(measures[1], CLPAC_MEASURE_GLM);
	ck_assert_ptr_ne(clpac_result_array(glm, CLPAC_MI, NULL), clpac_result_array(result, CLPAC_MI, NULL));
	ck_assert_ptr_eq(clpac_result_array(glm, CLPAC_PREFERRED_PHASE, NULL),
			 clpac_result_array(result, CLPAC_PREFERRED_PHASE, NULL));
	assert_works(clpac_result_set_channel_name(glm, 0, "Cz", &err), err);
	ck_assert_str_eq(clpac_result_channel_name(result, 0), "Cz");
	assert_works(clpac_result_set_problem(glm, "rate=1", &err), err);
	ck_assert_str_eq(clpac_result_problem(result), "rate=1");
	ck_assert_ptr_eq(clpac_result_valid(glm), clpac_result_valid(result));
	ck_assert_ptr_eq(clpac_result_phase_bands(glm), clpac_result_phase_bands(result));
	ck_assert_ptr_eq(clpac_result_amplitude_bands(glm), clpac_result_amplitude_bands(result));
	ck_assert_ptr_eq(clpac_result_segment_onsets(glm), clpac_result_segment_onsets(result));
	ck_assert_ptr_eq(clpac_result_empty_bins(glm), clpac_result_empty_bins(result));
	ck_assert_ptr_eq(clpac_result_report(glm), clpac_result_report(result));
	/* Peaks are the measure's own, among the valid cells of the whole. */
	clpac_result_valid(result)[1] = 1;
	clpac_result_array(result, CLPAC_Z, NULL)[1] = 3e6f;
	clpac_result_array(glm, CLPAC_Z, NULL)[0] = 4;
	clpac_result_array(glm, CLPAC_Z, NULL)[1] = 5;
	ck_assert_float_eq(clpac_result_peak(glm, SIZE_MAX).z, 5);
	ck_assert_float_eq(clpac_result_peak(result, SIZE_MAX).z, 3e6f);
	clpac_result_valid(result)[1] = 0;
	ck_assert_float_eq(clpac_result_peak(glm, SIZE_MAX).z, 4);
	clpac_result_destroy(result);
}

TEST(a_measure_is_there_once)
{
	clpac_error err;
	clpac_result *result = make_result(1u << CLPAC_MI), *other = NULL;
	assert_works(clpac_result_set_measure(result, CLPAC_MEASURE_GCMI, &err), err);
	assert_works(clpac_result_set_measure(result, CLPAC_MEASURE_GCMI, &err), err);
	assert_refused(clpac_result_add_measure(result, CLPAC_MEASURE_GCMI, 1u << CLPAC_MI, &other, &err), err,
		       CLPAC_ERROR_ARGUMENT, "it has the measure gcmi already");
	assert_refused(clpac_result_add_measure(result, CLPAC_MEASURE_COUNT, 1u << CLPAC_MI, &other, &err), err,
		       CLPAC_ERROR_ARGUMENT, "measure is 9: it must be one of clpac_measure");
	assert_refused(clpac_result_add_measure(result, CLPAC_MEASURE_MI, 1u << CLPAC_MEAN_VECTOR, &other, &err), err,
		       CLPAC_ERROR_ARGUMENT, "array mean_vector is the same for all measures");
	ck_assert_ptr_null(other);
	ck_assert_uint_eq(clpac_result_measures(result, NULL), 1);
	assert_works(clpac_result_add_measure(result, CLPAC_MEASURE_MI, 1u << CLPAC_MI, &other, &err), err);
	assert_refused(clpac_result_set_measure(result, CLPAC_MEASURE_MI, &err), err, CLPAC_ERROR_ARGUMENT,
		       "it has the measure mi already");
	clpac_result_destroy(result);
}

TEST(rho_across_trials_is_a_results_only_measure)
{
	clpac_error err;
	clpac_result *result = make_result(1u << CLPAC_MI), *several = make_result(1u << CLPAC_MI), *other = NULL;
	ck_assert_str_eq(clpac_measure_text(CLPAC_MEASURE_RHO), "rho");
	ck_assert_str_eq(clpac_measure_abbreviation(CLPAC_MEASURE_RHO), "rho");
	ck_assert(!clpac_measure_is_linear(CLPAC_MEASURE_RHO));
	assert_works(clpac_result_set_measure(result, CLPAC_MEASURE_RHO, &err), err);
	ck_assert_int_eq(clpac_result_measure(result), CLPAC_MEASURE_RHO);
	assert_refused(clpac_result_add_measure(result, CLPAC_MEASURE_GLM, 1u << CLPAC_MI, &other, &err), err,
		       CLPAC_ERROR_ARGUMENT, "only measure");
	assert_refused(clpac_result_add_measure(several, CLPAC_MEASURE_RHO, 1u << CLPAC_MI, &other, &err), err,
		       CLPAC_ERROR_ARGUMENT, "only measure");
	assert_works(clpac_result_add_measure(several, CLPAC_MEASURE_GLM, 1u << CLPAC_MI, &other, &err), err);
	assert_refused(clpac_result_set_measure(several, CLPAC_MEASURE_RHO, &err), err, CLPAC_ERROR_ARGUMENT,
		       "measure is 64");
	clpac_result_destroy(several);
	clpac_result_destroy(result);
}

TEST(the_problem_text_is_kept_and_can_be_replaced)
{
	clpac_error err;
	clpac_result *result = create(&small_shape, 1);
	char text[] = "rate=512";
	ck_assert_int_eq(clpac_result_set_problem(result, text, &err), CLPAC_OK);
	text[0] = 'x';
	ck_assert_str_eq(clpac_result_problem(result), "rate=512");
	ck_assert_int_eq(clpac_result_set_problem(result, "rate=1", &err), CLPAC_OK);
	ck_assert_str_eq(clpac_result_problem(result), "rate=1");
	clpac_result_destroy(result);
	clpac_result_destroy(NULL);
}
