/* Checks whether a problem can be computed.  Each error names the member, its value and the remedy. */
#include "coupling/problem/problem.h"

#include <math.h>
#include "base/memory.h"
#include "coupling/signal/bands.h"
#include "coupling/signal/filter.h"

/* Refuses the member with which the text begins. */
#define REFUSE(member, ...)                                                                                            \
	return clpac__of_member(err, clpac__fail(err, CLPAC_ERROR_ARGUMENT, member __VA_ARGS__), member)

/* The members that phase and amplitude bands share. */
struct bank {
	clpac_band_use use;
	const clpac_band *bands;
	size_t n;
	double cycles;
	clpac_taps taps;
};

static void banks_of(const clpac_problem *p, struct bank banks[2])
{
	banks[0] = (struct bank){CLPAC_PHASE, p->phase_bands, p->n_phase_bands, p->phase_cycles, p->phase_taps};
	banks[1] = (struct bank){CLPAC_AMPLITUDE, p->amplitude_bands, p->n_amplitude_bands, p->amplitude_cycles,
				 p->amplitude_taps};
}

static clpac_status check_sampling(const clpac_problem *p, clpac_error *err)
{
	if (p->rate_hz == 0)
		REFUSE("rate_hz", " is 0: the sampling rate in Hz must be given");
	if (!isfinite(p->rate_hz) || p->rate_hz < 0)
		REFUSE("rate_hz", " is %g: the sampling rate must be a number of Hz above 0", p->rate_hz);
	if (!p->n_samples)
		REFUSE("n_samples", " is 0: the number of samples of a segment must be given");
	if (p->n_samples > CLPAC__MAX_SAMPLES)
		REFUSE("n_samples",
		       " is %zu: a segment has at most %d samples (a negative number shows up "
		       "like this); cut the recording into segments",
		       p->n_samples, CLPAC__MAX_SAMPLES);
	return CLPAC_OK;
}

/* Words for draws that each series, or channel, has of its own. */
static const struct {
	const char *each, *one;
} own_draws[CLPAC_NULL_COUNT] = {
	[CLPAC_NULL_SHIFTS] = {"series has shifts", "shift"},
	[CLPAC_NULL_TRIALS] = {"channel has permutations", "permutation"},
	[CLPAC_NULL_BLOCKS] = {"series has blocks", "arrangement"},
	[CLPAC_NULL_PHASES] = {"series has random phases", "draw"},
};

static clpac_status check_choices(const clpac_problem *p, clpac_error *err)
{
	if (p->n_bins < CLPAC_MIN_BINS || p->n_bins > CLPAC_MAX_BINS)
		REFUSE("n_bins", " is %u: give %d to %d phase bins", p->n_bins, CLPAC_MIN_BINS, CLPAC_MAX_BINS);
	if ((unsigned)p->average > CLPAC_AVERAGE_SUM)
		REFUSE("average", " is %d: it is CLPAC_AVERAGE_MEAN or CLPAC_AVERAGE_SUM", (int)p->average);
	if ((unsigned)p->hilbert > CLPAC_HILBERT_TRIMMED)
		REFUSE("hilbert", " is %d: it is CLPAC_HILBERT_LOCAL or CLPAC_HILBERT_TRIMMED", (int)p->hilbert);
	if ((unsigned)p->null >= CLPAC_NULL_COUNT)
		REFUSE("null", " is %d: it is one of clpac_null, CLPAC_NULL_SHIFTS to CLPAC_NULL_PHASES", (int)p->null);
	for (size_t i = 0; i < p->n_measures; i++) {
		if ((unsigned)p->measures[i] >= CLPAC_MEASURE_COUNT)
			REFUSE("measures", "[%zu] is %d: it must be one of clpac_measure", i, (int)p->measures[i]);
		for (size_t k = 0; k < i; k++)
			if (p->measures[k] == p->measures[i])
				REFUSE("measures", "[%zu] and measures[%zu] are both %s: give each measure once", k, i,
				       clpac_measure_text(p->measures[i]));
	}
	if (clpac__problem_has_locking(p) && p->hilbert == CLPAC_HILBERT_TRIMMED)
		REFUSE("measures", " and hilbert: plv filters amplitudes with CLPAC_HILBERT_LOCAL; take that, "
				   "or leave plv "
				   "out");
	if (p->ddof > 1)
		REFUSE("ddof", " is %u: the surrogates' deviation divides by their number (0) or by one less (1)",
		       p->ddof);
	if ((unsigned)p->family > CLPAC_FAMILY_RUN)
		REFUSE("family", " is %d: it is CLPAC_FAMILY_MAP or CLPAC_FAMILY_RUN", (int)p->family);
	if (p->family == CLPAC_FAMILY_RUN && p->n_surrogates && !p->share_shifts && !p->shifts &&
	    p->null != CLPAC_NULL_ALL_SHIFTS)
		REFUSE("family",
		       " is the run, and each %s of its own: a maximum over all channels and "
		       "segments is that of one %s of them all; set share_shifts",
		       own_draws[p->null].each, own_draws[p->null].one);
	if (!(p->cluster_alpha >= 0 && p->cluster_alpha <= 0.25))
		REFUSE("cluster_alpha",
		       " is %g: the share of a cell's indices that enter clusters is above 0 and at "
		       "most 0.25, or 0 for no clusters",
		       p->cluster_alpha);
	if (p->n_surrogates > UINT32_MAX)
		REFUSE("n_surrogates", " is %zu: at most %u (a negative number shows up like this)", p->n_surrogates,
		       UINT32_MAX);
	return CLPAC_OK;
}

