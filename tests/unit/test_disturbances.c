/* Heartbeats, spikes, muscles and odd harmonics: each is found where it is, and not in what looks like it. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>

#include "assertions.h"
#include "random.h"
#include "coupling/signal/disturbances.h"
#include "coupling/signal/locking.h"

enum { RATE = 500, N = 60 * RATE };

static const double pi = 3.14159265358979323846;

static double normal(unsigned long long *state)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += random_unit(state);
	return sum;
}

static double *make_noise(unsigned long long seed)
{
	double *x = malloc(N * sizeof *x);
	for (size_t t = 0; t < N; t++)
		x[t] = normal(&seed);
	return x;
}

static clpac__beats beats_of(const double *x)
{
	clpac_error err;
	clpac__beats found;
	assert_works(clpac__find_beats(x, N, RATE, &found, &err), err);
	return found;
}

static clpac__bursts bursts_of(const double *x)
{
	clpac_error err;
	clpac__bursts found;
	assert_works(clpac__find_bursts(x, N, RATE, (clpac_band){40, 180}, &found, &err), err);
	return found;
}

/* Spikes with intervals of 0.8 s, give or take this part. */
static double *make_spikes(double spread)
{
	unsigned long long state = 8;
	double *x = make_noise(7), at = 100;
	for (; at < N; at += 0.8 * RATE * fmax(0.2, 1 + spread * normal(&state)))
		x[(size_t)at] += 9;
	return x;
}

TEST(regular_spikes_are_a_heart_and_others_are_not)
{
	double *regular = make_spikes(0.05), *irregular = make_spikes(1.5), *noise = make_noise(9);
	const clpac__beats found = beats_of(regular);
	ck_assert_uint_ge(found.n, 70);
	ck_assert_double_eq_tol(found.interval_s, 0.8, 0.02);
	ck_assert(found.deviations > 5 && found.deviations < 12);
	ck_assert_uint_eq(beats_of(irregular).n, 0);
	ck_assert_uint_eq(beats_of(noise).n, 0);
	free(regular);
	free(irregular);
	free(noise);
}

static clpac__spikes spikes_of(const double *x)
{
	clpac_error err;
	clpac__spikes found;
	assert_works(clpac__find_spikes(x, N, RATE, &found, &err), err);
	return found;
}

TEST(lone_spikes_are_found_and_noise_with_a_gain_has_none)
{
	unsigned long long state = 12;
	double *noise = make_noise(9), *gain = make_noise(5), *both = make_noise(6), *one_sided = make_noise(13);
	for (size_t t = 0; t < N; t++)
		gain[t] *= 1 + 0.6 * cos(2 * pi * 7 * (double)t / RATE);
	for (int i = 0; i < 20; i++)
		both[(size_t)(random_unit(&state) * N)] += i % 2 ? 14 : -14;
	/* A spike of 4.5 deviations in each cycle of 7 Hz, which no one by itself is told by. */
	for (double at = 10; at < N; at += RATE / 7.0)
		one_sided[(size_t)at] += 4.5;
	const clpac__spikes found = spikes_of(both), small = spikes_of(one_sided);
	ck_assert(found.n >= 18 && found.n <= 20);
	ck_assert(found.deviations > 10 && found.deviations < 20);
	ck_assert_uint_eq(small.n, 0);
	ck_assert_double_gt(small.skewness, 0.25);
	ck_assert(spikes_of(noise).n == 0 && spikes_of(noise).skewness == 0);
	ck_assert(spikes_of(gain).n == 0 && spikes_of(gain).skewness == 0);
	free(noise);
	free(gain);
	free(both);
	free(one_sided);
}

TEST(bursts_of_noise_are_a_muscle_and_rhythms_and_spikes_are_not)
{
	unsigned long long state = 11;
	double *x[3] = {make_noise(1), make_noise(2), make_noise(3)}, *noise = make_noise(4);
	/* 30 bursts of half a second, of noise, of a rhythm of 100 Hz, and a lone spike in each. */
	for (size_t burst = 0; burst < 30; burst++)
		for (size_t i = 0; i < RATE / 2; i++) {
			const size_t t = burst * 2 * RATE + i;
			x[0][t] += 5 * normal(&state);
			x[1][t] += 8 * cos(2 * pi * 100 * (double)t / RATE);
			x[2][t] += i == 100 ? 200 : 0;
		}
	const clpac__bursts found = bursts_of(x[0]);
	ck_assert_double_eq_tol(found.share, 0.25, 0.03);
	/* 1 + 5^2 within a burst, and less where an eighth of a second holds a part of one. */
	ck_assert(found.times > 15 && found.times < 27);
	ck_assert(bursts_of(x[1]).share == 0);
	ck_assert(bursts_of(x[2]).share == 0);
	ck_assert(bursts_of(noise).share == 0);
	for (size_t i = 0; i < 3; i++)
		free(x[i]);
	free(noise);
}

