/* printf and strtod with the locale's decimal mark exchanged for a point and back. */
#include "io/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *decimal_mark(void)
{
	const char *mark = localeconv()->decimal_point;
	return mark && *mark ? mark : ".";
}

/* A mark may have several bytes (U+066B). */
static void exchange_mark(char *text)
{
	const char *mark = decimal_mark();
	size_t length = strlen(mark);
	char *found = strstr(text, mark);
	if (found && strcmp(mark, ".") != 0) {
		*found = '.';
		memmove(found + 1, found + length, strlen(found + length) + 1);
	}
}

static bool write_not_finite(char text[CLPAC__NUMBER_SIZE], double value)
{
	if (isfinite(value))
		return false;
	strcpy(text, isnan(value) ? "NaN" : value < 0 ? "-Inf" : "Inf");
	return true;
}

/* 6 digits always survive a float and 15 a double; 9 and 17 always suffice (C11 5.2.4.2.2, FLT_DIG and
 * FLT_DECIMAL_DIG). */
void clpac__number_of_float(char text[CLPAC__NUMBER_SIZE], float value)
{
	if (write_not_finite(text, value))
		return;
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(text, CLPAC__NUMBER_SIZE, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	exchange_mark(text);
}

void clpac__number_of_double(char text[CLPAC__NUMBER_SIZE], double value)
{
	if (write_not_finite(text, value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, CLPAC__NUMBER_SIZE, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	exchange_mark(text);
}

void clpac__number_fixed(char text[CLPAC__NUMBER_SIZE], double value, int decimals)
{
	if (write_not_finite(text, value))
		return;
	/* A value too long for the text is told with an exponent. */
	if (snprintf(text, CLPAC__NUMBER_SIZE, "%.*f", decimals, value) >= CLPAC__NUMBER_SIZE)
		snprintf(text, CLPAC__NUMBER_SIZE, "%.6g", value);
	exchange_mark(text);
}

void clpac__number_general(char text[CLPAC__NUMBER_SIZE], double value, int digits)
{
	if (write_not_finite(text, value))
		return;
	snprintf(text, CLPAC__NUMBER_SIZE, "%.*g", digits, value);
	exchange_mark(text);
}

bool clpac__number_read(const char *text, double *out)
{
	char local[2 * CLPAC__NUMBER_SIZE];
	const char *mark = decimal_mark(), *point = strchr(text, '.');
	size_t length = strlen(text);
	/* Only digits, signs, point and exponent: strtod alone would also take hexadecimal, "nan" and leading
	 * blanks. */
	if (!length || length + strlen(mark) >= sizeof local || strspn(text, "0123456789+-.eE") != length)
		return false;
	if (point)
		snprintf(local, sizeof local, "%.*s%s%s", (int)(point - text), text, mark, point + 1);
	else
		memcpy(local, text, length + 1);
	char *end;
	double value = strtod(local, &end);
	if (*end || !isfinite(value))
		return false;
	*out = value;
	return true;
}
