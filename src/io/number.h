/* Numbers as text, with a point whatever the locale. */
#ifndef CLPAC_IO_NUMBER_H
#define CLPAC_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { CLPAC__NUMBER_SIZE = 40 };

/* The shortest text that reads back as the same value; "NaN", "Inf", "-Inf". */
void clpac__number_of_float(char text[CLPAC__NUMBER_SIZE], float value);
void clpac__number_of_double(char text[CLPAC__NUMBER_SIZE], double value);

/* printf("%.*f") and printf("%.*g") with a point. */
void clpac__number_fixed(char text[CLPAC__NUMBER_SIZE], double value, int decimals);
void clpac__number_general(char text[CLPAC__NUMBER_SIZE], double value, int digits);

/* The whole text as a finite number; false when it is anything else. */
bool clpac__number_read(const char *text, double *out);

#endif
