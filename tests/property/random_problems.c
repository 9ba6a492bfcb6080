/* Random problems: a problem and its samples are drawn from a seed; the oracle computes them in long double; the
 * library must agree in every place and with every FFT engine, with any strategy and batch, in sections of any length,
 * and with devices mixed in one run.  Every phase bin is that of the oracle, and every index, of surrogates too, is
 * within 1e-5 of the oracle's or within the derived limit of support/evidence.h, whichever is larger; a Hilbert
 * transform of the kept samples may move samples over edges as that header says.  Native instruction sets and numbers
 * of threads agree to the last bit. A failure prints the seed and the problem's text. */
#include "random_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>
#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "contract/places.h"
#include "coupling/layout/test_settings.h"
#include "evidence.h"
#include "maxima_truth.h"
#include "coupling/fft/engine.h"
#include "coupling/passes/plan.h"
#include "results.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/statistics.h"
#include "moments.h"
#include "coupling/registry/registry.h"

enum { MAX_PHASE = 40, MAX_AMPLITUDE = 40, MAX_SHIFTS = 12, MAX_CHANNELS = 3, MAX_SERIES = 4, MAX_WAYS = 40 };

/* Indices that are not near 0, where a relative error says something by itself. */
#define LARGE_INDEX 1e-3

/* A way to compute: a place, or the native device beside OpenCL devices, and an FFT engine; and its worst errors. */
struct way {
	size_t place;
	char engine[16], label[300];
	size_t n_problems, n_indices;
	size_t n_exact, n_trimmed,
		n_moved;     /* bins, all equal; bins of trimmed Hilbert transforms, and those that differ */
	double worst;	     /* of the derived limit */
	double worst_large;  /* of the index, where that is not small */
	size_t n_over;	     /* indices with more than EVIDENCE_PROMISED of themselves */
	double largest_over; /* and the largest of them */
};

static struct way ways[MAX_WAYS];
static size_t n_ways;
static bool is_native, is_thrifty, is_asked;

/* --- Problems --- */

typedef struct drawn {
	unsigned long long seed;
	clpac_problem problem;
	clpac_band phase[MAX_PHASE], amplitude[MAX_AMPLITUDE];
	size_t shifts[MAX_SHIFTS], n_series, kept;
	clpac_problem_copy *copy;
	clpac_sample_type type;
	double *x;     /* (channel, segment, sample) */
	float *single; /* the same, for problems of single precision */
	const void *channels[MAX_CHANNELS];
	clpac_samples samples;
	char replay[4200];
} drawn;

static double between(unsigned long long *state, double lo, double hi)
{
	return lo + (hi - lo) * random_unit(state);
}

static bool is_prime(size_t n)
{
	for (size_t p = 2; p * p <= n; p++)
		if (n % p == 0)
			return false;
	return true;
}

/* 60 to 9000, as many short as long ones: any, primes, powers of two and their neighbours. */
static size_t draw_length(unsigned long long *state)
{
	static const size_t few[] = {257, 509, 1025, 60, 127, 2048, 3001, 9000};
	if (is_thrifty)
		return few[random_below(state, is_asked ? COUNT(few) : 3)];
	size_t n = (size_t)(60 * pow(150, random_unit(state)));
	switch (random_below(state, 4)) {
	case 0:
		while (!is_prime(n))
			n--;
		break;
	case 1:
		n = ((size_t)64 << random_below(state, 8)) - 1 + random_below(state, 3);
		break;
	default:
		break;
	}
	return n;
}

static unsigned draw_bins(unsigned long long *state)
{
	static const unsigned usual[] = {2, 3, 4, 7, 12, 17, 18, 20, 36, 63, 64, 100, 127, 128},
			      few[] = {7, 18, 64, 2, 128};
	return is_thrifty ? few[random_below(state, is_asked ? COUNT(few) : 3)]
			  : usual[random_below(state, COUNT(usual))];
}

static void draw_bands(drawn *d, unsigned long long *state)
{
	clpac_problem *p = &d->problem;
	const double rate = p->rate_hz, slowest = 2.5 * rate / (double)p->n_samples;
	const bool is_long = p->n_samples > 1500;
	p->n_phase_bands = 1 + random_below(state, random_below(state, 6) || is_long ? 4 : MAX_PHASE);
	p->n_amplitude_bands = 1 + random_below(state, is_long ? 5 : random_below(state, 2) ? 9 : MAX_AMPLITUDE);
	/* Thrifty: one longest filter of each kind, so that all problems of a length share their transforms. */
	for (size_t b = 0; b < p->n_phase_bands; b++) {
		const double lo = b == 0 && is_thrifty ? slowest : between(state, slowest, rate / 8);
		d->phase[b] = (clpac_band){lo, lo * between(state, 1.2, 2)};
	}
	for (size_t b = 0; b < p->n_amplitude_bands; b++) {
		const double lo = b == 0 && is_thrifty ? rate / 8 : between(state, rate / 8, rate / 2.6);
		d->amplitude[b] = (clpac_band){lo, fmin(lo * between(state, 1.1, 1.5), 0.49 * rate)};
	}
}

