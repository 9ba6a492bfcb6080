/* The options that decide a result's numbers, in one line, which is recorded with it. */
#ifndef CLPAC_TOOL_REQUEST_H
#define CLPAC_TOOL_REQUEST_H

#include "tool/tool.h"

/* Sets `analysis.request` once: the options of reading, part and method that differ from their defaults, as "rate=512
 * seed=7", in the order of run --help.  Those of device and output do not count.  Before those of another command than
 * run stands its name, and behind them are those that run does not have: "erpac rate=512 step=0.02". */
clpac_status tool_request_make(tool_call *call, clpac_error *err);

#endif
