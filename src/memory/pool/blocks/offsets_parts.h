/* Records of a range, for offsets.c and those that look at its pieces.
 *
 * Every piece, used or free, is a node of one array, chained in the order of the range; the piece at offset 0 is always
 * node 0.  Free pieces are also in the list of their bin.  Nodes are named by index rather than by pointer: the array
 * may move when it grows, and a node takes half a cache line.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_OFFSETS_PARTS_H
#define CLPAC_MEMORY_POOL_BLOCKS_OFFSETS_PARTS_H

#include <clpac/memory/offsets.h>

enum {
	BIN_BITS = 5,		      /* 32 bins per octave: a bin's largest size is at most 1/32 above its smallest */
	BINS_PER_ROW = 1 << BIN_BITS, /* a row of bins is one word of the lower bitmap */
	/* The largest request at the largest alignment that a uint64_t holds needs row 60. */
	MAX_ROWS = 62
};

/* Special values of an index. */
#define NO_NODE UINT32_MAX	  /* the end of a chain */
#define IN_USE (UINT32_MAX - 1)	  /* `previous` of a used piece */
#define RECYCLED (UINT32_MAX - 2) /* `previous` of a node that is no piece */
#define MAX_NODES (UINT32_MAX - 2)

typedef struct clpac__node {
	uint64_t offset, units;
	uint32_t before, after;	 /* neighbours in the range */
	uint32_t previous, next; /* in the bin's list; `next` also chains recycled nodes */
} clpac__node;

struct clpac_offsets {
	uint64_t row_map;	     /* rows with a bin that holds a piece */
	uint32_t bin_maps[MAX_ROWS]; /* bins of a row that hold one */
	clpac__node *nodes;
	uint32_t n_nodes, capacity; /* nodes ever used, and allocated */
	uint32_t recycled;	    /* first recycled node */
	uint32_t n_used, n_free;    /* pieces */
	uint64_t size, used;	    /* units */
	uint32_t bins[];	    /* first node of each bin's list */
};

/* The bin of a size: a floating-point number of 5 mantissa bits, rounded down.  Sizes below 64 have bins of their
 * own. */
static inline unsigned clpac__bin_of(uint64_t units)
{
	unsigned exponent =
		units < BINS_PER_ROW ? 0 : 63 - BIN_BITS - (unsigned)__builtin_clzll((unsigned long long)units);
	return exponent * BINS_PER_ROW + (unsigned)(units >> exponent);
}

/* The smallest size of a bin. */
static inline uint64_t clpac__bin_units(unsigned bin)
{
	const unsigned exponent = bin < 2 * BINS_PER_ROW ? 0 : bin / BINS_PER_ROW - 1;
	return (uint64_t)(bin - exponent * BINS_PER_ROW) << exponent;
}

/* The bin of the largest free piece; 0: nothing is free.  O(1), unlike the piece's size. */
static inline unsigned clpac__offsets_top_bin(const clpac_offsets *offsets)
{
	if (!offsets->row_map)
		return 0;
	const unsigned row = 63 - (unsigned)__builtin_clzll((unsigned long long)offsets->row_map);
	return row * BINS_PER_ROW + 31 - (unsigned)__builtin_clz(offsets->bin_maps[row]);
}

static inline bool clpac__node_is_free(const clpac__node *node)
{
	return node->previous != IN_USE && node->previous != RECYCLED;
}

#endif