/* What lies under a series, in units of its own size: nothing, an offset of up to 10^4, a ramp of up to 1000, or one
 * sample of up to 10^5 in front, in the middle or at the end. */
struct under {
	double offset, ramp, spike;
	size_t at;
};

static struct under draw_under(size_t n, unsigned long long *state)
{
	const double sign = random_below(state, 2) ? 1 : -1;
	switch (random_below(state, 6)) {
	case 0:
	case 1:
		return (struct under){.offset = 2 * sign * pow(10, between(state, -1, 4))};
	case 2:
		return (struct under){.ramp = sign * pow(10, between(state, 0, 3)) / (double)n};
	case 3:
		return (struct under){.spike = sign * pow(10, between(state, 0, 5)),
				      .at = random_below(state, 3) * (n - 1) / 2};
	default:
		return (struct under){0};
	}
}

/* Slow rhythms that modulate fast ones, in noise that grows towards low frequencies, on what lies under them, in any
 * unit; in single or double precision, or as an amplifier's whole numbers. */
static void draw_samples(drawn *d, unsigned long long *state)
{
	const clpac_problem *p = &d->problem;
	const size_t n = p->n_samples;
	d->type = random_below(state, 2) ? CLPAC_FLOAT64 : CLPAC_FLOAT32;
	d->x = malloc(d->n_series * n * sizeof *d->x);
	d->single = malloc(d->n_series * n * sizeof *d->single);
	for (size_t series = 0; series < d->n_series; series++) {
		const bool is_counted = random_below(state, 4) == 0;
		const double size = is_counted ? between(state, 20, 1000)
					       : ldexp(between(state, 0.5, 1), (int)random_below(state, 60) - 30);
		const struct under under = draw_under(n, state);
		const double depth = random_unit(state),
			     slow = (d->phase[0].lo_hz + d->phase[0].hi_hz) / 2 / p->rate_hz;
		const double fast = (d->amplitude[0].lo_hz + d->amplitude[0].hi_hz) / 2 / p->rate_hz;
		double drift = 0, walk = 0;
		for (size_t t = 0; t < n; t++) {
			const double noise = random_unit(state) + random_unit(state) - 1;
			drift = 0.95 * drift + between(state, -0.5, 0.5);
			walk += between(state, -0.1, 0.1);
			const double phase = 6.283185307179586 * slow * (double)t + walk;
			const double below = under.offset + under.ramp * (double)t + (t == under.at ? under.spike : 0);
			double value = size * (below + drift + noise + cos(phase) +
					       (1 + depth * cos(phase)) * cos(6.283185307179586 * fast * (double)t));
			value = is_counted ? round(value) : value;
			d->single[series * n + t] = (float)value;
			d->x[series * n + t] = d->type == CLPAC_FLOAT64 ? value : (float)value;
		}
	}
	for (size_t ch = 0; ch < p->n_channels; ch++)
		d->channels[ch] = d->type == CLPAC_FLOAT64 ? (const void *)(d->x + ch * p->n_segments * n)
							   : d->single + ch * p->n_segments * n;
	d->samples = (clpac_samples){.type = d->type, .channels = d->channels};
}

/* Completes the problem, and again with shifts of its own below what it keeps. */
static clpac_status complete(drawn *d, unsigned long long *state, clpac_error *err)
{
	clpac_problem *p = &d->problem;
	const clpac_status st = clpac_problem_complete(p, &d->copy, err);
	if (st != CLPAC_OK)
		return st;
	d->kept = p->n_samples - 2 * (size_t)clpac_problem_get(d->copy)->edge_samples;
	if (!p->n_surrogates || random_below(state, 2))
		return st;
	p->shifts = d->shifts;
	for (size_t k = 0; k < p->n_surrogates; k++)
		d->shifts[k] = k == 0 ? 0 : random_below(state, d->kept);
	clpac_problem_destroy(d->copy);
	return clpac_problem_complete(p, &d->copy, err);
}

