/* Single stages equal their definitions at odd, prime and very short lengths, on the host and in buffers of the
 * device. */
#include "signal_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>

#include "assertions.h"
#include "contract/places.h"
#include "oracle.h"

enum { N_SERIES = 3, N_BANDS = 3, RATE = 250 };

static const clpac_band bands[N_BANDS] = {{8, 14}, {30, 45}, {60, 90}};
static const size_t orders[N_BANDS] = {54, 24, 13};

/* Tolerance: six deviations of single-precision transforms of this length (support/evidence.h), all noise passed, for
 * series of this root mean square; four of them where a second pair of transforms follows. */
static double reach(double size, size_t length)
{
	return 6 * 0x1p-24 * 4 * (1 + sqrt(log2((double)length))) * size;
}

static double rms(const oracle_real *x, size_t n)
{
	double squares = 0;
	for (size_t t = 0; t < n; t++)
		squares += (double)(x[t] * x[t]) / (double)n;
	return sqrt(squares);
}

typedef struct setting {
	double taps[N_BANDS][64];
	const double *rows[N_BANDS];
	size_t n_taps[N_BANDS];
	clpac_bank bank;
	clpac_context *context;
	float *x; /* (series, n) */
	size_t n;
} setting;

/* Series number s is 1000^(s-1) as large as noise and lies on an offset ten times that size. */
static void begin(setting *s, size_t place, size_t n, double offset)
{
	clpac_error err;
	unsigned long long state = n;
	for (size_t b = 0; b < N_BANDS; b++) {
		assert_works(clpac_signal_design(RATE, bands[b], orders[b], s->taps[b], &err), err);
		s->rows[b] = s->taps[b];
		s->n_taps[b] = orders[b] + 1;
	}
	s->bank = (clpac_bank){N_BANDS, s->rows, s->n_taps, 0};
	s->context = place_open(place);
	s->n = n;
	s->x = malloc(N_SERIES * n * sizeof *s->x);
	for (size_t series = 0; series < N_SERIES; series++)
		for (size_t t = 0; t < n; t++)
			s->x[series * n + t] =
				(float)(pow(1000, (double)series - 1) * (random_unit(&state) - 0.5 + offset));
}

static void end(setting *s)
{
	clpac_context_close(s->context);
	free(s->x);
}

/* One series in long double. */
static oracle_real *series_of(const setting *s, size_t series)
{
	oracle_real *x = malloc(s->n * sizeof *x);
	for (size_t t = 0; t < s->n; t++)
		x[t] = s->x[series * s->n + t];
	return x;
}

/* Root mean square of the series extended. */
static double size_of(const oracle_real *x, size_t n, size_t pad)
{
	oracle_real *wide = malloc((n + 2 * pad) * sizeof *wide);
	oracle_odd_extension(x, n, pad, wide);
	const double found = rms(wide, n + 2 * pad);
	free(wide);
	return found;
}

static void check_bank(const setting *s, const float *filtered, const float *analytic, size_t extension,
		       const char *label)
{
	const size_t n = s->n, pad = extension ? extension : orders[0];
	oracle_real *wanted = malloc(n * sizeof *wanted), *taps = malloc(64 * sizeof *taps);
	oracle_real *prepared = malloc(n * sizeof *prepared);
	double *x = malloc(n * sizeof *x);
	oracle_complex *quadrature = malloc(64 * sizeof *quadrature);
	for (size_t series = 0; series < N_SERIES; series++) {
		for (size_t t = 0; t < n; t++)
			x[t] = s->x[series * n + t];
		const double scale = (double)oracle_prepared(x, n, prepared);
		/* No transform need be longer than twice what it holds. */
		const double tolerance = reach(size_of(prepared, n, pad) / scale, 2 * (n + 2 * pad));
		for (size_t b = 0; b < N_BANDS; b++) {
			for (size_t k = 0; k < s->n_taps[b]; k++)
				taps[k] = s->taps[b][k];
			oracle_filtfilt(taps, s->n_taps[b], prepared, n, wanted);
			oracle_quadrature(taps, s->n_taps[b], quadrature);
			const size_t row = (series * N_BANDS + b) * n;
			for (size_t t = 0; t < n; t++) {
				const oracle_complex z = oracle_local(quadrature, s->n_taps[b], prepared, n, t);
				const double values[] = {filtered[row + t], analytic[2 * (row + t)],
							 analytic[2 * (row + t) + 1]};
				const double exact[] = {(double)wanted[t] / scale, (double)creall(z) / scale,
							(double)cimagl(z) / scale};
				for (int v = 0; v < 3; v++)
					ck_assert_msg(fabs(values[v] - exact[v]) <= tolerance,
						      "%s, %zu samples: series %zu, band %zu, sample %zu, value %d: "
						      "%.9g instead of %.9g, %.2g allowed",
						      label, n, series, b, t, v, values[v], exact[v], tolerance);
			}
		}
	}
	free(x);
	free(prepared);
	free(quadrature);
	free(wanted);
	free(taps);
}

