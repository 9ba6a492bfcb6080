/* Laws of the modulation index of given phases and amplitudes, whatever computes it: scale, rotation, shift, closed
 * forms, empty bins, silence, chance. */
#include "coupling_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>

#include "assertions.h"
#include "contract/places.h"
#include "maxima_truth.h"
#include "oracle.h"
#include "coupling/layout/layout.h"
#include "coupling/layout/test_settings.h"
#include "results.h"
#include "runner.h"
#include "coupling/signal/statistics.h"
#include "moments.h"
#include "vectors.h"

static const double pi = 3.14159265358979323846;

static clpac_result *couple(clpac_context *context, const clpac_coupling *coupling, float *phase, float *amplitude)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_signal_modulation_index(context, coupling, (clpac_values){.host = phase},
						   (clpac_values){.host = amplitude}, &result, &err),
		     err);
	return result;
}

static const float *array_of(const clpac_result *result, clpac_array which)
{
	const float *values = clpac_result_array(result, which, NULL);
	ck_assert_ptr_nonnull(values);
	return values;
}

/* How far an index may be from the exact one when the relative heights of all bins are off by d. */
static double reach(double mi, double d, unsigned n_bins)
{
	return sqrt(2 * mi / log(n_bins)) * d + d * d / (2 * log(n_bins)) + mi * (n_bins + 8) * 0x1p-24;
}

/* Sum, weight, difference, quotient, and the fixed point's step: eight roundings of a bin's height. */
static const double roundings = 8 * 0x1p-24;

/* A phase that turns unevenly and stays a quarter of a bin away from every edge of n_bins, so that no rounding moves a
 * sample into another bin. */
static void make_phases(float *phase, size_t n, unsigned n_bins, unsigned long long *state)
{
	double turns = random_unit(state);
	for (size_t t = 0; t < n; t++) {
		turns += 0.02 + 0.03 * random_unit(state);
		const double bin = floor((turns - floor(turns)) * n_bins);
		phase[t] = (float)(-pi + 2 * pi * (bin + 0.25 + 0.5 * random_unit(state)) / n_bins);
	}
}

static void make_amplitudes(float *amplitude, const float *phase, size_t n, double depth, unsigned long long *state)
{
	for (size_t t = 0; t < n; t++)
		amplitude[t] = (float)(1 + depth * cos(phase[t]) + random_unit(state));
}

enum { N_PHASE = 3, N_AMPLITUDE = 5, N = 997, N_BINS = 18, N_SHIFTS = 12 };

typedef struct example {
	float phase[N_PHASE * N], amplitude[N_AMPLITUDE * N];
	clpac_coupling coupling;
} example;

static void make_example(example *e)
{
	unsigned long long state = 3;
	for (size_t ph = 0; ph < N_PHASE; ph++)
		make_phases(e->phase + ph * N, N, N_BINS, &state);
	for (size_t am = 0; am < N_AMPLITUDE; am++)
		make_amplitudes(e->amplitude + am * N, e->phase, N, 0.2 * (double)am, &state);
	e->coupling = (clpac_coupling){.n_series = 1,
				       .n_phase = N_PHASE,
				       .n_amplitude = N_AMPLITUDE,
				       .n_samples = N,
				       .n_surrogates = N_SHIFTS,
				       .seed = 21,
				       .keep_surrogates = true,
				       .keep_distributions = true};
}

static void check_alike(const float *a, const float *b, size_t n, double d, const char *what, const char *label)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(fabs((double)a[i] - (double)b[i]) <= 2 * reach(a[i], d, N_BINS),
			      "%s: %s: number %zu is %.9g and %.9g", label, what, i, a[i], b[i]);
}

START_TEST(the_index_is_that_of_the_definition)
{
	static example e;
	make_example(&e);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = couple(context, &e.coupling, e.phase, e.amplitude);
	for (size_t cell = 0; cell < N_PHASE * N_AMPLITUDE; cell++) {
		unsigned bins[N];
		oracle_real amplitude[N];
		for (size_t t = 0; t < N; t++) {
			bins[t] = oracle_bin(e.phase[cell / N_AMPLITUDE * N + t], N_BINS);
			amplitude[t] = e.amplitude[cell % N_AMPLITUDE * N + t];
		}
		const double exact = (double)oracle_modulation_index(bins, amplitude, N, 0, N_BINS, CLPAC_AVERAGE_MEAN);
		assert_close(array_of(result, CLPAC_MI)[cell], exact, reach(exact, roundings, N_BINS));
	}
	clpac_result_destroy(result);
	clpac_context_close(context);
}