static void draw(unsigned long long seed, drawn *d)
{
	static const double rates[] = {100, 250, 256, 500, 512, 1000, 2000, 30000.5};
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
				     .n_segments = 1,
				     .n_samples = draw_length(&state),
				     .phase_bands = d->phase,
				     .amplitude_bands = d->amplitude,
				     .n_bins = draw_bins(&state),
				     .average = (clpac_average)random_below(&state, 2),
				     .hilbert = random_below(&state, 4) ? CLPAC_HILBERT_LOCAL : CLPAC_HILBERT_TRIMMED,
				     .n_surrogates = random_below(&state, MAX_SHIFTS + 1),
				     .seed = random_bits(&state),
				     .share_shifts = random_below(&state, 4) == 0,
				     .ddof = (unsigned)random_below(&state, 2),
				     .keep_surrogates = true,
				     .keep_distributions = true};
		if (p->n_samples > 1500)
			p->n_channels = 1;
		if (p->n_channels <= MAX_SERIES / 2)
			p->n_segments = 1 + random_below(&state, 2);
		d->n_series = p->n_channels * p->n_segments;
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
		p->allow_narrow = random_below(&state, 4) == 0;
		if (complete(d, &state, &err) == CLPAC_OK)
			break;
		ck_assert_int_eq(err.status, CLPAC_ERROR_ARGUMENT);
	}
	draw_samples(d, &state);
	char *text;
	assert_works(clpac_problem_write(clpac_problem_get(d->copy), &text, &err), err);
	snprintf(d->replay, sizeof d->replay, "seed %llu: %s", seed, text);
	clpac_text_free(text);
}

/* --- What the oracle computes --- */

/* The oracle's results for one series: index and derived limit of every cell and shift, the mean amplitude of each of
 * its bins, and how many samples these have. */
typedef struct wanted {
	oracle_signals *truth;
	struct evidence evidence;
	float *prepared;
	unsigned char *bins;	/* (phase, kept) */
	double *index, *limit;	/* (cell, 1 + shifts) */
	double *mean, *largest; /* (cell, bin), (amplitude band) */
	size_t *counts;		/* (phase, bin) */
	uint32_t shifts[1 + MAX_SHIFTS];
} wanted;

static void sum_bins(const wanted *w, size_t cell)
{
	const oracle_signals *truth = w->truth;
	const size_t ph = cell / truth->n_amplitude, am = cell % truth->n_amplitude, kept = truth->kept;
	double *mean = w->mean + cell * truth->n_bins;
	size_t *counts = w->counts + ph * truth->n_bins;
	memset(counts, 0, truth->n_bins * sizeof *counts);
	for (size_t t = 0; t < kept; t++) {
		const double amplitude = (double)truth->amplitude[am * kept + t];
		mean[w->bins[ph * kept + t]] += amplitude;
		counts[w->bins[ph * kept + t]]++;
		w->largest[am] = fmax(w->largest[am], amplitude);
	}
	for (unsigned j = 0; j < truth->n_bins; j++)
		mean[j] = counts[j] ? mean[j] / (double)counts[j] : NAN;
}

static void analyse(const drawn *d, size_t series, wanted *w)
{
	clpac_error err;
	const clpac_problem *p = clpac_problem_get(d->copy);
	const double *x = d->x + series * p->n_samples;
	w->truth = oracle_analyse(p, x);
	w->evidence = evidence_gather(p, x, w->truth);
	oracle_real *prepared = malloc(p->n_samples * sizeof *prepared);
	w->prepared = malloc(p->n_samples * sizeof *w->prepared);
	oracle_prepared(x, p->n_samples, prepared);
	for (size_t t = 0; t < p->n_samples; t++)
		w->prepared[t] = (float)prepared[t];
	free(prepared);

	w->shifts[0] = 0;
	if (p->shifts)
		for (size_t k = 0; k < p->n_surrogates; k++)
			w->shifts[1 + k] = (uint32_t)p->shifts[k];
	else if (p->n_surrogates)
		assert_works(clpac__draw_shifts(p->seed, p->share_shifts ? 0 : series / p->n_segments,
						p->share_shifts ? 0 : series % p->n_segments, 0, p->n_surrogates,
						d->kept, p->min_shift, w->shifts + 1, &err),
			     err);

	const size_t kept = d->kept, cells = w->truth->n_phase * w->truth->n_amplitude, n = 1 + p->n_surrogates;
	w->bins = malloc(w->truth->n_phase * kept);
	for (size_t i = 0; i < w->truth->n_phase * kept; i++)
		w->bins[i] = (unsigned char)w->truth->bins[i];
	w->index = malloc(cells * n * sizeof *w->index);
	w->limit = malloc(cells * n * sizeof *w->limit);
	w->mean = calloc(cells * p->n_bins, sizeof *w->mean);
	w->largest = calloc(p->n_amplitude_bands, sizeof *w->largest);
	w->counts = malloc(p->n_phase_bands * p->n_bins * sizeof *w->counts);
	for (size_t cell = 0; cell < cells; cell++) {
		for (size_t k = 0; k < n; k++)
			w->index[cell * n + k] =
				evidence_index(&w->evidence, w->bins + cell / p->n_amplitude_bands * kept,
					       cell % p->n_amplitude_bands, w->shifts[k], &w->limit[cell * n + k]);
		sum_bins(w, cell);
	}
}