static void run_bank(setting *s, float *filtered, float *analytic)
{
	clpac_error err;
	const clpac_values x = {.host = s->x};
	assert_works(
		clpac_signal_filter(s->context, &s->bank, x, N_SERIES, s->n, (clpac_values){.host = filtered}, &err),
		err);
	assert_works(
		clpac_signal_analytic(s->context, &s->bank, x, N_SERIES, s->n, (clpac_values){.host = analytic}, &err),
		err);
}

START_TEST(a_bank_filters_as_the_definition_does)
{
	static const size_t lengths[] = {101, 148, 257}; /* prime, even, a tile and one */
	for (size_t l = 0; l < COUNT(lengths); l++)
		for (int variant = 0; variant < 3; variant++) {
			setting s;
			const double offset = variant == 1 ? 10 : 0;
			begin(&s, (size_t)_i, lengths[l], offset);
			s.bank.extension = variant == 2 ? 90 : 0;
			float *filtered = malloc(N_SERIES * N_BANDS * s.n * sizeof *filtered);
			float *analytic = malloc(2 * N_SERIES * N_BANDS * s.n * sizeof *analytic);
			run_bank(&s, filtered, analytic);
			check_bank(&s, filtered, analytic, s.bank.extension, place_label((size_t)_i));
			free(filtered);
			free(analytic);
			end(&s);
		}
}

START_TEST(a_value_depends_on_its_filters_reach_alone)
{
	/* A series, and the same with one end in reverse: mean and largest sample stay. */
	enum { N = 500, FROM = 300 };
	setting s;
	begin(&s, (size_t)_i, N, 0);
	for (size_t t = 0; t < N; t++) {
		s.x[t] = roundf(ldexpf(s.x[2 * N + t], 3)); /* whole numbers, whose sum is exact */
		s.x[N + t] = t < FROM ? s.x[t] : roundf(ldexpf(s.x[2 * N + N - 1 - (t - FROM)], 3));
		s.x[2 * N + t] = 0;
	}
	s.x[2 * N] = 1; /* a third series, which is not looked at */
	const size_t each = 2 * N_BANDS * N;
	float *filtered = malloc(N_SERIES * each * sizeof *filtered), *z = malloc(N_SERIES * each * sizeof *z);
	double *x = malloc(N * sizeof *x);
	oracle_real *prepared = malloc(N * sizeof *prepared);
	run_bank(&s, filtered, z);
	for (size_t t = 0; t < N; t++)
		x[t] = s.x[t];
	const double scale = (double)oracle_prepared(x, N, prepared);
	/* Both are that far from the same value. */
	const double tolerance = 2 * reach(size_of(prepared, N, orders[0]) / scale, 2 * (N + 2 * orders[0]));
	for (size_t b = 0; b < N_BANDS; b++) {
		double most = 0;
		for (size_t t = 0; t < N; t++) {
			const float *one = z + 2 * (b * N + t), *other = one + each;
			const double apart = hypot((double)one[0] - other[0], (double)one[1] - other[1]);
			most = fmax(most, apart);
			ck_assert_msg(t + orders[b] >= FROM || apart <= tolerance,
				      "%s: sample %zu of band %zu, order %zu, sees what lies beyond: %.2g apart, %.2g "
				      "allowed",
				      place_label((size_t)_i), t, b, orders[b], apart, tolerance);
		}
		ck_assert_double_gt(most, 100 * tolerance);
	}
	free(x);
	free(prepared);
	free(filtered);
	free(z);
	end(&s);
}

START_TEST(the_hilbert_transform_is_that_of_the_very_length)
{
	static const size_t lengths[] = {2, 3, 4, 5, 61, 64, 127, 128};
	for (size_t l = 0; l < COUNT(lengths); l++) {
		clpac_error err;
		setting s;
		begin(&s, (size_t)_i, lengths[l], l % 2 ? 0 : 3);
		float *analytic = malloc(2 * N_SERIES * s.n * sizeof *analytic);
		assert_works(clpac_signal_hilbert(s.context, (clpac_values){.host = s.x}, N_SERIES, s.n,
						  (clpac_values){.host = analytic}, &err),
			     err);
		oracle_complex *z = malloc(s.n * sizeof *z);
		for (size_t series = 0; series < N_SERIES; series++) {
			oracle_real *x = series_of(&s, series);
			oracle_hilbert(x, s.n, z);
			/* The kernel's taps, up to 2/pi large, add as much noise as that many spectra. */
			const double tolerance = reach(rms(x, s.n), 16 * s.n);
			for (size_t t = 0; t < s.n; t++) {
				assert_close(analytic[2 * (series * s.n + t)], (double)creall(z[t]), tolerance);
				assert_close(analytic[2 * (series * s.n + t) + 1], (double)cimagl(z[t]), tolerance);
			}
			free(x);
		}
		free(z);
		free(analytic);
		end(&s);
	}
}

