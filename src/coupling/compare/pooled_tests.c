#include "coupling/compare/compare_parts.h"

#include <clpac/memory/cancel.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/signal/clusters.h"
#include "coupling/signal/modulation_index.h"
#include "coupling/signal/statistics.h"

/* Standardized statistics that differ by less are one: the differences have single precision. */
static const double rounding = 1e-6;

typedef struct work {
	const clpac__pooled_map *map;
	const clpac__pooled_rule *rule;
	size_t n_cells, n_others;
	float *differences;	     /* (permutation, cell), the given order first */
	double *sums, *all_sums;     /* (cell, bin): of the first condition in one permutation, and of all epochs */
	double *counts, *all_counts; /* (phase, bin) */
	double *weights;	     /* (epoch) */
	float *standardized;
	uint32_t *words;
} work;

static double index_of(const clpac__pooled_map *map, const double *sums, const double *counts)
{
	double distribution[CLPAC_MAX_BINS], lowest = INFINITY, highest = 0;
	for (size_t j = 0; j < map->n_bins; j++) {
		const bool is_mean = map->average == CLPAC_AVERAGE_MEAN;
		/* A sum that is what others leave of all may be a rounding below 0. */
		const double sum = counts[j] > 0 ? fmax(sums[j], 0) : 0;
		distribution[j] = counts[j] > 0 && is_mean ? sum / counts[j] : sum;
		lowest = fmin(lowest, distribution[j]);
		highest = fmax(highest, distribution[j]);
	}
	if (map->measure == CLPAC_MEASURE_HR)
		return highest > 0 ? (highest - lowest) / highest : NAN;
	return clpac__modulation_index_of_distribution(distribution, (unsigned)map->n_bins);
}

static void add(double *to, const float *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += (double)row[i];
}

/* Adds up the epochs that permutation k gives to the first condition. */
static void pool(work *w, uint64_t k)
{
	const clpac__pooled_map *map = w->map;
	const size_t n_sums = w->n_cells * map->n_bins, n_counts = map->n_phase * map->n_bins;
	clpac__permutation(&w->rule->permutations, k, w->weights);
	memset(w->sums, 0, n_sums * sizeof *w->sums);
	memset(w->counts, 0, n_counts * sizeof *w->counts);
	for (size_t i = 0; i < w->rule->permutations.n; i++) {
		if (w->weights[i] == 0)
			continue;
		add(w->sums, map->sums + i * n_sums, n_sums);
		add(w->counts, map->counts + i * n_counts, n_counts);
	}
}

/* The difference of the pooled indices of a cell, and their ratio. */
static double difference(const work *w, size_t cell, double *ratio)
{
	const size_t n_bins = w->map->n_bins, at = cell * n_bins, row = cell / w->map->n_amplitude * n_bins;
	double sums[CLPAC_MAX_BINS], counts[CLPAC_MAX_BINS];
	for (size_t j = 0; j < n_bins; j++) {
		sums[j] = w->all_sums[at + j] - w->sums[at + j];
		counts[j] = w->all_counts[row + j] - w->counts[row + j];
	}
	const double first = index_of(w->map, w->sums + at, w->counts + row), second = index_of(w->map, sums, counts);
	*ratio = first / second;
	return first - second;
}

static clpac_status find_differences(work *w, const clpac__pooled_outcome *out, clpac_error *err)
{
	for (size_t i = 0; i < w->rule->permutations.n; i++) {
		add(w->all_sums, w->map->sums + i * w->n_cells * w->map->n_bins, w->n_cells * w->map->n_bins);
		add(w->all_counts, w->map->counts + i * w->map->n_phase * w->map->n_bins,
		    w->map->n_phase * w->map->n_bins);
	}
	for (uint64_t k = 0; k <= w->n_others; k++) {
		RETURN_IF_ERROR(clpac__tell(w->rule->telling, k > 0, err));
		pool(w, k);
		for (size_t cell = 0; cell < w->n_cells; cell++) {
			double ratio;
			const double d = difference(w, cell, &ratio);
			w->differences[k * w->n_cells + cell] = (float)d;
			if (k)
				continue;
			out->effect[cell] = (float)d;
			out->ratio[cell] = (float)ratio;
		}
	}
	return CLPAC_OK;
}

/* Puts standardized statistics in the place of differences.  A cell whose index is not defined in some permutation has
 * none. */
static void standardise(work *w)
{
	const double n = (double)w->n_others + 1;
	for (size_t cell = 0; cell < w->n_cells; cell++) {
		double mean = 0, squares = 0;
		for (size_t k = 0; k <= w->n_others; k++)
			mean += (double)w->differences[k * w->n_cells + cell] / n;
		for (size_t k = 0; k <= w->n_others; k++) {
			const double distance = (double)w->differences[k * w->n_cells + cell] - mean;
			squares += distance * distance;
		}
		const double deviation = sqrt(squares / n);
		for (size_t k = 0; k <= w->n_others; k++) {
			float *own = &w->differences[k * w->n_cells + cell];
			*own = deviation > 0 ? (float)(((double)*own - mean) / deviation) : NAN;
		}
	}
}

static double sided(clpac_side side, float statistic)
{
	const double value = (double)statistic;
	return side == CLPAC_SIDE_BOTH ? fabs(value) : side == CLPAC_SIDE_LESS ? -value : value;
}