static void forget(wanted *w)
{
	evidence_free(&w->evidence);
	oracle_signals_free(w->truth);
	free(w->prepared);
	free(w->bins);
	free(w->index);
	free(w->limit);
	free(w->mean);
	free(w->largest);
	free(w->counts);
}

/* --- Checks --- */

/* The samples on the device are those of the definition times a power of two. */
static void check_samples(const drawn *d, const wanted *w, const float *samples, const char *label)
{
	const size_t n = d->problem.n_samples;
	int scale = 0, found;
	for (size_t t = 0; t < n; t++)
		if (samples[t] != 0 && w->prepared[t] != 0) {
			frexpf(samples[t], &scale);
			frexpf(w->prepared[t], &found);
			scale -= found;
			break;
		}
	for (size_t t = 0; t < n; t++)
		if (samples[t] != ldexpf(w->prepared[t], scale))
			ck_abort_msg("%s: sample %zu is prepared as %.9g instead of %.9g; %s", label, t, samples[t],
				     ldexpf(w->prepared[t], scale), d->replay);
}

static void check_distribution(const drawn *d, const wanted *w, size_t cell, const float *means, const char *label)
{
	const unsigned n_bins = w->truth->n_bins;
	const size_t am = cell % w->truth->n_amplitude;
	const size_t *counts = w->counts + cell / w->truth->n_amplitude * n_bins;
	/* Six deviations of the amplitude for a bin of one sample, and eight roundings. */
	const double tolerance = 8 * 0x1p-24 * w->largest[am] + 6 * w->evidence.amplitude_noise[am] * w->largest[am];
	for (unsigned j = 0; j < n_bins; j++) {
		const double mean = w->mean[cell * n_bins + j];
		if (!counts[j] ? !isnan(means[j]) : !(fabs(means[j] - mean) <= tolerance))
			ck_abort_msg("%s: mean of bin %u, %zu samples, is %.9g instead of %.9g (%.2g allowed); %s",
				     label, j, counts[j], means[j], mean, tolerance, d->replay);
	}
}

static void check_statistics(const drawn *d, float mi, const float *surrogates, size_t stride, float mean, float std,
			     float z, float p, const char *label)
{
	moments seen = {0};
	const clpac_problem *problem = clpac_problem_get(d->copy);
	double largest = 0;
	for (size_t k = 0; k < problem->n_surrogates; k++) {
		moments_add(&seen, surrogates[k * stride], mi);
		largest = fmax(largest, surrogates[k * stride]);
	}
	const double deviation = clpac__moments_std(seen.m2, seen.n, problem->ddof);
	/* Welford's recurrence rounds mean and squares four times a step. */
	const double steps = 4 * (double)seen.n * 0x1p-24, error = steps * largest;
	ck_assert_msg(fabs(mean - seen.mean) <= error, "%s: mean %.9g instead of %.9g; %s", label, mean, seen.mean,
		      d->replay);
	if (!(deviation > 4 * error)) /* deviation is rounding or zero */
		return;
	ck_assert_msg(fabs(std - deviation) <= steps * deviation + error, "%s: deviation %.9g instead of %.9g; %s",
		      label, std, deviation, d->replay);
	const double score = clpac__z_score(mi, seen.mean, deviation);
	ck_assert_msg(fabs(z - score) <= (error + fabs(score) * (steps * deviation + error)) / deviation,
		      "%s: z %.9g instead of %.9g; %s", label, z, score, d->replay);
	ck_assert_msg(p == (float)clpac__p_value(seen.rank, seen.n), "%s: p %.9g instead of %.9g; %s", label, p,
		      clpac__p_value(seen.rank, seen.n), d->replay);
}

/* One index, number `at` of the wanted ones.
 * @param bins the library's, if some of the phase band are not the oracle's. */
