/* The peak of a spectrum above its background, of spectra that are written down and of noise. */
#include "coupling/signal/spectral_peak.h"

#include <math.h>
#include <stdlib.h>
#include <clpac/cautions.h>

#include "assertions.h"
#include "coupling/signal/filter.h"
#include "random.h"
#include "runner.h"

enum { N_BINS = 120 };
static const double bin_hz = 0.5;

/* A filter that passes a band as those of phase bands do: a windowed sinc of three cycles of the lower edge. */
static clpac__spectral_peak peak_in(const clpac__spectrum_of_bands *spectrum, clpac_band band)
{
	enum { RATE = 250, N_TAPS = 376 };
	static double taps[N_TAPS];
	const size_t n = 1 + clpac__filter_order(RATE, band.lo_hz, 3, 1000000, NULL);
	ck_assert_uint_le(n, N_TAPS);
	clpac__filter_write_taps(taps, n, RATE, band);
	return clpac__spectral_peak_of(spectrum, band, &(clpac__band_taps){taps, n, RATE});
}

/* 100 / f^exponent, with a bump of so many decibels at a frequency. */
static clpac__spectrum_of_bands made(double *power, double exponent, double hz, double height_db)
{
	for (size_t i = 0; i < N_BINS; i++) {
		const double at = (double)(i + 1) * bin_hz, from = (at - hz) / 0.8;
		power[i] = 100 * pow(at, -exponent) * pow(10, height_db / 10 * exp(-from * from / 2));
	}
	return (clpac__spectrum_of_bands){.power = power, .n = N_BINS, .n_windows = 59, .bin_hz = bin_hz};
}

TEST(a_peak_has_its_height_whatever_the_background)
{
	double power[N_BINS];
	for (double exponent = 0; exponent <= 2; exponent += 0.5)
		for (double height = 3; height <= 15; height += 3) {
			const clpac__spectrum_of_bands s = made(power, exponent, 7, height);
			const clpac__spectral_peak peak = peak_in(&s, (clpac_band){5, 9});
			/* Bins that rise by less than 1 dB are part of the background. */
			assert_close(peak.height_db, height, 0.7);
			assert_close(peak.exponent, exponent, 0.15);
			ck_assert_double_eq(peak.hz, 7);
		}
}

TEST(a_band_beside_a_peak_has_none)
{
	double power[N_BINS];
	clpac__spectrum_of_bands s = made(power, 1, 7, 12);
	ck_assert(peak_in(&s, (clpac_band){14, 18}).height_db < 1);
	ck_assert(peak_in(&s, (clpac_band){2, 3}).height_db < 1);
	/* But one that is so strong that the filter's skirt passes it before all else. */
	s = made(power, 1, 7, 40);
	const clpac__spectral_peak peak = peak_in(&s, (clpac_band){9, 12});
	ck_assert_double_eq(peak.hz, 7);
	ck_assert(peak.height_db > 35);
}

TEST(what_cannot_be_told_is_nan)
{
	double power[N_BINS];
	clpac__spectrum_of_bands s = made(power, 1, 7, 12);
	ck_assert(isnan(peak_in(&s, (clpac_band){70, 80}).height_db));
	power[20] = 0;
	ck_assert(isnan(peak_in(&s, (clpac_band){5, 9}).height_db));
	s.power = NULL;
	ck_assert(isnan(peak_in(&s, (clpac_band){5, 9}).height_db));
}

/* The shares of series with and without a rhythm that fall below the least peak.  A rhythm of 7 Hz with 0.4 of the
 * deviation of noise whose power falls as 1/f^2 rises by some 10 dB. */
TEST(noise_falls_below_the_least_peak_and_a_rhythm_does_not)
{
	enum { RATE = 250, N = 60 * RATE, N_SERIES = 40 };
	static const clpac_band bands[] = {{4, 8}, {6, 10}, {10, 14}};
	static double x[N];
	unsigned long long state = 4;
	clpac_error err;
	size_t n_below[2] = {0};
	for (size_t series = 0; series < N_SERIES; series++) {
		double slow = 0, phase = 0;
		for (size_t t = 0; t < N; t++) {
			slow = 0.99 * slow + (double)random_signed(&state);
			phase += 2 * acos(-1) * (7 + 20 * (double)random_signed(&state)) / RATE;
			x[t] = slow + (series % 2 ? 1.6 * cos(phase) : 0);
		}
		clpac__spectrum_of_bands spectrum;
		assert_works(clpac__spectrum_make(x, N, RATE, bands, COUNT(bands), &spectrum, &err), err);
		const double least = clpac__least_peak_db(spectrum.n_windows);
		for (size_t i = 0; i < COUNT(bands) - series % 2; i++) /* 10 to 14 Hz have no rhythm */
			n_below[series % 2] += peak_in(&spectrum, bands[i]).height_db < least;
		clpac__spectrum_clear(&spectrum);
	}
	ck_assert_uint_ge(n_below[0], 57); /* 95 % of 60 */
	ck_assert_uint_eq(n_below[1], 0);
}

TEST(a_short_series_has_no_spectrum)
{
	static const clpac_band band = {0.5, 1};
	static double x[1000];
	clpac_error err;
	clpac__spectrum_of_bands spectrum;
	assert_works(clpac__spectrum_make(x, COUNT(x), 100, &band, 1, &spectrum, &err), err);
	ck_assert_ptr_null(spectrum.power);
	clpac__spectrum_clear(&spectrum);
}

