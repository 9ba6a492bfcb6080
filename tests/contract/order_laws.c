/* The promises of src/memory/backend/backend.h about further queues, events and free memory. */
#include "order_laws.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "base/memory.h"
#include "queue_fixture.h"
#include "targets.h"
#include "random.h"
#include "coupling/registry/registry.h"

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
	ck_assert_uint_eq(width_of(other), width_of(queue));
	ck_assert_uint_eq(other->part_alignment, alignment);
	unsigned long long state = 11;
	for (size_t i = 0; i < N; i++)
		x[i] = random_signed(&state);
	clpac__block *in = make_block(sizeof x), *out = NULL;
	OK(on->create(other, sizeof got, &out, &err));
	OK(on->write(third, in, 0, sizeof x, x, &err));
	OK(on->finish(third, &err));
	if (!is_simulated()) {
		OK(clpac__compute_prepare(other, 18, &err));
		run_extend(queue, in, out, N);
		OK(on->read(queue, out, 0, sizeof got, expected, &err));
		OK(on->fill(queue, out, 0, sizeof got, 0, &err));
		OK(on->finish(queue, &err));
		run_extend(other, in, out, N);
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

START_TEST(an_event_passes_when_what_was_put_before_it_is_done)
{
	enum { N = 1 << 20 };
	open_target(_i);
	for (int in_order = 0; in_order < 2; in_order++) {
		clpac__queue *other = NULL;
		OK(on->open_sibling(queue, in_order, &other, &err));
		ck_assert(!in_order || other->is_in_order);
		clpac__block *a = make_block(N), *b = make_block(N);
		unsigned char *model = malloc(N);
		for (int round = 0; round < 10; round++) {
			clpac_event *event = NULL;
			OK(on->fill(other, a, 0, N, (uint8_t)round, &err));
			OK(on->mark(other, &event, &err));
			ck_assert_ptr_nonnull(event);
			ck_assert_int_eq(on->retain(other, event, &err), CLPAC_OK);
			OK(on->wait(queue, event, &err));
			ck_assert(on->has_passed(other, event));
			on->forget(queue, event);
			ck_assert(on->has_passed(queue, event)); /* a second reference keeps it */
			OK(on->wait(queue, event, &err));
			/* This queue knows nothing of the other one: all that matters is that the fill is over. */
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

START_TEST(what_was_put_is_done_when_finish_returns)
{
	enum { N = 4 << 20, N_FILLS = 24 };
	open_target(_i);
	clpac__block *block = make_block(N);
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

/* Two queues pass a value on: each step fills or copies what the other one made, and only events order them. */
static void pass_on(clpac__queue *first, clpac__queue *second, bool is_second_driven_first)
{
	enum { N = 1 << 17, STEPS = 24 };
	clpac__block *a = make_block(N), *b = make_block(N), *kept[STEPS];
	unsigned char *model = malloc(N), *got = malloc(N);
	clpac_event *event = NULL;
	for (int i = 0; i < STEPS; i++)
		kept[i] = make_block(N);
	for (int i = 0; i < STEPS; i++) {
		clpac__queue *one = i % 2 ? second : first, *two = i % 2 ? first : second;
		if (event) {
			OK(on->wait_for(one, event, &err));
			on->forget(one, event);
		}
		OK(on->fill(one, a, 0, N, (uint8_t)(i + 1), &err)); /* after the previous step's copy has read it */
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

START_TEST(events_order_an_out_of_order_queue)
{
	enum { N = 1 << 16, ROUNDS = 30 };
	open_target(_i);
	clpac__queue *other = NULL;
	OK(on->open_sibling(queue, false, &other, &err));
	clpac__block *a = make_block(N), *b = make_block(N), *c = make_block(N);
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
		/* A read and a write come after all earlier commands, whatever the queue. */
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

/* A queue is told two events: the first takes long, the second has passed already. */
START_TEST(an_out_of_order_queue_waits_for_every_event_it_was_told)
{
	enum { N = 4 << 20, ROUNDS = 6, N_FILLS = 8 };
	open_target(_i);
	clpac__queue *slow = NULL, *other = NULL;
	OK(on->open_sibling(queue, true, &slow, &err));
	OK(on->open_sibling(queue, false, &other, &err));
	clpac__block *a = make_block(N), *b = make_block(N);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		clpac_event *late = NULL, *early = NULL;
		unsigned char found = 0;
		OK(on->mark(queue, &early, &err));
		for (unsigned i = 1; i <= N_FILLS; i++)
			OK(on->fill(slow, a, 0, N, (uint8_t)(i < N_FILLS ? 100 + i : round), &err));
		OK(on->mark(slow, &late, &err));
		OK(on->wait_for(other, late, &err));
		OK(on->wait_for(other, early, &err));
		OK(on->copy(other, a, N - 1, b, N - 1, 1, &err));
		OK(on->finish(other, &err));
		OK(on->read(queue, b, N - 1, 1, &found, &err));
		ck_assert_uint_eq(found, round);
		on->forget(slow, late);
		on->forget(queue, early);
	}
	on->release(queue, a);
	on->release(queue, b);
	on->close(slow);
	on->close(other);
	close_target();
}

START_TEST(any_thread_may_wait_for_an_event)
{
	enum { N = 1 << 20, THREADS = 4 };
	open_target(_i);
	clpac__block *block = make_block(N);
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

typedef struct user {
	clpac__queue *queue;
	unsigned char seed;
	unsigned n_wrong;
} user;

enum { USED_BYTES = 3 << 20, USED_ROUNDS = 5 };

/* Each thread has a queue and blocks of its own; Check's assertions belong to the main thread. */
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

START_TEST(nothing_in_place_of_an_event_is_refused)
{
	open_target(_i);
	if (!is_simulated()) {
		REFUSED(on->wait_for(queue, NULL, &err));
		REFUSED(on->wait(queue, NULL, &err));
	}
	close_target();
}

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

TCase *order_laws(size_t n_targets)
{
	static const TTest *const *const laws[] = {
		&a_further_queue_has_the_same_memory,	   &an_event_passes_when_what_was_put_before_it_is_done,
		&what_was_put_is_done_when_finish_returns, &events_order_two_queues,
		&events_order_an_out_of_order_queue,	   &nothing_in_place_of_an_event_is_refused,
		&free_memory_is_told_with_how_it_is_known, &an_out_of_order_queue_waits_for_every_event_it_was_told,
	};
	return laws_on_targets("order", laws, COUNT(laws), n_targets);
}

TCase *order_thread_laws(size_t n_targets)
{
	TCase *t = tcase_create("order, several threads");
	tcase_set_tags(t, "threads");
	tcase_add_loop_test(t, any_thread_may_wait_for_an_event, 0, (int)n_targets);
	tcase_add_loop_test(t, several_threads_use_a_queue_each, 0, (int)n_targets);
	return t;
}
