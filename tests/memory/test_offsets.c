/* Offsets within a range: where pieces go, which holes join, and which requests are refused. */
#include "runner.h"

#include <clpac/memory/offsets.h>
#include <stdlib.h>
#include "assertions.h"
#include "memory/pool/blocks/offsets_parts.h"

static clpac_offsets *open_range(uint64_t size)
{
	clpac_error err = {0};
	clpac_offsets *range = NULL;
	assert_works(clpac_offsets_create(size, &range, &err), err);
	return range;
}

static clpac_piece take_piece(clpac_offsets *range, uint64_t units, uint64_t alignment)
{
	clpac_piece piece = {0};
	ck_assert(clpac_offsets_take(range, units, alignment, &piece));
	ck_assert_uint_eq(piece.units, units);
	ck_assert_uint_eq(piece.offset % alignment, 0);
	return piece;
}

static void give_piece(clpac_offsets *range, clpac_piece piece)
{
	ck_assert(clpac_offsets_give(range, piece));
}

static void check_empty_and_close(clpac_offsets *range)
{
	ck_assert(clpac_offsets_check(range));
	ck_assert_uint_eq(clpac_offsets_used(range), 0);
	ck_assert_uint_eq(clpac_offsets_pieces(range), 0);
	ck_assert_uint_eq(clpac_offsets_free_pieces(range), 1);
	ck_assert_uint_eq(clpac_offsets_largest_free(range), clpac_offsets_size(range));
	clpac_offsets_destroy(range);
}

TEST(a_new_range_is_one_free_piece)
{
	const uint64_t sizes[] = {1, 2, 63, 64, 65, 1000, (uint64_t)1 << 40, CLPAC_OFFSETS_MAX_SIZE};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		clpac_offsets *range = open_range(sizes[i]);
		ck_assert_uint_eq(clpac_offsets_size(range), sizes[i]);
		ck_assert_uint_eq(clpac_offsets_free(range), sizes[i]);
		check_empty_and_close(range);
	}
}

