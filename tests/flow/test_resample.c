/* Resampling: band-limited signals come out as the same signals at the other rate, at the same times; what lies above
 * the new rate leaves nothing; NaN and gaps keep their times. */
#include "config.h"

#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846;
/* Samples of the lower rate at each end of a run that are turned about: the filter's reach. */
enum { REACH = 320 };

/* A recording of one channel of a wave, as .npy of float64. */
static const char *write_wave(double rate_hz, size_t n, double hz, size_t nan_from, size_t nan_to)
{
	bytes to = {0};
	char head[128];
	int length = snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, %zu)}", n);
	bytes_add(&to, "\x93NUMPY\1\0", 8);
	bytes_add_number(&to, 118, 2, 0);
	bytes_add(&to, head, (size_t)length);
	for (; length < 118; length++)
		bytes_add(&to, length == 117 ? "\n" : " ", 1);
	for (size_t i = 0; i < n; i++) {
		const double value =
			i >= nan_from && i < nan_to ? NAN : 1000 + sin(2 * pi * hz * (double)i / rate_hz + 0.3);
		bytes_add(&to, &value, sizeof value);
	}
	const char *path = files_write("wave.npy", to.data, to.n);
	bytes_free(&to);
	return path;
}

static clpac_recording *read_at(const char *path, double rate_hz, double new_hz)
{
	return files_read(path, &(clpac_read_options){
					.size = sizeof(clpac_read_options), .rate_hz = rate_hz, .resample_hz = new_hz});
}

static const struct {
	double from_hz, to_hz;
} rates[] = {{512, 256}, {1000, 250}, {256, 512}, {500, 512}, {2048, 500}, {400.0 / 3, 100}, {250, 1000}};
enum { N_RATES = COUNT(rates) };

FIXTURE(files_begin, files_end);

#ifdef HAVE_SAMPLERATE

/* The largest difference from the analytic wave, away from the ends; of frequencies above the new rate, from none. */
static double largest_error(size_t pair, double hz)
{
	const double from = rates[pair].from_hz, to = rates[pair].to_hz, lower = fmin(from, to);
	const size_t n = (size_t)(8 * from);
	clpac_recording *r = read_at(write_wave(from, n, hz, 0, 0), from, to);
	const clpac_channel *channel = clpac_recording_channel(r, 0);
	const size_t reach = (size_t)(REACH * to / lower);
	double largest = 0;
	ck_assert_double_eq(channel->rate_hz, to);
	ck_assert_uint_eq(channel->n_samples, (size_t)ceil((double)n / from * to - 1e-6));
	ck_assert_uint_gt(channel->n_samples, 2 * reach);
	for (size_t k = reach; k < channel->n_samples - reach; k++) {
		const double truth = hz < lower / 2 ? sin(2 * pi * hz * (double)k / to + 0.3) : 0;
		largest = fmax(largest, fabs(files_sample(r, 0, k) - 1000 - truth));
	}
	clpac_recording_destroy(r);
	return largest;
}

/* Any delay would show: a sample's delay at 0.9 of the Nyquist frequency is an error of 2. */
TEST_EACH(waves_of_the_passband_come_out_as_they_are, N_RATES)
{
	const double nyquist = fmin(rates[_i].from_hz, rates[_i].to_hz) / 2;
	static const double shares[] = {0.02, 0.1, 0.33, 0.5, 0.75, 0.9};
	for (size_t k = 0; k < COUNT(shares); k++) {
		const double error = largest_error((size_t)_i, shares[k] * nyquist);
		ck_assert_msg(error < 1e-5, "%g of %g Hz to %g Hz: %g", shares[k] * nyquist, rates[_i].from_hz,
			      rates[_i].to_hz, error);
	}
}

