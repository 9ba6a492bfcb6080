/* --pairs, --phase-channels, --amplitude-channels: whose phases are coupled with whose amplitudes. */
#ifndef CLPAC_ANALYSIS_CHANNELS_PAIRS_H
#define CLPAC_ANALYSIS_CHANNELS_PAIRS_H

#include <clpac/problem.h>
#include <clpac/recording.h>
#include <clpac/result.h>
#include "analysis/channels/channels.h"

/* The pairs of a job, as places among its channels; NULL: each channel is coupled with itself. */
typedef struct clpac__pairs {
	clpac_pair *each;
	size_t n;
} clpac__pairs;

/* Refuses options that contradict each other, and what pairs cannot have of the method. */
clpac_status clpac__pairs_check(const clpac__analysis_settings *settings, const clpac_problem *problem,
				clpac_error *err);
/* Chooses the channels of the job, those of --channels or those in pairs, and its pairs.  Warns of what is left out. */
clpac_status clpac__pairs_choose(const clpac_recording *recording, const clpac__analysis_settings *settings,
				 clpac__chosen_channels *channels, clpac__pairs *out, clpac_error *err);
void clpac__pairs_clear(clpac__pairs *pairs);

/* Names a channel of a result as the channel, or pair, of another. */
clpac_status clpac__pairs_copy_name(clpac_result *to, size_t at, const clpac_result *from, size_t channel,
				    clpac_error *err);

/* SHA-256 of the table that --pairs names; "" where it names none. */
clpac_status clpac__pairs_checksum(const clpac__analysis_settings *settings, char checksum[65], clpac_error *err);

#endif
