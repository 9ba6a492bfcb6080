/* The library's settings: CLPAC_* variables, and the options that stand for some of them over it. */
#include "tool/tool.h"

clpac_status tool_settings(tool_call *call, clpac_options *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_options options = { 0 };
	TRY(clpac_options_from_environment(&options, err));
	if (call->values.device)
		TRY(clpac_options_set(&options, "device", call->values.device, err));
	if (call->values.memory)
		TRY(clpac_options_set(&options, "memory", call->values.memory, err));
	*out = options;
done:
	return st;
}
