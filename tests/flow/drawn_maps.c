/* Small maps to be drawn, and what is found in a drawing. */
#include "drawn_maps.h"

#include <stdlib.h>

#include "runner.h"
#include "assertions.h"
#include "made_result.h"

const clpac_plot_options plot_defaults = {.channel = SIZE_MAX, .overwrite = true};

clpac_result *make_map(size_t phase, size_t amplitude, float value, unsigned arrays)
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

clpac_result *make_tested_map(double asked)
{
	enum { K = 19 };
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){1, 1, 4, 5, 18, K},
					 1u << CLPAC_MI | 1u << CLPAC_Z | 1u << CLPAC_P_MAX | 1u << CLPAC_MAXIMA |
						 1u << CLPAC_STANDARDIZED,
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
		clpac_result_array(result, CLPAC_STANDARDIZED, NULL)[i] = (float)(i == 7 ? 2 * asked : asked / 4);
	}
	for (size_t k = 0; k < K; k++)
		clpac_result_array(result, CLPAC_MAXIMA, NULL)[k] = (float)(k == 4 ? asked : asked / 4);
	return result;
}

struct picture draw(const clpac_result *result, const clpac_plot_options *options)
{
	clpac_error err;
	struct picture picture;
	assert_works(clpac_result_plot(result, scratch_path("a.png"), options, &err), err);
	picture.surface = cairo_image_surface_create_from_png(scratch_path("a.png"));
	ck_assert_int_eq(cairo_surface_status(picture.surface), CAIRO_STATUS_SUCCESS);
	picture.width = cairo_image_surface_get_width(picture.surface);
	picture.height = cairo_image_surface_get_height(picture.surface);
	return picture;
}

uint32_t pixel(const struct picture *picture, int x, int y)
{
	uint32_t value;
	const unsigned char *data = cairo_image_surface_get_data(picture->surface);
	memcpy(&value, data + (size_t)y * (size_t)cairo_image_surface_get_stride(picture->surface) + 4 * (size_t)x, 4);
	return value & 0xffffff;
}

uint32_t rgb(clpac__colour colour)
{
	return (uint32_t)(colour.red * 255 + 0.5) << 16 | (uint32_t)(colour.green * 255 + 0.5) << 8 |
	       (uint32_t)(colour.blue * 255 + 0.5);
}

place find(const struct picture *picture, uint32_t colour)
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

size_t count_letters(const clpac_result *result, const char *title)
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
