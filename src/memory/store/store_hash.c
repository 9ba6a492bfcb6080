/* The hash: multiply and fold, word by word. */
#include "memory/store/store_parts.h"

#include <string.h>

/* Odd constants whose bits have no pattern: the golden ratio, and the multiplier of Steele and Vigna 2021
 * (Computationally easy, spectrally good multipliers). */
#define ODD_A UINT64_C(0x9E3779B97F4A7C15)
#define ODD_B UINT64_C(0xD1342543DE82EF95)

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * ODD_B;
	return hash ^ hash >> 32;
}

uint64_t clpac__hash(const void *data, size_t bytes, uint64_t seed)
{
	const unsigned char *next = data;
	uint64_t hash = seed ^ bytes * ODD_A, word;
	for (; bytes >= sizeof word; bytes -= sizeof word, next += sizeof word) {
		memcpy(&word, next, sizeof word);
		hash = mix(hash, word);
	}
	word = 0;
	for (size_t i = 0; i < bytes; i++)
		word |= (uint64_t)next[i] << 8 * i;
	hash = mix(hash, word) * ODD_A;
	return hash ^ hash >> 29;
}
