/* Plots: their formats, and laws for their pixels. The test does not know where on the page a map lies, but which
 * colours must be there, and which way they move when the values do. */
#include "config.h"
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "maxima_truth.h"

#include <clpac/io.h>

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_CAIRO
#include <cairo.h>
#include "io/plot/plot_axes.h"
#include "io/plot/plot_colours.h"

static const clpac_plot_options defaults = {.channel = SIZE_MAX, .overwrite = true};

START_TEST(each_ending_gives_its_format)
{
	static const struct {
		const char *name, *magic, *also;
	} formats[] = {
		{"a.png", "\x89PNG\r\n\x1a\n", ""},
		{"a.PNG", "\x89PNG\r\n\x1a\n", ""},
		{"a.svg", "<?xml", "<svg"},
		{"a.pdf", "%PDF-", ""},
	};
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	for (size_t i = 0; i < COUNT(formats); i++) {
		assert_works(clpac_result_plot(result, scratch_path(formats[i].name), &defaults, &err), err);
		char *file = scratch_read(formats[i].name, NULL);
		ck_assert_int_eq(strncmp(file, formats[i].magic, strlen(formats[i].magic)), 0);
		ck_assert_ptr_nonnull(strstr(file, formats[i].also));
		free(file);
	}
	clpac_result_destroy(result);
}
END_TEST

START_TEST(another_ending_is_refused_with_those_there_are)
{
	static const char *const names[] = {"a.jpg", "a", "png", "a.svg.gz", ".", "a.png."};
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_refused(clpac_result_plot(result, scratch_path(names[i]), &defaults, &err), err,
			       CLPAC_ERROR_ARGUMENT, ".png, .svg or .pdf");
	ck_assert_uint_eq(scratch_count(), 0);
	clpac_result_destroy(result);
}
END_TEST

START_TEST(what_cannot_be_drawn_is_refused)
{
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	const char *path = scratch_path("a.png");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.channel = MADE_CHANNELS}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "channel 2 does not exist: there are 2");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.segment = MADE_SEGMENTS}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "segment 3 does not exist");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.significance = 1.5}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "significance is 1.5");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.significance = NAN}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "significance is");
	clpac_result_amplitude_bands(result)[3] = (clpac_band){80, 70};
	assert_refused(clpac_result_plot(result, path, &defaults, &err), err, CLPAC_ERROR_ARGUMENT,
		       "band 3 is 80 to 70 Hz");
	clpac_result_destroy(result);
	result = make_result(1u << CLPAC_Z);
	assert_refused(clpac_result_plot(result, path, &defaults, &err), err, CLPAC_ERROR_ARGUMENT,
		       "holds no index to draw");
	clpac_result_destroy(result);
	ck_assert_uint_eq(scratch_count(), 0);
}
END_TEST

/* The place of a colour on a page: the number of its pixels, and their mean position. */
typedef struct place {
	size_t n;
	double x, y;
	int left, right, top, bottom;
} place;

typedef struct picture {
	cairo_surface_t *surface;
	int width, height;
} picture;

static picture draw(const clpac_result *result, const clpac_plot_options *options)
{
	clpac_error err;
	picture picture;
	assert_works(clpac_result_plot(result, scratch_path("a.png"), options, &err), err);
	picture.surface = cairo_image_surface_create_from_png(scratch_path("a.png"));
	ck_assert_int_eq(cairo_surface_status(picture.surface), CAIRO_STATUS_SUCCESS);
	picture.width = cairo_image_surface_get_width(picture.surface);
	picture.height = cairo_image_surface_get_height(picture.surface);
	return picture;
}

static uint32_t pixel(const picture *picture, int x, int y)
{
	uint32_t value;
	const unsigned char *data = cairo_image_surface_get_data(picture->surface);
	memcpy(&value, data + (size_t)y * (size_t)cairo_image_surface_get_stride(picture->surface) + 4 * (size_t)x, 4);
	return value & 0xffffff;
}

static uint32_t rgb(clpac__colour colour)
{
	return (uint32_t)(colour.red * 255 + 0.5) << 16 | (uint32_t)(colour.green * 255 + 0.5) << 8 |
	       (uint32_t)(colour.blue * 255 + 0.5);
}

