/* Promises of the OpenCL backend beyond the laws of a queue: programs, launches, queues side by side, and known facts
 * about drivers. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/problem.h>
#include "assertions.h"
#include "opencl_fixture.h"
#include "noise.h"
#include "coupling/registry/registry.h"

const int runner_no_fork = 1;

/* --- Programs --------------------------------------------------------------------------------- */

static clpac__opencl_program *program_of(clpac__opencl_part part, unsigned n_bins)
{
	clpac__opencl_program *program = NULL;
	OK(clpac__opencl_program_get(kernels_of(&queue->base), part, n_bins, &program, &err));
	return program;
}

START_TEST(every_stage_becomes_a_kernel_once_per_number_of_bins)
{
	/* Without a cache: PoCL would compile all kernels once more for it, as for
	 * every_vector_width_builds_without_a_warning. */
	snprintf(options.cache, sizeof options.cache, "none");
	open_queue(_i);
	OK(clpac__compute_prepare(&queue->base, 0, &err));
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, 1);
	OK(clpac__compute_prepare(&queue->base, 0, &err));
	OK(clpac__compute_prepare(&queue->base, 18, &err)); /* the number that 0 stands for */
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, 1);
	OK(clpac__compute_prepare(&queue->base, 7, &err));
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, 2);
	OK(clpac__compute_prepare(&queue->base, 18, &err));
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, 2);
	/* On CPUs one build takes all high numbers. */
	OK(clpac__compute_prepare(&queue->base, 33, &err));
	OK(clpac__compute_prepare(&queue->base, CLPAC_MAX_BINS, &err));
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled,
			  queue->base.device.kind == CLPAC_DEVICE_OPENCL_CPU ? 3 : 4);
	/* The further part is built when a stage of it is asked for. */
	const unsigned n_usual = kernels_of(&queue->base)->n_compiled;
	const clpac__opencl_program *of[] = {program_of(CLPAC__OPENCL_USUAL, 18),
					     program_of(CLPAC__OPENCL_FURTHER, 18)};
	ck_assert_ptr_eq(program_of(CLPAC__OPENCL_FURTHER, 0), of[1]);
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, n_usual + 1);
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++) {
		const unsigned own = clpac__opencl_part_of(i) == CLPAC__OPENCL_USUAL ? 0 : 1;
		const size_t group = of[own]->groups[i];
		ck_assert_ptr_nonnull(of[own]->kernels[i]);
		ck_assert_ptr_null(of[1 - own]->kernels[i]);
		ck_assert_uint_eq(group & (group - 1), 0);
	}
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;
	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		n++;
	return n;
}

START_TEST(each_kernel_is_in_the_text_of_its_part_alone)
{
	char *texts[3] = {NULL}, word[80];
	for (unsigned part = 0; part < 3; part++) {
		OK(clpac__opencl_source((clpac__opencl_part)part, &texts[part], &err));
		ck_assert_uint_eq(count(texts[part], "\n"), count(texts[0], "\n")); /* lines keep their numbers */
	}
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++) {
		snprintf(word, sizeof word, "__kernel void %s(", clpac__stage_get(i)->name);
		for (unsigned part = 0; part < 3; part++)
			ck_assert_uint_eq(count(texts[part], word),
					  part == CLPAC__OPENCL_ALL || part == (unsigned)clpac__opencl_part_of(i));
	}
	ck_assert_uint_eq(count(texts[CLPAC__OPENCL_USUAL], "__kernel void ") +
				  count(texts[CLPAC__OPENCL_FURTHER], "__kernel void "),
			  CLPAC__STAGE_COUNT);
	for (unsigned part = 0; part < 3; part++)
		free(texts[part]);
}

START_TEST(the_source_names_the_place_of_every_line)
{
	char *source = NULL;
	OK(clpac__opencl_source(CLPAC__OPENCL_ALL, &source, &err));
	const char *prelude = strstr(source, "#line 1 \"cl/prelude.cl\"\n");
	ck_assert_ptr_nonnull(prelude);
	ck_assert_ptr_nonnull(strstr(source, "#line 1 \"cl/extend.cl\"\n"));
	ck_assert_ptr_null(strstr(prelude + 1, "#line 1 \"cl/prelude.cl\"\n"));
	ck_assert_ptr_null(strstr(source, "#include \""));
	free(source);
}

