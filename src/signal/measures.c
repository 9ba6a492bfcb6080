/* The measures by name. */
#include <clpac/problem.h>

static const char *const names[] = {
	[CLPAC_MEASURE_MI] = "mi",	 [CLPAC_MEASURE_HR] = "hr",   [CLPAC_MEASURE_MVL] = "mvl",
	[CLPAC_MEASURE_DPAC] = "dpac",	 [CLPAC_MEASURE_NDPAC] = "ndpac", [CLPAC_MEASURE_GLM] = "glm",
	[CLPAC_MEASURE_GCMI] = "gcmi",
};
_Static_assert(sizeof names / sizeof *names == CLPAC_MEASURE_COUNT, "one name per measure");

const char *clpac_measure_text(clpac_measure measure)
{
	return (unsigned)measure < CLPAC_MEASURE_COUNT ? names[measure] : "unknown measure";
}

bool clpac_measure_is_linear(clpac_measure measure)
{
	return measure >= CLPAC_MEASURE_MVL && measure < CLPAC_MEASURE_COUNT;
}
