/* The laws of the host's FFT engines, and tests of their particulars. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/fft/engine.h"
#include "coupling/registry/registry.h"
#include "memory/native/isa.h"
#include "assertions.h"
#include "fft_laws.h"
#include "targets.h"
#include "random.h"

static const clpac__fft_engine *host_engine(int i)
{
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
		if (strcmp((*engine)->backend, "native") == 0 && i-- == 0)
			return *engine;
	return NULL;
}

static int n_host_engines(void)
{
	int n = 0;
	while (host_engine(n))
		n++;
	return n;
}

static clpac__fft *made(const clpac__fft_engine *engine, clpac__queue *queue, clpac__fft_shape shape)
{
	clpac__fft *fft = NULL;
	ck_assert_int_eq(engine->create(queue, &shape, &fft, NULL), CLPAC_OK);
	return fft;
}

/* The workspace that a transform asks for, of the size predicted, with its tables; NULL where it needs none. */
static clpac__block *make_workspace(const clpac__fft_engine *engine, clpac__queue *queue, clpac__fft *fft,
				    clpac__fft_shape shape)
{
	enum { ALIGNMENT = 64 };
	clpac_error err;
	clpac__block *workspace = NULL;
	const size_t bytes = engine->workspace_bytes(fft), tables = engine->table_bytes ? engine->table_bytes(fft) : 0;
	const size_t tables_at = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	ck_assert_uint_eq(engine->workspace_for(queue, &shape), bytes);
	ck_assert_uint_eq(engine->table_for ? engine->table_for(&shape) : 0, tables);
	if (bytes || tables)
		ck_assert_int_eq(queue->operations->create(queue, tables_at + tables, &workspace, &err), CLPAC_OK);
	if (tables)
		ck_assert_int_eq(engine->write_tables(fft, workspace, tables_at, &err), CLPAC_OK);
	return workspace;
}

/* Forward spectra and inverse rows on a given number of threads, by the kernels of an instruction set. */
static void both_ways(const clpac__fft_engine *engine, unsigned threads, const char *instruction_set, size_t n,
		      size_t rows, float *out)
{
	clpac_error err;
	clpac_options options = {.threads = threads};
	snprintf(options.instruction_set, sizeof options.instruction_set, "%s", instruction_set);
	const target *where = targets_get(0);
	clpac__queue *queue;
	ck_assert_int_eq(where->backend->open(&where->device, &options, &queue, &err), CLPAC_OK);
	const clpac__queue_operations *on = queue->operations;
	size_t stride = n / 2 + 16;
	clpac__block *real, *spectrum, *analytic;
	ck_assert_int_eq(on->create(queue, rows * n * 4, &real, &err), CLPAC_OK);
	ck_assert_int_eq(on->create(queue, rows * stride * 8, &spectrum, &err), CLPAC_OK);
	ck_assert_int_eq(on->create(queue, rows * n * 8, &analytic, &err), CLPAC_OK);
	float *x = on->host_pointer(queue, real), *z = on->host_pointer(queue, analytic);
	unsigned long long state = 1;
	for (size_t i = 0; i < rows * n; i++)
		x[i] = random_signed(&state);
	for (size_t i = 0; i < 2 * rows * n; i++)
		z[i] = random_signed(&state);
	on->fill(queue, spectrum, 0, rows * stride * 8, 0, &err);
	clpac__fft *there, *back;
	const clpac__fft_shape forward = {CLPAC__FFT_FORWARD, n, rows, n, stride};
	const clpac__fft_shape inverse = {CLPAC__FFT_INVERSE, n, rows, 0, 0};
	there = made(engine, queue, forward);
	back = made(engine, queue, inverse);
	clpac__block *there_work = make_workspace(engine, queue, there, forward);
	clpac__block *back_work = make_workspace(engine, queue, back, inverse);
	ck_assert_int_eq(engine->run(there, real, spectrum, there_work, rows, &err), CLPAC_OK);
	ck_assert_int_eq(engine->run(back, analytic, analytic, back_work, rows, &err), CLPAC_OK);
	on->release(queue, there_work);
	on->release(queue, back_work);
	memcpy(out, on->host_pointer(queue, spectrum), rows * stride * 8);
	memcpy(out + 2 * rows * stride, z, rows * n * 8);
	engine->destroy(there);
	engine->destroy(back);
	on->release(queue, real);
	on->release(queue, spectrum);
	on->release(queue, analytic);
	on->close(queue);
}

