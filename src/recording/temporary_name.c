#include "recording/temporary_name.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The part of a long name that a temporary name repeats. */
enum { BIGGEST_NAME_PART = 200 };

static const char journal_ending[] = ".clpac-set";

void clpac__temporary_name(const char *name, const char *ending, char out[NAME_MAX + 1])
{
	static atomic_uint counter;
	snprintf(out, NAME_MAX + 1, ".%.*s.%ld-%u%s", BIGGEST_NAME_PART, name, (long)getpid(),
		 atomic_fetch_add(&counter, 1), ending);
}

bool clpac__is_temporary_name(const char *temporary, const char *name, const char *ending)
{
	size_t n = strnlen(name, BIGGEST_NAME_PART), length = strlen(temporary);
	if (!n || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || length > NAME_MAX)
		return false;
	if (length < n + 2 || temporary[0] != '.' || memcmp(temporary + 1, name, n) != 0 || temporary[n + 1] != '.')
		return false;
	const char *numbers = temporary + n + 2;
	size_t process = strspn(numbers, "0123456789"), counter = 0;
	if (process && numbers[process] == '-')
		counter = strspn(numbers + process + 1, "0123456789");
	return counter && strcmp(numbers + process + 1 + counter, ending) == 0;
}

void clpac__journal_name(const char *name, char out[NAME_MAX + 1])
{
	snprintf(out, NAME_MAX + 1, ".%.*s%s", BIGGEST_NAME_PART, name, journal_ending);
}

bool clpac__is_journal_name(const char *name)
{
	size_t n = strlen(name), m = sizeof journal_ending - 1;
	return name[0] == '.' && n > m + 1 && strcmp(name + n - m, journal_ending) == 0;
}
