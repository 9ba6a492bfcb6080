/* Pressure: the levels and the watchers told of them, blocks released automatically, and holders asked to release
 * theirs. */
#include "runner.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"

enum { PERCENT = 1024, MOST_EVENTS = 256 };

/* The events that a watcher was told. */
struct diary {
	size_t n;
	clpac_pressure from[MOST_EVENTS], to[MOST_EVENTS];
	clpac_pool *pool;
	unsigned depth, deepest;
};

static void note(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	struct diary *diary = user;
	ck_assert_uint_lt(diary->n, MOST_EVENTS);
	diary->from[diary->n] = from;
	diary->to[diary->n++] = to;
	diary->pool = pool;
}

/* "low medium high medium": the levels told, each event starting at the level where the one before ended. */
static const char *text_of(const struct diary *diary)
{
	static char text[MOST_EVENTS * 16];
	strcpy(text, clpac_pressure_text(diary->n ? diary->from[0] : CLPAC_PRESSURE_LOW));
	for (size_t i = 0; i < diary->n; i++) {
		if (i)
			ck_assert_int_eq(diary->from[i], diary->to[i - 1]);
		ck_assert(diary->to[i] == diary->from[i] + 1 || diary->from[i] == diary->to[i] + 1);
		strcat(strcat(text, " "), clpac_pressure_text(diary->to[i]));
	}
	return text;
}

static clpac_pressure level_of(clpac_pool *pool)
{
	return clpac_pool_pressure(pool);
}

static void end(clpac_pool *pool, const simulated_device *device)
{
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

TEST(every_change_through_all_levels_and_back_is_told_once_and_in_order)
{
	/* Each row: the hundredths of the budget taken, the level, and the events told on the way. */
	static const struct {
		unsigned taken;
		clpac_pressure level;
		const char *told;
	} steps[] = {
		{59, CLPAC_PRESSURE_LOW, "low"},
		{60, CLPAC_PRESSURE_MEDIUM, "low medium"},
		{79, CLPAC_PRESSURE_MEDIUM, "low"},
		{80, CLPAC_PRESSURE_HIGH, "medium high"},
		{94, CLPAC_PRESSURE_HIGH, "low"},
		{95, CLPAC_PRESSURE_CRITICAL, "high critical"},
		{100, CLPAC_PRESSURE_CRITICAL, "low"},
		{90, CLPAC_PRESSURE_CRITICAL, "low"},
		{89, CLPAC_PRESSURE_HIGH, "critical high"},
		{94, CLPAC_PRESSURE_HIGH, "low"},
		{75, CLPAC_PRESSURE_HIGH, "low"},
		{74, CLPAC_PRESSURE_MEDIUM, "high medium"},
		{79, CLPAC_PRESSURE_MEDIUM, "low"},
		{55, CLPAC_PRESSURE_MEDIUM, "low"},
		{54, CLPAC_PRESSURE_LOW, "medium low"},
		{59, CLPAC_PRESSURE_LOW, "low"},
		{100, CLPAC_PRESSURE_CRITICAL, "low medium high critical"},
		{0, CLPAC_PRESSURE_LOW, "critical high medium low"},
	};
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	clpac_buffer *buffers[100];
	struct diary diary = {0};
	unsigned n = 0;
	ck_assert_int_eq(clpac_pool_watch(pool, note, &diary, NULL), CLPAC_OK);
	for (size_t i = 0; i < COUNT(steps); i++) {
		diary.n = 0;
		while (n < steps[i].taken)
			buffers[n++] = take(pool, PERCENT);
		while (n > steps[i].taken)
			clpac_buffer_release(buffers[--n]);
		clpac_pool_clear(pool);
		ck_assert_msg(strcmp(text_of(&diary), steps[i].told) == 0, "step %zu: %s", i, text_of(&diary));
		ck_assert_int_eq(level_of(pool), steps[i].level);
		check_truth(pool, &device);
	}
	ck_assert_ptr_eq(diary.pool, pool);
	end(pool, &device);
}

TEST(one_request_that_crosses_several_levels_tells_each)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	struct diary diary = {0};
	ck_assert_int_eq(clpac_pool_watch(pool, note, &diary, NULL), CLPAC_OK);
	clpac_buffer *all = take(pool, 100 * PERCENT);
	ck_assert_str_eq(text_of(&diary), "low medium high critical");
	/* What is only cached presses nothing: a release is told, into the cache or not, and so is the next request. */
	clpac_buffer_release(all);
	ck_assert_str_eq(text_of(&diary), "low medium high critical high medium low");
	all = take(pool, 100 * PERCENT);
	ck_assert_uint_eq(diary.n, 9);
	ck_assert_int_eq(level_of(pool), CLPAC_PRESSURE_CRITICAL);
	clpac_buffer_release(all);
	ck_assert_uint_eq(diary.n, 12);
	clpac_pool_clear(pool);
	ck_assert_uint_eq(diary.n, 12);
	end(pool, &device);
}

