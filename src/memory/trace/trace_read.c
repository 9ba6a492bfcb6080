/* Reading a trace: the whole file in memory, split into fields in place. */
#include "memory/trace/trace_hooks.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/regular_file.h"

/* --- Slots for the live buffers -------------------------------------------------------------- */

/* Slots for the live buffers of a trace: small numbers in place of ids; the slot freed last is used next.  A
 * hash table with linear probing (Knuth, TAOCP 3, 6.4: algorithms L and R). */
typedef struct live_slots {
	struct slot_entry {
		uint64_t id;
		size_t slot; /* SIZE_MAX: empty */
	} * entries;	     /* indexed by the id's hash */
	size_t n, capacity;  /* a power of two, or 0 */
	size_t *free_slots;
	size_t n_free, n_slots;
} live_slots; /* zeroed: none */

/* The finaliser of splitmix64 (Vigna, public domain): ids may be addresses or multiples of a step. */
static size_t home_of(const live_slots *slots, uint64_t id)
{
	id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
	id = (id ^ id >> 27) * 0x94d049bb133111ebu;
	return (size_t)(id ^ id >> 31) & (slots->capacity - 1);
}

/* Position of an id, or where it would be inserted.  At least half of the entries are empty. */
static size_t position(const live_slots *slots, uint64_t id)
{
	size_t i = home_of(slots, id);
	while (slots->entries[i].slot != SIZE_MAX && slots->entries[i].id != id)
		i = (i + 1) & (slots->capacity - 1);
	return i;
}

static bool grow(live_slots *slots)
{
	live_slots larger = *slots;
	larger.capacity = slots->capacity ? 2 * slots->capacity : 256;
	larger.entries = clpac__alloc_array(larger.capacity, sizeof *larger.entries);
	/* Enough for all slots in use until the next growth. */
	size_t *free_slots = clpac__realloc_array(slots->free_slots, larger.capacity / 2, sizeof *free_slots);
	if (free_slots)
		slots->free_slots = larger.free_slots = free_slots;
	if (!larger.entries || !free_slots) {
		clpac__free(larger.entries);
		return false;
	}
	for (size_t i = 0; i < larger.capacity; i++)
		larger.entries[i].slot = SIZE_MAX;
	for (size_t i = 0; i < slots->capacity; i++)
		if (slots->entries[i].slot != SIZE_MAX)
			larger.entries[position(&larger, slots->entries[i].id)] = slots->entries[i];
	clpac__free(slots->entries);
	*slots = larger;
	return true;
}

/* False: no host memory. */
static bool slots_take(live_slots *slots, uint64_t id, size_t *slot)
{
	if (slots->n >= slots->capacity / 2 && !grow(slots))
		return false;
	*slot = slots->n_free ? slots->free_slots[--slots->n_free] : slots->n_slots++;
	slots->entries[position(slots, id)] = (struct slot_entry){id, *slot};
	slots->n++;
	return true;
}

/* SIZE_MAX: no such id. */
static size_t slots_find(const live_slots *slots, uint64_t id)
{
	return slots->n ? slots->entries[position(slots, id)].slot : SIZE_MAX;
}

static size_t slots_give(live_slots *slots, uint64_t id)
{
	if (!slots->n)
		return SIZE_MAX;
	size_t hole = position(slots, id), mask = slots->capacity - 1, slot = slots->entries[hole].slot;
	if (slot == SIZE_MAX)
		return slot;
	slots->free_slots[slots->n_free++] = slot;
	slots->n--;
	/* An entry behind the hole that may stand in it moves up. */
	for (size_t i = (hole + 1) & mask; slots->entries[i].slot != SIZE_MAX; i = (i + 1) & mask) {
		size_t home = home_of(slots, slots->entries[i].id);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			slots->entries[hole] = slots->entries[i];
			hole = i;
		}
	}
	slots->entries[hole].slot = SIZE_MAX;
	return slot;
}

static void slots_free(live_slots *slots)
{
	FREE_ALL(slots->entries, slots->free_slots);
	*slots = (live_slots){0};
}

/* --- Reading --------------------------------------------------------------------------------- */

const char *const clpac__trace_operations[] = {[CLPAC_TRACE_ALLOCATE] = "allocate", [CLPAC_TRACE_RELEASE] = "release"};
_Static_assert(sizeof clpac__trace_operations / sizeof *clpac__trace_operations == CLPAC_TRACE_OPERATIONS,
	       "one word per operation");

const char *const clpac__trace_outcomes[] = {
	[CLPAC_TRACE_NONE] = "",     [CLPAC_TRACE_HIT] = "hit",		[CLPAC_TRACE_MISS] = "miss",
	[CLPAC_TRACE_HOST] = "host", [CLPAC_TRACE_REFUSED] = "refused",
};
_Static_assert(sizeof clpac__trace_outcomes / sizeof *clpac__trace_outcomes == CLPAC_TRACE_OUTCOMES,
	       "one word per outcome");

