/* The library's settings: CLPAC_* variables, and options of the command line that take their place. */

#include <stdio.h>

#include <clpac/plan.h>
#include "base/environment.h"
#include "base/number.h"
#include "tool/commands.h"

/* As many threads as Slurm gave to the task, which need not have a set of CPUs of its own, and no more than affinity
 * and control group allow. */
static clpac_status follow_scheduler(clpac_options *options, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *text = clpac__environment("SLURM_CPUS_PER_TASK");
	const clpac_options native = {.device = "native"};
	clpac_device_list *list = NULL;
	const clpac_device *device;
	uint64_t n;
	if (options->threads || !text || !clpac__parse_count(text, &n, NULL) || !n)
		goto done;
	TRY(clpac_devices_find_for(&native, &list, err));
	TRY(clpac_devices_select(list, "native", 0, &device, err));
	if (n < device->compute_units)
		options->threads = (unsigned)n;
done:
	clpac_devices_destroy(list);
	return st;
}

clpac_status tool_settings(tool_call *call, clpac_options *out, clpac_error *err)
{
	clpac_options options = {.profile = true}; /* OUT.json says what the stages took */
	RETURN_IF_ERROR(clpac_options_from_environment(&options, err));
	RETURN_IF_ERROR(clpac__contexts_options(&call->values.analysis, &options, err));
	RETURN_IF_ERROR(follow_scheduler(&options, err));
	RETURN_IF_ERROR(clpac_options_to_environment(&options, err));
	*out = options;
	return CLPAC_OK;
}

clpac_status tool_devices_find(const clpac_options *options, clpac_device_list **out, clpac_error *err)
{
	clpac_options any = *options;
	snprintf(any.device, sizeof any.device, "all"); /* also those that nobody would choose */
	return clpac_devices_find_for(&any, out, err);
}

clpac_status tool_job_prepare(clpac__job *job, tool_call *call, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__job_prepare(job, &call->values.analysis, err));
	RETURN_IF_ERROR(tool_request_make(call, err));
	return tool_settings(call, &job->options, err);
}
