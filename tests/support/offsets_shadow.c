#include "offsets_shadow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"

#define REQUIRE(shadow, condition)                                                                                     \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			snprintf((shadow)->failure, sizeof(shadow)->failure,                                           \
				 "line %d: %s (size %" PRIu64 ", %zu pieces, request %lu)", __LINE__, #condition,      \
				 (shadow)->size, (shadow)->n, (shadow)->n_taken + (shadow)->n_refused);                \
			return false;                                                                                  \
		}                                                                                                      \
	} while (0)

/* The gaps between the pieces. */
struct holes {
	uint64_t largest;
	size_t n;
	bool one_fits;
};

static bool fits(uint64_t start, uint64_t length, uint64_t units, uint64_t alignment)
{
	uint64_t past = start % alignment, gap = past ? alignment - past : 0;
	return gap <= length && units <= length - gap;
}

static struct holes look_at_holes(const offsets_shadow *shadow, uint64_t units, uint64_t alignment)
{
	struct holes holes = {0};
	uint64_t start = 0;
	for (size_t i = 0; i <= shadow->n; i++) {
		uint64_t end = i < shadow->n ? shadow->pieces[i].offset : shadow->size, length = end - start;
		if (length) {
			holes.n++;
			holes.largest = length > holes.largest ? length : holes.largest;
			holes.one_fits = holes.one_fits || fits(start, length, units, alignment);
		}
		if (i < shadow->n)
			start = end + shadow->pieces[i].units;
	}
	return holes;
}

static bool compare(offsets_shadow *shadow)
{
	struct holes holes = look_at_holes(shadow, 1, 1);
	const clpac_offsets *range = shadow->range;
	REQUIRE(shadow, clpac_offsets_size(range) == shadow->size);
	REQUIRE(shadow, clpac_offsets_used(range) == shadow->used);
	REQUIRE(shadow, clpac_offsets_free(range) == shadow->size - shadow->used);
	REQUIRE(shadow, clpac_offsets_pieces(range) == shadow->n);
	REQUIRE(shadow, clpac_offsets_free_pieces(range) == holes.n);
	REQUIRE(shadow, clpac_offsets_largest_free(range) == holes.largest);
	return true;
}

bool offsets_shadow_audit(offsets_shadow *shadow)
{
	if (!compare(shadow))
		return false;
	REQUIRE(shadow, clpac_offsets_check(shadow->range));
	return true;
}

bool offsets_shadow_open(offsets_shadow *shadow, uint64_t size)
{
	*shadow = (offsets_shadow){.size = size};
	REQUIRE(shadow, clpac_offsets_create(size, &shadow->range, NULL) == CLPAC_OK);
	return offsets_shadow_audit(shadow);
}

/* Index in the list of the piece with that offset, or where it would be inserted. */
static size_t place_of(const offsets_shadow *shadow, uint64_t offset)
{
	size_t low = 0, high = shadow->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (shadow->pieces[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool note_taken(offsets_shadow *shadow, clpac_piece piece, uint64_t units, uint64_t alignment)
{
	REQUIRE(shadow, piece.units == units);
	REQUIRE(shadow, piece.offset % alignment == 0);
	size_t i = place_of(shadow, piece.offset);
	uint64_t start = i ? shadow->pieces[i - 1].offset + shadow->pieces[i - 1].units : 0;
	uint64_t end = i < shadow->n ? shadow->pieces[i].offset : shadow->size;
	REQUIRE(shadow, piece.offset >= start && piece.offset <= end && units <= end - piece.offset);
	memmove(&shadow->pieces[i + 1], &shadow->pieces[i], (shadow->n - i) * sizeof piece);
	shadow->pieces[i] = piece;
	shadow->n++;
	shadow->used += units;
	shadow->n_taken++;
	return true;
}

static bool take(offsets_shadow *shadow, uint64_t units, uint64_t alignment, bool has_memory)
{
	if (shadow->n == SHADOW_MAX_PIECES)
		return true;
	bool is_good = units && alignment && (alignment & (alignment - 1)) == 0;
	bool has_room = is_good && look_at_holes(shadow, units, alignment).one_fits;
	const clpac_piece untouched = {1, 2, 3};
	clpac_piece piece = untouched;
	if (!has_memory)
		clpac__fail_allocation(1, true);
	bool is_taken = clpac_offsets_take(shadow->range, units, alignment, &piece);
	if (!has_memory)
		clpac__fail_allocation(0, false);
	REQUIRE(shadow, is_taken ? has_room : !has_room || !has_memory);
	if (is_taken) {
		if (!note_taken(shadow, piece, units, alignment))
			return false;
	} else {
		REQUIRE(shadow, piece.offset == 1 && piece.units == 2 && piece.node == 3);
		shadow->n_refused++;
	}
	return compare(shadow);
}

bool offsets_shadow_take(offsets_shadow *shadow, uint64_t units, uint64_t alignment)
{
	return take(shadow, units, alignment, true);
}

bool offsets_shadow_take_without_memory(offsets_shadow *shadow, uint64_t units, uint64_t alignment)
{
	return take(shadow, units, alignment, false);
}

bool offsets_shadow_give(offsets_shadow *shadow, size_t i)
{
	clpac_piece piece = shadow->pieces[i];
	REQUIRE(shadow, clpac_offsets_give(shadow->range, piece));
	shadow->n--;
	shadow->used -= piece.units;
	memmove(&shadow->pieces[i], &shadow->pieces[i + 1], (shadow->n - i) * sizeof piece);
	return compare(shadow);
}

bool offsets_shadow_give_wrongly(offsets_shadow *shadow, size_t i, uint64_t by)
{
	clpac_piece piece = shadow->pieces[i], moved = piece, resized = piece, foreign = piece;
	by += by == 0 || (uint32_t)by == 0;
	moved.offset += by;
	resized.units += by;
	foreign.node += (uint32_t)by;
	REQUIRE(shadow, !clpac_offsets_give(shadow->range, moved));
	REQUIRE(shadow, !clpac_offsets_give(shadow->range, resized));
	REQUIRE(shadow, !clpac_offsets_give(shadow->range, foreign));
	if (!compare(shadow) || !offsets_shadow_give(shadow, i))
		return false;
	REQUIRE(shadow, !clpac_offsets_give(shadow->range, piece));
	return compare(shadow);
}

bool offsets_shadow_close(offsets_shadow *shadow)
{
	while (shadow->n && offsets_shadow_give(shadow, shadow->n / 2))
		;
	bool is_well = !shadow->failure[0] && offsets_shadow_audit(shadow);
	size_t n_free = clpac_offsets_free_pieces(shadow->range);
	clpac_offsets_destroy(shadow->range);
	shadow->range = NULL;
	if (!is_well)
		return false;
	REQUIRE(shadow, n_free == 1);
	return true;
}
