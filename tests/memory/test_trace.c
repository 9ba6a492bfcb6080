/* Traces: recorded events are read back, replayed and reported; unwritable or unreadable traces give an error. */
#include "runner.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "assertions.h"
#include "memory/trace/trace_hooks.h"

/* A name for a file that does not exist yet. */
static const char *scratch(void)
{
	static char path[] = "test_trace_XXXXXX";
	int descriptor = mkstemp(path);
	ck_assert_int_ge(descriptor, 0);
	close(descriptor);
	return path;
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
	ck_assert_int_eq(fclose(file), 0);
}

static void note(clpac__recorder *recorder, clpac_trace_operation operation, clpac_trace_outcome outcome, uint64_t id,
		 uint64_t bytes, const char *tag)
{
	clpac__watched what = {.id = id, .bytes = bytes, .class_bytes = 2 * bytes, .tag = tag, .queue = 3};
	clpac__recorder_note(recorder, operation, outcome, &what);
}

static clpac_status end(clpac__recorder *recorder, clpac_error *err)
{
	bool was_on;
	return clpac__recorder_end(recorder, &was_on, err);
}

SECONDS(300);

TEST(what_was_recorded_is_read_back)
{
	const char *path = scratch();
	clpac__recorder recorder;
	clpac_error err;
	clpac__recorder_init(&recorder);
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, 99, 1, "before"); /* no trace is on */
	assert_works(clpac__recorder_begin(&recorder, path, &err), err);
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_MISS, 1, 1000, "a, \"quoted\"\ntag");
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, UINT64_MAX - 1, UINT64_MAX / 2, "");
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_REFUSED, 0, 7, "refused");
	note(&recorder, CLPAC_TRACE_RELEASE, CLPAC_TRACE_NONE, 1, 1000, "a, \"quoted\"\ntag");
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HOST, 4, 8,
	     "a tag of more than forty-seven bytes, which is what a line keeps of it");
	note(&recorder, CLPAC_TRACE_RELEASE, CLPAC_TRACE_NONE, 55, 8, "older");
	assert_works(end(&recorder, &err), err);
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, 99, 1, "after");

	clpac_trace trace;
	assert_works(clpac_trace_read(path, &trace, &err), err);
	ck_assert_uint_eq(trace.n, 6);
	ck_assert_uint_eq(trace.n_slots, 3);
	const clpac_trace_event *e = trace.events;
	ck_assert_int_eq(e[0].operation, CLPAC_TRACE_ALLOCATE);
	ck_assert_int_eq(e[0].outcome, CLPAC_TRACE_MISS);
	ck_assert_uint_eq(e[0].id, 1);
	ck_assert_uint_eq(e[0].bytes, 1000);
	ck_assert_uint_eq(e[0].class_bytes, 2000);
	ck_assert_uint_eq(e[0].queue, 3);
	ck_assert_str_eq(e[0].tag, "a, \"quoted\"\ntag");
	ck_assert_uint_eq(e[1].id, UINT64_MAX - 1);
	ck_assert_uint_eq(e[1].bytes, UINT64_MAX / 2);
	ck_assert_int_eq(e[1].outcome, CLPAC_TRACE_HIT);
	ck_assert_int_eq(e[2].outcome, CLPAC_TRACE_REFUSED);
	ck_assert_int_eq(e[3].operation, CLPAC_TRACE_RELEASE);
	ck_assert_int_eq(e[3].outcome, CLPAC_TRACE_NONE);
	ck_assert_int_eq(e[4].outcome, CLPAC_TRACE_HOST);
	ck_assert_str_eq(e[4].tag, "a tag of more than forty-seven bytes, which is ");
	ck_assert_uint_eq(e[0].slot, 0);
	ck_assert_uint_eq(e[1].slot, 1);
	ck_assert_uint_eq(e[2].slot, 2);
	ck_assert_uint_eq(e[3].slot, 0);
	ck_assert_uint_eq(e[4].slot, 0);
	ck_assert_uint_eq(e[5].slot, SIZE_MAX);
	for (size_t i = 1; i < trace.n; i++)
		ck_assert_uint_ge(e[i].time_ns, e[i - 1].time_ns);
	clpac_trace_free(&trace);
	clpac_trace_free(NULL);

	/* A second trace with the same recorder starts from nothing. */
	assert_works(clpac__recorder_begin(&recorder, path, &err), err);
	assert_works(end(&recorder, &err), err);
	assert_works(clpac_trace_read(path, &trace, &err), err);
	ck_assert_uint_eq(trace.n, 0);
	clpac_trace_free(&trace);
	clpac__recorder_destroy(&recorder);
	unlink(path);
}

