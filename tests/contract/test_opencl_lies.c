/* Drivers that lie: each call of the driver in turn tells NULL, 0, something huge, nothing at all or a code that means
 * nothing, once and from then on for ever.  Whatever is told, the library asks for nothing that is not there, reports
 * an error or goes on, leaves nothing behind, and comes to an end.
 *
 * The lies are told by fake_driver.c.  Every function of the library's table is told of in every way that it has, so
 * that a function that is used anew fails this test until it is lied about. */
#include "config.h"
#include "runner.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clpac/memory/buffer.h>
#include <clpac/memory/opencl.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/queue.h>

#include "assertions.h"
#include "coupling/fft/engine.h"
#include "coupling/opencl/opencl_compute.h"
#include "coupling/registry/registry.h"
#include "fake_driver.h"
#include "files.h"
#include "memory/device/list.h"
#include "memory/opencl/calls.h"
#include "queue_kernels.h"
#include "sweeps.h"

extern const clpac__backend clpac__backend_opencl;
static clpac_error err;

/* --- Uses of the driver, each of which ends with everything given back -------------------------- */

static clpac_status open_first(const clpac_options *options, clpac__queue **out)
{
	clpac_status st = CLPAC_OK;
	clpac__discovery found = {0};
	TRY(clpac__opencl_discover(&clpac__opencl_loader, &found, &err));
	if (!found.list.n_devices) {
		st = clpac__fail(&err, CLPAC_ERROR_NO_DEVICE, "no device is found");
		goto done;
	}
	TRY(clpac__backend_opencl.open(found.list.devices, options, out, &err));
done:
	clpac__discovery_clear(&found);
	return st;
}

/* Blocks of every kind, transfers, two queues and events. */
static clpac_status use_queues(void)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = NULL, *other = NULL;
	clpac__block *whole = NULL, *part = NULL, *here = NULL, *pinned = NULL;
	clpac_event *event = NULL, *second = NULL;
	void *mapped = NULL;
	unsigned n_held = 0;
	unsigned char bytes[1000] = {0};
	uint64_t time;

	TRY(open_first(NULL, &queue));
	const clpac__queue_operations *on = queue->operations;
	on->free_memory(queue);
	TRY(on->open_sibling(queue, false, &other, &err));
	TRY(on->create(queue, 4 * queue->part_alignment + sizeof bytes, &whole, &err));
	if (queue->has_no_parts)
		TRY(on->create(queue, sizeof bytes, &part, &err));
	else
		TRY(on->create_part(queue, whole, queue->part_alignment, sizeof bytes, &part, &err));
	TRY(on->create_on_host(queue, sizeof bytes, &here, &err));
	TRY(on->create_pinned(queue, sizeof bytes, &pinned, &err));
	TRY(on->write(queue, here, 0, sizeof bytes, bytes, &err));
	TRY(on->fill(queue, whole, 3, 100, 7, &err));
	TRY(on->mark(queue, &event, &err));
	n_held++;
	TRY(on->retain(queue, event, &err));
	n_held++;
	TRY(on->wait_for(other, event, &err));
	TRY(on->mark(queue, &second, &err));
	TRY(on->wait_for(other, second, &err));
	TRY(on->copy(other, here, 0, part, 0, sizeof bytes, &err));
	TRY(on->map(other, part, 0, sizeof bytes, true, true, &mapped, NULL, &err));
	TRY(on->unmap(other, part, mapped, &err));
	TRY(on->read(other, whole, 0, sizeof bytes, bytes, &err));
	TRY(on->wait(queue, event, &err));
	on->has_passed(queue, event);
	on->passed_at(queue, event, &time);
	TRY(on->finish(other, &err));
done:
	if (queue) {
		while (n_held--)
			queue->operations->forget(queue, event);
		if (second)
			queue->operations->forget(queue, second);
		queue->operations->release(queue, part);
		queue->operations->release(queue, whole);
		queue->operations->release(queue, here);
		queue->operations->release(queue, pinned);
		if (other)
			queue->operations->close(other);
		queue->operations->close(queue);
	}
	return st;
}

