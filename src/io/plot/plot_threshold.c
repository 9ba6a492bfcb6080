#include "io/plot/plot_threshold.h"

#include <math.h>
#include <stdbool.h>

static size_t reaching(const clpac__corrected_map *map, float value)
{
	size_t n = 0;
	for (size_t i = 0; i < map->n_surrogates; i++)
		n += map->maxima[i] >= value;
	return n;
}

/* As many maxima reach a value as may; the highest of those that too many reach has to be surpassed. */
double clpac__asked_of_t(const clpac__corrected_map *map)
{
	const double may = floor(map->significance * ((double)map->n_surrogates + 1) * (1 + 1e-9)) - 1;
	double asked = 0;
	for (size_t k = 0; k < map->n_surrogates && may >= 0; k++)
		if (map->maxima[k] > asked && (double)reaching(map, map->maxima[k]) > may)
			asked = map->maxima[k];
	return isfinite(asked) ? asked : 0;
}

/* The standing of a cell with this p_max, as far as the maxima tell: the highest of them that as many reach. */
static double standing_of(const clpac__corrected_map *map, double p_max)
{
	const double n = fmax(1, round(p_max * ((double)map->n_surrogates + 1)) - 1);
	double standing = 0;
	for (size_t k = 0; k < map->n_surrogates; k++)
		if (map->maxima[k] > standing && (double)reaching(map, map->maxima[k]) >= n)
			standing = map->maxima[k];
	return standing;
}

double clpac__middle_of_z(const clpac__corrected_map *map)
{
	const double asked = clpac__asked_of_t(map);
	double lowest = INFINITY, highest = 0, least_p = 1;
	for (size_t cell = 0; cell < map->n_cells && asked > 0; cell++) {
		const double z = map->values[cell], p = map->p_max[cell];
		const bool is_significant = map->p_max[cell] <= (float)map->significance;
		if (is_significant && z > 0)
			lowest = fmin(lowest, z);
		if (is_significant || isnan(p))
			continue;
		highest = fmax(highest, z);
		least_p = fmin(least_p, p);
	}
	const double reached = standing_of(map, least_p);
	const double middle = reached > 0 ? highest * fmax(1, asked / reached) : highest;
	const double threshold = middle > 0 ? fmin(lowest, middle) : lowest;
	return isfinite(threshold) ? threshold : 0;
}
