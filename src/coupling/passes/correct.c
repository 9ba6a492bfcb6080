/* Corrects the p of a complete result: everything that follows from its own arrays and takes no device. */
#include "coupling/passes/correct.h"

#include <clpac/plan.h>
#include <clpac/signal.h>

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "coupling/signal/clusters.h"
#include "coupling/signal/statistics.h"

/* The cells of a family lie one after the other. */
struct families {
	size_t n, n_cells;
};

static struct families families_of(const clpac_result *result, clpac_family family)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n_cells = shape->n_channels * shape->n_segments * shape->n_phase_bands * shape->n_amplitude_bands;
	if (family == CLPAC_FAMILY_RUN)
		return (struct families){1, n_cells};
	return (struct families){shape->n_channels * shape->n_segments,
				 shape->n_phase_bands * shape->n_amplitude_bands};
}

/* Only valid cells count, and have a q. */
static clpac_status adjust(clpac_result *result, struct families families, clpac_array which, clpac_discovery rule,
			   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands;
	const uint8_t *valid = clpac_result_valid(result);
	const float *p = clpac_result_array(result, CLPAC_P, NULL);
	float *q = clpac_result_array(result, which, NULL), *counted = NULL;
	if (!p || !q)
		goto done;
	TRY(NEW_ARRAY(counted, families.n_cells));
	for (size_t i = 0; i < families.n; i++) {
		for (size_t cell = 0; cell < families.n_cells; cell++)
			counted[cell] = valid[cell % map] ? p[i * families.n_cells + cell] : NAN;
		TRY(clpac__false_discovery(counted, families.n_cells, rule, q + i * families.n_cells, err));
	}
done:
	clpac__free(counted);
	return st;
}

/* By which a deviation of surrogates becomes that without bias, whatever ddof is. */
static double unbiased(const clpac_result *result, unsigned ddof)
{
	const double n_surrogates = (double)clpac_result_get_shape(result)->n_surrogates;
	return n_surrogates > 1 ? sqrt((n_surrogates - ddof) / (n_surrogates - 1)) : NAN;
}

/* What of each index is not chance, and the interval of that. */
static void add_excess(clpac_result *result, unsigned ddof)
{
	static const clpac__index_law laws[CLPAC_MEASURE_COUNT] = {
		[CLPAC_MEASURE_MI] = CLPAC__OF_SQUARES,	  [CLPAC_MEASURE_GLM] = CLPAC__OF_SQUARES,
		[CLPAC_MEASURE_GCMI] = CLPAC__OF_SQUARES, [CLPAC_MEASURE_MVL] = CLPAC__OF_LENGTH,
		[CLPAC_MEASURE_DPAC] = CLPAC__OF_LENGTH,  [CLPAC_MEASURE_NDPAC] = CLPAC__OF_LENGTH,
		[CLPAC_MEASURE_PLV] = CLPAC__OF_LENGTH,	  [CLPAC_MEASURE_PAC_GLM] = CLPAC__OF_SQUARES,
	};
	size_t n;
	const clpac_measure measure = clpac_result_measure(result);
	const clpac__index_law law = (unsigned)measure < CLPAC_MEASURE_COUNT ? laws[measure] : CLPAC__NO_LAW;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL);
	const float *std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL);
	float *excess = clpac_result_array(result, CLPAC_EXCESS, &n);
	float *lo = clpac_result_array(result, CLPAC_EXCESS_LO, NULL);
	float *hi = clpac_result_array(result, CLPAC_EXCESS_HI, NULL);
	const double widen = unbiased(result, ddof);
	for (size_t i = 0; mi && mean && std && lo && hi && i < n; i++) {
		const double own = (double)mi[i] - mean[i];
		const clpac__interval interval = clpac__excess_interval(law, own, mean[i], std[i] * widen);
		excess[i] = (float)own;
		lo[i] = (float)interval.lo;
		hi[i] = (float)interval.hi;
	}
}

/* The gamma distribution has the variance of the surrogates without bias. */
static void add_gamma_tails(clpac_result *result, unsigned ddof)
{
	size_t n;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL);
	const float *std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL);
	float *tail = clpac_result_array(result, CLPAC_P_GAMMA, &n);
	const double widen = unbiased(result, ddof);
	for (size_t i = 0; mi && mean && std && i < n; i++) {
		const double p = clpac_signal_gamma_tail(mi[i], mean[i], std[i] * widen);
		tail[i] = (float)(p < 1e-38 ? 1e-38 : p);
	}
}

/* The highest of the values that several series have for each of n surrogates; NaN where none has one.
 * @param values (n_series, n).
 * @param[out] out NULL without values; the caller frees it. */
static clpac_status highest_of_series(const float *values, size_t n_series, size_t n, float **out, clpac_error *err)
{
	float *highest = NULL;
	if (!values)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(highest, n));
	for (size_t k = 0; k < n; k++)
		highest[k] = NAN;
	for (size_t i = 0; i < n_series * n; i++)
		highest[i % n] = fmaxf(highest[i % n], values[i]);
	*out = highest;
	return CLPAC_OK;
}

/* The standardized statistics of all maps, of a result that does not hold them.
 * @param[out] out NULL without the arrays that they are made of; the caller frees it. */
