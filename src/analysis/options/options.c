#include "analysis/options/options.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/number.h"

static clpac_status set_flag(const clpac__option *option, const char *text, void *value, clpac_error *err)
{
	(void)option, (void)text, (void)err;
	*(bool *)value = true;
	return CLPAC_OK;
}

static clpac_status set_text(const clpac__option *option, const char *text, void *value, clpac_error *err)
{
	(void)option, (void)err;
	*(const char **)value = text;
	return CLPAC_OK;
}

static clpac_status set_number(const clpac__option *option, const char *text, void *value, clpac_error *err)
{
	if (clpac__parse_number(text, value, NULL))
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: not a number; give one such as 2.5", option->name,
			   text);
}

static clpac_status set_count(const clpac__option *option, const char *text, void *value, clpac_error *err)
{
	if (clpac__parse_count(text, value, NULL))
		return CLPAC_OK;
	if (errno == ERANGE)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "--%s %s: too large; the largest number that fits is %llu", option->name, text,
				   (unsigned long long)UINT64_MAX);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: not a whole number; give 0 or more", option->name,
			   text);
}

static clpac_status set_choice(const clpac__option *option, const char *text, void *value, clpac_error *err)
{
	size_t length = strlen(text);
	unsigned which = 0;
	for (const char *word = option->argument; word; which++) {
		size_t n = strcspn(word, "|");
		if (n == length && memcmp(word, text, n) == 0) {
			*(unsigned *)value = which;
			return CLPAC_OK;
		}
		word = word[n] ? word + n + 1 : NULL;
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: no such choice; give one of %s", option->name, text,
			   option->argument);
}

static clpac_status (*const setters[])(const clpac__option *, const char *, void *, clpac_error *) = {
	[CLPAC__OPTION_FLAG] = set_flag,   [CLPAC__OPTION_TEXT] = set_text,	[CLPAC__OPTION_NUMBER] = set_number,
	[CLPAC__OPTION_COUNT] = set_count, [CLPAC__OPTION_CHOICE] = set_choice,
};
_Static_assert(sizeof setters / sizeof *setters == CLPAC__OPTION_KIND_COUNT, "one setter per kind");

clpac_status clpac__option_set(const clpac__option *option, const char *text, void *values, clpac_error *err)
{
	return setters[option->kind](option, text, (char *)values + option->offset, err);
}

const clpac__option *clpac__option_find(const clpac__option_group *const *groups, const char *name,
					const clpac__option_group **group)
{
	for (; *groups; groups++)
		for (size_t i = 0; i < (*groups)->n_options; i++)
			if (strcmp((*groups)->options[i].name, name) == 0) {
				if (group)
					*group = *groups;
				return &(*groups)->options[i];
			}
	return NULL;
}

/* Edit distance: insertions, removals and exchanges that turn one word into the other.  Option names are short. */
static unsigned word_distance(const char *a, const char *b)
{
	enum { LONGEST = 31 };
	unsigned row[LONGEST + 1];
	size_t n = strlen(b);
	if (n > LONGEST || strlen(a) > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (diagonal + 1 < best)
				best = diagonal + 1;
			row[j] = best;
		}
	}
	return row[n];
}

const char *clpac__option_nearest(const clpac__option_group *const *groups, const char *name)
{
	const char *nearest = NULL;
	unsigned distance = 4;
	for (; *groups; groups++)
		for (size_t i = 0; i < (*groups)->n_options; i++) {
			const unsigned d = word_distance(name, (*groups)->options[i].name);
			if (d < distance && d < strlen(name)) {
				distance = d;
				nearest = (*groups)->options[i].name;
			}
		}
	return nearest;
}
