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

/* Whether a channel takes part where --channels is not given and its rate is tool_channels_usual_rate: a signal of the
 * brain that is not bad. */
bool tool_channel_is_usual(const clpac_channel *channel);
/* The highest rate of such channels; 0 where it is unknown. */
double tool_channels_usual_rate(const clpac_recording *recording);

/* Warns of channels that are left out. */
clpac_status tool_channels_choose(const clpac_recording *recording, const tool_call *call, tool_channels *out,
				  clpac_error *err);
/* The same for the list of another option, in the place of that of --channels; errors name it. */
clpac_status tool_channels_choose_for(const clpac_recording *recording, const tool_call *call, const char *option,
				      tool_channels *out, clpac_error *err);
void tool_channels_clear(tool_channels *channels);

#endif
