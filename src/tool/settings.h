/* The library's settings, and the list of devices that they ask for. */
#ifndef CLPAC_TOOL_SETTINGS_H
#define CLPAC_TOOL_SETTINGS_H

#include <clpac/memory/device.h>
#include <clpac/memory/options.h>
#include "analysis/run/job.h"
#include "tool/tool.h"

/* Settings from the environment, and over them --device, --memory, --fft and --probe.  Passes the cache folder on to
 * clFFT through the environment, and must therefore be called before any thread is started. */
clpac_status tool_settings(tool_call *call, clpac_options *out, clpac_error *err);
/* All of the machine's devices, whichever is selected; OpenCL's drivers are tried in a child process as the options
 * say. */
clpac_status tool_devices_find(const clpac_options *options, clpac_device_list **out, clpac_error *err);

/* Reads the options of a job, and the settings of its devices.  Zero the job before; close it in any case. */
clpac_status tool_job_prepare(clpac__job *job, tool_call *call, clpac_error *err);

#endif
