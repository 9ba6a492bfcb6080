/* Defragmentation: moves buffers together, so that segments become empty. */
#include "memory/pool/room/room.h"

#include "base/clock.h"
#include "memory/pool/blocks/offsets_parts.h"

/* True for a claimed buffer whose block is not known outside the pool; in a checked pool for a lent handle whose
 * margins are watched: others are on their way to a user or back. */
static bool may_move_claimed(const clpac_buffer *buffer)
{
	return buffer->segment && (!buffer->pool->is_checked || buffer->is_armed) &&
	       atomic_load_explicit(&buffer->is_in_use, memory_order_acquire) && !buffer->is_pinned &&
	       !buffer->mapping && !buffer->recorded && !buffer->pending;
}

/* The same before it is claimed, which may change at any time.  Uses come first: with the pool's lock held none is
 * claimed from here on, so that nobody else changes the block. */
static bool may_move(const clpac_buffer *buffer)
{
	return !atomic_load_explicit(&buffer->uses, memory_order_relaxed) && may_move_claimed(buffer);
}

/* Claims a buffer that could move a moment ago.  The pool's lock is held. */
static bool claim(clpac_pool *pool, clpac_buffer *buffer)
{
	if (!clpac__use_claim(buffer))
		return false;
	if (may_move_claimed(buffer))
		return true;
	clpac__use_unclaim(pool, buffer);
	return false;
}

/* The segment with the fewest bytes in use, among those that hold only movable buffers and have a fuller segment of the
 * same kind beside them. */
static clpac__segment *find_sparsest(clpac_pool *pool, const clpac__segment *const *tried, size_t n_tried)
{
	clpac__segment *sparsest = NULL;
	for (clpac__segment *segment = pool->segments.first; segment; segment = segment->next)
		segment->n_movable = 0;
	for (const clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next)
		if (may_move(buffer))
			buffer->segment->n_movable++;
	for (clpac__segment *segment = pool->segments.first; segment; segment = segment->next) {
		bool was_tried = false;
		for (size_t i = 0; i < n_tried; i++)
			was_tried |= tried[i] == segment;
		if (was_tried || !segment->n_pieces)
			continue;
		if (segment->n_movable == segment->n_pieces &&
		    (!sparsest || clpac_offsets_used(segment->offsets) < clpac_offsets_used(sparsest->offsets)))
			sparsest = segment;
	}
	return sparsest;
}

/* Copies a claimed buffer into a piece of another segment and changes its block.  The pool's lock is held, and dropped
 * in between. */
static clpac_status move(clpac_pool *pool, clpac_buffer *buffer, clpac__segment *to, clpac_piece piece,
			 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__pool_queue *own = &pool->queues[0];
	clpac__block *block = NULL, *old = buffer->block;
	if (!old) { /* nobody has used it, so there is nothing to copy */
		clpac__segments_give(&pool->segments, buffer->segment, clpac__buffer_piece(buffer));
		clpac__buffer_set_piece(buffer, to, piece);
		pool->ledger.now.parts_created++;
		return st;
	}
	pthread_mutex_unlock(&pool->lock);
	/* Damage is told now: the margins of the new place are fresh. */
	if (pool->is_checked)
		clpac__checked_verify(pool, buffer, NULL);
	pthread_mutex_lock(&own->driver);
	st = own->queue->operations->create_part(own->queue, to->whole,
						 (size_t)piece.offset * pool->unit + pool->front_bytes,
						 buffer->class_bytes - pool->front_bytes, &block, err);
	pthread_mutex_unlock(&own->driver);
	if (st == CLPAC_OK) {
		clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
		if (!home->is_in_order) /* otherwise the copy would not wait for earlier work */
			st = home->queue->operations->finish(home->queue, err);
		if (st == CLPAC_OK)
			st = home->queue->operations->copy(home->queue, old, 0, block, 0, buffer->bytes, err);
		/* The old piece may be handed out next: no work may still be reading it. */
		if (st == CLPAC_OK)
			st = home->queue->operations->finish(home->queue, err);
		pthread_mutex_unlock(&home->driver);
	}
	clpac__block *gone = st == CLPAC_OK ? old : block;
	if (gone) {
		pthread_mutex_lock(&own->driver);
		own->queue->operations->release(own->queue, gone);
		pthread_mutex_unlock(&own->driver);
	}
	pthread_mutex_lock(&pool->lock);
	pool->ledger.now.parts_created += block != NULL;
	if (st == CLPAC_OK) {
		clpac__segments_give(&pool->segments, buffer->segment, clpac__buffer_piece(buffer));
		buffer->block = block;
		clpac__buffer_set_piece(buffer, to, piece);
	} else {
		clpac__segments_give(&pool->segments, to, piece);
		clpac__fail_context(err, st, "moving buffer \"%s\" of %zu bytes", buffer->tag, buffer->bytes);
	}
	if (!pool->is_checked)
		return st;
	/* Where this fails, the buffer is no longer watched, and keeps its content. */
	pthread_mutex_unlock(&pool->lock);
	clpac__checked_arm(pool, buffer, false, NULL);
	pthread_mutex_lock(&pool->lock);
	return st;
}

