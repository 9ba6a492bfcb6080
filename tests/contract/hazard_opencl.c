/* The hazard between two queues, on real OpenCL: a block is recycled for a second queue while the first still reads it.
 *
 * An event of the application holds the first queue back until the second has had its chance, so that the test does not
 * depend on which is faster. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include <clpac/memory/opencl.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "memory/pool/surface/surface.h"
#include "memory/opencl/opencl.h"
#include "targets.h"

const int runner_no_fork = 1;

/* Targets whose drivers run a queue beside the thread that fills it.  In others (Oclgrind) a command that waits for an
 * application's event blocks that thread, which then can never let the event pass. */
static size_t usable[MAX_TARGETS], n_usable;

const char *skip_reason(void)
{
	const size_t n = targets_find("opencl");
	for (size_t i = 0; i < n; i++)
		if (!strstr(targets_get(i)->device.platform_name, "Oclgrind"))
			usable[n_usable++] = i;
	if (!n)
		return "no OpenCL device that can be used (clpac devices says why)";
	return n_usable ? NULL : "the driver runs a queue in the thread that fills it, which could not open the gate";
}

enum { BYTES = 1 << 20, N_RUNS = 20 };

/* BROKEN: a pool without hazards, played by this test: at the release it makes the pool believe that nobody used the
 * block. */
enum way { OURS, BROKEN };

static clpac_buffer *take_for(clpac_pool *pool, clpac_queue *queue)
{
	clpac_buffer *buffer = NULL;
	clpac_error err = {0};
	const clpac_request request = {.bytes = BYTES, .tag = "queued", .queue = queue};
	OK(clpac_pool_request(pool, &request, &buffer, &err));
	return buffer;
}

/* True where the first queue's copy is damaged. */
static bool is_damaged(int i_target, enum way way, bool first_in_order, bool second_in_order)
{
	clpac__queue *own = target_open(targets_get(usable[i_target]));
	clpac_pool *pool = NULL;
	clpac_queue *first = NULL, *second = NULL;
	clpac_event *gate = NULL;
	clpac_error err = {0};
	static unsigned char found[BYTES];
	bool damaged = false;
	cl_int code;
	cl_event user_event = clCreateUserEvent(clpac__opencl_of(own)->context, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	/* Room for two blocks: the second queue's request can have no other. */
	OK(clpac__pool_create(
		own, &(clpac_pool_options){.budget = {.bytes = 2 * BYTES}, .cache = {.blocks = CLPAC_BLOCKS_WHOLE}}, 0,
		&pool, &err));
	OK(clpac_event_from_opencl(pool, user_event, &gate, &err));
	OK(clpac_queue_open(pool, first_in_order, &first, &err));
	OK(clpac_queue_open(pool, second_in_order, &second, &err));
	clpac_buffer *kept = take_for(pool, first), *passing = take_for(pool, first);
	clpac__block *block = clpac__buffer_block(passing);
	OK(clpac_buffer_fill(passing, 0, BYTES, 1, &err));
	OK(clpac_buffer_fill(kept, 0, BYTES, 0, &err));
	OK(clpac_queue_finish(pool, first, &err));

	OK(clpac_queue_wait_for(pool, first, gate, &err));
	OK(clpac_buffer_copy(passing, 0, kept, 0, BYTES, &err));
	clFlush(clpac__opencl_of(first)->commands);
	if (way == BROKEN)
		passing->home = NULL;
	clpac_buffer_release(passing);

	clpac_buffer *recycled = take_for(pool, second);
	ck_assert_ptr_eq(clpac__buffer_block(recycled), block);
	OK(clpac_buffer_fill(recycled, 0, BYTES, 2, &err));
	clFlush(clpac__opencl_of(second)->commands);
	if (way == BROKEN) /* an intact pool would wait for the gate; the assertions below show it */
		OK(clpac_queue_finish(pool, second, &err));
	clpac_event *done = NULL;
	OK(clpac_queue_mark(pool, second, &done, &err));
	ck_assert_int_eq(way == OURS && clpac_event_has_passed(pool, done), false);
	clSetUserEventStatus(user_event, CL_COMPLETE);
	OK(clpac_buffer_read(kept, 0, BYTES, found, &err));
	for (size_t i = 0; i < BYTES; i++)
		damaged |= found[i] != 1;
	OK(clpac_buffer_read(recycled, 0, BYTES, found, &err));
	for (size_t i = 0; i < BYTES; i++)
		if (found[i] != 2)
			ck_abort_msg("byte %zu of the recycled block is %d", i, found[i]);

	clpac_event_release(pool, done);
	clpac_event_release(pool, gate);
	clReleaseEvent(user_event);
	clpac_buffer_release(kept);
	clpac_buffer_release(recycled);
	clpac_queue_close(pool, first);
	clpac_queue_close(pool, second);
	clpac_pool_destroy(pool);
	own->operations->close(own);
	return damaged;
}

static unsigned count_damaged(int i_target, enum way way, unsigned orders)
{
	unsigned n = 0;
	for (int run = 0; run < N_RUNS; run++)
		n += is_damaged(i_target, way, orders & 1, orders & 2);
	return n;
}

START_TEST(a_block_that_another_queue_still_reads_is_never_damaged)
{
	for (unsigned orders = 0; orders < 4; orders++)
		ck_assert_uint_eq(count_damaged(_i, OURS, orders), 0);
}

START_TEST(without_the_wait_it_is_damaged_every_time)
{
	for (unsigned orders = 0; orders < 4; orders++)
		ck_assert_uint_eq(count_damaged(_i, BROKEN, orders), N_RUNS);
}

Suite *suite(void)
{
	Suite *made = suite_create("the two-queue hazard on OpenCL devices");
	TCase *hazard = tcase_create("hazard");
	const int n = (int)n_usable;
	tcase_add_loop_test(hazard, a_block_that_another_queue_still_reads_is_never_damaged, 0, n);
	tcase_add_loop_test(hazard, without_the_wait_it_is_damaged_every_time, 0, n);
	suite_add_tcase(made, hazard);
	return made;
}
