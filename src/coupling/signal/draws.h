/* Random numbers that any device, thread or batch can draw alone: each depends only on (seed, channel, segment, k) and
 * on how many were drawn before it for the same four, through the counter-based generator Philox4x32-10 (Salmon et al.
 * 2011, SC11). */
#ifndef CLPAC_COUPLING_SIGNAL_DRAWS_H
#define CLPAC_COUPLING_SIGNAL_DRAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/problem.h>

#include "base/error.h"

/* Philox4x32-10 of one counter and key. */
void clpac__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The numbers of surrogate k of a segment of a channel, those of the recording.  Whoever draws once for all segments
 * gives each the same one. */
typedef struct clpac__draws {
	uint32_t key[2], counter[4], words[4];
	unsigned n_left; /* words that were not taken yet */
} clpac__draws;

clpac__draws clpac__draws_begin(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k);

/* The next number, uniform on [0, 2^32). */
uint32_t clpac__draws_word(clpac__draws *draws);

/* Random circular shifts that any device, thread or batch can draw alone: shift k of a series depends only on (seed,
 * channel, segment, k), through the counter-based generator Philox4x32-10 (Salmon et al. 2011, SC11). */

/* Draws shifts number first .. first + n - 1 of a series, each uniform on [min_shift, n_samples - min_shift] without
 * the bias of a remainder (Lemire 2019, ACM TOMACS 29:3: multiply, and reject the few that would be too many).
 * @param channel number of the channel in the recording; the same channel and segment for all series give them one
 *        shared list.
 * @param segment number of the segment in the recording.
 * @param min_shift 0 is 1, as in clpac_problem.
 * @param[out] out n shifts.
 * Errors: CLPAC_ERROR_ARGUMENT, with the numbers, if the range is empty, or if channel, segment, n_samples or
 * first + n does not fit 32 bits.  Cost: one Philox block per shift. */
clpac_status clpac__draw_shifts(uint64_t seed, size_t channel, size_t segment, size_t first, size_t n, size_t n_samples,
				size_t min_shift, uint32_t *out, clpac_error *err);

/* Random rearrangements of amplitudes: of time blocks within a segment, and of the segments of a channel. */

/* A time block that was moved: its first sample in the series, and where that stands now.  It ends where the next one
 * of a rearrangement begins, and goes on with the first sample of the series behind the last. */
typedef struct clpac__time_block {
	uint32_t from, to;
} clpac__time_block;

/* Cuts a circle of n_samples at n_blocks places, each set of places as likely as any other, and puts the blocks one
 * behind the other in random order, in the order of `to`; the first has to = 0.  One or two blocks are a circular
 * shift. n_blocks is at least 1 and at most n_samples, channel and segment are those of the recording. Cost: n_blocks^2
 * steps. */
void clpac__draw_blocks(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			uint32_t n_blocks, clpac__time_block *out);

/* Shifts each of n windows, which follow each other, circularly by a number of samples of its own, each of
 * [min_shift, window - min_shift] as likely as any other: two blocks for each window.  The numbers are drawn one after
 * the other, in the order of the windows.  min_shift is above 0 and at most half of the shortest window. */
void clpac__draw_window_shifts(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k,
			       const clpac_window *windows, uint32_t n, uint32_t min_shift, clpac__time_block *out);

/* Permutes n windows of n_samples each, which follow each other, each permutation as likely as any other (Fisher &
 * Yates): one block for each window. */
void clpac__draw_window_order(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			      uint32_t n, clpac__time_block *out);

/* Draws a permutation of n segments, each as likely as any other: segment number i (counted from 0) takes the amplitude
 * of segment order[i].  It depends on the segments' numbers in the recording and not on the order in which they stand:
 * each segment draws a key, and the i-th segment by number takes the segment with the i-th key.
 * @param numbers of the segments, below 2^32; NULL: 0, 1, ...
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: two sorts. */
clpac_status clpac__draw_order(uint64_t seed, uint32_t channel, const size_t *numbers, size_t n, uint32_t k,
			       uint32_t *order, clpac_error *err);

/* Permutations of a comparison's subjects: signs that are flipped, or labels of two groups. */

/* The permutations, of which number 0 leaves everything as it is. */
typedef struct clpac__permutations {
	bool are_labels;
	size_t n_first;	    /* subjects with the first label, where they have labels */
	size_t n;	    /* all subjects */
	uint64_t n_choices; /* permutations to use, number 0 among them; at most 2^32 - 1 */
	bool is_exact;	    /* they are all that there are, each once; otherwise those from 1 on are drawn */
	uint64_t seed;
} clpac__permutations;

/* Chooses between all permutations, where they are at most `wanted`, and so many that are drawn. */
clpac__permutations clpac__permutations_choose(bool are_labels, size_t n_first, size_t n, uint64_t wanted,
					       uint64_t seed);

/* Writes the n weights of permutation k: signs 1 and -1; or 1 for each subject of the first label, 0 for the others. */
void clpac__permutation(const clpac__permutations *permutations, uint64_t k, double *weights);

/* Draws one of n_of[i] indices of each of n subjects, each as likely: the index of the recording is number 0 and its
 * surrogates are the others.  Draw 0 takes those of the recordings. */
void clpac__draw_members(uint64_t seed, uint64_t k, const uint32_t *n_of, size_t n, uint32_t *out);

#endif
