/* What the files of this folder call of each other: the page, text and colours below, then axes and panels, then what
 * is drawn in them. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_PARTS_H
#define CLPAC_RECORDING_PLOT_PLOT_PARTS_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/bands.h>
#include <clpac/plot.h>
#include <clpac/result.h>
#include <clpac/write.h>

#include "recording/output.h"
#include "base/error.h"
#include "base/text.h"
#include "base/viridis.h"

/* The cells that bands cover along an axis. */

/* The values lo to hi, both above 0 on a logarithmic axis. */
typedef struct clpac__range {
	double lo, hi;
	bool is_logarithmic;
	bool has_centre;
	double centre; /* of a colour scale: the value in its middle, each half of which is even */
} clpac__range;

/* The cells of n bands along an axis, in the order of their centres: cell i lies between edges[i] and edges[i + 1]
 * and belongs to band order[i].  A cell reaches half way to its neighbours; adjoining bands and single bands are
 * drawn as wide as they are.  Centres evenly spaced in the logarithm give a logarithmic axis.  Where two bands share a
 * centre, all cells are equally wide (is_named), with the limits of the bands in place of numbers.  Bands whose widths
 * are tied to the other axis (is_tied) have no limits of their own, and their centres in that place. */
typedef struct clpac__cells {
	size_t n;
	const clpac_band *bands; /* the caller's */
	size_t *order;
	double *edges;
	clpac__range range;
	bool is_named, is_tied;
} clpac__cells;