/* Kernels, compiled and kept, then loaded, on two queues; and a program that is not liked. */
static clpac_status use_kernels(void)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = NULL, *other = NULL;
	clpac__block *block = NULL;
	clpac_options options = {0};
	snprintf(options.cache, sizeof options.cache, "%s", files_path("cache"));
	for (int round = 0; round < 2; round++) {
		TRY(open_first(&options, &queue));
		TRY(queue->operations->create(queue, 800, &block, &err));
		TRY(clpac__compute_prepare(queue, 18, &err));
		TRY(queue->operations->open_sibling(queue, true, &other, &err));
		for (int i = 0; i < 2; i++)
			TRY(clpac__compute_launch(
				i ? other : queue,
				&(clpac__launch){.items = {200, 1, 1},
						 CLPAC__STAGE(extend, .samples = block, .extended = block,
							      .n_samples = 200, .begin = 0, .step = 200,
							      .first_section = 0, .n_sections = 1, .pad = 0,
							      .length = 200)},
				&err));
		queue->operations->release(queue, block);
		other->operations->close(other);
		queue->operations->close(queue);
		queue = other = NULL;
		block = NULL;
	}
	TRY(open_first(NULL, &queue));
	fake.refuses_builds = true;
	st = clpac__compute_prepare(queue, 18, &err);
	fake.refuses_builds = false;
	st = st == CLPAC_ERROR_BUILD ? CLPAC_OK : st;
done:
	if (queue) {
		queue->operations->release(queue, block);
		if (other)
			other->operations->close(other);
		queue->operations->close(queue);
	}
	return st;
}

/* An application's objects: a context, one more queue and an event, in a pool with segments. */
static clpac_status use_pool(void)
{
	enum { BUFFERS = 12 };
	clpac_status st = CLPAC_OK;
	clpac_context *context = NULL;
	clpac_pool *pool = NULL;
	clpac_queue *queue = NULL;
	clpac_event *event = NULL;
	clpac_buffer *buffers[BUFFERS] = {NULL};
	char name[8];
	cl_platform_id platform = NULL;
	cl_device_id device = NULL;
	cl_int code;
	const fake_lie lie = fake.lie;
	/* The application is told no lies, and its calls do not count. */
	const unsigned n_calls = fake.n_calls;
	fake.lie = FAKE_HONEST;
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	cl_command_queue first = clCreateCommandQueue(own, device, CL_QUEUE_PROFILING_ENABLE, &code);
	cl_command_queue second = clCreateCommandQueue(own, device, 0, &code);
	cl_event marker = NULL;
	clEnqueueMarkerWithWaitList(second, 0, NULL, &marker);
	fake.lie = lie;
	fake.n_calls = n_calls;

	TRY(clpac_context_from_opencl(own, device, NULL, NULL, &context, &err));
	clpac_context_close(context);
	context = NULL;
	TRY(clpac_context_from_opencl(own, device, first, NULL, &context, &err));
	TRY(clpac_pool_create(
		context,
		&(clpac_pool_options){.budget = {.bytes = 64 << 20},
				      .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 1 << 20}},
		&pool, &err));
	TRY(clpac_queue_from_opencl(pool, second, &queue, &err));
	TRY(clpac_event_from_opencl(pool, marker, &event, &err));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < BUFFERS; i++) {
			snprintf(name, sizeof name, "%zu", i);
			TRY(clpac_pool_allocate(pool, 1000 + i * 20000, name, &buffers[i], &err));
		}
		for (size_t i = 0; i < BUFFERS; i++) {
			clpac_buffer_release(buffers[i]);
			buffers[i] = NULL;
		}
	}
done:
	for (size_t i = 0; i < BUFFERS; i++)
		clpac_buffer_release(buffers[i]);
	if (event)
		clpac_event_release(pool, event);
	if (queue)
		clpac_queue_close(pool, queue);
	clpac_pool_destroy(pool);
	clpac_context_close(context);
	fake.lie = FAKE_HONEST;
	clReleaseEvent(marker);
	clReleaseCommandQueue(second);
	clReleaseCommandQueue(first);
	clReleaseContext(own);
	fake.lie = lie;
	return st;
}

#ifdef HAVE_VKFFT
extern const clpac__fft_engine clpac__fft_vkfft;

