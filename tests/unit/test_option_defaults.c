/* Defaults that --help states of options whose effect takes a large recording or minutes to see: read as a value, each
 * gives what the option's absence gives. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "assertions.h"
#include "analysis/checkpoints/checkpoints.h"
#include "analysis/samples/hold.h"
#include "memory/device/options.h"
#include "tool/commands.h"

static clpac_error err;

/* The default of an option, up to the first comma. */
static const char *stated(const clpac__option_group *group, const char *name)
{
	static char text[64];
	for (size_t i = 0; i < group->n_options; i++) {
		const clpac__option *option = &group->options[i];
		if (strcmp(option->name, name) != 0)
			continue;
		ck_assert_ptr_nonnull(option->standard);
		snprintf(text, sizeof text, "%.*s", (int)strcspn(option->standard, ","), option->standard);
		return text;
	}
	ck_abort_msg("there is no option --%s", name);
	return NULL;
}

TEST(samples_that_are_held_by_default_are_those_of_the_help)
{
	const clpac__analysis_settings without = {0}, with = {.hold = stated(&clpac__options_compute, "hold")},
				       less = {.hold = "255M"};
	clpac__hold usual, same, other;
	assert_works(clpac__hold_read(&without, &usual, &err), err);
	assert_works(clpac__hold_read(&with, &same, &err), err);
	assert_works(clpac__hold_read(&less, &other, &err), err);
	ck_assert_uint_eq(usual.bytes, same.bytes);
	ck_assert_uint_ne(usual.bytes, other.bytes);
}

TEST(seconds_between_checkpoints_are_those_of_the_help)
{
	const clpac__analysis_settings without = {0}, with = {.checkpoint = stated(&tool_group_output, "checkpoint")};
	double usual = -1, same = -2;
	assert_works(clpac__checkpoints_interval(&without, &usual, &err), err);
	assert_works(clpac__checkpoints_interval(&with, &same, &err), err);
	ck_assert(usual == same && usual > 0);
}

TEST(the_memory_that_is_used_by_default_is_that_of_the_help)
{
	const uint64_t available = 1 << 30;
	uint64_t usual = 1, same = 2, other = 3;
	assert_works(clpac__parse_memory("", available, &usual, &err), err);
	assert_works(clpac__parse_memory(stated(&clpac__options_compute, "memory"), available, &same, &err), err);
	assert_works(clpac__parse_memory("0.79", available, &other, &err), err);
	ck_assert_uint_eq(usual, same);
	ck_assert_uint_ne(usual, other);
}
