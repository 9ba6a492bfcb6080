/* Decides where a plan runs and how large its pieces are: tries smaller and smaller layouts until one fits the budget
 * and is not refused, first on the device and then on the native backend. */
#include "coupling/run/place.h"

#include <stdio.h>
#include <string.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>

#include "base/memory.h"
#include "base/text.h"
#include "coupling/passes/pairs.h"
#include "coupling/run/making.h"
#include "coupling/problem/problem.h"

/* The bytes that the plan may take: the limit of its own options or the context's, at most the bytes that no other
 * buffer uses. */
static clpac_status decide_budget(const clpac_plan *plan, const clpac_context *context, uint64_t *budget,
				  clpac_error *err)
{
	const char *memory = plan->options.strategy == CLPAC_STRATEGY_CONSERVATIVE ? "0.6"
			     : plan->options.strategy == CLPAC_STRATEGY_AGGRESSIVE ? "0.95"
										   : context->options.memory;
	clpac_pool_statistics now;
	RETURN_IF_ERROR(clpac__context_budget(context, memory, budget, err));
	clpac_pool_measure(context->pool, &now, sizeof now);
	const uint64_t pool = clpac_pool_budget(context->pool);
	const uint64_t left = pool > now.in_use_bytes ? pool - now.in_use_bytes : 0;
	/* A plan's own limit applies to its device, not to the native fallback. */
	if (plan->options.memory_bytes && context != plan->fallback)
		*budget = plan->options.memory_bytes;
	if (*budget > left)
		*budget = left;
	return CLPAC_OK;
}

/* Sets up the plan for a context, at the largest layout. */
static clpac_status begin(clpac_plan *plan, clpac_context *context, clpac_error *err)
{
	uint64_t budget;
	plan->context = context;
	RETURN_IF_ERROR(clpac__context_equip(context, err));
	RETURN_IF_ERROR(decide_budget(plan, context, &budget, err));
	if (plan->copy)
		RETURN_IF_ERROR(clpac__layout_begin(plan->problem, context->queue, clpac__context_engine(context),
						    budget, &plan->layout, err));
	else
		RETURN_IF_ERROR(clpac__layout_begin_arrays(plan->problem, context->queue,
							   clpac__context_engine(context), budget, &plan->layout, err));
	if (plan->problem->pairs)
		budget = clpac__pairs_budget(plan, budget);
	clpac__search_begin(&plan->search, context, plan->options.strategy, plan->options.max_batch, budget,
			    &plan->layout);
	plan->report.budget_bytes = budget;
	return CLPAC_OK;
}

static double mebibytes(uint64_t bytes)
{
	return (double)bytes / 1048576;
}

static void note_step(clpac_plan *plan, clpac_strategy left, uint64_t bytes, const char *reason)
{
	clpac_report *report = &plan->report;
	const size_t at = report->n_steps < CLPAC_MAX_STEPS ? report->n_steps : CLPAC_MAX_STEPS - 1;
	clpac_step *step = &report->steps[at];
	report->n_steps++;
	*step = (clpac_step){.bytes = bytes};
	snprintf(step->strategy, sizeof step->strategy, "%s", clpac_strategy_text(left));
	snprintf(step->backend, sizeof step->backend, "%s", plan->context->queue->device.backend);
	snprintf(step->reason, sizeof step->reason, "%s", reason);
	clpac__context_log(plan->context, CLPAC_LOG_INFO, "%s on %s is given up: %s", step->strategy, step->backend,
			   step->reason);
}

/* Records the strategies from .. to - 1 whose smallest layout exceeds the budget. */
static void note_strategies(clpac_plan *plan, clpac_strategy from, clpac_strategy to)
{
	const clpac__search *search = &plan->search;
	for (clpac_strategy strategy = from; strategy < to; strategy++) {
		/* Chunks need at least two surrogates. */
		if (strategy == CLPAC_STRATEGY_CHUNKED && plan->layout.n_surrogates < 2)
			continue;
		clpac__layout least = plan->layout;
		char reason[160];
		const uint64_t bytes = clpac__search_least(search, strategy, &least);
		if (bytes == UINT64_MAX)
			snprintf(reason, sizeof reason, "it needs a block larger than the device's largest of %.1f MiB",
				 mebibytes(plan->context->queue->device.max_allocation_bytes));
		else if (bytes > search->budget)
			snprintf(reason, sizeof reason, "it needs %.3f MiB, and %.3f MiB may be used", mebibytes(bytes),
				 mebibytes(search->budget));
		else
			continue; /* as large as the layout refused before it */
		note_step(plan, strategy, bytes, reason);
	}
}

