/* Text in a figure: one sans-serif face, sizes in points. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_TEXT_H
#define CLPAC_RECORDING_PLOT_PLOT_TEXT_H

#include <stdbool.h>
#include <cairo.h>

#include "base/text.h"

typedef enum clpac__align { CLPAC__LEFT = 0, CLPAC__CENTRE, CLPAC__RIGHT } clpac__align;

typedef struct clpac__text_style {
	double size;
	bool is_bold;
	clpac__align align;
} clpac__text_style;

/* From here on texts of this drawing become <text> elements of SVG, appended to `texts`, in place of the shapes of
 * their letters, so that they can be searched, read aloud and edited.  texts has to outlive the drawing. */
void clpac__collect_texts(cairo_t *cairo, clpac__text *texts);

/* Text with its baseline at y.  Bytes that are not UTF-8 become replacement characters. */
void clpac__draw_text(cairo_t *cairo, clpac__text_style style, double x, double y, const char *text);
double clpac__text_width(cairo_t *cairo, clpac__text_style style, const char *text);
/* Text cut after a whole character, with an ellipsis, where it would be wider than width. */
void clpac__draw_text_within(cairo_t *cairo, clpac__text_style style, double x, double y, double width,
			     const char *text);
/* Text that reads upwards, centred on (x, y); a power of ten (0: none) is added in brackets, as in "MI (x 10^-3)". */
void clpac__draw_text_upwards(cairo_t *cairo, clpac__text_style style, double x, double y, const char *text, int power);
/* Height of the middle of digits above their baseline, which centres a number on its tick. */
double clpac__text_middle(clpac__text_style style);

#endif
