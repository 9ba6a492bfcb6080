/* Fuzzer's target: texts of options.  The input is a text for pools, for plans, and as "NAME VALUE" for an option of
 * the library.  What can be read is written, and its text gives the same text again. */
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/options.h>
#include <clpac/memory/pool.h>
#include <clpac/plan.h>

#include "fuzz/fuzz_input.h"

/* Reads and writes options of one kind; `member` of progress is written as a word that is refused when read. */
#define ROUND(kind)                                                                                                    \
	static char *round_of_##kind(const char *text)                                                                 \
	{                                                                                                              \
		clpac_##kind *options = NULL;                                                                          \
		clpac_error err = {0};                                                                                 \
		char *written = NULL;                                                                                  \
		clpac_status st = clpac_##kind##_read(text, &options, &err);                                           \
		fuzz_outcome(st, &err, options != NULL);                                                               \
		if (options) {                                                                                         \
			st = clpac_##kind##_text(options, &written, &err);                                             \
			fuzz_outcome(st, &err, written != NULL);                                                       \
			FUZZ_LAW(st == CLPAC_OK);                                                                      \
		}                                                                                                      \
		clpac_##kind##_free(options);                                                                          \
		return written;                                                                                        \
	}
ROUND(pool_options)
ROUND(plan_options)

static void go_twice(char *(*round)(const char *text), const char *text)
{
	char *first = round(text), *second = first ? round(first) : NULL;
	FUZZ_LAW(!first || (second && strcmp(first, second) == 0));
	clpac_text_free(first);
	clpac_text_free(second);
}

static void set_option(char *text)
{
	char *blank = strchr(text, ' '), value[512];
	clpac_options options = {0};
	clpac_error err = {0};
	if (!blank)
		return;
	*blank = 0;
	clpac_status st = clpac_options_set(&options, text, blank + 1, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	if (st == CLPAC_OK)
		FUZZ_LAW(clpac_options_text(&options, text, value, sizeof value, &err) == CLPAC_OK);
}

int FUZZ_TARGET(options)(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	go_twice(round_of_pool_options, text);
	go_twice(round_of_plan_options, text);
	set_option(text);
	free(text);
	return 0;
}
