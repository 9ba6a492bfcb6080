/* The colours of a map's cells: their scale, its limits, and the cells without a value. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "made_result.h"

#include <stdio.h>

static place find_in_map(size_t phase, size_t amplitude, float value, uint32_t colour)
{
	clpac_result *result = make_map(phase, amplitude, value, 1u << CLPAC_MI);
	struct picture picture = draw(result, &plot_defaults);
	place place = find(&picture, colour);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
	return place;
}

FIXTURE(make_scratch, remove_scratch);

TEST(the_peak_is_the_brightest_cell_and_lies_where_its_bands_are)
{
	uint32_t brightest = rgb(clpac__viridis(1));
	/* The colour bar ends in the same colour and adds the same number of pixels to each. */
	place low = find_in_map(0, 0, 2, brightest), right = find_in_map(3, 0, 2, brightest);
	place high = find_in_map(0, 4, 2, brightest);
	ck_assert_uint_gt(low.n, 10000);
	ck_assert(right.x > low.x + 200 && fabs(right.y - low.y) < 5);
	ck_assert(high.y < low.y - 200 && fabs(high.x - low.x) < 5);
	/* Half of the highest value is the middle of the scale, which begins at 0. */
	ck_assert_uint_gt(find_in_map(0, 0, 2, rgb(clpac__viridis(0.5))).n, 15 * 10000);
}

TEST(an_undefined_cell_is_grey_and_only_then)
{
	uint32_t grey = rgb(clpac__colour_undefined);
	/* A few pixels at the rims of letters happen to have the colour too. */
	ck_assert_uint_lt(find_in_map(1, 2, 2, grey).n, 1000);
	place undefined = find_in_map(1, 2, NAN, grey), elsewhere = find_in_map(2, 2, NAN, grey);
	ck_assert_uint_gt(undefined.n, 10000);
	ck_assert(elsewhere.x > undefined.x + 50);
}

TEST(a_map_without_a_defined_cell_is_drawn)
{
	clpac_result *result =
		make_map(0, 0, NAN, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_PEAK_DISTRIBUTION);
	for (int which = CLPAC_MI; which <= CLPAC_P; which++)
		for (size_t i = 0; i < 20; i++)
			clpac_result_array(result, (clpac_array)which, NULL)[i] = NAN;
	struct picture picture = draw(result, &plot_defaults);
	ck_assert_uint_gt(find(&picture, rgb(clpac__colour_undefined)).n, 20 * 2 * 10000);
	ck_assert_uint_eq(find(&picture, rgb(clpac__viridis(1))).n, 0);
	cairo_surface_destroy(picture.surface);
	/* A line below the title says so; a title of the caller's stands alone. */
	char title[100];
	snprintf(title, sizeof title, "Channel %s", clpac_result_channel_name(result, 0));
	ck_assert_uint_ge(count_letters(result, NULL), count_letters(result, title) + strlen("Nocellisdefined"));
	clpac_result_destroy(result);
}

TEST(a_map_of_equal_values_has_their_colour)
{
	/* Zeros span no range of their own. */
	clpac_result *result = make_map(0, 0, 0, 1u << CLPAC_MI);
	memset(clpac_result_array(result, CLPAC_MI, NULL), 0, 20 * sizeof(float));
	struct picture picture = draw(result, &plot_defaults);
	ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0))).n, 20 * 10000);
	cairo_surface_destroy(picture.surface);
	/* The bar beside them has the scale of ones, 0 to 1. */
	clpac_result *ones = make_map(0, 0, 1, 1u << CLPAC_MI);
	ck_assert_uint_eq(count_letters(result, "title"), count_letters(ones, "title"));
	clpac_result_destroy(ones);
	clpac_result_destroy(result);
}

/* Short series have maxima above the root of the number of surrogates, which no z of a cell's own deviation can tell.
 */
