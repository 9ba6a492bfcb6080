/* Cautions: each of them fires on the signal that it is for, and none on noise or on a nested oscillation. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/cautions.h>

#include "assertions.h"
#include "base/memory.h"
#include "random.h"

enum { RATE = 512, N_SAMPLES = 20 * RATE };

static const double pi = 3.14159265358979323846;

static double normal(unsigned long long *state)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += random_unit(state);
	return sum;
}

/* White noise, or its running sum. */
static double *make_noise(unsigned long long seed, bool is_walk)
{
	double *x = malloc(N_SAMPLES * sizeof *x), sum = 0;
	for (size_t t = 0; t < N_SAMPLES; t++) {
		sum += normal(&seed);
		x[t] = is_walk ? sum : normal(&seed);
	}
	return x;
}

/* A sawtooth of 8 Hz whose cycles differ by a tenth of their length. */
static void add_sawtooth(double *x, double size, unsigned long long seed)
{
	double place = 0, step = 8.0 / RATE;
	for (size_t t = 0; t < N_SAMPLES; t++, place += step) {
		if (place >= 1) {
			place -= 1;
			step = 8.0 / RATE / (1 + 0.1 * normal(&seed));
		}
		x[t] += size * (2 * place - 1);
	}
}

/* A slow wave of 8 Hz with a drifting phase, which drives noise between 80 and 120 Hz. */
static void add_nested(double *x, unsigned long long seed)
{
	double slow = 0, fast = 0;
	for (size_t t = 0; t < N_SAMPLES; t++) {
		slow += 2 * pi * 8 / RATE + 0.05 * normal(&seed);
		fast += 2 * pi * 100 / RATE + 0.2 * normal(&seed);
		x[t] += 5 * cos(slow) + 2 * (1 + cos(slow)) * cos(fast);
	}
}

static clpac_problem base(size_t n_channels)
{
	return (clpac_problem){
		.rate_hz = RATE, .n_channels = n_channels, .n_samples = N_SAMPLES, .n_surrogates = 200, .seed = 42};
}

static clpac_result *run_at(const clpac_problem *p, double *const *x, double mains_hz)
{
	clpac_error err;
	clpac_context *context = NULL;
	clpac_result *result = NULL;
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = (const void *const *)x, .mains_hz = mains_hz};
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &context, &err), err);
	assert_works(clpac_problem_run(&context, 1, p, NULL, &samples, &result, &err), err);
	assert_works(clpac_result_caution(result, p, &samples, &err), err);
	clpac_context_close(context);
	return result;
}

static clpac_result *run(const clpac_problem *p, double *const *x)
{
	return run_at(p, x, 0);
}

static size_t warned(const clpac_result *result, clpac_warning_kind kind)
{
	return clpac_result_report(result)->warnings[kind].count;
}

static void assert_silent(const clpac_result *result)
{
	/* At 2000 Hz the series are short for 2 Hz. */
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		ck_assert_msg(kind == CLPAC_WARN_SHORT_SERIES || !warned(result, kind), "%s",
			      clpac_result_report(result)->warnings[kind].text);
}

/* Significant cells of the phase bands of 6 Hz and more, and those of them that are marked.  Below the wave, irregular
 * cycles are slow oscillations too, whose harmonics are none. */
static void count_cells(const clpac_result *result, size_t channel, size_t *n_significant, size_t *n_marked)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n = shape->n_phase_bands * shape->n_amplitude_bands;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL) + channel * n;
	const float *harmonic = clpac_result_array(result, CLPAC_HARMONIC, NULL) + channel * n;
	*n_significant = *n_marked = 0;
	for (size_t cell = 2 * shape->n_amplitude_bands; cell < n; cell++) {
		ck_assert(harmonic[cell] == 0 || harmonic[cell] == 1);
		*n_significant += p_max[cell] <= 0.05f;
		*n_marked += p_max[cell] <= 0.05f && harmonic[cell] > 0;
	}
}

SECONDS(120);

