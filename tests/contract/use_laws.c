/* The promises of clpac_buffer_use_begin and _end on every device.  An application's commands are played by operations
 * of the interface in the queue that the use names. */
#include "use_laws.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>

#include "assertions.h"
#include "noise.h"
#include "memory/pool/pool.h"
#include "simulated.h"
#include "targets.h"

enum { BYTES = 4096, N = 64 };

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static clpac_pool *pool;
static clpac_error err;

static const clpac_pool_options in_segments = {
	.budget = {.bytes = 4 << 20}, .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 256 << 10}};

static void open_target(int i, const clpac_pool_options *options)
{
	queue = target_open(targets_get((size_t)i));
	OK(clpac__pool_create(queue, options, 0, &pool, &err));
}

static void close_target(void)
{
	clpac_pool_destroy(pool);
	if (strcmp(queue->device.backend, "simulated") == 0) {
		const simulated_device *device = (const void *)queue;
		ck_assert_uint_eq(device->hazards, 0);
		ck_assert_uint_eq(device->breaches, 0);
		ck_assert_uint_eq(device->live_blocks + device->live_parts + device->live_host_blocks, 0);
		ck_assert_uint_eq(device->live_events, 0);
	}
	queue->operations->close(queue);
}

static clpac_buffer *take(size_t bytes)
{
	clpac_buffer *buffer = NULL;
	OK(clpac_pool_allocate(pool, bytes, "law", &buffer, &err));
	return buffer;
}

static clpac_queue *open_queue(bool is_in_order)
{
	clpac_queue *opened = NULL;
	OK(clpac_queue_open(pool, is_in_order, &opened, &err));
	return opened;
}

static void check_bytes(clpac_buffer *buffer, const unsigned char *expected, size_t bytes)
{
	unsigned char found[BYTES];
	OK(clpac_buffer_read(buffer, 0, bytes, found, &err));
	ck_assert_msg(memcmp(found, expected, bytes) == 0, "%zu bytes of buffer %llu changed", bytes,
		      (unsigned long long)clpac_buffer_id(buffer));
}

static void *begin(clpac_buffer *buffer, clpac_queue *on)
{
	void *memory = NULL;
	OK(clpac_buffer_use_begin(buffer, on, &memory, &err));
	ck_assert_ptr_nonnull(memory);
	return memory;
}

/* A kernel that sets a byte of the buffer. */
static void set_byte(clpac_buffer *buffer, clpac_queue *on, size_t place, unsigned char value)
{
	begin(buffer, on);
	OK(on->operations->fill(on, clpac__buffer_block(buffer), place, 1, value, &err));
	OK(clpac_buffer_use_end(buffer, on, &err));
}

/* Buffers in sparse segments, with known contents. */
static clpac_buffer *held[N];
static unsigned char model[N][BYTES];

static void fill_sparsely(void)
{
	for (unsigned i = 0; i < N; i++) {
		held[i] = take(BYTES);
		random_bytes(i, model[i], BYTES);
		OK(clpac_buffer_write(held[i], 0, BYTES, model[i], &err));
	}
	for (unsigned i = 0; i < N; i++)
		if (i % 8) {
			clpac_buffer_release(held[i]);
			held[i] = NULL;
		}
}

static void check_held(void)
{
	for (unsigned i = 0; i < N; i += 8)
		check_bytes(held[i], model[i], BYTES);
}

static uint64_t defragment(void)
{
	uint64_t released = 0;
	OK(clpac_pool_defragment(pool, UINT64_MAX, &released, &err));
	return released;
}

START_TEST(buffers_are_moved_between_their_uses_with_what_the_uses_wrote)
{
	for (int kind = 0; kind < 3; kind++) {
		open_target(_i, &in_segments);
		clpac_queue *on = kind ? open_queue(kind == 1) : clpac_pool_queue(pool);
		fill_sparsely();
		for (unsigned i = 0; i < N; i += 8) {
			set_byte(held[i], on, i, (unsigned char)(i + 1));
			model[i][i] = (unsigned char)(i + 1);
		}
		if (kind) /* such uses are over for the pool when their events have passed */
			OK(clpac_queue_finish(pool, on, &err));
		ck_assert_uint_gt(defragment(), 0);
		check_held();
		clpac_buffer_release_batch(held, N);
		if (kind)
			clpac_queue_close(pool, on);
		close_target();
	}
}

