/* Random problems: a problem and its samples are drawn from a seed; the oracle computes them in long double; the
 * library must agree, in every place, within the limits of support/evidence.h, and agree with itself to the last bit on
 * all native instruction sets and any number of threads.  A failure prints the seed and the problem's text. */
#include "random_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "results.h"
#include "signal/shifts.h"
#include "signal/statistics.h"

enum { MAX_PHASE = 40, MAX_AMPLITUDE = 40, MAX_SHIFTS = 12, MAX_CHANNELS = 3 };

static size_t n_places;
static bool is_thrifty;

typedef struct drawn {
	unsigned long long seed;
	clpac_problem problem;
	clpac_band phase[MAX_PHASE], amplitude[MAX_AMPLITUDE];
	size_t shifts[MAX_SHIFTS];
	clpac_problem_copy *copy;
	float *x; /* (channel, sample) */
	char replay[4200];
} drawn;

static double between(unsigned long long *state, double lo, double hi)
{
	return lo + (hi - lo) * random_unit(state);
}

/* Lengths: prime, odd, short; 256 is a tile. */
static size_t draw_length(unsigned long long *state)
{
	static const size_t lengths[] = {97,  139, 255, 256,  257,  399,  509,	512,
					 513, 769, 887, 1000, 1021, 1025, 1281, 2049};
	static const size_t few[] = {257, 509, 1025};
	return is_thrifty ? few[random_below(state, COUNT(few))] : lengths[random_below(state, COUNT(lengths))];
}

static unsigned draw_bins(unsigned long long *state)
{
	static const unsigned usual[] = {2, 3, 7, 17, 18, 20, 36, 63, 64}, few[] = {7, 18, 64};
	return is_thrifty ? few[random_below(state, COUNT(few))] : usual[random_below(state, COUNT(usual))];
}

static void draw_bands(drawn *d, unsigned long long *state)
{
	clpac_problem *p = &d->problem;
	const double rate = p->rate_hz, slowest = 2.5 * rate / (double)p->n_samples;
	/* The oracle transforms a prime length by the definition, slowly: few bands there. */
	const bool is_costly = p->hilbert == CLPAC_HILBERT_TRIMMED && p->n_samples > 600;
	p->n_phase_bands = 1 + random_below(state, random_below(state, 6) || is_costly ? 4 : MAX_PHASE);
	p->n_amplitude_bands = 1 + random_below(state, is_costly ? 5 : random_below(state, 2) ? 9 : MAX_AMPLITUDE);
	/* Thrifty: one longest filter, so that all problems of a length share a transform. */
	for (size_t b = 0; b < p->n_phase_bands; b++) {
		const double lo = b == 0 && is_thrifty ? slowest : between(state, slowest, rate / 8);
		d->phase[b] = (clpac_band){lo, lo * between(state, 1.2, 2)};
	}
	for (size_t b = 0; b < p->n_amplitude_bands; b++) {
		const double lo = between(state, rate / 8, rate / 2.6);
		d->amplitude[b] = (clpac_band){lo, fmin(lo * between(state, 1.1, 1.5), 0.49 * rate)};
	}
}

/* Slow rhythms that modulate fast ones, in noise that grows towards low frequencies, on an offset, at any scale. */
static void draw_samples(drawn *d, unsigned long long *state)
{
	const clpac_problem *p = &d->problem;
	d->x = malloc(p->n_channels * p->n_samples * sizeof *d->x);
	for (size_t ch = 0; ch < p->n_channels; ch++) {
		const double size = ldexp(between(state, 0.5, 1), (int)random_below(state, 60) - 30);
		const double offset = random_below(state, 2) ? 0 : between(state, -20, 20);
		const double depth = random_unit(state),
			     slow = (d->phase[0].lo_hz + d->phase[0].hi_hz) / 2 / p->rate_hz;
		const double fast = (d->amplitude[0].lo_hz + d->amplitude[0].hi_hz) / 2 / p->rate_hz;
		double drift = 0, wander = 0;
		for (size_t t = 0; t < p->n_samples; t++) {
			const double noise = random_unit(state) + random_unit(state) - 1;
			drift = 0.95 * drift + between(state, -0.5, 0.5);
			wander += between(state, -0.1, 0.1);
			const double phase = 6.283185307179586 * slow * (double)t + wander;
			d->x[ch * p->n_samples + t] =
				(float)(size * (offset + drift + noise + cos(phase) +
						(1 + depth * cos(phase)) * cos(6.283185307179586 * fast * (double)t)));
		}
	}
}

