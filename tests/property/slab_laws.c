/* Laws of series whose prefix sums are cut into slabs: the same bits in slabs of any size and by direct sums, and
 * what the definition gives where the slabs are streamed. */
#include "slab_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "coupling/passes/plan.h"
#include "coupling/layout/test_settings.h"
#include "results.h"

enum { N_AMPLITUDE = 9 };

static const clpac_band amplitude_bands[N_AMPLITUDE] = {{25, 35}, {30, 40}, {35, 50},  {40, 60}, {50, 70},
							{60, 80}, {70, 95}, {80, 110}, {90, 120}};

/* Noise that grows towards low frequencies. */
static float *make_drifting(size_t n)
{
	unsigned long long state = 5;
	double drift = 0;
	float *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = (float)random_drifting(&state, &drift);
	return x;
}

static clpac_result *run_with(clpac_plan *plan, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	return result;
}

/* LONG: the prefix sums of a series are more than a cache of 1 MiB, for a vector of four bands too.  LESS_LONG is for
 * comparisons with the definition, in spans that the test chooses. */
enum { LONG = 70000, LESS_LONG = 13000, LONG_SURROGATES = 21 };

typedef struct long_series {
	clpac_problem problem;
	size_t shifts[LONG_SURROGATES];
	float *x;
	clpac_context *context;
} long_series;

static void open_long_series(long_series *s, size_t n, size_t place)
{
	static const clpac_band two[] = {{3.2, 5}, {6, 9}};
	const size_t on_edges[] = {0, 1, n - 1, 0, 256, 257, 258, n / 2 - 1, n / 2, n / 2 + 1};
	unsigned long long state = 11;
	memcpy(s->shifts, on_edges, sizeof on_edges);
	for (size_t k = COUNT(on_edges); k < LONG_SURROGATES; k++)
		s->shifts[k] = random_below(&state, n);
	s->problem = (clpac_problem){.rate_hz = 500,
				     .n_samples = n,
				     .phase_bands = two,
				     .n_phase_bands = 2,
				     .amplitude_bands = amplitude_bands,
				     .n_amplitude_bands = N_AMPLITUDE,
				     .n_surrogates = LONG_SURROGATES,
				     .shifts = s->shifts,
				     .keep_surrogates = true,
				     .keep_distributions = true};
	s->x = make_drifting(n);
	s->context = place_open_wide(place, 4); /* single bands would fit the cache */
	clpac__for_tests.cache = 1 << 20;	/* some GPUs' caches hold everything */
}

static void close_long_series(long_series *s)
{
	clpac__for_tests.span = 0; /* further laws run in this process */
	clpac__for_tests.cache = 0;
	clpac__for_tests.streamed_from = 0;
	clpac_context_close(s->context);
	free(s->x);
}

