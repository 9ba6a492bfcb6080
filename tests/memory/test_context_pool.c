/* Settings of a context's own pool, as a text among its options. */
#include "runner.h"

#include <clpac/memory/context.h>
#include <clpac/memory/trace.h>
#include <clpac/memory/pool.h>
#include <string.h>

#include "assertions.h"

static clpac_error err;

static clpac_status open_with(const char *pool, clpac_context **out)
{
	clpac_options options = {.device = "native"};
	assert_works(clpac_options_set(&options, "pool", pool, &err), err);
	return clpac_context_open(NULL, &options, out, &err);
}

TEST(a_contexts_pool_is_made_with_the_settings_of_its_options)
{
	clpac_context *context = NULL;
	clpac_live_list list;
	assert_works(open_with("budget.bytes=3M checks.is_tracked=yes", &context), err);
	ck_assert_uint_eq(clpac_pool_budget(clpac_context_pool(context)), 3 << 20);
	assert_works(clpac_pool_list(clpac_context_pool(context), 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 0);
	clpac_live_list_free(&list);
	clpac_context_close(context);
}

TEST(the_smaller_of_memory_and_budget_holds)
{
	clpac_context *context = NULL;
	clpac_options options = {.device = "native", .memory = "2M", .pool = "budget.bytes=3M"};
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	ck_assert_uint_eq(clpac_pool_budget(clpac_context_pool(context)), 2 << 20);
	clpac_context_close(context);
}

TEST(a_word_that_is_not_understood_fails_the_opening)
{
	static const char *const texts[][2] = {{"budget.bites=3M", "budget.bites"},
					       {"placement=here", "placement"},
					       {"budget.fraction=2", "fraction is 2"}};
	for (size_t i = 0; i < COUNT(texts); i++) {
		clpac_context *context = NULL;
		ck_assert_int_eq(open_with(texts[i][0], &context), CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, texts[i][1]), "%s", err.text);
		ck_assert_ptr_null(context);
	}
}