START_TEST(a_buffer_in_use_stays_in_its_place_until_its_last_use_ends)
{
	open_target(_i, &in_segments);
	clpac_queue *own = clpac_pool_queue(pool);
	clpac__block *blocks[N];
	void *memory[N];
	fill_sparsely();
	for (unsigned i = 0; i < N; i += 8) {
		blocks[i] = clpac__buffer_block(held[i]);
		memory[i] = begin(held[i], own);
		begin(held[i], NULL);
	}
	for (int n_open = 2; n_open > 0; n_open--) {
		defragment();
		for (unsigned i = 0; i < N; i += 8) {
			ck_assert_ptr_eq(clpac__buffer_block(held[i]), blocks[i]);
			ck_assert_ptr_eq(begin(held[i], own), memory[i]);
			OK(clpac_buffer_use_end(held[i], own, &err));
			OK(clpac_buffer_use_end(held[i], own, &err));
		}
	}
	ck_assert_uint_gt(defragment(), 0);
	check_held();
	clpac_buffer_release_batch(held, N);
	close_target();
}

START_TEST(a_fallback_is_promoted_between_uses_and_not_within_one)
{
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 1 << 20}, .placement = CLPAC_PLACE_PREFER_DEVICE});
	clpac_queue *own = clpac_pool_queue(pool);
	clpac_buffer *large = take(900000), *fallback = take(300000);
	unsigned char expected[BYTES] = {0};
	bool is_on_device = true;
	ck_assert(!clpac_buffer_is_on_device(fallback));
	OK(clpac_buffer_write(fallback, 0, BYTES, expected, &err));
	begin(fallback, own);
	clpac_buffer_release(large);
	clpac_pool_clear(pool);
	OK(clpac_buffer_promote(fallback, &is_on_device, &err));
	ck_assert(!is_on_device);
	OK(own->operations->fill(own, clpac__buffer_block(fallback), 7, 1, 77, &err));
	expected[7] = 77;
	OK(clpac_buffer_use_end(fallback, own, &err));
	set_byte(fallback, own, 8, 88); /* moves it first */
	expected[8] = 88;
	ck_assert(clpac_buffer_is_on_device(fallback));
	check_bytes(fallback, expected, BYTES);
	clpac_buffer_release(fallback);
	close_target();
}

START_TEST(uses_in_several_queues_come_one_after_another)
{
	enum { ROUNDS = 30 };
	open_target(_i, NULL);
	clpac_queue *queues[] = {clpac_pool_queue(pool), open_queue(true), open_queue(false)};
	for (size_t home = 0; home < COUNT(queues); home++) {
		clpac_buffer *a = NULL, *b = NULL;
		const clpac_request request = {.bytes = 1 << 20, .tag = "law", .queue = queues[home]};
		OK(clpac_pool_request(pool, &request, &a, &err));
		OK(clpac_pool_request(pool, &request, &b, &err));
		OK(clpac_buffer_fill(b, 0, 1 << 20, 0, &err));
		for (unsigned round = 1; round <= ROUNDS; round++) {
			clpac_queue *one = queues[round % COUNT(queues)], *other = queues[(round + 1) % COUNT(queues)];
			begin(a, one);
			OK(one->operations->fill(one, clpac__buffer_block(a), 0, 1 << 20, (uint8_t)round, &err));
			OK(clpac_buffer_use_end(a, one, &err));
			begin(a, other);
			begin(b, other);
			OK(other->operations->copy(other, clpac__buffer_block(a), 0, clpac__buffer_block(b), 0, 1 << 20,
						   &err));
			OK(clpac_buffer_use_end(a, other, &err));
			OK(clpac_buffer_use_end(b, other, &err));
			unsigned char found[2];
			OK(clpac_buffer_read(b, 0, 1, found, &err));
			OK(clpac_buffer_read(b, (1 << 20) - 1, 1, found + 1, &err));
			ck_assert_uint_eq(found[0], round);
			ck_assert_msg(found[1] == round, "home %zu, round %u: the last byte is %u", home, round,
				      found[1]);
		}
		clpac_buffer_release(a);
		clpac_buffer_release(b);
	}
	clpac_queue_close(pool, queues[1]);
	clpac_queue_close(pool, queues[2]);
	close_target();
}

