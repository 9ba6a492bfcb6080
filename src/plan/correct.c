/* Corrects the p of a complete result: everything that follows from its own arrays and takes no device. */
#include <clpac/plan.h>
#include <clpac/signal.h>

#include <math.h>

#include "base/error.h"
#include "base/sized.h"
#include "signal/clusters.h"

/* The cells of a family lie one after the other. */
typedef struct families {
	size_t n, n_cells;
} families;

static families families_of(const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	return (families){shape->n_channels * shape->n_segments, shape->n_phase_bands * shape->n_amplitude_bands};
}

static clpac_status adjust(clpac_result *result, families families, clpac_array which, clpac_discovery rule,
			   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const float *p = clpac_result_array(result, CLPAC_P, NULL);
	float *q = clpac_result_array(result, which, NULL);
	for (size_t i = 0; p && q && i < families.n; i++)
		TRY(clpac_signal_false_discovery(p + i * families.n_cells, families.n_cells, rule,
						 q + i * families.n_cells, err));
done:
	return st;
}

/* The gamma distribution has the variance of the surrogates without bias, whatever ddof is. */
static void add_gamma_tails(clpac_result *result, unsigned ddof)
{
	size_t n;
	const double n_surrogates = (double)clpac_result_get_shape(result)->n_surrogates;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL);
	const float *std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL);
	float *tail = clpac_result_array(result, CLPAC_P_GAMMA, &n);
	const double widen = n_surrogates > 1 ? sqrt((n_surrogates - ddof) / (n_surrogates - 1)) : NAN;
	for (size_t i = 0; mi && mean && std && i < n; i++) {
		const double p = clpac_signal_gamma_tail(mi[i], mean[i], std[i] * widen);
		tail[i] = (float)(p < 1e-38 ? 1e-38 : p);
	}
}

/* The p of the cells of each map, whose cluster masses and heaviest clusters of surrogates are there. */
static void add_p_of_clusters(clpac_result *result, families families)
{
	const size_t n_surrogates = clpac_result_get_shape(result)->n_surrogates;
	const float *mass = clpac_result_array(result, CLPAC_CLUSTER_MASS, NULL);
	const float *maxima = clpac_result_array(result, CLPAC_CLUSTER_MAXIMA, NULL);
	float *p = clpac_result_array(result, CLPAC_P_CLUSTER, NULL);
	for (size_t i = 0; mass && maxima && p && i < families.n; i++)
		clpac__p_of_clusters(mass + i * families.n_cells, families.n_cells, maxima + i * n_surrogates,
				     n_surrogates, p + i * families.n_cells);
}

clpac_status clpac_result_correct(clpac_result *result, const clpac_problem *problem, clpac_error *err)
{
	NEED(result);
	NEED(problem);
	clpac_status st = CLPAC_OK;
	clpac_problem own;
	const families families = families_of(result);
	TRY(clpac__take_sized(&own, problem, clpac_problem, err));
	TRY(adjust(result, families, CLPAC_Q_BH, CLPAC_DISCOVERY_BH, err));
	TRY(adjust(result, families, CLPAC_Q_BY, CLPAC_DISCOVERY_BY, err));
	add_gamma_tails(result, own.ddof);
	add_p_of_clusters(result, families);
done:
	return st;
}