TEST(what_cannot_be_recorded_is_said)
{
	const char *path = scratch();
	clpac__recorder recorder;
	clpac_error err;
	clpac__recorder_init(&recorder);
	assert_refused(end(&recorder, &err), err, CLPAC_ERROR_ARGUMENT, "none is being written");
	assert_refused(clpac__recorder_begin(&recorder, NULL, &err), err, CLPAC_ERROR_ARGUMENT, "no file");
	assert_refused(clpac__recorder_begin(&recorder, "", &err), err, CLPAC_ERROR_ARGUMENT, "no file");
	assert_refused(clpac__recorder_begin(&recorder, "no/such/folder/trace", &err), err, CLPAC_ERROR_IO,
		       "no/such/folder");
	ck_assert_int_eq(err.native_code, ENOENT);
	assert_works(clpac__recorder_begin(&recorder, path, &err), err);
	assert_refused(clpac__recorder_begin(&recorder, path, &err), err, CLPAC_ERROR_ARGUMENT, path);
	assert_works(end(&recorder, &err), err);
	assert_survives_failing_allocations(clpac__recorder_begin(&recorder, path, NULL), end(&recorder, NULL));
	/* A trace that is on when its owner ends is ended with it. */
	assert_works(clpac__recorder_begin(&recorder, path, &err), err);
	note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, 1, 1, "");
	clpac__recorder_destroy(&recorder);
	clpac_trace trace;
	assert_works(clpac_trace_read(path, &trace, &err), err);
	ck_assert_uint_eq(trace.n, 1);
	clpac_trace_free(&trace);
	unlink(path);
}

TEST_UNLESS(access("/dev/full", W_OK) ? "there is no /dev/full" : NULL, a_full_disk_shows_at_the_end)
{
	clpac__recorder recorder;
	clpac_error err;
	clpac__recorder_init(&recorder);
	assert_works(clpac__recorder_begin(&recorder, "/dev/full", &err), err);
	for (uint64_t i = 1; i < 5000; i++)
		note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, i, 1, "full");
	assert_refused(end(&recorder, &err), err, CLPAC_ERROR_IO, "/dev/full is not complete");
	ck_assert_int_eq(err.native_code, ENOSPC);
	clpac__recorder_destroy(&recorder);
}

/* A pipe in the place of a disk: nobody reads it until so many events are noted, and then slowly at first. */
static void *empty_pipe(void *argument)
{
	enum { SLOW_READS = 100, PAUSE_NS = 2000000 };
	static char bytes[65536];
	for (int i = 0; read(*(int *)argument, bytes, sizeof bytes) > 0; i++)
		if (i < SLOW_READS)
			nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	return NULL;
}

/* Notes n events for a file that is such a pipe, read from event n_before on, and ends. */
static clpac_status record_into_pipe(uint64_t n_before, uint64_t n, clpac_error *err)
{
	int ends[2];
	pthread_t reader;
	ck_assert_int_eq(pipe(ends), 0);
	char path[32];
	snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
	clpac__recorder recorder;
	clpac__recorder_init(&recorder);
	assert_works(clpac__recorder_begin(&recorder, path, err), *err);
	close(ends[1]);
	for (uint64_t i = 0; i < n; i++) {
		if (i == n_before)
			ck_assert_int_eq(pthread_create(&reader, NULL, empty_pipe, &ends[0]), 0);
		note(&recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, i + 1, 1, "lost");
	}
	const clpac_status st = end(&recorder, err);
	clpac__recorder_destroy(&recorder);
	pthread_join(reader, NULL);
	close(ends[0]);
	return st;
}

TEST_UNLESS(access("/dev/fd", X_OK) ? "there is no /dev/fd" : NULL,
	    a_disk_that_does_not_answer_loses_events_and_stops_nobody)
{
	clpac_error err;
	const uint64_t n = 750000; /* of 96 bytes: more than 64 MiB */
	assert_refused(record_into_pipe(n - 1, n, &err), err, CLPAC_ERROR_IO, "events were lost");
}

