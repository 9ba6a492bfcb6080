/* Blocks, permuted segments and random phases, by their definition. */
#include "null_truth.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_pieces.h"
#include "coupling/signal/draws.h"

static const oracle_real pi = 3.141592653589793238462643383279502884L;

struct null_truth {
	const clpac_problem *problem;
	const double *x;
	size_t n_series;
	oracle_signals **signals;
};

/* --- Numbers --- */

/* Who draws: the channel and the segment of the recording, and the surrogate. */
typedef struct drawer {
	const clpac_problem *problem;
	uint32_t channel, segment, k;
} drawer;

static drawer drawer_of(const clpac_problem *p, size_t series, size_t k)
{
	const size_t channel = series / p->n_segments, segment = series % p->n_segments;
	return (drawer){p, p->share_shifts ? 0 : (uint32_t)(p->channel_numbers ? p->channel_numbers[channel] : channel),
			p->share_shifts ? 0 : (uint32_t)(p->segment_numbers ? p->segment_numbers[segment] : segment),
			(uint32_t)k};
}

/* The number-th word that a drawer has. */
static uint32_t word_of(const drawer *who, size_t number)
{
	const uint32_t counter[4] = {who->k, who->channel, who->segment, (uint32_t)(number / 4)};
	const uint32_t key[2] = {(uint32_t)who->problem->seed, (uint32_t)(who->problem->seed >> 32)};
	uint32_t words[4];
	clpac__philox(counter, key, words);
	return words[number % 4];
}

/* The next of these that gives no bias, as a number below range; *number is the word to begin with. */
static size_t below(const drawer *who, size_t *number, size_t range)
{
	const uint64_t whole = UINT64_C(1) << 32, excess = whole % range;
	for (;;) {
		const uint64_t product = (uint64_t)word_of(who, (*number)++) * range;
		if (product % whole >= excess)
			return (size_t)(product / whole);
	}
}

/* --- Variants --- */

/* Whose sample each place of the series takes. */
static void sources_of_blocks(const drawer *who, size_t n, size_t n_blocks, size_t *source)
{
	size_t number = 0, found = 0, place = 0;
	bool *is_cut = calloc(n, sizeof *is_cut);
	size_t *cuts = calloc(n_blocks + 1, sizeof *cuts), *order = calloc(n_blocks, sizeof *order);
	for (size_t newest = n - n_blocks; newest < n; newest++) {
		const size_t cut = below(who, &number, newest + 1);
		is_cut[is_cut[cut] ? newest : cut] = true;
	}
	for (size_t t = 0; t < n; t++)
		if (is_cut[t])
			cuts[found++] = t;
	cuts[n_blocks] = cuts[0] + n;
	for (size_t b = 0; b < n_blocks; b++)
		order[b] = b;
	for (size_t last = n_blocks - 1; last > 0; last--) {
		const size_t other = below(who, &number, last + 1), moved = order[last];
		order[last] = order[other];
		order[other] = moved;
	}
	for (size_t b = 0; b < n_blocks; b++)
		for (size_t t = cuts[order[b]]; t < cuts[order[b] + 1]; t++)
			source[place++] = t % n;
	free(is_cut);
	free(cuts);
	free(order);
}

/* A shift for each window, or the windows in another order. */
static void sources_of_windows(const drawer *who, size_t *source)
{
	const clpac_problem *p = who->problem;
	size_t number = 0, place = 0;
	if (p->null == CLPAC_NULL_SHIFTS) {
		for (size_t w = 0; w < p->n_windows; w++) {
			const size_t n = p->windows[w].n_samples;
			const size_t shift = p->min_shift + below(who, &number, n - 2 * p->min_shift + 1);
			for (size_t t = 0; t < n; t++)
				source[place + t] = place + (t + shift) % n;
			place += n;
		}
		return;
	}
	const size_t n = p->windows[0].n_samples;
	size_t *order = calloc(p->n_windows, sizeof *order);
	for (size_t w = 0; w < p->n_windows; w++)
		order[w] = w;
	for (size_t last = p->n_windows - 1; last > 0; last--) {
		const size_t other = below(who, &number, last + 1), moved = order[last];
		order[last] = order[other];
		order[other] = moved;
	}
	for (size_t w = 0; w < p->n_windows; w++)
		for (size_t t = 0; t < n; t++)
			source[place++] = order[w] * n + t;
	free(order);
}

/* The shift of the whole row. */
static size_t shift_of(const drawer *who, size_t n)
{
	const clpac_problem *p = who->problem;
	size_t number = 0;
	if (p->shifts)
		return p->shifts[who->k];
	if (p->null == CLPAC_NULL_ALL_SHIFTS)
		return (p->min_shift + p->shift_step - 1) / p->shift_step * p->shift_step + who->k * p->shift_step;
	return p->min_shift + below(who, &number, n - 2 * p->min_shift + 1);
}

/* How many segments of the channel come before this one: by number, or by what they drew. */
static size_t rank_of(const null_truth *truth, size_t channel, size_t segment, size_t k, bool by_number)
{
	const size_t n = truth->problem->n_segments;
	size_t rank = 0;
	const clpac_problem *p = truth->problem;
	drawer one = drawer_of(p, channel * n + segment, k);
	one.segment = (uint32_t)(p->segment_numbers ? p->segment_numbers[segment] : segment);
	for (size_t i = 0; i < n; i++) {
		drawer other = drawer_of(p, channel * n + i, k);
		other.segment = (uint32_t)(p->segment_numbers ? p->segment_numbers[i] : i);
		const uint64_t mine = (uint64_t)word_of(&one, 0) << 32 | word_of(&one, 1);
		const uint64_t its = (uint64_t)word_of(&other, 0) << 32 | word_of(&other, 1);
		rank += by_number ? other.segment < one.segment : its < mine;
	}
	return rank;
}

