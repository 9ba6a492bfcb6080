/* Laws of plans.  The same bits in every batch size, strategy, memory limit, number of threads, instruction set, and
 * order of bands and channels, and on any offset; the same bits from edge lists and direct sums.  The same bins in
 * sections of any length, and whatever lies beyond a filter's reach. */
#include "plan_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>

#include "assertions.h"
#include "base/memory.h"
#include "contract/places.h"
#include "evidence.h"
#include "coupling/passes/plan.h"
#include "results.h"

enum { N_CHANNELS = 5, N_SEGMENTS = 2, N_SAMPLES = 682, N_PHASE = 4, N_AMPLITUDE = 9, N_SURROGATES = 40 };

static const clpac_band phase_bands[N_PHASE] = {{4.4, 7}, {6, 10}, {9, 15}, {15, 25}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{25, 35}, {30, 40}, {35, 50},  {40, 60}, {50, 70},
							{60, 80}, {70, 95}, {80, 110}, {90, 120}};

/* Equal bit for bit on one backend.  Two backends round two transforms of 1024 differently, a forward and an inverse
 * one: sqrt(log2 1024) roundings each, at most six times as many, on either side. */
static void same(const clpac_result *a, const clpac_result *b, const results_order *order, const char *label)
{
	if (strcmp(clpac_result_report(a)->backend, clpac_result_report(b)->backend) == 0)
		results_same_bits_in_order(a, b, order, label, clpac_result_problem(a));
	else
		results_alike_in_order(a, b, order, 6 * 2 * 3.2 * 2, label, clpac_result_problem(a));
}

static clpac_problem base(void)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = N_SURROGATES,
			       .seed = 7,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

/* Noise that grows towards low frequencies; channel ch is 3^ch as large as the first. */
static float *make_samples(size_t n_channels, size_t per_channel)
{
	unsigned long long state = 5;
	float *x = malloc(n_channels * per_channel * sizeof *x);
	for (size_t ch = 0; ch < n_channels; ch++) {
		double drift = 0;
		for (size_t t = 0; t < per_channel; t++)
			x[ch * per_channel + t] = (float)(pow(3, (double)ch) * random_drifting(&state, &drift));
	}
	return x;
}

static clpac_result *run_with(clpac_plan *plan, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	return result;
}

/* Plans and runs. */
static clpac_result *run_on(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options,
			    const float *x)
{
	clpac_plan *plan = place_plan(context, problem, options);
	clpac_result *result = run_with(plan, x);
	clpac_plan_destroy(plan);
	return result;
}

START_TEST(batches_and_strategies_change_nothing)
{
	static const size_t batches[] = {1, 2, 3, 4, 7, 10, 1000};
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	clpac_result *all = run_on(context, &p, NULL, x);
	for (size_t b = 0; b < COUNT(batches); b++) {
		char label[300];
		snprintf(label, sizeof label, "%s, batches of %zu", place_label((size_t)_i), batches[b]);
		clpac_result *one = run_on(context, &p, &(clpac_plan_options){.max_batch = batches[b]}, x);
		ck_assert_uint_le(clpac_result_report(one)->batch_series, batches[b]);
		same(all, one, &(results_order){0}, label);
		clpac_result_destroy(one);
	}
	for (int strategy = 0; strategy < CLPAC_STRATEGY_COUNT; strategy++) {
		char label[300];
		snprintf(label, sizeof label, "%s, %s", place_label((size_t)_i),
			 clpac_strategy_text((clpac_strategy)strategy));
		clpac_result *one = run_on(context, &p, &(clpac_plan_options){.strategy = (clpac_strategy)strategy}, x);
		same(all, one, &(results_order){0}, label);
		clpac_result_destroy(one);
	}
	clpac_result_destroy(all);
	free(x);
	clpac_context_close(context);
}

