/* FNV-1a of 64 bits: detects damage and names files.  It is no protection. */
#ifndef CLPAC_BASE_HASH_H
#define CLPAC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t CLPAC__HASH_START = 14695981039346656037u;

/* Goes on from `start`: CLPAC__HASH_START, or the hash of the bytes before. */
static inline uint64_t clpac__hash(uint64_t start, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < bytes; i++)
		start = (start ^ at[i]) * 1099511628211u;
	return start;
}

#endif
