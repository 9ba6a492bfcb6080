/* What a run warns about: lines, bands that cannot carry coupling, short series, and cells that are not valid. */
#include "runner.h"
#include "assertions.h"
#include "contract/places.h"
#include "coupling/passes/plan.h"
#include "plan_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

TEST(a_pure_line_is_warned_about_and_noise_is_not)
{
	enum { LONG = 15000 };
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 2;
	p.n_samples = LONG;
	double *x = make_samples(8, 2 * LONG);
	for (size_t t = 0; t < LONG; t++) { /* channel 1: 10 Hz and an amplitude that it modulates, little noise */
		const double slow = 2 * pi * 10 * (double)t / 250;
		x[LONG + t] =
			10 * cos(slow) + (1 + cos(slow)) * cos(2 * pi * 70.3 * (double)t / 250) + 0.1 * x[LONG + t];
	}
	clpac_result *result = run(context, &p, x);
	/* The line lies in 8-13 Hz; 4-8 Hz holds only its leakage, which is a line too. */
	const size_t n = warned(result, CLPAC_WARN_PURE_LINE, "channel 1");
	ck_assert_msg(n == 1 || n == 2, "%zu warnings", n);
	/* A pure line's surrogates equal its index: nothing is significant though the coupling is strong. */
	const size_t cell = (N_PHASE + 1) * N_AMPLITUDE + 2;
	ck_assert_float_gt(array_of(result, CLPAC_MI)[cell], 0.01f);
	ck_assert_float_gt(array_of(result, CLPAC_SURROGATE_MEAN)[cell], 0.9f * array_of(result, CLPAC_MI)[cell]);
	clpac_result_destroy(result);
	/* Without surrogates there is no warning about them. */
	p.n_surrogates = 0;
	p.keep_surrogates = false;
	result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_PURE_LINE, ""), 0);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

/* The phase of channel 0 drifts by `cycles` (root mean square): 10.5 Hz, moved to and fro by a slow cosine with whole
 * periods in the kept samples, so that the jitter about even spacing is that about the mean: amplitude / sqrt(2). */
static double *make_drifting_phase(const clpac_plan *plan, double cycles)
{
	enum { PERIODS = 10 };
	const clpac__layout *l = &plan->layout;
	double *x = malloc(l->n_samples * sizeof *x);
	for (size_t t = 0; t < l->n_samples; t++) {
		const double slow = 2 * pi * PERIODS * ((double)t - (double)l->edge) / (double)l->kept;
		const double turned = 10.5 * (double)t / 250 + sqrt(2) * cycles * cos(slow);
		x[t] = cos(2 * pi * turned) + 0.01 * cos(2 * pi * 67.3 * (double)t / 250);
	}
	return x;
}

/* The border is 0.1 cycles, and what filter and bins of the edges do to the jitter is within 0.003 of it. */
TEST(a_phase_that_drifts_by_a_tenth_of_a_cycle_is_no_pure_line)
{
	static const clpac_band phase[] = {{8, 13}};
	static const double border = 0.1, error = 0.003;
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 1;
	p.n_samples = 15000;
	p.phase_bands = phase;
	p.n_phase_bands = 1;
	clpac_plan *plan = place_plan(context, &p, NULL);
	for (int side = -1; side <= 1; side += 2) {
		const double cycles = border + side * 2 * error;
		double *x = make_drifting_phase(plan, cycles);
		clpac_result *result = run(context, &p, x);
		const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_PURE_LINE];
		ck_assert_msg(warning->count == (side < 0), "%g cycles: %zu warnings", cycles, warning->count);
		if (side < 0) {
			const char *number = strstr(warning->text, "jitter is ");
			ck_assert_ptr_nonnull(number);
			assert_close(strtod(number + strlen("jitter is "), NULL), cycles, error);
		}
		clpac_result_destroy(result);
		free(x);
	}
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

