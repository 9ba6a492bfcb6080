/* The laws of order on the simulated device, and proof that it notices breaches: tests that use it would show nothing
 * otherwise. */
#include "runner.h"

#include <string.h>

#include "order_laws.h"
#include "queue_fixture.h"
#include "simulated.h"
#include "coupling/stages/stages.h"
#include "coupling/registry/registry.h"
#include "targets.h"

enum { N = 256 };

static simulated_device device;
static clpac__queue *first, *second;

#define BREACHES(call)                                                                                                 \
	do {                                                                                                           \
		unsigned long before = device.breaches;                                                                \
		ck_assert_int_eq(call, CLPAC_ERROR_INTERNAL);                                                          \
		ck_assert_uint_eq(device.breaches, before + 1);                                                        \
	} while (0)

static void set_up(void)
{
	simulated_open(&device, 0, 0);
	simulated_computes(&device);
	device.is_lagging = true;
	first = &device.queue;
	on = first->operations;
}

static void open_second(bool is_in_order)
{
	OK(on->open_sibling(first, is_in_order, &second, &err));
}

static clpac__block *make(uint8_t value)
{
	clpac__block *block = NULL;
	OK(on->create(first, N, &block, &err));
	OK(on->fill(first, block, 0, N, value, &err));
	OK(on->finish(first, &err));
	return block;
}

static void let_go(clpac__block *block)
{
	on->release(first, block);
}

static void check_nothing_left(void)
{
	ck_assert_uint_eq(device.live_blocks, 0);
	ck_assert_uint_eq(device.live_parts, 0);
	ck_assert_uint_eq(device.live_host_blocks, 0);
	ck_assert_uint_eq(device.live_mappings, 0);
	ck_assert_uint_eq(device.live_siblings, 0);
	ck_assert_uint_eq(device.live_events, 0);
	ck_assert_uint_eq(device.live_bytes, 0);
	ck_assert_uint_eq(device.live_host_bytes, 0);
}

/* One queue overwrites a block that another still reads: the hazard that a pool must prevent. */
static uint8_t reuse_too_early(bool is_in_order, bool with_an_event)
{
	open_second(is_in_order);
	clpac__block *block = make(1), *out = make(0);
	clpac_event *event = NULL;
	uint8_t got;
	OK(on->copy(first, block, 0, out, 0, N, &err));
	if (with_an_event) {
		OK(on->mark(first, &event, &err));
		OK(on->wait_for(second, event, &err));
		on->forget(first, event);
	}
	OK(on->fill(second, block, 0, N, 2, &err));
	OK(on->finish(second, &err));
	OK(on->finish(first, &err));
	OK(on->read(first, out, 0, 1, &got, &err));
	let_go(block);
	let_go(out);
	on->close(second);
	return got;
}

START_TEST(a_hazard_between_queues_is_counted_and_corrupts)
{
	for (int in_order = 0; in_order < 2; in_order++) {
		unsigned long before = device.hazards;
		ck_assert_uint_eq(reuse_too_early(in_order, false), 2);
		ck_assert_uint_eq(device.hazards, before + 1);
		ck_assert_uint_eq(reuse_too_early(in_order, true), 1);
		ck_assert_uint_eq(device.hazards, before + 1);
	}
	check_nothing_left();
	ck_assert_uint_eq(device.breaches, 0);
}

START_TEST(parts_that_share_bytes_are_hazards_and_others_are_not)
{
	open_second(true);
	clpac__block *whole = make(0), *a = NULL, *b = NULL, *c = NULL;
	OK(on->create_part(first, whole, 0, 128, &a, &err));
	OK(on->create_part(first, whole, 64, 64, &b, &err));
	OK(on->create_part(first, whole, 128, 128, &c, &err));
	OK(on->fill(first, a, 0, 128, 1, &err));
	OK(on->fill(second, c, 0, 128, 2, &err));
	ck_assert_uint_eq(device.hazards, 0);
	OK(on->fill(second, b, 0, 1, 2, &err));
	ck_assert_uint_eq(device.hazards, 1);
	OK(on->finish(first, &err));
	OK(on->finish(second, &err));
	OK(on->fill(second, b, 0, 1, 2, &err)); /* all is done: no hazard is left */
	ck_assert_uint_eq(device.hazards, 1);
	let_go(a);
	let_go(b);
	let_go(c);
	let_go(whole);
	on->close(second);
	check_nothing_left();
}

