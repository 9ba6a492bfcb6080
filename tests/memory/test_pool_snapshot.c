/* Snapshots of pools: the file says what the pool's own numbers say, and a refusal leaves one. */
#include "runner.h"

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

/* --- What is read of a file ---------------------------------------------------------------------- */

enum { MOST_EVENTS = 8, TAG = 48 };

/* A snapshot as a pool writes it: each segment, block and event has a line of its own.  Bytes are those on the device,
 * but for host_bytes. */
struct told {
	char refused[1024]; /* the line of the request that was refused; "" for none */
	uint64_t in_use_bytes, cached_bytes, segment_bytes, free_bytes, largest_free_bytes, block_bytes, host_bytes;
	size_t n_segments, n_in_use;
	char tag[TAG];	     /* of the last block in use */
	bool has_other_tags; /* than that */
	uint64_t n_events_before;
	size_t n_events;
	char events[MOST_EVENTS][256];
};

static bool says(const char *line, const char *part)
{
	return strstr(line, part) != NULL;
}

static uint64_t number(const char *line, const char *member)
{
	char key[64];
	snprintf(key, sizeof key, "\"%s\": ", member);
	const char *at = strstr(line, key);
	ck_assert_msg(at != NULL, "no %s in %s", member, line);
	return strtoull(at + strlen(key), NULL, 10);
}

static void add_tag(struct told *told, const char *line)
{
	char tag[TAG] = "";
	sscanf(strstr(line, "\"tag\": \"") + 8, "%47[^\"]", tag);
	told->has_other_tags |= told->n_in_use && strcmp(told->tag, tag) != 0;
	strcpy(told->tag, tag);
	told->n_in_use++;
}

static void add_block(struct told *told, const char *line)
{
	const uint64_t bytes = number(line, "bytes");
	const bool is_in_use = says(line, "\"state\": \"in_use\"");
	if (says(line, "\"is_on_host\": true")) {
		told->host_bytes += bytes;
		return;
	}
	if (says(line, "\"is_on_host\": "))
		told->block_bytes += bytes;
	if (is_in_use)
		add_tag(told, line);
	*(is_in_use || says(line, "\"state\": \"busy\"") ? &told->in_use_bytes : &told->cached_bytes) += bytes;
}

static void add_segment(struct told *told, const char *line)
{
	const uint64_t largest = number(line, "largest_free_bytes");
	told->n_segments++;
	told->segment_bytes += number(line, "bytes");
	told->free_bytes += number(line, "free_bytes");
	told->largest_free_bytes = largest > told->largest_free_bytes ? largest : told->largest_free_bytes;
}

static struct told read_snapshot(const char *path)
{
	struct told told = {0};
	char line[2048];
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s is missing", path);
	while (fgets(line, sizeof line, file)) {
		if (!strncmp(line, "\"refused\": {", 12))
			snprintf(told.refused, sizeof told.refused, "%s", line);
		else if (!strncmp(line, "{\"number\": ", 11))
			add_segment(&told, line);
		else if (!strncmp(line, " {\"offset\": ", 12) || !strncmp(line, " {\"is_on_host\": ", 16))
			add_block(&told, line);
		else if (!strncmp(line, "\"n_events_before\": ", 18))
			told.n_events_before = number(line, "n_events_before");
		else if (!strncmp(line, " {\"time_ns\": ", 13) && ++told.n_events <= MOST_EVENTS)
			snprintf(told.events[told.n_events - 1], sizeof *told.events, "%s", line);
	}
	fclose(file);
	return told;
}

static struct told take_snapshot(void)
{
	const char *path = files_path("now.json");
	assert_works(clpac_pool_snapshot(pool, path, &err), err);
	return read_snapshot(path);
}

/* --- What a pool writes ------------------------------------------------------------------------- */

/* The map's sums are the pool's own numbers. */
static void check_sums(const struct told *snapshot)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(snapshot->in_use_bytes, now.in_use_bytes);
	ck_assert_uint_eq(snapshot->n_segments, now.segments);
	ck_assert_uint_eq(snapshot->segment_bytes, now.segment_bytes);
	ck_assert_uint_eq(snapshot->free_bytes, now.free_segment_bytes);
	ck_assert_uint_eq(snapshot->largest_free_bytes, now.largest_free_bytes);
	ck_assert_uint_eq(snapshot->cached_bytes + snapshot->free_bytes, now.pooled_bytes);
	ck_assert_uint_eq(snapshot->segment_bytes + snapshot->block_bytes, now.allocated_bytes);
	ck_assert_uint_eq(snapshot->host_bytes, now.host_bytes);
}

FIXTURE(files_begin, files_end);

