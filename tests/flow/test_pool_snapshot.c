/* Snapshots of pools: the file says what the pool's own numbers say, a refusal leaves one, nothing in a file is
 * trusted, and the picture is drawn whatever is in it. */
#include "runner.h"

#include <clpac/plot.h>
#include <clpac/snapshot.h>
#include <clpac/memory/context.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "recording/snapshot.h"
#include "random.h"

static clpac_error err;

static void assert_says(const char *part)
{
	ck_assert_msg(strstr(err.text, part) != NULL, "\"%s\" is not in: %s", part, err.text);
}

static clpac_context *context;
static clpac_pool *pool;

static void open_pool(const clpac_pool_options *options)
{
	const clpac_options native = {.device = "native"};
	assert_works(clpac_context_open(NULL, &native, &context, &err), err);
	assert_works(clpac_pool_create(context, options, &pool, &err), err);
}

static void close_pool(void)
{
	clpac_pool_destroy(pool);
	clpac_context_close(context);
}

static clpac_snapshot *read_snapshot(const char *path)
{
	clpac_snapshot *snapshot = NULL;
	assert_works(clpac_snapshot_read(path, &snapshot, &err), err);
	return snapshot;
}

static clpac_snapshot *take_snapshot(void)
{
	const char *path = files_path("now.json");
	assert_works(clpac_pool_snapshot(pool, path, &err), err);
	return read_snapshot(path);
}

/* --- What a pool writes ------------------------------------------------------------------------- */

/* The map's sums are the pool's own numbers. */
static void check_sums(const clpac_snapshot *snapshot)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(snapshot->budget_bytes, now.budget_bytes);
	ck_assert_uint_eq(snapshot->in_use_bytes, now.in_use_bytes);
	ck_assert_uint_eq(snapshot->n_segments, now.segments);
	ck_assert_uint_eq(snapshot->segment_bytes, now.segment_bytes);
	ck_assert_uint_eq(snapshot->free_bytes, now.free_segment_bytes);
	ck_assert_uint_eq(snapshot->largest_free_bytes, now.largest_free_bytes);
	ck_assert_uint_eq(snapshot->cached_bytes + snapshot->free_bytes, now.pooled_bytes);
	ck_assert_uint_eq(snapshot->segment_bytes + snapshot->block_bytes, now.allocated_bytes);
	ck_assert_uint_eq(snapshot->host_bytes, now.host_bytes);
}

START_TEST(the_map_of_a_random_pool_has_the_pools_numbers)
{
	enum { N = 60, STEPS = 400, EVERY = 40 };
	static const char *const tags[] = {"one", "two", "three \"quoted\" \\ \x01", "four \xff\xfe", ""};
	const bool is_checked = _i == 1;
	open_pool(&(clpac_pool_options){.budget = {.bytes = 32 << 20},
					.checks = {.is_checked = is_checked},
					.placement = CLPAC_PLACE_PREFER_DEVICE});
	clpac_buffer *held[N] = {0};
	size_t bytes[N] = {0};
	unsigned long long state = 7;
	for (int step = 0; step < STEPS; step++) {
		const size_t i = random_bits(&state) % N;
		clpac_buffer_release(held[i]);
		held[i] = NULL;
		bytes[i] = 1 + random_bits(&state) % ((size_t)1 << (8 + random_bits(&state) % 14));
		if (random_bits(&state) % 3)
			assert_works(clpac_pool_allocate(pool, bytes[i], tags[i % COUNT(tags)], &held[i], &err), err);
		if (step % EVERY)
			continue;
		clpac_snapshot *snapshot = take_snapshot();
		uint64_t in_use = 0, n = 0;
		check_sums(snapshot);
		ck_assert(!snapshot->refused.is_there);
		ck_assert_uint_eq(snapshot->n_events, 0);
		for (size_t k = 0; k < snapshot->n_holders; k++) {
			in_use += snapshot->holders[k].bytes;
			n += snapshot->holders[k].n_buffers;
			ck_assert(!k || snapshot->holders[k - 1].bytes >= snapshot->holders[k].bytes);
		}
		clpac_pool_statistics now;
		clpac_pool_measure(pool, &now, sizeof now);
		ck_assert_uint_eq(in_use, now.in_use_bytes);
		ck_assert_uint_eq(n, now.active_buffers - now.host_buffers);
		clpac_snapshot_destroy(snapshot);
	}
	for (size_t i = 0; i < N; i++)
		clpac_buffer_release(held[i]);
	close_pool();
}
END_TEST

