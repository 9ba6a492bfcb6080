/* Values that other programs publish in their test suites, recomputed by their recipes. These split the method between
 * filter and Hilbert transform, so the test uses clpac/signal.h. */
#include "runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>

#include "assertions.h"
#include "contract/places.h"
#include "recordings.h"
#include "vectors.h"

/* Single precision rounds samples by 2^-24 of their size and transforms by a few times that; a sum over 88429 samples
 * has at most the same relative error. */
static const double of_single = 20 * 0x1p-24;

/* Half a unit of the last published digit. */
static const double five_digits = 0.5e-5;

typedef struct bench {
	clpac_context *context;
	float *x;
	size_t n;
} bench;

static bench begin(size_t place, const char *recording)
{
	bench made = {.context = place_open(place)};
	double *x = recordings_read(recording, &made.n);
	made.x = malloc(made.n * sizeof *made.x);
	for (size_t t = 0; t < made.n; t++)
		made.x[t] = (float)x[t];
	free(x);
	return made;
}

static void end(bench *b)
{
	free(b->x);
	clpac_context_close(b->context);
}

/* pacpy: as many taps as three cycles of the lower edge have samples; filtfilt with padding of three filter lengths;
 * one filter length dropped at each end. Returns how many of the n samples remain. */
static size_t filter(const bench *b, double lo, double hi, float *out)
{
	clpac_error err;
	const size_t n_taps = (size_t)(3 * 1000 / lo);
	double *taps = malloc(n_taps * sizeof *taps);
	float *whole = malloc(b->n * sizeof *whole);
	const double *bank[] = {taps};
	assert_works(clpac_signal_design(1000, (clpac_band){lo, hi}, n_taps - 1, taps, &err), err);
	assert_works(clpac_signal_filter(b->context, &(clpac_bank){1, bank, &n_taps, 3 * n_taps},
					 (clpac_values){.host = b->x}, 1, b->n, (clpac_values){.host = whole}, &err),
		     err);
	memcpy(out, whole + n_taps, (b->n - 2 * n_taps) * sizeof *out);
	free(whole);
	free(taps);
	return b->n - 2 * n_taps;
}

/* The Hilbert transform of the remaining samples, at exactly their length. */
static void split(const bench *b, float *filtered, size_t n, float *phase, float *amplitude)
{
	clpac_error err;
	float *analytic = malloc(2 * n * sizeof *analytic);
	assert_works(clpac_signal_hilbert(b->context, (clpac_values){.host = filtered}, 1, n,
					  (clpac_values){.host = analytic}, &err),
		     err);
	clpac_signal_phase_amplitude(analytic, n, phase, amplitude);
	free(analytic);
}

static double index_of(const bench *b, float *phase, float *amplitude, size_t n, unsigned n_bins, float *distribution)
{
	clpac_error err;
	clpac_result *result = NULL;
	const clpac_coupling coupling = {.n_series = 1,
					 .n_phase = 1,
					 .n_amplitude = 1,
					 .n_samples = n,
					 .n_bins = n_bins,
					 .keep_distributions = true};
	assert_works(clpac_signal_modulation_index(b->context, &coupling, (clpac_values){.host = phase},
						   (clpac_values){.host = amplitude}, &result, &err),
		     err);
	const double mi = clpac_result_array(result, CLPAC_MI, NULL)[0];
	if (distribution)
		memcpy(distribution, clpac_result_array(result, CLPAC_DISTRIBUTION, NULL),
		       n_bins * sizeof *distribution);
	clpac_result_destroy(result);
	return mi;
}

/* Phase and amplitude of two bands, cut symmetrically to the shorter; returns their length. */
static size_t phase_and_amplitude(const bench *b, const double phase_hz[2], const double amplitude_hz[2], float *phase,
				  float *amplitude, double *sum_of_filtered)
{
	float *filtered = malloc(b->n * sizeof *filtered);
	const size_t n_phase = filter(b, phase_hz[0], phase_hz[1], filtered);
	if (sum_of_filtered) {
		*sum_of_filtered = 0;
		for (size_t t = 0; t < n_phase; t++)
			*sum_of_filtered += fabs((double)filtered[t]);
	}
	split(b, filtered, n_phase, phase, NULL);
	const size_t n_amplitude = filter(b, amplitude_hz[0], amplitude_hz[1], filtered);
	split(b, filtered, n_amplitude, NULL, amplitude);
	ck_assert_uint_ge(n_amplitude, n_phase);
	memmove(amplitude, amplitude + (n_amplitude - n_phase) / 2, n_phase * sizeof *amplitude);
	free(filtered);
	return n_phase;
}

