/* What src/backend/backend.h promises of parts, host blocks, mappings, further queues and events. */
#include "order_laws.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "targets.h"

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static const clpac__queue_operations *on;
static size_t alignment;
static clpac_error err;

static void open_target(int i)
{
	queue = target_open(targets_get((size_t)i));
	on = queue->operations;
	alignment = queue->part_alignment;
}

static void close_target(void)
{
	on->close(queue);
}

#define OK(call) ck_assert_msg((call) == CLPAC_OK, "%s: %s", #call, err.text)
#define REFUSED(call)                                         \
	do {                                                  \
		err = (clpac_error){0};                       \
		ck_assert_int_eq(call, CLPAC_ERROR_ARGUMENT); \
		ck_assert_uint_gt(strlen(err.text), 10);      \
		ck_assert_ptr_null(strchr(err.text, '\n'));   \
	} while (0)

/* The simulated device counts a breach of contract instead of refusing it, and its stages compute nothing. */
static bool is_simulated(void)
{
	return strcmp(queue->device.backend, "simulated") == 0;
}

static clpac__block *make(size_t bytes)
{
	clpac__block *block = NULL;
	OK(on->create(queue, bytes, &block, &err));
	ck_assert_ptr_nonnull(block);
	return block;
}

static clpac__block *make_on_host(size_t bytes)
{
	clpac__block *block = NULL;
	OK(on->create_on_host(queue, bytes, &block, &err));
	ck_assert_ptr_nonnull(block);
	return block;
}

static clpac__block *make_part(clpac__block *whole, size_t offset, size_t bytes)
{
	clpac__block *part = NULL;
	OK(on->create_part(queue, whole, offset, bytes, &part, &err));
	ck_assert_ptr_nonnull(part);
	return part;
}

static void check_bytes(clpac__block *block, const unsigned char *expected, size_t bytes)
{
	unsigned char *got = malloc(bytes);
	OK(on->read(queue, block, 0, bytes, got, &err));
	ck_assert_mem_eq(got, expected, bytes);
	free(got);
}

START_TEST(the_queue_tells_its_facts)
{
	open_target(_i);
	ck_assert(queue->is_in_order);
	ck_assert_uint_ge(alignment, 1);
	ck_assert_uint_eq(alignment & (alignment - 1), 0);
	ck_assert_uint_eq(8 * alignment % (queue->device.base_align_bits ? queue->device.base_align_bits : 8), 0);
	close_target();
}
END_TEST

/* ---- Parts -------------------------------------------------------------------------------------------------------- */

START_TEST(a_part_is_a_range_of_its_whole)
{
	enum { N = 40 };
	open_target(_i);
	const size_t bytes = N * alignment + 3;
	unsigned char *model = malloc(bytes), *put = malloc(bytes);
	/* Beginning and length, the unit of the first being the alignment; they share bytes. */
	static const size_t parts[][2] = {{0, 1}, {0, 100}, {1, 77}, {7, 1000}, {3, 64}, {N, 3}, {N - 1, 2}};
	enum { N_PARTS = sizeof parts / sizeof *parts };
	clpac__block *whole = make(bytes), *made[N_PARTS];
	random_bytes(1, model, bytes);
	OK(on->write(queue, whole, 0, bytes, model, &err));
	for (size_t i = 0; i < N_PARTS; i++) {
		size_t offset = parts[i][0] * alignment, n = parts[i][1];
		n = n < bytes - offset ? n : bytes - offset;
		made[i] = make_part(whole, offset, n);
		check_bytes(made[i], model + offset, n); /* what the whole got is the part's */
		random_bytes((unsigned)i + 2, put, n);
		memcpy(model + offset, put, n);
		OK(on->write(queue, made[i], 0, n, put, &err));
		check_bytes(whole, model, bytes); /* and what the part gets is the whole's, and no more */
		OK(on->fill(queue, made[i], n / 2, n - n / 2, (uint8_t)i, &err));
		memset(model + offset + n / 2, (int)i, n - n / 2);
		check_bytes(whole, model, bytes);
	}
	for (size_t i = 0; i < N_PARTS; i++)
		on->release(queue, made[i]);
	check_bytes(whole, model, bytes); /* a part takes nothing with it */
	on->release(queue, whole);
	free(model);
	free(put);
	close_target();
}
END_TEST