clpac_status clpac__cells_create(const clpac_band *bands, size_t n, clpac__cells *out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__cells_destroy(clpac__cells *cells);

/* Text in a figure: one sans-serif face, sizes in points. */

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

/* Axes: the place of a value on the page, and round numbers beside it. */

/* A rectangle on the page; y grows downwards. */
typedef struct clpac__box {
	double x, y, width, height;
} clpac__box;

/* Position in the range: 0 at lo, 1 at hi. */
double clpac__range_part(clpac__range range, double value);

typedef enum clpac__side { CLPAC__BOTTOM = 0, CLPAC__AT_LEFT, CLPAC__AT_RIGHT } clpac__side;

/* Ticks at round values along a side of the box, with their numbers divided by 10^power.  Returns the width of the
 * widest number. */
double clpac__draw_ticks(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, int power);
/* The same for cells: round frequencies, or the names of the bands. */
void clpac__draw_cell_ticks(cairo_t *cairo, clpac__box box, clpac__side side, const clpac__cells *cells);
/* One tick with its text; returns the width of the text. */
double clpac__draw_tick(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, double value,
			const char *text);

/* The frame of a panel, drawn last. */
void clpac__draw_frame(cairo_t *cairo, clpac__box box);

/* The power of ten to divide the numbers of an axis up to hi by; 0 where they read well as they are. */
int clpac__power_of(double hi);

/* The text of a band: "4.5-7.5" with an en dash. */
void clpac__band_text(char text[96], clpac_band band);

static inline void clpac__set_colour(cairo_t *cairo, clpac__colour colour)
{
	cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

/* Sizes in points that every panel shares. */
extern const clpac__text_style clpac__label_style, clpac__tick_style;

/* Preferred phases and mean vectors of the cells of a map, as arrows. */

/* Both as the values of a map, (phase band, amplitude band), NaN where undefined.  phases NULL: no arrows. */
typedef struct clpac__arrows {
	const float *phases, *lengths;
} clpac__arrows;

/* Colours of plots, distinguishable in grey and by the colour-blind. */

extern const clpac__colour clpac__colour_ink;	    /* text and axes */
extern const clpac__colour clpac__colour_faint;	    /* lines for orientation */
extern const clpac__colour clpac__colour_undefined; /* cells that are NaN */
extern const clpac__colour clpac__colour_bar;	    /* bars of a histogram */

/* Colour maps that are even in lightness, by clpac_colours: viridis, grey, and both from bright to dark. */
clpac__colour clpac__colour_of(int colours, double value);

/* The words of a comparison, of subjects (clpac/group.h) or of conditions (clpac/compare.h), in a figure, from the text
 * of its problem. */

typedef struct clpac__compared {
	const char *effect_title; /* of the panel of means or differences */
	char unit[40];		  /* of what was compared: "z", "MI" */
	char t_title[100];	  /* of the panel of t */
	const char *t_name;	  /* what the panel of t shows: "t", or "deviations" of pooled conditions */
	bool is_less;		  /* low t are looked for */
} clpac__compared;

clpac__compared clpac__compared_words(const clpac_result *result);

/* The panel of the amplitude over the phase. */

/* Mean amplitude per phase bin as shares of their sum, over two cycles; NaN for a bin without samples. */
typedef struct clpac__histogram {
	const float *amplitudes;
	size_t n_bins;
	const char *title;
} clpac__histogram;

void clpac__draw_histogram(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram);

/* The panel of a comodulogram or of its z-values. */

/* The parts that are drawn of a map: all; or, of small ones, the map, or the map with its axes. */
typedef enum clpac__map_parts { CLPAC__MAP_WHOLE = 0, CLPAC__MAP_ALONE, CLPAC__MAP_WITH_AXES } clpac__map_parts;

/* A map over phase cells x amplitude cells. */
typedef struct clpac__drawn_map {
	const clpac__cells *phase, *amplitude;
	const float *values; /* (phase band, amplitude band), NaN where undefined */
	const float *p;	     /* as values; cells with p up to significance are outlined; NULL: no outlines */
	bool is_corrected;   /* p is corrected over the cells of the map */
	double significance;
	const uint8_t *valid;	/* as values; cells that are not are hatched */
	const float *harmonic;	/* as values; cells above 0 are dotted; NULL: none */
	const float *remaining; /* as values; the less of it, the larger the dot; NULL: all are alike */
	clpac__arrows arrows;
	clpac__range limits;   /* of the colours; both ends 0: those of the values */
	double threshold;      /* the value from which cells are significant, in the middle of the colours; 0: none */
	int colours;	       /* clpac_colours */
	bool is_smooth;	       /* values between the middles of cells, in place of cells */
	const float *extremes; /* two values, of several maps that share their colours; NULL: those of the map */
	clpac__map_parts parts;
	bool has_peak;
	size_t peak_phase, peak_amplitude; /* the bands of the cell that is marked */
	const char *title;
	const char *unit;	       /* beside the colour bar */
	const char *x_label, *y_label; /* beside the axes; NULL: those of phases and amplitudes */
} clpac__drawn_map;

void clpac__draw_map(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map);
/* The values that the colours of a map reach from and to.  *is_defined: whether it has a value. */
clpac__range clpac__colour_range(const clpac__drawn_map *map, bool *is_defined);
/* A line that is visible on every colour of a map: white on a darker one. */
void clpac__stroke_outline(cairo_t *cairo);
/* The bar of colours beside the box of a map alone. */
void clpac__draw_map_colours(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map);

/* A picture of dots in a box. */

/* The colour at a place of the box, 0 to 1 rightwards and upwards. */
typedef clpac__colour clpac__colour_at(const void *user, double x, double y);
/* Draws `side` x `side` dots, with colours between them where the page has more. */
void clpac__draw_dots(cairo_t *cairo, clpac__box box, int side, clpac__colour_at *colour_at, const void *user);

/* The page of a figure: PNG, SVG or PDF by the ending of the path, with the same drawing calls for all. */

typedef struct clpac__page clpac__page;

/* In points (1/72 inch), which are those of what is drawn; made smaller or larger where the page has a width in
 * millimetres of its own (0: none). */
typedef struct clpac__page_size {
	double width, height, mm;
} clpac__page_size;

double clpac__points_of(double width_mm);

/* A white page, measured from its upper left corner.  title goes into the description of a PDF.  CLPAC_ERROR_ARGUMENT
 * for another ending, and a width in millimetres that no page has. */
clpac_status clpac__page_open(const char *path, const clpac__output_way *way, clpac__page_size size, const char *title,
			      clpac__page **out, clpac_error *err);
cairo_t *clpac__page_cairo(clpac__page *page);
/* Writes the file.  Afterwards the page can only be discarded. */
clpac_status clpac__page_commit(clpac__page *page, clpac_error *err);
/* NULL is fine. */
void clpac__page_discard(clpac__page *page);

/* Parts that all panels of a figure share: title, texts along the axes, legend.  A panel is drawn into a box, these
 * around it. */

/* Room in points around a panel's box for title, numbers and legend. */
extern const double clpac__room_above, clpac__room_below, clpac__room_at_left, clpac__room_at_map_right;

/* Room in points around a page and for its titles, and the letters of the first of them. */
extern const double clpac__margin, clpac__title_height;
extern const clpac__text_style clpac__title_style;

/* How panels of one size lie: as many beside each other as a page of a given width has room for at nearly their own
 * size.  A histogram, the last one, needs less room at its right. */
typedef struct clpac__panels {
	size_t columns;
	double width, height; /* of the page */
} clpac__panels;

clpac__panels clpac__lay_out(size_t n_panels, bool ends_with_histogram, double width_mm);
clpac__box clpac__box_of_panel(const clpac__panels *layout, size_t panel);
/* Title and subtitle of a page as wide as the layout says. */
void clpac__draw_page_titles(cairo_t *cairo, const clpac__panels *layout, const char *title, const char *subtitle);

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

/* The panel of the amplitude around the phase circle. */

/* The shares of a histogram as wedges, whose radii are the shares, and the direction of their mean vector.  Phase 0,
 * the peak of the slow wave, is at the right; phases go counter-clockwise. */
void clpac__draw_polar(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram);

/* The value in the middle of a map's colours, from its corrected p. */

/* A map of z, or of t, and what corrected it. */
typedef struct clpac__corrected_map {
	const float *values, *p_max; /* n_cells */
	const float *standardized;   /* n_cells, what p_max compares with the maxima; NULL: unknown */
	const float *maxima;	     /* n_surrogates */
	size_t n_cells, n_surrogates;
	double significance;
} clpac__corrected_map;

/* The t that p_max = significance asks for; 0 where nothing can reach it. */
double clpac__asked_of_t(const clpac__corrected_map *map);

/* The z in the middle of the colours; 0: none.
 *
 * p_max asks no single z for: cells that spread more than is usual for their bands need less of it, since it
 * compares standardized statistics.  The lowest z of a significant cell is the middle, so that the others have upper
 * colours; but where all cells that are not significant lie lower, the highest of these stands to the middle as the
 * highest standardized statistic among them stands to the one that is asked for.  So colours tell how near to
 * significance a map is, however short the series, and show what lies below a cell that is far above. */
double clpac__middle_of_z(const clpac__corrected_map *map);

/* The figure of a result over time: its segments along one axis, frequencies along the other. */

/* Draws the segments of one channel: at the phase band of its peak all amplitude bands, and at the amplitude band of
 * its peak all phase bands.
 * @param options of clpac_result_plot, complete.
 * Errors: those of clpac_result_plot; CLPAC_ERROR_ARGUMENT for a result whose segments are at fewer than two times. */
clpac_status clpac__plot_over_time(const clpac_result *result, const char *path, const clpac_plot_options *options,
				   clpac_error *err);

/* The figure of all channels of a result in one segment. */

/* Draws the head with values of a cell between its channels (options->topography), or the share of channels that are
 * significant in each cell and the mean over channels (options->population).
 * @param options of clpac_result_plot, complete.
 * Errors: those of clpac_result_plot; CLPAC_ERROR_ARGUMENT for a head with fewer than four channels that have a place
 * and a value. */
clpac_status clpac__plot_channels(const clpac_result *result, const char *path, const clpac_plot_options *options,
				  clpac_error *err);

#endif
