/* Structs that a later version may lengthen: a caller and a library that know different lengths of one. */
#include "runner.h"

#include <stdio.h>
#include <string.h>
#include <clpac/estimate.h>
#include <clpac/memory/context.h>
#include <clpac/memory/estimate.h>
#include <clpac/memory/store.h>
#include <clpac/plan.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "base/sized.h"
#include "newer.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"

/* One struct in three versions. */
typedef struct first {
	size_t size;
	uint64_t a;
} first;
typedef struct second {
	size_t size;
	uint64_t a, b;
} second;
typedef struct third {
	size_t size;
	uint64_t a, b, c;
} third;

static clpac_status take_second(second *own, const void *given, clpac_error *err)
{
	return clpac__sized_take(own, sizeof *own, sizeof(first), given, "second", err);
}

TEST(an_older_caller_gets_defaults_for_what_it_does_not_know)
{
	second own;
	clpac_error err;
	const size_t sizes[] = {0, sizeof(first)};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		const struct {
			first given;
			uint64_t behind;
		} caller = {{sizes[i], 7}, 99};
		memset(&own, 0xff, sizeof own);
		assert_works(take_second(&own, &caller.given, &err), err);
		ck_assert(own.size == sizeof own && own.a == 7 && own.b == 0);
	}
	assert_works(take_second(&own, &(second){sizeof(second), 7, 8}, &err), err);
	ck_assert(own.a == 7 && own.b == 8);
}

TEST(a_newer_caller_is_served_unless_it_sets_what_the_library_does_not_know)
{
	second own;
	clpac_error err;
	assert_works(take_second(&own, &(third){sizeof(third), 7, 8, 0}, &err), err);
	ck_assert(own.size == sizeof own && own.a == 7 && own.b == 8);
	char part[128];
	snprintf(part, sizeof part, "second.size is %zu and this library knows %zu bytes", sizeof(third),
		 sizeof(second));
	assert_refused(take_second(&own, &(third){sizeof(third), 7, 8, 1}, &err), err, CLPAC_ERROR_ARGUMENT, part);
}

TEST(a_size_below_the_first_layout_is_refused)
{
	second own;
	clpac_error err;
	assert_refused(take_second(&own, &(second){sizeof(first) - 1, 7, 8}, &err), err, CLPAC_ERROR_ARGUMENT,
		       "second.size is 15: it must be sizeof(second), 16 at least, or 0");
}

TEST(changes_go_back_as_far_as_the_caller_knows)
{
	clpac_error err;
	struct {
		first given;
		uint64_t behind;
	} caller = {{0, 7}, 99};
	second own = {sizeof own, 70, 0};
	assert_works(clpac__sized_return(&caller.given, sizeof(first), &own, sizeof own, "second", &err), err);
	ck_assert(caller.given.size == 0 && caller.given.a == 70 && caller.behind == 99);
	own = (second){sizeof own, 700, 1};
	assert_refused(clpac__sized_return(&caller.given, sizeof(first), &own, sizeof own, "second", &err), err,
		       CLPAC_ERROR_ARGUMENT, "second.size is 0, and what is to be set lies behind it");
	ck_assert_uint_eq(caller.given.a, 70);
	third newer = {sizeof(third), 1, 2, 3};
	assert_works(clpac__sized_return(&newer, sizeof(first), &own, sizeof own, "second", &err), err);
	ck_assert(newer.size == sizeof newer && newer.a == 700 && newer.b == 1 && newer.c == 3);
}

TEST(numbers_are_filled_as_far_as_the_caller_knows)
{
	const second own = {12345, 7, 8};
	struct {
		first given;
		uint64_t behind;
	} older = {{1, 1}, 99};
	clpac__sized_give(&older.given, sizeof older.given, &own, sizeof own);
	ck_assert(older.given.size == sizeof(first) && older.given.a == 7 && older.behind == 99);
	third newer = {1, 1, 1, 1};
	clpac__sized_give(&newer, sizeof newer, &own, sizeof own);
	ck_assert(newer.size == sizeof(second) && newer.a == 7 && newer.b == 8 && newer.c == 0);
	clpac__sized_give(&newer, 0, &own, sizeof own);
	ck_assert(newer.size == sizeof(second) && newer.a == 7);
}