static clpac_status make_standardized(const clpac_problem *problem, const clpac_result *result, float **out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands;
	const size_t n_series = shape->n_channels * shape->n_segments;
	clpac__map map = {.mi = clpac_result_array(result, CLPAC_MI, NULL),
			  .mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL),
			  .std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL),
			  .valid = clpac_result_valid(result),
			  .n_phase = shape->n_phase_bands,
			  .n_amplitude = shape->n_amplitude_bands,
			  .n_surrogates = shape->n_surrogates,
			  .ddof = problem->ddof};
	double *room = NULL;
	float *made = NULL;
	if (!map.mi || !map.mean || !map.std)
		goto done;
	TRY(NEW_ARRAY(room, clpac__standardize_room(shape->n_phase_bands, shape->n_amplitude_bands)));
	TRY(NEW_ARRAY(made, n_series * cells));
	/* Rows of tied amplitudes have no amplitude band in common, and are judged alone. */
	map.n_phase = problem->tied_amplitudes ? 1 : map.n_phase;
	const size_t each = map.n_phase * map.n_amplitude;
	for (size_t at = 0; at < n_series * cells; at += each) {
		map.valid = clpac_result_valid(result) + at % cells;
		clpac__standardize(&map, room, made + at);
		map.mi += each;
		map.mean += each;
		map.std += each;
	}
	*out = made;
done:
	clpac__free(room);
	return st;
}

clpac_status clpac__correct_maps(const clpac_problem *problem, clpac_result *result, const float *highest,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const float *maxima = clpac_result_array(result, CLPAC_MAXIMA, NULL);
	const float *standardized = clpac_result_array(result, CLPAC_STANDARDIZED, NULL);
	float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL), *made = NULL;
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands, K = shape->n_surrogates;
	const size_t n_series = shape->n_channels * shape->n_segments;
	if (!p_max || (!maxima && !highest))
		goto done;
	if (!standardized)
		TRY(make_standardized(problem, result, &made, err));
	standardized = standardized ? standardized : made;
	for (size_t series = 0; standardized && series < n_series; series++)
		clpac__p_of_maxima(standardized + series * cells, cells, highest ? highest : maxima + series * K, K,
				   p_max + series * cells);
done:
	clpac__free(made);
	return st;
}

/* p_max where one family reaches over all series.  That of a map is there already. */
static clpac_status correct_over_run(clpac_result *result, const clpac_problem *problem, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	float *highest = NULL;
	TRY(highest_of_series(clpac_result_array(result, CLPAC_MAXIMA, NULL), shape->n_channels * shape->n_segments,
			      shape->n_surrogates, &highest, err));
	if (highest)
		TRY(clpac__correct_maps(problem, result, highest, err));
done:
	clpac__free(highest);
	return st;
}

/* The p of cells whose cluster masses, and the heaviest clusters of surrogates, are there. */
static clpac_status add_p_of_clusters(clpac_result *result, struct families families, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n_series = shape->n_channels * shape->n_segments, n_surrogates = shape->n_surrogates;
	const float *mass = clpac_result_array(result, CLPAC_CLUSTER_MASS, NULL);
	const float *maxima = clpac_result_array(result, CLPAC_CLUSTER_MAXIMA, NULL);
	float *p = clpac_result_array(result, CLPAC_P_CLUSTER, NULL), *heaviest = NULL;
	if (!mass || !maxima || !p)
		goto done;
	if (families.n < n_series)
		TRY(highest_of_series(maxima, n_series, n_surrogates, &heaviest, err));
	for (size_t i = 0; i < families.n; i++)
		clpac__p_of_clusters(mass + i * families.n_cells, families.n_cells,
				     heaviest ? heaviest : maxima + i * n_surrogates, n_surrogates,
				     p + i * families.n_cells);
done:
	clpac__free(heaviest);
	return st;
}

/* Each measure's cells are families of their own. */
static clpac_status correct_measure(clpac_result *result, const clpac_problem *problem, clpac_error *err)
{
	const struct families families = families_of(result, problem->family);
	RETURN_IF_ERROR(adjust(result, families, CLPAC_Q_BH, CLPAC_DISCOVERY_BH, err));
	RETURN_IF_ERROR(adjust(result, families, CLPAC_Q_BY, CLPAC_DISCOVERY_BY, err));
	add_excess(result, problem->ddof);
	add_gamma_tails(result, problem->ddof);
	RETURN_IF_ERROR(add_p_of_clusters(result, families, err));
	if (problem->family == CLPAC_FAMILY_RUN)
		RETURN_IF_ERROR(correct_over_run(result, problem, err));
	return CLPAC_OK;
}

clpac_status clpac_result_correct(clpac_result *result, const clpac_problem *problem, clpac_error *err)
{
	NEED(result, problem);
	clpac_problem own;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	RETURN_IF_ERROR(clpac__take_sized(&own, problem, clpac_problem, err));
	const size_t n = clpac_result_measures(result, measures);
	for (size_t i = 0; i < n; i++)
		RETURN_IF_ERROR(correct_measure(clpac_result_of(result, measures[i]), &own, err));
	return CLPAC_OK;
}