START_TEST(the_amplitudes_scale_does_not_matter)
{
	static const double factors[] = {0x1p-100, 0x1p-24, 0.5, 0x1p40, 0x1p120, 3.7, 1e-7, 1e20};
	static example e, scaled;
	make_example(&e);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *plain = couple(context, &e.coupling, e.phase, e.amplitude);
	for (size_t f = 0; f < COUNT(factors); f++) {
		int exponent;
		const bool is_power = frexp(factors[f], &exponent) == 0.5;
		char label[300];
		snprintf(label, sizeof label, "%s, times %g", place_label((size_t)_i), factors[f]);
		scaled = e;
		for (size_t i = 0; i < N_AMPLITUDE * N; i++)
			scaled.amplitude[i] = (float)(e.amplitude[i] * factors[f]);
		clpac_result *result = couple(context, &scaled.coupling, scaled.phase, scaled.amplitude);
		static const clpac_array exact[] = {
			CLPAC_MI,	  CLPAC_Z,     CLPAC_P,	    CLPAC_SURROGATE_MEAN, CLPAC_SURROGATE_STD,
			CLPAC_SURROGATES, CLPAC_P_MAX, CLPAC_MAXIMA};
		for (size_t a = 0; a < COUNT(exact); a++) {
			size_t n;
			const float *x = clpac_result_array(plain, exact[a], &n), *y = array_of(result, exact[a]);
			if (is_power)
				ck_assert_msg(memcmp(x, y, n * sizeof *x) == 0, "%s: other bits in %s", label,
					      clpac_array_name(exact[a]));
			else if (exact[a] == CLPAC_MI || exact[a] == CLPAC_SURROGATES)
				check_alike(x, y, n, roundings, clpac_array_name(exact[a]), label);
		}
		size_t n;
		const float *x = clpac_result_array(plain, CLPAC_DISTRIBUTION, &n),
			    *y = array_of(result, CLPAC_DISTRIBUTION);
		for (size_t i = 0; i < n; i++)
			assert_close(y[i] / factors[f], x[i], is_power ? 0 : 8 * 0x1p-24 * x[i]);
		clpac_result_destroy(result);
	}
	clpac_result_destroy(plain);
	clpac_context_close(context);
}

START_TEST(turning_the_phase_by_whole_bins_does_not_matter)
{
	static example e, turned;
	make_example(&e);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *plain = couple(context, &e.coupling, e.phase, e.amplitude);
	for (int bins = -N_BINS; bins <= 3 * N_BINS; bins += 7) {
		char label[300];
		snprintf(label, sizeof label, "%s, %d bins", place_label((size_t)_i), bins);
		turned = e;
		for (size_t i = 0; i < N_PHASE * N; i++)
			turned.phase[i] = (float)(e.phase[i] + 2 * pi * bins / N_BINS);
		clpac_result *result = couple(context, &turned.coupling, turned.phase, turned.amplitude);
		check_alike(array_of(plain, CLPAC_MI), array_of(result, CLPAC_MI), N_PHASE * N_AMPLITUDE, roundings,
			    "mi", label);
		check_alike(array_of(plain, CLPAC_SURROGATES), array_of(result, CLPAC_SURROGATES),
			    N_SHIFTS * N_PHASE * N_AMPLITUDE, roundings, "surrogates", label);
		/* The distribution turns with the phase. */
		const float *x = array_of(plain, CLPAC_DISTRIBUTION), *y = array_of(result, CLPAC_DISTRIBUTION);
		for (size_t cell = 0; cell < N_PHASE * N_AMPLITUDE; cell++)
			for (int j = 0; j < N_BINS; j++)
				assert_close(y[cell * N_BINS + (size_t)((j + bins + 10 * N_BINS) % N_BINS)],
					     x[cell * N_BINS + (size_t)j], roundings * x[cell * N_BINS + (size_t)j]);
		clpac_result_destroy(result);
	}
	clpac_result_destroy(plain);
	clpac_context_close(context);
}

