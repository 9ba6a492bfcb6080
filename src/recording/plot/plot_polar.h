/* The panel of the amplitude around the phase circle. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_POLAR_H
#define CLPAC_RECORDING_PLOT_PLOT_POLAR_H

#include "recording/plot/plot_histogram.h"

/* The shares of a histogram as wedges, whose radii are the shares, and the direction of their mean vector.  Phase 0,
 * the peak of the slow wave, is at the right; phases go counter-clockwise. */
void clpac__draw_polar(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram);

#endif