static place find(const picture *picture, uint32_t colour)
{
	place place = {.left = picture->width, .top = picture->height, .right = -1, .bottom = -1};
	for (int y = 0; y < picture->height; y++) {
		for (int x = 0; x < picture->width; x++) {
			if (pixel(picture, x, y) != colour)
				continue;
			place.n++;
			place.x += x;
			place.y += y;
			place.left = x < place.left ? x : place.left;
			place.right = x > place.right ? x : place.right;
			place.top = y < place.top ? y : place.top;
			place.bottom = y > place.bottom ? y : place.bottom;
		}
	}
	place.x /= (double)place.n;
	place.y /= (double)place.n;
	return place;
}

/* One channel of 4 phase bands and 5 amplitude bands, all cells 1 but one; no surrogates unless requested. */
static clpac_result *make_map(size_t phase, size_t amplitude, float value, unsigned arrays)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){1, 1, 4, 5, 18, 0}, arrays, &result, &err), err);
	for (size_t i = 0; i < 4; i++)
		clpac_result_phase_bands(result)[i] = (clpac_band){2 + 2 * (double)i, 5 + 2 * (double)i};
	for (size_t i = 0; i < 5; i++)
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80 + 10 * (double)i};
	for (int which = CLPAC_MI; which <= CLPAC_P; which++) {
		float *values = clpac_result_array(result, (clpac_array)which, NULL);
		for (size_t i = 0; values && i < 20; i++)
			values[i] = i == 5 * phase + amplitude ? value : 1;
	}
	return result;
}

static place find_in_map(size_t phase, size_t amplitude, float value, uint32_t colour)
{
	clpac_result *result = make_map(phase, amplitude, value, 1u << CLPAC_MI);
	picture picture = draw(result, &defaults);
	place place = find(&picture, colour);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
	return place;
}

START_TEST(the_peak_is_the_brightest_cell_and_lies_where_its_bands_are)
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
END_TEST

START_TEST(an_undefined_cell_is_grey_and_only_then)
{
	uint32_t grey = rgb(clpac__colour_undefined);
	/* A few pixels at the rims of letters happen to have the colour too. */
	ck_assert_uint_lt(find_in_map(1, 2, 2, grey).n, 1000);
	place undefined = find_in_map(1, 2, NAN, grey), elsewhere = find_in_map(2, 2, NAN, grey);
	ck_assert_uint_gt(undefined.n, 10000);
	ck_assert(elsewhere.x > undefined.x + 50);
}
END_TEST

/* The letters of a drawing: all of its texts' but blanks. */
static size_t count_letters(const clpac_result *result, const char *title)
{
	clpac_error err;
	const char *path = scratch_path("letters.svg");
	const clpac_plot_options options = {.channel = SIZE_MAX, .title = title, .overwrite = true};
	assert_works(clpac_result_plot(result, path, &options, &err), err);
	char *text = scratch_read("letters.svg", NULL);
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, "<text ")); at++)
		for (const char *letter = strchr(at, '>') + 1; *letter != '<'; letter++)
			n += *letter != ' ';
	free(text);
	return n;
}

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