static void say_what_changed(clpac_plan *plan)
{
	clpac_report *report = &plan->report;
	clpac_warning *warning = &report->warnings[CLPAC_WARN_STRATEGY];
	const size_t last = (report->n_steps < CLPAC_MAX_STEPS ? report->n_steps : CLPAC_MAX_STEPS) - 1;
	if (!report->n_steps || plan->is_estimate)
		return;
	const clpac_step *step = &report->steps[last];
	warning->count = 1;
	snprintf(warning->text, sizeof warning->text, "for lack of memory %s on %s%s; %s on %s was given up: %.150s",
		 clpac_strategy_text(plan->search.found), plan->fallback ? "the native CPU" : report->backend,
		 plan->fallback ? ", computed there" : "", step->strategy, step->backend, step->reason);
}

/* Tries smaller and smaller layouts on the plan's context until one can be allocated.  CLPAC_ERROR_NO_DEVICE_MEMORY:
 * none could; the report's steps say why. */
static clpac_status descend(clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac__search *search = &plan->search;
	for (;;) {
		const bool is_first = search->found == CLPAC_STRATEGY_AUTO;
		const clpac_strategy next = is_first ? search->wanted : search->found + 1;
		const bool is_found = clpac__search_next(search, &plan->layout);
		note_strategies(plan, next, is_found ? search->found : CLPAC_STRATEGY_SEQUENTIAL + 1);
		if (!is_found)
			return CLPAC_ERROR_NO_DEVICE_MEMORY;
		clpac_error why = {0};
		const clpac_status st = clpac__plan_equip(plan, batch, &why);
		if (st == CLPAC_OK)
			return st;
		clpac__plan_dismiss(plan, batch);
		if (st != CLPAC_ERROR_NO_DEVICE_MEMORY) {
			if (err)
				*err = why;
			return st;
		}
		const uint64_t taken = clpac__layout_taken(&plan->layout, plan->context);
		clpac__search_took(search, taken);
		note_step(plan, search->found, taken, why.text);
	}
}

/* Reports the attempts, when all have failed. */
static clpac_status refuse(const clpac_plan *plan, clpac_error *err)
{
	enum { ROOM = 560 };
	const clpac_report *report = &plan->report;
	const clpac__layout *l = &plan->layout;
	const size_t n = report->n_steps < CLPAC_MAX_STEPS ? report->n_steps : CLPAC_MAX_STEPS;
	char tried[ROOM + 256];
	size_t length = 0;
	for (size_t i = 0; i < n && length < ROOM; i++) {
		const clpac_step *step = &report->steps[i], *next = i + 1 < n ? step + 1 : NULL;
		/* The last of several layouts of one strategy is reported: it was the smallest. */
		if (next && !strcmp(step->strategy, next->strategy) && !strcmp(step->backend, next->backend))
			continue;
		length += (size_t)snprintf(tried + length, sizeof tried - length, "%s%s on %s: %.150s",
					   length ? "; " : "", step->strategy, step->backend, step->reason);
	}
	return clpac__fail(
		err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		"one series of %zu samples with %zu + %zu bands fits nowhere; tried were %s; give more memory, "
		"shorter segments or fewer bands",
		l->n_samples, l->n_phase, l->n_amplitude, length ? tried : "no layouts");
}

/* Moves a plan whose device is too small to a native context of its own. */
static clpac_status leave(clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_context *left = plan->context;
	clpac_device_list *list = NULL;
	const clpac_device *native;
	TRY(clpac_devices_find_for(&(clpac_options){.device = "native"}, &list, err));
	TRY(clpac_devices_select(list, "native", 0, &native, err));
	clpac_options options = left->options;
	options.fft[0] = 0;
	TRY(clpac_context_open(native, &options, &plan->fallback, err));
	TRY(begin(plan, plan->fallback, err));
done:
	clpac_devices_destroy(list);
	return st;
}

