/* What src/fft/engine.h promises.
 *
 * Tolerances are of the error's root sum of squares relative to the result's.  For a radix-2 transform with correctly
 * rounded factors that is at most log2(n) * 6.7 u, u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
 * ed., theorem 24.2: eta = mu + gamma_4 (sqrt 2 + mu)); other radices and factors that are off by a unit or two cost less
 * than as much again.  So: 13 u log2(n), which for n = 4096 is 9e-6; real errors are a twentieth of it. */
#include "fft_laws.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fft/engine.h"
#include "targets.h"

typedef struct pair {
	size_t target;
	const clpac__fft_engine *engine;
} pair;

enum { MAX_PAIRS = 64 };
static pair pairs[MAX_PAIRS];

/* Found once; engines for which a backend has no device are not in it. */
size_t fft_pairs_find(const char *backend, size_t n_targets)
{
	size_t n = 0;
	for (size_t i = 0; i < n_targets; i++)
		for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
			if (strcmp((*engine)->backend, backend) == 0 && n < MAX_PAIRS)
				pairs[n++] = (pair){i, *engine};
	return n;
}

static clpac__queue *queue;
static const clpac__queue_operations *on;
static const clpac__fft_engine *engine;
static clpac_error err;

static void open_pair(int i)
{
	queue = target_open(targets_get(pairs[i].target));
	on = queue->operations;
	engine = pairs[i].engine;
}

static void close_pair(void)
{
	on->close(queue);
}

#define OK(call) ck_assert_msg((call) == CLPAC_OK, "%s, %s: %s", engine->name, queue->device.name, err.text)

static double tolerance(size_t n)
{
	return 13 * 0x1p-24 * log2((double)n);
}

typedef struct complex_float {
	float re, im;
} complex_float;

static clpac__block *make(size_t bytes)
{
	clpac__block *block = NULL;
	OK(on->create(queue, bytes, &block, &err));
	return block;
}

static clpac__fft *transform(clpac__fft_direction direction, size_t length, size_t rows, size_t stride_real,
			     size_t stride_spectrum, clpac__block **workspace)
{
	clpac__fft *fft = NULL;
	clpac__fft_shape shape = {direction, length, rows, stride_real, stride_spectrum};
	OK(engine->create(queue, &shape, &fft, &err));
	size_t bytes = engine->workspace_bytes(fft);
	*workspace = bytes ? make(bytes) : NULL;
	return fft;
}

/* Spectra of real rows; strides as small as they may be, but rows aligned. */
static void forward(size_t length, size_t rows, const float *x, complex_float *spectrum)
{
	size_t half = length / 2 + 1, stride = (half + 15) / 16 * 16;
	clpac__block *in = make(rows * length * 4), *out = make(rows * stride * 8), *workspace;
	clpac__fft *fft = transform(CLPAC__FFT_FORWARD, length, rows, length, stride, &workspace);
	OK(on->write(queue, in, 0, rows * length * 4, x, &err));
	OK(engine->run(fft, in, out, workspace, rows, &err));
	for (size_t r = 0; r < rows; r++)
		OK(on->read(queue, out, r * stride * 8, half * 8, spectrum + r * half, &err));
	engine->destroy(fft);
	on->release(queue, workspace);
	on->release(queue, in);
	on->release(queue, out);
}

static void inverse(size_t length, size_t rows, complex_float *z)
{
	clpac__block *block = make(rows * length * 8), *workspace;
	clpac__fft *fft = transform(CLPAC__FFT_INVERSE, length, rows, 0, 0, &workspace);
	OK(on->write(queue, block, 0, rows * length * 8, z, &err));
	OK(engine->run(fft, block, block, workspace, rows, &err));
	OK(on->read(queue, block, 0, rows * length * 8, z, &err));
	engine->destroy(fft);
	on->release(queue, workspace);
	on->release(queue, block);
}

static float *random_floats(size_t n, unsigned seed)
{
	float *x = malloc(n * sizeof *x);
	for (size_t i = 0; i < n; i++)
		x[i] = random_unit(&seed);
	return x;
}

/* Root sum of squares of a - b relative to that of b. */
static double distance(const float *a, const double *b, size_t n)
{
	double error = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		double d = a[i] - b[i];
		error += d * d;
		size += b[i] * b[i];
	}
	return sqrt(error / size);
}

#define CLOSE(got, expected, n_floats, length, what)                                                             \
	do {                                                                                                     \
		double off_ = distance((const float *)(got), (expected), (n_floats));                            \
		ck_assert_msg(off_ <= tolerance(length), "%s of %s, length %zu: off by %.3g, at most %.3g", what, \
			      engine->name, (size_t)(length), off_, tolerance(length));                          \
	} while (0)