static void draw(unsigned long long seed, drawn *d)
{
	static const double rates[] = {100, 250, 512, 1000, 30000.5};
	clpac_error err;
	unsigned long long state = seed;
	/* Some draws ask for more than a short series holds, such as a phase band too slow for the kept samples; they
	 * are refused with a reason and drawn again. */
	for (int tries = 0;; tries++) {
		ck_assert_msg(tries < 100, "seed %llu: no problem can be computed: %s", seed, err.text);
		memset(d, 0, sizeof *d);
		d->seed = seed;
		clpac_problem *p = &d->problem;
		*p = (clpac_problem){.rate_hz = rates[random_below(&state, COUNT(rates))],
				     .n_channels = 1 + random_below(&state, MAX_CHANNELS),
				     .n_samples = draw_length(&state),
				     .phase_bands = d->phase,
				     .amplitude_bands = d->amplitude,
				     .n_bins = draw_bins(&state),
				     .average = (clpac_average)random_below(&state, 2),
				     .hilbert = (clpac_hilbert)random_below(&state, 2),
				     .n_surrogates = random_below(&state, MAX_SHIFTS + 1),
				     .seed = random_bits(&state),
				     .share_shifts = random_below(&state, 4) == 0,
				     .ddof = (unsigned)random_below(&state, 2),
				     .keep_surrogates = true,
				     .keep_distributions = true};
		if (p->n_samples > 600)
			p->n_channels = 1;
		if (random_below(&state, 3) == 0)
			p->edge_samples = (ptrdiff_t)random_below(&state, p->n_samples / 4);
		else if (random_below(&state, 4) == 0)
			p->edge_samples = CLPAC_EDGE_AUTO;
		p->min_shift = random_below(&state, 20);
		if (!is_thrifty) {
			p->phase_cycles = random_below(&state, 3) ? 0 : between(&state, 2, 5);
			p->amplitude_cycles = random_below(&state, 3) ? 0 : between(&state, 4, 9);
		}
		draw_bands(d, &state);
		if (p->n_surrogates && random_below(&state, 2)) {
			/* An automatic edge may leave fewer samples than this; such a draw is refused. */
			const ptrdiff_t edge =
				p->edge_samples == CLPAC_EDGE_AUTO ? (ptrdiff_t)p->n_samples / 4 : p->edge_samples;
			p->shifts = d->shifts;
			for (size_t k = 0; k < p->n_surrogates; k++)
				d->shifts[k] = k == 0 ? 0 : random_below(&state, p->n_samples - 2 * (size_t)edge);
		}
		if (clpac_problem_complete(p, &d->copy, &err) == CLPAC_OK)
			break;
		ck_assert_int_eq(err.status, CLPAC_ERROR_ARGUMENT);
	}
	draw_samples(d, &state);
	char *text;
	assert_works(clpac_problem_write(clpac_problem_get(d->copy), &text, &err), err);
	snprintf(d->replay, sizeof d->replay, "seed %llu: %s", seed, text);
	clpac_text_free(text);
}

/* The oracle's results for one channel. */
typedef struct channel {
	double *x;
	oracle_signals *truth;
	evidence evidence;
	uint32_t shifts[MAX_SHIFTS];
} channel;

/* fft_length is the library's: the fused signal depends on it, though little. */
static void analyse(const drawn *d, size_t ch, size_t fft_length, channel *channel)
{
	clpac_error err;
	const clpac_problem *p = clpac_problem_get(d->copy);
	channel->x = malloc(p->n_samples * sizeof *channel->x);
	for (size_t t = 0; t < p->n_samples; t++)
		channel->x[t] = d->x[ch * p->n_samples + t];
	channel->truth = oracle_analyse_levelled(p, channel->x, fft_length);
	channel->evidence = evidence_gather(p, channel->x, channel->truth, fft_length);
	const size_t kept = channel->truth->kept;
	if (p->shifts)
		for (size_t k = 0; k < p->n_surrogates; k++)
			channel->shifts[k] = (uint32_t)p->shifts[k];
	else if (p->n_surrogates)
		assert_works(clpac__draw_shifts(p->seed, p->share_shifts ? 0 : ch, 0, 0, p->n_surrogates, kept,
						p->min_shift, channel->shifts, &err),
			     err);
}