TEST(every_struct_of_settings_is_checked)
{
	clpac_context *context = NULL, *opened = NULL;
	clpac_pool *made = NULL;
	clpac_store *store = NULL;
	clpac_plan *plan = NULL;
	clpac_plan_bytes bytes;
	clpac_problem_copy *copy = NULL;
	clpac_transformer_bytes taken;
	clpac_error e;
	clpac_band *bands;
	size_t n_bands;
	char *text = NULL, value[64];
	const clpac_problem problem = {.rate_hz = 512, .n_samples = 2048};
	const clpac_options native = {.device = "native"};
	assert_works(clpac_context_open(NULL, &native, &context, &e), e);
	check_input(clpac_pool_options, clpac_pool_create(context, given, &made, &err), clpac_pool_destroy(made));
	check_input(clpac_pool_options, clpac_pool_options_text(given, &text, &err), clpac_text_free(text));
	check_input(clpac_store_options, clpac_store_create(clpac_context_pool(context), given, &store, &err),
		    clpac_store_destroy(store));
	check_input(clpac_plan_options, clpac_plan_create(context, &problem, given, &plan, &err),
		    clpac_plan_destroy(plan));
	check_input(clpac_plan_options, clpac_estimate_plan(context, &problem, given, &bytes, sizeof bytes, &err),
		    (void)0);
	check_input(clpac_plan_options, clpac_plan_options_text(given, &text, &err), clpac_text_free(text));
	check_input(clpac_problem, clpac_plan_create(context, given, NULL, &plan, &err), clpac_plan_destroy(plan));
	check_input(clpac_problem, clpac_problem_complete(given, &copy, &err), clpac_problem_destroy(copy));
	check_input(clpac_problem, clpac_problem_write(given, &text, &err), clpac_text_free(text));
	check_input(clpac_bands_rule, clpac_bands_read("4-8", CLPAC_PHASE, given, &bands, &n_bands, NULL, &err),
		    clpac_bands_free(bands));
	check_input(clpac_transformer, clpac_estimate_transformer(given, &taken, &err), (void)0);
	check_input(clpac_options, clpac_context_open(clpac_context_device(context), given, &opened, &err),
		    clpac_context_close(opened));
	check_input(clpac_options, clpac_context_open_selected(NULL, "native", 0, given, &opened, &err),
		    clpac_context_close(opened));
	check_input(clpac_options, clpac_options_set(given, "threads", "2", &err), (void)0);
	check_input(clpac_options, clpac_options_text(given, "threads", value, sizeof value, &err), (void)0);
	check_input(clpac_options, clpac_options_from_environment(given, &err), (void)0);
	check_input(clpac_options, clpac_options_to_environment(given, &err), (void)0);
	clpac_context_close(context);
}

TEST(an_option_is_set_in_a_longer_struct_and_nothing_behind_it)
{
	clpac_error err;
	NEWER(clpac_options) caller = {.known.size = sizeof caller};
	assert_works(clpac_options_set(&caller.known, "threads", "3", &err), err);
	ck_assert(caller.known.threads == 3 && caller.known.size == sizeof caller && caller.more == 0);
}

/* An older caller, whose struct ends before the last member, and a newer one. */
#define check_output(type, last, call)                                                                                 \
	do {                                                                                                           \
		NEWER(type) caller;                                                                                    \
		type *out = &caller.known, whole;                                                                      \
		size_t size = offsetof(type, last);                                                                    \
		memset(&caller, 0x5a, sizeof caller);                                                                  \
		call;                                                                                                  \
		whole = caller.known;                                                                                  \
		ck_assert_uint_eq(whole.size, size);                                                                   \
		for (size_t i = size; i < sizeof caller; i++)                                                          \
			ck_assert_int_eq(((const unsigned char *)&caller)[i], 0x5a);                                   \
		size = sizeof caller;                                                                                  \
		call;                                                                                                  \
		ck_assert_uint_eq(caller.known.size, sizeof(type));                                                    \
		ck_assert_uint_eq(caller.more, 0);                                                                     \
		ck_assert_mem_eq((const char *)&whole + sizeof(size_t), (const char *)out + sizeof(size_t),            \
				 offsetof(type, last) - sizeof(size_t));                                               \
	} while (0)

TEST(every_struct_of_numbers_is_filled_as_far_as_its_size)
{
	clpac_error err;
	clpac_context *context = NULL;
	clpac_plan *plan = NULL;
	clpac_store *store = NULL;
	const clpac_problem problem = {.rate_hz = 512, .n_samples = 2048};
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &context, &err), err);
	clpac_pool *pool = clpac_context_pool(context);
	assert_works(clpac_plan_create(context, &problem, NULL, &plan, &err), err);
	assert_works(clpac_store_create(pool, NULL, &store, &err), err);
	check_output(clpac_pool_statistics, pressure, clpac_pool_measure(pool, out, size));
	check_output(clpac_store_statistics, bad_releases, clpac_store_measure(store, out, size));
	check_output(clpac_plan_bytes, has_made_transforms, clpac_plan_measure(plan, out, size));
	check_output(clpac_plan_bytes, has_made_transforms,
		     assert_works(clpac_estimate_plan(context, &problem, NULL, out, size, &err), err));
	clpac_store_destroy(store);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

TEST(numbers_of_another_size_are_written_or_refused)
{
	char *text = NULL;
	check_input(clpac_pool_statistics, clpac_pool_statistics_text(given, &text, &err), clpac_text_free(text));
	check_input(clpac_pool_statistics, clpac_pool_statistics_json(given, &text, &err), clpac_text_free(text));
	check_input(clpac_store_statistics, clpac_store_statistics_text(given, &text, &err), clpac_text_free(text));
	check_input(clpac_store_statistics, clpac_store_statistics_json(given, &text, &err), clpac_text_free(text));
}