START_TEST(shifts_of_the_whole_series_and_beyond_are_refused)
{
	static const size_t beyond[] = {N, N + 3, SIZE_MAX};
	static example e;
	make_example(&e);
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(beyond); i++) {
		size_t shifts[N_SHIFTS] = {0, 1, 2, [3] = beyond[i]};
		clpac_result *none = NULL;
		clpac_error err = {0};
		e.coupling.shifts = shifts;
		ck_assert_int_eq(clpac_signal_modulation_index(context, &e.coupling, (clpac_values){.host = e.phase},
							       (clpac_values){.host = e.amplitude}, &none, &err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(none);
		ck_assert_msg(strstr(err.text, "number 4 of the list") && strstr(err.text, "give 0 to 996"), "%s",
			      err.text);
	}
	clpac_context_close(context);
}

START_TEST(rolling_the_phase_is_rolling_the_amplitude_back_is_a_shift)
{
	static const size_t shifts[N_SHIFTS] = {0, 1, 2, 255, 256, 257, 500, N - 2, N - 1, 499, 996, 256};
	static example e, rolled;
	make_example(&e);
	e.coupling.shifts = shifts;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *shifted = couple(context, &e.coupling, e.phase, e.amplitude);
	const size_t cells = N_PHASE * N_AMPLITUDE;
	const float *surrogates = array_of(shifted, CLPAC_SURROGATES), *mi = array_of(shifted, CLPAC_MI);
	/* Integers throughout: shift 0 gives the index, and a shift given twice the same surrogate. */
	ck_assert_int_eq(memcmp(surrogates, mi, cells * sizeof *mi), 0);
	ck_assert_int_eq(memcmp(surrogates + 11 * cells, surrogates + 4 * cells, cells * sizeof *mi), 0);
	for (size_t k = 0; k < N_SHIFTS; k++) {
		const size_t s = shifts[k];
		for (int is_phase = 0; is_phase < 2; is_phase++) {
			rolled = e;
			rolled.coupling.shifts = NULL;
			rolled.coupling.n_surrogates = 0;
			rolled.coupling.keep_surrogates = false;
			/* A(t) -> A(t + s), or bin(t) -> bin(t - s). */
			for (size_t row = 0; row < (is_phase ? N_PHASE : N_AMPLITUDE); row++)
				for (size_t t = 0; t < N; t++)
					if (is_phase)
						rolled.phase[row * N + (t + s) % N] = e.phase[row * N + t];
					else
						rolled.amplitude[row * N + t] = e.amplitude[row * N + (t + s) % N];
			clpac_result *result = couple(context, &rolled.coupling, rolled.phase, rolled.amplitude);
			check_alike(surrogates + k * cells, array_of(result, CLPAC_MI), cells, roundings,
				    is_phase ? "rolled phase" : "rolled amplitude", place_label((size_t)_i));
			clpac_result_destroy(result);
		}
	}
	clpac_result_destroy(shifted);
	clpac_context_close(context);
}

/* One amplitude per bin, every bin the same number of times. */
static void check_form(clpac_context *context, const double *heights, unsigned n_bins, double wanted, const char *label)
{
	enum { ROUNDS = 8 };
	const size_t n = ROUNDS * n_bins;
	float *phase = malloc(n * sizeof *phase), *amplitude = malloc(n * sizeof *amplitude);
	for (size_t t = 0; t < n; t++) {
		phase[t] = (float)(-pi + 2 * pi * ((double)(t % n_bins) + 0.5) / n_bins);
		amplitude[t] = (float)heights[t % n_bins];
	}
	for (int average = 0; average < 2; average++) {
		const clpac_coupling coupling = {.n_series = 1,
						 .n_phase = 1,
						 .n_amplitude = 1,
						 .n_samples = n,
						 .n_bins = n_bins,
						 .average = (clpac_average)average};
		clpac_result *result = couple(context, &coupling, phase, amplitude);
		/* Heights that far from the mean enter by ln(1 + d), which is 17 where rounding leaves 2^-24
		 * instead of 0. */
		const double mi = array_of(result, CLPAC_MI)[0],
			     tolerance = reach(wanted, roundings, n_bins) + 17 * roundings / log(n_bins);
		ck_assert_msg(fabs(mi - wanted) <= tolerance && mi >= 0 && mi <= 1, "%s, %u bins: %.9g instead of %.9g",
			      label, n_bins, mi, wanted);
		clpac_result_destroy(result);
	}
	free(phase);
	free(amplitude);
}

START_TEST(known_distributions_have_their_closed_forms)
{
	clpac_context *context = place_open((size_t)_i);
	vectors *file = vectors_load("closed_form.json");
	const vectors *cosines = vectors_get(file, "cosine"), *equal = vectors_get(file, "equal_over_m_of_n_bins");
	double heights[CLPAC_MAX_BINS];
	for (size_t i = 0; i < vectors_count(cosines); i++) {
		const vectors *one = vectors_at(cosines, i);
		const unsigned n = (unsigned)vectors_number(one, "bins");
		for (unsigned j = 0; j < n; j++) {
			const double a = -pi + 2 * pi * j / n, b = -pi + 2 * pi * (j + 1) / n;
			heights[j] = 1 + vectors_number(one, "k") * (sin(b) - sin(a)) / (b - a);
		}
		check_form(context, heights, n, vectors_number(one, "mi"), place_label((size_t)_i));
	}
	for (size_t i = 0; i < vectors_count(equal); i++) {
		const vectors *one = vectors_at(equal, i);
		const unsigned n = (unsigned)vectors_number(one, "bins"), m = (unsigned)vectors_number(one, "m");
		for (unsigned j = 0; j < n; j++)
			heights[(7 * j) % n] = j < m ? 3.25 : 0;
		check_form(context, heights, n, vectors_number(one, "mi"), place_label((size_t)_i));
	}
	vectors_free(file);
	clpac_context_close(context);
}

START_TEST(a_small_index_keeps_its_digits)
{
	/* A(phi) = 1 + k cos phi with small k: MI = k^2 s^2 / (4 ln N), s = sin(pi/N) / (pi/N), the next order k^2 of
	 * it. */
	clpac_context *context = place_open((size_t)_i);
	for (double k = 0.1; k > 2e-4; k /= 2) {
		double heights[N_BINS];
		for (unsigned j = 0; j < N_BINS; j++) {
			const double a = -pi + 2 * pi * j / N_BINS, b = -pi + 2 * pi * (j + 1) / N_BINS;
			/* Rounded to single precision first, so that the test's own rounding is not part of the
			 * comparison. */
			heights[j] = (float)(1 + k * (sin(b) - sin(a)) / (b - a));
		}
		oracle_real exact[N_BINS];
		for (unsigned j = 0; j < N_BINS; j++)
			exact[j] = heights[j];
		const double wanted = (double)oracle_index_of_distribution(exact, N_BINS);
		const double s = sin(pi / N_BINS) / (pi / N_BINS);
		assert_close(wanted / (k * k * s * s / (4 * log(N_BINS))), 1, k * k + 0x1p-24 / k * 4);
		float phase[16 * N_BINS], amplitude[16 * N_BINS];
		for (size_t t = 0; t < 16 * N_BINS; t++) {
			phase[t] = (float)(-pi + 2 * pi * ((double)(t % N_BINS) + 0.5) / N_BINS);
			amplitude[t] = (float)heights[t % N_BINS];
		}
		const clpac_coupling coupling = {
			.n_series = 1, .n_phase = 1, .n_amplitude = 1, .n_samples = 16 * N_BINS};
		clpac_result *result = couple(context, &coupling, phase, amplitude);
		/* Deviations from the mean are exact to their own last digits: 16 roundings of the index, whatever its
		 * size, and the fixed point, whose steps are 10^-9 of the level. */
		assert_close(array_of(result, CLPAC_MI)[0] / wanted, 1, 26 * 0x1p-24 + 4e-9 / k);
		clpac_result_destroy(result);
	}
	clpac_context_close(context);
}

START_TEST(an_empty_bin_counts_as_zero_and_is_counted)
{
	/* Phases in 12 of 18 bins. */
	enum { LENGTH = 600, FULL = 12 };
	float phase[LENGTH], amplitude[LENGTH];
	unsigned bins[LENGTH];
	oracle_real exact[LENGTH];
	unsigned long long state = 9;
	for (size_t t = 0; t < LENGTH; t++) {
		bins[t] = (unsigned)(t * t % FULL);
		phase[t] = (float)(-pi + 2 * pi * (bins[t] + 0.5) / N_BINS);
		amplitude[t] = (float)(1 + random_unit(&state) + 0.3 * cos(phase[t]));
		exact[t] = amplitude[t];
	}
	bool is_filled[N_BINS] = {0};
	unsigned n_empty = N_BINS;
	for (size_t t = 0; t < LENGTH; t++) {
		n_empty -= !is_filled[bins[t]];
		is_filled[bins[t]] = true;
	}
	clpac_context *context = place_open((size_t)_i);
	for (int average = 0; average < 2; average++) {
		const clpac_coupling coupling = {.n_series = 1,
						 .n_phase = 1,
						 .n_amplitude = 1,
						 .n_samples = LENGTH,
						 .average = (clpac_average)average,
						 .keep_distributions = true};
		clpac_result *result = couple(context, &coupling, phase, amplitude);
		const double wanted =
			(double)oracle_modulation_index(bins, exact, LENGTH, 0, N_BINS, (clpac_average)average);
		assert_close(array_of(result, CLPAC_MI)[0], wanted,
			     reach(wanted, roundings, N_BINS) + 17 * roundings / log(N_BINS));
		ck_assert_uint_eq(clpac_result_empty_bins(result)[0], n_empty);
		ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_EMPTY_BINS].count, 1);
		for (unsigned j = 0; j < N_BINS; j++)
			ck_assert_int_eq(isnan(array_of(result, CLPAC_DISTRIBUTION)[j]) != 0, !is_filled[j]);
		clpac_result_destroy(result);
	}
	clpac_context_close(context);
}