static void forget(channel *channel)
{
	evidence_free(&channel->evidence);
	oracle_signals_free(channel->truth);
	free(channel->x);
}

static void check_distribution(const drawn *d, const channel *channel, const unsigned char *bins, size_t am,
			       const float *means, size_t *n_empty, const char *label)
{
	const oracle_signals *truth = channel->truth;
	const oracle_real *amplitude = truth->amplitude + am * truth->kept;
	double sums[CLPAC_MAX_BINS] = {0}, largest = 0;
	size_t counts[CLPAC_MAX_BINS] = {0};
	for (size_t t = 0; t < truth->kept; t++) {
		sums[bins[t]] += (double)amplitude[t];
		counts[bins[t]]++;
		largest = fmax(largest, (double)amplitude[t]);
	}
	*n_empty = 0;
	for (unsigned j = 0; j < truth->n_bins; j++) {
		*n_empty += counts[j] == 0;
		if (!counts[j]) {
			ck_assert_msg(isnan(means[j]), "%s: bin %u is empty and not NaN; %s", label, j, d->replay);
			continue;
		}
		/* Six deviations of the amplitude for a bin of one sample, and eight roundings. */
		const double mean = sums[j] / (double)counts[j];
		const double tolerance = 8 * 0x1p-24 * largest + 6 * channel->evidence.amplitude_noise[am] * largest;
		ck_assert_msg(fabs(means[j] - mean) <= tolerance,
			      "%s: mean of bin %u is %.9g instead of %.9g (%.2g allowed); %s", label, j, means[j], mean,
			      tolerance, d->replay);
	}
}

static void check_statistics(const drawn *d, float mi, const float *surrogates, size_t stride, float mean, float std,
			     float z, float p, const char *label)
{
	clpac__moments moments = {0};
	const clpac_problem *problem = clpac_problem_get(d->copy);
	double largest = 0;
	for (size_t k = 0; k < problem->n_surrogates; k++) {
		clpac__moments_add(&moments, surrogates[k * stride], mi);
		largest = fmax(largest, surrogates[k * stride]);
	}
	const double deviation = clpac__moments_std(moments.m2, moments.n, problem->ddof);
	/* Welford's recurrence rounds mean and squares four times a step. */
	const double steps = 4 * (double)moments.n * 0x1p-24, error = steps * largest;
	ck_assert_msg(fabs(mean - moments.mean) <= error, "%s: mean %.9g instead of %.9g; %s", label, mean,
		      moments.mean, d->replay);
	if (!(deviation > 4 * error)) /* deviation is rounding or zero */
		return;
	ck_assert_msg(fabs(std - deviation) <= steps * deviation + error, "%s: deviation %.9g instead of %.9g; %s",
		      label, std, deviation, d->replay);
	const double score = clpac__z_score(mi, moments.mean, deviation);
	ck_assert_msg(fabs(z - score) <= (error + fabs(score) * (steps * deviation + error)) / deviation,
		      "%s: z %.9g instead of %.9g; %s", label, z, score, d->replay);
	ck_assert_msg(p == (float)clpac__p_value(moments.rank, moments.n), "%s: p %.9g instead of %.9g; %s", label, p,
		      clpac__p_value(moments.rank, moments.n), d->replay);
}