/* The segment whose amplitude a segment takes: permutations of all, without those that cannot be used. */
static size_t partner_of(const null_truth *truth, size_t series, size_t k)
{
	const size_t n = truth->problem->n_segments, channel = series / n;
	size_t segment = series % n;
	do {
		const size_t rank = rank_of(truth, channel, segment, k, true);
		for (size_t i = 0; i < n; i++)
			if (rank_of(truth, channel, i, k, false) == rank) {
				segment = i;
				break;
			}
	} while (!truth->signals[channel * n + segment]);
	return channel * n + segment;
}

static double *randomised(const null_truth *truth, size_t series, size_t k)
{
	const clpac_problem *p = truth->problem;
	const size_t n = p->n_samples;
	const drawer who = drawer_of(p, series, k);
	oracle_real *prepared = calloc(n, sizeof *prepared);
	oracle_complex *z = calloc(n, sizeof *z), *turned = calloc(n, sizeof *turned);
	double *made = calloc(n, sizeof *made);
	const oracle_real power = oracle_prepared(truth->x + series * n, n, prepared);
	for (size_t t = 0; t < n; t++)
		z[t] = prepared[t];
	oracle_dft(z, n, -1, turned);
	for (size_t f = 1; 2 * f < n; f++) {
		const oracle_real angle = 2 * pi * word_of(&who, f - 1) / 4294967296.0L;
		turned[f] *= cosl(angle) + I * sinl(angle);
		turned[n - f] = conjl(turned[f]);
	}
	oracle_dft(turned, n, 1, z);
	for (size_t t = 0; t < n; t++)
		made[t] = (double)((oracle_real)(float)(creall(z[t]) / (oracle_real)n) / power);
	free(prepared);
	free(z);
	free(turned);
	return made;
}

/* --- Truth --- */

null_truth *null_truth_make(const clpac_problem *problem, const double *x)
{
	null_truth *truth = calloc(1, sizeof *truth);
	truth->problem = problem;
	truth->x = x;
	truth->n_series = problem->n_channels * problem->n_segments;
	truth->signals = calloc(truth->n_series, sizeof(oracle_signals *));
	for (size_t i = 0; i < truth->n_series; i++)
		if (oracle_is_usable(problem, x + i * problem->n_samples))
			truth->signals[i] = oracle_pieces(problem, x + i * problem->n_samples);
	return truth;
}

void null_truth_free(null_truth *truth)
{
	for (size_t i = 0; i < truth->n_series; i++)
		if (truth->signals[i])
			oracle_signals_free(truth->signals[i]);
	free(truth->signals);
	free(truth);
}

oracle_signals *null_truth_signals(const null_truth *truth, size_t series)
{
	return truth->signals[series];
}

null_draw null_truth_draw(const null_truth *truth, size_t series, size_t k)
{
	const clpac_problem *p = truth->problem;
	const size_t n = truth->signals[series]->kept;
	null_draw draw = {.other = truth->signals[series],
			  .x = truth->x + series * p->n_samples,
			  .source = calloc(n, sizeof *draw.source)};
	for (size_t t = 0; t < n; t++)
		draw.source[t] = t;
	const drawer who = drawer_of(p, series, k);
	const bool are_apart = p->windows && p->n_windows > 1 && !p->joined_windows;
	if (are_apart && (p->null == CLPAC_NULL_SHIFTS || p->null == CLPAC_NULL_TRIALS)) {
		sources_of_windows(&who, draw.source);
	} else if (p->null <= CLPAC_NULL_ALL_SHIFTS) {
		const size_t shift = shift_of(&who, n);
		for (size_t t = 0; t < n; t++)
			draw.source[t] = (t + shift) % n;
	} else if (p->null == CLPAC_NULL_BLOCKS) {
		sources_of_blocks(&who, n, p->n_blocks, draw.source);
	} else if (p->null == CLPAC_NULL_TRIALS) {
		const size_t partner = partner_of(truth, series, k);
		draw.other = truth->signals[partner];
		draw.x = truth->x + partner * p->n_samples;
	} else {
		draw.x = draw.made_x = randomised(truth, series, k);
		draw.other = draw.made = oracle_pieces(p, draw.made_x);
	}
	return draw;
}

void null_draw_free(null_draw *draw)
{
	if (draw->made)
		oracle_signals_free(draw->made);
	free(draw->made_x);
	free(draw->source);
}

void null_truth_surrogate(const null_truth *truth, size_t series, size_t k, oracle_real *cells)
{
	const oracle_signals *own = truth->signals[series];
	const size_t n = own->kept;
	null_draw draw = null_truth_draw(truth, series, k);
	oracle_real *amplitude = calloc(n, sizeof *amplitude);
	for (size_t am = 0; am < own->n_amplitude; am++) {
		for (size_t t = 0; t < n; t++)
			amplitude[t] = draw.other->amplitude[am * n + draw.source[t]];
		for (size_t ph = 0; ph < own->n_phase; ph++)
			cells[ph * own->n_amplitude + am] =
				oracle_modulation_index(own->bins + ph * n, amplitude, n, 0, own->n_bins, own->average);
	}
	null_draw_free(&draw);
	free(amplitude);
}
