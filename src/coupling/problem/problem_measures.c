/* Facts about the measures of a problem. */
#include "coupling/problem/problem.h"

bool clpac__problem_has_linear(const clpac_problem *problem)
{
	for (size_t i = 0; i < problem->n_measures; i++)
		if (clpac_measure_is_linear(problem->measures[i]))
			return true;
	return false;
}

bool clpac__problem_has_binned(const clpac_problem *problem)
{
	if (!problem->n_measures) /* the default is filled in later */
		return true;
	for (size_t i = 0; i < problem->n_measures; i++)
		if (!clpac_measure_is_linear(problem->measures[i]))
			return true;
	return false;
}

bool clpac__problem_has_locking(const clpac_problem *p)
{
	for (size_t i = 0; i < p->n_measures; i++)
		if (p->measures[i] == CLPAC_MEASURE_PLV)
			return true;
	return false;
}

bool clpac__measure_has_unit(clpac_measure measure)
{
	return measure == CLPAC_MEASURE_MVL || measure == CLPAC_MEASURE_DPAC;
}