START_TEST(a_cap_on_memory_changes_the_strategy_and_nothing_else)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	p.n_surrogates = 500; /* enough for chunks to pay */
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_result *all = run_with(plan, x);
	const uint64_t whole = clpac_plan_report(plan)->taken_bytes;
	ck_assert_str_eq(clpac_plan_report(plan)->strategy, "vectorized");
	clpac_plan_destroy(plan);
	plan = place_plan(context, &p, &(clpac_plan_options){.strategy = CLPAC_STRATEGY_SEQUENTIAL});
	const uint64_t least = clpac_plan_report(plan)->taken_bytes;

	/* From the largest useful amount down to the least, through amounts that hold some chunks of 32 surrogates. */
	bool was_chunked = false;
	const uint64_t chunk = least + (uint64_t)100 * N_PHASE * plan->layout.padded * 4;
	clpac_plan_destroy(plan);
	for (uint64_t cap = whole;; cap = cap * 55 / 100 > chunk ? cap * 55 / 100 : cap > chunk ? chunk : least) {
		plan = place_plan(context, &p, &(clpac_plan_options){.memory_bytes = cap});
		const clpac_report *report = clpac_plan_report(plan);
		clpac_result *one = run_with(plan, x);
		char label[300];
		snprintf(label, sizeof label, "%s, %llu bytes, %s", place_label((size_t)_i), (unsigned long long)cap,
			 report->strategy);
		same(all, one, &(results_order){0}, label);
		ck_assert_uint_eq(report->n_cpu_fallbacks, 0);
		ck_assert_msg(report->taken_bytes <= cap, "%s: %llu bytes", label,
			      (unsigned long long)report->taken_bytes);
		was_chunked |= strcmp(report->strategy, "chunked") == 0;
		if (cap == least)
			ck_assert_str_eq(report->strategy, "sequential");
		clpac_result_destroy(one);
		clpac_plan_destroy(plan);
		if (cap == least)
			break;
	}
	ck_assert(was_chunked);

	/* One byte less: the native backend takes over, unless the plan is native already. */
	plan = NULL;
	const clpac_status st =
		clpac_plan_create(context, &p, &(clpac_plan_options){.memory_bytes = least - 1}, &plan, &err);
	if (strcmp(clpac_context_device(context)->backend, "native") == 0) {
		assert_refused(st, err, CLPAC_ERROR_NO_DEVICE_MEMORY, "682 samples");
	} else {
		assert_works(st, err);
		clpac_result *fallen = run_with(plan, x);
		const clpac_report *report = clpac_result_report(fallen);
		ck_assert_str_eq(report->backend, "native");
		ck_assert_uint_gt(report->n_cpu_fallbacks, 0);
		ck_assert_uint_eq(report->warnings[CLPAC_WARN_STRATEGY].count, 1);
		ck_assert_ptr_nonnull(strstr(report->warnings[CLPAC_WARN_STRATEGY].text, "MiB"));
		same(all, fallen, &(results_order){0}, "on the native backend");
		clpac_result_destroy(fallen);
		clpac_plan_destroy(plan);
	}
	clpac_result_destroy(all);
	free(x);
	clpac_context_close(context);
}

START_TEST(the_order_of_bands_changes_nothing)
{
	size_t phases[N_PHASE], amplitudes[N_AMPLITUDE];
	clpac_band turned_phase[N_PHASE], turned_amplitude[N_AMPLITUDE];
	for (size_t b = 0; b < N_PHASE; b++) {
		phases[b] = (b + 3) % N_PHASE;
		turned_phase[phases[b]] = phase_bands[b];
	}
	for (size_t b = 0; b < N_AMPLITUDE; b++) {
		amplitudes[b] = N_AMPLITUDE - 1 - b;
		turned_amplitude[amplitudes[b]] = amplitude_bands[b];
	}
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	clpac_result *straight = run_on(context, &p, NULL, x);
	p.phase_bands = turned_phase;
	p.amplitude_bands = turned_amplitude;
	clpac_result *turned = run_on(context, &p, NULL, x);
	same(straight, turned, &(results_order){.phase = phases, .amplitude = amplitudes}, place_label((size_t)_i));
	clpac_result_destroy(straight);
	clpac_result_destroy(turned);
	free(x);
	clpac_context_close(context);
}

