/* Maxima by their definition. */
#include "maxima_truth.h"
#include "test_thread.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int order_of(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* The one of n values, `step` apart, that this part of those above 0 lie below; 0 where none is above 0. */
static double usual_of(const double *values, size_t n, size_t step, double part, size_t *n_there)
{
	double *ordered = malloc(n * sizeof *ordered);
	ck_assert_ptr_nonnull(ordered);
	*n_there = 0;
	for (size_t i = 0; i < n; i++)
		if (values[i * step] > 0)
			ordered[(*n_there)++] = values[i * step];
	qsort(ordered, *n_there, sizeof *ordered, order_of);
	const double usual = *n_there ? ordered[(size_t)floor(part * (double)(*n_there - 1))] : 0;
	free(ordered);
	return usual;
}

void true_spreads(const judged_map *map, const double *variances, double *spreads)
{
	const size_t n = map->n_amplitude, n_phase = map->n_phase;
	double *usual = malloc(n_phase * sizeof *usual), *ratios = malloc(n_phase * n * sizeof *ratios);
	size_t n_there;
	ck_assert(usual && ratios);
	for (size_t ph = 0; ph < n_phase; ph++)
		usual[ph] = usual_of(variances + ph * n, n, 1, 0.125, &n_there);
	for (size_t cell = 0; cell < n_phase * n; cell++)
		ratios[cell] = variances[cell] > 0 ? variances[cell] / usual[cell / n] : 0;
	for (size_t am = 0; am < n; am++) {
		const double found = usual_of(ratios + am, n_phase, n, 0.375, &n_there);
		const double widening = !map->is_tied && n_there > 1 && found > 1 ? found : 1;
		for (size_t ph = 0; ph < n_phase; ph++)
			spreads[ph * n + am] = fmin(variances[ph * n + am], usual[ph] * widening);
	}
	free(usual);
	free(ratios);
}

double true_variance(double mi, double mean, double std, size_t n, unsigned ddof)
{
	const double k = (double)n, all_mean = (k * mean + mi) / (k + 1);
	const double squares = std * std * (k - ddof) + k * (mean - all_mean) * (mean - all_mean);
	return (squares + (mi - all_mean) * (mi - all_mean)) / (k + 1);
}

double own_statistic(double mi, double mean, double std, size_t n, unsigned ddof)
{
	const double k = (double)n;
	return std > 0 ? (mi - (k * mean + mi) / (k + 1)) / sqrt(true_variance(mi, mean, std, n, ddof)) : NAN;
}

/* Mean of a cell's index and all its surrogates, what its standardized statistics are divided by, and by how much one
 * may differ: Welford's recurrence in single precision rounds mean and squares four times a step.  Cells whose
 * deviation is rounding have no certain standardized statistics. */
typedef struct scale {
	double mean, deviation, error;
	bool is_one_value; /* all surrogates are equal, or the cell is not valid: nothing has a standardized statistic
			    */
} scale;

static scale scale_of(const float *mi, const float *surrogates, size_t n_cells, size_t n_surrogates, size_t cell)
{
	scale s = {0};
	double largest = fabs((double)mi[cell]), squares = 0;
	s.mean = mi[cell];
	s.is_one_value = true;
	for (size_t k = 0; k < n_surrogates; k++) {
		s.is_one_value &= surrogates[k * n_cells + cell] == surrogates[cell];
		s.mean += surrogates[k * n_cells + cell];
		largest = fmax(largest, surrogates[k * n_cells + cell]);
	}
	s.mean /= (double)n_surrogates + 1;
	for (size_t k = 0; k <= n_surrogates; k++) {
		const double value = k ? surrogates[(k - 1) * n_cells + cell] : mi[cell];
		squares += (value - s.mean) * (value - s.mean);
	}
	s.deviation = sqrt(squares / ((double)n_surrogates + 1));
	s.error = 4 * (double)n_surrogates * 0x1p-24 * largest / s.deviation;
	return s;
}

/* Puts what standardized statistics are divided by in the place of deviations.  Returns the largest error of a
 * standardized statistic: that of the mean, which counts for more where the divisor is less than the deviation, and
 * those of the variances that make it. NaN where the errors are too large for anything to be certain. */
static double divide_by_spreads(const judged_map *map, scale *scales)
{
	const size_t n_cells = map->n_phase * map->n_amplitude;
	double *variances = calloc(n_cells, sizeof *variances), *spreads = calloc(n_cells, sizeof *spreads);
	double largest = 0, error = 0;
	ck_assert(variances && spreads);
	for (size_t cell = 0; cell < n_cells; cell++)
		if (!scales[cell].is_one_value) {
			variances[cell] = scales[cell].deviation * scales[cell].deviation;
			largest = fmax(largest, scales[cell].error);
		}
	true_spreads(map, variances, spreads);
	for (size_t cell = 0; cell < n_cells; cell++)
		if (!scales[cell].is_one_value) {
			const double divisor = sqrt(spreads[cell]);
			error = fmax(error, scales[cell].error * scales[cell].deviation / divisor);
			scales[cell].deviation = divisor;
		}
	free(variances);
	free(spreads);
	return largest < 0.05 && error < 0.2 ? error + 2 * largest : NAN;
}

