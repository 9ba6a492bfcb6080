/* Numbers from a counter-based generator, four at a time. */
#include "coupling/signal/draws.h"

#include <Random123/philox.h>

void clpac__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
	philox4x32_key_t k = {{key[0], key[1]}};
	c = philox4x32_R(10, c, k);
	for (int i = 0; i < 4; i++)
		out[i] = c.v[i];
}

clpac__draws clpac__draws_begin(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k)
{
	return (clpac__draws){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .counter = {k, channel, segment, 0}};
}

uint32_t clpac__draws_word(clpac__draws *draws)
{
	if (!draws->n_left) {
		clpac__philox(draws->counter, draws->key, draws->words);
		draws->counter[3]++; /* numbers the blocks of four words */
		draws->n_left = 4;
	}
	return draws->words[4 - draws->n_left--];
}

uint32_t clpac__draws_below(clpac__draws *draws, uint32_t range)
{
	const uint32_t excess = (0u - range) % range; /* 2^32 modulo range */
	for (;;) {
		const uint64_t product = (uint64_t)clpac__draws_word(draws) * range;
		if ((uint32_t)product >= excess)
			return (uint32_t)(product >> 32);
	}
}
