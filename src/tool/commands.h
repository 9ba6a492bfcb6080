/* The commands of the program, and what they share: options, settings, what is heard of an analysis, exit codes. */
#ifndef CLPAC_TOOL_COMMANDS_H
#define CLPAC_TOOL_COMMANDS_H

#include <clpac/memory/device.h>
#include <clpac/memory/options.h>

#include "tool/tool.h"
#include "analysis/options/tables.h"
#include "analysis/run/job.h"

extern const tool_command tool_command_devices;
extern const tool_command tool_command_doctor;
extern const tool_command tool_command_synth;
extern const tool_command tool_command_info;
extern const tool_command tool_command_run;
extern const tool_command tool_command_plan;
extern const tool_command tool_command_plot;
extern const tool_command tool_command_report;
extern const tool_command tool_command_group;
extern const tool_command tool_command_table;
extern const tool_command tool_command_merge;
extern const tool_command tool_command_compare;
extern const tool_command tool_command_erpac;
extern const tool_command tool_command_memory;
extern const tool_command tool_command_config;
extern const tool_command tool_command_bids;

/* The whole program: runs the command that argv names, prints one line if it fails, closes standard output.  Returns
 * the exit code. */
int tool_main(int argc, char **argv);

/* The program's own help; the table of commands ends with NULL. */
void tool_help(const tool_command *const *commands);
/* The help of one command: usage, text, and options from its tables. */
void tool_help_command(const tool_command *command);

/* --config FILE.json: options from a file. */

/* Takes over the keys of the --config file, if one was given. */
clpac_status tool_read_config(tool_call *call, clpac_error *err);
/* Frees the texts of the file; the call's values may point to them until then. */
void tool_forget_config(tool_call *call);

/* Exit codes, as the manual page lists them. */

/* An interruption ends with this and the number of its signal, as a shell tells a signal. */
enum { TOOL_EXIT_SIGNAL = 128 };
/* The exit code of a status; an input or output error is told apart by the system's error number and the direction. */
int tool_exit_code(clpac_status status, int native_code, tool_direction direction);

/* An analysis as the program's user hears of it: warnings, notes, phases and progress on standard error. */

/* Lets a call hear of its analysis.  The call must not be moved until it has ended. */
void tool_listen(tool_call *call);

/* Options that several commands share, beside those of an analysis. */

extern const clpac__option_group tool_group_output;
extern const clpac__option_group tool_group_comparison_output;
extern const clpac__option_group tool_group_trials_output;
extern const clpac__option_group tool_group_study_output;
extern const clpac__option_group tool_group_dataset;
extern const clpac__option_group tool_group_level;  /* the group level of bids */
extern const clpac__option_group tool_group_common; /* --help */
extern const clpac__option_group tool_group_config; /* --config */
extern const clpac__option_group tool_group_json;   /* --json */
extern const clpac__option_group tool_group_shard;  /* --shard */

/* The options that decide a result's numbers, in one line, which is recorded with it. */

/* Sets `analysis.request` once: the options of reading, part and method that differ from their defaults, as "rate=512
 * seed=7", in the order of run --help.  Those of device and output do not count.  Before those of another command than
 * run stands its name, and behind them are those that run does not have: "erpac rate=512 step=0.02". */
clpac_status tool_request_make(tool_call *call, clpac_error *err);

/* The library's settings, and the list of devices that they ask for. */

/* Settings from the environment, and over them --device, --memory, --fft and --probe.  Passes the cache folder on to
 * clFFT through the environment, and must therefore be called before any thread is started. */
clpac_status tool_settings(tool_call *call, clpac_options *out, clpac_error *err);
/* All of the machine's devices, whichever is selected; OpenCL's drivers are tried in a child process as the options
 * say. */
clpac_status tool_devices_find(const clpac_options *options, clpac_device_list **out, clpac_error *err);

/* Reads the options of a job, and the settings of its devices.  Zero the job before; close it in any case. */
clpac_status tool_job_prepare(clpac__job *job, tool_call *call, clpac_error *err);

#endif