START_TEST(parts_of_one_block_are_copied_between)
{
	open_target(_i);
	const size_t bytes = 8 * alignment;
	unsigned char *model = malloc(bytes);
	clpac__block *whole = make(bytes), *a = make_part(whole, 0, 4 * alignment),
		     *b = make_part(whole, 4 * alignment, 4 * alignment), *c = make_part(whole, 2 * alignment, 4 * alignment);
	random_bytes(3, model, bytes);
	OK(on->write(queue, whole, 0, bytes, model, &err));
	OK(on->copy(queue, a, 1, b, 0, 3 * alignment, &err));
	memmove(model + 4 * alignment, model + 1, 3 * alignment);
	OK(on->copy(queue, c, 0, a, 0, 2 * alignment, &err)); /* the halves of c and a that do not meet */
	memcpy(model, model + 2 * alignment, 2 * alignment);
	check_bytes(whole, model, bytes);
	if (!is_simulated()) {
		REFUSED(on->copy(queue, a, 2 * alignment, c, 0, 2 * alignment, &err)); /* the very same bytes */
		REFUSED(on->copy(queue, a, 2 * alignment, c, 1, alignment, &err));
		REFUSED(on->copy(queue, whole, 4 * alignment, b, alignment - 1, alignment, &err));
	}
	check_bytes(whole, model, bytes);
	on->release(queue, a);
	on->release(queue, b);
	on->release(queue, c);
	on->release(queue, whole);
	free(model);
	close_target();
}
END_TEST

START_TEST(a_part_that_cannot_be_is_refused)
{
	open_target(_i);
	if (!is_simulated()) {
		clpac__block *whole = make(4 * alignment), *part = make_part(whole, alignment, 2 * alignment), *none = NULL;
		REFUSED(on->create_part(queue, NULL, 0, 1, &none, &err));
		REFUSED(on->create_part(queue, whole, 0, 0, &none, &err));
		REFUSED(on->create_part(queue, whole, 0, 4 * alignment + 1, &none, &err));
		REFUSED(on->create_part(queue, whole, 4 * alignment, 1, &none, &err));
		REFUSED(on->create_part(queue, whole, alignment, SIZE_MAX, &none, &err));
		REFUSED(on->create_part(queue, part, 0, 1, &none, &err));
		if (alignment > 1)
			REFUSED(on->create_part(queue, whole, alignment + alignment / 2, 1, &none, &err));
		REFUSED(on->write(queue, part, 0, 2 * alignment + 1, "", &err));
		ck_assert_ptr_null(none);
		on->release(queue, part);
		on->release(queue, whole);
	}
	close_target();
}
END_TEST

/* ---- Blocks on the host ------------------------------------------------------------------------------------------- */

START_TEST(a_block_on_the_host_is_like_any_other)
{
	static const size_t sizes[] = {1, 63, 64, 4095, 4097, 100000, (1 << 20) + 1};
	open_target(_i);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const size_t n = sizes[s];
		unsigned char *model = malloc(n);
		clpac__block *here = make_on_host(n), *there = make(n);
		random_bytes((unsigned)s, model, n);
		OK(on->write(queue, here, 0, n, model, &err));
		check_bytes(here, model, n);
		OK(on->copy(queue, here, 0, there, 0, n, &err));
		OK(on->fill(queue, here, n / 3, n - n / 3, 0x5a, &err)); /* the copy comes before it */
		check_bytes(there, model, n);
		memset(model + n / 3, 0x5a, n - n / 3);
		check_bytes(here, model, n);
		OK(on->fill(queue, there, 0, n, 0xee, &err));
		OK(on->copy(queue, there, 0, here, 0, n / 2, &err));
		memset(model, 0xee, n / 2);
		check_bytes(here, model, n);
		on->release(queue, here);
		on->release(queue, there);
		free(model);
	}
	if (!is_simulated()) {
		clpac__block *none = NULL;
		REFUSED(on->create_on_host(queue, 0, &none, &err));
		ck_assert_ptr_null(none);
	}
	close_target();
}
END_TEST

