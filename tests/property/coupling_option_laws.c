/* Laws of clpac_signal_coupling: its measures and nulls are those of lists of shifts, and what it cannot do is refused.
 */
#include "coupling_option_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>

#include "assertions.h"
#include "contract/places.h"
#include "measure_truth.h"
#include "random.h"
#include "results.h"
#include "coupling/signal/draws.h"

enum { N_SERIES = 2, N_PHASE = 3, N_AMPLITUDE = 5, N = 1024, CELLS = N_PHASE * N_AMPLITUDE };

static float phase[N_SERIES * N_PHASE * N], amplitude[N_SERIES * N_AMPLITUDE * N];
static const clpac_measure binned[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_HR};

static clpac_coupling make_coupling(void)
{
	unsigned long long state = 5;
	for (size_t row = 0; row < N_SERIES * N_PHASE; row++) {
		double turns = random_unit(&state);
		for (size_t t = 0; t < N; t++) {
			turns += 0.02 + 0.03 * random_unit(&state);
			phase[row * N + t] = (float)(6.28 * (turns - floor(turns)) - 3.14);
		}
	}
	for (size_t t = 0; t < COUNT(amplitude); t++)
		amplitude[t] = (float)(1 + random_unit(&state));
	return (clpac_coupling){.n_series = N_SERIES,
				.n_phase = N_PHASE,
				.n_amplitude = N_AMPLITUDE,
				.n_samples = N,
				.seed = 21,
				.keep_surrogates = true,
				.keep_distributions = true};
}

static clpac_status try_couple(clpac_context *context, const clpac_coupling *coupling,
			       const clpac_coupling_options *options, clpac_result **out, clpac_error *err)
{
	return clpac_signal_coupling(context, coupling, options, (clpac_values){.host = phase},
				     (clpac_values){.host = amplitude}, out, err);
}

static clpac_result *couple(clpac_context *context, const clpac_coupling *coupling,
			    const clpac_coupling_options *options)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(try_couple(context, coupling, options, &result, &err), err);
	return result;
}

START_TEST(without_options_it_is_the_modulation_index)
{
	clpac_error err;
	clpac_coupling coupling = make_coupling();
	coupling.n_surrogates = 9;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *theirs = NULL, *ours = couple(context, &coupling, NULL);
	const clpac_coupling_options options = {.measures = binned, .n_measures = COUNT(binned)};
	clpac_result *both = couple(context, &coupling, &options);
	assert_works(clpac_signal_modulation_index(context, &coupling, (clpac_values){.host = phase},
						   (clpac_values){.host = amplitude}, &theirs, &err),
		     err);
	results_same_bits(ours, theirs, place_label((size_t)_i), "");
	results_same_measure(both, theirs, place_label((size_t)_i), "");
	clpac_result_destroy(both);
	clpac_result_destroy(ours);
	clpac_result_destroy(theirs);
	clpac_context_close(context);
}

/* Transforms err by 1e-5 of an index and of what is usual in its cell, and so may ranks. */
static void check_shifts(const clpac_result *all, const clpac_result *list, size_t n, size_t place)
{
	for (size_t at = 0; at < N_SERIES * CELLS; at++) {
		const size_t first = at / CELLS * n * CELLS + at % CELLS;
		const float *ours = clpac_result_array(all, CLPAC_SURROGATES, NULL) + first;
		const float *theirs = clpac_result_array(list, CLPAC_SURROGATES, NULL) + first;
		const float usual = clpac_result_array(list, CLPAC_SURROGATE_MEAN, NULL)[at];
		const float observed = clpac_result_array(list, CLPAC_MI, NULL)[at];
		size_t least = 0, most = 0;
		ck_assert(clpac_result_array(all, CLPAC_MI, NULL)[at] == observed);
		for (size_t k = 0; k < n; k++) {
			const float x = theirs[k * CELLS];
			ck_assert_msg(fabsf(ours[k * CELLS] - x) <= 1e-5f * fmaxf(x, usual),
				      "%s: %s of shift %zu, cell %zu is %.9g instead of %.9g", place_label(place),
				      clpac_measure_text(clpac_result_measure(all)), k + 1, at, (double)ours[k * CELLS],
				      (double)x);
			least += x >= observed;
			most += x >= observed - 2e-5f * fmaxf(observed, usual);
		}
		const double reached = (double)clpac_result_array(all, CLPAC_P, NULL)[at] * (double)(n + 1) - 1;
		ck_assert(reached > (double)least - 0.5 && reached < (double)most + 0.5);
	}
}