/* A piece of another segment for a buffer: of its own kind, otherwise of the other. */
static bool cut_elsewhere(clpac_pool *pool, const clpac_buffer *buffer, clpac__segment **to, clpac_piece *piece)
{
	clpac__segment *from = buffer->segment;
	const bool is_small = clpac__is_small(&pool->segments, buffer->class_bytes);
	clpac__segments_remove(&pool->segments, from);
	const bool has_place =
		clpac__segments_cut(&pool->segments, buffer->class_bytes, is_small, buffer->home, to, piece) ||
		clpac__segments_cut(&pool->segments, buffer->class_bytes, !is_small, buffer->home, to, piece);
	clpac__segments_add(&pool->segments, from);
	return has_place;
}

/* Moves every buffer out of a segment; stops when one finds no place elsewhere.  The pool's lock is held. */
static clpac_status empty(clpac_pool *pool, clpac__segment *segment, uint64_t *budget, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	/* A buffer that was claimed is in the list as long as the lock is held after the claim. */
	for (clpac_buffer *buffer = pool->handles; buffer && st == CLPAC_OK; buffer = buffer->next) {
		clpac__segment *to;
		clpac_piece piece;
		if (!may_move(buffer) || buffer->segment != segment || !claim(pool, buffer))
			continue;
		bool has_place = false;
		if (buffer->class_bytes <= *budget)
			has_place = cut_elsewhere(pool, buffer, &to, &piece);
		if (has_place && to->n_pieces == 1) { /* the target was empty: moving there gains nothing */
			clpac__segments_give(&pool->segments, to, piece);
			has_place = false;
		}
		if (has_place) {
			*budget -= buffer->class_bytes;
			st = move(pool, buffer, to, piece, err);
		}
		clpac__use_unclaim(pool, buffer);
		if (!has_place)
			break;
	}
	return st;
}

/* Moves up to *budget bytes out of sparsely used segments, until so many bytes of them are given back.  The pool's lock
 * is held, and dropped in between. */
static clpac_status vacate(clpac_pool *pool, uint64_t wanted, uint64_t *budget, uint64_t *released, clpac_error *err)
{
	enum { MOST_SEGMENTS = 256 }; /* per pass */
	clpac_status st = CLPAC_OK;
	const clpac__segment *tried[MOST_SEGMENTS];
	size_t n_tried = 0;
	while (*budget && *released < wanted && n_tried < MOST_SEGMENTS && st == CLPAC_OK) {
		clpac__segment *segment = find_sparsest(pool, tried, n_tried);
		if (!segment)
			break;
		tried[n_tried++] = segment;
		st = empty(pool, segment, budget, err);
		/* Released at once; otherwise the buffers of the next segments would be moved into it. */
		*released += clpac__pool_release_segments(pool, UINT64_MAX);
	}
	return st;
}

/* --- On the ladder --------------------------------------------------------------------------- */

/* Neighbours in a segment, free or movable, that would hold a request. */
struct gap {
	clpac__segment *segment; /* NULL: none */
	uint64_t begin, end;	 /* units */
	uint64_t moved_units;
};

/* In a piece that is in use, the node's `next` is free: here it says whether the piece may move. */
enum { STAYS = 0, MOVES = 1 };

static void mark_movable(clpac_pool *pool)
{
	for (clpac__segment *segment = pool->segments.first; segment; segment = segment->next) {
		clpac_offsets *offsets = segment->offsets;
		for (uint32_t index = 0; index != NO_NODE; index = offsets->nodes[index].after)
			if (!clpac__node_is_free(&offsets->nodes[index]))
				offsets->nodes[index].next = STAYS;
	}
	for (const clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next)
		if (may_move(buffer))
			buffer->segment->offsets->nodes[buffer->piece_node].next = MOVES;
}

