/* --phase, --amplitude, --bins and the rest of the method, as a problem. */
#ifndef CLPAC_ANALYSIS_RUN_METHOD_H
#define CLPAC_ANALYSIS_RUN_METHOD_H

#include <clpac/problem.h>
#include "analysis/settings.h"

/* The method as given: a problem without rate and sizes.  Owns the arrays that the problem points to. */
typedef struct clpac__method {
	clpac_problem problem;
	clpac_problem_copy *base; /* of --problem */
	clpac_band *bands[2];	  /* by use */
	size_t *shifts;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	size_t n_measures;
} clpac__method;

/* Reads the options.  Zero the method before; clear it in any case. */
clpac_status clpac__method_read(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err);
/* Sets the rate, completes the bands for it, with a note on those that do not fit, and turns --edge and --min-shift
 * from seconds into samples. */
clpac_status clpac__method_set_rate(clpac__method *method, const clpac__analysis_settings *settings, double rate_hz,
				    clpac_error *err);
void clpac__method_clear(clpac__method *method);

#endif
