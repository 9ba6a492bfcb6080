/* The devices of targets.h as contexts: where whole plans are proved. */
#ifndef CLPAC_TESTS_PLACES_H
#define CLPAC_TESTS_PLACES_H

#include <clpac/plan.h>

/* How many ways there are to open the devices of a backend, "native" or "opencl": native, every instruction set of the
 * machine with 1 and 3 threads. */
size_t places_find(const char *backend);

/* NULL, or why there are none: a program's skip_reason. */
const char *places_missing(const char *backend);

/* Name of the i-th, for messages. */
const char *place_label(size_t i);

/* Whether an FFT engine serves it. */
bool place_takes(size_t i, const char *engine);

/* Opens it; with `memory` as in clpac_options, NULL the default, and `log`, nullable.  Fails the test where it cannot.
 */
clpac_context *place_open(size_t i);
clpac_context *place_open_with(size_t i, const char *memory, clpac_log_function *log, void *log_user);
/* With vectors of least_width floats where the device would take narrower ones. */
clpac_context *place_open_wide(size_t i, unsigned least_width);

/* Makes a plan there, or fails the test. */
clpac_plan *place_plan(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options);

/* The phase bins of the last batch that the plan ran: (series, phase band, stride); free() them. */
unsigned char *place_bins(clpac_plan *plan, size_t *stride);

#endif