START_TEST(two_readers_are_no_hazard_and_order_is_inherited)
{
	clpac__queue *third = NULL;
	clpac_event *event = NULL;
	open_second(true);
	OK(on->open_sibling(first, false, &third, &err));
	clpac__block *block = make(7), *x = make(0), *y = make(0);
	OK(on->copy(first, block, 0, x, 0, N, &err));
	OK(on->copy(second, block, 0, y, 0, N, &err));
	ck_assert_uint_eq(device.hazards, 0);
	/* first -> second -> third: third comes after first too. */
	OK(on->mark(first, &event, &err));
	OK(on->wait_for(second, event, &err));
	on->forget(first, event);
	OK(on->mark(second, &event, &err));
	OK(on->wait_for(third, event, &err));
	on->forget(first, event);
	OK(on->fill(third, block, 0, N, 9, &err));
	OK(on->fill(third, x, 0, 1, 9, &err));
	ck_assert_uint_eq(device.hazards, 0);
	/* On an out-of-order queue even its own commands are unordered. */
	OK(on->fill(third, block, 0, N, 10, &err));
	ck_assert_uint_eq(device.hazards, 1);
	OK(on->finish(third, &err));
	ck_assert_uint_eq(simulated_bytes(block)[0], 9); /* the last command ran first */
	ck_assert_uint_eq(simulated_bytes(x)[1], 7);
	ck_assert_uint_eq(simulated_bytes(y)[0], 7);
	let_go(block);
	let_go(x);
	let_go(y);
	on->close(third);
	on->close(second);
	check_nothing_left();
}

START_TEST(events_pass_when_told)
{
	clpac_event *event = NULL, *later = NULL;
	OK(on->mark(first, &event, &err));
	OK(on->mark(first, &later, &err));
	ck_assert(!on->has_passed(first, event));
	OK(on->wait(first, event, &err));
	ck_assert(on->has_passed(first, event));
	ck_assert(!on->has_passed(first, later));
	simulated_pass(first);
	ck_assert(on->has_passed(first, later));
	on->forget(first, event);
	on->forget(first, later);
	device.is_lagging = false;
	OK(on->mark(first, &event, &err));
	ck_assert(on->has_passed(first, event));
	on->forget(first, event);
	check_nothing_left();
}

START_TEST(a_block_released_while_in_use_lives_until_then)
{
	clpac__block *from = make(5), *to = make(0), *part = NULL;
	OK(on->create_part(first, from, 64, 64, &part, &err));
	OK(on->copy(first, part, 0, to, 0, 64, &err));
	let_go(part);
	let_go(from);
	ck_assert_uint_eq(device.live_blocks, 1);
	OK(on->finish(first, &err));
	ck_assert_uint_eq(simulated_bytes(to)[63], 5);
	let_go(to);
	check_nothing_left();
	ck_assert_uint_eq(device.breaches, 0);
}

START_TEST(what_breaks_the_contract_is_counted)
{
	clpac__block *block = make(0), *part = NULL, *none = NULL;
	void *mapped = NULL;
	simulated_device other;
	clpac_event *foreign = NULL;
	simulated_open(&other, 0, 0);
	simulated_computes(&other);
	OK(on->mark(&other.queue, &foreign, &err));
	BREACHES(on->create(first, 0, &none, &err));
	BREACHES(on->create_on_host(first, 0, &none, &err));
	BREACHES(on->create_part(first, block, 32, 32, &none, &err));
	BREACHES(on->create_part(first, block, 0, N + 1, &none, &err));
	OK(on->create_part(first, block, 64, 64, &part, &err));
	BREACHES(on->create_part(first, part, 0, 1, &none, &err));
	BREACHES(on->wait_for(first, foreign, &err));
	OK(on->map(first, part, 0, 64, true, true, &mapped, NULL, &err));
	BREACHES(on->fill(first, part, 0, 1, 0, &err));
	BREACHES(on->map(first, part, 0, 64, true, true, &mapped, NULL, &err));
	BREACHES(on->unmap(first, part, &err, &err));
	OK(on->unmap(first, part, mapped, &err));
	unsigned long before = device.breaches;
	on->release(first, block); /* its part is still alive */
	ck_assert_uint_eq(device.breaches, before + 1);
	first->has_no_parts = true;
	BREACHES(on->create_part(first, block, 0, 1, &none, &err));
	ck_assert_ptr_null(none);
	on->release(first, part);
	on->release(first, block);
	on->forget(&other.queue, foreign);
	check_nothing_left();
}

