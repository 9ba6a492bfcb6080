/* Uniform integer shifts. */
#include "coupling/signal/shifts.h"

#include "coupling/signal/draws.h"

clpac_status clpac__draw_shifts(uint64_t seed, size_t channel, size_t segment, size_t first, size_t n, size_t n_samples,
				size_t min_shift, uint32_t *out, clpac_error *err)
{
	if (channel > UINT32_MAX || segment > UINT32_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "random shifts of channel %zu, segment %zu: both numbers must be at most %u",
				   channel, segment, UINT32_MAX);
	if (!min_shift)
		min_shift = 1;
	if (n_samples >= UINT32_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%zu samples are too many to shift: give at most %u",
				   n_samples, UINT32_MAX - 1);
	if (min_shift > n_samples / 2)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "min_shift is %zu samples and the series has %zu: "
				   "no shift lies in [min_shift, %zu - min_shift]; give at most %zu",
				   min_shift, n_samples, n_samples, n_samples / 2);
	if (n > UINT32_MAX || first > UINT32_MAX - n)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "shifts %zu to %zu + %zu are too many: a series has at most %u", first, first, n,
				   UINT32_MAX);
	const uint32_t range = (uint32_t)(n_samples - 2 * min_shift + 1);
	for (size_t i = 0; i < n; i++) {
		clpac__draws draws =
			clpac__draws_begin(seed, (uint32_t)channel, (uint32_t)segment, (uint32_t)(first + i));
		out[i] = (uint32_t)min_shift + clpac__draws_below(&draws, range);
	}
	return CLPAC_OK;
}
