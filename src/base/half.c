#include "base/half.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_EXPONENT = 15, MOST_POWER = 1100 }; /* a double's largest exponent is 1024, its smallest -1073 */

static const char TYPE[] = "float16*2^";

/* A number shifted right, rounded to the nearest, ties to the even one. */
static uint32_t shift_rounded(uint32_t number, unsigned shift)
{
	const uint32_t low = number & ((1u << shift) - 1), tie = 1u << (shift - 1);
	const uint32_t whole = number >> shift;
	return whole + (low > tie || (low == tie && (whole & 1)));
}

uint16_t clpac__half_of(float value)
{
	const uint32_t bits = clpac__float_bits(value), magnitude = bits & 0x7fffffffu;
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
		return clpac__float_of_bits(sign | 0x7f800000u | fraction << 13);
	if (exponent)
		return clpac__float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
	const float magnitude = (float)fraction * 0x1p-24f;
	return sign ? -magnitude : magnitude;
}

int clpac__half_power(double largest)
{
	int exponent;
	if (!(largest > 0))
		return 0;
	frexp(largest, &exponent);
	return exponent - LARGEST_EXPONENT;
}

/* Rounded to a float first, which adds at most 2^-24 to a rounding of less than 2^-11 / (1 + 2^-11). */
uint16_t clpac__half_of_scaled(double value, int power)
{
	return clpac__half_of((float)ldexp(value, -power));
}

double clpac__half_scaled_value(uint16_t half, int power)
{
	return ldexp((double)clpac__half_value(half), power);
}

void clpac__half_type_write(int power, char *type, size_t size)
{
	snprintf(type, size, "%s%d", TYPE, power);
}

bool clpac__half_type_read(const char *type, int *power)
{
	const size_t n = sizeof TYPE - 1;
	char *end;
	if (strncmp(type, TYPE, n) != 0)
		return false;
	const long value = strtol(type + n, &end, 10);
	if (end == type + n || *end || value < -MOST_POWER || value > MOST_POWER)
		return false;
	*power = (int)value;
	return true;
}
