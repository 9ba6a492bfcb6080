/** @file memory/offsets.h
 *  The book-keeping of a range: which parts of [0, size) are taken and which are free, and where the next one goes.
 *
 *  It knows no memory and no device: a unit is whatever the caller says it is, as 128 bytes of a segment, one slot of a
 *  descriptor table, a page of a file.  The pool keeps each of its segments with one of these.
 *
 *  Free pieces are kept in bins of nearly equal size, 32 to an octave, and two levels of bitmaps find the next bin that
 * holds one (two-level segregated fit: M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new dynamic memory allocator
 * for real-time systems", ECRTS 2004).  A piece is cut from a free one of nearly the size, and given back it grows
 * together with its free neighbours at once, so that two free pieces never touch.  The same calls give the same offsets
 * on every machine.
 *
 *  Threads: the books have no lock; the caller sees to it that one thread uses them at a time.  Different books are
 * independent.
 */
#ifndef CLPAC_MEMORY_OFFSETS_H
#define CLPAC_MEMORY_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The books of one range.  Opaque. */
typedef struct clpac_offsets clpac_offsets;

/** The largest range, in units. */
#define CLPAC_OFFSETS_MAX_SIZE ((uint64_t)1 << 62)

/** A piece of the range that is in use.  A plain value: whoever holds it may copy it, and gives it back unchanged. */
typedef struct clpac_piece {
	uint64_t offset; /**< Its first unit. */
	uint64_t units;	 /**< How many, as asked for. */
	uint32_t node;	 /**< Where the books have it; of no meaning to the caller. */
} clpac_piece;

/** Opens the books of a range with nothing taken.
 *  @param size in units, 1 to CLPAC_OFFSETS_MAX_SIZE.
 *  @param[out] out the books, the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 *  Cost: a microsecond, and host memory of 128 bytes per octave of the size; each piece takes 32 bytes later. */
clpac_status clpac_offsets_create(uint64_t size, clpac_offsets **out, clpac_error *err);

/** Closes the books, whatever is taken.  NULL is fine. */
void clpac_offsets_destroy(clpac_offsets *offsets);

/** Takes a piece.
 *
 *  Best fit to within a bin: of a free piece that is larger by a 32nd or less when one is seen among the first few,
 * else of the smallest bin above.  Refuses only where no free piece holds the units at the alignment.
 *  @param units 1 or more; 0 is refused.
 *  @param alignment the piece's offset is a multiple of it: a power of two, 1 for any offset; anything else is refused.
 *  @param[out] out the piece, to be given back; untouched when refused.
 *  @return false where there is no room, or no host memory to write it down; the books are as before then.
 *  Cost: tens of nanoseconds, whatever is taken.  Now and then host memory is doubled; and before a request is refused,
 * or where the rest is so full that only pieces of nearly that size could hold it, all of these are looked at. */
bool clpac_offsets_take(clpac_offsets *offsets, uint64_t units, uint64_t alignment, clpac_piece *out);

/** Gives a piece back, which joins its free neighbours.
 *  @return false, with nothing changed, for what isn't a piece in use: of other books, changed, or given back before.
 * A stale copy of a piece is not noticed when one of the same place and size is in use again. Cost: tens of
 * nanoseconds; needs no memory and never fails. */
bool clpac_offsets_give(clpac_offsets *offsets, clpac_piece piece);

/** The whole range, in units. */
uint64_t clpac_offsets_size(const clpac_offsets *offsets);
/** Units that are taken. */
uint64_t clpac_offsets_used(const clpac_offsets *offsets);
/** Units that are not, in however many pieces. */
uint64_t clpac_offsets_free(const clpac_offsets *offsets);
/** Units of the largest free piece; 0 where nothing is free.  A request of so many at alignment 1 succeeds, if for host
 * memory. Cost: a look at the free pieces within a 32nd of the largest. */
uint64_t clpac_offsets_largest_free(const clpac_offsets *offsets);
/** Pieces in use. */
size_t clpac_offsets_pieces(const clpac_offsets *offsets);
/** Free pieces, each between used ones or an end of the range: 1 when nothing is taken. */
size_t clpac_offsets_free_pieces(const clpac_offsets *offsets);

/** For tests: goes through all that is written and says whether it is consistent.
 *  Cost: linear in the number of pieces. */
bool clpac_offsets_check(const clpac_offsets *offsets);

#ifdef __cplusplus
}
#endif
#endif