START_TEST(a_source_that_does_not_compile_is_reported_with_the_drivers_words)
{
	cl_program program = NULL;
	open_queue(_i);
	clpac_status st =
		clpac__opencl_build(kernels_of(&queue->base),
				    "#line 7 \"cl/nonsense.cl\"\n__kernel void k(void) { undeclared_thing = 1; }\n",
				    "-DX=1", &program, &err);
	ck_assert_int_eq(st, CLPAC_ERROR_BUILD);
	ck_assert_ptr_null(program);
	ck_assert_int_eq(err.native_code, CL_BUILD_PROGRAM_FAILURE);
	ck_assert_msg(strstr(err.text, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11)") &&
			      strstr(err.text, "undeclared_thing") && strstr(err.text, queue->base.device.name) &&
			      strstr(err.text, "-DX=1"),
		      "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, 0);
}

START_TEST(a_long_log_is_cut_to_the_errors_size)
{
	enum { LINES = 2000 };
	static char source[LINES * 40];
	cl_program program = NULL;
	size_t n = 0;
	open_queue(_i);
	for (int i = 0; i < LINES; i++)
		n += (size_t)snprintf(source + n, sizeof source - n, "int f%d(int a) { return %d + q%d; }\n", i, i, i);
	ck_assert_int_eq(clpac__opencl_build(kernels_of(&queue->base), source, "", &program, &err), CLPAC_ERROR_BUILD);
	ck_assert_uint_lt(strlen(err.text), sizeof err.text);
	ck_assert_msg(strstr(err.text, "q0"), "%s", err.text);
}

/* PoCL prints what its compiler warns of, before a user's first result.  Others tell who asks, and Intel's has pages of
 * what it could do better. */
static void assert_no_warning(cl_program program)
{
	static char log[1 << 16];
	if (!strstr(queue->base.device.platform_name, "Portable Computing Language"))
		return;
	ck_assert_int_eq(clGetProgramBuildInfo(program, queue->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL),
			 CL_SUCCESS);
	ck_assert_msg(!strstr(log, "warning"), "%.600s", log);
}

START_TEST(every_vector_width_builds_without_a_warning)
{
	static const unsigned widths[] = {1, 4, 8, 16};
	for (size_t i = 0; i < COUNT(widths); i++) {
		options.vector_width = widths[i];
		open_queue(_i);
		ck_assert_uint_eq(width_of(&queue->base), widths[i]);
		assert_no_warning(program_of(CLPAC__OPENCL_USUAL, 5)->program);
		assert_no_warning(program_of(CLPAC__OPENCL_FURTHER, 5)->program);
		close_queue();
	}
}

START_TEST(a_vector_width_between_is_refused)
{
	static const unsigned widths[] = {2, 3, 5, 32};
	clpac__queue *opened = NULL;
	for (size_t i = 0; i < COUNT(widths); i++) {
		options.vector_width = widths[i];
		clpac__compute *compute = NULL;
		OK(targets_get((size_t)_i)->backend->open(&targets_get((size_t)_i)->device, &options, &opened, &err));
		ck_assert_int_eq(clpac__compute_get(opened, &compute, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "vector_width"));
		ck_assert_ptr_null(compute);
		opened->operations->close(opened);
	}
}

START_TEST(the_devices_own_width_is_rounded_to_one_that_kernels_have)
{
	clpac_device device = targets_get((size_t)_i)->device;
	static const unsigned widths[][2] = {{0, 1}, {1, 1}, {2, 1}, {4, 4}, {8, 8}, {15, 8}, {16, 16}, {32, 16}};
	for (size_t i = 0; i < COUNT(widths); i++) {
		clpac__queue *opened = NULL;
		device.vector_width_float = widths[i][0];
		device.kind = CLPAC_DEVICE_OPENCL_CPU;
		OK(targets_get((size_t)_i)->backend->open(&device, NULL, &opened, &err));
		ck_assert_uint_eq(width_of(opened), widths[i][1]);
		opened->operations->close(opened);
		device.kind = CLPAC_DEVICE_DISCRETE_GPU; /* no GPU gains by vectors, whatever it says */
		OK(targets_get((size_t)_i)->backend->open(&device, NULL, &opened, &err));
		ck_assert_uint_eq(width_of(opened), 1);
		opened->operations->close(opened);
	}
}

START_TEST(a_device_of_an_old_list_is_not_mistaken_for_another)
{
	clpac__queue *opened = NULL;
	clpac_device device = targets_get((size_t)_i)->device;
	strcpy(device.name, "Voodoo 2");
	ck_assert_int_eq(targets_get((size_t)_i)->backend->open(&device, &options, &opened, &err),
			 CLPAC_ERROR_NO_DEVICE);
	ck_assert_msg(strstr(err.text, "\"Voodoo 2\" is now "), "%s", err.text);
	device.platform = 63;
	ck_assert_int_eq(targets_get((size_t)_i)->backend->open(&device, &options, &opened, &err),
			 CLPAC_ERROR_NO_DEVICE);
	ck_assert_msg(strstr(err.text, "\"Voodoo 2\" is gone: the list is out of date, call clpac_devices_refresh"),
		      "%s", err.text);
	ck_assert_ptr_null(opened);
}

typedef struct launcher {
	clpac__queue *queue;
	unsigned n_wrong;
} launcher;

enum { LAUNCHED = 3000 };

/* Each thread has values and memory of its own. */
static void *launch_often(void *context)
{
	launcher *self = context;
	const clpac__queue_operations *on = self->queue->operations;
	clpac__block *in = NULL, *out = NULL;
	static _Thread_local float put[LAUNCHED], got[LAUNCHED];
	self->n_wrong += on->create(self->queue, sizeof put, &in, NULL) != CLPAC_OK;
	self->n_wrong += on->create(self->queue, sizeof put, &out, NULL) != CLPAC_OK;
	for (int round = 0; round < 20 && !self->n_wrong; round++) {
		for (int i = 0; i < LAUNCHED; i++)
			put[i] = (float)((size_t)self % 1000 + (size_t)(i * round));
		const clpac__launch launch = {
			.items = {LAUNCHED, 1, 1},
			CLPAC__STAGE(extend, .samples = in, .extended = out, .n_samples = LAUNCHED, .begin = 0,
				     .step = LAUNCHED, .first_section = 0, .n_sections = 1, .pad = 0,
				     .length = LAUNCHED),
		};
		self->n_wrong += on->write(self->queue, in, 0, sizeof put, put, NULL) != CLPAC_OK;
		self->n_wrong += clpac__compute_launch(self->queue, &launch, NULL) != CLPAC_OK;
		self->n_wrong += on->read(self->queue, out, 0, sizeof got, got, NULL) != CLPAC_OK;
		self->n_wrong += memcmp(put, got, sizeof put) != 0;
	}
	on->release(self->queue, in);
	on->release(self->queue, out);
	return NULL;
}

START_TEST(further_queues_launch_beside_each_other_from_one_compilation)
{
	enum { THREADS = 3 };
	launcher launchers[THREADS] = {0};
	pthread_t threads[THREADS];
	share_cache(_i);
	open_queue(_i);
	launchers[0].queue = &queue->base;
	for (int i = 1; i < THREADS; i++)
		OK(queue->base.operations->open_sibling(&queue->base, true, &launchers[i].queue, &err));
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_often, &launchers[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_uint_eq(launchers[i].n_wrong, 0);
	}
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled + kernels_of(&queue->base)->n_from_cache, 1);
	OK(clpac__compute_prepare(launchers[1].queue, 7, &err));
	OK(clpac__compute_prepare(&queue->base, 7, &err));
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled + kernels_of(&queue->base)->n_from_cache, 2);
	for (int i = 1; i < THREADS; i++)
		launchers[i].queue->operations->close(launchers[i].queue);
}