/* Transforms of one step, of Bluestein's algorithm, and of two steps with memory between them. */
static clpac_status use_transforms(void)
{
	static const size_t lengths[] = {64, 17, 8192};
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = NULL;
	clpac__fft *fft = NULL;
	clpac__block *in = NULL, *out = NULL, *work = NULL;
	TRY(open_first(NULL, &queue));
	const clpac__queue_operations *on = queue->operations;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		const clpac__fft_shape shape = {CLPAC__FFT_FORWARD, lengths[i], 2, lengths[i], lengths[i]};
		TRY(clpac__fft_vkfft.create(queue, &shape, &fft, &err));
		const size_t at = clpac__round_up(clpac__fft_vkfft.workspace_bytes(fft), 4096);
		TRY(on->create(queue, 2 * shape.length * 8, &in, &err));
		TRY(on->create(queue, 2 * shape.length * 8, &out, &err));
		TRY(on->create(queue, at + clpac__fft_vkfft.table_bytes(fft), &work, &err));
		TRY(clpac__fft_vkfft.write_tables(fft, work, at, &err));
		TRY(clpac__fft_vkfft.run(fft, in, out, work, 2, &err));
		on->release(queue, in);
		on->release(queue, out);
		on->release(queue, work);
		in = out = work = NULL;
		clpac__fft_vkfft.destroy(fft);
		fft = NULL;
	}
done:
	if (queue) {
		queue->operations->release(queue, in);
		queue->operations->release(queue, out);
		queue->operations->release(queue, work);
		clpac__fft_vkfft.destroy(fft);
		queue->operations->close(queue);
	}
	return st;
}
#endif

static const struct use {
	const char *name;
	clpac_status (*run)(void);
	unsigned step;	 /* one of so many calls is lied about, and the first of each function */
	bool may_forget; /* VkFFT loses objects where its chirps or its tables fail */
} uses[] = {
	{"queues", use_queues, 1, false},
	{"kernels", use_kernels, 8, false},
	{"pool", use_pool, 1, false},
#ifdef HAVE_VKFFT
	{"transforms", use_transforms, 16, true},
#endif
};
enum { N_USES = COUNT(uses) };

static void set_up(void)
{
	char why[256];
	files_begin();
	ck_assert_msg(clpac__opencl_load(why, sizeof why), "%s", why);
	fake_begin(FAKE_HONEST, 0);
}

static void tear_down(void)
{
	fake_end();
	files_end();
}

static void empty_cache(void)
{
	char path[1024];
	DIR *open = opendir(files_path("cache"));
	for (struct dirent *entry; open && (entry = readdir(open));) {
		snprintf(path, sizeof path, "%s/%s", files_path("cache"), entry->d_name);
		unlink(path);
	}
	if (open)
		closedir(open);
}

/* Runs a use and holds what it leaves against the standard. */
static clpac_status run_use(const struct use *use)
{
	empty_cache();
	err = (clpac_error){0};
	const clpac_status st = use->run();
	ck_assert_msg(!*fake.misuse, "%s, lie %d in call %u (%s), code %d: %s", use->name, fake.lie, fake.first_lie,
		      fake.liar, fake.code, fake.misuse);
	ck_assert_msg(!fake.n_objects || (use->may_forget && st != CLPAC_OK),
		      "%s, lie %d in call %u (%s), code %d: %zu objects are left", use->name, fake.lie, fake.first_lie,
		      fake.liar, fake.code, fake.n_objects);
	ck_assert_msg(st == CLPAC_OK || (err.status == st && *err.text),
		      "%s, lie %d in call %u (%s): %s without a word", use->name, fake.lie, fake.first_lie, fake.liar,
		      clpac_status_text(st));
	fake_end();
	return st;
}

static unsigned honest_calls(const struct use *use)
{
	fake_begin(FAKE_HONEST, 0);
	ck_assert_msg(run_use(use) == CLPAC_OK, "%s: %s", use->name, err.text);
	ck_assert_uint_lt(fake.n_calls, FAKE_CALLS);
	return fake.n_calls;
}

/* The calls of a use that are lied about, from 1; returns their number.  `offset` shifts those between the first calls
 * of functions. */
static unsigned chosen_calls(const struct use *use, unsigned offset, unsigned *chosen)
{
	const unsigned all = honest_calls(use), step = use->step * (sweeps_are_sampled() ? 1 + all / 100 : 1);
	unsigned n = 0;
	for (unsigned k = 0; k < all; k++) {
		bool is_first = true;
		for (unsigned before = 0; before < k && is_first; before++)
			is_first = strcmp(fake.calls[before], fake.calls[k]) != 0;
		if (is_first || k % step == offset % step)
			chosen[n++] = k + 1;
	}
	return n;
}

