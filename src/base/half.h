/* Half precision, binary16 of IEEE 754: 11 significant bits, from 2^-24 to 65504. */
#ifndef CLPAC_BASE_HALF_H
#define CLPAC_BASE_HALF_H

#include <stdint.h>

/* The nearest half, ties to the even one; beyond 65519 infinity; NaN stays NaN. */
uint16_t clpac__half_of(float value);
float clpac__half_value(uint16_t half); /* exact */

#endif
