/* Drawings of maps on a page: their common parts. */
#ifndef CLPAC_ANALYSIS_PAGES_MAPS_H
#define CLPAC_ANALYSIS_PAGES_MAPS_H

#include <stddef.h>
#include "analysis/pages/series.h"
#include "base/text.h"

/* The side of a map in its own units. */
enum { CLPAC__MAP_SIDE = 100 };
/* The outline is around p up to this, compared in single precision, in which 10/200 equals 0.05. */
extern const float clpac__map_significance;

typedef struct clpac__map_range {
	double lo, hi;
} clpac__map_range;

/* Colours begin at 0 or the lowest value below it, as those of clpac plot. */
void clpac__map_widen(clpac__map_range *range, const float *values, size_t n);
/* The class of a value's colour, CLPAC__PAGE_COLOURS for NaN. */
int clpac__map_class(clpac__map_range range, double value);
/* The drawing of a map without its frame, as a group that other drawings use. */
void clpac__map_add_body(clpac__text *page, const clpac__page_series *series, const float *values,
			 clpac__map_range range, const char *id);
/* At most six numbers along each axis, centres of bands. */
void clpac__map_add_ticks(clpac__text *page, const clpac__page_series *series);
/* A line of colours with the values at its ends. */
void clpac__map_add_colours(clpac__text *page, clpac__map_range range, const char *word);

#endif
