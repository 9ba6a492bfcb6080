#include "recording/plot/plot_threshold.h"

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

double clpac__middle_of_z(const clpac__corrected_map *map)
{
	const double asked = clpac__asked_of_t(map);
	double lowest = INFINITY, highest = 0, reached = 0;
	for (size_t cell = 0; cell < map->n_cells && asked > 0; cell++) {
		const double z = map->values[cell];
		const bool is_significant = map->p_max[cell] <= (float)map->significance;
		if (is_significant && z > 0)
			lowest = fmin(lowest, z);
		if (is_significant || isnan(map->p_max[cell]))
			continue;
		highest = fmax(highest, z);
		reached = map->standings ? fmax(reached, (double)map->standings[cell]) : reached;
	}
	const double middle = reached > 0 ? highest * fmax(1, asked / reached) : highest;
	const double threshold = middle > 0 ? fmin(lowest, middle) : lowest;
	return isfinite(threshold) ? threshold : 0;
}