START_TEST(a_host_block_may_go_while_it_is_in_use)
{
	enum { N = 1 << 18, ROUNDS = 20 };
	open_target(_i);
	unsigned char *model = malloc(N);
	clpac__block *kept[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		clpac__block *passing = make_on_host(N);
		kept[i] = make(N);
		OK(on->fill(queue, passing, 0, N, (uint8_t)i, &err));
		OK(on->copy(queue, passing, 0, kept[i], 0, N, &err));
		on->release(queue, passing);
	}
	for (int i = 0; i < ROUNDS; i++) {
		memset(model, i, N);
		check_bytes(kept[i], model, N);
		on->release(queue, kept[i]);
	}
	free(model);
	close_target();
}
END_TEST

/* extend: reads its first block, writes its second. */
static void run_stage(clpac__queue *where, clpac__block *in, clpac__block *out, uint32_t n)
{
	const clpac__launch launch = {
		.stage = CLPAC__STAGE_extend,
		.items = {n + 24, 1, 1},
		.arguments = {{.block = in}, {.block = out}, {.number = n}, {.number = 12}, {.number = n + 24},
			      {.number = n + 24}},
	};
	OK(on->launch(where, &launch, &err));
}

START_TEST(stages_take_blocks_of_every_kind_and_compute_the_same)
{
	enum { N = 5000, OUT = N + 24 };
	static float x[N], expected[OUT], got[OUT];
	open_target(_i);
	if (!is_simulated()) {
		unsigned state = 3;
		OK(on->prepare(queue, 0, &err));
		for (size_t i = 0; i < N; i++)
			x[i] = random_unit(&state);
		const size_t second = clpac__round_up(sizeof x, alignment);
		clpac__block *whole = make(second + sizeof got);
		clpac__block *inputs[] = {make(sizeof x), make_on_host(sizeof x), make_part(whole, 0, sizeof x)};
		clpac__block *outputs[] = {make(sizeof got), make_on_host(sizeof got),
					   make_part(whole, second, sizeof got)};
		for (size_t i = 0; i < 3; i++)
			OK(on->write(queue, inputs[i], 0, sizeof x, x, &err));
		for (size_t i = 0; i < 3; i++)
			for (size_t o = 0; o < 3; o++) {
				OK(on->fill(queue, outputs[o], 0, sizeof got, 0x55, &err));
				run_stage(queue, inputs[i], outputs[o], N);
				OK(on->read(queue, outputs[o], 0, sizeof got, i + o ? got : expected, &err));
				if (i + o)
					ck_assert_mem_eq(got, expected, sizeof got);
			}
		ck_assert_float_eq(expected[12], x[0]);
		ck_assert_float_eq(expected[12 + N - 1], x[N - 1]);
		for (size_t i = 0; i < 3; i++) {
			on->release(queue, inputs[i]);
			on->release(queue, outputs[i]);
		}
		on->release(queue, whole);
	}
	close_target();
}
END_TEST

/* ---- Mappings ----------------------------------------------------------------------------------------------------- */

START_TEST(a_mapping_shows_and_takes_what_a_block_holds)
{
	enum { N = 20011 };
	open_target(_i);
	unsigned char *model = malloc(N), *got = malloc(N);
	clpac__block *whole = make(2 * clpac__round_up(N, alignment));
	clpac__block *blocks[] = {make(N), make_on_host(N), make_part(whole, clpac__round_up(N, alignment), N)};
	for (size_t b = 0; b < 3; b++) {
		void *mapped = NULL;
		bool is_in_place = !queue->has_unified_memory;
		random_bytes((unsigned)b, model, N);
		OK(on->fill(queue, blocks[b], 0, N, 1, &err));
		OK(on->write(queue, blocks[b], 0, N, model, &err));
		/* Read */
		OK(on->map(queue, blocks[b], 100, N - 100, true, false, &mapped, &is_in_place, &err));
		ck_assert_mem_eq(mapped, model + 100, N - 100);
		if (queue->has_unified_memory)
			ck_assert(is_in_place);
		OK(on->unmap(queue, blocks[b], mapped, &err));
		/* Written alone: all of the range */
		OK(on->map(queue, blocks[b], 3, 5000, false, true, &mapped, NULL, &err));
		random_bytes((unsigned)b + 7, model + 3, 5000);
		memcpy(mapped, model + 3, 5000);
		OK(on->unmap(queue, blocks[b], mapped, &err));
		check_bytes(blocks[b], model, N);
		/* Both: what is not touched stays */
		OK(on->map(queue, blocks[b], 0, N, true, true, &mapped, NULL, &err));
		ck_assert_mem_eq(mapped, model, N);
		((unsigned char *)mapped)[N - 1] ^= 0xff;
		model[N - 1] ^= 0xff;
		OK(on->unmap(queue, blocks[b], mapped, &err));
		OK(on->read(queue, blocks[b], 0, N, got, &err));
		ck_assert_mem_eq(got, model, N);
	}
	for (size_t b = 0; b < 3; b++)
		on->release(queue, blocks[b]);
	on->release(queue, whole);
	free(model);
	free(got);
	close_target();
}
END_TEST

