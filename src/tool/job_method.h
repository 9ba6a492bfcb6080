/* --phase, --amplitude, --bins and the rest of the method, as a problem. */
#ifndef CLPAC_TOOL_JOB_METHOD_H
#define CLPAC_TOOL_JOB_METHOD_H

#include <clpac/problem.h>
#include "tool/tool.h"

/* The method as given: a problem without rate and sizes.  Owns the arrays that the problem points to. */
typedef struct tool_method {
	clpac_problem problem;
	clpac_problem_copy *base; /* of --problem */
	clpac_band *bands[2];	  /* by use */
	size_t *shifts;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	size_t n_measures;
} tool_method;

/* Reads the options.  Zero the method before; clear it in any case. */
clpac_status tool_method_read(tool_method *method, const tool_call *call, clpac_error *err);
/* Sets the rate, completes the bands for it, with a note on those that do not fit, and turns --edge and --min-shift
 * from seconds into samples. */
clpac_status tool_method_set_rate(tool_method *method, const tool_call *call, double rate_hz, clpac_error *err);
void tool_method_clear(tool_method *method);

#endif
