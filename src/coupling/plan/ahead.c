#include "coupling/plan/ahead.h"

#include <string.h>

#include "coupling/plan/profile.h"
#include "memory/pool/pool.h"

enum clpac__ahead clpac__ahead_wanted;

/* Threads that compute the present batch would be those that stage the next one. */
static bool has_own_processors(const clpac__queue *queue)
{
	const clpac_device_kind kind = queue->device.kind;
	if (clpac__ahead_wanted != CLPAC__AHEAD_USUALLY)
		return clpac__ahead_wanted == CLPAC__AHEAD_ALWAYS;
	return kind == CLPAC_DEVICE_DISCRETE_GPU || kind == CLPAC_DEVICE_INTEGRATED_GPU ||
	       kind == CLPAC_DEVICE_ACCELERATOR;
}

bool clpac__ahead_may(const clpac_plan *plan, const clpac__run *run)
{
	const clpac__queue *queue = plan->context->queue;
	const bool waits_for_stages = !plan->options.no_profile && !queue->has_clock;
	const bool has_more = clpac__has_variants(&plan->layout) || plan->problem->pairs || run->arrays || plan->taker;
	return run->n_next && plan->samples && queue->is_in_order && has_own_processors(queue) && !waits_for_stages &&
	       !has_more;
}

/* Exponents of the present batch are needed until it is stored. */
static void exchange_exponents(clpac_plan *plan)
{
	int *const present = plan->exponents;
	plan->exponents = plan->ahead.exponents;
	plan->ahead.exponents = present;
}

static clpac_status begin(clpac_plan *plan, clpac__run *run, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = plan->context->queue;
	clpac_event *flushed = NULL;
	TRY(clpac__profile_stage(plan, run, "store", err));
	TRY(clpac__execute_beginning(plan, run, run->next, run->n_next, err));
	/* A driver may keep commands until somebody waits for them; an event sends them off. */
	TRY(queue->operations->mark(queue, &flushed, err));
done:
	if (flushed)
		queue->operations->forget(queue, flushed);
	return st;
}

void clpac__ahead_begin(clpac_plan *plan, clpac__run *run)
{
	plan->ahead.first = run->next;
	plan->ahead.n = run->n_next;
	memset(&plan->ahead.why, 0, sizeof plan->ahead.why);
	exchange_exponents(plan);
	plan->ahead.st = begin(plan, run, &plan->ahead.why);
	exchange_exponents(plan);
}

clpac_status clpac__ahead_take(clpac_plan *plan, clpac__run *run, size_t first, size_t n, bool *is_begun,
			       clpac_error *err)
{
	*is_begun = plan->ahead.n == n && plan->ahead.first == first;
	if (!*is_begun) {
		clpac__ahead_drop(plan, run);
		return CLPAC_OK;
	}
	plan->ahead.n = 0;
	exchange_exponents(plan);
	if (plan->ahead.st != CLPAC_OK && err)
		*err = plan->ahead.why;
	return plan->ahead.st;
}

void clpac__ahead_drop(clpac_plan *plan, clpac__run *run)
{
	if (!plan->ahead.n)
		return;
	plan->ahead.n = 0;
	plan->context->queue->operations->finish(plan->context->queue, NULL);
	clpac__profile_drop(plan, run);
	clpac__buffers_let_go(plan->parts, CLPAC__PART_COUNT);
}
