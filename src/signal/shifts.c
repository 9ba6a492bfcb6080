/* Uniform integer shifts from a counter-based generator. */
#include "signal/shifts.h"

#include <Random123/philox.h>

void clpac__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
	philox4x32_key_t k = {{key[0], key[1]}};
	c = philox4x32_R(10, c, k);
	for (int i = 0; i < 4; i++)
		out[i] = c.v[i];
}

/* Draws shift k, uniform on [0, range), range >= 1.  The fourth word of the counter numbers the blocks that it uses. */
static uint32_t draw(const uint32_t key[2], uint32_t channel, uint32_t segment, uint32_t k, uint32_t range)
{
	uint32_t counter[4] = {k, channel, segment, 0}, words[4];
	uint32_t excess = (0u - range) % range; /* 2^32 modulo range */
	for (;; counter[3]++) {
		clpac__philox(counter, key, words);
		for (int i = 0; i < 4; i++) {
			uint64_t product = (uint64_t)words[i] * range;
			if ((uint32_t)product >= excess)
				return (uint32_t)(product >> 32);
		}
	}
}

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
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	uint32_t range = (uint32_t)(n_samples - 2 * min_shift + 1);
	for (size_t i = 0; i < n; i++)
		out[i] = (uint32_t)min_shift +
			 draw(key, (uint32_t)channel, (uint32_t)segment, (uint32_t)(first + i), range);
	return CLPAC_OK;
}