/* --- Drivers that do not keep the standard, and those that tell how much memory is free ------- */

START_TEST(known_drivers_are_treated_as_they_need)
{
	static const struct {
		const char *platform;
		int kind; /* -1: the device's own */
		clpac__opencl_quirks quirks;
	} cases[] = {
		{"Portable Computing Language", -1, {.keeps_programs = true}},
		{"NVIDIA CUDA", -1, {0}},
		{"Xilinx", -1, {.has_no_parts = true, .finishes_before_release = true}},
		{"Intel(R) FPGA SDK for OpenCL(TM)", -1, {.finishes_before_release = true}},
		{"Oclgrind", -1, {.is_serialised = true}},
		{"Intel(R) OpenCL", CLPAC_DEVICE_OPENCL_CPU, {.is_serialised = true}},
		{"Intel(R) OpenCL Graphics", CLPAC_DEVICE_INTEGRATED_GPU, {0}},
		{"rusticl", -1, {.finish_forgets_flushed = true, .is_serialised = true}},
		{"clvk", -1, {.finish_forgets_flushed = true}},
	};
	clpac_device device = targets_get((size_t)_i)->device;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac__queue *opened = NULL, *sibling = NULL;
		snprintf(device.platform_name, sizeof device.platform_name, "%s", cases[i].platform);
		device.kind =
			cases[i].kind < 0 ? targets_get((size_t)_i)->device.kind : (clpac_device_kind)cases[i].kind;
		clpac__opencl_quirks quirks = clpac__opencl_quirks_of(&device);
		ck_assert_int_eq(quirks.has_no_parts, cases[i].quirks.has_no_parts);
		ck_assert_int_eq(quirks.finishes_before_release, cases[i].quirks.finishes_before_release);
		ck_assert_int_eq(quirks.is_serialised, cases[i].quirks.is_serialised);
		ck_assert_int_eq(quirks.keeps_programs, cases[i].quirks.keeps_programs);
		ck_assert_int_eq(quirks.finish_forgets_flushed, cases[i].quirks.finish_forgets_flushed);
		/* The queues obey. */
		OK(targets_get((size_t)_i)->backend->open(&device, &options, &opened, &err));
		OK(opened->operations->open_sibling(opened, true, &sibling, &err));
		ck_assert_int_eq(opened->has_no_parts, quirks.has_no_parts);
		ck_assert_int_eq(sibling->has_no_parts, quirks.has_no_parts);
		ck_assert_ptr_eq(sibling->operations,
				 quirks.is_serialised ? &clpac__opencl_serial_operations : &clpac__opencl_operations);
		ck_assert(clpac__opencl_is(sibling));
		clpac__block *block = NULL;
		OK(sibling->operations->create(sibling, 1 << 20, &block, &err));
		OK(sibling->operations->fill(sibling, block, 0, 1 << 20, 1, &err));
		cl_event last = NULL;
		clEnqueueMarkerWithWaitList(clpac__opencl_of(sibling)->commands, 0, NULL, &last);
		sibling->operations->release(sibling, block);
		if (quirks.finishes_before_release)
			ck_assert(sibling->operations->has_passed(sibling, (clpac_event *)(void *)last));
		clReleaseEvent(last);
		sibling->operations->close(sibling);
		opened->operations->close(opened);
	}
}

