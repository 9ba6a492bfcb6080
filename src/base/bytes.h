/* Units of bytes, in powers of 1024. */
#ifndef CLPAC_BASE_BYTES_H
#define CLPAC_BASE_BYTES_H

#include <stdint.h>

/* The power of 1024 that a unit stands for: "" is 0, "K" 1, "M" 2, "G" 3, "T" 4, in either case, with or without "B" or
 * "iB" behind it.  -1 for anything else. */
int clpac__byte_power(const char *unit);

/* The units by power: "B", "KiB", ... "EiB". */
enum { CLPAC__N_BYTE_UNITS = 7 };
extern const char *const clpac__byte_units[CLPAC__N_BYTE_UNITS];

/* Writes bytes as "7.8 GiB", and 0 as "-".  Returns text. */
const char *clpac__bytes_text(uint64_t bytes, char text[32]);

#endif
