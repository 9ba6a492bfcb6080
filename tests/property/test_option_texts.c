/* Options as text: read(text(x)) is x for random ones, and what is no text of options is refused by name and place. */
#include "runner.h"

#include <clpac/memory/context.h>
#include <clpac/plan.h>
#include <clpac/memory/limit.h>
#include <clpac/memory/pool.h>
#include "assertions.h"
#include "random.h"

enum { N = 2000 };

/* Mostly 0, else of any magnitude. */
static uint64_t random_whole(unsigned long long *state)
{
	return random_below(state, 3) ? random_bits(state) >> random_below(state, 64) : 0;
}

static double random_number(unsigned long long *state)
{
	return random_below(state, 3) ? ldexp(random_unit(state) - 0.5, (int)random_below(state, 60) - 30) : 0;
}

static clpac_pool_options random_pool_options(unsigned long long *state)
{
	static const char *const caps[] = {"", "300M", "25%", "0.5", "1.5GiB", "1234567890123456789012345678901"};
	clpac_pool_options made = {
		.size = sizeof made,
		.budget = {.bytes = random_whole(state),
			   .fraction = random_number(state),
			   .minimum_free_bytes = random_whole(state),
			   .wait_s = random_number(state)},
		.cache = {.classes_per_octave = (unsigned)random_whole(state),
			  .max_kept_per_class = (unsigned)random_whole(state),
			  .blocks = (clpac_blocks)random_below(state, CLPAC_BLOCKS_COUNT),
			  .max_segment_bytes = random_whole(state),
			  .preallocate_bytes = random_whole(state)},
		.checks = {.is_tracked = random_below(state, 2), .is_checked = random_below(state, 2)},
		.preset = (clpac_preset)random_below(state, CLPAC_PRESET_COUNT),
		.placement = (clpac_placement)random_below(state, CLPAC_PLACE_COUNT),
		.may_move = random_below(state, 2),
		.merge_fraction = random_number(state),
	};
	strcpy(made.warm_up, random_below(state, 2) ? "1M*8,64K*32" : "");
	strcpy(made.budget.cap, caps[random_below(state, COUNT(caps))]);
	return made;
}

static bool same_pool_options(const clpac_pool_options *a, const clpac_pool_options *b)
{
	return a->size == b->size && a->budget.bytes == b->budget.bytes && !strcmp(a->budget.cap, b->budget.cap) &&
	       a->budget.fraction == b->budget.fraction &&
	       a->budget.minimum_free_bytes == b->budget.minimum_free_bytes && a->budget.limit == b->budget.limit &&
	       a->budget.wait_s == b->budget.wait_s && a->cache.classes_per_octave == b->cache.classes_per_octave &&
	       a->cache.max_kept_per_class == b->cache.max_kept_per_class && a->cache.blocks == b->cache.blocks &&
	       a->cache.max_segment_bytes == b->cache.max_segment_bytes &&
	       a->cache.preallocate_bytes == b->cache.preallocate_bytes &&
	       a->checks.is_tracked == b->checks.is_tracked && a->checks.is_checked == b->checks.is_checked &&
	       a->preset == b->preset && a->placement == b->placement && a->may_move == b->may_move &&
	       a->merge_fraction == b->merge_fraction && !strcmp(a->warm_up, b->warm_up);
}

TEST(pool_options_come_back_from_their_text)
{
	unsigned long long state = 1;
	for (int i = 0; i < N; i++) {
		const clpac_pool_options given = random_pool_options(&state);
		clpac_pool_options *back = NULL;
		clpac_error err;
		char *text = NULL;
		assert_works(clpac_pool_options_text(&given, &text, &err), err);
		assert_works(clpac_pool_options_read(text, &back, &err), err);
		ck_assert_msg(same_pool_options(&given, back), "options %d: %s", i, text);
		clpac_pool_options_free(back);
		clpac_text_free(text);
	}
}