START_TEST(the_order_and_number_of_channels_change_nothing)
{
	enum { PER_CHANNEL = N_SEGMENTS * N_SAMPLES };
	const size_t reversed[N_CHANNELS] = {4, 3, 2, 1, 0};
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	p.share_shifts = true;
	float *x = make_samples(N_CHANNELS, PER_CHANNEL), *turned = malloc(N_CHANNELS * PER_CHANNEL * sizeof *x);
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		memcpy(turned + reversed[ch] * PER_CHANNEL, x + ch * PER_CHANNEL, PER_CHANNEL * sizeof *x);
	clpac_result *all = run_on(context, &p, NULL, x), *other = run_on(context, &p, NULL, turned);
	same(all, other, &(results_order){.channel = reversed}, place_label((size_t)_i));
	clpac_result_destroy(other);
	/* A shared list is the same for all numbers. */
	p.channel_numbers = reversed;
	other = run_on(context, &p, NULL, turned);
	same(all, other, &(results_order){.channel = reversed}, place_label((size_t)_i));
	p.channel_numbers = NULL;
	clpac_result_destroy(all);
	clpac_result_destroy(other);
	/* Random shifts depend on the number of the channel, wherever it stands, and by default that is its place. */
	p.share_shifts = false;
	all = run_on(context, &p, NULL, x);
	p.channel_numbers = reversed;
	other = run_on(context, &p, NULL, turned);
	same(all, other, &(results_order){.channel = reversed}, place_label((size_t)_i));
	clpac_result_destroy(other);
	p.channel_numbers = NULL;
	p.n_channels = 3;
	clpac_result *few = run_on(context, &p, NULL, x);
	same(few, all, &(results_order){0}, place_label((size_t)_i));
	clpac_result_destroy(all);
	clpac_result_destroy(few);
	free(x);
	free(turned);
	clpac_context_close(context);
}

/* --- What a value depends on --- */

/* Multiples of 2^-20 whose mean is 0, so that doubles hold them on any of the offsets below, and the mean exactly. */
static double *make_exact_samples(size_t n)
{
	unsigned long long state = 6;
	double *x = malloc(n * sizeof *x), drift = 0, sum = 0;
	for (size_t t = 0; t < n; t++) {
		x[t] = round(ldexp(random_drifting(&state, &drift) - 0.5, 20));
		sum += x[t];
	}
	for (size_t t = 0; sum != 0; t++) {
		const double most = fmax(-20000, fmin(20000, sum));
		x[t % n] -= most;
		sum -= most;
	}
	for (size_t t = 0; t < n; t++)
		x[t] = ldexp(x[t], -20);
	return x;
}

static clpac_result *run_doubles(clpac_plan *plan, const double *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	const void *channels[] = {x};
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);
	return result;
}

START_TEST(an_offset_changes_no_bit)
{
	/* In units of the samples, whose root mean square is about 1; 30 mV under 20 uV are 1500. */
	static const double offsets[] = {30, -1500, 10000};
	for (int hilbert = 0; hilbert < 2; hilbert++) {
		clpac_context *context = place_open((size_t)_i);
		clpac_problem p = base();
		p.n_channels = p.n_segments = 1;
		p.hilbert = (clpac_hilbert)hilbert;
		double *x = make_exact_samples(N_SAMPLES), *moved = malloc(N_SAMPLES * sizeof *moved);
		clpac_plan *plan = place_plan(context, &p, NULL);
		clpac_result *plain = run_doubles(plan, x);
		for (size_t o = 0; o < COUNT(offsets); o++) {
			for (size_t t = 0; t < N_SAMPLES; t++)
				moved[t] = x[t] + offsets[o];
			clpac_result *result = run_doubles(plan, moved);
			results_same_bits(plain, result, place_label((size_t)_i), clpac_result_problem(plain));
			clpac_result_destroy(result);
		}
		clpac_result_destroy(plain);
		clpac_plan_destroy(plan);
		clpac_context_close(context);
		free(x);
		free(moved);
	}
}

