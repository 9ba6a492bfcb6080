/* Standardized statistics: what p corrected over a map compares. */
#include "runner.h"
#include "assertions.h"
#include "maxima_truth.h"
#include "random.h"
#include "coupling/signal/statistics.h"
#include "moments.h"

#include <math.h>
#include <string.h>

enum { P = 6, A = 7, CELLS = P * A, K = 39 };

/* K + 1 maps, one of them the observed one. */
struct maps {
	float values[K + 1][CELLS];
	uint8_t valid[CELLS];
};

/* Facts of the maps that the library is told: the observed one, mean and deviation of the others. */
struct told {
	float mi[CELLS], mean[CELLS], std[CELLS];
};

static void tell(const struct maps *maps, size_t observed, unsigned ddof, struct told *out)
{
	for (size_t cell = 0; cell < CELLS; cell++) {
		moments seen = {0};
		for (size_t k = 0; k <= K; k++)
			if (k != observed)
				moments_add(&seen, maps->values[k][cell], maps->values[observed][cell]);
		out->mi[cell] = maps->values[observed][cell];
		out->mean[cell] = (float)seen.mean;
		out->std[cell] = (float)clpac__moments_std(seen.m2, K, ddof);
	}
}

static void standardize_told(const struct told *told, const uint8_t *valid, unsigned ddof, float *standardized)
{
	double room[CELLS + 2 * P];
	ck_assert_uint_eq(clpac__standardize_room(P, A), COUNT(room));
	clpac__standardize(&(clpac__map){told->mi, told->mean, told->std, valid, P, A, K, ddof}, room, standardized);
}

/* Maps of cells that spread as their phase bands do, some of them more, and a few that do not count. */
static void draw(struct maps *maps, unsigned long long *state)
{
	double of_phase[P];
	for (size_t ph = 0; ph < P; ph++)
		of_phase[ph] = exp(4 * random_unit(state));
	for (size_t cell = 0; cell < CELLS; cell++) {
		const double wider = random_below(state, 8) ? 1 + 0.3 * random_unit(state) : 5;
		for (size_t k = 0; k <= K; k++)
			maps->values[k][cell] =
				(float)(of_phase[cell / A] * wider * (1 + random_unit(state) * random_unit(state)));
		maps->valid[cell] = random_below(state, 6) > 0;
	}
}

/* The definition, by sorting. */
static void standardize_by_definition(const struct told *told, const uint8_t *valid, unsigned ddof,
				      double *standardized)
{
	double variances[CELLS], spreads[CELLS];
	const judged_map map = {valid, P, A, K, false};
	for (size_t cell = 0; cell < CELLS; cell++)
		variances[cell] = valid[cell] && told->std[cell] > 0
					  ? true_variance(told->mi[cell], told->mean[cell], told->std[cell], K, ddof)
					  : 0;
	true_spreads(&map, variances, spreads);
	for (size_t cell = 0; cell < CELLS; cell++) {
		const double all = (K * (double)told->mean[cell] + told->mi[cell]) / (K + 1);
		standardized[cell] = variances[cell] > 0 ? (told->mi[cell] - all) / sqrt(spreads[cell]) : NAN;
	}
}

TEST(standardized_statistics_are_those_of_the_definition)
{
	unsigned long long state = 5;
	for (int trial = 0; trial < 200; trial++) {
		struct maps maps;
		struct told told;
		float found[CELLS];
		double wanted[CELLS];
		const unsigned ddof = trial & 1;
		draw(&maps, &state);
		tell(&maps, random_below(&state, K + 1), ddof, &told);
		told.std[random_below(&state, CELLS)] = 0;
		told.mi[random_below(&state, CELLS)] = NAN;
		told.std[random_below(&state, CELLS)] = NAN;
		standardize_told(&told, maps.valid, ddof, found);
		standardize_by_definition(&told, maps.valid, ddof, wanted);
		for (size_t cell = 0; cell < CELLS; cell++) {
			const bool has_none = !maps.valid[cell] || !(told.std[cell] > 0) || isnan(told.mi[cell]);
			ck_assert_int_eq(isnan(found[cell]), has_none);
			if (!has_none)
				assert_close(found[cell], wanted[cell], 0x1p-24 * fabs(wanted[cell]) + 1e-11);
		}
	}
}

