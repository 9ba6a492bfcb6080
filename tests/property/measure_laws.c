/* Laws of the measures: each is what its definition gives, sample by sample, for every shift, and no measure changes
 * another. */
#include "measure_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "oracle.h"
#include "plan/plan.h"
#include "random.h"
#include "results.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, N_CHANNELS = 2, N_LISTED = 6, CELLS = N_PHASE * N_AMPLITUDE };

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {9, 14}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{50, 90}, {60, 100}, {70, 110}, {80, 120}, {90, 140}};
static const clpac_measure all_measures[CLPAC_MEASURE_COUNT] = {
	CLPAC_MEASURE_MI,    CLPAC_MEASURE_HR,	CLPAC_MEASURE_MVL,  CLPAC_MEASURE_DPAC,
	CLPAC_MEASURE_NDPAC, CLPAC_MEASURE_GLM, CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PLV,
};

/* --- The definitions ------------------------------------------------------------------------------ */

/* A cell's kept samples, the amplitude shifted. */
typedef struct cell {
	size_t n;
	oracle_real *a, *x, *y; /* amplitude, cosine and sine of the phase */
} cell;

static cell cell_of(const oracle_signals *truth, size_t ph, size_t am, size_t shift)
{
	const size_t n = truth->kept;
	cell made = {n, malloc(n * sizeof *made.a), malloc(n * sizeof *made.x), malloc(n * sizeof *made.y)};
	for (size_t t = 0; t < n; t++) {
		made.a[t] = truth->amplitude[am * n + (t + shift) % n];
		made.x[t] = cosl(truth->phase[ph * n + t]);
		made.y[t] = sinl(truth->phase[ph * n + t]);
	}
	return made;
}

static void cell_free(cell *cell)
{
	free(cell->a);
	free(cell->x);
	free(cell->y);
}

static oracle_real mean_of(const oracle_real *a, const oracle_real *b, size_t n)
{
	oracle_real sum = 0;
	for (size_t t = 0; t < n; t++)
		sum += b ? a[t] * b[t] : a[t];
	return sum / (oracle_real)n;
}

/* The share of the variance of a that the best combination of 1, x and y explains. */
static oracle_real explained(const cell *c)
{
	const size_t n = c->n;
	const oracle_real a = mean_of(c->a, NULL, n), x = mean_of(c->x, NULL, n), y = mean_of(c->y, NULL, n);
	const oracle_real xx = mean_of(c->x, c->x, n) - x * x, yy = mean_of(c->y, c->y, n) - y * y;
	const oracle_real xy = mean_of(c->x, c->y, n) - x * y, variance = mean_of(c->a, c->a, n) - a * a;
	const oracle_real ax = mean_of(c->a, c->x, n) - a * x, ay = mean_of(c->a, c->y, n) - a * y;
	const oracle_real of_x = (ax * yy - ay * xy) / (xx * yy - xy * xy);
	const oracle_real of_y = (ay * xx - ax * xy) / (xx * yy - xy * xy);
	return (of_x * ax + of_y * ay) / variance;
}

static const oracle_real *ranked;

static int by_value(const void *a, const void *b)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	return ranked[i] < ranked[k] ? -1 : ranked[i] > ranked[k];
}

/* The deviate below which a standard normal value falls with this probability. */
static double deviate(double probability)
{
	double low = -40, high = 40;
	for (int i = 0; i < 100; i++) {
		const double middle = (low + high) / 2;
		*(0.5 * erfc(-middle / sqrt(2)) < probability ? &low : &high) = middle;
	}
	return low;
}

/* The scores of n ranks, which are the same for all rows of a problem. */
static const oracle_real *scores_of(size_t n)
{
	static oracle_real *kept;
	static size_t n_kept;
	if (n == n_kept)
		return kept;
	free(kept);
	kept = malloc(n * sizeof *kept);
	n_kept = n;
	for (size_t r = 0; r < n; r++)
		kept[r] = deviate((double)(r + 1) / (double)(n + 1));
	return kept;
}