START_TEST(a_bin_depends_on_its_filters_reach_alone)
{
	/* The samples of one end in reverse: their sum and their largest stay. */
	enum { FROM = 400 };
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	p.n_channels = p.n_segments = 1;
	clpac_plan *plan = place_plan(context, &p, NULL);
	double *x = make_exact_samples(N_SAMPLES), *turned = malloc(N_SAMPLES * sizeof *turned);
	clpac_result_destroy(run_doubles(plan, x));
	size_t stride;
	unsigned char *bins = place_bins(plan, &stride);
	for (int at_end = 0; at_end < 2; at_end++) {
		for (size_t t = 0; t < N_SAMPLES; t++)
			turned[t] = at_end ? (t < FROM ? x[t] : x[N_SAMPLES - 1 - (t - FROM)])
					   : (t < N_SAMPLES - FROM ? x[N_SAMPLES - FROM - 1 - t] : x[t]);
		clpac_result_destroy(run_doubles(plan, turned));
		unsigned char *others = place_bins(plan, &stride);
		for (size_t b = 0; b < N_PHASE; b++) {
			const size_t order = oracle_order(250, phase_bands[b].lo_hz, 3, N_SAMPLES);
			size_t n_other = 0;
			for (size_t t = 0; t < N_SAMPLES; t++) {
				const size_t from_end = at_end ? t : N_SAMPLES - 1 - t;
				const bool is_same = bins[b * stride + t] == others[b * stride + t];
				n_other += !is_same;
				ck_assert_msg(is_same || from_end + order >= FROM,
					      "%s: sample %zu of phase band %zu, order %zu, sees what lies beyond",
					      place_label((size_t)_i), t, b, order);
			}
			ck_assert_uint_gt(n_other, 0);
		}
		free(others);
	}
	free(bins);
	free(x);
	free(turned);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

START_TEST(a_series_has_the_same_surrogates_in_any_selection)
{
	enum { PER_CHANNEL = N_SEGMENTS * N_SAMPLES, CELLS = N_PHASE * N_AMPLITUDE };
	static const size_t channels[] = {4, 0, 2}, segments[] = {1};
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	float *x = make_samples(N_CHANNELS, PER_CHANNEL), *chosen = malloc(COUNT(channels) * N_SAMPLES * sizeof *x);
	for (size_t c = 0; c < COUNT(channels); c++)
		memcpy(chosen + c * N_SAMPLES, x + channels[c] * PER_CHANNEL + segments[0] * N_SAMPLES,
		       N_SAMPLES * sizeof *x);
	clpac_result *all = run_on(context, &p, NULL, x);
	p.n_channels = COUNT(channels);
	p.channel_numbers = channels;
	p.n_segments = 1;
	p.segment_numbers = segments;
	clpac_result *few = run_on(context, &p, NULL, chosen);
	static const struct {
		clpac_array which;
		size_t each;
	} arrays[] = {{CLPAC_MI, CELLS}, {CLPAC_SURROGATES, N_SURROGATES * CELLS}, {CLPAC_Z, CELLS}};
	for (size_t a = 0; a < COUNT(arrays); a++)
		for (size_t c = 0; c < COUNT(channels); c++) {
			const size_t each = arrays[a].each, at = channels[c] * N_SEGMENTS + segments[0];
			const float *of_all = clpac_result_array(all, arrays[a].which, NULL) + at * each;
			const float *of_few = clpac_result_array(few, arrays[a].which, NULL) + c * each;
			ck_assert_msg(memcmp(of_all, of_few, each * sizeof *of_all) == 0,
				      "%s: array %d of channel %zu differs", place_label((size_t)_i),
				      (int)arrays[a].which, channels[c]);
		}
	/* Other numbers are other shifts. */
	p.segment_numbers = NULL;
	clpac_result *other = run_on(context, &p, NULL, chosen);
	ck_assert(memcmp(clpac_result_array(few, CLPAC_SURROGATES, NULL),
			 clpac_result_array(other, CLPAC_SURROGATES, NULL), sizeof(float) * N_SURROGATES * CELLS));
	clpac_result_destroy(all);
	clpac_result_destroy(few);
	clpac_result_destroy(other);
	free(x);
	free(chosen);
	clpac_context_close(context);
}

/* The transform that sections are to have; others are said to cost more. */
static size_t favourite;

static double cost_of(const clpac__queue *queue, size_t length)
{
	(void)queue;
	return length == favourite ? 1 : 1e6 + (double)length;
}

START_TEST(the_length_of_blocks_changes_no_bin)
{
	enum { LONG = 5003 };
	static const size_t lengths[] = {0, 512, 1024, 2048}; /* orders are up to 168 */
	clpac_error err;
	clpac_problem p = base();
	p.n_channels = p.n_segments = 1;
	p.n_samples = LONG;
	p.cluster_alpha = 0.1;
	p.gamma_tail = true;
	float *x = make_samples(1, LONG);
	clpac_result *whole = NULL;
	unsigned char *bins = NULL;
	size_t bin_stride = 0;
	for (size_t l = 0; l < COUNT(lengths); l++) {
		clpac_context *context = place_open((size_t)_i);
		assert_works(clpac__context_equip(context, &err), err);
		clpac__fft_engine engine = *clpac__context_engine(context);
		engine.cost = cost_of;
		favourite = engine.next_length(lengths[l] ? lengths[l] : LONG + 2 * 168);
		atomic_store(&context->engine, &engine);
		clpac_plan *plan = place_plan(context, &p, NULL);
		for (int use = 0; use < 2; use++) {
			const clpac__bank *bank = &plan->layout.banks[use];
			ck_assert_msg(bank->length == favourite && (bank->n_sections == 1) == (l == 0),
				      "%s: %zu sections of %zu", place_label((size_t)_i), bank->n_sections,
				      bank->length);
		}
		clpac_result *result = run_with(plan, x);
		size_t stride;
		unsigned char *others = place_bins(plan, &stride);
		char label[300];
		snprintf(label, sizeof label, "%s, sections of %zu", place_label((size_t)_i), favourite);
		if (l == 0) {
			whole = result;
			bins = others;
			bin_stride = stride;
		} else {
			for (size_t b = 0; b < N_PHASE; b++)
				ck_assert_msg(memcmp(bins + b * bin_stride, others + b * stride, LONG) == 0,
					      "%s: other bins in phase band %zu", label, b);
			/* Two transforms on either side, as of two backends (see same). */
			results_alike_in_order(whole, result, &(results_order){0}, 6 * 2 * 3.2 * 2, label,
					       clpac_result_problem(result));
			clpac_result_destroy(result);
			free(others);
		}
		clpac_plan_destroy(plan);
		clpac_context_close(context);
	}
	clpac_result_destroy(whole);
	free(bins);
	free(x);
}

START_TEST(a_repeated_run_and_another_plan_give_the_same_bits)
{
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_result *first = run_with(plan, x);
	/* Other, much larger samples in between must leave nothing behind. */
	float *other = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	for (size_t i = 0; i < N_CHANNELS * N_SEGMENTS * N_SAMPLES; i++)
		other[i] *= i % 7 ? 1e6f : -3e7f;
	clpac_result_destroy(run_with(plan, other));
	clpac_result *second = run_with(plan, x), *third = run_on(context, &p, NULL, x);
	results_same_bits(first, second, place_label((size_t)_i), clpac_result_problem(first));
	results_same_bits(first, third, place_label((size_t)_i), clpac_result_problem(first));
	/* Another seed gives other surrogates and the same indices. */
	p.seed = 8;
	clpac_result *reseeded = run_on(context, &p, NULL, x);
	size_t n, n_surrogates;
	const float *mi = clpac_result_array(first, CLPAC_MI, &n);
	const float *surrogates = clpac_result_array(first, CLPAC_SURROGATES, &n_surrogates);
	ck_assert_int_eq(memcmp(mi, clpac_result_array(reseeded, CLPAC_MI, NULL), n * sizeof *mi), 0);
	size_t n_same = 0;
	const float *others = clpac_result_array(reseeded, CLPAC_SURROGATES, NULL);
	for (size_t i = 0; i < n_surrogates; i++)
		n_same += surrogates[i] == others[i];
	/* Among 682, one shift may be drawn twice by chance. */
	ck_assert_uint_lt(n_same, n_surrogates / 50);
	clpac_result_destroy(first);
	clpac_result_destroy(second);
	clpac_result_destroy(third);
	clpac_result_destroy(reseeded);
	clpac_plan_destroy(plan);
	free(x);
	free(other);
	clpac_context_close(context);
}

/* The problem on the native device as it is opened by default, and in this place with the transforms of the kernels. */
static void check_place(const clpac_problem *p, const float *x, size_t place)
{
	if (!place_takes(place, "lanes"))
		return;
	clpac_error err;
	clpac_context *native;
	ck_assert_msg(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &native, &err) == CLPAC_OK, "%s",
		      err.text);
	clpac_context *here = place_open_engine(place, "lanes");
	clpac_result *a = run_on(native, p, NULL, x), *b = run_on(here, p, NULL, x);
	results_same_bits(a, b, place_label(place), clpac_result_problem(a));
	clpac_result_destroy(a);
	clpac_result_destroy(b);
	clpac_context_close(native);
	clpac_context_close(here);
}

