/* Everything that can be open at once is closed in every order, and used as long as it is open. */
#include "closing_laws.h"

#include <stdio.h>
#include <string.h>

#include <clpac/memory/async.h>
#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "assertions.h"
#include "memory/context/context.h"
#include "noise.h"
#include "simulated.h"
#include "targets.h"

/* Without a message to Check's parent where all is well: there are thousands. */
#define WORKS(call)                                                                                                    \
	do {                                                                                                           \
		if ((call) != CLPAC_OK)                                                                                \
			ck_abort_msg("%s: %s (closed so far:%s)", #call, err.text, closed);                            \
	} while (0)

enum { BYTES = 1000, MOST_THINGS = 7, SEGMENT_BYTES = 64 << 10 /* small, since it is made thousands of times */ };

static clpac_error err;
static char closed[128]; /* the order so far, for messages */
static size_t n_random_orders;
static bool is_checked;

static clpac_context *context;
static clpac__queue *root;
static clpac_pool *pool;
static clpac_buffer *buffer;
static clpac_queue *queue;
static clpac_event *event;
static clpac_store *store;
static clpac_entry *entry;
static clpac_limit *limit;
static clpac_async *async;
static clpac_ticket *ticket;
static clpac_scope *scope;
static clpac_store_scope *store_scope;

/* --- The things ----------------------------------------------------------------------------------- */

static void close_context(void)
{
	clpac_context_close(context);
}

static void close_pool(void)
{
	clpac_pool_destroy(pool);
}

static void close_buffer(void)
{
	clpac_buffer_release(buffer);
	buffer = NULL;
}

static void close_queue(void)
{
	clpac_queue_close(pool, queue);
}

static void close_event(void)
{
	WORKS(clpac_event_wait(pool, event, &err));
	clpac_event_release(pool, event);
}

static void close_store(void)
{
	clpac_store_destroy(store);
}

static void close_entry(void)
{
	clpac_entry_release(entry);
	entry = NULL;
}

static void close_limit(void)
{
	clpac_limit_destroy(limit);
}

static void close_async(void)
{
	clpac_async_destroy(async);
}

static void close_ticket(void)
{
	clpac_buffer *made = NULL;
	WORKS(clpac_ticket_wait(ticket, &made, &err));
	WORKS(clpac_buffer_fill(made, 0, BYTES, 1, &err));
	clpac_buffer_release(made);
	clpac_ticket_release(ticket);
}

static void close_scope(void)
{
	WORKS(clpac_scope_end(scope, NULL, &err));
}

static void close_store_scope(void)
{
	clpac_store_scope_close(store_scope);
}

typedef struct thing {
	const char *name;
	void (*close)(void);
} thing;

/* Objects that work on memory or wait for it. */
static const thing memory_things[] = {
	{"context", close_context}, {"pool", close_pool},   {"buffer", close_buffer}, {"queue", close_queue},
	{"event", close_event},	    {"store", close_store}, {"entry", close_entry},
};
/* Objects that count it. */
static const thing keeping_things[] = {
	{"context", close_context},
	{"pool", close_pool},
	{"limit", close_limit},
	{"async", close_async},
	{"ticket", close_ticket},
	{"scope", close_scope},
	{"store scope", close_store_scope},
};

static void open_context(int i)
{
	*closed = 0;
	root = target_open(targets_get((size_t)i));
	WORKS(clpac__context_of_queue(root, NULL, &context, &err));
}

static void open_memory_things(int i)
{
	clpac_buffer *other = NULL;
	open_context(i);
	WORKS(clpac_pool_create(context,
				&(clpac_pool_options){.size = sizeof(clpac_pool_options),
						      .cache.max_segment_bytes = SEGMENT_BYTES,
						      .checks.is_checked = is_checked},
				&pool, &err));
	WORKS(clpac_pool_allocate(pool, BYTES, "closing", &buffer, &err));
	WORKS(clpac_buffer_fill(buffer, 0, BYTES, 3, &err));
	WORKS(clpac_queue_open(pool, false, &queue, &err));
	WORKS(clpac_buffer_record(buffer, queue, &err));
	WORKS(clpac_queue_mark(pool, queue, &event, &err));
	WORKS(clpac_store_create(pool, NULL, &store, &err));
	WORKS(clpac_pool_request(pool, &(clpac_request){.bytes = BYTES, .queue = queue}, &other, &err));
	WORKS(clpac_buffer_fill(other, 0, BYTES, 3, &err));
	WORKS(clpac_store_put(store, "key", other, NULL, CLPAC_PUT_FAIL, &err));
	WORKS(clpac_store_acquire(store, "key", &entry, &err));
}

static void open_keeping_things(int i)
{
	clpac_store *early = NULL;
	clpac_buffer *other = NULL;
	open_context(i);
	WORKS(clpac_limit_create(1 << 30, &limit, &err));
	WORKS(clpac_pool_create(context,
				&(clpac_pool_options){.size = sizeof(clpac_pool_options),
						      .budget.limit = limit,
						      .checks.is_tracked = true,
						      .cache.max_segment_bytes = SEGMENT_BYTES},
				&pool, &err));
	WORKS(clpac_async_create(pool, 0, &async, &err));
	WORKS(clpac_scope_begin(pool, CLPAC_SCOPE_RELEASE, "closing", &scope, &err));
	WORKS(clpac_async_request(async, 1, &(clpac_request){.bytes = BYTES}, NULL, NULL, &ticket, &err));
	WORKS(clpac_store_create(pool, NULL, &early, &err));
	WORKS(clpac_store_scope_open(early, NULL, &store_scope, &err));
	WORKS(clpac_pool_allocate(pool, BYTES, "closing", &other, &err));
	clpac_scope_keep(other); /* it is the store's from now on */
	WORKS(clpac_store_put(early, "key", other, NULL, CLPAC_PUT_FAIL, &err));
	WORKS(clpac_store_scope_acquire(store_scope, "key", &entry, &err));
	entry = NULL;
	clpac_store_destroy(early); /* the scope keeps it */
}

/* --- Orders --------------------------------------------------------------------------------------- */

static void check_content(clpac_buffer *of)
{
	unsigned char content[BYTES];
	if (!of)
		return;
	WORKS(clpac_buffer_read(of, 0, BYTES, content, &err));
	for (size_t i = 0; i < BYTES; i++)
		if (content[i] != 3)
			ck_abort_msg("byte %zu of a buffer is %u (closed so far:%s)", i, content[i], closed);
}

static void close_in_order(const thing *things, const unsigned char *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		check_content(buffer);
		check_content(clpac_entry_buffer(entry));
		things[order[i]].close();
		snprintf(closed + strlen(closed), sizeof closed - strlen(closed), " %s", things[order[i]].name);
	}
}