static void score(oracle_real *values, size_t n)
{
	size_t *order = malloc(n * sizeof *order);
	const oracle_real *scores = scores_of(n);
	oracle_real *scored = malloc(n * sizeof *scored);
	for (size_t t = 0; t < n; t++)
		order[t] = t;
	ranked = values;
	qsort(order, n, sizeof *order, by_value);
	for (size_t r = 0; r < n; r++)
		scored[order[r]] = scores[r];
	for (size_t t = 0; t < n; t++)
		values[t] = scored[t];
	free(order);
	free(scored);
}

static oracle_real height_ratio(const oracle_signals *truth, size_t ph, size_t am, size_t shift)
{
	const size_t n = truth->kept;
	oracle_real sums[CLPAC_MAX_BINS] = {0}, low = INFINITY, high = 0;
	size_t counts[CLPAC_MAX_BINS] = {0};
	for (size_t t = 0; t < n; t++) {
		const unsigned bin = truth->bins[ph * n + t];
		sums[bin] += truth->amplitude[am * n + (t + shift) % n];
		counts[bin]++;
	}
	for (unsigned bin = 0; bin < truth->n_bins; bin++) {
		oracle_real height = sums[bin];
		if (truth->average == CLPAC_AVERAGE_MEAN)
			height = counts[bin] ? height / (oracle_real)counts[bin] : 0;
		low = height < low ? height : low;
		high = height > high ? height : high;
	}
	return (high - low) / high;
}

/* The phase of the amplitude itself in the phase band, by the band's own filter. */
static oracle_real locking(const clpac_problem *p, const oracle_signals *truth, size_t ph, size_t am, size_t shift)
{
	const size_t n = truth->kept,
		     order = oracle_order(p->rate_hz, p->phase_bands[ph].lo_hz, p->phase_cycles, p->n_samples);
	oracle_real *taps = malloc((order + 1) * sizeof *taps), *envelope = malloc(n * sizeof *envelope);
	oracle_complex *quadrature = malloc((order + 1) * sizeof *quadrature), *z = malloc(n * sizeof *z), sum = 0;
	const oracle_real *a = truth->amplitude + am * n, mean = mean_of(a, NULL, n);
	for (size_t t = 0; t < n; t++)
		envelope[t] = a[t] - mean;
	oracle_firwin(p->rate_hz, p->phase_bands[ph], order, taps);
	oracle_quadrature(taps, order + 1, quadrature);
	oracle_local_long(quadrature, order + 1, envelope, n, z);
	for (size_t t = 0; t < n; t++) {
		const oracle_complex v = z[(t + shift) % n];
		sum += cexpl(I * truth->phase[ph * n + t]) * conjl(v) / cabsl(v);
	}
	free(taps);
	free(envelope);
	free(quadrature);
	free(z);
	return cabsl(sum) / (oracle_real)n;
}

static double defined(const clpac_problem *p, const oracle_signals *truth, clpac_measure measure, size_t ph, size_t am,
		      size_t shift)
{
	cell c = cell_of(truth, ph, am, shift);
	const oracle_real x = mean_of(c.a, c.x, c.n), y = mean_of(c.a, c.y, c.n), a = mean_of(c.a, NULL, c.n);
	const oracle_real x0 = x - a * mean_of(c.x, NULL, c.n), y0 = y - a * mean_of(c.y, NULL, c.n);
	oracle_real value = NAN;
	switch (measure) {
	case CLPAC_MEASURE_MI:
		value = oracle_cell(truth, ph, am, shift);
		break;
	case CLPAC_MEASURE_HR:
		value = height_ratio(truth, ph, am, shift);
		break;
	case CLPAC_MEASURE_MVL:
		value = hypotl(x, y);
		break;
	case CLPAC_MEASURE_DPAC:
		value = hypotl(x0, y0);
		break;
	case CLPAC_MEASURE_NDPAC:
		value = hypotl(x, y) / sqrtl(mean_of(c.a, c.a, c.n));
		break;
	case CLPAC_MEASURE_GLM:
		value = explained(&c);
		break;
	case CLPAC_MEASURE_GCMI:
		score(c.a, c.n);
		score(c.x, c.n);
		score(c.y, c.n);
		value = -log1pl(-explained(&c)) / (2 * logl(2));
		break;
	case CLPAC_MEASURE_PLV:
		value = locking(p, truth, ph, am, shift);
		break;
	case CLPAC_MEASURE_COUNT:
		break;
	}
	cell_free(&c);
	return (double)value;
}

