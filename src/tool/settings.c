/* The library's settings: CLPAC_* variables, and options of the command line that take their place. */

#include <stdio.h>

#include <clpac/plan.h>
#include "tool/commands.h"

clpac_status tool_settings(tool_call *call, clpac_options *out, clpac_error *err)
{
	clpac_options options = {.profile = true}; /* OUT.json says what the stages took */
	RETURN_IF_ERROR(clpac_options_from_environment(&options, err));
	RETURN_IF_ERROR(clpac__contexts_options(&call->values.analysis, &options, err));
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