START_TEST(a_mapping_keeps_the_order_of_the_queue)
{
	enum { N = 1 << 18, ROUNDS = 10 };
	open_target(_i);
	for (int in_order = 0; in_order < 2; in_order++) {
		clpac__queue *other = NULL;
		OK(on->open_sibling(queue, in_order, &other, &err));
		clpac__block *a = make(N), *b = make(N);
		unsigned char *model = malloc(N), *mapped;
		for (int round = 0; round < ROUNDS; round++) {
			OK(on->fill(other, a, 0, N, (uint8_t)round, &err));
			OK(on->map(other, a, 0, N, true, true, (void **)&mapped, NULL, &err));
			for (size_t i = 0; i < N; i += 997)
				ck_assert_uint_eq(mapped[i], round);
			memset(mapped, round + 100, N);
			OK(on->unmap(other, a, mapped, &err));
			OK(on->copy(other, a, 0, b, 0, N, &err));
			memset(model, round + 100, N);
			unsigned char *got = malloc(N);
			OK(on->read(other, b, 0, N, got, &err));
			ck_assert_mem_eq(got, model, N);
			free(got);
		}
		on->release(queue, a);
		on->release(queue, b);
		on->close(other);
		free(model);
	}
	close_target();
}
END_TEST

START_TEST(a_mapping_that_cannot_be_is_refused)
{
	open_target(_i);
	if (!is_simulated()) {
		clpac__block *block = make(100);
		void *mapped = NULL;
		REFUSED(on->map(queue, NULL, 0, 1, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, 0, 101, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, SIZE_MAX, 2, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, 0, 0, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, 0, 10, false, false, &mapped, NULL, &err));
		ck_assert_ptr_null(mapped);
		REFUSED(on->unmap(queue, NULL, block, &err));
		REFUSED(on->unmap(queue, block, NULL, &err));
		on->release(queue, block);
	}
	close_target();
}
END_TEST

/* ---- Queues and events -------------------------------------------------------------------------------------------- */

START_TEST(a_further_queue_has_the_same_memory)
{
	enum { N = 5000, OUT = N + 24 };
	static float x[N], expected[OUT], got[OUT];
	open_target(_i);
	clpac__queue *other = NULL, *third = NULL;
	OK(on->open_sibling(queue, true, &other, &err));
	OK(on->open_sibling(other, true, &third, &err));
	ck_assert(other->is_in_order);
	ck_assert_ptr_eq(other->operations, on);
	ck_assert_str_eq(other->device.name, queue->device.name);
	ck_assert_uint_eq(other->vector_width, queue->vector_width);
	ck_assert_uint_eq(other->part_alignment, alignment);
	unsigned state = 11;
	for (size_t i = 0; i < N; i++)
		x[i] = random_unit(&state);
	clpac__block *in = make(sizeof x), *out = NULL;
	OK(on->create(other, sizeof got, &out, &err));
	OK(on->write(third, in, 0, sizeof x, x, &err));
	OK(on->finish(third, &err));
	if (!is_simulated()) {
		OK(on->prepare(other, 18, &err));
		run_stage(queue, in, out, N);
		OK(on->read(queue, out, 0, sizeof got, expected, &err));
		OK(on->fill(queue, out, 0, sizeof got, 0, &err));
		OK(on->finish(queue, &err));
		run_stage(other, in, out, N);
		OK(on->read(other, out, 0, sizeof got, got, &err));
		ck_assert_mem_eq(got, expected, sizeof got);
	}
	on->close(third);
	OK(on->read(other, in, 0, sizeof x, got, &err));
	ck_assert_mem_eq(got, x, sizeof x);
	on->release(other, in);
	on->close(other);
	on->release(queue, out);
	close_target();
}
END_TEST