TEST(where_much_is_held_the_oldest_cached_memory_goes_until_it_is_less)
{
	simulated_device device;
	clpac_pool *pool =
		open_pool(&device, 100 * PERCENT, &(clpac_pool_options){.cache = {.max_kept_per_class = 100}});
	clpac_buffer *cached[30];
	for (int i = 0; i < 30; i++)
		cached[i] = take(pool, PERCENT);
	clpac_buffer *large = take(pool, 48 * PERCENT);
	clpac_buffer_release_batch(cached, 30);
	ck_assert_int_eq(level_of(pool), CLPAC_PRESSURE_LOW);
	clpac_buffer *last = take(pool, 2 * PERCENT); /* 80 are held, 50 of them in use */
	/* 74 are left, below the 75 at which a pool holds less than much. */
	ck_assert_uint_eq(device.live_bytes, 74 * PERCENT);
	ck_assert_int_eq(level_of(pool), CLPAC_PRESSURE_LOW);
	check_truth(pool, &device);
	clpac_buffer_release(last);
	clpac_buffer_release(large);
	end(pool, &device);
}

TEST(from_high_on_half_as_many_blocks_are_kept)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, &(clpac_pool_options){.cache = {.max_kept_per_class = 8}});
	clpac_buffer *large = take(pool, 80 * PERCENT), *small[12];
	for (int i = 0; i < 12; i++)
		small[i] = take(pool, PERCENT);
	clpac_buffer_release_batch(small, 12);
	ck_assert_uint_eq(device.live_blocks, 1 + 4);
	clpac_buffer_release(large);
	clpac_pool_clear(pool);
	for (int i = 0; i < 12; i++)
		small[i] = take(pool, PERCENT);
	clpac_buffer_release_batch(small, 12);
	ck_assert_uint_eq(device.live_blocks, 8);
	end(pool, &device);
}

TEST(below_a_third_of_the_budget_caches_may_grow_and_then_no_more)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 1000 * PERCENT, NULL);
	clpac_buffer *small[100], *large;
	for (int i = 0; i < 100; i++)
		small[i] = take(pool, PERCENT);
	clpac_buffer_release_batch(small, 100);
	ck_assert_uint_eq(device.live_blocks, 64);
	large = take(pool, 240 * PERCENT); /* 0.304 */
	for (int i = 0; i < 64; i++)
		small[i] = take(pool, PERCENT);
	clpac_buffer_release_batch(small, 64);
	ck_assert_uint_lt(device.live_blocks, 1 + 64);
	check_truth(pool, &device);
	clpac_buffer_release(large);
	end(pool, &device);
}

/* ---- At Critical everyone is asked ----------------------------------------------------------- */

struct asked {
	const char *name;
	clpac_buffer *held;
	uint64_t bytes;
};
static char order[100];

static uint64_t answer(void *user, clpac_pool *pool, uint64_t bytes)
{
	struct asked *asked = user;
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	strcat(strcat(order, asked->name), " ");
	asked->bytes = bytes;
	const uint64_t released = asked->held ? clpac_buffer_class(asked->held) : 0;
	clpac_buffer_release(asked->held);
	asked->held = NULL;
	return released;
}

TEST(at_critical_stores_and_then_the_application_are_asked_for_what_is_too_much)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	struct asked store = {.name = "store", .held = take(pool, 2 * PERCENT)};
	struct asked application = {.name = "application", .held = take(pool, 10 * PERCENT)};
	struct diary diary = {0};
	order[0] = '\0';
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, answer, &application, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, answer, &store, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_watch(pool, note, &diary, NULL), CLPAC_OK);
	clpac_buffer *large = take(pool, 80 * PERCENT); /* 92 */
	ck_assert_str_eq(order, "");
	clpac_buffer *last = take(pool, 3 * PERCENT); /* 95: 5 and one byte more must go to be below 90 */
	ck_assert_str_eq(order, "store application ");
	ck_assert_uint_eq(store.bytes, 5 * PERCENT + 1);
	ck_assert_uint_eq(application.bytes, 3 * PERCENT + 1);
	ck_assert_uint_eq(device.live_bytes, 83 * PERCENT);
	ck_assert_str_eq(text_of(&diary), "low medium high critical high");
	check_truth(pool, &device);

	/* Nobody is asked again while the level stays away from Critical, nor twice for one crossing. */
	clpac_buffer *more = take(pool, 10 * PERCENT);
	ck_assert_str_eq(order, "store application ");
	clpac_buffer *most = take(pool, 4 * PERCENT);
	ck_assert_str_eq(order, "store application store application ");
	clpac_buffer *all = take(pool, 3 * PERCENT);
	ck_assert_str_eq(order, "store application store application ");
	clpac_buffer_release(large);
	clpac_buffer_release(last);
	clpac_buffer_release(more);
	clpac_buffer_release(most);
	clpac_buffer_release(all);
	end(pool, &device);
}