START_TEST(the_last_events_are_kept_in_order_and_older_ones_counted)
{
	open_pool(&(clpac_pool_options){.budget = {.bytes = 8 << 20}, .snapshot = {.events = 5}});
	clpac_buffer *buffer;
	for (size_t i = 1; i <= 6; i++) {
		assert_works(clpac_pool_allocate(pool, 1000 * i, "tag", &buffer, &err), err);
		clpac_buffer_release(buffer);
	}
	ck_assert_int_eq(clpac_pool_allocate(pool, 9 << 20, "huge", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	clpac_snapshot *snapshot = take_snapshot();
	ck_assert_uint_eq(snapshot->n_events, 5);
	ck_assert_uint_eq(snapshot->n_events_before, 8);
	static const struct {
		clpac_trace_operation operation;
		uint64_t bytes;
	} wanted[] = {{CLPAC_TRACE_ALLOCATE, 5000},
		      {CLPAC_TRACE_RELEASE, 5000},
		      {CLPAC_TRACE_ALLOCATE, 6000},
		      {CLPAC_TRACE_RELEASE, 6000},
		      {CLPAC_TRACE_ALLOCATE, 9 << 20}};
	for (size_t i = 0; i < COUNT(wanted); i++) {
		ck_assert_int_eq(snapshot->events[i].operation, wanted[i].operation);
		ck_assert_uint_eq(snapshot->events[i].bytes, wanted[i].bytes);
	}
	ck_assert_int_eq(snapshot->events[4].outcome, CLPAC_TRACE_REFUSED);
	ck_assert_str_eq(snapshot->events[4].tag, "huge");
	clpac_snapshot_destroy(snapshot);
	close_pool();
}
END_TEST

/* --- At a refusal ------------------------------------------------------------------------------- */

START_TEST(a_refusal_leaves_a_snapshot_and_names_it)
{
	clpac_pool_options options = {.budget = {.bytes = 8 << 20}};
	clpac_buffer *held, *none;
	snprintf(options.snapshot.path, sizeof options.snapshot.path, "%s", files_path("refused.json"));
	open_pool(&options);
	assert_works(clpac_pool_allocate(pool, 5 << 20, "large", &held, &err), err);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4 << 20, "more", &none, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	assert_says("snapshot in ");
	assert_says("refused.json");
	clpac_snapshot *snapshot = read_snapshot(options.snapshot.path);
	ck_assert(snapshot->refused.is_there);
	ck_assert_uint_eq(snapshot->refused.bytes, 4 << 20);
	ck_assert_str_eq(snapshot->refused.tag, "more");
	ck_assert_ptr_nonnull(strstr(snapshot->refused.why, "no room in the pool's budget"));
	check_sums(snapshot);
	ck_assert_str_eq(snapshot->holders[0].tag, "large");
	ck_assert_uint_eq(snapshot->n_events, 2);
	clpac_snapshot_destroy(snapshot);

	/* Within a second another refusal writes nothing, and says nothing of a snapshot. */
	ck_assert_int_eq(unlink(options.snapshot.path), 0);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4 << 20, "soon", &none, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_int_ne(access(options.snapshot.path, F_OK), 0);
	sleep(1);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4 << 20, "later", &none, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	snapshot = read_snapshot(options.snapshot.path);
	ck_assert_str_eq(snapshot->refused.tag, "later");
	clpac_snapshot_destroy(snapshot);
	clpac_buffer_release(held);
	close_pool();
}
END_TEST

START_TEST(a_refusal_whose_snapshot_cannot_be_written_says_why)
{
	clpac_buffer *none;
	open_pool(&(clpac_pool_options){.budget = {.bytes = 8 << 20}, .snapshot = {.path = "/no/such/folder/x.json"}});
	ck_assert_int_eq(clpac_pool_allocate(pool, 9 << 20, "more", &none, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	assert_says("no snapshot: writing /no/such/folder/x.json");
	ck_assert_int_eq(clpac_pool_snapshot(pool, "/no/such/folder/x.json", &err), CLPAC_ERROR_IO);
	close_pool();
}
END_TEST

START_TEST(settings_that_make_no_sense_are_refused)
{
	clpac_pool *none;
	clpac_pool_options options = {.snapshot = {.events = CLPAC_MAX_SNAPSHOT_EVENTS + 1}};
	open_pool(NULL);
	ck_assert_int_eq(clpac_pool_create(context, &options, &none, &err), CLPAC_ERROR_ARGUMENT);
	assert_says("snapshot.events");
	options.snapshot.events = 0;
	memset(options.snapshot.path, 'x', sizeof options.snapshot.path);
	ck_assert_int_eq(clpac_pool_create(context, &options, &none, &err), CLPAC_ERROR_ARGUMENT);
	assert_says("snapshot.path");
	ck_assert_int_eq(clpac_pool_configure(pool, &(clpac_pool_options){.snapshot = {.events = 3}}, &err),
			 CLPAC_ERROR_ARGUMENT);
	assert_says("snapshot.events");
	close_pool();
}
END_TEST

/* --- While other threads work ------------------------------------------------------------------- */

static atomic_bool is_over;

/* Tags live no longer than their buffers. */
static void *work(void *argument)
{
	unsigned long long state = (unsigned long long)(size_t)argument;
	while (!atomic_load(&is_over)) {
		clpac_buffer *buffer;
		char *tag = strdup("the tag of one buffer");
		if (clpac_pool_allocate(pool, 1 + random_bits(&state) % 100000, tag, &buffer, NULL) == CLPAC_OK)
			clpac_buffer_release(buffer);
		memset(tag, '!', strlen(tag));
		free(tag);
	}
	return NULL;
}

START_TEST(tags_of_other_threads_are_read_only_while_their_buffers_live)
{
	enum { THREADS = 3, SNAPSHOTS = 60 };
	pthread_t threads[THREADS];
	open_pool(&(clpac_pool_options){
		.budget = {.bytes = 16 << 20}, .checks = {.is_checked = _i == 1}, .snapshot = {.events = 20}});
	atomic_store(&is_over, false);
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
	for (int i = 0; i < SNAPSHOTS; i++) {
		clpac_snapshot *snapshot = take_snapshot();
		for (size_t k = 0; k < snapshot->n_holders; k++)
			ck_assert_str_eq(snapshot->holders[k].tag, "the tag of one buffer");
		clpac_snapshot_destroy(snapshot);
	}
	atomic_store(&is_over, true);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_pool();
}
END_TEST

/* --- Files that are not trusted ----------------------------------------------------------------- */

#define HEAD "{\"format\": \"clpac pool snapshot\", \"format_version\": 1, \"device\": \"d\", \"refused\": null, "
#define LIMITS "\"statistics\": {\"budget_bytes\": null}, "
#define REST ", \"blocks\": [], \"n_events_before\": 0, \"events\": []}"
#define SEGMENT(pieces)                                                                                                \
	"\"segments\": [{\"number\": 1, \"bytes\": 100, \"is_small\": true, \"queue\": 0, \"pieces\": [" pieces "]}]"

static const struct {
	const char *text, *says;
} wrong[] = {
	{"", "not JSON"},
	{"[]", "no snapshot of a pool"},
	{"{\"format\": \"clpac pool snapshot\", \"format_version\": 2}", "format_version"},
	{HEAD "\"statistics\": {}, \"segments\": []" REST, "budget_bytes must be a whole number"},
	{HEAD LIMITS SEGMENT("") ", \"blocks\": {}, \"n_events_before\": 0, \"events\": []}",
	 "blocks is missing, or no list"},
	{HEAD LIMITS SEGMENT("{\"offset\": 60, \"bytes\": 50, \"state\": \"cached\"}") REST,
	 "reach beyond the segment"},
	{HEAD LIMITS SEGMENT("{\"offset\": 0, \"bytes\": 50, \"state\": \"cached\"},"
			     "{\"offset\": 40, \"bytes\": 50, \"state\": \"cached\"}") REST,
	 "pieces[1].offset lies in the piece before"},
	{HEAD LIMITS SEGMENT("{\"offset\": 1e3, \"bytes\": 50, \"state\": \"cached\"}") REST,
	 "pieces[0].offset must be a whole"},
	{HEAD LIMITS SEGMENT("{\"offset\": -1, \"bytes\": 50, \"state\": \"cached\"}") REST,
	 "pieces[0].offset must be a whole"},
	{HEAD LIMITS SEGMENT("{\"offset\": 0, \"bytes\": 9223372036854775807, \"state\": \"cached\"}") REST,
	 "bytes must be"},
	{HEAD LIMITS SEGMENT("{\"offset\": 0, \"bytes\": 50, \"state\": \"gone\"}") REST, "state is none of its words"},
	{HEAD LIMITS SEGMENT("{\"offset\": 0, \"bytes\": 50, \"state\": \"in_use\"}") REST, "requested_bytes must be"},
	{HEAD LIMITS SEGMENT("7") REST, "offset must be"},
	{HEAD LIMITS "\"segments\": [3]" REST, "segments[0].number must be"},
};

START_TEST(a_wrong_file_is_refused_with_its_place)
{
	clpac_snapshot *none = NULL;
	const char *path = files_write_text("wrong.json", wrong[_i].text);
	ck_assert_int_eq(clpac_snapshot_read(path, &none, &err), CLPAC_ERROR_FORMAT);
	ck_assert_ptr_null(none);
	assert_says(wrong[_i].says);
	assert_says("wrong.json");
}
END_TEST

START_TEST(texts_of_a_file_cannot_steer_a_terminal)
{
	static const char hostile[] =
		HEAD LIMITS SEGMENT("{\"offset\": 0, \"bytes\": 50, \"state\": \"in_use\", \"requested_bytes\": 1, "
				    "\"tag\": \"\\u001b]0;x\\u0007\\u202e\"}") REST;
	clpac_snapshot *snapshot = read_snapshot(files_write_text("x.json", hostile));
	char *text = NULL;
	assert_works(clpac_snapshot_text(snapshot, &text, &err), err);
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_ptr_nonnull(strstr(text, "?]0;x??"));
	clpac_text_free(text);
	clpac_snapshot_destroy(snapshot);
}
END_TEST

/* --- Text and picture --------------------------------------------------------------------------- */

/* A snapshot of so many segments, each half full, with a refusal. */
static const char *write_large(size_t n)
{
	static const char head[] =
		"{\"format\": \"clpac pool snapshot\", \"format_version\": 1, \"device\": \"d\", "
		"\"refused\": {\"bytes\": 70, \"class_bytes\": 80, \"queue\": 0, \"tag\": \"more\", "
		"\"text\": \"no room\"}, \"statistics\": {\"budget_bytes\": 100000}, \"segments\": [";
	static const char tail[] = "], \"blocks\": [{\"is_on_host\": false, \"bytes\": 90, \"state\": \"pending\"}], "
				   "\"n_events_before\": 0, \"events\": []}";
	bytes text = {0};
	char one[300];
	bytes_add(&text, head, strlen(head));
	for (size_t i = 0; i < n; i++) {
		snprintf(one, sizeof one,
			 "%s{\"number\": %zu, \"bytes\": 100, \"is_small\": true, \"queue\": 0, \"pieces\": "
			 "[{\"offset\": "
			 "%zu, \"bytes\": 50, \"state\": \"in_use\", \"requested_bytes\": 49, \"tag\": \"t%zu\"}]}",
			 i ? "," : "", i + 1, i % 51, i % 9);
		bytes_add(&text, one, strlen(one));
	}
	bytes_add(&text, tail, strlen(tail));
	const char *path = files_write("large.json", text.data, text.n);
	bytes_free(&text);
	return path;
}

START_TEST(the_text_tells_who_was_refused_and_who_holds_how_much)
{
	clpac_snapshot *snapshot = read_snapshot(write_large(30));
	char *text = NULL;
	assert_works(clpac_snapshot_text(snapshot, &text, &err), err);
	static const char *const wanted[] = {"Refused: 70 B (class 80 B) for \"more\", on d\nno room\n",
					     "largest free piece      50 B\n", "and 6 more segments\n",
					     "1 blocks of their own memory, 90 B\n",
					     "t0                                      4       200 B\n"};
	for (size_t i = 0; i < COUNT(wanted); i++)
		ck_assert_msg(strstr(text, wanted[i]) != NULL, "\"%s\" is not in\n%s", wanted[i], text);
	clpac_text_free(text);
	clpac_snapshot_destroy(snapshot);
}
END_TEST

static const size_t sizes[] = {0, 1, 39, 40, 41, 500};

START_TEST(pictures_of_any_number_of_segments_are_drawn)
{
	clpac_snapshot *snapshot = read_snapshot(write_large(sizes[_i]));
	const clpac_plot_options options = {.overwrite = true};
	const clpac_status st = clpac_snapshot_plot(snapshot, files_path("x.svg"), &options, &err);
	if (!clpac_plots_are_available()) {
		ck_assert_int_eq(st, CLPAC_ERROR_UNSUPPORTED);
		assert_says("cairo");
	} else {
		assert_works(st, err);
		bytes picture = files_content(files_path("x.svg"));
		ck_assert_uint_gt(picture.n, 1000);
		bytes_free(&picture);
		ck_assert_int_eq(clpac_snapshot_plot(snapshot, files_path("x.txt"), &options, &err),
				 CLPAC_ERROR_ARGUMENT);
	}
	clpac_snapshot_destroy(snapshot);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("snapshots of pools");
	TCase *c = tcase_create("what a pool writes");
	tcase_add_checked_fixture(c, files_begin, files_end);
	tcase_add_loop_test(c, the_map_of_a_random_pool_has_the_pools_numbers, 0, 2);
	tcase_add_test(c, the_last_events_are_kept_in_order_and_older_ones_counted);
	tcase_add_test(c, a_refusal_leaves_a_snapshot_and_names_it);
	tcase_add_test(c, a_refusal_whose_snapshot_cannot_be_written_says_why);
	tcase_add_test(c, settings_that_make_no_sense_are_refused);
	tcase_add_loop_test(c, tags_of_other_threads_are_read_only_while_their_buffers_live, 0, 2);
	suite_add_tcase(s, c);
	c = tcase_create("what is read");
	tcase_add_checked_fixture(c, files_begin, files_end);
	tcase_add_loop_test(c, a_wrong_file_is_refused_with_its_place, 0, COUNT(wrong));
	tcase_add_test(c, texts_of_a_file_cannot_steer_a_terminal);
	tcase_add_test(c, the_text_tells_who_was_refused_and_who_holds_how_much);
	tcase_add_loop_test(c, pictures_of_any_number_of_segments_are_drawn, 0, COUNT(sizes));
	suite_add_tcase(s, c);
	return s;
}
