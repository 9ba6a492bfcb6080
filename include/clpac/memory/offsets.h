/** @file memory/offsets.h
 * An allocator of offsets: which parts of [0, size) are taken, which are free, and where the next one goes.
 *
 * It knows no memory and no device.  A unit is whatever the caller chooses: 128 bytes of a segment, one slot of a
 * descriptor table, a page of a file.  The pool keeps one of these for each of its segments.
 *
 * Free pieces are kept in bins of nearly equal size, 32 to an octave, and two levels of bitmaps find the next bin that
 * holds one (two-level segregated fit: M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new dynamic memory allocator
 * for real-time systems", ECRTS 2004).  A piece is cut from a free one of nearly the right size.  A piece given back is
 * coalesced with its free neighbours at once, so two free pieces never touch.  The same calls give the same offsets on
 * every machine.
 *
 * Threads: an allocator has no lock; the caller makes sure that one thread uses it at a time.  Different allocators are
 * independent.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
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

/** The allocator of one range.  Opaque. */
typedef struct clpac_offsets clpac_offsets;

/** The largest range, in units. */
#define CLPAC_OFFSETS_MAX_SIZE ((uint64_t)1 << 62)

/** A piece of the range that is in use.  A plain value: its holder may copy it, and gives it back unchanged. */
typedef struct clpac_piece {
	uint64_t offset; /**< Its first unit. */
	uint64_t units;	 /**< Its length, as requested. */
	uint32_t node;	 /**< The allocator's index of it; meaningless to the caller. */
} clpac_piece;

/** Makes an allocator of a range with nothing taken.
 * @param size in units, 1 to CLPAC_OFFSETS_MAX_SIZE.
 * @param[out] out the allocator; the caller destroys it.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 * Cost: a microsecond, and host memory of 128 bytes per octave of the size; later 32 bytes per piece.
 */
clpac_status clpac_offsets_create(uint64_t size, clpac_offsets **out, clpac_error *err);

/** Frees the allocator, whatever is taken.  NULL is fine. */
void clpac_offsets_destroy(clpac_offsets *offsets);

/** Takes a piece.
 *
 * Best fit to within a bin: the piece is cut from a free one that is at most a 32nd larger, if one is among the first
 * few examined, otherwise from the smallest bin above.  Refuses only if no free piece holds the units at the alignment.
 * @param units 1 or more; 0 is refused.
 * @param alignment the piece's offset is a multiple of it: a power of two, 1 for any offset; anything else is refused.
 * @param[out] out the piece, to be given back; unchanged when refused.
 * @return false when there is no room, or no host memory to record the piece; nothing has changed then.
 * Cost: tens of nanoseconds, however much is taken.  Occasionally host memory is doubled.  Before a request is refused,
 * or when only pieces of nearly the right size could hold it, all such pieces are examined.
 */
bool clpac_offsets_take(clpac_offsets *offsets, uint64_t units, uint64_t alignment, clpac_piece *out);

/** Gives a piece back, which is coalesced with its free neighbours.
 * @return false, with nothing changed, for anything but a piece in use: one of another allocator, one that was altered
 *   or given back before.  A stale copy is not noticed when a piece of the same place and size is in use again.
 * Cost: tens of nanoseconds; needs no memory and never fails.
 */
bool clpac_offsets_give(clpac_offsets *offsets, clpac_piece piece);

/** The whole range, in units. */
uint64_t clpac_offsets_size(const clpac_offsets *offsets);
/** Units taken. */
uint64_t clpac_offsets_used(const clpac_offsets *offsets);
/** Free units, in however many pieces. */
uint64_t clpac_offsets_free(const clpac_offsets *offsets);
/** Units of the largest free piece; 0 when nothing is free.  A request for this many at alignment 1 succeeds if there
 * is host memory.
 * Cost: examines the free pieces within a 32nd of the largest.
 */
uint64_t clpac_offsets_largest_free(const clpac_offsets *offsets);
/** Number of pieces in use. */
size_t clpac_offsets_pieces(const clpac_offsets *offsets);
/** Number of free pieces, each between used ones or an end of the range: 1 when nothing is taken. */
size_t clpac_offsets_free_pieces(const clpac_offsets *offsets);

/** For tests: checks all internal records and returns whether they are consistent.
 * Cost: linear in the number of pieces.
 */
bool clpac_offsets_check(const clpac_offsets *offsets);

#ifdef __cplusplus
}
#endif
#endif
