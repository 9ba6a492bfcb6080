/* The books of a range: where pieces go, what joins, and what is refused. */
#include "runner.h"

#include <clpac/memory/offsets.h>
#include <stdlib.h>
#include "assertions.h"

static clpac_offsets *open_books(uint64_t size)
{
	clpac_error err = {0};
	clpac_offsets *books = NULL;
	assert_works(clpac_offsets_create(size, &books, &err), err);
	return books;
}

static clpac_piece take_piece(clpac_offsets *books, uint64_t units, uint64_t alignment)
{
	clpac_piece piece = {0};
	ck_assert(clpac_offsets_take(books, units, alignment, &piece));
	ck_assert_uint_eq(piece.units, units);
	ck_assert_uint_eq(piece.offset % alignment, 0);
	return piece;
}

static void give_piece(clpac_offsets *books, clpac_piece piece)
{
	ck_assert(clpac_offsets_give(books, piece));
}

static void check_empty_and_close(clpac_offsets *books)
{
	ck_assert(clpac_offsets_check(books));
	ck_assert_uint_eq(clpac_offsets_used(books), 0);
	ck_assert_uint_eq(clpac_offsets_pieces(books), 0);
	ck_assert_uint_eq(clpac_offsets_free_pieces(books), 1);
	ck_assert_uint_eq(clpac_offsets_largest_free(books), clpac_offsets_size(books));
	clpac_offsets_destroy(books);
}

START_TEST(a_new_range_is_one_free_piece)
{
	const uint64_t sizes[] = {1, 2, 63, 64, 65, 1000, (uint64_t)1 << 40, CLPAC_OFFSETS_MAX_SIZE};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		clpac_offsets *books = open_books(sizes[i]);
		ck_assert_uint_eq(clpac_offsets_size(books), sizes[i]);
		ck_assert_uint_eq(clpac_offsets_free(books), sizes[i]);
		check_empty_and_close(books);
	}
}
END_TEST