/* --- Problems ------------------------------------------------------------------------------------- */

static float *make_noise(size_t n, unsigned long long seed, float unit)
{
	unsigned long long state = seed;
	double drift = 0;
	float *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = unit * (float)random_drifting(&state, &drift);
	return x;
}

static clpac_problem usual_problem(size_t n_samples)
{
	return (clpac_problem){.rate_hz = 500,
			       .n_channels = N_CHANNELS,
			       .n_samples = n_samples,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = N_LISTED,
			       .min_shift = 1,
			       .seed = 3,
			       .share_shifts = true,
			       .keep_surrogates = true,
			       .measures = all_measures,
			       .n_measures = CLPAC_MEASURE_COUNT};
}

/* Runs a problem, in chunks of so many surrogates; 0: as planned. */
static clpac_result *run_problem(clpac_context *context, const clpac_problem *problem, size_t chunk, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	clpac_plan *plan = place_plan(context, problem, NULL);
	if (chunk)
		plan->layout.chunk = chunk;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	clpac_plan_destroy(plan);
	return result;
}

/* Lengths that engines transform as they are, and others. */
static void draw_problem(clpac_problem *p, unsigned long long *state, size_t number, size_t *shifts)
{
	static const size_t lengths[] = {2048, 1500, 1009, 4999, 1536};
	static const unsigned bins[] = {18, 3, 128, 2, 17};
	*p = usual_problem(lengths[number % COUNT(lengths)]);
	p->n_bins = bins[number % COUNT(bins)];
	p->average = random_below(state, 2) ? CLPAC_AVERAGE_SUM : CLPAC_AVERAGE_MEAN;
	p->edge_samples = number % 2 ? (ptrdiff_t)random_below(state, 100) : 0;
	shifts[0] = 0;
	for (size_t k = 1; k < N_LISTED; k++)
		shifts[k] = random_below(state, p->n_samples - 2 * (size_t)p->edge_samples);
	p->shifts = shifts;
}

/* --- Limits of errors ------------------------------------------------------------------------------ */

/* How far the score of each value may be off, since values that err by as much as the errors say may change places. */
static oracle_real *score_errors(const oracle_real *values, const oracle_real *errors, size_t n)
{
	size_t *order = malloc(n * sizeof *order);
	const oracle_real *scores = scores_of(n);
	oracle_real *off = malloc(n * sizeof *off);
	for (size_t t = 0; t < n; t++)
		order[t] = t;
	ranked = values;
	qsort(order, n, sizeof *order, by_value);
	for (size_t r = 0; r < n; r++) {
		const oracle_real value = values[order[r]], error = errors[order[r]];
		size_t low = r, high = r;
		while (low > 0 && value - values[order[low - 1]] < error + errors[order[low - 1]])
			low--;
		while (high + 1 < n && values[order[high + 1]] - value < error + errors[order[high + 1]])
			high++;
		off[order[r]] = fmaxl(scores[high] - scores[r], scores[r] - scores[low]);
	}
	free(order);
	return off;
}

