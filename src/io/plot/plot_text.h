/* Words in a figure: one sans-serif face, sizes in points. */
#ifndef CLPAC_IO_PLOT_PLOT_TEXT_H
#define CLPAC_IO_PLOT_PLOT_TEXT_H

#include <stdbool.h>
#include <cairo.h>

typedef enum clpac__align { CLPAC__LEFT = 0, CLPAC__CENTRE, CLPAC__RIGHT } clpac__align;

typedef struct clpac__text_style {
	double size;
	bool is_bold;
	clpac__align align;
} clpac__text_style;

/* The baseline at y.  Bytes that are no UTF-8 are drawn as replacement characters. */
void clpac__draw_text(cairo_t *cairo, clpac__text_style style, double x, double y, const char *text);
double clpac__text_width(cairo_t *cairo, clpac__text_style style, const char *text);
/* Cut behind a whole character, with an ellipsis, where it would be wider than width. */
void clpac__draw_text_within(cairo_t *cairo, clpac__text_style style, double x, double y, double width,
			     const char *text);
/* Reads upwards, centred on (x, y); a power of ten (0: none) is added in brackets, as in "MI (x 10^-3)". */
void clpac__draw_text_upwards(cairo_t *cairo, clpac__text_style style, double x, double y, const char *text, int power);
/* The middle of a line of digits above its baseline: what centres a number on a tick. */
double clpac__text_middle(clpac__text_style style);

#endif