START_TEST(silence_and_what_is_not_finite_give_nan_and_leave_the_others)
{
	enum { SERIES = 4 };
	static example e;
	make_example(&e);
	e.coupling.n_series = SERIES;
	const size_t phases = N_PHASE * N, amplitudes = N_AMPLITUDE * N, cells = N_PHASE * N_AMPLITUDE;
	float *phase = malloc(SERIES * phases * sizeof *phase),
	      *amplitude = malloc(SERIES * amplitudes * sizeof *amplitude);
	for (size_t s = 0; s < SERIES; s++) {
		memcpy(phase + s * phases, e.phase, phases * sizeof *phase);
		memcpy(amplitude + s * amplitudes, e.amplitude, amplitudes * sizeof *amplitude);
	}
	memset(amplitude + amplitudes + N, 0, N * sizeof *amplitude); /* series 1, amplitude 1 */
	amplitude[2 * amplitudes + 17] = INFINITY;
	phase[3 * phases + N + 3] = NAN;
	e.coupling.share_shifts = true;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = couple(context, &e.coupling, phase, amplitude);
	const float *mi = array_of(result, CLPAC_MI), *z = array_of(result, CLPAC_Z), *p = array_of(result, CLPAC_P);
	for (size_t i = 0; i < SERIES * cells; i++) {
		const size_t s = i / cells, am = i % N_AMPLITUDE;
		const bool is_bad = s >= 2 || (s == 1 && am == 1);
		ck_assert_msg((isnan(mi[i]) != 0) == is_bad && (isnan(z[i]) != 0) == is_bad &&
				      (isnan(p[i]) != 0) == is_bad,
			      "%s: series %zu, amplitude %zu: %g", place_label((size_t)_i), s, am, mi[i]);
		if (!is_bad)
			ck_assert(memcmp(&mi[i], &mi[i % cells], sizeof *mi) == 0);
	}
	const clpac_report *report = clpac_result_report(result);
	ck_assert_uint_eq(report->warnings[CLPAC_WARN_NO_AMPLITUDE].count, N_PHASE);
	ck_assert_ptr_nonnull(strstr(report->warnings[CLPAC_WARN_NO_AMPLITUDE].text, "amplitude 1"));
	ck_assert_uint_eq(report->warnings[CLPAC_WARN_NOT_FINITE].count, 2);
	ck_assert_ptr_nonnull(strstr(report->warnings[CLPAC_WARN_NOT_FINITE].text, "2, 3"));
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(phase);
	free(amplitude);
}