START_TEST(instruction_sets_and_threads_change_no_bit)
{
	clpac_problem p = base();
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	for (int hilbert = 0; hilbert < 2; hilbert++)
		for (int average = 0; average < 2; average++) {
			p.hilbert = (clpac_hilbert)hilbert;
			p.average = (clpac_average)average;
			p.edge_samples = hilbert ? CLPAC_EDGE_AUTO : 13;
			check_place(&p, x, (size_t)_i);
		}
	free(x);
}

START_TEST(nor_of_any_measure_under_any_null)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	for (int i = 0; i < CLPAC_MEASURE_COUNT; i++)
		measures[i] = (clpac_measure)i;
	for (int null = 0; null < CLPAC_NULL_COUNT; null++) {
		clpac_problem p = base();
		p.measures = measures;
		p.n_measures = COUNT(measures);
		p.null = (clpac_null)null;
		p.n_surrogates = null == CLPAC_NULL_ALL_SHIFTS ? 0 : 19;
		p.cluster_alpha = 0.05;
		check_place(&p, x, (size_t)_i);
	}
	free(x);
}

/* --- Ways of summing --- */

START_TEST(lists_that_overflow_are_summed_directly_to_the_same_bits)
{
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_result *lists = run_with(plan, x);
	ck_assert_uint_eq(clpac_result_report(lists)->n_overflowing_series, 0);
	plan->layout.capacity = 16; /* less than was allocated, for this test */
	clpac_result *direct = run_with(plan, x);
	ck_assert_uint_eq(clpac_result_report(direct)->n_overflowing_series, N_CHANNELS * N_SEGMENTS);
	results_same_bits(lists, direct, place_label((size_t)_i), clpac_result_problem(lists));
	clpac_result_destroy(lists);
	clpac_result_destroy(direct);
	clpac_plan_destroy(plan);
	free(x);
	clpac_context_close(context);
}

