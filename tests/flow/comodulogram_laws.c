/* Every cell and every surrogate shift of a map is within 1e-5 of the double-precision one, and every phase bin that of
 * the oracle.  An index below 1e-5, which only surrogates of series without coupling have, is within 1e-10: single
 * precision errs by as much in any index so small, and derived limits (support/evidence.h) hold for it as for others.
 *
 * One exception: the Hilbert transform of the kept samples, where single precision moves about one sample in 10^5 over
 * a bin's edge, which changes single cells by up to 5e-3.  There the test requires each moved sample to lie as near to
 * the edge as single precision reaches (support/evidence.h), and then moves these samples in the oracle too, whose
 * index in double must again be within 1e-5. */
#include "comodulogram_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "recordings.h"
#include "vectors.h"

static double allowed(double index)
{
	return EVIDENCE_PROMISED * fmax(index, 1e-5);
}

/* The oracle against the file, both in double: "1 + sum q ln q / ln N" of the reference has an error of 2^-52 / MI, and
 * 4e-6 is the smallest index of the maps. */
static const double oracle_allowed = 1e-9;

static size_t n_places;

const char *comodulograms_missing(void)
{
	return recordings_missing() ? recordings_missing() : vectors_missing();
}

struct map {
	clpac_problem problem;
	clpac_band phase[8], amplitude[8];
	size_t shifts[8];
	double *mi, *surrogates; /* surrogates NULL where the file has none of this case */
};

static size_t read_bands(const vectors *list, clpac_band *bands)
{
	for (size_t b = 0; b < vectors_count(list); b++)
		bands[b] = (clpac_band){vectors_value(vectors_at(vectors_at(list, b), 0)),
					vectors_value(vectors_at(vectors_at(list, b), 1))};
	return vectors_count(list);
}

static void read_map(const vectors *file, const vectors *one, size_t n_samples, struct map *map)
{
	size_t n_shifts, n;
	double *shifts = vectors_numbers(vectors_get(file, "shifts"), &n_shifts);
	ck_assert_uint_le(n_shifts, COUNT(map->shifts));
	for (size_t k = 0; k < n_shifts; k++)
		map->shifts[k] = (size_t)shifts[k];
	free(shifts);
	map->problem = (clpac_problem){.rate_hz = 1000,
				       .n_samples = n_samples,
				       .phase_bands = map->phase,
				       .n_phase_bands = read_bands(vectors_get(file, "phase_bands_hz"), map->phase),
				       .amplitude_bands = map->amplitude,
				       .n_amplitude_bands =
					       read_bands(vectors_get(file, "amplitude_bands_hz"), map->amplitude),
				       .n_surrogates = n_shifts,
				       .shifts = map->shifts,
				       .keep_surrogates = true};
	if (vectors_has(one, "hilbert")) {
		map->problem.hilbert =
			strcmp(vectors_text(one, "hilbert"), "trimmed") ? CLPAC_HILBERT_LOCAL : CLPAC_HILBERT_TRIMMED;
		map->problem.average =
			strcmp(vectors_text(one, "average"), "sum") ? CLPAC_AVERAGE_MEAN : CLPAC_AVERAGE_SUM;
		map->problem.edge_samples = (ptrdiff_t)vectors_number(one, "edge");
	}
	/* The reference turns in a circle: a shift counts modulo the samples between the edges. */
	for (size_t k = 0; k < n_shifts; k++)
		map->shifts[k] %= n_samples - 2 * (size_t)map->problem.edge_samples;
	map->mi = vectors_numbers(vectors_get(one, "mi"), NULL);
	map->surrogates = vectors_numbers(vectors_get(one, "surrogates"), &n);
	if (!n) {
		free(map->surrogates);
		map->surrogates = NULL;
	}
}

