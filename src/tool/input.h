/* The recording that the command line names. */
#ifndef CLPAC_TOOL_INPUT_H
#define CLPAC_TOOL_INPUT_H

#include <clpac/recording.h>
#include "tool/tool.h"

/* Reads the recording that the call's operand names, by --rate, --raw and --array. */
clpac_status tool_input_read(tool_call *call, clpac_recording **out, clpac_error *err);
/* Prints the reader's warnings, unless --quiet. */
void tool_input_warn(const tool_call *call, const clpac_recording *recording);

#endif
