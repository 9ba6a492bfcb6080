/* Whole multiples of a wave's phase in a band. */
#include "coupling/signal/wave_multiples.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

enum { PLACES = 512, MOST = PLACES / 4 };

static const double pi = 3.14159265358979323846;
/* A multiple counts where its power is so many times what chance gives it. */
static const double above_chance = 3;
/* A filter lets through what lies beyond its edges by this part of the lower one. */
static const double skirt = 0.3;

void clpac__wave_places_clear(clpac__wave_places *places)
{
	FREE_ALL(places->places, places->sizes, places->sums);
	*places = (clpac__wave_places){.step = 0};
}

/* Makes the places and sizes at every step-th sample, unless they are there. */
static clpac_status prepare(const clpac__wave_turns *turns, clpac__wave_places *places, size_t step, size_t n,
			    size_t n_samples, clpac_error *err)
{
	double mean = 0;
	if (places->step == step)
		return CLPAC_OK;
	if (!places->places) {
		RETURN_IF_ERROR(NEW_BYTES(places->places, n_samples * sizeof *places->places));
		RETURN_IF_ERROR(NEW_BYTES(places->sizes, n_samples * sizeof *places->sizes));
		RETURN_IF_ERROR(NEW_ARRAY(places->sums, (size_t)6 * PLACES));
		double *roots = places->sums + (size_t)4 * PLACES;
		for (size_t i = 0; i < PLACES; i++) {
			roots[i] = cos(2 * pi * ((double)i + 0.5) / PLACES);
			roots[PLACES + i] = sin(2 * pi * ((double)i + 0.5) / PLACES);
		}
	}
	for (size_t i = 0; i < turns->n; i++)
		mean += turns->sizes[i] / (double)turns->n;
	places->squares = 0;
	for (size_t i = 0; i < n; i++) {
		double behind;
		const size_t at = clpac__wave_value_before(turns, (double)(i * step), &behind);
		const double turn = turns->turns[at] + behind * (turns->turns[at + 1] - turns->turns[at]);
		const double size = turns->sizes[at] + behind * (turns->sizes[at + 1] - turns->sizes[at]);
		places->places[i] = (unsigned short)((size_t)(clpac__part_of_turn(turn) * PLACES) % PLACES);
		places->sizes[i] = size / mean;
		places->squares += places->sizes[i] * places->sizes[i];
	}
	places->step = step;
	return CLPAC_OK;
}

/* Writes what a band has at each place of the cycle: the sum of the multiples that are above chance.
 * @param roots (2, PLACES): cosines and sines of the places.  @param form (2, PLACES).  @param chance power of a
 * multiple. */
static bool find_form(const double *sums, const double *roots, size_t first, size_t last, double squares, double chance,
		      double *form)
{
	bool is_any = false;
	const double *re_of = roots, *im_of = roots + PLACES;
	memset(form, 0, 2 * PLACES * sizeof *form);
	for (size_t k = first; k <= last; k++) {
		double re = 0, im = 0;
		/* Half a place more at each multiple but whole ones of two: k places of (i + 1/2) each. */
		const double c = cos(pi * (double)(k - 1) / PLACES), s = sin(pi * (double)(k - 1) / PLACES);
		for (size_t i = 0; i < PLACES; i++) {
			const size_t at = k * i % PLACES;
			re += sums[i] * re_of[at] + sums[PLACES + i] * im_of[at];
			im += sums[PLACES + i] * re_of[at] - sums[i] * im_of[at];
		}
		const double of_re = (re * c + im * s) / squares, of_im = (im * c - re * s) / squares;
		const double power = of_re * of_re + of_im * of_im;
		if (!(power > above_chance * chance))
			continue;
		is_any = true;
		const double kept = 1 - above_chance * chance / power;
		for (size_t i = 0; i < PLACES; i++) {
			const size_t at = k * i % PLACES;
			const double turn_re = re_of[at] * c - im_of[at] * s, turn_im = im_of[at] * c + re_of[at] * s;
			form[i] += kept * (of_re * turn_re - of_im * turn_im);
			form[PLACES + i] += kept * (of_im * turn_re + of_re * turn_im);
		}
	}
	return is_any;
}

clpac_status clpac__wave_multiples_take_off(const clpac__wave_turns *turns, clpac__wave_places *places,
					    const clpac__band_signal *signal, size_t n_samples, double rate_hz,
					    double *amplitudes, bool *is_locked, clpac_error *err)
{
	const clpac_band band = signal->band;
	*is_locked = false;
	if (turns->n < 2)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac_cancel_check(err));
	RETURN_IF_ERROR(prepare(turns, places, signal->step, signal->n, n_samples, err));
	const double cycles = fabs(turns->turns[turns->n - 1] - turns->turns[0]);
	const double hz = cycles / (double)turns->n / (double)turns->step * rate_hz, beyond = skirt * band.lo_hz;
	const size_t first = (size_t)fmax(2, ceil((band.lo_hz - beyond) / hz));
	const size_t last = (size_t)fmin(MOST, (band.hi_hz + beyond) / hz);
	double *sums = places->sums, *form = sums + 2 * PLACES, power = 0;
	if (!(hz > 0) || first > last)
		return CLPAC_OK;
	memset(sums, 0, 2 * PLACES * sizeof *sums);
	for (size_t i = 0; i < signal->n; i++) {
		const size_t at = places->places[i];
		sums[at] += places->sizes[i] * signal->re[i];
		sums[PLACES + at] += places->sizes[i] * signal->im[i];
		power += signal->power[i];
	}
	/* The independent values of a band are as many as its width has in that time. */
	const double per_value = rate_hz / (double)signal->step / (band.hi_hz - band.lo_hz);
	const double chance = power / (double)signal->n * fmax(1, per_value) / places->squares;
	if (!find_form(sums, sums + 4 * PLACES, first, last, places->squares, chance, form))
		return CLPAC_OK;
	*is_locked = true;
	for (size_t i = 0; i < signal->n; i++) {
		const size_t at = places->places[i];
		const double re = signal->re[i] - places->sizes[i] * form[at];
		const double im = signal->im[i] - places->sizes[i] * form[PLACES + at];
		amplitudes[i] = sqrt(re * re + im * im);
	}
	return CLPAC_OK;
}