/* Any of the K + 1 maps of a null may be the observed one: exactly as many of them have a p_max of at most r / (K + 1)
 * as r says.  This holds for standardized statistics, and not for z, which leaves the observed map out of what it is
 * measured by. */
TEST(each_map_of_a_null_is_as_likely_to_be_the_highest)
{
	unsigned long long state = 4;
	for (int trial = 0; trial < 20; trial++) {
		struct maps maps;
		float standardized[K + 1][CELLS];
		float maxima[K + 1];
		size_t counts[K + 2] = {0};
		draw(&maps, &state);
		for (size_t k = 0; k <= K; k++) {
			struct told told;
			tell(&maps, k, 0, &told);
			standardize_told(&told, maps.valid, 0, standardized[k]);
			maxima[k] = -INFINITY;
			for (size_t cell = 0; cell < CELLS; cell++)
				maxima[k] = fmaxf(maxima[k], standardized[k][cell]);
		}
		for (size_t observed = 0; observed <= K; observed++) {
			float others[K], p_max[CELLS], lowest = 1;
			for (size_t k = 0, at = 0; k <= K; k++)
				if (k != observed)
					others[at++] = maxima[k];
			clpac__p_of_maxima(standardized[observed], CELLS, others, K, p_max);
			for (size_t cell = 0; cell < CELLS; cell++)
				lowest = fminf(lowest, p_max[cell]);
			counts[(size_t)lroundf(lowest * (K + 1))]++;
		}
		for (size_t r = 1; r <= K + 1; r++)
			ck_assert_uint_eq(counts[r], 1);
	}
}

/* Where all cells of a phase band spread alike, standardized statistics are distances in the cell's own deviations,
 * however the phase bands differ; and so is that of the cell that spreads least. */
TEST(cells_that_spread_alike_keep_their_deviations)
{
	unsigned long long state = 6;
	struct maps maps;
	struct told told;
	float found[CELLS];
	draw(&maps, &state);
	memset(maps.valid, 1, sizeof maps.valid);
	for (size_t cell = 1; cell < CELLS; cell++)
		for (size_t k = 0; k <= K; k++)
			maps.values[k][cell] = ldexpf(maps.values[k][0], (int)(cell / A));
	for (size_t k = 0; k <= K; k++)
		maps.values[k][2 * A - 1] *= 0.25f;
	tell(&maps, 0, 0, &told);
	standardize_told(&told, maps.valid, 0, found);
	for (size_t cell = 0; cell < CELLS; cell++) {
		const double own = own_statistic(told.mi[cell], told.mean[cell], told.std[cell], K, 0);
		assert_close(found[cell], cell / A == 1 && cell != 2 * A - 1 ? 4 * own : own, 1e-5 * (1 + fabs(own)));
	}
}

/* A cell whose surrogates keep part of its coupling spreads more than others; that takes nothing from it, and gives
 * nothing to the others. */
TEST(a_cell_that_spreads_more_does_not_lose_by_it)
{
	unsigned long long state = 7;
	struct maps maps;
	struct told told, before;
	float found[CELLS], usual[CELLS];
	enum { COUPLED = 2 * A + 3 };
	draw(&maps, &state);
	memset(maps.valid, 1, sizeof maps.valid);
	tell(&maps, 0, 0, &before);
	standardize_told(&before, maps.valid, 0, usual);
	for (size_t k = 0; k <= K; k++)
		maps.values[k][COUPLED] *= k == 0 ? 20 : k < 9 ? 12 : 4;
	tell(&maps, 0, 0, &told);
	standardize_told(&told, maps.valid, 0, found);
	const double own = own_statistic(told.mi[COUPLED], told.mean[COUPLED], told.std[COUPLED], K, 0);
	ck_assert_msg(found[COUPLED] > 5 * own, "statistic %g, by its own deviation %g", found[COUPLED], own);
	for (size_t cell = 0; cell < CELLS; cell++)
		if (cell != COUPLED)
			assert_close(found[cell], usual[cell], 0);
}