static void check_channel(const drawn *d, const channel *channel, const unsigned char *bins, size_t stride,
			  const clpac_result *result, size_t ch, const char *label)
{
	const oracle_signals *truth = channel->truth;
	const size_t n_am = truth->n_amplitude, cells = truth->n_phase * n_am, n_shifts = d->problem.n_surrogates;
	size_t moved[MAX_PHASE];
	const size_t n_moved = evidence_of_bins(&channel->evidence, bins, stride, moved, label, d->replay);
	/* The limit: as many moves as one deviation explains, and a few by chance. */
	const double expected = evidence_expected_moves(&channel->evidence);
	ck_assert_msg((double)n_moved <= 3 + 4 * expected, "%s: %zu samples moved, %.2g were expected; %s", label,
		      n_moved, expected, d->replay);
	const float *arrays[CLPAC_ARRAY_COUNT] = {0};
	for (int a = 0; a < CLPAC_ARRAY_COUNT; a++)
		arrays[a] = clpac_result_array(result, (clpac_array)a, NULL);
	for (size_t cell = 0; cell < cells; cell++) {
		const size_t ph = cell / n_am, am = cell % n_am, at = ch * cells + cell;
		const float *surrogates = n_shifts ? arrays[CLPAC_SURROGATES] + ch * n_shifts * cells + cell : NULL;
		for (size_t k = 0; k <= n_shifts; k++) {
			const double value = k ? surrogates[(k - 1) * cells] : arrays[CLPAC_MI][at];
			double tolerance;
			const double exact = evidence_index(&channel->evidence, bins + ph * stride, am,
							    k ? channel->shifts[k - 1] : 0, &tolerance);
			ck_assert_msg(fabs(value - exact) <= tolerance && value >= 0 && value <= 1,
				      "%s: channel %zu, phase band %zu, amplitude band %zu, shift %u: %.9g instead of "
				      "%.9g, %.2g apart, "
				      "%.2g derived; %s",
				      label, ch, ph, am, k ? channel->shifts[k - 1] : 0, value, exact, value - exact,
				      tolerance, d->replay);
			if (k && channel->shifts[k - 1] == 0)
				ck_assert_msg(value == arrays[CLPAC_MI][at], "%s: shift 0 is not the index; %s", label,
					      d->replay);
		}
		size_t n_empty;
		check_distribution(d, channel, bins + ph * stride, am, arrays[CLPAC_DISTRIBUTION] + at * truth->n_bins,
				   &n_empty, label);
		ck_assert_uint_eq(clpac_result_empty_bins(result)[ch * truth->n_phase + ph], n_empty);
		if (n_shifts)
			check_statistics(d, arrays[CLPAC_MI][at], surrogates, cells, arrays[CLPAC_SURROGATE_MEAN][at],
					 arrays[CLPAC_SURROGATE_STD][at], arrays[CLPAC_Z][at], arrays[CLPAC_P][at],
					 label);
	}
	const clpac_peak peak = clpac_result_peak(result, ch);
	if (peak.found)
		ck_assert_msg(memcmp(arrays[CLPAC_PEAK_DISTRIBUTION] + ch * truth->n_bins,
				     arrays[CLPAC_DISTRIBUTION] +
					     (ch * cells + peak.phase * n_am + peak.amplitude) * truth->n_bins,
				     truth->n_bins * sizeof(float)) == 0,
			      "%s: the peak's distribution is not that of its cell; %s", label, d->replay);
}

START_TEST(a_random_problem_agrees_with_the_oracle)
{
	clpac_error err;
	drawn d;
	channel channels[MAX_CHANNELS];
	clpac_result *first = NULL;
	draw(1000 + (unsigned long long)_i, &d);
	const size_t n_channels = d.problem.n_channels;
	size_t fft_length = 0;
	for (size_t place = 0; place < n_places; place++) {
		clpac_context *context = place_open(place);
		clpac_plan *plan = place_plan(context, &d.problem, &(clpac_plan_options){.max_batch = n_channels});
		clpac_result *result = NULL;
		assert_works(clpac_plan_run(plan, d.x, &result, &err), err);
		if (fft_length != clpac_result_report(result)->fft_length) {
			for (size_t ch = 0; fft_length && ch < n_channels; ch++)
				forget(&channels[ch]);
			fft_length = clpac_result_report(result)->fft_length;
			for (size_t ch = 0; ch < n_channels; ch++)
				analyse(&d, ch, fft_length, &channels[ch]);
		}
		size_t stride;
		unsigned char *bins = place_bins(plan, &stride);
		for (size_t ch = 0; ch < n_channels; ch++)
			check_channel(&d, &channels[ch], bins + ch * d.problem.n_phase_bands * stride, stride, result,
				      ch, place_label(place));
		free(bins);
		const bool is_native = strcmp(clpac_result_report(result)->backend, "native") == 0;
		if (first && is_native)
			results_same_bits(first, result, place_label(place), d.replay);
		clpac_plan_destroy(plan);
		clpac_context_close(context);
		if (!first) {
			first = result;
			result = NULL;
		}
		clpac_result_destroy(result);
	}
	clpac_result_destroy(first);
	for (size_t ch = 0; ch < n_channels; ch++)
		forget(&channels[ch]);
	free(d.x);
	clpac_problem_destroy(d.copy);
}
END_TEST

TCase *random_problems(size_t n, int n_problems, bool thrifty)
{
	n_places = n;
	is_thrifty = thrifty;
	TCase *t = tcase_create("random problems");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, a_random_problem_agrees_with_the_oracle, 0, n_problems);
	return t;
}
