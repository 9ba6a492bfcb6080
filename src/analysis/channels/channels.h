/* --channels: the channels of the recording that take part. */
#ifndef CLPAC_ANALYSIS_CHANNELS_CHANNELS_H
#define CLPAC_ANALYSIS_CHANNELS_CHANNELS_H

#include <clpac/recording.h>
#include "analysis/settings.h"

/* The chosen channels, all of one rate. */
typedef struct clpac__chosen_channels {
	size_t *numbers; /* in the recording, in the order asked for */
	size_t n;
	double rate_hz;
	size_t n_samples; /* of the shortest */
} clpac__chosen_channels;

/* Whether a channel takes part without --channels, if its rate is clpac__channels_usual_rate: it is a signal of the
 * brain, and not marked as bad. */
bool clpac__channel_is_usual(const clpac_channel *channel);
/* The rate of the channels that take part without --channels: the highest among those whose type or name (an
 * electrode's) says that they are of the brain; without any, the highest of all usual channels; 0 where it is
 * unknown. */
double clpac__channels_usual_rate(const clpac_recording *recording);

/* Warns of channels that are left out. */
clpac_status clpac__channels_choose(const clpac_recording *recording, const clpac__analysis_settings *settings,
				    clpac__chosen_channels *out, clpac_error *err);
/* Chooses by the list of another option in place of that of --channels; errors name that option. */
clpac_status clpac__channels_choose_for(const clpac_recording *recording, const clpac__analysis_settings *settings,
					const char *option, clpac__chosen_channels *out, clpac_error *err);
void clpac__channels_clear(clpac__chosen_channels *channels);

#endif
