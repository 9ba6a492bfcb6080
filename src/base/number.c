/* Numbers by printf and strtod, with the decimal mark of the locale exchanged for a point and back.  The mark may
 * have several bytes, as U+066B has in Pashto. */
#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

static const char *decimal_mark(void)
{
	const char *mark = localeconv()->decimal_point;
	return mark && *mark ? mark : ".";
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void put_point(char *text)
{
	const char *mark = decimal_mark();
	size_t length = strlen(mark);
	char *found = strstr(text, mark);
	if (found) {
		*found = '.';
		memmove(found + 1, found + length, strlen(found + length) + 1);
	}
}

static bool write_not_finite(double value, char text[CLPAC__NUMBER_SIZE])
{
	if (isfinite(value))
		return false;
	strcpy(text, isnan(value) ? "NaN" : value < 0 ? "-Inf" : "Inf");
	return true;
}

/* Any decimal of 6 digits survives a float, one of 15 a double; 9 and 17 digits tell any two values apart (C11
 * 5.2.4.2.2, FLT_DIG and FLT_DECIMAL_DIG). */
void clpac__write_float(float value, char text[CLPAC__NUMBER_SIZE])
{
	if (write_not_finite(value, text))
		return;
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(text, CLPAC__NUMBER_SIZE, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	put_point(text);
}

void clpac__write_number(double value, char text[CLPAC__NUMBER_SIZE])
{
	if (write_not_finite(value, text))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, CLPAC__NUMBER_SIZE, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	put_point(text);
}

void clpac__write_fixed(double value, int decimals, char text[CLPAC__NUMBER_SIZE])
{
	if (write_not_finite(value, text))
		return;
	if (snprintf(text, CLPAC__NUMBER_SIZE, "%.*f", decimals, value) >= CLPAC__NUMBER_SIZE)
		snprintf(text, CLPAC__NUMBER_SIZE, "%.6g", value);
	put_point(text);
}

void clpac__write_general(double value, int digits, char text[CLPAC__NUMBER_SIZE])
{
	if (write_not_finite(value, text))
		return;
	snprintf(text, CLPAC__NUMBER_SIZE, "%.*g", digits, value);
	put_point(text);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Reads the number at the start of n bytes by strtod, which rounds correctly.  Returns the bytes that it takes; 0: no
 * number. */
static size_t number_by_library(const char *text, size_t n, double *out)
{
	enum { MOST = 512, MOST_MARK = 16 };
	char digits[MOST + MOST_MARK];
	const char *mark = decimal_mark(), *point = memchr(text, '.', n);
	size_t before = point ? (size_t)(point - text) : n, length = point ? strlen(mark) : 0;
	if (n >= MOST || length > MOST_MARK)
		return 0;
	memcpy(digits, text, before);
	if (point) {
		memcpy(digits + before, mark, length);
		memcpy(digits + before + length, point + 1, n - before - 1);
	}
	digits[point ? n - 1 + length : n] = 0;
	char *stop;
	*out = strtod(digits, &stop);
	size_t used = (size_t)(stop - digits);
	return used > before ? used + 1 - length : used;
}

bool clpac__parse_number(const char *text, double *out, const char **end)
{
	double value;
	size_t used = number_by_library(text, strspn(text, "0123456789+-.eE"), &value);
	if (used == 0 || !isfinite(value) || (!end && text[used]))
		return false;
	*out = value;
	if (end)
		*end = text + used;
	return true;
}

bool clpac__parse_count(const char *text, uint64_t *out, const char **end)
{
	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	char *stop;
	unsigned long long value = strtoull(text, &stop, 10);
	if (!end && *stop) {
		errno = 0;
		return false;
	}
	if (errno)
		return false;
	_Static_assert(sizeof value == sizeof *out, "strtoull reads 64 bits");
	*out = value;
	if (end)
		*end = stop;
	return true;
}

static bool number_in_words(const char *text, size_t n, double *out)
{
	bool is_negative = n && *text == '-';
	if (n && (*text == '-' || *text == '+')) {
		text++;
		n--;
	}
	double value;
	if (n == 3 && clpac__same_letters(text, "nan", 3))
		value = NAN;
	else if ((n == 3 && clpac__same_letters(text, "inf", 3)) ||
		 (n == 8 && clpac__same_letters(text, "infinity", 8)))
		value = INFINITY;
	else
		return false;
	*out = is_negative ? -value : value;
	return true;
}

bool clpac__parse_field(const char *text, size_t n, double *out)
{
	text = clpac__trim(text, &n);
	const char *p = text, *end = text + n;
	bool is_negative = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;

	uint64_t mantissa = 0;
	int n_significant = 0, exponent = 0;
	bool has_digits = false, has_point = false;
	for (; p < end; p++) {
		if (*p == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		has_digits = true;
		if (mantissa || *p != '0')
			n_significant++;
		if (n_significant <= 18)
			mantissa = 10 * mantissa + (uint64_t)(*p - '0');
		exponent -= has_point;
	}
	if (!has_digits)
		return number_in_words(text, n, out);
	if (p < end && (*p == 'e' || *p == 'E')) {
		bool is_small = ++p < end && *p == '-';
		if (p < end && (*p == '-' || *p == '+'))
			p++;
		if (p == end)
			return false;
		int written = 0;
		for (; p < end && *p >= '0' && *p <= '9'; p++)
			written = written < 100000 ? 10 * written + (*p - '0') : written;
		exponent += is_small ? -written : written;
	}
	if (p != end)
		return false;

	/* A mantissa up to 2^53 and a power of ten up to 10^22 are exact, so that one operation rounds once (Clinger
	 * 1990, "How to read floating point numbers accurately").  Nearly all numbers in files are such. */
	static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,	1e8,  1e9,  1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (n_significant > 18 || mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
		return number_by_library(text, n, out) == n;
	double value = (double)mantissa;
	value = exponent < 0 ? value / ten_to[-exponent] : value * ten_to[exponent];
	*out = is_negative ? -value : value;
	return true;
}

int clpac__compare_sizes(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

int clpac__compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* --- Units of bytes --------------------------------------------------------------------------- */

const char *const clpac__byte_units[CLPAC__N_BYTE_UNITS] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

int clpac__byte_power(const char *unit)
{
	enum { MOST_READ = 4 };
	if (!*unit)
		return 0;
	for (int power = 1; power <= MOST_READ; power++)
		if (clpac__same_letters(unit, clpac__byte_units[power], 1) &&
		    (!unit[1] || clpac__same_word(unit + 1, "B") || clpac__same_word(unit + 1, "iB")))
			return power;
	return -1;
}

const char *clpac__bytes_text(uint64_t bytes, char text[32])
{
	double value = (double)bytes;
	size_t unit = 0;
	while (value >= 999.5 && unit + 1 < CLPAC__N_BYTE_UNITS) {
		value /= 1024;
		unit++;
	}
	if (bytes == 0)
		strcpy(text, "-");
	else
		snprintf(text, 32, "%.*f %s", unit == 0 || value >= 99.95 ? 0 : 1, value, clpac__byte_units[unit]);
	return text;
}
