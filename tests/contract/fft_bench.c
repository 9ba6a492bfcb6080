/* Transforms of host arrays by an engine, for the laws of engines. */
#include "fft_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fft_laws.h"
#include "targets.h"
#include "coupling/registry/registry.h"

fft_bench bench;

typedef struct pair {
	size_t target;
	const clpac__fft_engine *engine;
} pair;

enum { MAX_PAIRS = 64 };
static pair pairs[MAX_PAIRS];

size_t fft_pairs_find(const char *backend, size_t n_targets)
{
	const char *wanted = getenv("CLPAC_TEST_FFT");
	size_t n = 0;
	for (size_t i = 0; i < n_targets; i++)
		for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
			if (strcmp((*engine)->backend, backend) == 0 && n < MAX_PAIRS &&
			    (!wanted || strcmp((*engine)->name, wanted) == 0) &&
			    target_takes(targets_get(i), (*engine)->name))
				pairs[n++] = (pair){i, *engine};
	return n;
}

void bench_open(int i)
{
	bench.queue = target_open(targets_get(pairs[i].target));
	bench.on = bench.queue->operations;
	bench.engine = pairs[i].engine;
}

void bench_close(void)
{
	bench.on->close(bench.queue);
}

clpac__block *bench_block(size_t bytes)
{
	clpac__block *block = NULL;
	BENCH_OK(bench.on->create(bench.queue, bytes, &block, &bench.err));
	return block;
}

bench_transform bench_make(const clpac__fft_shape *shape)
{
	bench_transform made = {0};
	const size_t align = bench.queue->part_alignment > 64 ? bench.queue->part_alignment : 64;
	BENCH_OK(bench.engine->create(bench.queue, shape, &made.fft, &bench.err));
	const size_t tables = bench.engine->table_bytes ? bench.engine->table_bytes(made.fft) : 0;
	const size_t bytes = bench.engine->workspace_bytes(made.fft), tables_at = clpac__round_up(bytes, align);
	const size_t all = tables ? tables_at + tables : bytes;
	if (!all)
		return made;
	if (bench.queue->has_no_parts) {
		made.workspace = bench_block(all);
	} else {
		made.around = bench_block(align + all);
		BENCH_OK(bench.on->create_part(bench.queue, made.around, align, all, &made.workspace, &bench.err));
	}
	if (tables)
		BENCH_OK(bench.engine->write_tables(made.fft, made.workspace, tables_at, &bench.err));
	return made;
}

void bench_unmake(bench_transform *transform)
{
	bench.engine->destroy(transform->fft);
	bench.on->release(bench.queue, transform->workspace);
	bench.on->release(bench.queue, transform->around);
	*transform = (bench_transform){0};
}

void bench_forward(size_t length, size_t rows, const float *x, complex_float *spectrum)
{
	size_t half = length / 2 + 1, stride = (half + 15) / 16 * 16;
	clpac__block *in = bench_block(rows * length * 4), *out = bench_block(rows * stride * 8);
	bench_transform made = bench_make(&(clpac__fft_shape){CLPAC__FFT_FORWARD, length, rows, length, stride});
	BENCH_OK(bench.on->write(bench.queue, in, 0, rows * length * 4, x, &bench.err));
	BENCH_OK(bench.engine->run(made.fft, in, out, made.workspace, rows, &bench.err));
	for (size_t r = 0; r < rows; r++)
		BENCH_OK(bench.on->read(bench.queue, out, r * stride * 8, half * 8, spectrum + r * half, &bench.err));
	bench_unmake(&made);
	bench.on->release(bench.queue, in);
	bench.on->release(bench.queue, out);
}

void bench_inverse(size_t length, size_t rows, complex_float *z)
{
	clpac__block *block = bench_block(rows * length * 8);
	bench_transform made = bench_make(&(clpac__fft_shape){CLPAC__FFT_INVERSE, length, rows, 0, 0});
	BENCH_OK(bench.on->write(bench.queue, block, 0, rows * length * 8, z, &bench.err));
	BENCH_OK(bench.engine->run(made.fft, block, block, made.workspace, rows, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, block, 0, rows * length * 8, z, &bench.err));
	bench_unmake(&made);
	bench.on->release(bench.queue, block);
}

bool bench_accepts(clpac__fft_direction direction, size_t length, size_t rows)
{
	const clpac__fft_shape shape = {direction, length, rows, length, length / 2 + 1};
	clpac__fft *fft = NULL;
	clpac_status st = bench.engine->accepts(bench.queue, &shape, &bench.err);
	if (st == CLPAC_OK)
		return true;
	char number[32];
	snprintf(number, sizeof number, "%zu", length);
	ck_assert_ptr_nonnull(strstr(bench.err.text, bench.engine->name));
	ck_assert_ptr_nonnull(strstr(bench.err.text, number));
	ck_assert_int_eq(bench.engine->create(bench.queue, &shape, &fft, &bench.err), st);
	ck_assert_ptr_null(fft);
	return false;
}

double distance(const float *a, const double *b, size_t n)
{
	double error = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		double d = a[i] - b[i];
		error += d * d;
		size += b[i] * b[i];
	}
	return sqrt(error / size);
}

long double (*circle(size_t n))[2]
{
	long double(*w)[2] = malloc(n * sizeof *w);
	const long double turn = 2 * acosl(-1.0L);
	for (size_t k = 0; k < n; k++) {
		w[k][0] = cosl(turn * (long double)k / (long double)n);
		w[k][1] = sinl(turn * (long double)k / (long double)n);
	}
	return w;
}

double tolerance(size_t n)
{
	return 13 * 0x1p-24 * log2(n < 2 ? 2.0 : (double)n);
}
