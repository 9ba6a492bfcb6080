/* The share of indices that remains without the shapes of slow waves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "coupling/cautions/caution_shapes.h"

/* A cell of which less remains is settled: no other wave is looked at. */
static const float settled = 0.5f;
/* An index is taken to be so many times its null's mean above that at least. */
static const double least_strength = 1;
/* Waves whose frequencies differ by less are one. */
static const double same_wave = 1.3;
/* Ways to take a shape off that left so much more than the best one of the band before are passed over, and all but
 * that one where it leaves nearly all: neighbouring bands have the same form.  A second look tries all. */
static const double worse_by = 0.3, nearly_all = 0.97;
/* A first look tells enough where more than this remains in all cells of a band, or less than a half. */
static const float untouched = 0.9f;
/* So few bands need no first look. */
static const size_t few_bands = 2;
/* Samples a second for each hertz of an amplitude band's width. */
static const double samples_per_width = 3;

static bool wants_phase(const clpac__caution_search *s, const clpac__caution_shapes *of, size_t ph)
{
	const size_t n = s->problem->n_amplitude_bands;
	return memchr(of->wanted + ph * n, 1, n);
}

/* Joins waves that differ by less than that to their median: one wave is seen by several phase bands. */
static void join_waves(clpac__caution_shapes *of)
{
	size_t n = 0;
	qsort(of->waves, of->n_waves, sizeof *of->waves, clpac__compare_doubles);
	for (size_t first = 0, end; first < of->n_waves; first = end) {
		for (end = first + 1; end < of->n_waves && of->waves[end] < same_wave * of->waves[first]; end++)
			;
		of->waves[n++] = of->waves[(first + end) / 2];
	}
	of->n_waves = n;
}

static clpac_status find_waves(clpac__caution_search *s, clpac__caution_shapes *of, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__wave_search_take(&s->waves, s->coarse, err));
	for (size_t ph = 0; ph < s->problem->n_phase_bands; ph++) {
		if (!wants_phase(s, of, ph))
			continue;
		RETURN_IF_ERROR(clpac__wave_search_find(&s->waves, ph, &of->of_bands[ph], err));
		if (of->of_bands[ph] > 0)
			of->waves[of->n_waves++] = of->of_bands[ph];
	}
	join_waves(of);
	return CLPAC_OK;
}

static clpac_status find_harmonics(clpac__caution_shapes *of, clpac_error *err)
{
	if (of->harmonics)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(of->harmonics, of->n_waves));
	for (size_t wave = 0; wave < of->n_waves; wave++)
		RETURN_IF_ERROR(clpac__wave_shape_harmonics(of->shape, wave, &of->harmonics[wave], err));
	return CLPAC_OK;
}

clpac_status clpac__caution_find_turns(const clpac__caution_search *s, clpac__caution_shapes *of, size_t ph,
				       clpac_error *err)
{
	if (of->turns[ph].n)
		return CLPAC_OK;
	return clpac__wave_turns_make(of->x, of->n, s->rate_hz, s->problem->phase_bands[ph], s->problem->phase_cycles,
				      &of->turns[ph], err);
}

static void note_lock(clpac__caution_lock *clearest, clpac_band band, clpac__lock found)
{
	if (found.is_clear && found.times > clearest->times)
		*clearest = (clpac__caution_lock){band, found.times};
}

static clpac_status find_phase_locks(const clpac__caution_search *s, clpac__caution_shapes *of, clpac_error *err)
{
	for (size_t ph = 0; ph < s->problem->n_phase_bands && s->events.n; ph++) {
		const clpac_band band = s->problem->phase_bands[ph];
		clpac__lock found;
		if (!wants_phase(s, of, ph))
			continue;
		RETURN_IF_ERROR(clpac__caution_find_turns(s, of, ph, err));
		RETURN_IF_ERROR(clpac__lock_of_phase(&of->turns[ph], &s->events, band, &found, err));
		note_lock(&of->phase, band, found);
	}
	return CLPAC_OK;
}