START_TEST(a_use_may_end_with_events)
{
	open_target(_i, &in_segments);
	clpac_queue *other = open_queue(true);
	clpac_event *event = NULL;
	fill_sparsely();
	for (unsigned i = 0; i < N; i += 8) {
		begin(held[i], other);
		OK(other->operations->fill(other, clpac__buffer_block(held[i]), 1, 1, 9, &err));
		model[i][1] = 9;
		OK(clpac_queue_mark(pool, other, &event, &err));
		OK(clpac_buffer_use_end_after(held[i], 1, &event, &err));
		clpac_event_release(pool, event);
	}
	OK(clpac_queue_finish(pool, other, &err));
	ck_assert_uint_gt(defragment(), 0);
	check_held();
	clpac_buffer_release_batch(held, N);
	clpac_queue_close(pool, other);
	close_target();
}

#define REFUSED(call) assert_refused(call, err, CLPAC_ERROR_ARGUMENT, "")

static void misuse(int i_target, bool is_checked)
{
	clpac_pool_options options = in_segments;
	options.checks.is_checked = is_checked;
	open_target(i_target, &options);
	clpac_buffer *buffer = take(BYTES);
	void *memory = NULL;
	REFUSED(clpac_buffer_use_end(buffer, NULL, &err));
	REFUSED(clpac_buffer_use_end_after(buffer, 0, NULL, &err));
	OK(clpac_buffer_map(buffer, 0, 1, CLPAC_READ, &memory, &err));
	REFUSED(clpac_buffer_use_begin(buffer, NULL, &memory, &err));
	OK(clpac_buffer_unmap(buffer, &err));
	begin(buffer, NULL);
	REFUSED(clpac_buffer_map(buffer, 0, 1, CLPAC_READ, &memory, &err));
	clpac_event *event = NULL;
	REFUSED(clpac_buffer_use_end_after(buffer, 1, &event, &err));
	OK(clpac_buffer_use_end(buffer, NULL, &err));
	REFUSED(clpac_buffer_use_end(buffer, NULL, &err));

	/* Released while in use: gone for every other function, and its memory stays until the end of the last use. */
	clpac_pool_statistics now;
	begin(buffer, NULL);
	begin(buffer, NULL);
	clpac_buffer_release(buffer);
	REFUSED(clpac_buffer_use_begin(buffer, NULL, &memory, &err));
	REFUSED(clpac_buffer_write(buffer, 0, 1, "x", &err));
	OK(clpac_buffer_use_end(buffer, NULL, &err));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 1);
	OK(clpac_buffer_use_end(buffer, NULL, &err));
	REFUSED(clpac_buffer_use_end(buffer, NULL, &err));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.bad_releases, 0);
	REFUSED(clpac_buffer_use_begin(buffer, NULL, &memory, &err));

	/* The last use keeps its pool too. */
	buffer = take(BYTES);
	begin(buffer, NULL);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(pool);
	OK(clpac_buffer_use_end(buffer, NULL, &err));
	OK(clpac__pool_create(queue, &options, 0, &pool, &err));
	close_target();
}

START_TEST(misuse_is_refused_and_a_release_waits_for_the_end_of_the_uses)
{
	misuse(_i, false);
	misuse(_i, true);
}

/* The beginning of a file; valid until the next call. */
static const char *text_of(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	return text;
}

/* A tag lives as long as its owner has the buffer.  What is reported after the release must not read it, though a use
 * that is still open keeps the memory. */
static void release_with_a_passing_tag(int i, bool is_checked)
{
	const clpac_pool_options options = {.budget = {.bytes = 4 << 20},
					    .checks = {.is_tracked = true, .is_checked = is_checked},
					    .snapshot = {.events = 16}};
	char path[] = "use_laws_XXXXXX", tag[] = "passing", gone[] = "dangled";
	clpac_live_list list;
	clpac_buffer *buffer = NULL;
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	open_target(i, &options);
	OK(clpac_trace_begin(pool, path, &err));
	OK(clpac_pool_allocate(pool, BYTES, tag, &buffer, &err));
	begin(buffer, NULL);
	clpac_buffer_release(buffer);
	memcpy(tag, gone, sizeof tag);
	OK(clpac_pool_list(pool, 0, &list, &err));
	for (size_t k = 0; k < list.n; k++)
		ck_assert_str_ne(list.buffers[k].tag, gone);
	clpac_live_list_free(&list);
	OK(clpac_buffer_use_end(buffer, NULL, &err));
	OK(clpac_trace_end(pool, &err));
	const char *text = text_of(path), *release = strstr(text, ",release,");
	ck_assert_ptr_nonnull(release);
	ck_assert_ptr_nonnull(strstr(release, ",passing,"));
	ck_assert_ptr_null(strstr(text, gone));
	ck_assert_ptr_null(strstr(release + 1, ",release,")); /* told once */
	OK(clpac_pool_snapshot(pool, path, &err));
	ck_assert_ptr_nonnull(strstr(text_of(path), "passing"));
	ck_assert_ptr_null(strstr(text_of(path), gone));
	unlink(path);
	close_target();
}