START_TEST(every_shift_is_that_of_a_list)
{
	static const size_t steps[] = {1, 8};
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(steps); i++) {
		size_t shifts[N], n = 0;
		for (size_t s = steps[i]; s < N; s += steps[i])
			shifts[n++] = s;
		clpac_coupling coupling = make_coupling(), listed = coupling;
		listed.shifts = shifts;
		listed.n_surrogates = n;
		const clpac_coupling_options every = {.size = sizeof every,
						      .measures = binned,
						      .n_measures = COUNT(binned),
						      .null = CLPAC_NULL_ALL_SHIFTS,
						      .shift_step = steps[i]};
		const clpac_coupling_options of_list = {.measures = binned, .n_measures = COUNT(binned)};
		clpac_result *all = couple(context, &coupling, &every), *list = couple(context, &listed, &of_list);
		for (size_t m = 0; m < COUNT(binned); m++)
			check_shifts(clpac_result_of(all, binned[m]), clpac_result_of(list, binned[m]), n, (size_t)_i);
		clpac_result_destroy(all);
		clpac_result_destroy(list);
	}
	clpac_context_close(context);
}

START_TEST(one_block_is_a_shift)
{
	enum { K = 9 };
	size_t shifts[K];
	clpac_coupling coupling = make_coupling();
	coupling.n_surrogates = K;
	coupling.share_shifts = true;
	for (uint32_t k = 0; k < K; k++) {
		clpac__time_block block;
		clpac__draw_blocks(coupling.seed, 0, 0, k, N, 1, &block);
		shifts[k] = block.from;
	}
	clpac_coupling listed = coupling;
	listed.shifts = shifts;
	const clpac_coupling_options blocks = {
		.measures = binned, .n_measures = COUNT(binned), .null = CLPAC_NULL_BLOCKS, .n_blocks = 1};
	const clpac_coupling_options of_list = {.measures = binned, .n_measures = COUNT(binned)};
	clpac_context *context = place_open((size_t)_i);
	clpac_result *ours = couple(context, &coupling, &blocks), *theirs = couple(context, &listed, &of_list);
	for (size_t m = 0; m < COUNT(binned); m++)
		results_same_bits(clpac_result_of(ours, binned[m]), clpac_result_of(theirs, binned[m]),
				  place_label((size_t)_i), "");
	clpac_result_destroy(ours);
	clpac_result_destroy(theirs);
	clpac_context_close(context);
}

static const clpac_measure linear[] = {CLPAC_MEASURE_MVL, CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC, CLPAC_MEASURE_GLM,
				       CLPAC_MEASURE_GCMI};

/* The values of a series as the oracle has them. */
static oracle_signals *signals_of(size_t series)
{
	static oracle_real own_phase[N_PHASE * N], own_amplitude[N_AMPLITUDE * N];
	static oracle_complex own_direction[N_PHASE * N];
	static oracle_signals signals;
	for (size_t t = 0; t < COUNT(own_phase); t++) {
		own_phase[t] = phase[series * COUNT(own_phase) + t];
		own_direction[t] = cosl(own_phase[t]) + I * sinl(own_phase[t]);
	}
	for (size_t t = 0; t < COUNT(own_amplitude); t++)
		own_amplitude[t] = amplitude[series * COUNT(own_amplitude) + t];
	signals = (oracle_signals){.n_phase = N_PHASE,
				   .n_amplitude = N_AMPLITUDE,
				   .kept = N,
				   .n_bins = 18,
				   .phase = own_phase,
				   .direction = own_direction,
				   .amplitude = own_amplitude};
	return &signals;
}