START_TEST(the_vertical_axis_is_named_upwards_along_its_middle)
{
	clpac_result *result = make_map(0, 0, 2, 1u << CLPAC_MI);
	picture picture = draw(result, &defaults);
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
END_TEST

START_TEST(text_is_text_in_an_svg)
{
	clpac_error err;
	clpac_result *result = make_map(0, 0, 2, 1u << CLPAC_MI);
	assert_works(clpac_result_set_channel_name(result, 0, "<b> & \"C3\" \xef\xbf\xbf\u00b5", &err), err);
	count_letters(result, NULL);
	char *svg = scratch_read("letters.svg", NULL);
	ck_assert_ptr_nonnull(strstr(svg, ">Channel &lt;b&gt; &amp; \"C3\" \ufffd\u00b5</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">phase frequency (Hz)</text>"));
	ck_assert_ptr_null(strstr(svg, "<use "));
	const char *end = strstr(svg, "</svg>");
	ck_assert(end && !strstr(end + 1, "</svg>") && !strstr(end, "<text "));
	free(svg);
	clpac_result_destroy(result);
}
END_TEST

/* A comparison of subjects has its effect and t drawn, each under its name; the peak is the cell of lowest p_max,
 * though another has a larger t, and a low t may be it. */
START_TEST(a_comparison_has_its_effect_and_t)
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
END_TEST

START_TEST(a_map_without_a_defined_cell_is_drawn)
{
	clpac_result *result =
		make_map(0, 0, NAN, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_PEAK_DISTRIBUTION);
	for (int which = CLPAC_MI; which <= CLPAC_P; which++)
		for (size_t i = 0; i < 20; i++)
			clpac_result_array(result, (clpac_array)which, NULL)[i] = NAN;
	picture picture = draw(result, &defaults);
	ck_assert_uint_gt(find(&picture, rgb(clpac__colour_undefined)).n, 20 * 2 * 10000);
	ck_assert_uint_eq(find(&picture, rgb(clpac__viridis(1))).n, 0);
	cairo_surface_destroy(picture.surface);
	/* A line below the title says so; a title of the caller's stands alone. */
	char title[100];
	snprintf(title, sizeof title, "Channel %s", clpac_result_channel_name(result, 0));
	ck_assert_uint_ge(count_letters(result, NULL), count_letters(result, title) + strlen("Nocellisdefined"));
	clpac_result_destroy(result);
}
END_TEST

START_TEST(a_map_of_equal_values_has_their_colour)
{
	/* Zeros span no range of their own. */
	clpac_result *result = make_map(0, 0, 0, 1u << CLPAC_MI);
	memset(clpac_result_array(result, CLPAC_MI, NULL), 0, 20 * sizeof(float));
	picture picture = draw(result, &defaults);
	ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0))).n, 20 * 10000);
	cairo_surface_destroy(picture.surface);
	/* The bar beside them has the scale of ones, 0 to 1. */
	clpac_result *ones = make_map(0, 0, 1, 1u << CLPAC_MI);
	ck_assert_uint_eq(count_letters(result, "title"), count_letters(ones, "title"));
	clpac_result_destroy(ones);
	clpac_result_destroy(result);
}
END_TEST

/* Counts white pixels among the brightest: the outline, the only white inside a map. */
static size_t count_outline(clpac_array which, float p, double significance)
{
	clpac_result *result = make_map(1, 2, 1, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << which);
	clpac_result_array(result, which, NULL)[5 + 2] = p;
	picture picture = draw(result, &(clpac_plot_options){.significance = significance, .overwrite = true});
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

START_TEST(cells_up_to_the_significance_are_outlined)
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
END_TEST

/* A p that is small for the cell alone counts only where nothing better is known. */
START_TEST(p_that_is_corrected_comes_before_p_that_is_not)
{
	clpac_result *both[2];
	uint32_t *pixels[2];
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		both[i] = make_map(1, 2, 1, 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_P_MAX);
		clpac_result_array(both[i], CLPAC_P, NULL)[5 + 2] = i ? 0.01f : 0.9f;
		clpac_result_array(both[i], CLPAC_P_MAX, NULL)[5 + 2] = 0.5f;
		picture picture = draw(both[i], &defaults);
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
END_TEST

/* A map of z = 1 but for one cell of z = 40, and of maxima of which one just has the standing that is asked for; that
 * of the other cells is a fourth of it. */
static clpac_result *make_tested_map(double asked)
{
	enum { K = 19 };
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){1, 1, 4, 5, 18, K},
					 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P_MAX | 1u << CLPAC_MAXIMA |
						 1u << CLPAC_STANDING,
					 &result, &err),
		     err);
	for (size_t i = 0; i < 4; i++)
		clpac_result_phase_bands(result)[i] = (clpac_band){2 + 2 * (double)i, 5 + 2 * (double)i};
	for (size_t i = 0; i < 5; i++)
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80 + 10 * (double)i};
	for (size_t i = 0; i < 20; i++) {
		clpac_result_array(result, CLPAC_MI, NULL)[i] = 1;
		clpac_result_array(result, CLPAC_Z, NULL)[i] = i == 7 ? 40 : 1;
		clpac_result_array(result, CLPAC_P_MAX, NULL)[i] = i == 7 ? 0.05f : 0.9f;
		clpac_result_array(result, CLPAC_STANDING, NULL)[i] = (float)(i == 7 ? 2 * asked : asked / 4);
	}
	for (size_t k = 0; k < K; k++)
		clpac_result_array(result, CLPAC_MAXIMA, NULL)[k] = (float)(k == 4 ? asked : asked / 4);
	return result;
}