/* The file's value of a cell: for k = 0 the index itself, for k > 0 surrogate k - 1. NaN where the file has none. */
static double wanted(const struct map *map, size_t k, size_t cell)
{
	const size_t cells = map->problem.n_phase_bands * map->problem.n_amplitude_bands;
	if (k == 0)
		return map->mi[cell];
	return map->surrogates ? map->surrogates[(k - 1) * cells + cell] : NAN;
}

static void check_oracle(const struct map *map, const struct evidence *evidence)
{
	const oracle_signals *truth = evidence->truth;
	unsigned char *bins = malloc(truth->n_phase * truth->kept);
	for (size_t i = 0; i < truth->n_phase * truth->kept; i++)
		bins[i] = (unsigned char)truth->bins[i];
	for (size_t k = 0; k <= map->problem.n_surrogates; k++)
		for (size_t cell = 0; cell < truth->n_phase * truth->n_amplitude; cell++) {
			double tolerance, reference = wanted(map, k, cell);
			if (!isnan(reference))
				assert_close(evidence_index(evidence, bins + cell / truth->n_amplitude * truth->kept,
							    cell % truth->n_amplitude, k ? map->shifts[k - 1] : 0,
							    &tolerance) /
						     reference,
					     1, oracle_allowed);
		}
	free(bins);
}

/* The maps to compare with are those of all samples; one recording ends with a tenth of a second of zeros. */
static const clpac_plan_options as_it_is = {.keep_flat = true};

static void check_place(const struct map *map, const struct evidence *evidence, const double *x, size_t place)
{
	clpac_error err;
	clpac_context *context = place_open(place);
	clpac_plan *plan = place_plan(context, &map->problem, &as_it_is);
	clpac_result *result = NULL;
	const void *channels[] = {x};
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);

	const oracle_signals *truth = evidence->truth;
	size_t stride, moved[8];
	unsigned char *bins = place_bins(plan, &stride);
	const size_t n_moved =
		evidence_of_bins(evidence, bins, stride, moved, place_label(place), clpac_result_problem(result));
	const size_t n_samples = truth->n_phase * truth->kept;
	ck_assert_msg(n_moved <= 1 + n_samples / 100000, "%s: %zu samples of %zu moved", place_label(place), n_moved,
		      n_samples);

	const size_t cells = truth->n_phase * truth->n_amplitude;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	for (size_t k = 0; k <= map->problem.n_surrogates; k++)
		for (size_t cell = 0; cell < cells; cell++) {
			const size_t ph = cell / truth->n_amplitude, am = cell % truth->n_amplitude;
			const double value = k ? surrogates[(k - 1) * cells + cell] : mi[cell];
			double tolerance;
			const double explained = evidence_index(evidence, bins + ph * stride, am,
								k ? map->shifts[k - 1] : 0, &tolerance);
			double reference = wanted(map, k, cell);
			const char *against = "the map";
			if (moved[ph] && !isnan(reference)) {
				reference = explained;
				against = "the map with the moved samples";
			}
			ck_assert_msg(isnan(reference) || fabs(value - reference) <= allowed(reference),
				      "%s: phase band %zu, amplitude band %zu, shift number %zu: %.9g, %.9g in %s: "
				      "%.3g off; %s",
				      place_label(place), ph, am, k, value, reference, against, value / reference - 1,
				      clpac_result_problem(result));
			ck_assert_msg(fabs(value - explained) <= tolerance,
				      "%s: phase band %zu, amplitude band %zu, shift number %zu: %.9g, %.9g in double: "
				      "derived are %.3g; %s",
				      place_label(place), ph, am, k, value, explained, tolerance,
				      clpac_result_problem(result));
		}
	free(bins);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

static void check_map(const vectors *file, const vectors *one, const double *x, size_t n_samples)
{
	struct map map;
	clpac_error err;
	clpac_problem_copy *copy;
	read_map(file, one, n_samples, &map);
	assert_works(clpac_problem_complete(&map.problem, &copy, &err), err);
	const clpac_problem *complete = clpac_problem_get(copy);
	oracle_signals *truth = oracle_analyse(complete, x);
	struct evidence evidence = evidence_gather(complete, x, truth);
	check_oracle(&map, &evidence);
	for (size_t place = 0; place < n_places; place++)
		check_place(&map, &evidence, x, place);
	evidence_free(&evidence);
	oracle_signals_free(truth);
	clpac_problem_destroy(copy);
	free(map.mi);
	free(map.surrogates);
}