TEST(every_significant_cell_of_a_sawtooth_is_a_harmonic)
{
	double *x = make_noise(1, false);
	add_sawtooth(x, 5, 2);
	const clpac_problem p = base(1);
	clpac_result *result = run(&p, &x);
	size_t n_significant, n_marked;
	count_cells(result, 0, &n_significant, &n_marked);
	ck_assert_uint_gt(n_significant, 50);
	ck_assert_uint_eq(n_marked, n_significant);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_HARMONIC), 1);
	const clpac_peak peak = clpac_result_peak(result, 0);
	ck_assert(peak.harmonic == 1);
	/* The phase band of 6 to 10 Hz: the wave rises in nearly all of its cycle. */
	ck_assert(clpac_result_array(result, CLPAC_ASYMMETRY, NULL)[3] > 0.7f);
	/* The band of 2 Hz has no such wave. */
	ck_assert(isnan(clpac_result_array(result, CLPAC_ASYMMETRY, NULL)[0]));
	clpac_result_destroy(result);
	free(x);
}

/* Significant cells of a channel, or those of them that are marked as harmonics. */
static size_t count_all(const clpac_result *result, bool are_marked)
{
	size_t n_cells, n = 0;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, &n_cells);
	const float *harmonic = clpac_result_array(result, CLPAC_HARMONIC, NULL);
	for (size_t cell = 0; cell < n_cells; cell++)
		n += p_max[cell] <= 0.05f && (!are_marked || harmonic[cell] > 0);
	return n;
}

/* The lowest p_max of 19 surrogates is 0.05, which is significant. */
TEST(a_harmonic_is_significant_by_nineteen_surrogates)
{
	double *x = make_noise(1, false);
	add_sawtooth(x, 5, 2);
	clpac_problem p = base(1);
	p.n_surrogates = 19;
	clpac_result *result = run(&p, &x);
	size_t n_significant, n_marked;
	count_cells(result, 0, &n_significant, &n_marked);
	ck_assert_uint_gt(n_significant, 10);
	ck_assert_uint_eq(n_marked, n_significant);
	ck_assert(clpac_result_peak(result, 0).p_max == 0.05f);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_HARMONIC), 1);
	char reach[60];
	snprintf(reach, sizeof reach, " in %zu of %zu significant cells of ", count_all(result, true),
		 count_all(result, false));
	ck_assert_ptr_nonnull(strstr(clpac_result_report(result)->warnings[CLPAC_WARN_HARMONIC].text, reach));
	clpac_result_destroy(result);
	free(x);
}

TEST(a_sawtooth_upside_down_and_in_large_units_is_one_too)
{
	double *x[2] = {make_noise(1, false), malloc(N_SAMPLES * sizeof(double))};
	add_sawtooth(x[0], 5, 2);
	for (size_t t = 0; t < N_SAMPLES; t++)
		x[1][t] = 1e12 - 1e6 * x[0][t];
	clpac_problem p = base(2);
	p.channel_numbers = (const size_t[]){3, 3};
	clpac_result *result = run(&p, x);
	size_t n_significant[2], n_marked[2];
	for (size_t ch = 0; ch < 2; ch++)
		count_cells(result, ch, &n_significant[ch], &n_marked[ch]);
	ck_assert_uint_eq(n_marked[0], n_marked[1]);
	ck_assert_uint_gt(n_marked[0], 60);
	const float *asymmetry = clpac_result_array(result, CLPAC_ASYMMETRY, NULL);
	ck_assert_float_eq_tol(asymmetry[3], -asymmetry[13], 0.05);
	clpac_result_destroy(result);
	free(x[0]);
	free(x[1]);
}

TEST(no_cell_of_a_nested_oscillation_is_a_harmonic)
{
	double *x[3];
	for (size_t ch = 0; ch < 3; ch++) {
		x[ch] = make_noise(10 + ch, ch == 1);
		add_nested(x[ch], 20 + ch);
	}
	const clpac_problem p = base(3);
	clpac_result *result = run(&p, x);
	for (size_t ch = 0; ch < 3; ch++) {
		size_t n_significant, n_marked;
		count_cells(result, ch, &n_significant, &n_marked);
		ck_assert_uint_gt(n_significant, 3);
		ck_assert_uint_eq(n_marked, 0);
		free(x[ch]);
	}
	assert_silent(result);
	clpac_result_destroy(result);
}

