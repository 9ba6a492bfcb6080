/* The histogram of amplitudes over phases, of the peak or of another cell. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "made_result.h"

FIXTURE(make_scratch, remove_scratch);

TEST(a_cosine_above_the_bars_shows_the_slow_wave)
{
	clpac_result *result = make_map(1, 2, 2, 1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION);
	float *amplitudes = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	for (size_t j = 0; j < 18; j++)
		amplitudes[j] = 1 + (float)j;
	struct picture picture = draw(result, &plot_defaults);
	const uint32_t line = rgb(clpac__colour_faint);
	place bars = find(&picture, rgb(clpac__colour_bar));
	/* Above the bars, where both cycles begin and end in troughs: the crest is the middle of a cycle. */
	int crest = picture.height, trough = 0, crest_x = 0;
	for (int y = 0; y < picture.height; y++)
		for (int x = bars.left; x <= (bars.left + bars.right) / 2; x++)
			if (pixel(&picture, x, y) == line && y < bars.bottom) {
				crest_x = y < crest ? x : crest_x;
				crest = y < crest ? y : crest;
				trough = y > trough ? y : trough;
			}
	/* It fills most of a strip of a fifth of the box. */
	const double fraction = (double)(trough - crest) / (bars.bottom - crest);
	ck_assert(fraction > 0.12 && fraction < 0.18);
	ck_assert_double_eq_tol(crest_x, bars.left + (bars.right - bars.left) / 4.0, 0.03 * (bars.right - bars.left));
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

TEST(a_bin_without_samples_is_grey)
{
	clpac_result *result = make_map(1, 2, 2, 1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION);
	float *amplitudes = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	for (size_t j = 0; j < 18; j++)
		amplitudes[j] = j == 7 ? NAN : 1;
	struct picture picture = draw(result, &plot_defaults);
	ck_assert_uint_gt(find(&picture, rgb(clpac__colour_undefined)).n, 1000);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

TEST(a_cell_has_a_polar_histogram_where_its_distribution_was_kept)
{
	clpac_error err;
	const clpac_plot_options other = {.overwrite = true, .has_cell = true, .cell_phase = 0, .cell_amplitude = 1};
	for (int is_kept = 0; is_kept < 2; is_kept++) {
		clpac_result *result = make_map(1, 2, 2,
						1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION |
							(is_kept ? 1u << CLPAC_DISTRIBUTION : 0));
		size_t n = 0;
		float *kept = clpac_result_array(result, CLPAC_DISTRIBUTION, &n);
		for (size_t i = 0; i < n; i++)
			kept[i] = 1 + (float)(i % 18);
		for (size_t i = 0; i < 18; i++)
			clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL)[i] = 1 + (float)i;
		clpac_plot_options peak = other;
		peak.cell_phase = 1;
		peak.cell_amplitude = 2;
		struct picture picture = draw(result, &peak);
		ck_assert_uint_gt(find(&picture, rgb(clpac__colour_bar)).n, 1000);
		cairo_surface_destroy(picture.surface);
		const clpac_status st = clpac_result_plot(result, scratch_path("a.png"), &other, &err);
		ck_assert_int_eq(st, is_kept ? CLPAC_OK : CLPAC_ERROR_ARGUMENT);
		if (!is_kept)
			ck_assert_ptr_nonnull(strstr(err.text, "--keep-distributions"));
		peak.cell_amplitude = 5;
		ck_assert_int_eq(clpac_result_plot(result, scratch_path("a.png"), &peak, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "cell 1, 5 does not exist: there are 4 x 5"));
		clpac_result_destroy(result);
	}
}
