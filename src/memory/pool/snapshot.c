/* A snapshot of a pool as a file: what it holds, what it did last, and the refusal that asked for it. */
#include "memory/pool/snapshot_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/clean.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/whole_file.h"
#include "memory/trace/trace_words.h"

enum { DEFAULT_EVENTS = 256 };
static const double LEAST_INTERVAL_S = 1;

static const char *const state_words[] = {[CLPAC__PIECE_IN_USE] = "in_use",
					  [CLPAC__PIECE_CACHED] = "cached",
					  [CLPAC__PIECE_PENDING] = "pending",
					  [CLPAC__PIECE_BUSY] = "busy"};

size_t clpac__snapshot_events(const clpac_pool_options *options)
{
	return options->snapshot.events ? options->snapshot.events : *options->snapshot.path ? DEFAULT_EVENTS : 0;
}

/* --- JSON ------------------------------------------------------------------------------------- */

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

static void add_owner(clpac__text *text, const clpac__map_piece *piece)
{
	clpac__text_add(text, "\"bytes\": %" PRIu64 ", \"queue\": %u, \"state\": \"%s\"", piece->bytes, piece->queue,
			state_words[piece->state]);
	if (piece->state == CLPAC__PIECE_IN_USE) {
		clpac__text_add(text, ", \"requested_bytes\": %" PRIu64 ", \"id\": %" PRIu64 ", \"tag\": ",
				piece->requested_bytes, piece->id);
		add_string(text, piece->tag);
	}
}

static void add_segments(clpac__text *text, const clpac__map *map)
{
	const clpac__map_piece *piece = map->pieces;
	clpac__text_add(text, "\"segments\": [");
	for (size_t i = 0; i < map->n_segments; i++) {
		const clpac__map_segment *segment = &map->segments[i];
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

static void add_blocks(clpac__text *text, const clpac__map *map)
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

static void add_refused(clpac__text *text, const clpac__need *need, const char *why)
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
static clpac_status make_text(clpac_pool *pool, const clpac__need *need, const char *why, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__map map = {0};
	clpac__text text = {0};
	clpac_pool_statistics now;
	char *statistics = NULL, *raw = NULL;
	TRY(clpac__map_take(pool, &map, err));
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
	clpac__map_free(&map);
	return st;
}

static clpac_status write_snapshot(clpac_pool *pool, const char *path, const clpac__need *need, const char *why,
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

/* --- When it is written ------------------------------------------------------------------------- */

clpac_status clpac_pool_snapshot(clpac_pool *pool, const char *path, clpac_error *err)
{
	NEED(pool);
	NEED(path);
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

void clpac__snapshot_refusal(clpac_pool *pool, const clpac__need *need, clpac_error *err)
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