/* A rhythm, a line and noise: what the functions of a series alone tell of them. */
TEST(a_series_tells_its_rhythm_and_its_mains)
{
	enum { RATE = 250, N = 40 * RATE };
	static const clpac_band bands[] = {{5, 9}, {14, 18}};
	static double x[N];
	unsigned long long state = 8;
	clpac_error err;
	double slow = 0, phase = 0, height_db[2], hz[2], least_db, at_50 = NAN, at_60 = NAN;
	for (size_t t = 0; t < N; t++) {
		slow = 0.99 * slow + (double)random_signed(&state);
		phase += 2 * acos(-1) * (7 + 20 * (double)random_signed(&state)) / RATE;
		x[t] = slow + 1.6 * cos(phase) + 1.0 * cos(2 * acos(-1) * 50 * (double)t / RATE);
	}
	assert_works(clpac_signal_spectral_peaks(x, N, RATE, bands, 2, height_db, hz, &least_db, &err), err);
	ck_assert_msg(height_db[0] >= least_db && fabs(hz[0] - 7) <= 2, "%g dB at %g Hz", height_db[0], hz[0]);
	ck_assert(height_db[1] < least_db && least_db < 4);
	assert_works(clpac_signal_line(x, N, RATE, 50, &at_50, &err), err);
	assert_works(clpac_signal_line(x, N, RATE, 60, &at_60, &err), err);
	ck_assert_msg(at_50 > 30 && at_60 > 0 && at_60 < 10, "%g and %g", at_50, at_60);
	/* Values that are not finite, and a line above half the rate, tell nothing. */
	assert_works(clpac_signal_line(x, N, RATE, 130, &at_60, &err), err);
	ck_assert_double_eq(at_60, 0);
	x[5] = NAN;
	assert_works(clpac_signal_line(x, N, RATE, 50, &at_50, &err), err);
	ck_assert_double_eq(at_50, 0);
	assert_works(clpac_signal_spectral_peaks(x, N, RATE, bands, 2, height_db, hz, &least_db, &err), err);
	ck_assert(isnan(height_db[0]) && isnan(hz[0]) && isnan(height_db[1]));
	assert_refused(clpac_signal_spectral_peaks(x, N, RATE, bands, 0, height_db, hz, &least_db, &err), err,
		       CLPAC_ERROR_ARGUMENT, "n_bands is 0");
	assert_refused(clpac_signal_spectral_peaks(x, N, 30, bands, 2, height_db, hz, &least_db, &err), err,
		       CLPAC_ERROR_ARGUMENT, "bands[1] is 14-18 Hz");
	assert_refused(clpac_signal_line(x, N, 0, 50, &at_50, &err), err, CLPAC_ERROR_ARGUMENT, "rate_hz is 0");
}

/* White noise of a deviation s has 2 s^2 / rate at every frequency; a wave of an amplitude a has a^2 / 2 in all. */
TEST(a_density_is_in_squared_units_per_hertz)
{
	enum { RATE = 250, LENGTH = 500, N_WINDOWS = 101, N_BINS_OF_IT = LENGTH / 2 };
	static double x[N_WINDOWS * LENGTH], density[N_BINS_OF_IT];
	unsigned long long state = 5;
	clpac_error err;
	double mean = 0, wave = 0, whole = 0;
	for (size_t t = 0; t < COUNT(x); t++) {
		x[t] = 3 * (double)random_signed(&state);
		whole += x[t] * x[t] / (double)COUNT(x);
	}
	assert_works(clpac_signal_spectrum(x, N_WINDOWS, LENGTH, RATE, density, &err), err);
	for (size_t i = 0; i < N_BINS_OF_IT; i++) {
		mean += density[i] / N_BINS_OF_IT;
		/* A bin of 101 windows is within five of its deviations, a tenth. */
		assert_close(density[i] / (2 * whole / RATE), 1, 0.5);
	}
	assert_close(mean / (2 * whole / RATE), 1, 0.02);
	for (size_t t = 0; t < COUNT(x); t++)
		x[t] = 4 * cos(2 * acos(-1) * 20 * (double)(t % LENGTH) / RATE);
	assert_works(clpac_signal_spectrum(x, N_WINDOWS, LENGTH, RATE, density, &err), err);
	for (size_t i = 0; i < N_BINS_OF_IT; i++)
		wave += density[i] * RATE / LENGTH;
	assert_close(wave, 8, 1e-9);
	ck_assert(density[39] > density[38] && density[39] > density[40]);
	assert_refused(clpac_signal_spectrum(x, 0, LENGTH, RATE, density, &err), err, CLPAC_ERROR_ARGUMENT,
		       "0 windows");
	assert_refused(clpac_signal_spectrum(x, 1, 7, RATE, density, &err), err, CLPAC_ERROR_ARGUMENT, "7 samples");
	assert_refused(clpac_signal_spectrum(x, 1, LENGTH, 0, density, &err), err, CLPAC_ERROR_ARGUMENT, "0 Hz");
	assert_survives_failing_allocations(clpac_signal_spectrum(x, 1, LENGTH, RATE, density, &err), (void)0);
}

TEST(the_least_peak_falls_with_the_windows_to_two_decibels)
{
	ck_assert_double_eq(clpac__least_peak_db(1000), 2);
	assert_close(clpac__least_peak_db(9), 5.067, 0.001);
}
