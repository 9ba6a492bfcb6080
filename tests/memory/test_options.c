/* The table of options: set, written, taken from the environment; memory as text. */
#include "runner.h"
#include "assertions.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "memory/device/options.h"

TEST(the_table_is_whole)
{
	ck_assert_uint_eq(clpac_options_count(), 11);
	ck_assert_ptr_null(clpac_options_get(clpac_options_count()));
	for (size_t i = 0; i < clpac_options_count(); i++) {
		const clpac_option_facts *facts = clpac_options_get(i);
		ck_assert(*facts->name && *facts->default_text && *facts->meaning);
		ck_assert(!strncmp(facts->variable, "CLPAC_", 6));
		ck_assert_ptr_null(strchr(facts->meaning, '\n'));
	}
}

TEST(every_option_starts_as_its_default)
{
	clpac_options options = {0};
	clpac_error err;
	char text[512];
	for (size_t i = 0; i < clpac_options_count(); i++) {
		assert_works(clpac_options_text(&options, clpac_options_get(i)->name, text, sizeof text, &err), err);
		ck_assert_str_eq(text, "");
	}
}

TEST(what_is_set_is_what_is_in_force)
{
	static const char *const pairs[][2] = {{"device", "vendor=intel,memory>8G"},
					       {"memory", "80%"},
					       {"cache", "/var/tmp/x y"},
					       {"fft", "clfft"},
					       {"instruction_set", "avx2"},
					       {"threads", "12"},
					       {"vector_width", "16"},
					       {"probe", "2.5"},
					       {"pool", "budget.cap=25% cache.blocks=whole"},
					       {"profile", "yes"},
					       {"opencl_library", "/opt/x y/libOpenCL.so.1"}};
	clpac_options options = {0};
	clpac_error err;
	char text[512];
	for (size_t i = 0; i < COUNT(pairs); i++)
		assert_works(clpac_options_set(&options, pairs[i][0], pairs[i][1], &err), err);
	for (size_t i = 0; i < COUNT(pairs); i++) {
		assert_works(clpac_options_text(&options, pairs[i][0], text, sizeof text, &err), err);
		ck_assert_str_eq(text, pairs[i][1]);
	}
	ck_assert_str_eq(options.fft, "clfft");
	ck_assert_uint_eq(options.threads, 12);
	ck_assert_uint_eq(options.vector_width, 16);
}

TEST(auto_and_nothing_give_the_default_back)
{
	static const char *const names[] = {"fft", "instruction_set", "threads", "vector_width", "probe", "profile"};
	static const char *const values[] = {"lanes", "avx2", "3", "8", "0.5", "yes"};
	clpac_options options = {0}, zero = {0};
	clpac_error err;
	for (int empty = 0; empty < 2; empty++) {
		for (size_t i = 0; i < COUNT(names); i++) {
			assert_works(clpac_options_set(&options, names[i], values[i], &err), err);
			assert_works(clpac_options_set(&options, names[i], empty ? "" : "auto", &err), err);
		}
		ck_assert_mem_eq(&options, &zero, sizeof zero);
	}
}

TEST(no_probe_is_no_default)
{
	clpac_options options = {0};
	clpac_error err;
	char text[512];
	static const char *const zeros[] = {"0", "0.0", "-0"};
	for (size_t i = 0; i < COUNT(zeros); i++) {
		options.probe = 5;
		assert_works(clpac_options_set(&options, "probe", zeros[i], &err), err);
		ck_assert(options.probe == CLPAC_PROBE_NONE);
		assert_works(clpac_options_text(&options, "probe", text, sizeof text, &err), err);
		ck_assert_str_eq(text, "0");
	}
}

TEST(a_bad_value_is_refused_and_named)
{
	static const struct {
		const char *name, *value, *part;
	} cases[] = {
		{"colour", "red", "there is no option \"colour\"; there are device, memory"},
		{"", "red", "there is no option \"\""},
		{"fft", "cufft", "option fft: \"cufft\" is none of auto clfft vkfft lanes"},
		{"fft", "auto clfft", "none of"},
		{"fft", " ", "none of"},
		{"instruction_set", "sse", "option instruction_set: \"sse\" is none of auto baseline avx2 avx512"},
		{"threads", "-1", "option threads: \"-1\" is not a whole number"},
		{"threads", "1.5", "option threads: \"1.5\" is not a whole number"},
		{"threads", "many", "option threads: \"many\""},
		{"threads", "1000000", "0 to 65536"},
		{"profile", "always", "option profile: \"always\" is none of yes no"},
		{"vector_width", "3", "option vector_width: 3 is none of 0 1 4 8 16"},
		{"memory", "lots", "option memory: memory \"lots\" is not understood"},
		{"memory", "90000G0", "option memory"},
		{"probe", "-1", "option probe: \"-1\" is not a number of seconds from 0 to 3600"},
		{"probe", "nan", "option probe: \"nan\" is not"},
		{"probe", "3601", "option probe: \"3601\" is not"},
		{"probe", "5s", "option probe: \"5s\" is not"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_options options = {0}, zero = {0};
		clpac_error err;
		clpac_status st = clpac_options_set(&options, cases[i].name, cases[i].value, &err);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, cases[i].part);
		ck_assert_mem_eq(&options, &zero, sizeof zero);
	}
}

TEST(a_text_that_is_too_long_is_refused)
{
	clpac_options options = {0};
	clpac_error err;
	char value[600];
	memset(value, 'x', sizeof value);
	value[sizeof value - 1] = 0;
	clpac_status st = clpac_options_set(&options, "cache", value, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "has 599 characters, at most 511 fit");
	assert_works(clpac_options_set(&options, "cache", value + 88, &err), err);
	st = clpac_options_text(&options, "cache", value, 10, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "needs 512 bytes, there are 10");
	st = clpac_options_text(&options, "colour", value, 10, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "no option \"colour\"");
}

