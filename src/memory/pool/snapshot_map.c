#include "memory/pool/snapshot_map.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "memory/pool/offsets_parts.h"

/* --- Sizes ------------------------------------------------------------------------------------ */

static size_t count_pieces(const clpac_pool *pool)
{
	size_t n = 0;
	for (const clpac__segment *segment = pool->segments.first; segment; segment = segment->next)
		n += segment->offsets->n_used;
	return n;
}

static size_t count_blocks(const clpac_pool *pool)
{
	size_t n = 0;
	for (const clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next)
		n += !buffer->segment;
	return n;
}

static clpac_status make_room(const clpac_pool *pool, clpac__map *map, clpac_error *err)
{
	map->n_segments = pool->segments.n;
	map->n_pieces = count_pieces(pool);
	map->n_blocks = count_blocks(pool);
	map->segments = clpac__alloc_array(map->n_segments + 1, sizeof *map->segments);
	map->pieces = clpac__alloc_array(map->n_pieces + 1, sizeof *map->pieces);
	map->blocks = clpac__alloc_array(map->n_blocks + 1, sizeof *map->blocks);
	if (!map->segments || !map->pieces || !map->blocks)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "snapshot: the host has no memory left for the map of %zu segments and %zu blocks",
			     map->n_segments, map->n_pieces + map->n_blocks);
	return CLPAC_OK;
}

/* --- Segments and their pieces ---------------------------------------------------------------- */

static unsigned ordinal_of(const clpac__pool_queue *queue)
{
	return queue ? queue->ordinal : 0;
}

static int by_number(const void *a, const void *b)
{
	const clpac__segment *x = *(clpac__segment *const *)a, *y = *(clpac__segment *const *)b;
	return (x->node.key.number > y->node.key.number) - (x->node.key.number < y->node.key.number);
}

/* A segment and its pieces, without their owners.  Returns the number of pieces. */
static size_t add_segment(const clpac_pool *pool, const clpac__segment *segment, clpac__map *map, size_t i,
			  size_t first_piece)
{
	clpac__map_segment *out = &map->segments[i];
	clpac__map_piece *pieces = map->pieces + first_piece;
	const clpac_offsets *offsets = segment->offsets;
	*out = (clpac__map_segment){
		.number = segment->node.key.number,
		.bytes = segment->bytes,
		.free_bytes = clpac_offsets_free(offsets) * pool->unit,
		.largest_free_bytes = clpac_offsets_largest_free(offsets) * pool->unit,
		.is_small = segment->is_small,
		.queue = ordinal_of(segment->home),
		.first_piece = first_piece,
	};
	for (uint32_t index = 0; index != NO_NODE; index = offsets->nodes[index].after) {
		const clpac__node *node = &offsets->nodes[index];
		if (clpac__node_is_free(node))
			continue;
		pieces[out->n_pieces++] = (clpac__map_piece){
			.offset = node->offset * pool->unit,
			.bytes = node->units * pool->unit,
			.queue = out->queue,
			.state = CLPAC__PIECE_BUSY,
		};
	}
	return out->n_pieces;
}

static clpac_status add_segments(const clpac_pool *pool, clpac__map *map, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = 0, at = 0;
	const clpac__segment **order = clpac__alloc_array(map->n_segments + 1, sizeof *order);
	if (!order)
		FAIL(CLPAC_ERROR_NO_MEMORY, "snapshot: the host has no memory left for the map of %zu segments",
		     map->n_segments);
	for (const clpac__segment *segment = pool->segments.first; segment; segment = segment->next)
		order[n++] = segment;
	qsort(order, n, sizeof *order, by_number);
	for (size_t i = 0; i < n; i++)
		at += add_segment(pool, order[i], map, i, at);
done:
	clpac__free(order);
	return st;
}

/* --- Owners ----------------------------------------------------------------------------------- */

static void describe(const clpac_buffer *buffer, clpac__map_piece *piece)
{
	piece->is_on_host = buffer->is_on_host;
	piece->queue = ordinal_of(atomic_load_explicit(&buffer->home, memory_order_relaxed));
	if (!atomic_load_explicit(&buffer->is_in_use, memory_order_acquire)) {
		piece->state = CLPAC__PIECE_CACHED;
		return;
	}
	piece->state = CLPAC__PIECE_IN_USE;
	piece->requested_bytes = buffer->bytes;
	piece->id = buffer->id;
	memcpy(piece->tag, buffer->tag, strnlen(buffer->tag, sizeof piece->tag - 1));
}

static int compare_segments(const void *a, const void *b)
{
	const clpac__map_segment *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_pieces(const void *a, const void *b)
{
	const clpac__map_piece *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* NULL: its segment is on the way to another queue. */
static clpac__map_piece *find_piece(const clpac_pool *pool, const clpac__map *map, const clpac_buffer *buffer)
{
	const clpac__map_segment of = {.number = buffer->segment->node.key.number};
	const clpac__map_piece at = {.offset = buffer->piece.offset * pool->unit};
	const clpac__map_segment *segment = bsearch(&of, map->segments, map->n_segments, sizeof of, compare_segments);
	return segment ? bsearch(&at, map->pieces + segment->first_piece, segment->n_pieces, sizeof at, compare_pieces)
		       : NULL;
}

/* The pieces of segments first, then the other blocks in the order of the handles. */
static void add_owners(clpac_pool *pool, clpac__map *map)
{
	size_t n = 0;
	clpac__magazines_stop(pool);
	for (const clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next) {
		clpac__map_piece *piece = buffer->segment ? find_piece(pool, map, buffer) : &map->blocks[n++];
		if (!piece)
			continue;
		piece->bytes = buffer->class_bytes;
		describe(buffer, piece);
	}
	clpac__magazines_go_on(pool);
	for (const clpac_buffer *buffer = pool->pending; buffer; buffer = buffer->below) {
		clpac__map_piece *piece = buffer->segment ? find_piece(pool, map, buffer) : NULL;
		if (piece)
			piece->state = CLPAC__PIECE_PENDING;
	}
}

clpac_status clpac__map_take(clpac_pool *pool, clpac__map *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__map map = {0};
	pthread_mutex_lock(&pool->lock);
	TRY(make_room(pool, &map, err));
	TRY(add_segments(pool, &map, err));
	add_owners(pool, &map);
	*out = map;
	map = (clpac__map){0};
done:
	pthread_mutex_unlock(&pool->lock);
	clpac__map_free(&map);
	return st;
}

void clpac__map_free(clpac__map *map)
{
	clpac__free(map->segments);
	clpac__free(map->pieces);
	clpac__free(map->blocks);
	*map = (clpac__map){0};
}