/* Independent phases and amplitudes: p must be uniform on {1, ..., K + 1} / (K + 1).  Kolmogorov-Smirnov: with n values
 * the largest distance of the distributions exceeds sqrt(ln(2 / a) / (2 n)) with a probability below a (Massart 1990,
 * Ann Probab 18:1269). */
START_TEST(p_is_uniform_where_there_is_no_coupling)
{
	enum { SERIES = 1500, LENGTH = 150, K = 49, BINS = 6 };
	const double limit = sqrt(log(2 / 1e-6) / (2.0 * SERIES));
	float *phase = malloc(SERIES * LENGTH * sizeof *phase),
	      *amplitude = malloc(SERIES * LENGTH * sizeof *amplitude);
	unsigned long long state = 77;
	for (size_t i = 0; i < SERIES * LENGTH; i++) {
		phase[i] = (float)(2 * pi * random_unit(&state) - pi);
		amplitude[i] = (float)sqrt(-2 * log(1 - random_unit(&state))); /* Rayleigh, as the amplitude of noise */
	}
	const clpac_coupling coupling = {.n_series = SERIES,
					 .n_phase = 1,
					 .n_amplitude = 1,
					 .n_samples = LENGTH,
					 .n_bins = BINS,
					 .n_surrogates = K,
					 .seed = 4};
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = couple(context, &coupling, phase, amplitude);
	/* Random phases cross more edges than the lists are made for. */
	ck_assert_uint_le(clpac_result_report(result)->n_overflowing_series, SERIES);
	size_t counts[K + 2] = {0}, below = 0;
	for (size_t s = 0; s < SERIES; s++) {
		const double rank = array_of(result, CLPAC_P)[s] * (K + 1);
		assert_close(rank, round(rank), 1e-4);
		ck_assert(rank > 0.5 && rank < K + 1.5);
		counts[(size_t)round(rank)]++;
	}
	double farthest = 0;
	for (size_t r = 1; r <= K + 1; r++) {
		below += counts[r];
		farthest = fmax(farthest, fabs((double)below / SERIES - (double)r / (K + 1)));
	}
	ck_assert_msg(farthest <= limit, "%s: p is %.3g from uniform, %.3g are chance", place_label((size_t)_i),
		      farthest, limit);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(phase);
	free(amplitude);
}

