/* The tracker: every live buffer is listed exactly once, whatever other threads do meanwhile. */
#include "runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "assertions.h"
#include "memory/trace/trace_hooks.h"

static clpac__tracker *open_tracker(void)
{
	clpac__tracker *tracker = NULL;
	clpac_error err;
	assert_works(clpac__tracker_create(&tracker, &err), err);
	return tracker;
}

static clpac__watched holding(uint64_t id)
{
	return (clpac__watched){.id = id, .bytes = 10 * id, .class_bytes = 16 * id, .tag = "held"};
}

SECONDS(60);

TEST(a_record_has_all_that_was_told)
{
	clpac__tracker *tracker = open_tracker();
	clpac__watched what = {.id = 7,
			       .bytes = 1000,
			       .class_bytes = 1024,
			       .n_elements = 250,
			       .tag = "spectrum",
			       .file = "plan.c",
			       .line = 12,
			       .is_on_device = true};
	clpac__record *record = clpac__tracker_add(tracker, &what);
	clpac_live_list list;
	clpac_error err;
	assert_works(clpac__tracker_list(tracker, 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_uint_eq(list.bytes, 1000);
	ck_assert_uint_eq(list.class_bytes, 1024);
	ck_assert_uint_eq(list.n_missed, 0);
	const clpac_live_buffer *buffer = &list.buffers[0];
	ck_assert_uint_eq(buffer->id, 7);
	ck_assert_uint_eq(buffer->bytes, 1000);
	ck_assert_uint_eq(buffer->class_bytes, 1024);
	ck_assert_uint_eq(buffer->n_elements, 250);
	ck_assert_str_eq(buffer->tag, "spectrum");
	ck_assert_str_eq(buffer->file, "plan.c");
	ck_assert_int_eq(buffer->line, 12);
	ck_assert(buffer->is_on_device);
	ck_assert(buffer->age_s >= 0 && buffer->age_s < 60);
	clpac_live_list_free(&list);

	clpac__tracker_move(record, false);
	clpac__tracker_move(NULL, true);
	assert_works(clpac__tracker_list(tracker, 0, &list, &err), err);
	ck_assert(!list.buffers[0].is_on_device);
	clpac_live_list_free(&list);

	clpac__tracker_remove(tracker, record);
	clpac__tracker_remove(tracker, NULL);
	assert_works(clpac__tracker_list(tracker, 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 0);
	clpac_live_list_free(&list);
	clpac_live_list_free(NULL);
	clpac__tracker_destroy(tracker);
	clpac__tracker_destroy(NULL);
}

TEST(a_long_tag_is_cut_between_two_letters)
{
	clpac__tracker *tracker = open_tracker();
	/* 31 bytes fit: 30 letters and half of an umlaut do not. */
	static const char *const tags[] = {"0123456789012345678901234567890", "0123456789012345678901234567890123",
					   "012345678901234567890123456789\xc3\xbc",
					   "01234567890123456789012345678\xc3\xbc-"};
	static const char *const wanted[] = {"0123456789012345678901234567890", "0123456789012345678901234567890",
					     "012345678901234567890123456789", "01234567890123456789012345678\xc3\xbc"};
	for (uint64_t i = 0; i < COUNT(tags); i++) {
		clpac__watched what = holding(i + 1);
		what.tag = tags[i];
		clpac__record *record = clpac__tracker_add(tracker, &what);
		clpac_live_list list;
		ck_assert_int_eq(clpac__tracker_list(tracker, 0, &list, NULL), CLPAC_OK);
		ck_assert_str_eq(list.buffers[0].tag, wanted[i]);
		clpac_live_list_free(&list);
		clpac__tracker_remove(tracker, record);
	}
	clpac__tracker_destroy(tracker);
}

TEST(buffers_are_listed_by_age_and_only_those_old_enough)
{
	clpac__tracker *tracker = open_tracker();
	clpac__watched old = holding(9), young = holding(3);
	clpac__tracker_add(tracker, &old);
	struct timespec nap = {.tv_nsec = 60 * 1000000};
	nanosleep(&nap, NULL);
	clpac__tracker_add(tracker, &young);
	clpac_live_list list;
	clpac_error err;
	assert_works(clpac__tracker_list(tracker, 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 2);
	ck_assert_uint_eq(list.buffers[0].id, 9);
	ck_assert_uint_eq(list.buffers[1].id, 3);
	/* The tracker's clock steps by 10 ms at most. */
	ck_assert(list.buffers[0].age_s >= 0.050);
	double between = list.buffers[0].age_s - 1e-9;
	ck_assert(list.buffers[1].age_s < between);
	clpac_live_list_free(&list);
	assert_works(clpac__tracker_list(tracker, between, &list, &err), err);
	ck_assert_uint_ge(list.n, 1);
	ck_assert_uint_eq(list.buffers[0].id, 9);
	clpac_live_list_free(&list);
	assert_works(clpac__tracker_list(tracker, 3600, &list, &err), err);
	ck_assert_uint_eq(list.n, 0);
	clpac_live_list_free(&list);
	assert_refused(clpac__tracker_list(tracker, -1, &list, &err), err, CLPAC_ERROR_ARGUMENT, "-1");
	assert_refused(clpac__tracker_list(tracker, NAN, &list, &err), err, CLPAC_ERROR_ARGUMENT, "nan");
	clpac__tracker_destroy(tracker);
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

/* Fails unless the list has exactly the ids that have a record in held[]. */
static void check_list(clpac__tracker *tracker, clpac__record *const *held, const uint64_t *ids, size_t n)
{
	clpac_live_list list;
	clpac_error err;
	assert_works(clpac__tracker_list(tracker, 0, &list, &err), err);
	uint64_t *wanted = malloc(n * sizeof *wanted), *found = malloc((list.n + 1) * sizeof *found);
	size_t n_wanted = 0;
	for (size_t i = 0; i < n; i++)
		if (held[i])
			wanted[n_wanted++] = ids[i];
	ck_assert_uint_eq(list.n, n_wanted);
	for (size_t i = 0; i < list.n; i++)
		found[i] = list.buffers[i].id;
	qsort(wanted, n_wanted, sizeof *wanted, by_number);
	qsort(found, list.n, sizeof *found, by_number);
	for (size_t i = 0; i < n_wanted; i++)
		ck_assert_uint_eq(found[i], wanted[i]);
	free(wanted);
	free(found);
	clpac_live_list_free(&list);
}

TEST(random_holdings_are_listed_exactly)
{
	enum { N_HELD = 5000, N_STEPS = 200000, N_CHECKS = 20 };
	clpac__tracker *tracker = open_tracker();
	static clpac__record *held[N_HELD];
	static uint64_t ids[N_HELD];
	unsigned long long state = 3;
	uint64_t id = 0;
	for (int step = 1; step <= N_STEPS; step++) {
		size_t i = random_below(&state, N_HELD);
		if (held[i]) {
			clpac__tracker_remove(tracker, held[i]);
			held[i] = NULL;
		} else {
			clpac__watched what = holding(ids[i] = ++id);
			held[i] = clpac__tracker_add(tracker, &what);
			ck_assert_ptr_nonnull(held[i]);
		}
		if (step % (N_STEPS / N_CHECKS) == 0)
			check_list(tracker, held, ids, N_HELD);
	}
	clpac__tracker_destroy(tracker);
}

TEST(an_allocation_without_memory_for_its_record_is_counted)
{
	clpac__tracker *tracker = open_tracker();
	clpac__fail_allocation(1, true);
	clpac__watched what = holding(1);
	clpac__record *record = clpac__tracker_add(tracker, &what);
	clpac__fail_allocation(0, false);
	ck_assert_ptr_null(record);
	clpac__tracker_remove(tracker, record);
	record = clpac__tracker_add(tracker, &what);
	ck_assert_ptr_nonnull(record);
	clpac_live_list list = {0};
	clpac__fail_allocation(1, true);
	clpac_error err;
	const clpac_status st = clpac__tracker_list(tracker, 0, &list, &err);
	clpac__fail_allocation(0, false);
	ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
	ck_assert_str_eq(err.text, "the host has no memory left for a list of 1 buffers");
	assert_survives_failing_allocations(clpac__tracker_list(tracker, 0, &list, NULL), (void)0);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_uint_eq(list.n_missed, 1);
	char *text = NULL;
	assert_survives_failing_allocations(clpac_live_list_text(&list, &text, NULL), (void)0);
	ck_assert_ptr_nonnull(strstr(text, "1 allocations left no record"));
	clpac_text_free(text);
	clpac_live_list_free(&list);
	clpac__tracker_destroy(tracker);
	assert_survives_failing_allocations(clpac__tracker_create(&tracker, NULL), clpac__tracker_destroy(tracker));
}

/* The list needs memory for the first 64 buffers and for the next 64: what it has by then is not handed out. */
TEST(a_list_that_fails_in_the_middle_hands_nothing_out)
{
	clpac__tracker *tracker = open_tracker();
	clpac_live_list list = {.n = 99};
	clpac_error err;
	for (uint64_t id = 1; id <= 100; id++) {
		clpac__watched what = holding(id);
		ck_assert_ptr_nonnull(clpac__tracker_add(tracker, &what));
	}
	clpac__fail_allocation(2, false);
	const clpac_status st = clpac__tracker_list(tracker, 0, &list, &err);
	clpac__fail_allocation(0, false);
	ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
	ck_assert_uint_eq(list.n, 99);
	ck_assert_ptr_null(list.buffers);
	clpac__tracker_destroy(tracker);
}

TEST(text_and_json_tell_the_same)
{
	clpac_live_buffer buffers[] = {
		{.id = 4,
		 .bytes = 1000,
		 .class_bytes = 1024,
		 .n_elements = 250,
		 .is_on_device = true,
		 .thread = 2,
		 .age_s = 12.26,
		 .tag = "a \"b\"\\\n",
		 .file = "x.c",
		 .line = 3},
		{.id = 5, .bytes = 1, .class_bytes = 1},
	};
	clpac_live_list list = {.n = 2, .buffers = buffers, .bytes = 1001, .class_bytes = 1025};
	char *text = NULL;
	clpac_error err;
	assert_works(clpac_live_list_text(&list, &text, &err), err);
	ck_assert_str_eq(text, "2 buffers, 1001 bytes asked for, 1025 taken\n"
			       "#4 \"a \"b\"\\\n\": 1000 bytes (250 elements), class 1024, on the device, thread 2, "
			       "for 12.3 s, from x.c:3\n"
			       "#5 \"\": 1 bytes, class 1, on the host, thread 0, for 0.0 s\n");
	clpac_text_free(text);
	assert_works(clpac_live_list_json(&list, &text, &err), err);
	ck_assert_str_eq(text,
			 "{\"n\": 2, \"bytes\": 1001, \"class_bytes\": 1025, \"n_missed\": 0, \"buffers\": ["
			 "{\"id\": 4, \"bytes\": 1000, \"class_bytes\": 1024, \"n_elements\": 250, "
			 "\"location\": \"device\", \"thread\": 2, \"age_s\": 12.26, "
			 "\"tag\": \"a \\\"b\\\"\\\\\\u000a\", \"file\": \"x.c\", \"line\": 3}, "
			 "{\"id\": 5, \"bytes\": 1, \"class_bytes\": 1, \"n_elements\": null, \"location\": \"host\", "
			 "\"thread\": 0, \"age_s\": 0, \"tag\": \"\", \"file\": null, \"line\": 0}]}");
	clpac_text_free(text);
	assert_survives_failing_allocations(clpac_live_list_json(&list, &text, NULL), clpac_text_free(text));
}

/* --- Threads ---------------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_ROUNDS = 20000, N_FOREVER = 50 };

struct shared {
	clpac__tracker *tracker;
	_Atomic uint64_t last_id;
	_Atomic(clpac__record *) mailbox; /* a record that another thread removes */
	atomic_int n_running;
};

/* Tag and all other facts follow from the id, so that mixed-up facts show in a list. The tag is freed as soon as its
 * record is gone. */
static char *tag_of(uint64_t id)
{
	char *tag = malloc(24);
	snprintf(tag, 24, "tag %llu", (unsigned long long)id);
	return tag;
}

struct parcel {
	clpac__record *record;
	char *tag;
};

static struct parcel add(struct shared *shared)
{
	clpac__watched what = holding(atomic_fetch_add(&shared->last_id, 1) + 1);
	struct parcel parcel = {.tag = tag_of(what.id)};
	what.tag = parcel.tag;
	parcel.record = clpac__tracker_add(shared->tracker, &what);
	return parcel;
}

static void *churn(void *argument)
{
	struct shared *shared = argument;
	struct parcel held[8] = {{0}};
	for (int round = 0; round < N_ROUNDS; round++) {
		struct parcel *parcel = &held[round % 8];
		clpac__tracker_remove(shared->tracker, parcel->record);
		free(parcel->tag);
		*parcel = add(shared);
	}
	for (int i = 0; i < 8; i++) {
		clpac__tracker_remove(shared->tracker, held[i].record);
		free(held[i].tag);
	}
	atomic_fetch_sub(&shared->n_running, 1);
	return NULL;
}

TEST(a_list_beside_busy_threads_misses_nothing_and_mixes_nothing_up)
{
	struct shared shared = {.tracker = open_tracker(), .n_running = N_THREADS};
	struct parcel forever[N_FOREVER];
	for (int i = 0; i < N_FOREVER; i++)
		forever[i] = add(&shared); /* ids 1 to N_FOREVER */
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, &shared), 0);
	int n_lists = 0;
	bool is_last = false;
	while (!is_last) {
		is_last = !atomic_load(&shared.n_running);
		clpac_live_list list;
		ck_assert_int_eq(clpac__tracker_list(shared.tracker, 0, &list, NULL), CLPAC_OK);
		int n_forever = 0;
		for (size_t i = 0; i < list.n; i++) {
			const clpac_live_buffer *buffer = &list.buffers[i];
			char wanted[24];
			snprintf(wanted, sizeof wanted, "tag %llu", (unsigned long long)buffer->id);
			ck_assert_str_eq(buffer->tag, wanted);
			ck_assert_uint_eq(buffer->bytes, 10 * buffer->id);
			ck_assert_uint_eq(buffer->class_bytes, 16 * buffer->id);
			n_forever += buffer->id <= N_FOREVER;
		}
		ck_assert_int_eq(n_forever, N_FOREVER);
		ck_assert_uint_le(list.n, N_FOREVER + 8 * N_THREADS);
		if (is_last)
			ck_assert_uint_eq(list.n, N_FOREVER);
		clpac_live_list_free(&list);
		n_lists++;
	}
	ck_assert_int_ge(n_lists, 1);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N_FOREVER; i++) {
		clpac__tracker_remove(shared.tracker, forever[i].record);
		free(forever[i].tag);
	}
	clpac__tracker_destroy(shared.tracker);
}

static void *pass_on(void *argument)
{
	struct shared *shared = argument;
	for (int round = 0; round < N_ROUNDS; round++) {
		clpac__watched what = holding(atomic_fetch_add(&shared->last_id, 1) + 1);
		clpac__record *mine = clpac__tracker_add(shared->tracker, &what);
		clpac__tracker_remove(shared->tracker, atomic_exchange(&shared->mailbox, mine));
	}
	return NULL;
}

TEST(records_that_other_threads_remove_are_used_again)
{
	struct shared shared = {.tracker = open_tracker()};
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, pass_on, &shared), 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	clpac_live_list list;
	ck_assert_int_eq(clpac__tracker_list(shared.tracker, 0, &list, NULL), CLPAC_OK);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_uint_eq(list.n_missed, 0);
	clpac_live_list_free(&list);
	clpac__tracker_destroy(shared.tracker);
}