/* exp(+2 pi i k / n) for k < n. */
static long double (*circle(size_t n))[2]
{
	long double(*w)[2] = malloc(n * sizeof *w);
	const long double turn = 2 * acosl(-1.0L);
	for (size_t k = 0; k < n; k++) {
		w[k][0] = cosl(turn * (long double)k / (long double)n);
		w[k][1] = sinl(turn * (long double)k / (long double)n);
	}
	return w;
}

/* Lengths that each engine is tried with: what its next_length makes of these. */
static const size_t wishes[] = {1000, 16, 17, 33, 49, 65, 100, 130, 200, 250, 300, 400, 500};
enum { N_WISHES = sizeof wishes / sizeof *wishes };
static size_t n_tried;

static size_t length_of(int i)
{
	return engine->next_length(wishes[(size_t)i % n_tried]);
}

/* Loop tests run over pairs x lengths. */
#define OPEN(i) open_pair((i) / (int)n_tried)

START_TEST(the_next_length_is_long_enough_and_a_multiple_of_16)
{
	open_pair(_i);
	for (size_t n = 1; n < 100000; n += 1 + n / 50) {
		size_t length = engine->next_length(n);
		ck_assert_uint_ge(length, n);
		ck_assert_uint_eq(length % 16, 0);
		ck_assert_uint_eq(engine->next_length(length), length);
		ck_assert_uint_le(length, 2 * n + 15);
	}
	close_pair();
}
END_TEST

START_TEST(forward_is_the_definition)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1;
	float *x = random_floats(n, 1);
	complex_float *got = malloc(half * sizeof *got);
	double *expected = malloc(2 * half * sizeof *expected);
	long double(*w)[2] = circle(n);
	for (size_t k = 0; k < half; k++) {
		long double re = 0, im = 0;
		for (size_t t = 0; t < n; t++) {
			re += x[t] * w[k * t % n][0];
			im -= x[t] * w[k * t % n][1];
		}
		expected[2 * k] = (double)re;
		expected[2 * k + 1] = (double)im;
	}
	forward(n, 1, x, got);
	CLOSE(got, expected, 2 * half, n, "forward");
	free(w);
	free(expected);
	free(got);
	free(x);
	close_pair();
}
END_TEST

START_TEST(inverse_is_the_definition)
{
	OPEN(_i);
	size_t n = length_of(_i);
	float *z = random_floats(2 * n, 2);
	double *expected = malloc(2 * n * sizeof *expected);
	long double(*w)[2] = circle(n);
	for (size_t t = 0; t < n; t++) {
		long double re = 0, im = 0;
		for (size_t k = 0; k < n; k++) {
			const long double *f = w[k * t % n];
			re += z[2 * k] * f[0] - z[2 * k + 1] * f[1];
			im += z[2 * k] * f[1] + z[2 * k + 1] * f[0];
		}
		expected[2 * t] = (double)re;
		expected[2 * t + 1] = (double)im;
	}
	inverse(n, 1, (complex_float *)z);
	CLOSE(z, expected, 2 * n, n, "inverse");
	free(w);
	free(expected);
	free(z);
	close_pair();
}
END_TEST

START_TEST(an_impulse_becomes_a_wave)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1, rows = 3, at[] = {0, 1, n - 5};
	float *x = calloc(rows * n, sizeof *x);
	complex_float *got = malloc(rows * half * sizeof *got);
	double *expected = malloc(2 * rows * half * sizeof *expected);
	long double(*w)[2] = circle(n);
	for (size_t r = 0; r < rows; r++) {
		x[r * n + at[r]] = 1;
		for (size_t k = 0; k < half; k++) {
			expected[2 * (r * half + k)] = (double)w[k * at[r] % n][0];
			expected[2 * (r * half + k) + 1] = -(double)w[k * at[r] % n][1];
		}
	}
	forward(n, rows, x, got);
	CLOSE(got, expected, 2 * rows * half, n, "impulse");
	free(w);
	free(expected);
	free(got);
	free(x);
	close_pair();
}
END_TEST

