/* Random numbers that any device, thread or batch can draw alone: each depends only on (seed, channel, segment, k) and
 * on how many were drawn before it for the same four, through the counter-based generator Philox4x32-10 (Salmon et al.
 * 2011, SC11). */
#ifndef CLPAC_COUPLING_SIGNAL_DRAWS_H
#define CLPAC_COUPLING_SIGNAL_DRAWS_H

#include <stdint.h>

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

/* The next number, uniform on [0, range), range >= 1, without the bias of a remainder (Lemire 2019, ACM TOMACS 29:3:
 * multiply, and reject the few that would be too many). */
uint32_t clpac__draws_below(clpac__draws *draws, uint32_t range);

#endif
