#include "coupling/signal/standings.h"

#include <math.h>

/* The variance of a cell's index and surrogates together; 0 where it has no standing. */
static double variance_of(const clpac__map *map, size_t cell)
{
	const double n = (double)map->n_surrogates, std = map->std[cell], distance = map->mi[cell] - map->mean[cell];
	const double squares = std * std * (n - map->ddof) + distance * distance * (n / (n + 1));
	return map->valid[cell] && std > 0 && squares > 0 ? squares / (n + 1) : 0;
}

/* Of n values, those above 0 alone, the one of which an eighth of the others lie below; 0 without any. */
static double usual_of(const double *values, size_t n)
{
	size_t n_there = 0;
	for (size_t i = 0; i < n; i++)
		n_there += values[i] > 0;
	for (size_t i = 0; i < n; i++) {
		size_t below = 0, up_to = 0;
		for (size_t other = 0; other < n; other++) {
			below += values[other] > 0 && values[other] < values[i];
			up_to += values[other] > 0 && values[other] <= values[i];
		}
		if (values[i] > 0 && below <= (n_there - 1) / 8 && up_to > (n_there - 1) / 8)
			return values[i];
	}
	return 0;
}

void clpac__standings(const clpac__map *map, double *room, float *standings)
{
	const double part = (double)map->n_surrogates / ((double)map->n_surrogates + 1);
	for (size_t ph = 0; ph < map->n_phase; ph++) {
		const size_t from = ph * map->n_amplitude;
		for (size_t am = 0; am < map->n_amplitude; am++)
			room[am] = variance_of(map, from + am);
		const double usual = usual_of(room, map->n_amplitude);
		for (size_t am = 0; am < map->n_amplitude; am++) {
			const double distance = ((double)map->mi[from + am] - map->mean[from + am]) * part;
			standings[from + am] = room[am] > 0 ? (float)(distance / sqrt(fmin(room[am], usual))) : NAN;
		}
	}
}
