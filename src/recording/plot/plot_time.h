/* The figure of a result over time: its segments along one axis, frequencies along the other. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_TIME_H
#define CLPAC_RECORDING_PLOT_PLOT_TIME_H

#include <clpac/plot.h>

/* Draws the segments of one channel: at the phase band of its peak all amplitude bands, and at the amplitude band of
 * its peak all phase bands.
 * @param options of clpac_result_plot, complete.
 * Errors: those of clpac_result_plot; CLPAC_ERROR_ARGUMENT for a result whose segments are at fewer than two times. */
clpac_status clpac__plot_over_time(const clpac_result *result, const char *path, const clpac_plot_options *options,
				   clpac_error *err);

#endif
