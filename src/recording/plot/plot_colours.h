/* Colours of plots, distinguishable in grey and by the colour-blind. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_COLOURS_H
#define CLPAC_RECORDING_PLOT_PLOT_COLOURS_H

typedef struct clpac__colour {
	double red, green, blue; /* 0 to 1 */
} clpac__colour;

extern const clpac__colour clpac__colour_ink;	    /* text and axes */
extern const clpac__colour clpac__colour_faint;	    /* lines for orientation */
extern const clpac__colour clpac__colour_undefined; /* cells that are NaN */
extern const clpac__colour clpac__colour_bar;	    /* bars of a histogram */

/* Colour maps that are even in lightness, by clpac_colours: viridis, grey, and both from bright to dark. */
clpac__colour clpac__colour_of(int colours, double value);

/* Viridis from 0 (dark) to 1 (bright); values outside take the colour of the nearer end. */
clpac__colour clpac__viridis(double value);

#endif