/* An amplitude band that spreads more in every phase band but one is measured by what is usual for it: its surrogates
 * are not the highest of the map because of that.  A single row cannot tell such a band from a coupled one. */
TEST(an_amplitude_band_that_spreads_more_supplies_no_maxima)
{
	unsigned long long state = 8;
	struct maps maps;
	struct told told;
	float found[CELLS];
	enum { WIDE = 4 };
	draw(&maps, &state);
	memset(maps.valid, 1, sizeof maps.valid);
	for (size_t cell = 1; cell < CELLS; cell++)
		for (size_t k = 0; k <= K; k++)
			maps.values[k][cell] = ldexpf(maps.values[k][0],
						      (int)(cell / A) + (cell % A == WIDE && cell / A < P - 1 ? 3 : 0));
	tell(&maps, 0, 0, &told);
	standardize_told(&told, maps.valid, 0, found);
	for (size_t cell = 0; cell < CELLS; cell++) {
		const double own = own_statistic(told.mi[cell], told.mean[cell], told.std[cell], K, 0);
		assert_close(found[cell], own, 1e-5 * (1 + fabs(own)));
	}
	double room[A + 2];
	clpac__standardize(&(clpac__map){told.mi, told.mean, told.std, maps.valid, 1, A, K, 0}, room, found);
	assert_close(found[WIDE], 8 * own_statistic(told.mi[WIDE], told.mean[WIDE], told.std[WIDE], K, 0), 1e-4);
}

/* Coupling in four of six phase bands of an amplitude band is measured by the others. */
TEST(coupling_in_some_phase_bands_is_measured_by_the_others)
{
	unsigned long long state = 9;
	struct maps maps;
	struct told told;
	float found[CELLS];
	draw(&maps, &state);
	memset(maps.valid, 1, sizeof maps.valid);
	for (size_t cell = 1; cell < CELLS; cell++)
		for (size_t k = 0; k <= K; k++)
			maps.values[k][cell] =
				ldexpf(maps.values[k][0], (int)(cell / A) + (cell / A < P - 2 && cell % A < 3 ? 2 : 0));
	for (size_t k = 0; k <= K; k++)
		maps.values[k][0] *= 4;
	tell(&maps, 0, 0, &told);
	standardize_told(&told, maps.valid, 0, found);
	for (size_t cell = 0; cell < CELLS; cell++) {
		const double own = own_statistic(told.mi[cell], told.mean[cell], told.std[cell], K, 0);
		const bool is_coupled = cell / A < P - 2 && cell % A < 3;
		assert_close(found[cell], is_coupled ? 4 * own : own, 4e-5 * (1 + fabs(own)));
	}
}

/* Of nine amplitude bands one may have next to no modulation, as that of a pure line, and decides for none. */
TEST(one_silent_band_of_nine_decides_for_none)
{
	enum { WIDE = 9 };
	float mi[WIDE], mean[WIDE], std[WIDE];
	uint8_t valid[WIDE];
	float found[WIDE];
	double room[WIDE + 2];
	for (size_t am = 0; am < WIDE; am++) {
		mi[am] = 3;
		mean[am] = 1;
		std[am] = am == 4 ? 1e-6f : 1 + 0.1f * (float)am;
		valid[am] = 1;
	}
	mi[4] = 1;
	clpac__standardize(&(clpac__map){mi, mean, std, valid, 1, WIDE, K, 0}, room, found);
	for (size_t am = 0; am < WIDE; am++)
		assert_close(found[am], am == 4 ? 0 : own_statistic(3, 1, 1, K, 0), 1e-6);
	/* Without it there are eight, and the least decides. */
	valid[0] = 0;
	valid[4] = 0;
	clpac__standardize(&(clpac__map){mi, mean, std, valid, 1, WIDE, K, 0}, room, found);
	assert_close(found[8], own_statistic(3, 1, 1.1f, K, 0), 1e-6);
	ck_assert(isnan(found[0]) && isnan(found[4]));
}