START_TEST(a_phase_faster_than_its_band_says_overflows_and_is_right)
{
	/* The caller's own filters pass 80-120 Hz for bands declared slow: 7 crossings a sample where 0.3 are
	 * expected. */
	enum { N_TAPS = 85 };
	double taps[2 * N_TAPS];
	clpac_error err;
	assert_works(clpac_signal_design(250, (clpac_band){80, 100}, N_TAPS - 1, taps, &err), err);
	assert_works(clpac_signal_design(250, (clpac_band){95, 120}, N_TAPS - 1, taps + N_TAPS, &err), err);
	clpac_problem p = base();
	p.n_channels = p.n_segments = 1;
	p.n_phase_bands = 2;
	p.phase_taps = (clpac_taps){taps, N_TAPS};
	p.phase_bands = phase_bands;
	float *x = make_samples(1, N_SAMPLES);
	double *series = malloc(N_SAMPLES * sizeof *series);
	for (size_t t = 0; t < N_SAMPLES; t++)
		series[t] = x[t];
	clpac_context *context = place_open((size_t)_i);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_result *result = run_with(plan, x);
	const clpac_report *report = clpac_result_report(result);
	ck_assert_uint_eq(report->n_overflowing_series, 1);

	const clpac_problem *complete = clpac_plan_problem(plan);
	oracle_signals *truth = oracle_analyse(complete, series);
	struct evidence evidence = evidence_gather(complete, series, truth);
	size_t stride, moved[2];
	unsigned char *bins = place_bins(plan, &stride);
	evidence_of_bins(&evidence, bins, stride, moved, place_label((size_t)_i), clpac_result_problem(result));
	for (size_t cell = 0; cell < 2 * N_AMPLITUDE; cell++) {
		double tolerance;
		const double exact = evidence_index(&evidence, bins + cell / N_AMPLITUDE * stride, cell % N_AMPLITUDE,
						    0, &tolerance);
		assert_close(clpac_result_array(result, CLPAC_MI, NULL)[cell], exact, tolerance);
	}
	free(bins);
	evidence_free(&evidence);
	oracle_signals_free(truth);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(series);
	free(x);
}

