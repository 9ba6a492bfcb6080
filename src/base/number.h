/* Numbers as text with a decimal point, whatever the locale of the program. */
#ifndef CLPAC_BASE_NUMBER_H
#define CLPAC_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLPAC__NUMBER_SIZE = 40 };

/* The shortest text that reads back as the same value; "NaN", "Inf", "-Inf". */
void clpac__write_number(double value, char text[CLPAC__NUMBER_SIZE]);
void clpac__write_float(float value, char text[CLPAC__NUMBER_SIZE]);

/* As printf("%.*f") and printf("%.*g"), with a point.  A fixed number too long for the text gets an exponent. */
void clpac__write_fixed(double value, int decimals, char text[CLPAC__NUMBER_SIZE]);
void clpac__write_general(double value, int digits, char text[CLPAC__NUMBER_SIZE]);

/* A finite decimal number at the start of a text; *end is where it stops.  Without end the number must be the whole
 * text. False, and *out untouched, for anything else: blanks, hexadecimal digits and "nan" are no numbers here. */
bool clpac__parse_number(const char *text, double *out, const char **end);

/* The same for digits without a sign.  False with errno ERANGE where they are more than 64 bits hold; else errno is 0.
 */
bool clpac__parse_count(const char *text, uint64_t *out, const char **end);

/* A field of a table or header, n bytes with or without blanks around: a decimal number, "nan" or "inf" in any case.
 * Correctly rounded, and several times as fast as strtod for the numbers that files hold. */
bool clpac__parse_field(const char *text, size_t n, double *out);

#endif
