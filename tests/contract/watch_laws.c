/* The promises of clpac/memory/trace.h and of pressure watchers, on every device. */
#include "pool_laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "memory/pool/pool.h"
#include "targets.h"
#include "random.h"

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static clpac_pool *pool;
static clpac_error err;

static void open_target(int i, const clpac_pool_options *options)
{
	queue = target_open(targets_get((size_t)i));
	OK(clpac__pool_create(queue, options, 0, &pool, &err));
}

static void close_target(void)
{
	clpac_pool_destroy(pool);
	queue->operations->close(queue);
}

static clpac_buffer *take(size_t bytes)
{
	clpac_buffer *buffer = NULL;
	OK(clpac_pool_allocate(pool, bytes, "watched", &buffer, &err));
	return buffer;
}

START_TEST(live_buffers_are_listed_and_scopes_count_and_release_theirs)
{
	clpac_live_list list;
	clpac_scope *outer, *inner;
	clpac_scope_report report;
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 16 << 20}, .checks = {.is_tracked = true}});
	clpac_buffer *before = take(1000);
	OK(clpac_scope_begin(pool, CLPAC_SCOPE_MEASURE, "outer", &outer, &err));
	clpac_buffer *kept = take(2000);
	OK(clpac_scope_begin(pool, CLPAC_SCOPE_RELEASE, "inner", &inner, &err));
	take(3000);
	clpac_buffer_release(take(4000));
	OK(clpac_pool_list(pool, 0, &list, &err));
	ck_assert_uint_eq(list.n, 3);
	ck_assert_uint_eq(list.bytes, 6000);
	ck_assert_uint_eq(list.buffers[0].id, clpac_buffer_id(before));
	ck_assert(list.buffers[2].is_on_device);
	clpac_live_list_free(&list);
	OK(clpac_scope_end(inner, &report, &err));
	ck_assert_uint_eq(report.n_allocated, 2);
	ck_assert_uint_eq(report.n_released, 1);
	ck_assert_uint_eq(report.n_released_at_end, 1);
	OK(clpac_scope_end(outer, &report, &err));
	ck_assert_uint_eq(report.n_allocated, 3);
	ck_assert_uint_eq(report.bytes_left, clpac_buffer_class(kept));
	OK(clpac_pool_list(pool, 0, &list, &err));
	ck_assert_uint_eq(list.n, 2);
	clpac_live_list_free(&list);
	clpac_buffer_release(kept);
	clpac_buffer_release(before);
	close_target();
}

/* Gaps of one buffer each become room for a larger one; what is moved keeps its content and its margins. */
START_TEST(a_checked_pool_moves_buffers_with_their_margins)
{
	enum { N = 256, BYTES = 50000, LARGE = 200000 };
	static unsigned char bytes[BYTES];
	clpac_buffer *held[N] = {0}, *large = NULL;
	clpac_pool_statistics now;
	uint64_t n_faults;
	size_t n = 0;
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 4 << 20},
					      .cache = {.max_segment_bytes = 1 << 20},
					      .checks = {.is_checked = true},
					      .may_move = true});
	while (n < N && clpac_pool_allocate(pool, BYTES, "watched", &held[n], &err) == CLPAC_OK) {
		OK(clpac_buffer_fill(held[n], 0, BYTES, (uint8_t)n, &err));
		n++;
	}
	ck_assert_uint_gt(n, 20);
	for (size_t i = 0; i < n; i += 2) {
		clpac_buffer_release(held[i]);
		held[i] = NULL;
	}
	OK(clpac_pool_allocate(pool, LARGE, "large", &large, &err));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_gt(now.ladder[CLPAC_LADDER_COMPACT], 0);
	for (size_t i = 1; i < n; i += 2) {
		OK(clpac_buffer_read(held[i], 0, BYTES, bytes, &err));
		for (size_t k = 0; k < BYTES; k++)
			assert_in_model(bytes[k] == (unsigned char)i, i, k);
	}
	clpac_buffer_release(large);
	clpac_buffer_release_batch(held, n);
	OK(clpac_pool_take_faults(pool, &n_faults, &err));
	ck_assert_uint_eq(n_faults, 0);
	close_target();
}

