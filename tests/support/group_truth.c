#include "group_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* t of one cell with these signs, or labels. */
static long double t_of(const group_map *map, size_t cell, const double *weights, long double *effect)
{
	const size_t n = map->n_first + map->n_second, cells = map->n_phase * map->n_amplitude;
	long double sums[2] = {0, 0}, squares = 0, means[2] = {0, 0};
	size_t counts[2] = {0, 0};
	for (size_t i = 0; i < n; i++) {
		const int side = map->n_second ? weights[i] == 0 : 0;
		const long double sign = map->n_second ? 1 : (long double)weights[i];
		sums[side] += sign * map->values[i * cells + cell];
		counts[side]++;
	}
	for (int side = 0; side < 2; side++)
		means[side] = counts[side] ? sums[side] / counts[side] : 0;
	for (size_t i = 0; i < n; i++) {
		const int side = map->n_second ? weights[i] == 0 : 0;
		const long double sign = map->n_second ? 1 : (long double)weights[i];
		const long double distance = sign * map->values[i * cells + cell] - means[side];
		squares += distance * distance;
	}
	const long double variance = squares / (n - (map->n_second ? 2 : 1));
	const long double parts = 1.0L / counts[0] + (counts[1] ? 1.0L / counts[1] : 0);
	if (effect)
		*effect = means[0] - means[1];
	return (means[0] - means[1]) / sqrtl(variance * parts);
}

static long double sided(clpac_side side, long double t)
{
	return side == CLPAC_SIDE_BOTH ? fabsl(t) : side == CLPAC_SIDE_LESS ? -t : t;
}

/* Adds a cell's neighbours to its cluster, whose sum it returns. */
static long double spread(const group_map *map, const long double *t, const bool *counts, long double sign, size_t cell,
			  int number, int *numbers)
{
	const size_t n_am = map->n_amplitude, ph = cell / n_am, am = cell % n_am;
	if (numbers[cell] || !counts[cell] || !(sign * t[cell] > map->limit))
		return 0;
	numbers[cell] = number;
	long double sum = sign * t[cell];
	if (am)
		sum += spread(map, t, counts, sign, cell - 1, number, numbers);
	if (am + 1 < n_am)
		sum += spread(map, t, counts, sign, cell + 1, number, numbers);
	if (ph)
		sum += spread(map, t, counts, sign, cell - n_am, number, numbers);
	if (ph + 1 < map->n_phase)
		sum += spread(map, t, counts, sign, cell + n_am, number, numbers);
	return sum;
}

/* The heaviest cluster; the mass of each cell's where these are wanted. */
static long double heaviest_of(const group_map *map, const long double *t, const bool *counts, long double *mass)
{
	const size_t cells = map->n_phase * map->n_amplitude;
	long double heaviest = 0;
	for (int sign = 1; sign >= -1; sign -= 2) {
		int numbers[TRUTH_MOST_CELLS] = {0};
		if (map->side == (sign > 0 ? CLPAC_SIDE_LESS : CLPAC_SIDE_GREATER))
			continue;
		for (size_t cell = 0; cell < cells; cell++) {
			const long double sum = spread(map, t, counts, sign, cell, (int)cell + 1, numbers);
			heaviest = sum > heaviest ? sum : heaviest;
			for (size_t i = 0; mass && sum > 0 && i < cells; i++)
				if (numbers[i] == (int)cell + 1)
					mass[i] = sum;
		}
	}
	return heaviest;
}

group_truth group_truth_of(const group_map *map, const double *weights, size_t n)
{
	const size_t n_subjects = map->n_first + map->n_second, cells = map->n_phase * map->n_amplitude;
	group_truth made = {.n_permutations = n + 1};
	double given[TRUTH_MOST_SUBJECTS];
	bool counts[TRUTH_MOST_CELLS] = {false};
	size_t reached[TRUTH_MOST_CELLS] = {0}, highest_reached[TRUTH_MOST_CELLS] = {0},
	       heavier[TRUTH_MOST_CELLS] = {0};
	const long double rounding = 1e-12L;
	for (size_t i = 0; i < n_subjects; i++)
		given[i] = i < map->n_first;
	for (size_t cell = 0; cell < cells; cell++) {
		made.t[cell] = t_of(map, cell, given, &made.effect[cell]);
		counts[cell] = map->valid[cell] && isfinite(made.t[cell]);
	}
	heaviest_of(map, made.t, counts, made.mass);
	for (size_t k = 0; k < n; k++) {
		long double t[TRUTH_MOST_CELLS] = {0}, highest = -INFINITY;
		for (size_t cell = 0; cell < cells; cell++) {
			t[cell] = t_of(map, cell, weights + k * n_subjects, NULL);
			if (counts[cell] && sided(map->side, t[cell]) > highest)
				highest = sided(map->side, t[cell]);
		}
		const long double heaviest = heaviest_of(map, t, counts, NULL);
		for (size_t cell = 0; cell < cells; cell++) {
			const long double own = sided(map->side, made.t[cell]);
			const long double least = own - rounding * (1 + fabsl(own));
			reached[cell] += sided(map->side, t[cell]) >= least;
			highest_reached[cell] += highest >= least;
			/* Masses are summed in single precision. */
			heavier[cell] += heaviest >= made.mass[cell] * (1 - 1e-6L);
		}
	}
	for (size_t cell = 0; cell < cells; cell++) {
		made.p[cell] = isfinite(made.t[cell]) ? (1.0 + (double)reached[cell]) / (1.0 + (double)n) : NAN;
		made.p_max[cell] = counts[cell] ? (1.0 + (double)highest_reached[cell]) / (1.0 + (double)n) : NAN;
		made.p_cluster[cell] = counts[cell] ? (1.0 + (double)heavier[cell]) / (1.0 + (double)n) : NAN;
		made.mass[cell] = counts[cell] ? made.mass[cell] : NAN;
	}
	return made;
}

group_truth group_truth_of_all(const group_map *map)
{
	const size_t n = map->n_first + map->n_second, n_masks = (size_t)1 << n;
	double *weights = malloc(n_masks * n * sizeof *weights);
	size_t n_taken = 0;
	const size_t given = map->n_second ? ((size_t)1 << map->n_first) - 1 : 0;
	for (size_t mask = 0; mask < n_masks; mask++) {
		size_t n_set = 0;
		for (size_t i = 0; i < n; i++)
			n_set += mask >> i & 1;
		if (mask == given || (map->n_second && n_set != map->n_first))
			continue;
		for (size_t i = 0; i < n; i++)
			weights[n_taken * n + i] = map->n_second ? (double)(mask >> i & 1) : mask >> i & 1 ? -1 : 1;
		n_taken++;
	}
	const group_truth made = group_truth_of(map, weights, n_taken);
	free(weights);
	return made;
}