TEST(harmonics_of_a_wave_are_those_of_its_series)
{
	enum { SINE, SQUARE, TRIANGLE, SAWTOOTH, N_SHAPES };
	double *x = malloc(N * sizeof *x), *turns = malloc(N * sizeof *turns);
	/* Means of one sample, and of STEP of them, which flatten what is fast. */
	enum { STEP = 7 };
	double means[N / STEP], middles[N / STEP];
	const clpac__wave_turns each = {.means = x, .turns = turns, .n = N, .step = 1};
	const clpac__wave_turns of_steps = {.means = means, .turns = middles, .n = N / STEP, .step = STEP};
	clpac__wave_harmonics found[N_SHAPES], found_of_means[N_SHAPES];
	for (int shape = 0; shape < N_SHAPES; shape++) {
		for (size_t t = 0; t < N; t++) {
			/* The phase that counts may be any: here a third of a turn ahead. */
			const double turn = 6.97 * (double)t / RATE, angle = 2 * pi * turn;
			turns[t] = turn + 1.0 / 3;
			x[t] = shape == SINE	   ? cos(angle)
			       : shape == SQUARE   ? (cos(angle) > 0 ? 1 : -1)
			       : shape == TRIANGLE ? asin(cos(angle))
						   : turn - floor(turn) - 0.5;
		}
		found[shape] = clpac__find_wave_harmonics(&each);
		for (size_t i = 0; i < N / STEP; i++) {
			means[i] = 0;
			for (size_t k = 0; k < STEP; k++)
				means[i] += x[i * STEP + k] / STEP;
			middles[i] = turns[i * STEP + STEP / 2];
		}
		found_of_means[shape] = clpac__find_wave_harmonics(&of_steps);
	}
	/* Fourier: 1/3 and -1/9 of the first, with the sign that flattens below 0; 1/2 and 1/3 of a sawtooth.  Phases
	 * are rounded to 1/96 of a turn, which takes 1 - sinc(3/96), less than 0.002, off the third. */
	ck_assert_double_lt(fabs(found[SINE].third) + found[SINE].second, 2e-3);
	ck_assert_double_eq_tol(found[SQUARE].third, -1.0 / 3, 5e-3);
	ck_assert_double_lt(found[SQUARE].second, 5e-3);
	ck_assert_double_eq_tol(found[TRIANGLE].third, 1.0 / 9, 5e-3);
	ck_assert_double_eq_tol(found[SAWTOOTH].second, 0.5, 5e-3);
	/* At ten means a cycle the seventh to the thirteenth harmonic lie where the third does, by their size and the
	 * means' gain there: a tenth of it in a square wave. */
	ck_assert_double_eq_tol(found_of_means[SQUARE].third, -1.0 / 3, 0.05);
	ck_assert_double_eq_tol(found_of_means[TRIANGLE].third, 1.0 / 9, 0.01);
	ck_assert_double_eq_tol(found_of_means[SAWTOOTH].second, 0.5, 0.05);
	ck_assert_double_lt(fabs(found_of_means[SINE].third) + found_of_means[SINE].second, 5e-3);
	free(x);
	free(turns);
}

static clpac_disturbances disturbances_of(const double *x, double rate_hz, double wave_hz)
{
	clpac_error err;
	clpac_disturbances found;
	assert_works(clpac_signal_disturbances(x, N, rate_hz, (clpac_band){40, 125}, wave_hz, &found, &err), err);
	return found;
}

TEST(a_series_is_looked_at_for_all_of_them)
{
	double *noise = make_noise(9), *heart = make_spikes(0.05), *lone = make_spikes(1.5), *square = make_noise(3);
	for (size_t t = 0; t < N; t++)
		square[t] = 0.2 * square[t] + (cos(2 * pi * 7 * (double)t / RATE) > 0 ? 1 : -1);
	const clpac_disturbances none = disturbances_of(noise, RATE, 7), beats = disturbances_of(heart, RATE, 7),
				 spikes = disturbances_of(lone, RATE, 7);
	ck_assert(none.n_beats == 0 && none.burst_share == 0 && none.n_spikes == 0 && none.skewness == 0);
	ck_assert(none.third_harmonic == 0);
	ck_assert_double_eq_tol(beats.beat_interval_s, 0.8, 0.02);
	ck_assert_uint_eq(beats.n_spikes, 0);
	ck_assert(spikes.n_beats == 0 && spikes.n_spikes >= 10);
	ck_assert_double_eq_tol(disturbances_of(square, RATE, 7).third_harmonic, -1.0 / 3, 0.05);
	ck_assert(disturbances_of(square, RATE, 0).third_harmonic == 0);
	/* At twice the rate pairs of samples are looked at, of which a spike of one is half as high. */
	ck_assert_double_lt(disturbances_of(heart, 2 * RATE, 0).beat_deviations, 0.9 * beats.beat_deviations);
	noise[N / 2] = NAN;
	ck_assert(disturbances_of(noise, RATE, 7).n_spikes == 0);
	free(noise);
	free(heart);
	free(lone);
	free(square);
}

