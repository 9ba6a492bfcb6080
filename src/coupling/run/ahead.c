#include "coupling/run/ahead.h"

#include <string.h>

#include "coupling/passes/profile.h"
#include "coupling/layout/test_settings.h"
#include "memory/pool/pool.h"

/* Threads that compute the present batch would be those that stage the next one. */
static bool has_own_processors(const clpac__queue *queue)
{
	const clpac_device_kind kind = queue->device.kind;
	if (clpac__for_tests.ahead != CLPAC__AHEAD_USUALLY)
		return clpac__for_tests.ahead == CLPAC__AHEAD_ALWAYS;
	return kind == CLPAC_DEVICE_DISCRETE_GPU || kind == CLPAC_DEVICE_INTEGRATED_GPU ||
	       kind == CLPAC_DEVICE_ACCELERATOR;
}

bool clpac__ahead_may(const clpac_plan *plan, clpac__batch *batch, const clpac__run *run)
{
	const clpac__queue *queue = plan->context->queue;
	const bool waits_for_stages = plan->context->options.profile && !queue->has_clock;
	const bool has_more =
		clpac__has_variants(&plan->layout) || plan->problem->pairs || run->arrays || batch->consumer;
	return run->n_next && batch->samples && queue->is_in_order && has_own_processors(queue) && !waits_for_stages &&
	       !has_more;
}

/* Exponents of the present batch are needed until it is stored. */
static void exchange_exponents(clpac__batch *batch)
{
	int *const present = batch->exponents;
	batch->exponents = batch->ahead.exponents;
	batch->ahead.exponents = present;
}

static clpac_status begin(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, clpac_error *err)
{
	clpac__queue *queue = plan->context->queue;
	RETURN_IF_ERROR(clpac__profile_stage(plan, run, "store", err));
	RETURN_IF_ERROR(clpac__execute_beginning(plan, batch, run, run->next, run->n_next, err));
	return queue->operations->send(queue, err);
}

void clpac__ahead_begin(const clpac_plan *plan, clpac__batch *batch, clpac__run *run)
{
	batch->ahead.first = run->next;
	batch->ahead.n = run->n_next;
	memset(&batch->ahead.why, 0, sizeof batch->ahead.why);
	exchange_exponents(batch);
	batch->ahead.st = begin(plan, batch, run, &batch->ahead.why);
	exchange_exponents(batch);
}

clpac_status clpac__ahead_take(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
			       bool *is_begun, clpac_error *err)
{
	*is_begun = batch->ahead.n == n && batch->ahead.first == first;
	if (!*is_begun) {
		clpac__ahead_drop(plan, batch, run);
		return CLPAC_OK;
	}
	batch->ahead.n = 0;
	exchange_exponents(batch);
	if (batch->ahead.st != CLPAC_OK && err)
		*err = batch->ahead.why;
	return batch->ahead.st;
}

void clpac__ahead_drop(const clpac_plan *plan, clpac__batch *batch, clpac__run *run)
{
	if (!batch->ahead.n)
		return;
	batch->ahead.n = 0;
	plan->context->queue->operations->finish(plan->context->queue, NULL);
	clpac__profile_drop(plan, run);
	clpac__buffers_let_go(batch->tensors, CLPAC__TENSOR_COUNT);
}
