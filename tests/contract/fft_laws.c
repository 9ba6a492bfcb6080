/* The promises of src/coupling/fft/engine.h, at lengths that engines choose for themselves. */
#include "fft_laws.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "fft_bench.h"
#include "noise.h"
#include "coupling/registry/registry.h"

/* Lengths that each engine is tested at: its next_length of these. */
static const size_t wishes[] = {1000, 16, 17, 33, 49, 65, 100, 130, 200, 250, 300, 400, 500};
enum { N_WISHES = COUNT(wishes) };
static size_t n_tried;

static size_t length_of(int i)
{
	return bench.engine->next_length(wishes[(size_t)i % n_tried]);
}

/* Loop tests run over pairs x lengths. */
#define OPEN(i) bench_open((i) / (int)n_tried)

START_TEST(the_next_length_is_long_enough_and_a_multiple_of_16)
{
	bench_open(_i);
	for (size_t n = 1; n < 100000; n += 1 + n / 50) {
		size_t length = bench.engine->next_length(n);
		ck_assert_uint_ge(length, n);
		ck_assert_uint_eq(length % 16, 0);
		ck_assert_uint_eq(bench.engine->next_length(length), length);
		ck_assert_uint_le(length, 2 * n + 15);
	}
	bench_close();
}

START_TEST(forward_is_the_definition)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1;
	float *x = make_noise(1, n);
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
	bench_forward(n, 1, x, got);
	CLOSE(got, expected, 2 * half, n, "forward");
	free(w);
	free(expected);
	free(got);
	free(x);
	bench_close();
}

START_TEST(inverse_is_the_definition)
{
	OPEN(_i);
	size_t n = length_of(_i);
	float *z = make_noise(2, 2 * n);
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
	bench_inverse(n, 1, (complex_float *)z);
	CLOSE(z, expected, 2 * n, n, "inverse");
	free(w);
	free(expected);
	free(z);
	bench_close();
}

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
	bench_forward(n, rows, x, got);
	CLOSE(got, expected, 2 * rows * half, n, "impulse");
	free(w);
	free(expected);
	free(got);
	free(x);
	bench_close();
}

START_TEST(a_sum_becomes_the_sum)
{
	/* Row 2 is 3 x row 0 + row 1: transformed like any row, and added up here. */
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1;
	float *x = make_noise(3, 3 * n);
	for (size_t t = 0; t < n; t++)
		x[2 * n + t] = 3 * x[t] + x[n + t];
	complex_float *got = malloc(3 * half * sizeof *got);
	double *expected = malloc(2 * half * sizeof *expected);
	bench_forward(n, 3, x, got);
	const float *f = (const float *)got;
	for (size_t i = 0; i < 2 * half; i++)
		expected[i] = 3.0 * f[i] + f[2 * half + i];
	/* Errors of three transforms and the rounding of the input, u: within twice the tolerance of one. */
	double off = distance(f + 4 * half, expected, 2 * half);
	ck_assert_msg(off <= 2 * tolerance(n), "linearity of %s, length %zu: off by %.3g", bench.engine->name, n, off);
	free(expected);
	free(got);
	free(x);
	bench_close();
}

START_TEST(a_shift_turns_the_phase)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1, shift = 1 + n / 3;
	float *x = make_noise(4, 2 * n);
	for (size_t t = 0; t < n; t++)
		x[n + (t + shift) % n] = x[t];
	complex_float *got = malloc(2 * half * sizeof *got);
	double *expected = malloc(2 * half * sizeof *expected);
	long double(*w)[2] = circle(n);
	bench_forward(n, 2, x, got);
	for (size_t k = 0; k < half; k++) {
		double c = (double)w[k * shift % n][0], s = (double)w[k * shift % n][1];
		expected[2 * k] = got[k].re * c + got[k].im * s;
		expected[2 * k + 1] = got[k].im * c - got[k].re * s;
	}
	double off = distance((const float *)(got + half), expected, 2 * half);
	ck_assert_msg(off <= 2 * tolerance(n), "shift of %s, length %zu: off by %.3g", bench.engine->name, n, off);
	free(w);
	free(expected);
	free(got);
	free(x);
	bench_close();
}

START_TEST(the_energy_is_kept)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1;
	float *x = make_noise(5, n);
	complex_float *got = malloc(half * sizeof *got);
	bench_forward(n, 1, x, got);
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
	bench_close();
}