START_TEST(an_honest_driver_is_used_to_the_end)
{
	honest_calls(&uses[_i]);
}

static unsigned chosen[FAKE_CALLS];

START_TEST(a_lie_is_an_error_or_does_no_harm)
{
	const struct use *use = &uses[_i % N_USES];
	const fake_lie lie = (fake_lie)(_i / N_USES) + 1;
	const unsigned n = chosen_calls(use, 0, chosen);
	ck_assert_uint_gt(n, 20);
	fake.code = CL_OUT_OF_RESOURCES;
	for (unsigned i = 0; i < n; i++) {
		fake_begin(lie, chosen[i]);
		run_use(use);
	}
}

/* Codes that the library tells apart, and some of nobody's. */
static const cl_int codes[] = {-4, -5, -6, -12, -61, -13, -30, -34, -1001, 1};
enum { N_OF_MEMORY = 3 };

/* From the k-th call on all calls fail, or all of its function.  A library that tries again without an end would not
 * stay below the bound. */
START_TEST(what_fails_for_ever_is_given_up)
{
	enum { FACTOR = 4, MORE = 200 };
	const struct use *use = &uses[_i % N_USES];
	const unsigned all = honest_calls(use);
	fake.goes_on = true;
	fake.most_calls = FACTOR * all + MORE;
	fake.is_one_function = _i / N_USES;
	/* Codes of memory are tried at each call that is chosen; the others share them out. */
	for (size_t c = 0; c < COUNT(codes); c++) {
		const unsigned n = chosen_calls(use, (unsigned)c, chosen), step = c < N_OF_MEMORY ? 1 : COUNT(codes);
		fake.code = codes[c];
		for (unsigned i = c < N_OF_MEMORY ? 0 : (unsigned)c; i < n; i += step) {
			fake_begin(FAKE_REFUSAL, chosen[i]);
			run_use(use);
			ck_assert_msg(fake.n_calls <= fake.most_calls,
				      "%s, %s refused for ever with %d from call %u on: %u calls, where %u do",
				      use->name, fake.liar, fake.code, chosen[i], fake.n_calls, all);
		}
	}
}

/* --- The table ---------------------------------------------------------------------------------- */

#define ENTRY(name) #name,
static const char *const table[] = {CLPAC__OPENCL_CALLS(ENTRY)};
#undef ENTRY

/* Each is a function here, and called by a use: the test above lies about its first call, in every way. */
START_TEST(every_function_of_the_table_is_lied_about)
{
	Dl_info here, its;
	bool is_called[COUNT(table)] = {false};
	ck_assert(dladdr((void *)&uses, &here));
	for (size_t u = 0; u < N_USES; u++) {
		const unsigned all = honest_calls(&uses[u]);
		for (size_t i = 0; i < COUNT(table); i++)
			for (unsigned k = 0; k < all && !is_called[i]; k++)
				is_called[i] = strcmp(fake.calls[k], table[i]) == 0;
	}
	for (size_t i = 0; i < COUNT(table); i++) {
		void *found = dlsym(RTLD_DEFAULT, table[i]);
		ck_assert_msg(found && dladdr(found, &its) && its.dli_fbase == here.dli_fbase,
			      "fake_driver.c lacks %s, which src/memory/opencl/calls.h has", table[i]);
#ifndef HAVE_VKFFT
		if (strcmp(table[i], "clGetMemObjectInfo") == 0)
			continue;
#endif
		ck_assert_msg(is_called[i], "%s is called by no use here", table[i]);
	}
}

Suite *suite(void)
{
	Suite *s = suite_create("lies of drivers");
	TCase *c = tcase_create("lies");
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, an_honest_driver_is_used_to_the_end, 0, N_USES);
	tcase_add_loop_test(c, a_lie_is_an_error_or_does_no_harm, 0, N_USES * (FAKE_LIES - 1));
	tcase_add_loop_test(c, what_fails_for_ever_is_given_up, 0, N_USES * 2);
	tcase_add_test(c, every_function_of_the_table_is_lied_about);
	suite_add_tcase(s, c);
	return s;
}
