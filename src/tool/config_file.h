/* --config FILE.json: options from a file. */
#ifndef CLPAC_TOOL_CONFIG_FILE_H
#define CLPAC_TOOL_CONFIG_FILE_H

#include "tool/tool.h"

/* Takes over the keys of the --config file, if one was given. */
clpac_status tool_read_config(tool_call *call, clpac_error *err);
void tool_forget_config(tool_call *call);

#endif
