/* The devices of a job, opened, and the plans on them. */
#ifndef CLPAC_ANALYSIS_RUN_CONTEXTS_H
#define CLPAC_ANALYSIS_RUN_CONTEXTS_H

#include <clpac/memory/context.h>
#include <clpac/plan.h>
#include "analysis/settings.h"

/* One context, or several where --device names several devices. */
typedef struct clpac__job_contexts {
	clpac_context *each[CLPAC_MAX_DEVICES];
	size_t n;
	const clpac__analysis_settings *settings; /* for warnings */
} clpac__job_contexts;

/* Opens the best device, or of several that --device names those that can be opened, and warns of the rest.
 * @param out must not be moved until it is closed: the contexts' log goes through it. */
clpac_status clpac__job_contexts_open(const clpac_options *options, const clpac__analysis_settings *settings,
				      clpac__job_contexts *out, clpac_error *err);
void clpac__job_contexts_close(clpac__job_contexts *contexts);

/* Sets the options that the settings name: device, memory, fft, probe. */
clpac_status clpac__contexts_options(const clpac__analysis_settings *settings, clpac_options *options,
				     clpac_error *err);

/* A plan on each context that has room for one. */
typedef struct clpac__job_plans {
	clpac_plan *each[CLPAC_MAX_DEVICES];
	size_t n;
} clpac__job_plans;

/* Warns of contexts that are left out; fails when none is left. */
clpac_status clpac__job_plans_create(const clpac__job_contexts *contexts, const clpac_problem *problem,
				     const clpac_plan_options *options, clpac__job_plans *out, clpac_error *err);
void clpac__job_plans_destroy(clpac__job_plans *plans);

#endif