/* Short series have maxima above the root of the number of surrogates, which no z of a cell's own deviation can tell.
 */
START_TEST(the_middle_colour_of_z_is_what_the_null_asks_for)
{
	const clpac_plot_options limits = {.overwrite = true, .lowest = -1, .highest = 7};
	for (int i = 0; i < 2; i++) {
		clpac_result *result = make_tested_map(i ? 15 : 4);
		picture picture = draw(result, &(clpac_plot_options){.overwrite = true});
		/* 1 / 4 of what is asked for is a fourth of the lower half. */
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(0.125))).n, 1000);
		cairo_surface_destroy(picture.surface);
		/* Where no cell is significant, none has an upper colour, and colours tell how near they are. */
		clpac_result_array(result, CLPAC_Z, NULL)[7] = 1;
		clpac_result_array(result, CLPAC_P_MAX, NULL)[7] = 0.9f;
		clpac_result_array(result, CLPAC_STANDING, NULL)[7] = (float)(i ? 15 : 4) / 4;
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
	picture picture;
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
END_TEST

START_TEST(cells_that_are_not_valid_are_hatched_and_no_peak)
{
	clpac_result *result = make_tested_map(4);
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		clpac_result_valid(result)[7] = i == 0;
		picture picture = draw(result, &(clpac_plot_options){.overwrite = true});
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
END_TEST

START_TEST(harmonics_are_dotted)
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
		picture picture = draw(result, &defaults);
		n[i] = find(&picture, rgb(clpac__viridis(1))).n;
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
	ck_assert_uint_lt(n[1], n[0] - 20 * 10);
}
END_TEST

START_TEST(a_cell_has_a_polar_histogram_where_its_distribution_was_kept)
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
		picture picture = draw(result, &peak);
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
END_TEST

/* The pixels in which two pictures of one size differ, above a row: legends differ, too. */
static place find_changes(const picture *a, const picture *b, int bottom)
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
START_TEST(a_long_legend_stays_on_the_page)
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
	picture picture = draw(result, &with);
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
END_TEST

START_TEST(an_arrow_points_to_the_preferred_phase)
{
	const double pi = acos(-1);
	const clpac_plot_options with = {.overwrite = true, .arrows = true}, without = {.overwrite = true};
	clpac_result *result =
		make_map(0, 0, 2, 1u << CLPAC_MI | 1u << CLPAC_PREFERRED_PHASE | 1u << CLPAC_MEAN_VECTOR);
	float *phases = clpac_result_array(result, CLPAC_PREFERRED_PHASE, NULL);
	float *lengths = clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL);
	picture plain = draw(result, &without);
	const int bottom = find(&plain, rgb(clpac__viridis(0.5))).bottom;
	for (size_t i = 0; i < 20; i++)
		phases[i] = lengths[i] = NAN;
	/* 0 points rightwards, 90 degrees upwards; the head makes one end of an arrow heavier. */
	for (int turn = 0; turn < 4; turn++) {
		phases[12] = (float)(turn < 3 ? turn * pi / 2 : -pi / 2);
		lengths[12] = 0.25f;
		picture arrow = draw(result, &with);
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
		picture two = draw(result, &with);
		phases[12] = NAN;
		picture one = draw(result, is_beside ? &with : &without);
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
END_TEST

START_TEST(a_grid_has_a_map_of_each_channel)
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
	picture picture =
		draw(result, &(clpac_plot_options){.channel = 0, .segment = 1, .grid = true, .overwrite = true});
	const place cells = find(&picture, rgb(clpac__viridis(1)));
	ck_assert_int_gt(cells.right - cells.left, 9 * picture.width / 10);
	ck_assert_int_gt(cells.bottom - cells.top, 8 * picture.height / 10);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}
END_TEST

/* Segments that begin at 0, 5 and 15 s: a column for each 5 s, of which one has no segment. */
START_TEST(segments_are_drawn_over_time)
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
END_TEST

