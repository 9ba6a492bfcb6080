/* The group level of clpac bids: results of participants are compared with 0, as by clpac group. */
#ifndef CLPAC_TOOL_BIDS_GROUPS_H
#define CLPAC_TOOL_BIDS_GROUPS_H

#include "analysis/bids/bids.h"
#include "tool/tool.h"

/* Refuses options of the command line that the other level has. */
clpac_status tool_bids_check_level(const tool_call *call, bool is_group, clpac_error *err);
/* Compares what is there of the chosen recordings; results of the same files and options stay. */
clpac_status tool_bids_compare(tool_call *call, const clpac__bids_dataset *dataset, const char *out_folder,
			       const char *label, clpac_error *err);

#endif