/* Makes the bins of a phase band at every step-th sample, unless they are there. */
static clpac_status prepare_bins(const clpac__caution_search *s, clpac__caution_shapes *of, size_t ph, size_t step,
				 clpac_error *err)
{
	clpac__caution_bins *bins = &of->bins[ph];
	const size_t n_bins = s->problem->n_bins;
	if (bins->step == step)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__caution_find_turns(s, of, ph, err));
	if (!bins->each)
		RETURN_IF_ERROR(NEW_BYTES(bins->each, of->n));
	memset(bins->counts, 0, sizeof bins->counts);
	for (size_t t = 0, i = 0; t < of->n; t += step, i++) {
		const double turn = clpac__wave_turn_at(&of->turns[ph], (double)t);
		const size_t bin = (size_t)(clpac__part_of_turn(turn) * (double)n_bins);
		bins->each[i] = (unsigned char)(bin < n_bins ? bin : n_bins - 1);
		bins->counts[bins->each[i]]++;
	}
	bins->step = step;
	return CLPAC_OK;
}

/* The modulation index of n amplitudes. */
static double index_of(const clpac__caution_search *s, const clpac__caution_bins *bins, const double *amplitudes,
		       size_t n)
{
	double sums[2][CLPAC_MAX_BINS] = {{0}}, all = 0, index = 1;
	const size_t n_bins = s->problem->n_bins;
	/* Neighbours often lie in one bin, and are added to two sums in turn. */
	for (size_t i = 0; i < n; i++)
		sums[i % 2][bins->each[i]] += amplitudes[i];
	for (size_t k = 0; k < n_bins; k++)
		all += sums[0][k] = (sums[0][k] + sums[1][k]) / fmax(1, bins->counts[k]);
	for (size_t k = 0; k < n_bins; k++)
		index += sums[0][k] > 0 ? sums[0][k] / all * log(sums[0][k] / all) / log((double)n_bins) : 0;
	return index;
}

/* Whether any cell of the phase bands is not settled. */
static bool is_open(const clpac__caution_search *s, const clpac__caution_shapes *of, size_t am, size_t first,
		    size_t end)
{
	for (size_t ph = first; ph < end; ph++)
		if (of->remaining[ph * s->problem->n_amplitude_bands + am] >= settled && of->whole[ph] > 0)
			return true;
	return false;
}

/* The share of a cell's excess over its null's mean that is left with a share of its index: the mean is in both. */
static double share_of_excess(const clpac__caution_search *s, const clpac__caution_shapes *of, size_t cell,
			      double share)
{
	const double strength = (double)of->strengths[cell];
	if (!(strength > 0))
		return share;
	const double here = fmax(strength * (double)of->n / (double)s->n_coarse, least_strength);
	return fmax((share * (1 + here) - 1) / here, 0);
}

/* Takes the shape of a wave off a band, and writes what remains of its open cells. */
static clpac_status take_off(clpac__caution_search *s, clpac__caution_shapes *of, const clpac__band_signal *signal,
			     size_t am, size_t first, size_t end, clpac__caution_way how, clpac_error *err)
{
	bool is_locked;
	double sum = 0;
	size_t n = 0;
	RETURN_IF_ERROR(
		clpac__wave_shape_take_off(of->shape, how.wave, how.way, signal, of->amplitudes, &is_locked, err));
	for (size_t ph = first; ph < end && is_locked; ph++) {
		const size_t cell = ph * s->problem->n_amplitude_bands + am;
		if (!(of->remaining[cell] >= settled) || !(of->whole[ph] > 0))
			continue;
		const double left = share_of_excess(
			s, of, cell, index_of(s, &of->bins[ph], of->amplitudes, signal->n) / of->whole[ph]);
		of->remaining[cell] = fminf(of->remaining[cell], (float)left);
		sum += left;
		n++;
	}
	of->left[how.way][how.wave] = n ? sum / (double)n : 1;
	if (of->left[how.way][how.wave] < of->least) {
		of->least = of->left[how.way][how.wave];
		of->best_here = how;
	}
	return CLPAC_OK;
}

