/* Laws of phase bands that are transformed at some of their samples only (cl/coarse_bins.cl): the bins are those of a
 * transform of all samples, bit for bit, and the values in between err by less than the bound that guards the bins. */
#include "coarse_laws.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "contract/places.h"
#include "coupling/run/execute.h"
#include "coupling/passes/filter_banks.h"
#include "coupling/layout/launch.h"
#include "coupling/layout/test_settings.h"
#include "coupling/passes/load.h"
#include "coupling/passes/plan.h"
#include "coupling/registry/registry.h"
#include "random.h"

enum { N_PHASE = 2, POINTS = 8, BEFORE = 3 };

static const double two_pi = 6.283185307179586;

/* --- Signals --- */

typedef enum sort { DRIFT, WHITE, SPIKE, STEP, HIGH_TONE, TONE_BESIDE, SQUARE, OFFSET, N_SIGNALS } sort;

static const char *const sort_text[N_SIGNALS] = {"drifting noise", "white noise",	"a lone spike",
						 "a step",	   "a high tone",	"a tone beside the highest",
						 "a square wave",  "noise on an offset"};

/* Tones lie beside the highest frequency that values `gap` apart can show, and at half of it. */
static float *make_signal(sort which, size_t n, size_t gap, unsigned long long seed)
{
	unsigned long long state = seed;
	double drift = 0;
	float *x = malloc(n * sizeof *x);
	const double highest = 0.5 / (double)gap;
	const size_t at = n / 3 + random_below(&state, n / 3);
	for (size_t t = 0; t < n; t++) {
		const double noise = random_drifting(&state, &drift), white = random_signed(&state);
		const double values[N_SIGNALS] = {
			[DRIFT] = noise,
			[WHITE] = white,
			[SPIKE] = t == at ? 1 : 0,
			[STEP] = t < at ? 0 : 1,
			[HIGH_TONE] = cos(two_pi * 0.5 * highest * (double)t) + 1e-3 * noise,
			[TONE_BESIDE] = cos(two_pi * 1.01 * highest * (double)t) + 1e-3 * noise,
			[SQUARE] = t / 700 % 2 ? 1 : -1,
			[OFFSET] = 3e4 + noise,
		};
		x[t] = (float)values[which];
	}
	return x;
}

/* --- Problems --- */

/* A problem with coarse values in any build: its phase bands lie 800 to 1800 times below the rate. */
typedef struct drawn {
	clpac_problem problem;
	clpac_band phase[N_PHASE];
	float *x;
} drawn;

static void draw(drawn *d, sort which, unsigned long long seed, size_t longest)
{
	static const clpac_band amplitude = {200, 300};
	static const unsigned bins[] = {18, 2, 3, 36, 128, 18};
	unsigned long long state = seed * 77 + 1;
	const double rate_hz = floor(12000 + 18000 * random_unit(&state));
	const double centre_hz = rate_hz / (800 + 1000 * random_unit(&state));
	d->phase[0] = (clpac_band){0.8 * centre_hz, 1.2 * centre_hz};
	d->phase[1] = (clpac_band){0.9 * centre_hz, 1.4 * centre_hz};
	const size_t order = 3 * (size_t)(rate_hz / d->phase[0].lo_hz);
	const size_t n = 3 * order + 1 + random_below(&state, longest);
	d->problem = (clpac_problem){.rate_hz = rate_hz,
				     .n_samples = n,
				     .phase_bands = d->phase,
				     .n_phase_bands = N_PHASE,
				     .amplitude_bands = &amplitude,
				     .n_amplitude_bands = 1,
				     .n_bins = bins[seed % COUNT(bins)],
				     .edge_samples = seed % 3 == 0 ? (ptrdiff_t)random_below(&state, 500) : 0};
	d->x = make_signal(which, n, 16, seed);
}

static clpac_samples samples_of(const float **x)
{
	return (clpac_samples){.channels = (const void *const *)x, .type = CLPAC_FLOAT32};
}

