/* A 64-bit hash for tables and for noticing damage; not against an adversary. */
#ifndef CLPAC_STORE_STORE_HASH_H
#define CLPAC_STORE_STORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Every step is invertible, so that texts of the same length which differ within one word of eight bytes never share a
 * hash.  Seed with the hash of what came before to hash piece by piece, all but the last a multiple of eight bytes.
 * Cost: about 8 bytes in two nanoseconds. */
uint64_t clpac__hash(const void *data, size_t bytes, uint64_t seed);

#endif
