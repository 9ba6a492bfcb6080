/* Segments: large blocks that are cut into pieces. */
#include "pool/segments.h"

#include "base/error.h"
#include "base/memory.h"

clpac_status clpac__segment_create(size_t bytes, size_t unit, clpac__segment **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__segment *segment = clpac__alloc_zero(sizeof *segment);
	if (!segment)
		FAIL_NO_MEMORY(sizeof *segment);
	TRY(clpac_offsets_create(bytes / unit, &segment->offsets, err));
	segment->bytes = bytes;
	*out = segment;
	segment = NULL;
done:
	clpac__segment_destroy(segment);
	return st;
}

void clpac__segment_destroy(clpac__segment *segment)
{
	if (!segment)
		return;
	clpac_offsets_destroy(segment->offsets);
	clpac__free(segment);
}

void clpac__segments_add(clpac__segments *segments, clpac__segment *segment)
{
	segment->previous = NULL;
	segment->next = segments->first;
	if (segments->first)
		segments->first->previous = segment;
	segments->first = segment;
	segments->n++;
	segments->n_small += segment->is_small;
	segments->bytes += segment->bytes;
	segments->free_bytes += clpac_offsets_free(segment->offsets) * segments->unit;
}

void clpac__segments_remove(clpac__segments *segments, clpac__segment *segment)
{
	*(segment->previous ? &segment->previous->next : &segments->first) = segment->next;
	if (segment->next)
		segment->next->previous = segment->previous;
	segment->previous = segment->next = NULL;
	segments->n--;
	segments->n_small -= segment->is_small;
	segments->bytes -= segment->bytes;
	segments->free_bytes -= clpac_offsets_free(segment->offsets) * segments->unit;
}

bool clpac__segments_cut(clpac__segments *segments, size_t bytes, const clpac__pool_queue *home, clpac__segment **out,
			 clpac_piece *piece)
{
	const uint64_t units = bytes / segments->unit;
	const bool is_small = bytes <= CLPAC__SMALL_BYTES;
	clpac__segment *best = NULL;
	uint64_t best_free = UINT64_MAX;
	for (clpac__segment *segment = segments->first; segment; segment = segment->next) {
		if (segment->is_small != is_small || (segment->home && segment->home != home))
			continue;
		const uint64_t free = clpac_offsets_free(segment->offsets);
		if (free < best_free && free >= units && clpac_offsets_largest_free(segment->offsets) >= units) {
			best = segment;
			best_free = free;
		}
	}
	if (!best || !clpac_offsets_take(best->offsets, units, 1, piece))
		return false;
	best->n_pieces++;
	segments->free_bytes -= piece->units * segments->unit;
	*out = best;
	return true;
}

void clpac__segments_give(clpac__segments *segments, clpac__segment *segment, clpac_piece piece)
{
	segment->n_pieces--;
	segments->free_bytes += piece.units * segments->unit;
	clpac_offsets_give(segment->offsets, piece);
}

clpac__segment *clpac__segments_take_empty(clpac__segments *segments)
{
	for (clpac__segment *segment = segments->first; segment; segment = segment->next)
		if (!segment->n_pieces && !segment->n_leaving) {
			clpac__segments_remove(segments, segment);
			return segment;
		}
	return NULL;
}

uint64_t clpac__segments_largest_free(const clpac__segments *segments)
{
	uint64_t largest = 0;
	for (const clpac__segment *segment = segments->first; segment; segment = segment->next) {
		const uint64_t units = clpac_offsets_largest_free(segment->offsets);
		largest = units > largest ? units : largest;
	}
	return largest * segments->unit;
}