enum column { TIME, THREAD, OPERATION, ID, BYTES, CLASS, QUEUE, TAG, OUTCOME, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"time_ns",	   "thread", "operation", "id",	    "bytes",
						    "class_bytes", "queue",  "tag",	  "outcome"};
enum { MAX_FIELDS = 64 };

struct reader {
	const char *path;
	char *at; /* the next line */
	unsigned long line;
	size_t field_of[N_COLUMNS]; /* SIZE_MAX: missing */
	size_t n_fields;
};

static clpac_status read_file(const char *path, char **out, size_t *n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	size_t length = 0, capacity = 0, got;
	FILE *file = NULL;
	TRY(clpac__regular_file_open(path, "trace: cannot read", &file, err));
	do {
		if (capacity - length < 2) {
			size_t larger = capacity ? 2 * capacity : 1 << 16;
			TRY(GROW(text, larger));
			capacity = larger;
		}
		got = fread(text + length, 1, capacity - length - 1, file);
		/* At once, since a file of zero bytes may be longer than any disk. */
		const char *zero = memchr(text + length, 0, got);
		if (zero)
			FAIL(CLPAC_ERROR_FORMAT, "trace: %s has a zero byte at byte %zu: give a CSV text file", path,
			     (size_t)(zero - text));
		length += got;
	} while (got);
	if (ferror(file)) {
		st = clpac__fail_system(err, errno, "trace: cannot read %s", path);
		goto done;
	}
	text[length] = 0;
	*out = text;
	*n = length;
	text = NULL;
done:
	if (file)
		fclose(file);
	clpac__free(text);
	return st;
}

/* Splits one field off and terminates it with a NUL. *ends_line: it was the last one of its line or of the text.
 * False: an unmatched quotation mark, or text behind a closing one. */
static bool cut_field(char **at, char **field, bool *ends_line, unsigned long *line)
{
	char *from = *at, *to = *at;
	if (*from == '"') {
		*field = to = ++from;
		while (*from && (*from != '"' || from[1] == '"')) {
			*line += *from == '\n';
			from += *from == '"';
			*to++ = *from++;
		}
		if (!*from++)
			return false;
	} else {
		*field = from;
		/* Not strcspn: sanitizers measure its whole argument, the rest of the file. */
		while (*from && *from != ',' && *from != '\r' && *from != '\n')
			from++;
		to = from;
	}
	char end = *from;
	if (end && end != ',' && end != '\r' && end != '\n')
		return false;
	*ends_line = end != ',';
	*line += *ends_line && end;
	from += end == '\r' && from[1] == '\n' ? 2 : end != 0;
	*to = 0;
	*at = from;
	return true;
}

/* Splits one line.  *n is 0 for an empty line. */
static clpac_status cut_line(struct reader *reader, char *fields[MAX_FIELDS], size_t *n, clpac_error *err)
{
	unsigned long line = reader->line + 1;
	bool ends_line = false;
	for (*n = 0; !ends_line; ++*n) {
		if (*n == MAX_FIELDS)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "trace: %s:%lu has more than %d fields", reader->path, line,
				     MAX_FIELDS);
		if (!cut_field(&reader->at, &fields[*n], &ends_line, &reader->line))
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "trace: %s:%lu: field %zu has an unmatched quotation mark",
				     reader->path, line, *n + 1);
	}
	if (*n == 1 && !*fields[0])
		*n = 0;
	return CLPAC_OK;
}

static clpac_status read_head(struct reader *reader, clpac_error *err)
{
	char *fields[MAX_FIELDS];
	if (!strncmp(reader->at, "\xef\xbb\xbf", 3)) /* a byte order mark, as spreadsheets write it */
		reader->at += 3;
	RETURN_IF_ERROR(cut_line(reader, fields, &reader->n_fields, err));
	for (int column = 0; column < N_COLUMNS; column++) {
		size_t i = 0;
		while (i < reader->n_fields && strcmp(fields[i], column_names[column]))
			i++;
		reader->field_of[column] = i < reader->n_fields ? i : SIZE_MAX;
		if (i == reader->n_fields && (column == OPERATION || column == ID || column == BYTES))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "trace: the head of %s names no column \"%s\"; wanted is " CLPAC__TRACE_HEAD,
				     reader->path, column_names[column]);
	}
	return CLPAC_OK;
}

static const char *field_text(const struct reader *reader, char *const *fields, enum column column)
{
	return reader->field_of[column] == SIZE_MAX ? NULL : fields[reader->field_of[column]];
}

static clpac_status field_number(const struct reader *reader, char *const *fields, enum column column, uint64_t most,
				 uint64_t *out, clpac_error *err)
{
	const char *text = field_text(reader, fields, column), *at = text;
	uint64_t number = 0;
	for (; at && *at >= '0' && *at <= '9'; at++) {
		unsigned digit = (unsigned)(*at - '0');
		if (number > (most - digit) / 10)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "trace: %s:%lu: %s of %.24s is too large", reader->path,
				     reader->line, column_names[column], text);
		number = 10 * number + digit;
	}
	if (text && (at == text || *at))
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "trace: %s:%lu: %s is \"%.24s\", which is no number", reader->path,
			     reader->line, column_names[column], text);
	*out = number;
	return CLPAC_OK;
}

