/* A snapshot of a pool from the file that clpac_pool_snapshot or a refusal wrote.
 *
 * Such files come with bug reports and are not trusted: their size is limited, pieces lie within their segments and
 * beside each other, and texts are safe for a terminal. */
#include "recording/snapshot.h"

#include <string.h>
#include "base/clean.h"
#include "base/memory.h"
#include "recording/read/json_file.h"

static const uint64_t MOST_BYTES = 64 << 20;

/* A place in the file, for error messages: "x.json: segments[3].pieces[5]". */
typedef struct place {
	const char *path, *list;
	size_t index;
	const char *inner; /* NULL: none */
	size_t inner_index;
} place;

static clpac_status refuse(const place *at, const char *member, const char *what, clpac_error *err)
{
	if (!at->list)
		return clpac__fail(err, CLPAC_ERROR_FORMAT, "%s: %s %s", at->path, member, what);
	if (!at->inner)
		return clpac__fail(err, CLPAC_ERROR_FORMAT, "%s: %s[%zu].%s %s", at->path, at->list, at->index, member,
				   what);
	return clpac__fail(err, CLPAC_ERROR_FORMAT, "%s: %s[%zu].%s[%zu].%s %s", at->path, at->list, at->index,
			   at->inner, at->inner_index, member, what);
}

/* --- One member ------------------------------------------------------------------------------- */

static clpac_status get_whole(const place *at, const json_t *object, const char *member, uint64_t most, uint64_t *out,
			      clpac_error *err)
{
	const json_t *value = json_object_get(object, member);
	if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
		return refuse(at, member, "must be a whole number from 0 that is plausible", err);
	*out = (uint64_t)json_integer_value(value);
	return CLPAC_OK;
}

/* Sums of a few such sizes fit a uint64_t. */
static clpac_status get_bytes(const place *at, const json_t *object, const char *member, uint64_t *out,
			      clpac_error *err)
{
	return get_whole(at, object, member, (uint64_t)1 << 50, out, err);
}

static clpac_status get_text(const place *at, const json_t *object, const char *member, char *out, size_t size,
			     clpac_error *err)
{
	const char *text = json_string_value(json_object_get(object, member));
	if (!text)
		return refuse(at, member, "must be a text", err);
	if (strlen(text) >= size)
		return refuse(at, member, "is too long", err);
	memcpy(out, text, strlen(text) + 1);
	clpac__clean(out);
	return CLPAC_OK;
}

static clpac_status get_answer(const place *at, const json_t *object, const char *member, bool *out, clpac_error *err)
{
	const json_t *value = json_object_get(object, member);
	if (!json_is_boolean(value))
		return refuse(at, member, "must be true or false", err);
	*out = json_is_true(value);
	return CLPAC_OK;
}

static clpac_status get_word(const place *at, const json_t *object, const char *member, const char *const *words, int n,
			     int *out, clpac_error *err)
{
	const char *text = json_string_value(json_object_get(object, member));
	int i = 0;
	while (i < n && text && strcmp(words[i], text) != 0)
		i++;
	if (!text || i == n)
		return refuse(at, member, "is none of its words", err);
	*out = i;
	return CLPAC_OK;
}

