/* A snapshot of a pool as a file: what it holds, what it did last, and the refusal that asked for it. */
#include "memory/pool/surface/surface.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clean.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/whole_file.h"
#include "memory/pool/blocks/offsets_parts.h"
#include "memory/trace/trace_hooks.h"

enum { DEFAULT_EVENTS = 256 };
static const double LEAST_INTERVAL_S = 1;

size_t clpac__snapshot_events(const clpac_pool_options *options)
{
	return options->snapshot.events ? options->snapshot.events : *options->snapshot.path ? DEFAULT_EVENTS : 0;
}

/* --- All blocks of a pool at one moment ------------------------------------------------------ */

enum { TAG_SIZE = 48 };

typedef enum piece_state {
	PIECE_IN_USE = 0,
	PIECE_CACHED,
	PIECE_PENDING, /* released, and a queue still uses it */
	PIECE_BUSY     /* another thread is just making it or giving it back */
} piece_state;

/* A block, with a copy of its owner's facts.  id, requested_bytes and tag are empty unless it is in use. */
typedef struct map_piece {
	uint64_t offset, bytes, requested_bytes, id; /* offset in its segment */
	unsigned queue;
	piece_state state;
	bool is_on_host;
	char tag[TAG_SIZE];
} map_piece;

typedef struct map_segment {
	uint64_t number, bytes, free_bytes, largest_free_bytes;
	bool is_small;
	unsigned queue;
	size_t first_piece, n_pieces; /* by offset */
} map_segment;

typedef struct pool_map {
	map_segment *segments; /* by number */
	size_t n_segments;
	map_piece *pieces; /* of all segments */
	size_t n_pieces;
	map_piece *blocks; /* in no segment */
	size_t n_blocks;
} pool_map;

/* --- Sizes ----------------------------------------------------------------------------------- */

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

static clpac_status make_room(const clpac_pool *pool, pool_map *map, clpac_error *err)
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

/* --- Segments and their pieces --------------------------------------------------------------- */

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
static size_t map_segment_of(const clpac_pool *pool, const clpac__segment *segment, pool_map *map, size_t i,
			     size_t first_piece)
{
	map_segment *out = &map->segments[i];
	map_piece *pieces = map->pieces + first_piece;
	const clpac_offsets *offsets = segment->offsets;
	*out = (map_segment){
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
		pieces[out->n_pieces++] = (map_piece){
			.offset = node->offset * pool->unit,
			.bytes = node->units * pool->unit,
			.queue = out->queue,
			.state = PIECE_BUSY,
		};
	}
	return out->n_pieces;
}

static clpac_status map_segments(const clpac_pool *pool, pool_map *map, clpac_error *err)
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
		at += map_segment_of(pool, order[i], map, i, at);
done:
	clpac__free(order);
	return st;
}

/* --- Owners ---------------------------------------------------------------------------------- */

static void describe(const clpac_buffer *buffer, map_piece *piece)
{
	piece->is_on_host = buffer->is_on_host;
	piece->queue = ordinal_of(atomic_load_explicit(&buffer->home, memory_order_relaxed));
	if (!atomic_load_explicit(&buffer->is_in_use, memory_order_acquire)) {
		piece->state = PIECE_CACHED;
		return;
	}
	piece->state = PIECE_IN_USE;
	piece->requested_bytes = buffer->bytes;
	piece->id = buffer->id;
	memcpy(piece->tag, buffer->tag, strnlen(buffer->tag, sizeof piece->tag - 1));
}