/* Holds a value of a cell to its definition, with each sample's amplitude from source[t].  Vectors err by 2e-7, sums by
 * less, and by 1e-5 of what is usual for the cell where that is more; two ranks that change places move gcmi by 3/N^2.
 */
static void check_linear(clpac_measure measure, const size_t *source, size_t at, float value, float usual, size_t place)
{
	const oracle_signals *signals = signals_of(at / CELLS);
	const measure_cell cell = {.own = signals,
				   .other = signals,
				   .ph = at % CELLS / N_AMPLITUDE,
				   .am = at % N_AMPLITUDE,
				   .source = source};
	const double truth = measure_truth(&cell, measure);
	const double limit =
		1e-5 * fmax(truth, usual) + (measure == CLPAC_MEASURE_GCMI ? 10.0 / N / N * sqrt(usual) : 0);
	ck_assert_msg(fabs(value - truth) <= limit, "%s: %s of cell %zu is %.9g and not %.9g", place_label(place),
		      clpac_measure_text(measure), at, (double)value, truth);
}

START_TEST(linear_measures_of_given_phases_are_those_of_the_definition)
{
	static const size_t shifts[] = {0, 1, 17, 400, N - 1};
	enum { K = COUNT(shifts), N_BLOCKS = 4 };
	clpac_coupling coupling = make_coupling(), listed = coupling;
	for (size_t t = 0; t < N; t++)
		phase[N + t] += t < N / 2 ? 12.5663706f : -6.2831853f; /* any number of turns */
	listed.shifts = shifts;
	listed.n_surrogates = coupling.n_surrogates = K;
	coupling.share_shifts = true;
	const clpac_coupling_options of_list = {.measures = linear, .n_measures = COUNT(linear)};
	const clpac_coupling_options of_blocks = {
		.measures = linear, .n_measures = COUNT(linear), .null = CLPAC_NULL_BLOCKS, .n_blocks = N_BLOCKS};
	clpac_context *context = place_open((size_t)_i);
	clpac_result *list = couple(context, &listed, &of_list), *blocks = couple(context, &coupling, &of_blocks);
	for (size_t k = 0; k <= K; k++) {
		size_t shifted[N], rearranged[N];
		clpac__time_block drawn[N_BLOCKS];
		for (size_t t = 0; t < N; t++)
			shifted[t] = rearranged[t] = (t + (k ? shifts[k - 1] : 0)) % N;
		if (k)
			clpac__draw_blocks(coupling.seed, 0, 0, (uint32_t)k - 1, N, N_BLOCKS, drawn);
		for (size_t i = 0; k && i < N_BLOCKS; i++)
			for (size_t t = drawn[i].to; t < (i + 1 < N_BLOCKS ? drawn[i + 1].to : N); t++)
				rearranged[t] = (drawn[i].from + t - drawn[i].to) % N;
		for (size_t m = 0; m < COUNT(linear); m++)
			for (size_t at = 0; at < N_SERIES * CELLS; at++) {
				const clpac_result *one = clpac_result_of(list, linear[m]);
				const clpac_result *other = clpac_result_of(blocks, linear[m]);
				const size_t from = ((at / CELLS * K + (k ? k - 1 : 0)) * CELLS) + at % CELLS;
				const clpac_array which = k ? CLPAC_SURROGATES : CLPAC_MI;
				const float usual = clpac_result_array(other, CLPAC_SURROGATE_MEAN, NULL)[at];
				check_linear(linear[m], shifted, at,
					     clpac_result_array(one, which, NULL)[k ? from : at], usual, (size_t)_i);
				check_linear(linear[m], rearranged, at,
					     clpac_result_array(other, which, NULL)[k ? from : at], usual, (size_t)_i);
			}
	}
	clpac_result_destroy(list);
	clpac_result_destroy(blocks);
	clpac_context_close(context);
}