/* Nothing is left of it; of the others, a sanitizer tells. */
static void check_simulated(void)
{
	const simulated_device *device = (const simulated_device *)(const void *)root;
	const unsigned long left = device->live_blocks + device->live_parts + device->live_host_blocks +
				   device->live_mappings + device->live_siblings + device->live_events;
	if (left || device->breaches || device->hazards)
		ck_abort_msg("%lu things left, %lu breaches, %lu hazards (closed:%s)", left, device->breaches,
			     device->hazards, closed);
}

/* The next permutation in the order of the alphabet; false after the last. */
static bool next_order(unsigned char *order, size_t n)
{
	size_t i = n - 1, k = n - 1;
	while (i && order[i - 1] > order[i])
		i--;
	if (!i)
		return false;
	while (order[k] < order[i - 1])
		k--;
	const unsigned char swapped = order[k];
	order[k] = order[i - 1];
	order[i - 1] = swapped;
	for (k = n - 1; i < k; i++, k--) {
		const unsigned char other = order[i];
		order[i] = order[k];
		order[k] = other;
	}
	return true;
}

static void shuffle(unsigned char *order, size_t n, unsigned seed)
{
	uint32_t numbers[MOST_THINGS];
	random_bytes(seed, numbers, sizeof numbers);
	for (size_t i = n; i > 1; i--) {
		const size_t k = numbers[i - 1] % i;
		const unsigned char swapped = order[k];
		order[k] = order[i - 1];
		order[i - 1] = swapped;
	}
}