/* A list of objects, and zeroed room for as many entries. */
static clpac_status get_list(const char *path, const json_t *root, const char *name, size_t each, const json_t **list,
			     void **entries, size_t *n, clpac_error *err)
{
	*list = json_object_get(root, name);
	if (!json_is_array(*list))
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s is missing, or no list", path, name);
	*n = json_array_size(*list);
	*entries = clpac__alloc_array(*n + 1, each);
	if (!*entries)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu %s", path, *n, name);
	return CLPAC_OK;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static clpac_status get_piece(const place *at, const json_t *object, clpac__snapshot_piece *piece, clpac_error *err)
{
	static const char *const states[] = {"in_use", "cached", "pending", "busy"};
	_Static_assert(sizeof states / sizeof *states == CLPAC__SNAPSHOT_STATES, "one word per state");
	int state;
	RETURN_IF_ERROR(get_bytes(at, object, "bytes", &piece->bytes, err));
	RETURN_IF_ERROR(get_word(at, object, "state", states, CLPAC__SNAPSHOT_STATES, &state, err));
	piece->state = (clpac__snapshot_state)state;
	if (piece->state != CLPAC__SNAPSHOT_IN_USE)
		return CLPAC_OK;
	RETURN_IF_ERROR(get_bytes(at, object, "requested_bytes", &piece->requested_bytes, err));
	return get_text(at, object, "tag", piece->tag, sizeof piece->tag, err);
}

static clpac_status get_blocks(const char *path, const json_t *root, clpac_snapshot *snapshot, clpac_error *err)
{
	const json_t *list;
	RETURN_IF_ERROR(get_list(path, root, "blocks", sizeof *snapshot->blocks, &list, (void **)&snapshot->blocks,
				 &snapshot->n_blocks, err));
	for (size_t i = 0; i < snapshot->n_blocks; i++) {
		const place at = {.path = path, .list = "blocks", .index = i};
		const json_t *object = json_array_get(list, i);
		RETURN_IF_ERROR(get_piece(&at, object, &snapshot->blocks[i], err));
		RETURN_IF_ERROR(get_answer(&at, object, "is_on_host", &snapshot->blocks[i].is_on_host, err));
	}
	return CLPAC_OK;
}

/* --- Segments --------------------------------------------------------------------------------- */

static clpac_status get_segment(const place *at, const json_t *object, clpac__snapshot_segment *segment,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t queue;
	RETURN_IF_ERROR(get_whole(at, object, "number", INT64_MAX, &segment->number, err));
	RETURN_IF_ERROR(get_bytes(at, object, "bytes", &segment->bytes, err));
	RETURN_IF_ERROR(get_answer(at, object, "is_small", &segment->is_small, err));
	RETURN_IF_ERROR(get_whole(at, object, "queue", UINT32_MAX, &queue, err));
	segment->queue = (unsigned)queue;
	if (!segment->bytes)
		st = refuse(at, "bytes", "must be above 0", err);
	if (st == CLPAC_OK && !json_is_array(json_object_get(object, "pieces")))
		st = refuse(at, "pieces", "must be a list", err);
	return st;
}

static clpac_status get_pieces(const place *of, const json_t *list, const clpac__snapshot_segment *segment,
			       clpac__snapshot_piece *pieces, clpac_error *err)
{
	uint64_t end = 0;
	for (size_t i = 0; i < segment->n_pieces; i++) {
		const place at = {of->path, of->list, of->index, "pieces", i};
		const json_t *object = json_array_get(list, i);
		RETURN_IF_ERROR(get_bytes(&at, object, "offset", &pieces[i].offset, err));
		RETURN_IF_ERROR(get_piece(&at, object, &pieces[i], err));
		if (pieces[i].offset < end)
			RETURN_IF_ERROR(refuse(&at, "offset", "lies in the piece before", err));
		end = pieces[i].offset + pieces[i].bytes;
		if (end > segment->bytes)
			RETURN_IF_ERROR(refuse(&at, "bytes", "reach beyond the segment", err));
	}
	return CLPAC_OK;
}

static clpac_status get_segments(const char *path, const json_t *root, clpac_snapshot *snapshot, clpac_error *err)
{
	const json_t *list;
	RETURN_IF_ERROR(get_list(path, root, "segments", sizeof *snapshot->segments, &list,
				 (void **)&snapshot->segments, &snapshot->n_segments, err));
	for (size_t i = 0; i < snapshot->n_segments; i++) {
		const place at = {.path = path, .list = "segments", .index = i};
		clpac__snapshot_segment *segment = &snapshot->segments[i];
		RETURN_IF_ERROR(get_segment(&at, json_array_get(list, i), segment, err));
		segment->first_piece = snapshot->n_pieces;
		segment->n_pieces = json_array_size(json_object_get(json_array_get(list, i), "pieces"));
		snapshot->n_pieces += segment->n_pieces;
	}
	snapshot->pieces = clpac__alloc_array(snapshot->n_pieces + 1, sizeof *snapshot->pieces);
	if (!snapshot->pieces)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu pieces", path,
			     snapshot->n_pieces);
	for (size_t i = 0; i < snapshot->n_segments; i++)
		RETURN_IF_ERROR(get_pieces(&(place){.path = path, .list = "segments", .index = i},
					   json_object_get(json_array_get(list, i), "pieces"), &snapshot->segments[i],
					   snapshot->pieces + snapshot->segments[i].first_piece, err));
	return CLPAC_OK;
}

/* --- Events ----------------------------------------------------------------------------------- */

static clpac_status get_event(const place *at, const json_t *object, clpac__snapshot_event *event, clpac_error *err)
{
	static const char *const operations[] = {
		[CLPAC_TRACE_ALLOCATE] = "allocate", [CLPAC_TRACE_RELEASE] = "release"};
	const char *outcomes[CLPAC_TRACE_OUTCOMES];
	int operation, outcome;
	for (int i = 0; i < CLPAC_TRACE_OUTCOMES; i++)
		outcomes[i] = clpac__snapshot_outcome((clpac_trace_outcome)i);
	RETURN_IF_ERROR(get_whole(at, object, "time_ns", INT64_MAX, &event->time_ns, err));
	RETURN_IF_ERROR(get_whole(at, object, "id", INT64_MAX, &event->id, err));
	/* A request may have been for any number of bytes. */
	RETURN_IF_ERROR(get_whole(at, object, "bytes", INT64_MAX, &event->bytes, err));
	RETURN_IF_ERROR(get_whole(at, object, "class_bytes", INT64_MAX, &event->class_bytes, err));
	RETURN_IF_ERROR(get_word(at, object, "operation", operations, CLPAC_TRACE_OPERATIONS, &operation, err));
	RETURN_IF_ERROR(get_word(at, object, "outcome", outcomes, CLPAC_TRACE_OUTCOMES, &outcome, err));
	RETURN_IF_ERROR(get_text(at, object, "tag", event->tag, sizeof event->tag, err));
	event->operation = (clpac_trace_operation)operation;
	event->outcome = (clpac_trace_outcome)outcome;
	return CLPAC_OK;
}