static void check_index(const drawn *d, const wanted *w, size_t at, double value, const unsigned char *bins,
			struct way *way, const char *label)
{
	const size_t n = 1 + d->problem.n_surrogates, cell = at / n, k = at % n, n_am = w->truth->n_amplitude;
	double exact = w->index[at], limit = w->limit[at];
	if (bins)
		exact = evidence_index(&w->evidence, bins, cell % n_am, w->shifts[k], &limit);
	const double error = fabs(value - exact), relative = error / exact;
	if (!(error <= limit && value >= 0 && value <= 1))
		ck_abort_msg("%s: phase band %zu, amplitude band %zu, shift %u: %.9g instead of %.9g, %.2g apart, "
			     "%.2g derived; %s",
			     label, cell / n_am, cell % n_am, w->shifts[k], value, exact, error, limit, d->replay);
	way->n_indices++;
	way->worst = fmax(way->worst, error / limit);
	if (relative > EVIDENCE_PROMISED) {
		way->n_over++;
		way->largest_over = fmax(way->largest_over, exact);
	}
	if (exact >= LARGE_INDEX)
		way->worst_large = fmax(way->worst_large, relative);
}

/* All arrays of a series.
 * @param bins the library's, (phase band, stride); NULL if no buffer holds them any more: then they are taken to be
 * the oracle's. */
/* By the definition, from means that were rounded once. */
static void check_vector(const float *means, unsigned n_bins, double phase, double length, const char *label)
{
	double re = 0, im = 0, sum = 0;
	const double pi = acos(-1);
	for (unsigned j = 0; j < n_bins; j++) {
		const double mean = isnan(means[j]) ? 0 : means[j], at = (2 * j + 1.0) / n_bins * pi - pi;
		re += mean * cos(at);
		im += mean * sin(at);
		sum += mean;
	}
	if (!(sum > 0)) {
		ck_assert_msg(isnan(phase) && isnan(length), "%s: a cell without amplitude prefers %g", label, phase);
		return;
	}
	ck_assert_msg(fabs(length - hypot(re, im) / sum) <= 4 * 0x1p-24 && length >= 0 && length <= 1 + 1e-6,
		      "%s: the mean vector is %.9g and not %.9g long", label, length, hypot(re, im) / sum);
	ck_assert_msg(fabs(remainder(phase - atan2(im, re), 2 * pi)) * length <= 8 * 0x1p-24 + 1e-6 * length,
		      "%s: the preferred phase is %.9g and not %.9g", label, phase, atan2(im, re));
}

static void check_discoveries(const float *p, const uint8_t *valid, size_t n, const float *bh, const float *by,
			      const char *label)
{
	float *q = malloc(n * sizeof *q), *counted = calloc(n, sizeof *counted);
	clpac_error err;
	for (size_t cell = 0; cell < n; cell++)
		counted[cell] = valid[cell] ? p[cell] : NAN;
	assert_works(clpac_signal_false_discovery(counted, n, CLPAC_DISCOVERY_BH, q, &err), err);
	ck_assert_msg(memcmp(q, bh, n * sizeof *q) == 0, "%s: q_bh is not that of p", label);
	assert_works(clpac_signal_false_discovery(counted, n, CLPAC_DISCOVERY_BY, q, &err), err);
	ck_assert_msg(memcmp(q, by, n * sizeof *q) == 0, "%s: q_by is not that of p", label);
	free(q);
	free(counted);
}

