/* The picture of a pool's snapshot: what was asked for beside what there is, the segments with their pieces, who holds
 * how much, and the last events. */
#include "recording/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/sized.h"
#include "recording/plot/plot_axes.h"
#include "recording/plot/plot_colours.h"
#include "recording/plot/plot_page.h"

enum { MOST_ROWS = 40, MOST_BLOCK_ROWS = 6, N_TAGS = 6, MOST_EVENTS = 9 };

static const double width = 540, margin = 12, row_step = 13, row_height = 9, label_width = 74, right_width = 112;
static const clpac__text_style title_style = {.size = 12, .is_bold = true},
			       heading_style = {.size = 9, .is_bold = true}, text_style = {.size = 8},
			       small_style = {.size = 7};
static const clpac__text_style right_style = {.size = 7, .align = CLPAC__RIGHT};
static const clpac__colour refused_colour = {0.80, 0.15, 0.12}, cached_colour = {0.84, 0.84, 0.84},
			   other_colour = {0.55, 0.60, 0.68}, free_colour = {1, 1, 1};

/* The colour of the tag that holds so many others' more: six steps of viridis, then one for all others. */
static clpac__colour tag_colour(size_t holder)
{
	return holder < N_TAGS ? clpac__viridis(0.05 + 0.17 * (double)holder) : other_colour;
}

