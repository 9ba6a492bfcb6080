#include "coupling/passes/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "coupling/passes/run_state.h"

static void add(clpac_report *report, const char *stage, double seconds)
{
	size_t i = 0;
	while (i < report->n_stages && strcmp(report->stages[i].name, stage) != 0)
		i++;
	if (i == CLPAC_MAX_STAGES)
		return;
	if (i == report->n_stages)
		snprintf(report->stages[report->n_stages++].name, sizeof report->stages[i].name, "%s", stage);
	report->stages[i].seconds += seconds > 0 ? seconds : 0;
}

void clpac__profile_drop(const clpac_plan *plan, clpac__run *run)
{
	clpac__queue *queue = plan->context->queue;
	clpac__profile *profile = &run->profile;
	for (size_t i = 0; i < profile->n; i++)
		if (profile->moments[i].event)
			queue->operations->forget(queue, profile->moments[i].event);
	profile->n = 0;
}

/* The times of all moments by the device's clock, from the first on; false if the queue cannot tell one of them. */
static bool read_clock(const clpac_plan *plan, const clpac__profile *profile, double seconds[CLPAC__MOST_MOMENTS])
{
	clpac__queue *queue = plan->context->queue;
	uint64_t first = 0, now = 0;
	for (size_t i = 0; i < profile->n; i++) {
		if (!profile->moments[i].event || !queue->operations->passed_at(queue, profile->moments[i].event, &now))
			return false;
		first = i ? first : now;
		seconds[i] = ((double)now - (double)first) * 1e-9;
	}
	return true;
}

/* Adds the stages between the moments, and begins again with the last of them.  A driver that keeps no times after all
 * is noticed here: this batch has the times at which its stages were put into the queue, and
 * those after it wait for each. */
static void settle(const clpac_plan *plan, clpac__run *run)
{
	clpac__queue *queue = plan->context->queue;
	clpac__profile *profile = &run->profile;
	double seconds[CLPAC__MOST_MOMENTS] = {0};
	const size_t last = profile->n - 1;
	clpac_event *event = profile->moments[last].event;
	/* Mostly it has, since what the batch gives was read behind it. */
	if (event && !queue->operations->has_passed(queue, event))
		queue->operations->wait(queue, event, NULL);
	if (!read_clock(plan, profile, seconds)) {
		queue->has_clock = false;
		for (size_t i = 0; i < profile->n; i++)
			seconds[i] = profile->moments[i].seconds - profile->moments[0].seconds;
	}
	for (size_t i = 1; i < profile->n; i++)
		add(run->report, profile->moments[i].stage, seconds[i] - seconds[i - 1]);
	/* What the host does behind the last moment is counted from there. */
	const double behind = profile->moments[0].seconds + seconds[last];
	profile->moments[last].event = NULL;
	clpac__profile_drop(plan, run);
	profile->moments[0].stage = NULL;
	profile->moments[0].event = event;
	profile->moments[0].seconds = behind;
	profile->n = 1;
}

static bool has_profile(const clpac_plan *plan)
{
	return plan->context->options.profile;
}

static clpac_status put_moment(const clpac_plan *plan, clpac__run *run, const char *stage, clpac_error *err)
{
	clpac__queue *queue = plan->context->queue;
	clpac__profile *profile = &run->profile;
	clpac_event *event = NULL;
	if (queue->has_clock) {
		RETURN_IF_ERROR(queue->operations->stamp(queue, &event, err));
		if (profile->n == CLPAC__MOST_MOMENTS)
			settle(plan, run);
	}
	profile->moments[profile->n].stage = stage;
	profile->moments[profile->n].event = event;
	profile->moments[profile->n].seconds = clpac__clock_seconds();
	profile->n++;
	return CLPAC_OK;
}

clpac_status clpac__profile_begin(const clpac_plan *plan, clpac__run *run, clpac_error *err)
{
	run->profile.n = 0;
	return has_profile(plan) ? put_moment(plan, run, NULL, err) : CLPAC_OK;
}

clpac_status clpac__profile_stage(const clpac_plan *plan, clpac__run *run, const char *stage, clpac_error *err)
{
	clpac__queue *queue = plan->context->queue;
	clpac__profile *profile = &run->profile;
	if (!has_profile(plan))
		return CLPAC_OK;
	if (queue->has_clock) {
		return put_moment(plan, run, stage, err);
	}
	RETURN_IF_ERROR(queue->operations->finish(queue, err));
	const double now = clpac__clock_seconds();
	add(run->report, stage, now - profile->moments[0].seconds);
	profile->moments[0].seconds = now;
	return CLPAC_OK;
}

void clpac__profile_settle(const clpac_plan *plan, clpac__run *run)
{
	if (has_profile(plan) && run->profile.n > 1)
		settle(plan, run);
}

void clpac__profile_end(const clpac_plan *plan, clpac__run *run, const char *last_stage)
{
	if (!has_profile(plan))
		return;
	if (run->profile.n > 1)
		settle(plan, run);
	add(run->report, last_stage, clpac__clock_seconds() - run->profile.moments[0].seconds);
	clpac__profile_drop(plan, run);
}