/* Whoever allocates waits for it, each time that there is no room.  A busy machine may stop the writer for so long that
 * the disk does not seem to answer, so that one of several traces that is whole will do. */
TEST_UNLESS(access("/dev/fd", X_OK) ? "there is no /dev/fd" : NULL, a_disk_that_is_slow_loses_nothing)
{
	enum { TRIES = 6 };
	clpac_error err;
	clpac_status st = CLPAC_ERROR_IO;
	for (int i = 0; i < TRIES && st != CLPAC_OK; i++)
		st = record_into_pipe(650000, 750000, &err);
	assert_works(st, err);
}

/* --- Reading ---------------------------------------------------------------------------------- */

TEST(traces_of_others_need_few_columns_in_any_order)
{
	const char *path = scratch();
	put_file(path,
		 "\xef\xbb\xbf"
		 "bytes,colour,id,operation\r\n10,red,0,allocate\r\n\r\n20,\"bl\"\"ue\",5,allocate\r\n10,,0,release");
	clpac_trace trace;
	clpac_error err;
	assert_works(clpac_trace_read(path, &trace, &err), err);
	ck_assert_uint_eq(trace.n, 3);
	ck_assert_uint_eq(trace.n_slots, 2);
	ck_assert_uint_eq(trace.events[1].bytes, 20);
	ck_assert_int_eq(trace.events[1].outcome, CLPAC_TRACE_MISS);
	ck_assert_str_eq(trace.events[1].tag, "");
	ck_assert_uint_eq(trace.events[2].slot, trace.events[0].slot);
	clpac_trace_free(&trace);
	assert_survives_failing_allocations(clpac_trace_read(path, &trace, NULL), clpac_trace_free(&trace));
	unlink(path);
}

TEST(a_damaged_trace_is_refused_with_its_line)
{
	static const struct {
		const char *text, *part;
	} damaged[] = {
		{"", "no column \"operation\""},
		{"operation,id\n", "no column \"bytes\""},
		{"operation,id,bytes\nallocate,1\n", ":2 has 2 fields; the head has 3"},
		{"operation,id,bytes\nallocate,1,5\nallocate,x,5\n", ":3: id is \"x\", which is no number"},
		{"operation,id,bytes\nallocate,1,-5\n", ":2: bytes is \"-5\""},
		{"operation,id,bytes\nallocate,,5\n", ":2: id is \"\""},
		{"operation,id,bytes\nallocate,18446744073709551616,5\n",
		 ":2: id of 18446744073709551616 is too large"},
		{"operation,id,bytes,thread\nallocate,1,5,4294967296\n", ":2: thread of 4294967296 is too large"},
		{"operation,id,bytes\nmove,1,5\n", ":2: \"move\" is no operation"},
		{"operation,id,bytes,outcome\nallocate,1,5,lost\n", ":2: \"lost\" is no outcome"},
		{"operation,id,bytes\nallocate,1,5\nallocate,1,6\n",
		 ":3: buffer 1 is allocated before it was released"},
		{"operation,id,bytes\n\"allocate,1,5\n", ":2: field 1 has an unmatched quotation mark"},
		{"operation,id,bytes\n\"allocate\"s,1,5\n", ":2: field 1 has an unmatched quotation mark"},
	};
	const char *path = scratch();
	clpac_trace trace;
	clpac_error err;
	for (size_t i = 0; i < COUNT(damaged); i++) {
		put_file(path, damaged[i].text);
		assert_refused(clpac_trace_read(path, &trace, &err), err, CLPAC_ERROR_FORMAT, damaged[i].part);
	}
	FILE *file = fopen(path, "wb");
	fwrite("operation\0id", 1, 12, file);
	fclose(file);
	assert_refused(clpac_trace_read(path, &trace, &err), err, CLPAC_ERROR_FORMAT, "zero byte at byte 9");
	unlink(path);
	assert_refused(clpac_trace_read(path, &trace, &err), err, CLPAC_ERROR_IO, path);
	assert_refused(clpac_trace_read(".", &trace, &err), err, CLPAC_ERROR_IO, "cannot read");
}

