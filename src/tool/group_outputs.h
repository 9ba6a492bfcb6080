/* The files that `group` writes. */
#ifndef CLPAC_TOOL_GROUP_OUTPUTS_H
#define CLPAC_TOOL_GROUP_OUTPUTS_H

#include "tool/group_subjects.h"
#include "tool/run_outputs.h"

/* Fails where they cannot be written, or would replace a result that is compared. */
clpac_status tool_group_outputs_check(const tool_run_outputs *files, const tool_subjects *subjects, tool_call *call,
				      clpac_error *err);
/* Writes all of them, or none. */
clpac_status tool_group_outputs_write(const tool_run_outputs *files, const clpac_result *result,
				      const tool_subjects *subjects, tool_call *call, clpac_error *err);

#endif
