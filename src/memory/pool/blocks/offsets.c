/* Allocator of offsets in a range: two-level segregated fit over pieces that coalesce at once. */
#include "memory/pool/blocks/offsets_parts.h"

#include <inttypes.h>
#include "base/error.h"
#include "base/memory.h"

enum {
	FIRST_CAPACITY = 16,
	/* Pieces of nearly the right size to examine before taking one that certainly fits. */
	MAX_TRIES = 8,
	/* Cutting a piece from the middle of a free one leaves a rest on either side. */
	NODES_OF_A_CUT = 2
};

/* --- Bins ------------------------------------------------------------------------------------ */

/* The first bin from this one on that holds a piece; UINT_MAX: there is none.  Its row is below MAX_ROWS. */
static unsigned next_bin(const clpac_offsets *offsets, unsigned bin)
{
	unsigned row = bin / BINS_PER_ROW;
	uint32_t here = offsets->bin_maps[row] & (UINT32_MAX << bin % BINS_PER_ROW);
	if (!here) {
		uint64_t rows = offsets->row_map & (UINT64_MAX << (row + 1));
		if (!rows)
			return UINT32_MAX;
		row = (unsigned)__builtin_ctzll(rows);
		here = offsets->bin_maps[row];
	}
	return row * BINS_PER_ROW + (unsigned)__builtin_ctz(here);
}

static void put_into_bin(clpac_offsets *offsets, uint32_t index)
{
	clpac__node *node = &offsets->nodes[index];
	unsigned bin = clpac__bin_of(node->units);
	uint32_t head = offsets->bins[bin];
	node->previous = NO_NODE;
	node->next = head;
	if (head != NO_NODE)
		offsets->nodes[head].previous = index;
	offsets->bins[bin] = index;
	offsets->bin_maps[bin / BINS_PER_ROW] |= (uint32_t)1 << bin % BINS_PER_ROW;
	offsets->row_map |= (uint64_t)1 << bin / BINS_PER_ROW;
	offsets->n_free++;
}

static void take_out_of_bin(clpac_offsets *offsets, const clpac__node *node)
{
	if (node->next != NO_NODE)
		offsets->nodes[node->next].previous = node->previous;
	if (node->previous != NO_NODE) {
		offsets->nodes[node->previous].next = node->next;
	} else {
		unsigned bin = clpac__bin_of(node->units), row = bin / BINS_PER_ROW;
		offsets->bins[bin] = node->next;
		if (node->next == NO_NODE) {
			offsets->bin_maps[row] &= ~((uint32_t)1 << bin % BINS_PER_ROW);
			if (!offsets->bin_maps[row])
				offsets->row_map &= ~((uint64_t)1 << row);
		}
	}
	offsets->n_free--;
}

/* --- Nodes ----------------------------------------------------------------------------------- */

static bool reserve_nodes(clpac_offsets *offsets, uint32_t n)
{
	uint32_t n_pieces = offsets->n_used + offsets->n_free;
	if (offsets->capacity - n_pieces >= n)
		return true;
	if (offsets->capacity > MAX_NODES / 2)
		return false;
	uint32_t capacity = 2 * offsets->capacity;
	clpac__node *nodes = clpac__realloc_array(offsets->nodes, capacity, sizeof *nodes);
	if (!nodes)
		return false;
	offsets->nodes = nodes;
	offsets->capacity = capacity;
	return true;
}

/* Takes one of the reserved nodes. */
static uint32_t new_node(clpac_offsets *offsets)
{
	uint32_t index = offsets->recycled;
	if (index == NO_NODE)
		return offsets->n_nodes++;
	offsets->recycled = offsets->nodes[index].next;
	return index;
}

/* Cuts a piece behind its first units; the rest becomes a piece of its own, in no list yet. */
static uint32_t cut(clpac_offsets *offsets, uint32_t index, uint64_t units)
{
	uint32_t rest = new_node(offsets);
	clpac__node *node = &offsets->nodes[index];
	offsets->nodes[rest] = (clpac__node){.offset = node->offset + units,
					     .units = node->units - units,
					     .before = index,
					     .after = node->after,
					     .previous = NO_NODE,
					     .next = NO_NODE};
	if (node->after != NO_NODE)
		offsets->nodes[node->after].before = rest;
	node->after = rest;
	node->units = units;
	return rest;
}

/* Extends a piece over the one behind it, which is in no list. */
static void join(clpac_offsets *offsets, uint32_t index)
{
	clpac__node *node = &offsets->nodes[index];
	uint32_t gone = node->after;
	clpac__node *behind = &offsets->nodes[gone];
	node->units += behind->units;
	node->after = behind->after;
	if (node->after != NO_NODE)
		offsets->nodes[node->after].before = index;
	behind->previous = RECYCLED;
	behind->next = offsets->recycled;
	offsets->recycled = gone;
}

/* --- The range ------------------------------------------------------------------------------- */

clpac_status clpac_offsets_create(uint64_t size, clpac_offsets **out, clpac_error *err)
{
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_offsets *offsets = NULL;
	if (!size || size > CLPAC_OFFSETS_MAX_SIZE)
		FAIL(CLPAC_ERROR_ARGUMENT, "size is %" PRIu64 " units: it must be from 1 to %" PRIu64, size,
		     CLPAC_OFFSETS_MAX_SIZE);
	size_t n_bins = clpac__bin_of(size) + 1, bytes = sizeof *offsets + n_bins * sizeof offsets->bins[0];
	offsets = clpac__alloc_zero(bytes);
	if (!offsets)
		FAIL_NO_MEMORY(bytes);
	TRY(NEW_ARRAY(offsets->nodes, FIRST_CAPACITY));
	offsets->capacity = FIRST_CAPACITY;
	offsets->size = size;
	offsets->recycled = NO_NODE;
	for (size_t i = 0; i < n_bins; i++)
		offsets->bins[i] = NO_NODE;
	uint32_t whole = new_node(offsets);
	offsets->nodes[whole] = (clpac__node){.units = size, .before = NO_NODE, .after = NO_NODE};
	put_into_bin(offsets, whole);
	*out = offsets, offsets = NULL;
done:
	clpac_offsets_destroy(offsets);
	return st;
}