/* Takes the shapes of waves off a band: first in the way that was best in the band before, then in those that left
 * hardly more there. */
static clpac_status take_off_all(clpac__caution_search *s, clpac__caution_shapes *of, const clpac__band_signal *signal,
				 size_t am, size_t first, size_t end, clpac_error *err)
{
	const clpac__caution_way best = of->best;
	const double before = of->n_waves ? of->left[best.way][best.wave] : 1;
	of->least = INFINITY;
	if (of->n_waves && is_open(s, of, am, first, end))
		RETURN_IF_ERROR(take_off(s, of, signal, am, first, end, best, err));
	if (!of->is_second && before > nearly_all && of->least > nearly_all)
		return CLPAC_OK;
	/* The cheapest ways come first, and then all that need the same guide. */
	for (size_t i = 0; i < of->n_waves * CLPAC__SHAPE_WAYS && is_open(s, of, am, first, end); i++) {
		const size_t behind = i - of->n_waves;
		const clpac__caution_way how =
			i < of->n_waves ? (clpac__caution_way){0, i}
					: (clpac__caution_way){(int)(1 + behind % (CLPAC__SHAPE_WAYS - 1)),
							       behind / (CLPAC__SHAPE_WAYS - 1)};
		const bool is_passed_over = !of->is_second && of->left[how.way][how.wave] > before + worse_by;
		if ((how.way != best.way || how.wave != best.wave) && !is_passed_over)
			RETURN_IF_ERROR(take_off(s, of, signal, am, first, end, how, err));
	}
	of->best = of->best_here;
	return CLPAC_OK;
}

/* Measures what remains in the wanted cells of one amplitude band, or of one that is tied to a phase band: first to
 * before end are those phase bands. */
static clpac_status measure_band(clpac__caution_search *s, clpac__caution_shapes *of, size_t am, size_t first,
				 size_t end, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const clpac_band band = clpac_result_cell_band(s->result, first, am);
	clpac__filter *filter = &s->filters[am].filter;
	bool is_any = false;
	double highest_hz = 0;
	for (size_t ph = first; ph < end; ph++)
		if (of->wanted[ph * p->n_amplitude_bands + am]) {
			is_any = true;
			highest_hz = fmax(highest_hz, p->phase_bands[ph].hi_hz);
		}
	if (!is_any || !(band.lo_hz > 0) || !(band.hi_hz < s->rate_hz / 2) ||
	    clpac__filter_order(s->rate_hz, band.lo_hz, p->amplitude_cycles, of->n, NULL) < CLPAC__MIN_ORDER)
		return CLPAC_OK;
	/* Enough samples for the amplitude, whose own spectrum is no wider than its band, and for the phase. */
	const double samples_hz = fmax(samples_per_width * (band.hi_hz - band.lo_hz), 4 * highest_hz);
	const size_t step = (size_t)fmax(1, s->rate_hz / samples_hz), n = (of->n + step - 1) / step;
	const clpac__band_signal signal = {
		.band = band, .step = step, .n = n, .re = of->z, .im = of->z + n, .power = of->power};
	if (s->filters[am].band.lo_hz != band.lo_hz || s->filters[am].band.hi_hz != band.hi_hz) {
		clpac__filter_clear(filter);
		s->filters[am].band = (clpac_band){0, 0};
		RETURN_IF_ERROR(clpac__filter_make_taps(s->rate_hz, band, p->amplitude_cycles, of->n, filter, err));
		RETURN_IF_ERROR(clpac__filter_make_analytic(filter, err));
		s->filters[am].band = band;
	}
	RETURN_IF_ERROR(
		clpac__filter_series(of->x, of->n, filter->even, filter->odd, filter->n_taps - 1, step, of->z, err));
	for (size_t i = 0; i < n; i++) {
		of->power[i] = signal.re[i] * signal.re[i] + signal.im[i] * signal.im[i];
		of->amplitudes[i] = sqrt(of->power[i]);
	}
	for (size_t ph = first; ph < end; ph++)
		if (of->wanted[ph * p->n_amplitude_bands + am]) {
			RETURN_IF_ERROR(prepare_bins(s, of, ph, step, err));
			of->whole[ph] = index_of(s, &of->bins[ph], of->amplitudes, n);
			of->remaining[ph * p->n_amplitude_bands + am] = 1;
		}
	if (s->events.n) {
		clpac__lock found;
		RETURN_IF_ERROR(clpac__lock_of_amplitude(of->amplitudes, step, &s->events, band, &found, err));
		note_lock(&of->amplitude, band, found);
	}
	return take_off_all(s, of, &signal, am, first, end, err);
}