TEST(the_middle_colour_of_z_is_what_the_null_asks_for)
{
	const clpac_plot_options limits = {.overwrite = true, .lowest = -1, .highest = 7};
	for (int i = 0; i < 2; i++) {
		clpac_result *result = make_tested_map(i ? 15 : 4);
		struct picture picture = draw(result, &(clpac_plot_options){.overwrite = true});
		/* 1 / 4 of what is asked for is a fourth of the lower half. */
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0.125))).n, 1000);
		cairo_surface_destroy(picture.surface);
		/* Where no cell is significant, none has an upper colour, and colours tell how near they are. */
		clpac_result_array(result, CLPAC_Z, NULL)[7] = 1;
		clpac_result_array(result, CLPAC_P_MAX, NULL)[7] = 0.9f;
		clpac_result_array(result, CLPAC_STANDARDIZED, NULL)[7] = (float)(i ? 15 : 4) / 4;
		picture = draw(result, &(clpac_plot_options){.overwrite = true});
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0.125))).n, 1000);
		cairo_surface_destroy(picture.surface);
		/* A significant cell below others has an upper colour, and they have too. */
		clpac_result_array(result, CLPAC_P_MAX, NULL)[7] = 0.05f;
		clpac_result_array(result, CLPAC_Z, NULL)[7] = 0.8f;
		clpac_result_array(result, CLPAC_Z, NULL)[3] = 1.6f;
		picture = draw(result, &(clpac_plot_options){.overwrite = true});
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0.5))).n, 500);
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0.625))).n, 1000);
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
	clpac_result *result = make_tested_map(4);
	struct picture picture;
	picture = draw(result, &limits);
	ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0.25))).n, 1000);
	cairo_surface_destroy(picture.surface);
	clpac_plot_options grey = limits;
	grey.colours = CLPAC_GREY_REVERSED;
	picture = draw(result, &grey);
	ck_assert_uint_gt(find(&picture, rgb(clpac__colour_of(CLPAC_GREY, 0.75))).n, 1000);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

/* The middle is the z of the lowest significant cell, here 3; were that one none, 4, the highest of the others. */
TEST(a_p_max_of_just_the_significance_is_significant)
{
	static const float z[] = {3, 4}, standardized[] = {3.5F, 1.5F}, p_max[] = {0.05F, 0.5F};
	float maxima[19];
	for (size_t i = 0; i < COUNT(maxima); i++)
		maxima[i] = 3;
	const clpac__corrected_map map = {.values = z,
					  .p_max = p_max,
					  .standardized = standardized,
					  .maxima = maxima,
					  .n_cells = 2,
					  .n_surrogates = COUNT(maxima),
					  .significance = 0.05};
	ck_assert(clpac__asked_of_t(&map) == 3);
	ck_assert(clpac__middle_of_z(&map) == 3);
}

TEST(colours_that_are_none_are_refused)
{
	clpac_error err;
	clpac_result *result = make_map(1, 2, 2, 1u << CLPAC_MI);
	const struct {
		clpac_plot_options options;
		const char *words;
	} wrong[] = {{{.lowest = 2, .highest = 1}, "colours go from 2 to 1"},
		     {{.highest = INFINITY}, "colours go from 0 to inf"},
		     {{.colours = CLPAC_COLOURS_COUNT}, "colours is 4"}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		ck_assert_int_eq(clpac_result_plot(result, scratch_path("b.png"), &wrong[i].options, &err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, wrong[i].words) != NULL, "%s", err.text);
	}
	clpac_result_destroy(result);
}

TEST(viridis_grows_brighter_and_keeps_to_its_ends)
{
	double before = -1;
	for (int i = 0; i <= 1000; i++) {
		clpac__colour colour = clpac__viridis(i / 1000.0);
		/* Luminance of ITU-R BT.709, without its gamma, which is monotone. */
		double luminance = 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue;
		ck_assert(luminance > before);
		before = luminance;
	}
	ck_assert_uint_eq(rgb(clpac__viridis(0)), 0x440154);
	ck_assert_uint_eq(rgb(clpac__viridis(1)), 0xfde725);
	ck_assert_uint_eq(rgb(clpac__viridis(-1)), 0x440154);
	ck_assert_uint_eq(rgb(clpac__viridis(7)), 0xfde725);
	ck_assert_uint_eq(rgb(clpac__viridis(NAN)), 0x440154);
}
