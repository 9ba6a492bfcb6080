/* All blocks of a pool at one moment: the pieces of each segment, used or free, and the blocks outside of segments. */
#ifndef CLPAC_MEMORY_POOL_SNAPSHOT_MAP_H
#define CLPAC_MEMORY_POOL_SNAPSHOT_MAP_H

#include "memory/pool/pool_parts.h"

enum { CLPAC__SNAPSHOT_TAG_SIZE = 48 };

typedef enum clpac__piece_state {
	CLPAC__PIECE_IN_USE = 0,
	CLPAC__PIECE_CACHED,
	CLPAC__PIECE_PENDING, /* released, and a queue still uses it */
	CLPAC__PIECE_BUSY     /* another thread is just making it or giving it back */
} clpac__piece_state;

/* A block, with a copy of its owner's facts.  id, requested_bytes and tag are empty unless it is in use. */
typedef struct clpac__map_piece {
	uint64_t offset, bytes, requested_bytes, id; /* offset in its segment */
	unsigned queue;
	clpac__piece_state state;
	bool is_on_host;
	char tag[CLPAC__SNAPSHOT_TAG_SIZE];
} clpac__map_piece;

typedef struct clpac__map_segment {
	uint64_t number, bytes, free_bytes, largest_free_bytes;
	bool is_small;
	unsigned queue;
	size_t first_piece, n_pieces; /* by offset */
} clpac__map_segment;

typedef struct clpac__map {
	clpac__map_segment *segments; /* by number */
	size_t n_segments;
	clpac__map_piece *pieces; /* of all segments */
	size_t n_pieces;
	clpac__map_piece *blocks; /* in no segment */
	size_t n_blocks;
} clpac__map;

/* Takes the pool's lock.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__map_take(clpac_pool *pool, clpac__map *out, clpac_error *err);
void clpac__map_free(clpac__map *map);

#endif
