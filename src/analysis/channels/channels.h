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

/* Whether a channel takes part where --channels is not given and its rate is clpac__channels_usual_rate: a signal of
 * the brain that is not bad. */
bool clpac__channel_is_usual(const clpac_channel *channel);
/* The highest rate of such channels that are known to be of the brain, by their type or as an electrode's name; where
 * none is, of all such channels; 0 where it is unknown. */
double clpac__channels_usual_rate(const clpac_recording *recording);

/* Warns of channels that are left out. */
clpac_status clpac__channels_choose(const clpac_recording *recording, const clpac__analysis_settings *settings,
				    clpac__chosen_channels *out, clpac_error *err);
/* The same for the list of another option, in the place of that of --channels; errors name it. */
clpac_status clpac__channels_choose_for(const clpac_recording *recording, const clpac__analysis_settings *settings,
					const char *option, clpac__chosen_channels *out, clpac_error *err);
void clpac__channels_clear(clpac__chosen_channels *channels);

#endif