START_TEST(in_turn_every_operation_does_the_same)
{
	clpac_device device = targets_get((size_t)_i)->device;
	clpac__queue *own = NULL, *other = NULL;
	clpac__block *whole = NULL, *part = NULL, *here = NULL;
	clpac_event *event = NULL;
	unsigned char put[300], got[300];
	void *mapped = NULL;
	bool is_in_place = false;
	snprintf(device.platform_name, sizeof device.platform_name, "Oclgrind");
	share_cache(_i);
	OK(targets_get((size_t)_i)->backend->open(&device, &options, &own, &err));
	const clpac__queue_operations *on = own->operations;
	ck_assert_ptr_eq(on, &clpac__opencl_serial_operations);
	random_bytes(1, put, sizeof put);
	OK(on->open_sibling(own, true, &other, &err));
	OK(on->create(own, own->part_alignment + sizeof put, &whole, &err));
	OK(on->create_part(own, whole, own->part_alignment, sizeof put, &part, &err));
	OK(on->create_on_host(own, sizeof put, &here, &err));
	OK(on->write(own, here, 0, sizeof put, put, &err));
	OK(on->fill(own, here, 7, 5, 9, &err));
	memset(put + 7, 9, 5);
	OK(on->mark(own, &event, &err));
	ck_assert_int_eq(on->retain(own, event, &err), CLPAC_OK);
	OK(on->wait_for(other, event, &err));
	OK(on->copy(other, here, 0, part, 0, sizeof put, &err));
	OK(on->wait(other, event, &err));
	ck_assert(on->has_passed(own, event));
	on->forget(own, event);
	on->forget(own, event);
	OK(on->map(other, part, 0, sizeof put, true, true, &mapped, &is_in_place, &err));
	ck_assert_mem_eq(mapped, put, sizeof put);
	put[299] = ((unsigned char *)mapped)[299] = 77;
	OK(on->unmap(other, part, mapped, &err));
	OK(on->read(other, part, 0, sizeof put, got, &err));
	ck_assert_mem_eq(got, put, sizeof put);
	ck_assert_ptr_null(on->host_pointer(own, part));
	ck_assert_int_eq(on->free_memory(own).knowledge, clpac__opencl_operations.free_memory(own).knowledge);
	OK(clpac__compute_prepare(own, 18, &err));
	OK(clpac__compute_launch(own, &(clpac__launch){.items = {0, 1, 1}}, &err));
	OK(on->finish(own, &err));
	on->release(own, part);
	on->release(own, whole);
	on->release(own, here);
	on->close(other);
	on->close(own);
}

