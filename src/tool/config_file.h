/* --config FILE.json: options from a file. */
#ifndef CLPAC_TOOL_CONFIG_FILE_H
#define CLPAC_TOOL_CONFIG_FILE_H

#include "tool/tool.h"

/* Takes over the keys of the --config file, if one was given. */
clpac_status tool_read_config(tool_call *call, clpac_error *err);
/* Frees the texts of the file; the call's values may point to them until then. */
void tool_forget_config(tool_call *call);

#endif
