/* Windows with indices of their own (clpac_problem.separate_windows).
 *
 * A filtered value depends on the samples within an order of its filter, on the ends of its stretch where these are
 * nearer, and on the mean of the stretch.  So each window becomes a segment of its own: the window, as many samples
 * before and behind it as filters reach, and the mean given.  Segments of one length, with the window at one place,
 * are one problem. */
#ifndef CLPAC_COUPLING_PROBLEM_FRAMES_H
#define CLPAC_COUPLING_PROBLEM_FRAMES_H

#include "coupling/problem/problem.h"

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

/* The samples on each side of a value that it depends on, by filters that no short stretch has shortened. */
size_t clpac__frames_reach(const clpac_problem *problem);
/* Whether a stretch is so short that it shortens filters: a series of three orders or more has them in full length. */
bool clpac__frames_has_short_stretch(const clpac_problem *problem, size_t reach);
/* The stretch that holds a window, edges left out; the number of stretches where there is none. */
size_t clpac__frames_stretch(const clpac_problem *problem, clpac_window window);
/* The window with what its filters see: all of its stretch, or as much as filters of full length ask. */
clpac__framed clpac__frame_of(const clpac_problem *problem, size_t number, size_t reach);

#endif
