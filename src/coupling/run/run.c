/* Runs a plan, or several plans for one problem: batch after batch into one result. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "coupling/problem/problem.h"
#include "coupling/passes/fetch.h"
#include "coupling/passes/pairs.h"
#include "coupling/run/place.h"
#include "coupling/run/team.h"
#include "coupling/passes/valid.h"

static clpac_status describe(const clpac_plan *plan, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const size_t n = p->n_phase_bands + p->n_amplitude_bands;
	clpac_band_report *bands;
	TRY(NEW_ARRAY(bands, n));
	memcpy(clpac_result_phase_bands(result), p->phase_bands, p->n_phase_bands * sizeof *p->phase_bands);
	memcpy(clpac_result_amplitude_bands(result), p->amplitude_bands,
	       p->n_amplitude_bands * sizeof *p->amplitude_bands);
	for (size_t i = 0; i < n; i++) {
		const bool is_phase = i < p->n_phase_bands;
		const clpac__filter *filter = &plan->filters[i];
		bands[i] = (clpac_band_report){
			.use = is_phase ? CLPAC_PHASE : CLPAC_AMPLITUDE,
			.band = is_phase ? p->phase_bands[i] : p->amplitude_bands[i - p->n_phase_bands],
			.n_taps = filter->n_taps,
			.taps = filter->taps,
			.bandwidth_lo_hz = filter->bandwidth_lo_hz,
			.bandwidth_hi_hz = filter->bandwidth_hi_hz,
			.edge_samples = clpac__filter_edge(filter->n_taps),
			.is_shortened = filter->is_shortened,
		};
	}
	TRY(clpac_result_set_band_reports(result, bands, n, err));
	TRY(clpac_result_set_problem(result, plan->problem_text, err));
done:
	clpac__free(bands);
	return st;
}

/* Gives every member a batch. */
static clpac_status begin(clpac__team *team, clpac_plan *const *plans, clpac_result *result, const clpac__input *input,
			  clpac_error *err)
{
	const clpac__layout *layout = &plans[0]->layout;
	team->n_series = team->n_left = layout->n_series;
	team->total = layout->n_series * (1 + layout->n_surrogates) * layout->n_measures;
	RETURN_IF_ERROR(NEW_ARRAY(team->members, team->n_members));
	RETURN_IF_ERROR(NEW_ARRAY(team->is_taken, team->n_series));
	for (size_t i = 0; i < team->n_members; i++) {
		clpac__member *member = &team->members[i];
		RETURN_IF_ERROR(clpac__plan_enter(plans[i], &member->plan, &member->batch, err));
		member->team = team;
		member->report = member->plan->report;
		member->report.n_cpu_fallbacks = 0; /* counted batch by batch */
		member->run = (clpac__run){.result = result,
					   .report = &member->report,
					   .samples = input->samples,
					   .arrays = input->arrays,
					   .member = member,
					   .advance = clpac__team_advance};
		member->batch->means = input->means;
		member->batch->consumer = input->consumer;
		memset(member->batch->troubles, CLPAC__FINE, team->n_series);
	}
	return CLPAC_OK;
}

static void end(clpac__team *team)
{
	for (size_t i = 0; team->members && i < team->n_members; i++) {
		clpac__member *member = &team->members[i];
		if (!member->batch)
			continue;
		clpac__pairs_end(member->batch, NULL);
		member->batch->means = NULL;
		member->batch->consumer = NULL;
		clpac__plan_leave(member->plan, member->batch);
	}
	FREE_ALL(team->members, team->is_taken);
	pthread_mutex_destroy(&team->lock);
	pthread_mutex_destroy(&team->telling);
	pthread_cond_destroy(&team->changed);
}

/* Collects the troubles of all series in the first member's batch; each member recorded those of its own series. */
static void gather_troubles(const clpac__team *team)
{
	uint8_t *troubles = team->members[0].batch->troubles;
	for (size_t i = 1; i < team->n_members; i++)
		for (size_t series = 0; series < team->n_series; series++)
			if (team->members[i].batch->troubles[series] != CLPAC__FINE)
				troubles[series] = team->members[i].batch->troubles[series];
}