static bool counts_for_families(const work *w, size_t cell)
{
	return w->map->valid[cell] && !isnan(w->differences[cell]);
}

/* The heaviest cluster of a permutation, of the signs that the side looks for; masses where these are wanted. */
static float find_clusters(work *w, const float *standardized, float *mass)
{
	const double alpha = w->rule->cluster_alpha;
	const double limit = clpac__upper_deviate(w->rule->side == CLPAC_SIDE_BOTH ? alpha / 2 : alpha);
	float heaviest = 0;
	for (int sign = 1; sign >= -1; sign -= 2) {
		if (w->rule->side == (sign > 0 ? CLPAC_SIDE_LESS : CLPAC_SIDE_GREATER))
			continue;
		for (size_t cell = 0; cell < w->n_cells; cell++) {
			const float own = (float)sign * standardized[cell];
			w->standardized[cell] = counts_for_families(w, cell) && (double)own > limit ? own : 0;
		}
		heaviest = fmaxf(heaviest, clpac__label_clusters(w->standardized, w->map->links, w->map->n_phase,
								 w->map->n_amplitude, w->words));
		for (size_t cell = 0; mass && cell < w->n_cells; cell++)
			mass[cell] = counts_for_families(w, cell)
					     ? fmaxf(mass[cell], clpac__cluster_mass(w->words, cell))
					     : NAN;
	}
	return heaviest;
}

static clpac_status count(work *w, const clpac__pooled_outcome *out, clpac_error *err)
{
	const clpac_side side = w->rule->side;
	for (size_t cell = 0; cell < w->n_cells; cell++) {
		const double own = sided(side, w->differences[cell]);
		size_t reached = 0;
		RETURN_IF_ERROR(clpac_cancel_check(err));
		for (size_t k = 1; k <= w->n_others; k++)
			reached += sided(side, w->differences[k * w->n_cells + cell]) >= own - rounding;
		out->statistic[cell] = w->differences[cell];
		out->p[cell] = isnan(own) ? NAN : (float)clpac__p_value(reached, w->n_others);
		out->mass[cell] = 0;
	}
	find_clusters(w, w->differences, out->mass);
	for (size_t k = 1; k <= w->n_others; k++) {
		const float *own = w->differences + k * w->n_cells;
		double highest = -INFINITY;
		RETURN_IF_ERROR(clpac__tell(w->rule->telling, 1, err));
		for (size_t cell = 0; cell < w->n_cells; cell++)
			if (counts_for_families(w, cell))
				highest = fmax(highest, sided(side, own[cell]));
		out->maxima[k - 1] = isfinite(highest) ? (float)highest : NAN;
		out->heaviest[k - 1] = isfinite(highest) ? find_clusters(w, own, NULL) : NAN;
	}
	return CLPAC_OK;
}

void clpac__pooled_p_max(const float *statistic, const uint8_t *valid, size_t n_cells, size_t n, clpac_side side,
			 const float *maxima, size_t n_others, float *p_max)
{
	for (size_t i = 0; i < n; i++) {
		size_t reached = 0;
		p_max[i] = NAN;
		if (!valid[i % n_cells] || isnan(statistic[i]))
			continue;
		for (size_t k = 0; k < n_others; k++)
			reached += (double)maxima[k] >= sided(side, statistic[i]) - rounding;
		p_max[i] = (float)clpac__p_value(reached, n_others);
	}
}

clpac_status clpac__pooled_test(const clpac__pooled_map *map, const clpac__pooled_rule *rule,
				const clpac__pooled_outcome *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	work w = {.map = map,
		  .rule = rule,
		  .n_cells = map->n_phase * map->n_amplitude,
		  .n_others = (size_t)rule->permutations.n_choices - 1};
	const size_t n_sums = w.n_cells * map->n_bins, n_counts = map->n_phase * map->n_bins;
	w.differences = clpac__alloc_array(w.n_others + 1, w.n_cells * sizeof *w.differences);
	w.sums = clpac__alloc_array(n_sums, sizeof *w.sums);
	w.all_sums = clpac__alloc_array(n_sums, sizeof *w.all_sums);
	w.counts = clpac__alloc_array(n_counts, sizeof *w.counts);
	w.all_counts = clpac__alloc_array(n_counts, sizeof *w.all_counts);
	w.weights = clpac__alloc_array(rule->permutations.n, sizeof *w.weights);
	w.standardized = clpac__alloc_array(w.n_cells, sizeof *w.standardized);
	w.words = clpac__alloc_array(w.n_cells, sizeof *w.words);
	if (!w.differences || !w.sums || !w.all_sums || !w.counts || !w.all_counts || !w.weights || !w.standardized ||
	    !w.words)
		FAIL(CLPAC_ERROR_NO_MEMORY,
		     "comparing pooled indices of %zu cells in %zu permutations: the host has no memory left",
		     w.n_cells, w.n_others + 1);
	TRY(find_differences(&w, out, err));
	standardise(&w);
	TRY(count(&w, out, err));
done:
	FREE_ALL(w.differences, w.sums, w.all_sums, w.counts, w.all_counts, w.weights, w.standardized, w.words);
	return st;
}
