/* The colours of maps: even in lightness, and told apart in grey and by the colour-blind. */
#ifndef CLPAC_BASE_VIRIDIS_H
#define CLPAC_BASE_VIRIDIS_H

typedef struct clpac__colour {
	double red, green, blue; /* 0 to 1 */
} clpac__colour;

/* Viridis from 0 (dark) to 1 (bright); values outside take the colour of the nearer end. */
clpac__colour clpac__viridis(double value);

#endif