TEST(random_damage_is_read_or_refused)
{
	static const char good[] = CLPAC__TRACE_HEAD "\n0,0,allocate,1,100,104,0,\"a \"\"b\"\"\",miss\n"
						     "10,1,allocate,2,7,8,0,plain,hit\n20,0,release,1,100,104,0,,\n";
	static const char alphabet[] = "\",\n\r0918ab\xff ";
	const char *path = scratch();
	unsigned long long state = 5;
	unsigned n_read = 0, n_refused = 0;
	for (int round = 0; round < 2000; round++) {
		char text[sizeof good];
		memcpy(text, good, sizeof good);
		for (size_t n = 1 + random_below(&state, 4); n; n--)
			text[random_below(&state, sizeof good - 1)] =
				alphabet[random_below(&state, sizeof alphabet - 1)];
		text[random_below(&state, 4) ? sizeof good - 1 : random_below(&state, sizeof good)] = 0;
		put_file(path, text);
		clpac_trace trace;
		clpac_status st = clpac_trace_read(path, &trace, NULL);
		ck_assert(st == CLPAC_OK || st == CLPAC_ERROR_FORMAT);
		if (st == CLPAC_OK)
			clpac_trace_free(&trace);
		n_read += st == CLPAC_OK;
		n_refused += st != CLPAC_OK;
	}
	ck_assert_uint_gt(n_read, 100);
	ck_assert_uint_gt(n_refused, 100);
	unlink(path);
}

/* --- Replaying -------------------------------------------------------------------------------- */

/* An allocator with a limited number of bytes that knows its live slots. */
struct toy {
	size_t room, n_live, n_calls;
};

static void *toy_allocate(void *user, size_t bytes)
{
	struct toy *toy = user;
	toy->n_calls++;
	if (bytes > toy->room)
		return NULL;
	size_t *memory = malloc(sizeof *memory);
	*memory = bytes;
	toy->room -= bytes;
	toy->n_live++;
	return memory;
}

static void toy_release(void *user, void *memory)
{
	struct toy *toy = user;
	toy->room += *(size_t *)memory;
	toy->n_live--;
	free(memory);
}