/* The size in bytes of the samples and of every result array must fit in a ptrdiff_t. */
static clpac_status check_counts(const clpac_problem *p, clpac_error *err)
{
	size_t series, samples, cells, values, bytes, per_cell = 1;
	if (p->keep_surrogates && p->n_surrogates > per_cell)
		per_cell = p->n_surrogates;
	if (p->keep_distributions && p->n_bins > per_cell)
		per_cell = p->n_bins;
	if (!clpac__size_mul(p->n_channels, p->n_segments, &series) ||
	    !clpac__size_mul(series, p->n_samples, &samples) || !clpac__size_mul(samples, sizeof(double), &bytes) ||
	    bytes > PTRDIFF_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "n_channels %zu x n_segments %zu x n_samples %zu: "
				   "more samples than this machine can address (a negative number shows up like this)",
				   p->n_channels, p->n_segments, p->n_samples);
	if (!clpac__size_mul(clpac__problem_rows(p), p->n_segments, &series) ||
	    !clpac__size_mul(series, p->n_phase_bands, &cells) ||
	    !clpac__size_mul(cells, p->n_amplitude_bands, &cells) || !clpac__size_mul(cells, per_cell, &values) ||
	    !clpac__size_mul(values, sizeof(float), &bytes) || bytes > PTRDIFF_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%zu %s x %zu segments x %zu phase bands x %zu amplitude bands, "
				   "%zu values each: more than this machine can address; "
				   "keep fewer surrogates or cut the job",
				   clpac__problem_rows(p), p->pairs ? "pairs" : "channels", p->n_segments,
				   p->n_phase_bands, p->n_amplitude_bands, per_cell);
	return CLPAC_OK;
}

/* The numbers by which random shifts are drawn must fit the generator's 32 bits. */
static clpac_status check_numbers(const size_t *numbers, size_t n, const char *name, clpac_error *err)
{
	for (size_t i = 0; numbers && i < n; i++)
		if (numbers[i] > UINT32_MAX)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					   "%s_numbers[%zu] is %zu: at most %u (a negative number shows up like this)",
					   name, i, numbers[i], UINT32_MAX);
	return CLPAC_OK;
}

static clpac_status check_own_taps(const clpac_problem *p, const struct bank *bank, clpac_error *err)
{
	const char *name = clpac_band_use_text(bank->use);
	const size_t shortest = clpac__problem_shortest(p);
	if (bank->taps.n_taps > shortest)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%s_taps has %zu taps per band and %s %zu: "
				   "the series is extended by a filter's length, which must not exceed its own",
				   name, bank->taps.n_taps,
				   p->stretches ? "the samples of the shortest stretch are" : "n_samples is", shortest);
	for (size_t b = 0; b < bank->n; b++) {
		bool any = false;
		for (size_t k = 0; k < bank->taps.n_taps; k++) {
			double tap = bank->taps.taps[b * bank->taps.n_taps + k];
			if (!isfinite(tap))
				return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
						   "%s_taps: tap %zu of band %zu is %g, it must be a number", name, k,
						   b, tap);
			any = any || tap != 0;
		}
		if (!any)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					   "%s_taps: the %zu taps of band %zu are all 0: such a filter passes nothing",
					   name, bank->taps.n_taps, b);
	}
	return CLPAC_OK;
}