/* Default runs on noise, at the usual rates: nothing is warned of, even where some cell is significant by chance. */
/* Bands in which the spectrum was looked at: those with a significant cell. */
static void assert_heights(const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n = shape->n_amplitude_bands;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	const float *heights = clpac_result_array(result, CLPAC_PHASE_PEAK_DB, NULL);
	for (size_t row = 0; row < shape->n_channels * shape->n_phase_bands; row++) {
		bool is_coupled = false;
		for (size_t cell = row * n; cell < (row + 1) * n; cell++)
			is_coupled |= p_max[cell] <= 0.05f;
		ck_assert_int_eq(is_coupled, !isnan(heights[row]));
	}
}

/* Noise that falls with frequency and has no rhythm, and 80 Hz whose size follows it, in another series. */
static void add_driven(const double *noise, double *x)
{
	double slow = 0, fast = 0;
	unsigned long long state = 9;
	for (size_t t = 0; t < N_SAMPLES; t++) {
		slow = 0.97 * slow + 0.1 * noise[t];
		fast += 2 * pi * (80 + 30 * (double)random_signed(&state)) / RATE;
		x[t] += (1 + tanh(slow)) * cos(fast);
	}
}

TEST(coupling_to_a_phase_without_a_rhythm_is_named)
{
	enum { DRIVER, DRIVEN, NESTED, N };
	double *x[N];
	for (size_t ch = 0; ch < N; ch++)
		x[ch] = make_noise(300 + ch, false);
	add_driven(x[DRIVER], x[DRIVEN]);
	add_nested(x[NESTED], 5);
	const clpac_pair pairs[] = {{DRIVER, DRIVEN}, {NESTED, NESTED}};
	clpac_problem p = base(N);
	p.pairs = pairs;
	p.n_pairs = COUNT(pairs);
	clpac_result *result = run(&p, x);
	assert_heights(result);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NO_PEAK), 1);
	const float *heights = clpac_result_array(result, CLPAC_PHASE_PEAK_DB, NULL);
	size_t n[2] = {0};
	for (size_t row = 0; row < COUNT(pairs); row++)
		for (size_t ph = 0; ph < clpac_result_get_shape(result)->n_phase_bands; ph++) {
			const float height = heights[row * clpac_result_get_shape(result)->n_phase_bands + ph];
			n[row] += !isnan(height);
			ck_assert_msg(isnan(height) || (row ? height > 4 : height < 4), "row %zu, band %zu: %g dB", row,
				      ph, (double)height);
		}
	ck_assert_uint_gt(n[0], 0);
	ck_assert_uint_gt(n[1], 0);
	clpac_result_destroy(result);
	for (size_t ch = 0; ch < N; ch++)
		free(x[ch]);
}

/* But where chance makes a significant cell, of which it has no peak to show. */
TEST(noise_is_not_warned_about)
{
	static const double rates[] = {250, 256, 500, 512, 1000, 2000};
	double *x[8];
	for (size_t ch = 0; ch < COUNT(x); ch++)
		x[ch] = make_noise(100 + ch, ch % 2);
	for (size_t i = 0; i < COUNT(rates); i++) {
		clpac_problem p = base(COUNT(x));
		p.rate_hz = rates[i];
		clpac_result *result = run(&p, x);
		assert_heights(result);
		clpac_result_report(result)->warnings[CLPAC_WARN_NO_PEAK].count = 0;
		assert_silent(result);
		clpac_result_destroy(result);
	}
	for (size_t ch = 0; ch < COUNT(x); ch++)
		free(x[ch]);
}

TEST(a_constant_is_not_warned_about)
{
	/* A mean of such values is none of them, and leaves rounding. */
	double *x[4];
	clpac_problem p = base(COUNT(x));
	p.n_surrogates = 0;
	p.rate_hz = 250;
	for (size_t ch = 0; ch < COUNT(x); ch++) {
		x[ch] = make_noise(100, false);
		for (size_t t = 0; t < N_SAMPLES; t++)
			x[ch][t] = (double)(ch + 1) / 7;
	}
	clpac_result *result = run(&p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_MAINS), 0);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_JUMP), 0);
	clpac_result_destroy(result);
	for (size_t ch = 0; ch < COUNT(x); ch++)
		free(x[ch]);
}

