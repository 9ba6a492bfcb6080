/* The promises of src/coupling/fft/engine.h, at given lengths: an engine transforms every length that it accepts,
 * whatever its factors, and refuses all others.
 *
 * Each length is transformed once each way.  Four rows forward: noise, an impulse, the noise shifted, and 3 x noise +
 * impulse; two rows back.  Short ones are compared with the definition everywhere, long ones at some frequencies.
 *
 * CLPAC_TEST_LENGTHS=all tries every length of the list; without it only the few are tried that OpenCL drivers compile
 * in seconds.  CLPAC_TEST_LENGTHS=97 or =60-99 tries those. */
#include "fft_laws.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "fft_bench.h"
#include "targets.h"
#include "noise.h"

enum { UP_TO = 300 };

/* Lengths above 300: primes, products of 2 to 13, powers of two; odd and even, one step or several of a device. */
static const size_t long_lengths[] = {
	331,	  509,	   1009,	 1021,	    4099, 10007, 65537,			       /* primes */
	343,	  1001,	   2187,	 3125,	    3003, 14641, 28561, 30030, 50625,  720720, /* factors up to 13 */
	2 * 1009, 34 * 16, 16 * 17 * 19, 16 * 1009,					       /* others */
	512,	  1024,	   2048,	 4096,	    8192, 16384, 32768, 65536, 131072, 262144, 1 << 20,
};

/* The few: one step, Bluestein's algorithm in one step and in several, several steps, odd, a single sample. */
static const size_t few[] = {1, 2, 17, 97, 300, 1001, 4099, 65536, 1 << 20};

static const size_t *lengths;
static size_t n_lengths;
static size_t every[UP_TO + COUNT(long_lengths)];

static bool wants_all;

/* Lengths too slow for every day: clFFT compiles a length with other factors than 2 and 3 for 10 s and more. */
static bool is_spared(size_t n)
{
	if (wants_all)
		return false;
	while (n > 1 && n % 2 == 0)
		n /= 2;
	while (n > 1 && n % 3 == 0)
		n /= 3;
	return n > 1 && strcmp(bench.engine->name, "clfft") == 0;
}

static bool has_definition(size_t n)
{
	return n <= 600;
}

/* Frequency number i of those that are compared. */
static size_t looked_at(size_t n, size_t i)
{
	return has_definition(n) ? i : (size_t)((unsigned long long)i * 2654435761u % n);
}

static size_t n_looked_at(size_t n)
{
	return has_definition(n) ? n : 24;
}

/* Results, for the report. */
static struct worst {
	double forward, back;
	size_t forward_at, back_at, n_made, n_refused;
} worst[64];

static void note(double off, size_t n, double *most, size_t *at, const char *what)
{
	/* At the lengths that plans use, phase bins count on the error of coupling/fft/engine.h. */
	const bool is_good = bench.engine->next_length(n) == n;
	const double most_allowed = is_good ? CLPAC__FFT_ERROR : tolerance(n);
	ck_assert_msg(off <= most_allowed, "%s of %s, length %zu on %s: off by %.3g, at most %.3g", what,
		      bench.engine->name, n, bench.queue->device.name, off, most_allowed);
	if (off > *most) {
		*most = off;
		*at = n;
	}
}

/* Relative root sum of squares of values k of `got` against sum over t of x[t] w^(sign k t); x real or complex. */
static double off_definition(const float *x, bool is_complex, size_t n, int sign, const complex_float *got,
			     size_t n_got, long double (*w)[2])
{
	double error = 0, size = 0;
	for (size_t i = 0; i < n_looked_at(n); i++) {
		const size_t k = looked_at(n, i);
		long double re = 0, im = 0;
		if (k >= n_got)
			continue;
		for (size_t t = 0; t < n; t++) {
			const long double *f = w[k * t % n], s = sign * f[1];
			const float a = x[is_complex ? 2 * t : t], b = is_complex ? x[2 * t + 1] : 0;
			re += a * f[0] - b * s;
			im += a * s + b * f[0];
		}
		const double d_re = (double)(got[k].re - re), d_im = (double)(got[k].im - im);
		error += d_re * d_re + d_im * d_im;
		size += (double)(re * re + im * im);
	}
	return error ? sqrt(error / size) : 0;
}