/* Sparse segments are emptied by a request once enough buffers were released since the last pass, and not before. */
START_TEST(compaction_comes_after_so_many_releases)
{
	enum { N = 60, BYTES = 100000, EVERY = 30 };
	static unsigned char bytes[BYTES];
	clpac_buffer *held[N], *more;
	clpac_pool_statistics before, now;
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 16 << 20},
					      .cache = {.max_segment_bytes = 1 << 20},
					      .may_move = true,
					      .compaction = {.releases = EVERY}});
	for (size_t i = 0; i < N; i++) {
		held[i] = take(BYTES);
		OK(clpac_buffer_fill(held[i], 0, BYTES, (uint8_t)i, &err));
	}
	for (size_t i = 0, n = 0; n < EVERY; i++) {
		if (i % 3 == 0)
			continue;
		clpac_pool_measure(pool, &before, sizeof before);
		if (++n == EVERY) { /* so far too few: a request that is no hit leaves all as it is */
			clpac_buffer_release(take(BYTES / 2));
			clpac_pool_measure(pool, &now, sizeof now);
			ck_assert_uint_ge(now.segments, before.segments);
			n--;
			break;
		}
		clpac_buffer_release(held[i]);
		held[i] = NULL;
	}
	clpac_buffer_release(take(BYTES / 4));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_lt(now.segments, before.segments);
	for (size_t i = 0; i < N; i++) {
		if (held[i])
			OK(clpac_buffer_read(held[i], 0, BYTES, bytes, &err));
		for (size_t k = 0; held[i] && k < BYTES; k++)
			assert_in_model(bytes[k] == (unsigned char)i, i, k);
		clpac_buffer_release(held[i]);
	}
	more = take(BYTES / 3);
	clpac_buffer_release(more);
	close_target();
}

START_TEST(compaction_waits_for_its_seconds_too)
{
	enum { N = 40, BYTES = 100000 };
	clpac_buffer *held[N];
	clpac_pool_statistics before, now;
	clpac_pool_options options = {.budget = {.bytes = 16 << 20},
				      .cache = {.max_segment_bytes = 1 << 20},
				      .may_move = true,
				      .compaction = {.releases = 1, .seconds = 1e8}};
	open_target(_i, &options);
	for (size_t i = 0; i < N; i++)
		held[i] = take(BYTES);
	for (size_t i = 0; i < N; i++)
		if (i % 3) {
			clpac_buffer_release(held[i]);
			held[i] = NULL;
		}
	clpac_pool_measure(pool, &before, sizeof before);
	clpac_buffer_release(take(BYTES / 4));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_ge(now.segments, before.segments);
	options.compaction.seconds = 1e-9;
	OK(clpac_pool_configure(pool, &options, &err));
	clpac_buffer_release(take(BYTES / 5));
	clpac_buffer_release(take(BYTES / 6));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_lt(now.segments, before.segments);
	clpac_buffer_release_batch(held, N);
	options.may_move = false;
	assert_refused(clpac_pool_configure(pool, &options, &err), err, CLPAC_ERROR_ARGUMENT, "set may_move");
	options.may_move = true;
	options.compaction.seconds = -1;
	assert_refused(clpac_pool_configure(pool, &options, &err), err, CLPAC_ERROR_ARGUMENT, "compaction.seconds");
	close_target();
}

/* The beginning of a file, as text. */
static void read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, size - 1, file)] = 0;
	fclose(file);
}

START_TEST(a_refusal_writes_what_the_pool_held)
{
	static char text[1 << 16];
	char path[] = "watch_laws_XXXXXX";
	clpac_pool_options options = {.budget = {.bytes = 4 << 20}, .cache = {.max_segment_bytes = 1 << 20}};
	clpac_buffer *held[4], *none;
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	snprintf(options.snapshot.path, sizeof options.snapshot.path, "%s", path);
	open_target(_i, &options);
	for (int i = 0; i < 4; i++)
		held[i] = take(i == 3 ? 2 << 20 : 100000);
	assert_refused(clpac_pool_allocate(pool, 3 << 20, "too much", &none, &err), err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		       path);
	read_text(path, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "\"refused\": {\"bytes\": 3145728,"));
	ck_assert_ptr_nonnull(strstr(text, "\"tag\": \"too much\""));
	char *at = text;
	size_t n = 0;
	while ((at = strstr(at, "\"state\": \"in_use\""))) {
		n++;
		at++;
	}
	ck_assert_uint_eq(n, 4);
	ck_assert_ptr_nonnull(strstr(text, "\"outcome\": \"refused\"}]}"));
	unlink(path);
	clpac_buffer_release_batch(held, 4);
	close_target();
}

START_TEST(a_trace_replayed_on_the_same_device_gives_the_same_numbers)
{
	enum { N = 20 };
	char path[] = "watch_laws_XXXXXX";
	const clpac_pool_options options = {.budget = {.bytes = 8 << 20}};
	clpac_pool_statistics then, now;
	clpac_trace trace;
	clpac_buffer *held[N] = {0};
	unsigned long long state = 5;
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	open_target(_i, &options);
	OK(clpac_trace_begin(pool, path, &err));
	for (unsigned round = 0; round < 300; round++) {
		const unsigned i = (unsigned)random_below(&state, N);
		clpac_buffer_release(held[i]);
		held[i] = take(1 + random_below(&state, 300000));
	}
	clpac_buffer_release_batch(held, N);
	OK(clpac_trace_end(pool, &err));
	clpac_pool_measure(pool, &then, sizeof then);
	close_target();

	OK(clpac_trace_read(path, &trace, &err));
	unlink(path);
	open_target(_i, &options);
	OK(clpac_trace_replay_on_pool(&trace, pool, NULL, &err));
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_mem_eq(&now, &then, sizeof now);
	clpac_trace_free(&trace);
	close_target();
}

