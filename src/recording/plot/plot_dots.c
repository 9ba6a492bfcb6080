/* A picture of dots in a box of the page. */
#include "recording/plot/plot_parts.h"

static uint32_t word_of(clpac__colour colour)
{
	return (uint32_t)(colour.red * 255 + 0.5) << 16 | (uint32_t)(colour.green * 255 + 0.5) << 8 |
	       (uint32_t)(colour.blue * 255 + 0.5);
}

void clpac__draw_dots(cairo_t *cairo, clpac__box box, int side, clpac__colour_at *colour_at, const void *user)
{
	cairo_surface_t *dots = cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side);
	unsigned char *data = cairo_image_surface_get_data(dots);
	/* One that could not be made has no data, and drawing it makes the page fail. */
	for (int y = 0; data && y < side; y++) {
		uint32_t *line = (void *)(data + (size_t)y * (size_t)cairo_image_surface_get_stride(dots));
		for (int x = 0; x < side; x++)
			line[x] = word_of(colour_at(user, (x + 0.5) / side, 1 - (y + 0.5) / side));
	}
	cairo_surface_mark_dirty(dots);
	cairo_save(cairo);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_clip(cairo);
	cairo_translate(cairo, box.x, box.y);
	cairo_scale(cairo, box.width / side, box.height / side);
	cairo_set_source_surface(cairo, dots, 0, 0);
	cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
	cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_BILINEAR);
	cairo_paint(cairo);
	cairo_restore(cairo);
	cairo_surface_destroy(dots);
}
