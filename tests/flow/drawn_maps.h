/* Small maps to be drawn, and what can be told of a drawing: of its pixels, without knowing where on the page a map
 * lies, and of the texts of an SVG. */
#ifndef CLPAC_TESTS_DRAWN_MAPS_H
#define CLPAC_TESTS_DRAWN_MAPS_H

#include <cairo.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/plot.h>
#include "recording/plot/plot_parts.h"

/* The channel of the peak, over an older file. */
extern const clpac_plot_options plot_defaults;

/* One channel of 4 phase bands and 5 amplitude bands, all cells 1 but one; no surrogates unless requested. */
clpac_result *make_map(size_t phase, size_t amplitude, float value, unsigned arrays);
/* A map of z = 1 but for one cell of z = 40, and of maxima of which one just has the standardized statistic that is
 * asked for; that of the other cells is a fourth of it. */
clpac_result *make_tested_map(double asked);

struct picture {
	cairo_surface_t *surface;
	int width, height;
};

/* Draws a.png in the scratch folder, and reads it; the caller destroys its surface. */
struct picture draw(const clpac_result *result, const clpac_plot_options *options);
uint32_t pixel(const struct picture *picture, int x, int y);
/* A colour as pixel gives it. */
uint32_t rgb(clpac__colour colour);

/* The place of a colour on a page: the number of its pixels, and their mean position. */
typedef struct place {
	size_t n;
	double x, y;
	int left, right, top, bottom;
} place;

place find(const struct picture *picture, uint32_t colour);

/* The letters of a drawing: all of its texts' but blanks.  The drawing stays in the scratch folder as letters.svg. */
size_t count_letters(const clpac_result *result, const char *title);

#endif
