/* The devices of targets.h as contexts: whole plans are proved in each. */
#ifndef CLPAC_TESTS_PLACES_H
#define CLPAC_TESTS_PLACES_H

#include <clpac/plan.h>

/* Number of ways to open the devices of a backend, "native" or "opencl"; native: every instruction set of the machine,
 * with 1 thread or 3 in turn, or with each where CLPAC_TEST_SWEEPS is "all". */
size_t places_find(const char *backend);

/* The same, or 1 where sweeps are sampled: targets_sample. */
size_t places_sample(const char *backend);

/* NULL, or the reason why there are none: a program's skip_reason. */
const char *places_missing(const char *backend);

/* Name of place i, for messages. */
const char *place_label(size_t i);

/* Whether an FFT engine serves place i. */
bool place_takes(size_t i, const char *engine);

/* Opens a context, in whose plans everything beyond its life is overwritten from then on (clpac__pass_begins);
 * `memory` as in clpac_options, NULL for the default, and `log` nullable.  Fails the test where it cannot. */
clpac_context *place_open(size_t i);
clpac_context *place_open_with(size_t i, const char *memory, clpac_log_function *log, void *log_user);
/* The same with an FFT engine of that name. */
clpac_context *place_open_engine(size_t i, const char *engine);
/* The same with vectors of least_width floats where the device would take narrower ones. */
clpac_context *place_open_wide(size_t i, unsigned least_width);
/* The same with times of stages in reports. */
clpac_context *place_open_profiled(size_t i);
/* The same in the layout of a card: vectors of one band, which lie side by side, and work-groups that are filled up. */
clpac_context *place_open_card(size_t i);

/* Problems that are shared out among places, a round each: every problem has a place and every place a problem.  With
 * CLPAC_TEST_PLACES=all, every place has every problem. */
typedef struct place_rounds {
	size_t n_places, n_problems;
} place_rounds;
int rounds_count(const place_rounds *rounds);
size_t round_place(const place_rounds *rounds, int round);
size_t round_problem(const place_rounds *rounds, int round);

/* Makes a plan in the context, or fails the test. */
clpac_plan *place_plan(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options);

/* The phase bins of the plan's last batch: (series, phase band, stride); the caller frees them. */
unsigned char *place_bins(clpac_plan *plan, size_t *stride);

#endif
