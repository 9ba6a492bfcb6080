/* A full audit of the records of a range, for tests. */
#include "memory/pool/blocks/offsets_parts.h"

/* Counts of a walk over the pieces. */
struct audit {
	uint64_t used;
	uint32_t n_used, n_free;
};

/* Checks that pieces cover the range without a gap and that no two free pieces are adjacent. */
static bool check_range(const clpac_offsets *offsets, struct audit *audit)
{
	uint64_t end = 0;
	uint32_t before = NO_NODE;
	bool was_free = false;
	for (uint32_t index = 0; index != NO_NODE; before = index, index = offsets->nodes[index].after) {
		if (index >= offsets->n_nodes)
			return false;
		const clpac__node *node = &offsets->nodes[index];
		bool is_free = clpac__node_is_free(node);
		if (node->previous == RECYCLED || node->before != before || node->offset != end || !node->units ||
		    node->units > offsets->size - end || (is_free && was_free))
			return false;
		end += node->units;
		was_free = is_free;
		if (is_free) {
			audit->n_free++;
		} else {
			audit->n_used++;
			audit->used += node->units;
		}
	}
	return end == offsets->size;
}

/* Checks that the list holds free pieces of this bin only; adds them to the count. */
static bool check_bin(const clpac_offsets *offsets, unsigned bin, uint32_t *n_listed)
{
	uint32_t previous = NO_NODE;
	for (uint32_t index = offsets->bins[bin]; index != NO_NODE; index = offsets->nodes[index].next) {
		if (index >= offsets->n_nodes || *n_listed == offsets->n_free)
			return false;
		const clpac__node *node = &offsets->nodes[index];
		if (node->previous != previous || clpac__bin_of(node->units) != bin)
			return false;
		previous = index;
		++*n_listed;
	}
	bool is_marked = offsets->bin_maps[bin / BINS_PER_ROW] >> bin % BINS_PER_ROW & 1;
	return is_marked == (offsets->bins[bin] != NO_NODE);
}

static bool check_bins(const clpac_offsets *offsets)
{
	uint32_t n_listed = 0;
	unsigned last = clpac__bin_of(offsets->size);
	for (unsigned bin = 0; bin <= last; bin++)
		if (!check_bin(offsets, bin, &n_listed))
			return false;
	for (unsigned row = 0; row < MAX_ROWS; row++)
		if ((offsets->row_map >> row & 1) != (offsets->bin_maps[row] != 0))
			return false;
	unsigned last_row = last / BINS_PER_ROW;
	return n_listed == offsets->n_free && !(offsets->row_map >> last_row >> 1) &&
	       !((uint64_t)offsets->bin_maps[last_row] >> last % BINS_PER_ROW >> 1);
}

/* Checks that every node is either a piece or recycled. */
static bool check_recycled(const clpac_offsets *offsets)
{
	uint32_t n = offsets->n_used + offsets->n_free;
	for (uint32_t index = offsets->recycled; index != NO_NODE; index = offsets->nodes[index].next)
		if (index >= offsets->n_nodes || offsets->nodes[index].previous != RECYCLED || n++ == offsets->n_nodes)
			return false;
	return n == offsets->n_nodes && n <= offsets->capacity;
}

bool clpac_offsets_check(const clpac_offsets *offsets)
{
	if (!offsets)
		return false;
	struct audit audit = {0};
	return check_range(offsets, &audit) && audit.used == offsets->used && audit.n_used == offsets->n_used &&
	       audit.n_free == offsets->n_free && check_bins(offsets) && check_recycled(offsets);
}