/* The rows of a real signal, forward and back: real part n x, imaginary part 0. */
static void there_and_back(size_t n, size_t rows, unsigned seed)
{
	size_t half = n / 2 + 1;
	float *x = make_noise(seed, rows * n);
	complex_float *spectrum = malloc(rows * half * sizeof *spectrum), *z = malloc(rows * n * sizeof *z);
	double *expected = calloc(2 * rows * n, sizeof *expected);
	bench_forward(n, rows, x, spectrum);
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < n; k++) {
			complex_float s = spectrum[r * half + (k < half ? k : n - k)];
			z[r * n + k] = (complex_float){s.re, k < half ? s.im : -s.im};
			expected[2 * (r * n + k)] = (double)n * x[r * n + k];
		}
	bench_inverse(n, rows, z);
	double off = distance((const float *)z, expected, 2 * rows * n);
	ck_assert_msg(off <= 2 * tolerance(n), "there and back by %s, %zu rows of %zu: off by %.3g", bench.engine->name,
		      rows, n, off);
	free(expected);
	free(z);
	free(spectrum);
	free(x);
}

START_TEST(inverse_undoes_forward)
{
	OPEN(_i);
	there_and_back(length_of(_i), 1 + (size_t)_i % 7, 6);
	bench_close();
}

START_TEST(long_rows_are_transformed_too)
{
	bench_open(_i);
	there_and_back(bench.engine->next_length(70000), 2, 7);
	if (n_tried > 1)
		there_and_back(bench.engine->next_length(300000), 1, 8);
	bench_close();
}

