#include "base/half.h"

#include <string.h>

static uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A number shifted right, rounded to the nearest, ties to the even one. */
static uint32_t shift_rounded(uint32_t number, unsigned shift)
{
	const uint32_t low = number & ((1u << shift) - 1), tie = 1u << (shift - 1);
	const uint32_t whole = number >> shift;
	return whole + (low > tie || (low == tie && (whole & 1)));
}

uint16_t clpac__half_of(float value)
{
	const uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
	const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
	if (magnitude > 0x7f800000u) /* NaN, a quiet one */
		return (uint16_t)(sign | 0x7e00u);
	if (magnitude >= 0x47800000u) /* 65536 and more */
		return (uint16_t)(sign | 0x7c00u);
	if (magnitude >= 0x38800000u) /* 2^-14 and more; a carry goes into the exponent, and from 65504 to infinity */
		return (uint16_t)(sign | (shift_rounded(magnitude, 13) - (112u << 10)));
	if (magnitude < 0x33000000u) /* below 2^-25, half of the smallest */
		return sign;
	return (uint16_t)(sign | shift_rounded((magnitude & 0x7fffffu) | 0x800000u, 126 - (magnitude >> 23)));
}

float clpac__half_value(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 0x3ffu;
	if (exponent == 31)
		return float_of(sign | 0x7f800000u | fraction << 13);
	if (exponent)
		return float_of(sign | (exponent + 112) << 23 | fraction << 13);
	const float magnitude = (float)fraction * 0x1p-24f;
	return sign ? -magnitude : magnitude;
}