static unsigned char *bins_of(clpac_context *context, const drawn *d, size_t gap, size_t *stride, size_t *found_gap,
			      size_t *kept)
{
	clpac_error err;
	clpac__for_tests.gap = gap;
	clpac_plan *plan = place_plan(context, &d->problem, NULL);
	clpac__for_tests.gap = 0;
	const float *x = d->x;
	const clpac_samples samples = samples_of(&x);
	assert_works(clpac__load_batch(plan, plan->runs->batches, &samples, 0, 1, &err), err);
	assert_works(clpac__banks_bins(plan, plan->runs->batches, 1, &err), err);
	unsigned char *bins = place_bins(plan, stride);
	*found_gap = plan->layout.banks[CLPAC_PHASE].gap;
	*kept = plan->layout.kept;
	clpac_plan_destroy(plan);
	return bins;
}

/* --- Laws --- */

START_TEST(coarse_values_change_no_bin)
{
	clpac_context *context = place_open((size_t)_i);
	for (unsigned long long seed = 0; seed < N_SIGNALS; seed++) {
		drawn d;
		size_t stride, gap, kept;
		draw(&d, (sort)(seed % N_SIGNALS), seed + N_SIGNALS * (unsigned long long)_i, 4000);
		unsigned char *all = bins_of(context, &d, 1, &stride, &gap, &kept);
		const size_t all_stride = stride;
		ck_assert_uint_eq(gap, 1);
		for (size_t wanted = 0; wanted <= 8; wanted += 8) {
			unsigned char *coarse = bins_of(context, &d, wanted, &stride, &gap, &kept);
			ck_assert_msg(wanted ? gap == 8 : gap >= 8, "%zu samples apart", gap);
			for (size_t b = 0; b < N_PHASE; b++)
				for (size_t t = 0; t < kept; t++)
					ck_assert_msg(all[b * all_stride + t] == coarse[b * stride + t],
						      "%s, %s, seed %llu, %zu samples apart: bin %u of sample %zu of "
						      "%zu in band %zu, not %u",
						      place_label((size_t)_i), sort_text[seed % N_SIGNALS], seed, gap,
						      coarse[b * stride + t], t, kept, b, all[b * all_stride + t]);
			free(coarse);
		}
		free(all);
		free(d.x);
	}
	clpac_context_close(context);
}

/* Weights of the polynomial through eight points at -3 .. 4. */
static void lagrange(double u, double weights[POINTS])
{
	for (int i = 0; i < POINTS; i++) {
		weights[i] = 1;
		for (int j = 0; j < POINTS; j++)
			if (j != i)
				weights[i] *= (u - (j - BEFORE)) / (double)(i - j);
	}
}

static double sample_at(const float *x, ptrdiff_t i, ptrdiff_t last)
{
	return i < 0 ? 2.0 * x[0] - x[-i] : i > last ? 2.0 * x[last] - x[2 * last - i] : x[i];
}

/* The definition. */
static double complex filtered(const clpac__filter *filter, const float *x, ptrdiff_t here, ptrdiff_t last)
{
	double re = sample_at(x, here, last) * filter->even[0], im = 0;
	for (ptrdiff_t k = 1; k < (ptrdiff_t)filter->n_taps; k++) {
		const double before = sample_at(x, here - k, last), after = sample_at(x, here + k, last);
		re += (before + after) * filter->even[k];
		im += (before - after) * filter->odd[k];
	}
	return re + im * I;
}

/* The sample behind the largest step, where a spike stands. */
static size_t largest_step(const float *x, size_t n)
{
	size_t at = 1;
	for (size_t t = 1; t < n; t++)
		if (fabsf(x[t] - x[t - 1]) > fabsf(x[at] - x[at - 1]))
			at = t;
	return at;
}

