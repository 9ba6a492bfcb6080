/* Random rearrangements of amplitudes: of blocks within a segment, and of the segments of a channel. */
#ifndef CLPAC_COUPLING_SIGNAL_REARRANGED_H
#define CLPAC_COUPLING_SIGNAL_REARRANGED_H

#include <stddef.h>
#include <stdint.h>
#include <clpac/problem.h>
#include "base/error.h"

/* A block that was moved: its first sample in the series, and where that stands now.  It ends where the next one of a
 * rearrangement begins, and goes on with the first sample of the series behind the last. */
typedef struct clpac__block {
	uint32_t from, to;
} clpac__block;

/* Cuts a circle of n_samples at n_blocks places, each set of places as likely as any other, and puts the blocks one
 * behind the other in random order, in the order of `to`; the first has to = 0.  One or two blocks are a circular
 * shift. n_blocks is at least 1 and at most n_samples, channel and segment are those of the recording. Cost: n_blocks^2
 * steps. */
void clpac__draw_blocks(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			uint32_t n_blocks, clpac__block *out);

/* Shifts each of n windows, which follow each other, circularly by a number of samples of its own, each of
 * [min_shift, window - min_shift] as likely as any other: two blocks for each window.  The numbers are drawn one after
 * the other, in the order of the windows.  min_shift is above 0 and at most half of the shortest window. */
void clpac__draw_window_shifts(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k,
			       const clpac_window *windows, uint32_t n, uint32_t min_shift, clpac__block *out);

/* Permutes n windows of n_samples each, which follow each other, each permutation as likely as any other (Fisher &
 * Yates): one block for each window. */
void clpac__draw_window_order(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			      uint32_t n, clpac__block *out);

/* Draws a permutation of n segments, each as likely as any other: segment number i (counted from 0) takes the amplitude
 * of segment order[i].  It depends on the segments' numbers in the recording and not on the order in which they stand:
 * each segment draws a key, and the i-th segment by number takes the segment with the i-th key.
 * @param numbers of the segments, below 2^32; NULL: 0, 1, ...
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: two sorts. */
clpac_status clpac__draw_order(uint64_t seed, uint32_t channel, const size_t *numbers, size_t n, uint32_t k,
			       uint32_t *order, clpac_error *err);

#endif