/* Forgets what was made of some samples. */
static void forget(const clpac__caution_search *s, clpac__caution_shapes *of)
{
	for (size_t ph = 0; ph < s->problem->n_phase_bands; ph++) {
		if (of->turns)
			clpac__wave_turns_clear(&of->turns[ph]);
		if (of->bins)
			clpac__free(of->bins[ph].each);
	}
	FREE_ALL(of->turns, of->bins);
	clpac__wave_shape_destroy(of->shape);
	of->turns = NULL;
	of->bins = NULL;
	of->shape = NULL;
}

/* Measures the bands that need more than `least` samples and at most `most`, in as many as the first of them needs. */
static clpac_status measure_bands(clpac__caution_search *s, clpac__caution_shapes *of, size_t least, size_t most,
				  clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const bool is_tied = clpac_result_cell_bands(s->result);
	size_t longest = 0;
	for (size_t am = 0; am < p->n_amplitude_bands; am++)
		if (of->needs[am] > least && of->needs[am] <= most && of->needs[am] > longest)
			longest = of->needs[am];
	if (!longest)
		return CLPAC_OK;
	forget(s, of);
	clpac__caution_take_parts(s, of, longest);
	RETURN_IF_ERROR(NEW_ARRAY(of->turns, p->n_phase_bands));
	RETURN_IF_ERROR(NEW_ARRAY(of->bins, p->n_phase_bands));
	RETURN_IF_ERROR(find_phase_locks(s, of, err));
	RETURN_IF_ERROR(clpac__wave_shape_create(of->x, of->n, s->rate_hz, s->lowest_hz, of->waves, of->n_waves,
						 &of->shape, err));
	RETURN_IF_ERROR(find_harmonics(of, err));
	for (size_t am = 0; am < p->n_amplitude_bands; am++) {
		if (of->needs[am] <= least || of->needs[am] > most)
			continue;
		of->seen[am] = longest;
		if (!is_tied)
			RETURN_IF_ERROR(measure_band(s, of, am, 0, p->n_phase_bands, err));
		for (size_t ph = 0; is_tied && ph < p->n_phase_bands; ph++)
			RETURN_IF_ERROR(measure_band(s, of, am, ph, ph + 1, err));
	}
	return CLPAC_OK;
}

/* The least and the most that remains in an amplitude band. */
static void range_of(const clpac__caution_search *s, const clpac__caution_shapes *of, size_t am, float *least,
		     float *most)
{
	*least = *most = NAN;
	for (size_t ph = 0; ph < s->problem->n_phase_bands; ph++) {
		const float remaining = of->remaining[ph * s->problem->n_amplitude_bands + am];
		*least = fminf(*least, remaining);
		*most = fmaxf(*most, remaining);
	}
}

/* Measures bands in the samples that they need, those first for which few are enough: they tell which way is worth a
 * try in the others. */
static clpac_status measure_few_first(clpac__caution_search *s, clpac__caution_shapes *of, size_t few, clpac_error *err)
{
	RETURN_IF_ERROR(measure_bands(s, of, 0, few, err));
	return measure_bands(s, of, few, s->n_coarse, err);
}