START_TEST(an_event_passes_when_what_was_put_before_it_is_done)
{
	enum { N = 1 << 20 };
	open_target(_i);
	for (int in_order = 0; in_order < 2; in_order++) {
		clpac__queue *other = NULL;
		OK(on->open_sibling(queue, in_order, &other, &err));
		ck_assert(!in_order || other->is_in_order);
		clpac__block *a = make(N), *b = make(N);
		unsigned char *model = malloc(N);
		for (int round = 0; round < 10; round++) {
			clpac_event *event = NULL;
			OK(on->fill(other, a, 0, N, (uint8_t)round, &err));
			OK(on->mark(other, &event, &err));
			ck_assert_ptr_nonnull(event);
			on->retain(other, event);
			OK(on->wait(queue, event, &err));
			ck_assert(on->has_passed(other, event));
			on->forget(queue, event);
			ck_assert(on->has_passed(queue, event)); /* there is a second reference */
			OK(on->wait(queue, event, &err));
			/* This queue knows nothing of the other one: that the fill is over is all there is. */
			OK(on->copy(queue, a, 0, b, 0, N, &err));
			memset(model, round, N);
			check_bytes(b, model, N);
			on->forget(queue, event);
		}
		on->release(queue, a);
		on->release(queue, b);
		on->close(other);
		free(model);
	}
	close_target();
}
END_TEST

START_TEST(what_was_put_is_done_when_finish_returns)
{
	enum { N = 4 << 20, N_FILLS = 24 };
	open_target(_i);
	clpac__block *block = make(N);
	clpac_event *event = NULL;
	for (int i = 0; i < N_FILLS; i++)
		OK(on->fill(queue, block, 0, N, (uint8_t)i, &err));
	OK(on->mark(queue, &event, &err)); /* hands over what was put: nothing is left for finish to hand over */
	OK(on->finish(queue, &err));
	ck_assert(on->has_passed(queue, event));
	on->forget(queue, event);
	on->release(queue, block);
	close_target();
}
END_TEST

/* Two queues hand a value on: each step fills or copies what the other one made, and nothing but events orders them. */
static void pass_on(clpac__queue *first, clpac__queue *second, bool is_second_driven_first)
{
	enum { N = 1 << 17, STEPS = 24 };
	clpac__block *a = make(N), *b = make(N), *kept[STEPS];
	unsigned char *model = malloc(N), *got = malloc(N);
	clpac_event *event = NULL;
	for (int i = 0; i < STEPS; i++)
		kept[i] = make(N);
	for (int i = 0; i < STEPS; i++) {
		clpac__queue *one = i % 2 ? second : first, *two = i % 2 ? first : second;
		if (event) {
			OK(on->wait_for(one, event, &err));
			on->forget(one, event);
		}
		OK(on->fill(one, a, 0, N, (uint8_t)(i + 1), &err)); /* after the copy of the step before has read it */
		OK(on->mark(one, &event, &err));
		OK(on->wait_for(two, event, &err));
		on->forget(two, event);
		OK(on->copy(two, a, 0, b, 0, N, &err));
		OK(on->mark(two, &event, &err));
		OK(on->wait_for(one, event, &err));
		on->forget(one, event);
		OK(on->copy(one, b, 0, kept[i], 0, N, &err));
		OK(on->mark(one, &event, &err));
		OK(on->wait_for(two, event, &err));
	}
	on->forget(first, event);
	OK(on->finish(is_second_driven_first ? second : first, &err));
	OK(on->finish(is_second_driven_first ? first : second, &err));
	for (int i = 0; i < STEPS; i++) {
		memset(model, i + 1, N);
		OK(on->read(first, kept[i], 0, N, got, &err));
		ck_assert_msg(memcmp(got, model, N) == 0, "step %d: %u and not %d", i, got[0], i + 1);
		on->release(queue, kept[i]);
	}
	on->release(queue, a);
	on->release(queue, b);
	free(model);
	free(got);
}