/* Tries all layouts on the device, then all on the native backend. */
static clpac_status settle(clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac_status st = descend(plan, batch, err);
	const bool may_leave = plan->copy && plan->context->queue->device.kind != CLPAC_DEVICE_NATIVE;
	if (st == CLPAC_ERROR_NO_DEVICE_MEMORY && may_leave) {
		st = leave(plan, err);
		if (st == CLPAC_OK)
			st = descend(plan, batch, err);
		else
			return st;
	}
	if (st == CLPAC_ERROR_NO_DEVICE_MEMORY)
		return refuse(plan, err);
	if (st == CLPAC_OK) {
		say_what_changed(plan);
		if (plan->fallback && !plan->is_estimate)
			clpac__context_log(plan->context, CLPAC_LOG_WARNING, "%s",
					   plan->report.warnings[CLPAC_WARN_STRATEGY].text);
	}
	return st;
}

static clpac_status begin_and_settle(clpac_plan *plan, clpac__batch *batch, clpac_context *context, clpac_error *err)
{
	RETURN_IF_ERROR(begin(plan, context, err));
	snprintf(plan->report.strategy_wanted, sizeof plan->report.strategy_wanted, "%s",
		 clpac_strategy_text(plan->search.wanted));
	return settle(plan, batch, err);
}

/* Makes the lock of a plan's runs, and the first batch. */
static clpac_status begin_runs(clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__runs *runs;
	TRY(NEW(runs));
	TRY(clpac__batch_create(clpac__problem_rows(plan->problem) * plan->problem->n_segments, &runs->batches, err));
	pthread_mutex_init(&runs->lock, NULL);
	plan->runs = runs, runs = NULL;
done:
	clpac__free(runs);
	return st;
}

clpac_status clpac__plan_settle(clpac_plan *plan, clpac_context *context, clpac_error *err)
{
	if (!plan->is_estimate)
		RETURN_IF_ERROR(begin_runs(plan, err));
	clpac__batch *batch = plan->is_estimate ? NULL : plan->runs->batches;
	clpac_status st = begin_and_settle(plan, batch, context, err);
	/* The device gives up loops, as its first long plan has found out: it is laid out again, within that limit. */
	if (st == CLPAC_ERROR_UNSUPPORTED && clpac__compute_of(context->queue) &&
	    plan->layout.most_steps == UINT64_MAX && atomic_load(&clpac__compute_of(context->queue)->most_steps))
		st = begin_and_settle(plan, batch, context, err);
	return st;
}

/* --- Batches; the lock of the runs is held ----------------------------------------------------------- */

static clpac_plan *last_of(clpac_plan *plan)
{
	while (plan->smaller)
		plan = plan->smaller;
	return plan;
}

const clpac_plan *clpac__plan_now(const clpac_plan *plan)
{
	clpac__runs *runs = plan->runs;
	if (!runs)
		return plan;
	if (clpac__is_foreign(plan->process)) { /* its lock may be held for ever, and the plan stays as it is */
		while (plan->smaller)
			plan = plan->smaller;
		return plan;
	}
	pthread_mutex_lock(&runs->lock);
	while (plan->smaller)
		plan = plan->smaller;
	pthread_mutex_unlock(&runs->lock);
	return plan;
}

/* Whether a batch other than this one has device memory of the plan. */
static bool has_others(const clpac_plan *plan, const clpac__batch *batch)
{
	for (const clpac__batch *other = plan->runs->batches; other; other = other->next)
		if (other != batch && other->plan == plan)
			return true;
	return false;
}

/* Frees a batch's device memory, and the plan's own with the last of its batches. */
static void give_up(clpac_plan *plan, clpac__batch *batch)
{
	if (has_others(plan, batch))
		clpac__batch_dismiss(plan, batch);
	else
		clpac__plan_dismiss(plan, batch);
}