START_TEST(pacpy_gets_its_own_numbers)
{
	bench b = begin((size_t)_i, "pacpy_exampledata/exampledata.npy");
	vectors *file = vectors_load("published.json");
	double *phase_hz = vectors_numbers(vectors_get(file, "phase_hz"), NULL);
	double *amplitude_hz = vectors_numbers(vectors_get(file, "amplitude_hz"), NULL);
	float *phase = malloc(b.n * sizeof *phase), *amplitude = malloc(b.n * sizeof *amplitude), distribution[10];
	double sum, mean = 0;
	const size_t n = phase_and_amplitude(&b, phase_hz, amplitude_hz, phase, amplitude, &sum);
	ck_assert_uint_eq(n, (size_t)vectors_number(file, "n_samples"));
	assert_close(sum / vectors_number(file, "sum_abs_filtered_13_30"), 1, of_single);
	for (size_t t = 0; t < n; t++)
		mean += (double)amplitude[t] / (double)n;
	assert_close(mean, vectors_number(file, "mean_amplitude"), five_digits);
	assert_close(phase[0], vectors_number(file, "first_phase_rad"), five_digits);

	/* 11 digits are published. Eight roundings e of a bin's relative height move an index by sqrt(2 MI / ln N) e,
	 * which is 7e-6 of it; no sample of these moves over a bin's edge. */
	assert_close(index_of(&b, phase, amplitude, n, 20, NULL) / vectors_number(file, "mi_tort_20_bins"), 1, 1e-5);
	assert_close(index_of(&b, phase, amplitude, n, 18, NULL) / vectors_number(file, "mi_tort_18_bins"), 1, 1e-5);
	index_of(&b, phase, amplitude, n, 10, distribution);
	assert_close(distribution[0], vectors_number(file, "amplitude_distribution_10_bins_first"), five_digits);
	vectors_free(file);
	free(phase_hz);
	free(amplitude_hz);
	free(phase);
	free(amplitude);
	end(&b);
}

START_TEST(a_cell_of_pacpys_comodulogram_is_the_same)
{
	bench b = begin((size_t)_i, "pacpy_exampledata/exampledata.npy");
	vectors *file = vectors_load("published.json");
	float *phase = malloc(b.n * sizeof *phase), *amplitude = malloc(b.n * sizeof *amplitude);
	const size_t n =
		phase_and_amplitude(&b, (const double[]){10, 15}, (const double[]){50, 100}, phase, amplitude, NULL);
	assert_close(index_of(&b, phase, amplitude, n, 20, NULL),
		     vectors_number(file, "comodulogram_phase_10_15_amplitude_50_100_mi_20_bins"), five_digits);
	vectors_free(file);
	free(phase);
	free(amplitude);
	end(&b);
}

/* neurodsp: filters of 0.25 s and 0.2 s with an odd number of taps, applied once to the series ("same"), no edges
 * dropped. */
static void filter_once(const bench *b, double lo, double hi, size_t n_taps, float *out)
{
	clpac_error err;
	double *taps = malloc(n_taps * sizeof *taps);
	assert_works(clpac_signal_design(1000, (clpac_band){lo, hi}, n_taps - 1, taps, &err), err);
	for (size_t t = 0; t < b->n; t++) {
		double sum = 0;
		for (size_t k = 0; k < n_taps; k++) {
			const size_t from = t + n_taps / 2 - k;
			if (from < b->n) /* wraps round below 0 */
				sum += taps[k] * (double)b->x[from];
		}
		out[t] = (float)sum;
	}
	free(taps);
}

START_TEST(neurodsp_gets_its_own_index)
{
	bench b = begin((size_t)_i, "neurodsp_m1_pd/sample_data_1.npy");
	vectors *file = vectors_load("published.json");
	const vectors *one = vectors_get(file, "sample_data_1");
	float *phase = malloc(b.n * sizeof *phase), *amplitude = malloc(b.n * sizeof *amplitude);
	float *filtered = malloc(b.n * sizeof *filtered);
	filter_once(&b, 13, 30, 251, filtered);
	split(&b, filtered, b.n, phase, NULL);
	filter_once(&b, 50, 200, 201, filtered);
	split(&b, filtered, b.n, NULL, amplitude);
	/* The same bound as for pacpy. */
	assert_close(index_of(&b, phase, amplitude, b.n, 20, NULL) / vectors_number(one, "mi_tort_20_bins"), 1, 1e-5);
	vectors_free(file);
	free(phase);
	free(amplitude);
	free(filtered);
	end(&b);
}

const char *skip_reason(void)
{
	if (!places_find("native"))
		return "the native device is missing";
	return recordings_missing() ? recordings_missing() : vectors_missing();
}

Suite *suite(void)
{
	const int n = (int)places_find("native");
	Suite *s = suite_create("published values");
	TCase *t = tcase_create("published");
	tcase_add_loop_test(t, pacpy_gets_its_own_numbers, 0, n);
	tcase_add_loop_test(t, a_cell_of_pacpys_comodulogram_is_the_same, 0, n);
	tcase_add_loop_test(t, neurodsp_gets_its_own_index, 0, n);
	suite_add_tcase(s, t);
	return s;
}