/* AMD's query alone, answered with two numbers, one, or none. */
static size_t told_kib[2], n_told;

static cl_int CL_API_CALL tell_free_memory(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size)
{
	(void)id;
	if (what != 0x4039 || !n_told || room != n_told * sizeof *told_kib)
		return CL_INVALID_VALUE;
	memcpy(value, told_kib, room);
	*size = room;
	return CL_SUCCESS;
}

START_TEST(free_memory_is_what_the_driver_tells)
{
	const clpac__opencl_functions functions = {.device_info = tell_free_memory};
	clpac_device device = {.kind = CLPAC_DEVICE_DISCRETE_GPU, .memory_bytes = (uint64_t)8 << 30};
	clpac_free_memory answer;
	told_kib[0] = 3 << 20;
	/* A driver without the extension is not asked. */
	n_told = 2;
	answer = clpac__opencl_ask_free_memory(&functions, NULL, &device);
	ck_assert_int_eq(answer.knowledge, CLPAC_UNKNOWN);
	ck_assert_uint_eq(answer.bytes, 0);
	strcpy(device.extensions, "cl_khr_fp64 cl_amd_device_attribute_query");
	for (n_told = 1; n_told <= 2; n_told++) {
		answer = clpac__opencl_ask_free_memory(&functions, NULL, &device);
		ck_assert_int_eq(answer.knowledge, CLPAC_EXACT);
		ck_assert_uint_eq(answer.bytes, (uint64_t)3 << 30);
	}
	told_kib[0] = 0; /* 0 is an answer too: memory is full */
	n_told = 2;
	answer = clpac__opencl_ask_free_memory(&functions, NULL, &device);
	ck_assert_int_eq(answer.knowledge, CLPAC_EXACT);
	ck_assert_uint_eq(answer.bytes, 0);
	n_told = 0;
	ck_assert_int_eq(clpac__opencl_ask_free_memory(&functions, NULL, &device).knowledge, CLPAC_UNKNOWN);
	/* A CPU has the machine's free memory, up to the size that its driver offers. */
	device.kind = CLPAC_DEVICE_OPENCL_CPU;
	device.memory_bytes = 4096;
	answer = clpac__opencl_ask_free_memory(&functions, NULL, &device);
	ck_assert_int_eq(answer.knowledge, CLPAC_EXACT);
	ck_assert_uint_eq(answer.bytes, 4096);
}

/* --- Launches --------------------------------------------------------------------------------- */