TEST(disturbances_need_a_rate_a_band_and_a_wave)
{
	clpac_error err;
	clpac_disturbances found;
	const double x[2] = {0};
	const clpac_band fast = {40, 125};
	assert_works(clpac_signal_disturbances(x, 0, RATE, fast, 7, &found, &err), err);
	assert_works(clpac_signal_disturbances(x, 2, RATE, fast, 7, &found, &err), err);
	ck_assert(found.n_spikes == 0 && found.n_beats == 0);
	assert_refused(clpac_signal_disturbances(x, 2, 0, fast, 7, &found, &err), err, CLPAC_ERROR_ARGUMENT,
		       "rate_hz is 0");
	assert_refused(clpac_signal_disturbances(x, 2, RATE, (clpac_band){40, 40}, 7, &found, &err), err,
		       CLPAC_ERROR_ARGUMENT, "fast 40-40 Hz");
	assert_refused(clpac_signal_disturbances(x, 2, RATE, fast, -1, &found, &err), err, CLPAC_ERROR_ARGUMENT,
		       "wave_hz -1");
}

/* A phase and an amplitude that do the same in each window, in a share of the windows. */
TEST(what_is_locked_to_events_stands_out)
{
	enum { EVENTS = 40, LENGTH = 600, STEP = 5, TURN_STEP = 10 };
	static const clpac_band slow = {5, 7}, fast = {60, 80};
	clpac_error err;
	size_t firsts[EVENTS];
	double *turns = malloc(N / TURN_STEP * sizeof *turns), *amplitudes = malloc(N / STEP * sizeof *amplitudes);
	clpac__wave_turns phase = {.means = turns, .turns = turns, .n = N / TURN_STEP, .step = TURN_STEP};
	const clpac__lock_windows windows = {firsts, EVENTS, LENGTH, (double)LENGTH / RATE};
	clpac__lock of_phase[3], of_amplitude[3];
	unsigned long long seed = 9;
	for (size_t w = 0; w < EVENTS; w++)
		firsts[w] = w * (LENGTH + 140);
	/* The first of `n_locked` windows have one course, all others begin anew. */
	for (size_t i = 0; i < 3; i++) {
		const size_t n_locked = i * EVENTS / 2;
		for (size_t w = 0; w < EVENTS; w++) {
			const bool is_locked = w < n_locked;
			const double start = is_locked ? 0.2 : random_unit(&seed),
				     burst = is_locked ? 300 : 600 * random_unit(&seed);
			for (size_t t = 0; t < LENGTH + 140; t++) {
				const size_t at = firsts[w] + t;
				if (at % TURN_STEP == 0)
					turns[at / TURN_STEP] = start + 6 * (double)t / RATE;
				if (at % STEP == 0)
					amplitudes[at / STEP] =
						1 + exp(-pow(((double)t - burst) / 40, 2)) + 0.2 * random_unit(&seed);
			}
		}
		assert_works(clpac__lock_of_phase(&phase, &windows, slow, &of_phase[i], &err), err);
		assert_works(clpac__lock_of_amplitude(amplitudes, STEP, &windows, fast, &of_amplitude[i], &err), err);
	}
	/* n |mean|^2: 1 by chance, whose deviation is 1 here where the phase runs alike; 40 where all are alike, and
	 * 10 + 1/2 where half of them are. */
	ck_assert_double_lt(of_phase[0].times, 5);
	ck_assert(!of_phase[0].is_clear && of_phase[1].is_clear && of_phase[2].is_clear);
	ck_assert_double_eq_tol(of_phase[1].times / EVENTS, 10.5 / EVENTS, 0.1);
	ck_assert_double_eq_tol(of_phase[2].times, EVENTS, 0.1);
	ck_assert(!of_amplitude[0].is_clear && of_amplitude[1].is_clear && of_amplitude[2].is_clear);
	ck_assert_double_lt(of_amplitude[0].times, 2);
	/* All but the noise, of variance 0.04/12 beside that of the burst, 0.065. */
	ck_assert_double_eq_tol(of_amplitude[2].times / EVENTS, 1, 0.075);
	/* A series without phases, and windows of one value, have none. */
	phase.n = 0;
	assert_works(clpac__lock_of_phase(&phase, &windows, slow, &of_phase[0], &err), err);
	ck_assert(of_phase[0].times == 1 && !of_phase[0].is_clear);
	assert_works(clpac__lock_of_amplitude(amplitudes, LENGTH, &windows, fast, &of_amplitude[0], &err), err);
	ck_assert(of_amplitude[0].times == 1 && !of_amplitude[0].is_clear);
	free(turns);
	free(amplitudes);
}
