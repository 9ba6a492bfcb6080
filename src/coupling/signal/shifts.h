/* Random circular shifts that any device, thread or batch can draw alone: shift k of a series depends only on (seed,
 * channel, segment, k), through the counter-based generator Philox4x32-10 (Salmon et al. 2011, SC11). */
#ifndef CLPAC_COUPLING_SIGNAL_SHIFTS_H
#define CLPAC_COUPLING_SIGNAL_SHIFTS_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

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

#endif