judged_values judged_values_of(const clpac_result *result, size_t series)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands, n = shape->n_surrogates;
	const judged_values all = {.mi = clpac_result_array(result, CLPAC_MI, NULL),
				   .surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL),
				   .maxima = clpac_result_array(result, CLPAC_MAXIMA, NULL),
				   .standardized = clpac_result_array(result, CLPAC_STANDARDIZED, NULL),
				   .p_max = clpac_result_array(result, CLPAC_P_MAX, NULL)};
	ck_assert(all.mi && all.surrogates && all.maxima && all.standardized && all.p_max);
	return (judged_values){all.mi + series * cells, all.surrogates + series * n * cells, all.maxima + series * n,
			       all.standardized + series * cells, all.p_max + series * cells};
}

static void check_order(const judged_map *map, const judged_values *values, const char *label)
{
	const size_t n_cells = map->n_phase * map->n_amplitude;
	for (size_t a = 0; a < n_cells; a++) {
		ck_assert_msg(isnan(values->standardized[a]) == isnan(values->p_max[a]),
			      "%s: cell %zu has a statistic of %g and a p_max of %g", label, a, values->standardized[a],
			      values->p_max[a]);
		for (size_t b = 0; b < n_cells; b++)
			ck_assert_msg(!(values->standardized[a] >= values->standardized[b]) ||
					      values->p_max[a] <= values->p_max[b],
				      "%s: statistics of %.9g and %.9g have a p_max of %.9g and %.9g", label,
				      values->standardized[a], values->standardized[b], values->p_max[a],
				      values->p_max[b]);
	}
}

void check_maxima(const judged_map *map, const judged_values *values, const char *label)
{
	const float *mi = values->mi, *surrogates = values->surrogates, *maxima = values->maxima;
	const float *p_max = values->p_max;
	const size_t n_cells = map->n_phase * map->n_amplitude, n_surrogates = map->n_surrogates;
	scale *scales = malloc(n_cells * sizeof *scales);
	ck_assert_ptr_nonnull(scales);
	for (size_t cell = 0; cell < n_cells; cell++) {
		scales[cell] = scale_of(mi, surrogates, n_cells, n_surrogates, cell);
		scales[cell].is_one_value |= isnan(mi[cell]) || !map->valid[cell];
		if (scales[cell].is_one_value)
			ck_assert_msg(isnan(p_max[cell]), "%s: p_max of a cell without statistic is %g", label,
				      p_max[cell]);
	}
	const double error = divide_by_spreads(map, scales);
	const bool is_certain = !isnan(error);
	for (size_t k = 0; is_certain && k < n_surrogates; k++) {
		double highest = -INFINITY;
		for (size_t cell = 0; cell < n_cells; cell++)
			if (!scales[cell].is_one_value)
				highest = fmax(highest, (surrogates[k * n_cells + cell] - scales[cell].mean) /
								scales[cell].deviation);
		if (isinf(highest))
			ck_assert_msg(isnan(maxima[k]), "%s: a map without cells has a maximum", label);
		else
			ck_assert_msg(fabs(maxima[k] - highest) <= error * (1 + fabs(highest)),
				      "%s: the maximum of surrogate %zu is %.9g and not %.9g (error %.2g)", label, k,
				      maxima[k], highest, error);
	}
	for (size_t cell = 0; is_certain && cell < n_cells; cell++) {
		const double statistic = (mi[cell] - scales[cell].mean) / scales[cell].deviation;
		const double slack = 2 * error * (1 + fabs(statistic)) + 2e-6 * fmax(fabs(statistic), 1);
		size_t fewest = 1, most = 1;
		if (scales[cell].is_one_value)
			continue;
		for (size_t k = 0; k < n_surrogates; k++) {
			fewest += maxima[k] >= statistic + slack;
			most += maxima[k] >= statistic - slack;
		}
		ck_assert_msg(fabs(values->standardized[cell] - statistic) <= error * (1 + fabs(statistic)),
			      "%s: the statistic of cell %zu is %.9g and not %.9g (error %.2g)", label, cell,
			      values->standardized[cell], statistic, error);
		const double rank = p_max[cell] * ((double)n_surrogates + 1);
		ck_assert_msg(rank > (double)fewest - 0.5 && rank < (double)most + 0.5,
			      "%s: p_max of cell %zu is %.9g, %zu to %zu of %zu maxima reach it", label, cell,
			      p_max[cell], fewest - 1, most - 1, n_surrogates);
	}
	check_order(map, values, label);
	free(scales);
}
