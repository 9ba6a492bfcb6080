/* A snapshot's sums, who holds its memory, and all that as text. */
#include "recording/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/bytes.h"
#include "base/clean.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

enum { SHOWN_SEGMENTS = 24, SHOWN_HOLDERS = 12, SHOWN_EVENTS = 12 };

/* --- Sums ------------------------------------------------------------------------------------- */

static void add(uint64_t *sum, uint64_t bytes)
{
	*sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
}

static void sum_piece(clpac_snapshot *snapshot, const clpac__snapshot_piece *piece)
{
	if (piece->is_on_host)
		add(&snapshot->host_bytes, piece->bytes);
	else if (piece->state == CLPAC__SNAPSHOT_IN_USE || piece->state == CLPAC__SNAPSHOT_BUSY)
		add(&snapshot->in_use_bytes, piece->bytes);
	else
		add(&snapshot->cached_bytes, piece->bytes);
}

/* The gap before `end`, behind what ended at `begin`. */
static void sum_gap(clpac__snapshot_segment *segment, uint64_t begin, uint64_t end)
{
	segment->free_bytes += end - begin;
	if (end - begin > segment->largest_free_bytes) {
		segment->largest_free_bytes = end - begin;
		segment->largest_free_offset = begin;
	}
}

static void sum_segment(clpac_snapshot *snapshot, size_t index)
{
	clpac__snapshot_segment *segment = &snapshot->segments[index];
	const clpac__snapshot_piece *pieces = snapshot->pieces + segment->first_piece;
	uint64_t end = 0;
	segment->free_bytes = segment->largest_free_bytes = segment->largest_free_offset = 0;
	for (size_t i = 0; i < segment->n_pieces; i++) {
		sum_piece(snapshot, &pieces[i]);
		sum_gap(segment, end, pieces[i].offset);
		end = pieces[i].offset + pieces[i].bytes;
	}
	sum_gap(segment, end, segment->bytes);
	add(&snapshot->free_bytes, segment->free_bytes);
	add(&snapshot->segment_bytes, segment->bytes);
	if (segment->largest_free_bytes > snapshot->largest_free_bytes) {
		snapshot->largest_free_bytes = segment->largest_free_bytes;
		snapshot->largest_free_segment = index;
	}
}

/* --- Holders ---------------------------------------------------------------------------------- */

static int by_tag(const void *a, const void *b)
{
	const clpac__snapshot_piece *x = *(clpac__snapshot_piece *const *)a, *y = *(clpac__snapshot_piece *const *)b;
	return strcmp(x->tag, y->tag);
}

static int by_bytes(const void *a, const void *b)
{
	const clpac__snapshot_holder *x = a, *y = b;
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : strcmp(x->tag, y->tag);
}

static size_t add_in_use(clpac__snapshot_piece *pieces, size_t n, clpac__snapshot_piece **out)
{
	size_t added = 0;
	for (size_t i = 0; i < n; i++)
		if (pieces[i].state == CLPAC__SNAPSHOT_IN_USE && !pieces[i].is_on_host)
			out[added++] = &pieces[i];
	return added;
}

static int compare_tags(const void *a, const void *b)
{
	const clpac__snapshot_holder *x = *(const clpac__snapshot_holder *const *)a,
				     *y = *(const clpac__snapshot_holder *const *)b;
	return strcmp(x->tag, y->tag);
}

/* Groups the pieces in use by tag, and tells each the place of its group. */
static clpac_status find_holders(clpac_snapshot *snapshot, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t most = snapshot->n_pieces + snapshot->n_blocks + 1;
	clpac__snapshot_piece **order = clpac__alloc_array(most, sizeof *order);
	clpac__snapshot_holder **ranks = clpac__alloc_array(most, sizeof *ranks);
	clpac__snapshot_holder *holders = clpac__alloc_array(most, sizeof *holders);
	size_t n, n_holders = 0;
	if (!order || !ranks || !holders)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the holders of %zu blocks", most - 1);
	n = add_in_use(snapshot->pieces, snapshot->n_pieces, order);
	n += add_in_use(snapshot->blocks, snapshot->n_blocks, order + n);
	qsort(order, n, sizeof *order, by_tag);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(order[i - 1]->tag, order[i]->tag) != 0)
			holders[n_holders++].tag = order[i]->tag;
		add(&holders[n_holders - 1].bytes, order[i]->bytes);
		holders[n_holders - 1].n_buffers++;
	}
	qsort(holders, n_holders, sizeof *holders, by_bytes);
	for (size_t i = 0; i < n_holders; i++)
		ranks[i] = &holders[i];
	qsort(ranks, n_holders, sizeof *ranks, compare_tags);
	for (size_t i = 0, k = 0; i < n; i++) {
		k += strcmp(ranks[k]->tag, order[i]->tag) != 0; /* both are in the order of tags */
		order[i]->holder = (size_t)(ranks[k] - holders);
	}
	snapshot->holders = holders;
	snapshot->n_holders = n_holders;
	holders = NULL;
