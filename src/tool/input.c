/* Reads the recording that the command line names. */
#include "tool/input.h"

#include <clpac/io.h>
#include "tool/arguments.h"
#include "tool/console.h"

clpac_status tool_input_read(tool_call *call, clpac_recording **out, clpac_error *err)
{
	const tool_values *v = &call->values;
	if (tool_is_given(call, "rate") && !(v->analysis.rate_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--rate %g: it must be above 0 Hz", v->analysis.rate_hz);
	if (tool_is_given(call, "resample") && !(v->analysis.resample_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--resample %g: it must be above 0 Hz", v->analysis.resample_hz);
	clpac_read_options options = {.size = sizeof options,
				      .rate_hz = v->analysis.rate_hz,
				      .raw = v->analysis.raw,
				      .array = v->analysis.array,
				      .on_demand = true,
				      .resample_hz = v->analysis.resample_hz};
	call->direction = TOOL_INPUT;
	return clpac_recording_read(call->values.analysis.input, &options, out, err);
}

void tool_input_warn(const tool_call *call, const clpac_recording *recording)
{
	for (size_t i = 0; i < clpac_recording_n_warnings(recording); i++) {
		size_t count;
		const char *text = clpac_recording_warning(recording, i, &count);
		tool_warn(call, count, "%s", text);
	}
}
