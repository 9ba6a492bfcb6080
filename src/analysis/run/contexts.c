/* The devices of a job: the one that is best for it, or the several that --device names. */
#include "analysis/run/job.h"

#include <string.h>
#include <clpac/memory/pool.h>
#include "analysis/options/words.h"

/* Whether a selection ("gpu+native", "all", "all,memory>4G") needs clpac_devices_select_several: clpac_devices_select
 * knows neither + nor `all`. */
static bool names_several(const char *selection)
{
	for (const char *part = selection; part; part = strpbrk(part, ",+")) {
		part += strspn(part, ",+ ");
		if (strncmp(part, "all", 3) == 0 && strchr(",+ ", part[3]))
			return true;
	}
	return strchr(selection, '+') != NULL;
}

/* Opens those of several devices that can be opened, and warns of the others. */
static clpac_status open_several(const clpac_options *options, clpac__job_contexts *contexts, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_device_list *list = NULL;
	const clpac_device *devices[CLPAC_MAX_DEVICES];
	size_t n = 0;
	clpac_error why = {0};
	TRY(clpac_devices_find_for(options, &list, err));
	TRY(clpac_devices_select_several(list, options->device, 0, devices, CLPAC_MAX_DEVICES, &n, err));
	for (size_t i = 0; i < n; i++) {
		st = clpac_context_open(devices[i], options, &contexts->each[contexts->n], &why);
		if (st == CLPAC_OK)
			contexts->n++;
		else
			clpac__analysis_warn(contexts->settings, 1, "%s is left out: %s", devices[i]->name, why.text);
	}
	if (contexts->n)
		st = CLPAC_OK;
	else if (err)
		*err = why;
done:
	clpac_devices_destroy(list);
	return st;
}

/* A preferred device that fails to open gives way to the next that fits, with a warning.  Warnings of an open context
 * are in the report of its runs, which is printed. */
static void warn_while_opening(void *user, clpac_log_level level, const char *text)
{
	const clpac__job_contexts *contexts = user;
	if (level == CLPAC_LOG_WARNING && !contexts->n)
		clpac__analysis_warn(contexts->settings, 1, "%s", text);
}

clpac_status clpac__contexts_options(const clpac__analysis_settings *settings, clpac_options *options, clpac_error *err)
{
	const struct {
		const char *name, *value;
	} each[] = {{"device", settings->device},
		    {"memory", settings->memory},
		    {"fft", settings->fft},
		    {"probe", settings->probe},
		    {"threads", settings->threads}};
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		const clpac_status st =
			each[i].value ? clpac_options_set(options, each[i].name, each[i].value, err) : CLPAC_OK;
		if (st != CLPAC_OK)
			clpac__name_library_option(err);
		RETURN_IF_ERROR(st);
	}
	return CLPAC_OK;
}

clpac_status clpac__job_contexts_open(const clpac_options *options, const clpac__analysis_settings *settings,
				      clpac__job_contexts *out, clpac_error *err)
{
	*out = (clpac__job_contexts){.settings = settings};
	if (names_several(options->device))
		return open_several(options, out, err);
	clpac_options with_log = *options;
	if (!with_log.log) {
		with_log.log = warn_while_opening;
		with_log.log_user = out;
	}
	RETURN_IF_ERROR(clpac_context_open(NULL, &with_log, &out->each[0], err));
	out->n = 1;
	return CLPAC_OK;
}

void clpac__job_contexts_close(clpac__job_contexts *contexts)
{
	for (size_t i = 0; i < contexts->n; i++)
		clpac_context_close(contexts->each[i]);
	contexts->n = 0;
}

void clpac__job_contexts_trim(const clpac__job_contexts *contexts)
{
	for (size_t i = 0; i < contexts->n; i++)
		clpac_pool_trim(clpac_context_pool(contexts->each[i]), 0);
}

clpac_status clpac__job_plans_create(const clpac__job_contexts *contexts, const clpac_problem *problem,
				     const clpac_plan_options *options, clpac__job_plans *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_error why = {0};
	clpac__job_plans plans = {0};
	for (size_t i = 0; i < contexts->n; i++) {
		st = clpac_plan_create(contexts->each[i], problem, options, &plans.each[plans.n], &why);
		if (st == CLPAC_OK)
			plans.n++;
		else if (contexts->n > 1)
			clpac__analysis_warn(contexts->settings, 1, "%s is left out: %s",
					     clpac_context_device(contexts->each[i])->name, why.text);
	}
	if (plans.n) {
		*out = plans;
		return CLPAC_OK;
	}
	if (err)
		*err = why;
	return st;
}

void clpac__job_plans_destroy(clpac__job_plans *plans)
{
	for (size_t i = 0; i < plans->n; i++)
		clpac_plan_destroy(plans->each[i]);
	plans->n = 0;
}
