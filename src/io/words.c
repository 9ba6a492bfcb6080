/* Words and numbers in files. */
#include "io/words.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The length of the UTF-8 sequence at s and its code point; 0 when there is none (RFC 3629: shortest form, no
 * surrogates). */
static size_t utf8_sequence(const unsigned char *s, size_t n, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = s[0] < 0x80		      ? 1
			: s[0] >= 0xc2 && s[0] < 0xe0 ? 2
			: (s[0] & 0xf0) == 0xe0	      ? 3
			: s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						      : 0;
	if (length == 0 || length > n)
		return 0;
	uint32_t value = length == 1 ? s[0] : s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*code = value;
	return length;
}

static bool is_utf8(const unsigned char *s, size_t n)
{
	uint32_t code;
	for (size_t i = 0, length; i < n; i += length)
		if (!(length = utf8_sequence(s + i, n - i, &code)))
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0;
}

static const char *trim(const char *text, size_t *n)
{
	while (*n && is_blank(text[*n - 1]))
		--*n;
	while (*n && is_blank(*text)) {
		text++;
		--*n;
	}
	return text;
}

/* Writes n trimmed bytes as UTF-8, at most two for one and a NUL; what was odd about them. */
static unsigned convert(const char *bytes, size_t n, char *text)
{
	const unsigned char *s = (const unsigned char *)bytes;
	bool is_latin1 = !is_utf8(s, n);
	unsigned oddities = is_latin1 ? CLPAC__WAS_LATIN1 : 0;
	size_t made = 0;
	for (size_t i = 0, length; i < n; i += length) {
		uint32_t code = s[i];
		length = is_latin1 ? 1 : utf8_sequence(s + i, n - i, &code);
		if (code >= 0x80)
			oddities |= CLPAC__NOT_ASCII;
		if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
			oddities |= CLPAC__HAD_CONTROLS;
			text[made++] = '?';
		} else if (is_latin1 && code >= 0x80) {
			text[made++] = (char)(0xc0 | code >> 6);
			text[made++] = (char)(0x80 | (code & 0x3f));
		} else {
			memcpy(text + made, s + i, length);
			made += length;
		}
	}
	text[made] = 0;
	return oddities;
}

char *clpac__utf8(const char *bytes, size_t n, unsigned *oddities)
{
	bytes = trim(bytes, &n);
	char *text = n < SIZE_MAX / 2 ? malloc(2 * n + 1) : NULL;
	if (!text)
		return NULL;
	unsigned odd = convert(bytes, n, text);
	if (oddities)
		*oddities |= odd;
	return text;
}

void clpac__show(const char *bytes, size_t n, char shown[CLPAC__SHOWN_SIZE])
{
	bytes = trim(bytes, &n);
	if (n > CLPAC__MOST_SHOWN)
		for (n = CLPAC__MOST_SHOWN; n > 0 && ((unsigned char)bytes[n] & 0xc0) == 0x80;)
			n--;
	convert(bytes, n, shown);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_letters(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

bool clpac__same_word(const char *a, const char *b)
{
	size_t n = strlen(a);
	return n == strlen(b) && same_letters(a, b, n);
}

bool clpac__ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);
	return n >= m && same_letters(name + n - m, ending, m);
}

enum { NUMBER_SIZE = 512 };

/* The C library rounds correctly but asks the locale for the decimal mark, unless it is given one. */
static bool number_by_library(const char *text, size_t n, double *out)
{
	char digits[NUMBER_SIZE];
	if (n >= sizeof digits)
		return false;
	memcpy(digits, text, n);
	digits[n] = 0;
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (plain == (locale_t)0)
		return false;
	char *end;
	*out = strtod_l(digits, &end, plain);
	freelocale(plain);
	return end == digits + n;
}

static bool number_in_words(const char *text, size_t n, double *out)
{
	bool is_negative = n && *text == '-';
	if (n && (*text == '-' || *text == '+')) {
		text++;
		n--;
	}
	double value;
	if (n == 3 && same_letters(text, "nan", 3))
		value = NAN;
	else if ((n == 3 && same_letters(text, "inf", 3)) || (n == 8 && same_letters(text, "infinity", 8)))
		value = INFINITY;
	else
		return false;
	*out = is_negative ? -value : value;
	return true;
}

bool clpac__number(const char *text, size_t n, double *out)
{
	text = trim(text, &n);
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

	/* A mantissa below 2^53 and a power of ten up to 10^22 are exact, so that one operation rounds once (Clinger
	 * 1990, "How to read floating point numbers accurately").  Nearly all numbers in files are such. */
	static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,	1e8,  1e9,  1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (n_significant > 18 || mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
		return number_by_library(text, n, out);
	double value = (double)mantissa;
	value = exponent < 0 ? value / ten_to[-exponent] : value * ten_to[exponent];
	*out = is_negative ? -value : value;
	return true;
}