TEST(a_band_exactly_wide_enough_is_not_narrow)
{
	/* Half-widths equal the phase's centre of 20 Hz: as a range computes them, and as they are printed. */
	static const clpac_band phase[] = {{15, 25}};
	static const clpac_band wide[] = {
		{60 + 100. / 9 * 4 - 20, 60 + 100. / 9 * 4 + 20}, {95.5556, 135.556}, {51.1111, 91.1111}};
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.rate_hz = 500;
	p.n_channels = 1;
	p.phase_bands = phase;
	p.n_phase_bands = 1;
	p.amplitude_bands = wide;
	p.n_amplitude_bands = 3;
	double *x = make_samples(9, N_SAMPLES);
	clpac_result *result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NARROW_AMPLITUDE, ""), 0);
	clpac_result_destroy(result);
	/* 3 mHz less is no rounding of six digits. */
	static const clpac_band narrow[] = {{95.5556, 135.553}};
	p.amplitude_bands = narrow;
	p.n_amplitude_bands = 1;
	result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NARROW_AMPLITUDE, "95.5556-135.553 Hz"), 1);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

static void remember_info(void *user, clpac_log_level level, const char *text)
{
	if (level == CLPAC_LOG_INFO && strstr(text, "left out"))
		snprintf(user, 200, "%s", text);
}

TEST(default_bands_that_do_not_fit_are_logged_and_no_warning)
{
	clpac_error err;
	clpac_context *context = NULL;
	char line[200] = "";
	const clpac_options options = {.device = "native", .log = remember_info, .log_user = line};
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	clpac_problem p = base();
	p.rate_hz = 250;
	p.n_channels = p.n_segments = 1;
	p.n_samples = 2500;
	p.phase_bands = p.amplitude_bands = NULL;
	p.n_phase_bands = p.n_amplitude_bands = 0;
	double *x = make_samples(9, 2500);
	clpac_result *result = run(context, &p, x);
	ck_assert_str_eq(line,
			 "5 of 10 amplitude bands are left out: 95.5556-135.556 to 140-180 Hz reach 125 Hz, half the "
			 "sampling rate");
	const clpac_report *report = clpac_result_report(result);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		ck_assert_msg(report->warnings[kind].count == 0, "%s", report->warnings[kind].text);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

TEST(bands_that_cannot_carry_it_and_short_series_are_warned_about)
{
	clpac_context *context = open_native();
	clpac_problem p = base();
	static const clpac_band narrow[] = {{60, 68}, {50, 75}};
	p.n_channels = 1;
	p.amplitude_bands = narrow;
	p.n_amplitude_bands = 2;
	double *x = make_samples(9, N_SAMPLES);
	clpac_result *result = run(context, &p, x);
	/* A band of 4 Hz to either side carries neither 6 nor 10.5 Hz. */
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NARROW_AMPLITUDE, "60-68 Hz"), 2);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_SHORT_SERIES, ""), 0);
	clpac_result_destroy(result);
	p.n_samples = 300; /* three orders of 4 Hz are 558 samples, of 8 Hz 279 */
	result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_SHORT_SERIES, "4-8 Hz"), 1);
	size_t n_bands;
	const clpac_band_report *bands = clpac_result_band_reports(result, &n_bands);
	ck_assert_uint_eq(n_bands, 4);
	ck_assert(bands[0].is_shortened && bands[0].n_taps == 100 && !bands[1].is_shortened);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

/* Cells that are not valid are computed, and are no peak, have no p_max and enter no maximum: the others have those of
 * a run without them. */
