/* The marks on a map's cells: outlines, hatching, dots and arrows, and the legend that explains them. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "made_result.h"

#include <stdlib.h>

/* Counts white pixels among the brightest: the outline, the only white inside a map. */
static size_t count_outline(clpac_array which, float p, double significance)
{
	clpac_result *result = make_map(1, 2, 1, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << which);
	clpac_result_array(result, which, NULL)[5 + 2] = p;
	struct picture picture = draw(result, &(clpac_plot_options){.significance = significance, .overwrite = true});
	uint32_t brightest = rgb(clpac__viridis(1));
	place maps = find(&picture, brightest);
	size_t n = 0;
	/* A run of less than 12 white pixels before the brightest colour is an edge of the outline; wider white lies
	 * outside a map. */
	for (int y = maps.top; y <= maps.bottom; y++) {
		int since = -1;
		for (int x = maps.left; x <= maps.right; x++) {
			uint32_t colour = pixel(&picture, x, y);
			if (colour == brightest) {
				n += since > 0 && since < 12;
				since = 0;
			} else if (colour == 0xffffff && since >= 0) {
				since++;
			} else if (colour == 0xffffff) {
				since = 0;
			}
		}
	}
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
	return n;
}

FIXTURE(make_scratch, remove_scratch);

TEST(cells_up_to_the_significance_are_outlined)
{
	for (int i = 0; i < 2; i++) {
		const clpac_array which = i ? CLPAC_P_MAX : CLPAC_P;
		const size_t ring = count_outline(which, NAN, 0); /* that of the peak */
		ck_assert_uint_gt(count_outline(which, 0.04f, 0), ring + 60);
		ck_assert_uint_gt(count_outline(which, 10.0f / 200, 0), ring + 60);
		ck_assert_uint_eq(count_outline(which, 0.06f, 0), ring);
		ck_assert_uint_gt(count_outline(which, 0.06f, 0.1), ring + 60);
		ck_assert_uint_eq(count_outline(which, 0.04f, 0.01), ring);
	}
}

/* A p that is small for the cell alone counts only where nothing better is known. */
TEST(p_that_is_corrected_comes_before_p_that_is_not)
{
	clpac_result *both[2];
	uint32_t *pixels[2];
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		both[i] = make_map(1, 2, 1, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_P_MAX);
		clpac_result_array(both[i], CLPAC_P, NULL)[5 + 2] = i ? 0.01f : 0.9f;
		clpac_result_array(both[i], CLPAC_P_MAX, NULL)[5 + 2] = 0.5f;
		struct picture picture = draw(both[i], &plot_defaults);
		n[i] = (size_t)picture.width * (size_t)picture.height;
		pixels[i] = malloc(n[i] * sizeof *pixels[i]);
		for (int y = 0; y < picture.height; y++)
			for (int x = 0; x < picture.width; x++)
				pixels[i][(size_t)y * (size_t)picture.width + (size_t)x] = pixel(&picture, x, y);
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(both[i]);
	}
	ck_assert_uint_eq(n[0], n[1]);
	ck_assert(memcmp(pixels[0], pixels[1], n[0] * sizeof *pixels[0]) == 0);
	free(pixels[0]);
	free(pixels[1]);
}

TEST(cells_that_are_not_valid_are_hatched_and_no_peak)
{
	clpac_result *result = make_tested_map(4);
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		clpac_result_valid(result)[7] = i == 0;
		struct picture picture = draw(result, &(clpac_plot_options){.overwrite = true});
		n[i] = find(&picture, rgb(clpac__viridis(1))).n;
		cairo_surface_destroy(picture.surface);
	}
	ck_assert_uint_gt(n[0], 1000);
	ck_assert_uint_lt(n[1] + 5000, n[0]); /* of the 12 000 pixels that the cell has in each of two maps */
	/* The title tells the highest of the others. */
	clpac_error err;
	assert_works(clpac_result_plot(result, scratch_path("a.svg"), &(clpac_plot_options){.overwrite = true}, &err),
		     err);
	ck_assert(!clpac_result_peak(result, 0).found || clpac_result_peak(result, 0).z == 1);
	clpac_result_destroy(result);
}

TEST(harmonics_are_dotted)
{
	clpac_error err;
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		clpac_result *result = NULL;
		assert_works(clpac_result_create(&(clpac_result_shape){1, 1, 4, 5, 18, 0},
						 1u << CLPAC_MI | 1u << CLPAC_HARMONIC, &result, &err),
			     err);
		for (size_t b = 0; b < 4; b++)
			clpac_result_phase_bands(result)[b] = (clpac_band){2 + 2 * (double)b, 5 + 2 * (double)b};
		for (size_t b = 0; b < 5; b++)
			clpac_result_amplitude_bands(result)[b] =
				(clpac_band){60 + 10 * (double)b, 80 + 10 * (double)b};
		for (size_t cell = 0; cell < 20; cell++) {
			clpac_result_array(result, CLPAC_MI, NULL)[cell] = 1;
			clpac_result_array(result, CLPAC_HARMONIC, NULL)[cell] = (float)i;
		}
		struct picture picture = draw(result, &plot_defaults);
		n[i] = find(&picture, rgb(clpac__viridis(1))).n;
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
	ck_assert_uint_lt(n[1], n[0] - 20 * 10);
}