TEST(what_is_cached_goes_before_anybody_is_asked)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	struct asked store = {.name = "store"};
	order[0] = '\0';
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, answer, &store, NULL), CLPAC_OK);
	clpac_buffer *large = take(pool, 80 * PERCENT);
	clpac_buffer_release(take(pool, 10 * PERCENT));
	clpac_buffer *last = take(pool, 5 * PERCENT);
	ck_assert_str_eq(order, "");
	ck_assert_uint_eq(device.live_bytes, 85 * PERCENT);
	clpac_buffer_release(large);
	clpac_buffer_release(last);
	end(pool, &device);
}

/* ---- What a watcher may do ------------------------------------------------------------------- */

static void use_the_pool(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	struct diary *diary = user;
	diary->depth++;
	diary->deepest = diary->depth > diary->deepest ? diary->depth : diary->deepest;
	note(diary, pool, from, to);
	/* Watchers run outside every lock: under one, each of these calls would wait for ever. */
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	clpac_buffer *buffer = NULL;
	if (diary->n == 1) { /* each change that the watcher makes is told as well */
		const unsigned char byte = 1;
		ck_assert_int_eq(clpac_pool_allocate(pool, 20 * PERCENT, "within", &buffer, NULL), CLPAC_OK);
		ck_assert_int_eq(clpac_buffer_write(buffer, 0, 1, &byte, NULL), CLPAC_OK);
		clpac_buffer_release(buffer);
		clpac_pool_clear(pool);
	}
	diary->depth--;
}

TEST(a_watcher_that_allocates_and_releases_is_told_of_its_own_changes_afterwards)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	struct diary diary = {0};
	ck_assert_int_eq(clpac_pool_watch(pool, use_the_pool, &diary, NULL), CLPAC_OK);
	clpac_buffer *buffer = take(pool, 64 * PERCENT);
	/* The watcher's 20 made 84: up to High, and down again. */
	ck_assert_str_eq(text_of(&diary), "low medium high medium");
	ck_assert_uint_eq(diary.deepest, 1);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

static void change_often(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	struct diary *diary = user;
	note(diary, pool, from, to);
	if (diary->n > 1)
		return;
	for (int i = 0; i < 100; i++) {
		clpac_buffer *buffer = NULL;
		ck_assert_int_eq(clpac_pool_allocate(pool, 32 * PERCENT, "within", &buffer, NULL), CLPAC_OK);
		clpac_buffer_release(buffer);
		clpac_pool_clear(pool);
	}
}

TEST(more_changes_than_anybody_can_be_told_of_end_where_the_level_is)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	struct diary diary = {0};
	ck_assert_int_eq(clpac_pool_watch(pool, change_often, &diary, NULL), CLPAC_OK);
	clpac_buffer *buffer = take(pool, 64 * PERCENT);
	ck_assert_int_eq(diary.to[diary.n - 1], level_of(pool));
	ck_assert_uint_gt(strlen(text_of(&diary)), 10); /* a chain without gaps */
	ck_assert_uint_lt(diary.n, 100);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

TEST(watchers_are_eight_at_most_and_each_only_once)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100 * PERCENT, NULL);
	struct diary diaries[9] = {0};
	clpac_error err = {0};
	ck_assert_int_eq(clpac_pool_watch(pool, NULL, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "clpac_pool_watch: function is NULL");
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(clpac_pool_watch(pool, note, &diaries[i], &err), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_watch(pool, note, &diaries[0], &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "watch: this function watches the pool already");
	ck_assert_int_eq(clpac_pool_watch(pool, note, &diaries[8], &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "watch: the pool has 8 watchers already; remove one first");
	clpac_pool_unwatch(pool, note, &diaries[2]);
	clpac_pool_unwatch(pool, note, &diaries[8]); /* not registered: does nothing */
	clpac_buffer_release(take(pool, 70 * PERCENT));
	for (int i = 0; i < 9; i++)
		ck_assert_uint_eq(diaries[i].n, i == 2 || i == 8 ? 0 : 2);
	ck_assert_int_eq(clpac_pool_watch(pool, note, &diaries[8], &err), CLPAC_OK);
	end(pool, &device);
}