START_TEST(a_sum_becomes_the_sum)
{
	/* Row 2 is 3 x row 0 + row 1: transformed as they are and added up here. */
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1;
	float *x = random_floats(3 * n, 3);
	for (size_t t = 0; t < n; t++)
		x[2 * n + t] = 3 * x[t] + x[n + t];
	complex_float *got = malloc(3 * half * sizeof *got);
	double *expected = malloc(2 * half * sizeof *expected);
	forward(n, 3, x, got);
	const float *f = (const float *)got;
	for (size_t i = 0; i < 2 * half; i++)
		expected[i] = 3.0 * f[i] + f[2 * half + i];
	/* Three transforms' errors, and the rounding of the input, u: within twice the tolerance of one. */
	double off = distance(f + 4 * half, expected, 2 * half);
	ck_assert_msg(off <= 2 * tolerance(n), "linearity of %s, length %zu: off by %.3g", engine->name, n, off);
	free(expected);
	free(got);
	free(x);
	close_pair();
}
END_TEST

START_TEST(a_shift_turns_the_phase)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1, shift = 1 + n / 3;
	float *x = random_floats(2 * n, 4);
	for (size_t t = 0; t < n; t++)
		x[n + (t + shift) % n] = x[t];
	complex_float *got = malloc(2 * half * sizeof *got);
	double *expected = malloc(2 * half * sizeof *expected);
	long double(*w)[2] = circle(n);
	forward(n, 2, x, got);
	for (size_t k = 0; k < half; k++) {
		double c = (double)w[k * shift % n][0], s = (double)w[k * shift % n][1];
		expected[2 * k] = got[k].re * c + got[k].im * s;
		expected[2 * k + 1] = got[k].im * c - got[k].re * s;
	}
	double off = distance((const float *)(got + half), expected, 2 * half);
	ck_assert_msg(off <= 2 * tolerance(n), "shift of %s, length %zu: off by %.3g", engine->name, n, off);
	free(w);
	free(expected);
	free(got);
	free(x);
	close_pair();
}
END_TEST

START_TEST(the_energy_is_kept)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1;
	float *x = random_floats(n, 5);
	complex_float *got = malloc(half * sizeof *got);
	forward(n, 1, x, got);
	double before = 0, after = 0;
	for (size_t t = 0; t < n; t++)
		before += (double)x[t] * x[t];
	for (size_t k = 0; k < half; k++) {
		double sides = k == 0 || 2 * k == n ? 1 : 2;
		after += sides * ((double)got[k].re * got[k].re + (double)got[k].im * got[k].im);
	}
	/* Energies are squares: twice the relative error. */
	ck_assert_double_le(fabs(after / (double)n / before - 1), 2 * tolerance(n));
	free(got);
	free(x);
	close_pair();
}
END_TEST

/* The rows of a real signal there and back: real part n x, imaginary part 0. */
static void there_and_back(size_t n, size_t rows, unsigned seed)
{
	size_t half = n / 2 + 1;
	float *x = random_floats(rows * n, seed);
	complex_float *spectrum = malloc(rows * half * sizeof *spectrum), *z = malloc(rows * n * sizeof *z);
	double *expected = calloc(2 * rows * n, sizeof *expected);
	forward(n, rows, x, spectrum);
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < n; k++) {
			complex_float s = spectrum[r * half + (k < half ? k : n - k)];
			z[r * n + k] = (complex_float){s.re, k < half ? s.im : -s.im};
			expected[2 * (r * n + k)] = (double)n * x[r * n + k];
		}
	inverse(n, rows, z);
	double off = distance((const float *)z, expected, 2 * rows * n);
	ck_assert_msg(off <= 2 * tolerance(n), "there and back by %s, %zu rows of %zu: off by %.3g", engine->name, rows, n,
		      off);
	free(expected);
	free(z);
	free(spectrum);
	free(x);
}

START_TEST(inverse_undoes_forward)
{
	OPEN(_i);
	there_and_back(length_of(_i), 1 + (size_t)_i % 7, 6);
	close_pair();
}
END_TEST

START_TEST(long_rows_are_transformed_too)
{
	open_pair(_i);
	there_and_back(engine->next_length(70000), 2, 7);
	if (n_tried > 1)
		there_and_back(engine->next_length(300000), 1, 8);
	close_pair();
}
END_TEST

START_TEST(a_few_frequencies_of_a_long_row_are_the_definition)
{
	open_pair(_i);
	size_t n = engine->next_length(40000), half = n / 2 + 1;
	float *x = random_floats(n, 9);
	complex_float *got = malloc(half * sizeof *got);
	long double(*w)[2] = circle(n);
	forward(n, 1, x, got);
	/* A spectrum of noise is flat: each value's error is about the whole one's, tolerance x its size sqrt(n/3), and a
	 * tenfold of it is beyond chance. */
	double allowed = 10 * tolerance(n) * sqrt((double)n / 3);
	static const size_t ks[] = {0, 1, 2, 3, 1000, 4097, 9999, 16384, 19999};
	for (size_t i = 0; i <= sizeof ks / sizeof *ks; i++) {
		size_t k = i < sizeof ks / sizeof *ks ? ks[i] : half - 1;
		long double re = 0, im = 0;
		for (size_t t = 0; t < n; t++) {
			re += x[t] * w[k * t % n][0];
			im -= x[t] * w[k * t % n][1];
		}
		ck_assert_double_le(fabs((double)(got[k].re - re)), allowed);
		ck_assert_double_le(fabs((double)(got[k].im - im)), allowed);
	}
	free(w);
	free(got);
	free(x);
	close_pair();
}
END_TEST

