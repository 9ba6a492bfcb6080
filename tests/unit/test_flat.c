/* Flat runs: data that is missing is told from what a signal does by itself. */
#include "runner.h"
#include "assertions.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/flat.h"

enum { N = 30000, LEAST = 11, LONGEST_CLIP = 170 };

static double samples[N];

/* From -1 to 1. */
static double noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* About a normal distribution of deviation 1, in steps. */
static void fill(uint64_t seed, double step)
{
	for (size_t i = 0; i < N; i++) {
		double value = 0;
		for (int k = 0; k < 3; k++)
			value += noise(&seed);
		samples[i] = step > 0 ? step * round(value / step) : value;
	}
}

static void set(size_t first, size_t n, double value)
{
	for (size_t i = first; i < first + n; i++)
		samples[i] = value;
}

/* Looks at n samples in pieces, as double and as every other float, which must agree; to be cleared. */
static clpac__flat_search searched(size_t n, size_t piece)
{
	clpac_error err = {0};
	clpac__flat_search s = {.least = LEAST, .longest_clip = LONGEST_CLIP}, other = s;
	float *floats = malloc((2 * N + 1) * sizeof *floats);
	ck_assert_ptr_nonnull(floats);
	for (size_t i = 0; i < n; i++) {
		floats[2 * i] = (float)samples[i];
		floats[2 * i + 1] = NAN;
	}
	for (size_t at = 0, length = piece; at < n; at += length) {
		length = n - at < piece ? n - at : piece;
		OK(clpac__flat_look_at(&s, samples + at, true, 1, length, &err));
	}
	OK(clpac__flat_look(&other, floats, false, 2, n, &err));
	OK(clpac__flat_end(&s, &err));
	OK(clpac__flat_end(&other, &err));
	ck_assert_uint_eq(s.n_runs, other.n_runs);
	ck_assert_uint_eq(s.n_clipped, other.n_clipped);
	for (size_t i = 0; i < s.n_runs; i++)
		ck_assert(s.runs[i].first == other.runs[i].first && s.runs[i].n == other.runs[i].n);
	clpac__flat_clear(&other);
	free(floats);
	return s;
}

static void assert_runs(size_t n, const size_t (*runs)[2])
{
	for (size_t piece = 1; piece <= N; piece = 7 * piece + 3) {
		clpac__flat_search s = searched(N, piece);
		ck_assert_uint_eq(s.n_runs, n);
		for (size_t i = 0; i < n; i++) {
			ck_assert_uint_eq(s.runs[i].first, runs[i][0]);
			ck_assert_uint_eq(s.runs[i].n, runs[i][1]);
		}
		clpac__flat_clear(&s);
	}
}

TEST(runs_of_any_value_are_found_where_they_are)
{
	fill(1, 0);
	set(0, 20, 0.25);
	set(500, LEAST, 0);
	set(1000, LEAST - 1, 0);
	set(2000, 500, samples[1999]);
	set(N - 512, 512, 0);
	assert_runs(4, (const size_t[][2]){{0, 20}, {500, LEAST}, {1999, 501}, {N - 512, 512}});
}

TEST(noise_in_coarse_steps_has_no_flat_run_by_chance)
{
	/* One step is the deviation, twice, three times: up to eight in ten samples repeat the one before. */
	for (int times = 1; times <= 3; times++)
		for (uint64_t seed = 0; seed < 20; seed++) {
			fill(seed, times);
			assert_runs(0, NULL);
		}
}

TEST(and_missing_data_in_it_is_found)
{
	for (int times = 1; times <= 2; times++) {
		fill(5, times);
		set(7000, 500, 0);
		clpac__flat_search s = searched(N, N);
		ck_assert_uint_eq(s.n_runs, 1);
		/* Noise may be 0 beside it. */
		ck_assert(s.runs[0].first <= 7000 && s.runs[0].first + 20 > 7000);
		ck_assert(s.runs[0].first + s.runs[0].n >= 7500 && s.runs[0].n < 540);
		clpac__flat_clear(&s);
	}
}

TEST(a_slow_wave_in_steps_turns_and_is_not_flat)
{
	for (size_t i = 0; i < N; i++)
		samples[i] = round(200 * sin(2 * 3.14159265358979 * 0.3 * (double)i / 512));
	assert_runs(0, NULL);
}

TEST(half_of_a_recording_that_is_missing_is_found)
{
	fill(3, 0.1);
	set(10000, N / 2, 0.3);
	assert_runs(1, (const size_t[][2]){{10000, N / 2}});
}

TEST(a_series_that_never_changes_has_no_run)
{
	set(0, N, 4);
	assert_runs(0, NULL);
}

TEST(samples_that_are_no_numbers_are_no_run)
{
	fill(4, 0);
	set(100, 200, NAN);
	set(900, 200, INFINITY);
	set(1100, 50, -INFINITY);
	set(1150, 30, 1);
	assert_runs(1, (const size_t[][2]){{1150, 30}});
}

TEST(waves_that_are_cut_off_are_clipped_and_not_missing)
{
	fill(6, 0.01);
	size_t n_cut = 0;
	for (size_t i = 0; i < N; i++) {
		samples[i] += 2 * sin(2 * 3.14159265358979 * 5 * (double)i / 512);
		samples[i] = fmin(round(128 * samples[i]) / 128, 1);
		n_cut += samples[i] == 1;
	}
	clpac__flat_search s = searched(N, N);
	ck_assert_uint_eq(s.n_runs, 0);
	ck_assert_uint_eq(s.n_clipped, n_cut);
	clpac__flat_clear(&s);
	/* What is longer than a wave is missing, at that value too. */
	set(8000, LONGEST_CLIP, 1);
	set(7999, 1, 0);
	set(8000 + LONGEST_CLIP, 1, 0);
	assert_runs(1, (const size_t[][2]){{8000, LONGEST_CLIP}});
}

TEST(a_signal_that_is_not_clipped_is_not_called_so)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		fill(seed, 0.5);
		clpac__flat_search s = searched(N, N);
		ck_assert_uint_eq(s.n_clipped, 0);
		clpac__flat_clear(&s);
	}
}

TEST(padding_at_the_lowest_value_is_missing_and_not_clipped)
{
	fill(8, 0);
	set(20000, 600, -100);
	set(25000, 600, -100);
	clpac__flat_search s = searched(N, N);
	ck_assert_uint_eq(s.n_clipped, 0);
	clpac__flat_clear(&s);
	assert_runs(2, (const size_t[][2]){{20000, 600}, {25000, 600}});
}

TEST(nothing_is_found_in_nothing)
{
	clpac__flat_search s = searched(0, 1);
	ck_assert(!s.n_runs && !s.n_clipped);
	clpac__flat_clear(&s);
}
