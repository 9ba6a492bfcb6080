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

#endif