START_TEST(statistics_are_those_of_the_kept_surrogates)
{
	static example e;
	make_example(&e);
	e.coupling.n_surrogates = 300;
	clpac_context *context = place_open((size_t)_i);
	for (unsigned ddof = 0; ddof < 2; ddof++) {
		e.coupling.ddof = ddof;
		clpac_result *result = couple(context, &e.coupling, e.phase, e.amplitude);
		const size_t cells = N_PHASE * N_AMPLITUDE;
		for (size_t cell = 0; cell < cells; cell++) {
			moments seen = {0};
			const float mi = array_of(result, CLPAC_MI)[cell];
			for (size_t k = 0; k < 300; k++)
				moments_add(&seen, array_of(result, CLPAC_SURROGATES)[k * cells + cell], mi);
			const double std = clpac__moments_std(seen.m2, 300, ddof),
				     z = clpac__z_score(mi, seen.mean, std);
			/* Welford's recurrence in single precision rounds mean and squares four times a step, up as
			 * often as down. */
			const double error = 4 * sqrt(300) * 0x1p-24;
			assert_close(array_of(result, CLPAC_SURROGATE_MEAN)[cell], seen.mean,
				     error * (seen.mean + std));
			assert_close(array_of(result, CLPAC_SURROGATE_STD)[cell], std, error * (seen.mean + std));
			assert_close(array_of(result, CLPAC_Z)[cell], z,
				     error * (fabs(z) + 1) * (seen.mean + std) / std);
			ck_assert_float_eq(array_of(result, CLPAC_P)[cell], (float)clpac__p_value(seen.rank, 300));
		}
		const judged_values values = judged_values_of(result, 0);
		check_maxima(&(judged_map){clpac_result_valid(result), e.coupling.n_phase, e.coupling.n_amplitude, 300,
					   false},
			     &values, place_label((size_t)_i));
		clpac_result_destroy(result);
	}
	/* All surrogates equal: no deviation, no z, and a p that says that all reach the index. */
	static const size_t zeros[5];
	e.coupling.shifts = zeros;
	e.coupling.n_surrogates = 5;
	clpac_result *result = couple(context, &e.coupling, e.phase, e.amplitude);
	ck_assert(isnan(array_of(result, CLPAC_Z)[0]));
	ck_assert_float_eq(array_of(result, CLPAC_P)[0], 1);
	ck_assert(isnan(array_of(result, CLPAC_P_MAX)[0]) && isnan(array_of(result, CLPAC_MAXIMA)[0]));
	ck_assert_float_eq(array_of(result, CLPAC_SURROGATE_STD)[0], 0);
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_NO_DEVIATION].count, N_PHASE * N_AMPLITUDE);
	clpac_result_destroy(result);
	clpac_context_close(context);
}

