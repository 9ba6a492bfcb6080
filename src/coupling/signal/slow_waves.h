/* The slow waves of a series: their frequencies and phases. */
#ifndef CLPAC_COUPLING_SIGNAL_SLOW_WAVES_H
#define CLPAC_COUPLING_SIGNAL_SLOW_WAVES_H

#include <clpac/bands.h>

#include "base/error.h"
#include "coupling/signal/window_power.h"

/* Where the frequencies at which a phase band may find a wave are looked for. */
typedef struct clpac__band_search {
	clpac__windows windows; /* its own; none where it shares those of all */
	size_t first, n;	/* bins; none where the series is too short */
	double bin_hz, *gains;	/* of power, n; owned */
} clpac__band_search;

/* A search for the frequency at which a filtered series is strongest, and from there the next summit of its spectrum:
 * that of a wave beside the band, where the filter lets through the wave's foot.  It serves any number of series of one
 * length, whose means of some samples it reads, in windows of 2 s or four cycles, 32 at most. */
typedef struct clpac__wave_search {
	double *slow; /* owned: n_samples means */
	size_t n_samples, step;
	double rate_hz;
	clpac__windows shared;	      /* of bands of 2 Hz and more */
	size_t n_shared;	      /* bins of those, from the first above 0 on */
	double *power, *shared_power; /* owned: of a band of its own, and of `shared` */
	clpac__band_search *bands;
	size_t n_bands;
} clpac__wave_search;

/* @param highest_hz of all phase bands; n_bands are added at most.  To be cleared.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__wave_search_make(size_t n_samples, double rate_hz, double highest_hz, size_t n_bands,
				     clpac__wave_search *out, clpac_error *err);
void clpac__wave_search_clear(clpac__wave_search *search);

/* Adds a phase band, whose number is that of those before it.  Filtering forward and backward takes |H|^2 of
 * amplitudes.
 * @param taps n_taps of its filter, for series at filter_rate_hz.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__wave_search_add(clpac__wave_search *search, clpac_band phase, const double *taps, size_t n_taps,
				    double filter_rate_hz, clpac_error *err);

/* Takes the means of a series.  Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__wave_search_take(clpac__wave_search *search, const double *x, clpac_error *err);

/* @param[out] frequency_hz of the wave that a phase band of the series has; 0 where the series is too short.
 * Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__wave_search_find(const clpac__wave_search *search, size_t number, double *frequency_hz,
				     clpac_error *err);

/* The phase of a series in a band, in turns that go on from cycle to cycle, at 6 values a cycle. */
typedef struct clpac__wave_turns {
	double *means, *turns; /* owned: n means of `step` samples, and the turns at their middles, */
	double *sizes;	       /* and how far the band swings there */
	size_t n, step;	       /* n is 0 where the band does not fit the series */
} clpac__wave_turns;

/* To be cleared.  Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED.  Cost: some ten multiplications a sample. */
clpac_status clpac__wave_turns_make(const double *x, size_t n_samples, double rate_hz, clpac_band band, double cycles,
				    clpac__wave_turns *out, clpac_error *err);
void clpac__wave_turns_clear(clpac__wave_turns *turns);

/* The value before a sample of the series, and how far behind it the sample lies, in their distance; there are values.
 */
static inline size_t clpac__wave_value_before(const clpac__wave_turns *turns, double sample, double *behind)
{
	const double last = (double)(turns->n - 1);
	double place = (sample - 0.5 * ((double)turns->step - 1)) / (double)turns->step;
	place = place > 0 ? place : 0;
	const size_t i = place < last ? (size_t)place : turns->n - 2;
	*behind = place < last ? place - (double)i : 1;
	return i;
}

/* The turn at any sample of the series, between its values; 0 where there are none. */
static inline double clpac__wave_turn_at(const clpac__wave_turns *turns, double sample)
{
	double behind;
	if (!turns->n)
		return 0;
	const size_t i = clpac__wave_value_before(turns, sample, &behind);
	return turns->turns[i] + behind * (turns->turns[i + 1] - turns->turns[i]);
}

/* The part of a turn that goes on from whole ones, 0 to below 1. */
static inline double clpac__part_of_turn(double turn)
{
	const double part = turn - (double)(long long)turn;
	return part < 0 ? part + 1 : part;
}

/* Filters a series with an analytic filter (clpac__filter_make_analytic), as if zeros lay around it, at every step-th
 * sample.
 * @param half taps on each side of the middle one.
 * @param odd NULL: the filter is real.
 * @param[out] to n_samples / step values, rounded up; with odd (2, n): the real ones, behind them the imaginary ones.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__filter_series(const double *x, size_t n_samples, const double *even, const double *odd, size_t half,
				  size_t step, double *to, clpac_error *err);

#endif
