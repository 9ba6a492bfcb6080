/* What is taken off with the shape of a wave: pulses that come in each cycle, and nothing of a rhythm that begins anew.
 */
#include "runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "random.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/slow_waves.h"
#include "coupling/signal/wave_multiples.h"
#include "coupling/signal/wave_shape.h"

enum { RATE = 500, N = 60 * RATE };

static const double pi = 3.14159265358979323846, slow_hz = 7;
static const clpac_band fast = {62, 102};

static double normal(unsigned long long *state)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += random_unit(state);
	return sum;
}

/* A wave of 7 Hz whose cycles differ in length, in noise, with a burst of 82 Hz at the trough of each, of a size of its
 * own: the same in all, or with a phase of its own. */
static double *make_series(bool is_locked, double scale)
{
	unsigned long long state = 3;
	double *x = calloc(N, sizeof *x), turn = 0, step = slow_hz / RATE, size = 1, own = 0;
	for (size_t t = 0; t < N; t++, turn += step) {
		if (turn >= 1) {
			turn -= 1;
			step = slow_hz / RATE * (1 + 0.05 * normal(&state));
			size = 1 + 0.2 * normal(&state);
			own = is_locked ? 0 : 2 * pi * random_unit(&state);
		}
		const double from_trough = (turn - 0.5) / slow_hz, sharp = exp(-pow(from_trough / 0.012, 2));
		x[t] = scale * (2 * cos(2 * pi * turn) - size * sharp * (1 + cos(2 * pi * 82 * from_trough + own)) +
				0.1 * normal(&state));
	}
	return x;
}

/* The share of the power in the band that is left by the best way; 1 where nothing is taken off. */
static double share_left(const double *x, size_t step)
{
	clpac_error err;
	clpac__filter filter = {0};
	clpac__wave_shape *shape = NULL;
	const size_t n = (N + step - 1) / step;
	double *z = malloc(2 * n * sizeof *z), *power = malloc(n * sizeof *power);
	double *amplitudes = malloc(n * sizeof *amplitudes), least = 1, whole = 0;
	const clpac__band_signal signal = {.band = fast, .step = step, .n = n, .re = z, .im = z + n, .power = power};
	assert_works(clpac__filter_design(RATE, fast, 6, N, &filter, &err), err);
	assert_works(clpac__filter_make_analytic(&filter, &err), err);
	assert_works(clpac__filter_series(x, N, filter.even, filter.odd, filter.n_taps - 1, step, z, &err), err);
	for (size_t i = 0; i < n; i++)
		whole += power[i] = z[i] * z[i] + z[n + i] * z[n + i];
	assert_works(clpac__wave_shape_create(x, N, RATE, fast.lo_hz, &slow_hz, 1, &shape, &err), err);
	for (int way = 0; way < CLPAC__SHAPE_WAYS; way++) {
		bool is_locked;
		double left = 0;
		assert_works(clpac__wave_shape_take_off(shape, 0, way, &signal, amplitudes, &is_locked, &err), err);
		for (size_t t = 0; t < n && is_locked; t++)
			left += amplitudes[t] * amplitudes[t];
		least = is_locked && left / whole < least ? left / whole : least;
	}
	clpac__wave_shape_destroy(shape);
	clpac__filter_clear(&filter);
	free(z);
	free(power);
	free(amplitudes);
	return least;
}

TEST(bursts_of_one_form_are_taken_off)
{
	double *x = make_series(true, 1), *large = make_series(true, 1e6), *turned = make_series(true, -1);
	const double left = share_left(x, 1);
	/* White noise of 0.1 has 0.0038 of power a sample in the analytic band, some 4 % of that of the bursts: it
	 * stays, and with it what lies between the samples. */
	ck_assert_double_lt(left, 0.1);
	ck_assert_double_gt(left, 0.01);
	/* Units change nothing, and sign little: a trough is placed as a peak is, but for where cycles begin. */
	ck_assert_double_eq_tol(share_left(large, 1), left, 1e-6);
	ck_assert_double_eq_tol(share_left(turned, 1), left, 0.02);
	/* Samples that lie two samples from an event at most: a few degrees at the ends of the band. */
	ck_assert_double_eq_tol(share_left(x, 3), left, 0.02);
	free(x);
	free(large);
	free(turned);
}

TEST(bursts_that_begin_anew_stay)
{
	/* The sharp trough has some 30 % of its power above 62 Hz taken off; a burst has none. */
	double *x = make_series(false, 1);
	ck_assert_double_gt(share_left(x, 1), 0.6);
	free(x);
}

/* The share of the power in a band that is left without the multiples of the wave's phase; 1 where nothing is taken
 * off. */
