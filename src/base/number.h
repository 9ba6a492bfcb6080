/* Numbers as text with a decimal point, whatever the locale of the program. */
#ifndef CLPAC_BASE_NUMBER_H
#define CLPAC_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLPAC__NUMBER_SIZE = 40 };

/* The shortest text that reads back as the same value; "NaN", "Inf", "-Inf".  A double has 15 digits at least before
 * zeros are dropped, so that a million is 1000000. */
void clpac__write_number(double value, char text[CLPAC__NUMBER_SIZE]);
void clpac__write_float(float value, char text[CLPAC__NUMBER_SIZE]);

/* As printf("%.*f") and printf("%.*g"), with a point.  A fixed number too long for the text gets an exponent. */
void clpac__write_fixed(double value, int decimals, char text[CLPAC__NUMBER_SIZE]);
void clpac__write_general(double value, int digits, char text[CLPAC__NUMBER_SIZE]);

/* Reads a finite decimal number at the start of a text; *end is where it stops.  Without end the number must be the
 * whole text. False, and *out untouched, for anything else, including leading blanks, hexadecimal digits and "nan". */
bool clpac__parse_number(const char *text, double *out, const char **end);

/* The same for digits without a sign.  False with errno ERANGE for a number beyond 64 bits; errno is 0 otherwise. */
bool clpac__parse_count(const char *text, uint64_t *out, const char **end);

/* Reads a field of a table or header, n bytes with or without surrounding blanks: a decimal number, "nan" or "inf"
 * in any case. Correctly rounded, and several times as fast as strtod for numbers as files hold them. */
bool clpac__parse_field(const char *text, size_t n, double *out);

/* Orders for qsort: ascending size_t, and double without NaN. */
int clpac__compare_sizes(const void *a, const void *b);
int clpac__compare_doubles(const void *a, const void *b);

/* Units of bytes, in powers of 1024. */

/* The power of 1024 that a unit stands for: "" is 0, "K" 1, "M" 2, "G" 3, "T" 4, in either case, with or without "B" or
 * "iB" behind it.  -1 for anything else. */
int clpac__byte_power(const char *unit);

/* The units by power: "B", "KiB", ... "EiB". */
enum { CLPAC__N_BYTE_UNITS = 7 };
extern const char *const clpac__byte_units[CLPAC__N_BYTE_UNITS];

/* Writes bytes as "7.8 GiB", and 0 as "-".  Returns text. */
const char *clpac__bytes_text(uint64_t bytes, char text[32]);

#endif