done:
	clpac__free(order);
	clpac__free(ranks);
	clpac__free(holders);
	return st;
}

clpac_status clpac__snapshot_sum(clpac_snapshot *snapshot, clpac_error *err)
{
	snapshot->largest_free_segment = SIZE_MAX;
	for (size_t i = 0; i < snapshot->n_segments; i++)
		sum_segment(snapshot, i);
	for (size_t i = 0; i < snapshot->n_blocks; i++) {
		sum_piece(snapshot, &snapshot->blocks[i]);
		if (!snapshot->blocks[i].is_on_host)
			add(&snapshot->block_bytes, snapshot->blocks[i].bytes);
	}
	return find_holders(snapshot, err);
}

/* --- Text ------------------------------------------------------------------------------------- */

const char *clpac__snapshot_bytes(uint64_t bytes, char text[CLPAC__SNAPSHOT_BYTES])
{
	double value = (double)bytes;
	size_t unit = 0;
	char number[CLPAC__NUMBER_SIZE];
	for (; value >= 999.5 && unit + 1 < CLPAC__N_BYTE_UNITS; unit++)
		value /= 1024;
	/* Tenths by integers: no decimal comma, whatever the locale. */
	if (unit && value < 99.95)
		snprintf(number, sizeof number, "%d.%d", (int)(10 * value + 0.5) / 10, (int)(10 * value + 0.5) % 10);
	else
		snprintf(number, sizeof number, "%d", (int)(value + 0.5));
	snprintf(text, CLPAC__SNAPSHOT_BYTES, "%s %s", number, clpac__byte_units[unit]);
	return text;
}

static const char *const outcome_words[] = {
	[CLPAC_TRACE_NONE] = "",     [CLPAC_TRACE_HIT] = "hit",		[CLPAC_TRACE_MISS] = "miss",
	[CLPAC_TRACE_HOST] = "host", [CLPAC_TRACE_REFUSED] = "refused",
};
_Static_assert(sizeof outcome_words / sizeof *outcome_words == CLPAC_TRACE_OUTCOMES, "one word per outcome");

const char *clpac__snapshot_outcome(clpac_trace_outcome outcome)
{
	return outcome_words[outcome];
}

static void add_bytes(clpac__text *text, const char *words, uint64_t bytes)
{
	char number[CLPAC__SNAPSHOT_BYTES];
	clpac__text_add(text, "%-24s%s\n", words, clpac__snapshot_bytes(bytes, number));
}

static void add_refused(clpac__text *text, const clpac_snapshot *snapshot)
{
	char bytes[CLPAC__SNAPSHOT_BYTES], class_bytes[CLPAC__SNAPSHOT_BYTES];
	if (!snapshot->refused.is_there) {
		clpac__text_add(text, "Written on request, of a pool on %s\n", snapshot->device);
		return;
	}
	clpac__text_add(text, "Refused: %s (class %s) for \"%s\", on %s\n%s\n",
			clpac__snapshot_bytes(snapshot->refused.bytes, bytes),
			clpac__snapshot_bytes(snapshot->refused.class_bytes, class_bytes), snapshot->refused.tag,
			snapshot->device, snapshot->refused.why);
}

static void add_sums(clpac__text *text, const clpac_snapshot *snapshot)
{
	if (snapshot->budget_bytes == UINT64_MAX)
		clpac__text_add(text, "\n%-24sno limit known\n", "budget");
	else
		clpac__text_add(text, "\n"), add_bytes(text, "budget", snapshot->budget_bytes);
	add_bytes(text, "in use", snapshot->in_use_bytes);
	add_bytes(text, "cached", snapshot->cached_bytes);
	add_bytes(text, "free in segments", snapshot->free_bytes);
	add_bytes(text, "largest free piece", snapshot->largest_free_bytes);
	if (snapshot->host_bytes)
		add_bytes(text, "on the host", snapshot->host_bytes);
}