TEST_EACH(the_map_of_a_random_pool_has_the_pools_numbers, 2)
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
		const struct told snapshot = take_snapshot();
		clpac_pool_statistics now;
		clpac_pool_measure(pool, &now, sizeof now);
		check_sums(&snapshot);
		ck_assert_str_eq(snapshot.refused, "");
		ck_assert_uint_eq(snapshot.n_events, 0);
		ck_assert_uint_eq(snapshot.n_in_use, now.active_buffers - now.host_buffers);
	}
	for (size_t i = 0; i < N; i++)
		clpac_buffer_release(held[i]);
	close_pool();
}

TEST(the_last_events_are_kept_in_order_and_older_ones_counted)
{
	open_pool(&(clpac_pool_options){.budget = {.bytes = 8 << 20}, .snapshot = {.events = 5}});
	clpac_buffer *buffer;
	for (size_t i = 1; i <= 6; i++) {
		assert_works(clpac_pool_allocate(pool, 1000 * i, "tag", &buffer, &err), err);
		clpac_buffer_release(buffer);
	}
	ck_assert_int_eq(clpac_pool_allocate(pool, 9 << 20, "huge", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	const struct told snapshot = take_snapshot();
	ck_assert_uint_eq(snapshot.n_events, 5);
	ck_assert_uint_eq(snapshot.n_events_before, 8);
	static const struct {
		const char *operation;
		uint64_t bytes;
	} wanted[] = {{"\"allocate\"", 5000},
		      {"\"release\"", 5000},
		      {"\"allocate\"", 6000},
		      {"\"release\"", 6000},
		      {"\"allocate\"", 9 << 20}};
	for (size_t i = 0; i < COUNT(wanted); i++) {
		ck_assert(says(snapshot.events[i], wanted[i].operation));
		ck_assert_uint_eq(number(snapshot.events[i], "bytes"), wanted[i].bytes);
		ck_assert(!i || number(snapshot.events[i - 1], "time_ns") <= number(snapshot.events[i], "time_ns"));
	}
	ck_assert(says(snapshot.events[4], "\"tag\": \"huge\", \"outcome\": \"refused\""));
	close_pool();
}

/* --- At a refusal ------------------------------------------------------------------------------- */

TEST(a_refusal_leaves_a_snapshot_and_names_it)
{
	clpac_pool_options options = {.budget = {.bytes = 8 << 20}};
	clpac_buffer *held, *none;
	snprintf(options.snapshot.path, sizeof options.snapshot.path, "%s", files_path("refused.json"));
	open_pool(&options);
	assert_works(clpac_pool_allocate(pool, 5 << 20, "large", &held, &err), err);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4 << 20, "more", &none, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	assert_says("snapshot in ");
	assert_says("refused.json");
	struct told snapshot = read_snapshot(options.snapshot.path);
	ck_assert_uint_eq(number(snapshot.refused, "bytes"), 4 << 20);
	ck_assert(says(snapshot.refused, "\"tag\": \"more\""));
	ck_assert(says(snapshot.refused, "no room in the pool's budget"));
	check_sums(&snapshot);
	ck_assert_str_eq(snapshot.tag, "large");
	ck_assert_uint_eq(snapshot.n_in_use, 1);
	ck_assert_uint_eq(snapshot.n_events, 2);

	/* Within a second another refusal writes nothing, and says nothing of a snapshot. */
	ck_assert_int_eq(unlink(options.snapshot.path), 0);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4 << 20, "soon", &none, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_int_ne(access(options.snapshot.path, F_OK), 0);
	sleep(1);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4 << 20, "later", &none, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	snapshot = read_snapshot(options.snapshot.path);
	ck_assert(says(snapshot.refused, "\"tag\": \"later\""));
	clpac_buffer_release(held);
	close_pool();
}

TEST(a_refusal_whose_snapshot_cannot_be_written_says_why)
{
	clpac_buffer *none;
	open_pool(&(clpac_pool_options){.budget = {.bytes = 8 << 20}, .snapshot = {.path = "/no/such/folder/x.json"}});
	ck_assert_int_eq(clpac_pool_allocate(pool, 9 << 20, "more", &none, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	assert_says("no snapshot: writing /no/such/folder/x.json");
	ck_assert_int_eq(clpac_pool_snapshot(pool, "/no/such/folder/x.json", &err), CLPAC_ERROR_IO);
	close_pool();
}

TEST(settings_that_make_no_sense_are_refused)
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

TEST_EACH(tags_of_other_threads_are_read_only_while_their_buffers_live, 2)
{
	enum { THREADS = 3, SNAPSHOTS = 60 };
	pthread_t threads[THREADS];
	open_pool(&(clpac_pool_options){
		.budget = {.bytes = 16 << 20}, .checks = {.is_checked = _i == 1}, .snapshot = {.events = 20}});
	atomic_store(&is_over, false);
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
	for (int i = 0; i < SNAPSHOTS; i++) {
		const struct told snapshot = take_snapshot();
		ck_assert(!snapshot.has_other_tags);
		ck_assert(!snapshot.n_in_use || strcmp(snapshot.tag, "the tag of one buffer") == 0);
	}
	atomic_store(&is_over, true);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_pool();
}