TEST(jumps_and_lines_of_the_mains_are_named)
{
	double *x[4];
	for (size_t ch = 0; ch < COUNT(x); ch++)
		x[ch] = make_noise(200 + ch, false);
	x[1][5120] += 80;
	for (size_t t = 0; t < N_SAMPLES; t++) {
		x[2][t] += cos(2 * pi * 100 * (double)t / RATE); /* twice 50 Hz, inside amplitude bands */
		x[3][t] += cos(2 * pi * 240 * (double)t / RATE); /* 4 times 60 Hz, above all of them */
	}
	clpac_problem p = base(COUNT(x));
	p.n_surrogates = 0;
	clpac_result *result = run(&p, x);
	const clpac_report *report = clpac_result_report(result);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_JUMP), 1);
	ck_assert_ptr_nonnull(strstr(report->warnings[CLPAC_WARN_JUMP].text, "channel 1 jumps by "));
	ck_assert_ptr_nonnull(strstr(report->warnings[CLPAC_WARN_JUMP].text, ", 10.00"));
	ck_assert_uint_eq(warned(result, CLPAC_WARN_MAINS), 1);
	ck_assert_ptr_nonnull(strstr(report->warnings[CLPAC_WARN_MAINS].text, "channel 2 has a line at 100 Hz"));
	clpac_result_destroy(result);
	for (size_t ch = 0; ch < COUNT(x); ch++)
		free(x[ch]);
}

TEST(where_the_mains_are_known_no_other_line_is_theirs)
{
	static const struct {
		double mains_hz;
		const char *named; /* NULL: nothing */
	} cases[] = {{0, "a line at 100 Hz"},	 {50, "a line at 100 Hz"}, {60, "a line at 120 Hz"},
		     {25, "a line at 100 Hz"},	 {40, "a line at 120 Hz"}, {70, NULL},
		     {0.001, "a line at 100 Hz"}};
	double *x = make_noise(204, false);
	for (size_t t = 0; t < N_SAMPLES; t++)
		x[t] += cos(2 * pi * 100 * (double)t / RATE) + cos(2 * pi * 120 * (double)t / RATE);
	clpac_problem p = base(1);
	p.n_surrogates = 0;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_result *result = run_at(&p, &x, cases[i].mains_hz);
		ck_assert_uint_eq(warned(result, CLPAC_WARN_MAINS), cases[i].named != NULL);
		if (cases[i].named)
			ck_assert_ptr_nonnull(
				strstr(clpac_result_report(result)->warnings[CLPAC_WARN_MAINS].text, cases[i].named));
		clpac_result_destroy(result);
	}
	free(x);
}

/* Adds what 30 events evoke: a wave of 8 Hz, the same each time, and a burst of 100 Hz whose phase begins anew. */
static void add_evoked(double *x, const clpac_window *windows, size_t n, double wave, double burst)
{
	unsigned long long seed = 4;
	for (size_t w = 0; w < n; w++) {
		const double start = 2 * pi * random_unit(&seed);
		for (size_t t = 0; t < windows[w].n_samples; t++) {
			const double seconds = (double)t / RATE - 0.3;
			double *to = &x[windows[w].start + t];
			*to += wave * exp(-pow(seconds / 0.15, 2)) * cos(2 * pi * 8 * seconds);
			*to += burst * exp(-pow(seconds / 0.04, 2)) * cos(2 * pi * 100 * seconds + start);
		}
	}
}