START_TEST(the_number_of_threads_changes_no_bit)
{
	const clpac__fft_engine *engine = host_engine(_i);
	size_t n = engine->next_length(1234), rows = 37, floats = 2 * rows * (n / 2 + 16) + 2 * rows * n;
	float *alone = calloc(floats, sizeof *alone), *together = calloc(floats, sizeof *together);
	both_ways(engine, 1, "auto", n, rows, alone);
	for (unsigned threads = 2; threads <= 7; threads += 5) {
		both_ways(engine, threads, "auto", n, rows, together);
		ck_assert_mem_eq(alone, together, floats * sizeof *alone);
	}
	free(alone);
	free(together);
}

START_TEST(the_instruction_set_changes_no_bit)
{
	/* Rows of some vectors and of less than one; radices 2, 3, 4, 5 and 7. */
	static const size_t lengths[] = {16, 32, 48, 80, 112, 128, 480, 2048, 3600};
	const clpac__fft_engine *engine = host_engine(_i);
	const clpac__isa *isa;
	for (size_t k = 0; k < COUNT(lengths); k++) {
		const size_t n = lengths[k], rows = 5, floats = 2 * rows * (n / 2 + 16) + 2 * rows * n;
		float *first = calloc(floats, sizeof *first), *other = calloc(floats, sizeof *other);
		both_ways(engine, 2, "baseline", n, rows, first);
		for (size_t i = 0; (isa = clpac__isa_get(i)) != NULL; i++) {
			both_ways(engine, 2, isa->name, n, rows, other);
			ck_assert_msg(memcmp(first, other, floats * sizeof *first) == 0,
				      "%s, length %zu: %s gives other bits than the baseline", engine->name, n,
				      isa->name);
		}
		free(first);
		free(other);
	}
}

START_TEST(rows_that_are_not_aligned_are_transformed_alike)
{
	/* Strides that are no multiple of a vector: slower, not wrong. */
	const clpac__fft_engine *engine = host_engine(_i);
	clpac_error err;
	clpac__queue *queue = target_open(targets_get(0));
	const clpac__queue_operations *on = queue->operations;
	enum { N = 48, ROWS = 5, REAL = N + 3, HALF = N / 2 + 1, SPECTRUM = HALF + 2 };
	clpac__block *in, *out;
	ck_assert_int_eq(on->create(queue, ROWS * REAL * 4, &in, &err), CLPAC_OK);
	ck_assert_int_eq(on->create(queue, ROWS * SPECTRUM * 8, &out, &err), CLPAC_OK);
	float *x = on->host_pointer(queue, in), *spectrum = on->host_pointer(queue, out);
	for (size_t i = 0; i < ROWS * REAL; i++)
		x[i] = 1;
	const clpac__fft_shape shape = {CLPAC__FFT_FORWARD, N, ROWS, REAL, SPECTRUM};
	clpac__fft *fft = made(engine, queue, shape);
	clpac__block *work = make_workspace(engine, queue, fft, shape);
	ck_assert_int_eq(engine->run(fft, in, out, work, ROWS, &err), CLPAC_OK);
	for (size_t r = 0; r < ROWS; r++)
		for (size_t i = 0; i < 2 * HALF; i++) {
			/* Sums of 48 ones, u = 2^-24 each. */
			ck_assert_float_eq_tol(spectrum[2 * r * SPECTRUM + i], i == 0 ? N : 0, N * 0x1p-23f);
		}
	engine->destroy(fft);
	on->release(queue, in);
	on->release(queue, out);
	on->release(queue, work);
	on->close(queue);
}