START_TEST(every_cell_and_shift_of_89_seconds_is_that_of_the_map_in_double)
{
	size_t n;
	double *x = recordings_read("pacpy_exampledata/exampledata.npy", &n);
	vectors *file = vectors_load("comodulogram_ecog.json");
	check_map(file, vectors_at(vectors_get(file, "cases"), (size_t)_i), x, n);
	vectors_free(file);
	free(x);
}

START_TEST(every_cell_and_shift_of_2_seconds_is_that_of_the_map_in_double)
{
	size_t n;
	double *x = recordings_read("neurodsp_m1_pd/sample_data_1.npy", &n);
	vectors *file = vectors_load("comodulogram_short.json");
	ck_assert_uint_ge(n, 2000);
	check_map(file, file, x, 2000);
	vectors_free(file);
	free(x);
}

static const float *statistic(const clpac_result *result, clpac_array which)
{
	return clpac_result_array(result, which, NULL);
}

START_TEST(all_shifts_of_2_seconds_have_the_null_distribution_in_double)
{
	size_t n;
	double *x = recordings_read("neurodsp_m1_pd/sample_data_1.npy", &n);
	vectors *file = vectors_load("all_shifts_short.json");
	const vectors *cells = vectors_get(file, "cells");
	clpac_band phase[8], amplitude[8];
	const clpac_problem problem = {
		.rate_hz = 1000,
		.n_samples = 2000,
		.phase_bands = phase,
		.n_phase_bands = read_bands(vectors_get(file, "phase_bands_hz"), phase),
		.amplitude_bands = amplitude,
		.n_amplitude_bands = read_bands(vectors_get(file, "amplitude_bands_hz"), amplitude),
		.null = CLPAC_NULL_ALL_SHIFTS,
	};
	for (size_t place = 0; place < n_places; place++) {
		clpac_error err;
		clpac_result *result = NULL;
		clpac_context *context = place_open(place);
		clpac_plan *plan = place_plan(context, &problem, &as_it_is);
		const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = (const void *[]){x}};
		assert_works(clpac_plan_run_samples(plan, &samples, &result, &err), err);
		for (size_t i = 0; i < vectors_count(cells); i++) {
			const vectors *cell = vectors_at(cells, i), *mi = vectors_get(cell, "mi");
			const size_t at = (size_t)vectors_number(cell, "phase") * problem.n_amplitude_bands +
					  (size_t)vectors_number(cell, "amplitude");
			const double mean = vectors_number(mi, "mean"), std = vectors_number(mi, "std");
			const double p = (1 + vectors_number(mi, "at_or_above")) / 2000;
			assert_close(statistic(result, CLPAC_SURROGATE_MEAN)[at], mean, 1e-5 * mean);
			assert_close(statistic(result, CLPAC_SURROGATE_STD)[at], std, 1e-5 * std);
			assert_close(statistic(result, CLPAC_P)[at], p, 1e-7);
		}
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
		clpac_context_close(context);
	}
	vectors_free(file);
	free(x);
}

TCase *comodulogram_laws(size_t n)
{
	enum { N_CASES = 8 }; /* local and trimmed, mean and sum, with and without edge */
	n_places = n;
	TCase *t = tcase_create("comodulograms");
	tcase_set_timeout(t, 600);
	tcase_add_test(t, every_cell_and_shift_of_2_seconds_is_that_of_the_map_in_double);
	tcase_add_test(t, all_shifts_of_2_seconds_have_the_null_distribution_in_double);
	tcase_add_loop_test(t, every_cell_and_shift_of_89_seconds_is_that_of_the_map_in_double, 0, N_CASES);
	return t;
}
