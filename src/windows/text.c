/* Text: patterns, parts of texts, errors, and the decimal point. */
#include <errno.h>
#include <fnmatch.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- Patterns --------------------------------------------------------------------------------- */

static char lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* The members of [...] behind the bracket; the closing one is returned, or NULL where there is none. */
static const char *look_in_set(const char *set, char letter, bool *is_in)
{
	const bool is_not = *set == '!' || *set == '^';
	bool is_found = false;
	set += is_not;
	for (const char *at = set; *at; at++) {
		if (*at == ']' && at > set) {
			*is_in = is_found != is_not;
			return at;
		}
		const bool is_range = at[1] == '-' && at[2] && at[2] != ']';
		const char last = is_range ? at[2] : *at;
		is_found |= letter >= *at && letter <= last;
		at += is_range ? 2 : 0;
	}
	return NULL;
}

/* The pattern behind what one letter of the text matches, or NULL if it matches another. */
static const char *match_letter(const char *pattern, char letter, bool folds)
{
	bool is_in = *pattern == '?';
	letter = folds ? lower(letter) : letter;
	const char *end = *pattern == '[' ? look_in_set(pattern + 1, letter, &is_in) : NULL;
	if (end)
		return is_in ? end + 1 : NULL;
	if (is_in)
		return pattern + 1;
	pattern += *pattern == '\\' && pattern[1];
	return *pattern && (folds ? lower(*pattern) : *pattern) == letter ? pattern + 1 : NULL;
}

/* A star takes as few letters as the rest of the pattern allows; only the last one has to be tried again. */
int fnmatch(const char *pattern, const char *text, int flags)
{
	const char *behind_star = NULL, *taken = NULL;
	while (*text) {
		const char *next;
		if (*pattern == '*') {
			behind_star = ++pattern;
			taken = text;
		} else if ((next = match_letter(pattern, *text, flags & FNM_CASEFOLD))) {
			pattern = next;
			text++;
		} else if (behind_star) {
			pattern = behind_star;
			text = ++taken;
		} else {
			return FNM_NOMATCH;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern ? FNM_NOMATCH : 0;
}

char *strcasestr(const char *text, const char *part)
{
	const size_t n = strlen(part);
	for (; strlen(text) >= n; text++)
		if (strncasecmp(text, part, n) == 0)
			return (char *)text;
	return NULL;
}

int strerror_r(int number, char *room, size_t size)
{
	return strerror_s(room, size, number);
}

double lgamma_r(double x, int *sign)
{
	*sign = 1;
	return lgamma(x);
}

/* --- Locales ---------------------------------------------------------------------------------- */

struct clpac__windows_locale {
	char numbers[64]; /* the name of what LC_NUMERIC is */
};

/* The one that a thread had before. */
static _Thread_local struct clpac__windows_locale own;

locale_t newlocale(int mask, const char *name, locale_t base)
{
	(void)mask;
	(void)base;
	locale_t made = clpac__alloc_zero(sizeof *made);
	if (made)
		strncpy(made->numbers, name, sizeof made->numbers - 1);
	return made;
}

locale_t uselocale(locale_t locale)
{
	_configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
	if (locale != &own)
		strncpy(own.numbers, setlocale(LC_NUMERIC, NULL), sizeof own.numbers - 1);
	setlocale(LC_NUMERIC, locale->numbers);
	return &own;
}

void freelocale(locale_t locale)
{
	clpac__free(locale);
}
