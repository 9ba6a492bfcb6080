/* The samples of a series that are used, where those are not all of them: pieces of stretches.
 *
 * On the device a series is a staged row: its stretches one after the other, and between two of them the odd extension
 * of both, so that a filter that passes the row gives each stretch what it would give it alone.  Without stretches the
 * staged row is the segment.  Behind the filters the used samples of the row are gathered (cl/used_samples.cl): piece
 * after piece they make up the kept samples, a row that is read like that of any other series. */
#ifndef CLPAC_COUPLING_PLAN_USED_SAMPLES_H
#define CLPAC_COUPLING_PLAN_USED_SAMPLES_H

#include "coupling/plan/plan.h"

/* Samples staged .. staged + n - 1 of a staged row, which are kept samples place .. place + n - 1. */
typedef struct clpac__piece {
	size_t staged, n, place;
} clpac__piece;

/* A walk over the pieces of a problem that is complete, in the order of time. */
typedef struct clpac__pieces {
	const clpac_problem *problem;
	size_t gap;	/* samples between two stretches of a staged row */
	size_t next;	/* piece */
	size_t stretch; /* the one that held the piece before, and where it is staged */
	size_t staged;
	size_t place;
} clpac__pieces;

clpac__pieces clpac__pieces_begin(const clpac_problem *problem);
bool clpac__pieces_next(clpac__pieces *walk, clpac__piece *out);

/* The length of a staged row; 0: more than memory can address. */
size_t clpac__staged_samples(const clpac_problem *problem);

/* The samples of the gap between two stretches: two extensions of the longest filter. */
size_t clpac__staged_gap(const clpac_problem *problem);

/* Sets the layout's members that say which samples are used. */
void clpac__used_begin(const clpac_problem *problem, clpac__layout *layout);

/* Writes the plan's tables of stretches, and of used samples. */
clpac_status clpac__used_write(clpac_plan *plan, clpac_error *err);

/* The samples first .. end - 1 of what is passed through the filters, counted from layout.begin on, among which are the
 * kept samples from .. from + count - 1. */
void clpac__used_range(const clpac_plan *plan, size_t from, size_t count, size_t *first, size_t *end);

/* The kept samples first .. end - 1, among from .. from + count - 1, that include all those at passed samples
 * passed .. passed_end - 1. */
void clpac__used_places(const clpac_plan *plan, size_t from, size_t count, size_t passed, size_t passed_end,
			size_t *first, size_t *end);

#endif