/* Chooses the bands that are looked at again, in the samples that they need, after a first look.  A wave has fast parts
 * in many bands: where one has a marked cell, another may have been left alone for want of samples.  A channel that is
 * named needs no more. */
static void choose_again(const clpac__caution_search *s, clpac__caution_shapes *of)
{
	const size_t n_bands = s->problem->n_amplitude_bands;
	float least, most;
	bool is_any_marked = false;
	for (size_t am = 0; am < n_bands; am++) {
		range_of(s, of, am, &least, &most);
		is_any_marked |= least < CLPAC__CAUTION_MARKED;
	}
	for (size_t am = 0; am < n_bands; am++) {
		const size_t needs = clpac__caution_samples_for(s, of, am);
		range_of(s, of, am, &least, &most);
		const bool is_clear = !(most >= settled) || (least > untouched && !is_any_marked);
		of->needs[am] = is_clear || of->is_named || of->seen[am] >= needs ? 0 : needs;
	}
}

clpac_status clpac__caution_measure(clpac__caution_search *s, clpac__caution_shapes *of, clpac_error *err)
{
	const clpac_problem *p = s->problem;
	const size_t few = clpac__caution_few_samples(s);
	size_t n_wanted = 0;
	RETURN_IF_ERROR(find_waves(s, of, err));
	RETURN_IF_ERROR(NEW_BYTES(of->parts, s->n_coarse * sizeof *of->parts));
	RETURN_IF_ERROR(NEW_BYTES(of->z, 2 * s->n_coarse * sizeof *of->z));
	RETURN_IF_ERROR(NEW_BYTES(of->power, s->n_coarse * sizeof *of->power));
	RETURN_IF_ERROR(NEW_BYTES(of->amplitudes, s->n_coarse * sizeof *of->amplitudes));
	RETURN_IF_ERROR(NEW_ARRAY(of->whole, p->n_phase_bands));
	for (int way = 0; way < CLPAC__SHAPE_WAYS; way++)
		RETURN_IF_ERROR(NEW_ARRAY(of->left[way], of->n_waves));
	RETURN_IF_ERROR(NEW_ARRAY(of->needs, p->n_amplitude_bands));
	RETURN_IF_ERROR(NEW_ARRAY(of->seen, p->n_amplitude_bands));
	for (size_t am = 0; am < p->n_amplitude_bands; am++) {
		of->needs[am] = clpac__caution_samples_for(s, of, am);
		n_wanted += of->needs[am] > 0;
	}
	if (n_wanted <= few_bands)
		return measure_few_first(s, of, few, err);
	for (size_t am = 0; am < p->n_amplitude_bands; am++)
		of->needs[am] = clpac__caution_first_samples(s, of->needs[am]);
	RETURN_IF_ERROR(measure_few_first(s, of, clpac__caution_first_samples(s, few), err));
	choose_again(s, of);
	/* The remainders in few samples say little of those in all, and are forgotten. */
	of->best = (clpac__caution_way){0, 0};
	for (int way = 0; way < CLPAC__SHAPE_WAYS; way++)
		memset(of->left[way], 0, of->n_waves * sizeof *of->left[way]);
	return measure_few_first(s, of, few, err);
}

clpac_status clpac__caution_measure_divided(clpac__caution_search *s, clpac__caution_shapes *of, clpac_error *err)
{
	float least, most;
	of->is_second = true;
	for (size_t am = 0; am < s->problem->n_amplitude_bands; am++) {
		range_of(s, of, am, &least, &most);
		const bool is_divided = least < CLPAC__CAUTION_MARKED && most >= CLPAC__CAUTION_MARKED;
		of->needs[am] = of->seen[am] < s->n_coarse && is_divided ? s->n_coarse : 0;
	}
	return measure_bands(s, of, 0, s->n_coarse, err);
}