START_TEST(a_few_frequencies_of_a_long_row_are_the_definition)
{
	bench_open(_i);
	size_t n = bench.engine->next_length(40000), half = n / 2 + 1;
	float *x = make_noise(9, n);
	complex_float *got = malloc(half * sizeof *got);
	long double(*w)[2] = circle(n);
	bench_forward(n, 1, x, got);
	/* A spectrum of noise is flat: each value's error is about that of the whole, tolerance x its size sqrt(n/3),
	 * and ten times that is beyond chance. */
	double allowed = 10 * tolerance(n) * sqrt((double)n / 3);
	static const size_t ks[] = {0, 1, 2, 3, 1000, 4097, 9999, 16384, 19999};
	for (size_t i = 0; i <= COUNT(ks); i++) {
		size_t k = i < COUNT(ks) ? ks[i] : half - 1;
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
	bench_close();
}

START_TEST(strides_are_kept_and_gaps_untouched)
{
	/* Strides longer than the rows, and fewer rows than the transform was made for. */
	bench_open(_i);
	size_t n = bench.engine->next_length(240), half = n / 2 + 1, rows = 4, made_for = 6;
	size_t stride_real = n + 32, stride_spectrum = (half + 15) / 16 * 16 + 16;
	size_t in_floats = made_for * stride_real, out_floats = made_for * stride_spectrum * 2;
	float *x = make_noise(10, in_floats), *packed = malloc(rows * n * sizeof *packed);
	float *got = malloc(out_floats * sizeof *got), *after = malloc(in_floats * sizeof *after);
	complex_float *expected = malloc(rows * half * sizeof *expected);
	for (size_t r = 0; r < rows; r++)
		memcpy(packed + r * n, x + r * stride_real, n * sizeof *x);
	bench_forward(n, rows, packed, expected);

	clpac__block *in = bench_block(in_floats * 4), *out = bench_block(out_floats * 4);
	bench_transform made =
		bench_make(&(clpac__fft_shape){CLPAC__FFT_FORWARD, n, made_for, stride_real, stride_spectrum});
	BENCH_OK(bench.on->write(bench.queue, in, 0, in_floats * 4, x, &bench.err));
	BENCH_OK(bench.on->fill(bench.queue, out, 0, out_floats * 4, 0x55, &bench.err));
	for (int again = 0; again < 2; again++)
		BENCH_OK(bench.engine->run(made.fft, in, out, made.workspace, rows, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, out, 0, out_floats * 4, got, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, in, 0, in_floats * 4, after, &bench.err));
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
	bench_unmake(&made);
	bench.on->release(bench.queue, in);
	bench.on->release(bench.queue, out);
	free(expected);
	free(after);
	free(got);
	free(packed);
	free(x);
	bench_close();
}

/* A wide transform of real rows is the forward one before its half is copied; engines without any refuse it. */
START_TEST(wide_rows_are_the_forward_ones)
{
	OPEN(_i);
	size_t n = length_of(_i), half = n / 2 + 1, rows = 3;
	const clpac__fft_shape shape = {CLPAC__FFT_WIDE, n, rows, 0, 0};
	clpac__fft *fft = NULL;
	if (!bench.engine->is_wide) {
		ck_assert_int_eq(bench.engine->accepts(bench.queue, &shape, NULL), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(bench.engine->create(bench.queue, &shape, &fft, &bench.err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(fft);
		ck_assert_ptr_nonnull(strstr(bench.err.text, bench.engine->name));
		bench.err = (clpac_error){0};
		bench_close();
		return;
	}
	float *x = make_noise(13, rows * n);
	complex_float *expected = malloc(rows * half * sizeof *expected), *z = malloc(rows * n * sizeof *z);
	bench_forward(n, rows, x, expected);
	/* The others are the same whatever is in the last row. */
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < rows * n; i++)
			z[i] = (complex_float){again && i >= (rows - 1) * n ? NAN : x[i], 0};
		clpac__block *block = bench_block(rows * n * sizeof *z);
		bench_transform made = bench_make(&shape);
		BENCH_OK(bench.on->write(bench.queue, block, 0, rows * n * sizeof *z, z, &bench.err));
		BENCH_OK(bench.engine->run(made.fft, block, block, made.workspace, rows, &bench.err));
		BENCH_OK(bench.on->read(bench.queue, block, 0, rows * n * sizeof *z, z, &bench.err));
		for (size_t r = 0; r < rows - (size_t)again; r++)
			ck_assert_mem_eq(z + r * n, expected + r * half, half * sizeof *z);
		bench_unmake(&made);
		bench.on->release(bench.queue, block);
	}
	free(z);
	free(expected);
	free(x);
	bench_close();
}

/* Products of spectra and responses have the bits of rows that were multiplied before. */
START_TEST(bands_are_the_inverse_of_products)
{
	OPEN(_i);
	if (!bench.engine->run_bands) {
		ck_assert_str_ne(bench.engine->name, "lanes");
		bench_close();
		return;
	}
	enum { N = 3, BANDS = 2, FIRST = 1, RESPONSES = FIRST + BANDS };
	const size_t n = length_of(_i), rows = N * BANDS;
	float *spectra = make_noise(14, N * 2 * n), *responses = make_noise(15, RESPONSES * n);
	complex_float *expected = malloc(rows * n * sizeof *expected), *got = malloc(rows * n * sizeof *got);
	for (size_t row = 0; row < rows; row++)
		for (size_t k = 0; k < n; k++) {
			const float gain = responses[(FIRST + row % BANDS) * n + k],
				    *z = spectra + 2 * (row / BANDS * n + k);
			expected[row * n + k] = (complex_float){z[0] * gain, z[1] * gain};
		}
	bench_inverse(n, rows, expected);

	clpac__block *spectrum = bench_block(N * n * 8), *response = bench_block(RESPONSES * n * 4),
		     *output = bench_block(rows * n * 8), *small = bench_block(n * 4);
	bench_transform made = bench_make(&(clpac__fft_shape){CLPAC__FFT_INVERSE, n, rows, 0, 0});
	BENCH_OK(bench.on->write(bench.queue, spectrum, 0, N * n * 8, spectra, &bench.err));
	BENCH_OK(bench.on->write(bench.queue, response, 0, RESPONSES * n * 4, responses, &bench.err));
	const clpac__fft_bands bands = {spectrum, response, output, N, FIRST, BANDS};
	BENCH_OK(bench.engine->run_bands(made.fft, &bands, made.workspace, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, output, 0, rows * n * 8, got, &bench.err));
	ck_assert_mem_eq(got, expected, rows * n * sizeof *got);

	const clpac__fft_bands wrong[] = {
		{spectrum, response, output, N + 1, FIRST, BANDS},
		{NULL, response, output, N, FIRST, BANDS},
		{spectrum, NULL, output, N, FIRST, BANDS},
		{spectrum, response, NULL, N, FIRST, BANDS},
		{small, response, output, N, FIRST, BANDS},
		{spectrum, small, output, N, FIRST, BANDS},
		{spectrum, response, small, N, FIRST, BANDS},
		{spectrum, response, output, N, FIRST + 1, BANDS},
		{spectrum, response, output, N, SIZE_MAX - 1, BANDS},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		bench.err = (clpac_error){0};
		ck_assert_int_eq(bench.engine->run_bands(made.fft, &wrong[i], made.workspace, &bench.err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(bench.err.text, "lanes"));
	}
	ck_assert_int_eq(bench.engine->run_bands(made.fft, &bands, NULL, &bench.err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(bench.engine->run_bands(made.fft, &bands, small, &bench.err), CLPAC_ERROR_ARGUMENT);
	const clpac__fft_bands none = {spectrum, response, output, 0, FIRST, BANDS};
	bench.err = (clpac_error){0};
	BENCH_OK(bench.engine->run_bands(made.fft, &none, made.workspace, &bench.err));
	bench_unmake(&made);
	bench.on->release(bench.queue, spectrum);
	bench.on->release(bench.queue, response);
	bench.on->release(bench.queue, output);
	bench.on->release(bench.queue, small);
	free(got);
	free(expected);
	free(responses);
	free(spectra);
	bench_close();
}

START_TEST(two_transforms_of_a_queue_do_not_disturb_each_other)
{
	bench_open(_i);
	size_t n = bench.engine->next_length(128), half = n / 2 + 1, stride = (half + 15) / 16 * 16;
	float *x = make_noise(11, 2 * n);
	float *z = make_noise(12, 2 * n), *back = malloc(2 * n * sizeof *back);
	complex_float *first = malloc(half * sizeof *first), *second = malloc(half * sizeof *second);
	clpac__block *in = bench_block(n * 4), *out = bench_block(stride * 8), *both = bench_block(n * 8);
	bench_transform there = bench_make(&(clpac__fft_shape){CLPAC__FFT_FORWARD, n, 1, n, stride});
	bench_transform here = bench_make(&(clpac__fft_shape){CLPAC__FFT_INVERSE, n, 1, 0, 0});
	BENCH_OK(bench.on->write(bench.queue, in, 0, n * 4, x, &bench.err));
	BENCH_OK(bench.engine->run(there.fft, in, out, there.workspace, 1, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, out, 0, half * 8, first, &bench.err));
	BENCH_OK(bench.on->write(bench.queue, both, 0, n * 8, z, &bench.err));
	BENCH_OK(bench.engine->run(here.fft, both, both, here.workspace, 1, &bench.err));
	BENCH_OK(bench.engine->run(there.fft, in, out, there.workspace, 1, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, out, 0, half * 8, second, &bench.err));
	ck_assert_mem_eq(first, second, half * 8);
	bench_unmake(&there);
	BENCH_OK(bench.on->read(bench.queue, both, 0, n * 8, back, &bench.err));
	BENCH_OK(bench.on->write(bench.queue, both, 0, n * 8, z, &bench.err));
	BENCH_OK(bench.engine->run(here.fft, both, both, here.workspace, 1, &bench.err));
	BENCH_OK(bench.on->read(bench.queue, both, 0, n * 8, z, &bench.err));
	ck_assert_mem_eq(z, back, n * 8);
	bench_unmake(&here);
	bench.engine->destroy(NULL);
	bench.on->release(bench.queue, in);
	bench.on->release(bench.queue, out);
	bench.on->release(bench.queue, both);
	free(second);
	free(first);
	free(back);
	free(z);
	free(x);
	bench_close();
}

START_TEST(a_wrong_shape_is_refused)
{
	bench_open(_i);
	static const clpac__fft_shape wrong[] = {
		{CLPAC__FFT_FORWARD, 0, 1, 16, 16},  {CLPAC__FFT_FORWARD, 64, 1, 63, 33},
		{CLPAC__FFT_FORWARD, 64, 1, 64, 32}, {CLPAC__FFT_INVERSE, 0, 1, 0, 0},
		{CLPAC__FFT_FORWARD, 64, 0, 64, 33}, {CLPAC__FFT_INVERSE, (size_t)1 << 40, 1, 0, 0},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		clpac__fft *fft = NULL;
		bench.err = (clpac_error){0};
		ck_assert_int_eq(bench.engine->accepts(bench.queue, &wrong[i], NULL), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(bench.engine->create(bench.queue, &wrong[i], &fft, &bench.err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(fft);
		ck_assert_ptr_nonnull(strstr(bench.err.text, bench.engine->name));
	}
	bench_close();
}

START_TEST(more_rows_than_made_for_are_refused)
{
	bench_open(_i);
	size_t n = bench.engine->next_length(64);
	clpac__block *block = bench_block(8 * n * 8);
	bench_transform made = bench_make(&(clpac__fft_shape){CLPAC__FFT_INVERSE, n, 2, 0, 0});
	ck_assert_int_eq(bench.engine->run(made.fft, block, block, made.workspace, 3, &bench.err),
			 CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(bench.engine->run(made.fft, NULL, block, made.workspace, 1, &bench.err), CLPAC_ERROR_ARGUMENT);
	bench_unmake(&made);
	bench.on->release(bench.queue, block);
	bench_close();
}

/* Whether an engine of that name serves devices of the bench's backend. */
static bool is_of_backend(const char *name)
{
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
		if (strcmp((*engine)->name, name) == 0 && strcmp((*engine)->backend, bench.queue->device.backend) == 0)
			return true;
	return false;
}

START_TEST(engines_are_found_by_name)
{
	bench_open(_i);
	const clpac__fft_engine *found = NULL;
	BENCH_OK(clpac__fft_engine_find(bench.engine->name, bench.queue, &found, &bench.err));
	ck_assert_ptr_eq(found, bench.engine);
	static const char *const automatic[] = {NULL, "", "auto"};
	for (int i = 0; i < 3; i++) {
		BENCH_OK(clpac__fft_engine_find(automatic[i], bench.queue, &found, &bench.err));
		ck_assert_str_eq(found->backend, bench.queue->device.backend);
	}
	found = NULL;
	ck_assert_int_eq(clpac__fft_engine_find("slowft", bench.queue, &found, &bench.err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(found);
	ck_assert_ptr_nonnull(strstr(bench.err.text, "\"slowft\""));
	ck_assert_ptr_nonnull(strstr(bench.err.text, bench.engine->name));
	for (const clpac__fft_engine *const *other = clpac__fft_engines; *other; other++)
		if (!is_of_backend((*other)->name))
			ck_assert_int_eq(clpac__fft_engine_find((*other)->name, bench.queue, &found, &bench.err),
					 CLPAC_ERROR_ARGUMENT);
	bench_close();
}

void fft_add_laws(Suite *suite, size_t n_pairs, size_t n_lengths)
{
	static const TTest *const *const per_length[] = {
		&forward_is_the_definition, &inverse_is_the_definition,	     &an_impulse_becomes_a_wave,
		&a_sum_becomes_the_sum,	    &a_shift_turns_the_phase,	     &the_energy_is_kept,
		&inverse_undoes_forward,    &wide_rows_are_the_forward_ones, &bands_are_the_inverse_of_products,
	};
	static const TTest *const *const per_pair[] = {
		&the_next_length_is_long_enough_and_a_multiple_of_16,
		&strides_are_kept_and_gaps_untouched,
		&two_transforms_of_a_queue_do_not_disturb_each_other,
		&a_wrong_shape_is_refused,
		&more_rows_than_made_for_are_refused,
		&engines_are_found_by_name,
	};
	n_tried = n_lengths < N_WISHES ? n_lengths : N_WISHES;
	TCase *t = tcase_create("fft");
	for (size_t i = 0; i < COUNT(per_length); i++)
		tcase_add_loop_test(t, *per_length[i], 0, (int)(n_pairs * n_tried));
	for (size_t i = 0; i < COUNT(per_pair); i++)
		tcase_add_loop_test(t, *per_pair[i], 0, (int)n_pairs);
	suite_add_tcase(suite, t);

	TCase *rows = tcase_create("fft of long rows");
	tcase_set_tags(rows, "long");
	tcase_add_loop_test(rows, long_rows_are_transformed_too, 0, (int)n_pairs);
	tcase_add_loop_test(rows, a_few_frequencies_of_a_long_row_are_the_definition, 0, (int)n_pairs);
	suite_add_tcase(suite, rows);
}
