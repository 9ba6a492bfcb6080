/* --channels: the channels of the recording that take part. */
#ifndef CLPAC_TOOL_JOB_CHANNELS_H
#define CLPAC_TOOL_JOB_CHANNELS_H

#include <clpac/recording.h>
#include "tool/tool.h"

/* The chosen channels, all of one rate. */
typedef struct tool_channels {
	size_t *numbers; /* in the recording, in the order asked for */
	size_t n;
	double rate_hz;
	size_t n_samples; /* of the shortest */
} tool_channels;

/* Warns of channels that are left out. */
clpac_status tool_channels_choose(const clpac_recording *recording, const tool_call *call, tool_channels *out,
				  clpac_error *err);
void tool_channels_clear(tool_channels *channels);

#endif