START_TEST(buffers_of_the_device_give_what_the_host_gives)
{
	clpac_error err;
	setting s;
	begin(&s, (size_t)_i, 148, 0);
	const size_t n_in = N_SERIES * s.n, n_out = 2 * N_SERIES * N_BANDS * s.n;
	float *host = malloc(n_out * sizeof *host), *device = malloc(n_out * sizeof *device);
	clpac_buffer *in = NULL, *out = NULL;
	clpac_pool *pool = clpac_context_pool(s.context);
	/* Samples of similar size and without a mean: the host's samples are scaled so for the device, and the
	 * arithmetic is the same then. */
	for (size_t series = 0; series < N_SERIES; series++)
		for (size_t t = 0; t < s.n; t++) {
			const double value = s.x[series * s.n + t] / pow(1000, (double)series - 1);
			s.x[series * s.n + t] = (float)(t % 2 ? -s.x[series * s.n + t - 1] : value);
		}
	assert_works(clpac_pool_allocate(pool, n_in * sizeof *s.x, "samples", &in, &err), err);
	assert_works(clpac_pool_allocate(pool, n_out * sizeof *device, "output", &out, &err), err);
	assert_works(clpac_buffer_write(in, 0, n_in * sizeof *s.x, s.x, &err), err);
	const clpac_values on_host = {.host = s.x}, in_buffer = {.buffer = in};
	for (int from_buffer = 0; from_buffer < 2; from_buffer++)
		for (int to_buffer = 0; to_buffer < 2; to_buffer++)
			for (int stage = 0; stage < 3; stage++) {
				const size_t n = stage == 0 ? n_out / 2 : stage == 1 ? n_out : 2 * n_in;
				const clpac_values from = from_buffer ? in_buffer : on_host;
				for (int is_reference = 1; is_reference >= 0; is_reference--) {
					const clpac_values x = is_reference ? on_host : from;
					const clpac_values y =
						!is_reference && to_buffer
							? (clpac_values){.buffer = out}
							: (clpac_values){.host = is_reference ? host : device};
					assert_works(stage == 0	  ? clpac_signal_filter(s.context, &s.bank, x, N_SERIES,
											s.n, y, &err)
						     : stage == 1 ? clpac_signal_analytic(s.context, &s.bank, x,
											  N_SERIES, s.n, y, &err)
								  : clpac_signal_hilbert(s.context, x, N_SERIES, s.n, y,
											 &err),
						     err);
				}
				if (to_buffer)
					assert_works(clpac_buffer_read(out, 0, n * sizeof *device, device, &err), err);
				for (size_t i = 0; i < n; i++)
					assert_close(device[i], host[i], reach(0.3, 512));
			}
	clpac_buffer_release(in);
	clpac_buffer_release(out);
	free(host);
	free(device);
	end(&s);
}

START_TEST(a_series_that_is_not_finite_gives_nan_alone)
{
	clpac_error err;
	setting s;
	begin(&s, (size_t)_i, 148, 0);
	const size_t each = 2 * N_BANDS * s.n;
	float *good = malloc(N_SERIES * each * sizeof *good), *bad = malloc(N_SERIES * each * sizeof *bad);
	const clpac_values x = {.host = s.x};
	assert_works(clpac_signal_analytic(s.context, &s.bank, x, N_SERIES, s.n, (clpac_values){.host = good}, &err),
		     err);
	s.x[s.n + 17] = NAN;
	assert_works(clpac_signal_analytic(s.context, &s.bank, x, N_SERIES, s.n, (clpac_values){.host = bad}, &err),
		     err);
	for (size_t i = 0; i < N_SERIES * each; i++)
		if (i / each == 1)
			ck_assert(isnan(bad[i]));
		else
			ck_assert(memcmp(&bad[i], &good[i], sizeof *bad) == 0);
	/* Nothing is left of a constant series. */
	for (size_t t = 0; t < s.n; t++)
		s.x[s.n + t] = 4;
	assert_works(clpac_signal_analytic(s.context, &s.bank, x, N_SERIES, s.n, (clpac_values){.host = bad}, &err),
		     err);
	for (size_t i = 0; i < each; i++)
		ck_assert(bad[each + i] == 0);
	free(good);
	free(bad);
	end(&s);
}