/* Names the channels of the result, by default by their numbers. */
static clpac_status name_rows(const clpac_problem *p, const char *const *names, clpac_result *result, clpac_error *err)
{
	for (size_t row = 0; row < clpac__problem_rows(p); row++) {
		const clpac_pair pair = clpac__problem_pair(p, row);
		char phase[24], amplitude[24];
		if (names && !p->pairs)
			RETURN_IF_ERROR(clpac_result_set_channel_name(result, row, names[row], err));
		if (!p->pairs)
			continue;
		snprintf(phase, sizeof phase, "%zu", pair.phase);
		snprintf(amplitude, sizeof amplitude, "%zu", pair.amplitude);
		RETURN_IF_ERROR(clpac_result_set_pair(result, row, names ? names[pair.phase] : phase,
						      names ? names[pair.amplitude] : amplitude, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__plans_run(clpac_plan *const *plans, size_t n_plans, const clpac__input *input, clpac_result **out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const double started = clpac__clock_seconds();
	const clpac_plan *plan = plans[0];
	clpac_result *result = NULL;
	clpac__team team = {.n_members = n_plans,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .telling = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER};
	TRY(clpac__problem_result(plan->problem, &result, err));
	clpac__valid_cells(plan->problem, clpac_result_valid(result));
	if (plan->filters)
		TRY(describe(plan, result, err));
	TRY(begin(&team, plans, result, input, err));
	TRY(clpac__team_work(&team, err));
	for (size_t i = 0; i < n_plans; i++)
		clpac__pairs_end(team.members[i].batch, &team.members[i].report);
	gather_troubles(&team);
	clpac__store_troubles(plan, team.members[0].batch, &team.members[0].run);
	TRY(name_rows(plan->problem, input->samples ? input->samples->names : NULL, result, err));
	clpac_report *report = clpac_result_report(result);
	clpac__team_report(&team, report);
	TRY(clpac_result_correct(result, plan->problem, err));
	report->seconds = clpac__clock_seconds() - started;
	*out = result, result = NULL;
done:
	end(&team);
	clpac_result_destroy(result);
	return st;
}

clpac_status clpac_plan_run_several(clpac_plan *const *plans, size_t n_plans, const clpac_samples *samples,
				    clpac_result **out, clpac_error *err)
{
	NEED(plans, samples, out);
	if (!n_plans)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_run_several: no plans were given");
	if (n_plans > CLPAC_MAX_DEVICES)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_run_several: %zu plans were given, more than %d",
			     n_plans, CLPAC_MAX_DEVICES);
	if (!samples->channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_run_several: no samples were given");
	for (size_t i = 0; i < n_plans; i++) {
		if (!plans[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_run_several: plan %zu is NULL", i);
		NEED_OF_HERE(plans[i]->process, "plans");
		for (size_t j = 0; j < i; j++)
			if (plans[i] == plans[j])
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
					     "clpac_plan_run_several: plans %zu and %zu are one plan", j, i);
		if (strcmp(plans[i]->problem_text, plans[0]->problem_text) != 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "clpac_plan_run_several: plan %zu is for another problem than plan 0", i);
	}
	return clpac__plans_run(plans, n_plans, &(clpac__input){.samples = samples}, out, err);
}

clpac_status clpac_plan_run_samples(clpac_plan *plan, const clpac_samples *samples, clpac_result **out,
				    clpac_error *err)
{
	NEED(plan, samples, out);
	NEED_HERE(plan);
	if (!samples->channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_run_samples: no samples were given");
	return clpac__plans_run(&plan, 1, &(clpac__input){.samples = samples}, out, err);
}

clpac_status clpac_plan_run(clpac_plan *plan, const float *samples, clpac_result **out, clpac_error *err)
{
	NEED(plan, samples, out);
	NEED_HERE(plan);
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const void **channels = NULL;
	TRY(NEW_ARRAY(channels, p->n_channels));
	for (size_t ch = 0; ch < p->n_channels; ch++)
		channels[ch] = samples + ch * p->n_segments * p->n_samples;
	const clpac_samples view = {.type = CLPAC_FLOAT32, .channels = channels};
	TRY(clpac_plan_run_samples(plan, &view, out, err));
done:
	clpac__free(channels);
	return st;
}
