/* Shared by the laws of FFT engines: an engine opened on a target, transforms of host arrays, and errors relative to
 * the result.
 *
 * Tolerances bound the root sum of squares of the error, relative to the result's.  For a radix-2 transform with
 * correctly rounded factors that is at most log2(n) * 6.7 u, u = 2^-24 (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., theorem 24.2: eta = mu + gamma_4 (sqrt 2 + mu)); other radices, and factors that are off by a
 * unit or two, at most double it.  So: 13 u log2(n), which for n = 4096 is 9e-6; measured errors are a twentieth of it.
 * Bluestein's algorithm makes three transforms of at most four times the length. */
#ifndef CLPAC_TESTS_FFT_BENCH_H
#define CLPAC_TESTS_FFT_BENCH_H

#include "test_thread.h"
#include <stdbool.h>
#include <stddef.h>

#include "coupling/fft/engine.h"

typedef struct fft_bench {
	clpac__queue *queue;
	const clpac__queue_operations *on;
	const clpac__fft_engine *engine;
	clpac_error err;
} fft_bench;

/* The engine that is open; one at a time. */
extern fft_bench bench;

/* Opens pair i of those that fft_pairs_find (fft_laws.h) found. */
void bench_open(int pair);
void bench_close(void);

#define BENCH_OK(call)                                                                                                 \
	ck_assert_msg((call) == CLPAC_OK, "%s, %s: %s", bench.engine->name, bench.queue->device.name, bench.err.text)

typedef struct complex_float {
	float re, im;
} complex_float;

clpac__block *bench_block(size_t bytes);

/* A transform and its workspace, which has the tables in it; NULL where it needs none.  The block is a part of a larger
 * one where the queue has parts. */
typedef struct bench_transform {
	clpac__fft *fft;
	clpac__block *workspace, *around;
} bench_transform;
bench_transform bench_make(const clpac__fft_shape *shape);
void bench_unmake(bench_transform *transform);

/* Spectra of real rows, half = length / 2 + 1 values each; the smallest strides that keep rows aligned. */
void bench_forward(size_t length, size_t rows, const float *x, complex_float *spectrum);
void bench_inverse(size_t length, size_t rows, complex_float *z); /* in place */

/* Whether the engine accepts a length; a refusal must name both in its text, or the test fails. */
bool bench_accepts(clpac__fft_direction direction, size_t length, size_t rows);

/* Root sum of squares of a - b, relative to that of b. */
double distance(const float *a, const double *b, size_t n);

/* exp(+2 pi i k / n) for k < n. */
long double (*circle(size_t n))[2];

double tolerance(size_t n);

#define CLOSE(got, expected, n_floats, length, what)                                                                   \
	do {                                                                                                           \
		double off_ = distance((const float *)(got), (expected), (n_floats));                                  \
		ck_assert_msg(off_ <= tolerance(length), "%s of %s, length %zu: off by %.3g, at most %.3g", what,      \
			      bench.engine->name, (size_t)(length), off_, tolerance(length));                          \
	} while (0)

#endif