static void check_forward(size_t n, struct worst *seen)
{
	enum { NOISE, IMPULSE, SHIFTED, SUM, ROWS };
	const size_t half = n / 2 + 1, at = n / 3, shift = 1 + n / 5;
	float *x = calloc(ROWS * n, sizeof *x), *noise = make_noise((unsigned long long)n, n);
	complex_float *got = malloc(ROWS * half * sizeof *got);
	double *expected = malloc(2 * half * sizeof *expected);
	long double(*w)[2] = circle(n);
	x[IMPULSE * n + at] = 1;
	for (size_t t = 0; t < n; t++) {
		x[NOISE * n + t] = noise[t];
		x[SHIFTED * n + (t + shift) % n] = noise[t];
		x[SUM * n + t] = 3 * noise[t] + x[IMPULSE * n + t];
	}
	bench_forward(n, ROWS, x, got);
	const complex_float *of_noise = got, *of_impulse = got + half, *of_sum = got + SUM * half;
	note(off_definition(x, false, n, -1, of_noise, half, w), n, &seen->forward, &seen->forward_at, "forward");
	for (size_t k = 0; k < half; k++) {
		expected[2 * k] = (double)w[k * at % n][0];
		expected[2 * k + 1] = -(double)w[k * at % n][1];
	}
	note(distance((const float *)of_impulse, expected, 2 * half), n, &seen->forward, &seen->forward_at, "impulse");
	/* Errors of three transforms and the rounding of the input, u: within twice the tolerance of one. */
	for (size_t k = 0; k < half; k++) {
		expected[2 * k] = 3.0 * of_noise[k].re + of_impulse[k].re;
		expected[2 * k + 1] = 3.0 * of_noise[k].im + of_impulse[k].im;
	}
	note(distance((const float *)of_sum, expected, 2 * half) / 2, n, &seen->forward, &seen->forward_at,
	     "linearity");
	for (size_t k = 0; k < half; k++) {
		const double c = (double)w[k * shift % n][0], s = (double)w[k * shift % n][1];
		expected[2 * k] = of_noise[k].re * c + of_noise[k].im * s;
		expected[2 * k + 1] = of_noise[k].im * c - of_noise[k].re * s;
	}
	note(distance((const float *)(got + SHIFTED * half), expected, 2 * half) / 2, n, &seen->forward,
	     &seen->forward_at, "shift");
	free(w);
	free(expected);
	free(got);
	free(noise);
	free(x);
}

static void check_inverse(size_t n, struct worst *seen)
{
	enum { ROWS = 2 };
	float *before = make_noise((unsigned long long)n + 1, 2 * ROWS * n);
	complex_float *z = malloc(ROWS * n * sizeof *z);
	long double(*w)[2] = circle(n);
	memcpy(z, before, ROWS * n * sizeof *z);
	bench_inverse(n, ROWS, z);
	for (size_t r = 0; r < ROWS; r++)
		note(off_definition(before + 2 * r * n, true, n, 1, z + r * n, n, w), n, &seen->back, &seen->back_at,
		     "inverse");
	free(w);
	free(z);
	free(before);
}

START_TEST(what_is_accepted_is_transformed_whatever_its_factors)
{
	const size_t pair = (size_t)_i / n_lengths, n = lengths[(size_t)_i % n_lengths];
	struct worst *seen = &worst[pair];
	bench_open((int)pair);
	const bool takes[] = {bench_accepts(CLPAC__FFT_FORWARD, n, 4), bench_accepts(CLPAC__FFT_INVERSE, n, 2)};
	const bool is_tried = !is_spared(n);
	if (takes[0] && is_tried)
		check_forward(n, seen);
	if (takes[1] && is_tried)
		check_inverse(n, seen);
	seen->n_made += is_tried * (size_t)(takes[0] + takes[1]);
	seen->n_refused += (size_t)(!takes[0] + !takes[1]);
	if ((size_t)_i % n_lengths == n_lengths - 1)
		printf("# %s on %s: %zu transforms of %zu lengths, %zu refused; worst error forward %.2e (length %zu), "
		       "back %.2e (length %zu)\n",
		       bench.engine->name, targets_get(0)->backend->name, seen->n_made, n_lengths, seen->n_refused,
		       seen->forward, seen->forward_at, seen->back, seen->back_at);
	bench_close();
}

