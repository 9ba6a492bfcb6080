/* Victims: which of the buffers that keepers offer are to go, so that a request finds room and as little as possible is
 * lost. */
#ifndef CLPAC_MEMORY_POOL_VICTIMS_H
#define CLPAC_MEMORY_POOL_VICTIMS_H

#include "memory/pool/keeper.h"
#include "memory/pool/segments.h"

/* The need of a request: a piece of that many bytes in one segment, or bytes that go back to the driver. */
typedef struct clpac__wanted {
	size_t class_bytes;
	uint64_t lacking_bytes; /* for the driver, beyond what is cached */
} clpac__wanted;

/* Makes what the choice needs, without a lock.  False: the host has no memory for it. */
bool clpac__offers_prepare(clpac__offers *offers);
void clpac__offers_free(clpac__offers *offers);

/* Chooses victims among prepared offers, and marks them.
 *
 * Two ways are compared: a run of neighbours in a segment, offered or free, that holds the request; and memory of
 * their own, and segments of which everything is offered, that give the driver what is lacking.  Among the ways that
 * cost at most twice the request, the one whose most recently used victim was used longest ago wins; if there is none,
 * the one that costs least.
 * Returns false when nothing that is offered would help.
 * Cost: n log n in the offers, and linear in the pieces of the segments that they lie in. */
bool clpac__victims_choose(const clpac__segments *segments, clpac__offers *offers, clpac__wanted wanted);

#endif
