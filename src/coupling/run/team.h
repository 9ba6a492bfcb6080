/* Shares a run's series among plans for the same problem on several devices: the member that is free takes the next
 * batch. */
#ifndef CLPAC_COUPLING_RUN_TEAM_H
#define CLPAC_COUPLING_RUN_TEAM_H

#include <pthread.h>
#include <clpac/memory/cancel.h>
#include "coupling/run/execute.h"

/* Series first .. first + n - 1. */
typedef struct clpac__span {
	size_t first, n;
} clpac__span;

/* One plan, run by one thread. */
typedef struct clpac__member {
	struct clpac__team *team;
	clpac_plan *plan; /* with a smaller layout, once the batch was refused memory */
	clpac__batch *batch;
	clpac__run run;
	clpac_report report;
	clpac__span span; /* the batch in progress */
	size_t advanced;  /* progress within the span */
	clpac_device_report did;
	clpac_status st; /* the error that ended the member's work, or CLPAC_OK */
	clpac_error why;
	bool is_working;
	bool is_stopped; /* by a progress function, within a launch */
} clpac__member;

typedef struct clpac__team {
	clpac__member *members;
	size_t n_members;
	const clpac_plan_options *options; /* of the first member's plan as the run began */
	pthread_mutex_t lock;	 /* of all below, each member's plan, span, st and is_working, and its batch's speed */
	clpac_cancel *cancel;	 /* of the thread that runs; NULL: none */
	pthread_cond_t changed;	 /* signalled when a batch ends or fails */
	size_t n_series, n_left; /* all, and those not yet taken */
	bool *is_taken;		 /* per series: some member computes it, or has computed it */
	size_t lowest;		 /* every series below it is taken */
	size_t done, total;	 /* in the unit of progress */
	size_t told;		 /* of done, by the last that was heard: it never sinks within a launch */
	bool is_cancelled;
	pthread_mutex_t telling; /* serialises progress calls and keeps their order; taken before the lock */
} clpac__team;

/* Computes all series of the members' runs.  The first member works in the calling thread.  Errors: only if the run was
 * cancelled or every member failed. */
clpac_status clpac__team_work(clpac__team *team, clpac_error *err);

/* clpac__run.advance of a member's run. */
clpac_status clpac__team_advance(clpac__run *run, size_t more, clpac_error *err);

/* Fills a result's report: names and settings of the first member, sums over all members. */
void clpac__team_report(const clpac__team *team, clpac_report *report);

#endif
