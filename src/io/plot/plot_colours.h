/* Colours of plots.  All can be told apart by the colour-blind and in grey. */
#ifndef CLPAC_IO_PLOT_PLOT_COLOURS_H
#define CLPAC_IO_PLOT_PLOT_COLOURS_H

typedef struct clpac__colour {
	double red, green, blue; /* 0 to 1 */
} clpac__colour;

extern const clpac__colour clpac__colour_ink;	    /* text and axes */
extern const clpac__colour clpac__colour_faint;	    /* lines for orientation */
extern const clpac__colour clpac__colour_undefined; /* cells that are NaN */
extern const clpac__colour clpac__colour_bar;	    /* bars of a histogram */

/* Viridis at 0 (dark) to 1 (bright); what lies outside takes the colour of the end. */
clpac__colour clpac__viridis(double value);

#endif
