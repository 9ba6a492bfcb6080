/* The result that a problem has. */
#include "coupling/problem/problem.h"

unsigned clpac__problem_arrays(const clpac_problem *problem, clpac_result_shape *shape)
{
	*shape = (clpac_result_shape){
		.n_channels = clpac__problem_rows(problem),
		.n_segments = problem->n_segments,
		.n_phase_bands = problem->n_phase_bands,
		.n_amplitude_bands = problem->n_amplitude_bands,
		.n_bins = problem->n_bins,
		.n_surrogates = problem->n_surrogates,
	};
	unsigned arrays = 1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION | 1u << CLPAC_PREFERRED_PHASE |
			  1u << CLPAC_MEAN_VECTOR | 1u << CLPAC_PHASE_NONUNIFORMITY;
	if (problem->n_surrogates)
		arrays |= 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_SURROGATE_MEAN | 1u << CLPAC_SURROGATE_STD |
			  1u << CLPAC_P_MAX | 1u << CLPAC_MAXIMA | 1u << CLPAC_STANDARDIZED | 1u << CLPAC_Q_BH |
			  1u << CLPAC_Q_BY | 1u << CLPAC_EXCESS | 1u << CLPAC_EXCESS_LO | 1u << CLPAC_EXCESS_HI;
	if (problem->n_surrogates && problem->cluster_alpha > 0)
		arrays |= 1u << CLPAC_P_CLUSTER | 1u << CLPAC_CLUSTER_MASS | 1u << CLPAC_CLUSTER_MAXIMA;
	if (problem->n_surrogates && problem->gamma_tail)
		arrays |= 1u << CLPAC_P_GAMMA;
	if (problem->n_surrogates && problem->keep_surrogates)
		arrays |= 1u << CLPAC_SURROGATES;
	if (problem->keep_distributions)
		arrays |= 1u << CLPAC_DISTRIBUTION | 1u << CLPAC_BIN_COUNTS;
	return arrays;
}

clpac_status clpac__problem_result(const clpac_problem *problem, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const unsigned of_all = 1u << CLPAC_PEAK_DISTRIBUTION | 1u << CLPAC_DISTRIBUTION | 1u << CLPAC_BIN_COUNTS |
				1u << CLPAC_PREFERRED_PHASE | 1u << CLPAC_MEAN_VECTOR | 1u << CLPAC_PHASE_NONUNIFORMITY;
	clpac_result *made = NULL;
	clpac_result_shape shape;
	const unsigned arrays = clpac__problem_arrays(problem, &shape);
	TRY(clpac_result_create(&shape, arrays, &made, err));
	TRY(clpac_result_set_measure(made, problem->measures[0], err));
	for (size_t i = 1; i < problem->n_measures; i++)
		TRY(clpac_result_add_measure(made, problem->measures[i], arrays & ~of_all, NULL, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}