START_TEST(nothing_reads_a_tag_after_the_release_though_a_use_is_still_open)
{
	release_with_a_passing_tag(_i, false);
	release_with_a_passing_tag(_i, true);
}

/* --- With other threads ----------------------------------------------------------------------- */

enum { N_ROUNDS = 150 };

struct user {
	clpac_queue *on;
	unsigned first;
	unsigned wrong;
};

/* Uses its own buffers, and requests and releases others, so that segments are sparse again and again. */
static void *use_again_and_again(void *argument)
{
	struct user *user = argument;
	clpac_error why;
	for (unsigned round = 0; round < N_ROUNDS; round++)
		for (unsigned i = user->first; i < N; i += 16) {
			clpac_buffer *passing = NULL;
			void *memory;
			unsigned char found = 0;
			if (clpac_pool_allocate(pool, BYTES, "passing", &passing, &why) != CLPAC_OK)
				passing = NULL;
			user->wrong += clpac_buffer_use_begin(held[i], user->on, &memory, &why) != CLPAC_OK;
			user->wrong += user->on->operations->fill(user->on, clpac__buffer_block(held[i]), 5, 1,
								  (uint8_t)round, &why) != CLPAC_OK;
			user->wrong += clpac_buffer_use_end(held[i], user->on, &why) != CLPAC_OK;
			user->wrong += clpac_buffer_read(held[i], 5, 1, &found, &why) != CLPAC_OK;
			user->wrong += found != (uint8_t)round;
			clpac_buffer_release(passing);
		}
	return NULL;
}

START_TEST(other_threads_use_buffers_while_one_moves_them)
{
	open_target(_i, &in_segments);
	pthread_t threads[2];
	struct user users[2];
	fill_sparsely();
	for (unsigned t = 0; t < 2; t++) {
		users[t] = (struct user){open_queue(true), 8 * t, 0};
		ck_assert_int_eq(pthread_create(&threads[t], NULL, use_again_and_again, &users[t]), 0);
	}
	for (unsigned round = 0; round < 60; round++)
		defragment();
	for (unsigned t = 0; t < 2; t++) {
		pthread_join(threads[t], NULL);
		ck_assert_uint_eq(users[t].wrong, 0);
	}
	for (unsigned i = 0; i < N; i += 8)
		model[i][5] = (unsigned char)(N_ROUNDS - 1);
	check_held();
	clpac_buffer_release_batch(held, N);
	for (unsigned t = 0; t < 2; t++)
		clpac_queue_close(pool, users[t].on);
	close_target();
}

TCase *use_laws(size_t n)
{
	TCase *laws = tcase_create("use laws");
	tcase_set_timeout(laws, 60);
	tcase_add_loop_test(laws, buffers_are_moved_between_their_uses_with_what_the_uses_wrote, 0, (int)n);
	tcase_add_loop_test(laws, a_buffer_in_use_stays_in_its_place_until_its_last_use_ends, 0, (int)n);
	tcase_add_loop_test(laws, a_fallback_is_promoted_between_uses_and_not_within_one, 0, (int)n);
	tcase_add_loop_test(laws, uses_in_several_queues_come_one_after_another, 0, (int)n);
	tcase_add_loop_test(laws, a_use_may_end_with_events, 0, (int)n);
	tcase_add_loop_test(laws, misuse_is_refused_and_a_release_waits_for_the_end_of_the_uses, 0, (int)n);
	tcase_add_loop_test(laws, nothing_reads_a_tag_after_the_release_though_a_use_is_still_open, 0, (int)n);
	return laws;
}

TCase *use_thread_laws(size_t n)
{
	TCase *laws = tcase_create("use laws, several threads");
	tcase_set_timeout(laws, 60);
	tcase_set_tags(laws, "threads");
	tcase_add_loop_test(laws, other_threads_use_buffers_while_one_moves_them, 0, (int)n);
	return laws;
}
