/* Windows with indices of their own (clpac_problem.separate_windows).
 *
 * A filtered value depends on the samples within an order of its filter, on the ends of its stretch where these are
 * nearer, and on the mean of the stretch.  So each window becomes a segment of its own: the window, as many samples
 * before and behind it as filters reach, and the mean given.  Segments of one length, with the window at one place,
 * are one problem. */
#ifndef CLPAC_COUPLING_PLAN_SEPARATE_WINDOWS_H
#define CLPAC_COUPLING_PLAN_SEPARATE_WINDOWS_H

#include <clpac/plan.h>
#include "coupling/plan/problem.h"

/* A window with the samples around it. */
typedef struct clpac__framed {
	clpac_window frame; /* the samples that are filtered */
	clpac_window used;  /* the window, counted from the first of these */
	size_t stretch, window;
} clpac__framed;

/* All windows of a problem, those of one problem one after the other. */
typedef struct clpac__frames {
	clpac__framed *each;
	struct clpac__frame_group {
		size_t first, n; /* in `each` */
	} * groups;		 /* that of the most windows first */
	size_t n_groups;
} clpac__frames;

/* @param problem complete.
 * @param[out] out to be cleared in any case. */
clpac_status clpac__frames_find(const clpac_problem *problem, clpac__frames *out, clpac_error *err);
void clpac__frames_clear(clpac__frames *frames);
/* The problem of a group; the caller's to destroy. */
clpac_status clpac__frames_problem(const clpac_problem *whole, const clpac__frames *frames, size_t group,
				   clpac_problem_copy **out, clpac_error *err);

/* Runs one problem, whose series have these means: (channel, segment). */
typedef clpac_status clpac__run_frames(void *user, const clpac_problem *problem, const clpac_samples *samples,
				       const double *means, clpac_result **out, clpac_error *err);

/* Computes a problem with separate windows.  `run` is called for each group, with the windows before it and all in
 * *before and *all. */
typedef struct clpac__frames_run {
	clpac__run_frames *run;
	void *user;
	size_t before, n, all; /* windows: of the groups before, of this one, of all */
} clpac__frames_run;
clpac_status clpac__run_separate(clpac__frames_run *job, const clpac_problem *whole, const clpac_samples *samples,
				 clpac_result **out, clpac_error *err);

#endif