static clpac_status field_word(const struct reader *reader, char *const *fields, enum column column,
			       const char *const *words, int n, int missing, int *out, clpac_error *err)
{
	const char *text = field_text(reader, fields, column);
	int i = text ? 0 : missing;
	while (text && i < n && strcmp(words[i], text))
		i++;
	if (i == n)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "trace: %s:%lu: \"%.24s\" is no %s", reader->path, reader->line, text,
			     column_names[column]);
	*out = i;
	return CLPAC_OK;
}

static clpac_status read_event(const struct reader *reader, char *const *fields, clpac_trace_event *out,
			       clpac_error *err)
{
	uint64_t thread, queue;
	int operation = 0, outcome = 0;
	RETURN_IF_ERROR(field_number(reader, fields, TIME, UINT64_MAX, &out->time_ns, err));
	RETURN_IF_ERROR(field_number(reader, fields, THREAD, UINT32_MAX, &thread, err));
	RETURN_IF_ERROR(field_number(reader, fields, QUEUE, UINT32_MAX, &queue, err));
	RETURN_IF_ERROR(field_number(reader, fields, ID, UINT64_MAX, &out->id, err));
	RETURN_IF_ERROR(field_number(reader, fields, BYTES, SIZE_MAX, &out->bytes, err));
	RETURN_IF_ERROR(field_number(reader, fields, CLASS, UINT64_MAX, &out->class_bytes, err));
	RETURN_IF_ERROR(field_word(reader, fields, OPERATION, clpac__trace_operations, CLPAC_TRACE_OPERATIONS, 0,
				   &operation, err));
	RETURN_IF_ERROR(field_word(reader, fields, OUTCOME, clpac__trace_outcomes, CLPAC_TRACE_OUTCOMES,
				   CLPAC_TRACE_NONE, &outcome, err));
	out->operation = (clpac_trace_operation)operation;
	out->outcome = (clpac_trace_outcome)outcome;
	if (out->operation == CLPAC_TRACE_RELEASE)
		out->outcome = CLPAC_TRACE_NONE;
	else if (out->outcome == CLPAC_TRACE_NONE)
		out->outcome = CLPAC_TRACE_MISS;
	out->thread = (uint32_t)thread;
	out->queue = (uint32_t)queue;
	const char *tag = field_text(reader, fields, TAG);
	out->tag = tag ? tag : "";
	return CLPAC_OK;
}

static clpac_status give_slot(const struct reader *reader, live_slots *slots, clpac_trace_event *event,
			      clpac_error *err)
{
	if (event->operation == CLPAC_TRACE_RELEASE) {
		event->slot = slots_give(slots, event->id);
		return CLPAC_OK;
	}
	if (slots_find(slots, event->id) != SIZE_MAX)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "trace: %s:%lu: buffer %llu is allocated before it was released",
			     reader->path, reader->line, (unsigned long long)event->id);
	if (!slots_take(slots, event->id, &event->slot))
		RETURN_NO_MEMORY(sizeof *slots->entries * slots->capacity);
	if (event->outcome == CLPAC_TRACE_REFUSED)
		slots_give(slots, event->id);
	return CLPAC_OK;
}

clpac_status clpac_trace_read(const char *path, clpac_trace *out, clpac_error *err)
{
	NEED(path, out);
	clpac_status st = CLPAC_OK;
	clpac_trace trace = {0};
	live_slots slots = {0};
	size_t length = 0, capacity = 0, n_fields;
	char *fields[MAX_FIELDS];
	TRY(read_file(path, &trace.tags, &length, err));
	struct reader reader = {.path = path, .at = trace.tags};
	TRY(read_head(&reader, err));
	while (*reader.at) {
		TRY(cut_line(&reader, fields, &n_fields, err));
		if (!n_fields)
			continue;
		if (n_fields != reader.n_fields)
			FAIL(CLPAC_ERROR_FORMAT, "trace: %s:%lu has %zu fields; the head has %zu", path, reader.line,
			     n_fields, reader.n_fields);
		TRY(ROOM_FOR_ONE(trace.events, trace.n, capacity, 1024));
		TRY(read_event(&reader, fields, &trace.events[trace.n], err));
		TRY(give_slot(&reader, &slots, &trace.events[trace.n], err));
		trace.n++;
	}
	trace.n_slots = slots.n_slots;
	*out = trace;
	trace = (clpac_trace){0};
done:
	slots_free(&slots);
	clpac_trace_free(&trace);
	return st;
}

void clpac_trace_free(clpac_trace *trace)
{
	if (!trace)
		return;
	FREE_ALL(trace->events, trace->tags);
	*trace = (clpac_trace){0};
}