TEST(plan_options_come_back_from_their_text)
{
	unsigned long long state = 2;
	for (int i = 0; i < N; i++) {
		const clpac_plan_options given = {.strategy =
							  (clpac_strategy)random_below(&state, CLPAC_STRATEGY_COUNT),
						  .memory_bytes = random_whole(&state),
						  .max_batch = (size_t)random_whole(&state),
						  .keep_flat = random_below(&state, 2)};
		clpac_plan_options *back = NULL;
		clpac_error err;
		char *text = NULL;
		assert_works(clpac_plan_options_text(&given, &text, &err), err);
		assert_works(clpac_plan_options_read(text, &back, &err), err);
		ck_assert_msg(back->size == sizeof *back && given.strategy == back->strategy &&
				      given.memory_bytes == back->memory_bytes && given.max_batch == back->max_batch &&
				      given.keep_flat == back->keep_flat && !back->progress && !back->progress_user,
			      "options %d: %s", i, text);
		clpac_plan_options_free(back);
		clpac_text_free(text);
	}
}

TEST(texts_are_short_and_say_what_is_set)
{
	clpac_error err;
	char *text = NULL;
	assert_works(clpac_pool_options_text(&(clpac_pool_options){0}, &text, &err), err);
	ck_assert_str_eq(text, "");
	clpac_text_free(text);
	const clpac_pool_options some = {.budget = {.bytes = 64 << 20, .cap = "25%", .fraction = 0.5},
					 .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS},
					 .checks = {.is_tracked = true},
					 .placement = CLPAC_PLACE_PREFER_DEVICE};
	assert_works(clpac_pool_options_text(&some, &text, &err), err);
	ck_assert_str_eq(text, "budget.bytes=67108864 budget.cap=25% budget.fraction=0.5 cache.blocks=segments "
			       "checks.is_tracked=yes placement=prefer_device");
	clpac_text_free(text);
	assert_works(clpac_plan_options_text(&(clpac_plan_options){.strategy = CLPAC_STRATEGY_CHUNKED, .max_batch = 8},
					     &text, &err),
		     err);
	ck_assert_str_eq(text, "strategy=chunked max_batch=8");
	clpac_text_free(text);
}

TEST(bytes_may_have_a_unit)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {{"budget.bytes=0", 0},
		     {"budget.bytes=64M", 64 << 20},
		     {"  budget.bytes=3K\n", 3072},
		     {"budget.bytes=2G", (uint64_t)2 << 30},
		     {"budget.bytes=16777215T", (uint64_t)16777215 << 40},
		     {"budget.bytes=18446744073709551615", UINT64_MAX}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_pool_options *made = NULL;
		clpac_error err;
		assert_works(clpac_pool_options_read(cases[i].text, &made, &err), err);
		ck_assert_uint_eq(made->budget.bytes, cases[i].bytes);
		clpac_pool_options_free(made);
	}
	clpac_pool_options_free(NULL);
	clpac_plan_options_free(NULL);
}

