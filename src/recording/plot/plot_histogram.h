/* The panel of the amplitude over the phase. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_HISTOGRAM_H
#define CLPAC_RECORDING_PLOT_PLOT_HISTOGRAM_H

#include "recording/plot/plot_axes.h"

/* Mean amplitude per phase bin as shares of their sum, over two cycles; NaN for a bin without samples. */
typedef struct clpac__histogram {
	const float *amplitudes;
	size_t n_bins;
	const char *title;
} clpac__histogram;

void clpac__draw_histogram(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram);

#endif
