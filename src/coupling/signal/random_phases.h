/* Series with the spectrum of another and random phases (Theiler, Eubank, Longtin, Galdrikian, Farmer 1992, Physica D
 * 58:77), on the host and in double, so that every device gets the same samples. */
#ifndef CLPAC_COUPLING_SIGNAL_RANDOM_PHASES_H
#define CLPAC_COUPLING_SIGNAL_RANDOM_PHASES_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

/* Transforms of series of one length: their roots of unity, and memory to work in.  One thread at a time. */
typedef struct clpac__random_phases clpac__random_phases;

/* Errors: CLPAC_ERROR_NO_MEMORY.  Memory: 32 bytes for each of n_samples where that is a power of two, else 64 for each
 * value of the power of two that reaches 2 n_samples - 1. */
clpac_status clpac__random_phases_create(size_t n_samples, clpac__random_phases **out, clpac_error *err);
void clpac__random_phases_destroy(clpac__random_phases *phases); /* NULL is fine */

/* The spectrum of n_samples samples, stride 1: frequencies 0 to n_samples / 2, real and imaginary parts in turn,
 * n_samples / 2 + 1 of them. */
void clpac__spectrum(clpac__random_phases *phases, const float *samples, double *spectrum);

/* Makes surrogate k of a series from its spectrum: frequency f is turned by an angle drawn for it, those of 0 and half
 * the rate excepted.  Angle number f is word f - 1 of (seed, channel, segment, k), in turns / 2^32.
 * Cost: one complex transform of the length, or of two lengths that are powers of two. */
void clpac__draw_phases(clpac__random_phases *phases, const double *spectrum, uint64_t seed, uint32_t channel,
			uint32_t segment, uint32_t k, float *samples);

#endif