START_TEST(events_order_two_queues)
{
	open_target(_i);
	for (int kinds = 0; kinds < 4; kinds++) {
		clpac__queue *first = NULL, *second = NULL;
		OK(on->open_sibling(queue, kinds & 1, &first, &err));
		OK(on->open_sibling(queue, kinds & 2, &second, &err));
		pass_on(first, second, false);
		pass_on(first, second, true);
		pass_on(queue, second, true);
		on->close(second);
		on->close(first);
	}
	close_target();
}
END_TEST

START_TEST(events_order_an_out_of_order_queue)
{
	enum { N = 1 << 16, ROUNDS = 30 };
	open_target(_i);
	clpac__queue *other = NULL;
	OK(on->open_sibling(queue, false, &other, &err));
	clpac__block *a = make(N), *b = make(N), *c = make(N);
	unsigned char *model = malloc(N), *got = malloc(N);
	for (int round = 0; round < ROUNDS; round++) {
		clpac_event *event = NULL;
		clpac__block *chain[] = {a, b, c};
		OK(on->fill(other, a, 0, N, (uint8_t)round, &err));
		for (int i = 1; i < 3; i++) {
			OK(on->mark(other, &event, &err));
			OK(on->wait_for(other, event, &err));
			on->forget(other, event);
			OK(on->copy(other, chain[i - 1], 0, chain[i], 0, N, &err));
		}
		/* A read and a write come after all that was put before, whatever the queue. */
		OK(on->read(other, c, 0, N, got, &err));
		memset(model, round, N);
		ck_assert_mem_eq(got, model, N);
		OK(on->fill(other, b, 0, N, 0xaa, &err));
		memset(model, round + 50, N);
		OK(on->write(other, b, 0, N, model, &err));
		OK(on->copy(other, b, 0, c, 0, N, &err));
		OK(on->read(other, c, 0, N, got, &err));
		ck_assert_mem_eq(got, model, N);
	}
	on->release(queue, a);
	on->release(queue, b);
	on->release(queue, c);
	on->close(other);
	free(model);
	free(got);
	close_target();
}
END_TEST

typedef struct waiter {
	clpac_event *event;
	clpac_status st;
} waiter;

static void *wait_for_it(void *context)
{
	waiter *self = context;
	self->st = on->wait(queue, self->event, NULL);
	on->forget(queue, self->event);
	return NULL;
}

START_TEST(any_thread_may_wait_for_an_event)
{
	enum { N = 1 << 20, THREADS = 4 };
	open_target(_i);
	clpac__block *block = make(N);
	waiter waiters[THREADS];
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++) {
		OK(on->fill(queue, block, 0, N, (uint8_t)i, &err));
		OK(on->mark(queue, &waiters[i].event, &err));
		ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_it, &waiters[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(waiters[i].st, CLPAC_OK);
	}
	OK(on->finish(queue, &err));
	on->release(queue, block);
	close_target();
}
END_TEST

typedef struct user {
	clpac__queue *queue;
	unsigned char seed;
	unsigned n_wrong;
} user;

enum { USED_BYTES = 3 << 20, USED_ROUNDS = 5 };

