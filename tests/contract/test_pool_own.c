/* The laws of a pool and a store over memory of an application's own, and what clpac_pool_create_on says. */
#include "runner.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "handle_laws.h"
#include "ladder_laws.h"
#include "own_memory.h"
#include "pool_laws.h"
#include "store_laws.h"
#include "targets.h"
#include "transfer_laws.h"
#include "use_laws.h"

static clpac_pool *pool;
static clpac_error err;

static void drop_function(clpac_own_memory *memory, size_t offset)
{
	memset((char *)memory + offset, 0, sizeof memory->allocate);
}

START_TEST(a_memory_without_what_it_needs_is_refused)
{
	static const struct {
		size_t offset;
		const char *said;
	} needed[] = {
		{offsetof(clpac_own_memory, allocate), "allocate and release are needed"},
		{offsetof(clpac_own_memory, release), "allocate and release are needed"},
		{offsetof(clpac_own_memory, copy), "write, read, fill and copy are needed"},
		{offsetof(clpac_own_memory, wait), "all five are needed"},
		{offsetof(clpac_own_memory, close_queue), "open_queue and close_queue are, or neither is, needed"},
	};
	for (size_t i = 0; i < COUNT(needed); i++) {
		clpac_own_memory memory = *own_memory(OWN_APART);
		drop_function(&memory, needed[i].offset);
		ck_assert_int_eq(clpac_pool_create_on(&memory, NULL, &pool, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, needed[i].said), "%s", err.text);
	}
	clpac_own_memory memory = *own_memory(OWN_APART);
	memory.alignment = 24;
	ck_assert_int_eq(clpac_pool_create_on(&memory, NULL, &pool, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "a power of two"), "%s", err.text);
}

static int n_closed;

static void count_closed(void *user)
{
	ck_assert_ptr_eq(user, &n_closed);
	n_closed++;
}

START_TEST(a_memory_is_closed_once_with_the_last_that_was_made_on_its_pool)
{
	clpac_own_memory memory = *own_memory((enum own_memory_kind)_i);
	clpac_buffer *buffer = NULL;
	memory.user = &n_closed;
	memory.closed = count_closed;
	ck_assert_int_eq(clpac_pool_create_on(&memory, &(clpac_pool_options){.budget = {.fraction = 2}}, &pool, &err),
			 CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(n_closed, 0);
	OK(clpac_pool_create_on(&memory, NULL, &pool, &err));
	OK(clpac_pool_allocate(pool, 100000, "last", &buffer, &err));
	ck_assert_uint_eq(own_memory_pieces(), 1);
	clpac_pool_destroy(pool);
	ck_assert_int_eq(n_closed, 0);
	clpac_buffer_release(buffer);
	ck_assert_int_eq(n_closed, 1);
	ck_assert_uint_eq(own_memory_pieces(), 0);
}

static clpac_status refuse(void *user, size_t bytes, void **memory, clpac_error *said)
{
	(void)user, (void)bytes, (void)memory;
	strcpy(said->text, "no more today");
	said->native_code = 7;
	return CLPAC_ERROR_NO_DEVICE_MEMORY;
}

static clpac_status give_nothing(void *user, size_t bytes, void **memory, clpac_error *said)
{
	(void)user, (void)bytes, (void)memory, (void)said;
	return CLPAC_OK;
}

START_TEST(what_an_application_says_of_a_failure_is_in_the_error)
{
	clpac_own_memory memory = *own_memory(OWN_WHOLE);
	clpac_buffer *buffer = NULL;
	memory.allocate = refuse;
	OK(clpac_pool_create_on(&memory, NULL, &pool, &err));
	ck_assert_int_eq(clpac_pool_allocate(pool, 1000, "", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_msg(strstr(err.text, "allocate on whole pieces behind handles: no more today"), "%s", err.text);
	ck_assert_int_eq(err.native_code, 7);
	/* Memory of the host does instead. */
	OK(clpac_pool_request(pool, &(clpac_request){.bytes = 1000, .placement = CLPAC_PLACE_PREFER_DEVICE}, &buffer,
			      &err));
	ck_assert(!clpac_buffer_is_on_device(buffer));
	clpac_buffer_release(buffer);
	clpac_pool_destroy(pool);
	memory.allocate = give_nothing;
	OK(clpac_pool_create_on(&memory, NULL, &pool, &err));
	ck_assert_int_eq(clpac_pool_allocate(pool, 1000, "", &buffer, &err), CLPAC_ERROR_DEVICE);
	ck_assert_msg(strstr(err.text, "without an address"), "%s", err.text);
	clpac_pool_destroy(pool);
}

static TCase *creation(void)
{
	TCase *laws = tcase_create("creation");
	tcase_add_test(laws, a_memory_without_what_it_needs_is_refused);
	tcase_add_loop_test(laws, a_memory_is_closed_once_with_the_last_that_was_made_on_its_pool, 0, OWN_MEMORIES);
	tcase_add_test(laws, what_an_application_says_of_a_failure_is_in_the_error);
	return laws;
}

Suite *suite(void)
{
	Suite *s = suite_create("pool on memory of its own");
	suite_add_tcase(s, creation());
	suite_add_tcase(s, pool_laws(targets_find("own")));
	suite_add_tcase(s, watch_laws(targets_find("own")));
	suite_add_tcase(s, handle_laws(targets_find("own")));
	suite_add_tcase(s, ladder_laws(targets_find("own")));
	suite_add_tcase(s, use_laws(targets_find("own")));
	suite_add_tcase(s, use_thread_laws(targets_find("own")));
	suite_add_tcase(s, transfer_laws(targets_find("own")));
	suite_add_tcase(s, store_laws(targets_find("own")));
	return s;
}