void clpac_offsets_destroy(clpac_offsets *offsets)
{
	if (!offsets)
		return;
	FREE_ALL(offsets->nodes, offsets);
}

/* Units between a piece's beginning and its first aligned unit. */
static uint64_t gap_of(const clpac__node *node, uint64_t alignment)
{
	return -node->offset & (alignment - 1);
}

/* The first piece that holds the request, in the bins from `first` to below `end`; gives up after the given number of
 * tries. */
static uint32_t search(const clpac_offsets *offsets, unsigned first, unsigned end, uint64_t units, uint64_t alignment,
		       size_t tries)
{
	for (unsigned bin = next_bin(offsets, first); bin < end; bin = next_bin(offsets, bin + 1)) {
		for (uint32_t index = offsets->bins[bin]; index != NO_NODE; index = offsets->nodes[index].next) {
			const clpac__node *node = &offsets->nodes[index];
			if (node->units >= units && gap_of(node, alignment) <= node->units - units)
				return index;
			if (!--tries)
				return NO_NODE;
		}
	}
	return NO_NODE;
}

static uint32_t find(const clpac_offsets *offsets, uint64_t units, uint64_t alignment)
{
	/* From the bin `safe` on, every piece holds the request at any alignment offset: it has at least units +
	 * alignment - 1 units. */
	unsigned first = clpac__bin_of(units), safe = clpac__bin_of(units + alignment - 2) + 1;
	uint32_t found = search(offsets, first, safe, units, alignment, MAX_TRIES);
	if (found != NO_NODE)
		return found;
	unsigned bin = next_bin(offsets, safe);
	if (bin != UINT32_MAX)
		return offsets->bins[bin];
	return search(offsets, first, safe, units, alignment, SIZE_MAX);
}

bool clpac_offsets_take(clpac_offsets *offsets, uint64_t units, uint64_t alignment, clpac_piece *out)
{
	if (!offsets || !out)
		return false;
	if (!units || units > offsets->size - offsets->used || !alignment || (alignment & (alignment - 1)))
		return false;
	uint32_t index = find(offsets, units, alignment);
	if (index == NO_NODE || !reserve_nodes(offsets, NODES_OF_A_CUT))
		return false;

	clpac__node *node = &offsets->nodes[index];
	take_out_of_bin(offsets, node);
	uint64_t gap = gap_of(node, alignment);
	if (gap) {
		uint32_t aligned = cut(offsets, index, gap);
		put_into_bin(offsets, index);
		index = aligned;
		node = &offsets->nodes[index];
	}
	if (node->units > units)
		put_into_bin(offsets, cut(offsets, index, units));
	node->previous = IN_USE;
	offsets->used += units;
	offsets->n_used++;
	*out = (clpac_piece){node->offset, units, index};
	return true;
}

bool clpac_offsets_give(clpac_offsets *offsets, clpac_piece piece)
{
	if (!offsets || piece.node >= offsets->n_nodes)
		return false;
	uint32_t index = piece.node;
	clpac__node *nodes = offsets->nodes, *node = &nodes[index];
	if (node->previous != IN_USE || node->offset != piece.offset || node->units != piece.units)
		return false;
	offsets->used -= piece.units;
	offsets->n_used--;
	uint32_t before = node->before, after = node->after;
	if (after != NO_NODE && clpac__node_is_free(&nodes[after])) {
		take_out_of_bin(offsets, &nodes[after]);
		join(offsets, index);
	}
	if (before != NO_NODE && clpac__node_is_free(&nodes[before])) {
		take_out_of_bin(offsets, &nodes[before]);
		join(offsets, before);
		index = before;
	}
	put_into_bin(offsets, index);
	return true;
}

/* --- Questions ------------------------------------------------------------------------------- */

uint64_t clpac_offsets_size(const clpac_offsets *offsets)
{
	return offsets ? offsets->size : 0;
}

uint64_t clpac_offsets_used(const clpac_offsets *offsets)
{
	return offsets ? offsets->used : 0;
}

uint64_t clpac_offsets_free(const clpac_offsets *offsets)
{
	return offsets ? offsets->size - offsets->used : 0;
}

uint64_t clpac_offsets_largest_free(const clpac_offsets *offsets)
{
	if (!offsets || !offsets->row_map)
		return 0;
	const unsigned bin = clpac__offsets_top_bin(offsets), row = bin / BINS_PER_ROW;
	uint64_t largest = 0;
	for (uint32_t index = offsets->bins[bin]; index != NO_NODE; index = offsets->nodes[index].next) {
		if (offsets->nodes[index].units > largest)
			largest = offsets->nodes[index].units;
		if (row < 2) /* all pieces of the bin have one size */
			break;
	}
	return largest;
}

size_t clpac_offsets_pieces(const clpac_offsets *offsets)
{
	return offsets ? offsets->n_used : 0;
}

size_t clpac_offsets_free_pieces(const clpac_offsets *offsets)
{
	return offsets ? offsets->n_free : 0;
}

/* --- A full audit of the records, for tests -------------------------------------------------- */

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
