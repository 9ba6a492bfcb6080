/* Size classes against their definition, for every size up to 2^20 and around every power of two. */
#include "runner.h"

#include <clpac/memory/pool.h>
#include <limits.h>
#include "assertions.h"
#include "memory/pool/blocks/size_class.h"

enum { SIZE_BITS = sizeof(size_t) * CHAR_BIT };

/* The definition as a walk through the classes in order: 1, 2, ... 2n - 1, and then m * 2^e. */
static size_t next_class(size_t class_bytes, unsigned n)
{
	size_t step = 1;
	while (class_bytes / step >= 2 * (size_t)n)
		step *= 2;
	return class_bytes + step;
}

TEST(every_size_up_to_a_mebibyte_gets_the_smallest_class_that_holds_it)
{
	for (unsigned n = 1; n <= CLPAC_MAX_CLASSES_PER_OCTAVE; n *= 2) {
		size_t expected = 1;
		for (size_t bytes = 1; bytes <= (size_t)1 << 20; bytes++) {
			if (bytes > expected)
				expected = next_class(expected, n);
			if (clpac_size_class(bytes, n) != expected)
				ck_abort_msg("%zu bytes, %u per octave: class %zu instead of %zu", bytes, n,
					     clpac_size_class(bytes, n), expected);
		}
	}
}

/* Checks all laws at one size; sizes above the largest class have a test of their own. */
static void check_laws(size_t bytes, unsigned n)
{
	size_t class_bytes = clpac_size_class(bytes, n);
	bool holds = class_bytes >= bytes && class_bytes - bytes <= bytes / n;
	bool is_idempotent = clpac_size_class(class_bytes, n) == class_bytes;
	bool is_monotone = bytes == 1 || clpac_size_class(bytes - 1, n) <= class_bytes;
	bool is_exact = class_bytes == bytes || bytes >= 2 * (size_t)n;
	if (!holds || !is_idempotent || !is_monotone || !is_exact)
		ck_abort_msg("%zu bytes, %u per octave: class %zu breaks a law", bytes, n, class_bytes);
}

TEST(classes_are_monotone_idempotent_and_waste_no_more_than_promised)
{
	for (unsigned n = 1; n <= CLPAC_MAX_CLASSES_PER_OCTAVE; n *= 2)
		for (unsigned power = 0; power < SIZE_BITS; power++)
			for (size_t distance = 0; distance < 200; distance++) {
				size_t at = (size_t)1 << power;
				if (at > distance)
					check_laws(at - distance, n);
				/* Plain powers of two end above 2^63. */
				if (power + 1 < SIZE_BITS || (n > 1 && distance))
					check_laws(at + distance, n);
			}
}

TEST(eight_per_octave_waste_at_most_an_eighth_and_sixteen_a_sixteenth)
{
	ck_assert_uint_eq(clpac_size_class(1025, 8), 1152);
	ck_assert_uint_eq(clpac_size_class(1025, 16), 1088);
	ck_assert_uint_eq(clpac_size_class(1025, 1), 2048);
	ck_assert_uint_eq(clpac_size_class(1000000, 8), 1048576);
	ck_assert_uint_eq(clpac_size_class(1000000, 0), clpac_size_class(1000000, 8));
}

TEST(a_size_without_a_class_gives_zero)
{
	for (unsigned n = 1; n <= CLPAC_MAX_CLASSES_PER_OCTAVE; n *= 2) {
		size_t largest = (2 * (size_t)n - 1) * (((size_t)1 << (SIZE_BITS - 1)) / n);
		ck_assert_uint_eq(clpac_size_class(largest, n), largest);
		ck_assert_uint_eq(clpac_size_class(largest + 1, n), 0);
		ck_assert_uint_eq(clpac_size_class(SIZE_MAX, n), 0);
		ck_assert_uint_eq(clpac_size_class(0, n), 0);
	}
}

TEST(classes_per_octave_is_a_power_of_two_up_to_the_limit)
{
	static const unsigned bad[] = {3, 5, 6, 7, 9, 12, 65, 96, 128, 1u << 31, UINT_MAX};
	for (size_t i = 0; i < COUNT(bad); i++) {
		ck_assert_uint_eq(clpac_size_class(1000, bad[i]), 0);
		ck_assert(!clpac__classes_per_octave_is_good(bad[i]));
	}
	ck_assert(!clpac__classes_per_octave_is_good(0));
	ck_assert(clpac__classes_per_octave_is_good(1));
	ck_assert(clpac__classes_per_octave_is_good(CLPAC_MAX_CLASSES_PER_OCTAVE));
}

TEST(indices_number_the_classes_one_after_the_other)
{
	for (unsigned n = 1; n <= CLPAC_MAX_CLASSES_PER_OCTAVE; n *= 2) {
		unsigned index = 1, log2_of_n = 0;
		size_t class_bytes = 1;
		while (1u << log2_of_n < n)
			log2_of_n++;
		for (;;) {
			ck_assert_uint_eq(clpac__size_class_index(class_bytes, n), index);
			unsigned found;
			ck_assert_uint_eq(clpac__size_class_find(class_bytes, log2_of_n, &found), class_bytes);
			ck_assert_uint_eq(found, index);
			size_t next = clpac_size_class(class_bytes + 1, n);
			if (class_bytes < SIZE_MAX)
				ck_assert_uint_eq(clpac__size_class_find(class_bytes + 1, log2_of_n, &found), next);
			if (!next)
				break;
			ck_assert_uint_eq(found, index + 1);
			class_bytes = next;
			index++;
		}
		ck_assert_uint_eq(index + 1, clpac__size_class_count(n));
	}
}