static int compare_segments(const void *a, const void *b)
{
	const map_segment *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_pieces(const void *a, const void *b)
{
	const map_piece *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* NULL: its segment is on the way to another queue. */
static map_piece *find_piece(const clpac_pool *pool, const pool_map *map, const clpac_buffer *buffer)
{
	const map_segment of = {.number = buffer->segment->node.key.number};
	const map_piece at = {.offset = buffer->piece_offset * pool->unit};
	const map_segment *segment = bsearch(&of, map->segments, map->n_segments, sizeof of, compare_segments);
	return segment ? bsearch(&at, map->pieces + segment->first_piece, segment->n_pieces, sizeof at, compare_pieces)
		       : NULL;
}

/* The pieces of segments first, then the other blocks in the order of the handles. */
static void map_owners(clpac_pool *pool, pool_map *map)
{
	size_t n = 0;
	clpac__magazines_stop(pool);
	for (const clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next) {
		map_piece *piece = buffer->segment ? find_piece(pool, map, buffer) : &map->blocks[n++];
		if (!piece)
			continue;
		piece->bytes = buffer->class_bytes;
		describe(buffer, piece);
	}
	clpac__magazines_go_on(pool);
	for (const clpac_buffer *buffer = pool->pending; buffer; buffer = buffer->below) {
		map_piece *piece = buffer->segment ? find_piece(pool, map, buffer) : NULL;
		if (piece)
			piece->state = PIECE_PENDING;
	}
}

static void free_map(pool_map *map)
{
	FREE_ALL(map->segments, map->pieces, map->blocks);
	*map = (pool_map){0};
}

/* Takes the pool's lock.  Errors: CLPAC_ERROR_NO_MEMORY. */
static clpac_status take_map(clpac_pool *pool, pool_map *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pool_map map = {0};
	pthread_mutex_lock(&pool->lock);
	TRY(make_room(pool, &map, err));
	TRY(map_segments(pool, &map, err));
	map_owners(pool, &map);
	*out = map;
	map = (pool_map){0};
done:
	pthread_mutex_unlock(&pool->lock);
	free_map(&map);
	return st;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static const char *const state_words[] = {
	[PIECE_IN_USE] = "in_use", [PIECE_CACHED] = "cached", [PIECE_PENDING] = "pending", [PIECE_BUSY] = "busy"};

/* A text as a string of JSON; bytes that are not UTF-8 become U+FFFD. */
static void add_string(clpac__text *text, const char *string)
{
	char *mended = clpac__utf8_mended(string);
	if (!mended) {
		text->failed = true;
		return;
	}
	clpac__text_add(text, "\"");
	for (const char *c = mended; *c; c++) {
		if (*c == '"' || *c == '\\')
			clpac__text_add(text, "\\%c", *c);
		else if ((unsigned char)*c < ' ')
			clpac__text_add(text, "\\u%04x", (unsigned)*c);
		else
			clpac__text_add_bytes(text, c, 1);
	}
	clpac__text_add(text, "\"");
	clpac__free(mended);
}

static void add_owner(clpac__text *text, const map_piece *piece)
{
	clpac__text_add(text, "\"bytes\": %" PRIu64 ", \"queue\": %u, \"state\": \"%s\"", piece->bytes, piece->queue,
			state_words[piece->state]);
	if (piece->state == PIECE_IN_USE) {
		clpac__text_add(text, ", \"requested_bytes\": %" PRIu64 ", \"id\": %" PRIu64 ", \"tag\": ",
				piece->requested_bytes, piece->id);
		add_string(text, piece->tag);
	}
}

static void add_segments(clpac__text *text, const pool_map *map)
{
	const map_piece *piece = map->pieces;
	clpac__text_add(text, "\"segments\": [");
	for (size_t i = 0; i < map->n_segments; i++) {
		const map_segment *segment = &map->segments[i];
		clpac__text_add(text,
				"%s\n{\"number\": %" PRIu64 ", \"bytes\": %" PRIu64
				", \"is_small\": %s, \"queue\": %u, "
				"\"free_bytes\": %" PRIu64 ", \"largest_free_bytes\": %" PRIu64 ", \"pieces\": [",
				i ? "," : "", segment->number, segment->bytes, segment->is_small ? "true" : "false",
				segment->queue, segment->free_bytes, segment->largest_free_bytes);
		for (size_t k = 0; k < segment->n_pieces; k++, piece++) {
			clpac__text_add(text, "%s\n {\"offset\": %" PRIu64 ", ", k ? "," : "", piece->offset);
			add_owner(text, piece);
			clpac__text_add(text, "}");
		}
		clpac__text_add(text, "]}");
	}
	clpac__text_add(text, "]");
}

static void add_blocks(clpac__text *text, const pool_map *map)
{
	clpac__text_add(text, "\"blocks\": [");
	for (size_t i = 0; i < map->n_blocks; i++) {
		clpac__text_add(text, "%s\n {\"is_on_host\": %s, ", i ? "," : "",
				map->blocks[i].is_on_host ? "true" : "false");
		add_owner(text, &map->blocks[i]);
		clpac__text_add(text, "}");
	}
	clpac__text_add(text, "]");
}

static void add_event(clpac__text *text, const clpac__noted *event)
{
	clpac__text_add(text,
			"{\"time_ns\": %" PRIu64 ", \"thread\": %" PRIu32 ", \"operation\": \"%s\", \"id\": %" PRIu64
			", \"bytes\": %" PRIu64 ", \"class_bytes\": %" PRIu64 ", \"queue\": %" PRIu32 ", \"tag\": ",
			event->time_ns, event->thread, clpac__trace_operations[event->operation], event->id,
			event->bytes, event->class_bytes, event->queue);
	add_string(text, event->tag);
	clpac__text_add(text, ", \"outcome\": \"%s\"}", clpac__trace_outcomes[event->outcome]);
}

static clpac_status add_events(clpac__text *text, clpac__history *history, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t n_before = 0;
	size_t n = 0;
	clpac__noted *events = clpac__alloc_array((history ? history->capacity : 0) + 1, sizeof *events);
	if (!events)
		FAIL(CLPAC_ERROR_NO_MEMORY, "snapshot: the host has no memory left for the last events");
	if (history)
		n = clpac__history_copy(history, events, &n_before);
	clpac__text_add(text, "\"n_events_before\": %" PRIu64 ",\n\"events\": [", n_before);
	for (size_t i = 0; i < n; i++) {
		clpac__text_add(text, "%s\n ", i ? "," : "");
		add_event(text, &events[i]);
	}
	clpac__text_add(text, "]");
done:
	clpac__free(events);
	return st;
}

static void add_refused(clpac__text *text, const clpac__room_need *need, const char *why)
{
	if (!need) {
		clpac__text_add(text, "\"refused\": null");
		return;
	}
	clpac__text_add(text,
			"\"refused\": {\"bytes\": %zu, \"class_bytes\": %zu, \"queue\": %u, \"tag\": ", need->bytes,
			need->class_bytes, need->queue->ordinal);
	add_string(text, need->tag);
	clpac__text_add(text, ", \"text\": ");
	add_string(text, why);
	clpac__text_add(text, "}");
}

/* The whole, to be freed with clpac__free. */
static clpac_status make_text(clpac_pool *pool, const clpac__room_need *need, const char *why, char **out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pool_map map = {0};
	clpac__text text = {0};
	clpac_pool_statistics now;
	char *statistics = NULL, *raw = NULL;
	TRY(take_map(pool, &map, err));
	clpac_pool_measure(pool, &now, sizeof now);
	TRY(clpac_pool_statistics_json(&now, &statistics, err));
	clpac__text_add(&text, "{\"format\": \"clpac pool snapshot\", \"format_version\": 1,\n\"device\": ");
	add_string(&text, pool->queues[0].queue->device.name);
	clpac__text_add(&text, ",\n");
	add_refused(&text, need, why);
	clpac__text_add(&text, ",\n\"statistics\": %s,\n", statistics);
	add_segments(&text, &map);
	clpac__text_add(&text, ",\n");
	add_blocks(&text, &map);
	clpac__text_add(&text, ",\n");
	TRY(add_events(&text, pool->watch.history, err));
	clpac__text_add(&text, "}\n");
	raw = clpac__text_take(&text);
	*out = raw ? clpac__cleaned_json(raw) : NULL;
	if (!*out)
		FAIL(CLPAC_ERROR_NO_MEMORY, "snapshot: the host has no memory left for its text");
done:
	clpac__free(raw);
	clpac_text_free(statistics);
	clpac__text_clear(&text);
	free_map(&map);
	return st;
}

static clpac_status write_snapshot(clpac_pool *pool, const char *path, const clpac__room_need *need, const char *why,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	TRY(make_text(pool, need, why, &text, err));
	TRY(clpac__whole_file_write(path, text, strlen(text), err));
done:
	clpac__free(text);
	return st;
}

/* --- When it is written ---------------------------------------------------------------------- */

clpac_status clpac_pool_snapshot(clpac_pool *pool, const char *path, clpac_error *err)
{
	NEED(pool, path);
	NEED_HERE(pool);
	const clpac_status st = write_snapshot(pool, path, NULL, NULL, err);
	return st ? clpac__fail_context(err, st, "snapshot of a pool") : st;
}

/* True for one thread, unless the last snapshot is too young. */
static bool is_due(clpac_pool *pool)
{
	const double now = clpac__clock_seconds();
	pthread_mutex_lock(&pool->lock);
	const bool is_due = !pool->snapshot_s || now - pool->snapshot_s >= LEAST_INTERVAL_S;
	if (is_due)
		pool->snapshot_s = now;
	pthread_mutex_unlock(&pool->lock);
	return is_due;
}

void clpac__snapshot_refusal(clpac_pool *pool, const clpac__room_need *need, clpac_error *err)
{
	const char *path = pool->made.snapshot.path;
	const size_t length = strlen(err->text);
	clpac_error trouble;
	if (!is_due(pool))
		return;
	const clpac_status st = write_snapshot(pool, path, need, err->text, &trouble);
	snprintf(err->text + length, sizeof err->text - length, st ? "; no snapshot: %s" : "; snapshot in %s",
		 st ? trouble.text : path);
	clpac__clean(err->text);
}