TEST_EACH(waves_above_the_new_rate_leave_nothing, N_RATES)
{
	const double from = rates[_i].from_hz, nyquist = rates[_i].to_hz / 2;
	for (double share = 1.1; share * nyquist < from / 2 && share < 8; share += 0.37) {
		const double error = largest_error((size_t)_i, share * nyquist);
		ck_assert_msg(error < 1e-5, "%g of %g Hz to %g Hz: %g", share * nyquist, from, rates[_i].to_hz, error);
	}
}

/* Near the ends, where the run is turned about, the error is larger, but the level is kept. */
TEST(the_ends_keep_level_and_times)
{
	for (size_t pair = 0; pair < N_RATES; pair++) {
		const double from = rates[pair].from_hz, to = rates[pair].to_hz;
		clpac_recording *r = read_at(write_wave(from, (size_t)(8 * from), 2, 0, 0), from, to);
		const size_t n = clpac_recording_channel(r, 0)->n_samples;
		for (size_t k = 0; k < n; k++)
			ck_assert_double_eq_tol(files_sample(r, 0, k), 1000 + sin(2 * pi * 2 * (double)k / to + 0.3),
						0.05);
		clpac_recording_destroy(r);
	}
}

/* New sample k is NaN where time k / rate lies in the samples that are, each of which lasts until the next. */
TEST(nan_keeps_its_times)
{
	for (size_t pair = 0; pair < N_RATES; pair++) {
		const double from = rates[pair].from_hz, to = rates[pair].to_hz;
		const size_t a = (size_t)(3 * from) + 1, b = (size_t)(4.5 * from);
		clpac_recording *r = read_at(write_wave(from, (size_t)(8 * from), 2, a, b), from, to);
		for (size_t k = 0; k < clpac_recording_channel(r, 0)->n_samples; k++) {
			const double at = (double)k * from / to;
			const bool is_nan = at + 1e-9 >= (double)a && at + 1e-9 < (double)b;
			ck_assert_msg(isnan(files_sample(r, 0, k)) == is_nan, "%g to %g Hz, sample %zu", from, to, k);
			if (!is_nan)
				ck_assert_double_eq_tol(files_sample(r, 0, k),
							1000 + sin(2 * pi * 2 * (double)k / to + 0.3), 0.05);
		}
		clpac_recording_destroy(r);
	}
}

/* Samples that are NaN by turns cost no more than others, and a lone sample stays itself. */
TEST(lone_samples_stay_themselves)
{
	bytes to = {0};
	enum { N = 4000 };
	for (int i = 0; i < N; i++) {
		const float value = i % 2 ? NAN : (float)i;
		bytes_add(&to, &value, sizeof value);
	}
	const char *path = files_write("lone.dat", to.data, to.n);
	clpac_recording *r = files_read(
		path, &(clpac_read_options){
			      .size = sizeof(clpac_read_options), .raw = "f4:1", .rate_hz = 100, .resample_hz = 200});
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 2 * N);
	for (size_t k = 0; k < 2 * N; k++) {
		if (k % 4 < 2)
			ck_assert_double_eq_tol(files_sample(r, 0, k), (double)(k / 4 * 2), 1e-3);
		else
			ck_assert(isnan(files_sample(r, 0, k)));
	}
	clpac_recording_destroy(r);
	bytes_free(&to);
}

/* Epochs of an array are stretches: the end of one is nothing to the beginning of the next. */
TEST(stretches_are_resampled_by_themselves)
{
	bytes to = {0};
	char head[118];
	memset(head, ' ', sizeof head);
	const int n = snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 1000)}");
	head[n] = ' ';
	head[117] = '\n';
	bytes_add(&to, "\x93NUMPY\1\0", 8);
	bytes_add_number(&to, 118, 2, 0);
	bytes_add(&to, head, sizeof head);
	for (int i = 0; i < 2000; i++) {
		const double value = i < 1000 ? -5 : 5;
		bytes_add(&to, &value, sizeof value);
	}
	clpac_recording *r = read_at(files_write("two.npy", to.data, to.n), 500, 400);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 2);
	ck_assert_double_eq(clpac_recording_stretch(r, 1)->first_seconds, 2);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 1600);
	for (size_t k = 0; k < 1600; k++)
		ck_assert_double_eq_tol(files_sample(r, 0, k), k < 800 ? -5 : 5, 1e-6);
	clpac_recording_destroy(r);
	bytes_free(&to);
}