START_TEST(what_is_written_past_the_end_of_a_checked_buffer_is_found)
{
	clpac_pool_statistics now;
	const uint8_t byte = 1;
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 8 << 20}, .checks = {.is_checked = true}});
	clpac_buffer *sound = take(1000), *damaged = take(1000);
	clpac__block *block = clpac__buffer_block(damaged);
	OK(clpac_buffer_fill(sound, 0, 1000, 7, &err));
	/* An overrun, as by a kernel that counts wrongly: the block is longer than the request. */
	OK(queue->operations->write(queue, block, 1000, 1, &byte, &err));
	clpac_buffer_release(sound);
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.canary_failures, 0);
	clpac_buffer_release(damaged);
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.canary_failures, 1);
	ck_assert_int_eq(clpac_buffer_fill(sound, 0, 1, 0, &err), CLPAC_ERROR_ARGUMENT);
	close_target();
}

/* The blocks come from another owner, who filled them, and go through a queue of each kind. */
START_TEST(a_zeroed_request_is_zero)
{
	enum { BYTES = 5000, ROUNDS = 4 };
	static const clpac_placement placements[] = {CLPAC_PLACE_DEVICE, CLPAC_PLACE_HOST};
	unsigned char content[BYTES];
	clpac_queue *disorder = NULL;
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 8 << 20}, .checks = {.is_checked = _i % 2}});
	OK(clpac_queue_open(pool, false, &disorder, &err));
	for (unsigned round = 0; round < ROUNDS * COUNT(placements); round++) {
		const clpac_request request = {.bytes = BYTES,
					       .tag = "zero",
					       .queue = round & 1 ? disorder : NULL,
					       .placement = placements[round / ROUNDS]};
		clpac_buffer *buffer = NULL, *copy = NULL;
		OK(clpac_pool_request(pool, &request, &buffer, &err));
		OK(clpac_buffer_fill(buffer, 0, BYTES, 0xa5, &err));
		clpac_buffer_release(buffer);
		OK(clpac_pool_request_zeroed(pool, &request, &buffer, &err));
		OK(clpac_pool_request(pool, &request, &copy, &err));
		/* A command behind the fill in its queue, not a transfer, which would wait for it. */
		OK(clpac_buffer_copy(buffer, 0, copy, 0, BYTES, &err));
		OK(clpac_buffer_read(copy, 0, BYTES, content, &err));
		for (size_t i = 0; i < BYTES; i++)
			ck_assert_uint_eq(content[i], 0);
		clpac_buffer_release(copy);
		clpac_buffer_release(buffer);
	}
	assert_refused(clpac_pool_request_zeroed(pool, &(clpac_request){0}, &(clpac_buffer *){NULL}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "0 bytes");
	clpac_queue_close(pool, disorder);
	close_target();
}

static char edges[256];

static void note_edge(void *user, clpac_pool *of, clpac_pressure from, clpac_pressure to)
{
	(void)user;
	ck_assert(of == pool);
	strcat(strcat(strcat(edges, clpac_pressure_text(from)), ">"), clpac_pressure_text(to));
	strcat(edges, " ");
}

START_TEST(pressure_is_told_edge_by_edge_up_and_down)
{
	enum { N = 10, BYTES = 1 << 20 };
	clpac_buffer *held[N];
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = N * BYTES}, .cache = {.blocks = CLPAC_BLOCKS_WHOLE}});
	edges[0] = 0;
	OK(clpac_pool_watch(pool, note_edge, NULL, &err));
	for (int i = 0; i < N; i++)
		held[i] = take(BYTES);
	ck_assert_str_eq(edges, "low>medium medium>high high>critical ");
	clpac_buffer_release_batch(held, N);
	clpac_pool_clear(pool);
	ck_assert_str_eq(edges, "low>medium medium>high high>critical critical>high high>medium medium>low ");
	close_target();
}

TCase *watch_laws(size_t n)
{
	TCase *laws = tcase_create("watching");
	tcase_add_loop_test(laws, live_buffers_are_listed_and_scopes_count_and_release_theirs, 0, (int)n);
	tcase_add_loop_test(laws, a_trace_replayed_on_the_same_device_gives_the_same_numbers, 0, (int)n);
	tcase_add_loop_test(laws, a_checked_pool_moves_buffers_with_their_margins, 0, (int)n);
	tcase_add_loop_test(laws, compaction_comes_after_so_many_releases, 0, (int)n);
	tcase_add_loop_test(laws, compaction_waits_for_its_seconds_too, 0, (int)n);
	tcase_add_loop_test(laws, a_refusal_writes_what_the_pool_held, 0, (int)n);
	tcase_add_loop_test(laws, a_zeroed_request_is_zero, 0, (int)n);
	tcase_add_loop_test(laws, what_is_written_past_the_end_of_a_checked_buffer_is_found, 0, (int)n);
	tcase_add_loop_test(laws, pressure_is_told_edge_by_edge_up_and_down, 0, (int)n);
	return laws;
}
