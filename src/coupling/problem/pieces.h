/* The samples of a series that are used, where those are not all of them: pieces of stretches.
 *
 * On the device a series is a staged row: its stretches one after the other, and between two of them the odd extension
 * of both, so that a filter that passes the row gives each stretch what it would give it alone.  Without stretches the
 * staged row is the segment.  Behind the filters the used samples of the row are gathered (cl/used_samples.cl): piece
 * after piece they make up the kept samples, a row that is read like that of any other series. */
#ifndef CLPAC_COUPLING_PROBLEM_PIECES_H
#define CLPAC_COUPLING_PROBLEM_PIECES_H

#include <clpac/problem.h>

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

#endif
