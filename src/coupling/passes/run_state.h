/* The part of a run that its passes know. */
#ifndef CLPAC_COUPLING_PASSES_RUN_STATE_H
#define CLPAC_COUPLING_PASSES_RUN_STATE_H

#include "coupling/passes/plan.h"
#include "coupling/passes/profile.h"

/* State of one run: input, result, report, progress. */
typedef struct clpac__run {
	clpac_result *result;
	clpac_report *report;
	const clpac_samples *samples;		   /* or NULL if arrays are given */
	const struct clpac__loaded_arrays *arrays; /* the caller's phases and amplitudes, or NULL */
	struct clpac__member *member;		   /* the member that runs */
	/* Adds `more` finished indices and surrogate indices to the progress, reports it, and asks whether to go on;
	 * CLPAC_ERROR_CANCELLED if not. */
	clpac_status (*advance)(struct clpac__run *run, size_t more, clpac_error *err);
	size_t expected;     /* of the next advance, where the launches before it tell how far they are; else 0 */
	size_t next, n_next; /* the batch behind the present one; n_next 0: none, or not known yet */
	clpac__profile profile;
} clpac__run;

/* How bin sums are computed.  All three ways give the same integers. */
typedef enum clpac__summing {
	CLPAC__BY_EDGES = 0, /* from edge lists, all of which fit */
	CLPAC__DIRECTLY,     /* sample by sample */
	CLPAC__AS_FITS /* from edge lists, or sample by sample for rows whose lists overflowed; the device decides */
} clpac__summing;

#endif
