/* The sheet a figure is drawn on: PNG, SVG or PDF by the path's ending, one drawing for all. */
#ifndef CLPAC_IO_PLOT_PAGE_H
#define CLPAC_IO_PLOT_PAGE_H

#include <stdbool.h>
#include <cairo.h>

#include "base/error.h"

typedef struct clpac__page clpac__page;

/* A white page, measured in points (1/72 inch) from its upper left corner.  title goes into a PDF's description.
 * CLPAC_ERROR_ARGUMENT for another ending. */
clpac_status clpac__page_open(const char *path, bool overwrite, double width, double height, const char *title,
			      clpac__page **out, clpac_error *err);
cairo_t *clpac__page_cairo(clpac__page *page);
/* Writes the file; the page can only be discarded afterwards. */
clpac_status clpac__page_commit(clpac__page *page, clpac_error *err);
/* NULL is fine. */
void clpac__page_discard(clpac__page *page);

#endif
