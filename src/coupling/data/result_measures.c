/* The measures of a result: the first is its own, further ones hang on it. */
#include "coupling/data/result.h"

#include <clpac/measure.h>

#include "base/memory.h"

clpac_measure clpac_result_measure(const clpac_result *result)
{
	return result ? result->measure : CLPAC_MEASURE_MI;
}

clpac_result *clpac_result_of(const clpac_result *result, clpac_measure measure)
{
	if (!result)
		return NULL;
	for (const clpac_result *part = clpac__result_whole(result); part; part = part->next)
		if (part->measure == measure)
			return (clpac_result *)part;
	return NULL;
}

size_t clpac_result_measures(const clpac_result *result, clpac_measure measures[CLPAC_MEASURE_COUNT])
{
	if (!result)
		return 0;
	size_t n = 0;
	for (const clpac_result *part = clpac__result_whole(result); part; part = part->next, n++)
		if (measures)
			measures[n] = part->measure;
	return n;
}

/* Coupling across trials is a result's only measure. */
static bool is_alone(const clpac_result *result)
{
	return !clpac__result_whole(result)->next;
}

static clpac_status check_new(const clpac_result *result, clpac_measure measure, clpac_error *err)
{
	if (measure == CLPAC_MEASURE_RHO && is_alone(result))
		return CLPAC_OK;
	if ((unsigned)measure >= CLPAC_MEASURE_COUNT)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "result: measure is %d: it must be one of clpac_measure",
				   (int)measure);
	if (clpac_result_of(result, measure))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "result: it has the measure %s already",
				   clpac_measure_text(measure));
	return CLPAC_OK;
}

clpac_status clpac_result_set_measure(clpac_result *result, clpac_measure measure, clpac_error *err)
{
	NEED(result);
	if (result->measure == measure)
		return CLPAC_OK;
	RETURN_IF_ERROR(check_new(result, measure, err));
	result->measure = measure;
	return CLPAC_OK;
}

clpac_status clpac_result_add_measure(clpac_result *result, clpac_measure measure, unsigned arrays, clpac_result **out,
				      clpac_error *err)
{
	NEED(result);
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL, *last = (clpac_result *)clpac__result_whole(result);
	if (measure == CLPAC_MEASURE_RHO || result->measure == CLPAC_MEASURE_RHO)
		FAIL(CLPAC_ERROR_ARGUMENT, "result: rho is a result's only measure");
	TRY(check_new(result, measure, err));
	TRY(NEW(made));
	made->shape = result->shape;
	made->measure = measure;
	made->whole = last;
	for (unsigned which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		if (!(arrays & 1u << which))
			continue;
		if (clpac__array_is_shared((clpac_array)which))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "result: array %s is the same for all measures: give it to clpac_result_create",
			     clpac_array_name((clpac_array)which));
		TRY(clpac__result_add_array(made, (clpac_array)which, err));
	}
	while (last->next)
		last = last->next;
	last->next = made;
	if (out)
		*out = made;
	made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

/* --- Names of measures ------------------------------------------------------------------------ */

/* The measures by name. */

static const struct text {
	const char *name, *abbreviation, *words;
} texts[] = {
	[CLPAC_MEASURE_MI] = {"mi", "MI", "modulation index"},
	[CLPAC_MEASURE_HR] = {"hr", "HR", "height ratio"},
	[CLPAC_MEASURE_MVL] = {"mvl", "MVL", "mean vector length (unit of the samples)"},
	[CLPAC_MEASURE_DPAC] = {"dpac", "dPAC", "debiased mean vector length (unit of the samples)"},
	[CLPAC_MEASURE_NDPAC] = {"ndpac", "ndPAC", "normalised mean vector length"},
	[CLPAC_MEASURE_GLM] = {"glm", "R2", "explained variance R2"},
	[CLPAC_MEASURE_PLV] = {"plv", "PLV", "phase-locking value"},
	[CLPAC_MEASURE_PAC_GLM] = {"pac-glm", "added R2", "variance explained beside the slow amplitude"},
	[CLPAC_MEASURE_GCMI] = {"gcmi", "GCMI", "mutual information (bits)"},
};
_Static_assert(sizeof texts / sizeof *texts == CLPAC_MEASURE_COUNT, "texts of every measure");

static const struct text of_trials = {"rho", "rho", "correlation across trials, rho"};
static const struct text unknown = {"unknown measure", "?", "unknown measure"};

static const struct text *text_of(clpac_measure measure)
{
	return (unsigned)measure < CLPAC_MEASURE_COUNT ? &texts[measure]
	       : measure == CLPAC_MEASURE_RHO	       ? &of_trials
						       : &unknown;
}

const char *clpac_measure_text(clpac_measure measure)
{
	return text_of(measure)->name;
}

const char *clpac_measure_abbreviation(clpac_measure measure)
{
	return text_of(measure)->abbreviation;
}

const char *clpac_measure_words(clpac_measure measure)
{
	return text_of(measure)->words;
}

bool clpac_measure_is_linear(clpac_measure measure)
{
	return (unsigned)measure < CLPAC_MEASURE_COUNT && measure >= CLPAC_MEASURE_MVL;
}
