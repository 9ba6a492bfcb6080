/* The devices of a job: the one that is best for it, or the several that --device names. */
#include "tool/job.h"

#include <string.h>
#include "tool/console.h"

/* "gpu+native", "all", "all,memory>4G": the words of clpac_devices_select_several that clpac_devices_select does not
 * know. */
static bool names_several(const char *selection)
{
	for (const char *part = selection; part; part = strpbrk(part, ",+")) {
		part += strspn(part, ",+ ");
		if (strncmp(part, "all", 3) == 0 && strchr(",+ ", part[3]))
			return true;
	}
	return strchr(selection, '+') != NULL;
}

/* Of several devices those that can be opened do the work; that others cannot is told. */
static clpac_status open_several(tool_job *job, const tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_device_list *list = NULL;
	const clpac_device *devices[CLPAC_MAX_DEVICES];
	size_t n = 0;
	clpac_error why = {0};
	TRY(tool_devices_find(&job->options, &list, err));
	TRY(clpac_devices_select_several(list, job->options.device, 0, devices, CLPAC_MAX_DEVICES, &n, err));
	for (size_t i = 0; i < n; i++) {
		st = clpac_context_open(devices[i], &job->options, &job->contexts[job->n_contexts], &why);
		if (st == CLPAC_OK)
			job->n_contexts++;
		else
			tool_warn(call, 1, "%s is left out: %s", devices[i]->name, why.text);
	}
	if (job->n_contexts)
		st = CLPAC_OK;
	else if (err)
		*err = why;
done:
	clpac_devices_destroy(list);
	return st;
}

/* A device that was preferred and fails to open gives way to the next that fits.  Later the report has what there is to
 * say. */
static void warn_while_opening(void *user, clpac_log_level level, const char *text)
{
	const tool_job *job = user;
	if (level == CLPAC_LOG_WARNING && !job->n_contexts)
		tool_warn(job->call, 1, "%s", text);
}

clpac_status tool_contexts_open(tool_job *job, const tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (names_several(job->options.device))
		return open_several(job, call, err);
	job->options.log = warn_while_opening;
	job->options.log_user = job;
	TRY(clpac_context_open(NULL, &job->options, &job->contexts[0], err));
	job->n_contexts = 1;
done:
	return st;
}

void tool_contexts_close(tool_job *job)
{
	for (size_t i = 0; i < job->n_contexts; i++)
		clpac_context_close(job->contexts[i]);
	job->n_contexts = 0;
}

void tool_plans_destroy(tool_plans *plans)
{
	for (size_t i = 0; i < plans->n; i++)
		clpac_plan_destroy(plans->each[i]);
	plans->n = 0;
}

clpac_status tool_plans_create(const tool_job *job, const clpac_problem *problem, tool_plans *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_error why = {0};
	tool_plans plans = {0};
	for (size_t i = 0; i < job->n_contexts; i++) {
		st = clpac_plan_create(job->contexts[i], problem, &job->plan_options, &plans.each[plans.n], &why);
		if (st == CLPAC_OK)
			plans.n++;
		else if (job->n_contexts > 1)
			tool_warn(job->call, 1, "%s is left out: %s", clpac_context_device(job->contexts[i])->name,
				  why.text);
	}
	if (plans.n) {
		*out = plans;
		return CLPAC_OK;
	}
	if (err)
		*err = why;
	return st;
}
