/* Runs over pairs of channels: what is filtered of a channel is kept in a store, and meets there the phases or
 * amplitudes of all channels that it is paired with.
 *
 * The plan's problem has pairs, and its series are those of the pairs: row by row, and segment by segment in each.  A
 * batch of them takes its phase bins and amplitudes from the store, in place of the filters; everything behind the
 * filters knows of no pairs.  Channels that the store lacks are filtered first. */
#ifndef CLPAC_COUPLING_PASSES_PAIRS_H
#define CLPAC_COUPLING_PASSES_PAIRS_H

#include <clpac/memory/store.h>
#include "coupling/passes/run_state.h"

/* The channels that a plan has filtered in one run. */
typedef struct clpac__channels {
	clpac_context *context; /* on whose pool they are */
	clpac_store *store;
	int *exponents;	   /* of each series of the recording, (channel, segment): 2^-exponent scaled it */
	uint8_t *troubles; /* of each, enum clpac__trouble */
	size_t first;	   /* the batch in hand */
	bool is_coupling;  /* amplitudes come from the store */
} clpac__channels;

/* Fills the plan's phase bins and amplitudes, exponents and troubles with those of the pairs' series
 * first .. first + n - 1.  Errors: CLPAC_ERROR_NO_DEVICE_MEMORY where no room is left beside the plan for one channel.
 */
clpac_status clpac__pairs_load(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
			       clpac_error *err);

/* Copies the amplitudes of kept samples from .. from + count - 1 of the batch's n series into rows first_row and up. */
clpac_status clpac__pairs_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t from, size_t count,
				     size_t first_row, clpac_error *err);

/* Adds to the run's report, unless NULL, what the store held and moved, and gives the channels up.  The plan may have
 * none. */
void clpac__pairs_end(clpac__batch *batch, clpac_report *report);

/* Bytes of the phases and amplitudes of all channels in pairs, in the pool's size classes, and of the largest of them.
 */
typedef struct clpac__channels_bytes {
	uint64_t all, largest;
} clpac__channels_bytes;
clpac__channels_bytes clpac__pairs_bytes(const clpac_problem *problem, const clpac__layout *layout,
					 const clpac_context *context);

/* The part of a budget that is left for the plan's own buffers: its channels get what they need, at most half, and no
 * less than one of them needs while it is filtered. */
uint64_t clpac__pairs_budget(const clpac_plan *plan, uint64_t budget);

#endif
