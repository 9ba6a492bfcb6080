/* How long the stages of a run take.
 *
 * A stage ends at a moment in the queue's order.  Where the queue has a clock (memory/backend/backend.h) each moment is
 * an event, whose time is read when the batch is there: nothing waits for a stage.  A queue that computes in the
 * caller's thread is at the moment when it is called.  On any other, as an application's own without profiling, the end
 * of each stage is waited for.  Only contexts that were asked for a profile keep one (clpac_options).
 */
#ifndef CLPAC_COUPLING_PASSES_PROFILE_H
#define CLPAC_COUPLING_PASSES_PROFILE_H

#include "coupling/passes/plan.h"

struct clpac__run;

enum { CLPAC__MOST_MOMENTS = 128 };

/* The moments of a batch so far, those with an event first; of a batch that was begun before the one before it was
 * stored (ahead.h), those of both.  Between batches that follow each other so there is no time of the host. */
typedef struct clpac__profile {
	struct {
		const char *stage;  /* that ends here; NULL: the beginning */
		clpac_event *event; /* NULL: there is none */
		double seconds;	    /* of the host, when the moment was put into the queue */
	} moments[CLPAC__MOST_MOMENTS];
	size_t n;
} clpac__profile;

/* Begins a batch. */
clpac_status clpac__profile_begin(const clpac_plan *plan, struct clpac__run *run, clpac_error *err);

/* Ends a stage; name is a string constant. */
clpac_status clpac__profile_stage(const clpac_plan *plan, struct clpac__run *run, const char *stage, clpac_error *err);

/* Adds the times of the stages so far to the report, once the last of them has passed. */
void clpac__profile_settle(const clpac_plan *plan, struct clpac__run *run);

/* Ends the batch, all of whose work is done, and its last stage, that of the host; adds the times of all to the
 * report. */
void clpac__profile_end(const clpac_plan *plan, struct clpac__run *run, const char *last_stage);

/* Forgets the moments of a batch that failed. */
void clpac__profile_drop(const clpac_plan *plan, struct clpac__run *run);

#endif