/* With no padding "extend" copies, so that every work-item leaves a trace. */
START_TEST(every_work_item_runs_once_whatever_their_number)
{
	static const size_t lengths[] = {1, 2, 63, 64, 65, 96, 127, 640, 2003, 4113}, rows[] = {1, 3, 70};
	enum { LARGEST = 4113 * 70 };
	static float put[LARGEST], got[LARGEST];
	share_cache(_i);
	open_queue(_i);
	const clpac__queue_operations *on = queue->base.operations;
	clpac__block *from = NULL, *to = NULL;
	OK(on->create(&queue->base, sizeof put, &from, &err));
	OK(on->create(&queue->base, sizeof got, &to, &err));
	for (size_t i = 0; i < LARGEST; i++)
		put[i] = (float)i;
	OK(on->write(&queue->base, from, 0, sizeof put, put, &err));
	for (size_t l = 0; l < COUNT(lengths); l++) {
		for (size_t r = 0; r < COUNT(rows); r++) {
			uint32_t n = (uint32_t)lengths[l];
			size_t all = lengths[l] * rows[r];
			OK(on->fill(&queue->base, to, 0, sizeof got, 0xff, &err));
			OK(clpac__compute_launch(
				&queue->base,
				&(clpac__launch){.items = {n, 1, rows[r]},
						 CLPAC__STAGE(extend, .samples = from, .extended = to, .n_samples = n,
							      .begin = 0, .step = n, .first_section = 0,
							      .n_sections = 1, .pad = 0, .length = n)},
				&err));
			OK(on->read(&queue->base, to, 0, sizeof got, got, &err));
			ck_assert_mem_eq(got, put, all * sizeof *got);
			for (size_t i = all; i < LARGEST && i < all + 1000; i++)
				ck_assert(got[i] != got[i]); /* all bits set, as filled: NaN */
		}
	}
	on->release(&queue->base, from);
	on->release(&queue->base, to);
}

START_TEST(more_work_items_than_can_be_counted_are_refused)
{
	share_cache(_i);
	open_queue(_i);
	const clpac__queue_operations *on = queue->base.operations;
	clpac__block *block = NULL;
	OK(on->create(&queue->base, 64, &block, &err));
	const clpac__launch launch = {
		.items = {64, SIZE_MAX / 8, 1024},
		CLPAC__STAGE(extend, .samples = block, .extended = block, .n_samples = 0, .begin = 0, .step = 0,
			     .first_section = 0, .n_sections = 1, .pad = 0, .length = 0),
	};
	ck_assert_int_eq(clpac__compute_launch(&queue->base, &launch, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "extend on") && strstr(err.text, "are too many"), "%s", err.text);
	on->release(&queue->base, block);
}

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	int n = (int)targets_find("opencl");
	Suite *s = suite_create("OpenCL");
	TCase *c = tcase_create("programs, launches");
	tcase_add_checked_fixture(c, set_up_folder, tear_down_folder);
	tcase_add_loop_test(c, every_stage_becomes_a_kernel_once_per_number_of_bins, 0, n);
	tcase_add_test(c, each_kernel_is_in_the_text_of_its_part_alone);
	tcase_add_test(c, the_source_names_the_place_of_every_line);
	tcase_add_loop_test(c, a_source_that_does_not_compile_is_reported_with_the_drivers_words, 0, n);
	tcase_add_loop_test(c, a_long_log_is_cut_to_the_errors_size, 0, n);
	tcase_add_loop_test(c, every_vector_width_builds_without_a_warning, 0, n);
	tcase_add_loop_test(c, a_vector_width_between_is_refused, 0, n);
	tcase_add_loop_test(c, the_devices_own_width_is_rounded_to_one_that_kernels_have, 0, n);
	tcase_add_loop_test(c, a_device_of_an_old_list_is_not_mistaken_for_another, 0, n);
	tcase_add_loop_test(c, every_work_item_runs_once_whatever_their_number, 0, n);
	tcase_add_loop_test(c, more_work_items_than_can_be_counted_are_refused, 0, n);
	suite_add_tcase(s, c);
	c = tcase_create("further queues, quirks, free memory");
	tcase_add_checked_fixture(c, set_up_folder, tear_down_folder);
	tcase_add_loop_test(c, known_drivers_are_treated_as_they_need, 0, n);
	tcase_add_loop_test(c, in_turn_every_operation_does_the_same, 0, n);
	tcase_add_test(c, free_memory_is_what_the_driver_tells);
	suite_add_tcase(s, c);
	c = tcase_create("several threads");
	tcase_set_tags(c, "threads");
	tcase_add_checked_fixture(c, set_up_folder, tear_down_folder);
	tcase_add_loop_test(c, further_queues_launch_beside_each_other_from_one_compilation, 0, n);
	suite_add_tcase(s, c);
	return s;
}
