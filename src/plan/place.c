/* Where a plan runs and how large its pieces are: on the device within its budget, or on the native backend. */
#include "plan/place.h"

#include <stdio.h>

#include "plan/strategy.h"

static size_t longest_order(const clpac_plan *plan)
{
	size_t longest = 0;
	for (size_t i = 0; i < plan->problem->n_phase_bands + plan->problem->n_amplitude_bands; i++)
		if (plan->filters[i].n_taps - 1 > longest)
			longest = plan->filters[i].n_taps - 1;
	return longest;
}

/* The memory that the plan may take, by its own options and the context's, for the strategy. */
static clpac_status decide_budget(const clpac_plan *plan, const clpac_context *context, uint64_t *budget,
				  clpac_error *err)
{
	const char *memory = plan->options.strategy == CLPAC_STRATEGY_CONSERVATIVE ? "0.6"
			     : plan->options.strategy == CLPAC_STRATEGY_AGGRESSIVE ? "0.95"
										   : context->options.memory;
	clpac_status st = clpac__context_budget(context, memory, budget, err);
	if (st == CLPAC_OK && plan->options.memory_bytes)
		*budget = plan->options.memory_bytes;
	return st;
}

static clpac_status decide_layout(clpac_plan *plan, clpac_context *context, uint64_t budget, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_strategy used;
	TRY(clpac__layout_begin(plan->problem, longest_order(plan), context->queue, context->engine, &plan->layout,
				err));
	TRY(clpac__strategy_decide(plan->options.strategy, budget, plan->options.max_batch, context->queue,
				   &plan->layout, &used, err));
	plan->context = context;
	plan->report.budget_bytes = budget;
	snprintf(plan->report.strategy, sizeof plan->report.strategy, "%s", clpac_strategy_text(used));
done:
	return st;
}

clpac_status clpac__decide_place(clpac_plan *plan, clpac_context *context, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_device_list *list = NULL;
	uint64_t budget;
	clpac_error why;
	TRY(decide_budget(plan, context, &budget, err));
	st = decide_layout(plan, context, budget, &why);
	if (st != CLPAC_ERROR_NO_DEVICE_MEMORY || context->queue->device.kind == CLPAC_DEVICE_NATIVE) {
		if (st != CLPAC_OK && err)
			*err = why;
		goto done;
	}
	const clpac_device *native;
	TRY(clpac_devices_find(&list, err));
	TRY(clpac_devices_select(list, "native", 0, &native, err));
	clpac_options options = context->options;
	options.fft[0] = 0;
	TRY(clpac_context_open(native, &options, &plan->fallback, err));
	TRY(clpac__context_budget(plan->fallback, options.memory, &budget, err));
	TRY(decide_layout(plan, plan->fallback, budget, err));
	clpac_warning *warning = &plan->report.warnings[CLPAC_WARN_STRATEGY];
	warning->count = 1;
	snprintf(warning->text, sizeof warning->text, "computed on the native CPU: %.200s", why.text);
	clpac__context_log(context, CLPAC_LOG_WARNING, "%s", warning->text);
done:
	clpac_devices_destroy(list);
	return st;
}
