/* The picture of a pool's snapshot: each piece of a segment lies where its bytes do, in the colour of its tag. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/snapshot.h>

#include "assertions.h"
#include "drawn_maps.h"
#include "files.h"

/* Where segments are drawn, in points, on a page of 540. */
static const double page = 540, left = 12 + 74, right = 540 - 12 - 112;

static picture draw_snapshot(const char *segments)
{
	char text[4000];
	clpac_snapshot *snapshot = NULL;
	clpac_error err;
	picture made;
	snprintf(text, sizeof text,
		 "{\"format\": \"clpac pool snapshot\", \"format_version\": 1, \"device\": \"d\", \"refused\": null, "
		 "\"statistics\": "
		 "{\"budget_bytes\": 100000}, \"segments\": [%s], \"blocks\": [], \"n_events_before\": 0, "
		 "\"events\": []}",
		 segments);
	assert_works(clpac_snapshot_read(files_write_text("x.json", text), &snapshot, &err), err);
	assert_works(clpac_snapshot_plot(snapshot, files_path("x.png"), &(clpac_plot_options){.overwrite = true}, &err),
		     err);
	clpac_snapshot_destroy(snapshot);
	made.surface = cairo_image_surface_create_from_png(files_path("x.png"));
	ck_assert_int_eq(cairo_surface_status(made.surface), CAIRO_STATUS_SUCCESS);
	made.width = cairo_image_surface_get_width(made.surface);
	made.height = cairo_image_surface_get_height(made.surface);
	return made;
}

/* Whether a pixel has a colour, which drawing rounds in its own way. */
static bool is_of(uint32_t pixel, clpac__colour colour)
{
	const uint32_t wanted = rgb(colour);
	for (int shift = 0; shift <= 16; shift += 8)
		if (abs((int)(pixel >> shift & 255) - (int)(wanted >> shift & 255)) > 1)
			return false;
	return true;
}

/* The columns of a colour within the segments, as their first and last, and how many there are. */
typedef struct columns {
	int first, last, n;
} columns;

static columns columns_of(const picture *picture, clpac__colour colour)
{
	const double scale = picture->width / page;
	columns found = {.first = -1};
	for (int x = (int)(left * scale); x < (int)(right * scale) + 2; x++) {
		bool has = false;
		for (int y = 0; y < picture->height && !has; y++)
			has = is_of(pixel(picture, x, y), colour);
		if (!has)
			continue;
		found.first = found.first < 0 ? x : found.first;
		found.last = x;
		found.n++;
	}
	return found;
}

/* A column that lies so many points right of the segments' begin.  Half an outline of 1.6 points may lie on a piece, or
 * a line of 0.6 be left out of it, and pixels of its edge have another colour. */
static void assert_at(const picture *picture, int column, double points)
{
	const double found = column * page / picture->width - left;
	ck_assert_msg(found > points - 1.4 && found < points + 0.8, "at %.2f points, not %.2f", found, points);
}

#define PIECE(offset, bytes, tag)                                                                                      \
	"{\"offset\": " #offset ", \"bytes\": " #bytes ", \"state\": \"in_use\", \"requested_bytes\": " #bytes         \
	", \"tag\": \"" tag "\"}"
#define SEGMENT(number, bytes, pieces)                                                                                 \
	"{\"number\": " #number ", \"bytes\": " #bytes ", \"is_small\": false, \"queue\": 0, \"pieces\": [" pieces "]" \
	"}"

START_TEST(pieces_lie_where_their_bytes_do)
{
	picture made = draw_snapshot(SEGMENT(1, 100, PIECE(0, 25, "a") ", " PIECE(50, 20, "b")));
	const double scale = (right - left) / 100;
	const columns a = columns_of(&made, clpac__viridis(0.05)), b = columns_of(&made, clpac__viridis(0.22));
	assert_at(&made, a.first, 0);
	assert_at(&made, a.last, 25 * scale);
	assert_at(&made, b.first, 50 * scale);
	assert_at(&made, b.last, 70 * scale);
	cairo_surface_destroy(made.surface);
}
END_TEST

/* The white columns between two pieces, in the middle of the row. */
static int count_white(const picture *picture, columns between)
{
	int n = 0;
	for (int x = between.first; x <= between.last; x++) {
		int top = 0, bottom = picture->height - 1;
		while (top < bottom && !is_of(pixel(picture, between.first + 5, top), clpac__viridis(0.05)))
			top++;
		while (bottom > top && !is_of(pixel(picture, between.first + 5, bottom), clpac__viridis(0.05)))
			bottom--;
		n += pixel(picture, x, (top + bottom) / 2) == 0xffffff;
	}
	return n;
}

START_TEST(pieces_of_one_tag_are_told_apart)
{
	picture one = draw_snapshot(SEGMENT(1, 100, PIECE(0, 50, "a")));
	picture two = draw_snapshot(SEGMENT(1, 100, PIECE(0, 25, "a") ", " PIECE(25, 25, "a")));
	const columns whole = columns_of(&one, clpac__viridis(0.05)), halves = columns_of(&two, clpac__viridis(0.05));
	ck_assert_int_eq(whole.first, halves.first);
	ck_assert_int_eq(whole.last, halves.last);
	ck_assert_int_eq(whole.n, whole.last - whole.first + 1);
	ck_assert_int_eq(count_white(&one, whole), 0);
	ck_assert_int_ge(count_white(&two, halves), 1);
	ck_assert_int_gt(halves.n, whole.n - 6);
	cairo_surface_destroy(one.surface);
	cairo_surface_destroy(two.surface);
}
END_TEST

/* Thin ones would vanish behind the lines. */
START_TEST(thin_pieces_are_drawn_whole)
{
	picture made = draw_snapshot(SEGMENT(1, 1000, PIECE(0, 7, "a") ", " PIECE(7, 7, "a") ", " PIECE(14, 7, "a")));
	const columns a = columns_of(&made, clpac__viridis(0.05));
	const double scale = (right - left) / 1000;
	assert_at(&made, a.last, 21 * scale);
	ck_assert_int_ge(a.n, a.last - a.first - 1); /* edges between pixels aside */
	cairo_surface_destroy(made.surface);
}
END_TEST

START_TEST(segments_are_as_long_as_they_are_large)
{
	picture made = draw_snapshot(SEGMENT(1, 100, PIECE(0, 100, "a")) ", " SEGMENT(2, 50, PIECE(0, 50, "b")));
	const columns a = columns_of(&made, clpac__viridis(0.05)), b = columns_of(&made, clpac__viridis(0.22));
	assert_at(&made, a.last, right - left);
	assert_at(&made, b.last, (right - left) / 2);
	cairo_surface_destroy(made.surface);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("picture of a snapshot");
	TCase *tests = tcase_create("segments");
	tcase_add_checked_fixture(tests, files_begin, files_end);
	tcase_add_test(tests, pieces_lie_where_their_bytes_do);
	tcase_add_test(tests, pieces_of_one_tag_are_told_apart);
	tcase_add_test(tests, thin_pieces_are_drawn_whole);
	tcase_add_test(tests, segments_are_as_long_as_they_are_large);
	suite_add_tcase(suite, tests);
	return suite;
}