static void close_in_all_orders(int i, void (*open)(int i), const thing *things, size_t n)
{
	unsigned char order[MOST_THINGS];
	const bool is_simulated = strcmp(targets_get((size_t)i)->backend->name, "simulated") == 0;
	for (size_t k = 0; k < n; k++)
		order[k] = (unsigned char)k;
	for (size_t done = 0; n_random_orders ? done < n_random_orders : !done || next_order(order, n); done++) {
		if (n_random_orders)
			shuffle(order, n, (unsigned)done);
		open(i);
		close_in_order(things, order, n);
		if (is_simulated)
			check_simulated();
	}
}

START_TEST(memory_and_its_users_are_closed_in_any_order)
{
	close_in_all_orders(_i, open_memory_things, memory_things, COUNT(memory_things));
}

START_TEST(memory_of_a_checked_pool_is_closed_in_any_order)
{
	enum { ORDERS = 60 };
	const size_t n = n_random_orders;
	n_random_orders = ORDERS;
	is_checked = true;
	close_in_all_orders(_i, open_memory_things, memory_things, COUNT(memory_things));
	is_checked = false;
	n_random_orders = n;
}

START_TEST(those_who_keep_count_are_closed_in_any_order)
{
	close_in_all_orders(_i, open_keeping_things, keeping_things, COUNT(keeping_things));
}

START_TEST(a_contexts_own_pool_lives_until_its_last_buffer_goes)
{
	clpac_buffer *of_context = NULL;
	unsigned char byte = 0;
	open_context(_i);
	WORKS(clpac_pool_allocate(clpac_context_pool(context), BYTES, "own", &of_context, &err));
	clpac_pool_destroy(clpac_context_pool(context)); /* the context's: nothing happens */
	ck_assert_ptr_eq(clpac_buffer_pool(of_context), clpac_context_pool(context));
	clpac_context_close(context);
	ck_assert_ptr_null(clpac_buffer_pool(of_context));
	WORKS(clpac_buffer_fill(of_context, 0, BYTES, 9, &err));
	WORKS(clpac_buffer_read(of_context, BYTES - 1, 1, &byte, &err));
	ck_assert_uint_eq(byte, 9);
	clpac_buffer_release(of_context);
}

START_TEST(an_event_is_released_once)
{
	clpac_pool_statistics now;
	open_context(_i);
	clpac_pool *own = clpac_context_pool(context);
	WORKS(clpac_queue_mark(own, NULL, &event, &err));
	clpac_event_release(own, event);
	clpac_event_release(own, event);
	clpac_pool_measure(own, &now, sizeof now);
	ck_assert_uint_eq(now.bad_releases, 1);
	uint64_t n = 0;
	ck_assert_int_eq(clpac_pool_take_faults(own, &n, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "an event was released"));
	clpac_context_close(context);
}

void closing_laws_add(Suite *s, size_t n, size_t n_orders)
{
	TCase *laws = tcase_create("closing");
	n_random_orders = n_orders;
	tcase_set_timeout(laws, 300);
	tcase_add_loop_test(laws, memory_and_its_users_are_closed_in_any_order, 0, (int)n);
	tcase_add_loop_test(laws, memory_of_a_checked_pool_is_closed_in_any_order, 0, (int)n);
	tcase_add_loop_test(laws, a_contexts_own_pool_lives_until_its_last_buffer_goes, 0, (int)n);
	tcase_add_loop_test(laws, an_event_is_released_once, 0, (int)n);
	suite_add_tcase(s, laws);
	TCase *threads =
		tcase_create("closing, several threads"); /* tickets are carried out by a thread of their own */
	tcase_set_tags(threads, "threads");
	tcase_set_timeout(threads, 300);
	tcase_add_loop_test(threads, those_who_keep_count_are_closed_in_any_order, 0, (int)n);
	suite_add_tcase(s, threads);
}