START_TEST(strides_are_kept_and_gaps_untouched)
{
	/* Rows further apart than they are long, fewer of them than the transform was made for. */
	open_pair(_i);
	size_t n = engine->next_length(240), half = n / 2 + 1, rows = 4, made_for = 6;
	size_t stride_real = n + 32, stride_spectrum = (half + 15) / 16 * 16 + 16;
	size_t in_floats = made_for * stride_real, out_floats = made_for * stride_spectrum * 2;
	float *x = random_floats(in_floats, 10), *packed = malloc(rows * n * sizeof *packed);
	float *got = malloc(out_floats * sizeof *got), *after = malloc(in_floats * sizeof *after);
	complex_float *expected = malloc(rows * half * sizeof *expected);
	for (size_t r = 0; r < rows; r++)
		memcpy(packed + r * n, x + r * stride_real, n * sizeof *x);
	forward(n, rows, packed, expected);

	clpac__block *in = make(in_floats * 4), *out = make(out_floats * 4), *workspace;
	clpac__fft *fft = transform(CLPAC__FFT_FORWARD, n, made_for, stride_real, stride_spectrum, &workspace);
	OK(on->write(queue, in, 0, in_floats * 4, x, &err));
	OK(on->fill(queue, out, 0, out_floats * 4, 0x55, &err));
	for (int again = 0; again < 2; again++)
		OK(engine->run(fft, in, out, workspace, rows, &err));
	OK(on->read(queue, out, 0, out_floats * 4, got, &err));
	OK(on->read(queue, in, 0, in_floats * 4, after, &err));
	ck_assert_mem_eq(after, x, in_floats * 4);
	for (size_t r = 0; r < rows; r++) {
		double row[1024];
		for (size_t i = 0; i < 2 * half; i++)
			row[i] = ((float *)(expected + r * half))[i];
		ck_assert_double_le(distance(got + 2 * r * stride_spectrum, row, 2 * half), 2 * tolerance(n));
		for (size_t i = 2 * half; i < 2 * stride_spectrum; i++) {
			uint32_t bits;
			memcpy(&bits, got + 2 * r * stride_spectrum + i, 4);
			ck_assert_uint_eq(bits, 0x55555555);
		}
	}
	engine->destroy(fft);
	on->release(queue, workspace);
	on->release(queue, in);
	on->release(queue, out);
	free(expected);
	free(after);
	free(got);
	free(packed);
	free(x);
	close_pair();
}
END_TEST

START_TEST(two_transforms_of_a_queue_do_not_disturb_each_other)
{
	open_pair(_i);
	size_t n = engine->next_length(128), half = n / 2 + 1, stride = (half + 15) / 16 * 16;
	float *x = random_floats(2 * n, 11);
	float *z = random_floats(2 * n, 12), *back = malloc(2 * n * sizeof *back);
	complex_float *first = malloc(half * sizeof *first), *second = malloc(half * sizeof *second);
	clpac__block *in = make(n * 4), *out = make(stride * 8), *both = make(n * 8), *work[2];
	clpac__fft *there = transform(CLPAC__FFT_FORWARD, n, 1, n, stride, &work[0]);
	clpac__fft *here = transform(CLPAC__FFT_INVERSE, n, 1, 0, 0, &work[1]);
	OK(on->write(queue, in, 0, n * 4, x, &err));
	OK(engine->run(there, in, out, work[0], 1, &err));
	OK(on->read(queue, out, 0, half * 8, first, &err));
	OK(on->write(queue, both, 0, n * 8, z, &err));
	OK(engine->run(here, both, both, work[1], 1, &err));
	OK(engine->run(there, in, out, work[0], 1, &err));
	OK(on->read(queue, out, 0, half * 8, second, &err));
	ck_assert_mem_eq(first, second, half * 8);
	engine->destroy(there);
	OK(on->read(queue, both, 0, n * 8, back, &err));
	OK(on->write(queue, both, 0, n * 8, z, &err));
	OK(engine->run(here, both, both, work[1], 1, &err));
	OK(on->read(queue, both, 0, n * 8, z, &err));
	ck_assert_mem_eq(z, back, n * 8);
	engine->destroy(here);
	engine->destroy(NULL);
	for (int i = 0; i < 2; i++)
		on->release(queue, work[i]);
	on->release(queue, in);
	on->release(queue, out);
	on->release(queue, both);
	free(second);
	free(first);
	free(back);
	free(z);
	free(x);
	close_pair();
}
END_TEST

