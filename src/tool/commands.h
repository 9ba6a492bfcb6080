/* The commands; each lies in the file of its name. */
#ifndef CLPAC_TOOL_COMMANDS_H
#define CLPAC_TOOL_COMMANDS_H

#include "tool/tool.h"

extern const tool_command tool_command_devices;
extern const tool_command tool_command_synth;
extern const tool_command tool_command_info;
extern const tool_command tool_command_run;
extern const tool_command tool_command_plan;
extern const tool_command tool_command_plot;
extern const tool_command tool_command_memory;
extern const tool_command tool_command_config;

#endif