TEST(what_is_no_text_of_options_is_refused_by_name_and_place)
{
	static const struct {
		const char *text, *part;
	} of_pools[] = {
		{"budget", "pool options: \"budget\" is not KEY=VALUE (character 1)"},
		{"preset=balanced colour=red", "pool options: \"colour\" is no key of the options of a pool: there are "
					       "budget.bytes, budget.cap, "},
		{"preset=balanced colour=red", "(character 17)"},
		{"preset=balanced  preset=balanced", "pool options: preset is given twice (character 18)"},
		{"preset=fast",
		 "preset=fast is not understood: give balanced, throughput or constrained (character 1)"},
		{"cache.blocks=some", "give auto, segments or whole"},
		{"placement=here", "give default, device, prefer_device or host"},
		{"budget.bytes=-1", "budget.bytes=-1 is not understood: give bytes, as 67108864 or 64M"},
		{"budget.bytes=64X", "is not understood"},
		{"budget.bytes=16777216T", "is not understood"},
		{"budget.bytes=", "is not understood"},
		{"budget.fraction=half", "budget.fraction=half is not understood: give a number (character 1)"},
		{"checks.is_tracked=1", "give yes or no"},
		{"cache.max_kept_per_class=4294967296", "give a whole number from 0 on"},
		{"budget.cap=12345678901234567890123456789012", "give at most 31 characters"},
		{"budget.limit=set", "names an object of the program, which the text does not hold"},
	};
	static const struct {
		const char *text, *part;
	} of_plans[] = {
		{"strategy=some", "plan options: strategy=some is not understood: give auto, vectorized, chunked, "
				  "sequential, conservative or aggressive (character 1)"},
		{"max_batch=8 progress=set", "progress=set names an object of the program"},
		{"max_batch=8 bytes=1",
		 "\"bytes\" is no key of the options of a plan: there are strategy, memory_bytes, "
		 "max_batch, progress, keep_flat (character 13)"},
	};
	clpac_error err;
	for (size_t i = 0; i < COUNT(of_pools); i++) {
		clpac_pool_options *made = NULL;
		assert_refused(clpac_pool_options_read(of_pools[i].text, &made, &err), err, CLPAC_ERROR_ARGUMENT,
			       of_pools[i].part);
		ck_assert_ptr_null(made);
	}
	for (size_t i = 0; i < COUNT(of_plans); i++) {
		clpac_plan_options *made = NULL;
		assert_refused(clpac_plan_options_read(of_plans[i].text, &made, &err), err, CLPAC_ERROR_ARGUMENT,
			       of_plans[i].part);
		ck_assert_ptr_null(made);
	}
}

static bool go_on(void *user, size_t done, size_t total)
{
	(void)user, (void)done, (void)total;
	return true;
}

TEST(what_no_text_can_hold_is_named_in_it)
{
	clpac_error err;
	clpac_limit *limit = NULL;
	char *text = NULL;
	assert_works(clpac_limit_create(1 << 20, &limit, &err), err);
	assert_works(clpac_pool_options_text(&(clpac_pool_options){.budget = {.limit = limit}}, &text, &err), err);
	ck_assert_str_eq(text, "budget.limit=set");
	clpac_text_free(text);
	clpac_limit_destroy(limit);
	assert_works(clpac_plan_options_text(&(clpac_plan_options){.progress = go_on}, &text, &err), err);
	ck_assert_str_eq(text, "progress=set");
	clpac_text_free(text);
	assert_refused(clpac_pool_options_text(&(clpac_pool_options){.budget = {.cap = "300 M"}}, &text, &err), err,
		       CLPAC_ERROR_ARGUMENT,
		       "pool options: budget.cap is \"300 M\": it must have at most 31 characters");
	clpac_pool_options endless = {0};
	memset(endless.budget.cap, '1', sizeof endless.budget.cap);
	assert_refused(clpac_pool_options_text(&endless, &text, &err), err, CLPAC_ERROR_ARGUMENT,
		       "budget.cap is \"1111");
}

TEST(no_failing_allocation_goes_unnoticed)
{
	clpac_error err;
	clpac_pool_options *of_pool = NULL;
	clpac_plan_options *of_plan = NULL;
	char *text = NULL;
	const clpac_pool_options some = {.budget = {.bytes = 1}};
	assert_survives_failing_allocations(clpac_pool_options_read("budget.bytes=1", &of_pool, &err),
					    clpac_pool_options_free(of_pool));
	assert_survives_failing_allocations(clpac_pool_options_text(&some, &text, &err), clpac_text_free(text));
	assert_survives_failing_allocations(clpac_plan_options_read("max_batch=1", &of_plan, &err),
					    clpac_plan_options_free(of_plan));
}

TEST(a_pool_is_made_from_text_alone)
{
	clpac_error err;
	clpac_context *context = NULL;
	clpac_pool_options *options = NULL;
	clpac_pool *pool = NULL;
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &context, &err), err);
	assert_works(clpac_pool_options_read("budget.bytes=1M", &options, &err), err);
	assert_works(clpac_pool_create(context, options, &pool, &err), err);
	ck_assert_uint_eq(clpac_pool_budget(pool), 1 << 20);
	clpac_pool_options_free(options);
	clpac_pool_destroy(pool);
	clpac_context_close(context);
}
