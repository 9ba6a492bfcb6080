/* What a study takes: core-hours, memory, files and bytes, from a part of it that is computed. */
#ifndef CLPAC_TOOL_STUDY_H
#define CLPAC_TOOL_STUDY_H

#include "tool/tool.h"

/* Computes some of the recordings that the operands name, of one with many channels or pairs a shard, in a folder of
 * its own that is removed, and prints what all of them take. */
clpac_status tool_study_plan(tool_call *call, clpac_error *err);

#endif
