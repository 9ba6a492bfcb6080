/* Half precision, binary16 of IEEE 754: 11 significant bits, from 2^-24 to 65504; and numbers stored as halves times a
 * power of two, whose type is "float16*2^k". */
#ifndef CLPAC_BASE_HALF_H
#define CLPAC_BASE_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A float by its bits. */
static inline uint32_t clpac__float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}
static inline float clpac__float_of_bits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The nearest half, ties to the even one; beyond 65519 infinity; NaN stays NaN. */
uint16_t clpac__half_of(float value);
float clpac__half_value(uint16_t half); /* exact */

/* The power k with which a largest magnitude, divided by 2^k, lies in [2^14, 2^15); 0 for 0. */
int clpac__half_power(double largest);
/* The half of value / 2^power, within 2^-11 of the value where it is a normal half. */
uint16_t clpac__half_of_scaled(double value, int power);
double clpac__half_scaled_value(uint16_t half, int power); /* exact, unless it is below the smallest double */

void clpac__half_type_write(int power, char *type, size_t size);
bool clpac__half_type_read(const char *type, int *power); /* false: another type */

#endif
