#include "memory/pool/blocks/checked.h"

/* Counter-based generator, so that each byte depends on seed and place alone: the finaliser of splitmix64 (Vigna,
 * public domain). */
static uint8_t pattern(uint64_t seed, size_t i)
{
	uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + i;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint8_t)(z >> 56);
}

clpac_status clpac__canary_arm(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed, clpac_error *err)
{
	uint8_t margin[CLPAC__MARGIN_BYTES];
	for (size_t i = 0; i < sizeof margin; i++)
		margin[i] = pattern(seed, i);
	return queue->operations->write(queue, block, offset, sizeof margin, margin, err);
}

clpac_status clpac__canary_check(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed,
				 clpac__damage *out, clpac_error *err)
{
	uint8_t margin[CLPAC__MARGIN_BYTES];
	clpac__damage damage = {0};
	RETURN_IF_ERROR(queue->operations->read(queue, block, offset, sizeof margin, margin, err));
	for (size_t i = 0; i < sizeof margin; i++) {
		if (margin[i] == pattern(seed, i))
			continue;
		if (!damage.n++) {
			damage.first = i;
			damage.found = margin[i];
		}
		damage.last = i;
	}
	*out = damage;
	return CLPAC_OK;
}