/* Checks the filters of tied cells, in place of those of the amplitude bands. */
static clpac_status check_cells(const clpac_problem *p, clpac_error *err)
{
	size_t n_fitting = 0;
	clpac_band band = {0};
	if (p->amplitude_taps.taps)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "amplitude_taps and tied_amplitudes: tied cells have filters of "
						   "their own; leave one of them out");
	for (size_t ph = 0; ph < p->n_phase_bands; ph++)
		for (size_t am = 0; am < p->n_amplitude_bands; am++) {
			if (!clpac__problem_cell_band(p, ph, am, &band))
				continue;
			const size_t order = clpac__problem_cell_order(p, ph, am, &band);
			n_fitting++;
			if (order < CLPAC__MIN_ORDER)
				RETURN_ERROR(
					CLPAC_ERROR_ARGUMENT,
					"amplitude band %zu, for phase band %zu %g-%g Hz: its filter would have order "
					"%zu (%g cycles at %g Hz, %zu samples), it must be at least %d; give more "
					"cycles "
					"or a longer series",
					am, ph, band.lo_hz, band.hi_hz, order, p->amplitude_cycles, p->rate_hz,
					clpac__problem_shortest(p), CLPAC__MIN_ORDER);
		}
	if (!n_fitting)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"tied_amplitudes: no cell has a value: no amplitude band, its centre plus and minus that of a "
			"phase band, lies above 0 Hz and below %g Hz, half the sampling rate",
			p->rate_hz / 2);
	return CLPAC_OK;
}

static clpac_status check_bank(const clpac_problem *p, const struct bank *bank, clpac_error *err)
{
	const char *name = clpac_band_use_text(bank->use);
	if (!isfinite(bank->cycles) || bank->cycles < 0)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%s_cycles is %g: the filter's length in cycles must be a number above 0 (0 is the default)",
			name, bank->cycles);
	for (size_t b = 0; b < bank->n; b++)
		RETURN_IF_ERROR(clpac__band_check(bank->bands[b], bank->use, b, p->rate_hz, err));
	if (bank->use == CLPAC_AMPLITUDE && p->tied_amplitudes) {
		return check_cells(p, err);
	}
	if (bank->taps.taps) {
		return check_own_taps(p, bank, err);
	}
	for (size_t b = 0; b < bank->n; b++) {
		const size_t n_samples = clpac__problem_shortest(p);
		size_t order = clpac__filter_order(p->rate_hz, bank->bands[b].lo_hz, bank->cycles, n_samples, NULL);
		if (order < CLPAC__MIN_ORDER)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "%s band %zu, %g-%g Hz: its filter would have order %zu (%g cycles at %g Hz, "
				     "%zu samples), it must be at least %d; give more cycles or a longer series",
				     name, b, bank->bands[b].lo_hz, bank->bands[b].hi_hz, order, bank->cycles,
				     p->rate_hz, n_samples, CLPAC__MIN_ORDER);
	}
	return CLPAC_OK;
}

static size_t longest_phase_filter(const clpac_problem *p)
{
	clpac_problem phases = *p;
	phases.n_amplitude_bands = 0;
	return clpac__problem_longest_filter(&phases);
}

/* Checks the kept samples, those left between the edges: every stage after the filters works on them alone. */
static clpac_status check_kept(const clpac_problem *p, clpac_error *err)
{
	const size_t edge = (size_t)p->edge_samples, kept = clpac__problem_kept(p);
	if (!kept)
		REFUSE("edge_samples",
		       " is %zu at both ends of %zu samples: nothing is left; "
		       "give a smaller edge or longer segments",
		       edge, p->n_samples);
	if (kept < p->n_bins)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%zu of %zu samples are used, without edges of %zu, fewer than the %u phase bins: "
				   "give longer segments or fewer bins",
				   kept, p->n_samples, edge, p->n_bins);
	for (size_t b = 0; b < p->n_phase_bands; b++) {
		double period = p->rate_hz / p->phase_bands[b].lo_hz;
		if ((double)kept < period)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					   "%zu of %zu samples are used, without edges of %zu, less than one period of "
					   "phase band %zu, %g-%g Hz, whose lower edge has %.1f: "
					   "give longer segments or a higher band",
					   kept, p->n_samples, edge, b, p->phase_bands[b].lo_hz,
					   p->phase_bands[b].hi_hz, period);
	}
	if (clpac__problem_has_locking(p) && kept < longest_phase_filter(p))
		return clpac__fail(
			err, CLPAC_ERROR_ARGUMENT,
			"measures: plv filters the %zu samples that are left of each segment once more, and the "
			"longest phase filter has %zu taps: give longer segments or smaller edges",
			kept, longest_phase_filter(p));
	for (size_t k = 0; p->shifts && k < p->n_surrogates; k++)
		if (p->shifts[k] >= kept)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					   "shifts: number %zu of the list is %zu samples, and the series has %zu "
					   "after its edges: "
					   "give 0 to %zu (a negative number shows up like this)",
					   k + 1, p->shifts[k], kept, kept - 1);
	if (!p->shifts && p->n_surrogates && p->null == CLPAC_NULL_SHIFTS && p->min_shift > kept / 2) {
		REFUSE("min_shift",
		       " is %zu samples and the series has %zu after its edges: "
		       "no shift lies in [min_shift, %zu - min_shift]; give at most %zu",
		       p->min_shift, kept, kept, kept / 2);
	}
	return CLPAC_OK;
}