TEST(what_is_locked_to_shifted_epochs_is_named)
{
	enum { EVENTS = 30 };
	static const clpac_band phase[] = {{6, 10}}, amplitude[] = {{80, 120}};
	clpac_window windows[EVENTS];
	double *x[] = {make_noise(400, false), make_noise(401, false)};
	unsigned long long seed = 6;
	for (size_t w = 0; w < EVENTS; w++)
		/* Up to a cycle of 8 Hz apart from a rhythm. */
		windows[w] = (clpac_window){w * (RATE / 20 * 13) + (size_t)(64 * random_unit(&seed)), RATE / 2};
	add_evoked(x[0], windows, EVENTS, 4, 4);
	add_nested(x[1], 5); /* it ignores the events */
	clpac_problem p = base(2);
	p.phase_bands = phase;
	p.amplitude_bands = amplitude;
	p.n_phase_bands = p.n_amplitude_bands = 1;
	p.windows = windows;
	p.n_windows = EVENTS;
	clpac_result *result = run(&p, x);
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	ck_assert(p_max[0] <= 0.05f && p_max[1] <= 0.05f);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_LOCKED), 1);
	const char *text = clpac_result_report(result)->warnings[CLPAC_WARN_LOCKED].text;
	ck_assert_msg(strstr(text, "in channel 0 the phase of 6-10 Hz (") &&
			      strstr(text, " and the amplitude of 80-120 Hz (") && strstr(text, "30 epochs"),
		      "%s", text);
	clpac_result_destroy(result);
	/* Permuted, they are no coupling. */
	p.null = CLPAC_NULL_TRIALS;
	result = run(&p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_LOCKED), 0);
	ck_assert(clpac_result_array(result, CLPAC_P_MAX, NULL)[0] > 0.05f);
	clpac_result_destroy(result);
	for (size_t ch = 0; ch < COUNT(x); ch++)
		free(x[ch]);
}

TEST(a_minimum_shift_that_leaves_out_much_is_named)
{
	double *x = make_noise(300, false);
	clpac_problem p = base(1);
	p.n_surrogates = 20;
	p.min_shift = RATE; /* 10 % of 20 s */
	clpac_result *result = run(&p, &x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_MIN_SHIFT), 1);
	ck_assert_ptr_nonnull(
		strstr(clpac_result_report(result)->warnings[CLPAC_WARN_MIN_SHIFT].text, "leaves out 10 %"));
	clpac_result_destroy(result);
	p.min_shift = RATE - 1;
	result = run(&p, &x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_MIN_SHIFT), 0);
	clpac_result_destroy(result);
	p.min_shift = RATE;
	p.n_surrogates = 0; /* there is none to be too short */
	result = run(&p, &x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_MIN_SHIFT), 0);
	clpac_result_destroy(result);
	free(x);
}

/* Nulls that do not hold in short series are named, and only these. */
TEST(few_cycles_for_a_null_are_named)
{
	static const clpac_measure mi[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_GLM},
				   locking[] = {CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PLV};
	static const clpac_band phase[] = {{6, 10}, {3, 5}}, amplitude[] = {{60, 100}, {70, 110}};
	const struct {
		const clpac_measure *measures;
		size_t n_measures;
		clpac_null null;
		size_t n_blocks;
		double seconds;
		size_t n_surrogates;
		const char *text; /* NULL: no warning */
	} cases[] = {
		{mi, 2, CLPAC_NULL_SHIFTS, 0, 2, 9, NULL},
		{locking, 2, CLPAC_NULL_SHIFTS, 0, 2, 9,
		 "has 8 cycles at 3-5 Hz: below 16 p of plv is too small with shifts"},
		{locking, 2, CLPAC_NULL_SHIFTS, 0, 2, 0, NULL},
		{locking, 2, CLPAC_NULL_SHIFTS, 0, 4, 9, NULL},
		{locking, 2, CLPAC_NULL_ALL_SHIFTS, 0, 2, 0, "is too small with shifts"},
		{locking, 2, CLPAC_NULL_PHASES, 0, 2, 9, NULL},
		{locking, 2, CLPAC_NULL_BLOCKS, 3, 2, 9, "is too small with blocks"},
		{mi, 2, CLPAC_NULL_BLOCKS, 3, 2, 9, NULL},
	};
	double *x = make_noise(301, false);
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_problem p = base(1);
		p.phase_bands = phase;
		p.amplitude_bands = amplitude;
		p.n_phase_bands = p.n_amplitude_bands = 2;
		p.measures = cases[i].measures;
		p.n_measures = cases[i].n_measures;
		p.null = cases[i].null;
		p.n_blocks = cases[i].n_blocks;
		p.n_surrogates = cases[i].n_surrogates;
		p.n_samples = (size_t)(cases[i].seconds * RATE);
		if (p.null == CLPAC_NULL_ALL_SHIFTS)
			p.n_surrogates = p.n_samples - 1;
		clpac_result *result = run(&p, &x);
		ck_assert_msg(warned(result, CLPAC_WARN_SHORT_NULL) == (cases[i].text != NULL), "case %zu", i);
		const char *text = clpac_result_report(result)->warnings[CLPAC_WARN_SHORT_NULL].text;
		ck_assert_msg(!cases[i].text || strstr(text, cases[i].text), "case %zu: %s", i, text);
		clpac_result_destroy(result);
	}
	free(x);
}

