/** @file plot.h
 *  Draws results.  In the library libclpac-io, beside libclpac.
 *
 *  Every function may be called from any thread on different objects.  Pictures are files as clpac/write.h writes them.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_PLOT_H
#define CLPAC_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/recording.h>
#include <clpac/result.h>
#include <clpac/status.h>
#include <clpac/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Colours of maps, all of them even in lightness: viridis (Smith, van der Walt and Firing 2015), grey, and each from
 *  bright to dark. */
typedef enum clpac_colours {
	CLPAC_VIRIDIS = 0,
	CLPAC_VIRIDIS_REVERSED,
	CLPAC_GREY,
	CLPAC_GREY_REVERSED,
	CLPAC_COLOURS_COUNT
} clpac_colours;

/** Options of plots. */
typedef struct clpac_plot_options {
	size_t size;		 /**< sizeof(clpac_plot_options), or 0: the members of clpac 0.1. */
	size_t channel, segment; /**< With channel SIZE_MAX, channel and segment of the peak. */
	const char *title;	 /**< NULL: channel and peak. */
	double significance;	 /**< Cells with p_max up to this are outlined; 0 stands for 0.05.  In a
				      result without p_max it is p, which the legend says. */
	bool overwrite;
	clpac_output_set *set; /**< As in clpac_write_options. */
	clpac_colours colours;
	/** Ends of the colours of z (without surrogates, of the index); both 0: from 0, or the lowest value below it,
	 * to the highest, with the lowest z of a significant cell in the middle, or a lower one where the others
	 * lie below, so that significant cells have upper colours; where there is none, colours tell how near it is. */
	double lowest, highest;
	/** With has_cell the third panel is the polar histogram of this cell, in place of the peak's histogram. Another
	 * cell than the peak needs kept distributions. */
	bool has_cell;
	size_t cell_phase, cell_amplitude;
	bool grid; /**< A small map of each channel, in the segment of `segment`, on one page, in place of one series.
		    */
	/** The segments of the channel over time, in place of one of them: the amplitude bands at the phase band of the
	 * channel's peak, and the phase bands at its amplitude band.  A time without a segment is drawn as undefined.
	 * Not with grid and has_cell. */
	bool over_time;
	/** An arrow in each cell of the index, or of each small map: its direction is the preferred phase, 0 to the
	 * right and 90 degrees upwards, its length the mean vector, beside the longest of the map.  Cells that are
	 * narrower than 5 points share one.  A result without preferred phases is CLPAC_ERROR_ARGUMENT.  Not with
	 * over_time. */
	bool arrows;
	clpac_write_function *write; /**< As in clpac_write_options; with `write_user`. */
	void *write_user;
	/** Of the page, in millimetres, 20 to 1000, as of a column of a journal: panels lie below each other where they
	 * would have to shrink by more than 30 %, and all of it gets this width.  0: as wide as is needed. */
	double width_mm;
	/** Colours between the middles of cells, bilinear along the axes as they are drawn, in place of cells.  Where
	 * one of four neighbours has no value, and beyond the outer middles, a cell has its own colour.  Outlines and
	 * marks are those of cells. */
	bool smooth;
	/** All channels in one figure, in place of one series, in the segment of `segment`: which share of them is
	 * significant in each cell, and the mean over them of the excess where the result has it, else of z, or of the
	 * index.  Not with grid, over_time, arrows and has_cell. */
	bool population;
	/** The head from above, nose upwards, with index and z of all channels in the cell of the peak (has_cell: that
	 * cell), and between them spherical splines (Perrin, Pernier, Bertrand and Echallier 1989; order 4).  Its
	 * circle is the circumference through Fpz, T7, Oz and T8.  Needs places of four channels or more, by
	 * `positions` or by names of the 10-05 system, as "Cz"; others are not drawn.  Not with pairs, grid, over_time
	 * and arrows. */
	bool topography;
	/** With topography: of each channel of the result, where it is on the head; an unknown one is NaN, and placed
	 * by its name.  NULL: all by their names. */
	const clpac_position *positions;
} clpac_plot_options;

/** Draws the comodulogram, the map of z with significant cells outlined, those that are not valid hatched, and those
 *  that harmonics reach dotted (where the result has surrogates) and the
 *  phase-amplitude histogram of the peak, as .png, .svg or .pdf by the ending of the path.
 *  @param options NULL: the channel with the peak, nothing overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (ending, channel, segment, significance, bands, cell, colours), CLPAC_ERROR_IO,
 *  CLPAC_ERROR_UNSUPPORTED in a build without cairo. */
clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err);

/** Whether this build draws; it does where it was configured with cairo.  Async-signal-safe. */
bool clpac_plots_are_available(void);

#ifdef __cplusplus
}
#endif
#endif