/* Checks what the nulls without shifts need, and that nothing was asked of shifts. */
static clpac_status check_null(const clpac_problem *p, clpac_error *err)
{
	static const char *const names[CLPAC_NULL_COUNT] = {[CLPAC_NULL_TRIALS] = "CLPAC_NULL_TRIALS",
							    [CLPAC_NULL_BLOCKS] = "CLPAC_NULL_BLOCKS",
							    [CLPAC_NULL_PHASES] = "CLPAC_NULL_PHASES"};
	const char *name = names[p->null];
	const size_t kept = clpac__problem_kept(p);
	if (!name)
		return CLPAC_OK;
	if (p->shifts)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "shifts are given and null is %s: leave one of them out", name);
	if (p->min_shift > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "min_shift is %zu and null is %s, which shifts nothing: leave one of them out",
			     p->min_shift, name);
	if (p->null == CLPAC_NULL_TRIALS && p->n_surrogates && p->n_segments < 2 && !clpac__problem_permutes_windows(p))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "null is CLPAC_NULL_TRIALS and a channel has %zu segment: permutations need two segments "
			     "or more "
			     "of one length; cut the recording into segments, or take another null",
			     p->n_segments);
	if (p->null == CLPAC_NULL_BLOCKS && (p->n_blocks > CLPAC_MAX_BLOCKS || p->n_blocks > kept))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_blocks is %zu: give 1 to %zu blocks", p->n_blocks,
			     kept < CLPAC_MAX_BLOCKS ? kept : (size_t)CLPAC_MAX_BLOCKS);
	return CLPAC_OK;
}

/* Counts all shifts, where those are wanted. */
static clpac_status count_all_shifts(clpac_problem *p, clpac_error *err)
{
	if (p->null != CLPAC_NULL_ALL_SHIFTS)
		return CLPAC_OK;
	const size_t n = clpac__problem_all_shifts(p);
	const size_t kept = clpac__problem_kept(p);
	if (p->shifts)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "shifts are given and null is CLPAC_NULL_ALL_SHIFTS: leave one of them out");
	if (!n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "min_shift is %zu and shift_step %zu samples, and the series has %zu after its edges: no "
			     "multiple "
			     "of "
			     "the step lies in [min_shift, %zu - min_shift]; give smaller ones",
			     p->min_shift, p->shift_step, kept, kept);
	if (p->n_surrogates && p->n_surrogates != n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_surrogates is %zu and null is CLPAC_NULL_ALL_SHIFTS, of which there are %zu: give that "
			     "number, "
			     "or "
			     "0",
			     p->n_surrogates, n);
	p->n_surrogates = n;
	return CLPAC_OK;
}

clpac_status clpac__problem_check(clpac_problem *p, clpac_error *err)
{
	struct bank banks[2];
	banks_of(p, banks);
	RETURN_IF_ERROR(check_sampling(p, err));
	RETURN_IF_ERROR(check_choices(p, err));
	RETURN_IF_ERROR(check_counts(p, err));
	RETURN_IF_ERROR(check_numbers(p->channel_numbers, p->n_channels, "channel", err));
	RETURN_IF_ERROR(check_numbers(p->segment_numbers, p->n_segments, "segment", err));
	RETURN_IF_ERROR(clpac__problem_check_stretches(p, err));
	for (int i = 0; i < 2; i++)
		RETURN_IF_ERROR(check_bank(p, &banks[i], err));
	if (p->edge_samples == CLPAC_EDGE_AUTO)
		p->edge_samples = (ptrdiff_t)clpac__filter_edge(clpac__problem_longest_filter(p));
	if (p->edge_samples < 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "edge_samples is %td: give a number of samples from 0 on, or CLPAC_EDGE_AUTO",
			     p->edge_samples);
	RETURN_IF_ERROR(clpac__problem_check_windows(p, err));
	RETURN_IF_ERROR(check_kept(p, err));
	RETURN_IF_ERROR(check_null(p, err));
	RETURN_IF_ERROR(clpac__problem_check_pairs(p, err));
	RETURN_IF_ERROR(count_all_shifts(p, err));
	return check_counts(p, err);
}
