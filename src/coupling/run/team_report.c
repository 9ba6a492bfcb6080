/* The report of a team's run. */
#include "coupling/run/team.h"

#include <stdio.h>
#include <string.h>

/* Warnings that follow from the problem alone: every member has the same, so they are not added up. */
static bool is_known_beforehand(int kind)
{
	return kind == CLPAC_WARN_MIN_SHIFT || kind == CLPAC_WARN_NARROW_AMPLITUDE || kind == CLPAC_WARN_OVERLAP ||
	       kind == CLPAC_WARN_SHORT_SERIES || kind == CLPAC_WARN_FEW_SEGMENTS || kind == CLPAC_WARN_SHORT_NULL;
}

static void add_warnings(clpac_report *report, const clpac_report *more)
{
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++) {
		clpac_warning *warning = &report->warnings[kind];
		if (is_known_beforehand(kind) || !more->warnings[kind].count)
			continue;
		if (!warning->count)
			memcpy(warning->text, more->warnings[kind].text, sizeof warning->text);
		warning->count += more->warnings[kind].count;
	}
}

static void add_stages(clpac_report *report, const clpac_report *more)
{
	for (size_t s = 0; s < more->n_stages; s++) {
		size_t i = 0;
		while (i < report->n_stages && strcmp(report->stages[i].name, more->stages[s].name) != 0)
			i++;
		if (i == CLPAC_MAX_STAGES)
			continue;
		if (i == report->n_stages) {
			report->stages[i] = more->stages[s];
			report->n_stages++;
		} else {
			report->stages[i].seconds += more->stages[s].seconds;
		}
	}
}

static void note_device(clpac_report *report, const clpac__member *member)
{
	const clpac_report *own = &member->report;
	if (report->n_devices == CLPAC_MAX_DEVICES)
		return;
	clpac_device_report *did = &report->devices[report->n_devices++];
	*did = member->did;
	clpac_device_selection(&member->plan->context->queue->device, did->selection, sizeof did->selection);
	snprintf(did->device, sizeof did->device, "%s", own->device);
	snprintf(did->platform, sizeof did->platform, "%s", own->platform);
	snprintf(did->backend, sizeof did->backend, "%s", own->backend);
	snprintf(did->strategy, sizeof did->strategy, "%s", own->strategy);
	did->peak_bytes = own->peak_bytes;
	did->has_failed = member->st != CLPAC_OK;
	if (!did->has_failed)
		return;
	snprintf(did->failure, sizeof did->failure, "%.*s", (int)sizeof did->failure - 1, member->why.text);
	clpac_warning *warning = &report->warnings[CLPAC_WARN_DEVICE];
	if (!warning->count++)
		snprintf(warning->text, sizeof warning->text,
			 "device %.80s failed, and others computed what it left: %.120s", did->device,
			 member->why.text);
}

void clpac__team_report(const clpac__team *team, clpac_report *report)
{
	*report = team->members[0].report;
	report->n_devices = 0;
	for (size_t i = 0; i < team->n_members; i++) {
		const clpac__member *member = &team->members[i];
		note_device(report, member);
		if (!i)
			continue;
		add_warnings(report, &member->report);
		add_stages(report, &member->report);
		report->n_cpu_fallbacks += member->report.n_cpu_fallbacks;
		report->n_overflowing_series += member->report.n_overflowing_series;
		report->n_phase_filterings += member->report.n_phase_filterings;
		report->n_amplitude_filterings += member->report.n_amplitude_filterings;
		report->channel_bytes += member->report.channel_bytes;
		report->n_channel_moves += member->report.n_channel_moves;
		report->n_channel_returns += member->report.n_channel_returns;
	}
}