START_TEST(what_cannot_be_computed_is_refused_with_its_numbers)
{
	clpac_error err;
	setting s;
	begin(&s, (size_t)_i, 148, 0);
	float *out = malloc(2 * N_SERIES * N_BANDS * s.n * sizeof *out);
	double taps[32];
	const clpac_values x = {.host = s.x}, y = {.host = out}, none = {0};
	clpac_buffer *small = NULL;
	assert_works(clpac_pool_allocate(clpac_context_pool(s.context), 64, "small", &small, &err), err);
	const clpac_values tight = {.buffer = small}, both = {.host = out, .buffer = small};
	assert_refused(clpac_signal_design(0, bands[0], 20, taps, &err), err, CLPAC_ERROR_ARGUMENT, "rate_hz is 0");
	assert_refused(clpac_signal_design(100, bands[2], 20, taps, &err), err, CLPAC_ERROR_ARGUMENT, "60-90 Hz");
	assert_refused(clpac_signal_design(RATE, bands[0], 1, taps, &err), err, CLPAC_ERROR_ARGUMENT, "order is 1");
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, 0, s.n, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "0 series");
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, 1, 55, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "55 taps");
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, SIZE_MAX / 2, s.n, y, &err), err,
		       CLPAC_ERROR_ARGUMENT, "more than");
	assert_refused(clpac_signal_filter(s.context, &s.bank, none, 1, s.n, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "on the host or in a buffer");
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, 1, s.n, both, &err), err, CLPAC_ERROR_ARGUMENT,
		       "on the host or in a buffer");
	assert_refused(clpac_signal_filter(s.context, &s.bank, tight, 1, s.n, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "64 bytes");
	assert_refused(clpac_signal_analytic(s.context, &s.bank, x, 1, s.n, tight, &err), err, CLPAC_ERROR_ARGUMENT,
		       "64 bytes");
	assert_refused(clpac_signal_hilbert(s.context, x, 1, 1, y, &err), err, CLPAC_ERROR_ARGUMENT, "1 samples");
	s.bank.extension = 148;
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, 1, s.n, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "extension is 148");
	s.bank.extension = 20;
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, 1, s.n, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "longest order, 54");
	s.bank.extension = 0;
	s.taps[1][3] = NAN;
	assert_refused(clpac_signal_filter(s.context, &s.bank, x, 1, s.n, y, &err), err, CLPAC_ERROR_ARGUMENT,
		       "tap 3 of filter 1");

	clpac_result *result = NULL;
	const clpac_coupling good = {.n_series = 1, .n_phase = 1, .n_amplitude = 1, .n_samples = 100};
	static const struct {
		size_t offset, value;
		const char *part;
	} cases[] = {{offsetof(clpac_coupling, n_series), 0, "0 series"},
		     {offsetof(clpac_coupling, n_samples), 17, "n_samples is 17"},
		     {offsetof(clpac_coupling, n_phase), SIZE_MAX / 2, "more than memory"}};
	for (size_t c = 0; c < COUNT(cases); c++) {
		clpac_coupling bad = good;
		memcpy((char *)&bad + cases[c].offset, &cases[c].value, sizeof(size_t));
		assert_refused(clpac_signal_modulation_index(s.context, &bad, x, y, &result, &err), err,
			       CLPAC_ERROR_ARGUMENT, cases[c].part);
	}
	clpac_coupling bad = good;
	bad.n_bins = 1;
	assert_refused(clpac_signal_modulation_index(s.context, &bad, x, y, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "n_bins is 1");
	bad = good;
	bad.ddof = 2;
	assert_refused(clpac_signal_modulation_index(s.context, &bad, x, y, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "ddof is 2");
	bad = good;
	bad.average = (clpac_average)5;
	assert_refused(clpac_signal_modulation_index(s.context, &bad, x, y, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "average is 5");
	bad = good;
	bad.n_surrogates = 3;
	bad.min_shift = 51;
	assert_refused(clpac_signal_modulation_index(s.context, &bad, x, y, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "min_shift is 51");
	assert_refused(clpac_signal_modulation_index(s.context, &good, tight, y, &result, &err), err,
		       CLPAC_ERROR_ARGUMENT, "64 bytes");
	ck_assert_ptr_null(result);
	clpac_buffer_release(small);
	free(out);
	end(&s);
}

TCase *signal_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("signal");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, a_bank_filters_as_the_definition_does, 0, n);
	tcase_add_loop_test(t, a_value_depends_on_its_filters_reach_alone, 0, n);
	tcase_add_loop_test(t, the_hilbert_transform_is_that_of_the_very_length, 0, n);
	tcase_add_loop_test(t, buffers_of_the_device_give_what_the_host_gives, 0, n);
	tcase_add_loop_test(t, a_series_that_is_not_finite_gives_nan_alone, 0, n);
	tcase_add_loop_test(t, what_cannot_be_computed_is_refused_with_its_numbers, 0, n);
	return t;
}