START_TEST(a_range_of_no_size_or_too_large_a_one_is_refused)
{
	clpac_error err = {0};
	clpac_offsets *books = NULL;
	assert_refused(clpac_offsets_create(0, &books, &err), err, CLPAC_ERROR_ARGUMENT, "size is 0 units");
	assert_refused(clpac_offsets_create(CLPAC_OFFSETS_MAX_SIZE + 1, &books, &err), err, CLPAC_ERROR_ARGUMENT,
		       "it must be from 1 to 4611686018427387904");
	assert_refused(clpac_offsets_create(UINT64_MAX, &books, &err), err, CLPAC_ERROR_ARGUMENT,
		       "18446744073709551615");
	ck_assert_int_eq(clpac_offsets_create(0, &books, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(books);
	clpac_offsets_destroy(NULL);
}
END_TEST

START_TEST(the_whole_range_can_be_one_piece)
{
	const uint64_t sizes[] = {1, 63, 64, 1001, ((uint64_t)1 << 40) + 7, CLPAC_OFFSETS_MAX_SIZE};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		clpac_offsets *books = open_books(sizes[i]);
		clpac_piece whole = take_piece(books, sizes[i], (uint64_t)1 << 63), none;
		ck_assert_uint_eq(whole.offset, 0);
		ck_assert_uint_eq(clpac_offsets_free(books), 0);
		ck_assert_uint_eq(clpac_offsets_largest_free(books), 0);
		ck_assert_uint_eq(clpac_offsets_free_pieces(books), 0);
		ck_assert(!clpac_offsets_take(books, 1, 1, &none));
		ck_assert(clpac_offsets_check(books));
		give_piece(books, whole);
		check_empty_and_close(books);
	}
}
END_TEST

START_TEST(bad_requests_are_refused_and_change_nothing)
{
	clpac_offsets *books = open_books(1000);
	const struct {
		uint64_t units, alignment;
	} bad[] = {{0, 1},    {1, 0},	       {1, 3},		{1, 6}, {1, UINT64_MAX},
		   {1001, 1}, {UINT64_MAX, 1}, {UINT64_MAX, 8}, {0, 0}, {1001, (uint64_t)1 << 63}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		clpac_piece piece = {7, 8, 9};
		ck_assert_msg(!clpac_offsets_take(books, bad[i].units, bad[i].alignment, &piece), "request %zu", i);
		ck_assert(piece.offset == 7 && piece.units == 8 && piece.node == 9);
	}
	check_empty_and_close(books);
}
END_TEST

START_TEST(a_request_goes_to_the_smallest_hole_that_holds_it)
{
	/* Holes of 300, 100 and 200 units between pieces of one, and nothing else. */
	clpac_offsets *books = open_books(300 + 100 + 200 + 3);
	clpac_piece hole_300 = take_piece(books, 300, 1), wall = take_piece(books, 1, 1);
	clpac_piece hole_100 = take_piece(books, 100, 1), wall_2 = take_piece(books, 1, 1);
	clpac_piece hole_200 = take_piece(books, 200, 1), wall_3 = take_piece(books, 1, 1);
	ck_assert_uint_eq(clpac_offsets_free(books), 0);
	give_piece(books, hole_300);
	give_piece(books, hole_100);
	give_piece(books, hole_200);
	ck_assert_uint_eq(clpac_offsets_free_pieces(books), 3);
	ck_assert_uint_eq(clpac_offsets_largest_free(books), 300);

	clpac_piece a = take_piece(books, 150, 1), b = take_piece(books, 100, 1), c = take_piece(books, 250, 1);
	ck_assert_uint_eq(a.offset, hole_200.offset);
	ck_assert_uint_eq(b.offset, hole_100.offset);
	ck_assert_uint_eq(c.offset, hole_300.offset);
	const clpac_piece all[] = {a, b, c, wall, wall_2, wall_3};
	for (size_t i = 0; i < COUNT(all); i++)
		give_piece(books, all[i]);
	check_empty_and_close(books);
}
END_TEST

START_TEST(a_piece_joins_what_is_free_on_either_side)
{
	/* Four pieces, given back in every order. */
	for (unsigned order = 0; order < 256; order++) {
		unsigned turns[4], seen = 0;
		for (unsigned i = 0; i < 4; i++)
			seen |= 1u << (turns[i] = order >> 2 * i & 3);
		if (seen != 15)
			continue;
		clpac_offsets *books = open_books(100);
		clpac_piece pieces[4];
		bool is_free[6] = {false};
		for (unsigned i = 0; i < 4; i++)
			pieces[i] = take_piece(books, 25, 1);
		for (unsigned i = 0; i < 4; i++) {
			give_piece(books, pieces[turns[i]]);
			is_free[turns[i] + 1] = true;
			unsigned n_holes = 0;
			for (unsigned k = 1; k < 6; k++)
				n_holes += is_free[k - 1] && !is_free[k];
			ck_assert_uint_eq(clpac_offsets_free_pieces(books), n_holes);
			ck_assert(clpac_offsets_check(books));
		}
		check_empty_and_close(books);
	}
}
END_TEST

START_TEST(what_lies_before_an_aligned_piece_stays_free)
{
	clpac_offsets *books = open_books(1024);
	clpac_piece first = take_piece(books, 3, 1);
	ck_assert_uint_eq(first.offset, 0);
	clpac_piece aligned = take_piece(books, 10, 256);
	ck_assert_uint_eq(aligned.offset, 256);
	ck_assert_uint_eq(clpac_offsets_free(books), 1024 - 13);
	ck_assert_uint_eq(clpac_offsets_free_pieces(books), 2);
	clpac_piece gap = take_piece(books, 253, 1);
	ck_assert_uint_eq(gap.offset, 3);
	give_piece(books, aligned);
	give_piece(books, gap);
	give_piece(books, first);
	check_empty_and_close(books);
}
END_TEST

START_TEST(a_request_is_refused_only_where_no_hole_holds_it)
{
	/* Holes of 65 units, each at an odd offset: of the bin of 64, and more of them than are looked at before the
	 * bins above. */
	enum { N = 40, EACH = 66 };
	clpac_offsets *books = open_books(1 + N * EACH + 1);
	clpac_piece odd = take_piece(books, 1, 1), holes[N], walls[N];
	for (int i = 0; i < N; i++) {
		uint64_t offset = 1 + (uint64_t)i * EACH;
		holes[i] = take_piece(books, EACH - 1, 1);
		walls[i] = take_piece(books, 1, 1);
		ck_assert_uint_eq(holes[i].offset, offset);
	}
	clpac_piece rest = take_piece(books, 1, 1), piece;
	for (int i = 0; i < N; i++)
		give_piece(books, holes[i]);
	ck_assert_uint_eq(clpac_offsets_free_pieces(books), N);
	ck_assert(!clpac_offsets_take(books, 65, 2, &piece));
	ck_assert(!clpac_offsets_take(books, 66, 1, &piece));
	ck_assert(clpac_offsets_check(books));
	/* A multiple of 64 lies in nearly every hole, with 4 units behind it in most. */
	int n = 0;
	clpac_piece fours[N];
	while (n < N && clpac_offsets_take(books, 4, 64, &fours[n]))
		n++;
	int expected = 0;
	for (int i = 0; i < N; i++) {
		int start = 1 + i * EACH, aligned = (start + 63) / 64 * 64;
		expected += aligned + 4 <= start + EACH - 1;
	}
	ck_assert_int_eq(n, expected);
	ck_assert_int_lt(n, N);
	while (n)
		give_piece(books, fours[--n]);
	for (int i = 0; i < N; i++)
		give_piece(books, walls[i]);
	give_piece(books, rest);
	give_piece(books, odd);
	check_empty_and_close(books);
}
END_TEST

START_TEST(a_hole_of_nearly_the_size_is_found_behind_many_that_are_too_small)
{
	/* 128 to 131 share a bin; the one of 131 is the last of its list. */
	enum { N = 100 };
	clpac_offsets *books = open_books(131 + 1 + N * (128 + 1));
	clpac_piece large = take_piece(books, 131, 1), walls[N + 1], small[N];
	walls[N] = take_piece(books, 1, 1);
	for (int i = 0; i < N; i++) {
		small[i] = take_piece(books, 128, 1);
		walls[i] = take_piece(books, 1, 1);
	}
	give_piece(books, large);
	for (int i = 0; i < N; i++)
		give_piece(books, small[i]);
	ck_assert_uint_eq(clpac_offsets_largest_free(books), 131);
	clpac_piece found = take_piece(books, 130, 1), none;
	ck_assert_uint_eq(found.offset, large.offset);
	ck_assert(!clpac_offsets_take(books, 129, 1, &none));
	give_piece(books, found);
	for (int i = 0; i <= N; i++)
		give_piece(books, walls[i]);
	check_empty_and_close(books);
}
END_TEST

START_TEST(what_is_not_in_use_cannot_be_given_back)
{
	clpac_offsets *books = open_books(1000);
	clpac_piece piece = take_piece(books, 100, 1), other = take_piece(books, 50, 1), wrong;
	const clpac_piece none = {0, 0, 0}, far = {0, 100, UINT32_MAX}, unmade = {0, 100, 7};
	ck_assert(!clpac_offsets_give(books, none));
	ck_assert(!clpac_offsets_give(books, far));
	ck_assert(!clpac_offsets_give(books, unmade));
	wrong = piece, wrong.offset++;
	ck_assert(!clpac_offsets_give(books, wrong));
	wrong = piece, wrong.units--;
	ck_assert(!clpac_offsets_give(books, wrong));
	wrong = piece, wrong.node = other.node;
	ck_assert(!clpac_offsets_give(books, wrong));
	/* The free rest has a node too. */
	wrong = (clpac_piece){150, 850, 2};
	ck_assert(!clpac_offsets_give(books, wrong));
	ck_assert_uint_eq(clpac_offsets_used(books), 150);

	give_piece(books, piece);
	ck_assert(!clpac_offsets_give(books, piece));
	give_piece(books, other);
	ck_assert(!clpac_offsets_give(books, other));
	ck_assert(!clpac_offsets_give(books, piece));
	check_empty_and_close(books);
}
END_TEST

START_TEST(pieces_by_the_thousand_become_one_again)
{
	enum { N = 20000 };
	clpac_offsets *books = open_books(N);
	clpac_piece *pieces = malloc(N * sizeof *pieces), none;
	for (int i = 0; i < N; i++) {
		pieces[i] = take_piece(books, 1, 1);
		ck_assert_uint_eq(pieces[i].offset, i);
	}
	ck_assert(!clpac_offsets_take(books, 1, 1, &none));
	for (int i = 0; i < N; i += 2)
		give_piece(books, pieces[i]);
	ck_assert_uint_eq(clpac_offsets_free_pieces(books), N / 2);
	ck_assert_uint_eq(clpac_offsets_largest_free(books), 1);
	ck_assert(!clpac_offsets_take(books, 2, 1, &none));
	ck_assert(clpac_offsets_check(books));
	for (int i = 1; i < N; i += 2)
		give_piece(books, pieces[i]);
	check_empty_and_close(books);
	free(pieces);
}
END_TEST

START_TEST(the_same_calls_give_the_same_offsets)
{
	uint64_t sum[2] = {0, 0};
	for (int turn = 0; turn < 2; turn++) {
		clpac_offsets *books = open_books(100000);
		clpac_piece held[100] = {{0, 0, 0}};
		unsigned long long state = 5;
		for (unsigned n = 0; n < 5000; n++) {
			size_t i = random_below(&state, COUNT(held));
			if (held[i].units)
				give_piece(books, held[i]);
			held[i].units = 0;
			if (clpac_offsets_take(books, 1 + random_below(&state, 2000), 1u << random_below(&state, 9),
					       &held[i]))
				sum[turn] = sum[turn] * 31 + held[i].offset;
		}
		clpac_offsets_destroy(books);
	}
	ck_assert_uint_eq(sum[0], sum[1]);
	ck_assert_uint_ne(sum[0], 0);
}
END_TEST

START_TEST(books_that_the_host_has_no_memory_for_are_refused_whole)
{
	clpac_error err = {0};
	clpac_offsets *books = NULL;
	assert_survives_failing_allocations(clpac_offsets_create(1 << 20, &books, &err), clpac_offsets_destroy(books));
	ck_assert_int_eq(err.status, CLPAC_ERROR_NO_MEMORY);
}
END_TEST

START_TEST(a_request_without_host_memory_for_its_piece_is_refused_and_giving_needs_none)
{
	enum { N = 1000 };
	clpac_offsets *books = open_books(2 * N);
	clpac_piece pieces[N];
	int n = 0, n_refused = 0;
	while (n < N) {
		clpac__fail_allocation(1, true);
		bool is_taken = clpac_offsets_take(books, 1, 2, &pieces[n]);
		clpac__fail_allocation(0, false);
		if (!is_taken) {
			n_refused++;
			ck_assert(clpac_offsets_check(books));
			ck_assert_uint_eq(clpac_offsets_used(books), n);
			pieces[n] = take_piece(books, 1, 2);
		}
		n++;
	}
	ck_assert_int_gt(n_refused, 3);
	clpac__fail_allocation(1, true);
	while (n)
		give_piece(books, pieces[--n]);
	clpac__fail_allocation(0, false);
	check_empty_and_close(books);
}
END_TEST

Suite *suite(void)
{
	Suite *made = suite_create("offsets");
	TCase *books = tcase_create("books");
	tcase_add_test(books, a_new_range_is_one_free_piece);
	tcase_add_test(books, a_range_of_no_size_or_too_large_a_one_is_refused);
	tcase_add_test(books, the_whole_range_can_be_one_piece);
	tcase_add_test(books, bad_requests_are_refused_and_change_nothing);
	tcase_add_test(books, a_request_goes_to_the_smallest_hole_that_holds_it);
	tcase_add_test(books, a_piece_joins_what_is_free_on_either_side);
	tcase_add_test(books, what_lies_before_an_aligned_piece_stays_free);
	tcase_add_test(books, a_request_is_refused_only_where_no_hole_holds_it);
	tcase_add_test(books, a_hole_of_nearly_the_size_is_found_behind_many_that_are_too_small);
	tcase_add_test(books, what_is_not_in_use_cannot_be_given_back);
	tcase_add_test(books, pieces_by_the_thousand_become_one_again);
	tcase_add_test(books, the_same_calls_give_the_same_offsets);
	tcase_add_test(books, books_that_the_host_has_no_memory_for_are_refused_whole);
	tcase_add_test(books, a_request_without_host_memory_for_its_piece_is_refused_and_giving_needs_none);
	suite_add_tcase(made, books);
	return made;
}