/* Each thread with a queue and blocks of its own; Check's assertions are for the main thread. */
static void *use_a_queue(void *context)
{
	user *self = context;
	clpac__block *a = NULL, *b = NULL;
	unsigned char *put = malloc(USED_BYTES), *got = malloc(USED_BYTES);
	self->n_wrong += on->create(self->queue, USED_BYTES, &a, NULL) != CLPAC_OK;
	self->n_wrong += on->create_on_host(self->queue, USED_BYTES, &b, NULL) != CLPAC_OK;
	for (int round = 0; round < USED_ROUNDS && !self->n_wrong; round++) {
		clpac_event *event = NULL;
		memset(put, self->seed + round, USED_BYTES);
		self->n_wrong += on->fill(self->queue, a, 0, USED_BYTES, 0, NULL) != CLPAC_OK;
		self->n_wrong += on->write(self->queue, a, 0, USED_BYTES, put, NULL) != CLPAC_OK;
		self->n_wrong += on->copy(self->queue, a, 0, b, 0, USED_BYTES, NULL) != CLPAC_OK;
		if (on->mark(self->queue, &event, NULL) == CLPAC_OK) {
			self->n_wrong += on->wait(self->queue, event, NULL) != CLPAC_OK;
			on->forget(self->queue, event);
		}
		self->n_wrong += on->read(self->queue, b, 0, USED_BYTES, got, NULL) != CLPAC_OK;
		self->n_wrong += memcmp(put, got, USED_BYTES) != 0;
	}
	on->release(self->queue, a);
	on->release(self->queue, b);
	free(put);
	free(got);
	return NULL;
}

START_TEST(several_threads_use_a_queue_each)
{
	enum { THREADS = 3 };
	user users[THREADS] = {0};
	pthread_t threads[THREADS];
	open_target(_i);
	for (int i = 0; i < THREADS; i++) {
		users[i].seed = (unsigned char)(1 + 50 * i);
		users[i].queue = queue;
		if (i)
			OK(on->open_sibling(queue, true, &users[i].queue, &err));
	}
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, use_a_queue, &users[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_uint_eq(users[i].n_wrong, 0);
	}
	for (int i = 1; i < THREADS; i++)
		on->close(users[i].queue);
	close_target();
}
END_TEST

START_TEST(nothing_in_place_of_an_event_is_refused)
{
	open_target(_i);
	if (!is_simulated()) {
		REFUSED(on->wait_for(queue, NULL, &err));
		REFUSED(on->wait(queue, NULL, &err));
	}
	close_target();
}
END_TEST

START_TEST(free_memory_is_told_with_how_it_is_known)
{
	open_target(_i);
	clpac_free_memory now = on->free_memory(queue);
	ck_assert_int_ge(now.knowledge, CLPAC_UNKNOWN);
	ck_assert_int_le(now.knowledge, CLPAC_EXACT);
	if (queue->device.kind == CLPAC_DEVICE_NATIVE || queue->device.kind == CLPAC_DEVICE_OPENCL_CPU)
		ck_assert_int_eq(now.knowledge, CLPAC_EXACT);
	if (now.knowledge == CLPAC_UNKNOWN)
		ck_assert_uint_eq(now.bytes, 0);
	else
		ck_assert_uint_gt(now.bytes, 0);
	if (queue->device.memory_bytes)
		ck_assert_uint_le(now.bytes, queue->device.memory_bytes);
	close_target();
}
END_TEST

TCase *order_laws(size_t n_targets)
{
	static const TTest *const *const laws[] = {
		&the_queue_tells_its_facts,
		&a_part_is_a_range_of_its_whole,
		&parts_of_one_block_are_copied_between,
		&a_part_that_cannot_be_is_refused,
		&a_block_on_the_host_is_like_any_other,
		&a_host_block_may_go_while_it_is_in_use,
		&stages_take_blocks_of_every_kind_and_compute_the_same,
		&a_mapping_shows_and_takes_what_a_block_holds,
		&a_mapping_keeps_the_order_of_the_queue,
		&a_mapping_that_cannot_be_is_refused,
		&a_further_queue_has_the_same_memory,
		&an_event_passes_when_what_was_put_before_it_is_done,
		&what_was_put_is_done_when_finish_returns,
		&events_order_two_queues,
		&events_order_an_out_of_order_queue,
		&nothing_in_place_of_an_event_is_refused,
		&free_memory_is_told_with_how_it_is_known,
	};
	TCase *t = tcase_create("order");
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
		tcase_add_loop_test(t, *laws[i], 0, (int)n_targets);
	return t;
}

TCase *order_thread_laws(size_t n_targets)
{
	TCase *t = tcase_create("order, several threads");
	tcase_set_tags(t, "threads");
	tcase_add_loop_test(t, any_thread_may_wait_for_an_event, 0, (int)n_targets);
	tcase_add_loop_test(t, several_threads_use_a_queue_each, 0, (int)n_targets);
	return t;
}