START_TEST(a_wrong_shape_is_refused)
{
	open_pair(_i);
	static const clpac__fft_shape wrong[] = {
		{CLPAC__FFT_FORWARD, 0, 1, 16, 16},      {CLPAC__FFT_FORWARD, 17, 1, 32, 16},
		{CLPAC__FFT_FORWARD, 64, 1, 63, 33},     {CLPAC__FFT_FORWARD, 64, 1, 64, 32},
		{CLPAC__FFT_INVERSE, 0, 1, 0, 0},        {CLPAC__FFT_INVERSE, 33, 1, 0, 0},
		{CLPAC__FFT_INVERSE, (size_t)1 << 40, 1, 0, 0}, {CLPAC__FFT_FORWARD, 64, 0, 64, 33},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		clpac__fft *fft = NULL;
		err = (clpac_error){0};
		ck_assert_int_eq(engine->create(queue, &wrong[i], &fft, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(fft);
		ck_assert_ptr_nonnull(strstr(err.text, engine->name));
	}
	close_pair();
}
END_TEST

START_TEST(more_rows_than_made_for_are_refused)
{
	open_pair(_i);
	size_t n = engine->next_length(64);
	clpac__block *block = make(8 * n * 8), *workspace;
	clpac__fft *fft = transform(CLPAC__FFT_INVERSE, n, 2, 0, 0, &workspace);
	ck_assert_int_eq(engine->run(fft, block, block, workspace, 3, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(engine->run(fft, NULL, block, workspace, 1, &err), CLPAC_ERROR_ARGUMENT);
	engine->destroy(fft);
	on->release(queue, workspace);
	on->release(queue, block);
	close_pair();
}
END_TEST

START_TEST(engines_are_found_by_name)
{
	open_pair(_i);
	const clpac__fft_engine *found = NULL;
	OK(clpac__fft_engine_find(engine->name, queue, &found, &err));
	ck_assert_ptr_eq(found, engine);
	static const char *const automatic[] = {NULL, "", "auto"};
	for (int i = 0; i < 3; i++) {
		OK(clpac__fft_engine_find(automatic[i], queue, &found, &err));
		ck_assert_str_eq(found->backend, queue->device.backend);
	}
	found = NULL;
	ck_assert_int_eq(clpac__fft_engine_find("slowft", queue, &found, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(found);
	ck_assert_ptr_nonnull(strstr(err.text, "\"slowft\""));
	ck_assert_ptr_nonnull(strstr(err.text, engine->name));
	const char *elsewhere = strcmp(queue->device.backend, "native") == 0 ? "clfft" : "fftw";
	ck_assert_int_eq(clpac__fft_engine_find(elsewhere, queue, &found, &err), CLPAC_ERROR_ARGUMENT);
	close_pair();
}
END_TEST

TCase *fft_laws(size_t n_pairs, size_t n_lengths)
{
	static const TTest *const *const per_length[] = {
		&forward_is_the_definition, &inverse_is_the_definition, &an_impulse_becomes_a_wave, &a_sum_becomes_the_sum,
		&a_shift_turns_the_phase,   &the_energy_is_kept,        &inverse_undoes_forward,
	};
	static const TTest *const *const per_pair[] = {
		&the_next_length_is_long_enough_and_a_multiple_of_16,
		&long_rows_are_transformed_too,
		&a_few_frequencies_of_a_long_row_are_the_definition,
		&strides_are_kept_and_gaps_untouched,
		&two_transforms_of_a_queue_do_not_disturb_each_other,
		&a_wrong_shape_is_refused,
		&more_rows_than_made_for_are_refused,
		&engines_are_found_by_name,
	};
	n_tried = n_lengths < N_WISHES ? n_lengths : N_WISHES;
	TCase *t = tcase_create("fft");
	for (size_t i = 0; i < sizeof per_length / sizeof *per_length; i++)
		tcase_add_loop_test(t, *per_length[i], 0, (int)(n_pairs * n_tried));
	for (size_t i = 0; i < sizeof per_pair / sizeof *per_pair; i++)
		tcase_add_loop_test(t, *per_pair[i], 0, (int)n_pairs);
	return t;
}