static void check_series(const drawn *d, const wanted *w, const unsigned char *bins, size_t stride,
			 const clpac_result *result, size_t series, struct way *way, const char *label)
{
	const oracle_signals *truth = w->truth;
	const size_t n_am = truth->n_amplitude, cells = truth->n_phase * n_am, n_shifts = d->problem.n_surrogates;
	size_t moved[MAX_PHASE] = {0};
	if (bins) {
		const size_t n_moved = evidence_of_bins(&w->evidence, bins, stride, moved, label, d->replay);
		*(w->evidence.is_exact ? &way->n_exact : &way->n_trimmed) += truth->n_phase * truth->kept;
		way->n_moved += n_moved;
		if (n_moved) {
			/* The limit: as many moves as one deviation explains, and a few by chance. */
			const double expected = evidence_expected_moves(&w->evidence);
			ck_assert_msg((double)n_moved <= 3 + 4 * expected,
				      "%s: %zu samples moved, %.2g were expected; %s", label, n_moved, expected,
				      d->replay);
		}
	}
	const float *arrays[CLPAC_ARRAY_COUNT] = {0};
	for (int a = 0; a < CLPAC_ARRAY_COUNT; a++)
		arrays[a] = clpac_result_array(result, (clpac_array)a, NULL);
	for (size_t cell = 0; cell < cells; cell++) {
		const size_t ph = cell / n_am, at = series * cells + cell;
		const float *surrogates = n_shifts ? arrays[CLPAC_SURROGATES] + series * n_shifts * cells + cell : NULL;
		for (size_t k = 0; k <= n_shifts; k++) {
			const double value = k ? surrogates[(k - 1) * cells] : arrays[CLPAC_MI][at];
			check_index(d, w, cell * (1 + n_shifts) + k, value, moved[ph] ? bins + ph * stride : NULL, way,
				    label);
			if (k && w->shifts[k] == 0 && value != arrays[CLPAC_MI][at])
				ck_abort_msg("%s: shift 0 is not the index; %s", label, d->replay);
		}
		if (n_shifts)
			check_statistics(d, arrays[CLPAC_MI][at], surrogates, cells, arrays[CLPAC_SURROGATE_MEAN][at],
					 arrays[CLPAC_SURROGATE_STD][at], arrays[CLPAC_Z][at], arrays[CLPAC_P][at],
					 label);
		if (moved[ph])
			continue;
		check_distribution(d, w, cell, arrays[CLPAC_DISTRIBUTION] + at * truth->n_bins, label);
		check_vector(arrays[CLPAC_DISTRIBUTION] + at * truth->n_bins, truth->n_bins,
			     arrays[CLPAC_PREFERRED_PHASE][at], arrays[CLPAC_MEAN_VECTOR][at], label);
		size_t n_empty = 0;
		for (unsigned j = 0; j < truth->n_bins; j++)
			n_empty += w->counts[ph * truth->n_bins + j] == 0;
		ck_assert_uint_eq(clpac_result_empty_bins(result)[series * truth->n_phase + ph], n_empty);
	}
	if (n_shifts)
		check_discoveries(arrays[CLPAC_P] + series * cells, clpac_result_valid(result), cells,
				  arrays[CLPAC_Q_BH] + series * cells, arrays[CLPAC_Q_BY] + series * cells, label);
	if (n_shifts) {
		const judged_values values = judged_values_of(result, series);
		check_maxima(&(judged_map){clpac_result_valid(result), truth->n_phase, n_am, n_shifts, false}, &values,
			     label);
	}
}

static void check_peaks(const drawn *d, const clpac_result *result, const char *label)
{
	const clpac_problem *p = clpac_problem_get(d->copy);
	const size_t n_bins = p->n_bins, cells = p->n_phase_bands * p->n_amplitude_bands;
	const float *peaks = clpac_result_array(result, CLPAC_PEAK_DISTRIBUTION, NULL);
	const float *distributions = clpac_result_array(result, CLPAC_DISTRIBUTION, NULL);
	for (size_t ch = 0; p->n_segments == 1 && ch < p->n_channels; ch++) {
		const clpac_peak peak = clpac_result_peak(result, ch);
		const size_t cell = ch * cells + peak.phase * p->n_amplitude_bands + peak.amplitude;
		if (peak.found)
			ck_assert_msg(
				memcmp(peaks + ch * n_bins, distributions + cell * n_bins, n_bins * sizeof(float)) == 0,
				"%s: the peak's distribution is not that of its cell; %s", label, d->replay);
		for (size_t i = ch * cells; peak.found && p->n_surrogates && i < (ch + 1) * cells; i++)
			ck_assert_msg(!(clpac_result_array(result, CLPAC_P_MAX, NULL)[i] < peak.p_max),
				      "%s: the peak's p_max is %g, and that of cell %zu is lower; %s", label,
				      peak.p_max, i - ch * cells, d->replay);
	}
}

/* The cells that count, by the words of clpac_cell_is_valid; those within its slack are left open. */
static void check_valid(const drawn *d, const clpac_result *result, const char *label)
{
	const clpac_problem *p = clpac_problem_get(d->copy);
	for (size_t cell = 0; cell < p->n_phase_bands * p->n_amplitude_bands; cell++) {
		const clpac_band f = p->phase_bands[cell / p->n_amplitude_bands];
		const clpac_band a = p->amplitude_bands[cell % p->n_amplitude_bands];
		const double spare_hz = fmin((a.hi_hz - a.lo_hz) / 2 - (f.lo_hz + f.hi_hz) / 2,
					     fmax(a.lo_hz - f.hi_hz, f.lo_hz - a.hi_hz));
		if (fabs(spare_hz) > 1e-4 * p->rate_hz)
			ck_assert_msg(clpac_result_valid(result)[cell] == (p->allow_narrow || spare_hz > 0),
				      "%s: cell %zu is%s valid; %s", label, cell,
				      clpac_result_valid(result)[cell] ? "" : " not", d->replay);
	}
}