TEST(a_replay_repeats_the_requests_and_leaves_nothing)
{
	const char *path = scratch();
	put_file(path, "operation,id,bytes,outcome\n"
		       "allocate,1,100,miss\n"
		       "allocate,2,50,hit\n"
		       "release,1,100,\n"
		       "release,77,1,\n"
		       "allocate,0,70,refused\n"
		       "allocate,3,500,miss\n"
		       "allocate,4,20,miss\n"
		       "release,3,500,\n");
	clpac_trace trace;
	clpac_error err;
	assert_works(clpac_trace_read(path, &trace, &err), err);
	unlink(path);
	struct toy toy = {.room = 200};
	clpac_replay_target target = {&toy, toy_allocate, toy_release};
	clpac_replay_report report;
	assert_works(clpac_trace_replay(&trace, &target, &report, &err), err);
	ck_assert_uint_eq(toy.n_calls, 5);
	ck_assert_uint_eq(toy.n_live, 0);
	ck_assert_uint_eq(toy.room, 200);
	ck_assert_uint_eq(report.n_allocated, 4);
	ck_assert_uint_eq(report.n_released, 4);
	ck_assert_uint_eq(report.n_refused, 1);
	ck_assert_uint_eq(report.n_left, 2);
	ck_assert_uint_eq(report.n_unknown, 1);
	ck_assert_uint_eq(report.bytes_allocated, 240);
	ck_assert_uint_eq(report.peak_bytes, 150);
	ck_assert(report.seconds >= 0);
	assert_works(clpac_trace_replay(&trace, &target, NULL, &err), err);
	assert_survives_failing_allocations(clpac_trace_replay(&trace, &target, NULL, NULL), (void)0);

	/* Traces edited by hand may hold any fault. */
	trace.events[6].slot = trace.events[1].slot;
	assert_refused(clpac_trace_replay(&trace, &target, NULL, &err), err, CLPAC_ERROR_ARGUMENT, "event 6");
	ck_assert_uint_eq(toy.n_live, 0);
	trace.events[6].slot = trace.n_slots;
	assert_refused(clpac_trace_replay(&trace, &target, NULL, &err), err, CLPAC_ERROR_ARGUMENT, "event 6 has slot");
	trace.events[0].operation = CLPAC_TRACE_OPERATIONS;
	assert_refused(clpac_trace_replay(&trace, &target, NULL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "event 0 has operation");
	clpac_trace_free(&trace);
}

TEST(slots_of_random_traces_are_dense_and_never_shared)
{
	enum { N_EVENTS = 20000, N_IDS = 700 };
	const char *path = scratch();
	FILE *file = fopen(path, "wb");
	unsigned long long state = 11;
	static bool is_live[N_IDS];
	size_t n_live = 0, peak = 0;
	fputs("operation,id,bytes\n", file);
	for (int i = 0; i < N_EVENTS; i++) {
		size_t id = random_below(&state, N_IDS);
		/* Ids like addresses: far apart, in steps. */
		fprintf(file, "%s,%zu,1\n", is_live[id] ? "release" : "allocate", id << 40 | 64);
		is_live[id] = !is_live[id];
		n_live += is_live[id] ? 1 : -1;
		peak = n_live > peak ? n_live : peak;
	}
	fclose(file);
	clpac_trace trace;
	clpac_error err;
	assert_works(clpac_trace_read(path, &trace, &err), err);
	unlink(path);
	ck_assert_uint_eq(trace.n_slots, peak);
	static uint64_t owner[N_IDS]; /* of a slot; 0: free */
	for (size_t i = 0; i < trace.n; i++) {
		const clpac_trace_event *event = &trace.events[i];
		bool is_release = event->operation == CLPAC_TRACE_RELEASE;
		ck_assert_uint_eq(owner[event->slot], is_release ? event->id : 0);
		owner[event->slot] = is_release ? 0 : event->id;
	}
	clpac_trace_free(&trace);
}

/* --- Threads ---------------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_ROUNDS = 10000 };

static void *record(void *argument)
{
	static _Atomic uint64_t last_id;
	clpac__recorder *recorder = argument;
	for (int round = 0; round < N_ROUNDS; round++) {
		uint64_t id = atomic_fetch_add(&last_id, 1) + 1;
		note(recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, id, id, "thread");
		note(recorder, CLPAC_TRACE_RELEASE, CLPAC_TRACE_NONE, id, id, "thread");
	}
	return NULL;
}

TEST(threads_record_every_event_once_and_in_order)
{
	const char *path = scratch();
	clpac__recorder recorder;
	clpac_error err;
	clpac__recorder_init(&recorder);
	assert_works(clpac__recorder_begin(&recorder, path, &err), err);
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, record, &recorder), 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_works(end(&recorder, &err), err);
	clpac_trace trace;
	assert_works(clpac_trace_read(path, &trace, &err), err);
	ck_assert_uint_eq(trace.n, 2 * N_THREADS * N_ROUNDS);
	ck_assert_uint_le(trace.n_slots, N_THREADS);
	/* Not ck_assert, which writes a mark for every assertion that holds: there are 160 000. */
	for (size_t i = 0; i < trace.n; i++)
		if (trace.events[i].slot == SIZE_MAX || trace.events[i].time_ns < trace.events[i ? i - 1 : 0].time_ns)
			ck_abort_msg("event %zu has no slot, or comes before the one before it", i);
	clpac_trace_free(&trace);
	clpac__recorder_destroy(&recorder);
	unlink(path);
}

static void *record_until_told(void *argument)
{
	struct {
		clpac__recorder *recorder;
		atomic_bool *is_over;
	} *mine = argument;
	for (uint64_t id = 1; !atomic_load(mine->is_over); id++)
		note(mine->recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_HIT, id, id, "");
	return NULL;
}

TEST(traces_begin_and_end_under_way)
{
	const char *path = scratch();
	clpac__recorder recorder;
	clpac_error err;
	atomic_bool is_over = false;
	struct {
		clpac__recorder *recorder;
		atomic_bool *is_over;
	} shared = {&recorder, &is_over};
	pthread_t thread;
	clpac__recorder_init(&recorder);
	ck_assert_int_eq(pthread_create(&thread, NULL, record_until_told, &shared), 0);
	for (int round = 0; round < 30; round++) {
		assert_works(clpac__recorder_begin(&recorder, path, &err), err);
		assert_works(end(&recorder, &err), err);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	clpac__recorder_destroy(&recorder);
	unlink(path);
}