/* Removes variables inherited from the shell. */
static void clear_variables(void)
{
	for (char **entry = environ; *entry;) {
		char name[256];
		size_t n = strcspn(*entry, "=");
		snprintf(name, sizeof name, "%.*s", (int)n, *entry);
		if ((strncmp(name, "CLPAC_", 6) && strcmp(name, "XDG_CACHE_HOME")) || unsetenv(name))
			entry++;
		else
			entry = environ; /* the list has moved */
	}
}

TEST(the_environment_is_taken_over)
{
	clpac_options options = {.threads = 3};
	clpac_error err;
	clear_variables();
	setenv("CLPAC_DEVICE", "native", 1);
	setenv("CLPAC_MEMORY", "2G", 1);
	setenv("CLPAC_VECTOR_WIDTH", "8", 1);
	setenv("CLPAC_TEST_ANYTHING", "x", 1);
	assert_works(clpac_options_from_environment(&options, &err), err);
	ck_assert_str_eq(options.device, "native");
	ck_assert_str_eq(options.memory, "2G");
	ck_assert_uint_eq(options.vector_width, 8);
	ck_assert_uint_eq(options.threads, 3);
}

TEST(a_malformed_variable_is_named_and_nothing_taken)
{
	clpac_options options = {0}, zero = {0};
	clpac_error err;
	clear_variables();
	setenv("CLPAC_DEVICE", "native", 1);
	setenv("CLPAC_THREADS", "two", 1);
	clpac_status st = clpac_options_from_environment(&options, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "environment variable CLPAC_THREADS: option threads: \"two\"");
	ck_assert_mem_eq(&options, &zero, sizeof zero);
}

TEST(the_cache_follows_the_common_variable_where_its_own_is_not_set)
{
	static const struct {
		const char *common, *own, *before, *cache;
	} cases[] = {
		{"/a/b", NULL, "", "/a/b/clpac"},
		{"/a/b", "", "", "/a/b/clpac"},
		{"/a/b", "/own", "", "/own"},
		{"/a/b", "none", "", "none"},
		{"/a/b", NULL, "/set", "/set"},
		{"a/b", NULL, "", ""},
		{"", NULL, "", ""},
	};
	clpac_error err;
	clear_variables();
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_options options = {0};
		assert_works(clpac_options_set(&options, "cache", cases[i].before, &err), err);
		setenv("XDG_CACHE_HOME", cases[i].common, 1);
		unsetenv("CLPAC_CACHE");
		if (cases[i].own)
			setenv("CLPAC_CACHE", cases[i].own, 1);
		assert_works(clpac_options_from_environment(&options, &err), err);
		ck_assert_str_eq(options.cache, cases[i].cache);
	}
	clpac_options options = {0}, zero = {0};
	char path[600];
	memset(path, '/', sizeof path);
	path[sizeof path - 1] = 0;
	setenv("XDG_CACHE_HOME", path, 1);
	unsetenv("CLPAC_CACHE");
	clpac_status st = clpac_options_from_environment(&options, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "XDG_CACHE_HOME has 599 characters, at most 505 fit");
	ck_assert_mem_eq(&options, &zero, sizeof zero);
}

TEST(an_unknown_variable_is_named)
{
	clpac_options options = {0};
	clpac_error err;
	clear_variables();
	setenv("CLPAC_DEVICES", "native", 1);
	clpac_status st = clpac_options_from_environment(&options, &err);
	assert_refused(
		st, err, CLPAC_ERROR_ARGUMENT,
		"environment variable CLPAC_DEVICES is no option of clpac; there are CLPAC_DEVICE, CLPAC_MEMORY");
}

TEST(memory_is_read_as_a_part_or_as_bytes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{"", 8000000000},      {"0.8", 8000000000},  {"80%", 8000000000}, {"1", 10000000000},
		{"100%", 10000000000}, {"0.5", 5000000000},  {"4G", 4294967296},  {"4g", 4294967296},
		{"4GiB", 4294967296},  {"4GB", 4294967296},  {"1.5M", 1572864},	  {"512k", 524288},
		{"2T", 2199023255552}, {"1048576", 1048576}, {"4096", 4096},	  {"20G", 21474836480},
		{"1e9", 1000000000},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes;
		clpac_error err;
		assert_works(clpac__parse_memory(cases[i].text, 10000000000, &bytes, &err), err);
		ck_assert_msg(bytes == cases[i].bytes, "'%s' is %llu bytes", cases[i].text, (unsigned long long)bytes);
	}
	uint64_t all;
	ck_assert_int_eq(clpac__parse_memory("1", UINT64_MAX, &all, NULL), CLPAC_OK);
	ck_assert(all == UINT64_MAX);
}

TEST(memory_that_makes_no_sense_is_refused)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"all", "\"all\" is not understood"},
		{"nan", "not understood"},
		{"0", "must be above 0"},
		{"-4G", "must be above 0"},
		{"0%", "must be above 0"},
		{"101%", "at most 100%"},
		{"4X", "\"X\" is no unit"},
		{"4Gb!", "\"Gb!\" is no unit"},
		{"4 G", "is no unit"},
		{"4", "is 4 bytes, less than the 4096"},
		{"1.5", "less than the 4096"},
		{"1.5K", "is 1536 bytes, less than the 4096"},
		{"1e30G", "more than any machine has"},
		{"80%%", "is no unit"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes = 7;
		clpac_error err;
		clpac_status st = clpac__parse_memory(cases[i].text, 1000000, &bytes, &err);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, cases[i].part);
		ck_assert_uint_eq(bytes, 7);
	}
}