TEST(a_range_of_no_size_or_too_large_a_one_is_refused)
{
	clpac_error err = {0};
	clpac_offsets *range = NULL;
	assert_refused(clpac_offsets_create(0, &range, &err), err, CLPAC_ERROR_ARGUMENT, "size is 0 units");
	assert_refused(clpac_offsets_create(CLPAC_OFFSETS_MAX_SIZE + 1, &range, &err), err, CLPAC_ERROR_ARGUMENT,
		       "it must be from 1 to 4611686018427387904");
	assert_refused(clpac_offsets_create(UINT64_MAX, &range, &err), err, CLPAC_ERROR_ARGUMENT,
		       "18446744073709551615");
	ck_assert_int_eq(clpac_offsets_create(0, &range, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(range);
	clpac_offsets_destroy(NULL);
}

TEST(the_whole_range_can_be_one_piece)
{
	const uint64_t sizes[] = {1, 63, 64, 1001, ((uint64_t)1 << 40) + 7, CLPAC_OFFSETS_MAX_SIZE};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		clpac_offsets *range = open_range(sizes[i]);
		clpac_piece whole = take_piece(range, sizes[i], (uint64_t)1 << 63), none;
		ck_assert_uint_eq(whole.offset, 0);
		ck_assert_uint_eq(clpac_offsets_free(range), 0);
		ck_assert_uint_eq(clpac_offsets_largest_free(range), 0);
		ck_assert_uint_eq(clpac_offsets_free_pieces(range), 0);
		ck_assert(!clpac_offsets_take(range, 1, 1, &none));
		ck_assert(clpac_offsets_check(range));
		give_piece(range, whole);
		check_empty_and_close(range);
	}
}

TEST(bad_requests_are_refused_and_change_nothing)
{
	clpac_offsets *range = open_range(1000);
	const struct {
		uint64_t units, alignment;
	} bad[] = {{0, 1},    {1, 0},	       {1, 3},		{1, 6}, {1, UINT64_MAX},
		   {1001, 1}, {UINT64_MAX, 1}, {UINT64_MAX, 8}, {0, 0}, {1001, (uint64_t)1 << 63}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		clpac_piece piece = {7, 8, 9};
		ck_assert_msg(!clpac_offsets_take(range, bad[i].units, bad[i].alignment, &piece), "request %zu", i);
		ck_assert(piece.offset == 7 && piece.units == 8 && piece.node == 9);
	}
	check_empty_and_close(range);
}

TEST(a_request_goes_to_the_smallest_hole_that_holds_it)
{
	/* Holes of 300, 100 and 200 units between pieces of one unit; nothing else is free. */
	clpac_offsets *range = open_range(300 + 100 + 200 + 3);
	clpac_piece hole_300 = take_piece(range, 300, 1), wall = take_piece(range, 1, 1);
	clpac_piece hole_100 = take_piece(range, 100, 1), wall_2 = take_piece(range, 1, 1);
	clpac_piece hole_200 = take_piece(range, 200, 1), wall_3 = take_piece(range, 1, 1);
	ck_assert_uint_eq(clpac_offsets_free(range), 0);
	give_piece(range, hole_300);
	give_piece(range, hole_100);
	give_piece(range, hole_200);
	ck_assert_uint_eq(clpac_offsets_free_pieces(range), 3);
	ck_assert_uint_eq(clpac_offsets_largest_free(range), 300);

	clpac_piece a = take_piece(range, 150, 1), b = take_piece(range, 100, 1), c = take_piece(range, 250, 1);
	ck_assert_uint_eq(a.offset, hole_200.offset);
	ck_assert_uint_eq(b.offset, hole_100.offset);
	ck_assert_uint_eq(c.offset, hole_300.offset);
	const clpac_piece all[] = {a, b, c, wall, wall_2, wall_3};
	for (size_t i = 0; i < COUNT(all); i++)
		give_piece(range, all[i]);
	check_empty_and_close(range);
}

TEST(a_piece_joins_what_is_free_on_either_side)
{
	/* Four pieces, given back in every order. */
	for (unsigned order = 0; order < 256; order++) {
		unsigned turns[4], seen = 0;
		for (unsigned i = 0; i < 4; i++)
			seen |= 1u << (turns[i] = order >> 2 * i & 3);
		if (seen != 15)
			continue;
		clpac_offsets *range = open_range(100);
		clpac_piece pieces[4];
		bool is_free[6] = {false};
		for (unsigned i = 0; i < 4; i++)
			pieces[i] = take_piece(range, 25, 1);
		for (unsigned i = 0; i < 4; i++) {
			give_piece(range, pieces[turns[i]]);
			is_free[turns[i] + 1] = true;
			unsigned n_holes = 0;
			for (unsigned k = 1; k < 6; k++)
				n_holes += is_free[k - 1] && !is_free[k];
			ck_assert_uint_eq(clpac_offsets_free_pieces(range), n_holes);
			ck_assert(clpac_offsets_check(range));
		}
		check_empty_and_close(range);
	}
}

TEST(what_lies_before_an_aligned_piece_stays_free)
{
	clpac_offsets *range = open_range(1024);
	clpac_piece first = take_piece(range, 3, 1);
	ck_assert_uint_eq(first.offset, 0);
	clpac_piece aligned = take_piece(range, 10, 256);
	ck_assert_uint_eq(aligned.offset, 256);
	ck_assert_uint_eq(clpac_offsets_free(range), 1024 - 13);
	ck_assert_uint_eq(clpac_offsets_free_pieces(range), 2);
	clpac_piece gap = take_piece(range, 253, 1);
	ck_assert_uint_eq(gap.offset, 3);
	give_piece(range, aligned);
	give_piece(range, gap);
	give_piece(range, first);
	check_empty_and_close(range);
}

TEST(a_request_is_refused_only_where_no_hole_holds_it)
{
	/* Holes of 65 units, each at an odd offset: all in the bin of 64, and more than the search tries before it
	 * turns to the bins above. */
	enum { N = 40, EACH = 66 };
	clpac_offsets *range = open_range(1 + N * EACH + 1);
	clpac_piece odd = take_piece(range, 1, 1), holes[N], walls[N];
	for (int i = 0; i < N; i++) {
		uint64_t offset = 1 + (uint64_t)i * EACH;
		holes[i] = take_piece(range, EACH - 1, 1);
		walls[i] = take_piece(range, 1, 1);
		ck_assert_uint_eq(holes[i].offset, offset);
	}
	clpac_piece rest = take_piece(range, 1, 1), piece;
	for (int i = 0; i < N; i++)
		give_piece(range, holes[i]);
	ck_assert_uint_eq(clpac_offsets_free_pieces(range), N);
	ck_assert(!clpac_offsets_take(range, 65, 2, &piece));
	ck_assert(!clpac_offsets_take(range, 66, 1, &piece));
	ck_assert(clpac_offsets_check(range));
	/* Nearly every hole holds a multiple of 64, and most have 4 units behind it. */
	int n = 0;
	clpac_piece fours[N];
	while (n < N && clpac_offsets_take(range, 4, 64, &fours[n]))
		n++;
	int expected = 0;
	for (int i = 0; i < N; i++) {
		int start = 1 + i * EACH, aligned = (start + 63) / 64 * 64;
		expected += aligned + 4 <= start + EACH - 1;
	}
	ck_assert_int_eq(n, expected);
	ck_assert_int_lt(n, N);
	while (n)
		give_piece(range, fours[--n]);
	for (int i = 0; i < N; i++)
		give_piece(range, walls[i]);
	give_piece(range, rest);
	give_piece(range, odd);
	check_empty_and_close(range);
}

TEST(a_hole_of_nearly_the_size_is_found_behind_many_that_are_too_small)
{
	/* 128 to 131 share a bin; the hole of 131 is the last in its list. */
	enum { N = 100 };
	clpac_offsets *range = open_range(131 + 1 + N * (128 + 1));
	clpac_piece large = take_piece(range, 131, 1), walls[N + 1], small[N];
	walls[N] = take_piece(range, 1, 1);
	for (int i = 0; i < N; i++) {
		small[i] = take_piece(range, 128, 1);
		walls[i] = take_piece(range, 1, 1);
	}
	give_piece(range, large);
	for (int i = 0; i < N; i++)
		give_piece(range, small[i]);
	ck_assert_uint_eq(clpac_offsets_largest_free(range), 131);
	clpac_piece found = take_piece(range, 130, 1), none;
	ck_assert_uint_eq(found.offset, large.offset);
	ck_assert(!clpac_offsets_take(range, 129, 1, &none));
	give_piece(range, found);
	for (int i = 0; i <= N; i++)
		give_piece(range, walls[i]);
	check_empty_and_close(range);
}

TEST(what_is_not_in_use_cannot_be_given_back)
{
	clpac_offsets *range = open_range(1000);
	clpac_piece piece = take_piece(range, 100, 1), other = take_piece(range, 50, 1), wrong;
	const clpac_piece none = {0, 0, 0}, far = {0, 100, UINT32_MAX}, unmade = {0, 100, 7};
	ck_assert(!clpac_offsets_give(range, none));
	ck_assert(!clpac_offsets_give(range, far));
	ck_assert(!clpac_offsets_give(range, unmade));
	wrong = piece, wrong.offset++;
	ck_assert(!clpac_offsets_give(range, wrong));
	wrong = piece, wrong.units--;
	ck_assert(!clpac_offsets_give(range, wrong));
	wrong = piece, wrong.node = other.node;
	ck_assert(!clpac_offsets_give(range, wrong));
	/* The free rest has a node too. */
	wrong = (clpac_piece){150, 850, 2};
	ck_assert(!clpac_offsets_give(range, wrong));
	ck_assert_uint_eq(clpac_offsets_used(range), 150);

	give_piece(range, piece);
	ck_assert(!clpac_offsets_give(range, piece));
	give_piece(range, other);
	ck_assert(!clpac_offsets_give(range, other));
	ck_assert(!clpac_offsets_give(range, piece));
	check_empty_and_close(range);
}

TEST(pieces_by_the_thousand_become_one_again)
{
	enum { N = 20000 };
	clpac_offsets *range = open_range(N);
	clpac_piece *pieces = malloc(N * sizeof *pieces), none;
	for (int i = 0; i < N; i++) {
		pieces[i] = take_piece(range, 1, 1);
		ck_assert_uint_eq(pieces[i].offset, i);
	}
	ck_assert(!clpac_offsets_take(range, 1, 1, &none));
	for (int i = 0; i < N; i += 2)
		give_piece(range, pieces[i]);
	ck_assert_uint_eq(clpac_offsets_free_pieces(range), N / 2);
	ck_assert_uint_eq(clpac_offsets_largest_free(range), 1);
	ck_assert(!clpac_offsets_take(range, 2, 1, &none));
	ck_assert(clpac_offsets_check(range));
	for (int i = 1; i < N; i += 2)
		give_piece(range, pieces[i]);
	check_empty_and_close(range);
	free(pieces);
}

TEST(the_same_calls_give_the_same_offsets)
{
	uint64_t sum[2] = {0, 0};
	for (int turn = 0; turn < 2; turn++) {
		clpac_offsets *range = open_range(100000);
		clpac_piece held[100] = {{0, 0, 0}};
		unsigned long long state = 5;
		for (unsigned n = 0; n < 5000; n++) {
			size_t i = random_below(&state, COUNT(held));
			if (held[i].units)
				give_piece(range, held[i]);
			held[i].units = 0;
			if (clpac_offsets_take(range, 1 + random_below(&state, 2000), 1u << random_below(&state, 9),
					       &held[i]))
				sum[turn] = sum[turn] * 31 + held[i].offset;
		}
		clpac_offsets_destroy(range);
	}
	ck_assert_uint_eq(sum[0], sum[1]);
	ck_assert_uint_ne(sum[0], 0);
}

TEST(books_that_the_host_has_no_memory_for_are_refused_whole)
{
	clpac_error err = {0};
	clpac_offsets *range = NULL;
	assert_survives_failing_allocations(clpac_offsets_create(1 << 20, &range, &err), clpac_offsets_destroy(range));
	ck_assert_int_eq(err.status, CLPAC_ERROR_NO_MEMORY);
}

TEST(a_request_without_host_memory_for_its_piece_is_refused_and_giving_needs_none)
{
	enum { N = 1000 };
	clpac_offsets *range = open_range(2 * N);
	clpac_piece pieces[N];
	int n = 0, n_refused = 0;
	while (n < N) {
		clpac__fail_allocation(1, true);
		bool is_taken = clpac_offsets_take(range, 1, 2, &pieces[n]);
		clpac__fail_allocation(0, false);
		if (!is_taken) {
			n_refused++;
			ck_assert(clpac_offsets_check(range));
			ck_assert_uint_eq(clpac_offsets_used(range), n);
			pieces[n] = take_piece(range, 1, 2);
		}
		n++;
	}
	ck_assert_int_gt(n_refused, 3);
	clpac__fail_allocation(1, true);
	while (n)
		give_piece(range, pieces[--n]);
	clpac__fail_allocation(0, false);
	check_empty_and_close(range);
}

TEST(every_bin_begins_at_its_smallest_size)
{
	for (unsigned bin = 1; bin < 58 * BINS_PER_ROW; bin++) {
		const uint64_t units = clpac__bin_units(bin);
		ck_assert_uint_eq(clpac__bin_of(units), bin);
		ck_assert_uint_eq(clpac__bin_of(units - 1), bin - 1);
	}
}