START_TEST(blocks_that_are_too_small_are_refused)
{
	const clpac__fft_engine *engine = host_engine(_i);
	clpac_error err;
	clpac__queue *queue = target_open(targets_get(0));
	const clpac__queue_operations *on = queue->operations;
	enum { N = 64, ROWS = 4, SPECTRUM = 48 };
	clpac__block *real, *spectrum, *small;
	ck_assert_int_eq(on->create(queue, ROWS * N * 4, &real, &err), CLPAC_OK);
	ck_assert_int_eq(on->create(queue, ROWS * SPECTRUM * 8, &spectrum, &err), CLPAC_OK);
	ck_assert_int_eq(on->create(queue, ROWS * N * 4 - 1, &small, &err), CLPAC_OK);
	clpac__fft *there, *back;
	there = made(engine, queue, (clpac__fft_shape){CLPAC__FFT_FORWARD, N, ROWS, N, SPECTRUM});
	const clpac__fft_shape inverse = {CLPAC__FFT_INVERSE, N, ROWS, 0, 0};
	back = made(engine, queue, inverse);
	clpac__block *work = make_workspace(engine, queue, back, inverse), *byte;
	ck_assert_int_eq(on->create(queue, 1, &byte, &err), CLPAC_OK);
	if (work) {
		ck_assert_int_eq(engine->run(back, spectrum, spectrum, byte, 1, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "workspace"));
		ck_assert_int_eq(engine->run(back, spectrum, spectrum, NULL, 1, &err), CLPAC_ERROR_ARGUMENT);
	}
	ck_assert_int_eq(engine->run(there, small, spectrum, NULL, ROWS, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "too small"));
	ck_assert_int_eq(engine->run(there, real, small, NULL, ROWS, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(engine->run(back, real, real, work, ROWS, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(engine->run(back, spectrum, real, work, 1, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "in place"));
	ck_assert_int_eq(engine->run(there, real, spectrum, NULL, 0, &err), CLPAC_OK);
	engine->destroy(there);
	engine->destroy(back);
	on->release(queue, real);
	on->release(queue, spectrum);
	on->release(queue, small);
	on->release(queue, work);
	on->release(queue, byte);
	on->close(queue);
}

/* Makes a transform in a new queue, to which kernels may have to be attached; *n_allocations are those of making it. */
static clpac_status make_anew(const clpac__fft_engine *engine, const clpac__fft_shape *shape, unsigned long failing,
			      unsigned long *n_allocations)
{
	clpac_error err;
	clpac__queue *queue = target_open(targets_get(1)); /* three threads */
	clpac__fft *fft = NULL;
	clpac__fail_allocation(failing, false);
	const clpac_status st = engine->create(queue, shape, &fft, &err);
	*n_allocations = clpac__count_allocations();
	clpac__fail_allocation(0, false);
	ck_assert_int_eq(fft != NULL, st == CLPAC_OK);
	engine->destroy(fft);
	queue->operations->close(queue);
	return st;
}

START_TEST(each_failing_allocation_is_an_error_that_leaves_nothing)
{
	const clpac__fft_engine *engine = host_engine(_i);
	static const clpac__fft_shape shapes[] = {{CLPAC__FFT_FORWARD, 96, 4, 96, 64},
						  {CLPAC__FFT_INVERSE, 96, 4, 0, 0}};
	for (int s = 0; s < 2; s++) {
		unsigned long needed, counted;
		ck_assert_int_eq(make_anew(engine, &shapes[s], 0, &needed), CLPAC_OK);
		ck_assert_uint_gt(needed, 0);
		for (unsigned long number = 1; number <= needed; number++)
			ck_assert_int_eq(make_anew(engine, &shapes[s], number, &counted), CLPAC_ERROR_NO_MEMORY);
	}
}

const char *skip_reason(void)
{
	return targets_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("host FFT engines");
	/* Engines are independent of the instruction set: the first two targets are one and three threads. */
	fft_add_laws(s, fft_pairs_find("native", 2), 100);
	TCase *t = tcase_create("native");
	tcase_add_loop_test(t, the_number_of_threads_changes_no_bit, 0, n_host_engines());
	tcase_add_loop_test(t, the_instruction_set_changes_no_bit, 0, n_host_engines());
	tcase_add_loop_test(t, rows_that_are_not_aligned_are_transformed_alike, 0, n_host_engines());
	tcase_add_loop_test(t, blocks_that_are_too_small_are_refused, 0, n_host_engines());
	tcase_add_loop_test(t, each_failing_allocation_is_an_error_that_leaves_nothing, 0, n_host_engines());
	suite_add_tcase(s, t);
	return s;
}
