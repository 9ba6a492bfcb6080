/* --pairs, --phase-channels, --amplitude-channels: whose phases are coupled with whose amplitudes. */
#ifndef CLPAC_TOOL_JOB_PAIRS_H
#define CLPAC_TOOL_JOB_PAIRS_H

#include <clpac/problem.h>
#include <clpac/recording.h>
#include <clpac/result.h>
#include "tool/job_channels.h"
#include "tool/tool.h"

/* The pairs of a job, as places among its channels; NULL: each channel is coupled with itself. */
typedef struct tool_pairs {
	clpac_pair *each;
	size_t n;
} tool_pairs;

/* Whether any of the options is given. */
bool tool_pairs_are_given(const tool_call *call);
/* Refuses options that contradict each other, and what pairs cannot have of the method. */
clpac_status tool_pairs_check(const tool_call *call, const clpac_problem *problem, clpac_error *err);
/* Chooses the channels of the job, those of --channels or those in pairs, and its pairs.  Warns of what is left out. */
clpac_status tool_pairs_choose(const clpac_recording *recording, const tool_call *call, tool_channels *channels,
			       tool_pairs *out, clpac_error *err);
void tool_pairs_clear(tool_pairs *pairs);

/* Names a channel of a result as the channel, or pair, of another. */
clpac_status tool_pairs_copy_name(clpac_result *to, size_t at, const clpac_result *from, size_t channel,
				  clpac_error *err);

/* SHA-256 of the table that --pairs names; "" where it names none. */
clpac_status tool_pairs_checksum(const tool_call *call, char checksum[65], clpac_error *err);

#endif
