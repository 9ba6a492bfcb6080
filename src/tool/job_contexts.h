/* The devices of a job, opened, and the plans on them. */
#ifndef CLPAC_TOOL_JOB_CONTEXTS_H
#define CLPAC_TOOL_JOB_CONTEXTS_H

#include <clpac/memory/context.h>
#include <clpac/plan.h>
#include "tool/tool.h"

/* One context, or several where --device names several devices. */
typedef struct tool_contexts {
	clpac_context *each[CLPAC_MAX_DEVICES];
	size_t n;
	const tool_call *call; /* for warnings */
} tool_contexts;

/* Opens the best device, or of several that --device names those that can be opened, and warns of the rest.
 * @param out must not be moved until it is closed: the contexts' log goes through it. */
clpac_status tool_contexts_open(const clpac_options *options, const tool_call *call, tool_contexts *out,
				clpac_error *err);
void tool_contexts_close(tool_contexts *contexts);

/* A plan on each context that has room for one. */
typedef struct tool_plans {
	clpac_plan *each[CLPAC_MAX_DEVICES];
	size_t n;
} tool_plans;

/* Warns of contexts that are left out; fails when none is left. */
clpac_status tool_plans_create(const tool_contexts *contexts, const clpac_problem *problem,
			       const clpac_plan_options *options, tool_plans *out, clpac_error *err);
void tool_plans_destroy(tool_plans *plans);

#endif