/* The pixels in which two pictures of one size differ, above a row: legends differ, too. */
static place find_changes(const struct picture *a, const struct picture *b, int bottom)
{
	place place = {.left = a->width, .top = a->height, .right = -1, .bottom = -1};
	for (int y = 0; y < bottom; y++)
		for (int x = 0; x < a->width; x++) {
			if (pixel(a, x, y) == pixel(b, x, y))
				continue;
			place.n++;
			place.x += x;
			place.y += y;
			place.left = x < place.left ? x : place.left;
			place.right = x > place.right ? x : place.right;
			place.top = y < place.top ? y : place.top;
			place.bottom = y > place.bottom ? y : place.bottom;
		}
	place.x /= (double)place.n;
	place.y /= (double)place.n;
	return place;
}

/* Every entry that a map's legend can have, beside an arrow's, which is the longest. */
TEST(a_long_legend_stays_on_the_page)
{
	enum { RIM = 6 }; /* a point and a half */
	const clpac_plot_options with = {.overwrite = true, .arrows = true};
	clpac_result *result = make_map(
		0, 0, 2, 1u << CLPAC_MI | 1u << CLPAC_HARMONIC | 1u << CLPAC_PREFERRED_PHASE | 1u << CLPAC_MEAN_VECTOR);
	for (size_t i = 0; i < 20; i++) {
		clpac_result_array(result, CLPAC_HARMONIC, NULL)[i] = i == 3;
		clpac_result_array(result, CLPAC_PREFERRED_PHASE, NULL)[i] = 1;
		clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL)[i] = 0.123f;
		clpac_result_valid(result)[i] = i != 4;
	}
	clpac_result_array(result, CLPAC_MI, NULL)[5] = NAN;
	struct picture picture = draw(result, &with);
	const uint32_t paper = pixel(&picture, 0, 0);
	for (int y = 0; y < picture.height; y++)
		for (int x = 0; x < picture.width; x++)
			if (x < RIM || y < RIM || x >= picture.width - RIM || y >= picture.height - RIM)
				ck_assert_msg(pixel(&picture, x, y) == paper,
					      "the rim is not empty at %d, %d of %d, %d", x, y, picture.width,
					      picture.height);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

TEST(an_arrow_points_to_the_preferred_phase)
{
	const double pi = acos(-1);
	const clpac_plot_options with = {.overwrite = true, .arrows = true}, without = {.overwrite = true};
	clpac_result *result =
		make_map(0, 0, 2, 1u << CLPAC_MI | 1u << CLPAC_PREFERRED_PHASE | 1u << CLPAC_MEAN_VECTOR);
	float *phases = clpac_result_array(result, CLPAC_PREFERRED_PHASE, NULL);
	float *lengths = clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL);
	struct picture plain = draw(result, &without);
	const int bottom = find(&plain, rgb(clpac__viridis(0.5))).bottom;
	for (size_t i = 0; i < 20; i++)
		phases[i] = lengths[i] = NAN;
	/* 0 points rightwards, 90 degrees upwards; the head makes one end of an arrow heavier. */
	for (int turn = 0; turn < 4; turn++) {
		phases[12] = (float)(turn < 3 ? turn * pi / 2 : -pi / 2);
		lengths[12] = 0.25f;
		struct picture arrow = draw(result, &with);
		const place found = find_changes(&plain, &arrow, bottom);
		const int width = found.right - found.left, height = found.bottom - found.top;
		ck_assert_uint_gt(found.n, 20);
		ck_assert_int_gt(turn % 2 ? height : width, 3 * (turn % 2 ? width : height) / 2);
		const double right = found.x - (found.left + found.right) / 2.0;
		const double down = found.y - (found.top + found.bottom) / 2.0;
		ck_assert_double_gt(turn == 0 ? right : turn == 1 ? -down : turn == 2 ? -right : down, 1);
		cairo_surface_destroy(arrow.surface);
	}
	/* An arrow is as long as its mean vector, beside the longest. */
	int widths[2];
	for (int is_beside = 0; is_beside < 2; is_beside++) {
		phases[2] = is_beside ? 0 : NAN;
		lengths[2] = is_beside ? 0.5f : NAN;
		phases[12] = 0;
		struct picture two = draw(result, &with);
		phases[12] = NAN;
		struct picture one = draw(result, is_beside ? &with : &without);
		const place found = find_changes(&one, &two, bottom);
		widths[is_beside] = found.right - found.left;
		cairo_surface_destroy(one.surface);
		cairo_surface_destroy(two.surface);
	}
	ck_assert_int_lt(widths[1], 3 * widths[0] / 4);
	ck_assert_int_gt(widths[1], widths[0] / 3);
	cairo_surface_destroy(plain.surface);
	clpac_result_destroy(result);

	clpac_error err;
	result = make_map(0, 0, 2, 1u << CLPAC_MI);
	ck_assert_int_eq(clpac_result_plot(result, scratch_path("a.png"), &with, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no preferred phases"));
	clpac_result_destroy(result);
}
