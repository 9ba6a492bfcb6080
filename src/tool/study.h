/* What a study takes: core-hours, memory, files and bytes, from a part of it that is computed. */
#ifndef CLPAC_TOOL_STUDY_H
#define CLPAC_TOOL_STUDY_H

#include "tool/tool.h"

/* Computes a part of a study, and prints what all of it takes.  The part is some of the recordings that the operands
 * name, and one shard of a recording with many channels or pairs; its results are made in a folder that is removed. */
clpac_status tool_study_plan(tool_call *call, clpac_error *err);

#endif