TEST(cells_that_are_not_valid_are_outside_peaks_and_families_unless_allowed)
{
	static const clpac_band both[] = {{30, 60}, {60, 68}, {61, 91}, {7.5, 60}}, valid[] = {{30, 60}, {61, 91}};
	static const uint8_t expected[] = {1, 0, 1, 0, 1, 0, 1, 0};
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 1;
	p.amplitude_bands = both;
	p.n_amplitude_bands = 4;
	p.edge_samples = 200; /* of all runs, whose filters differ in length */
	double *x = make_samples(9, N_SAMPLES);
	clpac_result *all = run(context, &p, x);
	ck_assert_mem_eq(clpac_result_valid(all), expected, sizeof expected);
	ck_assert_uint_eq(warned(all, CLPAC_WARN_NARROW_AMPLITUDE, "60-68 Hz"), 2);
	ck_assert_uint_eq(warned(all, CLPAC_WARN_OVERLAP, "amplitude band 7.5-60 Hz overlaps phase band 4-8 Hz"), 2);
	p.amplitude_bands = valid;
	p.n_amplitude_bands = 2;
	clpac_result *some = run(context, &p, x);
	p.amplitude_bands = both;
	p.n_amplitude_bands = 4;
	p.allow_narrow = true;
	clpac_result *allowed = run(context, &p, x);
	float highest = -INFINITY, highest_of_all = -INFINITY;
	size_t highest_cell = 8, highest_cell_of_all = 8;
	for (size_t cell = 0; cell < 8; cell++) {
		const float z = array_of(all, CLPAC_Z)[cell], p_max = array_of(all, CLPAC_P_MAX)[cell];
		const float statistic = array_of(all, CLPAC_STANDARDIZED)[cell];
		ck_assert_float_eq(z, array_of(allowed, CLPAC_Z)[cell]);
		ck_assert(!isnan(z) && !isnan(array_of(allowed, CLPAC_P_MAX)[cell]));
		ck_assert(clpac_result_valid(allowed)[cell] == 1);
		ck_assert(isnan(p_max) == !expected[cell]);
		if (expected[cell])
			ck_assert_float_eq(p_max, array_of(some, CLPAC_P_MAX)[cell / 4 * 2 + cell % 4 / 2]);
		ck_assert(isnan(statistic) == !expected[cell]);
		if (statistic > highest)
			highest_cell = cell, highest = statistic;
		if (array_of(allowed, CLPAC_STANDARDIZED)[cell] > highest_of_all)
			highest_cell_of_all = cell, highest_of_all = array_of(allowed, CLPAC_STANDARDIZED)[cell];
	}
	for (size_t k = 0; k < N_SURROGATES; k++) {
		ck_assert_float_eq_tol(array_of(all, CLPAC_MAXIMA)[k], array_of(some, CLPAC_MAXIMA)[k], 1e-4);
		/* What is usual for a phase band is no more with more of its cells, so what is above 0 grows. */
		const float maximum = array_of(all, CLPAC_MAXIMA)[k];
		ck_assert(array_of(allowed, CLPAC_MAXIMA)[k] >= maximum || maximum < 0);
	}
	const clpac_peak peak = clpac_result_peak(all, 0), peak_of_all = clpac_result_peak(allowed, 0);
	ck_assert_uint_eq(peak.phase * 4 + peak.amplitude, highest_cell);
	ck_assert_uint_eq(peak_of_all.phase * 4 + peak_of_all.amplitude, highest_cell_of_all);
	ck_assert_uint_eq(warned(allowed, CLPAC_WARN_NARROW_AMPLITUDE, "60-68 Hz"), 2);
	clpac_result_destroy(all);
	clpac_result_destroy(some);
	clpac_result_destroy(allowed);
	/* A map of such cells alone has neither. */
	p.allow_narrow = false;
	p.amplitude_bands = &both[1];
	p.n_amplitude_bands = 1;
	all = run(context, &p, x);
	ck_assert(!clpac_result_peak(all, 0).found && isnan(array_of(all, CLPAC_MAXIMA)[0]));
	ck_assert(isnan(array_of(all, CLPAC_PEAK_DISTRIBUTION)[0]) && !isnan(array_of(all, CLPAC_MI)[0]));
	clpac_result_destroy(all);
	clpac_context_close(context);
	free(x);
}

const char *skip_reason(void)
{
	return places_missing("native");
}
