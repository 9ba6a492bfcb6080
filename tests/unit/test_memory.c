/* Host allocations: overflow, zeroed memory, pages, failures on demand. */
#include "runner.h"
#include "assertions.h"
#include <stdint.h>

TEST(sizes_that_overflow_are_told)
{
	size_t out = 5;
	ck_assert(!clpac__size_add(SIZE_MAX, 1, &out));
	ck_assert(!clpac__size_mul(SIZE_MAX / 2, 3, &out));
	ck_assert(!clpac__size_mul((size_t)1 << 32, (size_t)1 << 32, &out));
	ck_assert_uint_eq(out, 5);
	ck_assert(clpac__size_add(SIZE_MAX - 1, 1, &out));
	ck_assert_uint_eq(out, SIZE_MAX);
	ck_assert(clpac__size_mul(SIZE_MAX, 1, &out));
	ck_assert_uint_eq(out, SIZE_MAX);
	ck_assert(clpac__size_mul(SIZE_MAX, 0, &out));
	ck_assert_uint_eq(out, 0);
}

TEST(an_array_that_overflows_is_refused)
{
	ck_assert_ptr_null(clpac__alloc_array(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(clpac__realloc_array(NULL, SIZE_MAX / 2, 3));
	ck_assert_ptr_null(clpac__alloc_pages(SIZE_MAX));
}

TEST(nothing_can_be_allocated_and_freed)
{
	void *a = clpac__alloc(0), *b = clpac__alloc_zero(0), *c = clpac__alloc_array(0, 8), *d = clpac__alloc_pages(0);
	ck_assert(a && b && c && d);
	clpac__free(a);
	clpac__free(b);
	clpac__free(c);
	clpac__free_pages(d);
	clpac__free(NULL);
	clpac__free_pages(NULL);
}

TEST(arrays_start_as_zeroes)
{
	unsigned char *bytes = clpac__alloc_array(1000, 3);
	for (size_t i = 0; i < 3000; i++)
		ck_assert_uint_eq(bytes[i], 0);
	clpac__free(bytes);
}

TEST(pages_are_aligned)
{
	for (size_t bytes = 1; bytes < 100000; bytes = bytes * 3 + 1) {
		void *pages = clpac__alloc_pages(bytes);
		ck_assert_ptr_nonnull(pages);
		ck_assert_uint_eq((uintptr_t)pages % 4096, 0);
		memset(pages, 1, bytes);
		clpac__free_pages(pages);
	}
}

static bool works(void *pointer)
{
	clpac__free(pointer);
	return pointer != NULL;
}

TEST(the_chosen_allocation_fails_and_the_next_works)
{
	clpac__fail_allocation(2, false);
	ck_assert(works(clpac__alloc(1)));
	ck_assert(!works(clpac__alloc_zero(1)));
	ck_assert(works(clpac__strdup("a")));
	ck_assert_uint_eq(clpac__count_allocations(), 3);
	clpac__fail_allocation(0, false);
}

TEST(a_sticky_failure_stays)
{
	clpac__fail_allocation(2, true);
	ck_assert(works(clpac__alloc(1)));
	ck_assert(!works(clpac__alloc_array(1, 1)));
	ck_assert(!works(clpac__realloc_array(NULL, 1, 1)));
	ck_assert(!works(clpac__alloc_pages(1)));
	clpac__fail_allocation(0, false);
	ck_assert(works(clpac__alloc(1)));
}

TEST(a_failed_realloc_leaves_the_old_block)
{
	char *old = clpac__strdup("kept");
	clpac__fail_allocation(1, false);
	ck_assert_ptr_null(clpac__realloc_array(old, 100, 1));
	clpac__fail_allocation(0, false);
	ck_assert_str_eq(old, "kept");
	clpac__free(old);
}

TEST(rounding_up_reaches_the_next_multiple)
{
	for (size_t multiple = 1; multiple < 70; multiple++) {
		for (size_t value = 0; value < 300; value++) {
			size_t up = clpac__round_up(value, multiple);
			ck_assert(up % multiple == 0 && up >= value && up < value + multiple);
		}
	}
}