START_TEST(chunks_of_any_size_give_what_shift_by_shift_gives)
{
	/* Work-items take four shifts each: chunks and rests of every remainder; drawn shifts, and given ones with
	 * duplicates. */
	enum { FEW_SURROGATES = 23 };
	static const size_t chunks[] = {2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 22, FEW_SURROGATES};
	static const size_t given[FEW_SURROGATES] = {681, 0, 5,	  5,   340, 341, 681, 1,   2,	3,   5, 17,
						     600, 7, 100, 101, 102, 103, 99,  680, 340, 681, 12};
	clpac_context *context = place_open((size_t)_i);
	float *x = make_samples(N_CHANNELS, N_SEGMENTS * N_SAMPLES);
	for (int is_given = 0; is_given < 2; is_given++) {
		clpac_problem p = base();
		p.n_surrogates = FEW_SURROGATES;
		p.shifts = is_given ? given : NULL;
		clpac_plan *plan =
			place_plan(context, &p, &(clpac_plan_options){.strategy = CLPAC_STRATEGY_VECTORIZED});
		ck_assert_uint_eq(plan->layout.chunk, FEW_SURROGATES);
		plan->layout.chunk = 1;
		clpac_result *one_by_one = run_with(plan, x);
		for (size_t c = 0; c < COUNT(chunks); c++) {
			char label[300];
			snprintf(label, sizeof label, "%s, %s shifts in chunks of %zu", place_label((size_t)_i),
				 is_given ? "given" : "drawn", chunks[c]);
			plan->layout.chunk = chunks[c];
			clpac_result *one = run_with(plan, x);
			results_same_bits(one_by_one, one, label, clpac_result_problem(one));
			clpac_result_destroy(one);
		}
		clpac_result_destroy(one_by_one);
		clpac_plan_destroy(plan);
	}
	free(x);
	clpac_context_close(context);
}

TCase *plan_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("plans");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, the_order_of_bands_changes_nothing, 0, n);
	tcase_add_loop_test(t, an_offset_changes_no_bit, 0, n);
	tcase_add_loop_test(t, a_bin_depends_on_its_filters_reach_alone, 0, n);
	tcase_add_loop_test(t, the_length_of_blocks_changes_no_bin, 0, n);
	tcase_add_loop_test(t, a_repeated_run_and_another_plan_give_the_same_bits, 0, n);
	tcase_add_loop_test(t, instruction_sets_and_threads_change_no_bit, 0, n);
	tcase_add_loop_test(t, nor_of_any_measure_under_any_null, 0, n);
	tcase_add_loop_test(t, lists_that_overflow_are_summed_directly_to_the_same_bits, 0, n);
	tcase_add_loop_test(t, a_phase_faster_than_its_band_says_overflows_and_is_right, 0, n);
	tcase_add_loop_test(t, chunks_of_any_size_give_what_shift_by_shift_gives, 0, n);
	return t;
}

TCase *plan_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("plans, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, batches_and_strategies_change_nothing, 0, n);
	tcase_add_loop_test(t, a_cap_on_memory_changes_the_strategy_and_nothing_else, 0, n);
	tcase_add_loop_test(t, the_order_and_number_of_channels_change_nothing, 0, n);
	tcase_add_loop_test(t, a_series_has_the_same_surrogates_in_any_selection, 0, n);
	return t;
}