/* Frees what no run is using of a plan. */
static void give_up_idle(clpac_plan *plan)
{
	for (clpac__batch *batch = plan->runs->batches; batch; batch = batch->next)
		if (!batch->is_busy && batch->plan == plan)
			give_up(plan, batch);
}

/* Gives a batch that has no device memory that of a plan, with the plan's own if that is not there. */
static clpac_status equip(clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	const bool has_constants = has_others(plan, batch);
	const clpac_status st =
		has_constants ? clpac__batch_equip(plan, batch, err) : clpac__plan_equip(plan, batch, err);
	if (st != CLPAC_OK)
		give_up(plan, batch);
	return st;
}

/* An idle batch, best one with memory of this plan; NULL: all are in use. */
static clpac__batch *find_idle(const clpac_plan *plan)
{
	clpac__batch *found = NULL;
	for (clpac__batch *batch = plan->runs->batches; batch; batch = batch->next)
		if (!batch->is_busy && (!found || batch->plan == plan))
			found = batch;
	return found;
}

static clpac_status take_batch(clpac_plan *plan, clpac__batch **out, clpac_error *err)
{
	clpac__batch *batch = find_idle(plan);
	if (!batch) {
		RETURN_IF_ERROR(clpac__batch_create(plan->layout.n_series, &batch, err));
		batch->next = plan->runs->batches;
		plan->runs->batches = batch;
	}
	if (!batch->plan)
		RETURN_IF_ERROR(equip(plan, batch, err));
	batch->is_busy = true;
	*out = batch;
	return CLPAC_OK;
}

clpac_status clpac__plan_enter(clpac_plan *plan, clpac_plan **now, clpac__batch **batch, clpac_error *err)
{
	clpac__runs *runs = plan->runs;
	pthread_mutex_lock(&runs->lock);
	*now = last_of(plan);
	clpac_status st = take_batch(*now, batch, err);
	if (st == CLPAC_ERROR_NO_DEVICE_MEMORY && has_others(*now, NULL))
		st = clpac__fail_context(err, st, "a run beside those of other threads needs buffers of its own");
	pthread_mutex_unlock(&runs->lock);
	return st;
}

void clpac__plan_leave(clpac_plan *plan, clpac__batch *batch)
{
	clpac__runs *runs = plan->runs;
	pthread_mutex_lock(&runs->lock);
	batch->is_busy = false;
	if (batch->plan && plan->smaller)
		give_up(plan, batch);
	pthread_mutex_unlock(&runs->lock);
}

/* Makes the plan that takes this one's place. */
static clpac_status make_smaller(clpac_plan *plan, clpac__batch *batch, const char *why, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_plan *made;
	TRY(NEW(made));
	*made = *plan;
	memset(made->tensors, 0, sizeof made->tensors);
	made->fallback = plan->fallback ? clpac__context_hold(plan->fallback) : NULL;
	note_step(made, plan->search.found, clpac__layout_taken(&plan->layout, plan->context), why);
	TRY(settle(made, batch, err));
	plan->smaller = made, made = NULL;
done:
	if (made)
		clpac_context_close(made->fallback);
	clpac__free(made);
	return st;
}

clpac_status clpac__plan_go_down(clpac_plan **plan, clpac__batch *batch, const char *why, clpac_error *err)
{
	clpac__runs *runs = (*plan)->runs;
	clpac_error refused = {0};
	clpac_status st;
	snprintf(refused.text, sizeof refused.text, "%s", why);
	pthread_mutex_lock(&runs->lock);
	do {
		give_up(*plan, batch);
		give_up_idle(*plan);
		/* Where another run went down before, that plan may be small enough for both. */
		if (!(*plan)->smaller) {
			st = make_smaller(*plan, batch, refused.text, err);
			*plan = st == CLPAC_OK ? (*plan)->smaller : *plan;
			break;
		}
		*plan = (*plan)->smaller;
		st = equip(*plan, batch, &refused);
		if (st != CLPAC_OK && err)
			*err = refused;
	} while (st == CLPAC_ERROR_NO_DEVICE_MEMORY);
	pthread_mutex_unlock(&runs->lock);
	return st;
}