static clpac_status get_events(const char *path, const json_t *root, clpac_snapshot *snapshot, clpac_error *err)
{
	const json_t *list;
	uint64_t before = 0;
	const place whole = {.path = path};
	RETURN_IF_ERROR(get_whole(&whole, root, "n_events_before", INT64_MAX, &snapshot->n_events_before, err));
	RETURN_IF_ERROR(get_list(path, root, "events", sizeof *snapshot->events, &list, (void **)&snapshot->events,
				 &snapshot->n_events, err));
	for (size_t i = 0; i < snapshot->n_events; i++) {
		const place at = {.path = path, .list = "events", .index = i};
		RETURN_IF_ERROR(get_event(&at, json_array_get(list, i), &snapshot->events[i], err));
		if (snapshot->events[i].time_ns < before)
			RETURN_IF_ERROR(refuse(&at, "time_ns", "is earlier than that of the event before", err));
		before = snapshot->events[i].time_ns;
	}
	return CLPAC_OK;
}

/* --- The whole -------------------------------------------------------------------------------- */

static clpac_status get_refused(const char *path, const json_t *root, clpac_snapshot *snapshot, clpac_error *err)
{
	const place whole = {.path = path};
	const json_t *refused = json_object_get(root, "refused");
	if (!refused)
		RETURN_IF_ERROR(refuse(&whole, "refused", "is missing", err));
	snapshot->refused.is_there = !json_is_null(refused);
	if (!snapshot->refused.is_there)
		return CLPAC_OK;
	RETURN_IF_ERROR(get_whole(&whole, refused, "bytes", INT64_MAX, &snapshot->refused.bytes, err));
	RETURN_IF_ERROR(get_whole(&whole, refused, "class_bytes", INT64_MAX, &snapshot->refused.class_bytes, err));
	RETURN_IF_ERROR(get_text(&whole, refused, "tag", snapshot->refused.tag, sizeof snapshot->refused.tag, err));
	return get_text(&whole, refused, "text", snapshot->refused.why, sizeof snapshot->refused.why, err);
}

static clpac_status get_snapshot(const char *path, const json_t *root, clpac_snapshot *snapshot, clpac_error *err)
{
	const place whole = {.path = path};
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *version = json_object_get(root, "format_version");
	const json_t *statistics = json_object_get(root, "statistics");
	if (!format || strcmp(format, CLPAC__SNAPSHOT_FORMAT) != 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: no snapshot of a pool: its format is not \"%s\"; clpac_pool_snapshot makes one", path,
			     CLPAC__SNAPSHOT_FORMAT);
	if (!json_is_integer(version) || json_integer_value(version) != CLPAC__SNAPSHOT_VERSION)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: its format_version is not %d, the one that this version of clpac reads", path,
			     CLPAC__SNAPSHOT_VERSION);
	RETURN_IF_ERROR(get_text(&whole, root, "device", snapshot->device, sizeof snapshot->device, err));
	RETURN_IF_ERROR(get_refused(path, root, snapshot, err));
	snapshot->budget_bytes = UINT64_MAX;
	if (!json_is_null(json_object_get(statistics, "budget_bytes")))
		RETURN_IF_ERROR(get_bytes(&whole, statistics, "budget_bytes", &snapshot->budget_bytes, err));
	RETURN_IF_ERROR(get_segments(path, root, snapshot, err));
	RETURN_IF_ERROR(get_blocks(path, root, snapshot, err));
	RETURN_IF_ERROR(get_events(path, root, snapshot, err));
	return clpac__snapshot_sum(snapshot, err);
}

clpac_status clpac_snapshot_read(const char *path, clpac_snapshot **out, clpac_error *err)
{
	NEED(path);
	NEED(out);
	clpac_status st = CLPAC_OK;
	json_t *root = NULL;
	clpac_snapshot *made;
	TRY(NEW(made));
	TRY(clpac__json_file_read(path, MOST_BYTES, "snapshot of a pool", &root, err));
	TRY(get_snapshot(path, root, made, err));
	*out = made;
	made = NULL;
done:
	clpac_snapshot_destroy(made);
	json_decref(root);
	return st;
}