START_TEST(each_kind_of_call_fails_when_told)
{
	clpac__block *block = make(0), *made = NULL;
	clpac_event *event = NULL, *gone = NULL;
	void *mapped = NULL, *again = NULL;
	clpac__queue *none = NULL;
	const clpac__launch launch = {
		CLPAC__STAGE(widen, .real = block, .wide = block, .length = 0, .stride = 0),
	};
	OK(on->mark(first, &event, &err));
	static const int codes[] = {-4, -5, -6, -61};
	static const clpac_status statuses[] = {CLPAC_ERROR_NO_DEVICE_MEMORY, CLPAC_ERROR_NO_DEVICE_MEMORY,
						CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_ARGUMENT};
	for (int call = 0; call < SIMULATED_CALLS; call++) {
		for (size_t i = 0; i < 4; i++) {
			clpac_status st = CLPAC_OK;
			uint8_t byte = 0;
			if (call == SIMULATED_UNMAP && !mapped)
				OK(on->map(first, block, 0, 1, true, false, &mapped, NULL, &err));
			simulated_fail(&device, 1, (enum simulated_call)call, statuses[i], codes[i]);
			switch ((enum simulated_call)call) {
			case SIMULATED_CREATE:
				st = on->create(first, 1, &made, &err);
				break;
			case SIMULATED_WRITE:
				st = on->write(first, block, 0, 1, &byte, &err);
				break;
			case SIMULATED_READ:
				st = on->read(first, block, 0, 1, &byte, &err);
				break;
			case SIMULATED_FILL:
				st = on->fill(first, block, 0, 1, 1, &err);
				break;
			case SIMULATED_COPY:
				st = on->copy(first, block, 0, block, 1, 1, &err);
				break;
			case SIMULATED_PREPARE:
				st = clpac__compute_prepare(first, 18, &err);
				break;
			case SIMULATED_LAUNCH:
				st = clpac__compute_launch(first, &launch, &err);
				break;
			case SIMULATED_FINISH:
				st = on->finish(first, &err);
				break;
			case SIMULATED_CREATE_PART:
				st = on->create_part(first, block, 0, 1, &made, &err);
				break;
			case SIMULATED_CREATE_ON_HOST:
				st = on->create_on_host(first, 1, &made, &err);
				break;
			case SIMULATED_MAP:
				st = on->map(first, block, 0, 1, true, true, &again, NULL, &err);
				break;
			case SIMULATED_UNMAP: /* the mapping ends all the same */
				st = on->unmap(first, block, mapped, &err);
				mapped = NULL;
				break;
			case SIMULATED_OPEN_SIBLING:
				st = on->open_sibling(first, true, &none, &err);
				break;
			case SIMULATED_MARK:
				st = on->mark(first, &gone, &err);
				break;
			case SIMULATED_WAIT_FOR:
				st = on->wait_for(first, event, &err);
				break;
			case SIMULATED_WAIT:
				st = on->wait(first, event, &err);
				break;
			case SIMULATED_CALLS:
				break;
			}
			ck_assert_msg(st == statuses[i], "call %d: status %d, %s", call, (int)st, err.text);
			ck_assert_int_eq(err.native_code, codes[i]);
		}
	}
	ck_assert(!made && !gone && !again && !none);
	ck_assert(on->has_passed(first, event)); /* an event of failed work passes too */
	simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
	on->forget(first, event);
	OK(on->finish(first, &err));
	let_go(block);
	check_nothing_left();
	ck_assert_uint_eq(device.breaches, 0);
}

START_TEST(memory_is_counted_by_its_place)
{
	clpac__block *here = NULL, *there = NULL, *none = NULL;
	device.memory_bytes = 1000;
	device.host_memory_bytes = 500;
	device.free_knowledge = CLPAC_EXACT;
	OK(on->create(first, 900, &there, &err));
	OK(on->create_on_host(first, 400, &here, &err));
	ck_assert_int_eq(on->create(first, 101, &none, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_int_eq(on->create_on_host(first, 101, &none, &err), CLPAC_ERROR_NO_MEMORY);
	ck_assert_uint_eq(on->free_memory(first).bytes, 100);
	ck_assert_int_eq(on->free_memory(first).knowledge, CLPAC_EXACT);
	ck_assert_uint_eq(device.n_free_questions, 2);
	ck_assert_uint_eq(device.live_bytes, 900);
	ck_assert_uint_eq(device.live_host_bytes, 400);
	/* Device memory apart from the host's: a copy is made, and counted. */
	void *mapped = NULL;
	bool is_in_place;
	OK(on->map(first, there, 0, 900, true, false, &mapped, &is_in_place, &err));
	ck_assert(!is_in_place && mapped != simulated_bytes(there));
	OK(on->unmap(first, there, mapped, &err));
	OK(on->map(first, here, 0, 400, true, false, &mapped, &is_in_place, &err));
	ck_assert(is_in_place && mapped == simulated_bytes(here));
	OK(on->unmap(first, here, mapped, &err));
	ck_assert_uint_eq(device.n_map_copies, 1);
	let_go(here);
	let_go(there);
	check_nothing_left();
}

Suite *suite(void)
{
	Suite *s = suite_create("simulated queue");
	suite_add_tcase(s, block_laws(targets_find("simulated")));
	suite_add_tcase(s, order_laws(targets_find("simulated")));
	suite_add_tcase(s, order_thread_laws(targets_find("simulated")));
	TCase *t = tcase_create("simulated");
	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, a_hazard_between_queues_is_counted_and_corrupts);
	tcase_add_test(t, parts_that_share_bytes_are_hazards_and_others_are_not);
	tcase_add_test(t, two_readers_are_no_hazard_and_order_is_inherited);
	tcase_add_test(t, events_pass_when_told);
	tcase_add_test(t, a_block_released_while_in_use_lives_until_then);
	tcase_add_test(t, what_breaks_the_contract_is_counted);
	tcase_add_test(t, each_kind_of_call_fails_when_told);
	tcase_add_test(t, memory_is_counted_by_its_place);
	suite_add_tcase(s, t);
	return s;
}
