/* Options that several commands share. */
#ifndef CLPAC_TOOL_OPTION_GROUPS_H
#define CLPAC_TOOL_OPTION_GROUPS_H

#include "tool/tool.h"

extern const tool_group tool_group_read;   /* --rate, --raw, --array */
extern const tool_group tool_group_take;   /* --channels, --start, --stop, --segment */
extern const tool_group tool_group_reject; /* --reject, --keep-bad */
extern const tool_group tool_group_epochs; /* --events, --window, --pool */
extern const tool_group tool_group_method;
extern const tool_group tool_group_compute;
extern const tool_group tool_group_output;
extern const tool_group tool_group_comparison_output;
extern const tool_group tool_group_common; /* --help */
extern const tool_group tool_group_config; /* --config */
extern const tool_group tool_group_json;   /* --json */

#endif