/* A channel's marks do not depend on its neighbours, nor on where its samples lie; bad ones are passed over. */
TEST(a_channel_is_judged_by_itself)
{
	double *x[3] = {make_noise(1, false), make_noise(2, false), make_noise(3, false)}, *alone[1] = {x[2]};
	add_sawtooth(x[2], 1.5, 2);
	x[0][77] = NAN;
	for (size_t t = 0; t < N_SAMPLES; t++)
		x[1][t] = 3;
	clpac_problem p = base(3);
	clpac_result *all = run(&p, x);
	p.n_channels = 1;
	p.channel_numbers = (const size_t[]){2};
	clpac_result *one = run(&p, alone);
	const float *of_all = clpac_result_array(all, CLPAC_HARMONIC, NULL);
	ck_assert_mem_eq(of_all + 200, clpac_result_array(one, CLPAC_HARMONIC, NULL), 100 * sizeof(float));
	for (size_t cell = 0; cell < 200; cell++)
		ck_assert(isnan(of_all[cell]));
	clpac_result_destroy(all);
	clpac_result_destroy(one);
	for (size_t ch = 0; ch < 3; ch++)
		free(x[ch]);
}

TEST(a_problem_of_another_shape_is_refused)
{
	clpac_error err;
	double *x[2] = {make_noise(1, false), make_noise(2, false)};
	clpac_problem p = base(1);
	p.n_surrogates = 0;
	clpac_result *result = run(&p, x);
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = (const void *const *)x}, none = {0};
	ck_assert_int_eq(clpac_result_caution(result, &p, &none, &err), CLPAC_ERROR_ARGUMENT);
	p.n_channels = 2;
	ck_assert_int_eq(clpac_result_caution(result, &p, &samples, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(
		strstr(err.text, "the result has 1 channels x 1 segments x 10 x 10 bands, the problem 2"));
	p.rate_hz = 0;
	ck_assert_int_eq(clpac_result_caution(result, &p, &samples, &err), CLPAC_ERROR_ARGUMENT);
	clpac_result_destroy(result);
	/* Without bands there is nothing that harmonics could reach. */
	p = base(1);
	assert_works(clpac_result_create(&(clpac_result_shape){1, 1, 10, 10, 18, 0}, 1 << CLPAC_MI, &result, &err),
		     err);
	ck_assert_int_eq(clpac_result_caution(result, &p, &samples, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no cell of the result has a band of amplitudes"));
	clpac_result_destroy(result);
	free(x[0]);
	free(x[1]);
}

TEST(each_failing_allocation_is_reported)
{
	clpac_error err;
	double *x = make_noise(1, false);
	add_sawtooth(x, 5, 2);
	static const clpac_band phase = {6, 10}, amplitude = {60, 100};
	clpac_problem p = base(1);
	p.phase_bands = &phase;
	p.amplitude_bands = &amplitude;
	p.n_phase_bands = p.n_amplitude_bands = 1;
	p.n_surrogates = 19;
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = (const void *const[]){x}};
	clpac_result *result = run(&p, &x);
	clpac_status st = CLPAC_ERROR_NO_MEMORY;
	unsigned long k = 1;
	for (; st && k < 300; k++) {
		clpac__fail_allocation(k, false);
		st = clpac_result_caution(result, &p, &samples, &err);
		clpac__fail_allocation(0, false);
		ck_assert(st == CLPAC_OK || st == CLPAC_ERROR_NO_MEMORY);
	}
	ck_assert_int_eq(st, CLPAC_OK);
	ck_assert_uint_gt(k, 20);
	clpac_result_destroy(result);
	free(x);
}
