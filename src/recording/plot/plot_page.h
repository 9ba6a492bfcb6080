/* The page of a figure: PNG, SVG or PDF by the ending of the path, with the same drawing calls for all. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_PAGE_H
#define CLPAC_RECORDING_PLOT_PLOT_PAGE_H

#include <stdbool.h>
#include <cairo.h>

#include <clpac/write.h>

#include "base/error.h"

typedef struct clpac__page clpac__page;

/* A white page, measured in points (1/72 inch) from its upper left corner.  title goes into the description of a
 * PDF.  CLPAC_ERROR_ARGUMENT for another ending. */
clpac_status clpac__page_open(const char *path, bool overwrite, clpac_output_set *set, double width, double height,
			      const char *title, clpac__page **out, clpac_error *err);
cairo_t *clpac__page_cairo(clpac__page *page);
/* Writes the file.  Afterwards the page can only be discarded. */
clpac_status clpac__page_commit(clpac__page *page, clpac_error *err);
/* NULL is fine. */
void clpac__page_discard(clpac__page *page);

#endif