/* The largest error between coarse values, of the bound. */
static double worst_of(clpac_plan *plan, const float *staged, size_t n_looks, unsigned long long seed)
{
	clpac_error err;
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = &l->banks[CLPAC_PHASE];
	const size_t n_values = bank->length / bank->gap, first = bank->pad / bank->gap;
	const ptrdiff_t last = (ptrdiff_t)l->n_samples - 1;
	unsigned long long state = seed;
	const size_t bytes = bank->n_sections * N_PHASE * n_values * 2 * sizeof(float);
	float *values = malloc(bytes), noise[N_PHASE];
	double worst = 0;
	assert_works(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_ANALYTIC], 0, bytes, values, &err),
		     err);
	assert_works(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_NOISE], 0, sizeof noise, noise, &err),
		     err);
	for (size_t look = 0; look < n_looks; look++) {
		/* Anywhere, and as often where the filter of a spike ends. */
		const size_t b = look % N_PHASE, order = plan->filters[b].n_taps - 1;
		const size_t end = largest_step(staged, l->n_samples) + random_below(&state, 40) - 20 - l->edge +
				   (look % 4 < 2 ? order : -order);
		const size_t t = look % 8 < 4 && end < l->kept ? end : random_below(&state, l->kept);
		const size_t section = t / bank->step, row = section * N_PHASE + b;
		const float *z = values + 2 * (row * n_values + first + t % bank->step / bank->gap - BEFORE);
		double weights[POINTS], size = 0;
		double complex between = 0;
		lagrange((double)(t % bank->gap) / (double)bank->gap, weights);
		for (int i = 0; i < POINTS; i++) {
			between += weights[i] * (z[2 * i] + z[2 * i + 1] * I);
			size = fmax(size, hypot(z[2 * i], z[2 * i + 1]));
		}
		const double complex truth = filtered(&plan->filters[b], staged, (ptrdiff_t)(l->edge + t), last);
		worst = fmax(worst, cabs(between - truth) / (two_pi * sqrt(noise[b] / 2) + 1e-7 * size + 1e-30));
	}
	free(values);
	return worst;
}

START_TEST(values_between_coarse_ones_err_by_less_than_their_bound)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	for (int which = 0; which < N_SIGNALS; which++) {
		drawn d;
		draw(&d, (sort)which, (unsigned long long)which + 100, 2000);
		clpac_plan *plan = place_plan(context, &d.problem, NULL);
		const clpac__layout *l = &plan->layout;
		ck_assert_uint_ge(l->banks[CLPAC_PHASE].gap, 8);
		/* The values of all sections and bands lie there at once. */
		ck_assert_uint_eq(l->banks[CLPAC_PHASE].sections, l->banks[CLPAC_PHASE].n_sections);
		ck_assert_uint_ge(clpac__layout_group(l, CLPAC_PHASE), N_PHASE);
		const float *x = d.x;
		const clpac_samples samples = samples_of(&x);
		assert_works(clpac__load_batch(plan, plan->runs->batches, &samples, 0, 1, &err), err);
		float *staged = malloc(l->n_samples * sizeof *staged);
		assert_works(clpac__banks_bins(plan, plan->runs->batches, 1, &err), err);
		assert_works(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_SAMPLES], 0,
					       l->n_samples * sizeof *staged, staged, &err),
			     err);
		const double worst = worst_of(plan, staged, 200, (unsigned long long)which);
		printf("# %s, %s: %.3g of the bound\n", place_label((size_t)_i), sort_text[which], worst);
		ck_assert_msg(worst < 1, "%s, %s: an error of %g of its bound", place_label((size_t)_i),
			      sort_text[which], worst);
		free(staged);
		free(d.x);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
}