START_TEST(what_cannot_be_is_refused)
{
	static const clpac_measure locking[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_PLV},
				   beside[] = {CLPAC_MEASURE_PAC_GLM}, twice[] = {CLPAC_MEASURE_MI, CLPAC_MEASURE_MI};
	static const size_t shifts[] = {3};
	const struct {
		clpac_coupling_options options;
		size_t n_surrogates, min_shift;
		const size_t *shifts;
		clpac_status status;
		const char *text;
	} cases[] = {
		{{.measures = locking, .n_measures = 2}, 1, 0, NULL, CLPAC_ERROR_UNSUPPORTED, "measures[1] is plv"},
		{{.measures = beside, .n_measures = 1}, 1, 0, NULL, CLPAC_ERROR_UNSUPPORTED, "measures[0] is pac-glm"},
		{{.measures = twice, .n_measures = 2}, 1, 0, NULL, CLPAC_ERROR_ARGUMENT, "both mi"},
		{{.measures = twice}, 1, 0, NULL, CLPAC_ERROR_ARGUMENT, "n_measures is 0"},
		{{.n_measures = 1}, 1, 0, NULL, CLPAC_ERROR_ARGUMENT, "measures is NULL"},
		{{.null = CLPAC_NULL_TRIALS}, 1, 0, NULL, CLPAC_ERROR_UNSUPPORTED, "CLPAC_NULL_TRIALS"},
		{{.null = CLPAC_NULL_PHASES}, 1, 0, NULL, CLPAC_ERROR_UNSUPPORTED, "CLPAC_NULL_PHASES"},
		{{.null = CLPAC_NULL_COUNT}, 1, 0, NULL, CLPAC_ERROR_ARGUMENT, "null is"},
		{{.null = CLPAC_NULL_BLOCKS, .n_blocks = 1001}, 1, 0, NULL, CLPAC_ERROR_ARGUMENT, "n_blocks is 1001"},
		{{.null = CLPAC_NULL_BLOCKS}, 1, 2, NULL, CLPAC_ERROR_ARGUMENT, "min_shift is 2"},
		{{.null = CLPAC_NULL_ALL_SHIFTS}, 1, 0, shifts, CLPAC_ERROR_ARGUMENT, "shifts are given"},
		{{.null = CLPAC_NULL_ALL_SHIFTS}, 5, 0, NULL, CLPAC_ERROR_ARGUMENT, "of which there are 1023"},
		{{.null = CLPAC_NULL_ALL_SHIFTS, .shift_step = N}, 0, 0, NULL, CLPAC_ERROR_ARGUMENT, "no multiple"},
		{{.size = 1}, 0, 0, NULL, CLPAC_ERROR_ARGUMENT, "clpac_coupling_options"},
	};
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_error err;
		clpac_result *result = NULL;
		clpac_coupling coupling = make_coupling();
		coupling.n_surrogates = cases[i].n_surrogates;
		coupling.min_shift = cases[i].min_shift;
		coupling.shifts = cases[i].shifts;
		ck_assert_int_eq(try_couple(context, &coupling, &cases[i].options, &result, &err), cases[i].status);
		ck_assert_msg(strstr(err.text, cases[i].text) != NULL, "case %zu: %s", i, err.text);
		ck_assert_ptr_null(result);
	}
	clpac_context_close(context);
}

TCase *coupling_option_laws(size_t n_places)
{
	TCase *t = tcase_create("options of couplings");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, without_options_it_is_the_modulation_index, 0, (int)n_places);
	tcase_add_loop_test(t, every_shift_is_that_of_a_list, 0, (int)n_places);
	tcase_add_loop_test(t, one_block_is_a_shift, 0, (int)n_places);
	tcase_add_loop_test(t, linear_measures_of_given_phases_are_those_of_the_definition, 0, (int)n_places);
	tcase_add_loop_test(t, what_cannot_be_is_refused, 0, (int)n_places);
	return t;
}