/* The series of the last batch, whose samples and bins the plan still holds. */
static size_t first_held(const drawn *d, size_t batch)
{
	return batch < d->n_series ? (d->n_series - 1) / batch * batch : 0;
}

static void check_plan(const drawn *d, const wanted *w, clpac_plan *plan, const clpac_result *result, struct way *way,
		       const char *label)
{
	clpac_error err;
	const size_t n = d->problem.n_samples, held = first_held(d, clpac_result_report(result)->batch_series);
	size_t stride;
	unsigned char *bins = place_bins(plan, &stride);
	float *samples = malloc(d->n_series * n * sizeof *samples);
	assert_works(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_SAMPLES], 0,
				       (d->n_series - held) * n * sizeof *samples, samples, &err),
		     err);
	for (size_t series = 0; series < d->n_series; series++) {
		const bool is_held = series >= held;
		if (is_held && clpac__for_tests.are_tensors_apart) /* else other tensors may lie there by now */
			check_samples(d, &w[series], samples + (series - held) * n, label);
		if (!is_held && d->problem.hilbert == CLPAC_HILBERT_TRIMMED)
			continue; /* samples may have moved, and nothing tells which */
		check_series(d, &w[series], is_held ? bins + (series - held) * d->problem.n_phase_bands * stride : NULL,
			     stride, result, series, way, label);
	}
	check_peaks(d, result, label);
	check_valid(d, result, label);
	free(bins);
	free(samples);
}

/* --- Runs --- */

static clpac_context *open_way(const struct way *way)
{
	if (way->place != SIZE_MAX)
		return place_open_engine(way->place, way->engine);
	clpac_context *context = NULL;
	clpac_error err;
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native", .cache = "none"}, &context, &err),
		     err);
	return context;
}

/* A cost for every length by chance, so that sections get any length. */
static unsigned long long whim;

static double cost_by_chance(const clpac__queue *queue, size_t length)
{
	(void)queue;
	return 1 + (double)(random_mix(whim + length) >> 40);
}

/* Makes the context cut series into sections of any length that its engine takes. */
static void cut_by_chance(clpac_context *context, clpac__fft_engine *engine, unsigned long long *state)
{
	clpac_error err;
	assert_works(clpac__context_equip(context, &err), err);
	*engine = *clpac__context_engine(context);
	engine->cost = cost_by_chance;
	whim = random_bits(state);
	atomic_store(&context->engine, engine);
}

static clpac_result *run_samples(clpac_plan *const *plans, size_t n_plans, const drawn *d)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_plan_run_several(plans, n_plans, &d->samples, &result, &err), err);
	return result;
}

/* All ways together share the series out among them. */
static void check_mixture(const drawn *d, const wanted *w, struct way *sum)
{
	enum { MANY = 8 };
	clpac_context *contexts[MANY + 1];
	clpac_plan *plans[MANY + 1];
	size_t n = 0;
	const struct way beside = {.place = SIZE_MAX};
	for (size_t i = 0; i < n_ways && n < MANY; i++)
		contexts[n++] = open_way(&ways[i]);
	if (!is_native)
		contexts[n++] = open_way(&beside);
	for (size_t i = 0; i < n; i++)
		plans[i] = place_plan(contexts[i], &d->problem, &(clpac_plan_options){.max_batch = 1});
	clpac_result *result = run_samples(plans, n, d);
	for (size_t series = 0; series < d->n_series; series++)
		check_series(d, &w[series], NULL, 0, result, series, sum, sum->label);
	sum->n_problems++;
	clpac_result_destroy(result);
	for (size_t i = 0; i < n; i++) {
		clpac_plan_destroy(plans[i]);
		clpac_context_close(contexts[i]);
	}
}

static struct way mixture = {.label = "devices and engines mixed in one run"};

static void dismiss(drawn *d, wanted *series)
{
	for (size_t i = 0; i < d->n_series; i++)
		forget(&series[i]);
	free(d->x);
	free(d->single);
	clpac_problem_destroy(d->copy);
}

/* Draws a problem of which the oracle knows every bin.  One in some hundred has a sample so close to an edge that
 * double precision does not tell its bin; another is drawn in its place. */
static void draw_decided(unsigned long long seed, drawn *d, wanted *series)
{
	for (int attempt = 0;; attempt++) {
		size_t n_doubtful = 0;
		draw(seed + 1000000ull * (unsigned)attempt, d);
		for (size_t i = 0; i < d->n_series; i++) {
			analyse(d, i, &series[i]);
			n_doubtful += series[i].truth->n_doubtful;
		}
		if (!n_doubtful)
			return;
		ck_assert_msg(attempt < 2, "%zu samples of the oracle are doubtful, in the third problem in turn; %s",
			      n_doubtful, d->replay);
		dismiss(d, series);
	}
}

