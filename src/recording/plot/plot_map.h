/* The panel of a comodulogram or of its z-values. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_MAP_H
#define CLPAC_RECORDING_PLOT_PLOT_MAP_H

#include <stdint.h>

#include "recording/plot/plot_arrows.h"
#include "recording/plot/plot_axes.h"

/* A map over phase cells x amplitude cells. */
typedef struct clpac__map {
	const clpac__cells *phase, *amplitude;
	const float *values; /* (phase band, amplitude band), NaN where undefined */
	const float *p;	     /* as values; cells with p up to significance are outlined; NULL: no outlines */
	bool is_corrected;   /* p is corrected over the cells of the map */
	double significance;
	const uint8_t *valid;  /* as values; cells that are not are hatched */
	const float *harmonic; /* as values; cells above 0 are dotted; NULL: none */
	clpac__arrows arrows;
	clpac__range limits; /* of the colours; both ends 0: those of the values */
	double threshold;    /* the value from which cells are significant, in the middle of the colours; 0: none */
	int colours;	     /* clpac_colours */
	bool is_small;	     /* a map and its title alone */
	bool has_peak;
	size_t peak_phase, peak_amplitude; /* the bands of the cell that is marked */
	const char *title;
	const char *unit;	       /* beside the colour bar */
	const char *x_label, *y_label; /* beside the axes; NULL: those of phases and amplitudes */
} clpac__map;

void clpac__draw_map(cairo_t *cairo, clpac__box box, const clpac__map *map);

#endif