START_TEST(colours_that_are_none_are_refused)
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
END_TEST

START_TEST(the_figure_has_the_panels_that_the_result_has_data_for)
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
		picture picture = draw(result, &defaults);
		widths[i] = picture.width;
		ck_assert_int_eq(find(&picture, rgb(clpac__colour_bar)).n > 10000, amplitudes != NULL);
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
	for (size_t i = 1; i < COUNT(arrays); i++)
		ck_assert_int_gt(widths[i], widths[i - 1]);
}
END_TEST

START_TEST(a_bin_without_samples_is_grey)
{
	clpac_result *result = make_map(1, 2, 2, 1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION);
	float *amplitudes = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	for (size_t j = 0; j < 18; j++)
		amplitudes[j] = j == 7 ? NAN : 1;
	picture picture = draw(result, &defaults);
	ck_assert_uint_gt(find(&picture, rgb(clpac__colour_undefined)).n, 1000);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}
END_TEST

START_TEST(a_cosine_above_the_bars_shows_the_slow_wave)
{
	clpac_result *result = make_map(1, 2, 2, 1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION);
	float *amplitudes = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	for (size_t j = 0; j < 18; j++)
		amplitudes[j] = 1 + (float)j;
	picture picture = draw(result, &defaults);
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
END_TEST

START_TEST(the_channel_of_the_peak_is_drawn_unless_another_is_asked_for)
{
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	/* Equal bytes are equal drawings: a PNG from cairo holds neither time nor randomness. */
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	const clpac_plot_options same = {.channel = peak.channel, .segment = peak.segment};
	const clpac_plot_options other = {.channel = !peak.channel, .segment = peak.segment};
	static const char *const names[] = {"peak.png", "null.png", "same.png", "other.png"};
	const clpac_plot_options *options[] = {&defaults, NULL, &same, &other};
	size_t bytes[COUNT(names)];
	char *files[COUNT(names)];
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_works(clpac_result_plot(result, scratch_path(names[i]), options[i], &err), err);
		files[i] = scratch_read(names[i], &bytes[i]);
		ck_assert_int_eq(bytes[i] == bytes[0] && memcmp(files[i], files[0], bytes[0]) == 0, i < 3);
	}
	for (size_t i = 0; i < COUNT(files); i++)
		free(files[i]);
	clpac_result_destroy(result);
}
END_TEST

START_TEST(any_title_and_any_name_can_be_drawn)
{
	static const char *const titles[] = {"", "\xff\xfe", "line\nbreak\ttab", "\U0001d6fc \u6f22"};
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	char *long_title = malloc(5001);
	ck_assert_ptr_nonnull(long_title);
	memset(long_title, 'M', 5000);
	long_title[5000] = 0;
	for (size_t i = 0; i <= COUNT(titles); i++) {
		const char *title = i < COUNT(titles) ? titles[i] : long_title;
		const clpac_plot_options options = {.title = title, .overwrite = true};
		assert_works(clpac_result_set_channel_name(result, 0, title, &err), err);
		assert_works(clpac_result_plot(result, scratch_path("a.png"), &options, &err), err);
		assert_works(clpac_result_plot(result, scratch_path("a.pdf"), &options, &err), err);
		assert_works(clpac_result_plot(result, scratch_path("a.svg"), &(clpac_plot_options){.overwrite = true},
					       &err),
			     err);
	}
	free(long_title);
	clpac_result_destroy(result);
}
END_TEST

/* The axis of amplitudes says that they are tied, and names each by its centre where bands have names.  So the picture
 * changes, apart from the cells, whose places are those of the centres. */
START_TEST(an_axis_of_tied_bands_says_so)
{
	for (int is_named = 0; is_named < 2; is_named++) {
		clpac_error err;
		clpac_result *result = make_map(1, 2, 3, 1u << CLPAC_MI);
		clpac_band cells[20];
		for (size_t i = 0; i < 5 && is_named; i++)
			clpac_result_amplitude_bands(result)[i] = (clpac_band){60 - (double)i, 80 + (double)i};
		for (size_t i = 0; i < 20; i++)
			cells[i] = clpac_result_amplitude_bands(result)[i % 5];
		picture plain = draw(result, &defaults);
		assert_works(clpac_result_set_cell_bands(result, cells, &err), err);
		picture tied = draw(result, &defaults);
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
END_TEST

START_TEST(any_number_of_bands_can_be_drawn)
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
				values[k] = 1e-7f * (float)(k % 13 + 1);
		}
		picture picture = draw(result, &defaults);
		ck_assert_uint_gt(find(&picture, rgb(clpac__viridis(1))).n, 100);
		cairo_surface_destroy(picture.surface);
		clpac_result_destroy(result);
	}
}
END_TEST

