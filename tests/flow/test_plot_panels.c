/* The panels of a figure: maps of each kind, of each channel and over time. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "made_result.h"

#include <stdlib.h>

FIXTURE(make_scratch, remove_scratch);

TEST(the_figure_has_the_panels_that_the_result_has_data_for)
{
	static const unsigned arrays[] = {
		1u << CLPAC_MI,
		1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION,
		1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P,
		1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_PEAK_DISTRIBUTION,
	};
	int widths[COUNT(arrays)];
	for (size_t i = 0; i < COUNT(arrays); i++) {
		clpac_result *result = make_map(1, 2, 2, arrays[i]);
		float *amplitudes = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
		for (size_t j = 0; amplitudes && j < 18; j++)
			amplitudes[j] = 1 + (float)j;
		struct picture picture = draw(result, &plot_defaults);
		widths[i] = picture.width;
		ck_assert_int_eq(find(&picture, rgb(clpac__colour_bar)).n > 10000, amplitudes != NULL);
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
	for (size_t i = 1; i < COUNT(arrays); i++)
		ck_assert_int_gt(widths[i], widths[i - 1]);
}

/* A comparison of subjects has its effect and t drawn, each under its name; the peak is the cell of lowest p_max,
 * though another has a larger t, and a low t may be it. */
TEST(a_comparison_has_its_effect_and_t)
{
	clpac_error err;
	clpac_result *result = make_map(0, 0, 2, 1u << CLPAC_EFFECT | 1u << CLPAC_T | 1u << CLPAC_P_MAX);
	float *t = clpac_result_array(result, CLPAC_T, NULL), *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	size_t n;
	float *effect = clpac_result_array(result, CLPAC_EFFECT, &n);
	for (size_t i = 0; i < n; i++) {
		effect[i] = (float)i;
		t[i] = i ? (float)i : -3;
		p_max[i] = i ? 0.5F : 0.125F;
	}
	assert_works(clpac_result_set_problem(result, "group=two-sample value=z subjects=3+4 side=both", &err), err);
	assert_works(clpac_result_plot(result, scratch_path("compared.svg"), NULL, &err), err);
	char *svg = scratch_read("compared.svg", NULL);
	ck_assert_ptr_nonnull(strstr(svg, ">Mean difference</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">t of 3+4 subjects</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">z-score</text>"));
	ck_assert_ptr_nonnull(strstr(svg, "effect 0, t -3, p_max 0.12</text>"));
	ck_assert_ptr_null(strstr(svg, "Comodulogram"));
	free(svg);
	assert_works(clpac_result_plot(result, scratch_path("grid.svg"),
				       &(clpac_plot_options){.channel = SIZE_MAX, .grid = true}, &err),
		     err);
	svg = scratch_read("grid.svg", NULL);
	ck_assert_ptr_nonnull(strstr(svg, ">t of z-"));
	free(svg);
	/* A mean without t, or t without a mean, is drawn or refused as any result that lacks an array. */
	clpac_result_destroy(result);
	result = make_map(0, 0, 2, 1u << CLPAC_T);
	assert_refused(clpac_result_plot(result, scratch_path("t.svg"), NULL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no index to draw");
	clpac_result_destroy(result);
}

TEST(a_grid_has_a_map_of_each_channel)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){64, 2, 2, 2, 18, 0}, 1u << CLPAC_MI, &result, &err),
		     err);
	for (size_t i = 0; i < 2; i++) {
		clpac_result_phase_bands(result)[i] = (clpac_band){2 + 2 * (double)i, 5 + 2 * (double)i};
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80 + 10 * (double)i};
	}
	for (size_t i = 0; i < 64 * 2 * 4; i++)
		clpac_result_array(result, CLPAC_MI, NULL)[i] = i / 4 % 2 ? 1 : NAN;
	struct picture picture =
		draw(result, &(clpac_plot_options){.channel = 0, .segment = 1, .grid = true, .overwrite = true});
	const place cells = find(&picture, rgb(clpac__viridis(1)));
	/* From the first column to the bar of colours, beside which numbers stand. */
	ck_assert_int_gt(cells.right - cells.left, 8 * picture.width / 10);
	ck_assert_int_gt(cells.bottom - cells.top, 8 * picture.height / 10);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

/* Channel 0 has 0 and 10, channel 1 has 0 and 5: colours of its own would make 5 as bright as 10. */
TEST(maps_of_a_grid_share_their_colours_and_axes)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){2, 1, 2, 2, 18, 0}, 1u << CLPAC_MI, &result, &err), err);
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t i = 0; i < 2; i++) {
		clpac_result_phase_bands(result)[i] = (clpac_band){2 + 2 * (double)i, 5 + 2 * (double)i};
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80 + 10 * (double)i};
		mi[2 * i] = 0, mi[2 * i + 1] = 10;
		mi[4 + 2 * i] = 0, mi[4 + 2 * i + 1] = 5;
	}
	struct picture picture = draw(result, &(clpac_plot_options){.grid = true, .overwrite = true});
	const place brightest = find(&picture, rgb(clpac__viridis(1))),
		    middle = find(&picture, rgb(clpac__viridis(0.5)));
	ck_assert_int_gt(brightest.n, 10000);
	ck_assert_int_gt(middle.n, 10000);
	ck_assert_int_lt(brightest.right, middle.left);
	cairo_surface_destroy(picture.surface);
	assert_works(clpac_result_plot(result, scratch_path("axes.svg"),
				       &(clpac_plot_options){.grid = true, .overwrite = true}, &err),
		     err);
	char *svg = scratch_read("axes.svg", NULL);
	ck_assert_ptr_nonnull(strstr(svg, ">phase (Hz)</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">amplitude (Hz)</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">modulation index</text>"));
	ck_assert_ptr_null(strstr(strstr(svg, ">phase (Hz)</text>") + 1, ">phase (Hz)</text>"));
	free(svg);
	clpac_result_destroy(result);
}