START_TEST(a_phase_on_an_edge_belongs_to_the_bin_that_it_begins)
{
	/* Four bins: edges at -pi, -pi/2, 0, pi/2; and pi belongs to the last.  An angle is rounded to 4e-7 rad. */
	static const struct {
		double phase;
		unsigned bin;
	} cases[] = {{-3.14159274, 0}, {-3.1415917, 0}, {-1.5707973, 0}, {-1.5707953, 1}, {-1e-6, 1},
		     {0, 2},	       {1.5707953, 2},	{1.5707973, 3},	 {3.1415917, 3},  {3.14159274, 3},
		     {4, 0},	       {-4, 3},		{9, 3},		 {100, 1}};
	enum { LENGTH = 64 };
	clpac_context *context = place_open((size_t)_i);
	for (size_t c = 0; c < COUNT(cases); c++) {
		float phase[LENGTH], amplitude[LENGTH];
		for (size_t t = 0; t < LENGTH; t++) {
			phase[t] = (float)cases[c].phase;
			amplitude[t] = 1;
		}
		const clpac_coupling coupling = {.n_series = 1,
						 .n_phase = 1,
						 .n_amplitude = 1,
						 .n_samples = LENGTH,
						 .n_bins = 4,
						 .keep_distributions = true};
		clpac_result *result = couple(context, &coupling, phase, amplitude);
		for (unsigned j = 0; j < 4; j++)
			ck_assert_msg((isnan(array_of(result, CLPAC_DISTRIBUTION)[j]) == 0) == (j == cases[c].bin),
				      "%s: %.9g rad is not in bin %u", place_label((size_t)_i), cases[c].phase,
				      cases[c].bin);
		assert_close(array_of(result, CLPAC_MI)[0], 1, 17 * roundings);
		clpac_result_destroy(result);
	}
	clpac_context_close(context);
}

START_TEST(windows_change_no_bit)
{
	/* Spans of a series: all at once, or in slabs that are all there, or that are made one after the other. */
	enum { SERIES = 2, SPAN = 256 };
	static example e;
	make_example(&e);
	unsigned long long state = 41;
	float *phase = malloc(SERIES * sizeof e.phase), *amplitude = malloc(SERIES * sizeof e.amplitude);
	for (size_t i = 0; i < SERIES * N_PHASE; i++)
		make_phases(phase + i * N, N, N_BINS, &state);
	for (size_t i = 0; i < SERIES * N_AMPLITUDE; i++)
		make_amplitudes(amplitude + i * N, phase, N, 0.3, &state);
	/* A phase that leaps has longer edge lists than fit, and is summed sample by sample. */
	for (size_t t = 0; t < N; t++)
		phase[t] = (float)(pi * (2 * random_unit(&state) - 1));
	e.coupling.n_series = SERIES;
	e.coupling.n_surrogates = 100;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *at_once = couple(context, &e.coupling, phase, amplitude);
	clpac__for_tests.span = SPAN;
	clpac__for_tests.streamed_from = 1;
	clpac_result *streamed = couple(context, &e.coupling, phase, amplitude);
	results_same_bits(at_once, streamed, place_label((size_t)_i), "streamed slabs");
	clpac__for_tests.span = 0; /* further laws run in this process */
	clpac__for_tests.streamed_from = 0;
	clpac_result_destroy(streamed);
	clpac_result_destroy(at_once);
	clpac_context_close(context);
	free(phase);
	free(amplitude);
}