/* So noise does not grow from coarse values to those in between. */
START_TEST(the_polynomial_passes_no_frequency_with_a_gain_above_1)
{
	for (int part = 0; part <= 64; part++) {
		double weights[POINTS], sizes = 0;
		lagrange(part / 64.0, weights);
		for (int i = 0; i < POINTS; i++)
			sizes += fabs(weights[i]);
		ck_assert_double_lt(sizes, 1.49);
		for (int f = 0; f <= 1000; f++) {
			const double turn = two_pi / 2 * f / 1000;
			double complex sum = 0, line = cexp(I * turn * part / 64.0);
			for (int i = 0; i < POINTS; i++)
				sum += weights[i] * cexp(I * turn * (i - BEFORE));
			ck_assert_double_lt(cabs(sum), 1 + 1e-12);
			ck_assert_double_le(cabs(sum - line), fmin(pow(turn, 8) / 936, 2.5) + 1e-14);
		}
	}
}

/* A signal 1 + i y whose y, a parabola, is negative in the middle of one gap alone: all coarse values lie in one bin.
 */
START_TEST(a_signal_that_leaves_its_bin_between_two_values_is_seen)
{
	enum { GAP = 16, N_GAPS = 64, N_VALUES = 80, FIRST = 4, BINS = 4, UNSETTLED = 128 };
	clpac_error failure, *err = &failure;
	clpac_context *context = place_open((size_t)_i);
	assert_works(clpac__context_equip(context, err), failure);
	assert_works(clpac__compute_prepare(context->queue, BINS, err), failure);
	for (size_t within = 0; within < N_GAPS; within += 7) {
		float values[2 * N_VALUES];
		const float noise = 0;
		unsigned char bins[N_GAPS * GAP];
		clpac_buffer *parts[3] = {NULL};
		const size_t bytes[3] = {sizeof values, sizeof noise, sizeof bins};
		for (size_t i = 0; i < N_VALUES; i++) {
			const double from = (double)i - FIRST - (double)within - 0.5;
			values[2 * i] = 1;
			values[2 * i + 1] = (float)(from * from - 0.2);
		}
		for (int i = 0; i < 3; i++)
			assert_works(clpac_pool_allocate(context->pool, bytes[i], "", &parts[i], err), failure);
		assert_works(clpac_buffer_write(parts[0], 0, sizeof values, values, err), failure);
		assert_works(clpac_buffer_write(parts[1], 0, sizeof noise, &noise, err), failure);
		assert_works(LAUNCH(context, coarse_bins, BINS, ITEMS(1, 1, 1), .analytic = BLOCK(parts[0]),
				    .noise = BLOCK(parts[1]), .bins = BLOCK(parts[2]), .n_coarse = NUMBER(N_VALUES),
				    .first = NUMBER(FIRST), .n_gaps = NUMBER(N_GAPS), .gap = NUMBER(GAP),
				    .first_section = NUMBER(0), .n_sections = NUMBER(1), .group_bands = NUMBER(1),
				    .first_band = NUMBER(0), .n_phase = NUMBER(1), .bin_stride = NUMBER(sizeof bins),
				    .n_bins = NUMBER(BINS), .rounding = REAL(0)),
			     failure);
		assert_works(clpac_buffer_read(parts[2], 0, sizeof bins, bins, err), failure);
		for (size_t t = 0; t < sizeof bins; t++) {
			const double from = (double)t / GAP - (double)within - 0.5;
			ck_assert_msg(bins[t] % UNSETTLED == (from * from > 0.2 ? 2 : 1),
				      "%s: bin %u of sample %zu, where gap %zu holds the crossing",
				      place_label((size_t)_i), bins[t], t, within);
		}
		clpac_buffer_release_batch(parts, 3);
	}
	clpac_context_close(context);
}

TCase *coarse_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("coarse values");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, coarse_values_change_no_bin, 0, n);
	tcase_add_loop_test(t, values_between_coarse_ones_err_by_less_than_their_bound, 0, n);
	tcase_add_loop_test(t, a_signal_that_leaves_its_bin_between_two_values_is_seen, 0, n);
	tcase_add_test(t, the_polynomial_passes_no_frequency_with_a_gain_above_1);
	return t;
}