/* Three deviations of the sum of errors times scores, over n. */
static oracle_real error_of_mean(const oracle_real *errors, const oracle_real *scores, size_t n)
{
	oracle_real sum = 0;
	for (size_t t = 0; t < n; t++)
		sum += errors[t] * errors[t] * scores[t] * scores[t];
	return 3 * sqrtl(sum) / (oracle_real)n;
}

/* The limit of gcmi beside that of all measures: ranks of samples that may change places.
 *
 * The phase at t errs by its band's noise over its strength there.  Cosine and sine are monotonous in the angle to
 * their axis, whose error is the same, so that angles are ranked in their place.  A correlation R that errs by e then
 * moves R^2 by 2 R e + e^2, and its information in bits by at most 1 / (2 ln 2 (1 - R^2)) of that. */
static double limit_of_ranks(const evidence *evidence, size_t ph, size_t am, size_t shift, double value)
{
	const oracle_signals *truth = evidence->truth;
	const size_t n = truth->kept;
	cell c = cell_of(truth, ph, am, shift);
	oracle_real *angle_error = malloc(n * sizeof *angle_error), *amplitude_error = malloc(n * sizeof *angle_error);
	const oracle_real noise = 6 * (oracle_real)evidence->amplitude_noise[am] * mean_of(c.a, NULL, n);
	for (size_t t = 0; t < n; t++) {
		angle_error[t] = evidence->phase_noise[ph] / truth->strength[ph * n + t] + 2e-7L;
		amplitude_error[t] = noise;
	}
	oracle_real *of_a = score_errors(c.a, amplitude_error, n), e = 0;
	score(c.a, n);
	for (int part = 0; part < 2; part++) {
		oracle_real *along = part ? c.y : c.x;
		for (size_t t = 0; t < n; t++)
			along[t] = -acosl(along[t]);
		oracle_real *off = score_errors(along, angle_error, n);
		score(along, n);
		e += error_of_mean(off, c.a, n) + error_of_mean(of_a, along, n);
		free(off);
	}
	cell_free(&c);
	free(angle_error);
	free(amplitude_error);
	free(of_a);
	const double rest = exp2(-2 * value), move = 2 * sqrt(1 - rest) * (double)e + (double)(e * e);
	return move / (2 * log(2) * rest);
}

/* --- Laws ----------------------------------------------------------------------------------------- */

static size_t n_drawn;

/* An index may err by 1e-5 of itself or of what is usual in its cell. */
START_TEST(each_measure_is_that_of_its_definition)
{
	const size_t place = (size_t)_i / n_drawn, number = (size_t)_i % n_drawn;
	unsigned long long state = 60 + number;
	size_t shifts[N_LISTED];
	clpac_error err;
	clpac_problem problem;
	clpac_problem_copy *copy;
	draw_problem(&problem, &state, number, shifts);
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	const float unit = number % 2 ? 1e-6f : 300;
	float *x = make_noise(N_CHANNELS * problem.n_samples, 7 + number, unit);
	double *series = malloc(problem.n_samples * sizeof *series);
	clpac_context *context = place_open(place);
	clpac_result *result = run_problem(context, &problem, 0, x);
	for (size_t channel = 0; channel < N_CHANNELS; channel++) {
		for (size_t t = 0; t < problem.n_samples; t++)
			series[t] = x[channel * problem.n_samples + t];
		oracle_signals *truth = oracle_analyse(clpac_problem_get(copy), series);
		evidence evidence = evidence_gather(clpac_problem_get(copy), series, truth);
		for (size_t i = 0; i < CLPAC_MEASURE_COUNT; i++) {
			const clpac_result *of_measure = clpac_result_of(result, all_measures[i]);
			const float *indices = clpac_result_array(of_measure, CLPAC_MI, NULL);
			const float *surrogates = clpac_result_array(of_measure, CLPAC_SURROGATES, NULL);
			const float *mean = clpac_result_array(of_measure, CLPAC_SURROGATE_MEAN, NULL);
			for (size_t at = 0; at < CELLS * N_LISTED; at++) {
				const size_t cell = at % CELLS, k = at / CELLS;
				const double wanted = defined(clpac_problem_get(copy), truth, all_measures[i],
							      cell / N_AMPLITUDE, cell % N_AMPLITUDE, shifts[k]);
				double error = 1e-5 * fmax(wanted, mean[channel * CELLS + cell]);
				if (all_measures[i] == CLPAC_MEASURE_GCMI)
					error += limit_of_ranks(&evidence, cell / N_AMPLITUDE, cell % N_AMPLITUDE,
								shifts[k], wanted);
				const double found = surrogates[channel * CELLS * N_LISTED + at];
				ck_assert_msg(fabs(found - wanted) <= error,
					      "%s, problem %zu: %s of cell %zu at shift %zu is %.9g instead of %.9g",
					      place_label(place), number, clpac_measure_text(all_measures[i]), cell,
					      shifts[k], found, wanted);
				if (k == 0)
					assert_close(indices[channel * CELLS + cell], wanted, error);
			}
		}
		evidence_free(&evidence);
		oracle_signals_free(truth);
	}
	clpac_result_destroy(result);
	clpac_context_close(context);
	clpac_problem_destroy(copy);
	free(series);
	free(x);
}
END_TEST

