/* Corrections of p by their definitions. */
#include "corrections_truth.h"
#include "test_thread.h"

#include <math.h>
#include <stdlib.h>

#include "assertions.h"

/* Benjamini & Hochberg 1995: the least of p m / rank over all p that are as large; Benjamini & Yekutieli 2001: times
 * 1 + 1/2 + ... + 1/m. */
void discovery_truth(const float *p, size_t n, clpac_discovery rule, double *q)
{
	double m = 0, factor = 1;
	for (size_t i = 0; i < n; i++)
		m += !isnan(p[i]);
	for (size_t i = 2; rule == CLPAC_DISCOVERY_BY && i <= (size_t)m; i++)
		factor += 1 / (double)i;
	for (size_t i = 0; i < n; i++) {
		q[i] = isnan(p[i]) ? NAN : 1;
		for (size_t k = 0; k < n; k++) {
			double rank = 0;
			for (size_t l = 0; p[k] >= p[i] && l < n; l++)
				rank += p[l] <= p[k];
			if (p[k] >= p[i])
				q[i] = fmin(q[i], factor * p[k] * m / rank);
		}
	}
}

/* The trapezoidal rule after the substitution t = x + exp(s - exp(-s)) of Takahasi & Mori 1974, Publ. RIMS 9:721.  Its
 * error falls faster than any power of the step once the step is half the density's width, 1 / sqrt(shape) of t. */
double gamma_truth(double value, double mean, double deviation)
{
	const long double shape = (long double)mean * mean / ((long double)deviation * deviation);
	const long double x = (long double)value * mean / ((long double)deviation * deviation);
	const long double step = fminl(1 / 128.0L, 0.5L / sqrtl(shape)), scale = lgammal(shape);
	const long double end = logl(fmaxl(shape - x, 0) + 60 * sqrtl(shape) + 800);
	long double sum = 0;
	if (x <= 0)
		return 1;
	for (long double s = -5; s < end; s += step) {
		const long double beyond = expl(s - expl(-s)), t = x + beyond;
		sum += expl((shape - 1) * logl(t) - t - scale) * beyond * (1 + expl(-s));
	}
	return (double)(sum * step);
}

void check_discoveries(const clpac_result *result, clpac_family family, const char *label)
{
	static const clpac_array arrays[] = {[CLPAC_DISCOVERY_BH] = CLPAC_Q_BH, [CLPAC_DISCOVERY_BY] = CLPAC_Q_BY};
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands;
	const uint8_t *valid = clpac_result_valid(result);
	size_t n;
	const float *p = clpac_result_array(result, CLPAC_P, &n);
	const size_t n_cells = family == CLPAC_FAMILY_RUN ? n : map;
	float *counted = malloc(n_cells * sizeof *counted);
	double *wanted = malloc(n_cells * sizeof *wanted);
	ck_assert(p && counted && wanted);
	for (size_t rule = 0; rule < COUNT(arrays); rule++) {
		const float *q = clpac_result_array(result, arrays[rule], NULL);
		for (size_t first = 0; q && first < n; first += n_cells) {
			for (size_t i = 0; i < n_cells; i++)
				counted[i] = valid[i % map] ? p[first + i] : NAN;
			discovery_truth(counted, n_cells, (clpac_discovery)rule, wanted);
			for (size_t i = 0; i < n_cells; i++)
				ck_assert_msg(isnan(wanted[i]) ? isnan(q[first + i])
							       : fabs(q[first + i] - wanted[i]) <= 0x1p-24 * wanted[i],
					      "%s: %s[%zu] is %.9g and not %.9g", label, clpac_array_name(arrays[rule]),
					      first + i, q[first + i], wanted[i]);
		}
	}
	free(counted);
	free(wanted);
}

/* The surrogates of a cell, and by how much moments of single precision may be off, in deviations: maxima_truth.c says
 * why. */
typedef struct moments {
	double mean, deviation, error;
} moments;

static moments moments_of(const float *surrogates, size_t stride, size_t n)
{
	moments m = {0};
	double largest = 0, squares = 0;
	for (size_t k = 0; k < n; k++) {
		m.mean += surrogates[k * stride] / (double)n;
		largest = fmax(largest, fabs((double)surrogates[k * stride]));
	}
	for (size_t k = 0; k < n; k++)
		squares += (surrogates[k * stride] - m.mean) * (surrogates[k * stride] - m.mean);
	m.deviation = sqrt(squares / ((double)n - 1));
	m.error = 4 * (double)n * 0x1p-24 * largest / m.deviation;
	return m;
}

/* Whether it is a tail that was compared. */
static bool check_tail(double mi, moments m, float got, const char *label, size_t at)
{
	double least = INFINITY, most = -INFINITY;
	if (isnan(mi) || !(m.deviation > 0)) {
		ck_assert_msg(isnan(got), "%s: p_gamma[%zu] is %.9g of an index of %g, deviation %g", label, at, got,
			      mi, m.deviation);
		return false;
	}
	if (!(m.error < 0.05) || m.deviation < 2e-4 * m.mean) /* a distribution without width has no tail */
		return false;
	for (int corner = 0; corner < 4; corner++) {
		const double tail = gamma_truth(mi, m.mean + (corner & 1 ? m.error : -m.error) * m.deviation,
						m.deviation * (1 + (corner & 2 ? m.error : -m.error)));
		least = fmin(least, tail);
		most = fmax(most, tail);
	}
	least = fmax(least, 1e-38) * (1 - 0x1p-23);
	most = fmax(most, 1e-38) * (1 + 0x1p-23);
	ck_assert_msg(got >= least && got <= most, "%s: p_gamma[%zu] is %.9g and not from %.9g to %.9g", label, at, got,
		      least, most);
	return least > 1e-38 && most < 1;
}

size_t check_gamma_tails(const clpac_result *result, const char *label)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands, n = shape->n_surrogates;
	size_t n_cells, n_compared = 0;
	const float *mi = clpac_result_array(result, CLPAC_MI, &n_cells);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	const float *tails = clpac_result_array(result, CLPAC_P_GAMMA, NULL);
	ck_assert(mi && surrogates && tails && n > 1);
	for (size_t i = 0; i < n_cells; i++) {
		const moments m = moments_of(surrogates + i / map * n * map + i % map, map, n);
		n_compared += check_tail(mi[i], m, tails[i], label, i);
	}
	return n_compared;
}