static void add_segments(clpac__text *text, const clpac_snapshot *snapshot)
{
	char bytes[CLPAC__SNAPSHOT_BYTES], free_bytes[CLPAC__SNAPSHOT_BYTES], largest[CLPAC__SNAPSHOT_BYTES];
	if (!snapshot->n_segments)
		return;
	clpac__text_add(text, "\n%-9s%-7s%7s%12s%9s%12s%14s\n", "segment", "kind", "queue", "bytes", "pieces", "free",
			"largest free");
	for (size_t i = 0; i < snapshot->n_segments && i < SHOWN_SEGMENTS; i++) {
		const clpac__snapshot_segment *segment = &snapshot->segments[i];
		clpac__text_add(text, "%-9" PRIu64 "%-7s%7u%12s%9zu%12s%14s\n", segment->number,
				segment->is_small ? "small" : "large", segment->queue,
				clpac__snapshot_bytes(segment->bytes, bytes), segment->n_pieces,
				clpac__snapshot_bytes(segment->free_bytes, free_bytes),
				clpac__snapshot_bytes(segment->largest_free_bytes, largest));
	}
	if (snapshot->n_segments > SHOWN_SEGMENTS)
		clpac__text_add(text, "and %zu more segments\n", snapshot->n_segments - SHOWN_SEGMENTS);
	if (snapshot->n_blocks)
		clpac__text_add(text, "%zu blocks of their own memory, %s\n", snapshot->n_blocks,
				clpac__snapshot_bytes(snapshot->block_bytes, bytes));
}

static void add_holders(clpac__text *text, const clpac_snapshot *snapshot)
{
	char bytes[CLPAC__SNAPSHOT_BYTES];
	if (snapshot->n_holders)
		clpac__text_add(text, "\n%-32s%9s%12s\n", "in use by", "buffers", "bytes");
	for (size_t i = 0; i < snapshot->n_holders && i < SHOWN_HOLDERS; i++)
		clpac__text_add(text, "%-32s%9" PRIu64 "%12s\n", snapshot->holders[i].tag,
				snapshot->holders[i].n_buffers,
				clpac__snapshot_bytes(snapshot->holders[i].bytes, bytes));
	if (snapshot->n_holders > SHOWN_HOLDERS)
		clpac__text_add(text, "and %zu more tags\n", snapshot->n_holders - SHOWN_HOLDERS);
}

static void add_events(clpac__text *text, const clpac_snapshot *snapshot)
{
	char bytes[CLPAC__SNAPSHOT_BYTES];
	const size_t first = snapshot->n_events > SHOWN_EVENTS ? snapshot->n_events - SHOWN_EVENTS : 0;
	if (!snapshot->n_events)
		return;
	clpac__text_add(text, "\n%-15s%-10s%-9s%12s  %s\n", "before the end", "event", "outcome", "bytes", "tag");
	const uint64_t end = snapshot->events[snapshot->n_events - 1].time_ns;
	for (size_t i = first; i < snapshot->n_events; i++) {
		const clpac__snapshot_event *event = &snapshot->events[i];
		clpac__text_add(text, "%11" PRIu64 " us %-10s%-9s%12s  %s\n", (end - event->time_ns) / 1000,
				event->operation == CLPAC_TRACE_RELEASE ? "release" : "allocate",
				outcome_words[event->outcome], clpac__snapshot_bytes(event->bytes, bytes), event->tag);
	}
}

clpac_status clpac_snapshot_text(const clpac_snapshot *snapshot, char **out, clpac_error *err)
{
	NEED(snapshot);
	NEED_AS(out, "text");
	clpac__text text = {0};
	add_refused(&text, snapshot);
	add_sums(&text, snapshot);
	add_segments(&text, snapshot);
	add_holders(&text, snapshot);
	add_events(&text, snapshot);
	char *made = clpac__text_take(&text);
	if (!made)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the text of a snapshot");
	*out = made;
	return CLPAC_OK;
}

void clpac_snapshot_destroy(clpac_snapshot *snapshot)
{
	if (!snapshot)
		return;
	clpac__free(snapshot->segments);
	clpac__free(snapshot->pieces);
	clpac__free(snapshot->blocks);
	clpac__free(snapshot->events);
	clpac__free(snapshot->holders);
	clpac__free(snapshot);
}
