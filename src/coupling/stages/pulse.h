/* Who hears that a launch goes on: a launch may take seconds, and progress is told ten times a second. */
#ifndef CLPAC_COUPLING_STAGES_PULSE_H
#define CLPAC_COUPLING_STAGES_PULSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct clpac__pulse {
	/* @param share of the launch under way that is done, below 1; 0 where nobody knows.
	 * Returns false to end the launch. */
	bool (*beat)(void *user, double share);
	void *user;
	double told_s; /* when it last heard; 0: not yet */
} clpac__pulse;

/* Lets a pulse hear of the launches of this thread.  Returns the one before; both nullable. */
clpac__pulse *clpac__pulse_use(clpac__pulse *pulse);
clpac__pulse *clpac__pulse_used(void);
/* Lets the pulse of this thread hear, where it has not for half a tenth of a second; false where the launch is to end.
 */
bool clpac__pulse_beat(double share);

/* Calls a function of the application that is told progress.  It may launch something itself, which nobody hears. */
bool clpac__pulse_tell(bool (*progress)(void *user, size_t done, size_t total), void *user, size_t done, size_t total);

#endif
