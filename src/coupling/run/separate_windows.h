/* Runs of problems with separate windows, group by group (coupling/problem/frames.h). */
#ifndef CLPAC_COUPLING_RUN_SEPARATE_WINDOWS_H
#define CLPAC_COUPLING_RUN_SEPARATE_WINDOWS_H

#include <clpac/plan.h>
#include "coupling/problem/frames.h"

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