START_TEST(any_length_is_taken_by_engines_that_say_so)
{
	bench_open(_i);
	/* Of which lengths an engine promises every multiple. */
	const size_t step = strcmp(bench.engine->name, "vkfft") == 0   ? 1
			    : strcmp(bench.engine->name, "lanes") == 0 ? 16
								       : 0;
	for (size_t n = step; step && n < 2000; n += step) {
		ck_assert(bench_accepts(CLPAC__FFT_FORWARD, n, 1));
		ck_assert(bench_accepts(CLPAC__FFT_INVERSE, n, 1));
	}
	ck_assert_int_eq(bench.engine->accepts(bench.queue, NULL, &bench.err), CLPAC_OK);
	bench_close();
}

START_TEST(a_row_is_the_same_to_the_bit_alone_and_among_others)
{
	static const size_t wishes[] = {240, 5000};
	enum { ROWS = 7 };
	bench_open(_i);
	const size_t n_tried = is_spared(5) ? 1 : COUNT(wishes);
	for (size_t i = 0; i < n_tried; i++) {
		const size_t n = bench.engine->next_length(wishes[i]), half = n / 2 + 1;
		float *x = make_noise(21, ROWS * n), *z = make_noise(22, 2 * ROWS * n);
		float *alone = malloc(2 * n * sizeof *alone);
		complex_float *spectra = malloc(ROWS * half * sizeof *spectra),
			      *spectrum = malloc(half * sizeof *spectrum);
		for (size_t t = 0; t < n; t++)
			x[2 * n + t] *= 1e6f; /* a loud neighbour */
		memcpy(alone, z + 2 * 3 * n, 2 * n * sizeof *z);
		bench_forward(n, ROWS, x, spectra);
		bench_forward(n, 1, x + 3 * n, spectrum);
		ck_assert_mem_eq(spectrum, spectra + 3 * half, half * sizeof *spectrum);
		bench_inverse(n, ROWS, (complex_float *)z);
		bench_inverse(n, 1, (complex_float *)alone);
		ck_assert_mem_eq(alone, z + 2 * 3 * n, 2 * n * sizeof *z);
		free(spectrum);
		free(spectra);
		free(alone);
		free(z);
		free(x);
	}
	bench_close();
}

/* Work of one thread: makes a transform, runs it a few times, compares each time. */
typedef struct worker {
	clpac__queue *queue;
	const clpac__fft_engine *engine;
	clpac__fft_shape shape;
	const float *z;
	complex_float *expected; /* NULL: writes `got` and compares nothing */
	complex_float *got;
	const char *trouble;
} worker;

static void *transform_apart(void *argument)
{
	worker *own = argument;
	const clpac__queue_operations *on = own->queue->operations;
	const size_t bytes = own->shape.rows * own->shape.length * sizeof *own->got;
	for (int round = 0; round < 3 && !own->trouble; round++) {
		clpac_error err = {0};
		clpac__fft *fft = NULL;
		clpac__block *block = NULL, *workspace = NULL;
		clpac_status st = own->engine->create(own->queue, &own->shape, &fft, &err);
		size_t work = st ? 0 : own->engine->workspace_bytes(fft), at = (work + 4095) / 4096 * 4096;
		const size_t tables = !st && own->engine->table_bytes ? own->engine->table_bytes(fft) : 0;
		work = tables ? at + tables : work;
		st = st ? st : on->create(own->queue, bytes, &block, &err);
		st = st || !work ? st : on->create(own->queue, work, &workspace, &err);
		st = st || !tables ? st : own->engine->write_tables(fft, workspace, at, &err);
		for (int again = 0; again < 3 && !st; again++) {
			st = on->write(own->queue, block, 0, bytes, own->z, &err);
			st = st ? st : own->engine->run(fft, block, block, workspace, own->shape.rows, &err);
			st = st ? st : on->read(own->queue, block, 0, bytes, own->got, &err);
			if (!st && own->expected && memcmp(own->got, own->expected, bytes) != 0)
				own->trouble = "other bits than alone";
		}
		if (st)
			own->trouble = "a call failed";
		own->engine->destroy(fft);
		on->release(own->queue, workspace);
		on->release(own->queue, block);
	}
	return NULL;
}