START_TEST(a_random_problem_agrees_with_the_oracle)
{
	drawn d;
	wanted series[MAX_SERIES];
	clpac_result *first = NULL;
	draw_decided(1000 + (unsigned long long)_i, &d, series);
	unsigned long long state = d.seed;
	const bool is_cut = !is_thrifty && random_below(&state, 2);
	clpac__fft_engine engine;
	for (size_t i = 0; i < n_ways; i++) {
		const clpac_plan_options options = {
			.max_batch = random_below(&state, 2) ? d.n_series : 1 + random_below(&state, MAX_SERIES),
			.strategy = (clpac_strategy)random_below(&state, CLPAC_STRATEGY_COUNT)};
		clpac_context *context = open_way(&ways[i]);
		clpac__for_tests.are_tensors_apart = (d.seed + i) % 2;
		clpac__for_tests.are_lives_marked = !clpac__for_tests.are_tensors_apart;
		if (is_cut)
			cut_by_chance(context, &engine, &state);
		clpac_plan *plan = place_plan(context, &d.problem, &options);
		clpac_result *result = run_samples(&plan, 1, &d);
		check_plan(&d, series, plan, result, &ways[i], ways[i].label);
		ways[i].n_problems++;
		if (first && is_native && !is_cut && strcmp(ways[i].engine, ways[0].engine) == 0)
			results_same_bits(first, result, ways[i].label, d.replay);
		clpac_plan_destroy(plan);
		clpac_context_close(context);
		if (!first) {
			first = result;
			result = NULL;
		}
		clpac_result_destroy(result);
	}
	if (d.problem.hilbert == CLPAC_HILBERT_LOCAL && d.n_series > 1)
		check_mixture(&d, series, &mixture);
	clpac_result_destroy(first);
	dismiss(&d, series);
}

/* --- The case --- */

static void add_way(size_t place, const char *engine)
{
	if (n_ways == MAX_WAYS || !place_takes(place, engine))
		return;
	struct way *new = &ways[n_ways++];
	*new = (struct way){.place = place};
	snprintf(new->engine, sizeof new->engine, "%s", engine);
	snprintf(new->label, sizeof new->label, "%s, %s", place_label(place), engine);
}

static void print_way(const struct way *way)
{
	if (way->n_problems)
		printf("# %s: %zu problems; all of %zu bins agree, and all but %zu of %zu after trimming; the worst of "
		       "%zu "
		       "indices is off by %.2g of the derived limit, and by %.1e of the index from %g up; %zu are off "
		       "by "
		       "more than %g, the largest of them is %.1e\n",
		       way->label, way->n_problems, way->n_exact, way->n_moved, way->n_trimmed, way->n_indices,
		       way->worst, way->worst_large, LARGE_INDEX, way->n_over, EVIDENCE_PROMISED, way->largest_over);
}

static void print_ways(void)
{
	for (size_t i = 0; i < n_ways; i++)
		print_way(&ways[i]);
	print_way(&mixture);
}

TCase *random_problems(const char *backend, int n_problems, bool thrifty)
{
	const char *asked = getenv("CLPAC_TEST_PROBLEMS");
	const size_t n_places = places_find(backend);
	is_native = strcmp(backend, "native") == 0;
	is_thrifty = thrifty;
	is_asked = asked != NULL;
	for (size_t place = 0; place < n_places; place++)
		for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
			/* The native engines differ in nothing that instruction sets change. */
			if (strcmp((*engine)->backend, backend) == 0 &&
			    (!is_native || place == 0 || engine == clpac__fft_engines))
				add_way(place, (*engine)->name);
	TCase *t = tcase_create("random problems");
	tcase_set_timeout(t, 600);
	tcase_add_unchecked_fixture(t, NULL, print_ways);
	int first = 0, end = n_problems;
	if (asked && sscanf(asked, "%d:%d", &first, &end) != 2) {
		first = 0;
		end = atoi(asked);
	}
	tcase_add_loop_test(t, a_random_problem_agrees_with_the_oracle, first, end);
	/* Seed 1271 has a spike in full bins, so that the mean of the bins' means is a fiftieth of the mean amplitude.
	 */
	enum { SPIKE_IN_FULL_BINS = 271 };
	if (!is_thrifty && (SPIKE_IN_FULL_BINS < first || SPIKE_IN_FULL_BINS >= end))
		tcase_add_loop_test(t, a_random_problem_agrees_with_the_oracle, SPIKE_IN_FULL_BINS,
				    SPIKE_IN_FULL_BINS + 1);
	return t;
}