static void set_colour(cairo_t *cairo, clpac__colour colour)
{
	cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

static void fill(cairo_t *cairo, clpac__colour colour, clpac__box box)
{
	set_colour(cairo, colour);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_fill(cairo);
}

static void outline(cairo_t *cairo, clpac__colour colour, double line, clpac__box box)
{
	set_colour(cairo, colour);
	cairo_set_line_width(cairo, line);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_stroke(cairo);
}

static double part_of(uint64_t bytes, uint64_t all)
{
	return all ? fmin((double)bytes / (double)all, 1) : 0;
}

/* --- The budget ------------------------------------------------------------------------------- */

/* One line: its name, a bar whose full width is `all`, and its bytes. */
static void draw_line(cairo_t *cairo, double y, const char *name, uint64_t bytes, uint64_t all, clpac__colour colour,
		      bool is_hollow)
{
	char text[CLPAC__SNAPSHOT_BYTES];
	const double x = margin + 100, whole = width - 2 * margin - 100 - 60;
	const clpac__box bar = {x, y, fmax(whole * part_of(bytes, all), 0.8), row_height};
	clpac__draw_text(cairo, text_style, margin, y + row_height - 1.5, name);
	if (is_hollow)
		outline(cairo, colour, 1, bar);
	else
		fill(cairo, colour, bar);
	clpac__draw_text(cairo, text_style, bar.x + bar.width + 4, y + row_height - 1.5,
			 clpac__snapshot_bytes(bytes, text));
}

static uint64_t largest_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the y below. */
static double draw_budget(cairo_t *cairo, const clpac_snapshot *snapshot, double y)
{
	const bool is_limited = snapshot->budget_bytes != UINT64_MAX;
	uint64_t all = largest_of(snapshot->in_use_bytes, snapshot->cached_bytes);
	all = largest_of(largest_of(all, snapshot->free_bytes), is_limited ? snapshot->budget_bytes : 0);
	if (snapshot->refused.is_there)
		all = largest_of(all, snapshot->refused.class_bytes);
	const struct {
		const char *name;
		uint64_t bytes;
		clpac__colour colour;
		bool is_there, is_hollow;
	} lines[] = {
		{"budget", snapshot->budget_bytes, clpac__colour_ink, is_limited, true},
		{"in use", snapshot->in_use_bytes, clpac__colour_bar, true, false},
		{"cached", snapshot->cached_bytes, cached_colour, true, false},
		{"free in segments", snapshot->free_bytes, clpac__colour_faint, true, true},
		{"largest free piece", snapshot->largest_free_bytes, refused_colour, true, true},
		{"asked for", snapshot->refused.class_bytes, refused_colour, snapshot->refused.is_there, false},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (lines[i].is_there) {
			draw_line(cairo, y, lines[i].name, lines[i].bytes, all, lines[i].colour, lines[i].is_hollow);
			y += row_step;
		}
	return y;
}

/* --- Segments --------------------------------------------------------------------------------- */

static clpac__colour piece_colour(const clpac__snapshot_piece *piece)
{
	if (piece->state == CLPAC__SNAPSHOT_IN_USE)
		return tag_colour(piece->holder);
	return piece->state == CLPAC__SNAPSHOT_BUSY ? other_colour : cached_colour;
}

/* Pieces beside each other are told apart by a white line where they are wide enough. */
static void draw_piece(cairo_t *cairo, clpac__box row, double scale, uint64_t offset,
		       const clpac__snapshot_piece *piece)
{
	clpac__box box = {row.x + scale * (double)offset, row.y, scale * (double)piece->bytes, row.height};
	if (box.width > 2.5)
		box.width -= 0.6;
	fill(cairo, piece_colour(piece), box);
}

static void draw_segment(cairo_t *cairo, const clpac_snapshot *snapshot, size_t index, double y, uint64_t widest)
{
	const clpac__snapshot_segment *segment = &snapshot->segments[index];
	const double scale = (width - 2 * margin - label_width - right_width) / (double)widest;
	const clpac__box row = {margin + label_width, y, scale * (double)segment->bytes, row_height};
	char text[128], bytes[CLPAC__SNAPSHOT_BYTES];
	snprintf(text, sizeof text, "%" PRIu64 " %s, queue %u", segment->number, segment->is_small ? "small" : "large",
		 segment->queue);
	clpac__draw_text_within(cairo, small_style, margin, y + row_height - 2, label_width - 3, text);
	fill(cairo, free_colour, row);
	for (size_t i = 0; i < segment->n_pieces; i++) {
		const clpac__snapshot_piece *piece = &snapshot->pieces[segment->first_piece + i];
		draw_piece(cairo, row, scale, piece->offset, piece);
	}
	outline(cairo, clpac__colour_faint, 0.5, row);
	if (index == snapshot->largest_free_segment)
		outline(cairo, refused_colour, 1.6,
			(clpac__box){row.x + scale * (double)segment->largest_free_offset, y,
				     fmax(scale * (double)segment->largest_free_bytes, 0.8), row_height});
	const double used = 1 - part_of(segment->free_bytes, segment->bytes);
	snprintf(text, sizeof text, "%d %% taken, %s free", (int)(100 * used + 0.5),
		 clpac__snapshot_bytes(segment->free_bytes, bytes));
	clpac__draw_text(cairo, right_style, width - margin, y + row_height - 2, text);
}

/* Blocks outside of segments, side by side, in rows. */
static double draw_blocks(cairo_t *cairo, const clpac_snapshot *snapshot, double y, uint64_t widest)
{
	const double scale = (width - 2 * margin - label_width - right_width) / (double)widest;
	clpac__box row = {margin + label_width, y, 0, row_height};
	uint64_t at = 0;
	size_t n_rows = 1, n_drawn = 0, n = 0;
	char text[96], bytes[CLPAC__SNAPSHOT_BYTES];
	for (size_t i = 0; i < snapshot->n_blocks; i++)
		n += !snapshot->blocks[i].is_on_host;
	if (!n)
		return y;
	for (size_t i = 0; i < snapshot->n_blocks && n_rows <= MOST_BLOCK_ROWS; i++) {
		const clpac__snapshot_piece *block = &snapshot->blocks[i];
		if (block->is_on_host)
			continue;
		if (at && at + block->bytes > widest) {
			if (++n_rows > MOST_BLOCK_ROWS)
				break;
			at = 0;
			row.y += row_step;
		}
		draw_piece(cairo, row, scale, at, block);
		at += block->bytes;
		n_drawn++;
	}
	clpac__draw_text_within(cairo, small_style, margin, y + row_height - 2, label_width - 3, "no segment");
	snprintf(text, sizeof text, "%zu blocks, %s%s", n, clpac__snapshot_bytes(snapshot->block_bytes, bytes),
		 n_drawn < n ? ", not all drawn" : "");
	clpac__draw_text(cairo, right_style, width - margin, y + row_height - 2, text);
	return row.y + row_step;
}

/* Whether a segment is drawn: all are, or the ones with the most free bytes, where one is at least as free. */
static int by_free_bytes(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x < y) - (x > y);
}

static clpac_status choose_rows(const clpac_snapshot *snapshot, size_t rows[MOST_ROWS], size_t *n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t least = 0;
	size_t n_above = 0;
	uint64_t *free_bytes;
	TRY(NEW_ARRAY(free_bytes, snapshot->n_segments + 1));
	for (size_t i = 0; i < snapshot->n_segments; i++)
		free_bytes[i] = snapshot->segments[i].free_bytes;
	if (snapshot->n_segments > MOST_ROWS) {
		qsort(free_bytes, snapshot->n_segments, sizeof *free_bytes, by_free_bytes);
		least = free_bytes[MOST_ROWS - 1];
		while (free_bytes[n_above] > least)
			n_above++;
	}
	size_t n_at_least = MOST_ROWS - n_above; /* of those that are as free as the last one */
	*n = 0;
	for (size_t i = 0; i < snapshot->n_segments && *n < MOST_ROWS; i++) {
		const uint64_t bytes = snapshot->segments[i].free_bytes;
		if (bytes > least || (bytes == least && n_at_least)) {
			n_at_least -= bytes == least;
			rows[(*n)++] = i;
		}
	}
done:
	clpac__free(free_bytes);
	return st;
}

static uint64_t widest_row(const clpac_snapshot *snapshot, const size_t *rows, size_t n)
{
	uint64_t widest = 1;
	for (size_t i = 0; i < n; i++)
		widest = largest_of(widest, snapshot->segments[rows[i]].bytes);
	for (size_t i = 0; i < snapshot->n_blocks; i++)
		if (!snapshot->blocks[i].is_on_host)
			widest = largest_of(widest, snapshot->blocks[i].bytes);
	return widest;
}

static double draw_map(cairo_t *cairo, const clpac_snapshot *snapshot, const size_t *rows, size_t n, double y)
{
	const uint64_t widest = widest_row(snapshot, rows, n);
	char text[160];
	clpac__draw_text(cairo, heading_style, margin, y + 8, "Segments");
	snprintf(text, sizeof text,
		 n < snapshot->n_segments ? "the %zu of %zu with the most free bytes; red: the largest free piece"
					  : "each bar is one, as long as it is large; red: the largest free piece",
		 n, snapshot->n_segments);
	clpac__draw_text(cairo, small_style, margin + label_width, y + 8, text);
	y += 14;
	for (size_t i = 0; i < n; i++, y += row_step)
		draw_segment(cairo, snapshot, rows[i], y, widest);
	return draw_blocks(cairo, snapshot, y, widest);
}

/* --- Who, and when ---------------------------------------------------------------------------- */

static void draw_swatch(cairo_t *cairo, clpac__colour colour, double x, double y)
{
	const clpac__box box = {x, y + 1, 8, row_height - 2};
	fill(cairo, colour, box);
	outline(cairo, clpac__colour_faint, 0.4, box);
}

static double draw_holder(cairo_t *cairo, double y, clpac__colour colour, const char *tag, uint64_t bytes, uint64_t n)
{
	char text[96], number[CLPAC__SNAPSHOT_BYTES];
	draw_swatch(cairo, colour, margin, y);
	clpac__draw_text_within(cairo, text_style, margin + 12, y + row_height - 1.5, 100, tag);
	snprintf(text, sizeof text, "%s in %" PRIu64, clpac__snapshot_bytes(bytes, number), n);
	clpac__draw_text(cairo, (clpac__text_style){.size = 8, .align = CLPAC__RIGHT}, margin + 190,
			 y + row_height - 1.5, text);
	return y + row_step;
}

static double draw_holders(cairo_t *cairo, const clpac_snapshot *snapshot, double y)
{
	uint64_t bytes = 0, n = 0;
	clpac__draw_text(cairo, heading_style, margin, y + 8, "In use by");
	clpac__draw_text(cairo, (clpac__text_style){.size = 7, .align = CLPAC__RIGHT}, margin + 190, y + 8,
			 "bytes in buffers");
	y += 14;
	for (size_t i = 0; i < snapshot->n_holders && i < N_TAGS; i++)
		y = draw_holder(cairo, y, tag_colour(i),
				*snapshot->holders[i].tag ? snapshot->holders[i].tag : "(no tag)",
				snapshot->holders[i].bytes, snapshot->holders[i].n_buffers);
	for (size_t i = N_TAGS; i < snapshot->n_holders; i++) {
		bytes += snapshot->holders[i].bytes;
		n += snapshot->holders[i].n_buffers;
	}
	if (n)
		y = draw_holder(cairo, y, other_colour, "others", bytes, n);
	draw_swatch(cairo, cached_colour, margin, y);
	clpac__draw_text(cairo, text_style, margin + 12, y + row_height - 1.5, "cached");
	draw_swatch(cairo, free_colour, margin + 70, y);
	clpac__draw_text(cairo, text_style, margin + 82, y + row_height - 1.5, "free");
	return y + row_step;
}

static void draw_event(cairo_t *cairo, const clpac__snapshot_event *event, uint64_t end_ns, double x, double y)
{
	static const struct {
		double x;
		clpac__align align;
	} columns[] = {{42, CLPAC__RIGHT}, {50, CLPAC__LEFT}, {150, CLPAC__RIGHT}, {158, CLPAC__LEFT}};
	char time[32], what[48], bytes[CLPAC__SNAPSHOT_BYTES];
	const bool is_release = event->operation == CLPAC_TRACE_RELEASE;
	snprintf(time, sizeof time, "\u2212%" PRIu64 " \u00b5s", (end_ns - event->time_ns) / 1000);
	snprintf(what, sizeof what, "%s%s%s", is_release ? "release" : "allocate", is_release ? "" : ", ",
		 clpac__snapshot_outcome(event->outcome));
	const char *texts[] = {time, what, clpac__snapshot_bytes(event->bytes, bytes), event->tag};
	if (event->outcome == CLPAC_TRACE_REFUSED)
		fill(cairo, refused_colour, (clpac__box){x - 4, y, 2, row_height});
	for (size_t i = 0; i < 3; i++)
		clpac__draw_text(cairo, (clpac__text_style){.size = 7, .align = columns[i].align}, x + columns[i].x,
				 y + row_height - 2, texts[i]);
	clpac__draw_text_within(cairo, small_style, x + columns[3].x, y + row_height - 2,
				width - margin - x - columns[3].x, texts[3]);
}

static double draw_events(cairo_t *cairo, const clpac_snapshot *snapshot, double y)
{
	const double x = margin + 216;
	char text[96];
	if (!snapshot->n_events)
		return y;
	const size_t n = snapshot->n_events < MOST_EVENTS ? snapshot->n_events : MOST_EVENTS;
	clpac__draw_text(cairo, heading_style, x, y + 8, "Last events");
	snprintf(text, sizeof text, "%zu of %" PRIu64, n, snapshot->n_events + snapshot->n_events_before);
	clpac__draw_text(cairo, right_style, width - margin, y + 8, text);
	y += 14;
	for (size_t i = snapshot->n_events - n; i < snapshot->n_events; i++, y += row_step)
		draw_event(cairo, &snapshot->events[i], snapshot->events[snapshot->n_events - 1].time_ns, x, y);
	return y;
}

/* --- The page --------------------------------------------------------------------------------- */

static void make_title(const clpac_snapshot *snapshot, const char *given, char *title, size_t size)
{
	char bytes[CLPAC__SNAPSHOT_BYTES];
	if (given)
		snprintf(title, size, "%s", given);
	else if (snapshot->refused.is_there)
		snprintf(title, size, "Refused: %s for \u201c%s\u201d",
			 clpac__snapshot_bytes(snapshot->refused.bytes, bytes), snapshot->refused.tag);
	else
		snprintf(title, size, "A pool, on request");
}

/* Returns the y below the drawing. */
static double draw(cairo_t *cairo, const clpac_snapshot *snapshot, const size_t *rows, size_t n_rows, const char *title)
{
	double y = margin;
	clpac__draw_text_within(cairo, title_style, margin, y + 10, width - 2 * margin, title);
	clpac__draw_text_within(cairo, small_style, margin, y + 22, width - 2 * margin, snapshot->device);
	y = draw_budget(cairo, snapshot, y + 30) + 6;
	y = draw_map(cairo, snapshot, rows, n_rows, y) + 6;
	return fmax(draw_holders(cairo, snapshot, y), draw_events(cairo, snapshot, y)) + margin - 4;
}

/* Drawn to nothing: how high the drawing is. */
static double find_height(const clpac_snapshot *snapshot, const size_t *rows, size_t n_rows)
{
	cairo_surface_t *nothing =
		cairo_recording_surface_create(CAIRO_CONTENT_COLOR, &(cairo_rectangle_t){0, 0, 1, 1});
	cairo_t *cairo = cairo_create(nothing);
	const double height = draw(cairo, snapshot, rows, n_rows, "");
	cairo_destroy(cairo);
	cairo_surface_destroy(nothing);
	return height;
}

clpac_status clpac_snapshot_plot(const clpac_snapshot *snapshot, const char *path, const clpac_plot_options *options,
				 clpac_error *err)
{
	NEED(snapshot);
	NEED(path);
	clpac_status st = CLPAC_OK;
	clpac__page *page = NULL;
	clpac_plot_options own;
	size_t rows[MOST_ROWS], n_rows = 0;
	char title[512];
	TRY(clpac__take_sized(&own, options, clpac_plot_options, err));
	TRY(choose_rows(snapshot, rows, &n_rows, err));
	make_title(snapshot, own.title, title, sizeof title);
	TRY(clpac__page_open(path, own.overwrite, own.set, width, find_height(snapshot, rows, n_rows), title, &page,
			     err));
	draw(clpac__page_cairo(page), snapshot, rows, n_rows, title);
	TRY(clpac__page_commit(page, err));
done:
	clpac__page_discard(page);
	return st;
}
