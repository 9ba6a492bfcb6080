/* Options that several commands share, beside those of an analysis. */
#ifndef CLPAC_TOOL_OPTION_GROUPS_H
#define CLPAC_TOOL_OPTION_GROUPS_H

#include "analysis/options/tables.h"
#include "tool/tool.h"

extern const clpac__option_group tool_group_output;
extern const clpac__option_group tool_group_comparison_output;
extern const clpac__option_group tool_group_trials_output;
extern const clpac__option_group tool_group_common; /* --help */
extern const clpac__option_group tool_group_config; /* --config */
extern const clpac__option_group tool_group_json;   /* --json */

#endif
