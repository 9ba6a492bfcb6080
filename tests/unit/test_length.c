/* Good FFT lengths, compared with an exhaustive search. */
#include "runner.h"

#include <stdint.h>

#include "assertions.h"
#include "coupling/fft/engine.h"

static const unsigned largest_factors[] = {2, 3, 5, 7, 11, 13};
enum { N_FACTORS = COUNT(largest_factors) };

static bool is_good(size_t n, unsigned largest)
{
	if (n == 0 || n % 16)
		return false;
	for (size_t factor = 2; factor <= largest; factor++)
		while (n % factor == 0)
			n /= factor;
	return n == 1;
}

TEST_EACH(a_good_length_is_the_smallest_one_at_or_above, N_FACTORS)
{
	unsigned largest = largest_factors[_i];
	size_t expected = 16;
	for (size_t n = 0; n < 100000; n++) {
		while (expected < n || !is_good(expected, largest))
			expected++;
		ck_assert_uint_eq(clpac__good_length(n, largest), expected);
	}
}

TEST_EACH(a_good_length_of_a_good_length_is_itself, N_FACTORS)
{
	for (size_t n = 16; n < (size_t)1 << 40; n = n * 3 + 1) {
		size_t good = clpac__good_length(n, largest_factors[_i]);
		ck_assert_uint_ge(good, n);
		ck_assert(is_good(good, largest_factors[_i]));
		ck_assert_uint_eq(clpac__good_length(good, largest_factors[_i]), good);
	}
}

TEST(more_factors_never_make_a_length_longer)
{
	for (size_t n = 1; n < (size_t)1 << 40; n = n * 2 + 1)
		for (size_t i = 1; i < N_FACTORS; i++)
			ck_assert_uint_le(clpac__good_length(n, largest_factors[i]),
					  clpac__good_length(n, largest_factors[i - 1]));
}

TEST(seven_smooth_lengths_are_close)
{
	/* From 512 on the widest gap between neighbouring 7-smooth numbers is 900 to 945, 5 %. */
	for (size_t n = 8192; n < 4000000; n += 37)
		ck_assert_uint_le(clpac__good_length(n, 7), n + n * 5 / 100 + 16);
}

TEST_EACH(a_length_that_no_number_can_hold_is_0, N_FACTORS)
{
	ck_assert_uint_eq(clpac__good_length(SIZE_MAX, largest_factors[_i]), 0);
	ck_assert_uint_eq(clpac__good_length(SIZE_MAX / 2 + 2, 2), 0);
	ck_assert_uint_eq(clpac__good_length(SIZE_MAX / 2 + 1, 2), SIZE_MAX / 2 + 1);
}