static void check_same(const clpac_result *alone, const clpac_result *together, clpac_measure measure, size_t place)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n, n_other;
		if (which == CLPAC_PEAK_DISTRIBUTION) /* that of the first measure's peak */
			continue;
		const float *a = clpac_result_array(alone, (clpac_array)which, &n);
		const float *b = clpac_result_array(together, (clpac_array)which, &n_other);
		ck_assert_uint_eq(n, n_other);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])),
				      "%s: value %zu of %s of %s is %.9g alone and %.9g beside others",
				      place_label(place), i, clpac_array_name((clpac_array)which),
				      clpac_measure_text(measure), (double)a[i], (double)b[i]);
	}
}

/* Measures share buffers, and so do chunks; with every shift the transforms of bins and of vectors share theirs. */
START_TEST(no_measure_and_no_chunk_changes_another)
{
	const size_t place = (size_t)_i;
	clpac_context *context = place_open(place);
	enum { RANDOM, ALL, NONE, N_NULLS };
	for (int null = RANDOM; null < N_NULLS; null++) {
		clpac_problem problem = usual_problem(1024);
		problem.null = null == ALL ? CLPAC_NULL_ALL_SHIFTS : CLPAC_NULL_SHIFTS;
		problem.shift_step = null == ALL ? 16 : 0;
		problem.n_surrogates = null == RANDOM ? 40 : 0;
		problem.keep_surrogates = null != NONE;
		problem.cluster_alpha = 0.05;
		problem.gamma_tail = problem.keep_distributions = true;
		float *x = make_noise(N_CHANNELS * problem.n_samples, 3, 1);
		clpac_result *together = run_problem(context, &problem, 7, x);
		for (size_t i = 0; i < CLPAC_MEASURE_COUNT; i++) {
			problem.measures = &all_measures[i];
			problem.n_measures = 1;
			clpac_result *alone = run_problem(context, &problem, 0, x);
			ck_assert_int_eq(clpac_result_measure(alone), all_measures[i]);
			check_same(alone, clpac_result_of(together, all_measures[i]), all_measures[i], place);
			clpac_result_destroy(alone);
		}
		clpac_result_destroy(together);
		free(x);
	}
	clpac_context_close(context);
}
END_TEST

TCase *measure_laws(size_t n_places, size_t n_problems)
{
	TCase *t = tcase_create("measures");
	n_drawn = n_problems;
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, each_measure_is_that_of_its_definition, 0, (int)(n_places * n_problems));
	tcase_add_loop_test(t, no_measure_and_no_chunk_changes_another, 0, (int)n_places);
	return t;
}