/* Points are 1/72 inch, and pictures have 300 dots an inch. */
TEST(a_width_in_millimetres_is_that_of_the_page)
{
	static const unsigned arrays = 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_PEAK_DISTRIBUTION;
	clpac_error err;
	clpac_result *result = make_map(1, 2, 2, arrays);
	float *amplitudes = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	for (size_t j = 0; j < 18; j++)
		amplitudes[j] = 1 + (float)j;
	struct {
		double mm;
		int height; /* of the picture, as a multiple of its width, in tenths */
	} const pages[] = {{89, 26}, {183, 4}};
	for (size_t i = 0; i < COUNT(pages); i++) {
		struct picture picture =
			draw(result, &(clpac_plot_options){.overwrite = true, .width_mm = pages[i].mm});
		assert_close(picture.width, pages[i].mm / 25.4 * 300, 0.9);
		assert_close(picture.height * 10.0 / picture.width, pages[i].height, 0.9);
		ck_assert_int_gt(find(&picture, rgb(clpac__colour_bar)).n, 10000);
		cairo_surface_destroy(picture.surface);
	}
	struct picture grid = draw(result, &(clpac_plot_options){.overwrite = true, .grid = true, .width_mm = 60});
	assert_close(grid.width, 60 / 25.4 * 300, 0.9);
	cairo_surface_destroy(grid.surface);
	for (double wrong = 5; wrong < 2000; wrong += 1500)
		assert_refused(clpac_result_plot(result, scratch_path("wide.png"),
						 &(clpac_plot_options){.width_mm = wrong}, &err),
			       err, CLPAC_ERROR_ARGUMENT, "20 to 1000");
	clpac_result_destroy(result);
}

/* Segments that begin at 0, 5 and 15 s: a column for each 5 s, of which one has no segment. */
TEST(segments_are_drawn_over_time)
{
	clpac_error err;
	clpac_result *result = NULL;
	const clpac_plot_options options = {.channel = SIZE_MAX, .over_time = true, .overwrite = true};
	const clpac_result_shape shape = {.n_channels = 2, .n_segments = 3, .n_phase_bands = 2, .n_amplitude_bands = 2};
	assert_works(clpac_result_create(&shape, 1u << CLPAC_MI, &result, &err), err);
	for (size_t i = 0; i < 2; i++) {
		clpac_result_phase_bands(result)[i] = (clpac_band){2 + 2 * (double)i, 5 + 2 * (double)i};
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80 + 10 * (double)i};
	}
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t i = 0; i < 2 * 3 * 4; i++)
		mi[i] = (float)(i % 4);
	mi[12 + 8 + 2] = 9; /* channel 1, segment 2, phase band 1, amplitude band 0 */
	assert_refused(clpac_result_plot(result, scratch_path("time.svg"), &options, &err), err, CLPAC_ERROR_ARGUMENT,
		       "segments at two times or more, and the result has 3 segments");
	for (size_t s = 0; s < 3; s++)
		clpac_result_segment_onsets(result)[s] = s == 2 ? 15 : 5 * (double)s;
	for (size_t i = 0; i < 6; i++)
		clpac_result_used_seconds(result)[i] = 10;
	assert_works(clpac_result_plot(result, scratch_path("time.svg"), &options, &err), err);
	char *svg = scratch_read("time.svg", NULL);
	ck_assert_ptr_nonnull(strstr(svg, ">Channel 1</text>"));
	ck_assert_ptr_nonnull(
		strstr(svg, "3 segments; highest MI 9 at 4\342\200\2237 Hz / 60\342\200\22380 Hz, segment from 15 s"));
	ck_assert_ptr_nonnull(strstr(svg, ">Phase at 4\342\200\2237 Hz</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">Amplitude at 60\342\200\22380 Hz</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">undefined</text>"));
	free(svg);
	/* Without the gap nothing is undefined. */
	clpac_result_segment_onsets(result)[2] = 10;
	assert_works(clpac_result_plot(result, scratch_path("time.svg"), &options, &err), err);
	svg = scratch_read("time.svg", NULL);
	ck_assert_ptr_null(strstr(svg, ">undefined</text>"));
	free(svg);
	clpac_plot_options wrong = options;
	wrong.channel = 2;
	assert_refused(clpac_result_plot(result, scratch_path("x.svg"), &wrong, &err), err, CLPAC_ERROR_ARGUMENT,
		       "channel 2 does not exist");
	wrong = options;
	wrong.grid = true;
	assert_refused(clpac_result_plot(result, scratch_path("x.svg"), &wrong, &err), err, CLPAC_ERROR_ARGUMENT,
		       "leave the grid out");
	wrong = options;
	wrong.significance = 2;
	assert_refused(clpac_result_plot(result, scratch_path("x.svg"), &wrong, &err), err, CLPAC_ERROR_ARGUMENT,
		       "significance is 2");
	clpac_result_destroy(result);
}