TEST(what_is_loaded_on_demand_is_the_same)
{
	const char *path = write_wave(512, 5000, 20, 100, 300);
	clpac_error err = {0};
	static const size_t first = 0;
	clpac_recording *whole = read_at(path, 512, 200);
	clpac_recording *part = files_read(path, &(clpac_read_options){.size = sizeof(clpac_read_options),
								       .rate_hz = 512,
								       .resample_hz = 200,
								       .on_demand = true});
	ck_assert_uint_eq(clpac_recording_channel(part, 0)->n_samples, clpac_recording_channel(whole, 0)->n_samples);
	ck_assert_double_eq(clpac_recording_channel(part, 0)->rate_hz, 200);
	for (int round = 0; round < 2; round++) {
		OK(clpac_recording_load(part, &first, 1, &err));
		ck_assert_int_eq(memcmp(clpac_recording_channel(part, 0)->samples,
					clpac_recording_channel(whole, 0)->samples,
					clpac_recording_channel(part, 0)->n_samples * sizeof(double)),
				 0);
		clpac_recording_unload(part, &first, 1);
	}
	clpac_recording_destroy(whole);
	clpac_recording_destroy(part);
}

TEST(each_failing_allocation_is_told)
{
	const char *path = write_wave(512, 2000, 20, 100, 300);
	clpac_error err = {0};
	const clpac_read_options options = {.size = sizeof(clpac_read_options), .rate_hz = 512, .resample_hz = 200};
	for (unsigned long k = 1;; k++) {
		clpac_recording *r = NULL;
		clpac__fail_allocation(k, false);
		const clpac_status st = clpac_recording_read(path, &options, &r, &err);
		const unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		clpac_recording_destroy(r);
		if (st == CLPAC_OK && made < k)
			break;
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
	}
}

#else

TEST(a_build_without_the_library_says_so)
{
	ck_assert(!clpac_resampling_is_available());
	files_refuse(files_write("x.dat", "12345678", 8),
		     &(clpac_read_options){
			     .size = sizeof(clpac_read_options), .raw = "f4:1", .rate_hz = 512, .resample_hz = 200},
		     CLPAC_ERROR_UNSUPPORTED, "--with-samplerate=yes");
}

#endif

TEST(rates_that_cannot_be_reached_are_refused)
{
	static const struct {
		double from_hz, to_hz;
		const char *text;
	} wrong[] = {{0, 200, "its own rate is unknown"},
		     {512, 1, "at most 256 times"},
		     {512, -1, "above 0"},
		     {512, NAN, "above 0"},
		     {512, INFINITY, "above 0"}};
	for (size_t i = clpac_resampling_is_available() ? 0 : 3; i < COUNT(wrong); i++) {
		clpac_recording *r = NULL;
		clpac_error err = {0};
		const char *path = files_write("x.dat", "12345678", 8);
		const clpac_read_options options = {.size = sizeof options,
						    .raw = "f4:1",
						    .rate_hz = wrong[i].from_hz,
						    .resample_hz = wrong[i].to_hz};
		ck_assert_int_eq(clpac_recording_read(path, &options, &r, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, wrong[i].text), "%s", err.text);
	}
}

TEST(the_same_rate_changes_nothing)
{
	clpac_recording *a = read_at(write_wave(512, 2000, 20, 100, 300), 512, 0);
	clpac_recording *b = read_at(files_path("wave.npy"), 512, 512);
	ck_assert_int_eq(memcmp(clpac_recording_channel(a, 0)->samples, clpac_recording_channel(b, 0)->samples,
				2000 * sizeof(double)),
			 0);
	clpac_recording_destroy(a);
	clpac_recording_destroy(b);
}
