/* The axes of a map: where its cells lie, and the names and numbers beside them. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "made_result.h"

#include <stdio.h>
#include <stdlib.h>

#include "recording/plot/plot_parts.h"

/* The middle of the text along the vertical axis, which is turned around it. */
static double find_upward_text(const char *svg)
{
	double middle = NAN;
	const char *text = strstr(svg, ">amplitude frequency (Hz)</text>"), *element = text;
	ck_assert_ptr_nonnull(text);
	while (strncmp(element, "<text ", 6) != 0)
		element--;
	ck_assert_int_eq(sscanf(element, "<text transform=\"matrix(0.000 -1.000 1.000 0.000 %*f %lf)", &middle), 1);
	return middle;
}

FIXTURE(make_scratch, remove_scratch);

TEST(the_vertical_axis_is_named_upwards_along_its_middle)
{
	clpac_result *result = make_map(0, 0, 2, 1u << CLPAC_MI);
	struct picture picture = draw(result, &plot_defaults);
	place place = find(&picture, rgb(clpac__viridis(0.5)));
	count_letters(result, "title");
	char *svg = scratch_read("letters.svg", NULL);
	double width = 0, height = 0;
	ck_assert_int_eq(sscanf(strstr(svg, "<svg "), "<svg %*s %*s width=\"%lfpt\" height=\"%lf", &width, &height), 2);
	ck_assert_double_eq_tol(find_upward_text(svg) / height * picture.height, (place.top + place.bottom) / 2.0, 10);
	free(svg);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

/* The axis of amplitudes says that they are tied, and names each by its centre where bands have names.  So the picture
 * changes, apart from the cells, whose places are those of the centres. */
TEST(an_axis_of_tied_bands_says_so)
{
	for (int is_named = 0; is_named < 2; is_named++) {
		clpac_error err;
		clpac_result *result = make_map(1, 2, 3, 1u << CLPAC_MI);
		clpac_band cells[20];
		for (size_t i = 0; i < 5 && is_named; i++)
			clpac_result_amplitude_bands(result)[i] = (clpac_band){60 - (double)i, 80 + (double)i};
		for (size_t i = 0; i < 20; i++)
			cells[i] = clpac_result_amplitude_bands(result)[i % 5];
		struct picture plain = draw(result, &plot_defaults);
		assert_works(clpac_result_set_cell_bands(result, cells, &err), err);
		struct picture tied = draw(result, &plot_defaults);
		const uint32_t brightest = rgb(clpac__viridis(1));
		const place before = find(&plain, brightest), after = find(&tied, brightest);
		ck_assert(before.n == after.n && before.x == after.x && before.y == after.y);
		/* Left of the map: its axis. */
		size_t n_changed = 0;
		for (int y = 0; y < plain.height; y++)
			for (int x = 0; x < plain.width; x++) {
				const bool is_changed = pixel(&plain, x, y) != pixel(&tied, x, y);
				n_changed += is_changed;
				ck_assert_msg(!is_changed || x < before.left, "pixel %d, %d changed", x, y);
			}
		ck_assert_uint_gt(n_changed, 100);
		cairo_surface_destroy(plain.surface);
		cairo_surface_destroy(tied.surface);
		clpac_result_destroy(result);
	}
}

TEST(any_number_of_bands_can_be_drawn)
{
	static const size_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {50, 50}, {128, 3}};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		clpac_error err;
		clpac_result *result = NULL;
		size_t n;
		assert_works(clpac_result_create(&(clpac_result_shape){1, 1, sizes[i][0], sizes[i][1], 2, 9}, MADE_ALL,
						 &result, &err),
			     err);
		for (size_t k = 0; k < sizes[i][0]; k++)
			clpac_result_phase_bands(result)[k] = (clpac_band){1 + (double)k, 3 + (double)k};
		for (size_t k = 0; k < sizes[i][1]; k++)
			clpac_result_amplitude_bands(result)[k] =
				(clpac_band){50 * pow(1.1, (double)k), 70 * pow(1.1, (double)k)};
		for (int which = CLPAC_MI; which < CLPAC_ARRAY_COUNT; which++) {
			float *values = clpac_result_array(result, (clpac_array)which, &n);
			for (size_t k = 0; k < n; k++)
				/* Nothing is marked: dots would cover the colours of small cells. */
				values[k] = which == CLPAC_REMAINING ? 1 : 1e-7f * (float)(k % 13 + 1);
		}
		struct picture picture = draw(result, &plot_defaults);
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(1))).n, 100);
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
}

static void check_edges(const clpac_band *bands, size_t n, const double *edges, bool is_logarithmic, bool is_named)
{
	clpac_error err;
	clpac__cells cells = {0};
	assert_works(clpac__cells_create(bands, n, &cells, &err), err);
	for (size_t i = 0; i <= n; i++)
		assert_close(cells.edges[i], edges[i],
			     1e-12 * edges[n]); /* a few roundings of values up to the last edge */
	ck_assert_int_eq(cells.range.is_logarithmic, is_logarithmic);
	ck_assert_int_eq(cells.is_named, is_named);
	clpac__cells_destroy(&cells);
}

TEST(cells_lie_around_the_centres_of_their_bands)
{
	/* Overlapping: halfway between centres 3, 5, 9. */
	check_edges((clpac_band[]){{2, 4}, {3, 7}, {6, 12}}, 3, (double[]){2, 4, 7, 11}, false, false);
	/* The order of the bands does not matter. */
	check_edges((clpac_band[]){{6, 12}, {2, 4}, {3, 7}}, 3, (double[]){2, 4, 7, 11}, false, false);
	/* Abutting bands and a single band: as wide as they are. */
	check_edges((clpac_band[]){{4, 8}, {8, 13}, {13, 30}}, 3, (double[]){4, 8, 13, 30}, false, false);
	check_edges((clpac_band[]){{9, 15}}, 1, (double[]){9, 15}, false, false);
	/* Centres 2, 4, 8, 16. */
	check_edges((clpac_band[]){{1, 3}, {3, 5}, {7, 9}, {15, 17}}, 4,
		    (double[]){sqrt(2), 2 * sqrt(2), 4 * sqrt(2), 8 * sqrt(2), 16 * sqrt(2)}, true, false);
	/* A common centre. */
	check_edges((clpac_band[]){{4, 8}, {5, 7}, {13, 30}}, 3, (double[]){0, 1, 2, 3}, false, true);
}

TEST(numbers_beside_an_axis_lose_their_zeros_and_bands_their_decimals)
{
	char text[96];
	static const struct {
		double hi;
		int power;
	} powers[] = {{0.0023, -3}, {0.00031, -4}, {0.01, 0}, {0.5, 0}, {45, 0},
		      {9999, 0},    {12345, 4},	   {0, 0},    {-1, 0}};
	for (size_t i = 0; i < COUNT(powers); i++)
		ck_assert_int_eq(clpac__power_of(powers[i].hi), powers[i].power);
	static const struct {
		clpac_band band;
		const char *text;
	} bands[] = {
		{{4, 8}, "4\u20138"},
		{{2.25, 3.754}, "2.25\u20133.75"},
		{{91.39, 117.5}, "91.4\u2013118"},
		{{99.96, 1250.4}, "100\u20131250"},
		{{9.996, 20}, "10\u201320"},
		{{0.001, 100000}, "0\u2013100000"},
	};
	for (size_t i = 0; i < COUNT(bands); i++) {
		clpac__band_text(text, bands[i].band);
		ck_assert_str_eq(text, bands[i].text);
	}
}
