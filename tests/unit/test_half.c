/* Half precision: every half is its own value's half, and every single goes to the nearest one. */
#include "runner.h"

#include <math.h>
#include <string.h>

#include "assertions.h"
#include "base/half.h"
#include "random.h"

enum { HALVES = 1 << 16, INFINITE = 0x7c00 };

/* By the definition: sign, 5 bits of exponent with a bias of 15, 10 bits of fraction. */
static double value_of(unsigned half)
{
	const int exponent = (int)(half >> 10 & 31), fraction = (int)(half & 1023);
	const double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
				 : exponent	? ldexp(1024 + fraction, exponent - 25)
						: ldexp(fraction, -24);
	return half & 0x8000 ? -magnitude : magnitude;
}

TEST(every_half_has_its_value_and_comes_back)
{
	for (unsigned half = 0; half < HALVES; half++) {
		const float value = clpac__half_value((uint16_t)half);
		const double wanted = value_of(half);
		if (isnan(wanted)) {
			assert_in_model(isnan(value) && isnan(clpac__half_value(clpac__half_of(value))), 0, half);
			continue;
		}
		assert_in_model((double)value == wanted && !signbit(value) == !signbit(wanted), 0, half);
		assert_in_model(clpac__half_of(value) == half, 0, half);
	}
}

/* Halves of one sign are ordered as their values; infinity stands for 65536 here, the next value. */
static double value_in_order(unsigned magnitude)
{
	return magnitude == INFINITE ? 65536 : value_of(magnitude);
}

static void check_nearest(float value)
{
	const double magnitude = fabs((double)value);
	const unsigned half = clpac__half_of(value), found = half & 0x7fff;
	assert_in_model((half & 0x8000) == (signbit(value) ? 0x8000u : 0), 0, half);
	if (magnitude >= 65536) {
		assert_in_model(found == INFINITE, 0, half);
		return;
	}
	const double off = fabs(value_in_order(found) - magnitude);
	for (int step = -1; step <= 1; step += 2) {
		if ((!found && step < 0) || (found == INFINITE && step > 0))
			continue;
		const double other = fabs(value_in_order((unsigned)((int)found + step)) - magnitude);
		assert_in_model(off < other || (off == other && found % 2 == 0), 0, half);
	}
}

TEST(every_single_goes_to_the_nearest_half)
{
	unsigned long long state = 3;
	for (unsigned half = 0; half <= INFINITE; half++) { /* each border between two halves, and beside it */
		const float border =
			(float)((value_in_order(half) + value_in_order(half < INFINITE ? half + 1 : half)) / 2);
		check_nearest(border);
		check_nearest(-nextafterf(border, 0));
		check_nearest(nextafterf(border, INFINITY));
	}
	for (unsigned i = 0; i < 1000000; i++) {
		const uint32_t bits = (uint32_t)random_bits(&state);
		float value;
		memcpy(&value, &bits, sizeof value);
		if (!isnan(value))
			check_nearest(value);
	}
}