START_TEST(transforms_in_two_threads_give_the_bits_of_each_alone)
{
	enum { ROWS = 3, THREADS = 2 };
	static const size_t wishes[THREADS] = {240, 5000};
	bench_open(_i);
	for (int apart = 0; apart < 2; apart++) {
		worker workers[THREADS];
		pthread_t threads[THREADS];
		for (int i = 0; i < THREADS; i++) {
			const size_t n = bench.engine->next_length(wishes[i]);
			clpac__queue *queue = bench.queue;
			if (apart && i)
				BENCH_OK(bench.on->open_sibling(bench.queue, true, &queue, &bench.err));
			workers[i] = (worker){.queue = queue,
					      .engine = bench.engine,
					      .shape = {CLPAC__FFT_INVERSE, n, ROWS, 0, 0},
					      .z = make_noise(31, 2 * ROWS * n),
					      .got = malloc(ROWS * n * sizeof(complex_float))};
			transform_apart(&workers[i]);
			ck_assert_ptr_null(workers[i].trouble);
			workers[i].expected = workers[i].got;
			workers[i].got = malloc(ROWS * n * sizeof(complex_float));
		}
		for (int i = 0; i < THREADS; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL, transform_apart, &workers[i]), 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		for (int i = 0; i < THREADS; i++) {
			ck_assert_msg(!workers[i].trouble, "%s, thread %d: %s", bench.engine->name, i,
				      workers[i].trouble);
			free((void *)workers[i].z);
			free(workers[i].expected);
			free(workers[i].got);
			if (workers[i].queue != bench.queue)
				bench.on->close(workers[i].queue);
		}
	}
	bench_close();
}

static void choose_lengths(bool only_few)
{
	const char *wanted = getenv("CLPAC_TEST_LENGTHS");
	char *end = NULL;
	const size_t from = wanted ? strtoul(wanted, &end, 10) : 0,
		     to = from && *end == '-' ? strtoul(end + 1, NULL, 10) : from;
	wants_all = wanted && *wanted;
	lengths = few;
	n_lengths = COUNT(few);
	if (only_few && !wants_all)
		return;
	if (from) {
		for (n_lengths = 0; from + n_lengths <= to && n_lengths < COUNT(every); n_lengths++)
			every[n_lengths] = from + n_lengths;
		lengths = every;
		return;
	}
	for (n_lengths = 0; n_lengths < UP_TO; n_lengths++)
		every[n_lengths] = n_lengths + 1;
	for (size_t i = 0; i < COUNT(long_lengths); i++)
		every[n_lengths++] = long_lengths[i];
	lengths = every;
}

TCase *fft_length_laws(size_t n_pairs, bool only_few)
{
	choose_lengths(only_few);
	TCase *t = tcase_create("fft lengths");
	tcase_add_loop_test(t, what_is_accepted_is_transformed_whatever_its_factors, 0, (int)(n_pairs * n_lengths));
	tcase_add_loop_test(t, any_length_is_taken_by_engines_that_say_so, 0, (int)n_pairs);
	tcase_add_loop_test(t, a_row_is_the_same_to_the_bit_alone_and_among_others, 0, (int)n_pairs);
	tcase_add_loop_test(t, transforms_in_two_threads_give_the_bits_of_each_alone, 0, (int)n_pairs);
	return t;
}