static bool is_open(const clpac__node *node)
{
	return clpac__node_is_free(node) || node->next == MOVES;
}

static uint64_t moved_of(const clpac__node *node)
{
	return clpac__node_is_free(node) ? 0 : node->units;
}

/* The gap of a segment that costs the fewest moved units, if it costs fewer than the best so far. */
static void find_gap(clpac__segment *segment, uint64_t units, struct gap *best)
{
	const clpac__node *nodes = segment->offsets->nodes;
	uint32_t head = 0;
	uint64_t open = 0, moved = 0;
	for (uint32_t index = 0; index != NO_NODE; index = nodes[index].after) {
		if (!is_open(&nodes[index])) {
			head = nodes[index].after;
			open = moved = 0;
			continue;
		}
		open += nodes[index].units;
		moved += moved_of(&nodes[index]);
		for (; open - nodes[head].units >= units; head = nodes[head].after) {
			open -= nodes[head].units;
			moved -= moved_of(&nodes[head]);
		}
		if (open >= units && moved && (!best->segment || moved < best->moved_units))
			*best = (struct gap){segment, nodes[head].offset, nodes[index].offset + nodes[index].units,
					     moved};
	}
}

bool clpac__pool_compact(clpac_pool *pool, size_t class_bytes)
{
	struct gap gap = {0};
	clpac__uses_settle(pool);
	mark_movable(pool);
	for (clpac__segment *segment = pool->segments.first; segment; segment = segment->next)
		find_gap(segment, class_bytes / pool->unit, &gap);
	/* The moved bytes need as many elsewhere. */
	if (!gap.segment || pool->segments.free_bytes < (gap.end - gap.begin) * pool->unit)
		return false;
	for (clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next) {
		clpac__segment *to;
		clpac_piece piece;
		if (!may_move(buffer) || buffer->segment != gap.segment || buffer->piece_offset < gap.begin ||
		    buffer->piece_offset >= gap.end || !claim(pool, buffer))
			continue;
		const bool is_moved =
			cut_elsewhere(pool, buffer, &to, &piece) && move(pool, buffer, to, piece, NULL) == CLPAC_OK;
		clpac__use_unclaim(pool, buffer);
		if (!is_moved)
			return false;
	}
	return true;
}

bool clpac__pool_vacate(clpac_pool *pool, size_t class_bytes, uint64_t lacking_bytes)
{
	uint64_t left = 2 * (uint64_t)class_bytes, released = 0;
	if (pool->segments.free_bytes < lacking_bytes)
		return false;
	clpac__uses_settle(pool);
	vacate(pool, lacking_bytes, &left, &released, NULL);
	return released >= lacking_bytes;
}

/* --- On request ------------------------------------------------------------------------------ */

clpac_status clpac_pool_defragment(clpac_pool *pool, uint64_t max_bytes, uint64_t *released, clpac_error *err)
{
	NEED(pool);
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	uint64_t left = max_bytes, bytes = 0;
	pthread_mutex_lock(&pool->lock);
	clpac__pool_collect(pool);
	clpac__uses_settle(pool);
	clpac__pool_merge(pool);
	bytes = clpac__pool_release_segments(pool, UINT64_MAX);
	st = vacate(pool, UINT64_MAX, &left, &bytes, err);
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
	if (released)
		*released = bytes;
	return st;
}

/* --- Now and then, so that segments do not stay sparse until a request needs them ------------ */

/* True for one thread, which makes the pass and moves so many bytes at most; the next one counts from now. */
static bool is_due(clpac_pool *pool, uint64_t *max_bytes)
{
	const double now_s = clpac__clock_seconds();
	pthread_mutex_lock(&pool->lock);
	const uint64_t releases = clpac__magazines_releases(pool);
	const bool is_due = releases - pool->compaction.last_releases >= pool->compaction.every_releases &&
			    now_s - pool->compaction.last_s >= pool->compaction.every_s;
	if (is_due) {
		pool->compaction.last_releases = releases;
		pool->compaction.last_s = now_s;
	}
	*max_bytes = pool->compaction.max_bytes;
	pthread_mutex_unlock(&pool->lock);
	return is_due;
}

void clpac__pool_compact_in_turn(clpac_pool *pool)
{
	uint64_t max_bytes;
	/* A move that fails leaves the buffer where it was. */
	if (atomic_load_explicit(&pool->compaction.is_wanted, memory_order_relaxed) && is_due(pool, &max_bytes))
		clpac_pool_defragment(pool, max_bytes, NULL, NULL);
}