START_TEST(series_do_not_know_of_each_other)
{
	enum { SERIES = 7 };
	static example e;
	make_example(&e);
	unsigned long long state = 31;
	float *phase = malloc(SERIES * sizeof e.phase), *amplitude = malloc(SERIES * sizeof e.amplitude);
	for (size_t i = 0; i < SERIES * N_PHASE; i++)
		make_phases(phase + i * N, N, N_BINS, &state);
	for (size_t i = 0; i < SERIES * N_AMPLITUDE; i++)
		make_amplitudes(amplitude + i * N, phase, N, 0.3, &state);
	clpac_context *context = place_open((size_t)_i);
	e.coupling.n_series = SERIES;
	clpac_result *all = couple(context, &e.coupling, phase, amplitude);
	clpac_result *again = couple(context, &e.coupling, phase, amplitude);
	results_same_bits(all, again, place_label((size_t)_i), "once more");
	e.coupling.n_series = 4;
	clpac_result *some = couple(context, &e.coupling, phase, amplitude);
	results_same_bits_in_order(some, all, &(results_order){0}, place_label((size_t)_i), "4 of 7 series");
	clpac_result_destroy(all);
	clpac_result_destroy(again);
	clpac_result_destroy(some);
	/* The same bits from a buffer of the device. */
	clpac_error err;
	clpac_buffer *buffers[2];
	clpac_pool *pool = clpac_context_pool(context);
	assert_works(clpac_pool_allocate(pool, sizeof e.phase, "phases", &buffers[0], &err), err);
	assert_works(clpac_pool_allocate(pool, sizeof e.amplitude, "amplitudes", &buffers[1], &err), err);
	assert_works(clpac_buffer_write(buffers[0], 0, sizeof e.phase, phase, &err), err);
	assert_works(clpac_buffer_write(buffers[1], 0, sizeof e.amplitude, amplitude, &err), err);
	e.coupling.n_series = 1;
	clpac_result *host = couple(context, &e.coupling, phase, amplitude), *device = NULL;
	assert_works(clpac_signal_modulation_index(context, &e.coupling, (clpac_values){.buffer = buffers[0]},
						   (clpac_values){.buffer = buffers[1]}, &device, &err),
		     err);
	results_same_bits(host, device, place_label((size_t)_i), "from buffers");
	clpac_result_destroy(host);
	clpac_result_destroy(device);
	clpac_buffer_release_batch(buffers, 2);
	clpac_context_close(context);
	free(phase);
	free(amplitude);
}

TCase *coupling_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("coupling");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, the_index_is_that_of_the_definition, 0, n);
	tcase_add_loop_test(t, the_amplitudes_scale_does_not_matter, 0, n);
	tcase_add_loop_test(t, turning_the_phase_by_whole_bins_does_not_matter, 0, n);
	tcase_add_loop_test(t, shifts_of_the_whole_series_and_beyond_are_refused, 0, n);
	tcase_add_loop_test(t, rolling_the_phase_is_rolling_the_amplitude_back_is_a_shift, 0, n);
	add_loop_test_unless(vectors_missing(), t, known_distributions_have_their_closed_forms, 0, n);
	tcase_add_loop_test(t, a_small_index_keeps_its_digits, 0, n);
	tcase_add_loop_test(t, an_empty_bin_counts_as_zero_and_is_counted, 0, n);
	tcase_add_loop_test(t, silence_and_what_is_not_finite_give_nan_and_leave_the_others, 0, n);
	tcase_add_loop_test(t, p_is_uniform_where_there_is_no_coupling, 0, n);
	tcase_add_loop_test(t, statistics_are_those_of_the_kept_surrogates, 0, n);
	tcase_add_loop_test(t, a_phase_on_an_edge_belongs_to_the_bin_that_it_begins, 0, n);
	tcase_add_loop_test(t, windows_change_no_bit, 0, n);
	tcase_add_loop_test(t, series_do_not_know_of_each_other, 0, n);
	return t;
}