START_TEST(slabs_of_any_size_and_direct_sums_give_the_same_bits)
{
	/* The last is longer than half the series, which then is one span. */
	static const size_t spans[] = {1, 257, 1000, 4096, 19999, 33000, 34800, LONG};
	long_series s;
	open_long_series(&s, LONG, (size_t)_i);
	clpac_plan *plan = place_plan(s.context, &s.problem, NULL);
	ck_assert_uint_gt(plan->layout.n_spans, 1);
	ck_assert(!plan->layout.is_streamed);
	clpac_result *planned = run_with(plan, s.x);
	const float *mi = clpac_result_array(planned, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(planned, CLPAC_SURROGATES, NULL);
	/* Shift 0 gives the index itself, wherever it stands. */
	ck_assert_int_eq(memcmp(mi, surrogates, 2 * N_AMPLITUDE * sizeof *mi), 0);
	ck_assert_int_eq(memcmp(mi, surrogates + 3 * 2 * N_AMPLITUDE, 2 * N_AMPLITUDE * sizeof *mi), 0);
	for (size_t w = 0; w < COUNT(spans); w++) {
		char label[300];
		snprintf(label, sizeof label, "%s, spans of %zu", place_label((size_t)_i), spans[w]);
		clpac__for_tests.span = spans[w];
		clpac_plan *other = place_plan(s.context, &s.problem, NULL);
		const size_t span = clpac__round_up(spans[w], other->layout.tile);
		const size_t n_spans = spans[w] == LONG ? 1 : (LONG + span - 1) / span;
		/* A device that gives up loops takes shorter spans than are asked for, and so do vectors of bands whose
		 * groups lie side by side, since the entries of lists have two bytes. */
		if (other->layout.most_steps == UINT64_MAX && other->layout.row_stride == 1)
			ck_assert_uint_eq(other->layout.n_spans, n_spans);
		else
			ck_assert_uint_ge(other->layout.n_spans, n_spans);
		clpac_result *one = run_with(other, s.x);
		results_same_bits(planned, one, label, clpac_result_problem(one));
		clpac_result_destroy(one);
		clpac_plan_destroy(other);
	}
	plan->layout.capacity = 16;
	clpac_result *direct = run_with(plan, s.x);
	ck_assert_uint_eq(clpac_result_report(direct)->n_overflowing_series, 1);
	results_same_bits(planned, direct, place_label((size_t)_i), clpac_result_problem(direct));
	clpac_result_destroy(direct);
	clpac_result_destroy(planned);
	clpac_plan_destroy(plan);
	close_long_series(&s);
}

/* The index and every step-th surrogate of the plan's last run against the definition. */
static void check_against_definition(clpac_plan *plan, const clpac_result *result, const struct evidence *evidence,
				     size_t step, const char *label)
{
	size_t stride, moved[2];
	unsigned char *bins = place_bins(plan, &stride);
	evidence_of_bins(evidence, bins, stride, moved, label, clpac_result_problem(result));
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	for (size_t k = 0; k <= LONG_SURROGATES; k += step)
		for (size_t cell = 0; cell < 2 * N_AMPLITUDE; cell++) {
			double tolerance;
			const size_t shift = k ? plan->problem->shifts[k - 1] : 0;
			const double exact = evidence_index(evidence, bins + cell / N_AMPLITUDE * stride,
							    cell % N_AMPLITUDE, shift, &tolerance);
			assert_close(k ? surrogates[(k - 1) * 2 * N_AMPLITUDE + cell] : mi[cell], exact, tolerance);
		}
	free(bins);
}

START_TEST(streamed_slabs_give_what_the_definition_gives)
{
	static const size_t spans[] = {1, 257, 1000, 4096, 6200}, chunks[] = {1, 5, LONG_SURROGATES - 1};
	long_series s;
	open_long_series(&s, LESS_LONG, (size_t)_i);
	double *series = malloc(LESS_LONG * sizeof *series);
	for (size_t t = 0; t < LESS_LONG; t++)
		series[t] = s.x[t];
	clpac__for_tests.streamed_from = 1;
	oracle_signals *truth = NULL;
	struct evidence evidence;
	for (size_t w = 0; w < COUNT(spans); w++) {
		char label[300];
		snprintf(label, sizeof label, "%s, spans of %zu", place_label((size_t)_i), spans[w]);
		clpac__for_tests.span = spans[w];
		clpac_plan *plan = place_plan(s.context, &s.problem, NULL);
		ck_assert(plan->layout.is_streamed);
		ck_assert_uint_eq(plan->layout.n_spans, (LESS_LONG + plan->layout.span - 1) / plan->layout.span);
		if (!truth) {
			truth = oracle_analyse(clpac_plan_problem(plan), series);
			evidence = evidence_gather(clpac_plan_problem(plan), series, truth);
		}
		clpac_result *planned = run_with(plan, s.x);
		check_against_definition(plan, planned, &evidence, w ? 9 : 1, label);
		const float *mi = clpac_result_array(planned, CLPAC_MI, NULL);
		const float *surrogates = clpac_result_array(planned, CLPAC_SURROGATES, NULL);
		ck_assert_int_eq(memcmp(mi, surrogates, 2 * N_AMPLITUDE * sizeof *mi), 0);
		ck_assert_int_eq(memcmp(mi, surrogates + 3 * 2 * N_AMPLITUDE, 2 * N_AMPLITUDE * sizeof *mi), 0);
		/* Filtered once more for every chunk, in the same sections. */
		for (size_t c = 0; c < COUNT(chunks) && w == COUNT(spans) - 1; c++) {
			plan->layout.chunk = chunks[c];
			clpac_result *one = run_with(plan, s.x);
			results_same_bits(planned, one, label, clpac_result_problem(one));
			clpac_result_destroy(one);
		}
		plan->layout.capacity = 16;
		clpac_result *direct = run_with(plan, s.x);
		ck_assert_uint_eq(clpac_result_report(direct)->n_overflowing_series, 1);
		results_same_bits(planned, direct, label, clpac_result_problem(direct));
		clpac_result_destroy(direct);
		clpac_result_destroy(planned);
		clpac_plan_destroy(plan);
	}
	evidence_free(&evidence);
	oracle_signals_free(truth);
	free(series);
	close_long_series(&s);
}

START_TEST(a_pure_line_is_told_in_slabs_of_any_size)
{
	static const size_t spans[] = {LONG, 1, 257, 33000};
	long_series s;
	open_long_series(&s, LONG, (size_t)_i);
	for (size_t t = 0; t < LONG; t++)			 /* in the second phase band; the first holds noise */
		s.x[t] += 100.0f * (float)cos(0.09 * (double)t); /* 7.162 Hz */
	for (size_t w = 0; w < COUNT(spans); w++) {
		clpac__for_tests.span = spans[w];
		clpac_plan *plan = place_plan(s.context, &s.problem, NULL);
		clpac_result *result = run_with(plan, s.x);
		ck_assert_msg(clpac_result_report(result)->warnings[CLPAC_WARN_PURE_LINE].count == 1,
			      "%s, spans of %zu: %zu pure lines", place_label((size_t)_i), spans[w],
			      clpac_result_report(result)->warnings[CLPAC_WARN_PURE_LINE].count);
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
	}
	close_long_series(&s);
}

TCase *slab_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("slabs");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, slabs_of_any_size_and_direct_sums_give_the_same_bits, 0, n);
	tcase_add_loop_test(t, streamed_slabs_give_what_the_definition_gives, 0, n);
	tcase_add_loop_test(t, a_pure_line_is_told_in_slabs_of_any_size, 0, n);
	return t;
}