START_TEST(viridis_grows_brighter_and_keeps_to_its_ends)
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
END_TEST

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

START_TEST(cells_lie_around_the_centres_of_their_bands)
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
END_TEST

START_TEST(numbers_beside_an_axis_lose_their_zeros_and_bands_their_decimals)
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
END_TEST

#else

START_TEST(a_build_without_cairo_says_so)
{
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	assert_refused(clpac_result_plot(result, scratch_path("a.png"), NULL, &err), err, CLPAC_ERROR_UNSUPPORTED,
		       "--with-cairo");
	ck_assert_uint_eq(scratch_count(), 0);
	clpac_result_destroy(result);
}
END_TEST

#endif

Suite *suite(void)
{
	Suite *suite = suite_create("plot");
	TCase *tests = tcase_create("plot");
	tcase_add_checked_fixture(tests, make_scratch, remove_scratch);
#ifdef HAVE_CAIRO
	tcase_add_test(tests, each_ending_gives_its_format);
	tcase_add_test(tests, another_ending_is_refused_with_those_there_are);
	tcase_add_test(tests, what_cannot_be_drawn_is_refused);
	tcase_add_test(tests, the_peak_is_the_brightest_cell_and_lies_where_its_bands_are);
	tcase_add_test(tests, an_undefined_cell_is_grey_and_only_then);
	tcase_add_test(tests, text_is_text_in_an_svg);
	tcase_add_test(tests, a_comparison_has_its_effect_and_t);
	tcase_add_test(tests, a_map_without_a_defined_cell_is_drawn);
	tcase_add_test(tests, the_vertical_axis_is_named_upwards_along_its_middle);
	tcase_add_test(tests, a_map_of_equal_values_has_their_colour);
	tcase_add_test(tests, cells_up_to_the_significance_are_outlined);
	tcase_add_test(tests, p_that_is_corrected_comes_before_p_that_is_not);
	tcase_add_test(tests, the_middle_colour_of_z_is_what_the_null_asks_for);
	tcase_add_test(tests, cells_that_are_not_valid_are_hatched_and_no_peak);
	tcase_add_test(tests, harmonics_are_dotted);
	tcase_add_test(tests, a_cell_has_a_polar_histogram_where_its_distribution_was_kept);
	tcase_add_test(tests, a_long_legend_stays_on_the_page);
	tcase_add_test(tests, an_arrow_points_to_the_preferred_phase);
	tcase_add_test(tests, a_grid_has_a_map_of_each_channel);
	tcase_add_test(tests, segments_are_drawn_over_time);
	tcase_add_test(tests, colours_that_are_none_are_refused);
	tcase_add_test(tests, the_figure_has_the_panels_that_the_result_has_data_for);
	tcase_add_test(tests, a_cosine_above_the_bars_shows_the_slow_wave);
	tcase_add_test(tests, a_bin_without_samples_is_grey);
	tcase_add_test(tests, the_channel_of_the_peak_is_drawn_unless_another_is_asked_for);
	tcase_add_test(tests, any_title_and_any_name_can_be_drawn);
	tcase_add_test(tests, an_axis_of_tied_bands_says_so);
	tcase_add_test(tests, any_number_of_bands_can_be_drawn);
	tcase_add_test(tests, viridis_grows_brighter_and_keeps_to_its_ends);
	tcase_add_test(tests, cells_lie_around_the_centres_of_their_bands);
	tcase_add_test(tests, numbers_beside_an_axis_lose_their_zeros_and_bands_their_decimals);
#else
	tcase_add_test(tests, a_build_without_cairo_says_so);
#endif
	suite_add_tcase(suite, tests);
	return suite;
}
