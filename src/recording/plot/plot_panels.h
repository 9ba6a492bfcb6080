/* Parts that all panels of a figure share: title, texts along the axes, legend.  A panel is drawn into a box, these
 * around it. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_PANELS_H
#define CLPAC_RECORDING_PLOT_PLOT_PANELS_H

#include "recording/plot/plot_axes.h"

/* Room in points around a panel's box for title, numbers and legend. */
extern const double clpac__room_above, clpac__room_below, clpac__room_at_left, clpac__room_at_map_right,
	clpac__room_at_histogram_right;

/* Draws the sample of a legend entry, a swatch or a line, into a box. */
typedef void clpac__draw_sample(cairo_t *cairo, clpac__box box);
typedef struct clpac__legend_entry {
	clpac__draw_sample *draw_sample;
	const char *text;
} clpac__legend_entry;

/* A legend below a panel: entries side by side, centred, in as many lines as they need; a page has room for two. */
void clpac__draw_legend(cairo_t *cairo, clpac__box box, const clpac__legend_entry *entries, size_t n);
/* The title above a panel, the text below it, and the text along its left side. */
void clpac__draw_panel_texts(cairo_t *cairo, clpac__box box, const char *title, const char *below, const char *at_left);

#endif
