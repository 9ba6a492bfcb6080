/* The measures by name. */
#include <clpac/measure.h>

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