static double share_without_multiples(const double *x, clpac_band band, size_t step)
{
	clpac_error err;
	clpac__filter filter = {0};
	clpac__wave_turns turns;
	clpac__wave_places places = {.step = 0};
	const size_t n = (N + step - 1) / step;
	double *z = malloc(2 * n * sizeof *z), *power = malloc(n * sizeof *power);
	double *amplitudes = malloc(n * sizeof *amplitudes), left = 0, whole = 0;
	const clpac__band_signal signal = {.band = band, .step = step, .n = n, .re = z, .im = z + n, .power = power};
	bool is_locked;
	assert_works(clpac__filter_design(RATE, band, 6, N, &filter, &err), err);
	assert_works(clpac__filter_make_analytic(&filter, &err), err);
	assert_works(clpac__filter_series(x, N, filter.even, filter.odd, filter.n_taps - 1, step, z, &err), err);
	for (size_t i = 0; i < n; i++)
		whole += power[i] = z[i] * z[i] + z[n + i] * z[n + i];
	assert_works(clpac__wave_turns_make(x, N, RATE, (clpac_band){0.75 * slow_hz, 1.25 * slow_hz}, 3, &turns, &err),
		     err);
	assert_works(clpac__wave_multiples_take_off(&turns, &places, &signal, N, RATE, amplitudes, &is_locked, &err),
		     err);
	for (size_t i = 0; i < n && is_locked; i++)
		left += amplitudes[i] * amplitudes[i];
	clpac__wave_places_clear(&places);
	clpac__wave_turns_clear(&turns);
	clpac__filter_clear(&filter);
	free(z);
	free(power);
	free(amplitudes);
	return is_locked ? left / whole : 1;
}

TEST(multiples_of_a_phase_are_taken_off_and_noise_with_a_gain_is_not)
{
	unsigned long long state = 7;
	double *wave = malloc(N * sizeof *wave), *noise = malloc(N * sizeof *noise), turn = 0, drift = 0;
	for (size_t t = 0; t < N; t++) {
		/* Cycles differ in length, and the wave rises in a quarter of each. */
		drift += (normal(&state) - drift) / 100;
		turn += slow_hz / RATE * (1 + drift);
		const double place = turn - floor(turn);
		const double half = place < 0.25 ? place / 0.25 : 1 + (place - 0.25) / 0.75;
		wave[t] = -cos(pi * half) + 0.002 * normal(&state);
		noise[t] = cos(2 * pi * turn) + 0.2 * (1 + cos(2 * pi * turn)) * normal(&state);
	}
	/* The third to seventh multiple pass the band; the phase errs by some degrees, and by as many more in them. */
	ck_assert_double_lt(share_without_multiples(wave, (clpac_band){24, 46}, 1), 0.3);
	ck_assert_double_lt(share_without_multiples(wave, (clpac_band){24, 46}, 5), 0.3);
	ck_assert_double_gt(share_without_multiples(noise, (clpac_band){24, 46}, 1), 0.98);
	ck_assert_double_gt(share_without_multiples(noise, fast, 1), 0.98);
	free(wave);
	free(noise);
}

TEST(turns_are_those_of_the_wave)
{
	clpac_error err;
	clpac__wave_turns turns;
	double *x = malloc(N * sizeof *x);
	for (size_t t = 0; t < N; t++)
		x[t] = 3 * cos(2 * pi * (slow_hz * (double)t / RATE + 0.2));
	assert_works(clpac__wave_turns_make(x, N, RATE, (clpac_band){5, 9}, 3, &turns, &err), err);
	for (size_t t = 2 * RATE; t < N - 2 * RATE; t++) {
		const double off = clpac__wave_turn_at(&turns, (double)t) - slow_hz * (double)t / RATE - 0.2;
		/* Means of 5 samples, linear between. */
		ck_assert_double_lt(fabs(off - rint(off)), 1e-3);
	}
	/* Beyond both ends the last ones stay. */
	ck_assert_double_eq(clpac__wave_turn_at(&turns, 0), turns.turns[0]);
	ck_assert_double_eq(clpac__wave_turn_at(&turns, N), turns.turns[turns.n - 1]);
	clpac__wave_turns_clear(&turns);
	/* A band that the series is too short for has none. */
	assert_works(clpac__wave_turns_make(x, 6, RATE, (clpac_band){5, 9}, 3, &turns, &err), err);
	ck_assert_uint_eq(turns.n, 0);
	ck_assert(clpac__wave_turn_at(&turns, 3) == 0);
	free(x);
}

TEST(a_series_is_filtered_as_the_sum_says)
{
	enum { LENGTH = 37, HALF = 5 };
	clpac_error err;
	unsigned long long state = 5;
	double x[LENGTH], even[HALF + 1], odd[HALF + 1], z[2 * LENGTH], real[LENGTH];
	for (size_t t = 0; t < LENGTH; t++)
		x[t] = normal(&state);
	for (size_t k = 0; k <= HALF; k++) {
		even[k] = normal(&state);
		odd[k] = k ? normal(&state) : 0;
	}
	for (size_t step = 1; step <= 2 * HALF; step++) {
		const size_t n = (LENGTH + step - 1) / step;
		assert_works(clpac__filter_series(x, LENGTH, even, odd, HALF, step, z, &err), err);
		assert_works(clpac__filter_series(x, LENGTH, even, NULL, HALF, step, real, &err), err);
		for (size_t i = 0; i < n; i++) {
			double re = 0, im = 0;
			for (int k = -HALF; k <= HALF; k++) {
				const int at = (int)(i * step) - k;
				if (at < 0 || at >= LENGTH)
					continue;
				re += x[at] * even[abs(k)];
				im += x[at] * odd[abs(k)] * (k > 0 ? 1 : -1);
			}
			ck_assert_double_eq_tol(z[i], re, 1e-12);
			ck_assert_double_eq_tol(z[n + i], im, 1e-12);
			ck_assert_double_eq_tol(real[i], re, 1e-12);
		}
	}
}
