/* A run's series, shared out among plans for the same problem on several devices: whoever is free takes the next batch.
 */
#ifndef CLPAC_PLAN_TEAM_H
#define CLPAC_PLAN_TEAM_H

#include <pthread.h>
#include "plan/execute.h"

/* Series first .. first + n - 1. */
typedef struct clpac__span {
	size_t first, n;
} clpac__span;

/* One plan at work, by one thread. */
typedef struct clpac__member {
	struct clpac__team *team;
	clpac_plan *plan;
	clpac__run run;
	clpac_report report;
	clpac__span span; /* at work on */
	size_t advanced;  /* of the span, in the unit of progress */
	clpac_device_report did;
	clpac_status st; /* why it is out, or CLPAC_OK */
	clpac_error why;
	bool is_working;
} clpac__member;

typedef struct clpac__team {
	clpac__member *members;
	size_t n_members;
	pthread_mutex_t lock;	 /* of all below, and of each member's span, st and is_working, and its plan's speed */
	pthread_cond_t changed;	 /* a batch ended, well or not */
	size_t n_series, n_left; /* all, and those that are nobody's */
	bool *is_taken;		 /* of each series: somebody computes it, or has */
	size_t lowest;		 /* below it all are taken */
	size_t done, total;	 /* in the unit of progress */
	bool is_cancelled;
	pthread_mutex_t telling; /* progress is told by one thread at a time, in order; taken before the lock */
} clpac__team;

/* Computes all series of the members' runs.  The first member works in the calling thread.
 * An error only when the run was cancelled or every member has failed. */
clpac_status clpac__team_work(clpac__team *team, clpac_error *err);

/* What the team did, in the report of a result: the first member's words, everybody's sums. */
void clpac__team_report(const clpac__team *team, clpac_report *report);

#endif
